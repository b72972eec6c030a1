/* causal_replay.c - the forward pass: visits each edge after the edges that it depends on, in all ranks. */
#include <stdlib.h>

#include "analysis/causal_edges.h"
#include "base/error.h"

struct walker {
    uint32_t next;             /* next edge, counted from the rank's first */
    int64_t time_ns, shift_ns; /* of the last edge */
    uint32_t waiting;          /* 1 + the next rank in the same instance's list of waiters; 0: none */
};

struct replay {
    struct pithi_edges *e;
    struct walker *walkers; /* [ranks] */
    uint32_t *ready;        /* ranks that may continue; each at most once */
    uint32_t ready_count;
    uint64_t collectives, given_up;
    int moved;
};

static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* 1: all members that this LEAVE needs have entered; *last_ns is when the last of them did. */
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

/* Sets *least_ns to the earliest time of an edge; INT64_MIN: any. 0: not known yet, and the rank waits. */
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
        struct pithi_instance *instance = &e->instances[edge->partner];
        /* The root may give nothing, or a member may be missing. So nobody waits after all members entered. */
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

/* A member of a scan enters. 1: waiting members may be able to continue. */
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
        int64_t sent_ns = sum(send->time_ns, send->shift_ns);
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

/* Handles the rank's next edge. */
static void step(struct replay *r, uint32_t rank, int64_t least_ns)
{
    struct walker *w = &r->walkers[rank];
    struct pithi_edge *edge = &r->e->edges[r->e->first[rank] + w->next];
    int64_t passed = edge->time_ns - w->time_ns, decay = w->next > 0 ? passed / PITHI_CAUSAL_DECAY : 0;
    w->shift_ns = decay < w->shift_ns ? w->shift_ns - decay : 0;
    if (least_ns != INT64_MIN && sum(edge->time_ns, w->shift_ns) < least_ns) {
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

/* All ranks wait, so a match is wrong: drops the dependency of the earliest waiting edge. */
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
    } else { /* releases all that wait for the same instance */
        struct pithi_instance *instance = &e->instances[earliest->partner];
        instance->members = 0;
        wake_all(r, instance);
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
