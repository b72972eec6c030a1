/* partly.c - for jobs of which libpith-check is in some processes only: `partly right` makes collective calls of many
 * kinds, over communicators of all processes, of two halves, of two of them, of one, and over windows, files and
 * topologies; in `partly root` and `partly group` ranks 1 and 2 first do not agree, and make the call that all others
 * make when that was refused; `partly late`: rank 2 does not come to a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void calls(MPI_Comm comm)
{
    int here, among, value = 0, values[64] = {0};
    MPI_Request request;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &among);
    MPI_Barrier(comm);
    MPI_Bcast(&value, 1, MPI_INT, among - 1, comm);
    MPI_Gather(&value, 1, MPI_INT, values, 1, MPI_INT, 0, comm);
    MPI_Alltoall(values, 1, MPI_INT, values + 32, 1, MPI_INT, comm);
    MPI_Iallreduce(&here, &value, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (value != among * (among - 1) / 2)
        printf("%d: a sum is %d\n", rank, value);
}

static void intercommunicator(MPI_Comm half, int is_upper)
{
    MPI_Comm both, merged;
    int value = 1, sum = 0;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_upper ? 0 : size / 2, 7, &both);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, both);
    MPI_Intercomm_merge(both, is_upper, &merged);
    calls(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
}

static void window_and_file(MPI_Comm comm)
{
    MPI_Win window;
    MPI_File file;
    int *memory;
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File_open(comm, "one.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void right(void)
{
    MPI_Comm half, copy, ring, some;
    MPI_Group all, two;
    int dims[1] = {size}, periods[1] = {1}, firsts[2] = {0, 1}, is_upper = rank >= size / 2;
    calls(MPI_COMM_WORLD);
    calls(MPI_COMM_SELF);
    window_and_file(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    calls(copy);
    MPI_Cart_create(copy, 1, dims, periods, 0, &ring);
    calls(ring);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &copy);
    calls(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, is_upper, rank, &half);
    calls(half);
    if (size > 1)
        intercommunicator(half, is_upper);
    MPI_Comm_free(&half);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, size > 1 ? 2 : 1, firsts, &two);
    if (rank < 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 3, &some);
        calls(some);
        MPI_Comm_free(&some);
#if MPI_VERSION >= 4
        MPI_Comm_create_from_group(two, "partly", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &some);
        calls(some);
        MPI_Comm_free(&some);
#endif
    }
    MPI_Group_free(&two);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_wrong = rank == 1 || rank == 2;
    if (strcmp(what, "right") == 0)
        for (int i = 0; i < 3; i++)
            right();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(what, "root") == 0 && (!is_wrong || MPI_Bcast(&value, 1, MPI_INT, rank == 2, MPI_COMM_WORLD) != 0))
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (strcmp(what, "group") == 0) {
        MPI_Comm lower;
        MPI_Comm_split(MPI_COMM_WORLD, rank > 2, -rank, &lower);
        if (!is_wrong || MPI_Allreduce(&rank, &value, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, lower) != MPI_SUCCESS)
            MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, lower);
    }
    if (strcmp(what, "late") == 0) {
        if (rank == 2)
            MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("done\n");
    fflush(stdout);
    return MPI_Finalize();
}
