/* network.c - fits the latency and the time of a byte to the messages of a log.
 *
 * Only a receiver that was waiting shows how long a message takes: from the begin of the send to the end of its call.
 * The messages are grouped by size (powers of two). The median of each group counts, because the system interrupts some
 * ranks. A straight line fitted to the medians gives the latency and the time of a byte. It minimises the squares of
 * the relative errors, so that short messages count as much as long ones. */
#include "analysis/network.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "native/log.h"

enum { SIZES = 33, LEAST_MESSAGES = 4 };

/* Messages of about one size between hosts of one class. */
struct size_group {
    struct pithi_bins bins; /* their times */
    double bytes;           /* sum */
};

uint32_t pithi_host_of(const struct pithlog *log, uint32_t lane)
{
    return pithi_log_rank(log, pithi_log_rank_of(log, lane))->host;
}

static unsigned class_of(const struct pithlog_analysis *a, uint32_t lane, uint32_t other)
{
    return pithi_host_of(a->graph.log, lane) == pithi_host_of(a->graph.log, other) ? PITHI_SAME_HOST : PITHI_OTHER_HOST;
}

/* Adds the message of a call that waited for it alone. */
static void add_call(const struct pithlog_analysis *a, uint32_t lane, uint32_t index, struct size_group *groups)
{
    const struct pithi_graph *g = &a->graph;
    const struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, index);
    const struct pithi_need *need = pithi_graph_need(g, piece->needs);
    int64_t end_ns = pithi_graph_piece(g, lane, index + 1)->begin_ns;

    if (!need || need->next || need->of != PITHI_NEED_LANE || need->kind != PITHLOG_LATE_SENDER ||
        need->lane == PITHI_NO_LANE || need->release_ns < piece->begin_ns || need->release_ns >= end_ns ||
        piece->begin_ns < g->from_ns || end_ns > g->to_ns)
        return;
    struct size_group *group = &groups[class_of(a, lane, need->lane) * SIZES + pithi_log2(need->bytes)];
    pithi_bins_add(&group->bins, end_ns - need->release_ns);
    group->bytes += need->bytes;
}

static void fit(const struct size_group *groups, struct pithi_network_class *class)
{
    double weights = 0, x = 0, y = 0, xx = 0, xy = 0;

    for (unsigned i = 0; i < SIZES; i++) {
        if (groups[i].bins.all < LEAST_MESSAGES)
            continue;
        double bytes = groups[i].bytes / (double)groups[i].bins.all, ns = pithi_bins_median(&groups[i].bins);
        double weight = (double)groups[i].bins.all / (ns * ns);
        weights += weight;
        x += weight * bytes;
        y += weight * ns;
        xx += weight * bytes * bytes;
        xy += weight * bytes * ns;
        class->messages += groups[i].bins.all;
    }
    if (weights <= 0)
        return;
    double spread = weights * xx - x * x;
    class->byte_ns = spread > 1e-9 * weights * xx ? (weights * xy - x * y) / spread : 0;
    class->byte_ns = class->byte_ns > 0 ? class->byte_ns : 0;
    class->latency_ns = (y - class->byte_ns * x) / weights;
    if (class->latency_ns < 0) { /* through the origin */
        class->latency_ns = 0;
        class->byte_ns = xx > 0 ? xy / xx : 0;
    }
}

const struct pithi_network *pithi_network_of(struct pithlog_analysis *a)
{
    struct size_group *groups;

    if (a->network)
        return a->network;
    groups = calloc(PITHI_HOST_CLASSES * SIZES, sizeof *groups);
    a->network = calloc(1, sizeof *a->network);
    if (!groups || !a->network) {
        free(groups);
        free(a->network);
        a->network = NULL;
        pithi_analysis_no_memory(a);
        return NULL;
    }
    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++)
        for (uint32_t i = a->lanes[lane].first; i < a->lanes[lane].last; i++) {
            pithi_scratch_passed(&a->graph.scratch, sizeof(struct pithi_lane_piece));
            add_call(a, lane, i, groups);
        }
    for (unsigned class = 0; class < PITHI_HOST_CLASSES; class ++)
        fit(&groups[class * SIZES], &a->network->classes[class]);
    free(groups);
    return a->network;
}

double pithi_network_ns(const struct pithlog_analysis *a, uint32_t lane, const struct pithi_need *need, double latency,
                        double bytes)
{
    uint32_t other = need->lane == PITHI_NO_LANE ? lane : need->lane, members = 2;
    const struct pithi_network_class *class = &a->network->classes[class_of(a, lane, other)];
    unsigned steps;

    if (need->of != PITHI_NEED_LANE)
        members = pithi_graph_coll(&a->graph, need->instance)->members;
    steps = members > 1 ? pithi_log2(members - 1) + 1 : 0;
    return class->latency_ns * latency * steps + class->byte_ns * bytes * need->bytes;
}
