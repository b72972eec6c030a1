/* paje_write.c - native records to Paje's trace format, which ViTE, PajeNG and R scripts on pj_dump read. A file begins
 * with the definitions of its events and their fields; types of containers, states, events, variables and links; states
 * with their colours; and containers (README.md). One line per event follows, in order of time. The log's reader
 * delivers messages in the order in which it matches them, not in order of time. So a first pass over the log sorts
 * their ends by time on disk, and a second pass merges these ends with the records.
 *
 *     5 s2 S "MPI_Send" "0.164 0.615 0.360"       state s2 of type S, with its colour
 *     9 0.000050000 S l0 s2                       lane l0 enters it
 *     12 0.000050000 L p0 l0 "MPI_COMM_WORLD" k1 7 1000      message k1 leaves l0: tag 7, 1000 bytes
 *     10 0.000053000 S l0                         l0 leaves its innermost state
 *     13 0.000055000 L p0 l1 "MPI_COMM_WORLD" k1  message k1 comes to l1
 *
 * Lines refer to types, values and containers by their aliases: CP, CR and CT are the container types Program, Rank and
 * Thread; S is the type of states, L that of links. s, e or v with the id of a definition is a state, an event type or
 * a counter. o0, o1 and o2 are the types of the events that stand for pauses, resumes and lost records. p0 is the
 * container of the program; r and l with the number of a lane are the containers of a rank and of a thread. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/out.h"
#include "base/sorter.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "native/log.h"

/* The numbers of events in the file. */
enum paje_event {
    PAJE_CONTAINER_TYPE,
    PAJE_STATE_TYPE,
    PAJE_EVENT_TYPE,
    PAJE_VARIABLE_TYPE,
    PAJE_LINK_TYPE,
    PAJE_VALUE,
    PAJE_CREATE,
    PAJE_DESTROY,
    PAJE_SET_VARIABLE,
    PAJE_PUSH,
    PAJE_POP,
    PAJE_NEW_EVENT,
    PAJE_START_LINK,
    PAJE_END_LINK
};

/* Writes a blank and `text` in double quotes. Paje has no escapes. So control characters are written as `pith print`
 * writes them, and double quotes in the text become single quotes. Readers of Paje do not accept empty strings, so an
 * empty text becomes "(none)". Returns 1 if a double quote became a single one. */
static int put_string(struct pithi_out *out, enum pithi_quote quote, const char *text)
{
    char *plain = pithi_quoted(quote, text);
    int changed = strchr(text, '"') != NULL;
    pithi_out_text(out, " \"");
    if (!*text)
        pithi_out_text(out, "(none)");
    for (const char *c = plain ? plain : "?"; *c; c++)
        pithi_out_char(out, *c == '"' ? '\'' : *c);
    pithi_out_char(out, '"');
    free(plain);
    return changed;
}

/* Writes the number of an event and its time; the caller ends the line. */
static void begin_event(struct pithi_out *out, enum paje_event event, int64_t time_ns)
{
    pithi_out_u64(out, event);
    pithi_out_char(out, ' ');
    pithi_out_seconds(out, time_ns);
}

/* Writes an alias: " a7". */
static void put_alias(struct pithi_out *out, char kind, uint64_t number)
{
    pithi_out_char(out, ' ');
    pithi_out_char(out, kind);
    pithi_out_u64(out, number);
}

/* ---- Types and values -------------------------------------------------------------------------------------------- */

static void put_line(struct pithi_out *out, enum paje_event event, const char *rest)
{
    pithi_out_u64(out, event);
    pithi_out_char(out, ' ');
    pithi_out_text(out, rest);
    pithi_out_char(out, '\n');
}

/* Writes a line that defines an event type, a variable type or a value, with its alias (`kind` and `number`), the type
 * that it belongs to, its name and its colour. Returns 1 if a double quote in the name became a single one. */
static int put_named(struct pithi_out *out, enum paje_event event, char kind, uint32_t number, const char *type,
                     const char *name, uint32_t rgb)
{
    pithi_out_u64(out, event);
    put_alias(out, kind, number);
    pithi_out_char(out, ' ');
    pithi_out_text(out, type);
    int changed = put_string(out, PITHI_QUOTE_TABS, name);
    char text[40];
    /* Writes each fraction from whole numbers, because "%f" would use the decimal point of the locale. */
    for (int i = 0, at = 0; i < 3; i++) {
        unsigned thousandths = (rgb >> (16 - 8 * i) & 255) * 1000 / 255;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%u.%03u", i ? " " : "", thousandths / 1000,
                       thousandths % 1000);
    }
    put_string(out, PITHI_QUOTE_TABS, text);
    pithi_out_char(out, '\n');
    return changed;
}

/* ---- Containers -------------------------------------------------------------------------------------------------- */

/* Writes a line that creates a container. `rest` is its type and its parent. Returns 1 if a double quote in the name
 * became a single one. */
static int put_container(struct pithi_out *out, char kind, uint32_t lane, const char *rest, const char *name)
{
    begin_event(out, PAJE_CREATE, 0);
    put_alias(out, kind, lane);
    pithi_out_text(out, rest);
    int changed = put_string(out, PITHI_QUOTE_TABS, name);
    pithi_out_char(out, '\n');
    return changed;
}

static void destroy(struct pithi_out *out, const char *type, char kind, uint32_t lane, int64_t end_ns)
{
    begin_event(out, PAJE_DESTROY, end_ns);
    pithi_out_text(out, type);
    put_alias(out, kind, lane);
    pithi_out_char(out, '\n');
}

/* ---- The writer -------------------------------------------------------------------------------------------------- */

enum { TEXT = 4096 }; /* most bytes of a payload as text, with its NUL */

/* One end of a message. */
struct end {
    uint64_t key, bytes; /* key: number of the message, which is the same at both ends */
    uint32_t lane, comm; /* lane: index of the lane; comm: communicator of the log */
    int32_t tag;
    int sent; /* 1: the send */
};

struct paje_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_sorter *ends; /* ends of messages, by time; at the same time, receives before sends */
    int err;
    int64_t start_ns, last_ns; /* start_ns: time of the log that is time 0 of the file; last_ns: time of the last
                                  record */
    struct pithi_losses losses;
    uint64_t no_numbers, cut, quotes; /* counts for the notes to the user: counter values that are no finite numbers,
                                         payloads that were cut, texts with changed quotes */
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Writes "9 0.001000000 S l4". */
static void begin_line(struct paje_writer *w, enum paje_event event, int64_t time_ns, const char *type, uint32_t lane)
{
    begin_event(&w->out, event, time_ns - w->start_ns);
    pithi_out_char(&w->out, ' ');
    pithi_out_text(&w->out, type);
    put_alias(&w->out, 'l', lane);
    w->last_ns = time_ns;
}

static void end_line(struct paje_writer *w) { pithi_out_char(&w->out, '\n'); }

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void add_end(struct paje_writer *w, int64_t time_ns, const struct end *e)
{
    struct pithi_sort_key key = {{pithi_sort_time(time_ns), (uint64_t)e->sent}};
    if (w->err == PITH_OK)
        w->err = pithi_sorter_add(w->ends, &key, e, sizeof *e);
}

static void add_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct end e = {.key = number, .bytes = m->bytes, .lane = m->send_lane, .comm = m->comm, .tag = m->tag, .sent = 1};
    add_end(context, m->send_ns, &e);
    e.sent = 0;
    e.lane = m->recv_lane;
    add_end(context, m->recv_ns, &e);
}

/* Writes the sends and receives that happen before `time`, in order of time. If `receives` is 1, also writes the
 * receives exactly at `time`. The caller sets `receives` to 1 before it writes the end of a state, because an MPI call
 * ends when its message is received, so the receive comes first in the log, too. */
static void put_ends_before(struct paje_writer *w, uint64_t time, uint64_t receives)
{
    struct pithi_sorted item;
    struct end e;
    int status;
    while ((status = pithi_sorter_before(w->ends, time, receives, &item)) == 1) {
        memcpy(&e, item.data, sizeof e);
        /* Writes a line such as 12 0.001000000 L p0 l3 "MPI_COMM_WORLD" k17 5 1000. Links belong to the container of
         * the program. */
        int64_t time_ns = pithi_sorted_time(&item);
        begin_event(&w->out, e.sent ? PAJE_START_LINK : PAJE_END_LINK, time_ns - w->start_ns);
        pithi_out_text(&w->out, " L p0");
        put_alias(&w->out, 'l', e.lane);
        put_string(&w->out, PITHI_QUOTE_TABS, pithlog_get_comm(w->log, e.comm)->name);
        put_alias(&w->out, 'k', e.key);
        if (e.sent) {
            pithi_out_char(&w->out, ' ');
            pithi_out_i64(&w->out, e.tag);
            pithi_out_char(&w->out, ' ');
            pithi_out_u64(&w->out, e.bytes);
        }
        end_line(w);
        w->last_ns = time_ns;
    }
    if (status < 0)
        w->err = PITH_ERR_IO;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct paje_writer *w = context;
    put_ends_before(w, pithi_sort_time(time_ns), 0);
    begin_line(w, PAJE_PUSH, time_ns, "S", lane);
    put_alias(&w->out, 's', id);
    end_line(w);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    (void)id;
    put_ends_before(context, pithi_sort_time(time_ns), 1);
    begin_line(context, PAJE_POP, time_ns, "S", lane);
    end_line(context);
}

static int put_record(void *context, const struct pithlog_step *step)
{
    struct paje_writer *w = context;
    const struct pithlog_record *r = step->record;
    put_ends_before(w, pithi_sort_time(r->time_ns), 0);
    switch (r->kind) {
    case PITHLOG_EVENT: {
        /* The value of the line is the payload, or the name of the event if it has no payload. */
        const struct pithlog_def *def = pithlog_get_def(w->log, r->id);
        char type[16], text[TEXT];
        snprintf(type, sizeof type, "e%u", (unsigned)r->id);
        begin_line(w, PAJE_NEW_EVENT, r->time_ns, type, r->lane);
        if (r->payload_bytes) {
            w->cut += pithlog_payload_text(w->log, r, text, sizeof text) > sizeof text;
            w->quotes += put_string(&w->out, PITHI_QUOTE_TEXT, text);
        } else {
            put_string(&w->out, PITHI_QUOTE_TABS, def->name);
        }
        end_line(w);
        break;
    }
    case PITHLOG_COUNTER: {
        char type[16];
        if (!(r->value - r->value == 0)) {
            w->no_numbers++;
            break;
        }
        snprintf(type, sizeof type, "v%u", (unsigned)r->id);
        begin_line(w, PAJE_SET_VARIABLE, r->time_ns, type, r->lane);
        pithi_out_char(&w->out, ' ');
        pithi_out_double(&w->out, r->value);
        end_line(w);
        break;
    }
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
    case PITHLOG_LOST: {
        static const char *const types[] = {"o0", "o1", "o2"}; /* aliases that begin() defines */
        begin_line(w, PAJE_NEW_EVENT, r->time_ns, types[r->kind - PITHLOG_PAUSE], r->lane);
        pithi_out_char(&w->out, ' ');
        pithi_out_u64(&w->out, r->bytes);
        end_line(w);
        break;
    }
    default:
        break;
    }
    return 1;
}

static void begin(void *context, int64_t from_ns)
{
    struct paje_writer *w = context;
    w->start_ns = w->last_ns = from_ns;
    pithi_losses_zero(&w->losses, from_ns);
    /* The definitions of events, types and values precede all records. */
    struct pithi_out *out = &w->out;
    struct pithlog *log = w->log;

    static const struct {
        enum paje_event number;
        const char *name, *fields;
    } events[] = {
        {PAJE_CONTAINER_TYPE, "PajeDefineContainerType", "Alias string;Type string;Name string;"},
        {PAJE_STATE_TYPE, "PajeDefineStateType", "Alias string;Type string;Name string;"},
        {PAJE_EVENT_TYPE, "PajeDefineEventType", "Alias string;Type string;Name string;Color color;"},
        {PAJE_VARIABLE_TYPE, "PajeDefineVariableType", "Alias string;Type string;Name string;Color color;"},
        {PAJE_LINK_TYPE, "PajeDefineLinkType",
         "Alias string;Type string;StartContainerType string;EndContainerType string;Name string;"},
        {PAJE_VALUE, "PajeDefineEntityValue", "Alias string;Type string;Name string;Color color;"},
        {PAJE_CREATE, "PajeCreateContainer", "Time date;Alias string;Type string;Container string;Name string;"},
        {PAJE_DESTROY, "PajeDestroyContainer", "Time date;Type string;Name string;"},
        {PAJE_SET_VARIABLE, "PajeSetVariable", "Time date;Type string;Container string;Value double;"},
        {PAJE_PUSH, "PajePushState", "Time date;Type string;Container string;Value string;"},
        {PAJE_POP, "PajePopState", "Time date;Type string;Container string;"},
        {PAJE_NEW_EVENT, "PajeNewEvent", "Time date;Type string;Container string;Value string;"},
        {PAJE_START_LINK, "PajeStartLink",
         "Time date;Type string;Container string;StartContainer string;Value string;Key string;Tag int;Bytes string;"},
        {PAJE_END_LINK, "PajeEndLink",
         "Time date;Type string;Container string;EndContainer string;Value string;Key string;"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        pithi_out_text(out, "%EventDef ");
        pithi_out_text(out, events[i].name);
        pithi_out_char(out, ' ');
        pithi_out_u64(out, events[i].number);
        pithi_out_text(out, "\n% ");
        for (const char *c = events[i].fields; *c; c++)
            pithi_out_text(out, *c != ';' ? (char[]){*c, 0} : c[1] ? "\n% " : "\n");
        pithi_out_text(out, "%EndEventDef\n");
    }

    put_line(out, PAJE_CONTAINER_TYPE, "CP 0 \"Program\"");
    put_line(out, PAJE_CONTAINER_TYPE, "CR CP \"Rank\"");
    put_line(out, PAJE_CONTAINER_TYPE, "CT CR \"Thread\"");
    put_line(out, PAJE_STATE_TYPE, "S CT \"State\"");
    put_line(out, PAJE_LINK_TYPE, "L CP CT CT \"Message\"");

    /* names of the event types with the aliases o0, o1 and o2 */
    static const char *const own[] = {"recording paused", "recording resumed", "records lost"};
    const struct pithlog_def *def;
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++) {
        uint32_t rgb = pithlog_def_rgb(log, id);
        if (def->kind == PITHLOG_STATE)
            w->quotes += put_named(out, PAJE_VALUE, 's', id, "S", def->name, rgb);
        else if (def->kind == PITHLOG_EVENT_TYPE)
            w->quotes += put_named(out, PAJE_EVENT_TYPE, 'e', id, "CT", def->name, rgb);
        else
            w->quotes += put_named(out, PAJE_VARIABLE_TYPE, 'v', id, "CT", def->name, rgb);
    }
    for (uint32_t i = 0; i < sizeof own / sizeof *own; i++)
        put_named(out, PAJE_EVENT_TYPE, 'o', i, "CT", own[i], 0x808080);

    /* Creates all containers at time 0. The alias of a rank has the number of the rank's first lane. Each container
     * gets a name of its own, because PajeNG finds containers by name, too. */
    const struct pithlog_lane *lane;
    uint32_t first = 0;
    const char *program = pithi_property(log, "program");
    char name[640], parent[32];
    w->quotes += put_container(out, 'p', 0, " CP 0", program ? program : "program");
    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++) {
        if (i == 0 || pithlog_get_lane(log, first)->rank != lane->rank) {
            first = i;
            snprintf(name, sizeof name, *lane->host ? "rank %" PRId32 " (%.500s)" : "rank %" PRId32, lane->rank,
                     lane->host);
            w->quotes += put_container(out, 'r', i, " CR p0", name);
        }
        snprintf(parent, sizeof parent, " CT r%" PRIu32, first);
        snprintf(name, sizeof name, *lane->name ? "%" PRId32 ".%" PRIu32 " %.500s" : "%" PRId32 ".%" PRIu32, lane->rank,
                 lane->thread, lane->name);
        w->quotes += put_container(out, 'l', i, parent, name);
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int write_all(struct paje_writer *w, const struct pithi_convert *how)
{
    struct pithi_each each = {w, begin, put_record, NULL, &w->out.failed, &w->losses, begin_state, end_state};
    struct pithi_each ends = {.context = w, .message = add_message, .failed = &w->err, .losses = &w->losses};
    CHECK(pithi_sorter_new(&w->ends, PITHI_SORTER_BYTES));
    CHECK(pithi_each_message(w->log, how, &ends));
    CHECK(w->err);
    CHECK(pithi_sorter_end(w->ends));
    CHECK(pithi_each_record(w->log, how, &each));
    put_ends_before(w, UINT64_MAX, 0);
    /* Destroys all containers at the time of the last record. */
    int64_t end_ns = w->last_ns - w->start_ns;
    const struct pithlog_lane *lane, *next;
    uint32_t first = 0;
    for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); i++) {
        next = pithlog_get_lane(w->log, i + 1);
        destroy(&w->out, " CT", 'l', i, end_ns);
        if (next && next->rank == lane->rank)
            continue;
        destroy(&w->out, " CR", 'r', first, end_ns);
        first = i + 1;
    }
    destroy(&w->out, " CP", 'p', 0, end_ns);
    return w->err;
}

int pithi_paje_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct paje_writer w = {.log = log};
    int err;
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_out_open(&w.out, out));
    err = pithi_out_close(&w.out, write_all(&w, how));
    if (err == PITH_OK) {
        pithi_losses_keep(&w.losses, "program");
        pithi_losses_tell(&w.losses, how);
        pithi_note(how, w.no_numbers, "values of counters that are no finite numbers are left out");
        pithi_note(how, w.cut, "payloads of events are cut");
        pithi_note(how, w.quotes, "names and payloads have double quotes: these became single ones");
    }
out:
    pithi_sorter_free(w.ends);
    pithi_losses_close(&w.losses);
    return err;
}
