/* serial_io.c - finds ranks that read or write files one after another (MPI-IO). There are two cases: the other ranks
 * wait until one rank has read or written, or the system serves calls of several ranks one after another.
 *
 * In the first case, the cost is the waiting that calls of MPI_File_* cause (delays.c). The second case shows in a
 * *batch*: calls of one function on different ranks, all open at one moment. Calls that are served at the same time end
 * at about the same time. Calls that are served one after another end in steps of about the time of the quickest call:
 * each step is at least half of this time, and the mean step at most twice. Then the cost is the time of the calls
 * beyond that of the quickest. Two calls are no batch, because two parallel calls look like this if one writes twice as
 * much as the other.
 *
 *     three ranks write from 0 on, until 10, 20 and 30 ms      one after another: the steps are 10, the quickest is 10
 *                                                              cost 10 + 20 + 30 - 3 * 10 = 30 ms
 *     until 28, 29 and 30 ms                                   at the same time: the steps are 1, below half of 28 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"

enum { LEAST_CALLS = 3 }; /* least calls in a batch */

struct io_call {
    int64_t begin_ns, end_ns; /* begin and end of the call */
    uint32_t state, lane;     /* definition of the call's state; the lane that calls */
};

struct io_calls {
    struct io_call *all;
    uint32_t count, room; /* [count] by begin */
};

/* Collects the calls that read or write files. Returns 0 if there is no memory. */
static int collect(struct pithlog_analysis *a, struct io_calls *calls)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    unsigned char *moves = calloc(info->defs + (size_t)1, 1);
    int good = moves != NULL, any = 0;
    struct pithi_pieces p;

    for (uint32_t i = 0; good && i < info->defs; i++) {
        const char *name = pithlog_get_def(a->graph.log, i)->name;
        moves[i] = pithi_graph_is_call(&a->graph, i) &&
                   (strncmp(name, "MPI_File_read", 13) == 0 || strncmp(name, "MPI_File_write", 14) == 0);
        any |= moves[i];
    }
    for (uint32_t lane = 0; good && any && lane < info->lanes; lane++)
        for (pithi_pieces_begin(&p, a, lane); good && p.index < p.end; pithi_pieces_next(&p)) {
            struct io_call call = {.state = p.piece->state, .lane = lane};
            if (call.state == PITHLOG_COMPUTING || !moves[call.state])
                continue;
            pithi_pieces_part(a, &p, &call.begin_ns, &call.end_ns);
            good = pithi_grow(&calls->all, calls->count, &calls->room, sizeof call);
            if (good)
                calls->all[calls->count++] = call;
        }
    free(moves);
    return good;
}

static int by_begin(const void *a, const void *b)
{
    const struct io_call *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

static int by_end(const void *a, const void *b)
{
    const struct io_call *x = a, *y = b;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static int has_lane(const struct io_call *calls, uint32_t count, uint32_t lane)
{
    while (count-- > 0)
        if (calls[count].lane == lane)
            return 1;
    return 0;
}

/* Sorts the calls of a batch by their ends, and adds the cost of the batch if the calls are served one after
 * another. */
static void add_batch(struct io_call *calls, uint32_t count, struct pithi_serial_io *found)
{
    int64_t quickest_ns = INT64_MAX, sum_ns = 0;

    if (count < LEAST_CALLS)
        return;
    qsort(calls, count, sizeof *calls, by_end);
    for (uint32_t i = 0; i < count; i++) {
        int64_t ns = calls[i].end_ns - calls[i].begin_ns;
        quickest_ns = ns < quickest_ns ? ns : quickest_ns;
        sum_ns += ns;
    }
    for (uint32_t i = 1; i < count; i++)
        if (2 * (calls[i].end_ns - calls[i - 1].end_ns) < quickest_ns)
            return;
    int64_t cost_ns = sum_ns - count * quickest_ns;
    if (calls[count - 1].end_ns - calls[0].end_ns > 2 * (int64_t)(count - 1) * quickest_ns)
        return;
    if (cost_ns > found->worst_ns) {
        found->worst_ns = cost_ns;
        found->at_ns = calls[0].begin_ns;
        found->end_ns = calls[count - 1].end_ns;
        found->lane = calls[0].lane;
        found->other = calls[count - 1].lane;
        found->state = calls[0].state;
    }
    found->batches++;
    found->in_turn_ns += (double)cost_ns;
}

static void add_delays(const struct pithlog_analysis *a, struct pithi_serial_io *found)
{
    double most_ns = 0;

    for (size_t i = 0; i < a->delay_count; i++) {
        const struct pithlog_delay *delay = &a->delays[i];
        double ns = delay->direct_ns + delay->indirect_ns;
        if (delay->state == PITHLOG_COMPUTING ||
            strncmp(pithlog_get_def(a->graph.log, delay->state)->name, "MPI_File_", 9) != 0)
            continue;
        found->waited_ns += ns;
        if (ns > most_ns) {
            most_ns = ns;
            found->cause_lane = delay->lane;
            found->cause_state = delay->state;
        }
    }
}

int pithi_serial_io_find(struct pithlog_analysis *a, struct pithi_serial_io *found)
{
    struct io_calls calls = {0};
    int good = collect(a, &calls);

    add_delays(a, found);
    if (good && calls.count)
        qsort(calls.all, calls.count, sizeof *calls.all, by_begin);
    for (uint32_t i = 0, next; good && i < calls.count; i = next) {
        int64_t first_end_ns = INT64_MAX;
        for (next = i;
             next < calls.count && calls.all[next].state == calls.all[i].state &&
             calls.all[next].begin_ns < first_end_ns && !has_lane(&calls.all[i], next - i, calls.all[next].lane);
             next++)
            first_end_ns = calls.all[next].end_ns < first_end_ns ? calls.all[next].end_ns : first_end_ns;
        add_batch(&calls.all[i], next - i, found);
    }
    free(calls.all);
    return good;
}
