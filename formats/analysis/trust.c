/* trust.c - how far an analysis can be trusted: what could be matched, and how near a replay on the fitted network
 * comes to the run. */
#include "analysis/analysis.h"
#include "analysis/coll_rules.h"
#include "analysis/findings.h"
#include "analysis/mpi_calls.h"
#include "base/error.h"

/* The number of members that an instance must have. */
static uint32_t size_of(const struct pithi_graph *g, const struct pithi_graph_coll *coll)
{
    const struct pithlog_comm *comm = pithlog_get_comm(g->log, coll->comm);

    return comm->size == 0 ? pithlog_get_info(g->log)->ranks : (uint32_t)comm->size;
}

static void count_collectives(const struct pithlog_analysis *a, struct pithi_trust *trust)
{
    const struct pithi_graph *g = &a->graph;

    trust->of_collectives = g->coll_calls;
    for (uint32_t i = 0; i + 1 < g->colls.count; i++) { /* the last is MPI_Finalize */
        const struct pithi_graph_coll *coll = pithi_graph_coll(g, i);
        const struct pithlog_comm *comm = pithlog_get_comm(g->log, coll->comm);
        if (coll->members == size_of(g, coll) ||
            (comm->remote_size > 0 && coll->members == (uint32_t)comm->remote_size))
            trust->collectives += coll->members;
    }
}

/* Looks for calls whose messages or collectives the log does not have: some formats do not record them. */
static void find_missing(const struct pithlog_analysis *a, struct pithi_trust *trust)
{
    for (uint32_t i = 0; i < a->states.count; i++) {
        uint32_t state = a->states.cells[i].state;
        if (state == PITHI_OUTSIDE || !a->graph.has_mpi || a->info.lanes < 2)
            continue;
        const struct pithlog_def *def = pithlog_get_def(a->graph.log, state);
        struct pithi_coll_rule rule = pithi_coll_rule(def->name);
        trust->has_no_collectives |=
            !a->graph.coll_calls && rule.shape != PITHI_COLL_NONE && !(rule.flags & ~PITHI_COLL_BARE);
        trust->has_no_messages |= !a->graph.sends && !a->graph.recvs &&
                                  (pithi_mpi_call_traits(def) & (PITHI_RECEIVES | PITHI_SENDS_LATER)) != 0;
    }
}

int pithi_trust_find(struct pithlog_analysis *a, struct pithi_trust *trust)
{
    struct pithlog_what_if fitted = {.network = 1, .is_fitted = 1, .bytes = 1, .factor = 1};

    *trust = (struct pithi_trust){.messages = a->graph.matched, .of_messages = a->graph.recvs};
    trust->of_messages = a->graph.sends > a->graph.recvs ? a->graph.sends : a->graph.recvs;
    count_collectives(a, trust);
    find_missing(a, trust);
    return trust->messages || trust->collectives ? pithlog_analysis_what_if(a, &fitted, &trust->replay_ns) : PITH_OK;
}
