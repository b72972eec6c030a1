/* stat_states.c - makes the tables by state, by state and lane, by lane, and of the longest instances. They come from
 * one pass over the instances of states (stat_pass.h).
 *
 * If an instance of a state lies inside another instance of the same state, both are counted, but only the outermost
 * one adds to the total, so that no time counts twice.
 *
 *     f from 0 to 10 calls f from 2 to 5:    count 2, total 10, self 7 + 3 = 10, mean length 6.5
 *     the same in the window from 3 to 20:   lengths 7 and 2, self 5 + 2
 *
 * Each state has a histogram of its lengths (histogram.h), so percentiles need no list of all instances. Memory grows
 * with the number of states, not with the size of the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "analysis/thread_counters.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "tools/progress.h"
#include "tools/stat_pass.h"

/* The names of the two columns of waits. new_table recognises these columns by the pointer to the name, not by its
 * text, as a counter may have an equal name. */
static const char wait_name[] = "wait", transfer_name[] = "transfer";

/* Returns the index of a state in an array of defs + 1 entries: its id, or `defs` for computing. */
static uint32_t index_of(uint32_t id, uint32_t defs) { return id == PITHLOG_COMPUTING ? defs : id; }

/* Makes a table with `columns`. Leaves out the two columns of waits unless `waits` is set. */
static int new_table(struct pithi_report **table, const struct pithi_table_column *columns, uint32_t count, int waits)
{
    struct pithi_table_column *shown = malloc(count * sizeof *shown);
    uint32_t kept = 0;
    int err;

    if (!shown)
        return pithi_no_memory();
    for (uint32_t i = 0; i < count; i++)
        if (waits || (columns[i].name != wait_name && columns[i].name != transfer_name))
            shown[kept++] = columns[i];
    err = pithi_table_new(table, shown, kept);
    free(shown);
    return err;
}

/* Begins a row and fills its first cells, such as name and group. `def` NULL means computing. */
static void begin_row(struct pithi_report *table, const struct pithlog_def *def)
{
    static const char *const kinds[] = {
        [PITHLOG_STATE] = "state", [PITHLOG_EVENT_TYPE] = "event", [PITHLOG_COUNTER_TYPE] = "counter"};

    pithi_table_row(table);
    pithi_table_text(table, def ? def->name : PITHI_COMPUTING_NAME);
    pithi_table_text(table, def ? kinds[def->kind] : "computing");
    pithi_table_text(table, def ? def->group : "");
}

/* Fills the cells for waiting and transfer, the two parts of the self time of an MPI call. For states that are no MPI
 * calls and have no wait states, both cells stay empty. */
static void put_waits(struct pithi_report *table, const struct pithlog_def *def, int64_t self_ns, int64_t wait_ns)
{
    if (def && (pithi_mpi_call_traits(def) || wait_ns > 0)) {
        pithi_table_number(table, wait_ns);
        /* The waiting comes from the analysis, the self time from the pass. Near a hole the waiting may be the longer
         * one, and then the transfer is 0. */
        pithi_table_number(table, self_ns > wait_ns ? self_ns - wait_ns : 0);
    } else {
        pithi_table_skip(table);
        pithi_table_skip(table);
    }
}

struct order {
    uint32_t id; /* that of the definition; `defs` means computing */
    int kind;
    int64_t self_ns;
};

/* Compares for qsort: states come first, the largest self time first; then events and counters in order of
 * definition. */
static int compare_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* ---- By state -------------------------------------------------------------------------------------------------- */

struct state {
    struct pithi_histogram *lengths;    /* NULL: no instance so far */
    int64_t total_ns, self_ns, wait_ns; /* ns; wait_ns is a part of self_ns */
    uint64_t count;                     /* for an event or counter: how many records it has */
};

struct states {
    struct pithlog *log;
    const struct pithi_stat_query *query;
    struct state *states; /* [defs + 1] */
    uint32_t defs;
    struct pithi_counter_sums counters;
    const double *instructions, *cycles; /* [id]: sums, within `counters`; NULL: the log does not have the counter */
};

static int add_instance(void *context, const struct pithi_stat_instance *instance)
{
    const struct states *s = context;
    struct state *state = &s->states[index_of(instance->id, s->defs)];

    /* A histogram is large, so a state gets one only at its first instance. */
    if (!state->lengths && !(state->lengths = calloc(1, sizeof *state->lengths)))
        return pithi_no_memory();
    pithi_histogram_add(state->lengths, instance->length_ns);
    state->self_ns += instance->self_ns;
    /* An inner instance does not add to the total: its time is part of the outer instance of the same state. */
    if (instance->is_outermost)
        state->total_ns += instance->length_ns;
    return PITH_OK;
}

static int add_record(void *context, const struct pithlog_record *r)
{
    const struct states *s = context;

    if ((r->kind == PITHLOG_EVENT || r->kind == PITHLOG_COUNTER) && r->id < s->defs &&
        pithi_stat_shows(s->query, pithlog_get_def(s->log, r->id)))
        s->states[r->id].count++;
    return PITH_OK;
}

static void add_wait(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns)
{
    ((struct states *)context)->states[wait->state].wait_ns += wait_ns;
}

static const struct pithi_table_column state_columns[] = {
    {"name", PITHI_CELL_TEXT, 0},    {"kind", PITHI_CELL_TEXT, 1},        {"group", PITHI_CELL_TEXT, 1},
    {"count", PITHI_CELL_COUNT, 0},  {"total", PITHI_CELL_TIME, 0},       {"self", PITHI_CELL_TIME, 0},
    {wait_name, PITHI_CELL_TIME, 0}, {transfer_name, PITHI_CELL_TIME, 0}, {"mean", PITHI_CELL_TIME, 0},
    {"min", PITHI_CELL_TIME, 0},     {"p50", PITHI_CELL_TIME, 0},         {"p95", PITHI_CELL_TIME, 0},
    {"p99", PITHI_CELL_TIME, 0},     {"max", PITHI_CELL_TIME, 0},
};

void pithi_stat_lengths(struct pithi_report *table, const struct pithi_histogram *lengths)
{
    pithi_table_number(table, pithi_lengths_mean(&lengths->all));
    pithi_table_number(table, lengths->all.min);
    pithi_table_number(table, pithi_histogram_percentile(lengths, 50));
    pithi_table_number(table, pithi_histogram_percentile(lengths, 95));
    pithi_table_number(table, pithi_histogram_percentile(lengths, 99));
    pithi_table_number(table, lengths->all.max);
}

/* Rounds a sum down to a whole number, limited to 0 to INT64_MAX, as a log may have any values. */
static int64_t whole(double sum) { return sum >= 9.2e18 ? INT64_MAX : sum > 0 ? (int64_t)sum : 0; }

int pithi_stat_states(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct states s = {.log = log, .query = query, .defs = pithlog_get_info(log)->defs};
    struct pithi_stat_pass pass = {.log = log,
                                   .query = query,
                                   .instance = add_instance,
                                   .record = add_record,
                                   .context = &s,
                                   .kinds = 1u << PITHLOG_EVENT | 1u << PITHLOG_COUNTER};
    int err;

    s.states = calloc(s.defs + (size_t)1, sizeof *s.states);
    if (!s.states)
        return pithi_no_memory();
    /* Sums of counters are computed over all records. With a filter only some records are counted, so these sums would
     * not fit to the other columns and are left out. */
    if (!query->filter)
        TRY(pithi_counter_sums_make(log,
                                    &(struct pithlog_query){.from_ns = query->from_ns,
                                                            .to_ns = query->to_ns,
                                                            .lanes = query->lanes,
                                                            .lane_count = query->lane_count},
                                    &s.counters));
    s.instructions = pithi_counter_sums_of(log, &s.counters, PITHI_COUNTER_INSTRUCTIONS);
    s.cycles = pithi_counter_sums_of(log, &s.counters, PITHI_COUNTER_CYCLES);

    /* Makes the table by state. After the column "self" it has a column for each counter of threads, and one for the
     * instructions per cycle. BEFORE is the number of columns before these. */
    enum { COLUMNS = sizeof state_columns / sizeof *state_columns, BEFORE = 6 };
    struct pithi_table_column *columns = malloc((COLUMNS + (size_t)s.counters.count + 1) * sizeof *columns);
    uint32_t more = s.counters.count;
    if (!columns)
        TRY(pithi_no_memory());
    /* Puts the columns of counters between "self" and the columns of waits. */
    memcpy(columns, state_columns, BEFORE * sizeof *columns);
    for (uint32_t i = 0; i < s.counters.count; i++) {
        const struct pithlog_def *def = pithlog_get_def(s.log, s.counters.counters[i]);
        /* The head of a column is the counter's name, except for the two counters of times, which have short heads. */
        const char *head = strcmp(def->name, PITHI_COUNTER_CPU) == 0       ? "cpu"
                           : strcmp(def->name, PITHI_COUNTER_NO_CORE) == 0 ? "no_core"
                                                                           : def->name + strlen(PITHI_THREAD_COUNTER);
        /* A counter in ns is printed like all times, with a unit. */
        columns[BEFORE + i] =
            (struct pithi_table_column){head, strcmp(def->format, "ns") == 0 ? PITHI_CELL_TIME : PITHI_CELL_COUNT, 0};
    }
    if (s.instructions && s.cycles)
        columns[BEFORE + more++] = (struct pithi_table_column){"ipc", PITHI_CELL_RATIO, 0};
    memcpy(columns + BEFORE + more, state_columns + BEFORE, (COLUMNS - BEFORE) * sizeof *columns);
    err = new_table(table, columns, COLUMNS + more, s.query->waits);
    free(columns);
    TRY(err);

    TRY(pithi_stat_run(&pass));
    if (query->waits)
        TRY(pithi_stat_each_wait(log, query, add_wait, &s));

    /* Adds a row for each definition that occurs in the log. */
    struct pithi_report *rows = *table;
    struct order *order = calloc(s.defs + 1u, sizeof *order);
    uint32_t count = 0;
    if (!order)
        TRY(pithi_no_memory());
    /* The last id is `defs`, computing. */
    for (uint32_t id = 0; id <= s.defs; id++)
        if (s.states[id].lengths || s.states[id].count) {
            int kind = id < s.defs ? (int)pithlog_get_def(s.log, id)->kind : PITHLOG_STATE;
            order[count++] = (struct order){id, kind, s.states[id].self_ns};
        }
    qsort(order, count, sizeof *order, compare_order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = order[i].id;
        const struct pithlog_def *def = pithlog_get_def(s.log, id);
        const struct state *state = &s.states[id];
        const struct pithi_histogram *lengths = state->lengths;
        begin_row(rows, def);
        /* An event or a counter has a count only; its other cells stay empty. */
        pithi_table_number(rows, (int64_t)(lengths ? lengths->all.count : state->count));
        if (!lengths)
            continue;
        pithi_table_number(rows, state->total_ns);
        pithi_table_number(rows, state->self_ns);
        for (uint32_t k = 0; k < s.counters.count; k++)
            pithi_table_number(rows, whole(s.counters.sums[(size_t)k * (s.defs + 1u) + id]));
        if (s.instructions && s.cycles && s.cycles[id] > 0)
            /* Ratios are whole millionths in a table: 1.5 instructions per cycle are 1500000. */
            pithi_table_number(rows, whole(1e6 * s.instructions[id] / s.cycles[id] + 0.5));
        else if (s.instructions && s.cycles)
            pithi_table_skip(rows);
        if (s.query->waits)
            put_waits(rows, def, state->self_ns, state->wait_ns);
        pithi_stat_lengths(rows, lengths);
    }
    free(order);

out:
    for (uint32_t i = 0; i <= s.defs; i++)
        free(s.states[i].lengths);
    pithi_counter_sums_free(&s.counters);
    free(s.states);
    return err;
}

/* ---- By state and lane ----------------------------------------------------------------------------------------- */

struct cell {
    uint64_t count;
    int64_t total_ns, self_ns, wait_ns, length_ns, max_ns; /* length_ns: the sum over all instances, also inner ones */
};

struct grid {
    struct pithlog *log;
    const struct pithi_stat_query *query;
    struct cell **cells; /* [defs + 1][lanes]; cells[id] is NULL if the state has no instance */
    uint32_t defs, lanes;
};

static int add_to_cell(void *context, const struct pithi_stat_instance *instance)
{
    const struct grid *g = context;
    struct cell **row = &g->cells[index_of(instance->id, g->defs)];

    /* Memory for a state's row of lanes is allocated at its first instance: the cells of 1000 states on 1000 lanes
     * would be a million, most of them empty. */
    if (!*row && !(*row = calloc(g->lanes, sizeof **row)))
        return pithi_no_memory();
    struct cell *cell = &(*row)[instance->lane];
    cell->count++;
    cell->self_ns += instance->self_ns;
    cell->length_ns += instance->length_ns;
    if (instance->is_outermost)
        cell->total_ns += instance->length_ns;
    if (instance->length_ns > cell->max_ns)
        cell->max_ns = instance->length_ns;
    return PITH_OK;
}

static void add_wait_to_cell(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns)
{
    const struct grid *g = context;

    if (g->cells[wait->state]) /* a state without cells is not shown by the query */
        g->cells[wait->state][wait->lane].wait_ns += wait_ns;
}

static int is_wanted(const struct grid *g, uint32_t lane) { return !g->query->wanted || g->query->wanted[lane]; }

static const struct pithi_table_column grid_columns[] = {
    {"name", PITHI_CELL_TEXT, 0},        {"kind", PITHI_CELL_TEXT, 1},    {"group", PITHI_CELL_TEXT, 1},
    {"rank", PITHI_CELL_COUNT, 0},       {"thread", PITHI_CELL_COUNT, 0}, {"count", PITHI_CELL_COUNT, 0},
    {"total", PITHI_CELL_TIME, 0},       {"self", PITHI_CELL_TIME, 0},    {wait_name, PITHI_CELL_TIME, 0},
    {transfer_name, PITHI_CELL_TIME, 0}, {"mean", PITHI_CELL_TIME, 0},    {"max", PITHI_CELL_TIME, 0},
};

/* Adds a row to the table for each lane that has an instance of the state. */
static void put_list(const struct grid *g, struct pithi_report *table, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(g->log, id);

    for (uint32_t i = 0; i < g->lanes; i++) {
        const struct cell *cell = &g->cells[id][i];
        if (!cell->count)
            continue;
        begin_row(table, def);
        pithi_table_number(table, pithlog_get_lane(g->log, i)->rank);
        pithi_table_number(table, pithlog_get_lane(g->log, i)->thread);
        pithi_table_number(table, (int64_t)cell->count);
        pithi_table_number(table, cell->total_ns);
        pithi_table_number(table, cell->self_ns);
        if (g->query->waits)
            put_waits(table, def, cell->self_ns, cell->wait_ns);
        /* The mean is over all instances, also those inside another instance of the state. */
        pithi_table_number(table, cell->length_ns / (int64_t)cell->count);
        pithi_table_number(table, cell->max_ns);
    }
}

/* Makes a table with a column for each lane: "3" for the first thread of rank 3, "3.1" for thread 1. */
static int new_matrix(const struct grid *g, struct pithi_report **table)
{
    struct pithi_table_column *columns = calloc(g->lanes + 1u, sizeof *columns);
    /* This memory holds the names of the columns until the table has copied them. */
    char(*names)[32] = calloc(g->lanes + 1u, sizeof *names);
    uint32_t count = 0;
    int err = PITH_ERR_MEMORY;

    if (columns && names) {
        columns[count++] = (struct pithi_table_column){"name", PITHI_CELL_TEXT, 0};
        for (uint32_t i = 0; i < g->lanes; i++) {
            const struct pithlog_lane *lane = pithlog_get_lane(g->log, i);
            if (!is_wanted(g, i))
                continue;
            snprintf(names[i], sizeof names[i], lane->thread ? "%d.%u" : "%d", (int)lane->rank, (unsigned)lane->thread);
            columns[count++] = (struct pithi_table_column){names[i], PITHI_CELL_TIME, 0};
        }
        err = pithi_table_new(table, columns, count);
    } else {
        pithi_no_memory();
    }
    free(columns);
    free(names);
    return err;
}

static void put_matrix_row(const struct grid *g, struct pithi_report *table, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(g->log, id);

    pithi_table_row(table);
    pithi_table_text(table, def ? def->name : PITHI_COMPUTING_NAME);
    for (uint32_t i = 0; i < g->lanes; i++) {
        if (!is_wanted(g, i))
            continue;
        if (g->cells[id][i].count)
            pithi_table_number(table, g->cells[id][i].self_ns);
        else
            pithi_table_skip(table);
    }
}

/* Makes the table by state and lane. For people it is a matrix of self times, with a column for each lane; for
 * programs, and for people who ask for waits, it is a list. */
int pithi_stat_states_of_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct grid g = {.log = log, .query = query, .defs = info->defs, .lanes = info->lanes};
    struct pithi_stat_pass pass = {.log = log, .query = query, .instance = add_to_cell, .context = &g};
    int as_matrix = query->for_people && !query->waits, err;

    g.cells = calloc(g.defs + (size_t)1, sizeof *g.cells);
    if (!g.cells)
        return pithi_no_memory();
    TRY(as_matrix ? new_matrix(&g, table)
                  : new_table(table, grid_columns, sizeof grid_columns / sizeof *grid_columns, query->waits));
    TRY(pithi_stat_run(&pass));
    if (query->waits)
        TRY(pithi_stat_each_wait(log, query, add_wait_to_cell, &g));

    /* Sorts the states by the sum of their self times on all lanes, the largest first. */
    struct order *order = calloc(g.defs + 1u, sizeof *order);
    uint32_t count = 0;
    if (!order)
        TRY(pithi_no_memory());
    for (uint32_t id = 0; id <= g.defs; id++) {
        if (!g.cells[id])
            continue;
        order[count] = (struct order){id, PITHLOG_STATE, 0};
        for (uint32_t i = 0; i < g.lanes; i++)
            order[count].self_ns += g.cells[id][i].self_ns;
        count++;
    }
    qsort(order, count, sizeof *order, compare_order);
    for (uint32_t i = 0; i < count; i++)
        (as_matrix ? put_matrix_row : put_list)(&g, (*table), order[i].id);
    free(order);

out:
    for (uint32_t i = 0; i <= g.defs; i++)
        free(g.cells[i]);
    free(g.cells);
    return err;
}

/* ---- By lane ----------------------------------------------------------------------------------------------------- */

struct lane {
    uint64_t records, states, events, sends, sent_bytes, recvs, got_bytes, colls, lost;
    int64_t first_ns, last_ns; /* times of the first and the last record */
};

static const struct pithi_table_column lane_columns[] = {
    {"rank", PITHI_CELL_COUNT, 0},       {"thread", PITHI_CELL_COUNT, 0},  {"name", PITHI_CELL_TEXT, 0},
    {"host", PITHI_CELL_TEXT, 1},        {"records", PITHI_CELL_COUNT, 0}, {"states", PITHI_CELL_COUNT, 0},
    {"in_states", PITHI_CELL_TIME, 0},   {"in_mpi", PITHI_CELL_TIME, 0},   {"omp_wait", PITHI_CELL_TIME, 0},
    {"computing", PITHI_CELL_TIME, 0},   {"events", PITHI_CELL_COUNT, 0},  {"sends", PITHI_CELL_COUNT, 0},
    {"sent_bytes", PITHI_CELL_BYTES, 0}, {"recvs", PITHI_CELL_COUNT, 0},   {"recv_bytes", PITHI_CELL_BYTES, 0},
    {"colls", PITHI_CELL_COUNT, 0},      {"lost", PITHI_CELL_COUNT, 0},    {"first", PITHI_CELL_TIME, 1},
    {"last", PITHI_CELL_TIME, 1},
};

struct lanes {
    struct lane *lanes;
    uint32_t count;
};

static int count_in_lane(void *context, const struct pithlog_record *r)
{
    struct lanes *all = context;
    struct lane *lane = r->lane < all->count ? &all->lanes[r->lane] : NULL;

    if (!lane)
        return PITH_OK;
    switch (r->kind) {
    case PITHLOG_LEAVE:
        lane->states += r->depth != UINT32_MAX;
        break;
    case PITHLOG_EVENT:
        lane->events++;
        break;
    case PITHLOG_SEND:
        lane->sends++;
        lane->sent_bytes += r->bytes;
        break;
    case PITHLOG_RECV:
        lane->recvs += r->peer >= 0; /* peer -1 means a cancelled receive */
        lane->got_bytes += r->bytes;
        break;
    case PITHLOG_COLL:
        lane->colls++;
        break;
    case PITHLOG_LOST:
        lane->lost += r->bytes;
        break;
    }
    return PITH_OK;
}

/* Counts a record for its lane. Only records of the log come here, without the LEAVEs that PITHLOG_CLIP adds at the
 * window's edges. */
static int count_own(void *context, const struct pithlog_record *r)
{
    const struct lanes *all = context;
    struct lane *lane = &all->lanes[r->lane];

    if (lane->records++ == 0)
        lane->first_ns = r->time_ns;
    lane->last_ns = r->time_ns;
    return PITH_OK;
}

int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct lanes all = {.count = pithlog_get_info(log)->lanes};
    struct pithi_stat_pass pass = {
        .log = log, .query = query, .record = count_in_lane, .context = &all, .kinds = UINT32_MAX};
    int err;

    all.lanes = calloc(all.count + 1u, sizeof *all.lanes);
    pass.times = calloc(all.count + 1u, sizeof *pass.times);
    if (!all.lanes || !pass.times) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(pithi_table_new(table, lane_columns, sizeof lane_columns / sizeof *lane_columns));
    /* For the whole log the numbers are in the log's table of lanes. Another pass is needed only for a part of the
     * log. */
    if (query->cut) {
        const struct pithlog_query own = {
            .from_ns = query->from_ns, .to_ns = query->to_ns, .lanes = query->lanes, .lane_count = query->lane_count};
        TRY(pithi_stat_each_record(log, &own, count_own, NULL, &all));
    }
    for (uint32_t i = 0; !query->cut && i < all.count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        all.lanes[i].records = lane->records;
        all.lanes[i].first_ns = lane->first_ns;
        all.lanes[i].last_ns = lane->last_ns;
    }
    TRY(pithi_stat_run(&pass));
    for (uint32_t i = 0; i < all.count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        const struct lane *counts = &all.lanes[i];
        const struct pithi_lane_time *time = &pass.times[i];
        if (query->wanted && !query->wanted[i])
            continue;
        pithi_table_row(*table);
        pithi_table_number(*table, lane->rank);
        pithi_table_number(*table, lane->thread);
        pithi_table_text(*table, lane->name);
        pithi_table_text(*table, lane->host);
        pithi_table_number(*table, (int64_t)counts->records);
        pithi_table_number(*table, (int64_t)counts->states);
        pithi_table_number(*table, time->states_ns);
        pithi_table_number(*table, time->mpi_ns);
        pithi_table_number(*table, time->omp_wait_ns);
        pithi_table_number(*table, time->computing_ns);
        pithi_table_number(*table, (int64_t)counts->events);
        pithi_table_number(*table, (int64_t)counts->sends);
        pithi_table_number(*table, (int64_t)counts->sent_bytes);
        pithi_table_number(*table, (int64_t)counts->recvs);
        pithi_table_number(*table, (int64_t)counts->got_bytes);
        pithi_table_number(*table, (int64_t)counts->colls);
        pithi_table_number(*table, (int64_t)counts->lost);
        /* For a lane without records these cells stay empty. */
        if (counts->records) {
            pithi_table_number(*table, counts->first_ns);
            pithi_table_number(*table, counts->last_ns);
        }
    }
out:
    free(all.lanes);
    free(pass.times);
    return err;
}

/* ---- The longest instances --------------------------------------------------------------------------------------- */

/* The `most` longest instances so far, as a heap with the shortest one in front. A longer instance replaces the
 * shortest one, so memory does not grow with the log. */
struct longest {
    struct pithi_stat_instance *heap;
    uint32_t count, room, most; /* most: how many instances are wanted */
};

/* Returns 1 if x comes before y in the list: x is longer, or both are equally long and x began earlier. */
static int comes_first(const struct pithi_stat_instance *x, const struct pithi_stat_instance *y)
{
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns;
    return x->lane != y->lane ? x->lane < y->lane : x->id < y->id;
}

/* comes_first() for qsort, which needs -1, 0 or 1. */
static int compare_longest(const void *a, const void *b) { return comes_first(a, b) ? -1 : comes_first(b, a); }

static int is_shorter(const void *a, const void *b) { return comes_first(b, a); }

static int keep_longest(void *context, const struct pithi_stat_instance *instance)
{
    struct longest *l = context;

    if (l->count == l->most) {
        if (comes_first(instance, &l->heap[0]))
            pithi_heap_replace(l->heap, l->count, instance, sizeof *instance, is_shorter);
        return PITH_OK;
    }
    if (!pithi_grow(&l->heap, l->count, &l->room, sizeof *l->heap))
        return pithi_no_memory();
    pithi_heap_add(l->heap, &l->count, instance, sizeof *instance, is_shorter);
    return PITH_OK;
}

static const struct pithi_table_column longest_columns[] = {
    {"name", PITHI_CELL_TEXT, 0},    {"group", PITHI_CELL_TEXT, 1},     {"rank", PITHI_CELL_COUNT, 0},
    {"thread", PITHI_CELL_COUNT, 0}, {"begin", PITHI_CELL_MOMENT, 0},   {"length", PITHI_CELL_TIME, 0},
    {"self", PITHI_CELL_TIME, 0},    {"iteration", PITHI_CELL_TEXT, 0},
};
enum { COLUMNS = sizeof longest_columns / sizeof *longest_columns };

/* Finds the iterations of a program with MPI calls. *iterations stays NULL if there are none; otherwise it is valid
 * until *analysis is freed. */
static int find_iterations(struct pithlog *log, struct pithlog_analysis **analysis,
                           const struct pithlog_iterations **iterations)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_analyze_query whole = {INT64_MIN, INT64_MAX, pithi_progress_part, NULL};
    uint32_t i = 0;
    int err;

    /* Iterations are found by their MPI calls. So for a log without MPI calls, the analysis, which takes long, is
     * skipped. */
    while (i < info->defs && strncmp(pithlog_get_def(log, i)->name, "MPI", 3) != 0)
        i++;
    if (i == info->defs)
        return PITH_OK;
    pithi_progress_begin_part("stat", info->bytes);
    err = pithlog_analyze(log, &whole, analysis);
    pithi_progress_end();
    if (err == PITH_OK)
        err = pithlog_analysis_iterations(*analysis, UINT32_MAX, iterations);
    if (err == PITH_OK && !(*iterations)->count)
        *iterations = NULL;
    /* Damage is not treated as an error here: the column shows the iterations that were found. The pass reports the
     * damage. */
    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

/* Returns the number, from 1, of the iteration that contains the moment `ns`, or 0 if none contains it. */
static size_t iteration_at(const struct pithlog_iterations *iterations, int64_t ns)
{
    size_t low = 0, high = iterations->count;

    while (low < high) { /* binary search: all iterations before `low` begin at `ns` or earlier */
        size_t middle = low + (high - low) / 2;
        if (iterations->all[middle].from_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && ns < iterations->all[low - 1].to_ns ? low : 0;
}

int pithi_stat_longest(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct longest l = {.most = query->longest};
    struct pithi_stat_pass pass = {.log = log, .query = query, .instance = keep_longest, .context = &l};
    struct pithlog_analysis *analysis = NULL;
    const struct pithlog_iterations *iterations = NULL;
    char text[24];
    int err;

    TRY(find_iterations(log, &analysis, &iterations));
    /* If there are no iterations, the table is made without its last column, the number of the iteration. */
    TRY(pithi_table_new(table, longest_columns, COLUMNS - !iterations));
    TRY(pithi_stat_run(&pass));
    if (l.count)
        qsort(l.heap, l.count, sizeof *l.heap, compare_longest);
    for (uint32_t i = 0; i < l.count; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, l.heap[i].id);
        const struct pithlog_lane *lane = pithlog_get_lane(log, l.heap[i].lane);
        pithi_table_row(*table);
        pithi_table_text(*table, def ? def->name : PITHI_COMPUTING_NAME);
        pithi_table_text(*table, def ? def->group : "");
        pithi_table_number(*table, lane->rank);
        pithi_table_number(*table, lane->thread);
        pithi_table_number(*table, l.heap[i].begin_ns);
        pithi_table_number(*table, l.heap[i].length_ns);
        pithi_table_number(*table, l.heap[i].self_ns);
        if (!iterations)
            continue;
        size_t number = iteration_at(iterations, l.heap[i].begin_ns);
        snprintf(text, sizeof text, "%zu", number);
        pithi_table_text(*table, number ? text : "");
    }
out:
    pithlog_analysis_free(analysis);
    free(l.heap);
    return err;
}
