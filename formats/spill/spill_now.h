/* spill_now.h - the clock of a recorded process as it stands now, when this is still the machine that it ran on. A
 * process that died young has told little of how fast its counter runs; the time since then tells more. */
#ifndef PITHI_SPILL_NOW_H
#define PITHI_SPILL_NOW_H

#include "spill/spill.h"

/* 1: *now is a moment of the same clock as page->first. 0: another machine, rebooted since, or one that slept
 * meanwhile (the counter runs on in sleep, CLOCK_MONOTONIC does not). */
int pithi_spill_now(const struct pithi_spill_page *page, struct pithi_anchor *now);

/* Is it this machine, and not rebooted since? */
int pithi_spill_is_here(const struct pithi_spill_page *page);

#endif
