/* ctf_write.c - writes native records in the Common Trace Format, version 1.8, for babeltrace2 and Trace Compass: a
 * folder with the text file `metadata`, which describes the layout of the streams in TSDL (README.md), and a stream for
 * each lane. Lanes are written one by one, so that only one file is open at a time.
 *
 * A packet has a header (magic, UUID, stream class 0), a context and events. The context has the first and last time of
 * the packet, its size in bits, its number, the count of records lost so far, the rank and the thread. An event has its
 * id as a byte and the low 32 bits of its time. If 2^32 ns or more have passed since the last event, the event has the
 * byte 255, its id as 4 bytes and all 64 bits of its time instead. Then come the fields of the event, each of which
 * begins at the next byte:
 *
 *     00 50 c3 00 00 03 00 00 00            enter (0) at 50,000 ns (0xc350), state 3
 *     01 08 cf 00 00 03 00 00 00            leave (1) at 53,000 ns (0xcf08), state 3
 *
 * So a record takes nine bytes, and a reader can decode it without Pith, as the text file describes each field.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/open_file.h"
#include "base/out.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "native/log.h"
#include "reader/read/iter.h"

/* Event ids: the kind of the record minus one. An event without a payload has the id BARE - 1 and no text field,
 * because babeltrace2 2.0 shows the text of an earlier event instead of an empty text. */
enum { BARE = 64 };
/* COMPACT: the byte 255, which begins an event with a 4-byte id and all 64 bits of its time; UUID: bytes of a UUID;
 * HEADER: bytes of a packet's header and context */
enum { COMPACT = 255, UUID = 16, HEADER = 80 };
/* Sizes in bytes. TEXT: the longest text of a payload; EVENT_MAX: the largest event; PACKET: the memory for a packet;
 * PATH: the longest path. When a packet has PACKET_FULL bytes or more, it is written. */
enum { TEXT = 1 << 18, EVENT_MAX = TEXT + 128, PACKET = 2 * EVENT_MAX, PACKET_FULL = 1 << 16, PATH = 4096 };
#define MAGIC UINT32_C(0xc1fc1fc1)
#define START "/* CTF 1.8 */\n"

struct ctf {
    struct pithlog *log;
    unsigned char uuid[UUID]; /* the same in the metadata and in all packets: shows that they belong to one trace */
    int64_t base_ns;          /* the log time at which the clock of the trace shows 0; 0 or negative */
};

static int write_failed(const char *path)
{
    return pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Writes a quoted string. Control characters are escaped as in `pith print`. Then the backslashes are escaped for TSDL,
 * so that readers show the same text as `pith print`. */
static void put_string(struct pithi_out *out, const char *text)
{
    char *plain = pithi_quoted(PITHI_QUOTE_TABS, text);
    pithi_out_char(out, '"');
    for (const char *c = plain ? plain : "?"; *c; c++) {
        if (*c == '"' || *c == '\\')
            pithi_out_char(out, '\\');
        pithi_out_char(out, *c);
    }
    pithi_out_char(out, '"');
    free(plain);
}

/* Writes an entry of an enumeration: a name and its number. */
static void put_label(struct pithi_out *out, uint32_t number, const char *name, int *begun)
{
    pithi_out_text(out, *begun ? ",\n    " : "\n    ");
    put_string(out, *name ? name : "(no name)");
    pithi_out_text(out, " = ");
    pithi_out_u64(out, number);
    *begun = 1;
}

/* Writes the names of definitions as an enumeration, which must not be empty. */
static void put_definitions(struct pithi_out *out, const struct pithlog *log, enum pithlog_def_kind kind,
                            const char *type)
{
    const struct pithlog_def *def;
    int begun = 0;
    pithi_out_text(out, "enum ");
    pithi_out_text(out, type);
    pithi_out_text(out, " : uint32_t {");
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == kind)
            put_label(out, id, def->name, &begun);
    if (!begun)
        /* TSDL does not allow an empty enumeration, so it gets a label for a number that no record uses */
        put_label(out, UINT32_MAX, "none", &begun);
    pithi_out_text(out, "\n};\n");
}

/* ---- The trace --------------------------------------------------------------------------------------------------- */

static void put_entry(struct pithi_out *out, const char *key, const char *value)
{
    pithi_out_text(out, "    ");
    pithi_out_text(out, key);
    pithi_out_text(out, " = ");
    put_string(out, value);
    pithi_out_text(out, ";\n");
}

/* Gets the start time of the log, such as "1000000000.000000123", as seconds and nanoseconds. Returns 0 if it is
 * unknown. */
static int start_time(const struct ctf *ctf, int64_t *seconds, int64_t *ns)
{
    const char *text = pithi_property(ctf->log, "start_unix_s");
    char *end, *last;
    int64_t scale = 1000000000;
    /* a larger number of seconds would overflow in ns */
    if (!text || (*seconds = strtoll(text, &end, 10)) <= 0 || *seconds > INT64_MAX / 2000000000)
        return 0;
    *ns = 0;
    if (*end == '.' && strlen(end + 1) <= 9) {
        *ns = strtoll(end + 1, &last, 10);
        /* ".5" is 500,000,000 ns: each digit divides the scale by ten */
        for (const char *c = end + 1; c < last; c++)
            scale /= 10;
        *ns *= scale;
    }
    /* If the log has times below 0, the clock begins at base_ns, which is earlier than time 0. */
    int64_t start_ns = *seconds * 1000000000 + *ns + ctf->base_ns;
    *seconds = start_ns / 1000000000;
    *ns = start_ns % 1000000000;
    return start_ns >= 0;
}

/* ---- Metadata ---------------------------------------------------------------------------------------------------- */

/* Adds data to the two hashes of which the UUID is made. They start with different values. */
static void mix(uint64_t hash[2], const void *data, size_t size)
{
    for (int k = 0; k < 2; k++)
        hash[k] = pithi_hash_bytes(hash[k], data, size);
}

static int write_metadata(const struct ctf *ctf, const char *folder)
{
    char path[PATH];
    struct pithi_out out;
    FILE *file;
    int err;
    if (snprintf(path, sizeof path, "%s/metadata", folder) >= (int)sizeof path)
        return pithi_fail(PITH_ERR_IO, "%s: the name is too long", folder);
    if (!(file = pithi_make_stream(path, "w")))
        return write_failed(path);
    TRY(pithi_out_open(&out, file));
    /* Describes the number types and the header of a packet in TSDL. All numbers are little-endian and may begin at any
     * byte. */
    static const char types[] = "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
                                "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
                                "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
                                "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
                                "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;\n"
                                "\ntrace {\n    major = 1;\n    minor = 8;\n    byte_order = le;\n    uuid = ";
    pithi_out_text(&out, START "\n");
    pithi_out_text(&out, types);
    char uuid[40], *to = uuid;
    for (int i = 0; i < UUID; i++)
        to += sprintf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", ctf->uuid[i]);
    pithi_out_char(&out, '"');
    pithi_out_text(&out, uuid);
    pithi_out_text(&out, "\";\n");
    pithi_out_text(&out,
                   "    packet.header := struct {\n"
                   "        uint32_t magic;\n        uint8_t uuid[16];\n        uint32_t stream_id;\n    };\n};\n");
    /* Writes the hosts and the names of lanes, each as an entry with a key of its own. Lanes are sorted by rank, so the
     * host of a rank is written once. */
    const struct pithlog *log = ctf->log;
    const struct pithlog_lane *lane, *before = NULL;
    const char *program = pithi_property(log, "program");
    char key[80];
    pithi_out_text(&out, "\nenv {\n    tracer_name = \"pith\";\n    ranks = ");
    pithi_out_u64(&out, pithlog_get_info(log)->ranks);
    pithi_out_text(&out, ";\n");
    if (program)
        put_entry(&out, "program", program);
    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); before = lane, i++) {
        snprintf(key, sizeof key, "rank_%" PRId32 "_host", lane->rank);
        if ((!before || before->rank != lane->rank) && *lane->host)
            put_entry(&out, key, lane->host);
        snprintf(key, sizeof key, "rank_%" PRId32 "_thread_%" PRIu32 "_name", lane->rank, lane->thread);
        if (*lane->name)
            put_entry(&out, key, lane->name);
    }
    pithi_out_text(&out, "};\n");
    /* Writes when the log started, if this is known. Otherwise readers show times from 0 on. */
    int64_t seconds, ns;
    pithi_out_text(&out, "\nclock {\n    name = pith;\n    description = \"nanoseconds from the log's start\";\n"
                         "    freq = 1000000000;\n");
    if (start_time(ctf, &seconds, &ns)) {
        pithi_out_text(&out, "    offset_s = ");
        pithi_out_i64(&out, seconds);
        pithi_out_text(&out, ";\n    offset = ");
        pithi_out_i64(&out, ns);
        pithi_out_text(&out, ";\n    absolute = TRUE;\n");
    }
    pithi_out_text(
        &out, "};\n"
              "typealias integer { size = 32; align = 8; signed = false; map = clock.pith.value; } := time_low_t;\n"
              "typealias integer { size = 64; align = 8; signed = false; map = clock.pith.value; } := time_t;\n\n");
    put_definitions(&out, ctf->log, PITHLOG_STATE, "state");
    put_definitions(&out, ctf->log, PITHLOG_EVENT_TYPE, "event_type");
    put_definitions(&out, ctf->log, PITHLOG_COUNTER_TYPE, "counter");
    const struct pithlog_comm *comm;
    int begun = 0;
    pithi_out_text(&out, "enum communicator : uint32_t {");
    for (uint32_t i = 0; (comm = pithlog_get_comm(ctf->log, i)); i++)
        put_label(&out, i, comm->name, &begun);
    pithi_out_text(&out, "\n};\n");
    pithi_out_text(&out, "\nstruct packet_context {\n"
                         "    time_t timestamp_begin;\n    time_t timestamp_end;\n"
                         "    uint64_t content_size;\n    uint64_t packet_size;\n"
                         "    uint64_t packet_seq_num;\n    uint64_t events_discarded;\n"
                         "    int32_t rank;\n    uint32_t thread;\n};\n"
                         "struct event_header {\n"
                         "    enum : uint8_t { compact = 0 ... 254, extended = 255 } id;\n"
                         "    variant <id> {\n"
                         "        struct { time_low_t timestamp; } compact;\n"
                         "        struct { uint32_t id; time_t timestamp; } extended;\n"
                         "    } v;\n} align(8);\n"
                         "stream {\n    id = 0;\n    event.header := struct event_header;\n"
                         "    packet.context := struct packet_context;\n};\n");

    static const struct {
        int kind;
        const char *name, *fields;
    } events[] = {
        {PITHLOG_ENTER, "enter", "enum state state;"},
        {PITHLOG_LEAVE, "leave", "enum state state;"},
        {PITHLOG_EVENT, "event", "enum event_type name; string payload;"},
        {BARE, "event", "enum event_type name;"},
        {PITHLOG_COUNTER, "counter", "enum counter counter; double value;"},
        {PITHLOG_SEND, "send", "enum communicator comm; int32_t peer; int32_t tag; uint64_t bytes;"},
        {PITHLOG_RECV, "recv", "enum communicator comm; int32_t peer; int32_t tag; uint64_t bytes; uint64_t posted;"},
        {PITHLOG_COLL, "collective", "enum communicator comm; int32_t root; uint64_t bytes; uint64_t got_bytes;"},
        {PITHLOG_COMM_CREATE, "comm_create", "enum communicator comm;"},
        {PITHLOG_COMM_FREE, "comm_free", "enum communicator comm;"},
        {PITHLOG_PAUSE, "pause", ""},
        {PITHLOG_RESUME, "resume", ""},
        {PITHLOG_LOST, "lost", "uint64_t count;"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        pithi_out_text(&out, "event { id = ");
        /* id = kind - 1, as add_record writes it */
        pithi_out_i64(&out, events[i].kind - 1);
        pithi_out_text(&out, "; stream_id = 0; name = \"");
        pithi_out_text(&out, events[i].name);
        pithi_out_text(&out, "\"; fields := struct { ");
        pithi_out_text(&out, events[i].fields);
        pithi_out_text(&out, " }; };\n");
    }

    err = pithi_out_close(&out, err);
out:
    if (err == PITH_ERR_IO)
        write_failed(path);
    if (fclose(file) != 0 && !err)
        err = write_failed(path);
    return err;
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

struct stream {
    const struct ctf *ctf;
    const struct pithlog_lane *lane; /* of this stream */
    FILE *file;
    char path[PATH];
    unsigned char *data;                 /* the current packet */
    size_t used;                         /* bytes of the packet */
    uint64_t first, last, packets, lost; /* first, last: times of the first and last event of the packet, on the clock
                                            of the trace; packets: packets written so far; lost: records lost so far */
    char *text;                          /* text of a record's payload */
    struct pithi_losses losses;
    uint64_t cut; /* payloads that were too long */
};

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

/* Writes the packet. Sizes are in bits, and the packet has no padding. */
static int put_packet(struct stream *s)
{
    unsigned char *p = s->data;
    pithi_put32(p, MAGIC);
    memcpy(p + 4, s->ctf->uuid, UUID);
    pithi_put32(p + 20, 0); /* class 0 is the only class of streams */
    pithi_put64(p + 24, s->first);
    pithi_put64(p + 32, s->last);
    pithi_put64(p + 40, (uint64_t)s->used * 8);
    pithi_put64(p + 48, (uint64_t)s->used * 8);
    pithi_put64(p + 56, s->packets++);
    pithi_put64(p + 64, s->lost);
    pithi_put32(p + 72, (uint32_t)s->lane->rank);
    pithi_put32(p + 76, s->lane->thread);
    size_t size = s->used;
    /* the next packet starts empty; if it gets no event, its first time is the last time of this packet */
    s->used = HEADER;
    s->first = s->last;
    return fwrite(p, 1, size, s->file) == size ? PITH_OK : write_failed(s->path);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void add32(struct stream *s, uint32_t value)
{
    pithi_put32(s->data + s->used, value);
    s->used += 4;
}

static void add64(struct stream *s, uint64_t value)
{
    pithi_put64(s->data + s->used, value);
    s->used += 8;
}

static int add_record(struct stream *s, const struct pithlog_record *r)
{
    /* A lost record must be the first event of a packet, but not of the first packet. A reader places lost events
     * between the end of the packet before and this one, and Babeltrace 2.1 reports no lost events for a first packet.
     * So the current packet is written first, even if it is an empty first packet. */
    if (r->kind == PITHLOG_LOST && (s->used > HEADER || s->packets == 0))
        CHECK(put_packet(s));
    /* A compact event has only the low 32 bits of its time. If they are less than those of the event before, a reader
     * adds 2^32, but only once. So an event that comes later than that is written with all 64 bits. The first event of
     * a packet is always compact, because the context of the packet has its full time. */
    uint32_t kind = r->kind == PITHLOG_EVENT && !r->payload_bytes ? BARE : r->kind;
    uint64_t time = (uint64_t)r->time_ns - (uint64_t)s->ctf->base_ns;
    int compact = s->used > HEADER ? time - s->last <= UINT32_MAX : 1;
    if (s->used == HEADER)
        s->first = time;
    s->last = time;
    s->data[s->used++] = (unsigned char)(compact ? kind - 1 : COMPACT);
    if (compact) {
        add32(s, (uint32_t)time);
    } else {
        add32(s, kind - 1);
        add64(s, time);
    }
    /* Adds the fields in the order in which `events` in write_metadata() describes them. An event has at most EVENT_MAX
     * bytes, so it fits into any packet that is not full. */
    uint64_t bits;
    switch (r->kind) {
    case PITHLOG_ENTER:
    case PITHLOG_LEAVE:
        add32(s, r->id);
        break;
    case PITHLOG_EVENT:
        add32(s, r->id);
        if (r->payload_bytes) {
            /* The text of the payload ends with a NUL. Longer texts are cut and counted. */
            size_t length = pithlog_payload_text(s->ctf->log, r, s->text, TEXT);
            s->cut += length > TEXT;
            length = strlen(s->text) + 1;
            memcpy(s->data + s->used, s->text, length);
            s->used += length;
        }
        break;
    case PITHLOG_COUNTER:
        memcpy(&bits, &r->value, sizeof bits);
        add32(s, r->id);
        add64(s, bits);
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
    case PITHLOG_COLL:
        add32(s, r->comm);
        add32(s, (uint32_t)r->peer);
        if (r->kind != PITHLOG_COLL)
            add32(s, (uint32_t)r->tag);
        add64(s, r->bytes);
        if (r->kind != PITHLOG_SEND)
            add64(s, r->kind == PITHLOG_RECV ? r->posted : r->got_bytes);
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        add32(s, r->comm);
        break;
    case PITHLOG_LOST:
        add64(s, r->bytes);
        /* the packet's context has the number of all lost records so far */
        s->lost += r->bytes;
        break;
    default:
        break;
    }
    return s->used >= PACKET_FULL ? put_packet(s) : PITH_OK;
}

/* ---- A lane ------------------------------------------------------------------------------------------------------ */

/* Adds all records of a lane as they are; used for a whole log. */
static int add_all(struct stream *s, uint32_t lane)
{
    struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int err = pithlog_iter_open(s->ctf->log, &query, &iter), status = 0;
    while (err == PITH_OK && (status = pithlog_iter_next(iter, &record)) == 1) {
        pithi_losses_record(&s->losses, &record);
        err = add_record(s, &record);
    }
    pithlog_iter_close(iter);
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

/* Adds the records of a lane in a window, such that each begin of a state has an end, and each end a begin. */
static int add_window(struct stream *s, uint32_t lane, const struct pithi_convert *how)
{
    struct pithi_walk walk;
    struct pithlog_step step;
    int err = pithi_walk_open_lanes(&walk, s->ctf->log, how, &lane, 1), status = 0;
    walk.losses = &s->losses;
    while (err == PITH_OK && (status = pithi_walk_next(&walk, &step)) == 1)
        err = add_record(s, step.record);
    pithi_walk_close(&walk);
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

/* Writes the file of a lane, "rank_0_thread_1". A lane without records has an empty packet, so that readers show the
 * lane. */
static int write_lane(struct stream *s, const char *folder, uint32_t lane, const struct pithi_convert *how)
{
    int err;
    s->lane = pithlog_get_lane(s->ctf->log, lane);
    s->used = HEADER;
    s->first = s->last = s->packets = s->lost = 0;
    if (snprintf(s->path, sizeof s->path, "%s/rank_%d_thread_%u", folder, (int)s->lane->rank,
                 (unsigned)s->lane->thread) >= (int)sizeof s->path)
        return pithi_fail(PITH_ERR_IO, "%s: the name is too long", folder);
    if (!(s->file = pithi_make_stream(s->path, "w")))
        return write_failed(s->path);
    TRY(how->from_ns == INT64_MIN && how->to_ns == INT64_MAX ? add_all(s, lane) : add_window(s, lane, how));
    if (s->used > HEADER || s->packets == 0) /* an empty packet is written only if the lane has no other */
        TRY(put_packet(s));
out:
    if (fclose(s->file) != 0 && !err)
        err = write_failed(s->path);
    return err;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_ctf_write_folder(struct pithlog *log, const char *folder, const struct pithi_convert *how)
{
    struct ctf ctf;
    struct stream s = {.ctf = &ctf, .data = malloc(PACKET), .text = malloc(TEXT)};
    int err = s.data && s.text ? PITH_OK : pithi_no_memory();
    if (err)
        goto out;
    TRY(pithi_losses_open(&s.losses, log));

    /* The UUID is made from facts of the log, not at random, so that converting a log twice gives the same files. */
    const struct pithlog_info *info = pithlog_get_info(log);
    const uint64_t facts[] = {
        info->lanes,  info->defs,  info->records, (uint64_t)info->start_ns, (uint64_t)info->end_ns,
        info->states, info->events};
    uint64_t hash[2] = {PITHI_HASH, UINT64_C(0x9ae16a3b2f90404f)};
    const char *key, *value;
    const struct pithlog_def *def;
    ctf = (struct ctf){.log = log, .base_ns = info->records && info->start_ns < 0 ? info->start_ns : 0};
    mix(hash, facts, sizeof facts);
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)); i++)
        mix(hash, value, strlen(value));
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        mix(hash, def->name, strlen(def->name));
    memcpy(ctf.uuid, hash, sizeof ctf.uuid);
    ctf.uuid[6] = (unsigned char)(0x40 | (ctf.uuid[6] & 15)); /* UUID version 4: all other bits have no meaning */
    ctf.uuid[8] = (unsigned char)(0x80 | (ctf.uuid[8] & 63));

    TRY(write_metadata(&ctf, folder));
    for (uint32_t lane = 0; lane < info->lanes; lane++)
        TRY(write_lane(&s, folder, lane, how));
    uint32_t members = 0;
    for (uint32_t i = 1; i < info->comms; i++)
        /* The loop begins at 1, because everyone knows the members of communicator 0, the world: all ranks. */
        members += pithlog_get_comm(log, i)->size > 0;
    pithi_note(how, members, "communicators: their members are left out");
    pithi_losses_keep(&s.losses, "program");
    pithi_losses_keep(&s.losses, "start_unix_s");
    pithi_losses_tell(&s.losses, how);
    pithi_note(how, s.cut, "payloads of events are cut");
out:
    free(s.data);
    free(s.text);
    pithi_losses_close(&s.losses);
    return err;
}

int pithi_ctf_probe(const struct pithi_input *input)
{
    char path[PATH], start[sizeof START] = "";
    FILE *file;
    if (input->data || snprintf(path, sizeof path, "%s/metadata", input->path) >= (int)sizeof path ||
        !(file = pithi_open_whole(path)))
        return 0;
    size_t got = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    return got == sizeof start - 1 && strcmp(start, START) == 0;
}
