/* late.c - see late.h. Two readers go over the log side by side: the matcher tells messages, the scan keeps the calls
 * of sends and receives until their message is told. */
#include "core/late.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/messages.h"

enum { CHUNK = 512 };
#define NOT_OVER INT64_MAX
#define NO_CALL UINT32_MAX

struct open_state {
    uint32_t id;
    int64_t start_ns;
};

/* One end of a message: a send or receive on a lane, and the call around it. */
struct end {
    int64_t time_ns;
    int is_send, used;
    int32_t peer, tag;
    uint32_t comm, call;    /* definition, NO_CALL: there is none */
    int64_t from_ns, to_ns; /* of the call; NOT_OVER */
    int64_t told_ns;        /* of its waiting */
};

struct lane {
    struct open_state *open;
    uint32_t depth, open_capacity;
    struct end *ends; /* in order of time */
    uint32_t count, capacity;
};

struct scan {
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct lane *lanes;
    uint32_t lane_count;
    unsigned char *is_call; /* [defs] */
    struct pithlog_record records[CHUNK];
    int at, got, damaged;
};

/* ---- The scan ---------------------------------------------------------------------------------------------------- */

static int is_mpi(const struct pithlog_def *def)
{
    return strncmp(def->name, "MPI_", 4) == 0 || strncmp(def->group, "MPI", 3) == 0;
}

static unsigned char *find_calls(const struct pithlog *log)
{
    uint32_t defs = pithlog_get_info(log)->defs, found = 0;
    unsigned char *is_call = pithi_alloc(defs, 1);

    for (uint32_t id = 0; id < defs; id++)
        found += is_call[id] = pithlog_get_def(log, id)->kind == PITHLOG_STATE && is_mpi(pithlog_get_def(log, id));
    if (!found)
        memset(is_call, 1, defs);
    return is_call;
}

static const struct open_state *call_of(const struct scan *scan, const struct lane *lane)
{
    for (uint32_t i = lane->depth; i > 0; i--)
        if (scan->is_call[lane->open[i - 1].id])
            return &lane->open[i - 1];
    return NULL;
}

static int same_call(const struct end *a, const struct end *b)
{
    return a->call == b->call && a->from_ns == b->from_ns && a->call != NO_CALL;
}

/* Ends whose message is told make room. The last one stays: more of its call may come. */
static void make_room(struct lane *lane)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lane->count; i++)
        if (!lane->ends[i].used || i + 1 == lane->count)
            lane->ends[kept++] = lane->ends[i];
    lane->count = kept;
    if (kept >= lane->capacity / 2)
        lane->ends = pithi_grow(lane->ends, &lane->capacity, lane->capacity + 1, sizeof *lane->ends);
}

static void take_end(struct scan *scan, struct lane *lane, const struct pithlog_record *r)
{
    const struct open_state *call = call_of(scan, lane);
    struct end end = {.time_ns = r->time_ns,
                      .is_send = r->kind == PITHLOG_SEND,
                      .peer = r->peer,
                      .tag = r->tag,
                      .comm = r->comm,
                      .call = call ? call->id : NO_CALL,
                      .from_ns = call ? call->start_ns : 0,
                      .to_ns = NOT_OVER};

    if (r->peer < 0)
        return;
    if (lane->count == lane->capacity)
        make_room(lane);
    if (lane->count && same_call(&lane->ends[lane->count - 1], &end))
        end.told_ns = lane->ends[lane->count - 1].told_ns;
    lane->ends[lane->count++] = end;
}

static void take_enter(struct lane *lane, const struct pithlog_record *r)
{
    lane->open = pithi_grow(lane->open, &lane->open_capacity, lane->depth + 1, sizeof *lane->open);
    lane->open[lane->depth++] = (struct open_state){r->id, r->time_ns};
}

/* As the iterator pairs: the innermost of that id. The ends of the call, if any, are the last ones. */
static void take_leave(struct lane *lane, const struct pithlog_record *r)
{
    uint32_t i = lane->depth;

    while (i > 0 && lane->open[i - 1].id != r->id)
        i--;
    if (!i)
        return;
    struct end over = {.call = r->id, .from_ns = lane->open[i - 1].start_ns};
    memmove(&lane->open[i - 1], &lane->open[i], (lane->depth - i) * sizeof *lane->open);
    lane->depth--;
    for (uint32_t e = lane->count; e > 0 && lane->ends[e - 1].time_ns >= over.from_ns; e--)
        if (same_call(&lane->ends[e - 1], &over))
            lane->ends[e - 1].to_ns = r->time_ns;
}

static void take(struct scan *scan, const struct pithlog_record *r)
{
    struct lane *lane = &scan->lanes[r->lane];

    if (r->kind == PITHLOG_ENTER)
        take_enter(lane, r);
    else if (r->kind == PITHLOG_LEAVE)
        take_leave(lane, r);
    else
        take_end(scan, lane, r);
}

/* All records up to then. */
static void scan_to(struct scan *scan, int64_t time_ns)
{
    for (;;) {
        if (scan->at == scan->got) {
            scan->at = 0;
            scan->got = pithlog_iter_next_many(scan->iter, scan->records, CHUNK);
            if (scan->got < 0 && scan->damaged++ < 10000) {
                scan->got = 0;
                continue;
            }
            if (scan->got <= 0) {
                scan->got = 0;
                return;
            }
        }
        if (scan->records[scan->at].time_ns > time_ns)
            return;
        take(scan, &scan->records[scan->at++]);
    }
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static struct end *find_end(const struct scan *scan, uint32_t lane_number, int is_send, int64_t time_ns,
                            const struct pithlog_message *m)
{
    const struct lane *lane = &scan->lanes[lane_number];
    int32_t peer = pithlog_get_lane(scan->log, is_send ? m->recv_lane : m->send_lane)->rank;
    uint32_t low = 0, high = lane->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane->ends[middle].time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < lane->count && lane->ends[low].time_ns == time_ns; low++) {
        struct end *end = &lane->ends[low];
        if (end->is_send == is_send && !end->used && end->peer == peer && end->tag == m->tag && end->comm == m->comm)
            return end;
    }
    return NULL;
}

/* Of `waited` by the call of an end, what was not told before. */
static int64_t not_told(struct scan *scan, uint32_t lane_number, struct end *end, int64_t waited)
{
    struct lane *lane = &scan->lanes[lane_number];
    int64_t told = end->told_ns;
    struct end *first = end;

    if (waited <= told)
        return 0;
    while (first > lane->ends && first[-1].time_ns >= end->from_ns)
        first--;
    for (struct end *other = first; other < lane->ends + lane->count && other->time_ns <= end->to_ns; other++)
        if (same_call(other, end))
            other->told_ns = waited;
    return waited - told;
}

static void measure(struct scan *scan, struct end *send, struct end *recv, struct pithi_waiting *waiting)
{
    const struct pithlog_message *m = &waiting->message;
    int64_t until = send->from_ns < m->recv_ns ? send->from_ns : m->recv_ns;

    if (send->call == NO_CALL)
        until = send->time_ns < m->recv_ns ? send->time_ns : m->recv_ns;
    if (recv->call != NO_CALL && until > recv->from_ns) {
        waiting->late_sender_ns = not_told(scan, m->recv_lane, recv, until - recv->from_ns);
        waiting->state = recv->call;
    } else if (recv->call != NO_CALL && send->call != NO_CALL && recv->from_ns > send->from_ns &&
               send->to_ns > recv->from_ns) {
        waiting->late_receiver_ns = not_told(scan, m->send_lane, send, recv->from_ns - send->from_ns);
        waiting->state = send->call;
    }
    if (!waiting->late_sender_ns && !waiting->late_receiver_ns)
        waiting->state = NO_CALL;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

struct telling {
    struct scan scan;
    int64_t t0_ns, t1_ns;
    void (*tell)(void *context, const struct pithi_waiting *waiting);
    void *context;
};

static int64_t complete(const struct pithlog_message *m) { return m->send_ns > m->recv_ns ? m->send_ns : m->recv_ns; }

static int64_t begun(const struct pithlog_message *m) { return m->send_ns < m->recv_ns ? m->send_ns : m->recv_ns; }

static void take_message(void *context, const struct pithlog_message *m)
{
    struct telling *telling = context;
    struct scan *scan = &telling->scan;
    struct pithi_waiting waiting = {.message = *m, .state = NO_CALL};
    int wanted = pithi_message_in(m, telling->t0_ns, telling->t1_ns);
    struct end *send, *recv;

    scan_to(scan, complete(m));
    send = find_end(scan, m->send_lane, 1, m->send_ns, m);
    recv = find_end(scan, m->recv_lane, 0, m->recv_ns, m);
    if (send && recv && wanted)
        measure(scan, send, recv, &waiting);
    if (send)
        send->used = 1;
    if (recv)
        recv->used = 1;
    if (wanted)
        telling->tell(telling->context, &waiting);
}

static int scan_open(struct scan *scan, struct pithlog *log, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_query query = {.from_ns = from_ns,
                                  .to_ns = to_ns,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_SEND |
                                           1u << PITHLOG_RECV,
                                  .flags = PITHLOG_CLIP};

    scan->log = log;
    scan->lane_count = pithlog_get_info(log)->lanes;
    scan->lanes = pithi_alloc(scan->lane_count, sizeof *scan->lanes);
    scan->is_call = find_calls(log);
    return pithlog_iter_open(log, &query, &scan->iter);
}

static void scan_close(struct scan *scan)
{
    pithlog_iter_close(scan->iter);
    for (uint32_t i = 0; i < scan->lane_count; i++) {
        free(scan->lanes[i].open);
        free(scan->lanes[i].ends);
    }
    free(scan->lanes);
    free(scan->is_call);
}

/* ---- Those of a window ------------------------------------------------------------------------------------------- */

/* So few are sorted, and then only their stretch of the log is read. */
enum { FEW = 1 << 20, WATCH_EVERY = 1024 };

struct few {
    struct pithlog_message *messages;
    uint32_t count, capacity;
    int64_t from_ns, to_ns;
};

static void keep_message(void *context, const struct pithlog_message *m)
{
    struct few *few = context;

    if (few->count == FEW)
        return;
    few->messages = pithi_grow(few->messages, &few->capacity, few->count + 1, sizeof *few->messages);
    few->messages[few->count++] = *m;
    few->from_ns = begun(m) < few->from_ns ? begun(m) : few->from_ns;
    few->to_ns = complete(m) > few->to_ns ? complete(m) : few->to_ns;
}

static int by_completion(const void *a, const void *b)
{
    const struct pithlog_message *x = a, *y = b;

    if (complete(x) != complete(y))
        return complete(x) < complete(y) ? -1 : 1;
    return x->send_ns < y->send_ns ? -1 : x->send_ns > y->send_ns;
}

static int tell_few(struct pithlog *log, struct few *few, const struct pithi_watch *watch, struct telling *telling)
{
    int err = scan_open(&telling->scan, log, few->from_ns, few->to_ns);

    qsort(few->messages, few->count, sizeof *few->messages, by_completion);
    for (uint32_t i = 0; i < few->count && !err; i++) {
        take_message(telling, &few->messages[i]);
        if (i % WATCH_EVERY == 0 && !pithi_go_on(watch, (double)i / few->count))
            break;
    }
    scan_close(&telling->scan);
    return err;
}

int pithi_late_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                    const struct pithi_watch *watch, void (*tell)(void *context, const struct pithi_waiting *waiting),
                    void *context)
{
    struct telling *telling = pithi_alloc(1, sizeof *telling);
    struct few few = {.from_ns = INT64_MAX, .to_ns = INT64_MIN};
    int err = PITH_OK;

    *telling = (struct telling){.t0_ns = t0_ns, .t1_ns = t1_ns, .tell = tell, .context = context};
    if (digest)
        err = pithi_messages_each(log, digest, t0_ns, t1_ns, watch, keep_message, &few);
    if (digest && !err && few.count < FEW) {
        err = few.count ? tell_few(log, &few, watch, telling) : PITH_OK;
    } else {
        err = scan_open(&telling->scan, log, INT64_MIN, INT64_MAX);
        if (!err)
            err = pithi_messages_each(log, NULL, INT64_MIN, INT64_MAX, watch, take_message, telling);
        scan_close(&telling->scan);
    }
    free(few.messages);
    free(telling);
    return err;
}
