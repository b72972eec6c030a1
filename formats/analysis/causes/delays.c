/* delays.c - the root causes of wait states (D. Boehme, M. Geimer, F. Wolf, L. Arnold: Identifying the root causes of
 * wait states in large-scale parallel applications, ICPP 2010; README.md has the rule).
 *
 * Who is late is often late because it waited itself. So the cause of a wait state is not the lane that released it,
 * but what that lane did longer than the waiting lane since both were last in step:
 *
 *     rank 0   computes 0-5                 sends to rank 1
 *     rank 1   computes 0-3, waits 3-5,     sends to rank 2
 *     rank 2   computes 0-1, waits 1-5
 *
 *     rank 2 waits 4 for rank 1, which in 0-5 computed 2 longer than rank 2, and waited 2:
 *         2 are the cost of computing on rank 1; 2 are handed to the wait state of rank 1
 *     rank 1 waits 2 for rank 0; its weight is 2 + 2. Rank 0 computed 2 longer than rank 1:
 *         4 are the cost of computing on rank 0, half of it indirect
 *     2 + 4 are all costs, and 2 + 4 all waiting
 *
 * A wait state must have its full weight before it is divided, so those that end last come first. Among equal ends, as
 * here, a wait state comes before that of its cause.
 *
 * A forward pass finds, for each wait state, the last common synchronisation of its lane and the cause. A backward pass
 * begins with the latest end. The weight of a wait state is its length plus what later wait states handed to it. It is
 * divided among the states in which the cause spent more time than the waiting lane since that synchronisation. If the
 * cause waited longer, this part is handed to its wait states in that time. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/tournament.h"
#include "native/log.h"

#define NONE UINT32_MAX
#define BACKWARD_SHARE 0.8 /* of the time */

enum { REPORT_GROUPS = 1024 }; /* groups of equal ends between two reports of progress */

/* Wait states are taken in order of their ends over all lanes, by a tournament: of the next wait state of each lane,
 * the earliest wins, and only its lane plays again. Forwards this finds the last wait between two lanes; the order is
 * kept in 4 bytes for each, and backwards it is only read.
 *
 * A lane whose wait states are taken in order of their ends, among all lanes. */
struct turn {
    struct pithi_player player; /* must be first */
    size_t done;                /* wait states before this one were taken; backwards: from this one on */
    uint32_t piece;             /* backwards: near this piece of the lane */
};

/* A wait state in a group of equal ends. */
struct item {
    struct pithlog_wait_state *wait;
    uint32_t needed_by; /* number of items that hand costs to this one */
};

/* A synchronising instance that a lane took part in: it happens when the last member begins. */
struct sync {
    int64_t at_ns; /* when its last member began */
    uint32_t comm;
};

/* The communicators of a lane, those with the latest synchronisations first. */
struct recent {
    uint32_t first; /* NONE: the list is empty */
    struct recent_comm {
        int64_t at_ns;         /* its latest synchronisation */
        uint32_t next, before; /* neighbours in the list, by communicator; NONE: the ends */
        int is_listed;         /* 1: in the list; else the lane has met nobody there */
    } * comms;                 /* [communicators] */
};

/* What a lane did in an interval. */
struct profile {
    struct spent {
        double ns;         /* since the last common synchronisation */
        int is_used;       /* 1: `ns` was set; `used` names the state */
    } * in;                /* by state; [defs]: outside all states, [defs + 1]: waiting */
    uint32_t *used, count; /* the states with a time */
};

struct delays {
    struct pithlog_analysis *a; /* gets the delays */
    const struct pithi_graph *g;
    struct turn *turns;           /* [lanes] */
    struct pithi_loser *tree;     /* the tournament of the turns */
    uint32_t leaves;              /* a power of two, at least the number of lanes */
    struct item *group;           /* [lanes]: wait states with equal ends */
    struct pithi_scratch scratch; /* memory of `order`, `since` and `handed` */
    uint32_t *order;              /* the lanes of all wait states, by their ends */
    size_t passed;                /* wait states passed; backwards: those still to come */
    struct pithi_map members;     /* communicator << 32 | lane: the lane takes part in its synchronising instances */
    struct recent recent;
    struct sync *syncs; /* of one lane */
    uint32_t sync_count, sync_room;
    struct pithi_map pairs; /* pair of lanes: key of the end of the last wait state between them */
    struct profile of_cause, of_waiter;
    uint32_t cached_lane;                             /* of_cause holds this lane and interval; NONE: nothing */
    int64_t cached_from_ns, cached_to_ns;             /* the interval of it */
    struct pithi_lane_sums cells[PITHLOG_WAIT_KINDS]; /* delays by the kind of waiting that they caused */
    uint32_t kinds[PITHLOG_WAIT_KINDS], kind_count;   /* the kinds of wait states in this log */
    int64_t **since;                                  /* [lanes][wait states]: the common synchronisation */
    double **handed;    /* [lanes][wait states][kind_count]: handed_ns by the kind of the first waiting */
    uint32_t *in_group; /* [lanes]: 1 + the item of this lane in the group of equal ends */
    uint32_t groups;    /* taken so far */
};

static size_t states_of(const struct delays *d) { return pithlog_get_info(d->g->log)->defs + (size_t)2; }

/* ---- Common synchronisations ------------------------------------------------------------------------------------- */

static int is_sync(const struct pithi_graph_coll *coll)
{
    return coll->members > 0 && (coll->kind == PITHLOG_WAIT_AT_BARRIER || coll->kind == PITHLOG_WAIT_AT_NXN);
}

static int by_time(const void *a, const void *b)
{
    const struct sync *x = a, *y = b;
    return x->at_ns != y->at_ns ? (x->at_ns < y->at_ns ? -1 : 1) : (x->comm > y->comm) - (x->comm < y->comm);
}

/* Collects the synchronising instances of a lane, by time. MPI_Finalize synchronises only after the last wait state, so
 * it does not count. */
static int collect_syncs(struct delays *d, uint32_t lane)
{
    const struct pithi_chunks *members = &d->g->lanes[lane].members;
    int is_sorted = 1;

    d->sync_count = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        const struct pithi_graph_member *member = pithi_chunks_at(members, i, sizeof *member);
        const struct pithi_graph_coll *coll = pithi_graph_coll(d->g, member->instance);
        pithi_scratch_passed(&d->a->graph.scratch, sizeof *member);
        if (!is_sync(coll))
            continue;
        if (!pithi_grow(&d->syncs, d->sync_count, &d->sync_room, sizeof *d->syncs))
            return 0;
        is_sorted &= d->sync_count == 0 || d->syncs[d->sync_count - 1].at_ns <= coll->last_ns;
        d->syncs[d->sync_count++] = (struct sync){coll->last_ns, coll->comm};
    }
    if (!is_sorted)
        qsort(d->syncs, d->sync_count, sizeof *d->syncs, by_time);
    return 1;
}

static int find_members(struct delays *d)
{
    for (uint32_t lane = 0; lane < pithlog_get_info(d->g->log)->lanes; lane++) {
        if (!collect_syncs(d, lane))
            return 0;
        for (uint32_t i = 0; i < d->sync_count; i++)
            if ((i == 0 || d->syncs[i].comm != d->syncs[i - 1].comm) &&
                !pithi_map_put(&d->members, pithi_map_pair(d->syncs[i].comm, lane), 1))
                return 0;
    }
    return 1;
}

static void to_front(struct recent *r, const struct sync *sync)
{
    struct recent_comm *comm = &r->comms[sync->comm];

    comm->at_ns = sync->at_ns;
    if (r->first == sync->comm)
        return;
    if (comm->is_listed) {
        r->comms[comm->before].next = comm->next;
        if (comm->next != NONE)
            r->comms[comm->next].before = comm->before;
    }
    if (r->first != NONE)
        r->comms[r->first].before = sync->comm;
    comm->next = r->first;
    comm->is_listed = 1;
    r->first = sync->comm;
}

/* Lanes are members of many communicators, but mostly synchronise in few: so the search goes through the communicators
 * of the lane from the latest synchronisation back, and ends at the first that has the cause as a member, too.
 *
 * Finds the latest common collective before each wait state of a lane. */
static int find_common(struct delays *d, uint32_t lane)
{
    const struct pithi_analysis_lane *of = &d->a->lanes[lane];
    struct recent *r = &d->recent;
    uint32_t passed = 0, at, comm;

    if (!collect_syncs(d, lane))
        return 0;
    r->first = NONE;
    for (size_t i = 0; i < of->wait_count; i++) {
        const struct pithlog_wait_state *wait = &of->waits[i];
        pithi_scratch_passed(&d->a->graph.scratch, sizeof *wait);
        pithi_scratch_passed(&d->scratch, sizeof **d->since);
        for (; passed < d->sync_count && d->syncs[passed].at_ns <= wait->from_ns; passed++)
            to_front(r, &d->syncs[passed]);
        d->since[lane][i] = d->g->from_ns;
        for (comm = r->first; comm != NONE && r->comms[comm].at_ns > d->g->from_ns; comm = r->comms[comm].next)
            if (pithi_map_get(&d->members, pithi_map_pair(comm, wait->cause_lane), &at)) {
                d->since[lane][i] = r->comms[comm].at_ns;
                break;
            }
    }
    for (comm = r->first; comm != NONE; comm = r->comms[comm].next)
        r->comms[comm].is_listed = 0;
    return 1;
}

static uint64_t pair_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* The end of the last wait state between both lanes is common to them, too. */
static void find_last_wait(struct delays *d, const struct pithlog_wait_state *wait)
{
    int64_t *since_ns = &d->since[wait->lane][wait - d->a->lanes[wait->lane].waits];
    const uint64_t *last = pithi_map_find(&d->pairs, pair_key(wait->lane, wait->cause_lane));

    if (last && *last <= pithi_key_of(wait->from_ns) && *last > pithi_key_of(*since_ns))
        *since_ns = pithi_time_of(*last);
}

/* ---- What a lane did in an interval ------------------------------------------------------------------------------ */

static int64_t overlap(int64_t a_from, int64_t a_to, int64_t from_ns, int64_t to_ns)
{
    int64_t from = a_from > from_ns ? a_from : from_ns, to = a_to < to_ns ? a_to : to_ns;
    return to > from ? to - from : 0;
}

static void spend(struct profile *p, size_t state, double ns)
{
    if (!p->in[state].is_used) {
        p->in[state].is_used = 1;
        p->used[p->count++] = (uint32_t)state;
    }
    p->in[state].ns += ns;
}

/* 1: this wait state was distributed before. It ended later or waits for itself, as clocks differ. */
static int is_distributed(const struct delays *d, uint32_t lane, size_t number)
{
    return number >= d->turns[lane].done && (number > d->turns[lane].done || !d->in_group[lane]);
}

/* The last piece of a lane that begins before a moment. Such moments come backwards, more or less. */
static uint32_t go_to(struct delays *d, uint32_t lane, int64_t time_ns)
{
    uint32_t *at = &d->turns[lane].piece;
    const struct pithi_lane_piece *piece = pithi_graph_piece(d->g, lane, *at);

    for (; *at > 0 && piece->begin_ns >= time_ns; --*at)
        piece = pithi_graph_before(d->g, lane, piece, *at);
    for (; *at + 1 < d->a->lanes[lane].last; ++*at)
        if ((piece = pithi_graph_next(d->g, lane, piece, *at))->begin_ns >= time_ns)
            break;
    return *at;
}

/* In the example: rank 1 in 0-5 gives computing 3, waiting 2; rank 2 in 0-1 gives computing 1.
 *
 * Sums the time of a lane by state; the waiting part of a call counts as waiting. Only wait states before `upto` can
 * begin before to_ns. Those that were distributed take no costs. */
static void profile(struct delays *d, uint32_t lane, int64_t from_ns, int64_t to_ns, size_t upto, struct profile *p)
{
    const struct pithi_analysis_lane *of = &d->a->lanes[lane];
    size_t outside = states_of(d) - 2;

    for (; p->count > 0; p->count--)
        p->in[p->used[p->count - 1]] = (struct spent){0};
    if (from_ns < to_ns) {
        uint32_t last = go_to(d, lane, to_ns), i = last;
        const struct pithi_lane_piece *piece = pithi_graph_piece(d->g, lane, i);
        int64_t end_ns = to_ns;
        for (; i > 0 && piece->begin_ns > from_ns; piece = pithi_graph_before(d->g, lane, piece, i--)) {
            spend(p, piece->state == PITHI_OUTSIDE ? outside : piece->state, (double)(end_ns - piece->begin_ns));
            end_ns = piece->begin_ns;
        }
        spend(p, piece->state == PITHI_OUTSIDE ? outside : piece->state, (double)(end_ns - from_ns));
        pithi_scratch_passed(&d->a->graph.scratch, (last - i) * sizeof *piece);
    }
    for (size_t k = upto; k-- > 0 && of->waits[k].to_ns > from_ns;) {
        if (is_distributed(d, lane, k))
            continue;
        double waited = (double)overlap(of->waits[k].from_ns, of->waits[k].to_ns, from_ns, to_ns);
        spend(p, of->waits[k].state, -waited);
        spend(p, outside + 1, waited);
    }
}

/* ---- Backwards --------------------------------------------------------------------------------------------------- */

/* Adds the cost of a wait state to the delays that caused it. `sum`: of all these delays. */
static int add_costs(struct delays *d, const struct pithlog_wait_state *wait, const double *handed, double sum)
{
    size_t states = states_of(d);
    double own = (double)(wait->to_ns - wait->from_ns);

    for (uint32_t i = 0; i < d->of_cause.count; i++) {
        uint32_t state = d->of_cause.used[i];
        double delay = d->of_cause.in[state].ns - d->of_waiter.in[state].ns;
        if (delay <= 0 || state + 1 == states)
            continue;
        for (uint32_t k = 0; k < d->kind_count; k++) {
            if (d->kinds[k] != wait->kind && handed[k] == 0)
                continue;
            struct pithi_lane_sum *cell = pithi_lane_sums_get(&d->cells[d->kinds[k]], wait->cause_lane,
                                                              state + 2 == states ? PITHI_OUTSIDE : state);
            if (!cell)
                return 0;
            cell->direct += d->kinds[k] == wait->kind ? own * delay / sum : 0;
            cell->indirect += handed[k] * delay / sum;
        }
    }
    return 1;
}

/* A loop that sees its message late has no other cause than itself. */
static int add_own(struct delays *d, struct pithlog_wait_state *wait, const double *handed)
{
    for (uint32_t k = 0; k < d->kind_count; k++) {
        double own = d->kinds[k] == wait->kind ? (double)(wait->to_ns - wait->from_ns) : 0;
        if (own + handed[k] <= 0)
            continue;
        struct pithi_lane_sum *cell = pithi_lane_sums_get(&d->cells[d->kinds[k]], wait->lane, wait->state);
        if (!cell)
            return 0;
        cell->direct += own;
        cell->indirect += handed[k];
        wait->handed_ns += handed[k];
    }
    return 1;
}

/* Divides the weight of one wait state: its own length, and what was handed to it, by the kind of waiting that it came
 * from. Shares are in proportion to the delays, whose sum is another one: if the cause computed 6 longer and waited 2
 * longer, a weight of 4 is divided into 3 for computing and 1 that is handed on. */
static int distribute(struct delays *d, const struct item *item)
{
    struct pithlog_wait_state *wait = item->wait;
    const struct pithi_analysis_lane *cause = &d->a->lanes[wait->cause_lane];
    size_t number = (size_t)(wait - d->a->lanes[wait->lane].waits), upto = d->turns[wait->cause_lane].done;
    size_t waiting = states_of(d) - 1;
    int64_t since_ns = d->since[wait->lane][number];
    const double *handed = d->handed[wait->lane] + number * d->kind_count;
    double own = (double)(wait->to_ns - wait->from_ns), sum = 0;

    pithi_scratch_passed(&d->scratch, (1 + d->kind_count) * sizeof *handed);
    pithi_scratch_passed(&d->a->graph.scratch, sizeof *wait);
    if (wait->cause_lane == wait->lane)
        return add_own(d, wait, handed);
    while (upto < cause->wait_count && cause->waits[upto].from_ns < wait->to_ns)
        upto++;
    if (d->cached_lane != wait->cause_lane || d->cached_from_ns != since_ns || d->cached_to_ns != wait->to_ns) {
        profile(d, wait->cause_lane, since_ns, wait->to_ns, upto, &d->of_cause);
        d->cached_lane = wait->cause_lane;
        d->cached_from_ns = since_ns;
        d->cached_to_ns = wait->to_ns;
    }
    profile(d, wait->lane, since_ns, wait->from_ns, number, &d->of_waiter);
    for (uint32_t i = 0; i < d->of_cause.count; i++) {
        double delay = d->of_cause.in[d->of_cause.used[i]].ns - d->of_waiter.in[d->of_cause.used[i]].ns;
        sum += delay > 0 ? delay : 0;
    }
    for (uint32_t k = 0; k < d->kind_count; k++)
        if (handed[k] > 0) /* each store into a page of the temporary file may cost a page fault */
            wait->handed_ns += handed[k];
    if (sum > 0 && !add_costs(d, wait, handed, sum))
        return 0;
    double delay = d->of_cause.in[waiting].ns - d->of_waiter.in[waiting].ns;
    if (delay <= 0)
        return 1;
    double part = delay / sum / d->of_cause.in[waiting].ns;
    for (size_t i = upto; i-- > 0 && cause->waits[i].to_ns > since_ns;) {
        double *to = d->handed[wait->cause_lane] + i * d->kind_count;
        if (is_distributed(d, wait->cause_lane, i))
            continue;
        double share = part * (double)overlap(cause->waits[i].from_ns, cause->waits[i].to_ns, since_ns, wait->to_ns);
        for (uint32_t k = 0; k < d->kind_count; k++)
            to[k] += share * (handed[k] + (d->kinds[k] == wait->kind ? own : 0));
    }
    return 1;
}

/* Distributes wait states that end at the same moment, each before that of its cause. A lane has at most one. */
static int distribute_group(struct delays *d, size_t count)
{
    struct item *items = d->group;
    size_t left = count;

    if (count == 1)
        return distribute(d, items);
    for (size_t i = 0; i < count; i++)
        d->in_group[items[i].wait->lane] = (uint32_t)i + 1;
    for (size_t i = 0; i < count; i++)
        if (d->in_group[items[i].wait->cause_lane] && items[i].wait->cause_lane != items[i].wait->lane)
            items[d->in_group[items[i].wait->cause_lane] - 1].needed_by++;
    for (size_t start = 0; left > 0 && start < count; start++)
        for (size_t i = start; d->in_group[items[i].wait->lane] && items[i].needed_by == 0;) {
            uint32_t cause = items[i].wait->cause_lane;
            uint32_t next = cause == items[i].wait->lane ? 0 : d->in_group[cause];
            if (!distribute(d, &items[i]))
                return 0;
            d->in_group[items[i].wait->lane] = 0;
            left--;
            if (!next)
                break;
            i = next - 1;
            items[i].needed_by--;
        }
    for (size_t i = 0; i < count; i++) /* the others wait for one another in a circle: the times contradict this */
        if (d->in_group[items[i].wait->lane]) {
            d->in_group[items[i].wait->lane] = 0;
            d->cached_lane = NONE;
            if (!distribute(d, &items[i]))
                return 0;
        }
    return 1;
}

/* ---- In order of ends -------------------------------------------------------------------------------------------- */

/* The key of a lane's next wait state. PITHI_KEY_DONE is later than all keys: a lane that is done loses against all. */
static uint64_t next_key(const struct delays *d, uint32_t lane)
{
    const struct pithi_analysis_lane *of = &d->a->lanes[lane];
    size_t done = d->turns[lane].done;

    return done < of->wait_count ? pithi_key_of(of->waits[done].to_ns) : PITHI_KEY_DONE;
}

/* Takes the wait states with the next end. Returns their number. */
static size_t next_group(struct delays *d)
{
    uint64_t key = d->tree[0].key;
    size_t count = 0;

    while (key != PITHI_KEY_DONE && d->tree[0].key == key) {
        struct turn *turn = (struct turn *)d->tree[0].player;
        uint32_t lane = turn->player.leaf - d->leaves;
        d->order[d->passed++] = lane;
        d->group[count++].wait = &d->a->lanes[lane].waits[turn->done++];
        d->tree[0] = pithi_tournament_replay(d->tree, &turn->player, next_key(d, lane));
    }
    return count;
}

static int by_cause(const void *a, const void *b)
{
    const struct pithlog_wait_state *x = ((const struct item *)a)->wait, *y = ((const struct item *)b)->wait;
    return x->cause_lane != y->cause_lane ? (x->cause_lane < y->cause_lane ? -1 : 1)
                                          : (x->lane > y->lane) - (x->lane < y->lane);
}

/* Backwards: takes the wait states with the last end. Returns their number. */
static size_t last_group(struct delays *d)
{
    size_t count = 0;

    for (; d->passed > 0; d->passed--, count++) {
        uint32_t lane = d->order[d->passed - 1];
        struct pithlog_wait_state *wait = &d->a->lanes[lane].waits[d->turns[lane].done - 1];
        if (count > 0 && wait->to_ns != d->group[0].wait->to_ns)
            break;
        d->group[count] = (struct item){.wait = wait};
        d->turns[lane].done--;
    }
    if (count > 1)
        qsort(d->group, count, sizeof *d->group, by_cause);
    return count;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static int prepare_profile(struct profile *p, size_t states)
{
    p->in = calloc(states, sizeof *p->in);
    p->used = malloc(states * sizeof *p->used);
    return p->in && p->used;
}

static void free_profile(struct profile *p)
{
    free(p->in);
    free(p->used);
}

static int prepare(struct delays *d)
{
    uint32_t lanes = pithlog_get_info(d->g->log)->lanes;
    size_t waits = 0;

    d->leaves = pithi_tournament_leaves(lanes);
    d->tree = malloc(d->leaves * sizeof *d->tree);
    d->turns = calloc(lanes + (size_t)1, sizeof *d->turns);
    d->group = malloc((lanes + (size_t)1) * sizeof *d->group);
    d->in_group = calloc(lanes + (size_t)1, sizeof *d->in_group);
    d->since = calloc(lanes + (size_t)1, sizeof *d->since);
    d->handed = calloc(lanes + (size_t)1, sizeof *d->handed);
    if (!d->tree || !d->turns || !d->group || !d->in_group || !d->since || !d->handed)
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        if (!(d->since[i] = pithi_scratch_get(&d->scratch, (d->a->lanes[i].wait_count + 1) * sizeof **d->since)))
            return 0;
        waits += d->a->lanes[i].wait_count;
    }
    if (!(d->order = pithi_scratch_get(&d->scratch, (waits + 1) * sizeof *d->order)))
        return 0;
    if (!(d->recent.comms = calloc(pithlog_get_info(d->g->log)->comms + (size_t)1, sizeof *d->recent.comms)) ||
        !find_members(d))
        return 0;
    for (uint32_t i = 0; i < lanes; i++)
        if (!find_common(d, i))
            return 0;
    return prepare_profile(&d->of_cause, states_of(d)) && prepare_profile(&d->of_waiter, states_of(d));
}

/* Reports the part of the window that was passed, from time to time. 1: stop. */
static int report(struct delays *d, int is_backward)
{
    if (d->groups++ % REPORT_GROUPS != 0)
        return 0;
    double passed = (double)(d->group[0].wait->to_ns - d->g->from_ns) / (double)(d->g->to_ns - d->g->from_ns);
    return pithi_stage_part(&d->a->stage, is_backward ? 1 - passed * BACKWARD_SHARE : passed * (1 - BACKWARD_SHARE));
}

/* Finds the common synchronisation of each wait state, and the kinds of waiting. */
static int go_forward(struct delays *d)
{
    uint32_t lanes = pithlog_get_info(d->g->log)->lanes;
    int has_kind[PITHLOG_WAIT_KINDS] = {0};
    size_t count;

    for (uint32_t i = 0; i < lanes; i++) {
        d->turns[i].piece = d->a->lanes[i].last;
        d->turns[i].player = (struct pithi_player){next_key(d, i), d->leaves + i};
    }
    d->tree[0] = pithi_tournament_play(d->tree, d->leaves, 1, d->turns, lanes, sizeof *d->turns);
    while ((count = next_group(d)) > 0 && !report(d, 0)) {
        pithi_scratch_passed(&d->scratch, count * (sizeof **d->since + sizeof *d->order));
        pithi_scratch_passed(&d->a->graph.scratch, count * sizeof(struct pithlog_wait_state));
        for (size_t i = 0; i < count; i++) {
            const struct pithlog_wait_state *wait = d->group[i].wait;
            find_last_wait(d, wait);
            has_kind[wait->kind] = 1;
        }
        for (size_t i = 0; i < count; i++) {
            const struct pithlog_wait_state *wait = d->group[i].wait;
            uint64_t *last = pithi_map_at(&d->pairs, pair_key(wait->lane, wait->cause_lane));
            if (!last)
                return 0;
            *last = pithi_key_of(wait->to_ns);
        }
    }
    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++)
        if (has_kind[kind])
            d->kinds[d->kind_count++] = kind;
    return 1;
}

static int go_backward(struct delays *d)
{
    size_t count;

    for (uint32_t i = 0; i < pithlog_get_info(d->g->log)->lanes; i++)
        if (!(d->handed[i] =
                  pithi_scratch_get(&d->scratch, (d->a->lanes[i].wait_count * d->kind_count + 1) * sizeof **d->handed)))
            return 0;
    while ((count = last_group(d)) > 0 && !report(d, 1))
        if (!distribute_group(d, count))
            return 0;
    return 1;
}

static int by_cost(const void *a, const void *b)
{
    const struct pithlog_delay *x = a, *y = b;
    double x_cost = x->direct_ns + x->indirect_ns, y_cost = y->direct_ns + y->indirect_ns;
    return x_cost != y_cost     ? (x_cost < y_cost ? 1 : -1)
           : x->lane != y->lane ? (x->lane < y->lane ? -1 : 1)
           : x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
                                : (x->state > y->state) - (x->state < y->state);
}

int pithi_analysis_delays(struct pithlog_analysis *a)
{
    struct delays d = {.a = a, .g = &a->graph, .cached_lane = NONE};
    int good = prepare(&d) && go_forward(&d) && go_backward(&d);

    size_t count = 0;

    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++)
        count += d.cells[kind].count;
    a->delays = good ? malloc((count + 1) * sizeof *a->delays) : NULL;
    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++) {
        for (uint32_t i = 0; a->delays && i < d.cells[kind].count; i++) {
            const struct pithi_lane_sum *cell = &d.cells[kind].cells[i];
            a->delays[a->delay_count++] =
                (struct pithlog_delay){cell->lane, cell->state, kind, cell->direct, cell->indirect};
        }
        free(d.cells[kind].cells);
        pithi_map_free(&d.cells[kind].map);
    }
    if (a->delays)
        qsort(a->delays, a->delay_count, sizeof *a->delays, by_cost);
    free(d.handed);
    pithi_scratch_free(&d.scratch);
    free(d.recent.comms);
    free(d.syncs);
    free_profile(&d.of_cause);
    free_profile(&d.of_waiter);
    free(d.tree);
    free(d.turns);
    free(d.group);
    free(d.since);
    free(d.in_group);
    pithi_map_free(&d.members);
    pithi_map_free(&d.pairs);
    return a->delays ? PITH_OK : pithi_analysis_no_memory(a);
}
