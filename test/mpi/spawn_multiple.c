/* spawn_multiple.c - two programs are spawned by one call, and left again. It shows whether the MPI can do that. */
#include <mpi.h>

int main(int argc, char **argv)
{
    char *programs[] = {argv[0], argv[0]};
    int counts[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm parent, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    other = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_WORLD, &other,
                                MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
