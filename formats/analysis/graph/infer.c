/* infer.c - finds dependencies that no record shows, by times that coincide.
 *
 * It finds three kinds of waiting that would otherwise count as transfer or as computing:
 *
 *     inner rank    MPI_Bcast begins on rank 0, the root, at 10, on rank 1 at 60, and lasts on rank 3 from 10 to 61.
 *                   The root came in time, but rank 3 ends just after rank 1 begins. So rank 3 gets its data from rank
 *                   1, and waits for rank 1 from 10 to 60
 *     progress      rank 1 posts a receive at 10, computes to 60, and then calls MPI_Wait. On rank 0, MPI_Send of a
 *                   message above the eager limit lasts from 20 to 61. Most MPI libraries move such data only within
 *                   calls, so rank 0 waits from 20 to 60 for the next call of rank 1
 *     polling       MPI_Test, 0.5 of sleep, MPI_Test ... until the message is there: a single wait in several pieces
 *
 * A coincidence alone proves nothing. So each conclusion needs a wait that is long compared with the rest of the call
 * after this wait. Nor may the rest of the log contradict the conclusion. If rank 3 has ever left an MPI_Bcast of this
 * root before rank 1 began its own, it does not need rank 1. If large messages arrive while the partner is outside MPI,
 * the library progresses by itself. Where nothing can be concluded, the time stays what it was. */
#include "analysis/graph/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "analysis/waits/waits.h"
#include "analysis/graph/bins.h"
#include "base/map.h"
#include "native/log.h"

enum {
    USUAL_TIMES = 4,     /* the usual lag is this many medians; lag: time from a cause to the end of its call */
    USUAL_LEAST = 10000, /* lags shorter than this, in ns, are always usual */
    EXPLAINED = 4,       /* a longer lag is accepted if the wait is this many times as long as the lag */
    CONTRADICTED = 10,   /* a rule holds if it has this many supporting observations for each contradiction */
    CANDIDATES = 16      /* most ranks that are considered as causes for a member */
};

/* Returns 1 if a wait from from_ns to release_ns explains why a call ends at end_ns. */
static int explains(int64_t from_ns, int64_t release_ns, int64_t end_ns, double usual_ns)
{
    double wait = (double)(release_ns - from_ns), lag = (double)(end_ns - release_ns);

    return wait > usual_ns && lag >= 0 && (lag <= usual_ns || lag * EXPLAINED <= wait);
}

static int holds(uint32_t support, uint32_t against)
{
    return support > 0 && against * (uint64_t)CONTRADICTED <= support;
}

static int64_t end_of(const struct pithi_graph *g, uint32_t lane, uint32_t piece)
{
    return pithi_graph_piece(g, lane, piece + 1)->begin_ns;
}

/* ---- The members of instances ------------------------------------------------------------------------------------ */

/* A member of an instance, with two calls: the call that other members may wait for, and the call in which the member
 * itself may wait. In a blocking collective, both are the same call. In a nonblocking collective, others may wait for
 * the next call after the one that started the collective; the member itself waits in the call that completes it. */
struct member {
    int64_t begin_ns;                   /* begin of the call `piece`, which others may wait for */
    int64_t from_ns, end_ns;            /* earliest begin of the member's own wait; end of the call `waits` */
    uint32_t lane, piece, waits, state; /* waits: NO_CALL: the member never waits; state: of the collective */
    uint32_t start, place;              /* the call that starts the collective; the member's place among neighbours */
};

#define NO_CALL UINT32_MAX

/* The members of the wanted instances (is_wanted): instance by instance, and within an instance by begin. */
struct members {
    uint32_t *first; /* [colls + 1]: the members of instance i are all[first[i]] to all[first[i + 1] - 1] */
    struct member *all;
    struct pithi_scratch scratch; /* memory of both arrays */
};

/* Returns 1 if this file needs the members: for rooted collectives with inner ranks, nonblocking collectives, and
 * neighbourhood collectives. */
static int is_wanted(const struct pithi_graph *g, const struct pithi_graph_coll *coll)
{
    if (coll->traits & PITHI_COLL_IS_OF_NEIGHBOURS)
        return 1;
    if (!coll->kind || pithlog_get_comm(g->log, coll->comm)->remote_size > 0)
        return 0;
    return coll->traits & PITHI_COLL_IS_STARTED
               ? coll->members > 1
               : (coll->kind == PITHLOG_LATE_BROADCAST || coll->kind == PITHLOG_EARLY_REDUCE) &&
                     coll->root_lane != PITHI_NO_LANE && coll->members > 2;
}

static int by_begin(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->begin_ns != y->begin_ns ? (x->begin_ns < y->begin_ns ? -1 : 1)
                                      : (x->lane > y->lane) - (x->lane < y->lane);
}

/* Returns the piece in which a lane next makes progress for others. This is the piece at since_ns if it is a call that
 * waits or tests, or else the first such call afterwards (not MPI_Isend or MPI_Irecv). If there is none, returns the
 * lane's last piece. */
static uint32_t next_progress(const struct pithi_inferring *infer, uint32_t lane, int64_t since_ns)
{
    const struct pithi_graph *g = infer->graph;
    uint32_t piece = pithi_graph_find(g, lane, since_ns);

    for (; piece < g->lanes[lane].pieces.count - 1; piece++) {
        uint32_t state = pithi_graph_piece(g, lane, piece)->state;
        if (pithi_graph_is_call(g, state) && infer->traits[state] & (PITHI_MOVES | PITHI_ACCESSES))
            break;
    }
    return piece;
}

static struct member member_of(const struct pithi_inferring *infer, uint32_t lane, const struct pithi_graph_member *of)
{
    const struct pithi_graph *g = infer->graph;
    const struct pithi_graph_coll *coll = pithi_graph_coll(g, of->instance);
    const struct pithi_lane_piece *call = pithi_graph_piece(g, lane, of->piece);
    struct member member = {.begin_ns = call->begin_ns,
                            .from_ns = call->begin_ns,
                            .end_ns = end_of(g, lane, of->piece),
                            .lane = lane,
                            .piece = of->piece,
                            .waits = of->piece,
                            .state = call->state,
                            .start = of->piece,
                            .place = of->position};

    if (coll->traits & PITHI_COLL_IS_STARTED) {
        int64_t ready_ns = coll->kind == PITHLOG_LATE_BROADCAST ? coll->root_ns : coll->last_ns;
        member.piece = next_progress(infer, lane, ready_ns > member.end_ns ? ready_ns : member.end_ns);
        member.begin_ns = pithi_graph_piece(g, lane, member.piece)->begin_ns;
        member.waits = NO_CALL;
    } else if (coll->kind == PITHLOG_LATE_BROADCAST)
        member.from_ns = coll->root_ns > member.from_ns ? coll->root_ns : member.from_ns;
    else if (of->is_root)
        member.waits = NO_CALL; /* the root waits for all members, so nothing is to be concluded */
    return member;
}

/* Finds the member of an instance on a lane. Returns NULL if there is none. Call this before the members are sorted by
 * begin, because they must be in the order of lanes. */
static struct member *member_in(const struct members *m, uint32_t instance, uint32_t lane)
{
    uint32_t low = m->first[instance], high = m->first[instance + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->all[middle].lane < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->first[instance + 1] && m->all[low].lane == lane ? &m->all[low] : NULL;
}

/* For each member of a nonblocking collective, finds the call in which the member waits, that is, the call that
 * completes the collective. Its wait for progress begins when all members that it needs have begun. */
static void see_completions(const struct pithi_inferring *infer, uint32_t lane, struct members *m)
{
    struct pithi_graph *g = infer->graph;
    const struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, 0);

    for (uint32_t i = 0; i + 1 < g->lanes[lane].pieces.count; i++) {
        for (const struct pithi_need *need = pithi_graph_need(g, piece->needs); need;
             need = pithi_graph_need(g, need->next)) {
            if (need->of == PITHI_NEED_LANE || need->instance >= g->colls.count ||
                !(pithi_graph_coll(g, need->instance)->traits & PITHI_COLL_IS_STARTED))
                continue;
            struct member *member = member_in(m, need->instance, lane);
            if (!member)
                continue;
            member->waits = i;
            member->from_ns = piece->begin_ns > need->release_ns ? piece->begin_ns : need->release_ns;
            member->end_ns = end_of(g, lane, i);
        }
        pithi_scratch_passed(&g->scratch, sizeof *piece);
        piece = pithi_graph_next(g, lane, piece, i);
    }
}

/* Fills `m`: counts the members of each instance, then stores the members of one instance after those of another.
 * Returns 0 if there is no memory. */
static int collect(const struct pithi_inferring *infer, struct members *m)
{
    struct pithi_graph *g = infer->graph;
    uint32_t lanes = pithlog_get_info(g->log)->lanes, colls = g->colls.count, sum = 0, started = 0;

    if (!(m->first = pithi_scratch_get(&m->scratch, (colls + (size_t)2) * sizeof *m->first)))
        return 0;
    for (uint32_t i = 0; i < colls; i++) {
        const struct pithi_graph_coll *coll = pithi_graph_coll(g, i);
        m->first[i] = sum;
        sum += is_wanted(g, coll) ? coll->members : 0;
        started += coll->traits & PITHI_COLL_IS_STARTED;
    }
    if (!sum)
        return 1;
    if (!(m->all = pithi_scratch_get(&m->scratch, sum * sizeof *m->all)))
        return 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t i = 0; i < g->lanes[lane].members.count; i++) {
            const struct pithi_graph_member *of = pithi_chunks_at(&g->lanes[lane].members, i, sizeof *of);
            pithi_scratch_passed(&g->scratch, sizeof *of);
            if (!is_wanted(g, pithi_graph_coll(g, of->instance)))
                continue;
            pithi_scratch_passed(&m->scratch, PITHI_SCRATCH_JUMP);
            m->all[m->first[of->instance]++] = member_of(infer, lane, of);
        }
    /* Each first[i] has moved to the end of instance i, which is the begin of instance i + 1. */
    memmove(m->first + 1, m->first, colls * sizeof *m->first);
    m->first[0] = 0;
    for (uint32_t lane = 0; started && lane < lanes; lane++)
        see_completions(infer, lane, m);
    for (uint32_t i = 0; i < colls; i++)
        if (m->first[i + 1] - m->first[i] > 1)
            qsort(m->all + m->first[i], m->first[i + 1] - m->first[i], sizeof *m->all, by_begin);
    return 1;
}

/* ---- Inner ranks of trees, and progress of nonblocking collectives ----------------------------------------------- */

/* Data of all instances with the same function, communicator and root. */
struct tree_group {
    struct pithi_bins lags; /* times from the last begin of a member before a call's end to this end */
    double usual_ns;        /* waits up to this length need no explanation */
};

/* The lanes that a lane may wait for in the instances of a group. In a binomial tree, these are the inner ranks between
 * the lane and the root. `support`: number of instances in which the begin of the other lane, `lane`, explains the end
 * of the call; `against`: number of instances that contradict this. */
struct parents {
    uint32_t count;
    struct parent {
        uint32_t lane, support, against;
    } of[CANDIDATES];
};

struct trees {
    const struct pithi_inferring *infer;
    struct pithi_graph *g;
    struct members members;
    /* from keys to indices of the arrays below */
    struct pithi_map function_numbers, group_numbers, parent_numbers;
    struct tree_group *groups;
    struct parents *parents; /* by numbers of a group and a lane */
    uint32_t function_count, group_count, group_room, parent_count, parent_room;
    uint32_t *place; /* [lanes]: 1 + the lane's place among the members of a tree */
};

struct tree {
    struct member *members;
    uint32_t count, group;
    uint16_t kind; /* kind of the needs that are concluded */
};

/* Finds the members and the group of an instance. Returns 0 if there is no memory. */
static int tree_of(struct trees *t, uint32_t instance, struct tree *tree)
{
    const struct pithi_graph_coll *coll = pithi_graph_coll(t->g, instance);
    uint32_t first = t->members.first[instance];

    *tree = (struct tree){.members = t->members.all + first,
                          .count = t->members.first[instance + 1] - first,
                          .kind = coll->traits & PITHI_COLL_IS_STARTED ? PITHLOG_WAIT_FOR_PROGRESS
                                                                       : PITHLOG_LATE_INNER_RANK};
    uint64_t *function = pithi_map_at(&t->function_numbers, pithi_map_pair(coll->comm, tree->members->state));
    if (!function)
        return 0;
    if (!*function)
        *function = ++t->function_count;
    const struct tree_group *group =
        pithi_item_at(&t->group_numbers, pithi_map_pair((uint32_t)*function, coll->root_lane), &t->groups,
                      &t->group_count, &t->group_room, sizeof *group, NULL);
    tree->group = group ? (uint32_t)(group - t->groups) : 0;
    return group != NULL;
}

/* Returns the number of members that begin before end_ns. */
static uint32_t begun_before(const struct tree *tree, int64_t end_ns)
{
    uint32_t low = 0, high = tree->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->members[middle].begin_ns < end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Collects the lags of an instance. A lag is the time from the last begin that a call can have waited for to the end of
 * the call. The usual lag is a multiple of their median. */
static int see_lags(struct trees *t, const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct member *m = &tree->members[i];
        uint32_t before = begun_before(tree, m->end_ns);
        if (before && m->waits != NO_CALL)
            pithi_bins_add(&t->groups[tree->group].lags, m->end_ns - tree->members[before - 1].begin_ns);
    }
    return 1;
}

/* Returns 1 if the wait of a member for `other` explains the end of the member's call. */
static int explains_end(const struct trees *t, const struct tree *tree, const struct member *m,
                        const struct member *other)
{
    return other != m && m->waits != NO_CALL &&
           explains(m->from_ns, other->begin_ns, m->end_ns, t->groups[tree->group].usual_ns);
}

/* Finds candidates: for each member, the last two members whose begins explain the end of its call. Returns 0 if there
 * is no memory. */
static int see_candidates(struct trees *t, const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct member *m = &tree->members[i];
        uint32_t noted = 0;
        for (uint32_t k = begun_before(tree, m->end_ns); k-- > 0 && noted < 2;) {
            const struct member *other = &tree->members[k];
            if (other == m)
                continue;
            if (!explains_end(t, tree, m, other)) /* earlier begins explain it even less */
                break;
            struct parents *parents =
                pithi_item_at(&t->parent_numbers, pithi_map_pair(tree->group, m->lane), &t->parents, &t->parent_count,
                              &t->parent_room, sizeof *parents, NULL);
            if (!parents)
                return 0;
            uint32_t at = 0;
            while (at < parents->count && parents->of[at].lane != other->lane)
                at++;
            if (at == parents->count && at < CANDIDATES)
                parents->of[parents->count++] = (struct parent){.lane = other->lane};
            noted++;
        }
    }
    return 1;
}

static struct parents *parents_of(const struct trees *t, const struct tree *tree, const struct member *m)
{
    const uint64_t *number =
        m->waits == NO_CALL ? NULL : pithi_map_find(&t->parent_numbers, pithi_map_pair(tree->group, m->lane));

    return number ? &t->parents[*number - 1] : NULL;
}

/* Counts for each candidate whether the instance supports it. If a member left before a candidate began, it does not
 * need the candidate. */
static int see_support(struct trees *t, const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        t->place[tree->members[i].lane] = i + 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct member *m = &tree->members[i];
        struct parents *parents = parents_of(t, tree, m);
        for (uint32_t k = 0; parents && k < parents->count; k++) {
            struct parent *parent = &parents->of[k];
            if (!t->place[parent->lane])
                continue;
            const struct member *other = &tree->members[t->place[parent->lane] - 1];
            parent->against += other->begin_ns > m->end_ns;
            parent->support += (uint32_t)explains_end(t, tree, m, other);
        }
    }
    for (uint32_t i = 0; i < tree->count; i++)
        t->place[tree->members[i].lane] = 0;
    return 1;
}

static int is_parent(const struct parents *parents, uint32_t lane)
{
    for (uint32_t i = 0; i < parents->count; i++)
        if (parents->of[i].lane == lane)
            return holds(parents->of[i].support, parents->of[i].against);
    return 0;
}

/* For each member, adds a need for the last begin that explains the end of the member's call. Only candidates that the
 * log does not contradict count. Returns 0 if there is no memory. */
static int conclude(struct trees *t, const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct member *m = &tree->members[i];
        const struct parents *parents = parents_of(t, tree, m);
        for (uint32_t k = parents ? begun_before(tree, m->end_ns) : 0; k-- > 0;) {
            const struct member *other = &tree->members[k];
            if (other != m && !explains_end(t, tree, m, other))
                break;
            if (other == m || !is_parent(parents, other->lane))
                continue;
            struct pithi_need need = {.release_ns = other->begin_ns,
                                      .kind = tree->kind,
                                      .instance = PITHI_NEED_CONCLUDED,
                                      .of = PITHI_NEED_LANE,
                                      .lane = other->lane,
                                      .position = other->piece};
            if (!t->infer->add(t->infer->context, m->lane, m->waits, &need))
                return 0;
            break;
        }
    }
    return 1;
}

/* Returns the bytes that a member receives, as its record says. */
static uint32_t bytes_of(const struct pithi_graph *g, const struct member *m, uint32_t instance)
{
    const struct pithi_need *need = pithi_graph_need(g, pithi_graph_piece(g, m->lane, m->waits)->needs);

    while (need && (need->of == PITHI_NEED_LANE || need->instance != instance))
        need = pithi_graph_need(g, need->next);
    return need ? need->bytes : 0;
}

/* Adds the needs of a member: it waits for each neighbour that sends to it, as for a message. If the member may receive
 * nothing, it does not wait for neighbours that begin after the end of its call. A call that returns when the first of
 * several operations is complete gets only one need, for the neighbour that begins last. Returns 0 if there is no
 * memory. */
static int add_sources(struct trees *t, uint32_t instance, const struct member *m, const uint32_t *by_place,
                       uint32_t places)
{
    const struct pithi_graph_coll *coll = pithi_graph_coll(t->g, instance);
    const struct member *members = t->members.all + t->members.first[instance];
    uint32_t count, bytes = bytes_of(t->g, m, instance);
    const uint32_t *sources = pithi_colls_sources(t->infer->colls, coll->comm, m->place, &count);
    int may_go = coll->traits & PITHI_COLL_IS_LOOSE || bytes == 0;
    int is_first = t->g->is_call[pithi_graph_piece(t->g, m->lane, m->waits)->state] == PITHI_CALL_FIRST;
    struct pithi_need last = {.release_ns = INT64_MIN};

    for (uint32_t k = 0; k < count; k++) {
        const struct member *of =
            sources[k] < places && by_place[sources[k]] ? &members[by_place[sources[k]] - 1] : NULL;
        if (!of || of->lane == m->lane)
            continue;
        struct pithi_need need = {.release_ns = pithi_graph_piece(t->g, of->lane, of->start)->begin_ns,
                                  .kind = PITHLOG_WAIT_AT_NXN,
                                  .of = PITHI_NEED_LANE,
                                  .lane = of->lane,
                                  .position = of->start,
                                  .bytes = bytes / count};
        if (may_go && need.release_ns > m->end_ns)
            continue;
        if (need.release_ns > last.release_ns || (need.release_ns == last.release_ns && need.lane < last.lane))
            last = need;
        if (!is_first && !t->infer->add(t->infer->context, m->lane, m->waits, &need))
            return 0;
    }
    return !is_first || last.release_ns == INT64_MIN || t->infer->add(t->infer->context, m->lane, m->waits, &last);
}

/* Adds the needs of all members of a neighbourhood collective. Returns 0 if there is no memory. */
static int add_neighbours(struct trees *t, uint32_t instance, uint32_t *by_place, uint32_t places)
{
    const struct member *members = t->members.all + t->members.first[instance];
    uint32_t count = t->members.first[instance + 1] - t->members.first[instance];
    int good = 1;

    for (uint32_t i = 0; i < count; i++)
        by_place[members[i].place] = i + 1;
    for (uint32_t i = 0; good && i < count; i++)
        good = members[i].waits == NO_CALL || add_sources(t, instance, &members[i], by_place, places);
    for (uint32_t i = 0; i < count; i++)
        by_place[members[i].place] = 0;
    return good;
}

static int each_neighbourhood(struct trees *t)
{
    uint32_t places = 0, *by_place;
    int good = 1;

    for (uint32_t i = 0; i < t->g->colls.count; i++)
        for (uint32_t k = t->members.first[i];
             pithi_graph_coll(t->g, i)->traits & PITHI_COLL_IS_OF_NEIGHBOURS && k < t->members.first[i + 1]; k++)
            places = t->members.all[k].place + 1 > places ? t->members.all[k].place + 1 : places;
    if (!places)
        return 1;
    if (!(by_place = calloc(places, sizeof *by_place)))
        return 0;
    for (uint32_t i = 0; good && i < t->g->colls.count; i++)
        if (pithi_graph_coll(t->g, i)->traits & PITHI_COLL_IS_OF_NEIGHBOURS)
            good = add_neighbours(t, i, by_place, places);
    free(by_place);
    return good;
}

static int each_tree(struct trees *t, int (*see)(struct trees *t, const struct tree *tree))
{
    struct tree tree;

    for (uint32_t i = 0; i < t->g->colls.count; i++) {
        if (t->members.first[i + 1] == t->members.first[i] ||
            (pithi_graph_coll(t->g, i)->traits & (PITHI_COLL_IS_STARTED | PITHI_COLL_IS_OF_NEIGHBOURS)) ==
                PITHI_COLL_IS_OF_NEIGHBOURS)
            continue;
        pithi_scratch_passed(&t->members.scratch,
                             (t->members.first[i + 1] - t->members.first[i]) * sizeof(struct member));
        if (!tree_of(t, i, &tree) || !see(t, &tree))
            return 0;
    }
    return 1;
}

static int infer_trees(const struct pithi_inferring *infer)
{
    struct trees t = {.infer = infer, .g = infer->graph};
    int good = collect(infer, &t.members);

    if (good && t.members.all) {
        t.place = calloc(pithlog_get_info(t.g->log)->lanes + (size_t)1, sizeof *t.place);
        good = t.place && each_neighbourhood(&t) && each_tree(&t, see_lags);
        for (uint32_t i = 0; good && i < t.group_count; i++) {
            double usual_ns = t.groups[i].lags.all ? USUAL_TIMES * pithi_bins_median(&t.groups[i].lags) : 0;
            t.groups[i].usual_ns = usual_ns > USUAL_LEAST ? usual_ns : USUAL_LEAST;
        }
        good = good && each_tree(&t, see_candidates) && each_tree(&t, see_support) && each_tree(&t, conclude);
    }
    pithi_scratch_free(&t.members.scratch);
    pithi_map_free(&t.function_numbers);
    pithi_map_free(&t.group_numbers);
    pithi_map_free(&t.parent_numbers);
    free(t.groups);
    free(t.parents);
    free(t.place);
    return good;
}

/* ---- Progress of messages ---------------------------------------------------------------------------------------- */

enum { POSTS = PITHI_POSTS | PITHI_MAY_POST | PITHI_POSTS_MANY };

/* Waits for progress are concluded only if the log supports them. The observations are counted separately for each
 * *way*: by direction, on one host or between two, by the size of messages in powers of two, and by which side came
 * first. Each way is judged alone, because one way does not show what happens in another:
 *     the partner posts its part while the call waits: the message may move at once, inside the partner's call
 *     the partner posted its part before, and computes now: the message may stay until the partner calls MPI again */
enum { OF_SEND, OF_RECEIVE, DIRECTIONS, WAYS = DIRECTIONS * 2 * 2 * 64 };

struct progress {
    const struct pithi_inferring *infer;
    struct pithi_graph *g;
    struct pithi_eager eager;
    uint64_t least_bytes; /* messages up to this size are eager between any ranks */
    struct late_call {
        uint32_t lane, piece, way, partner, position;
    } * found;
    uint32_t count, room, support[WAYS], against[WAYS]; /* how often a way of progress explains a wait, or fails to */
};

static int on_two_hosts(const struct pithi_graph *g, uint32_t lane, uint32_t other)
{
    return pithi_log_rank(g->log, pithi_log_rank_of(g->log, lane))->host !=
           pithi_log_rank(g->log, pithi_log_rank_of(g->log, other))->host;
}

static int is_eager(const struct progress *p, uint32_t lane, const struct pithi_need *need)
{
    if (need->bytes <= p->least_bytes) /* the case of most messages */
        return 1;
    uint64_t limit = pithi_eager_limit(&p->eager, p->g->log, need->lane, pithlog_get_lane(p->g->log, lane)->rank);
    return need->bytes <= (limit == UINT64_MAX ? PITHI_EAGER_LEAST : limit);
}

/* For a message that is not sent before its receiver is ready, checks whether the call ends when the partner makes
 * progress. The partner posts or begins its part in its piece need->position, and is outside MPI afterwards. Returns 0
 * if there is no memory. Ranks with several lanes are left out, as any of their threads may make progress. */
static int see_message(struct progress *p, uint32_t lane, uint32_t piece, const struct pithi_need *need)
{
    const struct pithlog *log = p->g->log;
    const struct pithi_lane_piece *call = pithi_graph_piece(p->g, lane, piece);
    int64_t begin_ns = call->begin_ns;
    int is_send = need->kind != PITHLOG_LATE_SENDER;

    if (!(is_send && p->infer->traits[call->state] & PITHI_SYNCHRONOUS) && is_eager(p, lane, need))
        return 1;
    const struct pithi_log_rank *rank = pithi_log_rank(log, pithi_log_rank_of(log, need->lane));
    uint32_t state = pithi_graph_piece(p->g, need->lane, need->position)->state;
    unsigned traits = pithi_graph_is_call(p->g, state) ? p->infer->traits[state] : 0;
    if (rank->lane_count > 1 || traits & PITHI_MOVES || !(traits & (is_send ? POSTS : PITHI_SENDS_LATER)))
        return 1;
    int64_t done_ns = end_of(p->g, need->lane, need->position), end_ns = end_of(p->g, lane, piece);
    int64_t from_ns = begin_ns > done_ns ? begin_ns : done_ns;
    uint32_t next = next_progress(p->infer, need->lane, from_ns);
    int64_t next_ns = pithi_graph_piece(p->g, need->lane, next)->begin_ns;
    if (next_ns <= from_ns) /* the partner is in MPI */
        return 1;
    uint32_t way = ((is_send ? OF_SEND : OF_RECEIVE) * 2 + (uint32_t)on_two_hosts(p->g, lane, need->lane)) * 2;
    way = (way + (done_ns > begin_ns)) * 64 + pithi_log2(need->bytes);
    if (next + 1 >= p->g->lanes[need->lane].pieces.count || end_ns - from_ns <= USUAL_LEAST)
        return 1;
    if (next_ns > end_ns) { /* the call ended although the partner stayed outside MPI */
        p->against[way]++;
        return 1;
    }
    if (!explains(from_ns, next_ns, end_ns, USUAL_LEAST))
        return 1;
    p->support[way]++;
    if (!pithi_grow(&p->found, p->count, &p->room, sizeof *p->found))
        return 0;
    p->found[p->count++] = (struct late_call){lane, piece, way, need->lane, next};
    return 1;
}

static int see_call(struct progress *p, uint32_t lane, uint32_t piece, uint32_t needs)
{
    for (const struct pithi_need *need = pithi_graph_need(p->g, needs); need;
         need = pithi_graph_need(p->g, need->next)) {
        int is_message = need->kind == PITHLOG_LATE_SENDER || need->kind == PITHLOG_LATE_RECEIVER ||
                         (need->kind == PITHLOG_WAIT_FOR_PROGRESS && need->release_ns == INT64_MIN);
        if (is_message && need->of == PITHI_NEED_LANE && !see_message(p, lane, piece, need))
            return 0;
    }
    return 1;
}

static int infer_progress(const struct pithi_inferring *infer)
{
    struct progress p = {.infer = infer, .g = infer->graph};
    int has_synchronous = 0, good = 1;

    for (uint32_t i = 0; i < pithlog_get_info(p.g->log)->defs; i++)
        has_synchronous |= (infer->traits[i] & PITHI_SYNCHRONOUS) != 0;
    pithi_eager_of_log(p.g->log, &p.eager);
    p.least_bytes = p.eager.same_host < p.eager.network ? p.eager.same_host : p.eager.network;
    p.least_bytes = p.least_bytes < PITHI_EAGER_LEAST ? p.least_bytes : PITHI_EAGER_LEAST;
    for (uint32_t lane = 0; good && lane < pithlog_get_info(p.g->log)->lanes; lane++) {
        if (!has_synchronous && p.g->lanes[lane].largest <= p.least_bytes)
            continue; /* see_message would find each of its messages eager */
        const struct pithi_lane_piece *piece = pithi_graph_piece(p.g, lane, 0);
        for (uint32_t i = 0; good && i + 1 < p.g->lanes[lane].pieces.count; i++) {
            good = !piece->needs || !pithi_graph_is_call(p.g, piece->state) || see_call(&p, lane, i, piece->needs);
            pithi_scratch_passed(&p.g->scratch, sizeof *piece);
            piece = pithi_graph_next(p.g, lane, piece, i);
        }
    }
    for (uint32_t i = 0; good && i < p.count; i++) {
        const struct late_call *of = &p.found[i];
        struct pithi_need need = {.release_ns = pithi_graph_piece(p.g, of->partner, of->position)->begin_ns,
                                  .kind = PITHLOG_WAIT_FOR_PROGRESS,
                                  .instance = PITHI_NEED_CONCLUDED,
                                  .of = PITHI_NEED_LANE,
                                  .lane = of->partner,
                                  .position = of->position};
        if (holds(p.support[of->way], p.against[of->way]))
            good = infer->add(infer->context, of->lane, of->piece, &need);
    }
    free(p.found);
    return good;
}

/* ---- Polling ----------------------------------------------------------------------------------------------------- */

/* A *run* of tests in a loop is one wait if little work lies between the tests: less than a tenth of the lane's usual
 * work between calls, or only states that sleep. With more work between the tests, the program may overlap useful work
 * with the message, or it may only pass the time. Useful work goes on when the message is there, but a loop that polls
 * ends at the first test after that. Two equal ranks may end their useful work when a message happens to come. So a
 * lane polls only if three things are true of most of its runs. The message comes towards the end of the run. The last
 * test finds it; useful work may end with MPI_Wait instead. And the runs differ in their number of tests:
 *
 *     10 times (2 ms, MPI_Test), in each iteration     counts as work, because the number of tests is always the same
 *     9, 14, 10 times (2 ms, MPI_Test)                 counts as polling */
enum {
    SHORT = 10,     /* little work: less than 1 / SHORT of the usual work */
    ALIKE = 4,      /* a run ends at work this many times as long as the work after its first test */
    TESTS_AFTER = 2 /* tests of a run that may begin after its message has come */
};

struct run {
    uint32_t first, last; /* pieces of the first and the last test */
    uint32_t tests;       /* number of tests */
    uint32_t to;          /* index of the piece that the run becomes */
    int is_sure;          /* 1: little work lies between its tests */
};

struct polls {
    const struct pithi_inferring *infer;
    struct pithi_graph *g;
    struct runs {
        struct run *all;
        uint32_t count, room;
    } * of;                /* [lanes] */
    unsigned char *sleeps; /* [definitions] */
};

static int is_test(const struct polls *p, const struct pithi_lane_piece *piece)
{
    return pithi_graph_is_call(p->g, piece->state) && p->infer->traits[piece->state] & PITHI_TESTS;
}

/* Returns 1 if the piece is work, or a call that neither moves nor completes messages, such as MPI_Get_count. */
static int is_between(const struct polls *p, const struct pithi_lane_piece *piece)
{
    return !piece->needs && (!pithi_graph_is_call(p->g, piece->state) || p->infer->traits[piece->state] == PITHI_CALL);
}

/* Returns the time of the work between the piece `at` and the next test or other call, and sets *next to the index of
 * that call. States that sleep are not counted. */
static int64_t work_after(const struct polls *p, uint32_t lane, uint32_t at, uint32_t *next)
{
    int64_t begin_ns = end_of(p->g, lane, at), ns = 0;

    for (*next = at + 1; *next + 1 < p->g->lanes[lane].pieces.count; ++*next) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(p->g, lane, *next);
        if (!is_between(p, piece))
            break;
        int64_t end_ns = end_of(p->g, lane, *next);
        ns += piece->state != PITHLOG_COMPUTING && p->sleeps[piece->state] ? 0 : end_ns - begin_ns;
        begin_ns = end_ns;
    }
    return ns;
}

/* Returns the usual length of a lane's work outside of polling loops. This is the median, weighted by length, of the
 * work between two successive calls. Work between a failed test and another test does not count. Returns 0 if all this
 * work is less than a tenth of the work between failed tests. */
static double usual_work(const struct polls *p, uint32_t lane)
{
    struct pithi_bins bins = {{0}, 0, {0}};
    uint32_t next, pieces = p->g->lanes[lane].pieces.count;
    double elsewhere_ns = 0, between_ns = 0, below_ns = 0;
    unsigned bin = 0;

    for (uint32_t at = 0; at + 1 < pieces; at = next) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(p->g, lane, at);
        int64_t ns = work_after(p, lane, at, &next);
        if (is_test(p, piece) && !piece->needs && next + 1 < pieces &&
            is_test(p, pithi_graph_piece(p->g, lane, next))) {
            between_ns += (double)ns;
            continue;
        }
        if (ns > 0 && at > 0) {
            pithi_bins_add(&bins, ns);
            elsewhere_ns += (double)ns;
        }
    }
    if (elsewhere_ns * SHORT <= between_ns)
        return 0;
    while (bin < PITHI_BINS - 1 && (below_ns += bins.sums[bin]) * 2 < elsewhere_ns)
        bin++;
    return bins.sums[bin] / bins.counts[bin];
}

/* Returns the needs of a run, that is, of its last test. If that has none, returns the needs of the next call, which
 * receives the message. */
static uint32_t needs_of(const struct polls *p, uint32_t lane, const struct run *run, uint32_t next)
{
    const struct pithi_lane_piece *last = pithi_graph_piece(p->g, lane, run->last);

    return last->needs ? last->needs : pithi_graph_piece(p->g, lane, next)->needs;
}

/* Returns 1 if the run ended because its message had come: few tests began after that, and little work followed.
 * Returns -1 if the run ended for another reason, 0 if no known need was released during the run. */
static int ends_with_message(const struct polls *p, uint32_t lane, const struct run *run, uint32_t next,
                             int64_t rest_ns)
{
    int64_t begin_ns = pithi_graph_piece(p->g, lane, run->first)->begin_ns, release_ns = INT64_MIN;
    int64_t end_ns = end_of(p->g, lane, run->last);
    const struct pithi_lane_piece *last = pithi_graph_piece(p->g, lane, run->last);
    const struct pithi_lane_piece *then = pithi_graph_piece(p->g, lane, next);
    uint32_t after = 0;

    for (const struct pithi_need *need = pithi_graph_need(p->g, needs_of(p, lane, run, next)); need;
         need = pithi_graph_need(p->g, need->next))
        if (need->of == PITHI_NEED_LANE && need->release_ns > release_ns)
            release_ns = need->release_ns;
    if (release_ns < begin_ns || release_ns > end_ns)
        return 0;
    if (2.0 * (double)(end_ns - release_ns) > (double)(end_ns - begin_ns))
        return -1;
    if (!last->needs && !is_test(p, then) && pithi_graph_is_call(p->g, then->state) &&
        p->infer->traits[then->state] & PITHI_COMPLETES)
        return -1;
    for (uint32_t i = run->first; i <= run->last; i++)
        after +=
            is_test(p, pithi_graph_piece(p->g, lane, i)) && pithi_graph_piece(p->g, lane, i)->begin_ns > release_ns;
    return after <= TESTS_AFTER && rest_ns * run->tests <= end_ns - begin_ns ? 1 : -1;
}

/* Returns the run of tests that begins with the piece `at`. Sets *gap_ns to the mean work between its tests, and
 * *rest_ns to the work from the run's end to the piece *next. A run ends at work that is longer than ALIKE times the
 * work after its first test, and than ALIKE times most_ns. The limit is wide, so that a run does not end if the thread
 * loses its core for a short time. */
static struct run run_of(const struct polls *p, uint32_t lane, uint32_t at, double most_ns, double *gap_ns,
                         int64_t *rest_ns, uint32_t *next)
{
    struct run run = {.first = at, .last = at, .tests = 1};
    double sum_ns = 0;

    *rest_ns = work_after(p, lane, at, next);
    double limit_ns = ALIKE * (most_ns > (double)*rest_ns ? most_ns : (double)*rest_ns);
    while (*next + 1 < p->g->lanes[lane].pieces.count && (double)*rest_ns <= limit_ns &&
           is_test(p, pithi_graph_piece(p->g, lane, *next))) {
        sum_ns += (double)*rest_ns;
        run.tests++;
        run.last = *next;
        *rest_ns = work_after(p, lane, run.last, next);
        if (pithi_graph_piece(p->g, lane, run.last)->needs)
            break;
    }
    *gap_ns = run.tests > 1 ? sum_ns / (run.tests - 1) : 0;
    return run;
}

/* Finds the runs of a lane. Runs with little work are kept in any case. Other runs are kept only if most of them end
 * with their messages, and they differ in their number of tests. Returns 0 if there is no memory. */
static int find_runs(struct polls *p, uint32_t lane)
{
    double most_ns = usual_work(p, lane) / SHORT, gap_ns;
    struct runs *runs = &p->of[lane];
    uint32_t next, support = 0, against = 0, kept = 0, tests = 0, equal = 0;
    int64_t rest_ns;

    for (uint32_t at = 0; at + 1 < p->g->lanes[lane].pieces.count; at = next) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(p->g, lane, at);
        if (!is_test(p, piece) || piece->needs) {
            work_after(p, lane, at, &next);
            continue;
        }
        struct run run = run_of(p, lane, at, most_ns, &gap_ns, &rest_ns, &next);
        if (run.last == run.first || end_of(p->g, lane, run.last) - piece->begin_ns <= USUAL_LEAST)
            continue;
        run.is_sure = gap_ns <= most_ns;
        int ends = run.is_sure ? 1 : ends_with_message(p, lane, &run, next, rest_ns);
        support += !run.is_sure && ends > 0;
        against += ends < 0;
        equal += !run.is_sure && ends > 0 && run.tests == tests;
        tests = run.is_sure ? tests : run.tests;
        if (ends <= 0)
            continue;
        if (!pithi_grow(&runs->all, runs->count, &runs->room, sizeof run))
            return 0;
        runs->all[runs->count++] = run;
    }
    for (uint32_t i = 0; i < runs->count; i++)
        if (runs->all[i].is_sure || (holds(support, against) && !holds(equal, support - equal)))
            runs->all[kept++] = runs->all[i];
    runs->count = kept;
    return 1;
}

/* Returns the new index of a piece, after each run of its lane has become a single piece. */
static uint32_t moved(const struct runs *runs, uint32_t piece)
{
    uint32_t low = 0, high = runs->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (runs->all[middle].first <= piece)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return piece;
    const struct run *run = &runs->all[low - 1];
    return piece <= run->last ? run->to : piece - run->last + run->to;
}

/* Joins each run (struct run) of a lane into a single piece. If the call after a run receives the message for which the
 * run polled, this message becomes a need of the joined piece, too. Returns 0 if there is no memory. */
static int join_runs(struct polls *p, uint32_t lane)
{
    struct pithi_graph_lane *of = &p->g->lanes[lane];
    struct runs *runs = &p->of[lane];
    uint32_t to = 0, next;

    for (uint32_t i = 0, run = 0; i < of->pieces.count; i++, to++) {
        struct pithi_lane_piece piece = *pithi_graph_piece(p->g, lane, i);
        if (run < runs->count && runs->all[run].first == i) {
            struct run *r = &runs->all[run++];
            const struct pithi_lane_piece *last = pithi_graph_piece(p->g, lane, r->last);
            int64_t end_ns = end_of(p->g, lane, r->last);
            work_after(p, lane, r->last, &next);
            piece.state = last->state;
            piece.needs = last->needs;
            r->to = to;
            *pithi_graph_piece(p->g, lane, to) = piece;
            for (uint32_t number = last->needs ? 0 : needs_of(p, lane, r, next), after; number; number = after) {
                struct pithi_need need = *pithi_graph_need(p->g, number);
                after = need.next;
                if (need.of == PITHI_NEED_LANE && need.kind == PITHLOG_LATE_SENDER &&
                    need.release_ns > piece.begin_ns && need.release_ns < end_ns &&
                    !p->infer->add(p->infer->context, lane, to, &need))
                    return 0;
            }
            for (struct pithi_need *need = pithi_graph_need(p->g, pithi_graph_piece(p->g, lane, to)->needs); need;
                 need = pithi_graph_need(p->g, need->next)) {
                if (last->needs && need->of == PITHI_NEED_LANE && need->kind == PITHLOG_LATE_SENDER)
                    need->instance = PITHI_NEED_RECEIVED;
                need->kind = PITHLOG_POLLING;
            }
            i = r->last;
            continue;
        }
        *pithi_graph_piece(p->g, lane, to) = piece;
    }
    of->pieces.count = to;
    of->found = 0;
    return 1;
}

static int is_sleep(const struct pithlog_def *def)
{
    static const char *const names[] = {"sleep",      "usleep",     "nanosleep",    "clock_nanosleep", "sched_yield",
                                        "poll",       "ppoll",      "select",       "pselect",         "epoll_wait",
                                        "thrd_sleep", "thrd_yield", "pthread_yield"};

    for (size_t i = 0; def->kind == PITHLOG_STATE && i < sizeof names / sizeof *names; i++)
        if (strcmp(def->name, names[i]) == 0)
            return 1;
    return 0;
}

int pithi_infer_polls(const struct pithi_inferring *infer)
{
    struct polls p = {.infer = infer, .g = infer->graph};
    const struct pithlog_info *info = pithlog_get_info(p.g->log);
    int has_tests = 0, has_runs = 0, good;

    for (uint32_t i = 0; i < info->defs; i++)
        has_tests |= (infer->traits[i] & PITHI_TESTS) != 0;
    if (!has_tests)
        return 1;
    p.of = calloc(info->lanes + (size_t)1, sizeof *p.of);
    p.sleeps = calloc(info->defs + (size_t)1, 1);
    good = p.of && p.sleeps;
    for (uint32_t i = 0; good && i < info->defs; i++)
        p.sleeps[i] = (unsigned char)is_sleep(pithlog_get_def(p.g->log, i));
    for (uint32_t lane = 0; good && lane < info->lanes; lane++) {
        good = find_runs(&p, lane);
        has_runs |= p.of[lane].count > 0;
    }
    for (uint32_t lane = 0; good && lane < info->lanes; lane++)
        good = !p.of[lane].count || join_runs(&p, lane);
    for (uint32_t i = 0; good && has_runs && i < p.g->needs.count; i++) {
        struct pithi_need *need = pithi_chunks_at(&p.g->needs, i, sizeof *need);
        pithi_scratch_passed(&p.g->scratch, sizeof *need);
        if (need->kind && need->of == PITHI_NEED_LANE && need->position != UINT32_MAX)
            need->position = moved(&p.of[need->lane], need->position);
    }
    for (uint32_t lane = 0; good && lane < info->lanes; lane++)
        for (uint32_t i = 0; p.of[lane].count && i < p.g->lanes[lane].members.count; i++) {
            struct pithi_graph_member *member = pithi_chunks_at(&p.g->lanes[lane].members, i, sizeof *member);
            member->piece = moved(&p.of[lane], member->piece);
        }
    for (uint32_t lane = 0; p.of && lane < info->lanes; lane++)
        free(p.of[lane].all);
    free(p.of);
    free(p.sleeps);
    return good;
}

int pithi_infer_needs(const struct pithi_inferring *infer) { return infer_trees(infer) && infer_progress(infer); }
