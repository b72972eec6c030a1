/* phases.c - uses the MPE API as a solver library does: a table of events that is begun and ended by hooks, nested;
 * logging starts only when a command-line option asks for it, and the log is named by MPE_Finish_log.
 *     phases NAME */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "mpe.h"

enum event { ASSEMBLE, MULTIPLY, SOLVE, NORM, EVENTS };

static struct {
    const char *name, *colour;
    int begin, end;
} events[EVENTS] = {
    {"MatAssemble", "red", 0, 0}, {"MatMult", "blue", 0, 0}, {"KSPSolve", "green", 0, 0}, {"VecNorm", "yellow", 0, 0}};
static int is_logging;

static void begin(enum event event)
{
    if (is_logging)
        MPE_Log_event(events[event].begin, 0, NULL);
}

static void end(enum event event)
{
    if (is_logging)
        MPE_Log_event(events[event].end, 0, NULL);
}

static void start_logging(void)
{
    int rank;

    if (MPE_Initialized_logging() != 1)
        MPE_Init_log();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < EVENTS; i++) {
        MPE_Log_get_state_eventIDs(&events[i].begin, &events[i].end);
        if (rank == 0)
            MPE_Describe_state(events[i].begin, events[i].end, (char *)events[i].name, (char *)events[i].colour);
    }
    is_logging = 1;
}

int main(int argc, char **argv)
{
    double part = 1, norm = 0;

    MPI_Init(&argc, &argv);
    begin(SOLVE); /* before logging starts: nothing */
    end(SOLVE);
    if (argc > 1)
        start_logging();
    begin(ASSEMBLE);
    end(ASSEMBLE);
    begin(SOLVE);
    for (int i = 0; i < 3; i++) {
        begin(MULTIPLY);
        end(MULTIPLY);
        begin(NORM);
        MPI_Allreduce(&part, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        end(NORM);
    }
    end(SOLVE);
    if (is_logging)
        MPE_Finish_log(argv[1]);
    is_logging = 0;
    begin(NORM);
    MPI_Finalize();
    return 0;
}
