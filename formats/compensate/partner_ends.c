/* partner_ends.c - see partner_ends.h. Owns the ends of messages between the reader ahead and the replay.
 *
 * What match.c gives back of a record is its lane and time; so the number of an end stands in for the lane. */
#include "compensate/partner_ends.h"

#include <stdlib.h>

#include "error.h"
#include "match.h"
#include "native/bytes.h"
#include "native/log.h"

#define NONE UINT32_MAX
/* Ends that wait for the replay at most; a receive whose partner is farther ahead goes without. */
enum { AHEAD_MOST = 1 << 22 };

struct end {
    struct pithi_sent sent;
    uint32_t partner; /* of a receive: the send */
    uint32_t next;    /* of the same lane, or free */
    int passed;       /* the replay has come to it */
    int alone;        /* nobody will ask for it any more: free it when it is passed, or matched */
};

/* The ends of a lane that the replay has not come to. */
struct queue {
    uint32_t first, last;
};

struct pithi_partners {
    struct pithlog *log;
    struct pithlog_iter *iter; /* NULL: it is at its end */
    struct pithi_match *match;
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
    struct pithlog_query query = {INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_SEND | 1u << PITHLOG_RECV, 0};
    struct pithi_partners *p = *partners = calloc(1, sizeof *p);
    uint32_t lanes = log->info.lanes;
    int err;
    if (!p)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to match messages", log->path);
    p->log = log;
    p->free_first = NONE;
    p->match = pithi_match_new();
    p->queues = malloc((lanes + (size_t)1) * sizeof *p->queues);
    err = p->match && p->queues ? pithlog_iter_open(log, &query, &p->iter) : (no_memory(p), PITH_ERR_MEMORY);
    if (err != PITH_OK) {
        pithi_partners_close(p);
        *partners = NULL;
        return err;
    }
    for (uint32_t i = 0; i < lanes; i++)
        p->queues[i] = (struct queue){NONE, NONE};
    if (pithi_match_incomplete(log))
        pithi_match_cut(p->match);
    return PITH_OK;
}

void pithi_partners_close(struct pithi_partners *p)
{
    if (!p)
        return;
    pithlog_iter_close(p->iter);
    pithi_match_free(p->match);
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

/* Nobody will ask for this send: it goes, once the replay has passed it. */
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

/* ---- The reader ahead -------------------------------------------------------------------------------------------- */

/* Receives of a rank whose turn has come; 0, -1: no memory. */
static int join_ready(struct pithi_partners *p, uint32_t rank, int all)
{
    struct pithlog_message message;
    int status;
    while ((status = pithi_match_ready(p->match, rank, pithi_log_rank(p->log, rank)->rank, all, &message)) == 1)
        join(p, &message);
    return status < 0 ? no_memory(p) : 0;
}

static int end_reading(struct pithi_partners *p)
{
    int status = 0;
    pithlog_iter_close(p->iter);
    p->iter = NULL;
    for (uint32_t rank = 0; status == 0 && rank < pithi_log_ranks(p->log); rank++)
        status = join_ready(p, rank, 1);
    return status;
}

/* Reads one record more: 0 or -1. */
static int advance(struct pithi_partners *p)
{
    struct pithlog_record r;
    struct pithlog_message message;
    int status = pithlog_iter_next(p->iter, &r);
    if (status <= 0)
        return status < 0 ? -1 : end_reading(p);
    uint32_t rank = pithi_log_rank_of(p->log, r.lane);
    if (r.peer >= 0 && (r.lane = make_end(p, r.lane)) == NONE)
        return no_memory(p);
    status = pithi_match_take(p->match, rank, pithi_log_rank(p->log, rank)->rank, &r, &message);
    if (status < 0)
        return no_memory(p);
    if (status == 1)
        join(p, &message);
    return r.kind == PITHLOG_RECV ? join_ready(p, rank, 0) : 0;
}

/* The end that the replay is at: its number; NONE after an error. */
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
        free_end(p, at); /* stays where it is until the next one is made */
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
