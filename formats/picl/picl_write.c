/* picl_write.c - native records to PICL: a node a lane; states as blocks by number, which trace_messages at the start
 * explain; messages as sends and receives that take no time, between their two compstats; events as marks. Times in
 * microseconds. One pass. */
#include "picl/picl.h"

#include "error.h"
#include "foreign/nest.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "text/out.h"

struct picl_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_nest nest;
    struct pithi_lookup nodes; /* rank -> its first lane + 1 */
    int64_t start_ns;
    uint64_t on_comm, counters, collectives, comms, other_comms, pauses, payloads, no_node, others;
};

static void begin_line(struct picl_writer *w, enum pithi_picl_type type, uint32_t lane, int64_t time_ns)
{
    uint64_t us = ((uint64_t)time_ns - (uint64_t)w->start_ns) / 1000;
    pithi_out_u64(&w->out, type);
    pithi_out_char(&w->out, ' ');
    pithi_out_u64(&w->out, us / 1000000);
    pithi_out_char(&w->out, ' ');
    pithi_out_u64(&w->out, us % 1000000);
    pithi_out_char(&w->out, ' ');
    pithi_out_u64(&w->out, lane);
}

static void put_value(struct picl_writer *w, int64_t value)
{
    pithi_out_char(&w->out, ' ');
    pithi_out_i64(&w->out, value);
}

static void end_line(struct picl_writer *w) { pithi_out_char(&w->out, '\n'); }

static void put_stats(struct picl_writer *w, uint32_t lane, int64_t time_ns)
{
    begin_line(w, PITHI_PICL_COMPSTATS, lane, time_ns);
    pithi_out_text(&w->out, " 0 0\n");
}

static void put_block(struct picl_writer *w, enum pithi_picl_type type, uint32_t lane, uint32_t id, int64_t time_ns)
{
    begin_line(w, type, lane, time_ns);
    put_value(w, id);
    pithi_out_text(&w->out, " 0 0\n");
}

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    put_block(context, PITHI_PICL_BLOCK_BEGIN, lane, id, time_ns);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    put_block(context, PITHI_PICL_BLOCK_END, lane, id, time_ns);
}

static void put_message(struct picl_writer *w, const struct pithlog_record *r)
{
    uint64_t *node = r->peer >= 0 ? pithi_lookup_get(&w->nodes, (uint32_t)r->peer) : NULL;
    if (!node) {
        w->no_node += r->peer >= 0;
        return;
    }
    w->other_comms += r->comm != 0;
    begin_line(w, r->kind == PITHLOG_SEND ? PITHI_PICL_SEND : PITHI_PICL_RECV, r->lane, r->time_ns);
    put_value(w, (int64_t)*node - 1);
    put_value(w, r->tag);
    put_value(w, r->bytes > INT32_MAX ? INT32_MAX : (int64_t)r->bytes);
    end_line(w);
    put_stats(w, r->lane, r->time_ns);
    put_stats(w, r->lane, r->time_ns);
}

static int put_record(void *context, const struct pithlog_record *r)
{
    struct picl_writer *w = context;
    w->on_comm += (uint64_t)pithi_is_on_comm(r);
    switch (r->kind) {
    case PITHLOG_ENTER:
        return pithi_nest_enter(&w->nest, r->lane, r->id, r->time_ns);
    case PITHLOG_LEAVE:
        pithi_nest_leave(&w->nest, r->lane, r->id, r->time_ns);
        break;
    case PITHLOG_EVENT:
        begin_line(w, PITHI_PICL_MARK, r->lane, r->time_ns);
        put_value(w, r->id);
        end_line(w);
        w->payloads += r->payload_bytes > 0;
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        put_message(w, r);
        break;
    case PITHLOG_COUNTER:
        w->counters++;
        break;
    case PITHLOG_COLL:
        w->collectives++;
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        w->comms++;
        break;
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
        w->pauses++;
        break;
    case PITHLOG_LOST:
        w->others += r->bytes;
        break;
    default:
        break;
    }
    return 1;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

static void put_start(void *context, int64_t from_ns)
{
    struct picl_writer *w = context;
    const struct pithlog_def *def;
    w->start_ns = from_ns;
    for (uint32_t i = 0; pithlog_get_lane(w->log, i); i++) {
        begin_line(w, PITHI_PICL_START, i, w->start_ns);
        pithi_out_text(&w->out, " 0 0 0\n");
    }
    for (uint32_t id = 0; (def = pithlog_get_def(w->log, id)); id++) {
        if (def->kind == PITHLOG_COUNTER_TYPE)
            continue;
        begin_line(w, PITHI_PICL_TEXT, 0, w->start_ns);
        pithi_out_text(&w->out, def->kind == PITHLOG_STATE ? " block " : " mark ");
        pithi_out_u64(&w->out, id);
        pithi_out_text(&w->out, " is ");
        pithi_out_quoted(&w->out, PITHI_QUOTE_TABS, def->name);
        end_line(w);
    }
}

static int make_nodes(struct picl_writer *w)
{
    const struct pithlog_lane *lane;
    for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); i++) {
        uint64_t *node = pithi_lookup_at(&w->nodes, (uint32_t)lane->rank);
        if (!node)
            return 0;
        *node = *node ? *node : i + (uint64_t)1;
    }
    return 1;
}

static void say_what_is_lost(const struct picl_writer *w, const struct pithi_convert *how)
{
    pithi_note(how, pithlog_get_info(w->log)->defs, "names became numbers, which lines at the start explain");
    pithi_note(how, w->nest.split, "ends of states that were not nested: the states inside are cut in two");
    pithi_note(how, w->on_comm, PITHI_ON_COMM);
    pithi_note(how, w->payloads, "payloads of events are left out");
    pithi_note(how, w->counters, "values of counters are left out");
    pithi_note(how, w->collectives, "collective operations: their bytes and roots are left out");
    pithi_note(how, w->comms, "records of communicators made and freed are left out");
    pithi_note(how, w->other_comms, "ends of messages do not tell their communicator");
    pithi_note(how, w->pauses, "pauses and resumes are left out");
    pithi_note(how, w->no_node, "ends of messages with ranks that are not in the log are left out");
    pithi_note(how, w->others, "lost records are not told of");
}

int pithi_picl_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct picl_writer w = {.log = log};
    struct pithi_each each = {&w, put_start, put_record, NULL, &w.out.failed};
    int err;
    TRY(pithi_out_open(&w.out, out));
    w.nest.begin = begin_state;
    w.nest.end = end_state;
    w.nest.context = &w;
    if (!pithi_nest_open(&w.nest, pithlog_get_info(log)->lanes) || !make_nodes(&w))
        err = pithi_fail(PITH_ERR_MEMORY, "out of memory");
    if (err == PITH_OK)
        err = pithi_each_record(log, how, &each);
    err = pithi_out_close(&w.out, err);
    pithi_nest_close(&w.nest);
    pithi_lookup_free(&w.nodes);
    if (err == PITH_OK)
        say_what_is_lost(&w, how);
out:
    return err;
}
