/* diff_sums.c - where time went in two logs, from what their summaries know exactly: no record is read but at the ends
 * of lanes.
 *
 * A difference is b - a, of exclusive time: what a state itself took. Rows are sorted by its size, so that what made a
 * run slower or faster stands on top. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "native/segment.h"
#include "tools/diff.h"

/* What one row says of one log. */
struct side {
    uint64_t count;
    int64_t total_ns, self_ns;
};

enum row_kind { RUN, ALL, STATE, EVENT, RANK, LANE };
static const char *const kind_names[] = {"run", "all", "state", "event", "rank", "lane"};

struct row {
    enum row_kind kind;
    const char *name, *group;
    int32_t rank; /* -1: none */
    int64_t thread;
    struct side side[2];
    uint32_t most; /* of a rank or lane: the state that differs most; UINT32_MAX: none */
    int64_t most_ns;
};

struct gathering {
    struct pithi_pair *pair;
    struct pithlog_summary *summary[2];
    struct pithlog_sum *own;    /* a lane's, by its log's definitions */
    struct pithlog_sum *sum[2]; /* of some lanes, by the pair's */
    uint32_t defs;
    struct row *rows;
    uint32_t count, room;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

static int begin(struct gathering *g, struct pithi_pair *pair)
{
    int err = PITH_OK;

    *g = (struct gathering){.pair = pair, .defs = pithi_defs_count(pair->defs)};
    g->own = malloc((g->defs + (size_t)1) * sizeof *g->own);
    g->sum[0] = calloc(g->defs + (size_t)1, sizeof *g->sum[0]);
    g->sum[1] = calloc(g->defs + (size_t)1, sizeof *g->sum[1]);
    if (!g->own || !g->sum[0] || !g->sum[1])
        return no_memory();
    TRY(pithlog_summary_open(pair->log[0], &g->summary[0]));
    TRY(pithlog_summary_open(pair->log[1], &g->summary[1]));
out:
    return err;
}

static void end(struct gathering *g)
{
    for (int side = 0; side < 2; side++) {
        pithlog_summary_close(g->summary[side]);
        free(g->sum[side]);
    }
    free(g->own);
    free(g->rows);
}

/* A log has no more definitions than the pair. */
static int add_lane(struct gathering *g, int side, uint32_t lane)
{
    const struct pithlog_info *info = pithlog_get_info(g->pair->log[side]);
    int64_t to_ns = info->end_ns < INT64_MAX ? info->end_ns + 1 : INT64_MAX;
    int err;

    memset(g->own, 0, info->defs * sizeof *g->own);
    if ((err = pithlog_summary_sums(g->summary[side], lane, info->start_ns, to_ns, g->own)) != PITH_OK)
        return err;
    for (uint32_t i = 0; i < info->defs; i++) {
        struct pithlog_sum *sum = &g->sum[side][g->pair->ids[side][i]];
        sum->count += g->own[i].count;
        sum->own_ns += g->own[i].own_ns;
        sum->all_ns += g->own[i].all_ns;
    }
    return PITH_OK;
}

static struct row *add_row(struct gathering *g, enum row_kind kind, const char *name)
{
    if (g->count == g->room) {
        uint32_t room = g->room ? 2 * g->room : 64;
        struct row *rows = realloc(g->rows, room * sizeof *rows);
        if (!rows)
            return NULL;
        g->rows = rows;
        g->room = room;
    }
    g->rows[g->count] =
        (struct row){.kind = kind, .name = name, .group = "", .rank = -1, .thread = -1, .most = UINT32_MAX};
    return &g->rows[g->count++];
}

static int is_state(const struct gathering *g, uint32_t id)
{
    return pithi_defs_get(g->pair->defs, id)->kind == PITHLOG_STATE;
}

/* Instances of states, and the time in any. */
static void add_states(const struct gathering *g, int side, struct side *to)
{
    for (uint32_t i = 0; i < g->defs; i++)
        if (is_state(g, i)) {
            to->count += g->sum[side][i].count;
            to->self_ns += g->sum[side][i].own_ns;
        }
}

/* The two rows on top. */
static int add_whole(struct gathering *g, const struct side all[2])
{
    struct row *run = add_row(g, RUN, "(run time)"), *states = run ? add_row(g, ALL, "(all states)") : NULL;

    if (!states)
        return no_memory();
    run = states - 1;
    for (int side = 0; side < 2; side++) {
        const struct pithlog_info *info = pithlog_get_info(g->pair->log[side]);
        run->side[side].total_ns = info->records ? info->end_ns - info->start_ns : 0;
        states->side[side] = all[side];
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

/* The largest difference first; else as definitions, or ranks, follow. Events, which have no time, behind states. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint64_t left = magnitude(difference(x)), right = magnitude(difference(y));

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
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

static void put_or_skip(struct pithi_table *table, int there, int64_t value)
{
    if (there)
        pithi_table_number(table, value);
    else
        pithi_table_skip(table);
}

/* b / a of what the difference is of. */
static void put_ratio(struct pithi_table *table, const struct row *row)
{
    const struct side *a = &row->side[0], *b = &row->side[1];
    double from = row->kind == RUN ? (double)a->total_ns : row->kind == EVENT ? (double)a->count : (double)a->self_ns;
    double to = row->kind == RUN ? (double)b->total_ns : row->kind == EVENT ? (double)b->count : (double)b->self_ns;
    int there = from > 0 && to / from < 1e12;

    put_or_skip(table, there, there ? (int64_t)(to / from * 1e6 + 0.5) : 0);
}

/* A side in which it does not occur has empty cells. */
static void put_numbers(struct pithi_table *table, const struct row *row)
{
    const struct side *s = row->side;
    int timed = row->kind != EVENT, run = row->kind == RUN;

    for (int i = 0; i < 2; i++)
        put_or_skip(table, s[i].count > 0, (int64_t)s[i].count);
    for (int i = 0; i < 2; i++)
        put_or_skip(table, run || (timed && row->kind != ALL && s[i].count > 0), s[i].total_ns);
    for (int i = 0; i < 2; i++)
        put_or_skip(table, timed && !run && s[i].count > 0, s[i].self_ns);
    put_or_skip(table, timed, difference(row));
    put_ratio(table, row);
}

static int put_row(const struct gathering *g, struct pithi_table *table, const struct row *row, int places)
{
    int err;

    char name[64];

    snprintf(name, sizeof name, row->thread < 0 ? "rank %d" : "%d.%u", (int)row->rank, (unsigned)row->thread);
    TRY(pithi_table_row(table));
    TRY(pithi_table_text(table, kind_names[row->kind]));
    TRY(pithi_table_text(table, row->rank >= 0 ? name : row->name));
    if (places) {
        put_or_skip(table, row->rank >= 0, row->rank);
        put_or_skip(table, row->thread >= 0, row->thread);
    } else {
        TRY(pithi_table_text(table, row->group));
    }
    put_numbers(table, row);
    if (places && row->most != UINT32_MAX) {
        TRY(pithi_table_text(table, pithi_defs_get(g->pair->defs, row->most)->name));
        pithi_table_number(table, row->most_ns);
    }
out:
    return err;
}

static int fill_table(struct gathering *g, int places, struct pithi_table **table)
{
    int err;

    TRY(places ? pithi_table_new(table, place_columns, sizeof place_columns / sizeof *place_columns)
               : pithi_table_new(table, state_columns, sizeof state_columns / sizeof *state_columns));
    qsort(g->rows, g->count, sizeof *g->rows, compare_rows);
    for (uint32_t i = 0; i < g->count; i++)
        TRY(put_row(g, *table, &g->rows[i], places));
out:
    return err;
}

/* ---- By state ---------------------------------------------------------------------------------------------------- */

static int state_row(struct gathering *g, uint32_t id)
{
    const struct pithlog_def *def = pithi_defs_get(g->pair->defs, id);
    struct row *row;

    if (def->kind == PITHLOG_COUNTER_TYPE || (g->sum[0][id].count == 0 && g->sum[1][id].count == 0))
        return PITH_OK;
    if (!(row = add_row(g, def->kind == PITHLOG_STATE ? STATE : EVENT, def->name)))
        return no_memory();
    row->group = def->group;
    for (int side = 0; side < 2; side++) {
        const struct pithlog_sum *sum = &g->sum[side][id];
        row->side[side] = (struct side){sum->count, sum->all_ns, sum->own_ns};
    }
    return PITH_OK;
}

int pithi_diff_states(struct pithi_pair *pair, struct pithi_table **table)
{
    struct gathering g;
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(begin(&g, pair));
    for (int side = 0; side < 2; side++) {
        for (uint32_t lane = 0; lane < pithlog_get_info(pair->log[side])->lanes; lane++)
            TRY(add_lane(&g, side, lane));
        add_states(&g, side, &all[side]);
    }
    TRY(add_whole(&g, all));
    for (uint32_t id = 0; id < g.defs; id++)
        TRY(state_row(&g, id));
    TRY(fill_table(&g, 0, table));
out:
    end(&g);
    return err;
}

/* ---- By rank and lane -------------------------------------------------------------------------------------------- */

/* The lanes of one row: a's from `at[0]` on, b's from `at[1]` on, counts in `more`. */
struct stretch {
    uint32_t at[2], more[2];
};

static int same_place(const struct pithlog_lane *x, const struct pithlog_lane *y, int threads)
{
    return x && y && x->rank == y->rank && (!threads || x->thread == y->thread);
}

/* Goes on to the next row: 1, or 0 at the end of both. Lanes of a log are sorted. */
static int next_stretch(const struct pithi_pair *pair, struct stretch *s, int threads)
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

/* One side of a row: its lanes' sums, and from its first record to its last. */
static int sum_side(struct gathering *g, const struct stretch *s, int side, struct row *row)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    int err;

    memset(g->sum[side], 0, g->defs * sizeof *g->sum[side]);
    for (uint32_t i = 0; i < s->more[side]; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(g->pair->log[side], s->at[side] + i);
        if (lane->records && lane->first_ns < first_ns)
            first_ns = lane->first_ns;
        if (lane->records && lane->last_ns > last_ns)
            last_ns = lane->last_ns;
        if ((err = add_lane(g, side, s->at[side] + i)) != PITH_OK)
            return err;
    }
    row->side[side].total_ns = first_ns < last_ns ? last_ns - first_ns : 0;
    add_states(g, side, &row->side[side]);
    return PITH_OK;
}

static void find_most(const struct gathering *g, struct row *row)
{
    for (uint32_t i = 0; i < g->defs; i++) {
        int64_t ns = g->sum[1][i].own_ns - g->sum[0][i].own_ns;
        if (is_state(g, i) && magnitude(ns) > magnitude(row->most_ns)) {
            row->most = i;
            row->most_ns = ns;
        }
    }
}

static int place_row(struct gathering *g, const struct stretch *s, int threads, struct side all[2])
{
    int has = s->more[0] ? 0 : 1;
    const struct pithlog_lane *lane = pithlog_get_lane(g->pair->log[has], s->at[has]);
    struct row *row = add_row(g, threads ? LANE : RANK, "");
    int err;

    if (!row)
        return no_memory();
    row->rank = lane->rank;
    row->thread = threads ? (int64_t)lane->thread : -1;
    TRY(sum_side(g, s, 0, row));
    TRY(sum_side(g, s, 1, row));
    find_most(g, row);
    for (int side = 0; side < 2; side++) {
        all[side].count += row->side[side].count;
        all[side].self_ns += row->side[side].self_ns;
    }
out:
    return err;
}

static int diff_places(struct pithi_pair *pair, int threads, struct pithi_table **table)
{
    struct gathering g;
    struct stretch stretch = {{0, 0}, {0, 0}};
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(begin(&g, pair));
    while (next_stretch(pair, &stretch, threads))
        TRY(place_row(&g, &stretch, threads, all));
    TRY(add_whole(&g, all));
    TRY(fill_table(&g, 1, table));
out:
    end(&g);
    return err;
}

int pithi_diff_ranks(struct pithi_pair *pair, struct pithi_table **table) { return diff_places(pair, 0, table); }

int pithi_diff_lanes(struct pithi_pair *pair, struct pithi_table **table) { return diff_places(pair, 1, table); }
