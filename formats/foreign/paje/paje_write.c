/* paje_write.c - native records to Paje. All lines are in order of time, but messages become known in another order. So
 * their ends are sorted on disk first and then merged with the records. */
#include "foreign/paje/paje.h"

#include <string.h>

#include "base/error.h"
#include "base/sorter.h"
#include "foreign/names.h"
#include "foreign/walk.h"

enum { TEXT = 4096 };

/* One end of a message. */
struct end {
    uint64_t key, bytes;
    uint32_t lane, comm;
    int32_t tag;
    int sent;
};

struct paje_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_sorter *ends;
    struct pithi_sorted end; /* the next end, if `more` */
    int more, err;
    int64_t start_ns, last_ns;
    struct pithi_losses losses;
    uint64_t no_numbers, cut;
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Writes "9 0.001000000 S l4". */
static void begin_line(struct paje_writer *w, enum pithi_paje_event event, int64_t time_ns, const char *type,
                       uint32_t lane)
{
    pithi_paje_begin(&w->out, event, time_ns - w->start_ns);
    pithi_out_char(&w->out, ' ');
    pithi_out_text(&w->out, type);
    pithi_paje_alias(&w->out, 'l', lane);
    w->last_ns = time_ns;
}

static void end_line(struct paje_writer *w) { pithi_out_char(&w->out, '\n'); }

/* The value is the payload, or the event's name if there is none. */
static void put_event(struct paje_writer *w, const struct pithlog_record *r)
{
    const struct pithlog_def *def = pithlog_get_def(w->log, r->id);
    char type[16], text[TEXT];
    snprintf(type, sizeof type, "e%u", (unsigned)r->id);
    begin_line(w, PITHI_PAJE_NEW_EVENT, r->time_ns, type, r->lane);
    if (r->payload_bytes) {
        w->cut += pithlog_payload_text(w->log, r, text, sizeof text) > sizeof text;
        pithi_paje_string(&w->out, PITHI_QUOTE_TEXT, text);
    } else {
        pithi_paje_string(&w->out, PITHI_QUOTE_TABS, def->name);
    }
    end_line(w);
}

static void put_own(struct paje_writer *w, const struct pithlog_record *r)
{
    static const char *const types[] = {"o0", "o1", "o2"}; /* paje_types.c */
    begin_line(w, PITHI_PAJE_NEW_EVENT, r->time_ns, types[r->kind - PITHLOG_PAUSE], r->lane);
    pithi_out_char(&w->out, ' ');
    pithi_out_u64(&w->out, r->bytes);
    end_line(w);
}

static void put_variable(struct paje_writer *w, const struct pithlog_record *r)
{
    char type[16];
    if (!(r->value - r->value == 0)) {
        w->no_numbers++;
        return;
    }
    snprintf(type, sizeof type, "v%u", (unsigned)r->id);
    begin_line(w, PITHI_PAJE_SET_VARIABLE, r->time_ns, type, r->lane);
    pithi_out_char(&w->out, ' ');
    pithi_out_double(&w->out, r->value);
    end_line(w);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void add_end(struct paje_writer *w, int64_t time_ns, const struct end *e)
{
    struct pithi_sort_key key = {{pithi_sort_time(time_ns), !e->sent}};
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

static void next_end(struct paje_writer *w)
{
    int status = pithi_sorter_next(w->ends, &w->end);
    w->more = status == 1;
    if (status < 0)
        w->err = PITH_ERR_IO;
}

static int sort_messages(struct paje_writer *w, const struct pithi_convert *how)
{
    struct pithi_each each = {.context = w, .message = add_message, .failed = &w->err, .losses = &w->losses};
    int err;
    TRY(pithi_sorter_new(&w->ends, PITHI_SORTER_BYTES));
    TRY(pithi_each_message(w->log, how, &each));
    TRY(w->err);
    TRY(pithi_sorter_end(w->ends));
    next_end(w);
    err = w->err;
out:
    return err;
}

static void put_ends_before(struct paje_writer *w, uint64_t time)
{
    struct end e;
    for (; w->more && w->end.key.word[0] < time; next_end(w)) {
        memcpy(&e, w->end.data, sizeof e);
        /* Writes "12 0.001000000 L p0 l3 \"MPI_COMM_WORLD\" k17 5 1000". Links belong to the program's container. */
        int64_t time_ns = (int64_t)(w->end.key.word[0] ^ UINT64_C(1) << 63);
        pithi_paje_begin(&w->out, e.sent ? PITHI_PAJE_START_LINK : PITHI_PAJE_END_LINK, time_ns - w->start_ns);
        pithi_out_text(&w->out, " L p0");
        pithi_paje_alias(&w->out, 'l', e.lane);
        pithi_paje_string(&w->out, PITHI_QUOTE_TABS, pithlog_get_comm(w->log, e.comm)->name);
        pithi_paje_alias(&w->out, 'k', e.key);
        if (e.sent) {
            pithi_out_char(&w->out, ' ');
            pithi_out_i64(&w->out, e.tag);
            pithi_out_char(&w->out, ' ');
            pithi_out_u64(&w->out, e.bytes);
        }
        end_line(w);
        w->last_ns = time_ns;
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct paje_writer *w = context;
    put_ends_before(w, pithi_sort_time(time_ns));
    begin_line(w, PITHI_PAJE_PUSH, time_ns, "S", lane);
    pithi_paje_alias(&w->out, 's', id);
    end_line(w);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    (void)id;
    put_ends_before(context, pithi_sort_time(time_ns));
    begin_line(context, PITHI_PAJE_POP, time_ns, "S", lane);
    end_line(context);
}

static int put_record(void *context, const struct pithlog_record *r)
{
    struct paje_writer *w = context;
    put_ends_before(w, pithi_sort_time(r->time_ns));
    switch (r->kind) {
    case PITHLOG_EVENT:
        put_event(w, r);
        break;
    case PITHLOG_COUNTER:
        put_variable(w, r);
        break;
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
    case PITHLOG_LOST:
        put_own(w, r);
        break;
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
    pithi_paje_types(&w->out, w->log);
    pithi_paje_create(&w->out, w->log);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int write_all(struct paje_writer *w, const struct pithi_convert *how)
{
    struct pithi_each each = {w, begin, put_record, NULL, &w->out.failed, &w->losses, begin_state, end_state};
    int err;
    TRY(sort_messages(w, how));
    TRY(pithi_each_record(w->log, how, &each));
    put_ends_before(w, UINT64_MAX);
    pithi_paje_destroy(&w->out, w->log, w->last_ns - w->start_ns);
    err = w->err;
out:
    return err;
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
    }
out:
    pithi_sorter_free(w.ends);
    pithi_losses_close(&w.losses);
    return err;
}
