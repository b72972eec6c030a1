/* delays.c - the root causes of wait states (D. Boehme, M. Geimer, F. Wolf, L. Arnold: Identifying the root causes of
 * wait states in large-scale parallel applications, ICPP 2010; README.md has the rule).
 *
 * A lane that is late is often late because it waited itself. So the cause of a wait state is not the lane that
 * released it, but what that lane did longer than the waiting lane since both were last in step:
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
 * A wait state must have its full weight before it is divided, so wait states are handled from the latest end to the
 * earliest. Among equal ends, as here, a wait state is handled before the wait state of its cause.
 *
 * A forward pass finds, for each wait state, the last common synchronisation of its lane and the cause. A backward pass
 * begins with the latest end. The weight of a wait state is its length plus what later wait states handed to it. It is
 * divided among the states in which the cause spent more time than the waiting lane since that synchronisation. If the
 * cause also waited longer, the share for its waiting is handed to the cause's wait states since that synchronisation.
 *
 * Both passes go by time, so a wait state is mostly on another lane than the wait state before it. In the analysis,
 * wait states are stored lane by lane, and a pass by time would use places of all lanes at once. So the passes work on
 * copies: a *row* has the data of a wait state that the passes need. Time is divided into intervals. The rows of one
 * interval are side by side, and among them the rows of one lane.
 *
 *     waits of lane 0 end at 3, 9, 12; those of lane 1 at 5, 8, 15; an interval lasts 10
 *     rows, with their ends   1: 3   2: 9   3: 5   4: 8   5: 12   6: 15 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/tournament.h"
#include "native/log.h"

#define NONE UINT32_MAX
#define BACKWARD_SHARE 0.8 /* fraction of the time that the backward pass takes */

/* Limits: */
enum {
    REPORT_GROUPS = 1024,     /* groups of wait states with equal ends, between two reports */
    INTERVAL_WAITS = 1 << 16, /* wait states in an interval, about */
    INTERVALS_MOST = 256,     /* intervals */
    COMPARED_AT_ONCE = 2048,  /* wait states that a thread compares at once */
    WALKED_MOST = 64          /* pieces that go_to walks back one by one before it searches in larger steps */
};

/* A wait state, as the passes need it. Rows are numbered from 1 on. */
struct row {
    int64_t from_ns, to_ns, since_ns; /* since_ns: the last common synchronisation of lane and cause_lane */
    uint32_t lane, cause_lane, state, kind;
    uint32_t before, after; /* rows of the lane's wait states before and after this one; 0: none */
    /* [kind_count]: cost handed to this wait state, by the kind of the wait state where the cost arose. */
    double handed[];
};

/* A lane in the tournament that takes wait states in the order of their ends: among the next wait states of all lanes,
 * the earliest wins, and only its lane plays again. The forward pass uses the tournament to find the last wait between
 * two lanes, and to store the order in which the backward pass divides wait states. */
struct turn {
    struct pithi_player player; /* must be first */
    /* row: the lane's next wait state; taken: row of its last wait state that the tournament has taken, 0: none. */
    uint32_t row, taken;
};

/* A wait state in a group of equal ends. */
struct item {
    struct row *wait;
    uint32_t row, needed_by; /* number of items in the group that hand costs to this wait state */
};

/* An entry of the order in which wait states are divided. The backward pass reads the entries from the last to the
 * first. */
struct ordered {
    uint32_t row;
    uint32_t of_cause; /* row of the cause's last wait state that is divided after this one; 0: none */
};

/* A synchronisation of a lane: an instance of a synchronising collective, such as a barrier, that the lane took part
 * in. */
struct sync {
    int64_t at_ns; /* when its last member began */
    uint32_t comm;
};

/* A list of the communicators on which a lane synchronised. The communicator with the latest synchronisation is the
 * first. */
struct recent {
    uint32_t first; /* a communicator; NONE: the list is empty */
    struct recent_comm {
        int64_t at_ns;         /* latest synchronisation of the lane on this communicator */
        uint32_t next, before; /* communicators after and before this one in the list; NONE: there is none */
        int is_listed;         /* 0: the lane has not synchronised on this communicator yet */
    } * comms;                 /* [communicators] */
};

/* The times of a lane in its states during an interval. */
struct profile {
    struct spent {
        double ns;         /* time in the state since the last common synchronisation */
        int is_used;       /* 1: `ns` was set; `used` names the state */
    } * in;                /* by state; [defs]: outside all states, [defs + 1]: waiting */
    uint32_t *used, count; /* the states with a time */
};

/* The states in which the cause of a wait state spent more time than the waiting lane. */
struct compared {
    /* In ns. `sum`: by how much the cause spent longer, over the states in which it did. `waiting`: by how much the
     * cause waited longer; below 0 if it waited less. `cause_waiting`: how long the cause waited. */
    double sum, waiting, cause_waiting;
    uint32_t delays; /* number of states in which the cause spent longer; waiting does not count */
};
struct longer {
    double ns;
    uint32_t state;
};

/* What a thread needs to compare lanes. A comparison uses only results of the forward pass. So threads compare
 * COMPARED_AT_ONCE wait states at a time, before the backward pass comes to them. */
struct comparing {
    struct pithlog_analysis own; /* a copy for this thread, which counts the scratch memory that the thread passes */
    struct near {
        const struct pithi_lane_piece *piece; /* the piece where the last search on the lane ended; NULL: none yet */
        uint32_t index;                       /* number of this piece */
    } * near;                                 /* [lanes]: where the last search ended */
    struct profile of_cause, of_waiter;
    uint32_t cached_lane, cached_row;     /* lane and row for which `of_cause` was found last; lane NONE: none */
    int64_t cached_from_ns, cached_to_ns; /* the interval of `of_cause` */
    struct compared *compared;            /* [COMPARED_AT_ONCE] */
    struct longer *longer;                /* the states of all compared wait states, one after another */
    uint32_t longer_count, longer_room;
};

struct delays {
    struct pithlog_analysis *a; /* gets the delays */
    const struct pithi_graph *g;
    struct turn *turns;           /* [lanes] */
    struct pithi_loser *tree;     /* the tournament of the turns */
    uint32_t leaves;              /* a power of two, at least the number of lanes */
    struct item *group;           /* [lanes]: wait states with equal ends */
    struct pithi_scratch scratch; /* memory of `rows` and `order` */
    char *rows;                   /* struct row */
    size_t row_size, row_count;
    uint32_t intervals;   /* number of intervals */
    uint64_t interval_ns; /* length of an interval */
    uint32_t *first;      /* [lanes]: the first row; 0: none */
    struct ordered *order;
    size_t passed;            /* wait states that the tournament has taken */
    struct pithi_map members; /* has the key communicator << 32 | lane if the lane synchronises on the communicator */
    struct recent recent;
    struct sync *syncs; /* synchronisations of one lane */
    uint32_t sync_count, sync_room;
    struct pithi_map pairs; /* pair of lanes: end of the last wait state between them, as a key (pithi_key_of) */
    struct comparing comparing[PITHI_THREADS_MOST];   /* by thread */
    struct pithi_lane_sums cells[PITHLOG_WAIT_KINDS]; /* delays by the kind of waiting that they caused */
    uint32_t kinds[PITHLOG_WAIT_KINDS], kind_count;   /* the kinds of wait states in this log */
    uint32_t *in_group;                               /* [lanes]: 1 + index of the lane's item in `group`; 0: none */
};

static struct row *row_at(const struct delays *d, uint32_t number)
{
    return (struct row *)(void *)(d->rows + (number - (size_t)1) * d->row_size);
}

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

/* Sets `syncs` to the synchronisations of a lane, by time. MPI_Finalize is left out, because no wait state comes after
 * it. */
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

/* Returns the index of the interval that a wait state ends in. */
static uint32_t interval_of(const struct delays *d, int64_t to_ns)
{
    uint64_t interval = to_ns > d->g->from_ns ? ((uint64_t)to_ns - (uint64_t)d->g->from_ns) / d->interval_ns : 0;
    return interval < d->intervals ? (uint32_t)interval : d->intervals - 1;
}

/* Makes the rows of a lane, one for each wait state. Sets since_ns of a row to the latest collective before the wait
 * state that synchronised the lane and the cause. `next`: [intervals], the next free row in each interval.
 *
 * Lanes are members of many communicators, but mostly synchronise in few. So the search goes through the communicators
 * of the lane from the latest synchronisation back. It ends at the first communicator that also has the cause as a
 * member. */
static int make_rows(struct delays *d, uint32_t lane, uint32_t *next)
{
    const struct pithi_analysis_lane *of = &d->a->lanes[lane];
    struct recent *r = &d->recent;
    uint32_t passed = 0, before = 0, at, comm;

    if (!collect_syncs(d, lane))
        return 0;
    r->first = NONE;
    for (size_t i = 0; i < of->wait_count; i++) {
        const struct pithlog_wait_state *wait = &of->waits[i];
        uint32_t number = next[interval_of(d, wait->to_ns)]++;
        struct row *row = row_at(d, number);
        pithi_scratch_passed(&d->scratch, sizeof *wait + d->row_size);
        for (; passed < d->sync_count && d->syncs[passed].at_ns <= wait->from_ns; passed++)
            to_front(r, &d->syncs[passed]);
        *row = (struct row){wait->from_ns, wait->to_ns, d->g->from_ns, lane, wait->cause_lane,
                            wait->state,   wait->kind,  before,        0};
        for (comm = r->first; comm != NONE && r->comms[comm].at_ns > d->g->from_ns; comm = r->comms[comm].next)
            if (pithi_map_get(&d->members, pithi_map_pair(comm, wait->cause_lane), &at)) {
                row->since_ns = r->comms[comm].at_ns;
                break;
            }
        *(before ? &row_at(d, before)->after : &d->first[lane]) = number;
        before = number;
    }
    d->turns[lane].row = d->first[lane];
    for (comm = r->first; comm != NONE; comm = r->comms[comm].next)
        r->comms[comm].is_listed = 0;
    return 1;
}

static uint64_t pair_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* Sets since_ns to the end of the last wait state between the two lanes, if it is later than their latest common
 * collective. Such an end synchronises the lanes, too: they met there. */
static void find_last_wait(struct delays *d, struct row *wait)
{
    const uint64_t *last = pithi_map_find(&d->pairs, pair_key(wait->lane, wait->cause_lane));

    if (last && *last <= pithi_key_of(wait->from_ns) && *last > pithi_key_of(wait->since_ns))
        wait->since_ns = pithi_time_of(*last);
}

/* ---- Times of a lane in its states during an interval ------------------------------------------------------------ */

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

/* Returns the last piece that begins before time_ns, and sets *at to its index. At the call, *at is the index of a
 * later piece, from which the search goes back in steps that double. */
static const struct pithi_lane_piece *find_before(const struct pithi_graph *g, uint32_t lane, int64_t time_ns,
                                                  uint32_t *at)
{
    uint32_t low, high = *at, step = 1;

    for (; high > step && pithi_graph_piece(g, lane, high - step)->begin_ns >= time_ns; step *= 2)
        high -= step;
    for (low = high > step ? high - step : 0; high - low > 1;) {
        uint32_t middle = low + (high - low) / 2;
        if (pithi_graph_piece(g, lane, middle)->begin_ns >= time_ns)
            high = middle;
        else
            low = middle;
    }
    *at = low;
    return pithi_graph_piece(g, lane, low);
}

/* Returns the last piece of a lane that begins before time_ns, and sets *index to its index. The search starts at the
 * result of the last call, because time_ns is mostly a little smaller than in the last call. */
static const struct pithi_lane_piece *go_to(struct comparing *c, uint32_t lane, int64_t time_ns, uint32_t *index)
{
    const struct pithi_graph *g = &c->own.graph;
    struct near *near = &c->near[lane];
    uint32_t at = near->piece ? near->index : c->own.lanes[lane].last;
    const struct pithi_lane_piece *piece = near->piece ? near->piece : pithi_graph_piece(g, lane, at);

    for (uint32_t walked = 0; at > 0 && piece->begin_ns >= time_ns; at--) {
        /* the piece may be far, because other threads compare the wait states in between */
        if (walked++ == WALKED_MOST) {
            piece = find_before(g, lane, time_ns, &at);
            break;
        }
        piece = pithi_graph_before(g, lane, piece, at);
    }
    for (; at + 1 < c->own.lanes[lane].last; at++) {
        const struct pithi_lane_piece *next = pithi_graph_next(g, lane, piece, at);
        if (next->begin_ns >= time_ns)
            break;
        piece = next;
    }
    near->piece = piece;
    *index = near->index = at;
    return piece;
}

/* Sums the time of a lane in [from_ns, to_ns) by state. Wait states count as waiting, not as time in the state of their
 * call. `row`: the lane's last wait state that can begin before to_ns.
 *
 * In the example at the top of this file, rank 1 has computing 3 and waiting 2 in 0-5; rank 2 has computing 1 in 0-1.
 */
static void profile(const struct delays *d, struct comparing *c, uint32_t lane, int64_t from_ns, int64_t to_ns,
                    uint32_t row, struct profile *p)
{
    size_t outside = pithlog_get_info(d->g->log)->defs;

    for (; p->count > 0; p->count--)
        p->in[p->used[p->count - 1]] = (struct spent){0};
    if (from_ns < to_ns) {
        uint32_t last, i;
        const struct pithi_lane_piece *piece = go_to(c, lane, to_ns, &last);
        int64_t end_ns = to_ns;
        for (i = last; i > 0 && piece->begin_ns > from_ns; piece = pithi_graph_before(d->g, lane, piece, i--)) {
            spend(p, piece->state == PITHLOG_COMPUTING ? outside : piece->state, (double)(end_ns - piece->begin_ns));
            end_ns = piece->begin_ns;
        }
        spend(p, piece->state == PITHLOG_COMPUTING ? outside : piece->state, (double)(end_ns - from_ns));
        pithi_scratch_passed(&c->own.graph.scratch, (last - i) * sizeof *piece);
    }
    for (const struct row *wait; row && (wait = row_at(d, row))->to_ns > from_ns; row = wait->before) {
        double waited = (double)overlap(wait->from_ns, wait->to_ns, from_ns, to_ns);
        spend(p, wait->state, -waited);
        spend(p, outside + 1, waited);
    }
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

/* Compares the times of the cause of a wait state with those of the waiting lane. Returns 0 if there is no memory. */
static int compare(const struct delays *d, struct comparing *c, const struct ordered *at, struct compared *result)
{
    const struct row *wait = row_at(d, at->row);
    size_t waiting = states_of(d) - 1;

    *result = (struct compared){0};
    pithi_scratch_passed(&c->own.graph.scratch, d->row_size);
    if (wait->cause_lane == wait->lane)
        return 1;
    if (c->cached_lane != wait->cause_lane || c->cached_row != at->of_cause || c->cached_from_ns != wait->since_ns ||
        c->cached_to_ns != wait->to_ns) {
        profile(d, c, wait->cause_lane, wait->since_ns, wait->to_ns, at->of_cause, &c->of_cause);
        c->cached_lane = wait->cause_lane;
        c->cached_row = at->of_cause;
        c->cached_from_ns = wait->since_ns;
        c->cached_to_ns = wait->to_ns;
    }
    profile(d, c, wait->lane, wait->since_ns, wait->from_ns, wait->before, &c->of_waiter);
    result->cause_waiting = c->of_cause.in[waiting].ns;
    result->waiting = c->of_cause.in[waiting].ns - c->of_waiter.in[waiting].ns;
    for (uint32_t i = 0; i < c->of_cause.count; i++) {
        uint32_t state = c->of_cause.used[i];
        double delay = c->of_cause.in[state].ns - c->of_waiter.in[state].ns;
        result->sum += delay > 0 ? delay : 0;
        if (delay <= 0 || state == waiting)
            continue;
        if (!pithi_grow(&c->longer, c->longer_count, &c->longer_room, sizeof *c->longer))
            return 0;
        c->longer[c->longer_count++] = (struct longer){delay, state};
        result->delays++;
    }
    return 1;
}

/* ---- Backwards --------------------------------------------------------------------------------------------------- */

/* Adds the cost of a wait state to the delays that caused the wait state. Returns 0 if there is no memory. */
static int add_costs(struct delays *d, const struct row *wait, const struct compared *of, const struct longer *longer)
{
    size_t outside = states_of(d) - 2;
    double own = (double)(wait->to_ns - wait->from_ns);

    for (uint32_t i = 0; i < of->delays; i++)
        for (uint32_t k = 0; k < d->kind_count; k++) {
            if (d->kinds[k] != wait->kind && wait->handed[k] == 0)
                continue;
            struct pithi_lane_sum *cell =
                pithi_lane_sums_get(&d->cells[d->kinds[k]], wait->cause_lane,
                                    longer[i].state == outside ? PITHLOG_COMPUTING : longer[i].state);
            if (!cell)
                return 0;
            cell->direct += d->kinds[k] == wait->kind ? own * longer[i].ns / of->sum : 0;
            cell->indirect += wait->handed[k] * longer[i].ns / of->sum;
        }
    return 1;
}

/* Adds the cost of a late notice to its only cause, the polling loop. Returns 0 if there is no memory. */
static int add_own(struct delays *d, const struct row *wait)
{
    for (uint32_t k = 0; k < d->kind_count; k++) {
        double own = d->kinds[k] == wait->kind ? (double)(wait->to_ns - wait->from_ns) : 0;
        if (own + wait->handed[k] <= 0)
            continue;
        struct pithi_lane_sum *cell = pithi_lane_sums_get(&d->cells[d->kinds[k]], wait->lane, wait->state);
        if (!cell)
            return 0;
        cell->direct += own;
        cell->indirect += wait->handed[k];
    }
    return 1;
}

/* Divides the weight of a wait state, that is, its length plus the costs handed to it. The handed costs are kept by the
 * kind of the wait state where they arose. Each state gets a share in proportion to the time that the cause spent in it
 * longer than the waiting lane. Example: the cause computed 6 longer and waited 2 longer. A weight of 4 is divided into
 * 3 for computing and 1 that is handed on. */
static int distribute(struct delays *d, const struct ordered *at, const struct compared *of,
                      const struct longer *longer)
{
    const struct row *wait = row_at(d, at->row);
    double own = (double)(wait->to_ns - wait->from_ns);

    if (wait->cause_lane == wait->lane)
        return add_own(d, wait);
    if (of->sum > 0 && !add_costs(d, wait, of, longer))
        return 0;
    if (of->waiting <= 0)
        return 1;
    double part = of->waiting / of->sum / of->cause_waiting;
    uint32_t row = at->of_cause;
    for (struct row *to; row && (to = row_at(d, row))->to_ns > wait->since_ns; row = to->before) {
        double share = part * (double)overlap(to->from_ns, to->to_ns, wait->since_ns, wait->to_ns);
        for (uint32_t k = 0; k < d->kind_count; k++)
            to->handed[k] += share * (wait->handed[k] + (d->kinds[k] == wait->kind ? own : 0));
    }
    return 1;
}

/* ---- In order of ends -------------------------------------------------------------------------------------------- */

/* Returns the key of a wait state in the tournament. A lane without a next wait state has PITHI_KEY_DONE, which is
 * larger than all other keys, so it loses against all other lanes. */
static uint64_t key_of(const struct delays *d, uint32_t row)
{
    return row ? pithi_key_of(row_at(d, row)->to_ns) : PITHI_KEY_DONE;
}

/* Sets `group` to the wait states with the next end. Returns their number. */
static size_t next_group(struct delays *d)
{
    uint64_t key = d->tree[0].key;
    size_t count = 0;

    while (key != PITHI_KEY_DONE && d->tree[0].key == key) {
        struct turn *turn = (struct turn *)d->tree[0].player;
        struct row *wait = row_at(d, turn->row);
        d->group[count++] = (struct item){.wait = wait, .row = turn->row};
        d->passed++;
        turn->row = wait->after;
        d->tree[0] = pithi_tournament_replay(d->tree, &turn->player, key_of(d, wait->after));
    }
    return count;
}

static int by_cause(const void *a, const void *b)
{
    const struct row *x = ((const struct item *)a)->wait, *y = ((const struct item *)b)->wait;
    return x->cause_lane != y->cause_lane ? (x->cause_lane < y->cause_lane ? -1 : 1)
                                          : (x->lane > y->lane) - (x->lane < y->lane);
}

/* Stores a wait state in the order. The places of a group are filled from the last to the first. of_cause becomes the
 * cause's own wait state in this group if that is not placed yet, otherwise the cause's last wait state before the
 * group. A wait state of the cause that is already placed is not used. It would have to come later in the order, so
 * clocks are wrong. */
static void place(struct delays *d, const struct item *item, struct ordered **end)
{
    uint32_t cause = item->wait->cause_lane;

    *--*end =
        (struct ordered){item->row, d->in_group[cause] ? d->group[d->in_group[cause] - 1].row : d->turns[cause].taken};
}

/* Stores a group, whose wait states end at the same moment, in the order. Each is divided before the wait state of its
 * cause. A lane has at most one wait state in a group. */
static void place_group(struct delays *d, size_t count)
{
    struct item *items = d->group;
    struct ordered *end = d->order + d->passed;
    size_t left = count;

    if (count == 1) {
        place(d, items, &end);
        return;
    }
    qsort(items, count, sizeof *items, by_cause);
    for (size_t i = 0; i < count; i++)
        d->in_group[items[i].wait->lane] = (uint32_t)i + 1;
    for (size_t i = 0; i < count; i++)
        if (d->in_group[items[i].wait->cause_lane] && items[i].wait->cause_lane != items[i].wait->lane)
            items[d->in_group[items[i].wait->cause_lane] - 1].needed_by++;
    for (size_t start = 0; left > 0 && start < count; start++)
        for (size_t i = start; d->in_group[items[i].wait->lane] && items[i].needed_by == 0;) {
            uint32_t cause = items[i].wait->cause_lane;
            uint32_t next = cause == items[i].wait->lane ? 0 : d->in_group[cause];
            place(d, &items[i], &end);
            d->in_group[items[i].wait->lane] = 0;
            left--;
            if (!next)
                break;
            i = next - 1;
            items[i].needed_by--;
        }
    /* The remaining ones wait for one another in a circle, so clocks are wrong and no order is right. */
    for (size_t i = 0; i < count; i++)
        if (d->in_group[items[i].wait->lane]) {
            d->in_group[items[i].wait->lane] = 0;
            place(d, &items[i], &end);
        }
}

/* ---- All passes -------------------------------------------------------------------------------------------------- */

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

static int prepare_comparing(const struct delays *d, struct comparing *c)
{
    c->cached_lane = NONE;
    c->near = calloc(pithlog_get_info(d->g->log)->lanes + (size_t)1, sizeof *c->near);
    c->compared = malloc(COMPARED_AT_ONCE * sizeof *c->compared);
    c->own = pithi_analysis_beside(d->a);
    return c->near && c->compared && prepare_profile(&c->of_cause, states_of(d)) &&
           prepare_profile(&c->of_waiter, states_of(d));
}

static void free_comparing(struct comparing *c)
{
    pithi_analysis_end_beside(&c->own);
    free(c->near);
    free(c->compared);
    free(c->longer);
    free_profile(&c->of_cause);
    free_profile(&c->of_waiter);
}

/* Counts wait states by interval, finds their kinds, and allocates their rows. Sets next[interval] to the first row of
 * each interval. */
static int count_waits(struct delays *d, uint32_t lanes, uint32_t *next)
{
    int has_kind[PITHLOG_WAIT_KINDS] = {0};
    uint32_t count, row = 1;

    for (uint32_t lane = 0; lane < lanes; lane++)
        for (size_t i = 0; i < d->a->lanes[lane].wait_count; i++) {
            const struct pithlog_wait_state *wait = &d->a->lanes[lane].waits[i];
            pithi_scratch_passed(&d->a->graph.scratch, sizeof *wait);
            next[interval_of(d, wait->to_ns)]++;
            has_kind[wait->kind] = 1;
        }
    for (uint32_t i = 0; i < d->intervals; i++, row += count) {
        count = next[i];
        next[i] = row;
    }
    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++)
        if (has_kind[kind])
            d->kinds[d->kind_count++] = kind;
    d->row_size = sizeof(struct row) + d->kind_count * sizeof(double);
    d->rows = pithi_scratch_get(&d->scratch, (d->row_count + 1) * d->row_size);
    d->order = pithi_scratch_get(&d->scratch, (d->row_count + 1) * sizeof *d->order);
    return d->rows && d->order;
}

static int prepare_rows(struct delays *d, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        d->row_count += d->a->lanes[i].wait_count;
    if (d->row_count >= UINT32_MAX)
        return 0;
    d->intervals =
        d->row_count / INTERVAL_WAITS < INTERVALS_MOST ? (uint32_t)d->row_count / INTERVAL_WAITS + 1 : INTERVALS_MOST;
    d->interval_ns = ((uint64_t)d->g->to_ns - (uint64_t)d->g->from_ns) / d->intervals + 1;
    uint32_t *next = calloc(d->intervals, sizeof *next);
    int good = next && count_waits(d, lanes, next) && find_members(d);
    for (uint32_t i = 0; good && i < lanes; i++)
        good = make_rows(d, i, next);
    free(next);
    return good;
}

static int prepare(struct delays *d)
{
    uint32_t lanes = pithlog_get_info(d->g->log)->lanes;

    d->leaves = pithi_tournament_leaves(lanes);
    d->tree = malloc(d->leaves * sizeof *d->tree);
    d->turns = calloc(lanes + (size_t)1, sizeof *d->turns);
    d->group = malloc((lanes + (size_t)1) * sizeof *d->group);
    d->in_group = calloc(lanes + (size_t)1, sizeof *d->in_group);
    d->first = calloc(lanes + (size_t)1, sizeof *d->first);
    d->recent.comms = calloc(pithlog_get_info(d->g->log)->comms + (size_t)1, sizeof *d->recent.comms);
    return d->tree && d->turns && d->group && d->in_group && d->first && d->recent.comms && prepare_rows(d, lanes);
}

/* Reports the progress: the pass that is under way has come to time_ns. Returns 1 if the work shall stop. */
static int report(const struct delays *d, int is_backward, int64_t time_ns)
{
    double passed = (double)(time_ns - d->g->from_ns) / (double)(d->g->to_ns - d->g->from_ns);
    return pithi_stage_part(&d->a->stage, is_backward ? 1 - passed * BACKWARD_SHARE : passed * (1 - BACKWARD_SHARE));
}

/* Finds the last synchronisation of each wait state's two lanes, and the order in which the wait states are divided. */
static int go_forward(struct delays *d)
{
    uint32_t lanes = pithlog_get_info(d->g->log)->lanes, groups = 0;
    size_t count;

    for (uint32_t i = 0; i < lanes; i++)
        d->turns[i].player = (struct pithi_player){key_of(d, d->turns[i].row), d->leaves + i};
    d->tree[0] = pithi_tournament_play(d->tree, d->leaves, 1, d->turns, lanes, sizeof *d->turns);
    while ((count = next_group(d)) > 0) {
        if (groups++ % REPORT_GROUPS == 0 && report(d, 0, d->group[0].wait->to_ns))
            break;
        pithi_scratch_passed(&d->scratch, count * (d->row_size + sizeof *d->order));
        place_group(d, count);
        for (size_t i = 0; i < count; i++)
            find_last_wait(d, d->group[i].wait);
        for (size_t i = 0; i < count; i++) {
            const struct row *wait = d->group[i].wait;
            uint64_t *last = pithi_map_at(&d->pairs, pair_key(wait->lane, wait->cause_lane));
            if (!last)
                return 0;
            *last = pithi_key_of(wait->to_ns);
            d->turns[wait->lane].taken = d->group[i].row;
        }
    }
    return 1;
}

/* The order of the wait states is known, so the data of a wait state can be fetched into the processor's caches before
 * the wait state is compared. First its row is fetched. A little later, when the row is in the cache, the `near` of
 * both lanes is fetched; then the pieces that `near` points to. These functions are inlined because gcc drops calls of
 * a function that only prefetches. */
enum { FETCH_ROWS = 24, FETCH_PLACES = 16, FETCH_PIECES = 8, LINE = 64, LINES = 3 };

static inline __attribute__((always_inline)) void fetch_row(const struct delays *d, uint32_t number)
{
    const char *row = number ? (const char *)row_at(d, number) : NULL;

    if (row) {
        __builtin_prefetch(row);
        __builtin_prefetch(row + d->row_size - 1);
    }
}

static inline __attribute__((always_inline)) void fetch_ahead(const struct delays *d, const struct comparing *c,
                                                              const struct ordered *at, size_t left)
{
    if (left <= FETCH_ROWS)
        return;
    fetch_row(d, at[-FETCH_ROWS].row);
    fetch_row(d, at[-FETCH_ROWS].of_cause);
    const struct row *wait = row_at(d, at[-FETCH_PLACES].row);
    __builtin_prefetch(&c->near[wait->lane]);
    __builtin_prefetch(&c->near[wait->cause_lane]);
    wait = row_at(d, at[-FETCH_PIECES].row);
    const struct near *own = &c->near[wait->lane], *cause = &c->near[wait->cause_lane];
    /* Addresses are computed as integers, because `piece` may be NULL. Prefetching an invalid address is harmless. */
    for (uintptr_t i = 0; i <= LINES; i++) {
        __builtin_prefetch((const void *)((uintptr_t)own->piece + sizeof *own->piece - i * LINE));
        __builtin_prefetch((const void *)((uintptr_t)cause->piece + sizeof *cause->piece - i * LINE));
    }
    if (wait->before)
        __builtin_prefetch(row_at(d, wait->before));
}

/* Finds part number `part` of the array d->order. Part 0 is the last COMPARED_AT_ONCE wait states of the array, part 1
 * those before them, and so on. Returns a pointer behind the part's last wait state, and sets *count to the number of
 * its wait states. */
static const struct ordered *part_of_order(const struct delays *d, uint32_t part, size_t *count)
{
    size_t end = d->row_count - (size_t)part * COMPARED_AT_ONCE;

    *count = end < COMPARED_AT_ONCE ? end : COMPARED_AT_ONCE;
    return d->order + end;
}

static int compare_part(void *context, unsigned thread, uint32_t part)
{
    struct delays *d = context;
    struct comparing *c = &d->comparing[thread];
    size_t count;
    const struct ordered *at = part_of_order(d, part, &count);

    if (thread == 0 && report(d, 1, row_at(d, at[-1].row)->to_ns))
        return 0;
    c->longer_count = 0;
    for (size_t i = 0; i < count; i++) {
        at--;
        fetch_ahead(d, c, at, (size_t)(at - d->order));
        if (!compare(d, c, at, &c->compared[i]))
            return 0;
    }
    return 1;
}

static int distribute_part(void *context, unsigned thread, uint32_t part)
{
    struct delays *d = context;
    const struct comparing *c = &d->comparing[thread];
    const struct longer *longer = c->longer;
    size_t count;
    const struct ordered *at = part_of_order(d, part, &count);

    for (size_t i = 0; i < count; longer += c->compared[i++].delays) {
        at--;
        if (at - d->order > FETCH_ROWS) {
            fetch_row(d, at[-FETCH_ROWS].row);
            fetch_row(d, at[-FETCH_ROWS].of_cause);
        }
        if (!distribute(d, at, &c->compared[i], longer))
            return 0;
    }
    return 1;
}

static int go_backward(struct delays *d)
{
    struct pithi_parts parts = {.count = (uint32_t)((d->row_count + COMPARED_AT_ONCE - 1) / COMPARED_AT_ONCE),
                                .threads = d->a->threads,
                                .work = compare_part,
                                .finish = distribute_part,
                                .context = d};
    int good = 1;

    for (unsigned i = 0; good && i < d->a->threads; i++)
        good = prepare_comparing(d, &d->comparing[i]);
    return good && (d->a->stage.is_stopped || pithi_parts_do(&parts) || d->a->stage.is_stopped);
}

/* Stores in each wait state the cost that later wait states handed to it. */
static void tell_handed(struct delays *d)
{
    for (uint32_t lane = 0; lane < pithlog_get_info(d->g->log)->lanes; lane++) {
        struct pithlog_wait_state *wait = d->a->lanes[lane].waits;
        const struct row *of;
        for (uint32_t row = d->first[lane]; row; row = of->after, wait++) {
            of = row_at(d, row);
            pithi_scratch_passed(&d->scratch, d->row_size + sizeof *wait);
            for (uint32_t k = 0; k < d->kind_count; k++)
                if (of->handed[k] > 0) /* adds no zeros, as a store into the temporary file may cost a page fault */
                    wait->handed_ns += of->handed[k];
        }
    }
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
    struct delays d = {.a = a, .g = &a->graph};
    size_t count = 0;

    d.scratch = pithi_scratch_beside(&a->graph.scratch);
    int good = prepare(&d) && go_forward(&d) && go_backward(&d);

    if (good)
        tell_handed(&d);
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
    pithi_scratch_free(&d.scratch);
    free(d.recent.comms);
    free(d.syncs);
    for (unsigned i = 0; i < a->threads; i++)
        free_comparing(&d.comparing[i]);
    free(d.tree);
    free(d.turns);
    free(d.group);
    free(d.first);
    free(d.in_group);
    pithi_map_free(&d.members);
    pithi_map_free(&d.pairs);
    return a->delays ? PITH_OK : pithi_analysis_no_memory(a);
}
