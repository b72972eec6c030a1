/* chrome_write.c - native records to the Trace Event Format: an object with "traceEvents". Each event has a phase "ph":
 * B and E for states, i for events, C for counters, s and f for the ends of messages, M for names. A process is a rank
 * and a thread is a lane. Times are microseconds with three decimals. Events need not be in time order, so messages
 * follow the other events.
 *
 *     {"ph":"B","pid":0,"tid":0,"ts":50.000,"name":"MPI_Send","cat":"MPI point-to-point"},
 *     {"ph":"E","pid":0,"tid":0,"ts":53.000},
 *     {"ph":"s","pid":0,"tid":0,"ts":50.000,"bp":"e","name":"message","cat":"message","id":1,"args":{...}},
 *     {"ph":"f","pid":1,"tid":0,"ts":55.000,"bp":"e","name":"message","cat":"message","id":1,"args":{...}}
 *
 * E has no name, because it ends the state that began last on its thread. So states must nest; foreign/walk.h makes
 * them nest. */
#include "foreign/formats.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/out.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "native/defs.h"

enum { TEXT = 4096 }; /* bytes of a payload */

struct chrome_writer {
    struct pithlog *log;
    struct pithi_out out;
    char **names;    /* by definition, as JSON */
    char **groups;   /* by definition, malloc'ed */
    int64_t zero_ns; /* the log time that is ts 0 in the file */
    int begun;       /* 1: the next event needs a comma before it */
    struct pithi_losses losses;
    uint64_t no_numbers, cut; /* counted for the notes. no_numbers: counter values that are infinite or NaN; cut:
                                 payloads that were cut */
};

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Writes the common part of all events and leaves the object open. */
static void begin_event(struct chrome_writer *w, const char *phase, uint32_t lane)
{
    const struct pithlog_lane *l = pithlog_get_lane(w->log, lane);
    pithi_out_text(&w->out, w->begun ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    pithi_out_text(&w->out, phase);
    pithi_out_text(&w->out, "\",\"pid\":");
    pithi_out_i64(&w->out, l->rank);
    pithi_out_text(&w->out, ",\"tid\":");
    pithi_out_u64(&w->out, l->thread);
    w->begun = 1;
}

static void begin_timed(struct chrome_writer *w, const char *phase, uint32_t lane, int64_t time_ns)
{
    begin_event(w, phase, lane);
    pithi_out_text(&w->out, ",\"ts\":");
    uint64_t at_ns = (uint64_t)time_ns - (uint64_t)w->zero_ns;
    char rest[4] = {'.', (char)('0' + at_ns / 100 % 10), (char)('0' + at_ns / 10 % 10), (char)('0' + at_ns % 10)};
    pithi_out_u64(&w->out, at_ns / 1000);
    pithi_out_bytes(&w->out, rest, sizeof rest);
}

static void put_name(struct chrome_writer *w, uint32_t id)
{
    pithi_out_text(&w->out, ",\"name\":");
    pithi_out_text(&w->out, w->names[id]);
    pithi_out_text(&w->out, ",\"cat\":");
    pithi_out_text(&w->out, w->groups[id]);
}

static void put_number(struct chrome_writer *w, const char *key, int64_t value)
{
    pithi_out_text(&w->out, key);
    pithi_out_i64(&w->out, value);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Writes a metadata event that sets a name. If `made` is 1, the log has no such name and the writer made it; then the
 * event gets a mark, so that the reader ignores the name. */
static void put_meta(struct chrome_writer *w, uint32_t lane, const char *what, const char *name, int made)
{
    begin_event(w, "M", lane);
    pithi_out_text(&w->out, ",\"name\":\"");
    pithi_out_text(&w->out, what);
    pithi_out_text(&w->out, "\",\"args\":{\"name\":");
    pithi_out_quoted(&w->out, PITHI_QUOTE_JSON, name);
    pithi_out_text(&w->out, made ? ",\"made\":true}}" : "}}");
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct chrome_writer *w = context;
    begin_timed(w, "B", lane, time_ns);
    put_name(w, id);
    pithi_out_char(&w->out, '}');
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct chrome_writer *w = context;
    (void)id;
    begin_timed(w, "E", lane, time_ns);
    pithi_out_char(&w->out, '}');
}

static int put_record(void *context, const struct pithlog_step *step)
{
    struct chrome_writer *w = context;
    const struct pithlog_record *r = step->record;
    switch (r->kind) {
    case PITHLOG_EVENT: {
        char text[TEXT];
        begin_timed(w, "i", r->lane, r->time_ns);
        put_name(w, r->id);
        pithi_out_text(&w->out, ",\"s\":\"t\"");
        if (r->payload_bytes) {
            w->cut += pithlog_payload_text(w->log, r, text, sizeof text) > sizeof text;
            pithi_out_text(&w->out, ",\"args\":{\"payload\":");
            pithi_out_quoted(&w->out, PITHI_QUOTE_JSON, text);
            pithi_out_char(&w->out, '}');
        }
        pithi_out_char(&w->out, '}');
        break;
    }
    case PITHLOG_COUNTER: {
        /* In this format counters belong to processes. So the counters of each thread but the first have the number of
         * the thread as their id. */
        uint32_t thread = pithlog_get_lane(w->log, r->lane)->thread;
        if (!(r->value - r->value == 0)) { /* JSON has no infinity and no NaN */
            w->no_numbers++;
            break;
        }
        begin_timed(w, "C", r->lane, r->time_ns);
        put_name(w, r->id);
        if (thread)
            put_number(w, ",\"id\":", thread);
        pithi_out_text(&w->out, ",\"args\":{\"value\":");
        pithi_out_double(&w->out, r->value);
        pithi_out_text(&w->out, "}}");
        break;
    }
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
    case PITHLOG_LOST: {
        static const char *const names[] = {"recording paused", "recording resumed", "records lost"};
        begin_timed(w, "i", r->lane, r->time_ns);
        pithi_out_text(&w->out, ",\"s\":\"t\",\"cat\":\"pith\",\"name\":\"");
        pithi_out_text(&w->out, names[r->kind - PITHLOG_PAUSE]);
        pithi_out_char(&w->out, '"');
        if (r->kind == PITHLOG_LOST)
            put_number(w, ",\"args\":{\"count\":", (int64_t)r->bytes);
        pithi_out_text(&w->out, r->kind == PITHLOG_LOST ? "}}" : "}");
        break;
    }
    default:
        break;
    }
    return 1;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Writes the send or the receive of a message. Viewers attach it to the state that is open at its time. */
static void put_end(struct chrome_writer *w, const struct pithlog_message *m, uint64_t flow, int sent)
{
    uint32_t other = sent ? m->recv_lane : m->send_lane;
    begin_timed(w, sent ? "s" : "f", sent ? m->send_lane : m->recv_lane, sent ? m->send_ns : m->recv_ns);
    put_number(w, ",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\",\"id\":", (int64_t)flow);
    put_number(w, ",\"args\":{\"peer\":", pithlog_get_lane(w->log, other)->rank);
    put_number(w, ",\"tag\":", m->tag);
    pithi_out_text(&w->out, ",\"bytes\":");
    pithi_out_u64(&w->out, m->bytes);
    pithi_out_text(&w->out, "}}");
}

static void put_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct chrome_writer *w = context;
    put_end(w, m, number, 1);
    put_end(w, m, number, 0);
}

/* Chooses which log time is 0 in the file, because viewers require times of 0 or more. */
static void begin(void *context, int64_t from_ns)
{
    struct chrome_writer *w = context;
    w->zero_ns = from_ns < 0 ? from_ns : 0;
    pithi_losses_zero(&w->losses, w->zero_ns);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_chrome_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct chrome_writer w = {.log = log};
    struct pithi_each each = {&w, begin, put_record, put_message, &w.out.failed, &w.losses, begin_state, end_state};
    int err;
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_out_open(&w.out, out));
    /* Quotes the names of all definitions once, because quoting a name again for each record would be slow. */
    const struct pithlog_def *def;
    size_t room = pithlog_get_info(log)->defs + (size_t)1;
    w.names = calloc(room, sizeof *w.names);
    w.groups = calloc(room, sizeof *w.groups);
    err = w.names && w.groups ? PITH_OK : pithi_no_memory();
    for (uint32_t id = 0; !err && (def = pithlog_get_def(log, id)); id++) {
        w.names[id] = pithi_quoted(PITHI_QUOTE_JSON, def->name);
        w.groups[id] = pithi_quoted(PITHI_QUOTE_JSON, *def->group ? def->group : "user");
        if (!w.names[id] || !w.groups[id])
            err = pithi_no_memory();
    }
    pithi_out_text(&w.out, "{\"displayTimeUnit\":\"ns\",");
    /* "otherData" may hold any names and values. Viewers show them as properties of the trace. */
    const struct pithlog_info *info = pithlog_get_info(w.log);
    if (!info->complete) {
        pithi_out_text(&w.out, "\"otherData\":{\"" PITHI_INCOMPLETE "\":");
        pithi_out_quoted(&w.out, PITHI_QUOTE_JSON, info->incomplete);
        pithi_out_text(&w.out, "},");
    }
    pithi_out_text(&w.out, "\"traceEvents\":[\n");
    if (err == PITH_OK) {
        const struct pithlog_lane *lane, *before = NULL;
        char name[512];
        for (uint32_t i = 0; (lane = pithlog_get_lane(w.log, i)); before = lane, i++) {
            if (!before || before->rank != lane->rank) {
                snprintf(name, sizeof name, *lane->host ? "rank %d (%.255s)" : "rank %d", (int)lane->rank, lane->host);
                put_meta(&w, i, "process_name", name, 0);
            }
            snprintf(name, sizeof name, lane->thread ? "thread %u" : "main", (unsigned)lane->thread);
            put_meta(&w, i, "thread_name", *lane->name ? lane->name : name, !*lane->name);
        }
    }
    if (err == PITH_OK)
        err = pithi_each_record(log, how, &each);
    if (err == PITH_OK)
        err = pithi_each_message(log, how, &each);
    pithi_out_text(&w.out, "\n]}\n");
    err = pithi_out_close(&w.out, err);
    for (uint32_t id = 0; pithlog_get_def(w.log, id); id++) {
        free(w.names ? w.names[id] : NULL);
        free(w.groups ? w.groups[id] : NULL);
    }
    free(w.names);
    free(w.groups);
    if (err == PITH_OK) {
        pithi_losses_tell(&w.losses, how);
        pithi_note(how, w.no_numbers, "values of counters that are no finite numbers are left out");
        pithi_note(how, w.cut, "payloads of events are cut");
    }
out:
    pithi_losses_close(&w.losses);
    return err;
}
