/* picl_write.c - native records to PICL, in one pass. Each lane is a node. States are blocks with numbers, whose names
 * are in trace_messages at the start. Messages are sends and receives that take no time, with their two compstats.
 * Events are marks. Times are in microseconds.
 *
 * Records that were read from PICL are written in their old form. The states send, recv, sync and recv_blocking become
 * records of these types; blocks and trace_marks keep their numbers. The first line of a send has the receiver, tag and
 * length of its message, but in the log the message comes only at the end of the state:
 *
 *     enter send   send peer=1 tag=9   leave send        4 0 20 0 1 9 8    11 0 20 0 0 0    11 0 30 0 0 0
 *        20 us            30 us           30 us
 *
 * So the writer can make some lines only after lines that come later in the file. Therefore all lines are sorted, on
 * disk, by time, node and the order of the records. */
#include "foreign/picl/picl.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/out.h"
#include "base/sorter.h"
#include "foreign/names.h"
#include "foreign/walk.h"

enum { LINE = 128, TEXT_MOST = 4096 }; /* LINE: bytes of a line without its text; TEXT_MOST: bytes of the text */

/* A node, with its pending records, which are not written yet because their form depends on the records after them. */
struct node {
    int entered;     /* 1: `enter` is pending: it enters a state send, recv or sync, which may become a record of this
                        type */
    int has_message; /* 1: `message` is pending: a send or receive inside that state, or inside a recv_blocking */
    struct pithlog_record enter, message;
    uint64_t *waiting; /* for each open recv_blocking state, the `order` of its begin; outermost first */
    uint32_t waiting_count, waiting_room;
};

struct picl_writer {
    struct pithlog *log;
    struct pithi_sorter *lines; /* by time, node and `order` */
    struct pithi_nest nest;
    struct pithi_picl_numbers numbers;
    struct pithi_map nodes;   /* rank -> its first lane + 1 */
    struct node *node;        /* [lanes] */
    uint32_t *first_node;     /* [lanes]: the first node of the lane's rank */
    int64_t zero_ns, last_ns; /* time 0 of the file; time of the last record */
    uint64_t order;           /* the next line's place among lines of the same time and node */
    int err;
    struct pithi_losses losses;
    uint64_t payloads, no_node, large; /* counts that are reported to the user: payloads that are left out; messages
                                          whose partner has no lane; messages of 2 GiB and more */
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static uint64_t us_of(const struct picl_writer *w, int64_t time_ns)
{
    return ((uint64_t)time_ns - (uint64_t)w->zero_ns) / 1000;
}

static void put_bytes(struct picl_writer *w, uint64_t us, uint32_t place, uint64_t order, const char *text, size_t size)
{
    int err = pithi_sorter_add(w->lines, &(struct pithi_sort_key){{us, place, order}}, text, (uint32_t)size);
    w->err = w->err ? w->err : err;
}

/* Puts the line "TYPE SECONDS MICROSECONDS NODE VALUES" into the sorter. `values` is the text of the values. Lines of
 * the same time and node are sorted by `order`. */
static void put_at(struct picl_writer *w, uint64_t order, enum pithi_picl_type type, uint32_t node, int64_t time_ns,
                   const char *values)
{
    uint64_t us = us_of(w, time_ns);
    char line[LINE];
    int size = snprintf(line, sizeof line, "%d %llu %llu %u%s\n", (int)type, (unsigned long long)(us / 1000000),
                        (unsigned long long)(us % 1000000), (unsigned)node, values);
    put_bytes(w, us, node + 1, order, line, (size_t)size);
}

static void put(struct picl_writer *w, enum pithi_picl_type type, uint32_t node, int64_t time_ns, const char *values)
{
    put_at(w, w->order++, type, node, time_ns, values);
}

static void put_block_at(struct picl_writer *w, uint64_t order, enum pithi_picl_type type, uint32_t node, uint32_t id,
                         int64_t time_ns)
{
    char values[LINE];
    snprintf(values, sizeof values, " %d 0 0", (int)w->numbers.of[id]);
    put_at(w, order, type, node, time_ns, values);
}

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct picl_writer *w = context;
    put_block_at(w, w->order++, PITHI_PICL_BLOCK_BEGIN, lane, id, time_ns);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct picl_writer *w = context;
    put_block_at(w, w->order++, PITHI_PICL_BLOCK_END, lane, id, time_ns);
}

/* Writes the partner, type and length of a message to `values`. */
static void message_values(const struct picl_writer *w, const struct pithlog_record *message, char values[LINE])
{
    const uint64_t *partner = pithi_map_find(&w->nodes, (uint32_t)message->peer);
    snprintf(values, LINE, " %u %d %d", (unsigned)(*partner - 1), (int)message->tag,
             message->bytes > INT32_MAX ? INT32_MAX : (int)message->bytes);
}

/* Writes a send, a receive or (if `message` is NULL) a sync that lasts from `from_ns` to `to_ns`, with its two
 * compstats. */
static void put_lasting(struct picl_writer *w, uint32_t node, const struct pithlog_record *message, int64_t from_ns,
                        int64_t to_ns)
{
    char values[LINE] = "";
    if (message)
        message_values(w, message, values);
    put(w,
        !message                        ? PITHI_PICL_SYNC
        : message->kind == PITHLOG_SEND ? PITHI_PICL_SEND
                                        : PITHI_PICL_RECV,
        node, from_ns, values);
    put(w, PITHI_PICL_COMPSTATS, node, from_ns, " 0 0");
    put(w, PITHI_PICL_COMPSTATS, node, to_ns, " 0 0");
}

/* ---- Pending records --------------------------------------------------------------------------------------------- */

/* Writes the pending records of a node separately, because they do not make one record of PICL. The state begins a
 * block; the message becomes a send or receive that takes no time. */
static void release(struct picl_writer *w, uint32_t at)
{
    struct node *node = &w->node[at];
    if (node->entered)
        begin_state(w, at, node->enter.id, node->enter.time_ns);
    if (node->has_message)
        put_lasting(w, at, &node->message, node->message.time_ns, node->message.time_ns);
    node->entered = node->has_message = 0;
}

static int is_waiting_state(const struct picl_writer *w, uint32_t id)
{
    return w->numbers.own[id] == PITHI_PICL_RECV_BLOCKING;
}

/* Returns 1 for a recv_blocking state. Such a state may overlap other states without one being inside the other,
 * because the writer writes both its records only at its end. */
static int is_waiting(void *context, uint32_t id, uint32_t ending)
{
    (void)ending;
    return is_waiting_state(context, id);
}

/* Writes a recv_blocking state at its end. If a message was received exactly at its end, writes a recv_blocking and a
 * recv_waking record with this message. Otherwise writes a block. */
static void end_waiting(struct picl_writer *w, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    struct node *node = &w->node[r->lane];
    int64_t from_ns = step->open[step->at].from_ns;
    uint32_t at = 0; /* index of this state in node->waiting */
    for (uint32_t i = 0; i < step->at; i++)
        at += (uint32_t)is_waiting_state(w, step->open[i].id);
    uint64_t order = node->waiting[at];
    memmove(&node->waiting[at], &node->waiting[at + 1], (--node->waiting_count - at) * sizeof *node->waiting);
    char values[LINE];
    if (node->entered || !node->has_message || us_of(w, node->message.time_ns) != us_of(w, r->time_ns)) {
        release(w, r->lane);
        put_block_at(w, order, PITHI_PICL_BLOCK_BEGIN, r->lane, r->id, from_ns);
        end_state(w, r->lane, r->id, r->time_ns);
        return;
    }
    snprintf(values, sizeof values, " %d", (int)node->message.tag);
    put_at(w, order, PITHI_PICL_RECV_BLOCKING, r->lane, from_ns, values);
    message_values(w, &node->message, values);
    put(w, PITHI_PICL_RECV_WAKING, r->lane, r->time_ns, values);
    node->has_message = 0;
}

/* Returns 1 if the state that `leave` ends and its pending message can be written as one send, receive or sync record.
 * A send or receive that takes no time cannot, because it would be read as a message without a state. */
static int is_lasting(const struct picl_writer *w, const struct node *node, const struct pithlog_record *leave)
{
    uint64_t end_us = us_of(w, leave->time_ns);
    if (!node->entered || node->enter.id != leave->id)
        return 0;
    if (w->numbers.own[leave->id] == PITHI_PICL_SYNC)
        return !node->has_message;
    return node->has_message && us_of(w, node->message.time_ns) == end_us && us_of(w, node->enter.time_ns) < end_us;
}

/* Writes a message, or keeps it as the pending message of its node. All messages of a rank are written on the rank's
 * first node, because the record of the partner can name only one node. */
static void add_message(struct picl_writer *w, const struct pithlog_record *r)
{
    uint32_t at = w->first_node[r->lane];
    struct node *node = &w->node[at];
    enum pithi_picl_type wanted = r->kind == PITHLOG_SEND ? PITHI_PICL_SEND : PITHI_PICL_RECV;
    if (r->peer < 0 || !pithi_map_find(&w->nodes, (uint32_t)r->peer)) {
        w->no_node += r->peer >= 0;
        return;
    }
    w->large += r->bytes > INT32_MAX;
    int inside = at == r->lane && node->entered && !node->has_message && w->numbers.own[node->enter.id] == wanted;
    if (!inside)
        release(w, at);
    if (!inside && !(r->kind == PITHLOG_RECV && node->waiting_count && at == r->lane)) {
        put_lasting(w, at, r, r->time_ns, r->time_ns);
        return;
    }
    node->has_message = 1;
    node->message = *r;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Returns the text of a trace_message, or NULL if it does not fit on a line. */
static const char *message_text(const struct pithlog_record *r, size_t *size)
{
    const unsigned char *payload = r->payload;
    *size = r->payload_bytes < 2 ? 0 : (size_t)payload[0] << 8 | payload[1];
    if (*size == 0 || *size != r->payload_bytes - 2 || *size > TEXT_MOST || strchr(" \t\r", payload[2]) ||
        memchr(payload + 2, '\n', *size))
        return NULL;
    return (const char *)payload + 2;
}

static int put_record(void *context, const struct pithlog_step *step)
{
    struct picl_writer *w = context;
    const struct pithlog_record *r = step->record;
    w->last_ns = r->time_ns;
    switch (r->kind) {
    case PITHLOG_ENTER: {
        struct node *node = &w->node[r->lane];
        enum pithi_picl_type type = w->numbers.own[r->id];
        release(w, r->lane);
        if (type == PITHI_PICL_RECV_BLOCKING) {
            if (!pithi_grow(&node->waiting, node->waiting_count, &node->waiting_room, sizeof *node->waiting))
                return 0;
            node->waiting[node->waiting_count++] = w->order++;
        } else if (type) {
            node->entered = 1;
            node->enter = *r;
        } else {
            begin_state(w, r->lane, r->id, r->time_ns);
        }
        return 1;
    }
    case PITHLOG_LEAVE: {
        struct node *node = &w->node[r->lane];
        int waits = is_waiting_state(w, r->id);
        if (!waits && is_lasting(w, node, r)) {
            put_lasting(w, r->lane, node->has_message ? &node->message : NULL, node->enter.time_ns, r->time_ns);
            node->entered = node->has_message = 0;
            break;
        }
        if (waits)
            end_waiting(w, step);
        else
            release(w, r->lane);
        if (!waits || step->why & PITHLOG_DISCARDED) /* Ends this state, and states that are discarded with it. */
            pithi_nest_step(&w->nest, step);
        break;
    }
    case PITHLOG_EVENT: {
        enum pithi_picl_type own = w->numbers.own[r->id];
        int32_t number = w->numbers.of[r->id];
        const char *text;
        char values[LINE];
        size_t size;
        w->losses.used[r->id] |= own ? PITHI_KEPT : 0;
        release(w, r->lane);
        if (own == PITHI_PICL_TEXT && (text = message_text(r, &size)) != NULL) {
            uint64_t us = us_of(w, r->time_ns);
            char line[LINE + TEXT_MOST];
            int used =
                snprintf(line, LINE, "%d %llu %llu %u ", (int)PITHI_PICL_TEXT, (unsigned long long)(us / 1000000),
                         (unsigned long long)(us % 1000000), (unsigned)r->lane);
            memcpy(line + used, text, size);
            line[(size_t)used + size] = '\n';
            put_bytes(w, us, r->lane + 1, w->order++, line, (size_t)used + size + 1);
            break;
        }
        if (own == PITHI_PICL_MARK && r->payload_bytes == 4)
            number = (int32_t)pithi_get_be32(r->payload);
        else
            w->payloads += r->payload_bytes > 0;
        snprintf(values, sizeof values, " %d", (int)number);
        put(w, PITHI_PICL_MARK, r->lane, r->time_ns, values);
        break;
    }
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        add_message(w, r);
        break;
    default:
        break; /* PICL has no record for this kind. */
    }
    return 1;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

/* Writes lines that come before all other lines. */
static void put_first(struct picl_writer *w, const char *text) { put_bytes(w, 0, 0, w->order++, text, strlen(text)); }

static void put_start(void *context, int64_t from_ns)
{
    struct picl_writer *w = context;
    const struct pithlog_def *def;
    char line[LINE];
    w->zero_ns = from_ns < 0 ? from_ns : 0;
    w->last_ns = from_ns;
    pithi_losses_zero(&w->losses, w->zero_ns);
    for (uint32_t i = 0; pithlog_get_lane(w->log, i); i++) {
        /* Each node begins with a compstats, because upshot needs one before the node's first send. The open record
         * promises a close record at the end of the file, so that the reader notices if the file was cut. */
        snprintf(line, sizeof line, "%d 0 0 %u 0 0 0\n%d 0 0 %u 0 0\n%d 0 0 %u\n", (int)PITHI_PICL_START, (unsigned)i,
                 (int)PITHI_PICL_COMPSTATS, (unsigned)i, (int)PITHI_PICL_OPEN, (unsigned)i);
        put_first(w, line);
    }
    for (uint32_t id = 0; (def = pithlog_get_def(w->log, id)); id++) {
        char *name = pithi_quoted(PITHI_QUOTE_TABS, def->name), *text = NULL;
        if (name && def->kind != PITHLOG_COUNTER_TYPE &&
            asprintf(&text, "%d 0 0 0 " PITHI_PICL_EXPLAINS "\n", (int)PITHI_PICL_TEXT,
                     def->kind == PITHLOG_STATE ? "block" : "mark", (int)w->numbers.of[id], name) < 0)
            text = NULL;
        if (text)
            put_first(w, text);
        else if (!name || def->kind != PITHLOG_COUNTER_TYPE)
            w->err = pithi_no_memory();
        free(name);
        free(text);
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_picl_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct picl_writer w = {.log = log};
    uint32_t lanes = pithlog_get_info(log)->lanes;
    int err;

    struct pithi_each each = {
        .context = &w, .begin = put_start, .put = put_record, .failed = &w.err, .losses = &w.losses};
    w.nest = (struct pithi_nest){
        .begin = begin_state, .end = end_state, .context = &w, .losses = &w.losses, .is_apart = is_waiting};
    w.node = calloc(lanes + (size_t)1, sizeof *w.node);
    w.first_node = calloc(lanes + (size_t)1, sizeof *w.first_node);
    if (!w.node || !w.first_node)
        TRY(pithi_no_memory());
    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t *node = pithi_map_at(&w.nodes, (uint32_t)pithlog_get_lane(log, i)->rank);
        if (!node)
            TRY(pithi_no_memory());
        *node = *node ? *node : i + (uint64_t)1;
        w.first_node[i] = (uint32_t)*node - 1;
    }
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_picl_numbers_make(&w.numbers, log));
    TRY(pithi_sorter_new(&w.lines, PITHI_SORTER_BYTES));
    TRY(pithi_each_record(log, how, &each));
    for (uint32_t i = 0; i < lanes; i++) {
        release(&w, i);
        put_at(&w, UINT64_MAX, PITHI_PICL_CLOSE, i, w.last_ns, "");
    }
    TRY(w.err);
    struct pithi_sorted line;
    int status = 0;
    TRY(pithi_sorter_end(w.lines));
    while (!ferror_unlocked(out) && (status = pithi_sorter_next(w.lines, &line)) == 1)
        fwrite_unlocked(line.data, 1, line.size, out);
    if (status < 0)
        TRY(PITH_ERR_IO);
    if (fflush(out) != 0 || ferror(out))
        TRY(pithi_fail(PITH_ERR_IO, "the PICL file cannot be written"));
    w.losses.count[PITHI_LOSS_PAYLOADS] = w.payloads; /* payloads other than those of trace_mark and trace_message */
    pithi_losses_tell(&w.losses, how);
    pithi_note(how, w.no_node, "ends of messages with ranks that are not in the log are left out");
    pithi_note(how, w.large, "sizes of messages of 2 GiB and more are written as 2147483647");

out:
    for (uint32_t i = 0; w.node && i < lanes; i++)
        free(w.node[i].waiting);
    free(w.node);
    free(w.first_node);
    pithi_picl_numbers_free(&w.numbers);
    pithi_losses_close(&w.losses);
    pithi_map_free(&w.nodes);
    pithi_sorter_free(w.lines);
    return err;
}
