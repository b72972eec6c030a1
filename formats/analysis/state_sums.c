/* state_sums.c - states summed over lanes, as causes of waiting and on the critical path; words for states, lanes. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "base/decimal.h"

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
