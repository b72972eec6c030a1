/* call_sums.c - sums the calls of each MPI function: time, waiting, and transfers that took unusually long. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/network.h"
#include "base/error.h"

enum { LONG_TIMES = 20, LONG_LEAST_NS = 1000000 };

/* The transfer of a call: its part in the window without its wait state. *wait: number of wait states passed. */
static int64_t transfer_of(const struct pithlog_analysis *a, const struct pithi_pieces *p, size_t *wait,
                           int64_t *waited_ns)
{
    const struct pithi_analysis_lane *of = &a->lanes[p->lane];
    int64_t from_ns, to_ns;

    pithi_pieces_part(a, p, &from_ns, &to_ns);
    while (*wait < of->wait_count && of->waits[*wait].to_ns <= from_ns)
        ++*wait;
    *waited_ns = *wait < of->wait_count && of->waits[*wait].from_ns < to_ns
                     ? of->waits[*wait].to_ns - of->waits[*wait].from_ns
                     : 0;
    return to_ns - from_ns - *waited_ns;
}

/* The usual time of the transfer of a call: that of the fitted network, or else the median of its function. */
static int64_t usual_ns(const struct pithlog_analysis *a, uint32_t lane, const struct pithi_lane_piece *call,
                        const struct pithi_bins *bins)
{
    const struct pithi_need *need = pithi_graph_decisive(&a->graph, call);
    double ns = need ? pithi_network_ns(a, lane, call->state, need, 1, 1) : 0;

    return (int64_t)(ns > 0 ? ns : pithi_bins_median(bins));
}

int pithlog_analysis_calls(struct pithlog_analysis *a, struct pithlog_call_sum *sums)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    struct pithi_bins *transfers = calloc(info->defs + (size_t)1, sizeof *transfers);
    double *limits_ns = malloc((info->defs + (size_t)1) * sizeof *limits_ns);
    int64_t waited_ns;
    int has_long = 0, err = PITH_OK;
    struct pithi_pieces p;

    if (!transfers || !limits_ns) {
        err = pithi_analysis_no_memory(a);
        goto out;
    }
    memset(sums, 0, info->defs * sizeof *sums);
    for (int is_second = 0; is_second < 1 + has_long; is_second++) {
        if (is_second && !pithi_network_of(a)) {
            err = PITH_ERR_MEMORY;
            goto out;
        }
        for (uint32_t lane = 0; lane < info->lanes; lane++) {
            size_t wait = 0;
            for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
                uint32_t state = p.piece->state;
                if (!pithi_graph_is_call(&a->graph, state))
                    continue;
                struct pithlog_call_sum *sum = &sums[state];
                int64_t transfer_ns = transfer_of(a, &p, &wait, &waited_ns);
                if (!is_second) {
                    sum->calls++;
                    sum->wait_ns += waited_ns;
                    sum->transfer_ns += transfer_ns;
                    pithi_bins_add(&transfers[state], transfer_ns);
                    if (sum->calls == 1 || transfer_ns > sum->longest_ns) {
                        sum->longest_ns = transfer_ns;
                        sum->longest_lane = lane;
                        pithi_pieces_part(a, &p, &sum->longest_from_ns, &sum->longest_to_ns);
                    }
                } else if ((double)transfer_ns > limits_ns[state]) {
                    int64_t more_ns = transfer_ns - usual_ns(a, lane, p.piece, &transfers[state]);
                    sum->long_calls += more_ns > 0;
                    sum->long_ns += more_ns > 0 ? more_ns : 0;
                }
            }
        }
        for (uint32_t state = 0; !is_second && state < info->defs; state++) {
            limits_ns[state] = sums[state].calls ? LONG_TIMES * pithi_bins_median(&transfers[state]) : 0;
            limits_ns[state] = limits_ns[state] < LONG_LEAST_NS ? LONG_LEAST_NS : limits_ns[state];
            has_long |= (double)sums[state].longest_ns > limits_ns[state];
        }
    }
out:
    free(transfers);
    free(limits_ns);
    return err;
}

uint64_t pithlog_analysis_small_messages(const struct pithlog_analysis *a, int64_t *ns)
{
    uint64_t count = 0;

    *ns = 0;
    for (uint32_t i = 0; i < pithlog_get_info(a->graph.log)->lanes; i++) {
        count += a->graph.lanes[i].small;
        *ns += a->graph.lanes[i].small_ns;
    }
    return count;
}
