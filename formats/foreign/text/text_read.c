/* text_read.c - turns the lines of `pith print` into a log, so that scripts can make logs. The first pass reads
 * definitions and checks whether times decrease. If times decrease, records go through the window of foreign/reading.h.
 * The second pass reads records. If definitions are missing, records define their states, events and counters.
 *
 *     0.000000000   0   0   enter   compute                              (with tabs between)
 *     0.000050000   0   0   leave   compute
 *     0.000050000   0   0   send            peer=1   tag=7   bytes=1000
 *
 * These three lines are a complete log. A missing value has a default. For example, a receive without posted= gets the
 * number of earlier receives of its rank. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "foreign/text/printer.h"

enum { TIME, RANK, THREAD, KIND, NAME, VALUES }; /* the columns of a record */

struct text_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    struct pithi_lines lines;
    struct pithi_buffer text;   /* a copy of the current line */
    struct pithi_fields fields; /* the fields of the current line, in `text` */
    struct pithi_map comms;     /* number of a communicator in the file -> its index in the log + 1 */
    struct pithi_map lanes;     /* (rank, thread) -> lane + 1 */
    struct pithi_reorder reorder;
    struct pithi_leaves leaves;
    struct pithi_map event_names;          /* hash of an event name -> 1: a line defines the event; 2: its payloads are
                                              text */
    struct pithi_buffer text_events;       /* names of the events whose payloads are text, each with a NUL */
    struct pithi_map peers;                /* rank -> number of messages whose peer it is */
    struct pithi_map received;             /* rank -> number of receives so far */
    uint64_t odd_payloads, nameless_peers; /* counts that the log's properties report: payloads that do not match the
                                              format; sends without a peer */
    /* Numbers of lines PITHI_TEXT_PROMISE and PITHI_TEXT_END. There may be several of each if files were joined. */
    uint64_t promises, ends;
    uint64_t records; /* number of records so far */
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Reads the next line that is not empty, without splitting it. Returns 1, or 0 at the end. */
static int next_bytes(struct text_reader *r, const char **line, size_t *size)
{
    while (pithi_lines_next(&r->lines, line, size)) {
        *size -= *size > 0 && (*line)[*size - 1] == '\r';
        if (*size)
            return 1;
    }
    return 0;
}

/* Splits a line into fields. Returns 1, or -1 if memory runs out. */
static int cut_line(struct text_reader *r, const char *line, size_t size)
{
    r->text.size = 0;
    if (!pithi_buffer_add(&r->text, line, size) || !pithi_buffer_add(&r->text, "", 1)) {
        pithi_no_memory();
        return -1;
    }
    pithi_fields_cut(&r->fields, (char *)r->text.data);
    return 1;
}

/* Reads and splits the next line that is not empty. Returns 1, or 0 at the end, or -1 if memory runs out. */
static int next_line(struct text_reader *r)
{
    const char *line;
    size_t size;
    return next_bytes(r, &line, &size) ? cut_line(r, line, size) : 0;
}

/* Returns the value of a key in the fields from `first` on, with its escapes decoded, or "" if the key is missing. */
static char *word(const struct text_reader *r, uint32_t first, const char *key)
{
    static char none[1];
    char *text = pithi_fields_get(&r->fields, first, key);
    none[0] = 0;
    if (text)
        pithi_unescape(text);
    return text ? text : none;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int take_lane(struct text_reader *r, int32_t rank, uint32_t thread, const char *name, uint32_t *lane)
{
    uint64_t *known = pithi_map_at(&r->lanes, pithi_map_pair((uint32_t)rank, thread));
    int err = PITH_OK;
    if (!known)
        return pithi_no_memory();
    if (*known == 0 || name) {
        err = pithi_writer_lane(r->writer, rank, thread, name, lane);
        *known = err == PITH_OK ? *lane + (uint64_t)1 : 0;
    }
    *lane = (uint32_t)(*known - 1);
    return err;
}

static int define(struct text_reader *r, enum pithlog_def_kind kind)
{
    struct pithlog_def def = {kind, word(r, 1, "name"), word(r, 1, "colour"), word(r, 1, "group"),
                              word(r, 1, kind == PITHLOG_COUNTER_TYPE ? "unit" : "format")};
    uint32_t id;
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, &id);
}

/* Appends the ranks in a list with commas between them to `out`, as int32_t. *count becomes their number. */
static int take_ranks(struct text_reader *r, const char *text, struct pithi_buffer *out, int32_t *count)
{
    char *end;
    *count = 0;
    for (; text && *text; text = *end == ',' ? end + 1 : end, ++*count) {
        long long rank = strtoll(text, &end, 10);
        int32_t number = (int32_t)rank;
        if (end == text || rank < 0 || rank > INT32_MAX || (*end && *end != ','))
            return pithi_lines_wrong(&r->lines, "a communicator's ranks are numbers with commas between");
        if (!pithi_buffer_add(out, &number, sizeof number))
            return pithi_no_memory();
    }
    return PITH_OK;
}

/* Reads the definition of a communicator. */
static int define_comm(struct text_reader *r)
{
    struct pithi_buffer ranks = {0};
    struct pithlog_comm comm = {0};
    uint64_t number, *known;
    uint32_t index;
    int err;
    if (!pithi_text_u64(pithi_fields_get(&r->fields, 1, "comm"), &number) || number >= UINT32_MAX)
        return pithi_lines_wrong(&r->lines, "a communicator needs comm=N");
    comm.key = number;
    comm.name = word(r, 1, "name");
    TRY(take_ranks(r, pithi_fields_get(&r->fields, 1, "ranks"), &ranks, &comm.size));
    TRY(take_ranks(r, pithi_fields_get(&r->fields, 1, "remote_ranks"), &ranks, &comm.remote_size));
    comm.world_ranks = (const int32_t *)(const void *)ranks.data;
    TRY(pithi_writer_comm(r->writer, &comm, &index));
    known = pithi_map_at(&r->comms, number);
    if (!known)
        err = pithi_no_memory();
    else
        *known = index + (uint64_t)1;
out:
    free(ranks.data);
    return err;
}

static uint64_t hash_name(const char *name, size_t size) { return pithi_hash_bytes(PITHI_HASH, name, size); }

/* Reads a line that begins with '#'. Ignores the line as a comment if it is no definition of a known kind. */
static int take_definition(struct text_reader *r)
{
    const char *kind = r->fields.at[0] + 1 + (r->fields.at[0][1] == ' ');
    if (strcmp(kind, "lane") == 0) {
        int64_t rank, thread;
        uint32_t lane;
        if (!pithi_text_i64(pithi_fields_get(&r->fields, 1, "rank"), 0, INT32_MAX, &rank) ||
            !pithi_text_i64(pithi_fields_get(&r->fields, 1, "thread"), 0, UINT32_MAX - 1, &thread))
            return pithi_lines_wrong(&r->lines, "a lane needs rank=N and thread=N");
        const char *host = word(r, 1, "host");
        int err = PITH_OK;
        if (*host)
            err = pithi_writer_rank(r->writer, &(struct pithi_rank){(int32_t)rank, host, 0, 0});
        return err == PITH_OK ? take_lane(r, (int32_t)rank, (uint32_t)thread, word(r, 1, "name"), &lane) : err;
    }
    if (strcmp(kind, "state") == 0)
        return define(r, PITHLOG_STATE);
    if (strcmp(kind, "event") == 0) {
        const char *name = pithi_fields_get(&r->fields, 1, "name");
        uint64_t *known = pithi_map_at(&r->event_names, hash_name(name ? name : "", strlen(name ? name : "")));
        if (!known)
            return pithi_no_memory();
        *known = 1;
        return define(r, PITHLOG_EVENT_TYPE);
    }
    if (strcmp(kind, "counter") == 0)
        return define(r, PITHLOG_COUNTER_TYPE);
    if (strcmp(kind, "comm") == 0)
        return define_comm(r);
    r->ends += r->fields.count == 1 && strcmp(r->fields.at[0], PITHI_TEXT_END) == 0;
    r->promises += r->fields.count == 1 && strcmp(r->fields.at[0], PITHI_TEXT_PROMISE) == 0;
    if (strcmp(kind, "property") == 0)
        return pithi_defs_property(pithi_writer_defs(r->writer), word(r, 1, "key"), word(r, 1, "value"));
    return PITH_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int number(struct text_reader *r, const char *key, int64_t least, int64_t most, int64_t otherwise,
                  int64_t *value)
{
    const char *text = pithi_fields_get(&r->fields, VALUES, key);
    *value = otherwise;
    return !text || pithi_text_i64(text, least, most, value)
               ? PITH_OK
               : pithi_lines_wrong(&r->lines, "a value is not a number, or too large");
}

static int count(struct text_reader *r, const char *key, uint64_t otherwise, uint64_t *value)
{
    const char *text = pithi_fields_get(&r->fields, VALUES, key);
    *value = otherwise;
    return !text || pithi_text_u64(text, value) ? PITH_OK
                                                : pithi_lines_wrong(&r->lines, "a value is not a number, or too large");
}

static int take_name(struct text_reader *r, enum pithlog_def_kind kind, struct pithlog_record *record)
{
    struct pithlog_def def = {kind, r->fields.at[NAME], "", "", ""};
    pithi_unescape(r->fields.at[NAME]);
    if (kind == PITHLOG_STATE)
        def.group = pithi_name_group(def.name);
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, &record->id);
}

static int take_comm(struct text_reader *r, struct pithlog_record *record)
{
    uint64_t number_of_comm, *known;
    CHECK(count(r, "comm", 0, &number_of_comm));
    known = number_of_comm ? pithi_map_find(&r->comms, number_of_comm) : NULL;
    if (number_of_comm && !known)
        return pithi_lines_wrong(&r->lines, "no line '# comm' defines this communicator");
    record->comm = known ? (uint32_t)(*known - 1) : 0;
    return PITH_OK;
}

static int take_kind(struct text_reader *r, struct pithlog_record *record)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } kinds[] = {{"enter", PITHLOG_ENTER},     {"leave", PITHLOG_LEAVE},      {"event", PITHLOG_EVENT},
                 {"counter", PITHLOG_COUNTER}, {"send", PITHLOG_SEND},        {"recv", PITHLOG_RECV},
                 {"coll", PITHLOG_COLL},       {"comm", PITHLOG_COMM_CREATE}, {"pause", PITHLOG_PAUSE},
                 {"resume", PITHLOG_RESUME},   {"lost", PITHLOG_LOST}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(r->fields.at[KIND], kinds[i].name) == 0) {
            record->kind = kinds[i].kind;
            return PITH_OK;
        }
    return pithi_lines_wrong(&r->lines, "no such kind of record; `man pith-print` lists them");
}

static int take_values(struct text_reader *r, struct pithlog_record *record)
{
    const char *op = pithi_fields_get(&r->fields, VALUES, "op");
    int err = PITH_OK;
    switch (record->kind) {
    case PITHLOG_ENTER:
    case PITHLOG_LEAVE:
        err = take_name(r, PITHLOG_STATE, record);
        return err == PITH_OK ? take_comm(r, record) : err;
    case PITHLOG_EVENT:
        if ((err = take_name(r, PITHLOG_EVENT_TYPE, record)) == PITH_OK) {
            /* Makes the payload, malloc'ed. Leaves out and counts a payload that does not match the format of its
             * event. */
            const char *text = pithi_fields_get(&r->fields, VALUES, "payload");
            const struct pithlog_def *def = pithi_defs_get(pithi_writer_defs(r->writer), record->id);
            size_t size;
            if (text) {
                record->payload = pithi_payload_parse(def->format, text, &size);
                record->payload_bytes = record->payload ? (uint32_t)size : 0;
                r->odd_payloads += !record->payload;
            }
        }
        return err == PITH_OK ? take_comm(r, record) : err;
    case PITHLOG_COUNTER:
        CHECK(take_name(r, PITHLOG_COUNTER_TYPE, record));
        const char *value = pithi_fields_get(&r->fields, VALUES, "value");
        char *end;
        record->value = value ? strtod(value, &end) : 0;
        return value && *value && !*end ? PITH_OK : pithi_lines_wrong(&r->lines, "a counter needs value=NUMBER");
    case PITHLOG_SEND:
    case PITHLOG_RECV: {
        int64_t peer, tag;
        CHECK(take_comm(r, record));
        CHECK(number(r, "peer", -1, INT32_MAX, -1, &peer));
        CHECK(number(r, "tag", INT32_MIN, INT32_MAX, 0, &tag));
        CHECK(count(r, "bytes", 0, &record->bytes));
        if (record->kind == PITHLOG_RECV) {
            /* If `posted` is missing, assumes that the receives of a rank were posted in the order of their records. */
            int64_t rank = 0;
            pithi_text_i64(r->fields.at[RANK], 0, INT32_MAX, &rank);
            uint64_t *received = pithi_map_at(&r->received, (uint64_t)rank);
            CHECK(received ? count(r, "posted", (*received)++, &record->posted) : pithi_no_memory());
        }
        record->peer = (int32_t)peer;
        record->tag = (int32_t)tag;
        if (peer >= 0) {
            uint64_t *messages = pithi_map_at(&r->peers, (uint64_t)peer);
            if (!messages)
                return pithi_no_memory();
            ++*messages;
        }
        /* Counts only sends without a peer, because a receive without a peer is right: it got no message. */
        r->nameless_peers += peer < 0 && record->kind == PITHLOG_SEND;
        return PITH_OK;
    }
    case PITHLOG_COLL: {
        int64_t root;
        CHECK(take_comm(r, record));
        CHECK(number(r, "root", -1, INT32_MAX, -1, &root));
        CHECK(count(r, "bytes", 0, &record->bytes));
        CHECK(count(r, "got_bytes", 0, &record->got_bytes));
        record->peer = (int32_t)root;
        return PITH_OK;
    }
    case PITHLOG_COMM_CREATE:
        record->kind = op && strcmp(op, "free") == 0 ? PITHLOG_COMM_FREE : PITHLOG_COMM_CREATE;
        return take_comm(r, record);
    case PITHLOG_LOST:
        return count(r, "count", 1, &record->bytes);
    default:
        return err;
    }
}

static int take_record(struct text_reader *r)
{
    struct pithlog_record record = {.peer = -1};
    int64_t rank, thread;
    int err;
    if (r->fields.count < NAME || !pithi_text_seconds(r->fields.at[TIME], &record.time_ns) ||
        !pithi_text_i64(r->fields.at[RANK], 0, INT32_MAX, &rank) ||
        !pithi_text_i64(r->fields.at[THREAD], 0, UINT32_MAX - 1, &thread))
        return pithi_lines_wrong(&r->lines, "a record has time, rank, thread, kind, name, with tabs between");
    if (r->fields.count == NAME)
        r->fields.at[r->fields.count++] = r->fields.at[KIND] + strlen(r->fields.at[KIND]);
    TRY(take_kind(r, &record));
    TRY(take_lane(r, (int32_t)rank, (uint32_t)thread, NULL, &record.lane));
    TRY(take_values(r, &record));
    r->records++;
    TRY(pithi_reorder_add(&r->reorder, &record));
out:
    free((void *)(uintptr_t)record.payload);
    return err;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* Reads the time in the first column. Returns 1 if *time_ns is set, or 0 if there is no time. If the first column has
 * 64 bytes or more, returns 1 without reading it. Then *time_ns is INT64_MIN, so that the time counts as decreasing and
 * the records are put in order. */
static int line_time(const char *line, size_t size, int64_t *time_ns)
{
    char text[64];
    const char *tab = memchr(line, '\t', size < sizeof text ? size : sizeof text);
    *time_ns = INT64_MIN;
    if (!tab)
        return size >= sizeof text;
    memcpy(text, line, (size_t)(tab - line));
    text[tab - line] = 0;
    return pithi_text_seconds(text, time_ns);
}

/* ---- Payloads of events that no line defines --------------------------------------------------------------------- */

/* Looks in the first pass at a record that has a payload. If no line defines its event, the event has no format, so its
 * payloads must be hexadecimal. If one payload is not, all payloads of the event are text. Then adds the event to
 * r->text_events, and the event gets the format %s before the second pass adds any record. */
static int look_at_payload(struct text_reader *r, const char *line, size_t size)
{
    static const char kind[] = "event\t";
    const char *end = line + size, *at = line, *name_end;
    uint64_t *known, hash;
    size_t length;
    for (int i = 0; i < KIND && at; i++)
        at = (at = memchr(at, '\t', (size_t)(end - at))) ? at + 1 : NULL;
    if (!at || (size_t)(end - at) < strlen(kind) || memcmp(at, kind, strlen(kind)) != 0)
        return PITH_OK;
    at += strlen(kind);
    if (!(name_end = memchr(at, '\t', (size_t)(end - at))))
        return PITH_OK;
    hash = hash_name(at, (size_t)(name_end - at));
    if ((known = pithi_map_find(&r->event_names, hash)) && *known)
        return PITH_OK;
    CHECK(cut_line(r, line, size) < 0 ? PITH_ERR_MEMORY : PITH_OK);
    const char *payload = pithi_fields_get(&r->fields, VALUES, "payload");
    unsigned char *bytes = payload ? pithi_payload_parse("", payload, &length) : NULL;
    free(bytes);
    if (!payload || bytes)
        return PITH_OK;
    if (!(known = pithi_map_at(&r->event_names, hash)))
        return pithi_no_memory();
    *known = 2;
    return pithi_buffer_add(&r->text_events, r->fields.at[NAME], strlen(r->fields.at[NAME]) + 1) ? PITH_OK
                                                                                                 : pithi_no_memory();
}

/* ---- Cut files --------------------------------------------------------------------------------------------------- */

/* Returns 1 if the last line has no newline, so that it may have been cut. A script may also leave out the last
 * newline, so the reader uses this line if it can be read. */
static int is_cut(const struct text_reader *r) { return pithi_ends_in_line(r->input); }

static int is_last_line(const struct text_reader *r) { return r->lines.at >= r->lines.size; }

/* Returns PITH_OK instead of PITH_ERR_DAMAGED if the current line is a last line that was cut. */
static int settle_last_line(struct text_reader *r, int err)
{
    return err == PITH_ERR_DAMAGED && is_cut(r) && is_last_line(r) && r->lines.number > 1 ? PITH_OK : err;
}

/* ---- The passes -------------------------------------------------------------------------------------------------- */

/* Returns the number of sends and receives whose peer has no lane. */
static uint64_t unknown_peers(const struct text_reader *r)
{
    struct pithi_map ranks = {0};
    uint64_t messages = r->nameless_peers;
    for (size_t i = 0; i < r->lanes.room; i++)
        if (r->lanes.slots[i].key)
            pithi_map_put(&ranks, (r->lanes.slots[i].key - 1) >> 32, 1);
    for (size_t i = 0; i < r->peers.room; i++)
        if (r->peers.slots[i].key && !pithi_map_find(&ranks, r->peers.slots[i].key - 1))
            messages += r->peers.slots[i].value;
    pithi_map_free(&ranks);
    return messages;
}

int pithi_text_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct text_reader r = {.input = input,
                            .writer = writer,
                            .lines = {.input = input, .size = input->size},
                            .reorder = {.writer = writer, .leaves = &r.leaves},
                            .leaves = {.input = input, .writer = writer}};
    int err = PITH_OK;

    /* The first pass. It reads definitions, times, and payloads of events that no line has defined so far. */
    int64_t last_ns = INT64_MIN, time_ns;
    const char *line;
    size_t size;
    while (err == PITH_OK && next_bytes(&r, &line, &size)) {
        if (*line == '#') {
            err = cut_line(&r, line, size) < 0 ? PITH_ERR_MEMORY : settle_last_line(&r, take_definition(&r));
            continue;
        }
        if (!r.reorder.is_needed && line_time(line, size, &time_ns)) {
            r.reorder.is_needed = time_ns < last_ns;
            last_ns = time_ns;
        }
        if (memmem(line, size, "\tpayload=", strlen("\tpayload=")))
            err = look_at_payload(&r, line, size);
    }
    /* Defines the events whose payloads are text. This comes after the first pass, because a line that defines the
     * event may come later in the file, and has priority. */
    char *name = (char *)r.text_events.data, *end = name ? name + r.text_events.size : name;
    for (; err == PITH_OK && name < end; name += size) {
        struct pithlog_def def = {PITHLOG_EVENT_TYPE, name, "", "", "%s"};
        uint32_t id;
        size = strlen(name) + 1;
        if (*pithi_map_find(&r.event_names, hash_name(name, size - 1)) == 1)
            continue;
        pithi_unescape(name);
        err = pithi_defs_add(pithi_writer_defs(r.writer), &def, &id);
    }
    /* Leaves out a last line without a newline if Pith wrote the file, because then the line was cut. */
    if (r.promises)
        r.lines.size = pithi_whole_lines(r.input);
    TRY(err);

    int status;
    pithi_lines_rewind(&r.lines);
    while ((status = next_line(&r)) > 0)
        if (r.fields.at[0][0] != '#')
            TRY(settle_last_line(&r, take_record(&r)));
    if (status < 0)
        TRY(PITH_ERR_MEMORY);
    TRY(pithi_reorder_end(&r.reorder));
    TRY(pithi_leaves_end(&r.leaves));
    const char *where = is_cut(&r)                          ? "inside a line"
                        : r.ends < r.promises               ? "without the line \"" PITHI_TEXT_END "\" that it promises"
                        : r.records == 0 && r.promises == 0 ? "before the first record"
                                                            : NULL;
    if (where)
        TRY(pithi_ends_here(writer, input, where));
    TRY(pithi_say_count(writer, "text_leaves_without_enter", r.leaves.alone));
    TRY(pithi_say_count(writer, "text_messages_with_unknown_ranks", unknown_peers(&r)));
    TRY(pithi_say_count(writer, "text_payloads_left_out", r.odd_payloads));
    TRY(pithi_say_count(writer, "text_late_records", r.reorder.late));
out:
    free(r.text.data);
    pithi_map_free(&r.comms);
    pithi_map_free(&r.lanes);
    pithi_map_free(&r.received);
    pithi_map_free(&r.peers);
    pithi_map_free(&r.event_names);
    free(r.text_events.data);
    pithi_leaves_free(&r.leaves);
    pithi_reorder_free(&r.reorder);
    return err;
}

/* Recognises the format by its first line: a definition, the column names, or a record. */
int pithi_text_probe(const struct pithi_input *input)
{
    static const char *const begins[] = {"# pith print 1\n", "# property\t", "# lane\t", "# state\t",
                                         "# event\t",        "# counter\t",  "# comm\t", "# time_s\t"};
    struct text_reader r = {.input = input, .lines = {.input = input, .size = input->size}};
    int64_t time_ns, rank;
    int is = 0;
    if (!input->data)
        return 0;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        is |= input->size > strlen(begins[i]) && memcmp(input->data, begins[i], strlen(begins[i])) == 0;
    if (!is && input->size > 0 && memchr(input->data, '\t', input->size < 64 ? input->size : 64) && next_line(&r) > 0)
        is = r.fields.count >= NAME && pithi_text_seconds(r.fields.at[TIME], &time_ns) &&
             pithi_text_i64(r.fields.at[RANK], 0, INT32_MAX, &rank);
    free(r.text.data);
    return is;
}
