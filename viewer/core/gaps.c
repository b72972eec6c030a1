/* gaps.c - finds pauses of the recording and lost records. */
#include "core/gaps.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/query.h"

static int by_lane_and_time(const void *a, const void *b)
{
    const struct pithi_gap *x = a, *y = b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void add_gap(struct pithi_gaps *gaps, const struct pithlog_record *record, int64_t to_ns)
{
    gaps->items = pithi_view_grow(gaps->items, &gaps->capacity, gaps->count + 1, sizeof *gaps->items);
    gaps->items[gaps->count++] = (struct pithi_gap){.lane = record->lane,
                                                    .from_ns = record->time_ns,
                                                    .to_ns = to_ns,
                                                    .lost = record->kind == PITHLOG_LOST ? record->bytes : 0};
}

/* Notes a gap. `paused[lane]` is the gap that a lane is in, or PITHI_NONE; a pause during a pause is ignored. */
static void note(struct pithlog *log, struct pithi_gaps *gaps, const struct pithlog_record *record, uint32_t *paused)
{
    if (record->kind == PITHLOG_RESUME && *paused != PITHI_NONE) {
        gaps->items[*paused].to_ns = record->time_ns;
        *paused = PITHI_NONE;
    } else if (record->kind == PITHLOG_PAUSE && *paused == PITHI_NONE) {
        *paused = gaps->count;
        add_gap(gaps, record, pithlog_get_lane(log, record->lane)->last_ns);
    } else if (record->kind == PITHLOG_LOST && record->bytes) {
        add_gap(gaps, record, record->time_ns);
    }
}

int pithi_gaps_read(struct pithlog *log, struct pithi_gaps *gaps)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME | 1u << PITHLOG_LOST};
    uint32_t lanes = pithlog_get_info(log)->lanes, *paused = pithi_alloc(lanes, sizeof *paused);
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int more, err = pithlog_iter_open(log, &query, &iter);

    for (uint32_t lane = 0; lane < lanes; lane++)
        paused[lane] = PITHI_NONE;
    while (!err && (more = pithlog_iter_next(iter, &record)) > 0)
        note(log, gaps, &record, &paused[record.lane]);
    if (!err)
        pithlog_iter_close(iter);
    if (gaps->count)
        qsort(gaps->items, gaps->count, sizeof *gaps->items, by_lane_and_time);
    free(paused);
    return err;
}

void pithi_gaps_free(struct pithi_gaps *gaps)
{
    free(gaps->items);
    *gaps = (struct pithi_gaps){0};
}

uint32_t pithi_gaps_of(const struct pithi_gaps *gaps, uint32_t lane)
{
    uint32_t low = 0, high = gaps->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (gaps->items[middle].lane < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
