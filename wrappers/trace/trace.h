/* trace.h - the lines of libpith-trace. What trace.w calls, in its order: notes, begin, (the call,) notes, end.
 *
 *     PITH_TRACE_FILE   the file to write (appended to); %r in it stands for the rank: a file for each. Else stderr.
 *     PITH_TRACE_TIME   1: each line has the time of day, the second one of a call the duration too.
 *     PITH_ONLY, PITH_SKIP   choice.h
 *
 * A line goes out whole, in one write(2), when the call begins or ends; nothing is kept back, so that the last line of
 * a process that hangs or is killed says where it stands.
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

/* Notes for the line that follows, of this thread. */
void pithi_trace_count(MPI_Count count);
void pithi_trace_peer(const char *role, int peer, int tag);
void pithi_trace_message(MPI_Count count, const char *role, int peer, int tag); /* both */
/* What a status says; `type` as given to the call, MPI_BYTE: the size in bytes. */
void pithi_trace_received(int result, const MPI_Status *status, MPI_Datatype type);

void pithi_trace_begin(struct pithi_trace_call *call, const char *name, const char *classes, int *chosen,
                       const void *caller);
void pithi_trace_end(const struct pithi_trace_call *call);

/* After MPI_Init: the rank is known for sure. */
void pithi_trace_begin_job(int result);
/* MPI_Pcontrol: 0 ends the trace, after its own lines; others begin it again, before theirs. */
void pithi_trace_resume(int level);
void pithi_trace_pause(int level);

#endif
