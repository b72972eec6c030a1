/* otf2_write_events.c - writes the records of one rank's lanes as events.
 *
 * Requests keep the order in which receives were posted. If receive A was posted before receive B but ends after it, a
 * request for A is written just before B, and the end of A refers to this request. In this example, A has the number 0
 * and B the number 1:
 *
 *     request 0 | receive B | end of request 0: A
 *
 * As in Score-P, MpiCollectiveBegin follows the Enter of its state. So the Enter of a state is held back until the next
 * record of its lane, if that record may be a collective. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/names.h"
#include "foreign/otf2/otf2_writer.h"
#include "native/event_numbers.h"

#define EVENT OTF2_PUT_EVENT

enum { REQUESTS_AT_ONCE = 1 << 20 };

static uint64_t ticks(const struct otf2_writer *w, int64_t time_ns) { return (uint64_t)time_ns + w->shift; }

static struct otf2_lane *lane_of(const struct otf2_writer *w, uint32_t lane) { return &w->lanes[lane - w->first]; }

/* ---- States ------------------------------------------------------------------------------------------------------ */

static void write_held(struct otf2_writer *w, struct otf2_lane *lane, int collective)
{
    uint32_t id = lane->held;

    lane->held = 0;
    if (!id)
        return;
    pithi_otf2_put_enter(w, lane, lane->held_time, w->written[id - 1].ref);
    if (collective)
        EVENT(MpiCollectiveBegin, lane->held_time);
}

static void begin_state(void *context, uint32_t number, uint32_t id, int64_t time_ns)
{
    struct otf2_writer *w = context;
    struct otf2_lane *lane = lane_of(w, number);

    write_held(w, lane, 0);
    lane->held = id + 1;
    lane->held_time = ticks(w, time_ns);
    if (w->written[id].operation < 0)
        write_held(w, lane, 0);
}

static void end_state(void *context, uint32_t number, uint32_t id, int64_t time_ns)
{
    struct otf2_writer *w = context;
    struct otf2_lane *lane = lane_of(w, number);

    write_held(w, lane, 0);
    pithi_otf2_put_leave(w, lane, ticks(w, time_ns), w->written[id].ref);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Finds the number that a world rank has in a communicator. */
static int place_of(const struct otf2_writer *w, uint32_t comm, int32_t rank, uint32_t *place)
{
    const struct pithlog_comm *def = pithlog_get_comm(w->log, comm);
    const uint64_t *found = NULL;

    if (comm == 0 || def->size == 0) {
        found = pithi_map_find(&w->ranks, (uint32_t)rank);
    } else {
        int local = !def->remote_size || !pithi_map_find(&w->members, pithi_map_pair(comm, (uint32_t)w->rank));
        found = pithi_map_find(&w->members, pithi_map_pair(local ? comm : otf2_remote(comm), (uint32_t)rank));
    }
    *place = found ? (uint32_t)(*found - 1) : 0;
    return found != NULL;
}

static void put_receive(struct otf2_writer *w, struct otf2_lane *lane, const struct pithlog_record *r)
{
    uint64_t time = ticks(w, r->time_ns), request = r->posted;
    int requested = r->posted < w->next_receive;
    uint32_t peer = 0;
    int known = r->peer >= 0 && place_of(w, r->comm, r->peer, &peer);

    w->no_rank += r->peer >= 0 && !known;
    if (!requested) {
        /* Each receive that was posted before this one and has not ended needs a request, which must come first. */
        uint64_t missing = r->posted - w->next_receive;
        if (!w->alone && missing <= REQUESTS_AT_ONCE)
            for (; w->next_receive < r->posted; w->next_receive++)
                EVENT(MpiIrecvRequest, ticks(w, r->time_ns), w->next_receive);
        w->next_receive = r->posted + 1;
    }
    if (requested && w->alone) {
        w->unordered++;
        requested = 0;
    }
    if (known && !requested) {
        EVENT(MpiRecv, time, peer, r->comm, (uint32_t)r->tag, r->bytes);
        return;
    }
    if (!requested)
        EVENT(MpiIrecvRequest, time, request);
    if (known)
        EVENT(MpiIrecv, time, peer, r->comm, (uint32_t)r->tag, r->bytes, request);
    else
        EVENT(MpiRequestCancelled, time, request);
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* Returns the operation of the innermost collective state. If there is no such state, guesses the operation from the
 * root and the sizes. */
static OTF2_CollectiveOp operation(const struct otf2_writer *w, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;

    for (uint32_t i = step->depth; i-- > 0;)
        if (w->written[step->open[i].id].operation >= 0)
            return (OTF2_CollectiveOp)w->written[step->open[i].id].operation;
    return r->peer >= 0                     ? OTF2_COLLECTIVE_OP_BCAST
           : r->bytes == 0 && !r->got_bytes ? OTF2_COLLECTIVE_OP_BARRIER
                                            : OTF2_COLLECTIVE_OP_ALLREDUCE;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Returns the string parameter of an event. If the parameter of the event is a number, the event gets a second
 * parameter with the same name. */
static uint32_t text_parameter(struct otf2_writer *w, uint32_t id)
{
    struct otf2_written *event = &w->written[id];

    if (event->value == OTF2_VALUE_TEXT)
        return event->ref;
    if (!event->text)
        event->text = pithi_otf2_put_parameter(w, pithlog_get_def(w->log, id)->name, OTF2_PARAMETER_TYPE_STRING) + 1;
    return event->text - 1;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

/* Writes a record that is no Enter. If an Enter of the lane is held back, it is written first; for a collective, it is
 * written as the Enter of the collective's state. */
static void put_other(struct otf2_writer *w, struct otf2_lane *lane, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    uint64_t time = ticks(w, r->time_ns);

    if (r->kind != PITHLOG_COLL)
        write_held(w, lane, 0);
    switch (r->kind) {
    case PITHLOG_EVENT: {
        /* A payload that is a single whole number is written as a number. If its size does not fit the format, it is
         * written as text. */
        const struct otf2_written *event = &w->written[r->id];
        size_t size = pithi_token_size(pithi_token_single(pithlog_get_def(w->log, r->id)->format));
        pithi_otf2_put_sample(w, lane, time, r);
        if (event->value == OTF2_VALUE_TEXT || r->payload_bytes != size) {
            const char *text = pithi_payload_line(&w->payload, pithlog_get_def(w->log, r->id)->format, r);
            if (!text) {
                w->no_memory = 1;
                break;
            }
            OTF2_StringRef string = pithi_otf2_put_text(w, text);
            EVENT(ParameterString, time, text_parameter(w, r->id), string);
            break;
        }
        uint64_t value = pithi_get_be(r->payload, size);
        unsigned spare = (unsigned)(64 - 8 * size); /* number of high bits that the sign must fill */
        if (event->value == OTF2_VALUE_UINT)
            EVENT(ParameterUnsignedInt, time, event->ref, value);
        else
            EVENT(ParameterInt, time, event->ref, (int64_t)(value << spare) >> spare);
        break;
    }
    case PITHLOG_COUNTER: {
        OTF2_Type type = OTF2_TYPE_DOUBLE;
        OTF2_MetricValue value = {.floating_point = r->value};
        EVENT(Metric, time, w->written[r->id].ref, 1, &type, &value);
        break;
    }
    case PITHLOG_SEND: {
        uint32_t peer;
        if (!place_of(w, r->comm, r->peer, &peer))
            w->no_rank++;
        else
            EVENT(MpiSend, time, peer, r->comm, (uint32_t)r->tag, r->bytes);
        break;
    }
    case PITHLOG_RECV:
        put_receive(w, lane, r);
        break;
    case PITHLOG_COLL: {
        uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
        if (lane->held)
            write_held(w, lane, 1);
        else
            EVENT(MpiCollectiveBegin, time);
        if (r->peer >= 0 && !place_of(w, r->comm, r->peer, &root)) {
            root = r->peer == w->rank ? OTF2_COLLECTIVE_ROOT_SELF : OTF2_COLLECTIVE_ROOT_NONE;
            w->no_root += root == OTF2_COLLECTIVE_ROOT_NONE;
        }
        EVENT(MpiCollectiveEnd, time, operation(w, step), r->comm, root, r->bytes, r->got_bytes);
        break;
    }
    case PITHLOG_COMM_CREATE:
        w->comm_events = 1;
        EVENT(CommCreate, time, r->comm);
        break;
    case PITHLOG_COMM_FREE:
        w->comm_events = 1;
        EVENT(CommDestroy, time, r->comm);
        break;
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
        EVENT(MeasurementOnOff, time, r->kind == PITHLOG_PAUSE ? OTF2_MEASUREMENT_OFF : OTF2_MEASUREMENT_ON);
        break;
    case PITHLOG_LOST:
        if (!w->lost)
            w->lost = pithi_otf2_put_parameter(w, "records lost", OTF2_PARAMETER_TYPE_UINT64) + 1;
        EVENT(ParameterUnsignedInt, ticks(w, r->time_ns), w->lost - 1, r->bytes);
        break;
    default:
        break;
    }
}

/* Sets w->next_receive to the number of the first receive. It is 0 if the window begins at the start of the log.
 * Otherwise it is the lowest number of a receive in the window. */
static int find_first_receive(struct otf2_writer *w, const struct pithi_walk *walk, const uint32_t *lanes,
                              uint32_t count)
{
    struct pithlog_query query = {.from_ns = walk->from_ns,
                                  .to_ns = walk->to_ns,
                                  .lanes = lanes,
                                  .lane_count = count,
                                  .kinds = 1u << PITHLOG_RECV};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int status;

    w->next_receive = 0;
    if (walk->from_ns <= pithlog_get_info(w->log)->start_ns)
        return PITH_OK;
    w->next_receive = UINT64_MAX;
    CHECK(pithlog_iter_open(w->log, &query, &iter));
    while ((status = pithlog_iter_next(iter, &record)) == 1)
        if (record.posted < w->next_receive)
            w->next_receive = record.posted;
    pithlog_iter_close(iter);
    return status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

static int write_records(struct otf2_writer *w, const uint32_t *lanes, uint32_t count)
{
    const struct pithi_nest nest = {.begin = begin_state, .end = end_state, .context = w, .losses = &w->losses};
    struct pithi_walk walk;
    struct pithlog_step step;
    int err, status = 0;

    TRY(pithi_walk_open_lanes(&walk, w->log, w->how, lanes, count));
    walk.losses = &w->losses;
    err = find_first_receive(w, &walk, lanes, count);
    while (err == PITH_OK && w->code == OTF2_SUCCESS && (status = pithi_walk_next(&walk, &step)) == 1) {
        if (step.change == PITHLOG_HAPPENS)
            put_other(w, lane_of(w, step.lane), &step);
        else
            pithi_nest_step(&nest, &step);
        if (w->no_memory)
            err = pithi_no_memory();
    }
    pithi_walk_close(&walk);
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_DAMAGED;
out:
    return err;
}

static int open_lanes(struct otf2_writer *w, uint32_t *lanes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = w->first + i;
        w->lanes[i] = (struct otf2_lane){.events = w->otf2->Archive_GetEvtWriter(
                                             w->archive, pithi_otf2_location(pithlog_get_lane(w->log, lanes[i])))};
        if (!w->lanes[i].events)
            return 0;
    }
    return 1;
}

int pithi_otf2_write_lanes(struct otf2_writer *w, uint32_t first, uint32_t count)
{
    uint32_t *lanes = malloc(count * sizeof *lanes);
    int err = PITH_OK;

    w->lanes = calloc(count, sizeof *w->lanes);
    w->first = first;
    w->rank = pithlog_get_lane(w->log, first)->rank;
    if (!lanes || !w->lanes)
        err = pithi_no_memory();
    else if (!open_lanes(w, lanes, count))
        pithi_otf2_check(w, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    else
        err = write_records(w, lanes, count);
    if (w->lanes) {
        for (uint32_t i = 0; i < count && w->lanes[i].events; i++) {
            if (w->code == OTF2_SUCCESS)
                write_held(w, &w->lanes[i], 0);
            w->otf2->EvtWriter_GetNumberOfEvents(w->lanes[i].events, &w->events[w->first + i]);
            pithi_otf2_check(w, w->otf2->Archive_CloseEvtWriter(w->archive, w->lanes[i].events));
        }
    }
    free(lanes);
    free(w->lanes);
    w->lanes = NULL;
    return err;
}
