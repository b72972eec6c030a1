/* clog2_read.c - recognises CLOG-2 files and turns their records into native records (second pass).
 *
 *     BAREEVT 600 at 0, 601 at 50 us            enter and leave the state whose events are 600 and 601
 *     CARGOEVT 600 at 0 with 32 bytes           enter the state; in it the event "NAME info" with the bytes
 *     MSGEVT -101 at 50 us, rank 0 to 1         a send; -102: a receive
 *     COMMEVT                                   a communicator is made or freed, unless is_implied() returns 1
 *
 * If one number ends a state and begins another, the leave comes before the enter.
 */
#include "foreign/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "foreign/clog2/clog2_scan.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "native/event_numbers.h"

struct reader {
    struct pithi_clog2_scan scan;
    struct pithi_writer *writer;
    struct pithi_reorder reorder;
    uint32_t shift_counter;                  /* counter + 1 */
    uint64_t no_line, no_partner, locations; /* Counts that become properties of the log. no_line: records whose rank is
                                                unknown; no_partner: messages without a partner; locations: records of
                                                places in the program */
};

int pithi_clog2_probe(const struct pithi_input *input)
{
    return input->data && input->size >= 8 && memcmp(input->data, "CLOG-02.", 8) == 0;
}

/* ---- Records --------------------------------------------------------------------------------------------------- */

/* Makes `record` an event of definition `id` that holds the payload in `cargo`, if there is one. */
static void set_payload(struct reader *reader, uint32_t id, const unsigned char *cargo, struct pithlog_record *record)
{
    record->kind = PITHLOG_EVENT;
    record->id = id;
    if (cargo) {
        const struct pithlog_def *def = pithi_defs_get(pithi_writer_defs(reader->writer), id);
        record->payload = cargo;
        record->payload_bytes = pithi_cargo_size(def->format, cargo);
    }
}

/* Returns 1 if the record does not come from the program. Such records belong to the groups of an intercommunicator, or
 * were added by the Pith writer. */
static int is_implied(const struct pithi_clog2_comm *comm, int32_t type, const unsigned char *body)
{
    const unsigned char *uuid = body + 16;

    return (comm && comm->inter >= 0 && type != PITHI_CLOG2_INTER) ||
           (type == PITHI_CLOG2_WORLD && pithi_clog2_is_marked(uuid, PITHI_CLOG2_MARK_WORLD)) ||
           (type == PITHI_CLOG2_SELF && pithi_clog2_is_marked(uuid, PITHI_CLOG2_MARK_HOST));
}

static int add(struct reader *reader, const struct pithi_clog2_record *from)
{
    struct pithlog_record record = {.time_ns = from->time_ns, .peer = -1};
    struct pithi_clog2_track *track;

    if (from->type == PITHI_CLOG2_STATEDEF || from->type == PITHI_CLOG2_EVENTDEF ||
        from->type == PITHI_CLOG2_CONSTDEF ||
        pithi_clog2_is_made(reader->scan.made, from->type, pithi_clog2_i32(from->body, reader->scan.file.big)))
        return PITH_OK;
    /* A record that frees a communicator has no rank in its body, so the rank in its header is used. */
    int32_t world = -1;
    if (from->type == PITHI_CLOG2_COMMEVT && pithi_clog2_i32(from->body, reader->scan.file.big) != PITHI_CLOG2_FREE)
        world = pithi_clog2_i32(from->body + 12, reader->scan.file.big);
    CHECK(world >= 0 && world < PITHI_CLOG2_RANKS_MAX ? pithi_clog2_track_of(&reader->scan, world, from->thread, &track)
                                                      : pithi_clog2_track(&reader->scan, from, &track));
    if (!track) {
        reader->no_line++;
        return PITH_OK;
    }
    if (!track->lane) {
        uint32_t lane;
        CHECK(pithi_writer_lane(reader->writer, track->rank, (uint32_t)track->thread, NULL, &lane));
        track->lane = lane + 1;
    }
    record.lane = track->lane - 1;
    switch (from->type) {
    case PITHI_CLOG2_BAREEVT:
    case PITHI_CLOG2_CARGOEVT: {
        /* The payload of a state's start or end becomes a separate event inside the state. */
        const unsigned char *cargo = from->type == PITHI_CLOG2_CARGOEVT ? from->body + 8 : NULL;
        struct pithi_clog2_event *event =
            pithi_clog2_event(&reader->scan, pithi_clog2_i32(from->body, reader->scan.file.big));
        uint32_t id;

        if (!event)
            return pithi_no_memory();
        CHECK(pithi_clog2_comm_index(&reader->scan, from->comm, &record.comm));
        if (event->solo) {
            set_payload(reader, event->solo - 1, cargo, &record);
            return pithi_reorder_add(&reader->reorder, &record);
        }
        if (!cargo)
            return pithi_reorder_states(&reader->reorder, &record, event->ends, event->starts, NULL);
        struct pithlog_record info = record;
        CHECK(pithi_clog2_info_event(&reader->scan, event, &id));
        set_payload(reader, id, cargo, &info);
        return pithi_reorder_states(&reader->reorder, &record, event->ends, event->starts, &info);
    }
    case PITHI_CLOG2_MSGEVT: {
        int big = reader->scan.file.big;
        int32_t type = pithi_clog2_i32(from->body, big), remote = pithi_clog2_i32(from->body + 4, big);
        int32_t size = pithi_clog2_i32(from->body + 16, big);

        record.peer = pithi_clog2_world_rank(&reader->scan, remote, pithi_clog2_i32(from->body + 8, big));
        if (record.peer < 0 || (type != PITHI_CLOG2_SEND && type != PITHI_CLOG2_RECV)) {
            reader->no_partner++;
            return PITH_OK;
        }
        /* if the message is in a group of an intercommunicator, `comm` becomes the intercommunicator */
        CHECK(pithi_clog2_comm_index(&reader->scan, from->comm, &record.comm));
        record.kind = type == PITHI_CLOG2_SEND ? PITHLOG_SEND : PITHLOG_RECV;
        record.tag = pithi_clog2_i32(from->body + 12, big);
        record.bytes = size < 0 ? 0 : (uint64_t)size;
        record.posted =
            type == PITHI_CLOG2_RECV ? (uint32_t)pithi_clog2_world_rank(&reader->scan, from->comm, from->rank) : 0;
        return pithi_reorder_add(&reader->reorder, &record);
    }
    case PITHI_CLOG2_COMMEVT: {
        int big = reader->scan.file.big;
        int32_t type = pithi_clog2_i32(from->body, big), number = pithi_clog2_i32(from->body + 4, big);
        if (type == PITHI_CLOG2_FREE)
            number = from->comm;
        else if (is_implied(pithi_clog2_comm(&reader->scan, number), type, from->body))
            return PITH_OK;
        CHECK(pithi_clog2_comm_index(&reader->scan, number, &record.comm));
        record.kind = type == PITHI_CLOG2_FREE ? PITHLOG_COMM_FREE : PITHLOG_COMM_CREATE;
        return pithi_reorder_add(&reader->reorder, &record);
    }
    case PITHI_CLOG2_COLLEVT: {
        int big = reader->scan.file.big;
        int32_t size = pithi_clog2_i32(from->body + 8, big);
        CHECK(pithi_clog2_comm_index(&reader->scan, from->comm, &record.comm));
        record.kind = PITHLOG_COLL;
        record.peer = pithi_clog2_world_rank(&reader->scan, from->comm, pithi_clog2_i32(from->body + 4, big));
        record.bytes = size < 0 ? 0 : (uint64_t)size;
        return pithi_reorder_add(&reader->reorder, &record);
    }
    case PITHI_CLOG2_TIMESHIFT: {
        /* Clock corrections become a counter: the offset of the clock over time. */
        struct pithlog_def def = {
            .kind = PITHLOG_COUNTER_TYPE, .name = PITHI_CLOG2_SHIFT, .group = "clock", .format = "s"};
        if (!reader->shift_counter) {
            CHECK(pithi_defs_add(pithi_writer_defs(reader->writer), &def, &reader->shift_counter));
            reader->shift_counter++;
        }
        record.kind = PITHLOG_COUNTER;
        record.id = reader->shift_counter - 1;
        record.value = pithi_clog2_f64(from->body, reader->scan.file.big);
        return pithi_reorder_add(&reader->reorder, &record);
    }
    default:
        reader->locations++;
    }
    return PITH_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

int pithi_clog2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct reader reader = {.writer = writer, .reorder = {.writer = writer, .counts_receives = 1}};
    struct pithi_clog_cursor cursor = {0};
    struct pithi_clog2_record record;
    int err;

    TRY(pithi_clog2_scan(&reader.scan, input, writer));
    reader.reorder.is_needed = reader.scan.disorder;
    /* The uuid of an MPI_COMM_SELF contains the name of the processor on which it was made. */
    const size_t size = PITHI_CLOG2_UUID - PITHI_CLOG2_UUID_NAME;
    char host[32];
    for (uint32_t i = 0; i < reader.scan.comm_count; i++) {
        const struct pithi_clog2_comm *comm = &reader.scan.comms[i];
        struct pithi_rank rank = {pithi_clog2_world_rank(&reader.scan, comm->number, 0), host, 0, 0};
        const char *name = (const char *)comm->uuid + PITHI_CLOG2_UUID_NAME;
        size_t mark = pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_HOST) ? strlen(PITHI_CLOG2_MARK_HOST) : 0;
        if (comm->type != PITHI_CLOG2_SELF || rank.rank < 0 || !name[mark] ||
            pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_KEY))
            continue;
        pithi_name_cut(host, sizeof host, name + mark, strnlen(name + mark, size - mark));
        TRY(pithi_writer_rank(reader.writer, &rank));
    }
    while (pithi_clog2_next(&reader.scan.file, &cursor, &record))
        TRY(add(&reader, &record));
    TRY(pithi_reorder_end(&reader.reorder));
    /* Adds properties that say how many records are missing or were skipped. A merged file has a table of communicators
     * after the ENDLOG record; if the file ends before this table, the file was cut. */
    const struct pithi_clog_cursor *end = &reader.scan.end;
    const struct pithi_clog2_file *file = &reader.scan.file;
    struct pithi_defs *defs = pithi_writer_defs(reader.writer);
    if (!end->ended)
        TRY(pithi_ends_here(reader.writer, file->blocks.input, "without the record that ends a log"));
    else if (file->finalized && file->table_cut)
        TRY(pithi_ends_here(reader.writer, file->blocks.input, "without a whole table of communicators"));
    if (end->damaged)
        TRY(pithi_incomplete(defs, "byte %zu: damaged here: records are missing (places: %" PRIu64 ")",
                             end->first_damage, end->damaged));
    if (reader.no_line)
        TRY(pithi_incomplete(defs, "records of no known rank: %" PRIu64, reader.no_line));
    TRY(pithi_say_count(reader.writer, "clog2_unfinished", !reader.scan.file.finalized));
    TRY(pithi_say_count(reader.writer, "clog2_messages_without_partner", reader.no_partner));
    TRY(pithi_say_count(reader.writer, "clog2_source_locations_left_out", reader.locations));
    TRY(pithi_say_count(reader.writer, "clog2_late_records", reader.reorder.late));
out:
    pithi_clog2_scan_free(&reader.scan);
    pithi_reorder_free(&reader.reorder);
    return err;
}
