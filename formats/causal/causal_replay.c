/* causal_replay.c - forwards through all ranks, each edge when those that it waits for are done, as the program ran. */
#include <stdlib.h>

#include "causal/causal_edges.h"
#include "error.h"

struct walker {
    uint32_t next;             /* edge, from the rank's first */
    int64_t time_ns, shift_ns; /* of the last one */
    uint32_t waiting;          /* rank + 1: the next in the same meeting's list; 0 */
};

struct replay {
    struct pithi_edges *e;
    struct walker *walkers; /* [ranks] */
    uint32_t *ready;        /* ranks that may go on; each is in it once at most */
    uint32_t ready_count;
    uint64_t collectives, given_up;
    int moved;
};

static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* Whether those have entered a collective that one who leaves it had to wait for, and when the last of them did. */
static int have_come(const struct pithi_edges *e, const struct pithi_meeting *meeting, const struct pithi_edge *edge,
                     int64_t *last_ns)
{
    if (edge->flags & PITHI_EDGE_ALL) {
        *last_ns = meeting->latest_ns;
        return meeting->seen >= meeting->members;
    }
    if (edge->flags & PITHI_EDGE_LOWER) {
        if (edge->seat > 0 && edge->seat <= meeting->come)
            *last_ns = e->seats[meeting->seats - 1 + edge->seat - 1].entered_ns;
        return edge->seat <= meeting->come;
    }
    *last_ns = meeting->root_ns;
    return meeting->root_ns != INT64_MIN;
}

/* What an edge must not come before; INT64_MIN: nothing. 0: that is not known yet, and it is to wait. */
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
        *least_ns = sum(sum(send->time_ns, send->shift_ns), pithi_edges_latency(e, send->rank, rank));
    } else if (edge->flags & (PITHI_EDGE_ALL | PITHI_EDGE_OF_ROOT | PITHI_EDGE_LOWER)) {
        struct pithi_meeting *meeting = &e->meetings[edge->partner];
        /* Where the root gave nothing, or somebody is missing, nobody waits once all that there are have come. */
        if (!have_come(e, meeting, edge, least_ns) && meeting->seen < meeting->members) {
            r->walkers[rank].waiting = meeting->waiters;
            meeting->waiters = rank + 1;
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

static void wake_all(struct replay *r, struct pithi_meeting *meeting)
{
    uint32_t waiter = meeting->waiters;
    meeting->waiters = 0;
    while (waiter != 0) {
        uint32_t next = r->walkers[waiter - 1].waiting;
        wake(r, waiter);
        waiter = next;
    }
}

/* One more member of a scan has entered: 1: some may be able to go on. */
static int sit_down(const struct pithi_edges *e, struct pithi_meeting *meeting, const struct pithi_edge *edge,
                    int64_t now_ns)
{
    struct pithi_seat *seats = &e->seats[meeting->seats - 1];
    uint32_t come = meeting->come;
    seats[edge->seat].entered_ns = edge->flags & PITHI_EDGE_GIVES ? now_ns : INT64_MIN;
    for (; meeting->come < meeting->members && seats[meeting->come].entered_ns != INT64_MAX; meeting->come++)
        if (meeting->come > 0 && seats[meeting->come - 1].entered_ns > seats[meeting->come].entered_ns)
            seats[meeting->come].entered_ns = seats[meeting->come - 1].entered_ns;
    return meeting->come > come;
}

/* What its time means for others. */
static void tell(struct replay *r, struct pithi_edge *edge, int64_t now_ns)
{
    struct pithi_edges *e = r->e;
    if (edge->partner == PITHI_NO_PARTNER)
        return;
    if (edge->kind == PITHI_EDGE_SEND) {
        wake(r, edge->waiter);
    } else if (edge->kind == PITHI_EDGE_RECV) {
        struct pithi_edge *send = &e->edges[edge->partner];
        int64_t sent_ns = sum(send->time_ns, send->shift_ns);
        send->before_ns = now_ns - sent_ns - pithi_edges_latency(e, send->rank, edge->rank);
    } else {
        struct pithi_meeting *meeting = &e->meetings[edge->partner];
        if (edge->kind == PITHI_EDGE_ENTER) {
            meeting->seen++;
            if (edge->flags & PITHI_EDGE_GIVES && now_ns > meeting->latest_ns)
                meeting->latest_ns = now_ns;
            if (edge->flags & PITHI_EDGE_ROOT)
                meeting->root_ns = now_ns;
            int more = edge->flags & PITHI_EDGE_ROOT;
            if (meeting->seats != 0 && edge->seat != PITHI_NO_SEAT)
                more |= sit_down(e, meeting, edge, now_ns);
            if (meeting->seen >= meeting->members || more)
                wake_all(r, meeting);
        }
        if (edge->flags & PITHI_EDGE_LOWER)
            e->seats[meeting->seats - 1 + edge->seat].left_ns = now_ns;
        if (edge->flags & PITHI_EDGE_ALL && now_ns < meeting->left_ns)
            meeting->left_ns = now_ns;
        if (edge->flags & PITHI_EDGE_OF_ROOT && now_ns < meeting->left_root_ns)
            meeting->left_root_ns = now_ns;
    }
}

/* Does the edge at hand. */
static void step(struct replay *r, uint32_t rank, int64_t least_ns)
{
    struct walker *w = &r->walkers[rank];
    struct pithi_edge *edge = &r->e->edges[r->e->first[rank] + w->next];
    int64_t passed = edge->time_ns - w->time_ns, decay = w->next > 0 ? passed / PITHI_CAUSAL_DECAY : 0;
    w->shift_ns = decay < w->shift_ns ? w->shift_ns - decay : 0;
    if (least_ns != INT64_MIN && sum(edge->time_ns, w->shift_ns) < least_ns) {
        w->shift_ns = least_ns - edge->time_ns;
        r->moved = 1;
        if (edge->kind != PITHI_EDGE_RECV && !r->e->meetings[edge->partner].told) {
            r->e->meetings[edge->partner].told = 1;
            r->collectives++;
        }
    }
    edge->shift_ns = w->shift_ns;
    edge->flags |= PITHI_EDGE_DONE;
    w->time_ns = edge->time_ns;
    w->next++;
    tell(r, edge, sum(edge->time_ns, w->shift_ns));
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

/* All wait: a match is wrong. The earliest does not wait any longer for what it waits for. */
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
    } else { /* all that wait for the same */
        struct pithi_meeting *meeting = &e->meetings[earliest->partner];
        meeting->members = 0;
        wake_all(r, meeting);
    }
    return 1;
}

int pithi_edges_replay(struct pithi_edges *e, uint64_t *collectives, uint64_t *given_up)
{
    struct replay r = {.e = e};
    r.walkers = calloc(e->ranks + (size_t)1, sizeof *r.walkers);
    r.ready = malloc((e->ranks + (size_t)1) * sizeof *r.ready);
    if (!r.walkers || !r.ready) {
        free(r.walkers);
        free(r.ready);
        return -pithi_fail(PITH_ERR_MEMORY, "%s", "no memory to mend times");
    }
    for (uint32_t i = 0; i < e->meeting_count; i++)
        e->meetings[i].seen = 0;
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
