/* clock.h - ticks: the cheapest clock of this machine. One of clock_x86.c, clock_arm64.c, clock_posix.c is compiled.
 *
 * pith.h reads the counter of x86-64 and ARM64 inline. When that counter cannot be trusted (it stops in idle states, or
 * the kernel found it to differ between cores), ticks are CLOCK_MONOTONIC's nanoseconds, and pith.h's inline road is
 * kept closed. */
#ifndef PITHI_CLOCK_H
#define PITHI_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "spill/spill.h"

/* Which clock this machine has: found out once, before anything is recorded. */
enum pithi_spill_clock pithi_clock_choose(void);
/* 1: the counter that pith.h reads inline is the one in use. */
extern int pithi_clock_inline;

static inline int64_t pithi_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The ticks now. */
uint64_t pithi_ticks(void);
/* The same moment on three clocks, as well as it can be had: of a few tries the one with the least time between. */
void pithi_clock_anchor(struct pithi_anchor *anchor);

#endif
