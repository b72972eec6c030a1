/* core_wait.h - how long this process could run but had no core, from joining the job to its end.
 *
 * Linux counts this time for each thread (/proc/thread-self/schedstat, "run delay"). Two readings per thread, of 20 us
 * each, give the sum over the run, for example: 8 ranks on 2 cores waited for a core three quarters of their time.
 * PITH_COUNTERS=run-delay records the values over time. */
#ifndef PITHI_CORE_WAIT_H
#define PITHI_CORE_WAIT_H

#include "native/segment.h"

struct pithi_no_core {
    /* Times between the two readings in the thread that calls MPI_Init and MPI_Finalize. delay_ns: runnable without a
     * core; cpu_ns: on a core; time_ns: elapsed (0: unknown). */
    uint64_t delay_ns, cpu_ns, time_ns;
    uint64_t threads_ns; /* time without a core of all other threads that exist at the end or had a lane */
};

void pithi_core_wait_begin(void);
/* Called by a thread that has a lane, when the thread ends. */
void pithi_core_wait_thread_end(void);
struct pithi_no_core pithi_core_wait_end(void);
/* Adds the sums of `ranks` processes to a set of definitions, as the property `run_delay_ns` (native/SPEC.md). */
int pithi_core_wait_tell(struct pithi_defs *defs, const struct pithi_no_core *sums, unsigned ranks);
/* Adds the sums of rank `rank` as `run_delay_ns RANK`, if they are at least a hundredth of its time. */
int pithi_core_wait_tell_rank(struct pithi_defs *defs, const struct pithi_no_core *own, int rank);
/* Prints a line about ranks that lacked cores, if delay_ns is more than a tenth of the time and `sharing` is not 0.
 * `sharing` is the number of ranks with too few cores: more ranks run on the cores of such a rank than there are cores.
 * `cores` is the number of cores if all ranks share the same cores, else 0. */
void pithi_core_wait_say(const struct pithi_no_core *sums, unsigned sharing, unsigned cores);

#endif
