/* mpe_auto.c - for test_mpe_names.sh: MPE's calls in a program whose log, with -llmpe, begins and ends by itself.
 * `own`: it does so by MPE_Init_log and MPE_Finish_log. `unfinished`: it ends in the middle. */
#include "mpe.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int begin, end, solo, rank = 0, is_own = argc > 1 && strcmp(argv[1], "own") == 0, pos = 0, sum;
    MPE_LOG_BYTES bytes;

#ifndef NOMPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    if (is_own)
        MPE_Init_log();
    MPE_Log_get_state_eventIDs(&begin, &end);
    MPE_Log_get_solo_eventID(&solo);
    if (rank == 0) {
        MPE_Describe_info_state(begin, end, "work", "red", "rank=%d");
        MPE_Describe_event(solo, "tick", "blue");
    }
    MPE_Log_event(begin, 0, NULL);
    MPE_Log_pack(bytes, &pos, 'd', 1, &rank);
    MPE_Log_event(end, 0, bytes);
#ifndef NOMPI
    MPI_Pcontrol(0);
    MPE_Log_event(solo, 0, NULL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
#else
    MPE_Log_event(solo, 0, NULL);
    sum = 0;
#endif
    if (argc > 1 && strcmp(argv[1], "unfinished") == 0)
        kill(getpid(), SIGKILL);
    if (is_own)
        MPE_Finish_log("mine");
#ifndef NOMPI
    MPI_Finalize();
#endif
    return sum < 0;
}
