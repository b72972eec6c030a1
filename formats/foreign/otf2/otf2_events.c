/* otf2_events.c - turns the events of libotf2 into records. libotf2 calls a function for each event; otf2_read.c
 * chooses the order of the events. Each function adds a record, or keeps a fact for a later record.
 *
 * Receives are numbered in the order in which they were posted. A receive gets its number from the event that says that
 * it was posted, not from the event that ends it:
 *
 *     MpiIrecvRequest 7             request 7 is number 0
 *     MpiRecv                       a receive with posted = 1
 *     MpiIrecv 7                    a receive with posted = 0: it ends later, but matches an earlier send
 *
 * A request that never ends still has its number, so it becomes a receive without a message. If it were left out,
 * matching would give each later receive the message of the receive before it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text_fields.h"
#include "base/wide.h"
#include "foreign/otf2/otf2_reader.h"
#include "native/event_numbers.h"
#include "reader/read/payload.h"

#define EVENT(name, ...)                                                                                               \
    static OTF2_CallbackCode on_##name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,                     \
                                       OTF2_AttributeList *attributes, ##__VA_ARGS__)

/* Starts every callback: sets the reader and the lane. */
#define BEGIN                                                                                                          \
    struct otf2_reader *r = data;                                                                                      \
    (void)attributes;                                                                                                  \
    if (!begin(r, location))                                                                                           \
    return OTF2_CALLBACK_SUCCESS

/* Returns 0 for a location that is not defined: its events cannot be in any lane. Consecutive events often have the
 * same location, so the location is looked up only when it changes. */
static int begin(struct otf2_reader *r, OTF2_LocationRef location)
{
    r->seen++;
    if (!r->at || r->at->ref != location)
        r->at = pithi_otf2_table_get(&r->defs.locations, location);
    return r->at != NULL;
}

/* Keeps the error in the reader and returns the result of a callback. An error makes libotf2 stop, but libotf2 does not
 * return the error itself. */
static OTF2_CallbackCode result(struct otf2_reader *r, int err)
{
    r->err = err;
    return err == PITH_OK ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* Returns the time in nanoseconds from the archive's start, limited to a sane range. */
static int64_t time_ns(const struct otf2_reader *r, OTF2_TimeStamp time)
{
    int is_before = time < r->defs.offset;
    uint64_t ns = is_before ? r->defs.offset - time : time - r->defs.offset, rest;

    if (r->defs.ticks_a_second != 1000000000)
        ns = pithi_mul_div(ns, 1000000000, r->defs.ticks_a_second, &rest);
    ns = ns > INT64_MAX / 4 ? INT64_MAX / 4 : ns;
    return is_before ? -(int64_t)ns : (int64_t)ns;
}

/* Adds a record to the lane of this event. Records of a lane must be in order of time. A record that is earlier than
 * the record before it gets the time of that record, and is counted. */
static int add(struct otf2_reader *r, struct pithlog_record record)
{
    record.lane = r->at->lane;
    if (record.time_ns < r->at->last_ns) {
        r->late++;
        record.time_ns = r->at->last_ns;
    }
    r->at->last_ns = record.time_ns;
    /* notices a leave without an enter, which may mean that the archive's beginning is missing */
    CHECK(pithi_leaves_look(&r->leaves, &record));
    return pithi_writer_add(r->writer, &record);
}

#define ADD(kind_, ...)                                                                                                \
    add(r, (struct pithlog_record){.time_ns = time_ns(r, time), .kind = PITHLOG_##kind_, .peer = -1, ##__VA_ARGS__})

/* ---- States ------------------------------------------------------------------------------------------------------ */

static OTF2_CallbackCode add_state(struct otf2_reader *r, OTF2_TimeStamp time, uint32_t kind, uint64_t ref)
{
    struct otf2_region *region = pithi_otf2_table_get(&r->defs.regions, ref);
    uint32_t id;
    int err;

    /* An undefined region has no name, so the event is left out. The event does not count as seen, so the property
     * otf2_events_passed_over of the log includes it. */
    if (!region) {
        r->seen--;
        return OTF2_CALLBACK_SUCCESS;
    }
    TRY(pithi_otf2_state_id(r, region, &id));
    TRY(add(r, (struct pithlog_record){.time_ns = time_ns(r, time), .kind = kind, .id = id, .peer = -1}));
out:
    return result(r, err);
}

EVENT(Enter, OTF2_RegionRef region)
{
    BEGIN;
    return add_state(r, time, PITHLOG_ENTER, region);
}

EVENT(Leave, OTF2_RegionRef region)
{
    BEGIN;
    return add_state(r, time, PITHLOG_LEAVE, region);
}

static uint64_t region_of(const struct otf2_reader *r, OTF2_CallingContextRef ref)
{
    const struct otf2_context *context = pithi_otf2_table_get(&r->defs.contexts, ref);
    return context ? context->region : UINT64_MAX;
}

EVENT(CallingContextEnter, OTF2_CallingContextRef context, uint32_t distance)
{
    BEGIN;
    (void)distance;
    return add_state(r, time, PITHLOG_ENTER, region_of(r, context));
}

EVENT(CallingContextLeave, OTF2_CallingContextRef context)
{
    BEGIN;
    return add_state(r, time, PITHLOG_LEAVE, region_of(r, context));
}

/* Makes a state of the time in which the recorder wrote its buffer. */
EVENT(BufferFlush, OTF2_TimeStamp stop)
{
    uint32_t id;
    int err;

    BEGIN;
    TRY(pithi_otf2_own_id(r, PITHLOG_STATE, "trace buffer flush", "", &id));
    TRY(ADD(ENTER, .id = id));
    time = stop; /* ADD takes the time from here */
    TRY(ADD(LEAVE, .id = id));
out:
    return result(r, err);
}

EVENT(MeasurementOnOff, OTF2_MeasurementMode mode)
{
    BEGIN;
    return result(r, mode == OTF2_MEASUREMENT_OFF ? ADD(PAUSE) : ADD(RESUME));
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Adds the record of a send or a receive. If the peer's rank is unknown, a send is left out, and a receive becomes one
 * without a message. */
static OTF2_CallbackCode add_message(struct otf2_reader *r, struct pithlog_record *record, uint32_t peer,
                                     OTF2_CommRef ref)
{
    struct otf2_comm *comm = pithi_otf2_table_get(&r->defs.comms, ref);
    int err;

    record->peer = pithi_otf2_comm_peer(r, comm, peer, r->at->rank);
    if (record->peer < 0) {
        r->odd_peers++;
        if (record->kind == PITHLOG_SEND)
            return OTF2_CALLBACK_SUCCESS;
        *record = (struct pithlog_record){
            .time_ns = record->time_ns, .kind = PITHLOG_RECV, .peer = -1, .posted = record->posted};
    } else {
        TRY(pithi_otf2_comm_index(r, comm, &record->comm));
    }
    TRY(add(r, *record));
out:
    return result(r, err);
}

EVENT(MpiSend, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t size)
{
    BEGIN;
    struct pithlog_record record = {
        .time_ns = time_ns(r, time), .kind = PITHLOG_SEND, .tag = (int32_t)tag, .bytes = size};
    return add_message(r, &record, receiver, comm);
}

/* Records the send when it starts, as Pith's recorder does for MPI_Isend. So the completion of the send
 * (MpiIsendComplete) adds nothing. */
EVENT(MpiIsend, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t size, uint64_t request)
{
    (void)request;
    return on_MpiSend(location, time, data, attributes, receiver, comm, tag, size);
}

/* Adds a receive. `posted` is its number in the order of posting. */
static OTF2_CallbackCode add_receive(struct otf2_reader *r, OTF2_TimeStamp time, uint64_t posted, uint32_t sender,
                                     OTF2_CommRef comm, uint32_t tag, uint64_t size)
{
    struct pithlog_record record = {
        .time_ns = time_ns(r, time), .kind = PITHLOG_RECV, .tag = (int32_t)tag, .bytes = size, .posted = posted};
    return add_message(r, &record, sender, comm);
}

/* A blocking receive is posted and ended by one event, so it takes the next number here. */
EVENT(MpiRecv, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t size)
{
    BEGIN;
    return add_receive(r, time, r->posted++, sender, comm, tag, size);
}

/* Notes that a receive was posted. If a receive with the same request is still pending, its end was not recorded; it
 * becomes a receive without a message. */
EVENT(MpiIrecvRequest, uint64_t request)
{
    struct otf2_request before;
    int err = PITH_OK;

    BEGIN;
    if (pithi_otf2_requests_take(&r->requests, request, &before)) {
        r->unended++;
        TRY(ADD(RECV, .posted = before.posted));
    }
    if (!pithi_otf2_requests_add(&r->requests, request, r->posted++, r->at->lane))
        err = pithi_no_memory();
out:
    return result(r, err);
}

EVENT(MpiIrecv, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t size, uint64_t request)
{
    struct otf2_request posted;

    BEGIN;
    /* If the archive has no MpiIrecvRequest for this receive, the receive counts as posted now, and is counted in
     * r->unposted. */
    if (!pithi_otf2_requests_take(&r->requests, request, &posted)) {
        r->unposted++;
        posted.posted = r->posted++;
    }
    return add_receive(r, time, posted.posted, sender, comm, tag, size);
}

/* A cancelled receive becomes a receive without a message. A cancelled send is not in `requests`, so it adds
 * nothing. */
EVENT(MpiRequestCancelled, uint64_t request)
{
    struct otf2_request posted;

    BEGIN;
    return pithi_otf2_requests_take(&r->requests, request, &posted) ? result(r, ADD(RECV, .posted = posted.posted))
                                                                    : OTF2_CALLBACK_SUCCESS;
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* In OTF2 a function has no address. So each region gets CODE_BYTES addresses of its own, and the event pith:code gives
 * the name for these addresses. Region 5 has the addresses 96 to 111, and samples have the address in the middle,
 * 104. */
enum { CODE_BYTES = 16, FRAMES_MAX = 8192 };
static uint64_t code_begin(const struct otf2_region *region) { return (region->ref + 1) * CODE_BYTES; }

static struct otf2_context *context_of(const struct otf2_reader *r, OTF2_CallingContextRef ref)
{
    return pithi_otf2_table_get(&r->defs.contexts, ref);
}

/* Makes an event of a sample. If Pith wrote the archive, another event has the addresses of the sample, so nothing is
 * added. */
EVENT(CallingContextSample, OTF2_CallingContextRef ref, uint32_t distance, OTF2_InterruptGeneratorRef generator)
{
    unsigned char payload[8 * (FRAMES_MAX + 1)], *end = pithi_put_be(payload, 0, 8); /* CPU time: unknown */
    uint32_t id, depth = 0;
    int err;

    BEGIN;
    (void)distance, (void)generator;
    if (r->own)
        return OTF2_CALLBACK_SUCCESS;
    /* The depth is limited because the contexts of a damaged archive may form a cycle. */
    for (struct otf2_context *c = context_of(r, ref); c && depth < FRAMES_MAX; c = context_of(r, c->parent), depth++) {
        struct otf2_region *region = pithi_otf2_table_get(&r->defs.regions, c->region);
        if (!region)
            continue;
        /* Stores the rank, so that only functions that were sampled in this rank get their names in its lane. */
        region->sampled = r->at->rank + 1;
        end = pithi_put_be(end, code_begin(region) + CODE_BYTES / 2, 8);
    }
    r->sampled = 1;
    TRY(pithi_otf2_own_id(r, PITHLOG_EVENT_TYPE, "pith:sample", "cpu=%l", &id));
    TRY(ADD(EVENT, .id = id, .payload = payload, .payload_bytes = (uint32_t)(end - payload)));
out:
    return result(r, err);
}

/* Adds the names of the functions that were sampled in this rank, each once. Called at the end of the rank. */
static int name_functions(struct otf2_reader *r)
{
    const struct otf2_region *region = OTF2_ROWS(r->defs.regions, const struct otf2_region);
    uint32_t id;

    if (!r->sampled || !r->at)
        return PITH_OK;
    r->sampled = 0;
    CHECK(pithi_otf2_own_id(r, PITHLOG_EVENT_TYPE, "pith:code", "begin=%X end=%X name=%s", &id));
    for (uint32_t i = 0; i < r->defs.regions.count; i++)
        if (region[i].sampled == r->at->rank + 1) {
            /* "begin=%X end=%X name=%s": 8 + 8 bytes, then 2 bytes of length and the name */
            const char *name = pithi_otf2_defs_string(&r->defs, region[i].name);
            size_t size = strnlen(name, 4096);
            unsigned char payload[18 + 4096], *p = pithi_put_be(payload, code_begin(&region[i]), 8);
            p = pithi_put_be(p, code_begin(&region[i]) + CODE_BYTES, 8);
            memcpy(pithi_put_be(p, size, 2), name, size);
            CHECK(add(r, (struct pithlog_record){.time_ns = r->at->last_ns,
                                                 .kind = PITHLOG_EVENT,
                                                 .id = id,
                                                 .peer = -1,
                                                 .payload = payload,
                                                 .payload_bytes = (uint32_t)(18 + size)}));
        }
    return PITH_OK;
}

/* ---- The end of a rank ------------------------------------------------------------------------------------------- */

int pithi_otf2_events_end_rank(struct otf2_reader *r)
{
    int err = name_functions(r);

    for (uint32_t i = 0; err == PITH_OK && i < r->requests.size; i++) {
        const struct otf2_request *request = &r->requests.slots[i];
        if (!request->lane) /* an empty slot */
            continue;
        r->unended++;
        TRY(pithi_writer_add(r->writer, &(struct pithlog_record){.time_ns = r->at->last_ns,
                                                                 .lane = request->lane - 1,
                                                                 .kind = PITHLOG_RECV,
                                                                 .peer = -1,
                                                                 .posted = request->posted}));
    }
out:
    pithi_otf2_requests_free(&r->requests);
    r->posted = 0;
    r->at = NULL;
    return err;
}

/* These events add nothing to the log. They have callbacks so that they count as seen, not as passed over. */
EVENT(MpiIsendComplete, uint64_t request)
{
    BEGIN;
    (void)time, (void)request;
    return OTF2_CALLBACK_SUCCESS;
}

EVENT(NonBlockingCollectiveRequest, uint64_t request)
{
    return on_MpiIsendComplete(location, time, data, attributes, request);
}

EVENT(MpiCollectiveBegin) { return on_MpiIsendComplete(location, time, data, attributes, 0); }

EVENT(Unknown)
{
    ((struct otf2_reader *)data)->seen--;
    return on_MpiIsendComplete(location, time, data, attributes, 0);
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

static OTF2_CallbackCode add_collective(struct otf2_reader *r, OTF2_TimeStamp time, OTF2_CommRef ref, uint32_t root,
                                        uint64_t sent, uint64_t received)
{
    struct otf2_comm *comm = pithi_otf2_table_get(&r->defs.comms, ref);
    /* OTF2 has four kinds of root: a rank of the communicator, this rank, its group, or none. For the last two the log
     * has no root. */
    int32_t peer = root == OTF2_COLLECTIVE_ROOT_SELF ? r->at->rank : -1;
    uint32_t index;
    int err;

    if (root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        peer = pithi_otf2_comm_peer(r, comm, root, r->at->rank);
    TRY(pithi_otf2_comm_index(r, comm, &index));
    TRY(add(r, (struct pithlog_record){.time_ns = time_ns(r, time),
                                       .kind = PITHLOG_COLL,
                                       .comm = index,
                                       .peer = peer,
                                       .bytes = sent,
                                       .got_bytes = received}));
out:
    return result(r, err);
}

EVENT(MpiCollectiveEnd, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN;
    (void)operation;
    return add_collective(r, time, comm, root, sent, received);
}

EVENT(NonBlockingCollectiveComplete, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
      uint64_t received, uint64_t request)
{
    (void)request;
    return on_MpiCollectiveEnd(location, time, data, attributes, operation, comm, root, sent, received);
}

/* Returns the communicator of a window. A collective on the window is recorded with this communicator. */
static OTF2_CommRef window_comm(const struct otf2_reader *r, OTF2_RmaWinRef ref)
{
    const struct otf2_window *window = pithi_otf2_table_get(&r->defs.windows, ref);
    return window ? window->comm : OTF2_UNDEFINED_COMM;
}

EVENT(RmaCollectiveEnd, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
      uint64_t sent, uint64_t received)
{
    BEGIN;
    /* A collective on a window, such as MPI_Win_fence, is recorded like any other collective. */
    (void)operation, (void)level;
    return add_collective(r, time, window_comm(r, window), root, sent, received);
}

static OTF2_CallbackCode add_comm_event(struct otf2_reader *r, OTF2_TimeStamp time, uint32_t kind, OTF2_CommRef ref)
{
    struct otf2_comm *comm = pithi_otf2_table_get(&r->defs.comms, ref);
    struct pithlog_record record = {.time_ns = time_ns(r, time), .kind = kind, .peer = -1};
    int err;

    TRY(pithi_otf2_comm_index(r, comm, &record.comm));
    TRY(add(r, record));
out:
    return result(r, err);
}

EVENT(CommCreate, OTF2_CommRef comm)
{
    BEGIN;
    return add_comm_event(r, time, PITHLOG_COMM_CREATE, comm);
}

EVENT(CommDestroy, OTF2_CommRef comm)
{
    BEGIN;
    return add_comm_event(r, time, PITHLOG_COMM_FREE, comm);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

EVENT(Metric, OTF2_MetricRef ref, uint8_t count, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct otf2_metric *metric;
    double factor = 1;
    uint32_t id;
    int err = PITH_OK;

    BEGIN;
    metric = pithi_otf2_table_get(&r->defs.metrics, ref);
    for (uint32_t i = 0; metric && i < count; i++) {
        /* A value has one of three types. It becomes a double, because counters of Pith are doubles. */
        double value = types[i] == OTF2_TYPE_DOUBLE   ? values[i].floating_point
                       : types[i] == OTF2_TYPE_UINT64 ? (double)values[i].unsigned_int
                                                      : (double)values[i].signed_int;
        /* *id: the definition of this member of the metric; UINT32_MAX if it cannot be a counter */
        TRY(pithi_otf2_counter_id(r, metric, i, &id, &factor));
        if (id != UINT32_MAX)
            TRY(ADD(COUNTER, .id = id, .value = factor == 1 ? value : value * factor));
    }
out:
    return result(r, err);
}

static OTF2_CallbackCode add_event(struct otf2_reader *r, OTF2_TimeStamp time, uint32_t id, const void *payload,
                                   size_t size)
{
    return result(r, ADD(EVENT, .id = id, .payload = size ? payload : NULL, .payload_bytes = (uint32_t)size));
}

/* Adds a number as an event, in the size that the format of the event requires: %d has 4 bytes, %l has 8. */
static OTF2_CallbackCode add_number(struct otf2_reader *r, OTF2_TimeStamp time, OTF2_ParameterRef ref, uint64_t value)
{
    struct otf2_parameter *parameter = pithi_otf2_table_get(&r->defs.parameters, ref);
    unsigned char payload[8];
    const char *percent;
    uint32_t id;
    int err;

    if (!parameter)
        return OTF2_CALLBACK_SUCCESS;
    if (r->own && strcmp(pithi_otf2_defs_string(&r->defs, parameter->name), "records lost") == 0)
        return result(r, ADD(LOST, .bytes = value));
    TRY(pithi_otf2_event_id(r, parameter, &id));
    percent = strchr(parameter->format, '%');
    size_t size = percent ? pithi_token_size(percent[1]) : 8;
    pithi_put_be(payload, value, size);
    return add_event(r, time, id, payload, size);
out:
    return result(r, err);
}

EVENT(ParameterInt, OTF2_ParameterRef parameter, int64_t value)
{
    BEGIN;
    return add_number(r, time, parameter, (uint64_t)value);
}

EVENT(ParameterUnsignedInt, OTF2_ParameterRef parameter, uint64_t value)
{
    BEGIN;
    return add_number(r, time, parameter, value);
}

EVENT(ParameterString, OTF2_ParameterRef ref, OTF2_StringRef string)
{
    struct otf2_parameter *parameter;
    const char *text;
    unsigned char *payload;
    OTF2_CallbackCode code;
    size_t size;
    uint32_t id;
    int err;

    BEGIN;
    if (!(parameter = pithi_otf2_table_get(&r->defs.parameters, ref)))
        return OTF2_CALLBACK_SUCCESS;
    text = pithi_otf2_defs_string(&r->defs, string);
    TRY(pithi_otf2_event_id(r, parameter, &id));
    if (!r->own) { /* In an archive that Pith did not write, the payload has the format "%s". */
        size_t length = strnlen(text, 65535);
        unsigned char *bytes = malloc(length + 2);
        if (!bytes)
            return result(r, pithi_no_memory());
        memcpy(pithi_put_be(bytes, length, 2), text, length);
        OTF2_CallbackCode added = add_event(r, time, id, bytes, length + 2);
        free(bytes);
        return added;
    }
    /* Pith wrote the payload as a text in the format of the event; pithi_payload_parse makes the payload from this
     * text. */
    payload = pithi_payload_parse(*text ? parameter->format : "", text, &size);
    r->odd_payloads += !payload;
    code = add_event(r, time, id, payload, payload ? size : 0);
    free(payload);
    return code;
out:
    return result(r, err);
}

/* Adds an access to another rank's memory as an event. It is not a message, because the other rank receives nothing. */
static OTF2_CallbackCode add_access(struct otf2_reader *r, OTF2_TimeStamp time, const char *name, OTF2_RmaWinRef window,
                                    uint32_t remote, uint64_t size)
{
    struct otf2_comm *comm = pithi_otf2_table_get(&r->defs.comms, window_comm(r, window));
    int32_t peer = pithi_otf2_comm_peer(r, comm, remote, r->at->rank);
    unsigned char payload[12];
    uint32_t id;
    int err;

    TRY(pithi_otf2_own_id(r, PITHLOG_EVENT_TYPE, name, "peer=%d bytes=%l", &id));
    /* "peer=%d bytes=%l" is 4 + 8 bytes. */
    pithi_put_be(pithi_put_be(payload, (uint32_t)peer, 4), size, 8);
    return add_event(r, time, id, payload, sizeof payload);
out:
    return result(r, err);
}

EVENT(RmaPut, OTF2_RmaWinRef window, uint32_t remote, uint64_t size, uint64_t matching)
{
    BEGIN;
    (void)matching;
    return add_access(r, time, "RMA put", window, remote, size);
}

EVENT(RmaGet, OTF2_RmaWinRef window, uint32_t remote, uint64_t size, uint64_t matching)
{
    BEGIN;
    (void)matching;
    return add_access(r, time, "RMA get", window, remote, size);
}

EVENT(RmaAtomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
      uint64_t matching)
{
    BEGIN;
    (void)type, (void)matching;
    /* an atomic operation moves data in both directions */
    return add_access(r, time, "RMA atomic", window, remote, sent + received);
}

EVENT(ProgramBegin, OTF2_StringRef name, uint32_t count, const OTF2_StringRef *arguments)
{
    BEGIN;
    (void)time, (void)count, (void)arguments;
    return result(r,
                  pithi_defs_property(pithi_writer_defs(r->writer), "program", pithi_otf2_defs_string(&r->defs, name)));
}

void pithi_otf2_events_register(const struct pithi_otf2 *otf2, OTF2_GlobalEvtReaderCallbacks *callbacks)
{
#define SET(name) otf2->GlobalEvtReaderCallbacks_Set##name##Callback(callbacks, on_##name);
    PITHI_OTF2_EVENTS(SET)
#undef SET
}
