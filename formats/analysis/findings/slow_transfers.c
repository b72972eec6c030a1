/* slow_transfers.c - finds transfers that take longer than their peers: messages of certain hosts, and collectives.
 *
 * Peers are calls of the same function that move about as many bytes (the same power of two). A message counts only if
 * its receiver waited. Its transfer is the rest of the receiving call, from the begin of the send. A call that did not
 * wait shows nothing of the network, because its message had arrived before. Messages are compared by pair of hosts: a
 * pair is slow if the median of its messages is SLOW_HOSTS times that of most pairs. A call of a collective is slow if
 * its transfer, which begins when the last rank that it needs has come, is SLOW_COLL times the median of calls with as
 * many ranks.
 *
 *     medians of four pairs of hosts    10, 11, 12 and 30 us: the typical one is 11, so the last pair is slow, and each
 *                                       of its messages costs 19 us
 *
 * Medians are used because the system interrupts some ranks, and a single late message must not make a network look
 * slow. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/graph/bins.h"
#include "analysis/coll_rules.h"
#include "analysis/findings.h"
#include "analysis/replay/network.h"
#include "native/log.h"

enum {
    SLOW_HOSTS = 2,  /* a pair of hosts is slow if its median is this many times the typical one */
    SLOW_COLL = 3,   /* a call is slow if it takes this many medians */
    LEAST_CALLS = 8, /* the median of fewer calls says nothing */
    LEAST_PAIRS = 3, /* with fewer pairs of hosts, no median is typical */
    NEEDS_MOST = 7   /* calls with at least this number of messages are one group */
};

/* Calls that are compared with one another: they have the same function and about as many bytes. */
struct peers {
    uint32_t state, group;        /* group: log2 of the bytes, and number of messages of a call (0: a collective) */
    uint32_t with;                /* collective: number of ranks; messages: the two hosts */
    struct pithi_bins bins;       /* their transfers */
    double median_ns, typical_ns; /* median of these transfers; median of the medians of all pairs of hosts */
    uint32_t lane, other; /* lanes of the slowest transfer: the lane of the call, and the lane that released the call */
    int64_t at_ns, end_ns;   /* begin and end of this call */
    int64_t slowest_ns;      /* duration of this transfer */
    int is_coll, is_message; /* if both are 0: a call that completes a collective of any function */
};

struct transfers {
    struct pithlog_analysis *a; /* not owned */
    struct pithi_map map;       /* (function, group, with): index + 1 */
    struct peers *peers;        /* [count] */
    uint32_t count, room;
    int has_colls; /* 1: there are collectives, so the calls are passed a second time */
};

/* A call with a transfer, within the window. */
struct transfer {
    uint32_t lane, other, state, group, with; /* as in struct peers */
    int64_t begin_ns, from_ns, to_ns;         /* begin of the call; transfer from, to */
};

/* Fills *t and returns 1 if the piece is a call that is compared. */
static int transfer_of(const struct pithlog_analysis *a, const struct pithi_pieces *p, struct transfer *t)
{
    const struct pithi_graph *g = &a->graph;
    const struct pithi_lane_piece *piece = p->piece;
    const struct pithi_need *need = piece->needs ? pithi_graph_decisive(g, piece) : NULL;
    uint32_t lane = p->lane, needs = 0, host, other;

    if (!need || need->lane == PITHI_NO_LANE || !pithi_graph_is_call(g, piece->state))
        return 0;
    *t = (struct transfer){.lane = lane, .other = need->lane, .state = piece->state, .begin_ns = piece->begin_ns};
    t->to_ns = p->next->begin_ns;
    t->from_ns = need->release_ns > t->begin_ns ? need->release_ns : t->begin_ns;
    if (t->begin_ns < g->from_ns || t->to_ns > g->to_ns || t->from_ns >= t->to_ns)
        return 0;
    if (need->of == PITHI_NEED_LANE) {
        host = pithi_host_of(g->log, lane);
        other = pithi_host_of(g->log, need->lane);
        if (need->kind != PITHLOG_LATE_SENDER || t->from_ns == t->begin_ns || host == other ||
            (host | other) > UINT16_MAX)
            return 0;
        t->with = host < other ? host << 16 | other : other << 16 | host;
        for (const struct pithi_need *of = pithi_graph_need(g, piece->needs); of && needs < NEEDS_MOST;
             of = pithi_graph_need(g, of->next))
            needs++;
    } else {
        t->with = pithi_graph_coll(g, need->instance)->members;
    }
    t->group = pithi_log2(need->bytes) << 3 | needs;
    return 1;
}

/* Finds or adds the peers of a transfer. Returns NULL if there is no memory. */
static struct peers *peers_of(struct transfers *all, const struct transfer *t)
{
    uint64_t key = pithi_map_pair(t->state << 8 | t->group, t->with); /* 5 bits of size, 3 of messages */
    int is_message = (t->group & NEEDS_MOST) != 0, is_new;
    struct peers *peers =
        pithi_item_at(&all->map, key, &all->peers, &all->count, &all->room, sizeof *all->peers, &is_new);

    if (!peers || !is_new)
        return peers;
    const char *name = pithlog_get_def(all->a->graph.log, t->state)->name;
    *peers = (struct peers){.state = t->state,
                            .group = t->group,
                            .with = t->with,
                            .lane = t->lane,
                            .other = t->other,
                            .is_message = is_message,
                            .is_coll = !is_message && pithi_coll_rule(name).shape != PITHI_COLL_NONE};
    all->has_colls |= peers->is_coll;
    return peers;
}

static void add_transfer(struct peers *peers, const struct transfer *t)
{
    pithi_bins_add(&peers->bins, t->to_ns - t->from_ns);
    if (t->to_ns - t->from_ns <= peers->slowest_ns)
        return;
    peers->slowest_ns = t->to_ns - t->from_ns;
    peers->lane = t->lane;
    peers->other = t->other;
    peers->at_ns = t->begin_ns;
    peers->end_ns = t->to_ns;
}

static int by_peers(const void *a, const void *b)
{
    const struct peers *x = *(struct peers *const *)a, *y = *(struct peers *const *)b;

    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->median_ns != y->median_ns ? (x->median_ns < y->median_ns ? -1 : 1) : x->with < y->with ? -1 : 1;
}

/* Sets typical_ns of each pair of hosts to the median of the medians of all pairs with the same function and size.
 * Returns 0 if there is no memory. */
static int compare_hosts(struct transfers *all)
{
    struct peers **list = malloc((all->count + (size_t)1) * sizeof *list);
    uint32_t count = 0;

    for (uint32_t i = 0; list && i < all->count; i++) {
        all->peers[i].median_ns = all->peers[i].typical_ns = pithi_bins_median(&all->peers[i].bins);
        if (all->peers[i].is_message && all->peers[i].bins.all >= LEAST_CALLS)
            list[count++] = &all->peers[i];
    }
    if (list)
        qsort(list, count, sizeof *list, by_peers);
    for (uint32_t first = 0, end; list && first < count; first = end) {
        for (end = first;
             end < count && list[end]->state == list[first]->state && list[end]->group == list[first]->group;)
            end++;
        for (uint32_t i = first; i < end && end - first >= LEAST_PAIRS; i++)
            list[i]->typical_ns = list[first + (end - first - 1) / 2]->median_ns;
    }
    free(list);
    return list != NULL;
}

/* Finds or adds the entry of a function, or of a pair of hosts, in `slow`. Returns NULL if there is no memory. */
static struct pithi_slow_transfer *slow_of(struct pithi_slow_transfers *slow, const struct peers *peers)
{
    uint32_t i = 0;

    while (i < slow->count &&
           (slow->list[i].is_coll != peers->is_coll ||
            (peers->is_coll ? slow->list[i].state != peers->state : slow->list[i].with != peers->with)))
        i++;
    if (i == slow->count) {
        if (!pithi_grow(&slow->list, slow->count, &slow->room, sizeof *slow->list))
            return NULL;
        slow->list[slow->count++] = (struct pithi_slow_transfer){.state = peers->state,
                                                                 .with = peers->with,
                                                                 .is_coll = peers->is_coll,
                                                                 .lane = peers->lane,
                                                                 .other = peers->other};
    }
    return &slow->list[i];
}

static int add_slow_hosts(const struct transfers *all, struct pithi_slow_transfers *slow)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const struct peers *peers = &all->peers[i];
        double error_ns = (double)pithlog_clock_error(all->a->graph.log, peers->lane, peers->other);
        double more_ns = peers->median_ns - peers->typical_ns;
        if (!peers->is_message || more_ns < (SLOW_HOSTS - 1) * peers->typical_ns || more_ns <= error_ns)
            continue;
        struct pithi_slow_transfer *sum = slow_of(slow, peers);
        if (!sum)
            return 0;
        if (more_ns * peers->bins.all > sum->most_ns) {
            sum->most_ns = more_ns * peers->bins.all;
            sum->state = peers->state;
            sum->lane = peers->lane;
            sum->other = peers->other;
            sum->at_ns = peers->at_ns;
            sum->end_ns = peers->end_ns;
            sum->slowest_ns = peers->median_ns;
            sum->typical_ns = peers->typical_ns;
        }
        sum->ns += more_ns * peers->bins.all;
        sum->calls += peers->bins.all;
    }
    return 1;
}

static int add_slow_coll(struct transfers *all, const struct transfer *t, struct pithi_slow_transfers *slow)
{
    const struct peers *peers = peers_of(all, t);
    double ns = (double)(t->to_ns - t->from_ns);

    if (!peers || !peers->is_coll || peers->bins.all < LEAST_CALLS)
        return peers != NULL;
    struct pithi_slow_transfer *sum = slow_of(slow, peers);
    if (!sum)
        return 0;
    sum->of++;
    if (ns < SLOW_COLL * peers->median_ns)
        return 1;
    sum->calls++;
    sum->ns += ns - peers->median_ns;
    if (ns - peers->median_ns > sum->most_ns) {
        sum->most_ns = ns - peers->median_ns;
        sum->slowest_ns = ns;
        sum->typical_ns = peers->median_ns;
        sum->lane = t->lane;
        sum->at_ns = t->begin_ns;
        sum->end_ns = t->to_ns;
    }
    return 1;
}

int pithi_slow_transfers_find(struct pithlog_analysis *a, struct pithi_slow_transfers *slow)
{
    struct transfers all = {.a = a};
    struct transfer t;
    struct pithi_pieces p;
    int good = 1;

    for (int is_second = 0; good && is_second < 2; is_second++) {
        uint32_t lanes = is_second && !all.has_colls ? 0 : pithlog_get_info(a->graph.log)->lanes;
        for (uint32_t lane = 0; good && lane < lanes; lane++)
            for (pithi_pieces_begin(&p, a, lane); good && p.index < p.end; pithi_pieces_next(&p)) {
                if (!transfer_of(a, &p, &t))
                    continue;
                struct peers *peers = is_second ? NULL : peers_of(&all, &t);
                good = is_second ? add_slow_coll(&all, &t, slow) : peers != NULL;
                if (peers)
                    add_transfer(peers, &t);
            }
        good = good && (is_second ? add_slow_hosts(&all, slow) : compare_hosts(&all));
    }
    free(all.peers);
    pithi_map_free(&all.map);
    return good;
}
