/* network.c - fits the latency and the time of a byte to the transfers of a log.
 *
 *     MPI_Recv of 1000 bytes    1.5 us on average        0.25 ns for each byte, and a latency of 1.25 us;
 *     MPI_Recv of 9000 bytes    3.5 us                   so 5000 bytes take 2.5 us
 *     MPI_Allreduce, 8 ranks    three latencies, as 8 is doubled three times from 1
 *
 * A transfer is part of a call if it cannot begin before the call does: the call waited, or the message could not be
 * buffered. It lasts until the call ends. The transfers are grouped by function, size (powers of two) and steps.
 * Unusually long transfers are left out, because the system interrupts some ranks. Each function has its own straight
 * line, fitted to the means of its groups, because a message in one direction, an exchange, and a collective take
 * different times. The line minimises the sum of the squared errors, each divided by the model's time. So the sum of
 * the model's times is the measured sum, and short messages count as much as long ones. A single size does not show how
 * much of the time is latency. So if all transfers of a function have the same size, the function gets the line of all
 * messages, scaled to the measured time. */
#include "analysis/replay/network.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/graph/bins.h"
#include "analysis/mpi_calls.h"
#include "native/log.h"

enum {
    STEPS = 33,             /* more than the most steps of a collective, one for each doubling of its members */
    ROUNDS = 8,             /* rounds of the fit; each takes its weights from the line before */
    LONG_TIMES = 20,        /* unusually long: more than this many medians, */
    LONG_LEAST_NS = 1000000 /* and more than this */
};
/* The eager limit within a host if the log has none. Above this size, MPICH and Open MPI let the receiver copy the
 * message from the sender's memory. */
enum { COPIED_BYTES = 4096 };

/* Transfers of about the same size, in the same function, between hosts of the same class. */
struct size_group {
    uint32_t line;          /* index in `functions`: state and class of hosts */
    double steps;           /* steps through the network that a transfer takes, at most STEPS - 1 */
    struct pithi_bins bins; /* durations of the transfers */
    double bytes;           /* sum of their bytes */
};

struct fitting {
    struct pithlog_analysis *a;
    struct pithi_map map;
    struct size_group *groups;
    uint32_t count, room;
};

uint32_t pithi_host_of(const struct pithlog *log, uint32_t lane)
{
    return pithi_log_rank(log, pithi_log_rank_of(log, lane))->host;
}

static unsigned class_of(const struct pithlog_analysis *a, uint32_t lane, uint32_t other)
{
    return pithi_host_of(a->graph.log, lane) == pithi_host_of(a->graph.log, other) ? PITHI_SAME_HOST : PITHI_OTHER_HOST;
}

static double steps_of(const struct pithlog_analysis *a, const struct pithi_need *need)
{
    uint32_t members = need->of == PITHI_NEED_LANE ? 2 : pithi_graph_coll(&a->graph, need->instance)->members;

    return members > 1 ? pithi_log2(members - 1) + 1 : 0;
}

static uint32_t line_of(const struct pithlog_analysis *a, uint32_t lane, uint32_t state, const struct pithi_need *need)
{
    return state * PITHI_HOST_CLASSES + class_of(a, lane, need->lane == PITHI_NO_LANE ? lane : need->lane);
}

int pithi_network_is_in_call(const struct pithlog_analysis *a, uint32_t lane, const struct pithi_need *need,
                             int64_t begin_ns)
{
    uint64_t limit = a->network->eager_bytes[class_of(a, lane, need->lane == PITHI_NO_LANE ? lane : need->lane)];

    return need->release_ns >= begin_ns ||
           (need->of == PITHI_NEED_LANE &&
            (need->kind == PITHLOG_LATE_RECEIVER || (need->kind == PITHLOG_LATE_SENDER && need->bytes > limit)));
}

/* Returns 1 if `need` rather than `other` determines the end of the call. */
static int ends_call(const struct pithi_need *need, const struct pithi_need *other, int is_first)
{
    if (need->release_ns != other->release_ns)
        return (need->release_ns > other->release_ns) != is_first;
    return need->bytes != other->bytes ? need->bytes > other->bytes : need->lane < other->lane;
}

/* Adds the transfer that ends a call. Returns 0 if there is no memory. */
static int add_call(struct fitting *f, const struct pithi_pieces *p)
{
    const struct pithi_graph *g = &f->a->graph;
    const struct pithi_lane_piece *piece = p->piece;
    uint32_t lane = p->lane;
    int64_t end_ns = p->next->begin_ns, from_ns = INT64_MIN;
    const struct pithi_need *last = NULL;
    int is_new;

    if (!piece->needs || !pithi_graph_is_call(g, piece->state) || piece->begin_ns < g->from_ns || end_ns > g->to_ns)
        return 1;
    int is_first = g->is_call[piece->state] == PITHI_CALL_FIRST;
    for (const struct pithi_need *need = pithi_graph_need(g, piece->needs); need;
         need = pithi_graph_need(g, need->next))
        if (need->release_ns > INT64_MIN && (is_first || pithi_network_is_in_call(f->a, lane, need, piece->begin_ns)) &&
            (!last || ends_call(need, last, is_first)))
            last = need;
    if (!last || (is_first && !pithi_network_is_in_call(f->a, lane, last, piece->begin_ns)))
        return 1;
    from_ns = last->release_ns > piece->begin_ns ? last->release_ns : piece->begin_ns;
    if (from_ns >= end_ns)
        return 1;
    double steps = steps_of(f->a, last);
    uint32_t line = line_of(f->a, lane, piece->state, last);
    uint64_t key = pithi_map_pair(line, pithi_log2(last->bytes) * STEPS + (uint32_t)steps);
    struct size_group *group = pithi_item_at(&f->map, key, &f->groups, &f->count, &f->room, sizeof *f->groups, &is_new);
    if (!group)
        return 0;
    if (is_new) {
        group->line = line;
        group->steps = steps;
    }
    pithi_bins_add(&group->bins, end_ns - from_ns);
    group->bytes += last->bytes;
    return 1;
}

/* Returns the mean of the times that are not unusually long. */
static double usual_mean(const struct pithi_bins *bins)
{
    double limit = LONG_TIMES * pithi_bins_median(bins), sum = 0;
    uint64_t count = 0;

    limit = limit > LONG_LEAST_NS ? limit : LONG_LEAST_NS;
    for (unsigned i = 0; i < PITHI_BINS; i++)
        if (bins->counts[i] && bins->sums[i] <= limit * bins->counts[i]) {
            sum += bins->sums[i];
            count += bins->counts[i];
        }
    return sum / (double)count;
}

/* Fits a line to the groups of one function, or, if `line` is UINT32_MAX, to all messages between hosts of the
 * class. */
static void fit(const struct fitting *f, uint32_t line, unsigned class, struct pithi_network_line *fitted)
{
    struct pithi_network_line all = f->a->network->classes[class]; /* zero while fitting this line */

    for (int round = 0; round < ROUNDS; round++) {
        double ss = 0, sb = 0, bb = 0, st = 0, bt = 0;
        fitted->messages = 0;
        for (uint32_t i = 0; i < f->count; i++) {
            const struct size_group *group = &f->groups[i];
            if (line == UINT32_MAX ? group->line % PITHI_HOST_CLASSES != class || group->steps != 1
                                   : group->line != line)
                continue;
            double n = group->bins.all, bytes = group->bytes / n, ns = usual_mean(&group->bins);
            double model = fitted->latency_ns * group->steps + fitted->byte_ns * bytes;
            double weight = n / (round && model > 0 ? model : ns);
            ss += weight * group->steps * group->steps;
            sb += weight * group->steps * bytes;
            bb += weight * bytes * bytes;
            st += weight * group->steps * ns;
            bt += weight * bytes * ns;
            fitted->messages += group->bins.all;
        }
        double spread = ss * bb - sb * sb;
        fitted->latency_ns = ss > 0 ? st / ss : 0;
        fitted->byte_ns = 0;
        if (spread <= 1e-9 * ss * bb) {
            double squares = all.latency_ns * all.latency_ns * ss + 2 * all.latency_ns * all.byte_ns * sb +
                             all.byte_ns * all.byte_ns * bb;
            double scale = squares > 0 ? (all.latency_ns * st + all.byte_ns * bt) / squares : 0;
            if (scale > 0) {
                fitted->latency_ns = all.latency_ns * scale;
                fitted->byte_ns = all.byte_ns * scale;
            }
            return;
        }
        double latency = (st * bb - bt * sb) / spread, byte = (bt * ss - st * sb) / spread;
        if (byte > 0 && latency >= 0) {
            fitted->latency_ns = latency;
            fitted->byte_ns = byte;
        } else if (byte > 0) { /* through the origin */
            fitted->latency_ns = 0;
            fitted->byte_ns = bt / bb;
        }
    }
}

const struct pithi_network *pithi_network_of(struct pithlog_analysis *a)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    struct fitting f = {.a = a};
    struct pithi_eager eager;
    struct pithi_pieces p;
    int good = 1;

    if (a->network)
        return a->network;
    pithi_eager_of_log(a->graph.log, &eager);
    if ((good = (a->network = calloc(1, sizeof *a->network)) != NULL)) {
        a->network->eager_bytes[PITHI_SAME_HOST] = eager.same_host == UINT64_MAX ? COPIED_BYTES : eager.same_host;
        a->network->eager_bytes[PITHI_OTHER_HOST] = eager.network;
        a->network->functions = calloc((info->defs + (size_t)1) * PITHI_HOST_CLASSES, sizeof *a->network->functions);
        good = a->network->functions != NULL;
    }
    for (uint32_t lane = 0; good && lane < info->lanes; lane++)
        for (pithi_pieces_begin(&p, a, lane); good && p.index < p.end; pithi_pieces_next(&p))
            good = add_call(&f, &p);
    for (unsigned class = 0; good && class < PITHI_HOST_CLASSES; class ++)
        fit(&f, UINT32_MAX, class, &a->network->classes[class]);
    for (uint32_t i = 0; good && i < f.count; i++)
        if (a->network->functions[f.groups[i].line].messages == 0)
            fit(&f, f.groups[i].line, f.groups[i].line % PITHI_HOST_CLASSES, &a->network->functions[f.groups[i].line]);
    free(f.groups);
    pithi_map_free(&f.map);
    if (!good) {
        pithi_network_free(a->network);
        a->network = NULL;
        pithi_analysis_no_memory(a);
    }
    return a->network;
}

void pithi_network_free(struct pithi_network *network)
{
    if (network)
        free(network->functions);
    free(network);
}

double pithi_network_ns(const struct pithlog_analysis *a, uint32_t lane, uint32_t state, const struct pithi_need *need,
                        double latency, double bytes)
{
    uint32_t line = line_of(a, lane, state, need);
    const struct pithi_network_line *fitted = &a->network->functions[line];

    if (!fitted->messages)
        fitted = &a->network->classes[line % PITHI_HOST_CLASSES];
    return fitted->latency_ns * latency * steps_of(a, need) + fitted->byte_ns * bytes * need->bytes;
}
