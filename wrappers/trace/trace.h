/* trace.h - the lines of libpith-trace, as trace.w makes them: notes, begin, (the call,) notes, end.
 *
 *     PITH_TRACE_FILE   the file to append to; %r stands for the rank: a file for each rank. Default: stderr.
 *     PITH_TRACE_TIME   1: each line has the time of day; the line at a call's end also has the duration.
 *     PITH_ONLY, PITH_SKIP   the functions to trace (group.h)
 *
 * Each line is written by one write(2) when the call begins or ends. Nothing is buffered, so the last line of a process
 * that hangs or is killed shows where it is.
 */
#ifndef PITHI_TRACE_H
#define PITHI_TRACE_H

#include "real.h"

#include <stdint.h>

struct pithi_trace_call {
    const char *name; /* NULL: not shown */
    int outer_recorded;
    int64_t begin_ns;
};

/* Notes for this thread's next line. */
void pithi_trace_count(MPI_Count count);
void pithi_trace_peer(const char *role, int peer, int tag);
void pithi_trace_message(MPI_Count count, const char *role, int peer, int tag); /* count, peer and tag */
/* The received message from the status; `type` as given to the call; MPI_BYTE: the size in bytes. */
void pithi_trace_received(int result, const MPI_Status *status, MPI_Datatype type);

void pithi_trace_begin(struct pithi_trace_call *call, const char *name, const char *classes, int *chosen,
                       const void *caller);
void pithi_trace_end(const struct pithi_trace_call *call);

/* After MPI_Init: takes the rank from MPI_COMM_WORLD. */
void pithi_trace_begin_job(int result);
/* MPI_Pcontrol: level 0 stops the trace after the call's own lines; other levels resume it before them. */
void pithi_trace_resume(int level);
void pithi_trace_pause(int level);

#endif
