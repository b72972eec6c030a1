/* clock_sync.c - corrects times by sync points (clock_sync.h). Points may come from a damaged file, so all are checked.
 *
 * The spans of a process (struct pithi_spill_time) convert ticks to local ns, and the points convert local ns to
 * reference ns. Both are combined into new spans, which convert ticks to reference ns in one step. For this, each span
 * is cut where a point lies:
 *
 *     spans begin at local     0 s            10 s
 *     points at                       4 s
 *     new spans begin at       0 s    4 s     10 s     each has ns = reference time, scale * (1 + drift in the span)
 *
 * Code that converts times later need not distinguish logs of one machine from logs of several.
 */
#include "spill/clock_sync.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

#define APART_NS 10000000               /* ns between two points that may give a drift (far_apart) */
#define APART_ROUNDS 50                 /* the same limit in mean round trips */
#define ROUND_MAX_NS (INT64_C(1) << 40) /* ns: a longer round trip says nothing */
#define DRIFT_USUAL 50e-6               /* see clock_sync.h */
#define DRIFT_MAX 500e-6
#define ERROR_PART 6 /* the error of a point is about a sixth of its bound (its bound is half the round trip) */

static int by_local(const void *a, const void *b)
{
    const struct pithi_sync *left = a, *right = b;
    return (left->local_ns > right->local_ns) - (left->local_ns < right->local_ns);
}

/* Returns 1 if the points are at least 10 ms and 50 mean round trips apart. If they are closer, their errors alone
 * could look like a drift of more than 2 %. */
static int far_apart(const struct pithi_sync *from, const struct pithi_sync *to)
{
    uint64_t apart = (uint64_t)pithi_ns_apart(to->local_ns, from->local_ns);
    return apart >= APART_NS && apart / APART_ROUNDS >= (uint64_t)(from->round_ns + to->round_ns) / 2;
}

/* If two neighbouring points are too close together, the point with the shorter round trip is kept, provided that it is
 * far enough from the point before the two. Example: points at 0, 1 and 3 s have round trips of 4 us, 100 ms and 5 us;
 * the points at 0 and 3 s are kept. */
uint32_t pithi_sync_tidy(struct pithi_sync *points, uint32_t count)
{
    uint32_t i, kept = 0;
    if (count > 1)
        qsort(points, count, sizeof *points, by_local);
    for (i = 0; i < count; i++) {
        if (points[i].round_ns < 0 || points[i].round_ns > ROUND_MAX_NS)
            continue;
        if (kept == 0 || far_apart(&points[kept - 1], &points[i]))
            points[kept++] = points[i];
        else if (points[i].round_ns < points[kept - 1].round_ns &&
                 (kept == 1 || far_apart(&points[kept - 2], &points[i])))
            points[kept - 1] = points[i];
    }
    return kept;
}

static double drift(const struct pithi_sync *from, const struct pithi_sync *to)
{
    return (double)pithi_ns_apart(to->offset_ns, from->offset_ns) /
           (double)(uint64_t)pithi_ns_apart(to->local_ns, from->local_ns);
}

/* Returns the drift to use before the first point and after the last point (clock_sync.h). */
static double drift_outside(const struct pithi_sync *points, uint32_t count)
{
    const struct pithi_sync *last = &points[count - 1];
    double found, error;
    if (count < 2)
        return 0;
    found = drift(points, last);
    error = (double)(points->round_ns + last->round_ns) / 2 / ERROR_PART /
            (double)(uint64_t)pithi_ns_apart(last->local_ns, points->local_ns);
    found *= DRIFT_USUAL * DRIFT_USUAL / (DRIFT_USUAL * DRIFT_USUAL + error * error);
    return found > DRIFT_MAX ? DRIFT_MAX : found < -DRIFT_MAX ? -DRIFT_MAX : found;
}

/* Returns the point from which the reference time of local_ns is computed, and sets *slope to the drift from there. */
static const struct pithi_sync *piece(const struct pithi_sync *points, uint32_t count, int64_t local_ns, double *slope)
{
    uint32_t low = 0, high = count; /* points before `low` are at or before local_ns, points from `high` on after it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points[middle].local_ns <= local_ns)
            low = middle + 1;
        else
            high = middle;
    }
    *slope = low == 0 || low == count ? drift_outside(points, count) : drift(&points[low - 1], &points[low]);
    return &points[low > 0 ? low - 1 : 0];
}

int64_t pithi_sync_ns(const struct pithi_sync *points, uint32_t count, int64_t local_ns)
{
    const struct pithi_sync *from;
    double slope, more;
    if (count == 0)
        return local_ns;
    from = piece(points, count, local_ns, &slope);
    more = slope * (double)pithi_ns_apart(local_ns, from->local_ns);
    if (!(more > -4e18 && more < 4e18))
        more = 0;
    return pithi_ns_sum(pithi_ns_sum(local_ns, from->offset_ns), (int64_t)more);
}

/* Converts local time to ticks. The spans are in order of time; the first span also applies to earlier times. */
static uint64_t ticks_at(const struct pithi_spill_time *time, int64_t local_ns)
{
    const struct pithi_span *span = time->spans;
    double ticks;
    while (span + 1 < time->spans + time->count && span[1].ns <= local_ns)
        span++;
    ticks = (double)pithi_ns_apart(local_ns, span->ns) * (double)(UINT64_C(1) << PITHI_SCALE_BITS) /
            (double)(span->scale > 0 ? span->scale : 1);
    if (!(ticks > -9e18 && ticks < 9e18))
        ticks = 0;
    return span->ticks + (uint64_t)(int64_t)ticks;
}

static int by_ticks(const void *a, const void *b)
{
    const struct pithi_span *left = a, *right = b;
    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

int pithi_sync_correct(struct pithi_spill_time *time, const struct pithi_sync *points, uint32_t count)
{
    struct pithi_span *made, end = time->spans[time->count];
    const struct pithi_span *old = time->spans;
    uint32_t i, total = time->count + count;

    if (count == 0)
        return PITH_OK;
    made = calloc((size_t)total + 1, sizeof *made);
    if (made == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clock of a process");
    for (i = 0; i < total; i++) {
        made[i].ticks = i < count ? ticks_at(time, points[i].local_ns) : time->spans[i - count].ticks;
        made[i].ns = i < count ? points[i].local_ns : time->spans[i - count].ns;
    }
    qsort(made, total, sizeof *made, by_ticks);
    for (i = 0; i < total; i++) {
        double slope;
        while (old + 1 < time->spans + time->count && old[1].ticks <= made[i].ticks)
            old++;
        piece(points, count, made[i].ns, &slope);
        made[i].ns = pithi_sync_ns(points, count, made[i].ns);
        double factor = 1 + slope < 1e-6  ? 1e-6
                        : 1 + slope > 1e6 ? 1e6
                                          : 1 + slope,
               product = (double)old->scale * factor;
        made[i].scale = product < 1.8e19 ? (uint64_t)(product + 0.5) : (uint64_t)1.8e19;
    }
    made[total] = end;
    free(time->spans);
    time->spans = made;
    time->count = total;
    return PITH_OK;
}

char *pithi_sync_text(int32_t rank, const struct pithi_sync *points, uint32_t count, size_t step, int64_t shift_ns)
{
    size_t room = 64 + count * (size_t)72, used;
    char *text = malloc(room);
    uint32_t i;
    if (text == NULL)
        return NULL;
    used = (size_t)snprintf(text, room, "rank %d", rank);
    for (i = 0; i < count; i++, points += step)
        used += (size_t)snprintf(text + used, room - used, " %lld:%lld:%lld",
                                 (long long)pithi_ns_sum(pithi_ns_sum(points->local_ns, points->offset_ns), shift_ns),
                                 (long long)points->offset_ns, (long long)points->round_ns);
    return text;
}
