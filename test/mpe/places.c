/* places.c - describes numbers before, between and after their use, twice, on one rank only, and without a use. */
#include <mpi.h>

#include "mpe.h"

int main(int argc, char **argv)
{
    int rank, begin, end, spare, last, tick, unused;
    MPI_Comm twin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPE_Log_get_state_eventIDs(&begin, &end);
    MPE_Log_get_state_eventIDs(&spare, &last);
    MPE_Log_get_solo_eventID(&tick);
    MPE_Log_get_solo_eventID(&unused);
    MPE_Log_bare_event(tick);
    if (rank == 1)
        MPE_Describe_state(spare, last, "spare", "red");
    MPE_Describe_info_state(begin, end, "work", "blue", "step=%d");
    MPE_Log_event(begin, 0, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPE_Log_event(end, 0, NULL);
    if (rank == 0) {
        MPE_Describe_event(tick, "tick", "green");
        MPE_Describe_event(unused, "unused", "navy");
    }
    MPE_Log_sync_clocks();
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPE_Log_comm_event(twin, tick, NULL);
    MPI_Comm_free(&twin);
    return MPI_Finalize();
}
