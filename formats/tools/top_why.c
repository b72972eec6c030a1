/* top_why.c - concludes from the records of a running job which ranks wait for which (top.h).
 *
 * A collective or a send is recorded when the call begins, so it is known what a rank in such a call waits for. All
 * members call the collectives of a communicator in the same order. So a member that has begun fewer collectives than
 * this rank has not entered the collective in which this rank is. A receive is recorded when it ends. So of a rank in
 * MPI_Recv or MPI_Wait only the function is known, unless PITH_HANG is set: then the source and tag of a receive are
 * recorded when it is posted (event pith:expect).
 *
 * Ranks that do the same make a group. In MPI, this is the same call with the same communicator and collective, or with
 * the same receiver and tag; outside MPI, the same state. The blockers of a group are the ranks that the group waits
 * for. A group without blockers is an origin: it keeps others waiting. The groups that wait for an origin, directly or
 * through other groups, are the chain of this origin. Example:
 *
 *     rank 0 in MPI_Ssend to rank 1, on MPI_COMM_WORLD; ranks 1 and 2 in MPI_Barrier on `others`, of which rank 0 is
 *     no member; rank 3 outside MPI in `io`
 *
 *     origin  rank 3, outside MPI in `io`; 3 ranks wait for it
 *     chain   ranks 1,2 in MPI_Barrier, for rank 3; rank 0 in MPI_Ssend, for rank 1
 *
 * To find deadlocks, the ranks that may go on are found first. A rank may go on in each of these cases:
 *
 *     it is outside MPI, or in a call whose blockers are not known
 *     it is in a collective or a send, and all its blockers may go on
 *     it is in a receive, and a message to it is under way, or any rank may go on and could send, or the job has
 *         communicated with other jobs
 *     it waits for requests, and has had requests that are not those of messages (collectives, files)
 *     its call began less than a second ago (or less than the time of --hang), so the call may be about to end
 *
 * All other ranks wait for ever: in a cycle, or in receives for which no rank can send.
 *
 * For a rank with several threads, thread 0 and all threads in MPI are considered. If another rank waits for this rank,
 * it is not known which thread would send or answer, so the rank may go on if one of its threads may. It is not known
 * either whether the other threads outside MPI have ended. They count as threads that may go on, but the text does not
 * name them:
 *
 *     rank 1: thread 0 outside MPI (in pthread_join), thread 1 in MPI_Recv from rank 0; rank 0 in MPI_Barrier
 *     origin  thread 0 of rank 1, outside MPI; 1 rank waits for it
 *     chain   rank 0 in MPI_Barrier, for rank 1; thread 1 of rank 1 in MPI_Recv, for rank 0 */
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "base/decimal.h"
#include "base/error.h"
#include "symbols/sample_names.h"
#include "base/put_json.h"
#include "tools/table.h"
#include "tools/tools.h"
#include "tools/top.h"

enum { MOST_FINDINGS = 100, MOST_LINES = 8, MOST_LOWER = 64, NAMED_IN_CYCLE = 16, MOST_PLACES = 3 };

enum doing {
    OUTSIDE, /* outside MPI */
    OVER,    /* after MPI_Finalize */
    ENDED,   /* the process has ended, while others run */
    COLLECTIVE,
    SEND,
    RECEIVE,    /* MPI_Recv, MPI_Probe ... */
    COMPLETION, /* MPI_Wait ... */
    FINALIZE,
    CALL /* another MPI call, or one of which too little is known */
};

/* A thread that is considered: a thread in MPI, or thread 0 of a rank. Actors are sorted by rank, then by lane. */
struct actor {
    uint32_t rank, lane; /* rank: an index into the ranks of struct pithi_top */
};

/* Facts about a rank, from all its lanes. */
struct of_rank {
    uint32_t actor, count; /* the index of the rank's first actor, and the number of its actors */
    uint32_t others;       /* the number of threads outside MPI that are no actors */
    int is_partial, has_finalized;
};

/* What an actor does. Actors with equal keys make a group. */
struct deed {
    struct key {
        enum doing doing;
        uint32_t state; /* definition; UINT32_MAX: none */
        uint32_t comm;
        int32_t peer, tag; /* SEND: those of the message. COLLECTIVE: `peer` is the root, and `tag` differs between
                              members that wait for different ranks: the root and others, or in MPI_Scan each rank */
        uint64_t number;
        int32_t thread; /* the number of the thread if the rank has several actors; else -1 */
    } key;
    uint32_t at; /* index of the actor */
    int64_t for_ns;
};

struct group {
    const struct deed *deeds; /* [count], sorted by rank */
    uint32_t count;
    int32_t *ranks;
    int64_t shortest_ns, longest_ns;
    uint32_t *blockers, blocker_count, blocker_room; /* indexes of ranks */
    uint32_t unseen; /* how many ranks the group may wait for that are no blockers, as their records are missing */
    int is_guess;    /* 1: whether the group waits for its blockers is not certain */
    int is_open;     /* 1: the group receives from any source */
};

enum finding_kind { ORIGIN, CYCLE, NO_SENDER };

struct finding {
    enum finding_kind kind;
    uint32_t group;          /* ORIGIN: the group that keeps others waiting */
    int32_t *ranks;          /* the ranks that keep others waiting; in a CYCLE each waits for the next */
    uint32_t count, waiting; /* count: the number of `ranks`; waiting: the number of other ranks that wait for these */
    uint32_t *chain, length; /* the groups that wait, `length` indexes */
};

struct why {
    const struct pithi_top *top;
    struct actor *actors;
    uint32_t actor_count;
    struct deed *deeds;
    struct group *groups;
    uint32_t group_count;
    uint32_t *group_of;             /* [actor]: the index of its group */
    struct of_rank *of;             /* [index of a rank] */
    unsigned char *may_go, *marked; /* [index of a rank] */
    struct finding *findings;
    uint32_t finding_count;
    uint32_t partial, unseen; /* the number of ranks of which records are missing; of those without any records */
};

static const struct pithi_top_lane *lane_at(const struct why *w, uint32_t at)
{
    return &w->top->lanes[w->actors[at].lane];
}

static uint32_t rank_of(const struct why *w, const struct deed *deed) { return w->actors[deed->at].rank; }

/* ---- The threads of the ranks ------------------------------------------------------------------------------------ */

static int compare_actors(const void *a, const void *b)
{
    const struct actor *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

/* ---- What each rank does ----------------------------------------------------------------------------------------- */

static void set_call(const struct pithi_top *top, struct key *key, const struct pithi_top_lane *lane, int32_t rank)
{
    unsigned traits = top->traits[key->state];
    struct pithi_coll_rule rule = top->rules[key->state];

    key->doing = CALL;
    /* If the traits of the call are not known, or records are missing, too little is known. */
    if (!traits || lane->is_partial)
        return;
    if (strcmp(pithlog_follow_get_def(top->follow, key->state)->name, "MPI_Finalize") == 0) {
        key->doing = FINALIZE;
    } else if (lane->call.has_coll && (rule.shape != PITHI_COLL_NONE &&
                                       !(rule.flags & (PITHI_COLL_STARTS | PITHI_COLL_KEEPS | PITHI_COLL_AFTER)))) {
        /* Members with the same communicator and number are in the same collective. In MPI_Scan each rank waits for a
         * different set of ranks, so each rank is a group of its own. */
        key->doing = COLLECTIVE;
        key->comm = lane->call.comm;
        key->number = lane->call.number;
        key->peer = lane->call.root;
        if (rule.shape == PITHI_COLL_LOWER || rule.shape == PITHI_COLL_NEIGHBOURS)
            key->tag = rank;
        else
            /* The root does not wait for the same ranks as the other members, so its tag differs. */
            key->tag = lane->call.root == rank;
    } else if (traits & PITHI_COMPLETES) {
        key->doing = COMPLETION;
        /* The key has the source and tag of the first posted receive. If there are several receives, `comm` is set to
         * the rank, so that each rank is a group of its own. */
        if (lane->expected_count > 0 && !lane->has_more_expected) {
            key->number = lane->expected_count;
            key->peer = lane->expected[0].source;
            key->tag = lane->expected[0].tag;
            key->comm = lane->expected_count > 1 ? (uint32_t)rank : 0;
        }
    } else if (lane->call.has_send && traits & (PITHI_SENDS | PITHI_SYNCHRONOUS) && !(traits & PITHI_SENDS_LATER)) {
        /* Only a send that ends within its call can wait; MPI_Isend and the like wait for no rank. */
        key->doing = SEND;
        key->comm = lane->call.comm;
        key->peer = lane->call.peer;
        key->tag = lane->call.tag;
    } else if (traits & PITHI_MOVES && !(traits & (PITHI_TESTS | PITHI_SYNCHRONOUS)) && rule.shape == PITHI_COLL_NONE) {
        key->doing = RECEIVE;
        if (lane->call.has_source) {
            key->number = 1;
            key->peer = lane->call.source;
            key->tag = lane->call.source_tag;
        }
    }
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static int compare_keys(const struct key *a, const struct key *b)
{
    if (a->doing != b->doing)
        return a->doing < b->doing ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_deeds(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;
    int order = compare_keys(&x->key, &y->key);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* ---- Blockers ---------------------------------------------------------------------------------------------------- */

/* Returns the count that the map has for a rank; 0 if it has none. */
static uint64_t value_of(const struct pithi_map *map, int32_t rank)
{
    const uint64_t *value = pithi_map_find(map, (uint32_t)rank);
    return value ? *value : 0;
}

/* Returns the number of messages that were sent to the rank and that it has not received. */
static uint64_t under_way(const struct why *w, int32_t rank)
{
    uint64_t sent = value_of(&w->top->sent, rank), received = value_of(&w->top->received, rank);
    return sent > received ? sent - received : 0;
}

static int is_receive(enum doing doing) { return doing == RECEIVE || doing == COMPLETION; }

static int add_blocker(struct group *g, uint32_t at)
{
    if (!pithi_grow(&g->blockers, g->blocker_count, &g->blocker_room, sizeof *g->blockers))
        return pithi_no_memory();
    g->blockers[g->blocker_count++] = at;
    return PITH_OK;
}

/* Adds a rank to the blockers of a group in a collective, unless the rank has entered this collective. Members call
 * collectives in the same order, so the number of collectives that a rank has begun shows whether it has. */
static int add_missing(struct why *w, struct group *g, int32_t rank)
{
    const struct key *key = &g->deeds[0].key;
    const struct pithi_top_rank *found = pithi_top_find(w->top, rank);
    const uint64_t *entered;

    if (!found || w->of[found - w->top->ranks].is_partial) {
        g->unseen++;
        return PITH_OK;
    }
    entered = pithi_map_find(&w->top->entered, pithi_map_pair(key->comm, (uint32_t)rank));
    return entered && *entered >= key->number ? PITH_OK : add_blocker(g, (uint32_t)(found - w->top->ranks));
}

static int add_blockers(struct why *w, struct group *g)
{
    const struct key *key = &g->deeds[0].key;

    if (key->doing == COLLECTIVE) {
        struct pithi_coll_rule rule = w->top->rules[key->state];
        /* The root has a key of its own, so it is alone in its group. So the group is the root's if its first rank is
         * the root. */
        int is_root = key->peer == g->ranks[0];
        int32_t until = rule.shape == PITHI_COLL_LOWER ? g->ranks[0] : -1;

        /* In the following cases the call can end without the other members. Some MPI libraries wait for them
         * nevertheless, always or if the data are large, so these blockers are a guess. */
        g->is_guess = (rule.flags & PITHI_COLL_LOOSE) != 0 || rule.shape == PITHI_COLL_NEIGHBOURS ||
                      (rule.shape == PITHI_COLL_FROM && is_root) || (rule.shape == PITHI_COLL_TO && !is_root);
        /* In a broadcast, for example, a member that is not the root waits for the root only. */
        if ((rule.shape == PITHI_COLL_FROM || rule.shape == PITHI_COLL_TO) && !is_root && key->peer >= 0)
            return add_missing(w, g, key->peer);
        /* Adds the members that have not entered the collective. In MPI_Scan a rank waits only for members before it:
         * `until` is this rank then, and -1 if all members are added. */
        const struct pithlog_comm *comm = pithlog_follow_get_comm(w->top->follow, key->comm);
        int64_t count = comm ? (int64_t)comm->size + comm->remote_size : 0;
        /* If the records list the members, uses the list. */
        if (count > 0) {
            for (int64_t i = 0; i < count && comm->world_ranks[i] != until; i++)
                if (until < 0 || g->blocker_count < MOST_LOWER)
                    CHECK(add_missing(w, g, comm->world_ranks[i]));
        } else if (key->comm == 0) {
            /* Otherwise, if it is MPI_COMM_WORLD, the members are all ranks of the job. */
            for (uint32_t i = 0; i < w->top->rank_count && w->top->ranks[i].rank != until; i++)
                if (until < 0 || g->blocker_count < MOST_LOWER)
                    CHECK(add_missing(w, g, w->top->ranks[i].rank));
            g->unseen += w->unseen;
        } else {
            g->unseen++;
        }
        return PITH_OK;
    }
    if (key->doing == SEND) {
        const struct pithi_top_rank *peer = pithi_top_find(w->top, key->peer);
        g->unseen += !peer;
        return peer ? add_blocker(g, (uint32_t)(peer - w->top->ranks)) : PITH_OK;
    }
    if (is_receive(key->doing)) {
        /* Adds the sources of the receives that the group waits for, if these are recorded. For MPI_Wait the blockers
         * are a guess if the rank has had other requests than receives. */
        const struct pithi_top_lane *lane = lane_at(w, g->deeds[0].at);
        uint32_t count = key->doing == COMPLETION ? lane->expected_count : 1;

        if (key->number == 0)
            return PITH_OK;
        for (uint32_t i = 0; i < count; i++) {
            int32_t source = key->doing == COMPLETION ? lane->expected[i].source : key->peer;
            const struct pithi_top_rank *peer = source < 0 ? NULL : pithi_top_find(w->top, source);
            uint32_t at = peer ? (uint32_t)(peer - w->top->ranks) : 0, k = 0;
            g->unseen += source >= 0 && !peer;
            g->is_open |= source < 0;
            /* Several receives may have the same source, which is added only once. */
            while (k < g->blocker_count && g->blockers[k] != at)
                k++;
            if (peer && k == g->blocker_count)
                CHECK(add_blocker(g, at));
        }
        if (g->is_open)
            g->blocker_count = 0; /* if any rank may send, the group waits for no certain rank */
        for (uint32_t k = 0; key->doing == COMPLETION && k < g->count; k++)
            g->is_guess |= lane_at(w, g->deeds[k].at)->has_sent_later || lane_at(w, g->deeds[k].at)->has_other_requests;
        g->is_guess |= key->doing == COMPLETION && count > 1; /* the call may wait for only one of the receives */
        /* If a message to the rank is under way, the rank may be about to receive it. */
        for (uint32_t k = 0; key->doing == RECEIVE && k < g->count; k++)
            g->is_guess |= under_way(w, g->ranks[k]) > 0;
        g->is_guess &= g->blocker_count > 0;
        return PITH_OK;
    }
    /* A rank in MPI_Finalize may wait for all ranks that have not begun MPI_Finalize. */
    if (key->doing != FINALIZE)
        return PITH_OK;
    for (uint32_t i = 0; i < w->top->rank_count; i++)
        if (!w->of[i].has_finalized)
            CHECK(add_blocker(g, i));
    g->unseen += w->unseen;
    return PITH_OK;
}

/* ---- Which ranks may go on --------------------------------------------------------------------------------------- */

/* Returns 1 if this thread may go on whatever other ranks do. */
static int may_go_alone(const struct why *w, const struct group *g, const struct deed *deed)
{
    enum doing doing = deed->key.doing;

    if (doing == ENDED || doing == OVER)
        return 0;
    if (doing == OUTSIDE || doing == CALL || g->unseen > 0 || w->of[rank_of(w, deed)].others > 0)
        return 1;
    if (w->top->info->running > 0 && deed->for_ns < w->top->young_ns)
        return 1;
    if (doing == COMPLETION && lane_at(w, deed->at)->has_other_requests)
        return 1;
    if (is_receive(doing))
        return w->unseen > 0 || w->top->has_strangers || under_way(w, w->top->ranks[rank_of(w, deed)].rank) > 0;
    return g->is_guess || g->blocker_count == 0;
}

/* Returns 1 if all blockers of the group may go on, or if it has no blockers. */
static int blockers_may_go(const struct why *w, const struct group *g)
{
    for (uint32_t i = 0; i < g->blocker_count; i++)
        if (!w->may_go[g->blockers[i]])
            return 0;
    return 1;
}

/* Returns the group of an actor of a rank. `rank` is an index; `actor` counts from 0 within the rank. */
static const struct group *group_at(const struct why *w, uint32_t rank, uint32_t actor)
{
    return &w->groups[w->group_of[w->of[rank].actor + actor]];
}

static enum doing doing_of(const struct why *w, uint32_t rank) { return group_at(w, rank, 0)->deeds[0].key.doing; }

/* Returns 1 if a thread of the rank is in the group. Other threads of the rank may be in other groups. */
static int has_rank(const struct why *w, const struct group *g, uint32_t rank)
{
    for (uint32_t k = 0; k < g->count; k++)
        if (rank_of(w, &g->deeds[k]) == rank)
            return 1;
    return 0;
}

/* Sets may_go for all ranks. Then guesses which ranks the receives without known blockers wait for. */
static int find_movable(struct why *w)
{
    uint32_t alone = 0, only = 0; /* alone: the number of ranks that may go on whatever other ranks do; only: the last
                                     rank that was counted */
    int any, changed = 1;

    for (uint32_t i = 0; i < w->group_count; i++)
        for (uint32_t k = 0; k < w->groups[i].count; k++)
            if (may_go_alone(w, &w->groups[i], &w->groups[i].deeds[k])) {
                only = rank_of(w, &w->groups[i].deeds[k]);
                alone += !w->may_go[only];
                w->may_go[only] = 1;
            }
    /* Repeats until no more rank is found: each rank that may go on can let others go on. */
    for (any = alone > 0; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < w->group_count; i++) {
            const struct group *g = &w->groups[i];
            enum doing doing = g->deeds[0].key.doing;
            int is_vague = is_receive(doing) && (g->blocker_count == 0 || g->is_guess);
            int go = is_vague ? any : g->blocker_count > 0 && blockers_may_go(w, g);
            for (uint32_t k = 0; go && k < g->count; k++) {
                uint32_t rank = rank_of(w, &g->deeds[k]);
                changed |= !w->may_go[rank];
                w->may_go[rank] = 1;
            }
        }
    }
    /* Guesses the blockers of receives whose blockers are not known. If only one rank may go on whatever other ranks
     * do, it is this rank; if there is no such rank, all ranks that have ended. */
    for (uint32_t i = 0; i < w->group_count; i++) {
        struct group *g = &w->groups[i];
        if (!is_receive(g->deeds[0].key.doing) || g->blocker_count > 0)
            continue;
        if (alone == 1 && !has_rank(w, g, only))
            CHECK(add_blocker(g, only));
        for (uint32_t k = 0; alone == 0 && k < w->top->rank_count; k++)
            if (doing_of(w, k) == ENDED)
                CHECK(add_blocker(g, k));
        g->is_guess = g->blocker_count > 0;
    }
    return PITH_OK;
}

/* ---- Findings ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if all actors of the rank are in groups that are marked in `is_in`. */
static int waits_wholly(const struct why *w, uint32_t rank, const unsigned char *is_in)
{
    for (uint32_t k = 0; k < w->of[rank].count; k++)
        if (!is_in[group_at(w, rank, k) - w->groups])
            return 0;
    return 1;
}

static void put_in_chain(struct finding *f, uint32_t group, unsigned char *is_in)
{
    if (!is_in[group])
        f->chain[f->length++] = group;
    is_in[group] = 1;
}

/* Adds a finding about `ranks` (indexes), and finds the groups that wait for these ranks, its chain. A rank of a group
 * in the chain makes further groups wait only if all its threads wait. */
static int add_finding(struct why *w, enum finding_kind kind, uint32_t group, const uint32_t *ranks, uint32_t count)
{
    struct finding *f = &w->findings[w->finding_count];
    unsigned char *is_in = calloc(w->group_count, 1);
    int err = PITH_OK, changed = 1;

    if (w->finding_count == MOST_FINDINGS) {
        free(is_in);
        return PITH_OK;
    }
    memset(w->marked, 0, w->top->rank_count);
    *f = (struct finding){.kind = kind, .group = group, .count = count};
    f->ranks = malloc(count * sizeof *f->ranks);
    f->chain = malloc(w->group_count * sizeof *f->chain);
    w->finding_count++;
    if (!is_in || !f->ranks || !f->chain)
        TRY(pithi_no_memory());
    /* The group of an origin does not wait. Marking it here keeps it out of the chain. */
    if (kind == ORIGIN)
        is_in[group] = 1;
    for (uint32_t i = 0; i < count; i++) {
        f->ranks[i] = w->top->ranks[ranks[i]].rank;
        w->marked[ranks[i]] = 1;
        for (uint32_t k = 0; kind != ORIGIN && k < w->of[ranks[i]].count; k++)
            put_in_chain(f, (uint32_t)(group_at(w, ranks[i], k) - w->groups), is_in);
    }
    /* A group waits if one of its blockers is marked. Then the group's ranks are marked, too, if all their threads
     * wait. Repeats this until nothing changes. */
    while (changed) {
        changed = 0;
        for (uint32_t i = 0; i < w->group_count; i++) {
            const struct group *g = &w->groups[i];
            uint32_t k = 0;
            while (k < g->blocker_count && !w->marked[g->blockers[k]])
                k++;
            if (is_in[i] || k == g->blocker_count)
                continue;
            changed = 1;
            put_in_chain(f, i, is_in);
            for (k = 0; k < g->count; k++)
                w->marked[rank_of(w, &g->deeds[k])] |= waits_wholly(w, rank_of(w, &g->deeds[k]), is_in);
        }
    }
    /* Counts the ranks in the chain, without the ranks of the finding itself. */
    memset(w->marked, 0, w->top->rank_count);
    for (uint32_t i = 0; i < f->count; i++)
        w->marked[ranks[i]] = 1;
    for (uint32_t i = 0; i < f->length; i++) {
        /* A rank counts only once, even if several of its threads wait. */
        const struct group *g = &w->groups[f->chain[i]];
        for (uint32_t k = 0; k < g->count; k++) {
            f->waiting += !w->marked[rank_of(w, &g->deeds[k])];
            w->marked[rank_of(w, &g->deeds[k])] = 1;
        }
    }
out:
    free(is_in);
    return err;
}

/* Returns a rank for which a thread of `rank` waits and that cannot go on either, or UINT32_MAX if there is none. */
static uint32_t next_stuck(const struct why *w, uint32_t rank)
{
    for (uint32_t k = 0; k < w->of[rank].count; k++) {
        const struct group *g = group_at(w, rank, k);
        /* Skips blockers that are a guess, because a deadlock is reported only if it is certain. */
        for (uint32_t i = 0; i < g->blocker_count && !g->is_guess; i++)
            if (!w->may_go[g->blockers[i]])
                return g->blockers[i];
    }
    return UINT32_MAX;
}

/* Finds cycles. Walks from each rank that cannot go on to a blocker that cannot go on either, and so on. If a walk
 * comes back to a rank on its way, the ranks from there on are a cycle. seen[rank] is the number of the walk that
 * reached the rank first; 0: no walk has. */
static int find_cycles(struct why *w)
{
    uint32_t ranks = w->top->rank_count, length, walk = 0;
    uint32_t *seen = calloc(ranks, sizeof *seen), *path = malloc(ranks * sizeof *path);
    int err = PITH_OK;

    if (!seen || !path)
        TRY(pithi_no_memory());
    for (uint32_t start = 0; start < ranks; start++) {
        uint32_t next = start;
        walk++;
        for (length = 0; next != UINT32_MAX && !seen[next] && !w->may_go[next];) {
            seen[next] = walk;
            path[length++] = next;
            next = next_stuck(w, next);
        }
        /* There is no cycle if the walk ended at a rank that may go on, or that an earlier walk has reached. */
        if (next == UINT32_MAX || seen[next] != walk || length == 0)
            continue;
        /* The ranks of the path before `first` only lead to the cycle. */
        uint32_t first = 0;
        while (path[first] != next)
            first++;
        TRY(add_finding(w, CYCLE, 0, path + first, length - first));
    }
out:
    free(seen);
    free(path);
    return err;
}

/* Adds a finding about the ranks that wait for ever in receives, because no rank that could send to them may go on. */
static int find_unserved(struct why *w)
{
    uint32_t *found = malloc(w->top->rank_count * sizeof *found), count = 0;
    int err;

    if (!found)
        return pithi_no_memory();
    for (uint32_t i = 0; i < w->top->rank_count; i++) {
        int is_unserved = 0;
        for (uint32_t k = 0; k < w->of[i].count && !w->may_go[i]; k++) {
            const struct group *g = group_at(w, i, k);
            is_unserved |= is_receive(g->deeds[0].key.doing) && (g->blocker_count == 0 || g->is_guess);
        }
        if (is_unserved)
            found[count++] = i;
    }
    err = count ? add_finding(w, NO_SENDER, 0, found, count) : PITH_OK;
    free(found);
    return err;
}

/* Adds a finding for each group without known blockers, if other groups wait for it, if its ranks have ended, or if it
 * has been in a call for a long time. */
static int find_origins(struct why *w)
{
    for (uint32_t i = 0; i < w->group_count; i++) {
        const struct group *g = &w->groups[i];
        enum doing doing = g->deeds[0].key.doing;
        struct finding *f;
        uint32_t *all;
        int err;

        if (g->blocker_count > 0 || doing == OVER || (is_receive(doing) && !w->may_go[rank_of(w, &g->deeds[0])]))
            continue;
        if (!(all = malloc(g->count * sizeof *all)))
            return pithi_no_memory();
        for (uint32_t k = 0; k < g->count; k++)
            all[k] = rank_of(w, &g->deeds[k]);
        f = &w->findings[w->finding_count];
        err = w->finding_count < MOST_FINDINGS ? add_finding(w, ORIGIN, i, all, g->count) : PITH_OK;
        free(all);
        CHECK(err);
        if (w->finding_count == MOST_FINDINGS)
            return PITH_OK;
        int is_long = doing > ENDED && (g->longest_ns >= w->top->young_ns || w->top->info->running == 0);
        if (f->length == 0 && doing != ENDED && !is_long) {
            free(f->ranks);
            free(f->chain);
            w->finding_count--;
        }
    }
    return PITH_OK;
}

/* Adds a finding for each group whose blockers are only a guess and that is in no chain so far. */
static int find_guessed(struct why *w)
{
    unsigned char *is_told = calloc(w->group_count + 1, 1);
    int err = PITH_OK;

    if (!is_told)
        return pithi_no_memory();
    for (uint32_t i = 0; i < w->finding_count; i++)
        for (uint32_t k = 0; k < w->findings[i].length; k++)
            is_told[w->findings[i].chain[k]] = 1;
    for (uint32_t i = 0; err == PITH_OK && i < w->group_count; i++) {
        const struct group *g = &w->groups[i];
        if (is_told[i] || !g->is_guess || g->blocker_count == 0 || w->finding_count == MOST_FINDINGS ||
            (g->longest_ns < w->top->young_ns && w->top->info->running > 0))
            continue;
        uint32_t *all = malloc(g->count * sizeof *all), new = w->finding_count;
        if (!all) {
            err = pithi_no_memory();
            break;
        }
        for (uint32_t k = 0; k < g->count; k++)
            all[k] = rank_of(w, &g->deeds[k]);
        err = add_finding(w, ORIGIN, i, all, g->count);
        free(all);
        for (uint32_t k = 0; k < w->findings[new].length; k++)
            is_told[w->findings[new].chain[k]] = 1;
    }
    free(is_told);
    return err;
}

/* Compares findings for qsort: deadlocks come first; then the finding for which most ranks wait. */
static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if ((x->kind == ORIGIN) != (y->kind == ORIGIN))
        return x->kind == ORIGIN ? 1 : -1;
    if (x->waiting != y->waiting)
        return x->waiting < y->waiting ? 1 : -1;
    return (x->ranks[0] > y->ranks[0]) - (x->ranks[0] < y->ranks[0]);
}

static int conclude(struct why *w, const struct pithi_top *top)
{
    uint32_t ranks = top->rank_count;

    *w = (struct why){.top = top};
    w->actors = calloc(top->lane_count + 1, sizeof *w->actors);
    w->deeds = calloc(top->lane_count + 1, sizeof *w->deeds);
    w->groups = calloc(top->lane_count + 1, sizeof *w->groups);
    w->group_of = calloc(top->lane_count + 1, sizeof *w->group_of);
    w->of = calloc(ranks + 1, sizeof *w->of);
    w->may_go = calloc(ranks + 1, 1);
    w->marked = calloc(ranks + 1, 1);
    w->findings = calloc(MOST_FINDINGS + 1, sizeof *w->findings);
    if (!w->actors || !w->deeds || !w->groups || !w->group_of || !w->of || !w->may_go || !w->marked || !w->findings)
        return pithi_no_memory();
    w->unseen = top->info->ranks > ranks ? top->info->ranks - ranks : 0;

    /* Makes the actors: each thread in MPI, and thread 0 of each rank. They are sorted by rank, so the actors of a rank
     * are adjacent. */
    for (uint32_t lane = 0; lane < top->lane_count; lane++) {
        const struct pithi_top_rank *rank = pithi_top_find(top, pithlog_follow_get_lane(top->follow, lane)->rank);
        const struct pithi_top_lane *present = &top->lanes[lane];
        if (!rank)
            continue;
        struct of_rank *of = &w->of[rank - top->ranks];
        of->is_partial |= present->is_partial;
        of->has_finalized |= present->has_finalized;
        if (present->calls > 0 || lane == rank->lane)
            w->actors[w->actor_count++] = (struct actor){(uint32_t)(rank - top->ranks), lane};
        else
            of->others++;
    }
    qsort(w->actors, w->actor_count, sizeof *w->actors, compare_actors);
    /* Goes from the last actor to the first, so that `actor` keeps the index of the rank's first actor. */
    for (uint32_t i = w->actor_count; i-- > 0;) {
        w->of[w->actors[i].rank].actor = i;
        w->of[w->actors[i].rank].count++;
    }

    for (uint32_t i = 0; i < ranks; i++)
        w->partial += (uint32_t)w->of[i].is_partial;
    for (uint32_t i = 0; i < w->actor_count; i++) {
        const struct pithi_top_rank *rank = &top->ranks[w->actors[i].rank];
        const struct pithi_top_lane *lane = lane_at(w, i);
        struct deed *deed = &w->deeds[i];
        int is_over = lane->has_finalized && lane->calls == 0;

        memset(deed, 0, sizeof *deed);
        deed->at = i;
        deed->key.thread = -1;
        if (w->of[w->actors[i].rank].count > 1)
            deed->key.thread = pithlog_follow_get_lane(top->follow, w->actors[i].lane)->thread;
        /* `state` is the innermost open state. */
        deed->key.state = lane->open.count ? lane->open.states[lane->open.count - 1].id : UINT32_MAX;
        deed->for_ns = top->now_ns - (lane->calls ? lane->inside_ns : lane->outside_ns);
        deed->for_ns = deed->for_ns > 0 ? deed->for_ns : 0;
        /* is_over: the thread has called MPI_Finalize and is outside all calls. */
        if (is_over)
            deed->key.doing = OVER;
        else if (!rank->is_running && top->info->running > 0)
            deed->key.doing = ENDED;
        else if (lane->calls > 0)
            set_call(top, &deed->key, lane, rank->rank);
    }

    /* After sorting, deeds with equal keys are adjacent and make a group. */
    uint32_t count = w->actor_count;
    qsort(w->deeds, count, sizeof *w->deeds, compare_deeds);
    for (uint32_t i = 0, end; i < count; i = end) {
        struct group *g = &w->groups[w->group_count];
        for (end = i + 1; end < count && compare_keys(&w->deeds[i].key, &w->deeds[end].key) == 0; end++)
            ;
        g->deeds = &w->deeds[i];
        g->count = end - i;
        if (!(g->ranks = malloc(g->count * sizeof *g->ranks)))
            return pithi_no_memory();
        g->shortest_ns = INT64_MAX;
        for (uint32_t k = 0; k < g->count; k++) {
            const struct deed *deed = &g->deeds[k];
            g->ranks[k] = w->top->ranks[rank_of(w, deed)].rank;
            g->shortest_ns = deed->for_ns < g->shortest_ns ? deed->for_ns : g->shortest_ns;
            g->longest_ns = deed->for_ns > g->longest_ns ? deed->for_ns : g->longest_ns;
            w->group_of[deed->at] = w->group_count;
        }
        w->group_count++;
    }

    for (uint32_t i = 0; i < w->group_count; i++)
        CHECK(add_blockers(w, &w->groups[i]));
    CHECK(find_movable(w));
    CHECK(find_cycles(w));
    CHECK(find_unserved(w));
    CHECK(find_origins(w));
    CHECK(find_guessed(w));
    qsort(w->findings, w->finding_count, sizeof *w->findings, compare_findings);
    return PITH_OK;
}

static void forget(struct why *w)
{
    for (uint32_t i = 0; i < w->finding_count; i++) {
        free(w->findings[i].ranks);
        free(w->findings[i].chain);
    }
    for (uint32_t i = 0; i < w->group_count; i++) {
        free(w->groups[i].ranks);
        free(w->groups[i].blockers);
    }
    free(w->findings);
    free(w->groups);
    free(w->actors);
    free(w->deeds);
    free(w->group_of);
    free(w->of);
    free(w->may_go);
    free(w->marked);
}

/* ---- As text ----------------------------------------------------------------------------------------------------- */

/* Room for the text of some ranks, such as "rank 3" or "ranks 0-2". */
struct ranks_text {
    char text[PITHI_TOP_RANKS_TEXT + 32];
};
static const char *name_ranks(struct ranks_text *to, const int32_t *ranks, uint32_t count)
{
    char list[PITHI_TOP_RANKS_TEXT];

    snprintf(to->text, sizeof to->text, "rank%s %s", count == 1 ? "" : "s", pithi_top_ranks_text(list, ranks, count));
    return to->text;
}

/* Returns the text for the ranks of a group, such as "rank 3" or "thread 1 of ranks 0-2". */
static const char *name_who(struct ranks_text *to, const struct group *g)
{
    struct ranks_text ranks;

    name_ranks(&ranks, g->ranks, g->count);
    if (g->deeds[0].key.thread < 0)
        *to = ranks;
    else
        snprintf(to->text, sizeof to->text, "thread %d of %.*s", g->deeds[0].key.thread, PITHI_TOP_RANKS_TEXT + 8,
                 ranks.text);
    return to->text;
}

/* Room for the text of the shortest and the longest time of a group, such as "12.3 s" or "2.5 to 12.3 s". */
struct span_text {
    char text[2 * PITHI_NS_TEXT + 8];
};
static const char *name_span(struct span_text *to, const struct group *g)
{
    char shortest[PITHI_NS_TEXT], longest[PITHI_NS_TEXT];

    pithi_ns_text(shortest, (double)g->shortest_ns);
    pithi_ns_text(longest, (double)g->longest_ns);
    if (g->longest_ns - g->shortest_ns > g->longest_ns / 10)
        snprintf(to->text, sizeof to->text, "%s to %s", shortest, longest);
    else
        snprintf(to->text, sizeof to->text, "%s", longest);
    return to->text;
}

static const char *state_of(const struct why *w, const struct group *g)
{
    uint32_t state = g->deeds[0].key.state;

    return state == UINT32_MAX ? PITHI_COMPUTING_NAME : pithlog_follow_get_def(w->top->follow, state)->name;
}

static const char *comm_name(const struct why *w, uint32_t id, char text[32])
{
    const struct pithlog_comm *comm = pithlog_follow_get_comm(w->top->follow, id);

    snprintf(text, 32, "communicator %u", id);
    return comm && comm->name && *comm->name ? comm->name : id == 0 ? "MPI_COMM_WORLD" : text;
}

/* Returns the ranks of the blockers in ascending order, malloc'ed. */
static int32_t *blocker_ranks(const struct why *w, const struct group *g)
{
    int32_t *ranks = malloc((g->blocker_count + 1) * sizeof *ranks);

    for (uint32_t i = 0; ranks && i < g->blocker_count; i++)
        ranks[i] = w->top->ranks[g->blockers[i]].rank;
    return ranks;
}

/* Returns a group that is in another function, but whose collective has the same number on the same communicator, or
 * NULL if there is none. If there is one, the members call different collectives, which is an error. */
static const struct group *other_call(const struct why *w, const struct group *g)
{
    const struct key *key = &g->deeds[0].key;

    for (uint32_t i = 0; i < w->group_count && key->doing == COLLECTIVE; i++) {
        const struct key *other = &w->groups[i].deeds[0].key;
        if (other->doing == COLLECTIVE && other->comm == key->comm && other->number == key->number &&
            other->state != key->state)
            return &w->groups[i];
    }
    return NULL;
}

/* Writes to `text` why a group waits, as far as it is known. */
static void put_reason(const struct why *w, const struct group *g, char *text, size_t size)
{
    enum doing doing = g->deeds[0].key.doing;
    int32_t *ranks = blocker_ranks(w, g);
    struct ranks_text list = {"ranks"};
    const char *s = g->count == 1 ? "s" : "", *has = g->blocker_count == 1 ? "has" : "have";
    uint64_t messages = g->count == 1 ? under_way(w, g->ranks[0]) : 0;
    int at = 0;

    if (ranks)
        name_ranks(&list, ranks, g->blocker_count);
    free(ranks);
    if (is_receive(doing)) {
        int is_known = g->deeds[0].key.number > 0 && (g->blocker_count > 0 || g->is_open);
        if (is_known && g->is_open)
            at = snprintf(text, size, "any rank may send to it");
        else if (is_known)
            at = snprintf(text, size, "%swait%s for %s to send", g->is_guess ? "a guess: " : "", s, list.text);
        else
            at = snprintf(text, size, "%s not recorded before the call ends",
                          doing == RECEIVE ? "the source is" : "its requests are");
        if (messages > 0)
            at += snprintf(text + at, size - (size_t)at,
                           "; %llu message%s to it %s not received: another tag or communicator?",
                           (unsigned long long)messages, messages == 1 ? "" : "s", messages == 1 ? "is" : "are");
        if (g->blocker_count > 0 && (!is_known || g->is_open))
            snprintf(text + at, size - (size_t)at, "; a guess: for %s, %s", list.text,
                     doing_of(w, g->blockers[0]) != ENDED ? "as all others wait"
                     : g->blocker_count == 1              ? "which has ended"
                                                          : "which have ended");
    } else if (doing == CALL) {
        snprintf(text, size, "for whom is not recorded");
    } else if (g->blocker_count == 0 && other_call(w, g)) {
        const struct group *other = other_call(w, g);
        name_ranks(&list, other->ranks, other->count);
        snprintf(text, size, "%s %s called %.100s in its place", list.text, other->count == 1 ? "has" : "have",
                 state_of(w, other));
    } else if (g->blocker_count == 0) {
        snprintf(text, size, "%s",
                 g->unseen > 0       ? "for ranks whose records are not here"
                 : doing == FINALIZE ? "all ranks are in it"
                                     : "all members that it needs have entered it");
    } else if (doing == SEND) {
        snprintf(text, size, "wait%s until %s receives", s, list.text);
    } else {
        snprintf(text, size, "%swait%s for %s, which %s not entered it", g->is_guess ? "a guess: " : "", s, list.text,
                 has);
    }
}

/* Writes what a group does to `text`, as "rank 0 in MPI_Ssend to rank 1, tag 7, on MPI_COMM_WORLD". */
static void name_group(const struct why *w, const struct group *g, char *text, size_t size)
{
    const struct key *key = &g->deeds[0].key;
    struct ranks_text list;
    char comm[32], from[24] = "any rank", tags[24] = "any tag";
    int at = snprintf(text, size, "%s in %.100s", name_who(&list, g), state_of(w, g));

    if (key->peer >= 0)
        snprintf(from, sizeof from, "rank %d", key->peer);
    if (key->tag >= 0)
        snprintf(tags, sizeof tags, "tag %d", key->tag);
    if (key->doing == SEND)
        at += snprintf(text + at, size - (size_t)at, " to rank %d, tag %d,", key->peer, key->tag);
    if (is_receive(key->doing) && key->number > 1)
        at +=
            snprintf(text + at, size - (size_t)at, ", %llu receives open, the first", (unsigned long long)key->number);
    else if (key->doing == COMPLETION && key->number)
        at += snprintf(text + at, size - (size_t)at, ", a receive open");
    if (is_receive(key->doing) && key->number)
        at += snprintf(text + at, size - (size_t)at, " from %s, %s", from, tags);
    if (key->doing == SEND || key->doing == COLLECTIVE)
        snprintf(text + at, size - (size_t)at, " on %.100s", comm_name(w, key->comm, comm));
}

/* Appends the places from which the ranks made their present calls to `text`, as ", called in `exchange_halo`
 * (heat2d.c:89)". At most three places are named. */
static void add_places(const struct why *w, const struct group *g, char *text, size_t size)
{
    const struct pithi_place *places[MOST_PLACES] = {NULL}, *place;
    uint32_t count = 0, more = 0;
    size_t at = strlen(text);

    for (uint32_t i = 0; i < g->count && i < 64; i++) { /* at most 64 ranks, as finding a place takes time */
        uint32_t lane = w->actors[g->deeds[i].at].lane, k = 0;
        const struct pithi_top_call *call = &w->top->lanes[lane].call;
        struct pithlog_record record = {.time_ns = w->top->now_ns, .lane = lane};
        if (!call->site || pithi_sample_place(w->top->names, &record, call->site, 1, &place) != PITH_OK)
            continue;
        while (k < count && places[k] != place)
            k++;
        if (k == MOST_PLACES)
            more = 1;
        else if (k == count)
            places[count++] = place;
    }
    for (uint32_t k = 0; k < count && at < size; k++) {
        const struct pithi_function *function = pithi_function_get(w->top->names, places[k]->function);
        const char *name = function && *function->name != '[' ? function->name : NULL;
        const char *slash = places[k]->source ? strrchr(places[k]->source, '/') : NULL;
        char line[100] = "";
        if (places[k]->source)
            snprintf(line, sizeof line, "%.60s:%d", slash ? slash + 1 : places[k]->source, places[k]->line);
        if (!name && !*line)
            continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s%.60s%s%s%s%s", k ? " or " : ", called in ", name ? "`" : "",
                               name ? name : "", name ? "`" : "", name && *line ? " (" : "", line,
                               name && *line ? ")" : "");
    }
    if (more && at < size)
        snprintf(text + at, size - at, " or elsewhere");
}

/* Returns the name of the last MPI call that the ranks of a group outside MPI have made. */
static const char *last_call(const struct why *w, const struct group *g)
{
    uint32_t state = lane_at(w, g->deeds[0].at)->call.state;

    for (uint32_t k = 1; k < g->count; k++)
        if (lane_at(w, g->deeds[k].at)->call.state != state)
            return "MPI calls";
    return pithlog_follow_get_def(w->top->follow, state)->name;
}

static void put_origin(const struct why *w, const struct finding *f)
{
    const struct group *g = &w->groups[f->group];
    struct ranks_text list;
    struct span_text span;
    char waiting[64] = "", reason[512], name[512], places[512] = "", after[620] = "";
    int one = g->count == 1, in_state = g->deeds[0].key.state != UINT32_MAX;

    name_who(&list, g);
    name_span(&span, g);
    if (f->waiting > 0)
        snprintf(waiting, sizeof waiting, "; %u rank%s for %s", f->waiting, f->waiting == 1 ? " waits" : "s wait",
                 one ? "it" : "them");
    add_places(w, g, places, sizeof places);
    switch (g->deeds[0].key.doing) {
    case OUTSIDE:
        if (*places)
            snprintf(after, sizeof after, ", since %.100s%s", last_call(w, g), places);
        pithi_tool_say(stdout, "%s %s outside MPI%s%s%s for %s%s%s", list.text, one ? "is" : "are",
                       in_state ? " in `" : "", in_state ? state_of(w, g) : "", in_state ? "`" : "", span.text, after,
                       waiting);
        break;
    case ENDED:
        pithi_tool_say(stdout, "%s %s ended, last in %s%s", list.text, one ? "has" : "have", state_of(w, g), waiting);
        break;
    default:
        put_reason(w, g, reason, sizeof reason);
        name_group(w, g, name, sizeof name);
        pithi_tool_say(stdout, "%s for %s%s: %s%s", name, span.text, places, reason, waiting);
    }
}

static void put_deadlock(const struct finding *f)
{
    char waiting[64] = "", cycle[NAMED_IN_CYCLE * 14 + 16];
    struct ranks_text list;
    int at = 0;

    if (f->waiting > 0)
        snprintf(waiting, sizeof waiting, "; %u more rank%s for them", f->waiting,
                 f->waiting == 1 ? " waits" : "s wait");
    if (f->kind == NO_SENDER) {
        pithi_tool_say(stdout, "deadlock: %s wait%s to receive, and no rank can go on to send%s",
                       name_ranks(&list, f->ranks, f->count), f->count == 1 ? "s" : "", waiting);
        return;
    }
    for (uint32_t i = 0; i < f->count && i < NAMED_IN_CYCLE; i++)
        at += snprintf(cycle + at, sizeof cycle - (size_t)at, "%d -> ", f->ranks[i]);
    snprintf(cycle + at, sizeof cycle - (size_t)at, "%s%d", f->count > NAMED_IN_CYCLE ? "... -> " : "", f->ranks[0]);
    pithi_tool_say(stdout, "deadlock: ranks %s wait for each other in a cycle%s", cycle, waiting);
}

int pithi_top_why_print(const struct pithi_top *top)
{
    struct why w;
    int err = conclude(&w, top);

    for (uint32_t i = 0; err == PITH_OK && i < w.finding_count; i++) {
        const struct finding *f = &w.findings[i];
        if (f->kind == ORIGIN)
            put_origin(&w, f);
        else
            put_deadlock(f);
        for (uint32_t k = 0; k < f->length && k < MOST_LINES; k++) {
            const struct group *g = &w.groups[f->chain[k]];
            char name[512], reason[512], places[512] = "";
            struct span_text span;
            name_group(&w, g, name, sizeof name);
            put_reason(&w, g, reason, sizeof reason);
            add_places(&w, g, places, sizeof places);
            pithi_tool_say(stdout, "  %s for %s%s: %s", name, name_span(&span, g), places, reason);
        }
        if (f->length > MOST_LINES)
            printf("  ... and %u more groups of ranks\n", f->length - MOST_LINES);
    }
    if (err == PITH_OK && w.finding_count == 0)
        printf("no rank waits for another, as far as the records tell\n");
    if (err == PITH_OK && w.partial > 0)
        printf("note: of %u rank%s, records are missing: nothing is concluded from what it called\n", w.partial,
               w.partial == 1 ? "" : "s");
    if (err == PITH_OK && w.unseen > 0)
        printf("note: %u rank%s of the job %s no records here\n", w.unseen, w.unseen == 1 ? "" : "s",
               w.unseen == 1 ? "has" : "have");
    forget(&w);
    return err;
}

/* ---- As JSON ----------------------------------------------------------------------------------------------------- */

static void put_ranks(struct pithi_json_out *j, const char *name, const int32_t *ranks, uint32_t count)
{
    pithi_json_put_begin(j, name, '[');
    for (uint32_t i = 0; ranks && i < count; i++)
        pithi_json_put_item(j, ranks[i]);
    pithi_json_put_end(j, ']');
}

static void put_finding_json(struct pithi_json_out *j, const struct why *w, const struct finding *f)
{
    static const char *const kinds[] = {
        [OUTSIDE] = "outside MPI", [ENDED] = "ended",          [COLLECTIVE] = "in a call", [SEND] = "in a call",
        [RECEIVE] = "in a call",   [COMPLETION] = "in a call", [FINALIZE] = "in a call",   [CALL] = "in a call"};
    const struct group *g = &w->groups[f->group];

    pithi_json_put_begin(j, NULL, '{');
    pithi_json_put_text(j, "kind",
                        f->kind == CYCLE       ? "cycle"
                        : f->kind == NO_SENDER ? "no sender"
                                               : kinds[g->deeds[0].key.doing]);
    put_ranks(j, "ranks", f->ranks, f->count);
    if (f->kind == ORIGIN) {
        if (g->deeds[0].key.thread >= 0)
            pithi_json_put_integer(j, "thread", g->deeds[0].key.thread);
        pithi_json_put_text(j, "state", state_of(w, g));
        pithi_json_put_integer(j, "for_ns", g->longest_ns);
    }
    pithi_json_put_integer(j, "waiting", f->waiting);
    pithi_json_put_begin(j, "chain", '[');
    for (uint32_t i = 0; i < f->length; i++) {
        const struct group *waiting = &w->groups[f->chain[i]];
        const struct key *key = &waiting->deeds[0].key;
        int32_t *ranks = blocker_ranks(w, waiting);
        char comm[32];
        pithi_json_put_begin(j, NULL, '{');
        put_ranks(j, "ranks", waiting->ranks, waiting->count);
        if (key->thread >= 0)
            pithi_json_put_integer(j, "thread", key->thread);
        pithi_json_put_text(j, "state", state_of(w, waiting));
        pithi_json_put_integer(j, "for_ns", waiting->longest_ns);
        if (key->doing == SEND || key->doing == COLLECTIVE)
            pithi_json_put_text(j, "comm", comm_name(w, key->comm, comm));
        if (key->doing == SEND) {
            pithi_json_put_integer(j, "peer", key->peer);
            pithi_json_put_integer(j, "tag", key->tag);
        }
        put_ranks(j, "waits_for", ranks, waiting->blocker_count);
        pithi_json_put_flag(j, "guess", waiting->is_guess);
        pithi_json_put_end(j, '}');
        free(ranks);
    }
    pithi_json_put_end(j, ']');
    pithi_json_put_end(j, '}');
}

int pithi_top_why_json(const struct pithi_top *top, struct pithi_json_out *j)
{
    struct why w;
    int err = conclude(&w, top);

    if (err == PITH_OK) {
        pithi_json_put_begin(j, "why", '[');
        for (uint32_t i = 0; i < w.finding_count; i++)
            put_finding_json(j, &w, &w.findings[i]);
        pithi_json_put_end(j, ']');
        pithi_json_put_integer(j, "ranks_unseen", w.unseen);
        pithi_json_put_integer(j, "ranks_partial", w.partial);
    }
    forget(&w);
    return err;
}
