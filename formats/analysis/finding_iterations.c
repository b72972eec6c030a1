/* finding_iterations.c - finds the iterations in which the cost of a finding lies. The cost is the time of wait states,
 * or the time by which a rank is longer in a state than the mean of all ranks in the same iteration. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"

struct costs {
    const struct pithlog_iterations *in;
    double *of; /* [in->count] */
    size_t at;  /* the iteration that the last time began in */
    double all;
};

/* Adds a time of a lane; its times come in order. */
static void add(struct costs *costs, int64_t from_ns, int64_t to_ns, double factor)
{
    const struct pithlog_iteration *all = costs->in->all;

    while (costs->at < costs->in->count && all[costs->at].to_ns <= from_ns)
        costs->at++;
    for (size_t i = costs->at; i < costs->in->count && all[i].from_ns < to_ns; i++) {
        int64_t begin_ns = from_ns > all[i].from_ns ? from_ns : all[i].from_ns;
        int64_t end_ns = to_ns < all[i].to_ns ? to_ns : all[i].to_ns;
        costs->of[i] += end_ns > begin_ns ? factor * (double)(end_ns - begin_ns) : 0;
    }
    costs->all += factor * (double)(to_ns - from_ns);
}

static void add_waits(struct pithlog_analysis *a, uint32_t kind, struct costs *costs)
{
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(a, lane, &waits);
        costs->at = 0;
        for (size_t i = 0; i < count; i++) {
            pithi_scratch_passed(&a->graph.scratch, sizeof *waits);
            if (waits[i].kind == kind)
                add(costs, waits[i].from_ns, waits[i].to_ns, 1);
        }
    }
}

static void add_state(struct pithlog_analysis *a, uint32_t lane, uint32_t state, double factor, struct costs *costs)
{
    int64_t from_ns, to_ns;
    struct pithi_pieces p;

    for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        if ((p.piece->state == PITHI_OUTSIDE ? PITHLOG_COMPUTING : p.piece->state) != state)
            continue;
        pithi_pieces_part(a, &p, &from_ns, &to_ns);
        if (to_ns > from_ns)
            add(costs, from_ns, to_ns, factor);
    }
}

static void add_imbalance(struct pithlog_analysis *a, const struct pithlog_finding *finding, struct costs *costs)
{
    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++) {
        costs->at = 0;
        if (pithlog_analysis_calls_mpi(a, lane))
            add_state(a, lane, finding->state, (lane == finding->lane) - 1.0 / a->info.lanes, costs);
    }
    for (size_t i = 0; i < costs->in->count; i++)
        costs->of[i] = costs->of[i] > 0 ? costs->of[i] : 0;
}

int pithi_finding_iterations(struct pithlog_analysis *a, const struct pithlog_finding *finding, size_t *first,
                             size_t *last)
{
    struct costs costs = {.in = &a->iterations};
    double inside = 0, left = 0;

    if (!costs.in->count || (!finding->kind && strcmp(finding->name, "load imbalance") != 0))
        return 0;
    if (!(costs.of = calloc(costs.in->count, sizeof *costs.of)))
        return -pithi_analysis_no_memory(a);
    if (finding->kind)
        add_waits(a, finding->kind, &costs);
    else
        add_imbalance(a, finding, &costs);
    for (size_t i = 0; i < costs.in->count; i++)
        inside += costs.of[i];
    *first = 0;
    *last = costs.in->count - 1;
    for (; *first < *last && (left + costs.of[*first]) * PITHI_RARE < inside; ++*first)
        left += costs.of[*first];
    for (left = 0; *last > *first && (left + costs.of[*last]) * PITHI_RARE < inside; --*last)
        left += costs.of[*last];
    free(costs.of);
    return 2 * inside >= costs.all && inside > 0;
}
