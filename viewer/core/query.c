/* query.c - cells by reading the records of the window: a sweep over each lane, see sweep.h. Knows the log's reader;
 * what is done with a stretch of time is the sweep's. */
#include "core/query.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/sweep.h"

static void cells_prepare(struct pithi_cells *cells, const struct pithi_query *query, uint32_t defs)
{
    size_t count = (size_t)query->lane_count * query->levels * query->width;

    free(cells->cells);
    free(cells->sums);
    cells->rows = query->lane_count;
    cells->levels = query->levels;
    cells->width = query->width;
    cells->defs = defs;
    cells->tick_count = cells->mark_count = 0;
    cells->cells = pithi_alloc(count, sizeof *cells->cells);
    cells->sums = pithi_alloc(defs, sizeof *cells->sums);
    for (size_t i = 0; i < count; i++)
        cells->cells[i].state = PITHI_NONE;
}

void pithi_cells_free(struct pithi_cells *cells)
{
    free(cells->cells);
    free(cells->ticks);
    free(cells->marks);
    free(cells->sums);
    memset(cells, 0, sizeof *cells);
}

static void sweep_record(struct pithi_sweep *sweep, const struct pithlog_record *record)
{
    switch (record->kind) {
    case PITHLOG_ENTER:
        pithi_sweep_enter(sweep, record->time_ns, record->id);
        break;
    case PITHLOG_LEAVE:
        pithi_sweep_leave(sweep, record->time_ns, record->id);
        break;
    case PITHLOG_EVENT:
        pithi_sweep_event(sweep, record->time_ns, record->id);
        break;
    default:
        break;
    }
}

static int sweep_lane(struct pithlog *log, const struct pithi_query *query, struct pithi_sweep *sweep, uint32_t row)
{
    struct pithlog_query records = {.from_ns = query->t0_ns,
                                    .to_ns = query->t1_ns,
                                    .lanes = &query->lanes[row],
                                    .lane_count = 1,
                                    .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_EVENT,
                                    .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, damages = 0, err = pithlog_iter_open(log, &records, &iter);

    if (err)
        return err;
    pithi_sweep_begin(sweep, row);
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0; /* it goes on behind the damage */
        if (more == 1)
            sweep_record(sweep, &record);
    }
    pithi_sweep_end(sweep);
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_query_run(struct pithlog *log, const struct pithi_query *query, struct pithi_cells *cells)
{
    struct pithi_sweep *sweep;
    int err = PITH_OK;

    if (query->t0_ns >= query->t1_ns || query->width > PITHI_MAX_WIDTH || query->levels < 1 ||
        query->levels > PITHI_LEVELS)
        return PITH_ERR_USAGE;
    cells_prepare(cells, query, pithlog_get_info(log)->defs);
    sweep = pithi_sweep_new(query, cells);
    for (uint32_t row = 0; row < query->lane_count; row++) {
        int lane_err = sweep_lane(log, query, sweep, row);
        err = err ? err : lane_err;
    }
    pithi_sweep_free(sweep);
    return err;
}
