/* call_sums.c - sums the calls of each MPI function: time, waiting, and transfers that took unusually long. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"

enum { CLASSES = 64, LONG_TIMES = 20, LONG_LEAST_NS = 1000000 };

static unsigned class_of(int64_t ns)
{
    return ns > 0 ? 64 - (unsigned)__builtin_clzll((uint64_t)ns) : 0; /* below CLASSES: ns has 63 bits */
}

/* The transfer of a call: its part in the window without its wait state. *wait: number of wait states passed. */
static int64_t transfer_of(const struct pithlog_analysis *a, uint32_t lane, uint32_t piece, size_t *wait,
                           int64_t *waited_ns)
{
    const struct pithi_analysis_lane *of = &a->lanes[lane];
    int64_t from_ns, to_ns;

    pithi_analysis_piece(a, lane, piece, &from_ns, &to_ns);
    while (*wait < of->wait_count && of->waits[*wait].to_ns <= from_ns)
        ++*wait;
    *waited_ns = *wait < of->wait_count && of->waits[*wait].from_ns < to_ns
                     ? of->waits[*wait].to_ns - of->waits[*wait].from_ns
                     : 0;
    return to_ns - from_ns - *waited_ns;
}

int pithlog_analysis_calls(struct pithlog_analysis *a, struct pithlog_call_sum *sums)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    uint64_t(*classes)[CLASSES] = calloc(info->defs + (size_t)1, sizeof *classes);
    int64_t *limits = malloc((info->defs + (size_t)1) * sizeof *limits), waited_ns;
    int has_long = 0;

    if (!classes || !limits) {
        free(classes);
        free(limits);
        return pithi_analysis_no_memory(a);
    }
    memset(sums, 0, info->defs * sizeof *sums);
    for (int is_second = 0; is_second < 1 + has_long; is_second++) {
        for (uint32_t lane = 0; lane < info->lanes; lane++) {
            size_t wait = 0;
            for (uint32_t i = a->lanes[lane].first; i < a->lanes[lane].last; i++) {
                pithi_scratch_passed(&a->graph.scratch, sizeof(struct pithi_lane_piece));
                uint32_t state = pithi_graph_piece(&a->graph, lane, i)->state;
                if (!pithi_graph_is_call(&a->graph, state))
                    continue;
                struct pithlog_call_sum *sum = &sums[state];
                int64_t transfer_ns = transfer_of(a, lane, i, &wait, &waited_ns);
                if (!is_second) {
                    sum->calls++;
                    sum->wait_ns += waited_ns;
                    sum->transfer_ns += transfer_ns;
                    classes[state][class_of(transfer_ns)]++;
                    if (sum->calls == 1 || transfer_ns > sum->longest_ns) {
                        sum->longest_ns = transfer_ns;
                        sum->longest_lane = lane;
                        pithi_analysis_piece(a, lane, i, &sum->longest_from_ns, &sum->longest_to_ns);
                    }
                } else if (transfer_ns > limits[state]) {
                    sum->long_calls++;
                    sum->long_ns += transfer_ns - limits[state] / LONG_TIMES;
                }
            }
        }
        for (uint32_t state = 0; !is_second && state < info->defs; state++) {
            uint64_t below = 0;
            unsigned class = 0;
            while (class < CLASSES - 1 && (below += classes[state][class]) * 2 < sums[state].calls)
                class ++;
            limits[state] = class < 40 ? LONG_TIMES * (INT64_C(1) << class) : INT64_MAX;
            limits[state] = limits[state] < LONG_LEAST_NS ? LONG_LEAST_NS : limits[state];
            has_long |= sums[state].longest_ns > limits[state];
        }
    }
    free(classes);
    free(limits);
    return PITH_OK;
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
