/* state_sums.c - states summed over lanes, as causes of waiting and on the critical path; words for states, lanes.
 *
 * Of a state on the critical path, only what is beyond its mean can be saved by moving work: if the path has 5 s of
 * `refine`, and the lanes take 3 s of it on average, 2 s are its imbalance. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/graph/bins.h"
#include "analysis/findings.h"
#include "analysis/replay/network.h"
#include "base/decimal.h"
#include "base/error.h"

enum { CAUSES_SHOWN = 3, PATH_SHOWN = 6 };

double pithi_analysis_percent(const struct pithlog_analysis *a, double ns)
{
    double all = (double)(a->info.to_ns - a->info.from_ns) * a->info.lanes;
    return all > 0 ? 100 * ns / all : 0;
}

const char *pithi_lane_text(const struct pithlog *log, uint32_t lane, char text[32])
{
    const struct pithlog_info *info = pithlog_get_info(log);
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    int32_t rank = of->rank;
    uint32_t thread = of->thread;
    int is_alone = (lane == 0 || pithlog_get_lane(log, lane - 1)->rank != rank) &&
                   (lane + 1 == info->lanes || pithlog_get_lane(log, lane + 1)->rank != rank);

    if (is_alone)
        snprintf(text, 32, "rank %d", (int)rank);
    else
        snprintf(text, 32, "rank %d.%u", (int)rank, (unsigned)thread);
    return text;
}

const char *pithi_state_text(const struct pithlog *log, uint32_t state)
{
    return state == PITHLOG_COMPUTING ? "computing" : pithlog_get_def(log, state)->name;
}

uint32_t pithi_cores_of(const struct pithlog *log)
{
    const char *key, *value;
    uint32_t cores = 0;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strncmp(key, "cores", 5) == 0 && (!key[5] || key[5] == ' '))
            cores += (uint32_t)strtoul(value, NULL, 10);
    return cores;
}

static int by_sum(const void *a, const void *b)
{
    const struct pithi_state_sum *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : x->state < y->state ? -1 : x->state > y->state;
}

void pithi_state_sum_place(const struct pithlog_analysis *a, const struct pithi_state_sum *sum, FILE *out)
{
    char lane[32];

    if (sum->most_ns >= 0.95 * sum->ns)
        fprintf(out, "on %s", pithi_lane_text(a->graph.log, sum->most, lane));
    else
        fprintf(out, "most on %s (%.0f %%)", pithi_lane_text(a->graph.log, sum->most, lane),
                100 * sum->most_ns / sum->ns);
}

void pithi_state_sum_put(const struct pithlog_analysis *a, const struct pithi_state_sum *sum, double all_ns, FILE *out)
{
    char text[PITHI_NS_TEXT];

    fprintf(out, "%.*s: %s (%.0f %%), ", PITHI_NAME_COLUMNS, pithi_state_text(a->graph.log, sum->state),
            pithi_ns_text(text, sum->ns), 100 * sum->ns / all_ns);
    pithi_state_sum_place(a, sum, out);
    fprintf(out, "\n");
}

static void add_sum(struct pithi_state_sum *sums, uint32_t index, uint32_t state, uint32_t lane, double ns)
{
    sums[index].state = state;
    sums[index].ns += ns;
    if (ns > sums[index].most_ns) {
        sums[index].most_ns = ns;
        sums[index].most = lane;
    }
}

struct pithi_state_sum *pithi_cause_sums(const struct pithlog_analysis *a, const struct pithi_wait_group *group,
                                         uint32_t *count)
{
    const struct pithlog_delay *delays;
    size_t delay_count = pithlog_analysis_delays(a, &delays);
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);

    *count = 0;
    for (size_t i = 0; sums && i < delay_count; i++)
        if (delays[i].kind == group->kind)
            add_sum(sums, delays[i].state == PITHLOG_COMPUTING ? defs : delays[i].state, delays[i].state,
                    delays[i].lane, delays[i].direct_ns + delays[i].indirect_ns);
    if (sums)
        qsort(sums, defs + (size_t)1, sizeof *sums, by_sum);
    while (sums && *count < CAUSES_SHOWN && *count <= defs && sums[*count].ns >= 0.05 * (double)group->ns)
        ++*count;
    return sums;
}

struct pithi_state_sum *pithi_path_sums(const struct pithlog_analysis *a, uint32_t *count)
{
    const struct pithlog_path_share *shares;
    size_t share_count = pithlog_analysis_path_shares(a, &shares);
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);
    double length = (double)(a->info.to_ns - a->info.from_ns);

    *count = 0;
    for (size_t i = 0; sums && i < share_count; i++)
        add_sum(sums, shares[i].state == PITHLOG_COMPUTING ? defs : shares[i].state, shares[i].state, shares[i].lane,
                (double)shares[i].ns);
    if (sums)
        qsort(sums, defs + (size_t)1, sizeof *sums, by_sum);
    while (sums && *count < PATH_SHOWN && *count <= defs && sums[*count].ns >= 0.01 * length)
        ++*count;
    return sums;
}

double pithi_path_imbalance(const struct pithlog_analysis *a, uint32_t state, double path_ns)
{
    double all_ns = 0;

    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++)
        if (pithlog_analysis_calls_mpi(a, lane))
            all_ns += (double)pithlog_analysis_state_ns(a, lane, state);
    return a->info.lanes ? path_ns - all_ns / a->info.lanes : 0;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Sums the calls of each MPI function: time, waiting, and transfers that took unusually long. */

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
