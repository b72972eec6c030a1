/* eager.c - does a message that MPI_Isend has posted come while its sender is not in MPI?
 *
 *     mpiexec -n 2 eager BYTES [SECONDS]      rank 0 says "moves" or "stays"
 *
 * The receiver tells by memory that both have. That it comes is waited for; that it does not can only be seen for a
 * while (0.3 s). On a busy machine one that moves might be taken for one that stays, never the other way round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int rank, ranks, unit, bytes = argc > 1 ? atoi(argv[1]) : 0, *there;
    char *data = calloc(1, (size_t)bytes + 1);
    double patience = argc > 2 ? atof(argv[2]) : 0.3, begin;
    MPI_Aint size_bytes;
    MPI_Request request;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *there : 0, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &there,
                            &window);
    MPI_Win_shared_query(window, 0, &size_bytes, &unit, &there);
    __atomic_store_n(there, 0, __ATOMIC_SEQ_CST);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && ranks > 1) {
        MPI_Isend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        for (begin = now(); !__atomic_load_n(there, __ATOMIC_SEQ_CST) && now() - begin < patience;)
            continue;
        puts(__atomic_load_n(there, __ATOMIC_SEQ_CST) ? "moves" : "stays");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        __atomic_store_n(there, 1, __ATOMIC_SEQ_CST);
    }
    MPI_Win_free(&window);
    free(data);
    MPI_Finalize();
    return 0;
}
