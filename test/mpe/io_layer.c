/* io_layer.c - uses the MPE API as an I/O library does: guarded by USE_MPE, states described by rank 0 alone on behalf
 * of all ranks, and a text of the call site as payload of each end. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef USE_MPE
#include <mpe.h>
#endif

enum operation { INIT, OPEN, WRITE, CLOSE, OPERATIONS };

#ifdef USE_MPE
static int numbers[OPERATIONS][2];

static void define(int rank)
{
    static char *const names[OPERATIONS] = {"PIO init", "PIO open", "PIO write", "PIO close"};
    static char *const colours[OPERATIONS] = {"green", "purple", "purple2", "CornflowerBlue"};

    for (int i = 0; i < OPERATIONS; i++) {
        MPE_Log_get_state_eventIDs(&numbers[i][0], &numbers[i][1]);
        if (rank == 0)
            MPE_Describe_info_state(numbers[i][0], numbers[i][1], names[i], colours[i], "%s");
    }
}

static void start(enum operation operation) { MPE_Log_event(numbers[operation][0], 0, NULL); }

static void stop(enum operation operation, const char *format, ...)
{
    MPE_LOG_BYTES bytes;
    char text[64];
    int pos = 0;
    va_list values;

    va_start(values, format);
    vsnprintf(text, 30, format, values);
    va_end(values);
    MPE_Log_pack(bytes, &pos, 's', (int)strlen(text), text);
    MPE_Log_event(numbers[operation][1], 0, bytes);
}
#else
#define define(rank) ((void)rank)
#define start(operation)
#define stop(...)
#endif

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    define(rank);
    start(INIT);
    MPI_Barrier(MPI_COMM_WORLD);
    stop(INIT, "rank %d", rank);
    for (int file = 0; file < 3; file++) {
        start(OPEN);
        stop(OPEN, "file%d.nc", file);
        for (int record = 0; record < 2; record++) {
            start(WRITE);
            stop(WRITE, "file%d.nc record %d", file, record);
        }
        start(CLOSE);
        stop(CLOSE, "a text that is longer than a payload can hold");
    }
    MPI_Finalize();
    return 0;
}
