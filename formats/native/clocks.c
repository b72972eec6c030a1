/* clocks.c - reads the clocks of a log and judges whether they drift evenly.
 *
 * While a job runs, clocks are compared several times: a point is a time and the offset found there, whose error is
 * half a round trip. Times between two points are corrected along the line between them, which is right if the drift is
 * constant. It can be constant only if one line passes through all points within their errors:
 *
 *     times 0, 10, 20 s; offsets 0, 10, 0 us; errors 2 us        errors 6 us
 *     lower ends   -2   8  -2      upper hull:       8 at 10 s    -6   4  -6      4 at 10 s
 *     upper ends    2  12   2      lower hull:       2 at 10 s     6  16   6      6 at 10 s
 *                                  8 > 2: no line, uneven          4 <= 6: a line fits
 *
 * Hulls take one pass; trying the lines through all pairs of points would take cubic time. */
#include "native/clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "native/log.h"

#define PREFIX "clock_sync_"
#define STEP 1e-3 /* a change of the offset by more than this fraction of the passed time is a step */

/* ---- Linearity --------------------------------------------------------------------------------------------------- */

/* A corner of a hull: a time, and the lowest or the highest offset that is possible there. */
struct corner {
    double time, offset;
};

/* Returns a positive number if the path a, b, c bends to the left. */
static double bend(const struct corner *a, const struct corner *b, const struct corner *c)
{
    return (b->time - a->time) * (c->offset - b->offset) - (b->offset - a->offset) * (c->time - b->time);
}

/* Reduces corners, in order of time, to their upper hull (side -1) or lower hull (side 1). Returns the number kept. */
static uint32_t hull(struct corner *corners, uint32_t count, double side)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (kept > 1 && bend(&corners[kept - 2], &corners[kept - 1], &corners[i]) * side <= 0)
            kept--;
        corners[kept++] = corners[i];
    }
    return kept;
}

/* Returns the offset of a hull at `time`. *at is the index of the last corner before that time; it is 0 at the first
 * call. `time` must not decrease from call to call, so that one pass over the corners serves all calls. */
static double height(const struct corner *corners, uint32_t count, uint32_t *at, double time)
{
    while (*at + 2 < count && corners[*at + 1].time < time)
        ++*at;
    const struct corner *a = &corners[*at], *b = &corners[*at + 1 < count ? *at + 1 : *at];
    return b->time > a->time ? a->offset + (b->offset - a->offset) * (time - a->time) / (b->time - a->time) : a->offset;
}

/* Returns 1 if no straight line fits all points within their errors. Such a line must pass above all lower ends and
 * below all upper ends. It exists if and only if the upper hull of the lower ends is nowhere above the lower hull of
 * the upper ends. */
static int is_uneven(const struct pithi_clock *clock, struct corner *low, struct corner *high)
{
    const struct pithi_clock_point *p = clock->points;
    for (uint32_t i = 0; i < clock->count; i++) {
        double time = (double)(p[i].time_ns - p->time_ns), offset = (double)(p[i].offset_ns - p->offset_ns);
        low[i] = (struct corner){time, offset - (double)p[i].round_ns / 2};
        high[i] = (struct corner){time, offset + (double)p[i].round_ns / 2};
    }
    uint32_t lows = hull(low, clock->count, -1), highs = hull(high, clock->count, 1), a = 0, b = 0;
    for (uint32_t i = 0; i < clock->count; i++) {
        double time = (double)(p[i].time_ns - p->time_ns);
        if (height(low, lows, &a, time) > height(high, highs, &b, time) + 1)
            return 1;
    }
    return 0;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int is_sane(const struct pithi_clock *clock, const struct pithi_clock_point *point)
{
    const int64_t most = INT64_C(1) << 61;
    return point->time_ns > -most && point->time_ns < most && point->offset_ns > -most && point->offset_ns < most &&
           point->round_ns >= 0 && point->round_ns < most &&
           (clock->count == 0 || point->time_ns > clock->points[clock->count - 1].time_ns);
}

static int read_clock(struct pithi_clock *clock, const char *value)
{
    int used = 0;
    *clock = (struct pithi_clock){.number = clock->number, .error_ns = -1};
    if (sscanf(value, "rank %d%n", &clock->rank, &used) != 1)
        return PITH_OK;
    clock->points = malloc((strlen(value) / 6 + 1) * sizeof *clock->points); /* at least 6 bytes per point */
    if (!clock->points)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks of a log");
    for (value += used; *value; value += used) {
        long long time, offset, round;
        if (sscanf(value, " %lld:%lld:%lld%n", &time, &offset, &round, &used) != 3)
            break;
        struct pithi_clock_point point = {time, offset, round};
        if (is_sane(clock, &point))
            clock->points[clock->count++] = point;
    }
    const struct pithi_clock_point *p = clock->points;
    for (uint32_t i = 0; i < clock->count; i++)
        if ((p[i].round_ns + 1) / 2 > clock->error_ns)
            clock->error_ns = (p[i].round_ns + 1) / 2;
    if (clock->count < 2)
        return PITH_OK;
    const struct pithi_clock_point *last = &p[clock->count - 1];
    clock->drift_ppm = -1e6 * (double)(last->offset_ns - p->offset_ns) / (double)(last->time_ns - p->time_ns);
    for (uint32_t i = 1; i < clock->count; i++) {
        double change = (double)(p[i].offset_ns - p[i - 1].offset_ns);
        double error = (double)(p[i].round_ns + p[i - 1].round_ns) / 2;
        clock->steps |= (change < 0 ? -change : change) > error + STEP * (double)(p[i].time_ns - p[i - 1].time_ns);
    }
    struct corner *corners = malloc(2 * (size_t)clock->count * sizeof *corners);
    if (!corners)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks of a log");
    clock->uneven = is_uneven(clock, corners, corners + clock->count);
    free(corners);
    return PITH_OK;
}

static int by_number(const void *a, const void *b)
{
    const struct pithi_clock *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

int pithi_clocks_read(const struct pithlog *log, struct pithi_clock **clocks, uint32_t *count)
{
    const char *key, *value;
    int err = PITH_OK;
    *clocks = NULL;
    *count = 0;
    for (uint32_t i = 0; err == PITH_OK && (key = pithlog_get_property(log, i, &value)) != NULL; i++) {
        if (strncmp(key, PREFIX, strlen(PREFIX)) != 0)
            continue;
        if (!pithi_grow_one(clocks, *count, sizeof **clocks)) {
            err = pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks of a log");
            break;
        }
        struct pithi_clock *clock = &(*clocks)[(*count)++];
        *clock = (struct pithi_clock){.number = (uint32_t)strtoul(key + strlen(PREFIX), NULL, 10)};
        err = read_clock(clock, value);
    }
    if (*count > 1)
        qsort(*clocks, *count, sizeof **clocks, by_number);
    return err;
}

void pithi_clocks_free(struct pithi_clock *clocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(clocks[i].points);
    free(clocks);
}

const char *pithi_clock_fault(const struct pithi_clock *clock)
{
    return clock->count == 0 ? "was never compared" : clock->steps ? "steps" : clock->uneven ? "drifts unevenly" : "";
}

/* ---- Between two lanes ------------------------------------------------------------------------------------------- */

/* Returns the error of clock `number` relative to the log's clock; -1 if it is unknown. */
static int64_t error_of(const struct pithi_clock *clocks, uint32_t count, uint32_t number)
{
    struct pithi_clock wanted = {.number = number};
    const struct pithi_clock *found =
        number == 0 || count == 0 ? NULL : bsearch(&wanted, clocks, count, sizeof *clocks, by_number);
    return number == 0 ? 0 : found ? found->error_ns : -1;
}

int64_t pithlog_clock_error(const struct pithlog *log, uint32_t lane, uint32_t other)
{
    int64_t a, b;
    if (lane >= log->info.lanes || other >= log->info.lanes || !log->clocks_known)
        return -1;
    uint32_t one = pithi_log_rank(log, pithi_log_rank_of(log, lane))->clock;
    uint32_t two = pithi_log_rank(log, pithi_log_rank_of(log, other))->clock;
    if (one == two && one != UINT32_MAX)
        return 0;
    a = error_of(log->clocks, log->clock_count, one);
    b = error_of(log->clocks, log->clock_count, two);
    return a < 0 || b < 0 ? -1 : a + b;
}

/* Reads the clocks of the log. A log without clock properties that states its clock error has one clock for all
 * ranks. */
int pithi_log_clocks(struct pithlog *log)
{
    const char *key, *value;
    int err = pithi_clocks_read(log, &log->clocks, &log->clock_count);
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "clock_error_ns") == 0)
            log->clocks_known = log->clock_count > 0 || strcmp(value, "unknown") != 0;
    return err;
}
