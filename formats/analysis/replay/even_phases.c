/* even_phases.c - divides the run into phases that end at collectives, or at stops. Stops are for programs in which
 * messages, not collectives, tie the lanes together:
 *
 *     rank 0   computes 60   exchanges with 1   computes 20   exchanges with 1
 *     rank 1   computes 20   exchanges with 0   computes 60   exchanges with 0
 *
 * Both ranks compute 80, but each waits 40 in one of the two exchanges. If computing is balanced before each exchange,
 * each rank computes 40 twice, and none waits.
 *
 * A call is *linked* if it depends on another lane, or if another lane depends on it. A *stop* is a row of linked calls
 * of a lane with little computing between them. Stops that a message or a collective instance connects are one *group*.
 * Two groups are also one group if each of them must come before the other:
 *
 *     rank 0   computes 40   sends to 1 and enters a barrier
 *     rank 1   computes 20   receives from 0   computes 20   enters the barrier
 *
 * Rank 0 sends and enters the barrier in one stop, and both stops of rank 1 depend on this stop. So the second 20 of
 * rank 1 are not a separate phase, because they cannot begin before rank 0 is done. Both ranks compute 40 in the phase,
 * so nothing is to be balanced.
 *
 * Each lane passes its groups one after another. Groups are numbered: the last groups have the highest number, and each
 * other group has one less than the lowest number of the groups after it. The computing before a group belongs to the
 * phase with the group's number. */
#include "analysis/replay/even_phases.h"

#include <string.h>

#include "analysis/analysis.h"

#define NONE UINT32_MAX
#define LITTLE 0.1 /* less computing than this fraction of a lane's mean (weighted by length) does not separate stops */

struct stops {
    struct pithlog_analysis *a;
    struct pithi_phases *phases; /* `ends` has the stops; `piece` of a stop is its first call */
    /* [lanes][pieces in the window / 8 + 1]: a bit for each piece, 1 if the piece is a linked call */
    unsigned char **is_linked;
    uint32_t *parent, *ring; /* [stops]: parent: the way to the first stop of the group; ring: next stop of the group */
    uint32_t count;
};

static uint32_t lanes_of(const struct pithlog_analysis *a) { return pithlog_get_info(a->graph.log)->lanes; }

/* Returns 1 if in this collective instance all lanes wait for all. */
static int ties_all(const struct pithlog_analysis *a, uint32_t instance)
{
    const struct pithi_graph_coll *coll = pithi_graph_coll(&a->graph, instance);

    return (coll->kind == PITHLOG_WAIT_AT_BARRIER || coll->kind == PITHLOG_WAIT_AT_NXN) &&
           coll->members == a->info.lanes && coll->last_ns > a->graph.from_ns && coll->last_ns < a->graph.to_ns;
}

/* Returns the number of ends of phases in a lane; writes these ends if `ends` is not NULL. */
static uint32_t ends_by_collectives(const struct pithlog_analysis *a, uint32_t lane, struct pithi_phase_end *ends)
{
    const struct pithi_chunks *members = &a->graph.lanes[lane].members;
    uint32_t count = 0;

    for (uint32_t i = 0; i < members->count; i++) {
        const struct pithi_graph_member *of = pithi_chunks_at(members, i, sizeof *of);
        if (!ties_all(a, of->instance))
            continue;
        if (ends)
            ends[count] = (struct pithi_phase_end){of->piece, count};
        count++;
    }
    return count;
}

int pithi_phases_of_collectives(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases)
{
    uint32_t lanes = lanes_of(a);

    *phases = (struct pithi_phases){.first = pithi_scratch_get(scratch, (lanes + (size_t)1) * sizeof *phases->first)};
    for (uint32_t i = 0; phases->first && i < lanes; i++)
        phases->first[i + 1] = phases->first[i] + ends_by_collectives(a, i, NULL);
    if (!phases->first ||
        !(phases->ends = pithi_scratch_get(scratch, (phases->first[lanes] + (size_t)1) * sizeof *phases->ends)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t count = ends_by_collectives(a, i, phases->ends + phases->first[i]);
        phases->count = count > phases->count ? count : phases->count;
    }
    phases->count++;
    return 1;
}

uint32_t pithi_phase_at(const struct pithi_phases *phases, uint32_t lane, uint32_t end)
{
    return end < phases->first[lane + 1] ? phases->ends[end].phase : phases->count - 1;
}

int pithi_phase_passed(const struct pithi_phases *phases, uint32_t lane, uint32_t piece, uint32_t *end)
{
    uint32_t phase = pithi_phase_at(phases, lane, *end);

    while (*end < phases->first[lane + 1] && phases->ends[*end].piece <= piece)
        ++*end;
    return pithi_phase_at(phases, lane, *end) != phase;
}

double pithi_phase_rest(struct pithlog_analysis *a, const struct pithi_phases *phases, uint32_t lane, uint32_t *piece,
                        uint32_t *end)
{
    int64_t from_ns, to_ns;
    double ns = 0;

    for (; *piece < a->lanes[lane].last && !pithi_phase_passed(phases, lane, *piece, end); ++*piece) {
        pithi_scratch_passed(&a->graph.scratch, sizeof(struct pithi_lane_piece));
        const struct pithi_lane_piece *of = pithi_graph_piece(&a->graph, lane, *piece);
        if (pithi_graph_is_call(&a->graph, of->state))
            continue;
        pithi_analysis_part(a, of, pithi_graph_next(&a->graph, lane, of, *piece), &from_ns, &to_ns);
        ns += (double)(to_ns - from_ns);
    }
    return ns;
}

/* ---- Stops ------------------------------------------------------------------------------------------------------- */

static int is_inside(const struct pithlog_analysis *a, uint32_t lane, uint32_t piece)
{
    return piece >= a->lanes[lane].first && piece < a->lanes[lane].last;
}

static void link_piece(struct stops *s, uint32_t lane, uint32_t piece)
{
    if (!is_inside(s->a, lane, piece))
        return;
    piece -= s->a->lanes[lane].first;
    s->is_linked[lane][piece / 8] |= (unsigned char)(1u << piece % 8);
}

/* Returns 1 if the need ties a call to a call of another lane within the window. */
static int is_link(const struct stops *s, const struct pithi_need *need)
{
    return need->kind && need->of == PITHI_NEED_LANE && need->release_ns != INT64_MIN && need->lane != PITHI_NO_LANE &&
           is_inside(s->a, need->lane, need->position) &&
           pithi_graph_is_call(&s->a->graph, pithi_graph_piece(&s->a->graph, need->lane, need->position)->state);
}

static int find_linked(struct stops *s, struct pithi_scratch *scratch)
{
    struct pithlog_analysis *a = s->a;
    uint32_t lanes = lanes_of(a);

    if (!(s->is_linked = pithi_scratch_get(scratch, (lanes + (size_t)1) * sizeof *s->is_linked)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++)
        if (!(s->is_linked[i] = pithi_scratch_get(scratch, (a->lanes[i].last - a->lanes[i].first) / 8 + (size_t)1)))
            return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        struct pithi_pieces p;
        for (uint32_t k = 0; k < a->graph.lanes[i].members.count; k++) {
            const struct pithi_graph_member *of = pithi_chunks_at(&a->graph.lanes[i].members, k, sizeof *of);
            link_piece(s, i, of->piece);
        }
        for (pithi_pieces_begin(&p, a, i); p.index < p.end; pithi_pieces_next(&p))
            for (const struct pithi_need *need = pithi_graph_need(&a->graph, p.piece->needs); need;
                 need = pithi_graph_need(&a->graph, need->next))
                if (is_link(s, need)) {
                    link_piece(s, i, p.index);
                    link_piece(s, need->lane, need->position);
                }
    }
    return 1;
}

/* Finds the stops of a lane, writes them if `ends` is not NULL, and returns their number. `least_ns`: the least
 * computing that separates two stops. Sets *sum and *squares to the sum, and the sum of squares, of the times of
 * computing before linked calls. */
static uint32_t stops_of(struct stops *s, uint32_t lane, struct pithi_phase_end *ends, double least_ns, double *sum,
                         double *squares)
{
    uint32_t count = 0, first = s->a->lanes[lane].first;
    int64_t from_ns, to_ns;
    double ns = 0;
    struct pithi_pieces p;

    *sum = *squares = 0;
    for (pithi_pieces_begin(&p, s->a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        if (!pithi_graph_is_call(&s->a->graph, p.piece->state)) {
            pithi_pieces_part(s->a, &p, &from_ns, &to_ns);
            ns += (double)(to_ns - from_ns);
        } else if (s->is_linked[lane][(p.index - first) / 8] >> (p.index - first) % 8 & 1) {
            *sum += ns;
            *squares += ns * ns;
            if (count == 0 || ns > least_ns) {
                if (ends)
                    ends[count] = (struct pithi_phase_end){p.index, 0};
                count++;
            }
            ns = 0;
        }
    }
    return count;
}

static int find_stops(struct stops *s, struct pithi_scratch *scratch)
{
    uint32_t lanes = lanes_of(s->a);
    double sum, squares, *least_ns = pithi_scratch_get(scratch, (lanes + (size_t)1) * sizeof *least_ns);
    struct pithi_phases *phases = s->phases;

    *phases = (struct pithi_phases){.first = pithi_scratch_get(scratch, (lanes + (size_t)1) * sizeof *phases->first)};
    if (!phases->first || !least_ns)
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        stops_of(s, i, NULL, 0, &sum, &squares);
        least_ns[i] = sum > 0 ? LITTLE * squares / sum : 0;
        phases->first[i + 1] = phases->first[i] + stops_of(s, i, NULL, least_ns[i], &sum, &squares);
    }
    s->count = phases->first[lanes];
    if (!(phases->ends = pithi_scratch_get(scratch, (s->count + (size_t)1) * sizeof *phases->ends)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++)
        stops_of(s, i, phases->ends + phases->first[i], least_ns[i], &sum, &squares);
    return 1;
}

/* Returns the stop that a linked call belongs to. Returns NONE if the call is outside the window. */
static uint32_t stop_at(const struct stops *s, uint32_t lane, uint32_t piece)
{
    uint32_t low = s->phases->first[lane], high = s->phases->first[lane + 1];

    if (!is_inside(s->a, lane, piece) || low == high || piece < s->phases->ends[low].piece)
        return NONE;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->phases->ends[middle].piece <= piece)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static uint32_t group_of(const struct stops *s, uint32_t stop)
{
    for (; s->parent[stop] != stop; stop = s->parent[stop])
        s->parent[stop] = s->parent[s->parent[stop]];
    return stop;
}

static void join(struct stops *s, uint32_t x, uint32_t y)
{
    if (x == NONE || y == NONE || (x = group_of(s, x)) == (y = group_of(s, y)))
        return;
    s->parent[x > y ? x : y] = x > y ? y : x;
    uint32_t next = s->ring[x]; /* exchanging the next stops of x and y joins their two rings */
    s->ring[x] = s->ring[y];
    s->ring[y] = next;
}

static int join_all(struct stops *s, struct pithi_scratch *scratch)
{
    struct pithlog_analysis *a = s->a;
    uint32_t *of_colls = pithi_scratch_get(scratch, (a->graph.colls.count + (size_t)1) * sizeof *of_colls);

    s->parent = pithi_scratch_get(scratch, (s->count + (size_t)1) * sizeof *s->parent);
    s->ring = pithi_scratch_get(scratch, (s->count + (size_t)1) * sizeof *s->ring);
    if (!of_colls || !s->parent || !s->ring)
        return 0;
    for (uint32_t i = 0; i < s->count; i++)
        s->parent[i] = s->ring[i] = i;
    for (uint32_t i = 0; i < lanes_of(a); i++) {
        struct pithi_pieces p;
        for (uint32_t k = 0; k < a->graph.lanes[i].members.count; k++) {
            const struct pithi_graph_member *of = pithi_chunks_at(&a->graph.lanes[i].members, k, sizeof *of);
            uint32_t stop = stop_at(s, i, of->piece);
            if (stop == NONE)
                continue;
            if (of_colls[of->instance])
                join(s, of_colls[of->instance] - 1, stop);
            else
                of_colls[of->instance] = stop + 1;
        }
        for (pithi_pieces_begin(&p, a, i); p.index < p.end; pithi_pieces_next(&p))
            for (const struct pithi_need *need = pithi_graph_need(&a->graph, p.piece->needs); need;
                 need = pithi_graph_need(&a->graph, need->next))
                if (is_link(s, need))
                    join(s, stop_at(s, i, p.index), stop_at(s, need->lane, need->position));
    }
    return 1;
}

/* Finds sets of groups that come before each other, that is, strongly connected components, by Tarjan's algorithm
 * without recursion. A group gets a number when it is entered; `low` is the least number that can be reached from it.
 * The stack `open` has the groups of incomplete components. A component is complete only after all components that
 * follow it. */
struct search {
    uint32_t *number, *low; /* [stops], of groups; number 0: not entered; low NONE: its component is complete */
    uint32_t *at, *from;    /* of a group: its next stop to look at; the group from which the search came */
    uint32_t *open, open_count, entered;
    unsigned char *is_last; /* [stops]: 1: the last stop of its lane */
};

static uint32_t next_group(const struct stops *s, const struct search *t, uint32_t stop)
{
    return t->is_last[stop] ? NONE : group_of(s, stop + 1);
}

static void enter(struct search *t, uint32_t group, uint32_t from)
{
    t->number[group] = t->low[group] = ++t->entered;
    t->at[group] = group;
    t->from[group] = from;
    t->open[t->open_count++] = group;
}

/* Takes a complete component from the stack `open`, where `group` is its first group, and sets its height. The height
 * is 0 if no component follows, else one more than the largest height of the components that follow. */
static void complete(struct stops *s, struct search *t, uint32_t group)
{
    uint32_t first = t->open_count, height = 0, next, stop;

    while (t->open[--first] != group)
        ;
    for (uint32_t i = first; i < t->open_count; i++)
        t->number[t->open[i]] = 0; /* groups of the component do not count as followers */
    for (uint32_t i = first; i < t->open_count; i++) {
        stop = t->open[i];
        do {
            next = next_group(s, t, stop);
            if (next != NONE && t->number[next] && s->phases->ends[next].phase >= height)
                height = s->phases->ends[next].phase + 1;
        } while ((stop = s->ring[stop]) != t->open[i]);
    }
    for (uint32_t i = first; i < t->open_count; i++) {
        s->phases->ends[t->open[i]].phase = height;
        t->number[t->open[i]] = 1;
        t->low[t->open[i]] = NONE;
    }
    t->open_count = first;
    s->phases->count = height > s->phases->count ? height : s->phases->count;
}

static void find_component(struct stops *s, struct search *t, uint32_t group)
{
    enter(t, group, NONE);
    while (group != NONE) {
        uint32_t stop = t->at[group], next;
        if (stop == NONE) { /* all following groups were looked at */
            uint32_t from = t->from[group];
            if (from != NONE && t->low[group] < t->low[from])
                t->low[from] = t->low[group];
            if (t->low[group] == t->number[group])
                complete(s, t, group);
            group = from;
            continue;
        }
        t->at[group] = s->ring[stop] == group ? NONE : s->ring[stop];
        next = next_group(s, t, stop);
        if (next == NONE)
            continue;
        if (!t->number[next]) {
            enter(t, next, group);
            group = next;
        } else if (t->low[next] != NONE && t->number[next] < t->low[group]) {
            t->low[group] = t->number[next];
        }
    }
}

int pithi_phases_of_stops(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases)
{
    struct stops s = {.a = a, .phases = phases};
    struct search t = {0};

    if (!find_linked(&s, scratch) || !find_stops(&s, scratch) || !join_all(&s, scratch))
        return 0;
    size_t bytes = (s.count + (size_t)1) * sizeof *t.number;
    t.number = pithi_scratch_get(scratch, bytes);
    t.low = pithi_scratch_get(scratch, bytes);
    t.at = pithi_scratch_get(scratch, bytes);
    t.from = pithi_scratch_get(scratch, bytes);
    t.open = pithi_scratch_get(scratch, bytes);
    t.is_last = pithi_scratch_get(scratch, s.count + (size_t)1);
    if (!t.number || !t.low || !t.at || !t.from || !t.open || !t.is_last)
        return 0;
    for (uint32_t i = 0; i < lanes_of(a); i++)
        if (phases->first[i + 1] > phases->first[i])
            t.is_last[phases->first[i + 1] - 1] = 1;
    for (uint32_t i = 0; i < s.count; i++)
        if (group_of(&s, i) == i && !t.number[i])
            find_component(&s, &t, i);
    /* Turns heights into phases, going backwards, because the first stop of a group must keep its height until all
     * other stops of the group are done. */
    for (uint32_t i = s.count; i > 0; i--)
        phases->ends[i - 1].phase = phases->count - phases->ends[group_of(&s, i - 1)].phase;
    phases->count += 2;
    return 1;
}
