/* clock_sync.h - corrects the clocks of several machines to one.
 *
 * CLOCK_MONOTONIC counts from the boot of its machine, at its own speed. The machine of rank 0 is the reference. Other
 * machines ask it for its time: if a ping-pong takes the time `round`, the error of the answer is at most round / 2.
 * The ping-pong with the shortest round trip of many makes a sync point (struct pithi_sync, spill.h): at `local` the
 * reference clock showed local + offset. Between two points the offset is interpolated linearly:
 *
 *     points    local 0 s: offset 500.000 us, round trip 4 us;  local 10 s: offset 700.000 us, round trip 6 us
 *     drift     200 us in 10 s: 20 ppm
 *     a record  local 2.5 s: 2.5 s + 550.000 us in reference time, with an error of 3 us if the clocks run evenly
 *
 * Before the first and after the last point, the drift d between the first and the last point is used, weighted by its
 * reliability: clocks usually drift by p = 50 ppm, and the errors of the points, about a sixth of their bounds,
 * simulate a drift e. So d * p^2 / (p^2 + e^2) is used, but at most 500 ppm:
 *
 *     bounds of 1 us each, 100 ms apart: e = 2 us / 6 / 100 ms = 3.3 ppm: 99.6 percent of d
 *     bounds of 1 ms each, 100 ms apart: e = 3333 ppm: nothing of d, the offset stays constant
 *
 * The drift after the last point matters for a process that died, because no later point follows.
 *
 * If two points are so close together that their errors could make a large false drift, only the one with the shorter
 * round trip is used.
 */
#ifndef PITHI_CLOCK_SYNC_H
#define PITHI_CLOCK_SYNC_H

#include "spill/spill_time.h"

/* Sorts the points and removes points that must not be used; returns the number of points left. */
uint32_t pithi_sync_tidy(struct pithi_sync *points, uint32_t count);

/* Converts a local time to reference time; without points it is unchanged. After pithi_sync_tidy. */
int64_t pithi_sync_ns(const struct pithi_sync *points, uint32_t count, int64_t local_ns);

/* Converts the spans of a fitted time to reference time, so that reading has no further cost. PITH_OK or
 * PITH_ERR_MEMORY. */
int pithi_sync_correct(struct pithi_spill_time *time, const struct pithi_sync *points, uint32_t count);

/* The points as the value of property `clock_sync_N` (native/SPEC.md), malloc'ed; NULL: no memory. Uses every `step`th
 * of `count` points. `rank`: lowest rank of the machine; `shift_ns`: from the reference clock to log time. */
char *pithi_sync_text(int32_t rank, const struct pithi_sync *points, uint32_t count, size_t step, int64_t shift_ns);

#endif
