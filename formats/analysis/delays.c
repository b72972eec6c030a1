/* delays.c - the root causes of wait states (Boehme et al. 2010; README.md has the rule).
 *
 * A forward pass finds, for each wait state, the last common synchronisation of its lane and the cause. A backward pass
 * begins with the latest end. The weight of a wait state is its length plus what later wait states handed to it. It is
 * divided among the states in which the cause spent more time than the waiting lane since that synchronisation. If the
 * cause waited longer, this part is handed to its wait states in that time. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "native/log.h"

#define NONE UINT32_MAX

/* A wait state, in order of its end. */
struct item {
    int64_t to_ns, since_ns; /* since: the common synchronisation */
    struct pithlog_wait_state *wait;
    uint32_t needed_by; /* in a group of equal ends: number of items that hand costs to this one */
};

/* Synchronising instances of a communicator: their last begins, ascending, are moments[first .. first + count). */
struct syncs {
    uint32_t first, count;
};

struct delays {
    struct pithlog_analysis *a;
    const struct pithi_graph *g;
    struct item *items;
    size_t count;
    struct pithi_scratch scratch; /* memory of `items` and `handed` */
    uint64_t steps;
    int64_t *moments;
    struct syncs *comms;      /* [communicators + 1]; the last: MPI_Finalize */
    struct pithi_map members; /* communicator << 32 | lane */
    uint32_t **lane_comms;    /* [lanes]: communicators with such instances; ends with NONE */
    struct pithi_map pairs;   /* pair of lanes: index in `last` */
    int64_t *last;            /* end of the last wait state between them */
    uint32_t pair_count, pair_room;
    double *of_cause, *of_waiter; /* time by state; [defs]: outside all states, [defs + 1]: waiting */
    uint32_t cached_lane;         /* of_cause holds this lane and interval; NONE: nothing */
    int64_t cached_from_ns, cached_to_ns;
    struct pithi_lane_sums cells[PITHLOG_WAIT_KINDS]; /* delays by the kind of waiting that they caused */
    double **handed; /* [lanes][wait states][PITHLOG_WAIT_KINDS]: handed_ns by the kind of the first waiting;
                      * [0]: 1 after the wait state was distributed; it then takes no more costs */
    uint32_t *in_group; /* [lanes]: 1 + the item of this lane in the group of equal ends */
};

static size_t states_of(const struct delays *d) { return pithlog_get_info(d->g->log)->defs + (size_t)2; }

/* ---- Common synchronisations ------------------------------------------------------------------------------------- */

static int is_sync(const struct pithi_graph_coll *coll)
{
    return coll->members > 0 && (coll->kind == PITHLOG_WAIT_AT_BARRIER || coll->kind == PITHLOG_WAIT_AT_NXN);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Collects the synchronising instances of each communicator and the lanes that took part. MPI_Finalize synchronises
 * only after the last wait state, so it does not count. */
static int collect_syncs(struct delays *d)
{
    const struct pithi_graph *g = d->g;
    const struct pithlog_info *info = pithlog_get_info(g->log);
    uint32_t total = 0;

    d->comms = calloc(info->comms + (size_t)1, sizeof *d->comms);
    d->lane_comms = calloc(info->lanes + (size_t)1, sizeof *d->lane_comms);
    d->moments = malloc((g->colls.count + (size_t)1) * sizeof *d->moments);
    if (!d->comms || !d->lane_comms || !d->moments)
        return 0;
    for (uint32_t i = 0; i < g->colls.count; i++)
        d->comms[pithi_graph_coll(g, i)->comm].count += (uint32_t)is_sync(pithi_graph_coll(g, i));
    for (uint32_t i = 0; i < info->comms; i++) {
        d->comms[i].first = total;
        total += d->comms[i].count;
        d->comms[i].count = 0;
    }
    for (uint32_t i = 0; i < g->colls.count; i++) {
        const struct pithi_graph_coll *coll = pithi_graph_coll(g, i);
        if (is_sync(coll))
            d->moments[d->comms[coll->comm].first + d->comms[coll->comm].count++] = coll->last_ns;
    }
    for (uint32_t i = 0; i < info->comms; i++)
        qsort(d->moments + d->comms[i].first, d->comms[i].count, sizeof *d->moments, by_time);
    for (uint32_t lane = 0; lane < info->lanes; lane++) {
        const struct pithi_chunks *members = &g->lanes[lane].members;
        uint32_t known, count = 0, room = 0;
        for (uint32_t i = 0; i < members->count; i++) {
            const struct pithi_graph_member *member = pithi_chunks_at(members, i, sizeof *member);
            const struct pithi_graph_coll *coll = pithi_graph_coll(g, member->instance);
            uint64_t key = (uint64_t)coll->comm << 32 | lane;
            if (!is_sync(coll) || pithi_map_get(&d->members, key, &known))
                continue;
            if (!pithi_map_put(&d->members, key, 1) ||
                !pithi_grow(&d->lane_comms[lane], count, &room, sizeof **d->lane_comms))
                return 0;
            d->lane_comms[lane][count++] = coll->comm;
        }
        if (!pithi_grow(&d->lane_comms[lane], count, &room, sizeof **d->lane_comms))
            return 0;
        d->lane_comms[lane][count] = NONE;
    }
    return 1;
}

/* The latest synchronisation of a communicator up to a moment; INT64_MIN: none. */
static int64_t sync_before(const struct delays *d, uint32_t comm, int64_t time_ns)
{
    const int64_t *moments = d->moments + d->comms[comm].first;
    uint32_t low = 0, high = d->comms[comm].count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (moments[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? moments[low - 1] : INT64_MIN;
}

static uint64_t pair_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

static int64_t common_sync(const struct delays *d, const struct pithlog_wait_state *wait)
{
    int64_t since_ns = d->g->from_ns;
    uint32_t at;

    for (const uint32_t *comm = d->lane_comms[wait->lane]; *comm != NONE; comm++)
        if (pithi_map_get(&d->members, (uint64_t)*comm << 32 | wait->cause_lane, &at)) {
            int64_t sync_ns = sync_before(d, *comm, wait->from_ns);
            since_ns = sync_ns > since_ns ? sync_ns : since_ns;
        }
    if (pithi_map_get(&d->pairs, pair_key(wait->lane, wait->cause_lane), &at) && d->last[at] <= wait->from_ns &&
        d->last[at] > since_ns)
        since_ns = d->last[at];
    return since_ns;
}

static int synchronised(struct delays *d, const struct pithlog_wait_state *wait)
{
    uint64_t key = pair_key(wait->lane, wait->cause_lane);
    uint32_t at;

    if (!pithi_map_get(&d->pairs, key, &at)) {
        if (!pithi_grow(&d->last, d->pair_count, &d->pair_room, sizeof *d->last) ||
            !pithi_map_put(&d->pairs, key, d->pair_count))
            return 0;
        at = d->pair_count++;
    }
    d->last[at] = wait->to_ns;
    return 1;
}

/* ---- What a lane did in an interval ------------------------------------------------------------------------------ */

/* The first wait state of a lane that ends after a moment. */
static size_t first_wait(const struct pithi_analysis_lane *lane, int64_t time_ns)
{
    size_t low = 0, high = lane->wait_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lane->waits[middle].to_ns > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int64_t overlap(int64_t a_from, int64_t a_to, int64_t from_ns, int64_t to_ns)
{
    int64_t from = a_from > from_ns ? a_from : from_ns, to = a_to < to_ns ? a_to : to_ns;
    return to > from ? to - from : 0;
}

/* 1: the wait state can take costs. If it was distributed before, it ended later or waits for itself: clocks differ. */
static int takes_costs(const struct delays *d, uint32_t lane, size_t wait)
{
    return d->handed[lane][wait * PITHLOG_WAIT_KINDS] == 0;
}

/* Adds the time of a lane by state; the waiting part of a call counts as waiting. */
static void profile(const struct delays *d, uint32_t lane, int64_t from_ns, int64_t to_ns, double *times)
{
    const struct pithi_analysis_lane *of = &d->a->lanes[lane];
    size_t wait = first_wait(of, from_ns), outside = states_of(d) - 2;

    for (uint32_t i = pithi_graph_find(d->g, lane, from_ns); i < of->last; i++) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(d->g, lane, i);
        pithi_scratch_rest_at(&d->a->graph.scratch, i);
        if (piece->begin_ns >= to_ns)
            break;
        int64_t end_ns = pithi_graph_piece(d->g, lane, i + 1)->begin_ns;
        times[piece->state == PITHI_OUTSIDE ? outside : piece->state] +=
            (double)overlap(piece->begin_ns, end_ns, from_ns, to_ns);
    }
    for (; wait < of->wait_count && of->waits[wait].from_ns < to_ns; wait++) {
        if (!takes_costs(d, lane, wait))
            continue;
        double waited = (double)overlap(of->waits[wait].from_ns, of->waits[wait].to_ns, from_ns, to_ns);
        times[of->waits[wait].state] -= waited;
        times[outside + 1] += waited;
    }
}

/* ---- Backwards --------------------------------------------------------------------------------------------------- */

static int distribute(struct delays *d, struct item *item)
{
    struct pithlog_wait_state *wait = item->wait;
    const struct pithi_analysis_lane *cause = &d->a->lanes[wait->cause_lane];
    size_t states = states_of(d);
    pithi_scratch_rest_at(&d->scratch, d->steps);
    pithi_scratch_rest_at(&d->a->graph.scratch, d->steps++);
    double own = (double)(wait->to_ns - wait->from_ns), sum = 0;

    if (d->cached_lane != wait->cause_lane || d->cached_from_ns != item->since_ns || d->cached_to_ns != wait->to_ns) {
        memset(d->of_cause, 0, states * sizeof *d->of_cause);
        profile(d, wait->cause_lane, item->since_ns, wait->to_ns, d->of_cause);
        d->cached_lane = wait->cause_lane;
        d->cached_from_ns = item->since_ns;
        d->cached_to_ns = wait->to_ns;
    }
    memset(d->of_waiter, 0, states * sizeof *d->of_waiter);
    profile(d, wait->lane, item->since_ns, wait->from_ns, d->of_waiter);
    for (size_t i = 0; i < states; i++) {
        d->of_waiter[i] = d->of_cause[i] > d->of_waiter[i] ? d->of_cause[i] - d->of_waiter[i] : 0;
        sum += d->of_waiter[i];
    }
    double *handed = d->handed[wait->lane] + (size_t)(wait - d->a->lanes[wait->lane].waits) * PITHLOG_WAIT_KINDS;
    handed[0] = 1;
    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
        wait->handed_ns += handed[kind];
    for (size_t i = 0; i + 1 < states && sum > 0; i++)
        for (uint32_t kind = 1; d->of_waiter[i] > 0 && kind < PITHLOG_WAIT_KINDS; kind++) {
            struct pithi_lane_sum *cell;
            if (kind != wait->kind && handed[kind] == 0)
                continue;
            cell =
                pithi_lane_sums_get(&d->cells[kind], wait->cause_lane, i + 2 == states ? PITHI_OUTSIDE : (uint32_t)i);
            if (!cell)
                return 0;
            cell->direct += kind == wait->kind ? own * d->of_waiter[i] / sum : 0;
            cell->indirect += handed[kind] * d->of_waiter[i] / sum;
        }
    if (d->of_waiter[states - 1] <= 0)
        return 1;
    double part = d->of_waiter[states - 1] / sum / d->of_cause[states - 1];
    for (size_t i = first_wait(cause, item->since_ns); i < cause->wait_count && cause->waits[i].from_ns < wait->to_ns;
         i++) {
        double *to = d->handed[wait->cause_lane] + i * PITHLOG_WAIT_KINDS;
        if (!takes_costs(d, wait->cause_lane, i))
            continue;
        double share =
            part * (double)overlap(cause->waits[i].from_ns, cause->waits[i].to_ns, item->since_ns, wait->to_ns);
        for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
            to[kind] += share * (handed[kind] + (kind == wait->kind ? own : 0));
    }
    return 1;
}

/* Distributes wait states that end at the same moment, each before that of its cause. A lane has at most one. */
static int distribute_group(struct delays *d, struct item *items, size_t count)
{
    size_t left = count;

    if (count == 1)
        return distribute(d, items);
    for (size_t i = 0; i < count; i++)
        d->in_group[items[i].wait->lane] = (uint32_t)i + 1;
    for (size_t i = 0; i < count; i++)
        if (d->in_group[items[i].wait->cause_lane])
            items[d->in_group[items[i].wait->cause_lane] - 1].needed_by++;
    for (size_t start = 0; left > 0 && start < count; start++)
        for (size_t i = start; d->in_group[items[i].wait->lane] && items[i].needed_by == 0;) {
            uint32_t next = d->in_group[items[i].wait->cause_lane];
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

static int by_end(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->to_ns != y->to_ns)
        return x->to_ns < y->to_ns ? -1 : 1;
    if (x->wait->cause_lane != y->wait->cause_lane)
        return x->wait->cause_lane < y->wait->cause_lane ? -1 : 1;
    return x->wait->lane < y->wait->lane ? -1 : x->wait->lane > y->wait->lane;
}

static int find_all(struct delays *d)
{
    const struct pithlog_info *info = pithlog_get_info(d->g->log);

    for (uint32_t i = 0; i < info->lanes; i++)
        d->count += d->a->lanes[i].wait_count;
    d->items = pithi_scratch_get(&d->scratch, (d->count + 1) * sizeof *d->items);
    d->of_cause = malloc(states_of(d) * sizeof *d->of_cause);
    d->of_waiter = malloc(states_of(d) * sizeof *d->of_waiter);
    d->in_group = calloc(info->lanes + (size_t)1, sizeof *d->in_group);
    if (!d->items || !d->of_cause || !d->of_waiter || !d->in_group || !collect_syncs(d))
        return 0;
    if (!(d->handed = calloc(info->lanes + (size_t)1, sizeof *d->handed)))
        return 0;
    for (uint32_t i = 0; i < info->lanes; i++)
        if (!(d->handed[i] = pithi_scratch_get(&d->scratch, (d->a->lanes[i].wait_count + 1) * PITHLOG_WAIT_KINDS *
                                                                sizeof **d->handed)))
            return 0;
    for (size_t lane = 0, at = 0; lane < info->lanes; lane++)
        for (size_t i = 0; i < d->a->lanes[lane].wait_count; i++)
            d->items[at++] =
                (struct item){.to_ns = d->a->lanes[lane].waits[i].to_ns, .wait = &d->a->lanes[lane].waits[i]};
    qsort(d->items, d->count, sizeof *d->items, by_end);
    for (size_t i = 0, next; i < d->count; i = next) {
        for (next = i; next < d->count && d->items[next].to_ns == d->items[i].to_ns; next++)
            d->items[next].since_ns = common_sync(d, d->items[next].wait);
        for (size_t k = i; k < next; k++)
            if (!synchronised(d, d->items[k].wait))
                return 0;
    }
    for (size_t end = d->count, first; end > 0; end = first) {
        for (first = end - 1; first > 0 && d->items[first - 1].to_ns == d->items[end - 1].to_ns;)
            first--;
        if (!distribute_group(d, d->items + first, end - first))
            return 0;
    }
    return 1;
}

static int by_cost(const void *a, const void *b)
{
    const struct pithlog_delay *x = a, *y = b;
    double x_cost = x->direct_ns + x->indirect_ns, y_cost = y->direct_ns + y->indirect_ns;
    return x_cost != y_cost ? (x_cost < y_cost ? 1 : -1) : x->lane != y->lane ? (x->lane < y->lane ? -1 : 1) : 0;
}

int pithi_analysis_delays(struct pithlog_analysis *a)
{
    struct delays d = {.a = a, .g = &a->graph, .cached_lane = NONE};
    int good = find_all(&d);

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
    for (uint32_t i = 0; d.lane_comms && i < pithlog_get_info(d.g->log)->lanes; i++)
        free(d.lane_comms[i]);
    free(d.handed);
    pithi_scratch_free(&d.scratch);
    free(d.lane_comms);
    free(d.moments);
    free(d.comms);
    free(d.last);
    free(d.of_cause);
    free(d.of_waiter);
    free(d.in_group);
    pithi_map_free(&d.members);
    pithi_map_free(&d.pairs);
    return a->delays ? PITH_OK : pithi_analysis_no_memory(a);
}
