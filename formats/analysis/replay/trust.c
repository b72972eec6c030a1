/* trust.c - how far an analysis can be trusted: what could be matched, and how near a replay on the fitted network
 * comes to the run.
 *
 * A run of 10 s that the replay makes 10.1 s long is 1 % off. What-ifs are replays as well. So a prediction for another
 * network is about as exact as this replay on the run's own network. The functions that differ most are named, because
 * there the model misses something, such as a progress thread, or a switch that other programs use. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/coll_rules.h"
#include "analysis/findings.h"
#include "analysis/mpi_calls.h"
#include "analysis/replay/network.h"
#include "base/error.h"
#include "base/worker.h"

/* Returns the number of members that the instance has when it is complete. */
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
        /* Counts the members of complete instances; on an intercommunicator, one group may be complete without the
         * other. */
        const struct pithi_graph_coll *coll = pithi_graph_coll(g, i);
        const struct pithlog_comm *comm = pithlog_get_comm(g->log, coll->comm);
        if (coll->members == size_of(g, coll) ||
            (comm->remote_size > 0 && coll->members == (uint32_t)comm->remote_size))
            trust->collectives += coll->members;
    }
}

/* Checks whether the log has MPI calls but not their messages or collectives, which some formats do not record. */
static void find_missing(const struct pithlog_analysis *a, struct pithi_trust *trust)
{
    for (uint32_t i = 0; i < a->states.count; i++) {
        uint32_t state = a->states.cells[i].state;
        if (state == PITHLOG_COMPUTING || !a->graph.has_mpi || a->info.lanes < 2)
            continue;
        const struct pithlog_def *def = pithlog_get_def(a->graph.log, state);
        struct pithi_coll_rule rule = pithi_coll_rule(def->name);
        trust->has_no_collectives |=
            !a->graph.coll_calls && rule.shape != PITHI_COLL_NONE && !(rule.flags & ~PITHI_COLL_BARE);
        trust->has_no_messages |= !a->graph.sends && !a->graph.recvs &&
                                  (pithi_mpi_call_traits(def) & (PITHI_RECEIVES | PITHI_SENDS_LATER)) != 0;
    }
}

void pithlog_analysis_missing(const struct pithlog_analysis *a, char text[PITHLOG_MISSING_TEXT])
{
    const struct pithlog_analysis_info *info = &a->info;
    char when[64] = "before the start of the log", part[96] = "", comms[160] = "";

    if (info->gap_to_ns > pithlog_get_info(a->graph.log)->start_ns)
        snprintf(when, sizeof when, "from %.6f s to %.6f s", (double)info->gap_from_ns / 1e9,
                 (double)info->gap_to_ns / 1e9);
    if (info->is_too_short)
        snprintf(part, sizeof part, "It is %.2g %% of the time asked for: too short to judge the run.\n",
                 100 * info->part);
    if (info->lost_comms)
        snprintf(comms, sizeof comms,
                 "The lists of members of %u communicator%s are damaged:\n"
                 "waiting in %s collectives may count as transfer.\n",
                 info->lost_comms, info->lost_comms == 1 ? "" : "s", info->lost_comms == 1 ? "its" : "their");
    if (info->gaps)
        snprintf(text, PITHLOG_MISSING_TEXT,
                 "Records of rank %d are missing %s%s.\n"
                 "The analysis covers the longest part of the run without missing records.\n%s%s",
                 (int)pithlog_get_lane(a->graph.log, info->gap_lane)->rank, when, info->gaps > 1 ? ", and others" : "",
                 part, comms);
    else
        snprintf(text, PITHLOG_MISSING_TEXT, "%s", comms);
}

/* Returns the time that the critical path is on a lane within an interval. */
static int64_t on_path(const struct pithlog_analysis *a, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    size_t low = 0, high = a->path_count;
    int64_t ns = 0;

    while (low < high) { /* finds the first part that ends after from_ns */
        size_t middle = low + (high - low) / 2;
        if (a->path[middle].to_ns > from_ns)
            high = middle;
        else
            low = middle + 1;
    }
    for (; low < a->path_count && a->path[low].from_ns < to_ns; low++) {
        const struct pithlog_path_part *part = &a->path[low];
        int64_t begin_ns = part->from_ns > from_ns ? part->from_ns : from_ns;
        int64_t end_ns = part->to_ns < to_ns ? part->to_ns : to_ns;
        ns += part->lane == lane ? end_ns - begin_ns : 0;
    }
    return ns;
}

/* What a call needs from others, by its function. If a call may have waited, but the log lacks what it waited for, its
 * needs are unknown: a receive without its send, or a collective of which not all members are known. Such a call counts
 * as transfer, so the critical path stays on its lane. */
enum { NEEDS_NONE, NEEDS_SENDER, NEEDS_MEMBERS, NEEDS_NEIGHBOURS };

static unsigned char needs_of(const struct pithlog_def *def)
{
    struct pithi_coll_rule rule = pithi_coll_rule(def->name);

    if (rule.shape == PITHI_COLL_NONE || rule.flags & PITHI_COLL_STARTS)
        return pithi_mpi_call_traits(def) & PITHI_RECEIVES ? NEEDS_SENDER : NEEDS_NONE;
    return rule.shape == PITHI_COLL_NEIGHBOURS ? NEEDS_NEIGHBOURS : NEEDS_MEMBERS;
}

static int find_unknown(struct pithlog_analysis *a, struct pithi_trust *trust)
{
    const struct pithi_graph *g = &a->graph;
    uint32_t defs = pithlog_get_info(g->log)->defs;
    unsigned char *needs = calloc(defs + (size_t)1, 1);
    struct pithi_pieces p;
    int64_t from_ns, to_ns;

    if (!needs)
        return pithi_analysis_no_memory(a);
    for (uint32_t i = 0; i < defs; i++)
        needs[i] = g->is_call[i] ? needs_of(pithlog_get_def(g->log, i)) : NEEDS_NONE;
    for (uint32_t lane = 0; lane < pithlog_get_info(g->log)->lanes; lane++) {
        const struct pithi_chunks *members = &g->lanes[lane].members;
        uint32_t member = 0;
        for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
            unsigned kind = p.piece->state == PITHLOG_COMPUTING ? NEEDS_NONE : needs[p.piece->state];
            /* Skip calls that need nothing, and those whose needs are known. */
            if (kind == NEEDS_NONE || (p.piece->needs && pithi_graph_decisive(g, p.piece)))
                continue;
            const struct pithi_graph_member *of = NULL;
            for (; kind != NEEDS_SENDER && member < members->count; member++) {
                of = pithi_chunks_at(members, member, sizeof *of);
                if (of->piece >= p.index)
                    break;
            }
            const struct pithi_need *need = pithi_graph_need(g, p.piece->needs); /* has a neighbourhood's bytes */
            if (of && of->piece == p.index && (kind != NEEDS_NEIGHBOURS || !need || need->bytes == 0))
                continue;
            pithi_pieces_part(a, &p, &from_ns, &to_ns);
            trust->unknown_ns += (double)(to_ns - from_ns);
            trust->path_unknown_ns += (double)on_path(a, lane, from_ns, to_ns);
        }
    }
    free(needs);
    return PITH_OK;
}

static double difference(const struct pithi_replay_state *of) { return fabs(of->log_ns - of->replay_ns); }

static int by_difference(const void *a, const void *b)
{
    const struct pithi_replay_state *x = a, *y = b;
    double of_x = difference(x), of_y = difference(y);

    return of_x != of_y ? (of_x < of_y ? 1 : -1) : (x->state > y->state) - (x->state < y->state);
}

static int replay(struct pithlog_analysis *a, struct pithi_trust *trust)
{
    struct pithlog_what_if fitted = {.network = 1, .is_fitted = 1, .bytes = 1, .factor = 1};
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    struct pithi_replay_state *states = calloc(defs + (size_t)1, sizeof *states);
    int err = states ? pithi_analysis_replay(a, &fitted, &trust->replay_ns, states) : pithi_analysis_no_memory(a);

    for (uint32_t i = 0; states && i < defs; i++)
        states[i].state = i;
    if (!err)
        qsort(states, defs, sizeof *states, by_difference);
    while (!err && trust->worst_count < PITHI_WORST_STATES && trust->worst_count < defs &&
           /* Skip differences of less than half a ns. */
           difference(&states[trust->worst_count]) >= 0.5) {
        trust->worst[trust->worst_count] = states[trust->worst_count];
        trust->worst_count++;
    }
    free(states);
    return err;
}

int pithi_trust_find(struct pithlog_analysis *a, struct pithi_trust *trust)
{
    *trust = (struct pithi_trust){.messages = a->graph.matched, .of_messages = a->graph.recvs};
    trust->of_messages = a->graph.sends > a->graph.recvs ? a->graph.sends : a->graph.recvs;
    count_collectives(a, trust);
    find_missing(a, trust);
    int err = find_unknown(a, trust);
    if (err)
        return err;
    /* Without a match there is nothing to replay. */
    return trust->messages || trust->collectives ? replay(a, trust) : PITH_OK;
}

/* ---- In a thread ------------------------------------------------------------------------------------------------- */

struct pithi_trusting {
    struct pithlog_analysis *a, own; /* a: the caller's; own: the copy that the thread uses */
    struct pithi_worker worker;
    struct pithi_trust trust;
    int err, has_thread;
};

static int is_stopped(void *context, double part)
{
    (void)part;
    return pithi_worker_is_stopped(&((struct pithi_trusting *)context)->worker);
}

static void *find(void *context)
{
    struct pithi_trusting *t = context;

    t->err = pithi_trust_find(&t->own, &t->trust);
    return NULL;
}

struct pithi_trusting *pithi_trust_begin(struct pithlog_analysis *a)
{
    struct pithi_trusting *t = calloc(1, sizeof *t);
    int has_needs = a->graph.matched || a->graph.coll_calls; /* without needs, the network may never be used */

    if (!t) {
        pithi_analysis_no_memory(a);
        return NULL;
    }
    t->a = a;
    /* The network is fitted before the thread starts, because both threads may use it. */
    if (a->threads > 1 && has_needs && pithi_network_of(a)) {
        t->own = pithi_analysis_beside(a);
        t->own.stage = (struct pithi_stage){.progress = is_stopped, .context = t};
        t->has_thread = pithi_worker_start(&t->worker, find, t);
    }
    return t;
}

int pithi_trust_end(struct pithi_trusting *t, struct pithi_trust *trust)
{
    int err = PITH_OK;

    if (!t)
        return PITH_OK;
    if (!trust)
        pithi_worker_stop(&t->worker);
    pithi_worker_join(&t->worker, NULL, NULL);
    if (trust && t->has_thread) {
        err = t->err ? pithi_analysis_no_memory(t->a) : PITH_OK;
        *trust = t->trust;
    } else if (trust) {
        err = pithi_trust_find(t->a, trust);
    }
    pithi_analysis_end_beside(&t->own);
    free(t);
    return err;
}
