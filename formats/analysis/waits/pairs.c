/* pairs.c - matches sends with receives, which the client numbers. An *end* is a send or a receive. The matcher gets an
 * end's number in place of its lane, and only passes it on. So a client finds its own data for both ends of a match.
 * Example: the send with number 7 and the receive with number 12 make a message with send_lane 7 and recv_lane 12. */
#include "analysis/waits/pairs.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"

#define NONE UINT32_MAX

enum { WINDOW_MOST = 1 << 20 }; /* messages that a window may have */

/* A message of the window. It can be found by the lane, time and kind of either end. */
struct wanted {
    struct pithlog_message message;
    uint32_t number[2]; /* numbers of the message's send and receive; NONE until the record is seen */
    uint32_t next[2];   /* for each end: next message with the same hash */
};

struct pithi_pairs {
    struct pithlog *log;
    struct pithi_match *match; /* NULL: a window */
    uint32_t rank;             /* rank of the last record; at the end of the log, the rank to finish */
    int is_recv, is_rest;      /* is_recv: the last record is a receive; is_rest: pithi_pairs_rest has begun */
    struct wanted *wanted;
    /* count: messages in `wanted`; found: the entry that the last call of pithi_pairs_want found. */
    uint32_t count, room, found;
    struct pithi_map map;
    int64_t from_ns, to_ns; /* the window, [from, to) */
    int is_full;            /* 1: no room for more messages */
};

/* Opens a matcher for the whole log. Returns NULL if there is no memory. The ends must come in the order of time within
 * each lane. */
struct pithi_pairs *pithi_pairs_open(struct pithlog *log)
{
    struct pithi_pairs *p = calloc(1, sizeof *p);

    if (!p || !(p->match = pithi_match_new())) {
        free(p);
        return NULL;
    }
    p->log = log;
    /* In a log that lacks ranks, the other end of some messages never comes. */
    if (pithi_match_incomplete(log))
        pithi_match_cut(p->match);
    return p;
}

void pithi_pairs_close(struct pithi_pairs *p)
{
    if (!p)
        return;
    pithi_match_free(p->match);
    pithi_map_free(&p->map);
    free(p->wanted);
    free(p);
}

/* Notes that records of this lane are missing here. The order of its messages is then unknown, so later messages are
 * not matched. */
void pithi_pairs_missing(struct pithi_pairs *p, uint32_t lane)
{
    uint32_t rank = pithi_log_rank_of(p->log, lane);

    if (p->match)
        pithi_match_missing(p->match, rank, pithi_log_rank(p->log, rank)->rank);
}

static void missing(void *pairs, uint32_t lane) { pithi_pairs_missing(pairs, lane); }

void pithi_pairs_follow(struct pithi_pairs *p, struct pithlog_iter *iter)
{
    pithi_iter_tell_holes(iter, (struct pithi_holes){missing, p});
}

void pithi_pairs_lost(struct pithi_pairs *p, const struct pithlog_record *r)
{
    if (pithi_is_hole(p->log, r))
        pithi_pairs_missing(p, r->lane);
}

/* ---- A window ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if a part of the message lies in [from_ns, to_ns). A message with equal times counts as a moment. */
int pithi_message_reaches(const struct pithlog_message *m, int64_t from_ns, int64_t to_ns)
{
    int is_turned = m->recv_ns < m->send_ns;
    int64_t first_ns = is_turned ? m->recv_ns : m->send_ns, last_ns = is_turned ? m->send_ns : m->recv_ns;

    return first_ns < to_ns && (last_ns > from_ns || first_ns >= from_ns);
}

/* Returns a hash of lane, kind and time of an end. Different ends may have the same hash, so pithi_pairs_want compares
 * the ends. */
static uint64_t key_of(uint32_t lane, int64_t time_ns, int is_recv)
{
    return ((uint64_t)lane << 1 | (unsigned)is_recv) * UINT64_C(0xd6e8feb86659fd93) ^
           (uint64_t)time_ns * UINT64_C(0x9e3779b97f4a7c15);
}

/* Keeps a message under the keys of both ends. If another end already has the same key, the new end is linked before
 * it. */
static void keep(void *context, const struct pithlog_message *m)
{
    struct pithi_pairs *p = context;

    if (p->is_full || !pithi_message_reaches(m, p->from_ns, p->to_ns))
        return;
    /* with more than a million messages in the window, the caller matches the whole log instead */
    p->is_full = p->count == WINDOW_MOST || !pithi_grow(&p->wanted, p->count, &p->room, sizeof *p->wanted);
    if (p->is_full)
        return;
    struct wanted *wanted = &p->wanted[p->count];
    *wanted = (struct wanted){.message = *m, .number = {NONE, NONE}, .next = {NONE, NONE}};
    for (int is_recv = 0; is_recv < 2; is_recv++) {
        uint64_t key = is_recv ? key_of(m->recv_lane, m->recv_ns, 1) : key_of(m->send_lane, m->send_ns, 0);
        pithi_map_get(&p->map, key, &wanted->next[is_recv]);
        p->is_full |= !pithi_map_put(&p->map, key, p->count);
    }
    p->count++;
}

/* Prepares to find the records of the messages of a window, without matching the log. *first_ns, *last_ns: the interval
 * in which records have to be read. If *pairs is NULL without an error, there are too many messages or there is no
 * memory, and the caller must match the whole log. */
int pithi_pairs_open_window(struct pithlog *log, const struct pithlog_digest *digest, int64_t from_ns, int64_t to_ns,
                            int64_t *first_ns, int64_t *last_ns, struct pithi_pairs **pairs)
{
    struct pithlog_digest_window window = {.from_ns = from_ns, .to_ns = to_ns};
    struct pithi_pairs *p = *pairs = calloc(1, sizeof *p);
    double weight;
    int err;

    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    if (!p)
        return PITH_OK;
    *p = (struct pithi_pairs){.log = log, .from_ns = from_ns, .to_ns = to_ns};
    err = pithlog_digest_sample(digest, &window, UINT64_MAX, keep, p, &weight);
    for (uint32_t i = 0; i < p->count; i++)
        for (int is_recv = 0; is_recv < 2; is_recv++) {
            const struct pithlog_message *m = &p->wanted[i].message;
            int64_t time_ns = is_recv ? m->recv_ns : m->send_ns;
            *first_ns = time_ns < *first_ns ? time_ns : *first_ns;
            *last_ns = time_ns > *last_ns ? time_ns : *last_ns;
        }
    if (err || p->is_full) {
        pithi_pairs_close(p);
        *pairs = NULL;
    }
    return err;
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

/* For a whole log, returns 1. For a window, sets `found` to the message that has this record as one end, and returns 1.
 * Returns 0 if there is no such message, or if an earlier record was taken for this end.
 *
 * A digest has the times and lanes of messages, but not the places of their records. Ends of several messages may have
 * the same lane, time and kind (MPI_Waitall). Tag, communicator and partner distinguish such messages. If messages are
 * equal in all of these, any of them may be taken. */
int pithi_pairs_want(struct pithi_pairs *p, const struct pithlog_record *r)
{
    int is_recv = r->kind == PITHLOG_RECV;

    if (p->match)
        return 1;
    if (r->peer < 0 || !pithi_map_get(&p->map, key_of(r->lane, r->time_ns, is_recv), &p->found))
        return 0;
    for (; p->found != NONE; p->found = p->wanted[p->found].next[is_recv]) {
        const struct wanted *wanted = &p->wanted[p->found];
        const struct pithlog_message *m = &wanted->message;
        uint32_t lane = is_recv ? m->recv_lane : m->send_lane, other = is_recv ? m->send_lane : m->recv_lane;
        if (wanted->number[is_recv] == NONE && lane == r->lane && (is_recv ? m->recv_ns : m->send_ns) == r->time_ns &&
            m->tag == r->tag && m->comm == r->comm &&
            pithi_log_rank(p->log, pithi_log_rank_of(p->log, other))->rank == r->peer)
            return 1;
    }
    return 0;
}

/* Takes a record that pithi_pairs_want accepted; `number` is the client's number of the record. Returns 1 if the
 * message is complete, 0 if not yet, -1 if there is no memory. */
int pithi_pairs_take(struct pithi_pairs *p, const struct pithlog_record *r, uint32_t number,
                     struct pithlog_message *message)
{
    p->is_recv = r->kind == PITHLOG_RECV;
    if (p->match) {
        p->rank = pithi_log_rank_of(p->log, r->lane);
        return pithi_match_take(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, r, number, message);
    }
    /* in a window: the entry that pithi_pairs_want found */
    struct wanted *wanted = &p->wanted[p->found];
    wanted->number[p->is_recv] = number;
    *message = wanted->message;
    message->send_lane = wanted->number[0];
    message->recv_lane = wanted->number[1];
    return message->send_lane != NONE && message->recv_lane != NONE;
}

/* Returns 1 and a further message of the rank whose receive was taken last: receives that were posted later may have
 * waited for this one. Call this function until it returns 0. */
int pithi_pairs_more(struct pithi_pairs *p, struct pithlog_message *message)
{
    if (!p->match || !p->is_recv)
        return 0;
    return pithi_match_ready(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, 0, message);
}

struct pithi_turn pithi_pairs_turn(const struct pithi_pairs *p)
{
    return p->match ? pithi_match_turn(p->match) : (struct pithi_turn){0};
}

/* At the end of the log, returns 1 and the next message that was undecided until now. Call this function until it
 * returns 0. */
int pithi_pairs_rest(struct pithi_pairs *p, struct pithlog_message *message)
{
    int status = 0;

    if (!p->match)
        return 0;
    if (!p->is_rest)
        p->rank = 0;
    p->is_rest = 1;
    for (; p->rank < pithi_log_ranks(p->log); p->rank++)
        if ((status = pithi_match_ready(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, 1, message)) != 0)
            return status;
    return 0;
}

/* ---- Ahead of a replay ------------------------------------------------------------------------------------------- */

/* This part keeps the ends of messages between the iterator that reads ahead and the replay. At each receive, the
 * replay needs the data that it stored at the send. But which send belongs to a receive may only be known after later
 * records are read. So a second iterator reads ahead of the replay, as far as the next receive requires:
 *
 *     the replay is at the receive of message 5     the second iterator has matched messages 1 to 9
 *
 * The data of both ends are kept until the replay has passed them. */

/* The most ends that may wait for the replay; a receive whose partner would be further ahead gets no partner. */
enum { AHEAD_MOST = 1 << 22 };

struct end {
    struct pithi_sent sent;
    uint32_t partner; /* for a receive: its send; NONE: not matched */
    uint32_t next;    /* next end in the queue of the lane, or next free end */
    int passed;       /* 1: the replay has reached the end */
    int alone;        /* 1: not needed any more; freed when passed (a send) or matched (a receive) */
};

/* The sends and receives of a lane that were read ahead of the replay, which has not reached them yet. */
struct queue {
    uint32_t first, last;
};

struct pithi_partners {
    struct pithlog *log;
    struct pithlog_iter *iter; /* NULL: at the end of the log */
    struct pithi_pairs *pairs;
    struct end *ends;
    uint32_t count, room, free_first, ahead; /* free_first: NONE if none; ahead: ends that wait for the replay */
    struct queue *queues;                    /* by lane */
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

/* Makes an end at the back of its lane's queue. Returns NONE if there is no memory. Freed ends are used again, so
 * memory grows only with the ends between the two iterators. */
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

/* Links a receive with its send. If the replay has passed the receive already, without a partner, neither end is needed
 * any more. */
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

/* Reads one more record, or matches the rest at the end of the log. Returns 0, or -1 on an error. */
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
        /* the matcher may hold messages that only the end of the log decides */
        p->iter = NULL;
        while ((status = pithi_pairs_rest(p->pairs, &message)) > 0)
            join(p, &message);
        return status < 0 ? no_memory(p) : 0;
    }
    if (r.kind == PITHLOG_LOST) {
        pithi_pairs_lost(p->pairs, &r);
        return 0;
    }
    /* without a peer, a receive has no message and no end, but it counts in the order of posting */
    if (r.peer >= 0 && (number = make_end(p, r.lane)) == NONE)
        return no_memory(p);
    if ((status = pithi_pairs_take(p->pairs, &r, number, &message)) > 0)
        join(p, &message);
    while (status >= 0 && (status = pithi_pairs_more(p->pairs, &message)) > 0)
        join(p, &message);
    return status < 0 ? no_memory(p) : 0;
}

/* Called when the replay reaches the next end of a lane. Returns the number of the end, or NONE on an error. */
static uint32_t pass(struct pithi_partners *p, uint32_t lane)
{
    struct queue *queue = &p->queues[lane];
    while (queue->first == NONE && p->iter)
        if (advance(p) < 0)
            return NONE;
    uint32_t at = queue->first;
    /* the replay reads the same records, so an end is missing only if the file has changed meanwhile */
    if (at == NONE) {
        pithi_fail(PITH_ERR_DAMAGED, "%s: read twice, it was not the same", p->log->path);
        return NONE;
    }
    queue->first = p->ends[at].next;
    p->ends[at].passed = 1;
    p->ahead--;
    return at;
}

/* Called when the replay is at a send. Returns the number of the send, for pithi_partners_sent, or NONE on an error. */
uint32_t pithi_partners_send(struct pithi_partners *p, uint32_t lane)
{
    uint32_t at = pass(p, lane);
    if (at != NONE && p->ends[at].alone)
        free_end(p, at); /* its memory stays valid until the next end is made */
    return at;
}

struct pithi_sent *pithi_partners_sent(struct pithi_partners *p, uint32_t number) { return &p->ends[number].sent; }

/* Called when the replay is at a receive. Copies the data that the replay stored for the send into *sent, and returns
 * 1. Returns 0 if the receive has no partner, or the partner is too far ahead; -1 on an error. */
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
        /* the partner may still come; then `join` frees both */
        p->ends[at].alone = 1;
        return 0;
    }
    *sent = p->ends[partner].sent;
    free_end(p, at);
    leave_send(p, partner);
    return 1;
}
