/* clock_sync.h - clocks of several machines made one: the concept of the correction.
 *
 * CLOCK_MONOTONIC counts from the boot of its machine, at its machine's own pace. The machine of rank 0 is the
 * reference. Another one asks it what time it is: of a ping-pong that takes `round` the answer is right to half of it,
 * whichever way took longer. The one with the shortest round trip of many makes a sync point (struct pithi_sync,
 * spill.h): at `local` the reference's clock showed local + offset. Between two points the offset is taken to change
 * evenly:
 *
 *     points    local 0 s: offset 500.000 us, round trip 4 us;  local 10 s: offset 700.000 us, round trip 6 us
 *     drift     200 us in 10 s: 20 ppm
 *     a record  local 2.5 s: 2.5 s + 550.000 us in the reference's time, to 3 us if the clocks run evenly
 *
 * Before the first and after the last point the drift d is that between these two, as far as it can be believed: clocks
 * drift by some p = 50 ppm, and the points, whose true errors are a sixth of their bounds or so, feign some e; so
 * d * p^2 / (p^2 + e^2) is used, and no more than 500 ppm:
 *
 *     bounds of 1 us each, 100 ms apart: e = 2 us / 6 / 100 ms = 3.3 ppm: all of d but 0.4 percent
 *     bounds of 1 ms each, 100 ms apart: e = 3333 ppm: nothing of d, the offset is held
 *
 * A process that died has the points taken while it lived, and what it
 * recorded behind the last of them follows this rule.
 *
 * Points so close to the one before that their errors would make a steep line are left out: of the two, the one with
 * the shorter round trip stays.
 */
#ifndef PITHI_CLOCK_SYNC_H
#define PITHI_CLOCK_SYNC_H

#include "spill/spill_time.h"

/* Sorts the points and takes out those that must not be used; gives how many are left. */
uint32_t pithi_sync_tidy(struct pithi_sync *points, uint32_t count);

/* A moment of the local clock in the reference's time; without points as it is. Points as pithi_sync_tidy left them. */
int64_t pithi_sync_ns(const struct pithi_sync *points, uint32_t count, int64_t local_ns);

/* Turns the spans of a fitted time into the reference's, so that reading costs no more than before. PITH_OK or
 * PITH_ERR_MEMORY. */
int pithi_sync_correct(struct pithi_spill_time *time, const struct pithi_sync *points, uint32_t count);

/* The points as the property `clock_sync_N` tells them (native/SPEC.md), malloc'ed; NULL: no memory. Of `count` points,
 * `step` places apart each. `rank`: the machine's lowest; `shift_ns`: from the reference's clock to log time. */
char *pithi_sync_text(int32_t rank, const struct pithi_sync *points, uint32_t count, size_t step, int64_t shift_ns);

#endif
