/* causal_smooth.c - backwards through each rank: what lies before a jump is stretched towards it, as far as its sends
 * and collectives allow. */
#include "causal/causal_edges.h"

/* The most that an edge may be moved besides. */
static int64_t room_of(const struct pithi_edges *e, const struct pithi_edge *edge)
{
    const struct pithi_meeting *meeting;
    int64_t room = edge->before_ns, now_ns = (int64_t)((uint64_t)edge->time_ns + (uint64_t)edge->shift_ns);
    if (edge->kind == PITHI_EDGE_ENTER && edge->partner != PITHI_NO_PARTNER) {
        meeting = &e->meetings[edge->partner];
        if (edge->flags & PITHI_EDGE_GIVES && meeting->left_ns != INT64_MAX && meeting->left_ns - now_ns < room)
            room = meeting->left_ns - now_ns;
        if (edge->flags & PITHI_EDGE_ROOT && meeting->left_root_ns != INT64_MAX &&
            meeting->left_root_ns - now_ns < room)
            room = meeting->left_root_ns - now_ns;
        if (edge->flags & PITHI_EDGE_GIVES && meeting->seats != 0 && edge->seat != PITHI_NO_SEAT) {
            int64_t left_ns = e->seats[meeting->seats - 1 + edge->seat].left_ns;
            room = left_ns != INT64_MAX && left_ns - now_ns < room ? left_ns - now_ns : room;
        }
    }
    return room > 0 ? room : 0;
}

/* What a line that is `extra` at `to_ns` and 0 at `zero_ns` is at `at_ns`. */
static int64_t line(int64_t extra, int64_t zero_ns, int64_t to_ns, int64_t at_ns)
{
    if (at_ns <= zero_ns)
        return 0;
    return at_ns >= to_ns ? extra : (int64_t)((double)extra * (double)(at_ns - zero_ns) / (double)(to_ns - zero_ns));
}

/* How much an edge jumped, forwards, from what was left of the edge before. */
static int64_t jump_of(const struct pithi_edge *edge, const struct pithi_edge *before)
{
    int64_t decay = before ? (edge->time_ns - before->time_ns) / PITHI_CAUSAL_DECAY : 0;
    int64_t left = before && before->shift_ns > decay ? before->shift_ns - decay : 0;
    return edge->shift_ns - left;
}

static void smooth_rank(struct pithi_edges *e, uint32_t rank)
{
    struct pithi_edge *edges = e->edges + e->first[rank];
    int64_t extra = 0, zero_ns = INT64_MAX, to_ns = 0; /* the line to the edge behind */
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

/* On each seat: when the first of those behind it left. */
static void look_behind(struct pithi_seat *seats, uint32_t count)
{
    int64_t first_ns = INT64_MAX;
    while (count-- > 0) {
        int64_t own_ns = seats[count].left_ns;
        seats[count].left_ns = first_ns;
        first_ns = own_ns < first_ns ? own_ns : first_ns;
    }
}

void pithi_edges_smooth(struct pithi_edges *e)
{
    for (uint32_t i = 0; i < e->meeting_count; i++)
        if (e->meetings[i].seats != 0)
            look_behind(&e->seats[e->meetings[i].seats - 1], e->meetings[i].members);
    for (uint32_t i = 0; i < e->ranks; i++)
        smooth_rank(e, i);
}

/* Edges behind which a record stands: it may be one itself. Those of one time are gone through one by one. */
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
    if (*at == 0) /* before all */
        return to ? line(to->before_ns, to->time_ns - PITHI_CAUSAL_STRETCH * to->before_ns, to->time_ns, r->time_ns)
                  : 0;
    from = &edges[*at - 1];
    decay = (r->time_ns - from->time_ns) / PITHI_CAUSAL_DECAY;
    shift = (from->shift_ns > decay ? from->shift_ns - decay : 0) + from->extra_ns;
    return to ? shift + line(to->before_ns - from->extra_ns, from->time_ns, to->time_ns, r->time_ns) : shift;
}
