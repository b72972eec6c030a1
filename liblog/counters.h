/* counters.h - what the system counts for each thread: CPU time, time without a core, page faults, instructions ...
 * (PITH_COUNTERS). */
#ifndef PITHI_COUNTERS_H
#define PITHI_COUNTERS_H

#include <stdint.h>

#include "native/thread_counter.h"

/* 1: threads read counters when a state begins or ends; all records then take the slow path. Set once under the guard,
 * when the first recording starts. */
extern int pithi_counters_on;

/* Under the guard, when recording starts: prepares the counters that PITH_COUNTERS names. Prints one line that says
 * which of them this machine does not have or does not permit, and why. */
void pithi_counters_start(void);

/* Records the values of this thread. Call it before the record of a state's begin or end. Safe in signal handlers; in a
 * handler that interrupts a reading it does nothing. Cost: one to three system calls a counter, 0.35 to 2 us
 * (man/pith.7). */
void pithi_counters_read(void);
/* Like pithi_counters_read, at the time *at (NULL: now), which is not before the time of this thread's last record. */
void pithi_counters_read_at(const uint64_t *at);
/* Before the log is written: prints a line if some threads lack a counter. */
void pithi_counters_finish(void);

/* Called when this thread ends: closes its descriptors. */
void pithi_counters_thread_end(void);
/* Call it in a forked child: its thread then opens descriptors of its own and counts from 0 again. */
void pithi_counters_forked(void);

#endif
