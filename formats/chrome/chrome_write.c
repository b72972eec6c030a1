/* chrome_write.c - native records to the Trace Event Format: an object with "traceEvents", of which each has a phase
 * "ph": B and E for states, i for events, C for counters, s and f for the ends of messages, M for names. A process is a
 * rank, a thread a lane; times are microseconds with three decimals. Events need not be in the order of time, so
 * messages come behind the rest. */
#include "chrome/chrome.h"

#include <stdlib.h>

#include "error.h"
#include "foreign/names.h"
#include "foreign/nest.h"
#include "foreign/walk.h"
#include "native/incomplete.h"
#include "text/out.h"

enum { TEXT = 4096 };

struct chrome_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_nest nest;
    char **names; /* [defs] as JSON */
    char **groups;
    int64_t zero_ns;
    int begun; /* a comma is due */
    struct pithi_losses losses;
    uint64_t no_numbers;
};

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void put_us(struct pithi_out *out, uint64_t time_ns)
{
    char rest[4] = {'.', (char)('0' + time_ns / 100 % 10), (char)('0' + time_ns / 10 % 10), (char)('0' + time_ns % 10)};
    pithi_out_u64(out, time_ns / 1000);
    pithi_out_bytes(out, rest, sizeof rest);
}

/* What all events begin with; the object is left open. */
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
    put_us(&w->out, (uint64_t)time_ns - (uint64_t)w->zero_ns);
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

/* `made`: the log has no name; told so that the reader has none either. */
static void put_meta(struct chrome_writer *w, uint32_t lane, const char *what, const char *name, int made)
{
    begin_event(w, "M", lane);
    pithi_out_text(&w->out, ",\"name\":\"");
    pithi_out_text(&w->out, what);
    pithi_out_text(&w->out, "\",\"args\":{\"name\":");
    pithi_out_quoted(&w->out, PITHI_QUOTE_JSON, name);
    pithi_out_text(&w->out, made ? ",\"made\":true}}" : "}}");
}

static void put_lanes(struct chrome_writer *w)
{
    const struct pithlog_lane *lane, *before = NULL;
    char name[512];
    for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); before = lane, i++) {
        if (!before || before->rank != lane->rank) {
            snprintf(name, sizeof name, *lane->host ? "rank %d (%.255s)" : "rank %d", (int)lane->rank, lane->host);
            put_meta(w, i, "process_name", name, 0);
        }
        snprintf(name, sizeof name, lane->thread ? "thread %u" : "main", (unsigned)lane->thread);
        put_meta(w, i, "thread_name", *lane->name ? lane->name : name, !*lane->name);
    }
}

static int quote_names(struct chrome_writer *w)
{
    const struct pithlog_def *def;
    size_t room = pithlog_get_info(w->log)->defs + (size_t)1;
    w->names = calloc(room, sizeof *w->names);
    w->groups = calloc(room, sizeof *w->groups);
    for (uint32_t id = 0; w->names && w->groups && (def = pithlog_get_def(w->log, id)); id++) {
        w->names[id] = pithi_quoted(PITHI_QUOTE_JSON, def->name);
        w->groups[id] = pithi_quoted(PITHI_QUOTE_JSON, *def->group ? def->group : "user");
        if (!w->names[id] || !w->groups[id])
            return 0;
    }
    return w->names && w->groups;
}

static void free_names(struct chrome_writer *w)
{
    for (uint32_t id = 0; pithlog_get_def(w->log, id); id++) {
        free(w->names ? w->names[id] : NULL);
        free(w->groups ? w->groups[id] : NULL);
    }
    free(w->names);
    free(w->groups);
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

static void put_solo(struct chrome_writer *w, const struct pithlog_record *r)
{
    char text[TEXT];
    begin_timed(w, "i", r->lane, r->time_ns);
    put_name(w, r->id);
    pithi_out_text(&w->out, ",\"s\":\"t\"");
    if (r->payload_bytes) {
        pithlog_payload_text(w->log, r, text, sizeof text);
        pithi_out_text(&w->out, ",\"args\":{\"payload\":");
        pithi_out_quoted(&w->out, PITHI_QUOTE_JSON, text);
        pithi_out_char(&w->out, '}');
    }
    pithi_out_char(&w->out, '}');
}

/* A counter is of its process there, so one of another thread has the thread in its name. */
static void put_value(struct chrome_writer *w, const struct pithlog_record *r)
{
    uint32_t thread = pithlog_get_lane(w->log, r->lane)->thread;
    if (!(r->value - r->value == 0)) { /* JSON has no such numbers */
        w->no_numbers++;
        return;
    }
    begin_timed(w, "C", r->lane, r->time_ns);
    put_name(w, r->id);
    if (thread)
        put_number(w, ",\"id\":", thread);
    pithi_out_text(&w->out, ",\"args\":{\"value\":");
    pithi_out_double(&w->out, r->value);
    pithi_out_text(&w->out, "}}");
}

static void put_own(struct chrome_writer *w, const struct pithlog_record *r, const char *name)
{
    begin_timed(w, "i", r->lane, r->time_ns);
    pithi_out_text(&w->out, ",\"s\":\"t\",\"cat\":\"pith\",\"name\":\"");
    pithi_out_text(&w->out, name);
    pithi_out_char(&w->out, '"');
    if (r->kind == PITHLOG_LOST)
        put_number(w, ",\"args\":{\"count\":", (int64_t)r->bytes);
    pithi_out_text(&w->out, r->kind == PITHLOG_LOST ? "}}" : "}");
}

static int put_record(void *context, const struct pithlog_record *r)
{
    struct chrome_writer *w = context;
    switch (r->kind) {
    case PITHLOG_ENTER:
        return pithi_nest_enter(&w->nest, r->lane, r->id, r->time_ns);
    case PITHLOG_LEAVE:
        pithi_nest_leave(&w->nest, r->lane, r->id, r->time_ns);
        break;
    case PITHLOG_EVENT:
        put_solo(w, r);
        break;
    case PITHLOG_COUNTER:
        put_value(w, r);
        break;
    case PITHLOG_PAUSE:
        put_own(w, r, "recording paused");
        break;
    case PITHLOG_RESUME:
        put_own(w, r, "recording resumed");
        break;
    case PITHLOG_LOST:
        put_own(w, r, "records lost");
        break;
    default:
        break;
    }
    return 1;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The end of a message, bound to the state around it. */
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

/* "otherData" may hold any names and values; viewers show them among the facts of the trace. */
static void put_incomplete(struct chrome_writer *w)
{
    const struct pithlog_info *info = pithlog_get_info(w->log);
    if (info->complete)
        return;
    pithi_out_text(&w->out, "\"otherData\":{\"" PITHI_INCOMPLETE "\":");
    pithi_out_quoted(&w->out, PITHI_QUOTE_JSON, info->incomplete);
    pithi_out_text(&w->out, "},");
}

/* Viewers want no times below 0. */
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
    struct pithi_each each = {&w, begin, put_record, put_message, &w.out.failed, &w.losses};
    int err;
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_out_open(&w.out, out));
    w.nest.begin = begin_state;
    w.nest.end = end_state;
    w.nest.context = &w;
    if (!pithi_nest_open(&w.nest, pithlog_get_info(log)->lanes) || !quote_names(&w))
        err = pithi_fail(PITH_ERR_MEMORY, "out of memory");
    pithi_out_text(&w.out, "{\"displayTimeUnit\":\"ns\",");
    put_incomplete(&w);
    pithi_out_text(&w.out, "\"traceEvents\":[\n");
    if (err == PITH_OK)
        put_lanes(&w);
    if (err == PITH_OK)
        err = pithi_each_record(log, how, &each);
    if (err == PITH_OK)
        err = pithi_each_message(log, how, &each);
    pithi_out_text(&w.out, "\n]}\n");
    err = pithi_out_close(&w.out, err);
    pithi_nest_close(&w.nest);
    free_names(&w);
    if (err == PITH_OK) {
        pithi_note(how, w.nest.split, "ends of states that were not nested: the states inside are cut in two");
        pithi_losses_tell(&w.losses, how,
                          PITHI_LOSES(ORIGIN) | PITHI_LOSES_ENDS | PITHI_LOSES(COLLS) | PITHI_LOSES(COMM_RECORDS) |
                              PITHI_LOSES(MESSAGE_COMMS) | PITHI_LOSES(NO_PARTNER) | PITHI_LOSES_POSTING |
                              PITHI_LOSES(UNUSED) | PITHI_LOSES(COLOURS) | PITHI_LOSES(FORMATS) | PITHI_LOSES(UNITS) |
                              PITHI_LOSES(COMMS) | PITHI_LOSES(PROPERTIES));
        pithi_note(how, w.no_numbers, "values of counters that are no finite numbers are left out");
    }
out:
    pithi_losses_close(&w.losses);
    return err;
}
