/* partner_ends.c - owns the ends of messages between the iterator that reads ahead and the replay. */
#include "analysis/partner_ends.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "analysis/pairs.h"
#include "base/error.h"
#include "native/log.h"

#define NONE UINT32_MAX
/* Most ends that may wait for the replay; a receive whose partner is further ahead gets none. */
enum { AHEAD_MOST = 1 << 22 };

struct end {
    struct pithi_sent sent;
    uint32_t partner; /* of a receive: the send */
    uint32_t next;    /* next of the same lane, or next free */
    int passed;       /* the replay has reached it */
    int alone;        /* not needed any more: free it when it is passed or matched */
};

/* The ends of a lane that the replay has not reached. */
struct queue {
    uint32_t first, last;
};

struct pithi_partners {
    struct pithlog *log;
    struct pithlog_iter *iter; /* NULL: at the end of the log */
    struct pithi_pairs *pairs;
    struct end *ends;
    uint32_t count, room, free_first, ahead;
    struct queue *queues; /* by lane */
};

static int no_memory(const struct pithi_partners *p)
{
    pithi_fail(PITH_ERR_MEMORY, "%s: no memory to match messages", p->log->path);
    return -1;
}

int pithi_partners_open(struct pithlog *log, struct pithi_partners **partners)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_LOST};
    struct pithi_partners *p = *partners = calloc(1, sizeof *p);
    uint32_t lanes = log->info.lanes;
    int err;
    if (!p)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to match messages", log->path);
    p->log = log;
    p->free_first = NONE;
    p->pairs = pithi_pairs_open(log);
    p->queues = malloc((lanes + (size_t)1) * sizeof *p->queues);
    err = p->pairs && p->queues ? pithlog_iter_open(log, &query, &p->iter) : (no_memory(p), PITH_ERR_MEMORY);
    if (err != PITH_OK) {
        pithi_partners_close(p);
        *partners = NULL;
        return err;
    }
    pithi_pairs_follow(p->pairs, p->iter);
    for (uint32_t i = 0; i < lanes; i++)
        p->queues[i] = (struct queue){NONE, NONE};
    return PITH_OK;
}

void pithi_partners_close(struct pithi_partners *p)
{
    if (!p)
        return;
    pithlog_iter_close(p->iter);
    pithi_pairs_close(p->pairs);
    free(p->ends);
    free(p->queues);
    free(p);
}

/* ---- Ends -------------------------------------------------------------------------------------------------------- */

static uint32_t make_end(struct pithi_partners *p, uint32_t lane)
{
    struct queue *queue = &p->queues[lane];
    uint32_t at = p->free_first;
    if (at != NONE)
        p->free_first = p->ends[at].next;
    else if (pithi_grow(&p->ends, p->count, &p->room, sizeof *p->ends))
        at = p->count++;
    else
        return NONE;
    p->ends[at] = (struct end){.partner = NONE, .next = NONE};
    if (queue->first == NONE)
        queue->first = at;
    else
        p->ends[queue->last].next = at;
    queue->last = at;
    p->ahead++;
    return at;
}

static void free_end(struct pithi_partners *p, uint32_t at)
{
    p->ends[at].next = p->free_first;
    p->free_first = at;
}

/* Frees a send that no receive needs any more, once the replay has passed it. */
static void leave_send(struct pithi_partners *p, uint32_t at)
{
    p->ends[at].alone = 1;
    if (p->ends[at].passed)
        free_end(p, at);
}

static void join(struct pithi_partners *p, const struct pithlog_message *message)
{
    struct end *recv = &p->ends[message->recv_lane];
    recv->partner = message->send_lane;
    if (recv->alone) {
        leave_send(p, message->send_lane);
        free_end(p, message->recv_lane);
    }
}

/* ---- Reading ahead ----------------------------------------------------------------------------------------------- */

/* Reads one more record, or matches the rest at the end: 0 or -1. */
static int advance(struct pithi_partners *p)
{
    struct pithlog_record r;
    struct pithlog_message message;
    uint32_t number = NONE;
    int status = pithlog_iter_next(p->iter, &r);
    if (status < 0)
        return -1;
    if (status == 0) {
        pithlog_iter_close(p->iter);
        p->iter = NULL;
        while ((status = pithi_pairs_rest(p->pairs, &message)) > 0)
            join(p, &message);
        return status < 0 ? no_memory(p) : 0;
    }
    if (r.kind == PITHLOG_LOST) {
        pithi_pairs_lost(p->pairs, &r);
        return 0;
    }
    if (r.peer >= 0 && (number = make_end(p, r.lane)) == NONE)
        return no_memory(p);
    if ((status = pithi_pairs_take(p->pairs, &r, number, &message)) > 0)
        join(p, &message);
    while (status >= 0 && (status = pithi_pairs_more(p->pairs, &message)) > 0)
        join(p, &message);
    return status < 0 ? no_memory(p) : 0;
}

/* Takes the next end of a lane as the replay reaches it. Returns its number; NONE: an error. */
static uint32_t pass(struct pithi_partners *p, uint32_t lane)
{
    struct queue *queue = &p->queues[lane];
    while (queue->first == NONE && p->iter)
        if (advance(p) < 0)
            return NONE;
    uint32_t at = queue->first;
    if (at == NONE) {
        pithi_fail(PITH_ERR_DAMAGED, "%s: read twice, it was not the same", p->log->path);
        return NONE;
    }
    queue->first = p->ends[at].next;
    p->ends[at].passed = 1;
    p->ahead--;
    return at;
}

uint32_t pithi_partners_send(struct pithi_partners *p, uint32_t lane)
{
    uint32_t at = pass(p, lane);
    if (at != NONE && p->ends[at].alone)
        free_end(p, at); /* its memory stays valid until the next end is made */
    return at;
}

struct pithi_sent *pithi_partners_sent(struct pithi_partners *p, uint32_t number) { return &p->ends[number].sent; }

int pithi_partners_recv(struct pithi_partners *p, uint32_t lane, struct pithi_sent *sent)
{
    uint32_t at = pass(p, lane);
    if (at == NONE)
        return -1;
    while (p->ends[at].partner == NONE && p->iter && p->ahead < AHEAD_MOST)
        if (advance(p) < 0)
            return -1;
    uint32_t partner = p->ends[at].partner;
    if (partner == NONE) {
        p->ends[at].alone = 1;
        return 0;
    }
    *sent = p->ends[partner].sent;
    free_end(p, at);
    leave_send(p, partner);
    return 1;
}
