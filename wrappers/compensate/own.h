/* own.h - the cost of recording in this thread. Each library that compensates implements these functions. */
#ifndef PITHI_OWN_H
#define PITHI_OWN_H

#include <stdint.h>

/* Measures the costs that the functions below use. */
void pithi_own_begin(void);
/* Returns the cost of this thread so far, in ns. */
int64_t pithi_own_ns(void);
/* Adds `ns` to the cost: time that PITH_COMPENSATE itself or another template spent. */
void pithi_own_add(int64_t ns);
/* Finds the offset from this process's CLOCK_MONOTONIC to that of rank 0's machine, at the time local_ns. Returns -1 if
 * the offset is unknown. */
int pithi_own_clock(int64_t local_ns, int64_t *offset_ns);
/* Compares the clocks of all processes, unless this library has already tried that. Collective. Returns -1 if the
 * offsets stay unknown. */
int pithi_own_compare(void);
/* Call it when the MPI library's call has returned. Records that are made later in this call then use the current
 * time. */
void pithi_own_over(void);
/* Keeps the delay after a wait, for pithi_own_write. */
void pithi_own_waited(int64_t delay_ns);
/* Writes the cost and the delay as pith:own and pith:delay after the call (after_call.w). Does nothing in a
 * wrapper library that writes no log. */
void pithi_own_write(void);
/* Writes a property of the log. */
void pithi_own_fact(const char *key, const char *value);

#endif
