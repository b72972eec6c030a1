/* interruptions.c - finds pauses of the recording, lost records and holes.
 *
 *     pause at 10, resume at 20                from 10 to 20
 *     lost 5 records at 30                     from 30 to 30, 5 lost
 *     pause at 50, no resume                   from 50 to the last record of the lane
 *
 * Pauses and losses have records, and there are few of them, so all are read when the log is opened. No record says
 * where a hole ends. The walker (pithlog_walk) finds the ends. It is run only for the part of a lane that is drawn.
 */
#include "core/cells/interruptions.h"

#include <stdlib.h>

#include "core/cells/memory.h"
#include "core/cells/query.h"

static int by_lane_and_time(const void *a, const void *b)
{
    const struct pithi_interruption *x = a, *y = b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void add_interruption(struct pithi_interruptions *interruptions, const struct pithlog_record *record,
                             int64_t to_ns)
{
    interruptions->items = pithi_view_grow(interruptions->items, &interruptions->capacity, interruptions->count + 1,
                                           sizeof *interruptions->items);
    interruptions->items[interruptions->count++] =
        (struct pithi_interruption){.lane = record->lane,
                                    .from_ns = record->time_ns,
                                    .to_ns = to_ns,
                                    .lost = record->kind == PITHLOG_LOST ? record->bytes : 0};
}

int pithi_interruptions_read(struct pithlog *log, struct pithi_interruptions *interruptions)
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
    while (!err && (more = pithlog_iter_next(iter, &record)) > 0) {
        /* paused[lane] is the item of the pause that the lane is in; PITHI_NONE if the lane is in no pause. A pause
         * during a pause is ignored. */
        if (record.kind == PITHLOG_RESUME && paused[record.lane] != PITHI_NONE) {
            interruptions->items[paused[record.lane]].to_ns = record.time_ns;
            paused[record.lane] = PITHI_NONE;
        } else if (record.kind == PITHLOG_PAUSE && paused[record.lane] == PITHI_NONE) {
            paused[record.lane] = interruptions->count;
            add_interruption(interruptions, &record, pithlog_get_lane(log, record.lane)->last_ns);
        } else if (record.kind == PITHLOG_LOST && record.bytes) {
            add_interruption(interruptions, &record, record.time_ns);
        }
    }
    if (!err)
        pithlog_iter_close(iter);
    if (interruptions->count)
        qsort(interruptions->items, interruptions->count, sizeof *interruptions->items, by_lane_and_time);
    free(paused);
    return err;
}

void pithi_interruptions_free(struct pithi_interruptions *interruptions)
{
    free(interruptions->items);
    *interruptions = (struct pithi_interruptions){0};
}

uint32_t pithi_interruptions_of(const struct pithi_interruptions *interruptions, uint32_t lane)
{
    uint32_t low = 0, high = interruptions->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (interruptions->items[middle].lane < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Holes ------------------------------------------------------------------------------------------------------- */

struct telling {
    struct pithlog *log; /* not owned */
    uint32_t lane;
    void (*tell)(void *context, int64_t from_ns, int64_t to_ns); /* called for each hole */
    void *context;
};

/* Calls `tell` for the holes in [from_ns, to_ns]. Stops early, after the first step of the walk that ends after
 * enough_ns, because the caller needs no later holes. Returns 0 or an enum pith_err. */
static int tell_holes(const struct telling *telling, int64_t from_ns, int64_t to_ns, int64_t enough_ns)
{
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = to_ns, .lanes = &telling->lane, .lane_count = 1};
    struct pithlog_step step = {.to_ns = INT64_MIN};
    struct pithlog_walk *walk;
    int more, damages = 0, err = pithlog_walk_open(telling->log, &query, &walk);

    if (err)
        return err;
    while ((more = pithlog_walk_next(walk, &step)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0; /* reading continues after the damage */
        /* 0: the step only ends a state at the begin of the hole; the hole comes in a later step */
        int is_end = step.change != PITHLOG_ENDS || !step.why;
        if (more > 0 && step.is == PITHLOG_IS_HOLE && is_end)
            telling->tell(telling->context, step.from_ns, step.to_ns);
        if (step.to_ns > enough_ns)
            break;
    }
    pithlog_walk_close(walk);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_holes_lost(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context)
{
    struct telling telling = {log, lane, tell, context};
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_LOST};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int more, damages = 0, err = tell_holes(&telling, from_ns, to_ns, from_ns); /* the hole around from_ns */

    if ((err && err != PITH_ERR_DAMAGED) || (err = pithlog_iter_open(log, &query, &iter)) != PITH_OK)
        return err;
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0;
        if (more > 0)
            /* errors are ignored, because damage does not end the search */
            tell_holes(&telling, record.time_ns, to_ns, record.time_ns);
    }
    pithlog_iter_close(iter);
    return PITH_OK;
}
