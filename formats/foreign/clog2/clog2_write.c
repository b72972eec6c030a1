/* clog2_write.c - writes native records as CLOG-2, as strictly as the converter of Jumpshot requires: a definition
 * before each use of a number that is not one of MPE's own, a COMMEVT before anything on a line, no empty colour,
 * states that pair first in, first out. There is one pass. The preamble contains counts, so it is written last.
 *
 *     COMMEVT     rank 0 of the world, rank 1 of the world
 *     STATEDEF    events 600 and 601 begin and end "compute", DodgerBlue3
 *     BAREEVT     0 s, rank 0: 600                    CARGOEVT where the state has a payload
 *     BAREEVT     0.000050 s, rank 0: 601
 *     MSGEVT      0.000050 s, rank 0 to 1, tag 7, 1000 bytes
 *
 * Jumpshot and Pith both match sends and receives by their order. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "foreign/clog2/clog2_lines.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "foreign/walk.h"

/* If a log will become CLOG-2, libmpe records this event after each comparison of the clocks. */
#define SYNC "mpe:sync"

struct clog2_writer {
    struct pithlog *log;
    struct pithi_clog2_stream stream;
    struct pithi_clog2_lines lines;
    struct pithi_clog2_numbers numbers;
    struct pithi_clog2_cargo cargo;
    struct pithi_losses losses;
    unsigned char *completes;                         /* by definition: 1 if the state is a call that completes
                                                         receives */
    uint32_t describe, sync;                          /* event types PITHI_CLOG2_DESCRIBE and SYNC, which libmpe
                                                         records; UINT32_MAX: not in the log */
    uint64_t counters, lost_messages, large_messages; /* counts of what the format cannot hold, for the notes */
};

/* ---- Records --------------------------------------------------------------------------------------------------- */

static int write_record(struct clog2_writer *w, const struct pithlog_step *step)
{
    const struct pithlog_record *record = step->record;
    if (record->lane >= w->lines.lane_count)
        return PITH_OK;
    int is_mark = record->kind == PITHLOG_EVENT && (record->id == w->describe || record->id == w->sync);
    if (record->kind <= PITHLOG_EVENT && !is_mark)
        return pithi_clog2_cargo_add(&w->cargo, record);
    CHECK(pithi_clog2_cargo_flush(&w->cargo, record->time_ns, record->lane));
    switch (record->kind) {
    case PITHLOG_EVENT: {
        /* libmpe records two events that ask for a record of the file: a description asks for a definition, SYNC asks
         * for a TIMESHIFT. Writes this record. */
        int32_t rank = w->lines.lanes[record->lane].rank;
        struct pithi_clog2_line line;
        if (record->id == w->sync)
            return pithi_clog2_make_shift(&w->lines.made, &w->stream, record->time_ns, rank);
        CHECK(pithi_clog2_event_line(&w->lines, record, 0, &line));
        return pithi_clog2_describe(&w->numbers, record, &line, rank);
    }
    case PITHLOG_SEND:
    case PITHLOG_RECV: {
        struct pithi_clog2_line line, partner;
        unsigned char *body;
        int known;

        CHECK(pithi_clog2_message_line(&w->lines, record, &line, &partner, &known));
        if (!known) {
            w->lost_messages += record->kind == PITHLOG_SEND;
            return PITH_OK;
        }
        int is_waited = 0; /* 1: a call that completes receives is open */
        for (uint32_t i = 0; record->kind == PITHLOG_RECV && i < step->depth; i++)
            is_waited |= w->completes[step->open[i].id];
        if (is_waited)
            CHECK(pithi_clog2_make_waited(&w->lines.made, &w->stream, record->time_ns, &line, 0));
        body = pithi_clog2_put(&w->stream, PITHI_CLOG2_MSGEVT, record->time_ns, line.comm, line.rank, line.thread);
        if (!body)
            return PITH_ERR_IO;
        w->large_messages += record->bytes > INT32_MAX;
        pithi_clog2_put32(body, record->kind == PITHLOG_SEND ? PITHI_CLOG2_SEND : PITHI_CLOG2_RECV);
        pithi_clog2_put32(body + 4, partner.comm);
        pithi_clog2_put32(body + 8, partner.rank);
        pithi_clog2_put32(body + 12, record->tag);
        pithi_clog2_put32(body + 16, record->bytes > INT32_MAX ? INT32_MAX : (int32_t)record->bytes);
        if (is_waited)
            CHECK(pithi_clog2_make_waited(&w->lines.made, &w->stream, record->time_ns, &line, 1));
        return PITH_OK;
    }
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        return pithi_clog2_write_comm(&w->lines, record);
    case PITHLOG_COUNTER: {
        /* The format has only one counter: the offset of a clock. */
        const struct pithlog_def *def = pithlog_get_def(w->log, record->id);
        if (!def || strcmp(def->name, PITHI_CLOG2_SHIFT) != 0) {
            w->counters++;
            return PITH_OK;
        }
        w->losses.used[record->id] |= PITHI_KEPT;
        const struct pithi_clog2_line *line = &w->lines.lanes[record->lane];
        unsigned char *body =
            pithi_clog2_put(&w->stream, PITHI_CLOG2_TIMESHIFT, record->time_ns, line->comm, line->rank, line->thread);
        if (!body)
            return PITH_ERR_IO;
        pithi_clog2_put64f(body, record->value);
        return PITH_OK;
    }
    default:
        break; /* CLOG-2 cannot hold this record */
    }
    return PITH_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

static int write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct pithi_walk walk = {0};
    struct pithlog_step step;
    struct clog2_writer w = {.log = log, .describe = UINT32_MAX, .sync = UINT32_MAX};
    int err;

    TRY(pithi_losses_open(&w.losses, log));
    const struct pithlog_info *info = pithlog_get_info(w.log);
    w.completes = calloc(info->defs + (size_t)1, 1);
    if (!w.completes)
        TRY(pithi_no_memory());
    for (uint32_t id = 0; id < info->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(w.log, id);
        w.completes[id] = (unsigned char)pithi_clog2_completes(def->name);
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_CLOG2_DESCRIBE) == 0)
            w.describe = id;
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, SYNC) == 0)
            w.sync = id;
        if (def->kind == PITHLOG_STATE && pithi_clog2_known_number(def->name) == PITHI_CLOG2_WRITE2DISK)
            w.losses.used[id] |= PITHI_KEPT;
    }
    TRY(pithi_clog2_stream_open(&w.stream, out));
    TRY(pithi_clog2_lines_open(&w.lines, log, &w.stream));
    TRY(pithi_clog2_numbers_open(&w.numbers, log, &w.stream, &w.lines.made, &w.losses));
    w.numbers.is_described = w.describe != UINT32_MAX;
    w.cargo = (struct pithi_clog2_cargo){.numbers = &w.numbers, .lines = &w.lines};

    int status;
    TRY(pithi_walk_open(&walk, log, how));
    walk.losses = &w.losses;
    TRY(pithi_clog2_begin_world(&w.lines, walk.from_ns));
    /* Writes the constants of MPI. A log that was read from CLOG-2 has them as properties. */
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)); i++) {
        char *end;
        long long number = strtoll(value, &end, 10);
        if (strncmp(key, "MPI_", 4) != 0 || strlen(key) >= PITHI_CLOG2_NAME || !*value || *end ||
            number != (int32_t)number)
            continue;
        unsigned char *body = pithi_clog2_put(&w.stream, PITHI_CLOG2_CONSTDEF, walk.from_ns, 0, 0, 0);
        if (!body)
            TRY(PITH_ERR_IO);
        pithi_clog2_put32(body, -201);
        pithi_clog2_put32(body + 4, (int32_t)number);
        memcpy(body + 8, key, strlen(key));
        pithi_losses_keep(&w.losses, key);
    }
    TRY(pithi_clog2_mark_world(&w.lines, walk.from_ns, PITHI_CLOG2_COMM_INIT));
    TRY(pithi_clog2_describe_rest(&w.numbers, walk.from_ns, 0));
    while ((status = pithi_walk_next(&walk, &step)) == 1)
        TRY(write_record(&w, &step));
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(pithi_clog2_cargo_flush(&w.cargo, INT64_MAX, 0));
    TRY(pithi_clog2_mark_world(&w.lines, walk.to_ns, PITHI_CLOG2_COMM_FINALIZE));
    TRY(pithi_clog2_describe_rest(&w.numbers, walk.to_ns, 1));
    TRY(pithi_clog2_define_known(&w.lines.made, &w.stream, walk.to_ns));

    uint64_t comms, members;
    pithi_clog2_numbers_colours(&w.numbers, &w.losses);
    w.losses.count[PITHI_LOSS_COUNTERS] = w.counters; /* counters other than clock shifts */
    pithi_losses_tell(&w.losses, how);
    pithi_note(how, w.lost_messages, "sends to nobody left out");
    pithi_note(how, w.large_messages, "message sizes of 2 GiB and more written as 2147483647");
    pithi_note(how, w.cargo.cut, "payloads cut to 32 bytes, by whole values");
    pithi_note(how, w.numbers.cut_names, "names cut to 31 bytes or made different");
    pithi_clog2_lines_lost(&w.lines, &comms, &members);
    pithi_note(how, comms, "communicators without a record are left out");
    pithi_note(how, members, "members of communicators without a record are left out");
    pithi_note(how, w.lines.cut_names, "names of communicators and hosts cut to 14 bytes or changed");
    pithi_note(how, w.numbers.cut_formats, "payload formats cut to 39 characters or 32 bytes");
    pithi_note(how, w.numbers.shared_levels, "states nested in themselves too deep to be kept apart");
    pithi_note(how, w.lines.unknown_members, "records of communicators with unknown members written as of the world");

    /* The preamble has counts and the place of the table, so it is written last, over zeros. */
    struct pithi_clog2_preamble preamble = {.user_states = w.numbers.user_states,
                                            .user_solos = w.numbers.user_solos,
                                            .first_user_solo = w.numbers.first_user_solo,
                                            .ranks = w.lines.ranks,
                                            .threads = w.lines.threads};
    unsigned char bytes[PITHI_CLOG2_PREAMBLE];
    TRY(pithi_clog2_stream_end(&w.stream, &preamble.table));
    TRY(pithi_clog2_write_table(&w.lines, out));
    pithi_clog2_preamble(&preamble, bytes);
    if (fseeko(out, 0, SEEK_SET) != 0 || fwrite(bytes, 1, sizeof bytes, out) != sizeof bytes || fflush(out) != 0)
        TRY(pithi_fail(PITH_ERR_IO, "the CLOG-2 file cannot be written"));
out:
    pithi_walk_close(&walk);
    pithi_clog2_stream_free(&w.stream);
    pithi_clog2_lines_free(&w.lines);
    pithi_clog2_numbers_free(&w.numbers);
    pithi_clog2_cargo_free(&w.cargo);
    pithi_losses_close(&w.losses);
    free(w.completes);
    return err;
}

int pithi_clog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return pithi_write_seekable(log, out, how, write_seekable);
}
