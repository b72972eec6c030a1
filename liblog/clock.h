/* clock.h - ticks, the cheapest clock of this machine; boot ids, by which processes share a clock; times in text.
 *
 * pith.h reads the counter of x86-64 and ARM64 inline. If that counter cannot be trusted (it stops in idle states, or
 * the kernel found that cores differ), ticks are the nanoseconds of CLOCK_MONOTONIC, and pith.h takes its slow path.
 * clock.h and clock.c use no other part of liblog, so libraries that keep no log can take them from libpith.a.
 */
#ifndef PITHI_CLOCK_H
#define PITHI_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "spill/spill.h"

/* Chooses the clock; called before anything is recorded. */
enum pithi_spill_clock pithi_clock_choose(void);
/* 1: ticks are the counter that pith.h reads inline. */
extern int pithi_clock_inline;

static inline int64_t pithi_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t pithi_ticks(void);
/* Reads three clocks at about one moment: of a few tries, the one with the least time between the readings. */
void pithi_clock_anchor(struct pithi_anchor *anchor);

/* The boot id, different for each machine and each boot; "" if unknown. Processes with the same id share a clock. */
void pithi_boot_id(char *id, size_t size);

#define PITHI_MOMENT_WORDS "a time such as 2, 0.25, 10s or 500ms"

/* "2", "0.25", "10s", "500ms" in nanoseconds; `plain_ns` is the unit of a number without a unit. -1: invalid. */
int64_t pithi_moment_ns(const char *value, int64_t plain_ns);

#endif
