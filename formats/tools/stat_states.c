/* stat_states.c - time in states, by state and by lane.
 *
 * Inclusive is the time between enter and leave; exclusive leaves out what was spent in states directly inside. A
 * state inside itself is counted each time, but its inclusive total takes only the outermost one, so that no moment
 * counts twice. Worked: f from 0 to 10 calls f from 2 to 5: count 2, inclusive 10, exclusive 7 + 3 = 10, mean of the
 * lengths 6.5. Of a window from 3 to 20, in which f begins open twice: lengths 2 and 7, self 2 + 5.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "native/stack.h"
#include "tools/histogram.h"
#include "tools/progress.h"
#include "tools/stat.h"

/* Every state of the window is seen as a LEAVE, also those that its edges cut or a dead program left open. */
static struct pithlog_query clipped(const struct pithi_stat_window *window, uint32_t kinds)
{
    return (struct pithlog_query){.from_ns = window->from_ns,
                                  .to_ns = window->to_ns,
                                  .lanes = window->lanes,
                                  .lane_count = window->lane_count,
                                  .kinds = kinds,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
}

static int each_record(struct pithlog *log, const struct pithlog_query *query,
                       int (*count)(void *context, const struct pithlog_record *record), void *context)
{
    volatile uint64_t done = 0;
    struct pithi_progress progress = {.command = "stat",
                                      .done = pithi_progress_count,
                                      .context = (const void *)&done,
                                      .total = pithlog_get_info(log)->records,
                                      .unit = "records"};
    struct pithlog_record records[128];
    struct pithlog_iter *iter;
    int err, more = 0;

    if (query->from_ns > query->to_ns) /* beside the log: states left open reach no further */
        return PITH_OK;
    if ((err = pithlog_iter_open(log, query, &iter)) != PITH_OK)
        return err;
    pithi_progress_begin(&progress);
    while (!err && (more = pithlog_iter_next_many(iter, records, sizeof records / sizeof *records)) > 0) {
        done += (uint64_t)more;
        for (int i = 0; i < more && !err; i++)
            err = count(context, &records[i]);
    }
    pithi_progress_end();
    pithlog_iter_close(iter);
    return more < 0 ? PITH_ERR_DAMAGED : err;
}

/* ---- By state -------------------------------------------------------------------------------------------------- */

struct state {
    struct pithi_histogram *lengths; /* NULL: none so far */
    int64_t total_ns, self_ns;
    uint64_t count; /* events, counters */
};

struct states {
    struct pithlog *log;
    const struct pithi_stat_window *window;
    struct state *states; /* by definition */
    uint32_t defs, lanes;
    struct pithi_stack *open; /* by lane, with times within the window */
};

static int enter(const struct states *s, const struct pithlog_record *r)
{
    int64_t time_ns = r->time_ns > s->window->from_ns ? r->time_ns : s->window->from_ns;

    return pithi_stack_enter(&s->open[r->lane], r->id, time_ns) ? PITH_OK
                                                                : pithi_fail(PITH_ERR_MEMORY, "out of memory");
}

static int is_open(const struct pithi_stack *open, uint32_t id)
{
    for (uint32_t i = open->count; i > 0; i--)
        if (open->states[i - 1].id == id)
            return 1;
    return 0;
}

static int leave(const struct states *s, const struct pithlog_record *r)
{
    struct state *state = &s->states[r->id];
    struct pithi_stack *open = &s->open[r->lane];
    struct pithi_open_state ended;
    uint32_t depth;

    if (!pithi_stack_leave(open, r->id, r->time_ns, &ended, &depth))
        return PITH_OK;
    int64_t length = r->time_ns - ended.enter_ns, self = length - ended.nested_ns;
    if (!state->lengths && !(state->lengths = calloc(1, sizeof *state->lengths)))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    pithi_histogram_add(state->lengths, length);
    state->self_ns += self > 0 ? self : 0;
    if (!is_open(open, r->id))
        state->total_ns += length;
    return PITH_OK;
}

static int count_record(void *context, const struct pithlog_record *r)
{
    struct states *s = context;

    if (r->id >= s->defs || r->lane >= s->lanes)
        return PITH_OK;
    if (r->kind == PITHLOG_ENTER)
        return enter(s, r);
    if (r->kind == PITHLOG_LEAVE)
        return leave(s, r);
    s->states[r->id].count++;
    return PITH_OK;
}

static int gather_states(struct states *s)
{
    struct pithlog_query query =
        clipped(s->window, 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_EVENT | 1u << PITHLOG_COUNTER);

    return each_record(s->log, &query, count_record, s);
}

static const struct pithi_table_column state_columns[] = {
    {"name", PITHI_CELL_TEXT, 0},   {"kind", PITHI_CELL_TEXT, 1},  {"group", PITHI_CELL_TEXT, 1},
    {"count", PITHI_CELL_COUNT, 0}, {"total", PITHI_CELL_TIME, 0}, {"self", PITHI_CELL_TIME, 0},
    {"mean", PITHI_CELL_TIME, 0},   {"min", PITHI_CELL_TIME, 0},   {"p50", PITHI_CELL_TIME, 0},
    {"p95", PITHI_CELL_TIME, 0},    {"p99", PITHI_CELL_TIME, 0},   {"max", PITHI_CELL_TIME, 0},
};

static int state_row(struct pithi_table *table, const struct pithlog_def *def, const struct state *state)
{
    static const char *const kinds[] = {
        [PITHLOG_STATE] = "state", [PITHLOG_EVENT_TYPE] = "event", [PITHLOG_COUNTER_TYPE] = "counter"};
    const struct pithi_histogram *lengths = state->lengths;
    int err;

    TRY(pithi_table_row(table));
    TRY(pithi_table_text(table, def->name));
    TRY(pithi_table_text(table, kinds[def->kind]));
    TRY(pithi_table_text(table, def->group));
    pithi_table_number(table, (int64_t)(lengths ? lengths->all.count : state->count));
    if (lengths) {
        pithi_table_number(table, state->total_ns);
        pithi_table_number(table, state->self_ns);
        pithi_table_number(table, pithi_lengths_mean(&lengths->all));
        pithi_table_number(table, lengths->all.min);
        pithi_table_number(table, pithi_histogram_percentile(lengths, 50));
        pithi_table_number(table, pithi_histogram_percentile(lengths, 95));
        pithi_table_number(table, pithi_histogram_percentile(lengths, 99));
        pithi_table_number(table, lengths->all.max);
    }
out:
    return err;
}

struct order {
    uint32_t id;
    int kind;
    int64_t self_ns;
};

/* States first, the longest time of their own on top; then events and counters as they were defined. */
static int compare_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Definitions that occur in the log. */
static int fill_states(const struct states *s, struct pithi_table *table)
{
    struct order *order = calloc(s->defs + 1u, sizeof *order);
    uint32_t count = 0;
    int err = PITH_OK;

    if (!order)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    for (uint32_t id = 0; id < s->defs; id++)
        if (s->states[id].lengths || s->states[id].count)
            order[count++] = (struct order){id, (int)pithlog_get_def(s->log, id)->kind, s->states[id].self_ns};
    qsort(order, count, sizeof *order, compare_order);
    for (uint32_t i = 0; i < count; i++)
        TRY(state_row(table, pithlog_get_def(s->log, order[i].id), &s->states[order[i].id]));
out:
    free(order);
    return err;
}

int pithi_stat_states(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct states s = {.log = log, .window = window, .defs = info->defs, .lanes = info->lanes};
    int err;

    s.states = calloc(s.defs + 1u, sizeof *s.states);
    s.open = calloc(s.lanes + 1u, sizeof *s.open);
    if (!s.states || !s.open) {
        err = pithi_fail(PITH_ERR_MEMORY, "out of memory");
        goto out;
    }
    TRY(pithi_table_new(table, state_columns, sizeof state_columns / sizeof *state_columns));
    TRY(gather_states(&s));
    TRY(fill_states(&s, *table));
out:
    for (uint32_t i = 0; s.states && i < s.defs; i++)
        free(s.states[i].lengths);
    for (uint32_t i = 0; s.open && i < s.lanes; i++)
        free(s.open[i].states);
    free(s.states);
    free(s.open);
    return err;
}

/* ---- By lane --------------------------------------------------------------------------------------------------- */

struct lane {
    uint64_t records, states, events, sends, sent_bytes, recvs, got_bytes, colls, lost;
    int64_t busy_ns; /* in any state */
    int64_t first_ns, last_ns;
};

static const struct pithi_table_column lane_columns[] = {
    {"rank", PITHI_CELL_COUNT, 0},       {"thread", PITHI_CELL_COUNT, 0},  {"name", PITHI_CELL_TEXT, 0},
    {"host", PITHI_CELL_TEXT, 1},        {"records", PITHI_CELL_COUNT, 0}, {"states", PITHI_CELL_COUNT, 0},
    {"busy", PITHI_CELL_TIME, 0},        {"events", PITHI_CELL_COUNT, 0},  {"sends", PITHI_CELL_COUNT, 0},
    {"sent_bytes", PITHI_CELL_BYTES, 0}, {"recvs", PITHI_CELL_COUNT, 0},   {"recv_bytes", PITHI_CELL_BYTES, 0},
    {"colls", PITHI_CELL_COUNT, 0},      {"lost", PITHI_CELL_COUNT, 0},    {"first", PITHI_CELL_TIME, 1},
    {"last", PITHI_CELL_TIME, 1},
};

struct lanes {
    struct lane *lanes;
    uint32_t count;
    int64_t from_ns;
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
        if (r->depth == 0)
            lane->busy_ns += r->time_ns - (r->start_ns > all->from_ns ? r->start_ns : all->from_ns);
        break;
    case PITHLOG_EVENT:
        lane->events++;
        break;
    case PITHLOG_SEND:
        lane->sends++;
        lane->sent_bytes += r->bytes;
        break;
    case PITHLOG_RECV:
        lane->recvs += r->peer >= 0; /* -1: cancelled */
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

/* Without the ends of states that the window makes. */
static int count_own(void *context, const struct pithlog_record *r)
{
    const struct lanes *all = context;
    struct lane *lane = &all->lanes[r->lane];

    if (lane->records++ == 0)
        lane->first_ns = r->time_ns;
    lane->last_ns = r->time_ns;
    return PITH_OK;
}

static int count_records(struct pithlog *log, const struct pithi_stat_window *window, struct lanes *all)
{
    struct pithlog_query query = clipped(window, 0);

    query.flags = 0;
    if (window->cut)
        return each_record(log, &query, count_own, all);
    for (uint32_t i = 0; i < all->count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        all->lanes[i].records = lane->records;
        all->lanes[i].first_ns = lane->first_ns;
        all->lanes[i].last_ns = lane->last_ns;
    }
    return PITH_OK;
}

static int lane_row(struct pithi_table *table, const struct pithlog_lane *lane, const struct lane *counts)
{
    int err;

    TRY(pithi_table_row(table));
    pithi_table_number(table, lane->rank);
    pithi_table_number(table, lane->thread);
    TRY(pithi_table_text(table, lane->name));
    TRY(pithi_table_text(table, lane->host));
    pithi_table_number(table, (int64_t)counts->records);
    pithi_table_number(table, (int64_t)counts->states);
    pithi_table_number(table, counts->busy_ns);
    pithi_table_number(table, (int64_t)counts->events);
    pithi_table_number(table, (int64_t)counts->sends);
    pithi_table_number(table, (int64_t)counts->sent_bytes);
    pithi_table_number(table, (int64_t)counts->recvs);
    pithi_table_number(table, (int64_t)counts->got_bytes);
    pithi_table_number(table, (int64_t)counts->colls);
    pithi_table_number(table, (int64_t)counts->lost);
    if (counts->records) {
        pithi_table_number(table, counts->first_ns);
        pithi_table_number(table, counts->last_ns);
    }
out:
    return err;
}

int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table)
{
    struct pithlog_query query = clipped(window, 0);
    struct lanes all = {.count = pithlog_get_info(log)->lanes, .from_ns = window->from_ns};
    int err;

    all.lanes = calloc(all.count + 1u, sizeof *all.lanes);
    if (!all.lanes)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    TRY(pithi_table_new(table, lane_columns, sizeof lane_columns / sizeof *lane_columns));
    TRY(count_records(log, window, &all));
    TRY(each_record(log, &query, count_in_lane, &all));
    for (uint32_t i = 0; i < all.count; i++)
        if (!window->wanted || window->wanted[i])
            TRY(lane_row(*table, pithlog_get_lane(log, i), &all.lanes[i]));
out:
    free(all.lanes);
    return err;
}
