/* spill_time.c - the clock fit of one process: anchors to spans. Knows no files. */
#include "spill/spill_time.h"

#include <stdlib.h>

#include "error.h"

#define NEAR_NS 1000000 /* anchors closer than this to the one before give a poor slope */
#define SLOPE_MIN 1e-4  /* ns a tick: a 10 THz counter */
#define SLOPE_MAX 1e6   /* a 1 kHz counter */

static int by_ticks(const void *a, const void *b)
{
    const struct pithi_anchor *left = a, *right = b;
    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

/* ns a tick between two anchors; 0 when they tell nothing. */
static double slope(const struct pithi_anchor *from, const struct pithi_anchor *to)
{
    double value;
    if (to->ticks <= from->ticks || to->mono_ns <= from->mono_ns)
        return 0;
    value = ((double)to->mono_ns - (double)from->mono_ns) / (double)(to->ticks - from->ticks);
    return value >= SLOPE_MIN && value <= SLOPE_MAX ? value : 0;
}

void pithi_anchor_longest(struct pithi_anchor_pair *best, const struct pithi_anchor_pair *other)
{
    if (slope(&other->first, &other->last) == 0)
        return;
    if (slope(&best->first, &best->last) == 0 ||
        other->last.ticks - other->first.ticks > best->last.ticks - best->first.ticks)
        *best = *other;
}

static struct pithi_span span_at(const struct pithi_anchor *anchor, double ns_per_tick)
{
    struct pithi_span span = {anchor->ticks, anchor->mono_ns,
                              (uint64_t)(ns_per_tick * (double)(UINT64_C(1) << PITHI_SCALE_BITS) + 0.5)};
    return span;
}

int pithi_time_fit(struct pithi_spill_time *time, uint32_t clock, struct pithi_anchor *anchors, uint32_t count,
                   const struct pithi_anchor_pair *base)
{
    double mean = 1; /* without any base line: a clock of 1 ns */
    uint32_t i, kept = 0;

    time->spans = calloc((size_t)count + 2, sizeof *time->spans);
    time->count = 0;
    if (time->spans == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clock of a process");
    if (clock != PITHI_CLOCK_NS && count > 0) {
        struct pithi_anchor_pair longest;
        qsort(anchors, count, sizeof *anchors, by_ticks);
        for (i = 0; i < count; i++)
            if (kept == 0 ||
                (slope(&anchors[kept - 1], &anchors[i]) != 0 &&
                 (uint64_t)pithi_ns_apart(anchors[i].mono_ns, anchors[kept - 1].mono_ns) >= NEAR_NS))
                anchors[kept++] = anchors[i];
        longest.first = anchors[0];
        longest.last = anchors[kept - 1];
        if (kept == 1 && count > 1) /* a short life: better a poor slope than none */
            longest.last = anchors[count - 1];
        if (base != NULL)
            pithi_anchor_longest(&longest, base);
        mean = slope(&longest.first, &longest.last);
        if (mean == 0)
            mean = 1;
        for (i = 0; i + 1 < kept; i++)
            time->spans[time->count++] = span_at(&anchors[i], slope(&anchors[i], &anchors[i + 1]));
        time->spans[time->count++] = span_at(&anchors[kept - 1], mean);
    } else {
        struct pithi_anchor zero = {0, 0, 0};
        time->spans[time->count++] = span_at(&zero, 1);
    }
    time->spans[time->count].ticks = UINT64_MAX;
    time->ticks_per_s = 1e9 / mean;
    return PITH_OK;
}

void pithi_time_free(struct pithi_spill_time *time)
{
    free(time->spans);
    time->spans = NULL;
    time->count = 0;
}
