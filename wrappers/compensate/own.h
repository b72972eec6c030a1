/* own.h - the cost of recording in this thread. Each library that compensates implements these functions. */
#ifndef PITHI_OWN_H
#define PITHI_OWN_H

#include <stdint.h>

/* Measures the costs that the functions below use. */
void pithi_own_begin(void);
/* The cost so far, in ns. */
int64_t pithi_own_ns(void);
/* Adds the time spent by PITH_COMPENSATE itself, or by another template. */
void pithi_own_add(int64_t ns);
/* The offset from this process's CLOCK_MONOTONIC to the clock of rank 0's machine, at local_ns. -1: unknown. */
int pithi_own_clock(int64_t local_ns, int64_t *offset_ns);
/* Compares the clocks of all processes, unless this library has already tried. Collective. -1: they stay unknown. */
int pithi_own_compare(void);
/* Call it when the library's call has returned: later records of this call use the current time. */
void pithi_own_over(void);
/* Notes the delay after a wait, for pithi_own_write. */
void pithi_own_waited(int64_t delay_ns);
/* Writes the cost and the delay as pith:own and pith:delay after the call (after_call.w). Libraries without a log do
 * nothing. */
void pithi_own_write(void);
/* Writes a property of the log. */
void pithi_own_fact(const char *key, const char *value);

#endif
