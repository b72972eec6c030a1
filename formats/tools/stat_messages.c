/* stat_messages.c - counts messages by pair of ranks and by size.
 *
 * The latency of a message is the time from the record of the send to the record of the receive, so it includes the
 * wait for a late receiver. If the clocks of two hosts disagree, a latency may be negative; it is shown as it is.
 *
 * The size class of a message is the number of bits of its size. Example: 1000 is a number of 10 bits, so a message of
 * 1000 bytes is in class 10, which has the sizes 512 to 1023. Only 65 classes are needed for all sizes, so there is
 * memory for a histogram of latencies for each. The rate of a class is its bytes divided by the sum of its latencies.
 * This is the rate of one message; the rate of the network may be higher, as it may carry many messages at once.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "tools/progress.h"
#include "tools/stat_pass.h"

/* Returns 1 if the message is under way at some time in the window, and its send or its receive is on a selected lane
 * and matches the filter. */
static int reaches(const struct pithlog *log, const struct pithi_stat_query *window, const struct pithlog_message *m)
{
    int64_t first_ns = m->send_ns < m->recv_ns ? m->send_ns : m->recv_ns;
    int64_t last_ns = m->send_ns < m->recv_ns ? m->recv_ns : m->send_ns;

    return first_ns <= window->to_ns && last_ns >= window->from_ns &&
           (!window->wanted || window->wanted[m->send_lane] || window->wanted[m->recv_lane]) &&
           (!window->filter || pithlog_filter_message(window->filter, log, m));
}

/* Calls `add` for every matched message in the window. Then prints on stderr how many sends and receives are
 * unmatched. */
static int each_message(struct pithlog *log, const struct pithi_stat_query *window,
                        int (*add)(void *context, const struct pithlog_message *message), void *context)
{
    volatile uint64_t done = 0;
    struct pithi_progress progress = {.command = "stat",
                                      .done = pithi_progress_count,
                                      .context = (const void *)&done,
                                      .total = pithlog_get_info(log)->messages,
                                      .unit = "messages"};
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    uint64_t sends = 0, recvs = 0;
    int err = pithlog_matcher_open(log, &matcher), more = 0;

    if (err)
        return err;
    pithi_progress_begin(&progress);
    while (!err && (more = pithlog_matcher_next(matcher, &message)) != 0) {
        if (more < 0 && !pithi_stat_goes_on())
            break;
        done += more > 0;
        if (more > 0 && reaches(log, window, &message))
            err = add(context, &message);
    }
    pithi_progress_end();
    if (more == 0)
        pithlog_matcher_unmatched(matcher, &sends, &recvs);
    pithlog_matcher_close(matcher);
    if (sends || recvs)
        fprintf(stderr, "pith: note: %llu sends and %llu receives have no partner in this log\n",
                (unsigned long long)sends, (unsigned long long)recvs);
    return err;
}

/* ---- By pair --------------------------------------------------------------------------------------------------- */

struct pair {
    int32_t from, to;
    uint64_t bytes;
    struct pithi_lengths latency; /* the latencies of the pair's messages, ns */
};

/* For pairs no percentiles are shown, because the memory for a histogram of each pair would grow with the square of the
 * number of ranks. */
struct pairs {
    const struct pithlog *log;
    struct pithi_map of; /* from (sender, receiver) to an index into `pairs` */
    struct pair *pairs;
    uint32_t count, room;
};

static int add_to_pair(void *context, const struct pithlog_message *message)
{
    struct pairs *p = context;
    const struct pithlog_lane *from = pithlog_get_lane(p->log, message->send_lane);
    const struct pithlog_lane *to = pithlog_get_lane(p->log, message->recv_lane);
    struct pair *pair;

    if (!from || !to)
        return PITH_OK;
    pair = pithi_item_at(&p->of, pithi_map_pair((uint32_t)from->rank, (uint32_t)to->rank), &p->pairs, &p->count,
                         &p->room, sizeof *pair, NULL);
    if (!pair)
        return pithi_no_memory();
    pair->from = from->rank;
    pair->to = to->rank;
    pair->bytes += message->bytes;
    pithi_lengths_add(&pair->latency, message->recv_ns - message->send_ns);
    return PITH_OK;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static const struct pithi_table_column pair_columns[] = {
    {"from", PITHI_CELL_COUNT, 0},       {"to", PITHI_CELL_COUNT, 0},          {"messages", PITHI_CELL_COUNT, 0},
    {"bytes", PITHI_CELL_BYTES, 0},      {"latency_mean", PITHI_CELL_TIME, 0}, {"latency_min", PITHI_CELL_TIME, 0},
    {"latency_max", PITHI_CELL_TIME, 0},
};

int pithi_stat_pairs(struct pithlog *log, const struct pithi_stat_query *window, struct pithi_report **table)
{
    struct pairs p = {.log = log};
    int err;

    TRY(pithi_table_new(table, pair_columns, sizeof pair_columns / sizeof *pair_columns));
    TRY(each_message(log, window, add_to_pair, &p));
    if (p.count)
        qsort(p.pairs, p.count, sizeof *p.pairs, compare_pairs);
    for (uint32_t i = 0; i < p.count; i++) {
        pithi_table_row(*table);
        pithi_table_number(*table, p.pairs[i].from);
        pithi_table_number(*table, p.pairs[i].to);
        pithi_table_number(*table, (int64_t)p.pairs[i].latency.count);
        pithi_table_number(*table, (int64_t)p.pairs[i].bytes);
        pithi_table_number(*table, pithi_lengths_mean(&p.pairs[i].latency));
        pithi_table_number(*table, p.pairs[i].latency.min);
        pithi_table_number(*table, p.pairs[i].latency.max);
    }
out:
    pithi_map_free(&p.of);
    free(p.pairs);
    return err;
}

/* ---- By size --------------------------------------------------------------------------------------------------- */

/* A size class is the number of bits of the size: class 0 has size 0, class 1 size 1, class 2 sizes 2 to 3, class 3
 * sizes 4 to 7. */
enum { CLASSES = 65 };
struct size_class {
    uint64_t bytes;
    struct pithi_histogram *latency;
};

static int add_to_class(void *context, const struct pithlog_message *message)
{
    struct size_class *class =
        (struct size_class *)context + (message->bytes ? 64 - __builtin_clzll(message->bytes) : 0);

    if (!class->latency && !(class->latency = calloc(1, sizeof *class->latency)))
        return pithi_no_memory();
    class->bytes += message->bytes;
    pithi_histogram_add(class->latency, message->recv_ns - message->send_ns);
    return PITH_OK;
}

static const struct pithi_table_column size_columns[] = {
    {"from_bytes", PITHI_CELL_COUNT, 0}, {"to_bytes", PITHI_CELL_COUNT, 0},    {"messages", PITHI_CELL_COUNT, 0},
    {"bytes", PITHI_CELL_BYTES, 0},      {"latency_mean", PITHI_CELL_TIME, 0}, {"latency_min", PITHI_CELL_TIME, 0},
    {"latency_p50", PITHI_CELL_TIME, 0}, {"latency_p95", PITHI_CELL_TIME, 0},  {"latency_p99", PITHI_CELL_TIME, 0},
    {"latency_max", PITHI_CELL_TIME, 0}, {"bytes_per_s", PITHI_CELL_RATE, 0},
};

int pithi_stat_sizes(struct pithlog *log, const struct pithi_stat_query *window, struct pithi_report **table)
{
    struct size_class classes[CLASSES] = {{0, NULL}};
    int err;

    TRY(pithi_table_new(table, size_columns, sizeof size_columns / sizeof *size_columns));
    TRY(each_message(log, window, add_to_class, classes));
    for (unsigned bits = 0; bits < CLASSES; bits++) {
        const struct size_class *class = &classes[bits];
        if (!class->latency)
            continue;
        const struct pithi_histogram *latency = class->latency;
        pithi_table_row(*table);
        pithi_table_number(*table, bits ? (int64_t)(UINT64_C(1) << (bits - 1)) : 0);
        pithi_table_number(*table, bits ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1 + (UINT64_C(1) << (bits - 1))) : 0);
        pithi_table_number(*table, (int64_t)latency->all.count);
        pithi_table_number(*table, (int64_t) class->bytes);
        pithi_stat_lengths(*table, latency);
        if (latency->all.sum > 0)
            pithi_table_number(*table, (int64_t)((double)class->bytes * 1e9 / latency->all.sum));
    }
out:
    for (unsigned i = 0; i < CLASSES; i++)
        free(classes[i].latency);
    return err;
}
