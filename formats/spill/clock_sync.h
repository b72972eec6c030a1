/* clock_sync.h - corrects the clocks of several machines to the clock of rank 0's machine.
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
 * Before the first and after the last point, the offset is extrapolated. The drift d between the first and the last
 * point may be wrong, because the errors of these two points (each about a sixth of its bound round / 2) look like a
 * drift e. Real clocks usually drift by p = 50 ppm. So the extrapolation uses d * p^2 / (p^2 + e^2), at most 500 ppm:
 *
 *     bounds of 1 us each, 100 ms apart: e = 2 us / 6 / 100 ms = 3.3 ppm: 99.6 percent of d is used
 *     bounds of 1 ms each, 100 ms apart: e = 3333 ppm: nearly nothing of d is used, the offset stays constant
 *
 * The drift after the last point matters for a process that died, because it took no further point.
 *
 * If two points are so close together that their errors could make a large false drift, only the one with the shorter
 * round trip is used.
 */
#ifndef PITHI_CLOCK_SYNC_H
#define PITHI_CLOCK_SYNC_H

#include "spill/spill_time.h"

/* Sorts the points and removes points that must not be used; returns the number of points left. */
uint32_t pithi_sync_tidy(struct pithi_sync *points, uint32_t count);

/* Converts a local time to reference time. Without points, the time stays unchanged. Call pithi_sync_tidy first. */
int64_t pithi_sync_ns(const struct pithi_sync *points, uint32_t count, int64_t local_ns);

/* Changes the spans of a fitted time so that they give reference time; so the correction costs nothing when records are
 * read. Returns PITH_OK or PITH_ERR_MEMORY. */
int pithi_sync_correct(struct pithi_spill_time *time, const struct pithi_sync *points, uint32_t count);

/* Returns the points as the malloc'ed value of property `clock_sync_N` (native/SPEC.md), or NULL if there is no memory.
 * Uses every `step`th of `count` points. `rank`: lowest rank of the machine; `shift_ns`: from the reference clock to
 * log time. */
char *pithi_sync_text(int32_t rank, const struct pithi_sync *points, uint32_t count, size_t step, int64_t shift_ns);

#endif
