/* diff.c - `pith diff A B`: how log b differs from log a.
 *
 * By default it compares the sums of self time of each state, rank or lane. The sums come from the summaries of both
 * logs, so records are read only at the ends of lanes. A difference is b - a. Rows are sorted by the size of the
 * difference, so the states that made b slower or faster are at the top:
 *
 *     a: solve 3 s, MPI_Recv 1 s    b: solve 3 s, MPI_Recv 2.5 s    rows: MPI_Recv +1.5 s, solve 0 s
 *
 * With --records it compares the records of each lane one by one, so a difference in one lane does not affect other
 * lanes. Records are paired by their order in the lane, so small differences of times do not change the pairs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "analysis/mpi_calls.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/text/printer.h"
#include "native/log.h"
#include "native/segment.h"
#include "reader/index/summary_read.h"
#include "tools/stat_pass.h"
#include "tools/table.h"
#include "tools/tools.h"

/* ---- The pair ---------------------------------------------------------------------------------------------------- */

/* Both logs, with one set that has the definitions of both. Definitions with the same kind and name are equal. */
struct pair {
    struct pithlog *log[2];
    struct pithi_defs *defs;
    uint32_t *ids[2]; /* ids[side][id in that log] is the id in `defs` */
};

static int join_defs(struct pair *pair, int side)
{
    uint32_t count = pithlog_get_info(pair->log[side])->defs;
    int err = PITH_OK;

    if (!(pair->ids[side] = malloc((count + (size_t)1) * sizeof *pair->ids[side])))
        return pithi_no_memory();
    for (uint32_t i = 0; err == PITH_OK && i < count; i++)
        err = pithi_defs_add(pair->defs, pithlog_get_def(pair->log[side], i), &pair->ids[side][i]);
    return err;
}

/* Compares lane `i` of a with lane `k` of b by rank and, if `threads` is set, by thread. Returns -1 if `i` sorts first,
 * 1 if `k` sorts first, 0 if they are equal. An index past the last lane sorts after all lanes. */
static int order_of(const struct pair *pair, uint32_t i, uint32_t k, int threads)
{
    const struct pithlog_lane *a = pithlog_get_lane(pair->log[0], i), *b = pithlog_get_lane(pair->log[1], k);

    if (!a || !b)
        return a ? -1 : b != NULL;
    if (a->rank != b->rank || !threads)
        return (a->rank > b->rank) - (a->rank < b->rank);
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* What a row of the table says of one of the two logs. */
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
    uint32_t most;   /* for a rank or lane: the state (or computing) whose time differs most; UINT32_MAX: none */
    int64_t most_ns; /* by how much the self time of `most` differs, b - a */
};

enum { IN_CALL = 1, WAITING }; /* kinds of states in `is_idle`: IN_CALL: MPI calls; WAITING: waits for other threads */

struct gathering {
    struct pair *pair;
    struct pithlog_summary *summary[2];
    struct pithlog_sum *own;    /* sums of one lane; the index is the id in the lane's log */
    struct pithlog_sum *sum[2]; /* sums over all lanes of a row; the index is the id in pair->defs; [defs]: computing */
    unsigned char *is_idle;     /* IN_CALL, WAITING, or 0 for other states; the index is the id in pair->defs */
    uint32_t defs;
    struct row *rows;
    uint32_t count, room;
};

static int is_state(const struct gathering *g, uint32_t id)
{
    return pithi_defs_get(g->pair->defs, id)->kind == PITHLOG_STATE;
}

static int open_sums(struct gathering *g, struct pair *pair)
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
        g->is_idle[i] = pithi_mpi_call_traits(def) ? IN_CALL : pithi_is_thread_wait(def) ? WAITING : 0;
    }
    CHECK(pithlog_summary_open(pair->log[0], &g->summary[0]));
    return pithlog_summary_open(pair->log[1], &g->summary[1]);
}

static void close_sums(struct gathering *g)
{
    for (int side = 0; side < 2; side++) {
        pithlog_summary_close(g->summary[side]);
        free(g->sum[side]);
    }
    free(g->own);
    free(g->is_idle);
    free(g->rows);
}

/* Adds the sums of a lane to g->sum, and the time in which the lane computed. The total of computing is the time
 * outside MPI and outside waiting for other threads; its self time is the part of this total outside all states. States
 * inside an MPI call, such as the I/O of MPI_File_write, belong to the call, so the whole time of the call is
 * subtracted. If a callback of the program calls MPI inside an MPI call, the inner call is subtracted twice, because
 * summaries do not show which state is inside which. g->own has room for all definitions of a log, because pair->defs
 * has at least as many. */
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
        busy_ns += g->is_idle[id] == WAITING ? 0 : g->own[i].own_ns;
        busy_ns -= g->is_idle[id] == IN_CALL ? g->own[i].all_ns : 0;
    }
    g->sum[side][g->defs].own_ns += rest.outside_ns;
    g->sum[side][g->defs].all_ns += rest.outside_ns + (busy_ns > 0 ? busy_ns : 0);
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

/* Adds to `to` the number of instances and the self time of all states. */
static void add_states(const struct gathering *g, int side, struct side *to)
{
    for (uint32_t i = 0; i < g->defs; i++)
        if (is_state(g, i)) {
            to->count += g->sum[side][i].count;
            to->self_ns += g->sum[side][i].own_ns;
        }
}

/* Adds the rows for the whole log: run time, all states, and computing. */
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

/* ---- Rows of sums ------------------------------------------------------------------------------------------------ */

static int64_t difference(const struct row *row)
{
    return row->kind == RUN     ? row->side[1].total_ns - row->side[0].total_ns
           : row->kind == EVENT ? (int64_t)(row->side[1].count - row->side[0].count)
                                : row->side[1].self_ns - row->side[0].self_ns;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

/* Sorts rows by difference, the largest first; rows with equal differences in order of definitions or ranks. Computing
 * is sorted like a state, but comes first in tables by rank. Events have no time and follow the states. */
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

static int fill_table(struct gathering *g, int places, struct pithi_report **table)
{
    CHECK(places ? pithi_table_new(table, place_columns, sizeof place_columns / sizeof *place_columns)
                 : pithi_table_new(table, state_columns, sizeof state_columns / sizeof *state_columns));
    qsort(g->rows, g->count, sizeof *g->rows, compare_rows);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct row *row = &g->rows[i];
        char name[64];
        snprintf(name, sizeof name, row->thread < 0 ? "rank %d" : "%d.%u", (int)row->rank, (unsigned)row->thread);
        pithi_table_row(*table);
        pithi_table_text(*table, kind_names[row->kind]);
        pithi_table_text(*table, row->rank >= 0 ? name : row->name);
        if (places) {
            put_or_skip(*table, row->rank >= 0, row->rank);
            put_or_skip(*table, row->thread >= 0, row->thread);
        } else {
            pithi_table_text(*table, row->group);
        }
        /* If a state or event does not occur in a log, its cells are empty. Computing has no count. */
        int timed = row->kind != EVENT, run = row->kind == RUN, computing = row->kind == COMPUTING;
        for (int side = 0; side < 2; side++)
            put_or_skip(*table, row->side[side].count > 0, (int64_t)row->side[side].count);
        for (int side = 0; side < 2; side++)
            put_or_skip(*table, run || computing || (timed && row->kind != ALL && row->side[side].count > 0),
                        row->side[side].total_ns);
        for (int side = 0; side < 2; side++)
            put_or_skip(*table, computing || (timed && !run && row->side[side].count > 0), row->side[side].self_ns);
        put_or_skip(*table, timed, difference(row));
        /* Computes the ratio b / a of run times, of counts of events, or of self times. */
        const struct side *a = &row->side[0], *b = &row->side[1];
        double from = row->kind == RUN     ? (double)a->total_ns
                      : row->kind == EVENT ? (double)a->count
                                           : (double)a->self_ns;
        double to = row->kind == RUN ? (double)b->total_ns : row->kind == EVENT ? (double)b->count : (double)b->self_ns;
        int there = from > 0 && to / from < 1e12;
        put_or_skip(*table, there, there ? (int64_t)(to / from * 1e6 + 0.5) : 0);
        if (places && row->most != UINT32_MAX) {
            pithi_table_text(*table, row->most == g->defs ? PITHI_COMPUTING_NAME
                                                          : pithi_defs_get(g->pair->defs, row->most)->name);
            pithi_table_number(*table, row->most_ns);
        }
    }
    return PITH_OK;
}

/* ---- By state ---------------------------------------------------------------------------------------------------- */

static int diff_states(struct pair *pair, struct pithi_report **table)
{
    struct gathering g;
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    struct pithlog_sum computing[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(open_sums(&g, pair));
    for (int side = 0; side < 2; side++) {
        for (uint32_t lane = 0; lane < pithlog_get_info(pair->log[side])->lanes; lane++)
            TRY(add_lane(&g, side, lane));
        add_states(&g, side, &all[side]);
    }
    computing[0] = g.sum[0][g.defs];
    computing[1] = g.sum[1][g.defs];
    TRY(add_whole(&g, all, computing));
    for (uint32_t id = 0; id < g.defs; id++) {
        const struct pithlog_def *def = pithi_defs_get(g.pair->defs, id);
        struct row *row;
        if (def->kind == PITHLOG_COUNTER_TYPE || (g.sum[0][id].count == 0 && g.sum[1][id].count == 0))
            continue;
        if (!(row = add_row(&g, def->kind == PITHLOG_STATE ? STATE : EVENT, def->name)))
            TRY(pithi_no_memory());
        row->group = def->group;
        for (int side = 0; side < 2; side++) {
            const struct pithlog_sum *sum = &g.sum[side][id];
            row->side[side] = (struct side){sum->count, sum->all_ns, sum->own_ns};
        }
    }
    TRY(fill_table(&g, 0, table));
out:
    close_sums(&g);
    return err;
}

/* ---- By rank and lane -------------------------------------------------------------------------------------------- */

/* The lanes of one row: in log a `more[0]` lanes from index `at[0]` on, in log b `more[1]` from `at[1]` on. */
struct row_lanes {
    uint32_t at[2], more[2];
};

static int same_place(const struct pithlog_lane *x, const struct pithlog_lane *y, int threads)
{
    return x && y && x->rank == y->rank && (!threads || x->thread == y->thread);
}

/* Finds the lanes of the next row in both logs, whose lanes are sorted. Returns 1, or 0 if neither log has more
 * lanes. */
static int next_row(const struct pair *pair, struct row_lanes *s, int threads)
{
    s->at[0] += s->more[0];
    s->at[1] += s->more[1];
    int order = order_of(pair, s->at[0], s->at[1], threads); /* < 0: only a has the row, > 0: only b, 0: both */
    for (int side = 0; side < 2; side++) {
        const struct pithlog_lane *first = pithlog_get_lane(pair->log[side], s->at[side]);
        int takes = first && (side == 0 ? order <= 0 : order >= 0);
        s->more[side] = 0;
        while (takes && same_place(first, pithlog_get_lane(pair->log[side], s->at[side] + s->more[side]), threads))
            s->more[side]++; /* all lanes of the row: by rank, all of its threads */
    }
    return s->more[0] + s->more[1] > 0;
}

/* Fills in one side of a row: the sums of its lanes, and the time from the first to the last record. */
static int sum_side(struct gathering *g, const struct row_lanes *s, int side, struct row *row)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN; /* these two values mean that no record was seen */

    /* clears g->sum, as add_lane adds to it */
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

static int diff_places(struct pair *pair, int threads, struct pithi_report **table)
{
    struct gathering g;
    struct row_lanes lanes = {{0, 0}, {0, 0}};
    struct side all[2] = {{0, 0, 0}, {0, 0, 0}};
    struct pithlog_sum computing[2] = {{0, 0, 0}, {0, 0, 0}};
    int err;

    TRY(open_sums(&g, pair));
    while (next_row(pair, &lanes, threads)) {
        int has = lanes.more[0] ? 0 : 1; /* 0 for log a, 1 for log b: a log that has lanes of this row */
        const struct pithlog_lane *lane = pithlog_get_lane(g.pair->log[has], lanes.at[has]);
        struct row *row = add_row(&g, threads ? LANE : RANK, "");
        if (!row)
            TRY(pithi_no_memory());
        row->rank = lane->rank;
        row->thread = threads ? (int64_t)lane->thread : -1;
        TRY(sum_side(&g, &lanes, 0, row));
        TRY(sum_side(&g, &lanes, 1, row));
        /* Finds the state whose time differs most, which explains the row. [defs] is computing. */
        for (uint32_t i = 0; i <= g.defs; i++) {
            int64_t ns = g.sum[1][i].own_ns - g.sum[0][i].own_ns;
            if ((i == g.defs || is_state(&g, i)) && magnitude(ns) > magnitude(row->most_ns)) {
                row->most = i;
                row->most_ns = ns;
            }
        }
        for (int side = 0; side < 2; side++) {
            all[side].count += row->side[side].count;
            all[side].self_ns += row->side[side].self_ns;
            computing[side].own_ns += g.sum[side][g.defs].own_ns;
            computing[side].all_ns += g.sum[side][g.defs].all_ns;
        }
    }
    TRY(add_whole(&g, all, computing));
    TRY(fill_table(&g, 1, table));
out:
    close_sums(&g);
    return err;
}

static int diff_ranks(struct pair *pair, struct pithi_report **table) { return diff_places(pair, 0, table); }

static int diff_lanes(struct pair *pair, struct pithi_report **table) { return diff_places(pair, 1, table); }

/* ---- Records, one by one ----------------------------------------------------------------------------------------- */

/* Records of a lane are compared one by one up to the first difference. The comparison of a lane ends there: if one log
 * has an additional record, all later pairs differ, too. So each lane counts as one difference at most. */
enum { MOST = 10, BATCH = 128 }; /* MOST differences are shown; BATCH records are fetched at once */

/* Reads the records of one lane. */
struct reading {
    struct pithlog_iter *iter;
    struct pithlog_record records[BATCH]; /* in time order; payloads belong to the iterator */
    int next, count;                      /* the next of `count` records; count 0: nothing is read yet, or the end */
};

struct comparing {
    struct pair *pair;
    int64_t within_ns;    /* by how much the times of equal records may differ */
    uint32_t *comms;      /* by communicator of a: 1 + the number of the equal one of b; 0: not found yet */
    uint64_t differences; /* the number of lanes that differ, or that only one log has */
    int printing;         /* 1: the printers are open */
    struct pithi_printer printer[2];
    FILE *file[2]; /* streams that write to `text`, from open_memstream */
    char *text[2]; /* malloc'ed: what the printer has written */
    size_t size[2];
};

static int same_comm(struct comparing *c, uint32_t a, uint32_t b)
{
    const struct pithlog_comm *x = pithlog_get_comm(c->pair->log[0], a), *y = pithlog_get_comm(c->pair->log[1], b);

    /* The equal communicator of b is remembered, so that lists of members are compared once only: with 1,000 ranks a
     * list has up to 1,000 members. */
    if (c->comms[a])
        return c->comms[a] == b + 1;
    if (strcmp(x->name, y->name) != 0 || x->size != y->size || x->remote_size != y->remote_size)
        return 0;
    size_t members = (size_t)x->size + (size_t)x->remote_size;
    if (members && memcmp(x->world_ranks, y->world_ranks, members * sizeof *x->world_ranks) != 0)
        return 0;
    c->comms[a] = b + 1;
    return 1;
}

static int same_time(const struct comparing *c, int64_t a, int64_t b)
{
    /* unsigned: the distance may not fit into int64_t */
    return (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b) <= (uint64_t)c->within_ns;
}

static int same_record(struct comparing *c, const struct pithlog_record *a, const struct pithlog_record *b)
{
    if (a->kind != b->kind || !same_time(c, a->time_ns, b->time_ns))
        return 0;
    /* ENTER, LEAVE, EVENT and COUNTER records have a definition, and a value or a payload. */
    if (a->kind <= PITHLOG_COUNTER)
        return c->pair->ids[0][a->id] == c->pair->ids[1][b->id] && a->payload_bytes == b->payload_bytes &&
               (!a->payload_bytes || memcmp(a->payload, b->payload, a->payload_bytes) == 0) &&
               memcmp(&a->value, &b->value, sizeof a->value) == 0; /* bit by bit: a NaN is equal to itself */
    /* In a LOST record, got_bytes holds the number of states that ended in its hole. This number follows from the other
     * records, so it is not compared. */
    return a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes &&
           (a->got_bytes == b->got_bytes || a->kind == PITHLOG_LOST) &&
           /* pauses and holes belong to no communicator */
           a->posted == b->posted && (a->kind > PITHLOG_COMM_FREE || same_comm(c, a->comm, b->comm));
}

static int open_lane(struct reading *reading, struct pithlog *log, uint32_t lane)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1};

    reading->next = reading->count = 0;
    return pithlog_iter_open(log, &query, &reading->iter);
}

/* Sets *record to the next record, or to NULL at the end of the lane. Returns PITH_OK or an error. */
static int next_record(struct reading *reading, const struct pithlog_record **record)
{
    *record = NULL;
    /* One call for 128 records costs less than 128 calls. */
    if (reading->next == reading->count) {
        reading->next = 0;
        reading->count = pithlog_iter_next_many(reading->iter, reading->records, BATCH);
    }
    if (reading->count > 0)
        *record = &reading->records[reading->next++];
    return reading->count < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Showing records --------------------------------------------------------------------------------------------- */

/* Opens a printer and gives it the names of the log. The definitions that it prints first are discarded. */
static int open_printer(struct comparing *c, int side)
{
    struct pithlog *log = c->pair->log[side];
    struct pithi_printer *p = &c->printer[side];
    int err = PITH_OK;

    if (!(c->file[side] = open_memstream(&c->text[side], &c->size[side])))
        return pithi_no_memory();
    CHECK(pithi_printer_open(p, c->file[side], PITHI_TEXT_TABS, NULL));
    c->printing |= 1 << side;
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->lanes; i++)
        err = pithi_printer_lane(p, i, pithlog_get_lane(log, i));
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->defs; i++)
        err = pithi_printer_def(p, pithlog_get_def(log, i));
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->comms; i++)
        err = pithi_printer_comm(p, i, pithlog_get_comm(log, i));
    return err;
}

/* Prints "< " or "> " and the record in the format of `pith print`. */
static void show_record(struct comparing *c, int side, const struct pithlog_record *record)
{
    struct pithi_printer *p = &c->printer[side];

    if (!record) {
        printf("%c (end of the thread)\n", "<>"[side]);
        return;
    }
    /* The text of the record before is not needed any more: the stream writes again from byte 0. */
    pithi_out_flush(&p->out);
    rewind(c->file[side]);
    pithi_printer_record(p, record);
    pithi_out_flush(&p->out);
    fflush(c->file[side]);
    printf("%c %.*s", "<>"[side], (int)c -> size[side], c -> text[side]);
}

/* ---- Records of lanes -------------------------------------------------------------------------------------------- */

static int compare_lanes(struct comparing *c, uint32_t i, uint32_t k)
{
    struct reading *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b); /* BATCH records each: too large for a stack */
    const struct pithlog_record *x, *y;
    uint64_t number = 0;
    int err;

    if (!a || !b) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(open_lane(a, c->pair->log[0], i));
    TRY(open_lane(b, c->pair->log[1], k));
    do {
        TRY(next_record(a, &x));
        TRY(next_record(b, &y));
        number++; /* the number of the record in its lane, from 1 */
    } while (x && y && same_record(c, x, y));
    /* The first MOST differences are shown; further ones are only counted. */
    if ((!x && !y) || c->differences++ >= MOST)
        goto out;
    if (!c->printing)
        TRY(open_printer(c, 0));
    if (c->printing != 3)
        TRY(open_printer(c, 1));
    const struct pithlog_lane *lane = pithlog_get_lane(c->pair->log[0], i);
    printf("rank %d thread %u record %llu:\n", (int)lane->rank, (unsigned)lane->thread, (unsigned long long)number);
    show_record(c, 0, x);
    show_record(c, 1, y);
out:
    if (a)
        pithlog_iter_close(a->iter);
    if (b)
        pithlog_iter_close(b->iter);
    free(a);
    free(b);
    return err;
}

static int diff_records(struct pair *pair, int64_t within_ns, int *different)
{
    struct comparing c = {.pair = pair, .within_ns = within_ns};
    uint32_t i = 0, k = 0;
    int err;

    c.comms = calloc(pithlog_get_info(pair->log[0])->comms + (size_t)1, sizeof *c.comms);
    err = c.comms ? PITH_OK : pithi_no_memory();
    /* The lanes of both logs are sorted, so the next lane is in a only, in b only, or in both logs. */
    while (err == PITH_OK && (i < pithlog_get_info(pair->log[0])->lanes || k < pithlog_get_info(pair->log[1])->lanes)) {
        int order = order_of(pair, i, k, 1);
        if (order == 0) {
            err = compare_lanes(&c, i, k);
        } else {
            int side = order > 0;
            uint32_t number = order < 0 ? i : k;
            const struct pithlog_lane *lane = pithlog_get_lane(pair->log[side], number);
            if (c.differences++ < MOST)
                printf("rank %d thread %u: only in %s, %llu records\n", (int)lane->rank, (unsigned)lane->thread,
                       side ? "the second" : "the first", (unsigned long long)lane->records);
        }
        i += order <= 0;
        k += order >= 0;
    }
    if (c.differences > MOST) /* each lane is one difference at most, so the rest is a number of threads */
        printf("and %llu more threads\n", (unsigned long long)(c.differences - MOST));
    if (!err)
        err = pithi_tool_flush(stdout);
    *different = c.differences > 0;
    for (int side = 0; side < 2; side++) {
        if (c.printing >> side & 1)
            pithi_printer_close(&c.printer[side], PITH_OK);
        if (c.file[side])
            fclose(c.file[side]);
        free(c.text[side]);
    }
    free(c.comms);
    return err;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* The functions for --by, in the order of its words. */
static int (*const answers[])(struct pair *pair, struct pithi_report **table) = {diff_states, diff_ranks, diff_lanes};

struct asked {
    int by; /* 1 + the index in `answers`; 0: --by was not given */
    enum pithi_text_style style;
    int records;
    int64_t within_ns; /* -1: not given */
};

static int read_within(const char *command, const char *option, const char *value, void *within_ns)
{
    if (pithlog_time_parse(value, within_ns) || *(int64_t *)within_ns < 0)
        return pithi_tool_usage(command, "--%s needs seconds, or a time such as 3ms, not '%s'", option, value);
    return 0;
}

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const char *const names[] = {"A", "B", NULL};
    const struct pithi_option options[] = {
        {"by", 0, PITHI_WORD, &asked->by, "state rank lane", NULL},
        {"records", 0, PITHI_FLAG, &asked->records, NULL, NULL},
        {"within", 0, PITHI_READ, &asked->within_ns, NULL, read_within},
        PITHI_STYLE_OPTIONS(&asked->style),
        {.name = NULL},
    };

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if (asked->records && (asked->by || asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(argv[0], "--records cannot be used with --by, --csv or --json");
    if (!asked->records && asked->within_ns >= 0)
        return pithi_tool_usage(argv[0], "--within needs --records");
    return pithi_tool_arguments(argc, argv, names);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Returns the exit status, as diff(1) has it: 0 if the logs are equal, 1 if they differ, 2 on an error. */
int pithi_tool_diff(int argc, char **argv)
{
    struct asked asked = {.style = PITHI_TEXT_TABS, .within_ns = -1};
    struct pair pair = {.defs = NULL};
    struct pithi_report *table = NULL;
    int different = 0, err, status = read_options(argc, argv, &asked);

    if (status)
        return status;
    TRY(pithi_tool_open("diff", argv[optind], &pair.log[0]));
    TRY(pithi_tool_open("diff", argv[optind + 1], &pair.log[1]));
    TRY(pithi_defs_new(&pair.defs));
    TRY(join_defs(&pair, 0));
    TRY(join_defs(&pair, 1));
    if (asked.records) {
        TRY(diff_records(&pair, asked.within_ns < 0 ? 0 : asked.within_ns, &different));
    } else {
        for (int side = 0; side < 2; side++) {
            const struct pithlog_info *info = pithlog_get_info(pair.log[side]);
            TRY(pithi_log_adds_up(pair.log[side], info->start_ns, info->end_ns));
        }
        TRY(answers[asked.by ? asked.by - 1 : 0](&pair, &table));
        TRY(pithi_table_print(table, stdout, asked.style));
        TRY(pithi_stat_damaged());
    }
    for (int side = 0; side < 2; side++)
        TRY(pithlog_check_comms(pair.log[side]));
out:
    if (err)
        pithi_tool_failed();
    pithi_table_free(table);
    for (int side = 0; side < 2; side++) {
        pithlog_close(pair.log[side]);
        free(pair.ids[side]);
    }
    if (pair.defs)
        pithi_defs_free(pair.defs);
    return err ? 2 : different;
}
