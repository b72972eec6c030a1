/* ctf_metadata.c - writes the description of the streams in TSDL, the metadata language of CTF. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/out.h"
#include "foreign/ctf/ctf.h"

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Writes a quoted string. Control characters are escaped as in `pith print`. The result is escaped once more, so that
 * readers show the same text as `pith print`. */
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

static void put_label(struct pithi_out *out, uint32_t number, const char *name, int *begun)
{
    pithi_out_text(out, *begun ? ",\n    " : "\n    ");
    put_string(out, *name ? name : "(no name)");
    pithi_out_text(out, " = ");
    pithi_out_u64(out, number);
    *begun = 1;
}

/* An enumeration must not be empty. */
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
        put_label(out, UINT32_MAX, "none", &begun);
    pithi_out_text(out, "\n};\n");
}

/* ---- The trace --------------------------------------------------------------------------------------------------- */

static void put_uuid(struct pithi_out *out, const unsigned char uuid[PITHI_CTF_UUID])
{
    char text[40], *to = text;
    for (int i = 0; i < PITHI_CTF_UUID; i++)
        to += sprintf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    pithi_out_char(out, '"');
    pithi_out_text(out, text);
    pithi_out_text(out, "\";\n");
}

static void put_trace(const struct pithi_ctf *ctf, struct pithi_out *out)
{
    static const char types[] = "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
                                "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
                                "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
                                "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
                                "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;\n"
                                "\ntrace {\n    major = 1;\n    minor = 8;\n    byte_order = le;\n    uuid = ";
    pithi_out_text(out, PITHI_CTF_START "\n");
    pithi_out_text(out, types);
    put_uuid(out, ctf->uuid);
    pithi_out_text(out,
                   "    packet.header := struct {\n"
                   "        uint32_t magic;\n        uint8_t uuid[16];\n        uint32_t stream_id;\n    };\n};\n");
}

static const char *property(const struct pithlog *log, const char *wanted)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)); i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

static void put_entry(struct pithi_out *out, const char *key, const char *value)
{
    pithi_out_text(out, "    ");
    pithi_out_text(out, key);
    pithi_out_text(out, " = ");
    put_string(out, value);
    pithi_out_text(out, ";\n");
}

/* Parses "1000000000.000000123" as seconds and nanoseconds. 0: unknown. */
static int start_time(const struct pithi_ctf *ctf, int64_t *seconds, int64_t *ns)
{
    const char *text = property(ctf->log, "start_unix_s");
    char *end, *last;
    int64_t scale = 1000000000;
    if (!text || (*seconds = strtoll(text, &end, 10)) <= 0 || *seconds > INT64_MAX / 2000000000)
        return 0;
    *ns = 0;
    if (*end == '.' && strlen(end + 1) <= 9) {
        *ns = strtoll(end + 1, &last, 10);
        for (const char *c = end + 1; c < last; c++)
            scale /= 10;
        *ns *= scale;
    }
    int64_t start_ns = *seconds * 1000000000 + *ns + ctf->base_ns;
    *seconds = start_ns / 1000000000;
    *ns = start_ns % 1000000000;
    return start_ns >= 0;
}

static void put_clock(const struct pithi_ctf *ctf, struct pithi_out *out)
{
    int64_t seconds, ns;
    pithi_out_text(out, "\nclock {\n    name = pith;\n    description = \"nanoseconds from the log's start\";\n"
                        "    freq = 1000000000;\n");
    if (start_time(ctf, &seconds, &ns)) {
        pithi_out_text(out, "    offset_s = ");
        pithi_out_i64(out, seconds);
        pithi_out_text(out, ";\n    offset = ");
        pithi_out_i64(out, ns);
        pithi_out_text(out, ";\n    absolute = TRUE;\n");
    }
    pithi_out_text(
        out, "};\n"
             "typealias integer { size = 32; align = 8; signed = false; map = clock.pith.value; } := time_low_t;\n"
             "typealias integer { size = 64; align = 8; signed = false; map = clock.pith.value; } := time_t;\n\n");
}

/* ---- Streams and events ------------------------------------------------------------------------------------------ */

static void put_stream(struct pithi_out *out)
{
    pithi_out_text(out, "\nstruct packet_context {\n"
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
}

static void put_events(struct pithi_out *out)
{
    static const struct {
        int kind;
        const char *name, *fields;
    } events[] = {
        {PITHLOG_ENTER, "enter", "enum state state;"},
        {PITHLOG_LEAVE, "leave", "enum state state;"},
        {PITHLOG_EVENT, "event", "enum event_type name; string payload;"},
        {PITHI_CTF_BARE, "event", "enum event_type name;"},
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
        pithi_out_text(out, "event { id = ");
        pithi_out_i64(out, events[i].kind - 1);
        pithi_out_text(out, "; stream_id = 0; name = \"");
        pithi_out_text(out, events[i].name);
        pithi_out_text(out, "\"; fields := struct { ");
        pithi_out_text(out, events[i].fields);
        pithi_out_text(out, " }; };\n");
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

/* Adds data to two hashes with different starts, so that the same log always has the same UUID. */
static void mix(uint64_t hash[2], const void *data, size_t size)
{
    for (int k = 0; k < 2; k++)
        hash[k] = pithi_hash_bytes(hash[k], data, size);
}

void pithi_ctf_begin(struct pithi_ctf *ctf, struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    const uint64_t facts[] = {
        info->lanes,  info->defs,  info->records, (uint64_t)info->start_ns, (uint64_t)info->end_ns,
        info->states, info->events};
    uint64_t hash[2] = {PITHI_HASH, UINT64_C(0x9ae16a3b2f90404f)};
    const char *key, *value;
    const struct pithlog_def *def;
    *ctf = (struct pithi_ctf){.log = log, .base_ns = info->records && info->start_ns < 0 ? info->start_ns : 0};
    mix(hash, facts, sizeof facts);
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)); i++)
        mix(hash, value, strlen(value));
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        mix(hash, def->name, strlen(def->name));
    memcpy(ctf->uuid, hash, sizeof ctf->uuid);
    ctf->uuid[6] = (unsigned char)(0x40 | (ctf->uuid[6] & 15)); /* UUID version 4: the bits have no meaning */
    ctf->uuid[8] = (unsigned char)(0x80 | (ctf->uuid[8] & 63));
}

int pithi_ctf_metadata(const struct pithi_ctf *ctf, FILE *file)
{
    struct pithi_out out;
    int err;
    TRY(pithi_out_open(&out, file));
    put_trace(ctf, &out);
    /* Each host and each lane name has its own key. */
    const struct pithlog *log = ctf->log;
    const struct pithlog_lane *lane, *before = NULL;
    const char *program = property(log, "program");
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
    put_clock(ctf, &out);
    put_definitions(&out, ctf->log, PITHLOG_STATE, "state");
    put_definitions(&out, ctf->log, PITHLOG_EVENT_TYPE, "event_type");
    put_definitions(&out, ctf->log, PITHLOG_COUNTER_TYPE, "counter");
    const struct pithlog_comm *comm;
    int begun = 0;
    pithi_out_text(&out, "enum communicator : uint32_t {");
    for (uint32_t i = 0; (comm = pithlog_get_comm(ctf->log, i)); i++)
        put_label(&out, i, comm->name, &begun);
    pithi_out_text(&out, "\n};\n");
    put_stream(&out);
    put_events(&out);
    err = pithi_out_close(&out, err);
out:
    return err;
}
