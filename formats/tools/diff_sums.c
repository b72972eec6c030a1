/* diff_sums.c - compares the times in states of two logs. The numbers come from the summaries of the logs, so records
 * are read only at the ends of lanes.
 *
 * A difference is b - a of self times. Rows are sorted by its size, so the states that made a run slower or faster
 * are at the top.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "analysis/mpi_calls.h"
#include "base/error.h"
#include "base/map.h"
#include "reader/summary_read.h"
#include "tools/diff.h"
#include "tools/stat_pass.h"

/* The numbers of one log in a row. */
struct side {
    uint64_t count;
    int64_t total_ns, self_ns;
};

enum row_kind { RUN, ALL, STATE, COMPUTING, EVENT, RANK, LANE };
static const char *const kind_names[] = {"run", "all", "state", "computing", "event", "rank", "lane"};

struct row {
    enum row_kind kind;
    const char *name, *group;
    int32_t rank; /* -1: none */
    int64_t thread;
    struct side side[2];
    uint32_t most; /* for a rank or lane: the state, or computing, that differs most; UINT32_MAX: none */
    int64_t most_ns;
};

struct gathering {
    struct pithi_diff_pair *pair;
    struct pithlog_summary *summary[2];
    struct pithlog_sum *own;    /* of a lane, by definition of its log */
    struct pithlog_sum *sum[2]; /* of all lanes of a row, by definition of the pair; [defs]: computing */
    unsigned char *is_idle;     /* by definition of the pair: a call of MPI, or waiting in OpenMP */
    uint32_t defs;
    struct row *rows;
    uint32_t count, room;
};

static int is_state(const struct gathering *g, uint32_t id)
{
    return pithi_defs_get(g->pair->defs, id)->kind == PITHLOG_STATE;
}

static int begin(struct gathering *g, struct pithi_diff_pair *pair)
{
    *g = (struct gathering){.pair = pair, .defs = pithi_defs_count(pair->defs)};
    g->own = malloc((g->defs + (size_t)1) * sizeof *g->own);
    g->sum[0] = calloc(g->defs + (size_t)1, sizeof *g->sum[0]);
    g->sum[1] = calloc(g->defs + (size_t)1, sizeof *g->sum[1]);
    g->is_idle = calloc(g->defs + (size_t)1, 1);
    if (!g->own || !g->sum[0] || !g->sum[1] || !g->is_idle)
        return pithi_no_memory();
    for (uint32_t i = 0; i < g->defs; i++) {
        const struct pithlog_def *def = pithi_defs_get(pair->defs, i);
        g->is_idle[i] = pithi_mpi_call_traits(def) != 0 || pithi_is_omp_wait(def);
    }
    CHECK(pithlog_summary_open(pair->log[0], &g->summary[0]));
    return pithlog_summary_open(pair->log[1], &g->summary[1]);
}

static void end(struct gathering *g)
{
    for (int side = 0; side < 2; side++) {
        pithlog_summary_close(g->summary[side]);
        free(g->sum[side]);
    }
    free(g->own);
    free(g->is_idle);
    free(g->rows);
}

/* Adds the sums of a lane to g->sum, and the time that it computed: outside MPI and outside waiting in OpenMP, and of
 * that outside all states. (A log has no more definitions than the pair, so g->own has room.) */
static int add_lane(struct gathering *g, int side, uint32_t lane)
{
    const struct pithlog_info *info = pithlog_get_info(g->pair->log[side]);
    int64_t busy_ns = 0, to_ns = info->end_ns < INT64_MAX ? info->end_ns + 1 : INT64_MAX;
    struct pithlog_rest rest;
    int is_damaged;

    memset(g->own, 0, info->defs * sizeof *g->own);
    CHECK(pithi_sums(g->pair->log[side], g->summary[side], lane, info->start_ns, to_ns, g->own, &rest, &is_damaged));
    if (is_damaged)
        pithi_stat_goes_on();
    for (uint32_t i = 0; i < info->defs; i++) {
        uint32_t id = g->pair->ids[side][i];
        struct pithlog_sum *sum = &g->sum[side][id];
        sum->count += g->own[i].count;
        sum->own_ns += g->own[i].own_ns;
        sum->all_ns += g->own[i].all_ns;
        busy_ns += g->is_idle[id] ? 0 : g->own[i].own_ns;
    }
    g->sum[side][g->defs].own_ns += rest.outside_ns;
    g->sum[side][g->defs].all_ns += rest.outside_ns + busy_ns;
    return PITH_OK;
}

static struct row *add_row(struct gathering *g, enum row_kind kind, const char *name)
{
    if (!pithi_grow(&g->rows, g->count, &g->room, sizeof *g->rows))
        return NULL;
    g->rows[g->count] =
        (struct row){.kind = kind, .name = name, .group = "", .rank = -1, .thread = -1, .most = UINT32_MAX};
    return &g->rows[g->count++];
}

/* Adds the numbers of all states: instances and self time. */
static void add_states(const struct gathering *g, int side, struct side *to)
{
    for (uint32_t i = 0; i < g->defs; i++)
        if (is_state(g, i)) {
            to->count += g->sum[side][i].count;
            to->self_ns += g->sum[side][i].own_ns;
        }
}

/* Adds the rows of the whole: run time, and all states; and that of computing. */
static int add_whole(struct gathering *g, const struct side all[2], const struct pithlog_sum computing_sum[2])
{
    struct row *run, *states, *computing;

    if (!add_row(g, RUN, "(run time)") || !add_row(g, ALL, "(all states)") ||
        !(computing = add_row(g, COMPUTING, PITHI_COMPUTING_NAME)))
        return pithi_no_memory();
    states = computing - 1;
    run = computing - 2;
    for (int side = 0; side < 2; side++) {
        const struct pithlog_info *info = pithlog_get_info(g->pair->log[side]);
        run->side[side].total_ns = info->records ? info->end_ns - info->start_ns : 0;
        states->side[side] = all[side];
        computing->side[side] = (struct side){0, computing_sum[side].all_ns, computing_sum[side].own_ns};
    }
    return PITH_OK;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static int64_t difference(const struct row *row)
{
    return row->kind == RUN     ? row->side[1].total_ns - row->side[0].total_ns
           : row->kind == EVENT ? (int64_t)(row->side[1].count - row->side[0].count)
                                : row->side[1].self_ns - row->side[0].self_ns;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

/* The largest difference first; then in order of definitions or ranks. Computing is sorted as a state, or before the
 * ranks. Events have no time and follow the states. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint64_t left = magnitude(difference(x)), right = magnitude(difference(y));
    enum row_kind x_kind = x->kind == COMPUTING ? STATE : x->kind, y_kind = y->kind == COMPUTING ? STATE : y->kind;

    if (x_kind != y_kind)
        return x_kind < y_kind ? -1 : 1;
    if (left != right && x->kind != RUN)
        return left > right ? -1 : 1;
    if (x->rank != y->rank || x->thread != y->thread)
        return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : (x->thread < y->thread ? -1 : 1);
    return strcmp(x->name, y->name);
}

static const struct pithi_table_column state_columns[] = {
    {"kind", PITHI_CELL_TEXT, 1},     {"name", PITHI_CELL_TEXT, 0},     {"group", PITHI_CELL_TEXT, 1},
    {"count_a", PITHI_CELL_COUNT, 0}, {"count_b", PITHI_CELL_COUNT, 0}, {"total_a", PITHI_CELL_TIME, 0},
    {"total_b", PITHI_CELL_TIME, 0},  {"self_a", PITHI_CELL_TIME, 0},   {"self_b", PITHI_CELL_TIME, 0},
    {"diff", PITHI_CELL_CHANGE, 0},   {"ratio", PITHI_CELL_RATIO, 0},
};
static const struct pithi_table_column place_columns[] = {
    {"kind", PITHI_CELL_TEXT, 1},    {"name", PITHI_CELL_TEXT, 0},        {"rank", PITHI_CELL_COUNT, 1},
    {"thread", PITHI_CELL_COUNT, 1}, {"count_a", PITHI_CELL_COUNT, 0},    {"count_b", PITHI_CELL_COUNT, 0},
    {"total_a", PITHI_CELL_TIME, 0}, {"total_b", PITHI_CELL_TIME, 0},     {"self_a", PITHI_CELL_TIME, 0},
    {"self_b", PITHI_CELL_TIME, 0},  {"diff", PITHI_CELL_CHANGE, 0},      {"ratio", PITHI_CELL_RATIO, 0},
    {"most", PITHI_CELL_TEXT, 0},    {"most_diff", PITHI_CELL_CHANGE, 0},
};

static void put_or_skip(struct pithi_report *table, int there, int64_t value)
{
    if (there)
        pithi_table_number(table, value);
    else
        pithi_table_skip(table);
}

/* The ratio b / a of the compared numbers. */
static void put_ratio(struct pithi_report *table, const struct row *row)
{
    const struct side *a = &row->side[0], *b = &row->side[1];
    double from = row->kind == RUN ? (double)a->total_ns : row->kind == EVENT ? (double)a->count : (double)a->self_ns;
    double to = row->kind == RUN ? (double)b->total_ns : row->kind == EVENT ? (double)b->count : (double)b->self_ns;
    int there = from > 0 && to / from < 1e12;

    put_or_skip(table, there, there ? (int64_t)(to / from * 1e6 + 0.5) : 0);
}

/* If a state or event does not occur in a log, its cells are empty. Computing has no count. */
static void put_numbers(struct pithi_report *table, const struct row *row)
{
    const struct side *s = row->side;
    int timed = row->kind != EVENT, run = row->kind == RUN, computing = row->kind == COMPUTING;

    for (int i = 0; i < 2; i++)
        put_or_skip(table, s[i].count > 0, (int64_t)s[i].count);
    for (int i = 0; i < 2; i++)
        put_or_skip(table, run || computing || (timed && row->kind != ALL && s[i].count > 0), s[i].total_ns);
    for (int i = 0; i < 2; i++)
        put_or_skip(table, computing || (timed && !run && s[i].count > 0), s[i].self_ns);
    put_or_skip(table, timed, difference(row));
    put_ratio(table, row);
}

static void put_row(const struct gathering *g, struct pithi_report *table, const struct row *row, int places)
{
    char name[64];

    snprintf(name, sizeof name, row->thread < 0 ? "rank %d" : "%d.%u", (int)row->rank, (unsigned)row->thread);
    pithi_table_row(table);
    pithi_table_text(table, kind_names[row->kind]);
    pithi_table_text(table, row->rank >= 0 ? name : row->name);
    if (places) {
        put_or_skip(table, row->rank >= 0, row->rank);
        put_or_skip(table, row->thread >= 0, row->thread);
    } else {
        pithi_table_text(table, row->group);
    }
    put_numbers(table, row);
    if (places && row->most != UINT32_MAX) {
        pithi_table_text(table,
                         row->most == g->defs ? PITHI_COMPUTING_NAME : pithi_defs_get(g->pair->defs, row->most)->name);
        pithi_table_number(table, row->most_ns);
    }
}

static int fill_table(struct gathering *g, int places, struct pithi_report **table)
{
    CHECK(places ? pithi_table_new(table, place_columns, sizeof place_columns / sizeof *place_columns)
                 : pithi_table_new(table, state_columns, sizeof state_columns / sizeof *state_columns));
    qsort(g->rows, g->count, sizeof *g->rows, compare_rows);
    for (uint32_t i = 0; i < g->count; i++)
        put_row(g, *table, &g->rows[i], places);
    return PITH_OK;
}

/* ---- By state ---------------------------------------------------------------------------------------------------- */

static int state_row(struct gathering *g, uint32_t id)
{
    const struct pithlog_def *def = pithi_defs_get(g->pair->defs, id);
    struct row *row;

    if (def->kind == PITHLOG_COUNTER_TYPE || (g->sum[0][id].count == 0 && g->sum[1][id].count == 0))
        return PITH_OK;
    if (!(row = add_row(g, def->kind == PITHLOG_STATE ? STATE : EVENT, def->name)))
        return pithi_no_memory();
    row->group = def->group;
    for (int side = 0; side < 2; side++) {
        const struct pithlog_sum *sum = &g->sum[side][id];
        row->side[side] = (struct side){sum->count, sum->all_ns, sum->own_ns};
    }
    return PITH_OK;
}

int pithi_diff_states(struct pithi_diff_pair *pair, struct pithi_report **table)
{
    struct gathering g;
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    struct pithlog_sum computing[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(begin(&g, pair));
    for (int side = 0; side < 2; side++) {
        for (uint32_t lane = 0; lane < pithlog_get_info(pair->log[side])->lanes; lane++)
            TRY(add_lane(&g, side, lane));
        add_states(&g, side, &all[side]);
    }
    computing[0] = g.sum[0][g.defs];
    computing[1] = g.sum[1][g.defs];
    TRY(add_whole(&g, all, computing));
    for (uint32_t id = 0; id < g.defs; id++)
        TRY(state_row(&g, id));
    TRY(fill_table(&g, 0, table));
out:
    end(&g);
    return err;
}

/* ---- By rank and lane -------------------------------------------------------------------------------------------- */

/* The lanes of one row: in a and b, `more` lanes from `at` on. */
struct stretch {
    uint32_t at[2], more[2];
};

static int same_place(const struct pithlog_lane *x, const struct pithlog_lane *y, int threads)
{
    return x && y && x->rank == y->rank && (!threads || x->thread == y->thread);
}

/* Finds the lanes of the next row: 1; 0: end of both logs. The lanes of a log are sorted. */
static int next_stretch(const struct pithi_diff_pair *pair, struct stretch *s, int threads)
{
    s->at[0] += s->more[0];
    s->at[1] += s->more[1];
    int order = pithi_pair_order(pair, s->at[0], s->at[1], threads);
    for (int side = 0; side < 2; side++) {
        const struct pithlog_lane *first = pithlog_get_lane(pair->log[side], s->at[side]);
        int takes = first && (side == 0 ? order <= 0 : order >= 0);
        s->more[side] = 0;
        while (takes && same_place(first, pithlog_get_lane(pair->log[side], s->at[side] + s->more[side]), threads))
            s->more[side]++;
    }
    return s->more[0] + s->more[1] > 0;
}

/* Fills in one side of a row: the sums of its lanes, and the time from the first to the last record. */
static int sum_side(struct gathering *g, const struct stretch *s, int side, struct row *row)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

    memset(g->sum[side], 0, (g->defs + (size_t)1) * sizeof *g->sum[side]);
    for (uint32_t i = 0; i < s->more[side]; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(g->pair->log[side], s->at[side] + i);
        if (lane->records && lane->first_ns < first_ns)
            first_ns = lane->first_ns;
        if (lane->records && lane->last_ns > last_ns)
            last_ns = lane->last_ns;
        CHECK(add_lane(g, side, s->at[side] + i));
    }
    row->side[side].total_ns = first_ns < last_ns ? last_ns - first_ns : 0;
    add_states(g, side, &row->side[side]);
    return PITH_OK;
}

static void find_most(const struct gathering *g, struct row *row)
{
    for (uint32_t i = 0; i <= g->defs; i++) {
        int64_t ns = g->sum[1][i].own_ns - g->sum[0][i].own_ns;
        if ((i == g->defs || is_state(g, i)) && magnitude(ns) > magnitude(row->most_ns)) {
            row->most = i;
            row->most_ns = ns;
        }
    }
}

static int place_row(struct gathering *g, const struct stretch *s, int threads, struct side all[2],
                     struct pithlog_sum computing[2])
{
    int has = s->more[0] ? 0 : 1;
    const struct pithlog_lane *lane = pithlog_get_lane(g->pair->log[has], s->at[has]);
    struct row *row = add_row(g, threads ? LANE : RANK, "");

    if (!row)
        return pithi_no_memory();
    row->rank = lane->rank;
    row->thread = threads ? (int64_t)lane->thread : -1;
    CHECK(sum_side(g, s, 0, row));
    CHECK(sum_side(g, s, 1, row));
    find_most(g, row);
    for (int side = 0; side < 2; side++) {
        all[side].count += row->side[side].count;
        all[side].self_ns += row->side[side].self_ns;
        computing[side].own_ns += g->sum[side][g->defs].own_ns;
        computing[side].all_ns += g->sum[side][g->defs].all_ns;
    }
    return PITH_OK;
}

static int diff_places(struct pithi_diff_pair *pair, int threads, struct pithi_report **table)
{
    struct gathering g;
    struct stretch stretch = {{0, 0}, {0, 0}};
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    struct pithlog_sum computing[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(begin(&g, pair));
    while (next_stretch(pair, &stretch, threads))
        TRY(place_row(&g, &stretch, threads, all, computing));
    TRY(add_whole(&g, all, computing));
    TRY(fill_table(&g, 1, table));
out:
    end(&g);
    return err;
}

int pithi_diff_ranks(struct pithi_diff_pair *pair, struct pithi_report **table) { return diff_places(pair, 0, table); }

int pithi_diff_lanes(struct pithi_diff_pair *pair, struct pithi_report **table) { return diff_places(pair, 1, table); }
