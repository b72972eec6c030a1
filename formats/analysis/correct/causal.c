/* causal.c - the passes of causal.h over the edges (causal_edges.h), and the corrected log.
 *
 *     rank 0   send at 100
 *     rank 1   send at 10       receive at 40        record at 140            the latency is 5
 *
 *     forwards     the receive moves to 105, by 65; the record after it by 65 less 100 / 100: to 204
 *     backwards    the time between the send at 10 and the receive was 30, and would be 95 now. So this send moves,
 *                  too: by 64, on the line from 0 at 40 - 50 * 65 to 65 at 40; or by 20, if the receive of its
 *                  message allows only 20
 *
 * The forward pass comes first because a moved receive may move later edges of other ranks, in a chain. The backward
 * pass moves an edge only as far as its partners allow, so it moves nothing on another rank. (Becker, Rabenseifner,
 * Wolf, Linford 2009, see causal.h.) */
#include "analysis/causal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/correct/causal_edges.h"
#include "base/error.h"
#include "native/log.h"
#include "reader/read/copy.h"
#include "reader/read/native.h"

#define LONGEST (INT64_C(1) << 56) /* in ns, two years; sums of such times cannot overflow */

/* ---- Forwards ---------------------------------------------------------------------------------------------------- */

/* Visits the edges of all ranks, each after the edges that it depends on. The visit of a rank's edges stops at an edge
 * that depends on an unvisited edge of another rank. When the other edge is visited, the first rank is ready again. */

struct walker {
    uint32_t next;             /* next edge, counted from the rank's first */
    int64_t time_ns, shift_ns; /* time of the last edge, and its shift */
    uint32_t waiting;          /* 1 + the next rank in the same instance's list of waiters; 0: none */
};

struct replay {
    struct pithi_edges *e;
    struct walker *walkers; /* [ranks] */
    uint32_t *ready;        /* ranks that may continue; each at most once */
    uint32_t ready_count;
    uint64_t collectives, given_up; /* instances that were moved; dependencies that were dropped */
    int moved;                      /* 1: some edge was moved in this pass */
};

static int64_t sum_of(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* Returns 1 if all members that the LEAVE `edge` needs have entered. Sets *last_ns to the time at which the last of
 * them entered. */
static int have_come(const struct pithi_edges *e, const struct pithi_instance *instance, const struct pithi_edge *edge,
                     int64_t *last_ns)
{
    if (edge->flags & PITHI_EDGE_ALL) {
        *last_ns = instance->latest_ns;
        return instance->seen >= instance->members;
    }
    if (edge->flags & PITHI_EDGE_LOWER) {
        if (edge->position > 0 && edge->position <= instance->come)
            *last_ns = e->positions[instance->positions - 1 + edge->position - 1].entered_ns;
        return edge->position <= instance->come;
    }
    *last_ns = instance->root_ns;
    return instance->root_ns != INT64_MIN;
}

/* Sets *least_ns to the earliest time that an edge may have, or to INT64_MIN if it may have any time. Returns 0 if this
 * time is not known yet; then puts the rank among those that wait. */
static int needs(struct replay *r, struct pithi_edge *edge, uint32_t rank, int64_t *least_ns)
{
    struct pithi_edges *e = r->e;
    *least_ns = INT64_MIN;
    if (edge->partner == PITHI_NO_PARTNER)
        return 1;
    if (edge->kind == PITHI_EDGE_RECV) {
        struct pithi_edge *send = &e->edges[edge->partner];
        if (!(send->flags & PITHI_EDGE_DONE)) {
            send->waiter = rank + 1;
            return 0;
        }
        *least_ns = sum_of(sum_of(send->time_ns, send->shift_ns), pithi_edges_latency(e, send->rank, rank));
    } else if (edge->flags & (PITHI_EDGE_ALL | PITHI_EDGE_OF_ROOT | PITHI_EDGE_LOWER)) {
        struct pithi_instance *instance = &e->instances[edge->partner];
        /* Once all members have entered, no rank waits any longer. have_come() may still return 0, because the root
         * gives no data or the log lacks a member. */
        if (!have_come(e, instance, edge, least_ns) && instance->seen < instance->members) {
            r->walkers[rank].waiting = instance->waiters;
            instance->waiters = rank + 1;
            return 0;
        }
    }
    return 1;
}

static void wake(struct replay *r, uint32_t waiter)
{
    if (waiter != 0)
        r->ready[r->ready_count++] = waiter - 1;
}

static void wake_all(struct replay *r, struct pithi_instance *instance)
{
    uint32_t waiter = instance->waiters;
    instance->waiters = 0;
    while (waiter != 0) {
        uint32_t next = r->walkers[waiter - 1].waiting;
        wake(r, waiter);
        waiter = next;
    }
}

/* Stores that a member of a scan enters at now_ns. Returns 1 if waiting members of higher positions may be able to
 * continue. */
static int sit_down(const struct pithi_edges *e, struct pithi_instance *instance, const struct pithi_edge *edge,
                    int64_t now_ns)
{
    struct pithi_scan_place *positions = &e->positions[instance->positions - 1];
    uint32_t come = instance->come;
    positions[edge->position].entered_ns = edge->flags & PITHI_EDGE_GIVES ? now_ns : INT64_MIN;
    for (; instance->come < instance->members && positions[instance->come].entered_ns != INT64_MAX; instance->come++)
        if (instance->come > 0 && positions[instance->come - 1].entered_ns > positions[instance->come].entered_ns)
            positions[instance->come].entered_ns = positions[instance->come - 1].entered_ns;
    return instance->come > come;
}

/* Passes the edge's new time on to the edges that depend on it. */
static void tell(struct replay *r, struct pithi_edge *edge, int64_t now_ns)
{
    struct pithi_edges *e = r->e;
    if (edge->partner == PITHI_NO_PARTNER)
        return;
    if (edge->kind == PITHI_EDGE_SEND) {
        wake(r, edge->waiter);
    } else if (edge->kind == PITHI_EDGE_RECV) {
        struct pithi_edge *send = &e->edges[edge->partner];
        int64_t sent_ns = sum_of(send->time_ns, send->shift_ns);
        send->before_ns = now_ns - sent_ns - pithi_edges_latency(e, send->rank, edge->rank);
    } else {
        struct pithi_instance *instance = &e->instances[edge->partner];
        if (edge->kind == PITHI_EDGE_ENTER) {
            instance->seen++;
            if (edge->flags & PITHI_EDGE_GIVES && now_ns > instance->latest_ns)
                instance->latest_ns = now_ns;
            if (edge->flags & PITHI_EDGE_ROOT)
                instance->root_ns = now_ns;
            int more = edge->flags & PITHI_EDGE_ROOT;
            if (instance->positions != 0 && edge->position != PITHI_NO_POSITION)
                more |= sit_down(e, instance, edge, now_ns);
            if (instance->seen >= instance->members || more)
                wake_all(r, instance);
        }
        if (edge->flags & PITHI_EDGE_LOWER)
            e->positions[instance->positions - 1 + edge->position].left_ns = now_ns;
        if (edge->flags & PITHI_EDGE_ALL && now_ns < instance->left_ns)
            instance->left_ns = now_ns;
        if (edge->flags & PITHI_EDGE_OF_ROOT && now_ns < instance->left_root_ns)
            instance->left_root_ns = now_ns;
    }
}

/* Sets the shift of a rank's next edge, so that its new time is least_ns or later. Passes the new time on. */
static void step(struct replay *r, uint32_t rank, int64_t least_ns)
{
    struct walker *w = &r->walkers[rank];
    struct pithi_edge *edge = &r->e->edges[r->e->first[rank] + w->next];
    int64_t passed = edge->time_ns - w->time_ns, decay = w->next > 0 ? passed / PITHI_CAUSAL_DECAY : 0;
    w->shift_ns = decay < w->shift_ns ? w->shift_ns - decay : 0;
    if (least_ns != INT64_MIN && sum_of(edge->time_ns, w->shift_ns) < least_ns) {
        w->shift_ns = least_ns - edge->time_ns;
        r->moved = 1;
        if (edge->kind != PITHI_EDGE_RECV && !r->e->instances[edge->partner].told) {
            r->e->instances[edge->partner].told = 1;
            r->collectives++;
        }
    }
    edge->shift_ns = w->shift_ns;
    edge->flags |= PITHI_EDGE_DONE;
    w->time_ns = edge->time_ns;
    w->next++;
    tell(r, edge, sum_of(edge->time_ns, w->shift_ns));
}

static void go_on(struct replay *r, uint32_t rank)
{
    const struct pithi_edges *e = r->e;
    int64_t least_ns;
    while (r->walkers[rank].next < e->count[rank]) {
        struct pithi_edge *edge = &e->edges[e->first[rank] + r->walkers[rank].next];
        if (!needs(r, edge, rank, &least_ns))
            return;
        step(r, rank, least_ns);
    }
}

/* Drops the dependency of the earliest waiting edge. Called when no rank can continue. If ranks still wait then, a
 * match is wrong, because in the run all these waits ended. Returns 0 if no rank waits. */
static int give_up_one(struct replay *r)
{
    struct pithi_edges *e = r->e;
    struct pithi_edge *earliest = NULL;
    for (uint32_t i = 0; i < e->ranks; i++) {
        struct pithi_edge *edge = &e->edges[e->first[i] + r->walkers[i].next];
        if (r->walkers[i].next < e->count[i] && (!earliest || edge->time_ns < earliest->time_ns))
            earliest = edge;
    }
    if (!earliest)
        return 0;
    r->given_up++;
    if (earliest->kind == PITHI_EDGE_RECV) {
        e->edges[earliest->partner].waiter = 0;
        e->edges[earliest->partner].partner = PITHI_NO_PARTNER;
        earliest->partner = PITHI_NO_PARTNER;
        wake(r, earliest->rank + 1);
    } else { /* releases all ranks that wait for this instance */
        struct pithi_instance *instance = &e->instances[earliest->partner];
        instance->members = 0;
        wake_all(r, instance);
    }
    return 1;
}

static int replay_edges(struct pithi_edges *e, uint64_t *collectives, uint64_t *given_up)
{
    struct replay r = {.e = e};
    r.walkers = calloc(e->ranks + (size_t)1, sizeof *r.walkers);
    r.ready = malloc((e->ranks + (size_t)1) * sizeof *r.ready);
    if (!r.walkers || !r.ready) {
        free(r.walkers);
        free(r.ready);
        return -pithi_fail(PITH_ERR_MEMORY, "%s", "no memory to mend times");
    }
    for (uint32_t i = 0; i < e->instance_count; i++)
        e->instances[i].seen = 0;
    for (uint32_t i = e->ranks; i > 0; i--)
        wake(&r, i);
    do {
        while (r.ready_count > 0)
            go_on(&r, r.ready[--r.ready_count]);
    } while (give_up_one(&r));
    *collectives = r.collectives;
    *given_up = r.given_up;
    free(r.walkers);
    free(r.ready);
    return r.moved;
}

/* ---- Backwards --------------------------------------------------------------------------------------------------- */

/* The backward pass spreads each jump of the forward pass over the time before the jump, as far as the sends and enters
 * in this time allow. */

/* Returns the largest further shift that the partners of an edge allow. */
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

/* Returns the value at `at_ns` of the line that is 0 at `zero_ns` and `extra` at `to_ns`. */
static int64_t line(int64_t extra, int64_t zero_ns, int64_t to_ns, int64_t at_ns)
{
    if (at_ns <= zero_ns)
        return 0;
    return at_ns >= to_ns ? extra : (int64_t)((double)extra * (double)(at_ns - zero_ns) / (double)(to_ns - zero_ns));
}

/* Returns the part of an edge's shift that is new in this edge. The other part is the shift of the edge before, less
 * what it has decayed since then. */
static int64_t jump_of(const struct pithi_edge *edge, const struct pithi_edge *before)
{
    int64_t decay = before ? (edge->time_ns - before->time_ns) / PITHI_CAUSAL_DECAY : 0;
    int64_t left = before && before->shift_ns > decay ? before->shift_ns - decay : 0;
    return edge->shift_ns - left;
}

static void smooth_rank(struct pithi_edges *e, uint32_t rank)
{
    struct pithi_edge *edges = e->edges + e->first[rank];
    int64_t extra = 0, zero_ns = INT64_MAX, to_ns = 0; /* the line of further shifts that ends at the next edge */
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

/* Changes left_ns of each scan position from its own leave to the first leave of a higher position. */
static void look_behind(struct pithi_scan_place *positions, uint32_t count)
{
    int64_t first_ns = INT64_MAX;
    while (count-- > 0) {
        int64_t own_ns = positions[count].left_ns;
        positions[count].left_ns = first_ns;
        first_ns = own_ns < first_ns ? own_ns : first_ns;
    }
}

static void smooth_edges(struct pithi_edges *e)
{
    for (uint32_t i = 0; i < e->instance_count; i++)
        if (e->instances[i].positions != 0)
            look_behind(&e->positions[e->instances[i].positions - 1], e->instances[i].members);
    for (uint32_t i = 0; i < e->ranks; i++)
        smooth_rank(e, i);
}

/* Returns the number of edges of a rank up to a record, including the edge of this record. `at`: the result for the
 * rank's record before. If several edges have the same time, each record passes one of them. */
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

/* ---- The corrected log ------------------------------------------------------------------------------------------- */

struct moving {
    struct pithi_edges *edges;
    uint32_t *at;                       /* [ranks]: position in the edges of each rank */
    int64_t largest_ns;                 /* the largest shift so far */
    struct pithi_causal_report *report; /* the caller's */
};

static int64_t move(void *context, const struct pithlog_record *r)
{
    struct moving *m = context;
    uint32_t rank = pithi_log_rank_of(m->edges->log, r->lane);
    int64_t by_ns = pithi_edges_shift(m->edges, rank, r, &m->at[rank]);
    if (by_ns > m->largest_ns)
        m->largest_ns = by_ns;
    return by_ns;
}

void pithi_causal_text(const struct pithi_causal_report *report, char *text, size_t size)
{
    int used;
    if (report->largest_ns == 0)
        used = snprintf(text, size, "no time was moved");
    else
        used = snprintf(text, size, "%llu messages and %llu collectives were backwards; times moved by up to %lld ns",
                        (unsigned long long)report->messages, (unsigned long long)report->collectives,
                        (long long)report->largest_ns);
    if (report->given_up > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; %llu not mended, their matches contradict each other",
                 (unsigned long long)report->given_up);
}

static int fill(void *context, struct pithi_writer *writer)
{
    struct moving *m = context;
    struct pithi_copy what = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .move = move, .move_context = m};
    char text[256];
    CHECK(pithi_log_copy(m->edges->log, writer, &what));
    m->report->largest_ns = m->largest_ns;
    pithi_causal_text(m->report, text, sizeof text);
    return pithi_defs_property(pithi_writer_defs(writer), "causal", text);
}

static int make_log(struct pithi_edges *edges, struct pithlog **mended, struct pithi_causal_report *report)
{
    struct moving m = {.edges = edges, .at = calloc(edges->ranks + (size_t)1, sizeof *m.at), .report = report};
    if (!m.at)
        return pithi_no_memory();
    int err = pithi_native_temporary("the mended log (see TMPDIR)", fill, &m, mended);
    free(m.at);
    return err;
}

int pithi_causal(struct pithlog *log, struct pithlog **mended, struct pithi_causal_report *report)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_edges edges = {0};
    int err, moved;
    *mended = NULL;
    *report = (struct pithi_causal_report){0};
    if (info->records == 0)
        return PITH_OK;
    if (info->start_ns < -4 * LONGEST * 8 || info->end_ns > 4 * LONGEST * 8 || info->end_ns - info->start_ns > LONGEST)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its times span more than two years", log->path);
    TRY(pithi_edges_collect(&edges, log));
    moved = replay_edges(&edges, &report->collectives, &report->given_up);
    if (moved < 0) {
        err = -moved;
        goto out;
    }
    report->messages = edges.messages;
    if (moved) {
        smooth_edges(&edges);
        TRY(make_log(&edges, mended, report));
    }
out:
    pithi_edges_free(&edges);
    return err;
}
