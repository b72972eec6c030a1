/* chrome_flows.c - see chrome_flows.h. Two sorts: ends by flow and time make messages, messages by receiver and time of
 * sending get their numbers. */
#include "chrome/chrome_flows.h"

#include <string.h>

#include "error.h"
#include "foreign/sorter.h"

enum { MEMORY = PITHI_SORTER_BYTES / 4 };

struct end {
    int64_t time_ns, tag;
    uint64_t bytes;
    uint32_t thread;
    int phase; /* 's' 't' 'f'; 0: none */
};

int pithi_chrome_flows_new(struct pithi_chrome_flows *flows)
{
    *flows = (struct pithi_chrome_flows){0};
    return pithi_sorter_new(&flows->sorter, MEMORY);
}

void pithi_chrome_flows_free(struct pithi_chrome_flows *flows) { pithi_sorter_free(flows->sorter); }

int pithi_chrome_flows_add(struct pithi_chrome_flows *flows, const struct pithi_chrome_event *event, uint32_t thread)
{
    struct end end = {.time_ns = event->time_ns, .thread = thread, .phase = event->phase};
    struct pithi_sort_key key = {{0, pithi_sort_time(event->time_ns), event->phase != 's'}};
    int64_t bytes = 0;
    key.word[0] = pithi_chrome_hash(key.word[0], &event->category);
    key.word[0] = pithi_chrome_hash(key.word[0], &event->name);
    key.word[0] = pithi_chrome_hash(key.word[0], &event->id);
    pithi_chrome_arg_number(event, "tag", INT64_MIN, &end.tag);
    if (pithi_chrome_arg_number(event, "bytes", 0, &bytes))
        end.bytes = (uint64_t)bytes;
    return pithi_sorter_add(flows->sorter, &key, &end, sizeof end);
}

/* ---- Ends to messages -------------------------------------------------------------------------------------------- */

struct matching {
    struct pithi_chrome_flows *flows;
    const struct pithi_chrome_lanes *lanes;
    struct pithi_sorter *messages;
    struct end open, early; /* of the flow under way: where it was last seen; an end that came before any start */
};

static int add_message(struct matching *m, const struct end *sent, const struct end *received)
{
    struct pithi_chrome_message message = {.send_thread = sent->thread,
                                           .recv_thread = received->thread,
                                           .send_ns = sent->time_ns,
                                           .recv_ns = received->time_ns,
                                           .tag = sent->tag ? sent->tag : received->tag,
                                           .bytes = sent->bytes ? sent->bytes : received->bytes};
    /* In others' files such a flow is no message but tells what caused what on a thread. */
    if (!pithi_chrome_lanes_own(m->lanes) &&
        pithi_chrome_lanes_lane(m->lanes, sent->thread) == pithi_chrome_lanes_lane(m->lanes, received->thread)) {
        m->flows->inside++;
        return PITH_OK;
    }
    uint64_t rank = (uint64_t)pithi_chrome_lanes_rank(m->lanes, received->thread);
    return pithi_sorter_add(m->messages, &(struct pithi_sort_key){{rank, pithi_sort_time(sent->time_ns)}}, &message,
                            sizeof message);
}

static void end_flow(struct matching *m)
{
    m->flows->alone += (m->open.phase == 's') + (m->early.phase != 0);
    m->open.phase = m->early.phase = 0;
}

static int add_end(struct matching *m, const struct end *end)
{
    int err = PITH_OK;
    if (end->phase == 's') {
        m->flows->alone += m->open.phase == 's';
        m->open = *end;
        if (m->early.phase) {
            TRY(add_message(m, end, &m->early));
            m->open.phase = m->early.phase = 0;
        }
    } else if (m->open.phase) {
        TRY(add_message(m, &m->open, end));
        m->open = *end;
        m->open.phase = end->phase == 't' ? 't' : 0;
    } else {
        m->flows->alone += m->early.phase != 0;
        m->early = *end;
    }
out:
    return err;
}

static int make_messages(struct matching *m)
{
    struct pithi_sorted item;
    struct end end;
    uint64_t flow = 0;
    int err, status;
    TRY(pithi_sorter_end(m->flows->sorter));
    while ((status = pithi_sorter_next(m->flows->sorter, &item)) == 1) {
        if (item.key.word[0] != flow)
            end_flow(m);
        flow = item.key.word[0];
        memcpy(&end, item.data, sizeof end);
        TRY(add_end(m, &end));
    }
    end_flow(m);
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    return err;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static int number_messages(struct pithi_sorter *messages,
                           int (*tell)(void *context, const struct pithi_chrome_message *message), void *context)
{
    struct pithi_chrome_message message;
    struct pithi_sorted item;
    uint64_t rank = UINT64_MAX, posted = 0;
    int err, status;
    TRY(pithi_sorter_end(messages));
    while ((status = pithi_sorter_next(messages, &item)) == 1) {
        memcpy(&message, item.data, sizeof message);
        posted = item.key.word[0] == rank ? posted + 1 : 0;
        rank = item.key.word[0];
        message.posted = posted;
        TRY(tell(context, &message));
    }
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    return err;
}

int pithi_chrome_flows_messages(struct pithi_chrome_flows *flows, const struct pithi_chrome_lanes *lanes,
                                int (*tell)(void *context, const struct pithi_chrome_message *message), void *context)
{
    struct matching m = {.flows = flows, .lanes = lanes};
    int err;
    TRY(pithi_sorter_new(&m.messages, MEMORY));
    TRY(make_messages(&m));
    TRY(number_messages(m.messages, tell, context));
out:
    pithi_sorter_free(m.messages);
    return err;
}
