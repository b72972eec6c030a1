/* trace.h - the lines of libpith-trace. Before each call, trace.w makes notes of the arguments and writes the line
 * "Starting"; after the call, it makes notes of the received message and writes the line "Ending".
 *
 *     PITH_TRACE_FILE   the file to append to; "%r" in its name is replaced by the rank. Default: standard error.
 *     PITH_TRACE_TIME   1: each line has the time of day; the line at a call's end also has the duration.
 *     PITH_ONLY, PITH_SKIP   which functions are traced (group.h)
 *
 * Each line is written by one write(2), when the call begins or ends. Nothing is buffered, so the last line of a
 * process that hangs or is killed shows which call it is in.
 */
#ifndef PITHI_TRACE_H
#define PITHI_TRACE_H

#include "real.h"

#include <stdint.h>

struct pithi_trace_call {
    const char *name;   /* NULL: no lines are written for this call */
    int outer_recorded; /* pithi_self.recorded of the call around it */
    int64_t begin_ns;   /* of CLOCK_MONOTONIC, if lines have the time */
};

/* Make notes for the next line of this thread, such as " with count = 10, dest = 1". */
void pithi_trace_count(MPI_Count count);
void pithi_trace_peer(const char *role, int peer, int tag);
void pithi_trace_message(MPI_Count count, const char *role, int peer, int tag); /* count, peer and tag */
/* Makes a note of the received message, from its status. `type`: the call's type, in which the message is counted, or
 * MPI_BYTE for its size in bytes. */
void pithi_trace_received(int result, const MPI_Status *status, MPI_Datatype type);

/* Write the two lines of a call. *chosen: kept by the caller for pithi_chosen (group.h). `caller`: the address that the
 * call returns to. */
void pithi_trace_begin(struct pithi_trace_call *call, const char *name, const char *classes, int *chosen,
                       const void *caller);
void pithi_trace_end(const struct pithi_trace_call *call);

/* After MPI_Init: gets the rank in MPI_COMM_WORLD. */
void pithi_trace_begin_job(int result);
/* Call them before and after MPI_Pcontrol: level 0 stops the trace after the lines of this call; other levels resume
 * the trace before the lines. */
void pithi_trace_resume(int level);
void pithi_trace_pause(int level);

#endif
