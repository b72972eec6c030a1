/* spill_time.h - ticks of a process's clock as nanoseconds: the concept of the clock fit.
 *
 * A record holds ticks: what the processor's time stamp counter showed, which is cheap to read and has no unit. Now and
 * then (at the start, with every new chunk, at the end) the process notes an anchor: ticks and CLOCK_MONOTONIC at one
 * moment. Between two anchors time is taken to run evenly:
 *
 *     anchors   ticks 1000 = 50000 ns, ticks 3600 = 51000 ns: 1000 ns in 2600 ticks, 0.3846 ns a tick
 *     a record  ticks 2300: 50000 + (2300 - 1000) * 0.3846 = 50500 ns
 *
 * So a drift of the counter against the system's clock is followed piece by piece, and the error at any moment is the
 * error of an anchor, some 50 ns. Anchors closer than a millisecond to the one before would give a poor slope and are
 * left out. Before the first and after the last anchor the slope is that of the longest base line known: of all the
 * anchors of this process, or of another one on the same machine (struct pithi_anchor_pair), or of the machine now if
 * it is still the same.
 */
#ifndef PITHI_SPILL_TIME_H
#define PITHI_SPILL_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "spill/spill.h"

/* Two moments of one clock, the farther apart the better. */
struct pithi_anchor_pair {
    struct pithi_anchor first, last;
};

/* From `ticks` on: ns + (ticks - span.ticks) * scale / 2^44. */
struct pithi_span {
    uint64_t ticks;
    int64_t ns;
    uint64_t scale;
};

struct pithi_spill_time {
    struct pithi_span *spans; /* the first also serves what lies before it; ends with one at ticks UINT64_MAX */
    uint32_t count;
    double ticks_per_s;
};

/* Makes the spans from `anchors[count]` (any order; sorted here). `base` is the longest base line known besides, or
 * NULL. Returns PITH_OK or PITH_ERR_MEMORY. */
int pithi_time_fit(struct pithi_spill_time *time, uint32_t clock, struct pithi_anchor *anchors, uint32_t count,
                   const struct pithi_anchor_pair *base);
void pithi_time_free(struct pithi_spill_time *time);

/* Keeps the longer of the two. */
void pithi_anchor_longest(struct pithi_anchor_pair *best, const struct pithi_anchor_pair *other);

/* Sum and difference of times from a file: they may be anything, and wrap around. */
static inline int64_t pithi_ns_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t pithi_ns_apart(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

#define PITHI_SCALE_BITS 44

static inline int64_t pithi_span_ns(const struct pithi_span *span, uint64_t ticks)
{
    __int128 way = (__int128)(int64_t)(ticks - span->ticks) * (__int128)span->scale;
    return (int64_t)((uint64_t)span->ns + (uint64_t)(way >> PITHI_SCALE_BITS));
}

/* One moment, found from the start: for those who ask rarely. */
static inline int64_t pithi_time_ns(const struct pithi_spill_time *time, uint64_t ticks)
{
    const struct pithi_span *span = time->spans;
    while (span + 1 < time->spans + time->count && span[1].ticks <= ticks)
        span++;
    return pithi_span_ns(span, ticks);
}

#endif
