/* delay_replay.c - reads the log twice: first to learn the shortest times of calls and messages (delay_rule.h) with own
 * costs removed, then to write the new log.
 *
 *     rank 0   own costs of 30, then MPI_Send at 130
 *     rank 1   own costs of 5,  then MPI_Recv 60-140
 *
 * Without recording, the message would have left at 100 and arrived at 110, because it took 10. MPI_Recv would have
 * begun at 55 and waited until 110. So MPI_Recv ends 30 earlier, although only 5 of these 30 were costs of rank 1. From
 * then on the delay of rank 1 is 30, too. If rank 1 had been late, and the message had arrived before, rank 1 would
 * have kept its delay of 5. The rule is in delay_rule.h; pith-compensate(1) explains more.
 *
 * The log is read twice because the shortest times must be known before the end of the first call is computed. In each
 * reading, records can be handled one by one in the order of time, because what a call waited for was recorded before
 * it ended. */
#include "analysis/delay_replay.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/waits/collectives.h"
#include "analysis/delay_rule.h"
#include "analysis/correct/lane_delay.h"
#include "analysis/mpi_calls.h"
#include "analysis/waits/pairs.h"
#include "analysis/waits/records.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"
#include "reader/read/copy.h"
#include "reader/read/own_cost_read.h"

#define NONE UINT32_MAX
#define ANY_CALL NONE /* point-to-point messages share their latencies across all calls */

/* Successive receives that end at one moment, as in one MPI_Waitall. All of them wait for the message that was sent
 * last. Inside a call, the times of these receives may differ by up to MOMENT_NS, because each time is read from the
 * clock. The completion of a nonblocking collective counts as a receive; its message was sent when the last needed
 * member arrived. */
enum { MOMENT_NS = 1000 };
struct gathering {
    struct gathered {
        struct pithlog_record record;
        unsigned char payload[4];
    } * records;
    uint32_t count, room; /* records of a call, kept until it is known what the call waited for */
    int in_call;          /* 1: the lane is in a call of MPI */
    int any;              /* 1: a receive has a known partner */
    struct arriving {
        struct pithi_sent sent; /* when it was sent, as measured and without recording */
        uint64_t bytes;         /* size of the message */
        uint32_t latency_of;    /* state whose latencies apply; ANY_CALL: point to point */
    } last;                     /* the message that was sent last */
    double others_ns;           /* latest arrival of the other messages, without recording */
};

struct lane {
    struct pithi_delay delay;   /* as it is after the last record */
    struct gathering got;       /* what the lane recorded since its call began */
    struct pithlog_record left; /* a call's end, held until the next record reports its cost */
    uint32_t left_at;           /* index of this call among the open states; NONE: no end is held */
    uint32_t *held;             /* numbers of the held sends (leave_held) */
    uint32_t held_count, held_room;
};

struct replay {
    struct pithlog *log;         /* not owned */
    struct pithi_writer *writer; /* NULL: the first reading */
    int local;                   /* 1: only own costs are removed; ranks do not delay each other */
    unsigned *traits;            /* [definitions]: flags of mpi_calls.h, and these two: */
#define OWN_COUNTER (1u << 30)   /* the counter pith:own */
#define OWN_STATE (1u << 31)     /* the state pith:flush */
    struct pithi_eager eager;    /* sends up to these sizes do not wait */
    struct lane *lanes;
    struct pithi_partners *partners;          /* pairs sends and receives */
    struct pithi_colls *colls;                /* instances of collectives */
    struct pithi_least *least;                /* [definitions + 1][PITHI_SIZES]: by state; last: point to point */
    struct pithi_delay_replay_result *result; /* the caller's: counts for the report */
    uint64_t *alone;                          /* [definitions]: number of waiting calls whose peers are unknown */
};

static double later(double a, double b) { return a > b ? a : b; }

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

/* A call of a lane that ends now, and the message that it waited for. */
struct instance {
    const struct pithi_open *call; /* NULL: the record is in no call, so waiting is unknown */
    struct arriving what;
};

/* Returns the measured time at which the call began to wait, which is after the own costs inside the call. */
static double call_begun(const struct pithi_delay *d, const struct pithi_open *call)
{
    return (double)call->begin_ns + d->own_ns - call->own_ns;
}

static int64_t rounded(double ns) { return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5); }

/* Returns the shortest times of the calls of a state; if `state` is ANY_CALL, those of point-to-point messages. */
static struct pithi_least *least_of(const struct replay *r, uint32_t state, uint64_t size_bytes)
{
    uint32_t defs = r->log->info.defs;
    return &r->least[(state < defs ? state : defs) * (size_t)PITHI_SIZES + pithi_size_class(size_bytes)];
}

/* Returns when the call would have ended without recording (delay_rule.h). */
static double instance_ends(const struct replay *r, const struct pithi_delay *d, const struct instance *m)
{
    const struct pithi_least *messages = least_of(r, m->what.latency_of, m->what.bytes);
    struct pithi_both_ns sent = {rounded(m->what.sent.time_ns), rounded(m->what.sent.before_ns)};
    struct pithi_both_ns begin, end = {d->now_ns, rounded((double)d->now_ns - d->x_ns)};
    int64_t latency = pithi_least_latency(messages), ends;
    if (m->call) {
        const struct pithi_least *call = least_of(r, m->call->state, m->what.bytes);
        begin = (struct pithi_both_ns){rounded(call_begun(d, m->call)), rounded(m->call->before_ns)};
        int64_t least = pithi_least_call(call, messages, m->what.latency_of == ANY_CALL ? messages : NULL);
        ends = pithi_delay_rule(begin, sent, end, least < end.at - begin.at ? least : end.at - begin.at, latency);
    } else {
        ends = end.without > sent.without + latency ? end.without : sent.without + latency;
    }
    return ends == end.without ? (double)d->now_ns - d->x_ns : (double)ends;
}

/* In the first reading, learns shortest times from a call that ends now, and from its message. */
static void learn(struct replay *r, const struct pithi_delay *d, const struct instance *m)
{
    int64_t sent_ns = rounded(m->what.sent.time_ns);
    pithi_least_learn(m->call ? least_of(r, m->call->state, m->what.bytes) : NULL,
                      least_of(r, m->what.latency_of, m->what.bytes), sent_ns,
                      m->call ? rounded(call_begun(d, m->call)) : sent_ns, d->now_ns, pithi_least_of_log);
}

/* ---- Receives ---------------------------------------------------------------------------------------------------- */

static struct pithi_open *innermost_call(const struct replay *r, const struct pithi_delay *d)
{
    for (uint32_t i = d->open_count; i > 0; i--)
        if (r->traits[d->open[i - 1].state] & PITHI_CALL)
            return &d->open[i - 1];
    return NULL;
}

static int emit_at(struct replay *r, const struct pithlog_record *record, double out)
{
    struct pithlog_record moved = *record;
    moved.time_ns = rounded(out);
    if (r->writer && moved.time_ns > r->result->end_after_ns)
        r->result->end_after_ns = moved.time_ns;
    return r->writer ? pithi_writer_add(r->writer, &moved) : PITH_OK;
}

/* Adds a received message to the gathering, which keeps the message that was sent last, and the latest arrival of the
 * other messages. */
static void gather(struct replay *r, struct lane *lane, const struct arriving *one)
{
    struct gathering *got = &lane->got;
    struct arriving other = *one;
    if (!got->any || one->sent.time_ns > got->last.sent.time_ns ||
        (one->sent.time_ns == got->last.sent.time_ns && one->sent.before_ns > got->last.sent.before_ns)) {
        other = got->last;
        got->last = *one;
    }
    if (got->any) {
        int64_t latency = pithi_least_latency(least_of(r, other.latency_of, other.bytes));
        struct pithi_both_ns sent = {rounded(other.sent.time_ns), rounded(other.sent.before_ns)};
        got->others_ns = later(got->others_ns, (double)pithi_delay_other(sent, lane->delay.now_ns, latency));
    }
    got->any = 1;
}

/* Lets a held send leave, at the time when the call `call` of its lane begins to wait. A large MPI_Isend moves no data
 * before its receiver answers, and MPI handles the answer only inside a call. So the message leaves when the sender
 * next waits, tests or communicates. */
static void leave_held(struct pithi_sent *sent, const struct pithi_delay *d, const struct pithi_open *call)
{
    sent->held = 0;
    sent->time_ns = call_begun(d, call);
    sent->before_ns = call->before_ns;
}

/* Keeps a receive or completion until all others that end at the same moment are read.
 *
 * Example: MPI_Waitall records three receives at its end, at 140. Each receive alone would seem to have waited for its
 * own message. But the call waited for the message that was sent last, and the others had arrived before. */
static int take_end(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    if (!pithi_grow(&lane->got.records, lane->got.count, &lane->got.room, sizeof *lane->got.records))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its receives", r->log->path);
    lane->got.in_call = innermost_call(r, &lane->delay) != NULL;
    struct gathered *end = &lane->got.records[lane->got.count++];
    end->record = *record;
    if (record->payload_bytes == sizeof end->payload)
        memcpy(end->payload, record->payload, sizeof end->payload);
    return PITH_OK;
}

static int take_receive(struct replay *r, const struct pithlog_record *record)
{
    struct arriving one = {{.done = 0}, record->bytes, ANY_CALL};
    struct pithi_sent *sent = &one.sent;
    int found = 0, err;
    TRY(take_end(r, record));
    if (r->local || record->peer < 0)
        return PITH_OK;
    if ((found = pithi_partners_recv(r->partners, record->lane, sent)) < 0)
        return PITH_ERR_DAMAGED;
    if (found && !sent->done)
        r->result->early += r->writer != NULL;
    if (!found || !sent->done)
        return PITH_OK;
    const struct pithi_delay *sender = &r->lanes[sent->lane].delay;
    const struct pithi_open *call = innermost_call(r, sender);
    if (sent->held && call && r->traits[call->state] & PITHI_MOVES)
        leave_held(sent, sender, call);
    gather(r, &r->lanes[record->lane], &one);
out:
    return err;
}

/* Takes the completion of a nonblocking collective, which counts as a receive. */
static int take_complete(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_moment last;
    struct pithi_coll_part part;
    int known, err;
    TRY(take_end(r, record));
    if (pithi_colls_event(r->colls, record, ANY_CALL, &part) != 1)
        return PITH_OK;
    if ((known = pithi_colls_last(r->colls, &part, &last)) < 0)
        r->result->early += r->writer != NULL;
    if (known > 0) {
        struct arriving one = {{.done = 1, .time_ns = last.at_ns, .before_ns = last.before_ns}, part.bytes, part.state};
        gather(r, &r->lanes[record->lane], &one);
    }
    pithi_colls_leave(r->colls, &part, record->time_ns);
out:
    return err;
}

static int end_receives(struct replay *r, struct lane *lane)
{
    struct gathering *got = &lane->got;
    struct pithi_delay *d = &lane->delay;
    int err = PITH_OK;
    struct instance m = {innermost_call(r, d), got->last};
    if (got->any && !r->writer) /* learn only from the message that was waited for */
        learn(r, d, &m);
    else if (got->any)
        pithi_lane_delay_set(d, later(instance_ends(r, d, &m), got->others_ns));
    for (uint32_t i = 0; i < got->count; i++) {
        struct pithlog_record *record = &got->records[i].record;
        if (record->payload_bytes)
            record->payload = got->records[i].payload;
        TRY(emit_at(r, record, pithi_delay_out(d)));
        pithi_delay_cost(d, record->kind, 0);
    }
out:
    got->count = 0;
    got->any = 0;
    got->others_ns = 0;
    return err;
}

/* ---- Sends ------------------------------------------------------------------------------------------------------- */

/* Called when a lane leaves a call that waits. Lets the lane's held sends leave, at the time when this call began to
 * wait. A send's number may be in the list twice, or may be reused for another message; so `held` and `lane` are
 * checked. */
static void end_held(struct replay *r, uint32_t number, const struct pithi_open *left)
{
    struct lane *lane = &r->lanes[number];
    for (uint32_t i = 0; i < lane->held_count; i++) {
        struct pithi_sent *sent = pithi_partners_sent(r->partners, lane->held[i]);
        if (sent->held && sent->lane == number)
            leave_held(sent, &lane->delay, left);
    }
    lane->held_count = 0;
}

static int take_send(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    struct pithi_delay *d = &lane->delay;
    struct pithi_open *call = innermost_call(r, d);
    if (r->local || record->peer < 0)
        return PITH_OK;
    if (call) {
        call->sends++;
        call->sent_bytes = record->bytes;
    }
    uint32_t number = pithi_partners_send(r->partners, record->lane);
    if (number == NONE)
        return PITH_ERR_DAMAGED;
    struct pithi_sent sent = {.done = 1,
                              .held = call && r->traits[call->state] & PITHI_SENDS_LATER &&
                                      record->bytes > pithi_eager_limit(&r->eager, r->log, record->lane, record->peer),
                              .lane = record->lane,
                              .time_ns = (double)d->now_ns + d->pending_ns + d->cost.ns[PITHLOG_SEND],
                              .before_ns = pithi_delay_out(d)};
    *pithi_partners_sent(r->partners, number) = sent;
    if (!sent.held)
        return PITH_OK;
    if (!pithi_grow(&lane->held, lane->held_count, &lane->held_room, sizeof *lane->held))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its sends", r->log->path);
    lane->held[lane->held_count++] = number;
    return PITH_OK;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* Stores when a member arrives in a collective: after the costs of its records so far, and after the further cost
 * behind_ns. */
static void arrive(struct replay *r, struct pithi_delay *d, const struct pithi_coll_part *part, double behind_ns)
{
    struct pithi_moment now = {(double)d->now_ns + d->pending_ns + behind_ns, pithi_delay_out(d)};
    pithi_colls_arrive(r->colls, part, &now);
}

static int take_coll(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    struct pithi_open *call = innermost_call(r, d);
    struct pithi_coll_part part;
    int unknown;
    if ((unknown = pithi_colls_enter(r->colls, record, call ? call->state : NONE, 0, &part)) < 0)
        return PITH_ERR_MEMORY;
    if (unknown && r->writer && call)
        r->alone[part.state]++;
    if (part.coll == NONE || !call)
        return PITH_OK;
    if (call->part.coll != NONE && !call->part.starts)
        pithi_colls_leave(r->colls, &call->part, record->time_ns);
    call->part = part;
    arrive(r, d, &part, d->cost.ns[PITHLOG_COLL]);
    return PITH_OK;
}

/* Ends the call of a member that waited for other members, while they did not wait for it. The last arrival takes the
 * place of a message. */
static void end_after(struct replay *r, struct pithi_delay *d, const struct pithi_open *call,
                      const struct pithi_moment *last)
{
    struct instance m = {
        call,
        {{.time_ns = last->at_ns, .before_ns = last->before_ns}, call->part.bytes, call->state},
    };
    if (r->writer)
        pithi_lane_delay_set(d, instance_ends(r, d, &m));
    else
        learn(r, d, &m);
}

static void end_coll(struct replay *r, struct pithi_delay *d, const struct pithi_open *call)
{
    struct pithi_moment last;
    int known = pithi_colls_last(r->colls, &call->part, &last);
    if (known < 0)
        r->result->early += r->writer != NULL;
    else if (known > 0 && !pithi_colls_together(r->colls, &call->part))
        end_after(r, d, call, &last);
    else if (known > 0 && r->writer) /* the time after the last arrival is the same without recording */
        pithi_lane_delay_set(d, last.before_ns + later((double)d->now_ns - last.at_ns, 0));
    pithi_colls_leave(r->colls, &call->part, d->now_ns);
}

/* Ends the waiting of a call that makes an MPI window or a communicator. Called when the new window or communicator is
 * recorded, because the call has finished waiting by then. */
static void end_making(struct replay *r, struct pithi_delay *d)
{
    struct pithi_open *call = innermost_call(r, d);
    if (!call || call->part.coll == NONE || call->part.starts)
        return;
    end_coll(r, d, call);
    call->part.coll = NONE;
}

/* ---- All records ------------------------------------------------------------------------------------------------- */

/* Begins a lane with the delay that the first thread of its process has now. */
static void begin_lane(struct replay *r, uint32_t lane, int64_t time_ns)
{
    uint32_t first = pithi_log_rank(r->log, pithi_log_rank_of(r->log, lane))->first_lane;
    struct pithi_delay *d = &r->lanes[lane].delay;
    pithi_own_cost_find(r->log, lane, &d->cost);
    pithi_lane_delay_begin(d, time_ns, r->lanes[first].delay.x_ns);
}

/* Takes a counter. A thread's first pith:own is 0, and its time follows costs that only the next pith:own reports. So
 * this first record gets the time of the record before it, and does not move later records. */
static int take_counter(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    const struct pithi_open *call;
    if (!(r->traits[record->id] & OWN_COUNTER))
        return emit_at(r, record, pithi_delay_out(d));
    if (!d->told && record->value == 0) {
        pithi_delay_tell(d, 0);
        return emit_at(r, record, d->out_ns);
    }
    pithi_delay_tell(d, record->value);
    if ((call = innermost_call(r, d)) != NULL && call->part.coll != NONE) /* the cost delayed the arrival */
        arrive(r, d, &call->part, 0);
    return emit_at(r, record, pithi_delay_out(d));
}

static int take_event(struct replay *r, const struct pithlog_record *record)
{
    const struct pithi_open *call = innermost_call(r, &r->lanes[record->lane].delay);
    struct pithi_coll_part part;
    if (!r->local && pithi_colls_event(r->colls, record, call ? call->state : NONE, &part) < 0)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", r->log->path);
    return PITH_OK;
}

static void missing(void *context, uint32_t lane)
{
    const struct replay *r = context;
    if (!r->local)
        pithi_colls_missing(r->colls, lane);
}

/* Takes a record. `ended`: the index of the state that a LEAVE ends; NONE if the record ends no state. */
static int take(struct replay *r, const struct pithlog_record *record, uint32_t ended)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    struct pithi_open left;
    int wrapped = 0, err = PITH_OK;
    if (record->kind == PITHLOG_ENTER && pithi_delay_enter(d, record->id) < 0)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its states", r->log->path);
    if (record->kind == PITHLOG_LEAVE && ended != NONE) {
        pithi_delay_leave(d, ended, &left);
        wrapped = (r->traits[left.state] & PITHI_CALL) != 0;
        if (r->traits[left.state] & OWN_STATE)
            pithi_delay_tell_state(d, &left);
        if (r->traits[left.state] & PITHI_MOVES)
            end_held(r, record->lane, &left);
        if (left.part.coll != NONE && !left.part.starts)
            end_coll(r, d, &left);
        if (left.sends == 1 && !r->writer)
            pithi_least_lower(&least_of(r, ANY_CALL, left.sent_bytes)->ready_ns,
                              d->now_ns - rounded(call_begun(d, &left)));
    }
    if (record->kind == PITHLOG_COMM_CREATE)
        end_making(r, d);
    if (record->kind == PITHLOG_SEND)
        TRY(take_send(r, record));
    if (record->kind == PITHLOG_COLL && !r->local)
        TRY(take_coll(r, record));
    if (record->kind == PITHLOG_EVENT)
        TRY(take_event(r, record));
    TRY(record->kind == PITHLOG_COUNTER ? take_counter(r, record) : emit_at(r, record, pithi_delay_out(d)));
    pithi_delay_cost(d, record->kind, wrapped);
out:
    return err;
}

static int is_end(const struct replay *r, const struct pithlog_record *record)
{
    return record->kind == PITHLOG_RECV || (!r->local && pithi_colls_completes(r->colls, record));
}

static int goes_on(const struct replay *r, const struct lane *lane, const struct pithlog_record *record)
{
    const struct pithlog_record *last = &lane->got.records[lane->got.count - 1].record;
    return is_end(r, record) && record->time_ns - last->time_ns <= (lane->got.in_call ? (int64_t)MOMENT_NS : 0);
}

static int go_on(struct replay *r, const struct pithlog_record *record, uint32_t ended)
{
    struct lane *lane = &r->lanes[record->lane];
    int err = PITH_OK;
    if (lane->got.count && !goes_on(r, lane, record))
        TRY(end_receives(r, lane));
    if (lane->got.count == 0) /* not between receives of one moment: that was recording */
        pithi_delay_to(&lane->delay, record->time_ns);
    err = !is_end(r, record)             ? take(r, record, ended)
          : record->kind == PITHLOG_RECV ? take_receive(r, record)
                                         : take_complete(r, record);
out:
    return err;
}

/* Takes the held end of a call, together with the cost that `next` may report. A wrapper reports its cost after the
 * call; if the cost exceeds the time since the call's end, the rest was spent inside the call. */
static int end_call(struct replay *r, struct lane *lane, const struct pithlog_record *next)
{
    uint32_t at = lane->left_at;
    if (at == NONE)
        return PITH_OK;
    lane->left_at = NONE;
    if (lane->got.count == 0)
        pithi_delay_to(&lane->delay, lane->left.time_ns);
    if (next && next->kind == PITHLOG_COUNTER && r->traits[next->id] & OWN_COUNTER)
        pithi_delay_tell_before(&lane->delay, next->value, next->time_ns - lane->left.time_ns);
    return go_on(r, &lane->left, at);
}

/* Returns 1 if the step ends a call, and end_call may take this end later. Then it takes the end together with the next
 * record, which may report the cost of the call. Returns 0 for the end of a collective, which must be taken at once,
 * because it is compared with the members that have arrived until then (`early`). */
static int may_stay(const struct replay *r, const struct pithlog_step *step)
{
    const struct pithi_delay *d = &r->lanes[step->lane].delay;
    return step->change == PITHLOG_ENDS && &d->open[step->at] == innermost_call(r, d) &&
           (d->open[step->at].part.coll == NONE || d->open[step->at].part.starts);
}

/* Takes a state that begins or ends in a hole, and so has no record there. Nothing is moved, and what the state waited
 * for is not known. */
static int take_unrecorded(struct replay *r, const struct pithlog_step *step)
{
    struct pithi_delay *d = &r->lanes[step->lane].delay;
    struct pithi_open left;
    if (step->change == PITHLOG_ENDS)
        pithi_delay_leave(d, step->at, &left);
    return step->change == PITHLOG_BEGINS && pithi_delay_enter(d, step->open[step->depth].id) < 0
               ? pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its states", r->log->path)
               : PITH_OK;
}

static int take_step(void *context, const struct pithlog_step *step)
{
    struct replay *r = context;
    struct lane *lane = &r->lanes[step->lane];
    const struct pithlog_record *record = step->why || step->change == PITHLOG_GOES_ON ? NULL : step->record;
    int err = PITH_OK;
    if (!lane->delay.begun)
        begin_lane(r, step->lane, step->to_ns);
    TRY(end_call(r, lane, record));
    if (!record)
        return take_unrecorded(r, step);
    uint32_t ended = step->change == PITHLOG_ENDS ? step->at : NONE;
    if (may_stay(r, step)) {
        lane->left_at = ended;
        lane->left = *record;
    } else {
        TRY(go_on(r, record, ended));
    }
out:
    return err;
}

static int read_all(struct replay *r)
{
    struct pithlog_query all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = UINT32_MAX};
    struct pithi_reading reading = {.take = take_step, .missing = missing, .context = r};
    int err;
    TRY(pithi_read_steps(r->log, &all, &reading));
    for (uint32_t i = 0; i < r->log->info.lanes; i++) {
        TRY(end_call(r, &r->lanes[i], NULL));
        TRY(end_receives(r, &r->lanes[i]));
    }
out:
    return err;
}

/* ---- The two readings -------------------------------------------------------------------------------------------- */

static int reading(struct replay *r, struct pithi_writer *writer)
{
    int err = PITH_OK;
    r->writer = writer;
    r->lanes = calloc(r->log->info.lanes + (size_t)1, sizeof *r->lanes);
    if (!r->lanes)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its lanes", r->log->path);
    for (uint32_t i = 0; i < r->log->info.lanes; i++)
        r->lanes[i].left_at = NONE;
    if (!r->local) {
        TRY(pithi_partners_open(r->log, &r->partners));
        TRY(pithi_colls_open(r->log, 0, &r->colls));
    }
    err = read_all(r);
out:
    for (uint32_t i = 0; i < r->log->info.lanes; i++) {
        struct lane *lane = &r->lanes[i];
        if (writer) {
            r->result->own_ns += lane->delay.own_ns;
            r->result->delay_ns = later(r->result->delay_ns, lane->delay.x_ns);
        }
        pithi_delay_free(&lane->delay);
        free(lane->got.records);
        free(lane->held);
    }
    free(r->lanes);
    pithi_partners_close(r->partners);
    pithi_colls_close(r->colls);
    r->lanes = NULL;
    r->partners = NULL;
    r->colls = NULL;
    return err;
}

/* Stores in the result the states with the most waiting calls whose peers are unknown, and the sum over all other
 * states. */
static void tell_alone(struct replay *r)
{
    for (uint32_t i = 0; i < r->log->info.defs; i++) {
        struct pithi_alone one = {pithlog_get_def(r->log, i)->name, r->alone[i]};
        for (int k = 0; k < PITHI_ALONE_NAMES; k++) {
            struct pithi_alone other = r->result->alone[k];
            if (one.count <= other.count)
                continue;
            r->result->alone[k] = one;
            one = other;
        }
        r->result->alone_others += one.count;
    }
}

int pithi_delay_replay(struct pithlog *log, struct pithi_writer *writer, int local,
                       struct pithi_delay_replay_result *result)
{
    /* no record lies in this interval, so pithi_log_copy copies everything but records */
    struct pithi_copy facts = {.from_ns = INT64_MAX, .to_ns = INT64_MAX};
    struct replay r = {.log = log, .local = local, .result = result};
    uint32_t defs = log->info.defs;
    int err;
    *result = (struct pithi_delay_replay_result){
        .start_ns = log->info.start_ns, .end_before_ns = log->info.end_ns, .end_after_ns = log->info.start_ns};
    r.traits = malloc((defs + (size_t)1) * sizeof *r.traits);
    r.alone = calloc(defs + (size_t)1, sizeof *r.alone);
    r.least = calloc((defs + (size_t)1) * PITHI_SIZES, sizeof *r.least);
    err =
        r.traits && r.alone && r.least ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "%s: no memory to replay it", log->path);
    TRY(err);
    for (uint32_t i = 0; i < defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        r.traits[i] = pithi_mpi_call_traits(def) | (pithi_own_cost_counts(def) ? OWN_COUNTER : 0) |
                      (pithi_own_cost_lasts(def) ? OWN_STATE : 0);
    }
    pithi_eager_of_log(log, &r.eager);
    TRY(pithi_log_copy(log, writer, &facts));
    TRY(pithi_defs_property(pithi_writer_defs(writer), "compensated", local ? "own costs only" : "messages"));
    if (!local)
        TRY(reading(&r, NULL));
    TRY(reading(&r, writer));
    tell_alone(&r);
out:
    free(r.traits);
    free(r.alone);
    free(r.least);
    return err;
}
