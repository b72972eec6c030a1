/* access.c - files and windows: what is read and written where, on whom. test_access.sh knows what the log must hold.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, failed;
#define TRY(call) (failed += (call) != MPI_SUCCESS)

static void files(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    double data[8] = {0};
    int one = 0;

    TRY(MPI_File_open(MPI_COMM_SELF, rank ? "access1.dat" : "access0.dat", MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &file));
    TRY(MPI_File_write(file, data, 4, MPI_DOUBLE, &status));         /* 32 bytes at 0 */
    TRY(MPI_File_write(file, &one, 1, MPI_INT, &status));            /* 4 at 32 */
    TRY(MPI_File_write_at(file, 100, data, 1, MPI_DOUBLE, &status)); /* 8 at 100 */
    TRY(MPI_File_set_view(file, 1000, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
    TRY(MPI_File_iwrite_at(file, 3, data, 2, MPI_DOUBLE, &request)); /* 16 at 1000 + 3 * 8 */
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_File_seek(file, 3, MPI_SEEK_SET));
    TRY(MPI_File_read_all(file, data, 2, MPI_DOUBLE, &status));     /* 16 at 1024 */
    TRY(MPI_File_write_at_all_begin(file, 8, data, 1, MPI_DOUBLE)); /* 8 at 1064 */
    TRY(MPI_File_write_at_all_end(file, data, &status));
    TRY(MPI_File_close(&file));
    TRY(MPI_File_open(MPI_COMM_WORLD, "access.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    TRY(MPI_File_write_shared(file, data, 1, MPI_DOUBLE, &status)); /* 8, somewhere */
    TRY(MPI_File_write_ordered(file, data, 2, MPI_DOUBLE, &status));
    TRY(MPI_File_close(&file));
}

/* On the communicator of all ranks in the opposite order: rank 0 there is the world's last. */
static void windows(void)
{
    MPI_Comm turned;
    MPI_Win win;
    MPI_Request request;
    int *memory, result[2], one = 1, old = 0, zero = 0;

    TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned));
    TRY(MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, turned, &memory, &win));
    TRY(MPI_Comm_free(&turned)); /* the window lives on */
    TRY(MPI_Win_set_name(win, "turned"));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Get(&old, 1, MPI_INT, 0, 3, 1, MPI_INT, win));
    TRY(MPI_Win_flush(0, win));
    TRY(MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win));
    TRY(MPI_Get_accumulate(NULL, 0, MPI_INT, result, 2, MPI_INT, 0, 4, 2, MPI_INT, MPI_NO_OP, win));
    TRY(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 6, MPI_SUM, win));
    TRY(MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 7, win));
    TRY(MPI_Rput(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win)); /* to nobody */
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    files();
    windows();
    printf("rank %d failed %d\n", rank, failed);
    MPI_Finalize();
    return 0;
}
