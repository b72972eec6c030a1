/* alog_read.c - recognises ALOG files and turns their lines into native records (second pass).
 *
 *     -13 0 5 6 0 0 SeaGreen:vlines3 MPI_Send      events 5 and 6 begin and end the state MPI_Send
 *     5 0 0 0 0 50                                 process 0: enter MPI_Send at 50 us
 *     -101 0 0 1 0 50 7 1000                       process 0 sends to 1, tag 7, 1000 bytes
 *     6 0 0 0 0 53                                 process 0: leave MPI_Send at 53 us
 *
 * In files of old programs a definition such as the line -13 may be missing or may follow the events. So what an event
 * number means is known only after the first pass (alog_scan.h). */
#include "foreign/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/alog/alog_scan.h"
#include "foreign/names.h"
#include "foreign/reading.h"

struct reader {
    struct pithi_alog_scan scan; /* results of the first pass */
    struct pithi_writer *writer;
    struct pithi_map open; /* (lane, state) -> number of open instances */
    struct pithi_reorder reorder;
    uint64_t unmatched_ends, bare_messages, no_partner; /* Counts that become properties of the log. unmatched_ends:
                                                           ends of states that were not open; bare_messages: messages
                                                           without a size; no_partner: messages without a partner */
};

/* ---- Recognising -----------------------------------------------------------------------------------------------
 * An ALOG file has a header line among its first lines, and every line before the header line is valid. Lines of the
 * PICL format also consist of six or more numbers. But they never begin with a minus, as header lines of ALOG do. A
 * file without a header line counts as ALOG only if its name ends with .alog or .log. */
int pithi_alog_probe(const struct pithi_input *input)
{
    struct pithi_alog_line line;
    const char *wrong;
    const struct pithi_input quiet = {.path = input->path, .data = input->data, .size = input->size}; /* no progress */
    struct pithi_lines lines = {.input = &quiet, .size = input->data ? input->size : 0};
    const char *text;
    size_t size;
    int good = 0;

    while (lines.number < 64 && pithi_lines_next(&lines, &text, &size)) {
        enum pithi_alog_status status = pithi_alog_line_read(text, size, &line, &wrong);

        if (status == PITHI_ALOG_BAD || size > 4096)
            return 0;
        good += status == PITHI_ALOG_GOOD;
        if (status == PITHI_ALOG_GOOD && line.type < 0 && line.type >= PITHI_ALOG_PROCESS_NAME)
            return 1;
    }
    size_t length = pithi_unpacked_length(input->path);
    const char *end = input->path + length;
    return good > 0 && ((length >= 5 && strncasecmp(end - 5, ".alog", 5) == 0) ||
                        (length >= 4 && strncasecmp(end - 4, ".log", 4) == 0));
}

/* ---- Records --------------------------------------------------------------------------------------------------- */

/* Returns 1 if the record ends a state that is not open. Such a record is left out. Which states are open depends on
 * the order of the records, so this function is called after they are sorted. */
static int is_unmatched(void *context, const struct pithlog_record *record)
{
    struct reader *reader = context;
    uint64_t *count;

    if (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE)
        return 0;
    if (!(count = pithi_map_at(&reader->open, pithi_map_pair(record->lane, record->id))))
        return -1;
    if (record->kind == PITHLOG_LEAVE && !*count) {
        reader->unmatched_ends++;
        return 1;
    }
    *count += record->kind == PITHLOG_ENTER ? 1 : UINT64_MAX;
    return 0;
}

static int add_line(struct reader *reader, const struct pithi_alog_line *line)
{
    struct pithi_alog_process *process = pithi_alog_process(&reader->scan, line->proc);
    struct pithlog_record record = {.peer = -1};
    int64_t time_ns = 0;

    if (!process)
        return pithi_no_memory();
    pithi_alog_time(&reader->scan, line, &time_ns); /* the first pass has checked the range */
    record.time_ns = time_ns - reader->scan.start_ns;
    record.lane = process->lane - 1;
    if (line->type == PITHI_ALOG_SEND || line->type == PITHI_ALOG_RECV) {
        const char *at = line->comment, *end = at + line->comment_size;
        uint64_t *partner = line->data >= 0 ? pithi_map_find(&reader->scan.process_of, (uint64_t)line->data) : NULL;
        int64_t tag = 0, size = 0;
        if (line->data < 0 || line->data > INT32_MAX) {
            reader->no_partner++;
            return PITH_OK;
        }
        if (!pithi_alog_integer(&at, end, &tag) || !pithi_alog_integer(&at, end, &size))
            reader->bare_messages++;
        record.kind = line->type == PITHI_ALOG_SEND ? PITHLOG_SEND : PITHLOG_RECV;
        record.peer = partner ? reader->scan.process[*partner - 1].rank : (int32_t)line->data;
        record.tag = (int32_t)tag;
        record.bytes = size < 0 ? 0 : (uint64_t)size;
        record.posted = record.kind == PITHLOG_RECV ? (uint64_t)process->rank : 0;
        return pithi_reorder_add(&reader->reorder, &record);
    }
    const struct pithi_alog_event *event = pithi_alog_event(&reader->scan, line->type);
    if (!event)
        return pithi_no_memory();
    CHECK(pithi_reorder_states(&reader->reorder, &record, event->ends, event->starts, NULL));
    if (event->solo) {
        record.kind = PITHLOG_EVENT;
        record.id = event->solo - 1;
        /* Packs the DATA column, the comment, or both into a payload. pith_event_define defines the encoding. */
        unsigned char payload[60016], *at = payload;
        if (event->payload == PITHI_ALOG_DATA || event->payload == PITHI_ALOG_BOTH)
            at = pithi_put_be(at, (uint32_t)line->data, 4);
        if (event->payload == PITHI_ALOG_TEXT || event->payload == PITHI_ALOG_BOTH) {
            size_t length = line->comment_size > 60000 ? 60000 : line->comment_size;
            at = (unsigned char *)memcpy(pithi_put_be(at, length, 2), line->comment, length) + length;
        }
        record.payload = payload;
        record.payload_bytes = (uint32_t)(at - payload);
        CHECK(pithi_reorder_add(&reader->reorder, &record));
    }
    return PITH_OK;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

int pithi_alog_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct reader reader = {
        .writer = writer,
        .reorder = {.writer = writer, .counts_receives = 1, .drops = is_unmatched, .context = &reader}};
    int err;

    TRY(pithi_alog_scan(&reader.scan, input, pithi_writer_defs(writer)));
    reader.reorder.is_needed = reader.scan.disorder;
    /* Makes a lane for each process that the header counts, even if it is idle, and for any other process with events
     * or a name. */
    for (int64_t number = 0; number < reader.scan.processes && number < 16384; number++) {
        struct pithi_alog_process *process = pithi_alog_process(&reader.scan, number);
        if (!process)
            TRY(pithi_no_memory());
        process->seen = 1;
    }
    for (uint32_t i = 0; i < reader.scan.process_count; i++) {
        struct pithi_alog_process *process = &reader.scan.process[i];
        uint32_t lane;
        if (!process->seen && !process->name)
            continue;
        TRY(pithi_writer_lane(reader.writer, process->rank, process->thread, process->name, &lane));
        process->lane = lane + 1;
    }
    struct pithi_alog_line line;
    int status;
    while ((status = pithi_alog_next(&reader.scan, &line)) == 1)
        if (pithi_alog_is_event(line.type))
            TRY(add_line(&reader, &line));
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(pithi_reorder_end(&reader.reorder));
    /* Finds out whether the file was cut. The header gives the number of event lines and the end time, and fewer lines
     * or an earlier end mean a cut. A last line without a newline may also have been cut, even if it can be read. */
    const struct pithi_alog_scan *scan = &reader.scan;
    struct pithi_defs *defs = pithi_writer_defs(reader.writer);
    if (scan->cut)
        TRY(pithi_ends_here(reader.writer, scan->input, "inside a line"));
    if (scan->seen < scan->told)
        TRY(pithi_incomplete(defs, "events: %" PRIu64 " of %" PRIu64 " that the header counts", scan->seen,
                             scan->told));
    else if (scan->seen == 0 && !scan->counted)
        TRY(pithi_ends_here(reader.writer, scan->input, "before the first event"));
    else if (scan->told == 0 && scan->last_ns < scan->end_ns)
        TRY(pithi_incomplete(defs, "the last event is %.6f s before the end that the header states",
                             (double)(scan->end_ns - scan->last_ns) / 1e9));
    /* The counts of lines that were left out become properties of the log. */
    TRY(pithi_say_count(reader.writer, "alog_unmatched_ends", reader.unmatched_ends));
    TRY(pithi_say_count(reader.writer, "alog_ignored_states", reader.scan.ignored_states));
    TRY(pithi_say_count(reader.writer, "alog_messages_without_size", reader.bare_messages));
    TRY(pithi_say_count(reader.writer, "alog_messages_without_partner", reader.no_partner));
    TRY(pithi_say_count(reader.writer, "alog_late_records", reader.reorder.late));
    TRY(pithi_say_count(reader.writer, "alog_start_us",
                        (uint64_t)(reader.scan.start_ns > 0 ? reader.scan.start_ns / 1000 : 0)));
out:
    pithi_alog_scan_free(&reader.scan);
    pithi_map_free(&reader.open);
    pithi_reorder_free(&reader.reorder);
    return err;
}
