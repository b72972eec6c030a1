/* causal_smooth.c - the backward pass: stretches the time before each jump, as far as its sends and collectives
 * allow. */
#include "analysis/causal_edges.h"

/* The largest further shift that an edge allows. */
static int64_t room_of(const struct pithi_edges *e, const struct pithi_edge *edge)
{
    const struct pithi_instance *instance;
    int64_t room = edge->before_ns, now_ns = (int64_t)((uint64_t)edge->time_ns + (uint64_t)edge->shift_ns);
    if (edge->kind == PITHI_EDGE_ENTER && edge->partner != PITHI_NO_PARTNER) {
        instance = &e->instances[edge->partner];
        if (edge->flags & PITHI_EDGE_GIVES && instance->left_ns != INT64_MAX && instance->left_ns - now_ns < room)
            room = instance->left_ns - now_ns;
        if (edge->flags & PITHI_EDGE_ROOT && instance->left_root_ns != INT64_MAX &&
            instance->left_root_ns - now_ns < room)
            room = instance->left_root_ns - now_ns;
        if (edge->flags & PITHI_EDGE_GIVES && instance->positions != 0 && edge->position != PITHI_NO_POSITION) {
            int64_t left_ns = e->positions[instance->positions - 1 + edge->position].left_ns;
            room = left_ns != INT64_MAX && left_ns - now_ns < room ? left_ns - now_ns : room;
        }
    }
    return room > 0 ? room : 0;
}

/* The value at `at_ns` of the line that is 0 at `zero_ns` and `extra` at `to_ns`. */
static int64_t line(int64_t extra, int64_t zero_ns, int64_t to_ns, int64_t at_ns)
{
    if (at_ns <= zero_ns)
        return 0;
    return at_ns >= to_ns ? extra : (int64_t)((double)extra * (double)(at_ns - zero_ns) / (double)(to_ns - zero_ns));
}

/* How far the forward pass moved an edge beyond the decayed shift of the edge before it. */
static int64_t jump_of(const struct pithi_edge *edge, const struct pithi_edge *before)
{
    int64_t decay = before ? (edge->time_ns - before->time_ns) / PITHI_CAUSAL_DECAY : 0;
    int64_t left = before && before->shift_ns > decay ? before->shift_ns - decay : 0;
    return edge->shift_ns - left;
}

static void smooth_rank(struct pithi_edges *e, uint32_t rank)
{
    struct pithi_edge *edges = e->edges + e->first[rank];
    int64_t extra = 0, zero_ns = INT64_MAX, to_ns = 0; /* the line that ends at the next edge */
    for (uint32_t i = e->count[rank]; i-- > 0;) {
        struct pithi_edge *edge = &edges[i];
        int64_t jump = jump_of(edge, i > 0 ? edge - 1 : NULL), room = room_of(e, edge);
        edge->extra_ns = extra > 0 ? line(extra, zero_ns, to_ns, edge->time_ns) : 0;
        if (edge->extra_ns > room)
            edge->extra_ns = room;
        edge->before_ns = extra = edge->extra_ns + jump;
        to_ns = edge->time_ns;
        if (jump > 0 || zero_ns > to_ns)
            zero_ns = to_ns - PITHI_CAUSAL_STRETCH * extra;
    }
}

/* Sets left_ns of each scan position to the first leave of a higher position. */
static void look_behind(struct pithi_scan_place *positions, uint32_t count)
{
    int64_t first_ns = INT64_MAX;
    while (count-- > 0) {
        int64_t own_ns = positions[count].left_ns;
        positions[count].left_ns = first_ns;
        first_ns = own_ns < first_ns ? own_ns : first_ns;
    }
}

void pithi_edges_smooth(struct pithi_edges *e)
{
    for (uint32_t i = 0; i < e->instance_count; i++)
        if (e->instances[i].positions != 0)
            look_behind(&e->positions[e->instances[i].positions - 1], e->instances[i].members);
    for (uint32_t i = 0; i < e->ranks; i++)
        smooth_rank(e, i);
}

/* The number of edges up to a record, itself included. Edges of equal times are passed singly, one a record. */
static uint32_t pass(const struct pithi_edge *edges, uint32_t count, const struct pithlog_record *r, uint32_t at)
{
    enum pithi_edge_kind kind = r->kind == PITHLOG_SEND    ? PITHI_EDGE_SEND
                                : r->kind == PITHLOG_RECV  ? PITHI_EDGE_RECV
                                : r->kind == PITHLOG_COLL  ? PITHI_EDGE_ENTER
                                : r->kind == PITHLOG_LEAVE ? PITHI_EDGE_LEAVE
                                : r->kind == PITHLOG_EVENT ? PITHI_EDGE_COMPLETE
                                                           : 0;
    while (at < count && edges[at].time_ns < r->time_ns)
        at++;
    if (at < count && edges[at].time_ns == r->time_ns && edges[at].kind == kind)
        at++;
    return at;
}

int64_t pithi_edges_shift(const struct pithi_edges *e, uint32_t rank, const struct pithlog_record *r, uint32_t *at)
{
    const struct pithi_edge *edges = e->edges + e->first[rank], *from, *to;
    uint32_t count = e->count[rank];
    int64_t decay, shift;
    *at = pass(edges, count, r, *at);
    to = *at < count ? &edges[*at] : NULL;
    if (*at == 0) /* before the first edge */
        return to ? line(to->before_ns, to->time_ns - PITHI_CAUSAL_STRETCH * to->before_ns, to->time_ns, r->time_ns)
                  : 0;
    from = &edges[*at - 1];
    decay = (r->time_ns - from->time_ns) / PITHI_CAUSAL_DECAY;
    shift = (from->shift_ns > decay ? from->shift_ns - decay : 0) + from->extra_ns;
    return to ? shift + line(to->before_ns - from->extra_ns, from->time_ns, to->time_ns, r->time_ns) : shift;
}
