/* query.c - computes cells: from the pieces of a summary where these determine a cell, else from records.
 *
 * A picture has some thousand columns, however many records the log has. A summary divides a lane into pieces of 512
 * records and more, each with the up to three stacks of open states that fill most of it. Often this is enough: in a
 * column of 100 ns, A has 60 ns, B 30, and 10 are left open. Whichever state had the 10, A wins the cell. If A has 45
 * ns and B 40, B could win with the 15 that are left open. Such a column is *in doubt*, and its records are read. So
 * the cells are the same as from all records (test_core_summary), though most records are never read.
 *
 * A piece that lies in two columns leaves its whole time open in both. Therefore the query uses pieces of at most a
 * sixteenth of a column (REFINED). Then 14 of 16 pieces lie inside one column. */
#include "core/cells/query.h"

#include <stdlib.h>
#include <string.h>

#include "core/cells/interruptions.h"
#include "core/cells/memory.h"
#include "core/cells/sweep.h"

/* The least number of pieces in a column whose cells shall be exact. Of these, only the first and the last may reach
 * into other columns, and so leave their whole time open. */
enum { REFINED = 16 };
/* The least number of pieces in a column if no records are read. It is smaller than REFINED, because each finer level
 * of the summary has four times as many bytes, which may come from another machine. */
enum { REFINED_ALONE = 4 };
/* The number of records that are read at once. */
enum { AT_ONCE = 128 };

void pithi_cells_free(struct pithi_cells *cells)
{
    free(cells->cells);
    free(cells->ticks);
    free(cells->marks);
    free(cells->spans);
    free(cells->sums);
    memset(cells, 0, sizeof *cells);
}

void pithi_cells_deepen(struct pithi_cells *cells, uint32_t levels)
{
    size_t old_size = (size_t)cells->levels * cells->width, size = (size_t)levels * cells->width;
    struct pithi_cell *deeper;

    if (levels <= cells->levels)
        return;
    deeper = pithi_alloc(cells->rows * size, sizeof *deeper);
    for (uint32_t row = 0; row < cells->rows; row++) {
        if (old_size)
            memcpy(deeper + row * size, cells->cells + row * old_size, old_size * sizeof *deeper);
        for (size_t i = old_size; i < size; i++)
            deeper[row * size + i].state = PITHI_NONE;
    }
    free(cells->cells);
    cells->cells = deeper;
    cells->levels = levels;
}

/* Passes a step of a walk to the sweep. Where a hole begins, all states are left. The states that go on are entered
 * again at the end of the hole. */
static void sweep_step(struct pithi_sweep *sweep, const struct pithlog_step *step)
{
    const struct pithlog_record *record = step->record;

    int is_nothing = step->change == PITHLOG_EDGE && step->from_ns == step->to_ns; /* 1: the lane ends here */
    if (step->is == PITHLOG_IS_HOLE && !is_nothing && !(step->change == PITHLOG_ENDS && step->why))
        pithi_sweep_missing(sweep, step->from_ns, step->to_ns);
    switch (step->change) {
    case PITHLOG_BEGINS:
    case PITHLOG_GOES_ON:
        pithi_sweep_enter(sweep, record->time_ns, record->id);
        break;
    case PITHLOG_ENDS:
        if (!(step->why & PITHLOG_AT_HOLE))
            pithi_sweep_leave(sweep, step->to_ns, step->open[step->at].id);
        break;
    case PITHLOG_HAPPENS:
        if (record->kind == PITHLOG_EVENT)
            pithi_sweep_event(sweep, record->time_ns, record->id);
        break;
    case PITHLOG_HOLE_BEGINS:
        pithi_sweep_leave_all(sweep, step->to_ns);
        break;
    default:
        break;
    }
}

static int is_stopped(const struct pithi_query *query)
{
    return query->stop && atomic_load_explicit(query->stop, memory_order_relaxed);
}

static void sweep_hole(void *sweep, int64_t from_ns, int64_t to_ns) { pithi_sweep_missing(sweep, from_ns, to_ns); }

/* Sweeps the steps of a lane in [from_ns, to_ns). If `is_again` is 1, the states that are open at the start, and the
 * first `swept` ENTERs, LEAVEs and EVENTs, were swept already and are skipped. */
static int sweep_walk(struct pithlog *log, const struct pithi_query *query, struct pithi_sweep *sweep, uint32_t lane,
                      int64_t from_ns, int64_t to_ns, int is_again, uint64_t swept)
{
    const uint32_t kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_EVENT;
    struct pithlog_query walked = {.from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .kinds = kinds};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, damages = 0, err = pithlog_walk_open(log, &walked, &walk);

    if (err)
        return err;
    for (unsigned i = 0; (status = pithlog_walk_next(walk, &step)) != 0 && damages < PITHI_MOST_DAMAGES; i++) {
        damages += status < 0; /* reading continues after the damage */
        if (i % AT_ONCE == 0 && is_stopped(query))
            break;
        if (status < 0 || (is_again && step.why == PITHLOG_AT_EDGE && step.change == PITHLOG_BEGINS))
            continue;
        if (swept > 0)
            swept -= step.record && !step.why && kinds >> step.record->kind & 1;
        else if (step.to_ns < to_ns || step.change == PITHLOG_ENDS || step.is == PITHLOG_IS_HOLE)
            sweep_step(sweep, &step);
    }
    pithlog_walk_close(walk);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

/* Sweeps the records of a lane in [from_ns, to_ns). With a walk, exact cells cost 1.5 times as many instructions, so a
 * walk is used only where records are missing. */
static int sweep_records(struct pithlog *log, const struct pithi_query *query, struct pithi_sweep *sweep, uint32_t lane,
                         int64_t from_ns, int64_t to_ns)
{
    struct pithlog_query opened = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .flags = PITHLOG_OPENED};
    struct pithlog_record some[AT_ONCE];
    struct pithlog_iter *iter;
    uint64_t swept = 0;
    int64_t end_ns = pithlog_get_info(log)->end_ns;
    int count, is_again = 0, err;

    if (pithlog_get_info(log)->lost > 0)
        return sweep_walk(log, query, sweep, lane, from_ns, to_ns, 0, 0);
    if ((err = pithlog_iter_open(log, &opened, &iter)) != PITH_OK)
        return err;
    while ((count = pithlog_iter_next_many(iter, some, AT_ONCE)) > 0 && !is_stopped(query)) {
        is_again = 1;
        for (int i = 0; i < count; i++) {
            if (some[i].kind > PITHLOG_EVENT)
                continue;
            swept += some[i].time_ns >= from_ns;
            if (some[i].time_ns < to_ns || some[i].kind == PITHLOG_LEAVE) {
                const struct pithlog_record *record = &some[i];
                if (record->kind == PITHLOG_ENTER)
                    pithi_sweep_enter(sweep, record->time_ns, record->id);
                else if (record->kind == PITHLOG_LEAVE)
                    pithi_sweep_leave(sweep, record->time_ns, record->id);
                else
                    pithi_sweep_event(sweep, record->time_ns, record->id);
            }
        }
    }
    pithlog_iter_close(iter);
    if (count < 0)
        return sweep_walk(log, query, sweep, lane, from_ns, to_ns, is_again, swept);
    pithi_sweep_leave_all(sweep, end_ns < to_ns ? end_ns : to_ns);
    return PITH_OK;
}

/* ---- Cells from the pieces of a summary -------------------------------------------------------------------------- */

struct pieces {
    struct pithi_sweep *sweep;        /* sweep of the current lane */
    const struct pithlog_path *paths; /* [path_count] paths of the lane, owned by the summary */
    uint32_t path_count;
};

static void sweep_piece(void *context, const struct pithlog_piece *piece)
{
    struct pieces *pieces = context;

    pithi_sweep_piece(pieces->sweep, piece, pieces->paths, pieces->path_count);
}

/* Computes the columns in doubt from their records if the query wants exact cells; else only counts the columns. */
static int sweep_doubts(struct pithlog *log, const struct pithi_query *query, struct pithi_sweep *sweep, uint32_t first,
                        uint32_t end, uint32_t *rough)
{
    struct pithi_doubt doubt = {.end = 0};
    int err = PITH_OK;

    while (pithi_sweep_doubt(sweep, doubt.end, &doubt) && !is_stopped(query)) {
        if (query->care != PITHI_EXACT) {
            *rough += doubt.end - doubt.column;
            continue;
        }
        if (end - first > 1)
            pithi_sweep_clear_group(sweep, &doubt);
        for (uint32_t i = first; i < end; i++) {
            pithi_sweep_begin_again(sweep, &doubt);
            int lane_err = sweep_records(log, query, sweep, query->lanes[i], doubt.from_ns, doubt.to_ns);
            pithi_sweep_end_again(sweep);
            err = err ? err : lane_err;
        }
        if (end - first > 1)
            pithi_sweep_show_group(sweep, doubt.column, doubt.end);
    }
    return err;
}

/* Computes one row from the lanes [first, end) of the query. */
static int sweep_row(struct pithlog *log, const struct pithi_query *query, struct pithi_sweep *sweep, uint32_t row,
                     uint32_t first, uint32_t end, uint32_t *rough)
{
    int64_t length_ns = (query->t1_ns - query->t0_ns) / query->width;
    int refined = query->care >= PITHI_QUICK ? 1 : query->care == PITHI_NO_RECORDS ? REFINED_ALONE : REFINED;
    int err = PITH_OK, doubt_err;

    if (end - first > 1)
        pithi_sweep_begin_group(sweep, end - first);
    for (uint32_t i = first; i < end && !is_stopped(query); i++) {
        /* Sweeps the lane's pieces, or its records if it has no summary. */
        uint32_t lane = query->lanes[i];
        struct pieces pieces = {sweep, NULL, 0};
        int lane_err;
        pithi_sweep_begin(sweep, row);
        if (query->summary)
            pieces.paths = pithlog_summary_paths(query->summary, lane, &pieces.path_count);
        if (pieces.paths)
            lane_err = pithlog_summary_pieces(query->summary, lane, query->t0_ns, query->t1_ns, length_ns / refined,
                                              sweep_piece, &pieces);
        else
            lane_err = sweep_records(log, query, sweep, lane, query->t0_ns, query->t1_ns);
        int has_holes = pithlog_get_info(log)->lost > 0 && query->care != PITHI_COARSE;
        if (pieces.paths && !lane_err && has_holes) /* pieces do not show holes, so these are read */
            lane_err = pithi_holes_lost(log, lane, query->t0_ns, query->t1_ns, sweep_hole, sweep);
        pithi_sweep_end(sweep);
        err = err ? err : lane_err;
    }
    if (end - first > 1)
        pithi_sweep_show_group(sweep, 0, query->width);
    doubt_err = query->summary ? sweep_doubts(log, query, sweep, first, end, rough) : PITH_OK;
    if (end - first > 1)
        pithi_sweep_end_group(sweep);
    else if (query->summary)
        pithi_sweep_tidy(sweep);
    return err ? err : doubt_err;
}

int pithi_query_run(struct pithlog *log, const struct pithi_query *query, struct pithi_cells *cells)
{
    if (query->t0_ns >= query->t1_ns || query->width > PITHI_MAX_WIDTH || query->levels < 1 ||
        query->levels > PITHI_LEVELS)
        return PITH_ERR_USAGE;
    uint32_t defs = pithlog_get_info(log)->defs, rows = query->group_end ? query->group_count : query->lane_count;
    uint32_t levels = query->levels < PITHI_FIRST_LEVELS ? query->levels : PITHI_FIRST_LEVELS;
    size_t count = (size_t)rows * levels * query->width;
    free(cells->cells);
    free(cells->sums);
    cells->rows = rows;
    cells->lanes = query->group_end && query->group_count ? query->group_end[query->group_count - 1] : cells->rows;
    cells->levels = levels;
    cells->depth = query->group_end != NULL; /* a row of several lanes has one level */
    cells->width = query->width;
    cells->defs = defs;
    cells->tick_count = cells->mark_count = cells->span_count = cells->rough = 0;
    cells->computing_ns = 0;
    cells->cells = pithi_alloc(count, sizeof *cells->cells);
    cells->sums = pithi_alloc(defs, sizeof *cells->sums);
    for (size_t i = 0; i < count; i++)
        cells->cells[i].state = PITHI_NONE;
    /* After damage in one row or lane the others are still computed. The first error is returned at the end. */
    int err = PITH_OK;
    if (query->width) {
        struct pithi_sweep *sweep = pithi_sweep_new(query, cells);
        for (uint32_t row = 0; row < cells->rows && !is_stopped(query); row++) {
            uint32_t first = query->group_end ? row ? query->group_end[row - 1] : 0 : row;
            uint32_t end = query->group_end ? query->group_end[row] : row + 1;
            int row_err = sweep_row(log, query, sweep, row, first, end, &cells->rough);
            err = err ? err : row_err;
        }
        pithi_sweep_free(sweep);
    }
    struct pithlog_sum *sums = pithi_alloc(defs, sizeof *sums);
    int without = query->care >= PITHI_NO_RECORDS;
    int wanted = !query->no_sums && !(query->summary && without);
    for (uint32_t i = 0; i < query->lane_count && wanted && !is_stopped(query); i++) {
        struct pithlog_rest rest;
        memset(sums, 0, defs * sizeof *sums);
        int lane_err = pithlog_sums(log, query->summary, query->lanes[i], query->t0_ns, query->t1_ns, sums, &rest);
        for (uint32_t id = 0; id < defs; id++)
            pithi_sum_add(&cells->sums[id], &(struct pithi_sum){sums[id].count, sums[id].all_ns, sums[id].own_ns});
        cells->computing_ns += rest.outside_ns;
        err = err ? err : lane_err;
    }
    free(sums);
    return err;
}
