/* own.h - what recording costs this thread: each library that compensates has a file for it. */
#ifndef PITHI_OWN_H
#define PITHI_OWN_H

#include <stdint.h>

/* Costs are known from now on: measures them. */
void pithi_own_begin(void);
/* So far, in ns. */
int64_t pithi_own_ns(void);
/* What was spent beside, by PITH_COMPENSATE itself, or by a template that does more: adds to it. */
void pithi_own_add(int64_t ns);
/* What is to be added to CLOCK_MONOTONIC of this process, now local_ns, for that of rank 0's machine. 0; -1: it is not
 * known here. */
int pithi_own_clock(int64_t local_ns, int64_t *offset_ns);
/* All processes compensate, there are several clocks, and not all know theirs: compares them, if this library has not
 * tried before. Collective over all. 0; -1: it is still not known here. */
int pithi_own_compare(void);
/* The library's call is over: its end, and what it received, get the time now, whatever is spent until they are
 * recorded. */
void pithi_own_over(void);
/* The delay has changed otherwise: by waiting. */
void pithi_own_waited(int64_t delay_ns);
/* The log is told of both, by pith:own and pith:delay: behind a call (outside.w). Libraries without a log do
 * nothing. */
void pithi_own_tell(void);
/* A fact for the log. */
void pithi_own_fact(const char *key, const char *value);

#endif
