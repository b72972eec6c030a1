/* own_comm.c - see own_comm.h. */
#include "own_comm.h"

#include "real.h"

enum { TAG = 29573 };

MPI_Comm pithi_own_comm(MPI_Group members)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group world;
    int bad;
    if (REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (members == MPI_GROUP_NULL)
        bad = REAL(MPI_Comm_create)(MPI_COMM_WORLD, world, &comm);
    else
        bad = REAL(MPI_Comm_create_group)(MPI_COMM_WORLD, members, TAG, &comm);
    REAL(MPI_Group_free)(&world);
    if (bad || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    REAL(MPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    return comm;
}
