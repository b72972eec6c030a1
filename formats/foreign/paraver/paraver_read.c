/* paraver_read.c - Paraver to native records, in three passes over the .prv. The first finds the threads and checks the
 * order of times. The second sorts the receives by time, because the line of a message stands at the time of its send.
 * The third adds the records.
 *
 * The line of a message has its send and its receive. A native log does not say which send belongs to which receive;
 * Pith matches them by their order. So the reader numbers the receives of a task in the order of their sends, which is
 * the order of the lines. Then each receive matches the send of its own line.
 *
 *     3:...:1:1:...:9:9:...      sent at 1, received at 9       number 0
 *     3:...:2:2:...:5:5:...      sent at 2, received at 5       number 1: received first, but sent second
 *
 * Paraver allows times that go back from one line to the next. If a trace has any, the reader sorts the offsets of all
 * lines by time, on disk, and then reads the lines in this order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sorter.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/paraver/paraver.h"
#include "foreign/paraver/paraver_lanes.h"
#include "foreign/paraver/paraver_line.h"
#include "foreign/paraver/paraver_types.h"
#include "foreign/reading.h"

struct pair {
    int64_t type, value; /* of an event line: TYPE:VALUE */
};

struct paraver_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    size_t body, at, start;      /* offsets. body: first record; at: next line; start: this line */
    size_t size;                 /* bytes of the input, without a last line that was cut */
    size_t passed;               /* end of the memory of the input that was released so far (pithi_passed) */
    uint64_t line;               /* number of the line in the file, for error texts */
    int own, disorder, messages; /* own: 1: Pith wrote the trace; disorder: 1: times go back; messages: 1: the trace has
                                    messages */
    struct pithi_prv_header header;
    struct pithi_prv_labels labels;
    struct pithi_prv_rows rows;
    struct pithi_prv_types types;
    struct pithi_prv_lanes lanes;
    struct pithi_sorter *order;    /* if times go back: offset of each line, by time */
    struct pithi_sorter *received; /* receives, by time */
    uint64_t *got;                 /* [tasks]: number of the task's receives in the lines read so far */
    struct pithi_prv_comms comms;
    struct pair *pairs; /* the pairs of the current event line */
    uint32_t pair_count, pair_room;
    uint64_t payloads;             /* number of payloads that were left out */
    int64_t last_ns;               /* time of the last record */
    struct pithi_map function_map; /* (task, value) -> index in `functions` + 1 */
    struct function {
        uint32_t place, type; /* place: a lane of the task; type: index in types.known */
        int64_t value;        /* the value that stands for the function */
    } * functions;            /* [function_count]: the functions that occur in samples */
    uint32_t function_count, function_room;
    int64_t sample_sum_ns; /* sum of the times between samples of a thread */
    int64_t sample_count;  /* number of these times */
};

/* The receive of a message, in the sorter. */
struct end {
    uint32_t lane, comm;    /* lane: of the receiver; comm: communicator */
    int32_t peer, tag;      /* peer: rank of the sender; tag: tag of the message */
    uint64_t bytes, posted; /* `posted`: number of the receive among those of its task */
};

static int wrong_line(const struct paraver_reader *r, const char *what)
{
    if (r->order)
        return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: %s", r->input->path, (unsigned long long)r->start, what);
    return pithi_fail(PITH_ERR_DAMAGED, "%s: line %llu: %s", r->input->path, (unsigned long long)r->line, what);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Returns the length of the line at r->at, without its newline. */
static size_t line_size(const struct paraver_reader *r)
{
    const char *from = (const char *)r->input->data + r->at;
    const char *newline = memchr(from, '\n', r->size - r->at);
    return newline ? (size_t)(newline - from) : r->size - r->at;
}

static int32_t task_of(const struct paraver_reader *r, const struct pithi_prv_object *object)
{
    const struct pithi_prv_header *h = &r->header;
    if (object->app > h->app_count || object->task > h->first_task[object->app] - h->first_task[object->app - 1])
        return -1;
    return (int32_t)(h->first_task[object->app - 1] + object->task - 1);
}

static int time_fits(const struct paraver_reader *r, int64_t time)
{
    int64_t most = INT64_MAX / 4 / r->header.unit_ns;
    return time >= -most && time <= most;
}

/* Checks a record against the header. Changes its times to nanoseconds. Returns NULL, or what is wrong with the
 * record. */
static const char *settle_line(const struct paraver_reader *r, struct pithi_prv_line *line)
{
    if (task_of(r, &line->from) < 0 || (line->kind == PITHI_PRV_RECORD_MESSAGE && task_of(r, &line->to) < 0))
        return "the header has no such application or task";
    if (!time_fits(r, line->time) || !time_fits(r, line->end))
        return "a time beyond reason";
    line->time *= r->header.unit_ns;
    line->end *= r->header.unit_ns;
    return NULL;
}

/* Gets the next record of a kind, or of any kind if `kind` is 0. The records come in the order of time if r->order is
 * set, otherwise in the order of the file. Returns 1, or 0 at the end, or -1 on an error. */
static int next_line_of(struct paraver_reader *r, enum pithi_prv_kind kind, struct pithi_prv_line *line)
{
    const char *wrong = NULL;
    struct pithi_sorted item;
    int status = 0;
    while (status == 0) {
        if (r->order) {
            uint64_t at;
            if ((status = pithi_sorter_next(r->order, &item)) <= 0)
                return status;
            memcpy(&at, item.data, sizeof at);
            r->at = (size_t)at;
        } else if (r->at >= r->size) {
            return 0;
        }
        if (!pithi_input_at(r->input, r->at))
            return 0;
        pithi_passed(r->input, &r->passed, r->at);
        size_t size = line_size(r);
        r->start = r->at;
        r->line++;
        if (kind && size && r->input->data[r->at] != '0' + (int)kind) {
            r->at += size + 1;
            status = 0;
            continue;
        }
        status = pithi_prv_line((const char *)r->input->data + r->at, size, line, &wrong);
        if (status == 1 && (wrong = settle_line(r, line)))
            status = -1;
        r->at += size + 1;
    }
    if (status < 0)
        wrong_line(r, wrong);
    return status;
}

static int next_line(struct paraver_reader *r, struct pithi_prv_line *line) { return next_line_of(r, 0, line); }

static void rewind_lines(struct paraver_reader *r)
{
    r->at = r->body;
    r->line = 1;
}

/* ---- Before records ---------------------------------------------------------------------------------------------- */

/* Sorts the lines by time. */
static int order_lines(struct paraver_reader *r)
{
    struct pithi_prv_line line;
    struct pithi_sorter *order;
    int err = PITH_OK, status = 0;
    pithi_sorter_free(r->order);
    r->order = NULL;
    rewind_lines(r);
    CHECK(pithi_sorter_new(&order, PITHI_SORTER_BYTES));
    while (!err && (status = next_line(r, &line)) > 0) {
        uint64_t at = r->start;
        err = pithi_sorter_add(order, &(struct pithi_sort_key){{pithi_sort_time(line.time)}}, &at, sizeof at);
    }
    if (!err && status < 0)
        err = PITH_ERR_DAMAGED;
    if (!err)
        err = pithi_sorter_end(order);
    r->order = order;
    return err;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* In Paraver messages have no communicator. A message within an application gets the MPI_COMM_WORLD of that
 * application. */
static uint32_t comm_of(const struct paraver_reader *r, const struct pithi_prv_line *line)
{
    return line->from.app == line->to.app ? pithi_prv_comms_world(&r->comms, line->from.app) : 0;
}

/* Adds the receives that are not later than `time_ns`. */
static int add_arrivals(struct paraver_reader *r, int64_t time_ns)
{
    struct pithi_sorted arrival;
    struct end end;
    int status;
    while ((status = pithi_sorter_before(r->received, pithi_sort_time(time_ns), UINT64_MAX, &arrival)) == 1) {
        memcpy(&end, arrival.data, sizeof end);
        struct pithlog_record record = {.time_ns = pithi_sorted_time(&arrival),
                                        .lane = r->lanes.lanes[end.lane].number,
                                        .kind = PITHLOG_RECV,
                                        .comm = end.comm,
                                        .peer = end.peer,
                                        .tag = end.tag,
                                        .bytes = end.bytes,
                                        .posted = end.posted};
        CHECK(pithi_prv_lanes_until(&r->lanes, end.lane, record.time_ns));
        CHECK(pithi_writer_add(r->writer, &record));
    }
    return status < 0 ? PITH_ERR_IO : PITH_OK;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* An event line, whose pairs become records. */
struct event {
    uint32_t place, app;                /* place: the lane's index */
    struct pithlog_record record, coll; /* record: the time and the lane, to which each pair adds the rest of a record;
                                           coll: a collective, which several pairs describe together */
    int has_coll;                       /* 1: the line has a collective */
};

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* In a native log, a sample has the addresses of functions, and an event pith:code gives the name for a range of
 * addresses. A Paraver trace only has a value for each function. So each function gets an invented range of CODE_BYTES
 * addresses. DEPTHS is the most functions that a sample can have. */
enum { CODE_BYTES = 16, DEPTHS = PITHI_PRV_SAMPLED_END - PITHI_PRV_SAMPLED };

static int own_event(struct paraver_reader *r, const char *name, const char *format, uint32_t *id)
{
    return pithi_defs_add(pithi_writer_defs(r->writer),
                          &(struct pithlog_def){PITHLOG_EVENT_TYPE, name, "", "pith", format}, id);
}

/* Adds the functions of an event line as one sample. The CPU time of the sample is unknown. */
static int add_sample(struct paraver_reader *r, const struct event *e)
{
    unsigned char payload[8 * (DEPTHS + 1)], *end = pithi_put_be(payload, 0, 8);
    struct pithlog_record record = e->record;
    struct pithi_prv_lane *lane = &r->lanes.lanes[e->place];
    uint64_t address = 0;
    uint32_t type;

    for (uint32_t i = 0; i < r->pair_count; i++) {
        const struct pair *pair = &r->pairs[i];
        CHECK(pithi_prv_types_find(&r->types, pair->type, &type));
        if (r->types.known[type].meaning != PITHI_PRV_SAMPLES || pair->type >= PITHI_PRV_SAMPLED_END ||
            pair->value <= 0 || pair->value > INT32_MAX || end == payload + sizeof payload)
            continue;
        /* Each function of a task gets its addresses at its first use. */
        uint32_t task = r->lanes.lanes[e->place].task;
        uint64_t *at = pithi_map_at(&r->function_map, pithi_map_pair(task, (uint32_t)pair->value));
        if (!at || (*at == 0 && !pithi_grow(&r->functions, r->function_count, &r->function_room, sizeof *r->functions)))
            return pithi_no_memory();
        if (*at == 0) {
            r->functions[r->function_count++] = (struct function){e->place, type, pair->value};
            *at = r->function_count;
        }
        address = *at * CODE_BYTES + CODE_BYTES / 2;
        end = pithi_put_be(end, address, 8);
    }
    if (end == payload + 8) /* none of the pairs is a function */
        return PITH_OK;
    CHECK(own_event(r, "pith:sample", "cpu=%l", &record.id));
    CHECK(pithi_prv_lanes_until(&r->lanes, e->place, record.time_ns));
    r->sample_count += lane->has_sample;
    r->sample_sum_ns += lane->has_sample ? record.time_ns - lane->sample_ns : 0;
    lane->has_sample = 1;
    lane->sample_ns = record.time_ns;
    record.kind = PITHLOG_EVENT;
    record.payload = payload;
    record.payload_bytes = (uint32_t)(end - payload);
    return pithi_writer_add(r->writer, &record);
}

static int name_functions(struct paraver_reader *r)
{
    unsigned char payload[18 + 4096], *p;
    char period[24];
    uint32_t id;

    if (r->function_count == 0)
        return PITH_OK;
    snprintf(period, sizeof period, "%lld", (long long)(r->sample_sum_ns / (r->sample_count ? r->sample_count : 1)));
    if (r->sample_count > 0)
        CHECK(pithi_defs_property(pithi_writer_defs(r->writer), "sample_ns", period));
    CHECK(pithi_defs_property(pithi_writer_defs(r->writer), "sample_clock", "wall"));
    CHECK(own_event(r, "pith:code", "begin=%X end=%X name=%s", &id));
    for (uint32_t i = 0; i < r->function_count; i++) {
        const struct function *f = &r->functions[i];
        const struct pithi_prv_known *k = &r->types.known[f->type];
        const char *name = k->group == UINT32_MAX ? NULL : pithi_prv_value(&r->labels, k->group, f->value);
        char number[40];
        snprintf(number, sizeof number, "function %lld", (long long)f->value);
        name = name && *name ? name : number;
        size_t size = strnlen(name, 4096);
        p = pithi_put_be(payload, (i + (uint64_t)1) * CODE_BYTES, 8);
        p = pithi_put_be(p, (i + (uint64_t)2) * CODE_BYTES, 8);
        memcpy(pithi_put_be(p, size, 2), name, size);
        CHECK(pithi_writer_add(r->writer, &(struct pithlog_record){.time_ns = r->last_ns,
                                                                   .lane = r->lanes.lanes[f->place].number,
                                                                   .kind = PITHLOG_EVENT,
                                                                   .id = id,
                                                                   .peer = -1,
                                                                   .payload = payload,
                                                                   .payload_bytes = (uint32_t)(18 + size)}));
    }
    return PITH_OK;
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

static int add_special(struct paraver_reader *r, struct event *e, const struct pair *pair)
{
    struct pithlog_record record = e->record;
    switch (pair->type) {
    case PITHI_PRV_TRACING:
        record.kind = pair->value ? PITHLOG_RESUME : PITHLOG_PAUSE;
        break;
    case PITHI_PRV_COMM_MADE:
    case PITHI_PRV_COMM_FREED:
        record.kind = pair->type == PITHI_PRV_COMM_MADE ? PITHLOG_COMM_CREATE : PITHLOG_COMM_FREE;
        CHECK(pithi_prv_comms_find(&r->comms, e->app, pair->value, &record.comm));
        break;
    case PITHI_PRV_LOST:
        record.kind = PITHLOG_LOST;
        record.bytes = (uint64_t)pair->value;
        break;
    case PITHI_PRV_COLL_SENT:
        e->coll.bytes = (uint64_t)pair->value;
        break;
    case PITHI_PRV_COLL_GOT:
        e->coll.got_bytes = (uint64_t)pair->value;
        break;
    case PITHI_PRV_COLL_ROOT:
        if (pair->value && e->coll.peer < 0)
            e->coll.peer = r->lanes.ranks[r->lanes.lanes[e->place].task];
        break;
    case PITHI_PRV_ROOT:
        e->coll.peer = pair->value > 0 && pair->value <= INT32_MAX ? (int32_t)(pair->value - 1) : -1;
        break;
    case PITHI_PRV_COLL_COMM:
        CHECK(pithi_prv_comms_find(&r->comms, e->app, pair->value, &e->coll.comm));
        e->has_coll = pair->value > 0;
        break;
    default:
        break;
    }
    e->has_coll |= e->coll.bytes || e->coll.got_bytes;
    if (record.kind)
        CHECK(pithi_writer_add(r->writer, &record));
    return PITH_OK;
}

static int take_pair(struct paraver_reader *r, struct event *e, uint32_t i)
{
    const struct pair *pair = &r->pairs[i];
    const struct pithi_prv_known *known;
    uint32_t type, def;
    CHECK(pithi_prv_types_find(&r->types, pair->type, &type));
    known = &r->types.known[type];
    if (known->meaning == PITHI_PRV_SAMPLES)
        return PITH_OK;
    if (known->meaning == PITHI_PRV_CALLS || known->meaning == PITHI_PRV_PHASES) {
        if (pair->value == 0)
            return PITH_OK;
        CHECK(pithi_prv_types_state(&r->types, type, pair->value, &def));
        return pithi_prv_lanes_enter(&r->lanes, e->place, type, def, known->meaning == PITHI_PRV_PHASES,
                                     e->record.time_ns);
    }
    CHECK(pithi_prv_lanes_until(&r->lanes, e->place, e->record.time_ns));
    switch (known->meaning) {
    case PITHI_PRV_COUNTERS: {
        /* The pair has only the integer part of the counter's value. In traces that Pith wrote, the next pair may have
         * the bits of the whole value as a double. */
        struct pithlog_record record = e->record;
        const struct pair *bits = &r->pairs[i + 1];
        record.kind = PITHLOG_COUNTER;
        record.id = r->types.known[type].def;
        record.value = (double)r->pairs[i].value;
        if (r->own && i + 1 < r->pair_count && /* subtracts unsigned, because types in a damaged file might overflow */
            (uint64_t)bits->type - PITHI_PRV_COUNTER_BITS == (uint64_t)r->pairs[i].type - PITHI_PRV_COUNTER)
            memcpy(&record.value, &bits->value, sizeof record.value);
        return pithi_writer_add(r->writer, &record);
    }
    case PITHI_PRV_SPECIAL:
        return add_special(r, e, pair);
    default: {
        struct pithlog_record record = e->record;
        size_t size;
        unsigned char *payload = pithi_prv_types_payload(&r->types, type, pair->value, &size);
        r->payloads += !payload && size;
        record.kind = PITHLOG_EVENT;
        record.id = r->types.known[type].def;
        record.payload = payload;
        record.payload_bytes = payload ? (uint32_t)size : 0;
        int err = pithi_writer_add(r->writer, &record);
        free(payload);
        return err;
    }
    }
    return PITH_OK;
}

static int add_event(struct paraver_reader *r, uint32_t place, struct pithi_prv_line *line)
{
    struct event e = {.place = place,
                      .app = line->from.app,
                      .record = {.time_ns = line->time, .lane = r->lanes.lanes[place].number, .peer = -1}};
    e.coll = e.record;
    e.coll.kind = PITHLOG_COLL;
    struct pair pair;
    int status;
    r->pair_count = 0;
    while ((status = pithi_prv_pair(line, &pair.type, &pair.value)) == 1) {
        if (!pithi_grow(&r->pairs, r->pair_count, &r->pair_room, sizeof *r->pairs))
            return pithi_no_memory();
        r->pairs[r->pair_count++] = pair;
    }
    CHECK(status < 0 ? wrong_line(r, "an event has types and values, with ':' between") : PITH_OK);
    /* Leaves the states that the line ends, from its last pair to its first, because the state that was entered last
     * must be left first. */
    uint32_t type;
    for (uint32_t i = r->pair_count; i-- > 0;) {
        CHECK(pithi_prv_types_find(&r->types, r->pairs[i].type, &type));
        if (r->types.known[type].meaning <= PITHI_PRV_PHASES && r->pairs[i].value == 0)
            CHECK(pithi_prv_lanes_leave(&r->lanes, e.place, type, e.record.time_ns));
    }
    for (uint32_t i = 0; i < r->pair_count; i++)
        CHECK(take_pair(r, &e, i));
    CHECK(add_sample(r, &e));
    if (e.has_coll && !e.coll.comm)
        e.coll.comm = pithi_prv_comms_world(&r->comms, e.app);
    return e.has_coll ? pithi_writer_add(r->writer, &e.coll) : PITH_OK;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int add_line(struct paraver_reader *r, struct pithi_prv_line *line)
{
    uint32_t place = pithi_prv_lanes_find(&r->lanes, (uint32_t)task_of(r, &line->from), line->from.thread), def;
    CHECK(add_arrivals(r, line->time));
    if (line->kind == PITHI_PRV_RECORD_EVENT)
        return add_event(r, place, line);
    if (line->kind == PITHI_PRV_RECORD_MESSAGE) {
        CHECK(pithi_prv_lanes_until(&r->lanes, place, line->time));
        return pithi_writer_add(r->writer, &(struct pithlog_record){.time_ns = line->time,
                                                                    .lane = r->lanes.lanes[place].number,
                                                                    .kind = PITHLOG_SEND,
                                                                    .comm = comm_of(r, line),
                                                                    .peer = r->lanes.ranks[task_of(r, &line->to)],
                                                                    .tag = (int32_t)line->state,
                                                                    .bytes = line->bytes});
    }
    if (line->kind == PITHI_PRV_RECORD_COLLECTIVE) {
        /* Such a record occurs only in old traces. */
        struct pithlog_record record = {.time_ns = line->time,
                                        .lane = r->lanes.lanes[place].number,
                                        .kind = PITHLOG_COLL,
                                        .peer = line->is_root ? r->lanes.ranks[task_of(r, &line->from)] : -1,
                                        .bytes = line->bytes,
                                        .got_bytes = line->got_bytes};
        CHECK(pithi_prv_comms_find(&r->comms, line->from.app, line->state, &record.comm));
        if (!record.comm)
            record.comm = pithi_prv_comms_world(&r->comms, line->from.app);
        CHECK(pithi_prv_lanes_until(&r->lanes, place, line->time));
        return pithi_writer_add(r->writer, &record);
    }
    if (r->own)
        return PITH_OK;
    CHECK(pithi_prv_types_record(&r->types, line->state, &def));
    return pithi_prv_lanes_state(&r->lanes, place, def, line->time, line->end);
}

/* ---- Cut files --------------------------------------------------------------------------------------------------- */

static int has_line(const struct paraver_reader *r, size_t at, const char *line)
{
    size_t size = strlen(line);
    return at <= r->size && r->size - at > size && memcmp(r->input->data + at, line, size) == 0 &&
           r->input->data[at + size] == '\n';
}

int pithi_paraver_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct paraver_reader r = {.input = input,
                               .size = pithi_whole_lines(input),
                               .writer = writer,
                               .lanes.writer = writer,
                               .last_ns = INT64_MIN};
    int err;

    size_t header_size = line_size(&r), mark = strlen(PITHI_PRV_MARK);
    const char *text = (const char *)input->data, *wrong;
    if (header_size > 0 && text[header_size - 1] == '\r')
        wrong = pithi_prv_header(&r.header, text, header_size - 1);
    else
        wrong = pithi_prv_header(&r.header, text, header_size);
    r.line = 1;
    if (wrong)
        TRY(wrong_line(&r, wrong));
    r.body = header_size + 1 < r.size ? header_size + 1 : r.size;
    r.own = r.size - r.body > mark && memcmp(text + r.body, PITHI_PRV_MARK "\n", mark + 1) == 0;
    rewind_lines(&r);

    /* Reads the labels of the .pcf and the .row. These files may be missing. */
    size_t beside_size;
    char *data = pithi_prv_beside(input->path, "pcf", &beside_size);
    if (!pithi_prv_labels_open(&r.labels, data, beside_size))
        TRY(pithi_no_memory());
    data = pithi_prv_beside(input->path, "row", &beside_size);
    if (!pithi_prv_rows_open(&r.rows, data, beside_size))
        TRY(pithi_no_memory());
    TRY(pithi_prv_types_open(&r.types, &r.labels, pithi_writer_defs(writer), r.own));
    TRY(*r.header.date ? pithi_defs_property(pithi_writer_defs(writer), "paraver_date", r.header.date) : PITH_OK);
    size_t at = r.body + strlen(PITHI_PRV_MARK "\n" PITHI_PRV_PROMISE "\n" PITHI_PRV_SAMPLING);
    if (r.own && at < r.size) {
        const char *end = memchr(text + at, '\n', r.size - at);
        TRY(pithi_sampling_read(writer, text + at, end ? (size_t)(end - text) - at : 0));
    }

    /* The first pass finds the threads and checks the order of times. */
    struct pithi_prv_line line;
    int64_t last = INT64_MIN;
    int status, ok = 1;
    while (ok && (status = next_line(&r, &line)) > 0) {
        r.disorder |= line.time < last;
        r.messages |= line.kind == PITHI_PRV_RECORD_MESSAGE;
        last = line.time;
        r.last_ns = line.time > r.last_ns ? line.time : r.last_ns;
        r.last_ns = line.end > r.last_ns ? line.end : r.last_ns;
        ok = pithi_prv_lanes_use(&r.lanes, (uint32_t)task_of(&r, &line.from), line.from.thread) &&
             (line.kind != PITHI_PRV_RECORD_MESSAGE ||
              pithi_prv_lanes_use(&r.lanes, (uint32_t)task_of(&r, &line.to), line.to.thread));
    }
    rewind_lines(&r);
    TRY(!ok ? pithi_no_memory() : status < 0 ? PITH_ERR_DAMAGED : PITH_OK);
    TRY(pithi_prv_lanes_make(&r.lanes, &r.header, &r.rows, r.own));

    /* Reads the lines of communicators, which precede all records. */
    r.comms = (struct pithi_prv_comms){writer, &r.labels, &r.header, r.lanes.ranks, r.own, {0}, NULL};
    if (!r.own && r.header.app_count > 1 &&
        !(r.comms.worlds = calloc(r.header.app_count + (size_t)1, sizeof *r.comms.worlds)))
        TRY(pithi_no_memory());
    rewind_lines(&r);
    while (!err && r.at < r.size) {
        size_t size = line_size(&r);
        text = (const char *)input->data + r.at;
        if (size && *text >= '1' && *text <= '9')
            break;
        if (size > 2 && (*text == 'c' || *text == 'C') && text[1] == ':')
            err = pithi_prv_comms_line(&r.comms, text + 2, text + size - (text[size - 1] == '\r'));
        r.at += size + 1;
    }
    rewind_lines(&r);
    TRY(err ? err : pithi_prv_comms_worlds(&r.comms));

    if (r.disorder)
        TRY(order_lines(&r));

    /* The second pass sorts the receives by time. It numbers the receives of each task in the order of their sends, so
     * that each receive matches the send of its own line. */
    status = 0;
    TRY(pithi_sorter_new(&r.received, PITHI_SORTER_BYTES));
    if (!(r.got = calloc(r.header.task_count + (size_t)1, sizeof *r.got)))
        TRY(pithi_no_memory());
    while (r.messages && (status = next_line_of(&r, PITHI_PRV_RECORD_MESSAGE, &line)) > 0) {
        uint32_t task = (uint32_t)task_of(&r, &line.to);
        struct end end = {.lane = pithi_prv_lanes_find(&r.lanes, task, line.to.thread),
                          .comm = comm_of(&r, &line),
                          .peer = r.lanes.ranks[task_of(&r, &line.from)],
                          .tag = (int32_t)line.state,
                          .bytes = line.bytes,
                          .posted = r.got[task]++};
        TRY(pithi_sorter_add(r.received, &(struct pithi_sort_key){{pithi_sort_time(line.end)}}, &end, sizeof end));
    }
    rewind_lines(&r);
    TRY(status < 0 ? PITH_ERR_DAMAGED : pithi_sorter_end(r.received));

    if (r.disorder)
        TRY(order_lines(&r));
    /* The third pass: adds the records. */
    while ((status = next_line(&r, &line)) > 0)
        TRY(add_line(&r, &line));
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(add_arrivals(&r, INT64_MAX));
    TRY(pithi_prv_lanes_end(&r.lanes));
    TRY(name_functions(&r));
    TRY(pithi_say_count(writer, "paraver_states_cut", r.lanes.cut));
    TRY(pithi_say_count(writer, "paraver_ends_without_state", r.lanes.ends_alone));
    TRY(pithi_say_count(writer, "paraver_payloads_left_out", r.payloads));

    /* Marks the log as incomplete if the file was cut. A trace that Pith wrote was cut if its last line is not
     * PITHI_PRV_END. Another trace was cut if its last record is earlier than the header says. */
    size_t end = r.size - (r.size > strlen(PITHI_PRV_END) ? strlen(PITHI_PRV_END "\n") : r.size);
    int promised = r.own && has_line(&r, r.body + strlen(PITHI_PRV_MARK "\n"), PITHI_PRV_PROMISE);
    if (pithi_ends_in_line(r.input))
        TRY(pithi_ends_here(writer, r.input, "inside a line"));
    else if (promised && !has_line(&r, end, PITHI_PRV_END))
        TRY(pithi_ends_here(writer, r.input, "without the line \"" PITHI_PRV_END "\" that it promises"));
    else if (!promised && r.last_ns == INT64_MIN)
        TRY(pithi_ends_here(writer, r.input, "before the first record"));
    else if (!r.own && time_fits(&r, r.header.end) && r.last_ns < r.header.end * r.header.unit_ns)
        TRY(pithi_incomplete(pithi_writer_defs(writer),
                             "the last record is %.9f s before the end that the header states",
                             (double)(r.header.end * r.header.unit_ns - r.last_ns) / 1e9));

out:
    pithi_sorter_free(r.order);
    pithi_sorter_free(r.received);
    pithi_prv_types_close(&r.types);
    pithi_prv_lanes_close(&r.lanes);
    pithi_prv_rows_close(&r.rows);
    pithi_prv_labels_close(&r.labels);
    pithi_prv_header_free(&r.header);
    pithi_map_free(&r.comms.known);
    pithi_map_free(&r.function_map);
    free(r.comms.worlds);
    free(r.functions);
    free(r.pairs);
    free(r.got);
    return err;
}

int pithi_paraver_probe(const struct pithi_input *input)
{
    static const char begin[] = "#Paraver (";
    return input->data && input->size > sizeof begin && memcmp(input->data, begin, sizeof begin - 1) == 0;
}
