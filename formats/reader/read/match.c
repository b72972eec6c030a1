/* match.c - finds which send belongs to which receive.
 *
 * Messages between two processes on one communicator with one tag do not overtake (MPI 4.0, 3.5), and receives are
 * matched in posting order. A path is a communicator, a sender, a receiver and a tag. So on each path, the n-th send
 * belongs to the n-th posted receive. But receives may complete out of order: after Irecv A, Irecv B, Wait B, Wait A,
 * the log has the record of B first. So each record of a receive has its number in the posting order of its rank: 0, 1,
 * 2 ... A receive is held back until all receives posted before it were seen.
 *
 *     log:      recv posted=1 (B)   recv posted=0 (A)   recv posted=2 (C)
 *     released: -                   A, B                C
 *
 * A receive without a message has peer -1, and only accounts for its number. If numbers are still missing at the end
 * (in a cut log), the held receives are released in order then. A receive whose number was already seen or passed over
 * is released at once.
 *
 * In an incomplete log (only an interval was recorded, or records were lost), sends may be missing. Since no message is
 * received before it is sent, a receive that completed before the next send of its path began belongs to a missing
 * send, and stays unmatched:
 *
 *     | cut |  recv at 5    send at 7    recv at 9        message 7 -> 9; the send of the first receive is cut off
 *
 * If records of a rank are missing in the middle of a log (a damaged block, or LOST), it is not known how many sends
 * and receives they were. So the rank's later sends and receives stay unmatched, and so do their partners on other
 * ranks. The rank's sends and receives before the hole are all known, and are still matched, because their partners
 * come before the partners of the missing ones:
 *
 *     rank 0:  send A   | damaged: send B |   send C
 *     rank 1:                    recv A    recv B    recv C        message A; B and C have no partner */
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/map.h"
#include "native/log.h"
#include "native/lost_states.h"
#include "reader/read/iter.h"

enum { QUEUE_LEAST = 4 }; /* first size of a queue */

/* An unmatched end (send or receive) of a message, in the queue of its path. */
struct half {
    int64_t time_ns;        /* begin of the send, or end of the receive */
    uint64_t bytes;         /* size of the message in this end's record */
    struct pithi_turn turn; /* of a receive: when it had its turn (match.h) */
    uint32_t lane;
};

/* A receive that waits for receives posted before it. */
struct held_recv {
    struct half half;
    uint32_t comm;
    int32_t tag, peer;
    uint64_t posted;
};

/* The held receives of a rank, in a heap ordered by `posted`. */
struct held {
    uint64_t expected;      /* lowest number of posting that was not released */
    struct held_recv *heap; /* [count] held receives, the one with the lowest number first */
    uint32_t count, room;
    int is_missing; /* 1: records of this rank are missing after the last one seen */
};

/* A path (communicator, sender, receiver, tag) and the queue of its unmatched ends, which are all sends or all
 * receives. */
struct path {
    uint32_t comm;
    int32_t from, to, tag;
    uint32_t next; /* next path with the same hash; UINT32_MAX: none */
    int sends;     /* 1: the queue holds sends; 0: receives */
    int is_broken; /* 1: the sender or the receiver has a hole: the queue has only its ends from before the hole */
    struct half one;
    struct half *queue;          /* NULL: `one` is the queue, because most paths have at most one unmatched end */
    uint32_t first, count, room; /* `queue` is a ring; room is a power of two, or 0 */
};

struct pithi_match {
    struct held *held; /* [held_count] by index of the rank */
    uint32_t held_count;
    struct path *paths;
    uint32_t path_count, path_room, path_limit; /* at path_limit, paths without unmatched ends are removed */
    struct pithi_map path_map;                  /* from path_hash to the index of the first path */
    struct pithi_map missing;                   /* ranks that have had a hole */
    uint64_t sends, recvs;                      /* number of unmatched ends, in queues or given up */
    struct pithi_turn turn;                     /* turn of the record taken last, or of the receive released last */
    struct pithi_turn matched;                  /* turn of the receive of the last match */
    int cut;                                    /* 1: messages may be missing */
    int is_full;                                /* 1: there was no memory for `missing`, so later calls fail */
};

struct pithlog_matcher {
    struct pithlog *log;       /* not owned */
    struct pithlog_iter *iter; /* delivers sends, receives and LOST records */
    struct pithi_match *match; /* the state of the matching */
    int flushing;              /* 1: the log has ended, and held receives are released */
    uint32_t flush_rank;       /* the rank being released at the end */
    uint32_t release_rank;     /* with `releasing`: the rank whose held receives may be released */
    int releasing;             /* 1: the last record was a receive, so held receives may follow */
};

/* ---- Receives in order of posting -------------------------------------------------------------------------------- */

static int was_posted_before(const void *a, const void *b)
{
    return ((const struct held_recv *)a)->posted < ((const struct held_recv *)b)->posted;
}

static int hold(struct held *h, const struct held_recv *recv)
{
    if (!pithi_grow(&h->heap, h->count, &h->room, sizeof *h->heap))
        return 0;
    pithi_heap_add(h->heap, &h->count, recv, sizeof *recv, was_posted_before);
    return 1;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

static uint64_t path_hash(uint32_t comm, int32_t from, int32_t to, int32_t tag)
{
    uint64_t hash = pithi_hash_number(0, (uint64_t)comm << 32 | (uint32_t)tag);
    return (hash ^ ((uint64_t)(uint32_t)from << 32 | (uint32_t)to)) * UINT64_C(0xd6e8feb86659fd93);
}

static int misses(const struct pithi_match *m, int32_t rank)
{
    return pithi_map_find(&m->missing, (uint32_t)rank) != NULL;
}

static struct path *find_path(struct pithi_match *m, uint32_t comm, int32_t from, int32_t to, int32_t tag)
{
    uint64_t key = path_hash(comm, from, to, tag);
    uint32_t first = 0, at;
    if (m->path_count >= m->path_limit) {
        /* Removes paths with empty queues, because a program may use each tag only once. The next removal is due when
         * there are four times the paths that are left now, so its cost for each path is constant. */
        uint32_t kept = 0;
        pithi_map_free(&m->path_map);
        for (uint32_t i = 0; i < m->path_count; i++) {
            struct path *p = &m->paths[i];
            if (p->count == 0) {
                free(p->queue);
                p->queue = NULL;
                continue;
            }
            uint64_t kept_key = path_hash(p->comm, p->from, p->to, p->tag);
            if (!pithi_map_get(&m->path_map, kept_key, &p->next))
                p->next = UINT32_MAX;
            if (!pithi_map_put(&m->path_map, kept_key, kept))
                return NULL;
            m->paths[kept++] = *p;
        }
        m->path_count = kept;
        m->path_limit = kept < 1024 ? 4096 : kept * 4;
    }
    if (!pithi_map_get(&m->path_map, key, &first))
        first = UINT32_MAX;
    for (at = first; at != UINT32_MAX; at = m->paths[at].next) {
        struct path *p = &m->paths[at];
        if (p->comm == comm && p->from == from && p->to == to && p->tag == tag)
            return p;
    }
    if (!pithi_grow(&m->paths, m->path_count, &m->path_room, sizeof *m->paths) ||
        !pithi_map_put(&m->path_map, key, m->path_count))
        return NULL;
    m->paths[m->path_count] = (struct path){
        .comm = comm, .from = from, .to = to, .tag = tag, .next = first, .is_broken = misses(m, from) || misses(m, to)};
    return &m->paths[m->path_count++];
}

static const struct half *queue_first(const struct path *p) { return p->queue ? &p->queue[p->first] : &p->one; }

static int queue_put(struct path *p, const struct half *half)
{
    if (p->count == 0 && !p->queue) {
        p->one = *half;
        p->count = 1;
        return 1;
    }
    if (p->count >= p->room) {
        uint32_t room = p->room ? p->room * 2 : QUEUE_LEAST;
        struct half *queue = room > p->room ? malloc(room * sizeof *queue) : NULL;
        if (!queue)
            return 0;
        queue[0] = *queue_first(p);
        for (uint32_t i = 1; i < p->count; i++)
            queue[i] = p->queue[(p->first + i) & (p->room - 1)];
        free(p->queue);
        p->queue = queue;
        p->room = room;
        p->first = 0;
    }
    p->queue[(p->first + p->count++) & (p->room - 1)] = *half;
    return 1;
}

static struct half queue_get(struct path *p)
{
    struct half half = *queue_first(p);
    p->first = p->queue ? (p->first + 1) & (p->room - 1) : 0;
    if (--p->count == 0 && p->room > QUEUE_LEAST) { /* frees the queue, because many paths are not used again */
        free(p->queue);
        p->queue = NULL;
        p->room = p->first = 0;
    }
    return half;
}

/* Matches a send or a released receive. Returns 1 after setting *message; 0 if this end waits for its partner or stays
 * unmatched; -1 if there is no memory.
 *
 * The queue of a path never has both sends and receives, because its first send and first receive would be a message.
 * So if the queue is empty or has ends of the same kind, this end waits in the queue; else the first end in the queue
 * is the partner. The rules for incomplete logs (at the top of this file) are applied before these. */
static int meet(struct pithi_match *m, uint32_t comm, int32_t from, int32_t to, int32_t tag, const struct half *half,
                int is_send, struct pithlog_message *message)
{
    struct path *p = find_path(m, comm, from, to, tag);
    uint64_t *waiting = is_send ? &m->sends : &m->recvs, *others = is_send ? &m->recvs : &m->sends;
    if (!p || m->is_full)
        return -1;
    if (p->is_broken && (p->count == 0 || p->sends == is_send)) {
        ++*waiting;
        return 0;
    }
    if (m->cut && !is_send && p->count && p->sends && queue_first(p)->time_ns > half->time_ns) {
        ++m->recvs;
        return 0;
    }
    while (m->cut && is_send && p->count && !p->sends && queue_first(p)->time_ns < half->time_ns)
        queue_get(p);
    if (p->count == 0 || p->sends == is_send) {
        p->sends = is_send;
        ++*waiting;
        return queue_put(p, half) ? 0 : -1;
    }
    struct half other = queue_get(p);
    const struct half *send = is_send ? half : &other, *recv = is_send ? &other : half;
    --*others;
    m->matched = recv->turn;
    *message = (struct pithlog_message){.send_lane = send->lane,
                                        .recv_lane = recv->lane,
                                        .send_ns = send->time_ns,
                                        .recv_ns = recv->time_ns,
                                        .tag = tag,
                                        .comm = comm,
                                        .bytes = send->bytes};
    return 1;
}

/* ---- Without a log ----------------------------------------------------------------------------------------------- */

struct pithi_match *pithi_match_new(void) { return calloc(1, sizeof(struct pithi_match)); }

void pithi_match_free(struct pithi_match *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->held_count; i++)
        free(m->held[i].heap);
    for (uint32_t i = 0; i < m->path_count; i++)
        free(m->paths[i].queue);
    free(m->held);
    free(m->paths);
    pithi_map_free(&m->path_map);
    pithi_map_free(&m->missing);
    free(m);
}

void pithi_match_waiting(const struct pithi_match *m, uint64_t *sends, uint64_t *recvs)
{
    *sends = m->sends;
    *recvs = m->recvs;
}

struct pithi_turn pithi_match_turn(const struct pithi_match *m) { return m->matched; }

void pithi_match_cut(struct pithi_match *m) { m->cut = 1; }

static struct held *held_of(struct pithi_match *m, uint32_t index)
{
    if (index >= m->held_count) {
        uint32_t count = index < 8 ? 16 : index * 2;
        if (!pithi_resize(&m->held, m->held_count, count, sizeof *m->held))
            return NULL;
        m->held_count = count;
    }
    return &m->held[index];
}

/* Gives up ends that can have no known partner any more: held receives of this rank, and queued ends of other ranks
 * whose partner would be a later end of this rank. The queued ends of this rank stay, because their partners may still
 * come from other ranks. Ends that are given up stay counted as unmatched. */
void pithi_match_missing(struct pithi_match *m, uint32_t index, int32_t rank)
{
    struct held *h = held_of(m, index);
    if (!h || !pithi_map_put(&m->missing, (uint32_t)rank, 1)) {
        m->is_full = 1;
        return;
    }
    if (h->is_missing)
        return;
    h->is_missing = 1;
    for (uint32_t i = 0; i < h->count; i++)
        m->recvs += h->heap[i].peer >= 0;
    h->count = 0;
    for (uint32_t i = 0; i < m->path_count; i++) {
        struct path *p = &m->paths[i];
        if (p->from != rank && p->to != rank)
            continue;
        p->is_broken = 1;
        while (p->count && (p->from == p->to || p->sends != (p->from == rank)))
            queue_get(p);
    }
}

int pithi_match_ready(struct pithi_match *m, uint32_t index, int32_t rank, int all, struct pithlog_message *message)
{
    struct held *h = index < m->held_count ? &m->held[index] : NULL;
    while (h && h->count && (all || h->heap[0].posted <= h->expected)) {
        struct held_recv recv;
        pithi_heap_take(h->heap, &h->count, &recv, sizeof recv, was_posted_before);
        if (recv.posted >= h->expected)
            h->expected = recv.posted + 1;
        recv.half.turn = m->turn;
        m->turn.number++;
        int status = recv.peer < 0 ? 0 : meet(m, recv.comm, recv.peer, rank, recv.tag, &recv.half, 0, message);
        if (status != 0)
            return status;
    }
    return 0;
}

int pithi_match_take(struct pithi_match *m, uint32_t index, int32_t rank, const struct pithlog_record *r, uint32_t lane,
                     struct pithlog_message *message)
{
    m->turn = (struct pithi_turn){r->time_ns, m->turn.number + 1};
    struct half half = {r->time_ns, r->bytes, m->turn, lane};
    if (r->kind == PITHLOG_SEND)
        return r->peer < 0 ? 0 : meet(m, r->comm, rank, r->peer, r->tag, &half, 1, message);
    struct held *held = held_of(m, index);
    if (held && held->is_missing) {
        m->recvs += r->peer >= 0;
        return 0;
    }
    if (held && held->count == 0 && r->posted <= held->expected) { /* the usual case: in posting order */
        held->expected += r->posted == held->expected;
        return r->peer < 0 ? 0 : meet(m, r->comm, r->peer, rank, r->tag, &half, 0, message);
    }
    if (!held || !hold(held, &(struct held_recv){half, r->comm, r->tag, r->peer, r->posted}))
        return -1;
    return pithi_match_ready(m, index, rank, 0, message);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

int pithi_match_incomplete(const struct pithlog *log)
{
    const char *key, *value;
    uint32_t i;
    for (i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "window_s") == 0)
            return 1;
    return pithlog_get_info(log)->lost > 0 || pithlog_get_info(log)->incomplete || log->damages > 0;
}

static void hole(void *context, uint32_t lane)
{
    const struct pithlog_matcher *m = context;
    uint32_t rank = pithi_log_rank_of(m->log, lane);
    pithi_match_missing(m->match, rank, pithi_log_rank(m->log, rank)->rank);
}

int pithlog_matcher_open(struct pithlog *log, struct pithlog_matcher **matcher)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_LOST};
    struct pithlog_matcher *m = *matcher = calloc(1, sizeof *m);
    int err;
    if (!m || !(m->match = pithi_match_new())) {
        free(m);
        *matcher = NULL;
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to match messages", log->path);
    }
    m->log = log;
    if (pithi_match_incomplete(log))
        pithi_match_cut(m->match);
    if ((err = pithlog_iter_open(log, &query, &m->iter)) != PITH_OK) {
        pithlog_matcher_close(m);
        *matcher = NULL;
        return err;
    }
    pithi_iter_tell_holes(m->iter, (struct pithi_holes){hole, m});
    return PITH_OK;
}

void pithlog_matcher_close(struct pithlog_matcher *m)
{
    if (!m)
        return;
    pithi_match_free(m->match);
    pithlog_iter_close(m->iter);
    free(m);
}

void pithlog_matcher_unmatched(const struct pithlog_matcher *m, uint64_t *sends, uint64_t *recvs)
{
    pithi_match_waiting(m->match, sends, recvs);
}

static int no_memory(const struct pithlog_matcher *m)
{
    pithi_fail(PITH_ERR_MEMORY, "%s: no memory to match messages", m->log->path);
    return -1;
}

static int ready(struct pithlog_matcher *m, uint32_t rank, int all, struct pithlog_message *message)
{
    return pithi_match_ready(m->match, rank, pithi_log_rank(m->log, rank)->rank, all, message);
}

int pithlog_matcher_next(struct pithlog_matcher *m, struct pithlog_message *message)
{
    struct pithlog_record r;
    int status;
    while (!m->flushing) {
        if (m->releasing) {
            if ((status = ready(m, m->release_rank, 0, message)) != 0)
                return status < 0 ? no_memory(m) : 1;
            m->releasing = 0;
        }
        if ((status = pithlog_iter_next(m->iter, &r)) < 0)
            return -1;
        if (status == 0) {
            m->flushing = 1;
            break;
        }
        if (pithi_is_hole(m->log, &r))
            hole(m, r.lane);
        if (r.kind == PITHLOG_LOST)
            continue;
        m->release_rank = pithi_log_rank_of(m->log, r.lane);
        m->releasing = r.kind == PITHLOG_RECV;
        status = pithi_match_take(m->match, m->release_rank, pithi_log_rank(m->log, m->release_rank)->rank, &r, r.lane,
                                  message);
        if (status != 0)
            return status < 0 ? no_memory(m) : 1;
    }
    for (; m->flush_rank < pithi_log_ranks(m->log); m->flush_rank++)
        if ((status = ready(m, m->flush_rank, 1, message)) != 0)
            return status < 0 ? no_memory(m) : 1;
    return 0;
}

void pithi_part_ns(const struct pithlog *log, int64_t *from_ns, int64_t *to_ns)
{
    const char *value = pithi_property(log, PITHI_PART_NS_KEY);
    long long first, last;

    if (!value || sscanf(value, "from=%lld to=%lld", &first, &last) != 2)
        return;
    *from_ns = first < *from_ns ? first : *from_ns;
    *to_ns = last > *to_ns ? last : *to_ns;
}
