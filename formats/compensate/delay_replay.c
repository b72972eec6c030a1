/* delay_replay.c - see delay_replay.h. Owns the rule; what is known of lanes, partners, collectives is beside.
 *
 * The log is read twice: first only to learn what calls and messages take at least (shortest.h), own costs being taken
 * out as they come; then to write it anew. */
#include "compensate/delay_replay.h"

#include <stdlib.h>
#include <string.h>

#include "compensate/collectives.h"
#include "compensate/lane_delay.h"
#include "compensate/partner_ends.h"
#include "compensate/posted_sends.h"
#include "compensate/shortest.h"
#include "compensate/traits.h"
#include "error.h"
#include "native/copy.h"
#include "native/log.h"
#include "native/map.h"

#define NONE UINT32_MAX

/* Receives that follow one another at one moment, as of one MPI_Waitall: they wait together, and for the one that was
 * sent last. Where each has a time of its own, they are in one call, and apart by what a slow clock takes. The end of
 * a nonblocking collective is one of them: its message was sent when the last came that had to be waited for. */
enum { MOMENT_NS = 1000 };
struct gathering {
    struct gathered {
        struct pithlog_record record;
        unsigned char payload[4];
    } * records;
    uint32_t count, room;
    int in_call;
    int any; /* a partner was found for one */
    struct arriving {
        struct pithi_sent sent;
        uint64_t bytes;
        uint32_t way; /* of shortest.h */
    } last;           /* that was sent last */
    double others_ns; /* when the others were there at the latest, without delays */
};

struct lane {
    struct pithi_delay delay;
    struct gathering got;
    struct pithlog_record left; /* a call's end, until it is known what was spent before it */
    int has_left;
    uint32_t *held; /* numbers of sends that stay until it waits */
    uint32_t held_count, held_room;
};

struct replay {
    struct pithlog *log;
    struct pithi_writer *writer; /* NULL: the first reading */
    int local;
    struct pithi_trait *traits;
    struct pithi_eager eager;
    struct lane *lanes;
    struct pithi_partners *partners;
    struct pithi_colls *colls;
    struct pithi_shortest *shortest;
    struct pithi_replay_result *result;
    uint64_t *alone; /* [definitions]: calls of that state that wait, nobody knows for whom */
};

static double later(double a, double b) { return a > b ? a : b; }
static double earlier(double a, double b) { return a < b ? a : b; }

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

/* A call of a lane that ends now, and the message that it was for. */
struct meeting {
    const struct pithi_open *call; /* NULL: the record stands in no call, and nothing is known of waiting */
    struct arriving what;
};

/* When the call began to wait, as measured: own costs inside it are behind it then. */
static double call_begun(const struct pithi_delay *d, const struct pithi_open *call)
{
    return (double)call->begin_ns + d->own_ns - call->own_ns;
}

/* When it would have ended. As measured it ended when the receiver had done its part and when the message was there,
 * whichever came later; what decided then is known exactly, the other one is taken to be as short as it can be. */
static double meeting_ends(const struct replay *r, const struct pithi_delay *d, const struct meeting *m)
{
    uint32_t state = m->call ? m->call->state : NONE;
    const struct pithi_sent *sent = &m->what.sent;
    double now = (double)d->now_ns, way = pithi_shortest_way(r->shortest, m->what.bytes, m->what.way);
    if (m->call) {
        double begun = call_begun(d, m->call);
        double least = earlier(pithi_shortest_call(r->shortest, state, m->what.bytes, m->what.way), now - begun);
        if (sent->time_ns + way > begun + least) /* it waited */
            return later(m->call->before_ns + least, sent->before_ns + now - sent->time_ns);
    }
    return later(now - d->x_ns, sent->before_ns + way);
}

/* ---- Receives ---------------------------------------------------------------------------------------------------- */

static struct pithi_open *innermost_call(const struct replay *r, const struct pithi_delay *d)
{
    for (uint32_t i = d->open_count; i > 0; i--)
        if (r->traits[d->open[i - 1].state].wrapped)
            return &d->open[i - 1];
    return NULL;
}

static int emit_at(struct replay *r, const struct pithlog_record *record, double out)
{
    struct pithlog_record moved = *record;
    moved.time_ns = (int64_t)(out < 0 ? out - 0.5 : out + 0.5);
    if (r->writer && moved.time_ns > r->result->end_after_ns)
        r->result->end_after_ns = moved.time_ns;
    return r->writer ? pithi_writer_add(r->writer, &moved) : PITH_OK;
}

static int emit(struct replay *r, struct pithi_delay *d, const struct pithlog_record *record)
{
    return emit_at(r, record, pithi_delay_out(d));
}

static void gather(struct replay *r, struct gathering *got, const struct arriving *one)
{
    struct arriving other = *one;
    if (!got->any || one->sent.time_ns > got->last.sent.time_ns ||
        (one->sent.time_ns == got->last.sent.time_ns && one->sent.before_ns > got->last.sent.before_ns)) {
        other = got->last;
        got->last = *one;
    }
    if (got->any)
        got->others_ns =
            later(got->others_ns, other.sent.before_ns + pithi_shortest_way(r->shortest, other.bytes, other.way));
    got->any = 1;
}

/* Of a lane in a call that waits, what it held leaves when the call begins to wait. */
static void leave_held(struct pithi_sent *sent, const struct pithi_delay *d, const struct pithi_open *call)
{
    sent->held = 0;
    sent->time_ns = call_begun(d, call);
    sent->before_ns = call->before_ns;
}

/* What ends waits until all of its moment are there. */
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
    struct arriving one = {{.done = 0}, record->bytes, PITHI_ANY_WAY};
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
    if (sent->held && call && r->traits[call->state].waits)
        leave_held(sent, sender, call);
    gather(r, &r->lanes[record->lane].got, &one);
out:
    return err;
}

/* A nonblocking collective is complete. */
static int take_complete(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_moment last;
    struct pithi_part part;
    int known, err;
    TRY(take_end(r, record));
    if (pithi_colls_event(r->colls, record, PITHI_ANY_WAY, &part) != 1)
        return PITH_OK;
    if ((known = pithi_colls_last(r->colls, &part, &last)) < 0)
        r->result->early += r->writer != NULL;
    if (known > 0) {
        struct arriving one = {{.done = 1, .time_ns = last.at_ns, .before_ns = last.before_ns}, part.bytes, part.state};
        gather(r, &r->lanes[record->lane].got, &one);
    }
    pithi_colls_leave(r->colls, &part);
out:
    return err;
}

/* What the first reading learns: of a call that received several, the message that it waited for tells. */
static void learn_receive(struct replay *r, const struct pithi_delay *d, const struct gathering *got)
{
    const struct pithi_open *call = innermost_call(r, d);
    double sent_ns = got->last.sent.time_ns;
    pithi_shortest_add(r->shortest, call ? call->state : NONE, got->last.bytes, got->last.way,
                       call ? call_begun(d, call) : sent_ns, sent_ns, (double)d->now_ns);
}

static int end_receives(struct replay *r, struct lane *lane)
{
    struct gathering *got = &lane->got;
    struct pithi_delay *d = &lane->delay;
    int err = PITH_OK;
    if (got->any && !r->writer) {
        learn_receive(r, d, got);
    } else if (got->any) {
        struct meeting m = {innermost_call(r, d), got->last};
        pithi_delay_set(d, later(meeting_ends(r, d, &m), got->others_ns));
    }
    for (uint32_t i = 0; i < got->count; i++) {
        struct pithlog_record *record = &got->records[i].record;
        if (record->payload_bytes)
            record->payload = got->records[i].payload;
        TRY(emit(r, d, record));
        pithi_delay_cost(d, record->kind, 0);
    }
out:
    got->count = 0;
    got->any = 0;
    got->others_ns = 0;
    return err;
}

/* ---- Sends ------------------------------------------------------------------------------------------------------- */

/* The lane ends a call that waits. A number may be another message's now, and be told twice; that is all the same. */
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

static int hold(struct replay *r, struct lane *lane, uint32_t number)
{
    if (!pithi_grow(&lane->held, lane->held_count, &lane->held_room, sizeof *lane->held))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its sends", r->log->path);
    lane->held[lane->held_count++] = number;
    return PITH_OK;
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
                              .held = call && r->traits[call->state].posts && pithi_is_long(&r->eager, r->log, record),
                              .lane = record->lane,
                              .time_ns = (double)d->now_ns + d->pending_ns + d->cost.ns[PITHLOG_SEND],
                              .before_ns = pithi_delay_out(d)};
    *pithi_partners_sent(r->partners, number) = sent;
    return sent.held ? hold(r, lane, number) : PITH_OK;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* The lane is where the others may go on without it. */
static void arrive(struct replay *r, struct pithi_delay *d, const struct pithi_part *part, double behind_ns)
{
    struct pithi_moment now = {(double)d->now_ns + d->pending_ns + behind_ns, pithi_delay_out(d)};
    pithi_colls_arrive(r->colls, part, &now);
}

static int take_coll(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    struct pithi_open *call = r->local ? NULL : innermost_call(r, d);
    struct pithi_part part;
    int unknown;
    if (r->local)
        return PITH_OK;
    if ((unknown = pithi_colls_enter(r->colls, record, call ? call->state : NONE, &part)) < 0)
        return PITH_ERR_MEMORY;
    if (unknown && r->writer && call)
        r->alone[part.state]++;
    if (part.coll == NONE || !call)
        return PITH_OK;
    if (call->part.coll != NONE && !call->part.starts)
        pithi_colls_leave(r->colls, &call->part);
    call->part = part;
    arrive(r, d, &part, d->cost.ns[PITHLOG_COLL]);
    return PITH_OK;
}

/* A member that had to wait for others, and they not for it. */
static void end_after(struct replay *r, struct pithi_delay *d, const struct pithi_open *call,
                      const struct pithi_moment *last)
{
    struct meeting m = {
        call,
        {{.time_ns = last->at_ns, .before_ns = last->before_ns}, call->part.bytes, call->state},
    };
    if (r->writer)
        pithi_delay_set(d, meeting_ends(r, d, &m));
    else
        pithi_shortest_add(r->shortest, call->state, call->part.bytes, call->state, call_begun(d, call), last->at_ns,
                           (double)d->now_ns);
}

/* What follows the last arrival takes as long as it did. */
static void end_together(struct pithi_delay *d, const struct pithi_moment *last)
{
    pithi_delay_set(d, last->before_ns + later((double)d->now_ns - last->at_ns, 0));
}

static void end_coll(struct replay *r, struct pithi_delay *d, const struct pithi_open *call)
{
    struct pithi_moment last;
    int known = pithi_colls_last(r->colls, &call->part, &last);
    if (known < 0)
        r->result->early += r->writer != NULL;
    else if (known > 0 && !pithi_colls_together(r->colls, &call->part))
        end_after(r, d, call, &last);
    else if (known > 0 && r->writer)
        end_together(d, &last);
    pithi_colls_leave(r->colls, &call->part);
}

/* The call that makes a window has waited before that is there. */
static void end_making(struct replay *r, struct pithi_delay *d)
{
    struct pithi_open *call = innermost_call(r, d);
    if (!call || call->part.coll == NONE || call->part.starts)
        return;
    end_coll(r, d, call);
    call->part.coll = NONE;
}

/* ---- All records ------------------------------------------------------------------------------------------------- */

/* A thread begins where its process is: as far behind as the first thread. */
static int begin_lane(struct replay *r, const struct pithlog_record *record)
{
    uint32_t first = pithi_log_rank(r->log, pithi_log_rank_of(r->log, record->lane))->first_lane;
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    pithi_own_cost_find(r->log, record->lane, &d->cost);
    pithi_delay_begin(d, record->time_ns, r->lanes[first].delay.x_ns);
    return PITH_OK;
}

/* A thread's first pith:own, 0, is recorded behind what was spent, which only the next one tells: it goes to the record
 * before it, so that nothing behind is held up by it. */
static int take_counter(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    const struct pithi_open *call;
    if (!r->traits[record->id].tells_cost)
        return emit(r, d, record);
    if (!d->told && record->value == 0) {
        pithi_delay_tell(d, 0);
        return emit_at(r, record, d->out_ns);
    }
    pithi_delay_tell(d, record->value);
    if ((call = innermost_call(r, d)) != NULL && call->part.coll != NONE) /* it came later, because of that */
        arrive(r, d, &call->part, 0);
    return emit(r, d, record);
}

static int take_event(struct replay *r, const struct pithlog_record *record)
{
    const struct pithi_open *call = innermost_call(r, &r->lanes[record->lane].delay);
    struct pithi_part part;
    if (!r->local && pithi_colls_event(r->colls, record, call ? call->state : NONE, &part) < 0)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", r->log->path);
    return PITH_OK;
}

static int take(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    struct pithi_open left;
    int wrapped = 0, err = PITH_OK;
    if (record->kind == PITHLOG_ENTER && pithi_delay_enter(d, record->id) < 0)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its states", r->log->path);
    if (record->kind == PITHLOG_LEAVE && pithi_delay_leave(d, record->id, &left)) {
        wrapped = r->traits[left.state].wrapped;
        if (r->traits[left.state].is_cost)
            pithi_delay_tell_state(d, &left);
        if (r->traits[left.state].waits)
            end_held(r, record->lane, &left);
        if (left.part.coll != NONE && !left.part.starts)
            end_coll(r, d, &left);
        if (left.sends == 1 && !r->writer)
            pithi_shortest_sent(r->shortest, left.sent_bytes, (double)d->now_ns - call_begun(d, &left));
    }
    if (record->kind == PITHLOG_COMM_CREATE)
        end_making(r, d);
    if (record->kind == PITHLOG_SEND)
        TRY(take_send(r, record));
    if (record->kind == PITHLOG_COLL)
        TRY(take_coll(r, record));
    if (record->kind == PITHLOG_EVENT)
        TRY(take_event(r, record));
    TRY(record->kind == PITHLOG_COUNTER ? take_counter(r, record) : emit(r, d, record));
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

static int go_on(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    int err = PITH_OK;
    if (lane->got.count && !goes_on(r, lane, record))
        TRY(end_receives(r, lane));
    if (lane->got.count == 0) /* else it is the recording that takes the time between them */
        pithi_delay_to(&lane->delay, record->time_ns);
    err = !is_end(r, record)             ? take(r, record)
          : record->kind == PITHLOG_RECV ? take_receive(r, record)
                                         : take_complete(r, record);
out:
    return err;
}

/* What a wrapper spends in a call is told behind its end: with more than has passed since then, that was before. */
static int end_call(struct replay *r, struct lane *lane, const struct pithlog_record *next)
{
    if (!lane->has_left)
        return PITH_OK;
    lane->has_left = 0;
    if (lane->got.count == 0)
        pithi_delay_to(&lane->delay, lane->left.time_ns);
    if (next && next->kind == PITHLOG_COUNTER && r->traits[next->id].tells_cost)
        pithi_delay_tell_before(&lane->delay, next->value, next->time_ns - lane->left.time_ns);
    return go_on(r, &lane->left);
}

/* Who ends a collective does so at once: it may be early. */
static int may_stay(const struct replay *r, const struct pithlog_record *record)
{
    const struct pithi_open *call =
        record->kind == PITHLOG_LEAVE ? innermost_call(r, &r->lanes[record->lane].delay) : NULL;
    return call && call->state == record->id && (call->part.coll == NONE || call->part.starts);
}

static int step(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    int err = PITH_OK;
    if (!lane->delay.begun)
        TRY(begin_lane(r, record));
    TRY(end_call(r, lane, record));
    lane->has_left = may_stay(r, record);
    if (lane->has_left)
        lane->left = *record;
    else
        TRY(go_on(r, record));
out:
    return err;
}

enum { MANY = 64 };

static int read_all(struct replay *r)
{
    struct pithlog_record records[MANY];
    struct pithlog_iter *iter;
    int count = 0, err = pithlog_iter_open(r->log, NULL, &iter);
    if (err != PITH_OK)
        return err;
    while ((count = pithlog_iter_next_many(iter, records, MANY)) > 0)
        for (int i = 0; i < count; i++)
            TRY(step(r, &records[i]));
    for (uint32_t i = 0; i < r->log->info.lanes; i++) {
        TRY(end_call(r, &r->lanes[i], NULL));
        TRY(end_receives(r, &r->lanes[i]));
    }
out:
    pithlog_iter_close(iter);
    return count < 0 ? PITH_ERR_DAMAGED : err;
}

/* ---- One reading, and both --------------------------------------------------------------------------------------- */

static int begin_reading(struct replay *r)
{
    int err = PITH_OK;
    r->lanes = calloc(r->log->info.lanes + (size_t)1, sizeof *r->lanes);
    if (!r->lanes)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its lanes", r->log->path);
    if (!r->local) {
        TRY(pithi_partners_open(r->log, &r->partners));
        TRY(pithi_colls_open(r->log, &r->colls));
    }
out:
    return err;
}

static void end_reading(struct replay *r)
{
    for (uint32_t i = 0; r->lanes && i < r->log->info.lanes; i++) {
        struct lane *lane = &r->lanes[i];
        if (r->writer) {
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
}

static int reading(struct replay *r, struct pithi_writer *writer)
{
    r->writer = writer;
    int err = begin_reading(r);
    err = err != PITH_OK ? err : read_all(r);
    end_reading(r);
    return err;
}

/* The kinds of calls that stood alone most often, and the others. */
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

int pithi_replay(struct pithlog *log, struct pithi_writer *writer, int local, struct pithi_replay_result *result)
{
    /* behind the log's end: all that is not a record is copied */
    struct pithi_copy facts = {.from_ns = INT64_MAX, .to_ns = INT64_MAX};
    struct replay r = {.log = log, .local = local, .result = result};
    uint32_t defs = log->info.defs;
    int err;
    *result = (struct pithi_replay_result){
        .start_ns = log->info.start_ns, .end_before_ns = log->info.end_ns, .end_after_ns = log->info.start_ns};
    r.traits = malloc((defs + (size_t)1) * sizeof *r.traits);
    r.alone = calloc(defs + (size_t)1, sizeof *r.alone);
    r.shortest = pithi_shortest_new(defs);
    err = r.traits && r.alone && r.shortest ? PITH_OK
                                            : pithi_fail(PITH_ERR_MEMORY, "%s: no memory to replay it", log->path);
    TRY(err);
    for (uint32_t i = 0; i < defs; i++)
        r.traits[i] = pithi_trait(pithlog_get_def(log, i));
    pithi_eager_find(log, &r.eager);
    TRY(pithi_log_copy(log, writer, &facts));
    TRY(pithi_defs_property(pithi_writer_defs(writer), "compensated", local ? "own costs only" : "messages"));
    if (!local)
        TRY(reading(&r, NULL));
    TRY(reading(&r, writer));
    tell_alone(&r);
out:
    free(r.traits);
    free(r.alone);
    pithi_shortest_free(r.shortest);
    return err;
}
