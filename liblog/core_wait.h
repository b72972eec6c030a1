/* core_wait.h - how long this process could run but had no core, from joining the job to its end.
 *
 * Linux counts it for each thread (/proc/thread-self/schedstat, "run delay"). Two readings of 20 us for each thread
 * are enough to say that 8 ranks on 2 cores waited for a core for three quarters of their time;
 * PITH_COUNTERS=run-delay says when. */
#ifndef PITHI_CORE_WAIT_H
#define PITHI_CORE_WAIT_H

#include "native/segment.h"

struct pithi_no_core {
    /* Of the thread that calls MPI_Init and MPI_Finalize: without a core; with one; between the readings. time_ns 0:
     * not known. */
    uint64_t delay_ns, cpu_ns, time_ns;
    uint64_t threads_ns; /* without a core, of all other threads that are there at the end, or had a lane */
};

void pithi_core_wait_begin(void);
/* A thread that has a lane ends; it calls this. */
void pithi_core_wait_thread_end(void);
struct pithi_no_core pithi_core_wait_end(void);
/* Adds the sums of `ranks` processes to a set of definitions, as the property `run_delay_ns` (native/SPEC.md). */
int pithi_core_wait_tell(struct pithi_defs *defs, const struct pithi_no_core *sums, unsigned ranks);
/* Adds that of one rank, if it is at least a hundredth of its time. */
int pithi_core_wait_tell_rank(struct pithi_defs *defs, const struct pithi_no_core *own, int rank);
/* A line, if they are more than a tenth of the time. `sharing`: ranks that share cores with more ranks than these are;
 * 0: none, then there is no line. `cores`: those of all ranks, if they share them all; else 0. */
void pithi_core_wait_say(const struct pithi_no_core *sums, unsigned sharing, unsigned cores);

#endif
