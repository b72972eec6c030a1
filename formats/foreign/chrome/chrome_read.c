/* chrome_read.c - the Trace Event Format to native records: an array of events, or an object with an array
 * "traceEvents". Events come in any order, so they go through a sort on disk. Which lanes there are is known only at
 * the end of the file.
 *
 *     file -- events --> by time --> states of lanes --> writer
 *               \-- flows --> messages --^
 *
 * Programs that write such files often die before the end. Then the reader keeps everything that was written and marks
 * the log as incomplete. (The format allows an array without a closing bracket, for such programs.) */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/sorter.h"
#include "foreign/chrome/chrome_async.h"
#include "foreign/chrome/chrome_event.h"
#include "foreign/chrome/chrome_lanes.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/reading.h"

/* NAME: bytes; PROBE_EVENTS: events that the probe looks at; WHOLE: the kind of an item that is a complete event */
enum { NAME = 1024, PROBE_EVENTS = 4, WHOLE = PITHLOG_LOST + 1 };

/* An item to be sorted. The payload of an event follows it; the two have at most EVENT_BYTES. */
struct item {
    uint32_t kind;       /* enum pithlog_kind, or WHOLE */
    uint32_t thread, id; /* thread: index of the thread; id: definition */
    int32_t peer, tag;
    int64_t length_ns; /* of a complete event */
    uint64_t bytes, posted;
    double value; /* of a counter */
};
enum { EVENT_BYTES = sizeof(struct item) + 2 + PITHI_CHROME_TEXT }; /* the largest item with its payload */

struct chrome_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    struct pithi_json json; /* the text, and the place up to which it is read */
    size_t passed;          /* end of the memory released so far (pithi_passed in foreign/reading.h) */
    struct pithi_chrome_lanes lanes;
    struct pithi_chrome_flows flows;
    struct pithi_chrome_async async;
    struct pithi_sorter *sorter;                 /* items, by time */
    int64_t first_ns;                            /* the earliest time of all events, which becomes time 0 */
    uint64_t left_out, without_length, negative; /* counted for properties of the log */
    int cut;                                     /* 1: the text ends before the array or object does */
};

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Adds a definition. The category of the event becomes its group. */
static int define(struct chrome_reader *r, const struct pithi_chrome_event *event, enum pithlog_def_kind kind,
                  const char *name, uint32_t *id)
{
    struct pithlog_def def = {kind, name, "", "user", kind == PITHLOG_EVENT_TYPE ? "%s" : ""};
    char group[NAME];
    if (event->category.size) {
        pithi_json_text(&event->category, group, sizeof group);
        def.group = group;
    }
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, id);
}

static int define_event(struct chrome_reader *r, const struct pithi_chrome_event *event, enum pithlog_def_kind kind,
                        uint32_t *id)
{
    char name[NAME];
    pithi_json_text(&event->name, name, sizeof name);
    return define(r, event, kind, name, id);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Adds an item to the sort. `late` orders items with the same time: 0 comes first, UINT64_MAX last. For complete events
 * it depends on their length, so that the longest one comes first. */
static int add_bytes(struct chrome_reader *r, int64_t time_ns, uint64_t late, const void *data, uint32_t size)
{
    struct pithi_sort_key key = {{pithi_sort_time(time_ns), 1, late}};
    if (time_ns < r->first_ns)
        r->first_ns = time_ns;
    return pithi_sorter_add(r->sorter, &key, data, size);
}

static int add(struct chrome_reader *r, int64_t time_ns, uint64_t late, const struct item *item)
{
    return add_bytes(r, time_ns, late, item, sizeof *item);
}

/* Makes an event with its payload. The format "%s" requires that the payload begins with its length. */
static int make_event(struct chrome_reader *r, const struct pithi_chrome_event *event, struct item item,
                      unsigned char data[EVENT_BYTES], uint32_t *size)
{
    size_t length = pithi_chrome_args_text(event, (char *)data + sizeof item + 2);
    item.kind = PITHLOG_EVENT;
    CHECK(define_event(r, event, PITHLOG_EVENT_TYPE, &item.id));
    memcpy(data, &item, sizeof item);
    data[sizeof item] = (unsigned char)(length >> 8);
    data[sizeof item + 1] = (unsigned char)length;
    /* if the event has no arguments, it has no payload */
    *size = (uint32_t)(sizeof item + (length ? 2 + length : 0));
    return PITH_OK;
}

static int add_event(struct chrome_reader *r, const struct pithi_chrome_event *event, uint64_t late, struct item item)
{
    unsigned char data[EVENT_BYTES];
    uint32_t size;
    CHECK(make_event(r, event, item, data, &size));
    return add_bytes(r, event->time_ns, late, data, size);
}

/* Returns 1 for {"a":1}, 0 for {}: an object with a member has a quote in it. */
static int has_args(const struct pithi_chrome_event *event)
{
    return event->args.kind == '{' && memchr(event->args.text, '"', event->args.size);
}

/* Adds an asynchronous event with the thread that was chosen for it. */
static int place_async(void *context, int64_t time_ns, uint32_t thread, const void *data, uint32_t size)
{
    struct chrome_reader *r = context;
    unsigned char copy[EVENT_BYTES];
    struct item item;
    memcpy(&item, data, sizeof item);
    item.thread = thread;
    memcpy(copy, data, size);
    memcpy(copy, &item, sizeof item);
    return add_bytes(r, time_ns, 0, copy, size);
}

/* Adds an event by which the Pith writer stores another kind of record, such as a pause. */
static int add_own(struct chrome_reader *r, const struct pithi_chrome_event *event, struct item item)
{
    int64_t count = 0;
    if (pithi_json_is(&event->name, "recording paused"))
        item.kind = PITHLOG_PAUSE;
    else if (pithi_json_is(&event->name, "recording resumed"))
        item.kind = PITHLOG_RESUME;
    else if (pithi_json_is(&event->name, "records lost"))
        item.kind = PITHLOG_LOST;
    else
        return add_event(r, event, 0, item);
    if (item.kind == PITHLOG_LOST && pithi_chrome_arg_number(event, "count", 0, &count))
        item.bytes = (uint64_t)count;
    return add(r, event->time_ns, 0, &item);
}

static int add_any(struct chrome_reader *r, const struct pithi_chrome_event *event)
{
    struct item item = {.peer = -1};
    enum pithlog_kind kind;
    if (event->phase == 'M')
        return pithi_chrome_lanes_meta(&r->lanes, event);
    if (event->timed && pithi_chrome_async_is(event->phase, &kind)) {
        /* An asynchronous event goes into a sort of its own, because its lane is known only after the sort. */
        unsigned char data[EVENT_BYTES];
        uint32_t size;
        item.kind = kind;
        if (kind == PITHLOG_ENTER)
            CHECK(define_event(r, event, PITHLOG_STATE, &item.id));
        if (kind != PITHLOG_EVENT)
            CHECK(pithi_chrome_async_add(&r->async, &r->lanes, event, kind, &item, sizeof item));
        if (kind == PITHLOG_LEAVE || (kind == PITHLOG_ENTER && !has_args(event)))
            return PITH_OK;
        CHECK(make_event(r, event, item, data, &size));
        return pithi_chrome_async_add(&r->async, &r->lanes, event, PITHLOG_EVENT, data, size);
    }
    /* events without a time, or with a phase that has no record here, are counted and left out */
    if (!event->timed || !event->phase || !strchr("BEXiIRCstf", event->phase)) {
        r->left_out++;
        return PITH_OK;
    }
    CHECK(pithi_chrome_lanes_thread(&r->lanes, event, &item.thread));
    pithi_chrome_lanes_use(&r->lanes, item.thread);
    switch (event->phase) {
    case 'B':
    case 'X': {
        /* If two states begin at the same time, the longer one contains the shorter one, so it must come first in the
         * sort. `late` is UINT64_MAX minus the length, which is smaller for the longer state. The arguments of a state
         * become an event at the start of the state. */
        uint64_t late = event->phase == 'X' ? UINT64_MAX - (uint64_t)event->length_ns : 0;
        item.kind = event->phase == 'X' ? WHOLE : PITHLOG_ENTER;
        item.length_ns = event->length_ns;
        CHECK(define_event(r, event, PITHLOG_STATE, &item.id));
        CHECK(add(r, event->time_ns, late, &item));
        /* A flow may begin or end at a state, without a flow event. Then bind_id alone identifies the flow; category
         * and name do not matter. */
        if (event->bind_id.kind && (event->flow_in || event->flow_out)) {
            struct pithi_chrome_event place = {.time_ns = event->time_ns, .id = event->bind_id};
            /* s begins a flow, t continues it, f ends it */
            place.phase = !event->flow_in ? 's' : event->flow_out ? 't' : 'f';
            CHECK(pithi_chrome_flows_add(&r->flows, &place, item.thread));
        }
        if (event->phase == 'X') {
            r->without_length += !event->has_length;
            r->negative += event->is_negative;
        }
        return has_args(event) ? add_event(r, event, late, item) : PITH_OK;
    }
    case 'E':
        item.kind = PITHLOG_LEAVE;
        return add(r, event->time_ns, 0, &item);
    case 'C': {
        /* Each number in the arguments is a separate counter. {"read": 3, "write": 5} gives two counters. */
        struct pithi_json json = {.data = event->args.text, .size = event->args.size};
        struct pithi_json_value key, value;
        int first = 1;
        if (event->args.kind != '{' || pithi_json_open(&json, '{') != PITHI_JSON_OK)
            return PITH_OK;
        while (pithi_json_key(&json, &first, &key) == PITHI_JSON_OK &&
               pithi_json_value(&json, &value) == PITHI_JSON_OK) {
            if (!pithi_json_double(&value, &item.value)) {
                r->left_out++;
                continue;
            }
            /* The name is "NAME" or "NAME[ID]", and "NAME.KEY" if the key is not "value". The Pith writer uses the
             * thread as id; this id is left out of the name. */
            const struct pithi_json_value *id = &event->id, *tid = &event->tid;
            char name[3 * NAME];
            size_t used = pithi_json_text(&event->name, name, NAME);
            if (id->kind && (!tid->kind || id->size != tid->size || memcmp(id->text, tid->text, id->size) != 0)) {
                name[used++] = '[';
                used += pithi_json_text(id, name + used, NAME - 2);
                name[used++] = ']';
            }
            name[used] = 0;
            if (!pithi_json_is(&key, "value")) {
                name[used++] = '.';
                pithi_json_text(&key, name + used, NAME);
            }
            item.kind = PITHLOG_COUNTER;
            CHECK(define(r, event, PITHLOG_COUNTER_TYPE, name, &item.id));
            CHECK(add(r, event->time_ns, 0, &item));
        }
        return PITH_OK;
    }
    case 's':
    case 't':
    case 'f':
        return pithi_chrome_flows_add(&r->flows, event, item.thread);
    default:
        return pithi_json_is(&event->category, "pith") ? add_own(r, event, item) : add_event(r, event, 0, item);
    }
    return PITH_OK;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static int wrong(const struct chrome_reader *r)
{
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: %s", r->input->path, r->json.at, r->json.wrong);
}

/* Returns the size of the UTF-8 byte order mark at the begin of the file: 3 bytes, or 0. Some programs write this
 * mark. */
static int skip_mark(const struct pithi_input *input)
{
    return input->size > 3 && memcmp(input->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Reads the array of events. *status becomes the PITHI_JSON_ result that ended the array. */
static int read_events(struct chrome_reader *r, int *status)
{
    struct pithi_json_value other;
    struct pithi_chrome_event event;
    int first = 1;
    *status = pithi_json_open(&r->json, '[');
    while (*status == PITHI_JSON_OK && (*status = pithi_json_item(&r->json, &first)) == PITHI_JSON_OK) {
        pithi_passed(r->input, &r->passed, r->json.at);
        if (!pithi_input_at(r->input, r->json.at))
            *status = PITHI_JSON_CUT;
        /* an item that is valid JSON but no object is skipped */
        else if (pithi_json_peek(&r->json) != '{')
            *status = pithi_json_value(&r->json, &other);
        else if ((*status = pithi_chrome_event(&r->json, &event)) == PITHI_JSON_OK)
            CHECK(add_any(r, &event));
    }
    return PITH_OK;
}

/* Reads "otherData", in which the Pith writer says why the log is incomplete. */
static int take_other_data(struct chrome_reader *r, const struct pithi_json_value *data)
{
    struct pithi_json json = {.data = data->text, .size = data->size};
    struct pithi_json_value key, value;
    char reason[NAME];
    int first = 1;
    if (data->kind != '{' || pithi_json_open(&json, '{') != PITHI_JSON_OK)
        return PITH_OK;
    while (pithi_json_key(&json, &first, &key) == PITHI_JSON_OK && pithi_json_value(&json, &value) == PITHI_JSON_OK)
        if (pithi_json_is(&key, PITHI_INCOMPLETE) && pithi_json_text(&value, reason, sizeof reason))
            CHECK(pithi_incomplete(pithi_writer_defs(r->writer), "%s", reason));
    return PITH_OK;
}

/* Reads what PyTorch's profiler writes about the job: {"backend": "nccl", "rank": 3, "world_size": 8}. */
static int take_job(struct chrome_reader *r, const struct pithi_json_value *data)
{
    struct pithi_chrome_event event = {.args = *data};
    char text[NAME];
    int64_t rank;
    if (!pithi_chrome_arg_number(&event, "rank", 0, &rank) || rank > INT32_MAX)
        return PITH_OK;
    r->lanes.is_one_rank = 1;
    r->lanes.rank = (int32_t)rank;
    pithi_json_text(data, text, sizeof text);
    return pithi_defs_property(pithi_writer_defs(r->writer), "distributedInfo", text);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add_message(void *context, const struct pithi_chrome_message *m)
{
    struct chrome_reader *r = context;
    /* 0 if the tag is too large for a tag of MPI */
    int32_t tag = m->tag < INT32_MIN || m->tag > INT32_MAX ? 0 : (int32_t)m->tag;
    struct item item = {.kind = PITHLOG_SEND,
                        .thread = m->send_thread,
                        .peer = pithi_chrome_lanes_rank(&r->lanes, m->recv_thread),
                        .tag = tag,
                        .bytes = m->bytes};
    /* UINT64_MAX puts the send after all other records of the lane at that time. */
    CHECK(add(r, m->send_ns, UINT64_MAX, &item));
    item.kind = PITHLOG_RECV;
    item.thread = m->recv_thread;
    item.peer = pithi_chrome_lanes_rank(&r->lanes, m->send_thread);
    item.posted = m->posted;
    /* The receive must be inside the call that received the message. In a file that Pith wrote, this call ends at the
     * same time, so the receive is sorted before all other records of that time. */
    if (pithi_chrome_lanes_own(&r->lanes)) {
        struct pithi_sort_key key = {{pithi_sort_time(m->recv_ns), 0, 0}};
        return pithi_sorter_add(r->sorter, &key, &item, sizeof item);
    }
    return add(r, m->recv_ns, UINT64_MAX, &item);
}

static int put_item(struct chrome_reader *r, struct pithi_chrome_states *states, const struct pithi_sorted *sorted)
{
    int64_t time_ns = pithi_sorted_time(sorted);
    struct item item;
    memcpy(&item, sorted->data, sizeof item);
    uint32_t lane = pithi_chrome_lanes_lane(&r->lanes, item.thread);
    switch (item.kind) {
    case PITHLOG_ENTER:
        return pithi_chrome_states_begin(states, lane, time_ns, item.id);
    case PITHLOG_LEAVE:
        return pithi_chrome_states_end(states, lane, time_ns);
    case WHOLE:
        return pithi_chrome_states_whole(states, lane, time_ns, item.length_ns, item.id);
    default:
        break;
    }
    struct pithlog_record record = {.time_ns = time_ns,
                                    .lane = lane,
                                    .kind = item.kind,
                                    .id = item.id,
                                    .peer = item.peer,
                                    .tag = item.tag,
                                    .bytes = item.bytes,
                                    .posted = item.posted,
                                    .value = item.value,
                                    .payload = (const char *)sorted->data + sizeof item,
                                    .payload_bytes = sorted->size - (uint32_t)sizeof item};
    return pithi_chrome_states_other(states, &record);
}

int pithi_chrome_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct chrome_reader r = {.input = input, .writer = writer, .first_ns = INT64_MAX};
    struct pithi_json_value key, value;
    struct pithi_chrome_states states = {.writer = writer};
    struct pithi_sorted sorted;
    int first = 1, status, err;
    r.json = (struct pithi_json){input->data, input->size, (size_t)skip_mark(input), NULL};
    TRY(pithi_sorter_new(&r.sorter, PITHI_SORTER_BYTES));
    TRY(pithi_chrome_flows_new(&r.flows));
    TRY(pithi_chrome_async_new(&r.async));
    if (pithi_json_peek(&r.json) == '[') {
        TRY(read_events(&r, &status));
    } else {
        status = pithi_json_open(&r.json, '{');
        while (status == PITHI_JSON_OK && (status = pithi_json_key(&r.json, &first, &key)) == PITHI_JSON_OK) {
            /* other members may come before and after the events */
            if (!pithi_json_is(&key, "traceEvents")) {
                status = pithi_json_value(&r.json, &value);
                if (status == PITHI_JSON_OK && pithi_json_is(&key, "otherData"))
                    TRY(take_other_data(&r, &value));
                if (status == PITHI_JSON_OK && pithi_json_is(&key, "distributedInfo"))
                    TRY(take_job(&r, &value));
                continue;
            }
            TRY(read_events(&r, &status));
            status = status == PITHI_JSON_DONE ? PITHI_JSON_OK : status;
        }
    }
    /* If the file is cut, the events before the cut are kept. */
    r.cut = status == PITHI_JSON_CUT;
    if (status == PITHI_JSON_WRONG)
        TRY(wrong(&r));
    /* All asynchronous events are known now, so they get their threads. */
    TRY(pithi_chrome_async_place(&r.async, &r.lanes, place_async, &r));
    TRY(pithi_chrome_lanes_make(&r.lanes, writer));
    TRY(pithi_chrome_flows_messages(&r.flows, &r.lanes, add_message, &r));
    /* A file that Pith wrote has the times of the log. Times of other files may begin years after 0, so their first
     * event gets the time 0. */
    states.zero_ns = pithi_chrome_lanes_own(&r.lanes) ? 0 : r.first_ns;
    TRY(pithi_sorter_end(r.sorter));
    /* pithi_input_at stops the loop if the file has become shorter, because its missing bytes read as zeros. */
    status = 0;
    while (pithi_input_at(input, r.json.at) && (status = pithi_sorter_next(r.sorter, &sorted)) == 1)
        TRY(put_item(&r, &states, &sorted));
    TRY(status < 0 ? PITH_ERR_IO : pithi_chrome_states_finish(&states));
    TRY(pithi_say_count(writer, "chrome_ends_without_state", states.ends_alone + r.async.alone));
    TRY(pithi_say_count(writer, "chrome_events_left_out", r.left_out));
    TRY(pithi_say_count(writer, "chrome_states_without_length", r.without_length));
    TRY(pithi_say_count(writer, "chrome_states_of_negative_length", r.negative));
    TRY(pithi_say_count(writer, "chrome_flows_inside_a_lane", r.flows.inside));
    TRY(pithi_say_count(writer, "chrome_flows_without_partner", r.flows.alone));
    if (r.cut)
        TRY(pithi_ends_here(writer, input, "without the bracket that closes its events"));
out:
    pithi_chrome_states_free(&states);
    pithi_chrome_lanes_free(&r.lanes);
    pithi_chrome_flows_free(&r.flows);
    pithi_chrome_async_free(&r.async);
    pithi_sorter_free(r.sorter);
    return err;
}

/* ---- Recognising ------------------------------------------------------------------------------------------------- */

int pithi_chrome_probe(const struct pithi_input *input)
{
    struct pithi_json_value key, value;
    int first = 1;
    if (!input->data)
        return 0;
    struct pithi_json json = {input->data, input->size, (size_t)skip_mark(input), NULL};
    int status;
    if (pithi_json_peek(&json) == '[') {
        /* Looks for an event with a phase among the first PROBE_EVENTS items of the array. Events of the Trace Event
         * Format have a phase, and so do its metadata, which may come first. */
        struct pithi_chrome_event event = {0};
        status = pithi_json_open(&json, '[');
        for (int i = 0; i < PROBE_EVENTS && status == PITHI_JSON_OK && !event.phase; i++)
            if ((status = pithi_json_item(&json, &first)) == PITHI_JSON_OK)
                status =
                    pithi_json_peek(&json) == '{' ? pithi_chrome_event(&json, &event) : pithi_json_value(&json, &value);
        return event.phase != 0;
    }
    status = pithi_json_open(&json, '{');
    while (status == PITHI_JSON_OK && (status = pithi_json_key(&json, &first, &key)) == PITHI_JSON_OK)
        if (pithi_json_is(&key, "traceEvents"))
            return pithi_json_peek(&json) == '[';
        else
            status = pithi_json_value(&json, &value);
    return 0;
}
