/* clog1_read.c - turns a CLOG file into native records, in two passes. The first pass reads the definitions, because
 * MPE writes the definitions of MPI's states last, and checks whether times decrease. The second pass makes the
 * records. The state k of MPI has the events 2k + 1 and 2k + 2, so event 162 ends state 80, even if the file was cut
 * before its definitions.
 */
#include "foreign/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/clog1/clog1_file.h"
#include "foreign/clog2/clog2_layout.h"
#include "foreign/names.h"
#include "foreign/reading.h"

/* Numbers of RAW events with a special meaning. SEND: MPE_Log_send; RECV: MPE_Log_receive; CONSTANT: a constant of
 * MPI. */
enum { SEND = -101, RECV = -102, CONSTANT = -201 };
/* Kinds of communicator records. INIT creates the world, FREE frees a communicator. All other kinds create a
 * communicator, as MPI_Comm_dup does. */
enum { COMM_INIT = 101, COMM_FREE = 106 };

struct clog1_reader {
    struct pithi_clog1_file file;
    struct pithi_clog_cursor end; /* the cursor at the end of the first pass */
    struct pithi_writer *writer;
    struct pithi_clog1_events events;
    struct pithi_map last_of; /* process -> last time, mapped to unsigned */
    struct pithi_map lane_of; /* process -> lane + 1 */
    struct pithi_map comm_of; /* number of a communicator -> index + 1 */
    struct pithi_reorder reorder;
    int disorder; /* 1: the times of a process decrease */
    /* Counts for properties of the log. locations: records of places in the program; no_partner, no_size: messages
     * without a partner, without a size */
    uint64_t locations, no_partner, no_size;
};

int pithi_clog1_probe(const struct pithi_input *input)
{
    struct pithi_clog1_file file;
    return pithi_clog1_file_open(&file, input);
}

static int32_t field(const struct clog1_reader *r, const unsigned char *body, int number)
{
    return pithi_clog2_i32(body + 4 * number, r->file.big);
}

/* ---- Records --------------------------------------------------------------------------------------------------- */

static int lane_of(struct clog1_reader *r, int32_t process, uint32_t *lane)
{
    uint64_t *known = pithi_map_at(&r->lane_of, (uint32_t)process);

    if (!known)
        return pithi_no_memory();
    if (!*known) {
        CHECK(pithi_writer_lane(r->writer, process, 0, NULL, lane));
        *known = (uint64_t)*lane + 1;
    }
    *lane = (uint32_t)*known - 1;
    return PITH_OK;
}

static struct pithlog_record info_of(const struct pithlog_record *record, uint32_t id, const void *payload,
                                     uint32_t size)
{
    struct pithlog_record info = *record;

    info.kind = PITHLOG_EVENT;
    info.id = id;
    info.payload = payload;
    info.payload_bytes = size;
    return info;
}

/* Finds the meaning of the event number in `body` and sets *settled to its entry. The pointer is valid until the next
 * event number is looked up. */
static int settle(struct clog1_reader *r, const unsigned char *body, struct pithi_clog1_event **settled)
{
    *settled = pithi_clog1_event(&r->events, field(r, body, 0));
    return *settled ? pithi_clog1_settle(&r->events, *settled) : pithi_no_memory();
}

/* Makes a payload from a RAW record: its data if `data` is 1, then its string if `string` is 1. Returns the size of the
 * payload. */
static uint32_t pack(const struct clog1_reader *r, const unsigned char *body, unsigned char out[64], int data,
                     int string)
{
    size_t length = strnlen((const char *)body + 16, PITHI_CLOG1_STRING);
    unsigned char *at = out;

    if (data)
        at = pithi_put_be(at, (uint32_t)field(r, body, 1), 4);
    if (string)
        at = (unsigned char *)memcpy(pithi_put_be(at, length, 2), body + 16, length) + length;
    return (uint32_t)(at - out);
}

static int add(struct clog1_reader *r, const struct pithi_clog1_record *from)
{
    struct pithlog_record record = {.time_ns = from->time_ns, .peer = -1};

    CHECK(lane_of(r, from->process, &record.lane));
    switch (from->type) {
    case PITHI_CLOG1_RAW: {
        /* A RAW record may have data and a text. If the record begins or ends a state, a text becomes an event inside
         * the state. Data without a text are left out then, because MPE's wrapper only counts calls with them. */
        struct pithi_clog1_event *event;
        unsigned char payload[64];
        int32_t number = field(r, from->body, 0);
        uint32_t id;

        if (number == CONSTANT)
            return PITH_OK;
        if (number == SEND || number == RECV) {
            /* A message of MPE_Log_send(partner, tag, size): the string has "TAG SIZE". */
            char text[PITHI_CLOG1_STRING + 1] = "", *at;
            memcpy(text, from->body + 16, PITHI_CLOG1_STRING);
            long long tag = strtoll(text, &at, 10), size = strtoll(at, NULL, 10);
            record.peer = field(r, from->body, 1);
            if (record.peer < 0 || record.peer >= PITHI_CLOG1_RANKS_MAX) {
                r->no_partner++;
                return PITH_OK;
            }
            r->no_size += at == text;
            record.kind = field(r, from->body, 0) == SEND ? PITHLOG_SEND : PITHLOG_RECV;
            record.posted = record.kind == PITHLOG_RECV ? record.lane : 0;
            record.tag = tag < INT32_MIN || tag > INT32_MAX ? 0 : (int32_t)tag;
            record.bytes = size < 0 ? 0 : (uint64_t)size;
            return pithi_reorder_add(&r->reorder, &record);
        }
        CHECK(settle(r, from->body, &event));
        if (event->solo) {
            uint32_t size = pack(r, from->body, payload, event->has_data || event->has_string, event->has_string);
            struct pithlog_record solo = info_of(&record, event->solo - 1, payload, size);
            return pithi_reorder_add(&r->reorder, &solo);
        }
        if (from->body[16] == 0)
            return pithi_reorder_states(&r->reorder, &record, event->ends, event->starts, NULL);
        CHECK(pithi_clog1_raw_type(&r->events, event, &id));
        struct pithlog_record info = info_of(&record, id, payload, pack(r, from->body, payload, 1, 1));
        return pithi_reorder_states(&r->reorder, &record, event->ends, event->starts, &info);
    }
    case PITHI_CLOG1_MESSAGE: {
        /* The record does not say whether the message was sent or received, so it becomes an event with the known
         * values. */
        struct pithi_clog1_event *event;
        unsigned char payload[16];
        uint32_t id;
        CHECK(settle(r, from->body, &event));
        CHECK(pithi_clog1_message_type(&r->events, event, &id));
        for (int i = 0; i < 4; i++)
            pithi_put_be(payload + 4 * i, (uint32_t)field(r, from->body, 1 + i), 4);
        struct pithlog_record info = info_of(&record, id, payload, sizeof payload);
        return pithi_reorder_states(&r->reorder, &record, event->ends, event->starts, &info);
    }
    case PITHI_CLOG1_COLLECTIVE: {
        /* The record begins or ends the state of a collective. The collective itself is added only at the begin, so
         * that it is not added twice. */
        struct pithi_clog1_event *event;
        uint64_t *comm = pithi_map_find(&r->comm_of, (uint32_t)field(r, from->body, 2));
        int32_t root = field(r, from->body, 1), size = field(r, from->body, 3);

        CHECK(settle(r, from->body, &event));
        if (event->solo) {
            struct pithlog_record solo = info_of(&record, event->solo - 1, NULL, 0);
            CHECK(pithi_reorder_add(&r->reorder, &solo));
        }
        CHECK(pithi_reorder_states(&r->reorder, &record, event->ends, event->starts, NULL));
        if (event->ends && !event->starts)
            return PITH_OK;
        record.kind = PITHLOG_COLL;
        record.id = 0;
        record.comm = comm ? (uint32_t)*comm - 1 : 0;
        record.peer = root >= 0 && root < PITHI_CLOG1_RANKS_MAX ? root : -1;
        record.bytes = size < 0 ? 0 : (uint64_t)size;
        return pithi_reorder_add(&r->reorder, &record);
    }
    case PITHI_CLOG1_COMM: {
        int32_t kind = field(r, from->body, 0), parent = field(r, from->body, 1), number = field(r, from->body, 2);

        if (kind == COMM_FREE && !pithi_map_find(&r->comm_of, (uint32_t)number))
            number = parent;
        /* Defines the communicator when its number is first seen. Its members are unknown, because the file does not
         * contain them. */
        int is_world = kind == COMM_INIT;
        uint64_t *known = pithi_map_at(&r->comm_of, (uint32_t)number);
        char name[32];
        struct pithlog_comm comm = {.key = UINT64_C(0x434c4f4700000000) | (uint32_t)number, .name = name};
        if (!known)
            return pithi_no_memory();
        snprintf(name, sizeof name, "communicator %d", (int)number);
        if (!*known && !is_world)
            CHECK(pithi_writer_comm(r->writer, &comm, &record.comm));
        if (!*known)
            *known = is_world ? 1 : (uint64_t)record.comm + 1;
        record.comm = (uint32_t)*known - 1;
        record.kind = kind == COMM_FREE ? PITHLOG_COMM_FREE : PITHLOG_COMM_CREATE;
        return pithi_reorder_add(&r->reorder, &record);
    }
    case PITHI_CLOG1_TIMESHIFT: {
        struct pithlog_def def = {PITHLOG_COUNTER_TYPE, PITHI_CLOG2_SHIFT, "", "clock", "s"};
        CHECK(pithi_defs_add(pithi_writer_defs(r->writer), &def, &record.id));
        record.kind = PITHLOG_COUNTER;
        record.value = pithi_clog2_f64(from->body, r->file.big);
        return pithi_reorder_add(&r->reorder, &record);
    }
    default:
        break;
    }
    return PITH_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

int pithi_clog1_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct clog1_reader r = {.writer = writer,
                             .events = {.defs = pithi_writer_defs(writer)},
                             .reorder = {.writer = writer, .counts_receives = 1}};
    struct pithi_clog_cursor cursor = {0};
    struct pithi_clog1_record record;
    int err;

    if (!pithi_clog1_file_open(&r.file, input))
        return pithi_fail(PITH_ERR_DAMAGED, "%s: byte 0: no record of CLOG stands here; the file is damaged",
                          input->path);
    /* The first pass reads definitions, and finds out whether times decrease. */
    while (pithi_clog1_next(&r.file, &r.end, &record)) {
        char name[PITHI_CLOG1_STRING], value[16];
        uint64_t time = (uint64_t)record.time_ns + (UINT64_C(1) << 63);
        uint64_t *last = r.disorder ? &time : pithi_map_at(&r.last_of, (uint32_t)record.process);
        if (!last)
            TRY(pithi_no_memory());
        r.disorder |= time < *last;
        *last = time;
        switch (record.type) {
        case PITHI_CLOG1_EVENTDEF:
            TRY(pithi_clog1_take_event(&r.events, record.body, r.file.big));
            break;
        case PITHI_CLOG1_STATEDEF:
            TRY(pithi_clog1_take_state(&r.events, record.body, r.file.big));
            break;
        case PITHI_CLOG1_SRCLOC:
            r.locations++;
            break;
        case PITHI_CLOG1_RAW:
            if (field(&r, record.body, 0) != CONSTANT) {
                TRY(pithi_clog1_see_raw(&r.events, record.body, r.file.big));
                break;
            }
            pithi_name_cut(name, sizeof name, (const char *)record.body + 16,
                           strnlen((const char *)record.body + 16, PITHI_CLOG1_STRING));
            snprintf(value, sizeof value, "%d", (int)field(&r, record.body, 1));
            if (name[0])
                TRY(pithi_defs_property(pithi_writer_defs(writer), name, value));
            break;
        default:
            break;
        }
    }
    if (r.end.damaged && !r.end.records)
        TRY(pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: no record can be read from here on; the file is damaged",
                       r.file.blocks.input->path, r.end.first_damage));
    r.reorder.is_needed = r.disorder;
    while (pithi_clog1_next(&r.file, &cursor, &record))
        TRY(add(&r, &record));
    TRY(pithi_reorder_end(&r.reorder));
    /* Properties of the log say which records are missing or were skipped. */
    if (!r.end.ended)
        TRY(pithi_ends_here(r.writer, r.file.blocks.input, "without the record that ends a log"));
    if (r.end.damaged)
        TRY(pithi_incomplete(r.events.defs, "byte %zu: damaged here: records are missing (places: %" PRIu64 ")",
                             r.end.first_damage, r.end.damaged));
    TRY(pithi_say_count(r.writer, "clog1_block_bytes", r.file.blocks.size));
    TRY(pithi_say_count(r.writer, "clog1_source_locations_left_out", r.locations));
    TRY(pithi_say_count(r.writer, "clog1_messages_without_partner", r.no_partner));
    TRY(pithi_say_count(r.writer, "clog1_messages_without_size", r.no_size));
    TRY(pithi_say_count(r.writer, "clog1_late_records", r.reorder.late));
out:
    pithi_clog1_events_free(&r.events);
    pithi_map_free(&r.last_of);
    pithi_map_free(&r.lane_of);
    pithi_map_free(&r.comm_of);
    pithi_reorder_free(&r.reorder);
    return err;
}
