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
#include "error.h"
#include "native/copy.h"
#include "native/log.h"
#include "native/map.h"

#define NONE UINT32_MAX

/* What is known of a definition. */
struct trait {
    int wrapped;      /* the state of an MPI call */
    int posts, waits; /* posted_sends.h */
    int tells_cost;   /* the counter pith:own */
    enum pithi_coll_shape shape;
};

/* Receives that follow one another at one moment, as of one MPI_Waitall: they wait together, and for the one that was
 * sent last. Where each has a time of its own, they are in one call, and apart by what a slow clock takes. */
enum { MOMENT_NS = 1000 };
struct gathering {
    struct pithlog_record *records;
    uint32_t count, room;
    int in_call;
    int any;                /* a partner was found for one */
    struct pithi_sent last; /* that was sent last */
    uint64_t last_bytes;
    double others_ns; /* when the others were there at the latest, without delays */
};

struct lane {
    struct pithi_delay delay;
    struct gathering got;
    uint32_t *held; /* numbers of sends that stay until it waits */
    uint32_t held_count, held_room;
};

struct replay {
    struct pithlog *log;
    struct pithi_writer *writer; /* NULL: the first reading */
    int local;
    struct trait *traits;
    struct pithi_eager eager;
    struct lane *lanes;
    struct pithi_partners *partners;
    struct pithi_colls *colls;
    struct pithi_shortest *shortest;
    struct pithi_replay_result *result;
};

static double later(double a, double b) { return a > b ? a : b; }
static double earlier(double a, double b) { return a < b ? a : b; }

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

/* A call of a lane that ends now, and the message that it was for. */
struct meeting {
    const struct pithi_open *call; /* NULL: the record stands in no call, and nothing is known of waiting */
    struct pithi_sent sent;
    uint64_t size_bytes;
    int own_way; /* of a collective */
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
    double now = (double)d->now_ns, way = pithi_shortest_way(r->shortest, state, m->size_bytes, m->own_way);
    if (m->call) {
        double begun = call_begun(d, m->call);
        double least = earlier(pithi_shortest_call(r->shortest, state, m->size_bytes, m->own_way), now - begun);
        if (m->sent.time_ns + way > begun + least) /* it waited */
            return later(m->call->before_ns + least, m->sent.before_ns + now - m->sent.time_ns);
    }
    return later(now - d->x_ns, m->sent.before_ns + way);
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

static void gather(struct replay *r, struct gathering *got, const struct pithi_sent *sent, uint64_t size_bytes)
{
    struct pithi_sent other = *sent;
    uint64_t other_bytes = size_bytes;
    if (!got->any || sent->time_ns > got->last.time_ns ||
        (sent->time_ns == got->last.time_ns && sent->before_ns > got->last.before_ns)) {
        other = got->last;
        other_bytes = got->last_bytes;
        got->last = *sent;
        got->last_bytes = size_bytes;
    }
    if (got->any)
        got->others_ns = later(got->others_ns, other.before_ns + pithi_shortest_way(r->shortest, NONE, other_bytes, 0));
    got->any = 1;
}

/* Of a lane in a call that waits, what it held leaves when the call begins to wait. */
static void leave_held(struct pithi_sent *sent, const struct pithi_delay *d, const struct pithi_open *call)
{
    sent->held = 0;
    sent->time_ns = call_begun(d, call);
    sent->before_ns = call->before_ns;
}

/* A receive waits until all of its moment are there. */
static int take_receive(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    struct pithi_sent sent = {.done = 0};
    int found = 0;
    if (!pithi_grow(&lane->got.records, lane->got.count, &lane->got.room, sizeof *record))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its receives", r->log->path);
    lane->got.in_call = innermost_call(r, &lane->delay) != NULL;
    lane->got.records[lane->got.count++] = *record;
    if (r->local || record->peer < 0)
        return PITH_OK;
    if ((found = pithi_partners_recv(r->partners, record->lane, &sent)) < 0)
        return PITH_ERR_DAMAGED;
    if (found && !sent.done)
        r->result->early += r->writer != NULL;
    if (!found || !sent.done)
        return PITH_OK;
    const struct pithi_delay *sender = &r->lanes[sent.lane].delay;
    const struct pithi_open *call = innermost_call(r, sender);
    if (sent.held && call && r->traits[call->state].waits)
        leave_held(&sent, sender, call);
    gather(r, &lane->got, &sent, record->bytes);
    return PITH_OK;
}

/* What the first reading learns: of a call that received several, the message that it waited for tells. */
static void learn_receive(struct replay *r, const struct pithi_delay *d, const struct gathering *got)
{
    const struct pithi_open *call = innermost_call(r, d);
    pithi_shortest_add(r->shortest, call ? call->state : NONE, got->last_bytes, 0,
                       call ? call_begun(d, call) : got->last.time_ns, got->last.time_ns, (double)d->now_ns);
}

static int end_receives(struct replay *r, struct lane *lane)
{
    struct gathering *got = &lane->got;
    struct pithi_delay *d = &lane->delay;
    int err = PITH_OK;
    if (got->any && !r->writer) {
        learn_receive(r, d, got);
    } else if (got->any) {
        struct meeting m = {innermost_call(r, d), got->last, got->last_bytes, 0};
        pithi_delay_set(d, later(meeting_ends(r, d, &m), got->others_ns));
    }
    for (uint32_t i = 0; i < got->count; i++) {
        TRY(emit(r, d, &got->records[i]));
        pithi_delay_cost(d, PITHLOG_RECV, 0);
    }
out:
    got->count = 0;
    got->any = 0;
    got->others_ns = 0;
    return err;
}

/* ---- Sends ------------------------------------------------------------------------------------------------------- */

static int is_long(const struct replay *r, const struct pithlog_record *record)
{
    const struct pithi_log_rank *from = pithi_log_rank(r->log, pithi_log_rank_of(r->log, record->lane));
    const struct pithi_log_rank *to = pithi_log_find_rank(r->log, record->peer);
    return to && record->bytes > (to->host == from->host ? r->eager.same_host : r->eager.network);
}

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
                              .held = call && r->traits[call->state].posts && is_long(r, record),
                              .lane = record->lane,
                              .time_ns = (double)d->now_ns + d->pending_ns + d->cost.ns[PITHLOG_SEND],
                              .before_ns = pithi_delay_out(d)};
    *pithi_partners_sent(r->partners, number) = sent;
    return sent.held ? hold(r, lane, number) : PITH_OK;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

static int is_root(const struct replay *r, const struct pithlog_record *record)
{
    return pithlog_get_lane(r->log, record->lane)->rank == record->peer;
}

/* The lane is where the others may go on without it. */
static void arrive(struct pithi_delay *d, struct pithi_coll *coll, double behind_ns)
{
    coll->last_ns = later(coll->last_ns, (double)d->now_ns + d->pending_ns + behind_ns);
    coll->last_before_ns = later(coll->last_before_ns, pithi_delay_out(d));
}

static int take_coll(struct replay *r, const struct pithlog_record *record)
{
    struct pithi_delay *d = &r->lanes[record->lane].delay;
    struct pithi_open *call = r->local ? NULL : innermost_call(r, d);
    uint32_t number;
    int err;
    if (r->local)
        return PITH_OK;
    TRY(pithi_colls_enter(r->colls, record->lane, record->comm, call ? r->traits[call->state].shape : PITHI_COLL_NONE,
                          &number));
    if (number == NONE || !call)
        return PITH_OK;
    if (call->coll != NONE)
        pithi_colls_leave(r->colls, call->coll);
    call->coll = number;
    call->coll_bytes = record->got_bytes;
    struct pithi_coll *coll = pithi_colls_get(r->colls, number);
    arrive(d, coll, d->cost.ns[PITHLOG_COLL]);
    if (is_root(r, record)) {
        coll->has_root = 1;
        coll->root_ns = (double)d->now_ns + d->pending_ns + d->cost.ns[PITHLOG_COLL];
        coll->root_before_ns = pithi_delay_out(d);
        call->is_root = 1;
    }
out:
    return err;
}

/* A member that had to wait for the root. */
static void end_from_root(struct replay *r, struct pithi_delay *d, const struct pithi_open *call,
                          const struct pithi_coll *coll)
{
    struct meeting m = {.call = call,
                        .sent = {.time_ns = coll->root_ns, .before_ns = coll->root_before_ns},
                        .size_bytes = call->coll_bytes,
                        .own_way = 1};
    if (r->writer)
        pithi_delay_set(d, meeting_ends(r, d, &m));
    else
        pithi_shortest_add(r->shortest, call->state, call->coll_bytes, 1, call_begun(d, call), coll->root_ns,
                           (double)d->now_ns);
}

/* What follows the last arrival takes as long as it did. */
static void end_together(struct pithi_delay *d, const struct pithi_coll *coll)
{
    pithi_delay_set(d, coll->last_before_ns + later((double)d->now_ns - coll->last_ns, 0));
}

static void end_coll(struct replay *r, struct pithi_delay *d, const struct pithi_open *call)
{
    struct pithi_coll *coll = pithi_colls_get(r->colls, call->coll);
    int from = coll->shape == PITHI_COLL_FROM;
    if (from && call->is_root)
        goto out;
    if (coll->shape == PITHI_COLL_TO && !call->is_root)
        goto out;
    if (from ? !coll->has_root : coll->arrived < coll->expected)
        r->result->early += r->writer != NULL;
    else if (from)
        end_from_root(r, d, call, coll);
    else if (r->writer)
        end_together(d, coll);
out:
    pithi_colls_leave(r->colls, call->coll);
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
    if ((call = innermost_call(r, d)) != NULL && call->coll != NONE) /* it came later, because of that */
        arrive(d, pithi_colls_get(r->colls, call->coll), 0);
    return emit(r, d, record);
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
        if (r->traits[left.state].waits)
            end_held(r, record->lane, &left);
        if (left.coll != NONE)
            end_coll(r, d, &left);
        if (left.sends == 1 && !r->writer)
            pithi_shortest_sent(r->shortest, left.sent_bytes, (double)d->now_ns - call_begun(d, &left));
    }
    if (record->kind == PITHLOG_SEND)
        TRY(take_send(r, record));
    if (record->kind == PITHLOG_COLL)
        TRY(take_coll(r, record));
    TRY(record->kind == PITHLOG_COUNTER ? take_counter(r, record) : emit(r, d, record));
    pithi_delay_cost(d, record->kind, wrapped);
out:
    return err;
}

static int goes_on(const struct lane *lane, const struct pithlog_record *record)
{
    const struct pithlog_record *last = &lane->got.records[lane->got.count - 1];
    return record->kind == PITHLOG_RECV &&
           record->time_ns - last->time_ns <= (lane->got.in_call ? (int64_t)MOMENT_NS : 0);
}

static int step(struct replay *r, const struct pithlog_record *record)
{
    struct lane *lane = &r->lanes[record->lane];
    int err = PITH_OK;
    if (!lane->delay.begun)
        TRY(begin_lane(r, record));
    if (lane->got.count && !goes_on(lane, record))
        TRY(end_receives(r, lane));
    if (lane->got.count == 0) /* else it is the recording that takes the time between them */
        pithi_delay_to(&lane->delay, record->time_ns);
    err = record->kind == PITHLOG_RECV ? take_receive(r, record) : take(r, record);
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
    for (uint32_t i = 0; i < r->log->info.lanes; i++)
        TRY(end_receives(r, &r->lanes[i]));
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
    int err;
    r->writer = writer;
    TRY(begin_reading(r));
    TRY(read_all(r));
out:
    end_reading(r);
    return err;
}

/* A call that only starts one waits for nobody, and neither is a scan's waiting followed. */
static enum pithi_coll_shape shape_of(const char *name)
{
    struct pithi_coll_rule rule = pithi_coll_rule(name);
    return rule.flags & PITHI_COLL_STARTS || rule.shape == PITHI_COLL_LOWER ? PITHI_COLL_NONE : rule.shape;
}

static struct trait trait_of(const struct pithlog_def *def)
{
    struct trait t = {.shape = PITHI_COLL_NONE};
    if (def->kind == PITHLOG_STATE) {
        t.wrapped = strncmp(def->group, "MPI", 3) == 0 || pithi_mpi_call(def->name);
        t.shape = shape_of(def->name);
        t.posts = pithi_call_posts(def->name);
        t.waits = pithi_call_waits(def->name) || t.shape != PITHI_COLL_NONE;
    }
    t.tells_cost = def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, PITHI_OWN_COUNTER) == 0;
    return t;
}

int pithi_replay_possible(const struct pithlog *log)
{
    for (uint32_t i = 0; i < log->info.defs; i++)
        if (trait_of(pithlog_get_def(log, i)).tells_cost)
            return 1;
    for (uint32_t i = 0; i < log->info.lanes; i++)
        for (uint32_t kind = 0; kind < PITHLOG_OWN_COSTS; kind++)
            if (pithlog_own_cost_ns(log, i, kind) > 0)
                return 1;
    return 0;
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
    r.shortest = pithi_shortest_new(defs);
    err = r.traits && r.shortest ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "%s: no memory to replay it", log->path);
    TRY(err);
    for (uint32_t i = 0; i < defs; i++)
        r.traits[i] = trait_of(pithlog_get_def(log, i));
    pithi_eager_find(log, &r.eager);
    TRY(pithi_log_copy(log, writer, &facts));
    TRY(pithi_defs_property(pithi_writer_defs(writer), "compensated", local ? "own costs only" : "messages"));
    if (!local)
        TRY(reading(&r, NULL));
    TRY(reading(&r, writer));
out:
    free(r.traits);
    pithi_shortest_free(r.shortest);
    return err;
}
