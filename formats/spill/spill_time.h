/* spill_time.h - converts the ticks of a process's clock to nanoseconds. This is called the fit of the clock.
 *
 * A record holds ticks of the processor's time stamp counter, which is cheap to read and has no unit. From time to time
 * (at the start, with every new chunk, at the end) the process stores an anchor: ticks and CLOCK_MONOTONIC at one
 * moment. Times between two anchors are interpolated linearly:
 *
 *     anchors   ticks 1000 = 50000 ns, ticks 3600 = 51000 ns: 1000 ns in 2600 ticks, 0.3846 ns a tick
 *     a record  ticks 2300: 50000 + (2300 - 1000) * 0.3846 = 50500 ns
 *
 * So the fit follows the drift of the counter against the system's clock, and a time is as exact as the anchors around
 * it: about 50 ns. An anchor that is closer than a millisecond to the one before would give a poor slope and is left
 * out.
 *
 * Before the first and after the last anchor there is no second anchor to interpolate with. There the slope of a base
 * line is used: of two anchors of the same counter that are far apart (struct pithi_anchor_pair). A base line may go
 * from the first to the last anchor of this process, or of another process on the same machine, or from the first
 * anchor to the present time of that machine (pithi_spill_now). The longest of these is used, because its slope is
 * best.
 *
 * A counter may part from CLOCK_MONOTONIC, that is, stop agreeing with it (liblog/clock.h). The last anchor that agreed
 * and the first anchor after it are known. If the counter advanced between them by more than twice the ticks that
 * belong to the elapsed time, it jumped. Then the ticks of each record are near one of the two anchors, and the
 * record's time is computed from that anchor. If the counter did not jump, times between the two anchors are
 * interpolated as usual. Example of a jump:
 *
 *     anchors   ticks 1000 = 50000 ns, ticks 900000 = 51000 ns; until then 0.5 ns a tick
 *     a record  ticks 1400: 50000 + 400 * 0.5 = 50200 ns;  ticks 899600: 51000 - 400 * 0.5 = 50800 ns
 */
#ifndef PITHI_SPILL_TIME_H
#define PITHI_SPILL_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"
#include "spill/spill.h"

/* A base line: two anchors of a counter. The farther they are apart, the better is the slope between them. */
struct pithi_anchor_pair {
    struct pithi_anchor first, last;
};

/* A line of the fit. From `ticks` on, the time of a record with ticks T is ns + (T - ticks) * scale / 2^44. */
struct pithi_span {
    uint64_t ticks; /* where the line begins */
    int64_t ns;     /* CLOCK_MONOTONIC at `ticks` */
    uint64_t scale; /* ns of a tick, times 2^44 */
};

struct pithi_spill_time {
    struct pithi_span *spans; /* the first also applies to earlier ticks; the last has ticks UINT64_MAX */
    uint32_t count;
    double ticks_per_s; /* the rate, for people */
    int64_t error_ns;   /* largest error of a time: see pithi_time_fit */
    int64_t parted_ns;  /* the error if the counter parted from CLOCK_MONOTONIC; else 0 */
};

/* Makes at most count + 3 spans from `anchors[count]`, which may have any order (it sorts them). `page`: the process
 * page, of which only the clock and the fields about a counter that parted are used. `base`: a base line from other
 * processes or up to now, which is used if it is longer than that of `anchors`; or NULL. Returns PITH_OK or
 * PITH_ERR_MEMORY. time->error_ns becomes the largest distance of an anchor from the line between its neighbours, at
 * least 100 ns; if the counter parted, at least parted_ns. */
int pithi_time_fit(struct pithi_spill_time *time, const struct pithi_spill_page *page, struct pithi_anchor *anchors,
                   uint32_t count, const struct pithi_anchor_pair *base);
void pithi_time_free(struct pithi_spill_time *time);

/* Returns the base line from the first to the last anchor of the process (if its counter parted, to the last anchor
 * that agreed). */
struct pithi_anchor_pair pithi_spill_base(const struct pithi_spill_page *page);
/* Write the values of the properties `clock` and `clock_parted HOST` (native/SPEC.md) to `text`. The second value is ""
 * if the counter has not parted. `shift_ns`: from CLOCK_MONOTONIC to log time. */
void pithi_clock_text(const struct pithi_spill_page *page, const struct pithi_spill_time *time, char *text,
                      size_t size);
void pithi_clock_parted_text(const struct pithi_spill_page *page, int64_t shift_ns, char *text, size_t size);
/* Copies the base line *other to *best if it is longer than *best and its slope is plausible. */
void pithi_anchor_longest(struct pithi_anchor_pair *best, const struct pithi_anchor_pair *other);

/* Sum and difference of times from a file, which may have any value: overflow wraps around. */
static inline int64_t pithi_ns_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t pithi_ns_apart(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

#define PITHI_SCALE_BITS 44 /* bits of a span's `scale` after the binary point */

static inline int64_t pithi_span_ns(const struct pithi_span *span, uint64_t ticks)
{
    uint64_t passed = ticks - span->ticks, ns = pithi_mul_shift(passed, span->scale, PITHI_SCALE_BITS);
    /* If `ticks` is before the span's begin, `passed` has wrapped around and is 2^64 too large. */
    ns -= (int64_t)passed < 0 ? span->scale << (64 - PITHI_SCALE_BITS) : 0;
    return (int64_t)((uint64_t)span->ns + ns);
}

/* Returns the ns from the span's begin to `ticks`, which must not be before the span's begin. */
static inline uint64_t pithi_span_after(const struct pithi_span *span, uint64_t ticks)
{
    return pithi_mul_shift(ticks - span->ticks, span->scale, PITHI_SCALE_BITS);
}

/* Converts ticks to ns. It searches from the first span on, so it is slow and for rare use. */
static inline int64_t pithi_time_ns(const struct pithi_spill_time *time, uint64_t ticks)
{
    const struct pithi_span *span = time->spans;
    while (span + 1 < time->spans + time->count && span[1].ticks <= ticks)
        span++;
    return pithi_span_ns(span, ticks);
}

/* ---- The clock now ----------------------------------------------------------------------------------------------- */

/* A process that died early has only anchors that are close together. If its machine is still running, the base line
 * from the first anchor to the present time is longer. */

/* Reads the clocks of this machine into *now. Returns 1 if *now and page->first are anchors of the same counter.
 * Returns 0 if the process ran on another machine; if this machine was rebooted or slept since then (during sleep the
 * counter runs and CLOCK_MONOTONIC does not); or if the counter and CLOCK_MONOTONIC moved apart for another reason. */
int pithi_spill_now(const struct pithi_spill_page *page, struct pithi_anchor *now);

/* Returns 1 if the process ran on this machine, and the machine was not rebooted since then. */
int pithi_spill_is_here(const struct pithi_spill_page *page);

#endif
