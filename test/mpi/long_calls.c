/* long_calls.c - `long_calls`: two ranks; ten times, rank 1 works 15 ms and then sends, and rank 0 waits: in MPI_Recv,
 * or every second time in MPI_Wait. Before, each makes 1000 short calls. With OpenMP, one thread of two works. */
#include <mpi.h>
#include <unistd.h>

static int buffer;

#ifdef _OPENMP
#include <omp.h>
static int is_idle(void) { return omp_get_thread_num() != 1; }
#else
static int is_idle(void) { return 0; }
#endif

__attribute__((noinline)) static void give(void)
{
#pragma omp parallel num_threads(2)
    usleep(is_idle() ? 1 : 15000);
    MPI_Send(&buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void take(int is_started)
{
    MPI_Request request;

    if (!is_started) {
        MPI_Recv(&buffer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(&buffer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(void)
{
    int rank;

    MPI_Init(NULL, NULL);
    for (int i = 0; i < 1000; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        if (rank == 1)
            give();
        else
            take(i % 2);
    MPI_Finalize();
    return 0;
}
