/* paje_write.c - native records to Paje. All lines are in order of time; messages are known in another, so their ends
 * go through a sort on disk first and are then merged with the records. */
#include "paje/paje.h"

#include <string.h>

#include "error.h"
#include "foreign/names.h"
#include "foreign/nest.h"
#include "foreign/sorter.h"
#include "foreign/walk.h"

enum { TEXT = 4096 };

/* The end of a message. */
struct end {
    uint64_t key, bytes;
    uint32_t lane, comm;
    int32_t tag;
    int sent;
};

struct paje_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_nest nest;
    struct pithi_sorter *ends;
    struct pithi_sorted end; /* the next one, if more */
    int more, err;
    int64_t start_ns, last_ns;
    struct pithi_losses losses;
    uint64_t no_numbers, cut;
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* "9 0.001000000 S l4" */
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

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct paje_writer *w = context;
    begin_line(w, PITHI_PAJE_PUSH, time_ns, "S", lane);
    pithi_paje_alias(&w->out, 's', id);
    end_line(w);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    (void)id;
    begin_line(context, PITHI_PAJE_POP, time_ns, "S", lane);
    end_line(context);
}

/* Its value is its payload; its name, if it has none. */
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

static void put_own(struct paje_writer *w, const struct pithlog_record *r, const char *type)
{
    begin_line(w, PITHI_PAJE_NEW_EVENT, r->time_ns, type, r->lane);
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

/* "12 0.001000000 L p0 l3 \"MPI_COMM_WORLD\" k17 5 1000": links are the program's. */
static void put_end(struct paje_writer *w, int64_t time_ns, const struct end *e)
{
    pithi_paje_begin(&w->out, e->sent ? PITHI_PAJE_START_LINK : PITHI_PAJE_END_LINK, time_ns - w->start_ns);
    pithi_out_text(&w->out, " L p0");
    pithi_paje_alias(&w->out, 'l', e->lane);
    pithi_paje_string(&w->out, PITHI_QUOTE_TABS, pithlog_get_comm(w->log, e->comm)->name);
    pithi_paje_alias(&w->out, 'k', e->key);
    if (e->sent) {
        pithi_out_char(&w->out, ' ');
        pithi_out_i64(&w->out, e->tag);
        pithi_out_char(&w->out, ' ');
        pithi_out_u64(&w->out, e->bytes);
    }
    end_line(w);
    w->last_ns = time_ns;
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
    struct pithi_each each = {w, NULL, NULL, add_message, &w->err, &w->losses};
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
        put_end(w, (int64_t)(w->end.key.word[0] ^ UINT64_C(1) << 63), &e);
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int put_record(void *context, const struct pithlog_record *r)
{
    struct paje_writer *w = context;
    put_ends_before(w, pithi_sort_time(r->time_ns));
    switch (r->kind) {
    case PITHLOG_ENTER:
        return pithi_nest_enter(&w->nest, r->lane, r->id, r->time_ns);
    case PITHLOG_LEAVE:
        pithi_nest_leave(&w->nest, r->lane, r->id, r->time_ns);
        break;
    case PITHLOG_EVENT:
        put_event(w, r);
        break;
    case PITHLOG_COUNTER:
        put_variable(w, r);
        break;
    case PITHLOG_PAUSE:
        put_own(w, r, "o0");
        break;
    case PITHLOG_RESUME:
        put_own(w, r, "o1");
        break;
    case PITHLOG_LOST:
        put_own(w, r, "o2");
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

static void say_what_is_lost(struct paje_writer *w, const struct pithi_convert *how)
{
    pithi_note(how, w->nest.split, "ends of states that were not nested: the states inside are cut in two");
    pithi_losses_keep(&w->losses, "program");
    pithi_losses_tell(&w->losses, how,
                      PITHI_LOSES(ORIGIN) | PITHI_LOSES_ENDS | PITHI_LOSES(COLLS) | PITHI_LOSES(COMM_RECORDS) |
                          PITHI_LOSES(NO_PARTNER) | PITHI_LOSES_POSTING | PITHI_LOSES(GROUPS) | PITHI_LOSES(COMMS) |
                          PITHI_LOSES(PROPERTIES));
    pithi_note(how, w->no_numbers, "values of counters that are no finite numbers are left out");
    pithi_note(how, w->cut, "payloads of events are cut");
}

static int write_all(struct paje_writer *w, const struct pithi_convert *how)
{
    struct pithi_each each = {w, begin, put_record, NULL, &w->out.failed, &w->losses};
    int err;
    if (!pithi_nest_open(&w->nest, pithlog_get_info(w->log)->lanes))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
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
    struct paje_writer w = {.log = log, .nest = {.begin = begin_state, .end = end_state}};
    int err;
    w.nest.context = &w;
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_out_open(&w.out, out));
    err = pithi_out_close(&w.out, write_all(&w, how));
    if (err == PITH_OK)
        say_what_is_lost(&w, how);
out:
    pithi_nest_close(&w.nest);
    pithi_sorter_free(w.ends);
    pithi_losses_close(&w.losses);
    return err;
}
