/* spawn.c - processes that come later: two are spawned, joined into one communicator, and left again. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, merged;
    int rank, size, sum, got;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    inter = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &merged);
    MPI_Comm_rank(merged, &rank);
    MPI_Comm_size(merged, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    /* Of these four messages one is between processes of the first job. */
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, merged,
                 MPI_STATUS_IGNORE);
    printf("%s %d: %d %d\n", parent == MPI_COMM_NULL ? "parent" : "child", rank, sum, got);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
    MPI_Finalize();
    return 0;
}
