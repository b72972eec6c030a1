/* paraver_write.c - native records to Paraver. The line of a state record or a message stands at the time of its begin,
 * but can be written only when its end is known. So a first pass over the log collects the messages, a second one the
 * state records, both sorted on disk by the time of their begin. A third pass merges them with the events. README.md
 * has the rules.
 *
 *     1:1:1:1:1:50000:53000:4                 processor 1, thread 1.1.1: state 4 (Blocking Send) from 50 to 53 us
 *     2:1:1:1:1:50000:60000019:0              at 50 us: the user function ends
 *     2:1:1:1:1:50000:50000001:1              and MPI_Send (1) begins
 *     3:1:1:1:1:50000:50000:2:1:2:1:55000:55000:1000:7      the message to thread 1.2.1 at 55 us, 1000 bytes, tag 7
 *     2:1:1:1:1:53000:50000001:0              MPI_Send ends
 *
 * Paraver draws state records and counts events, so a call is written as a state record and as events. Processors,
 * tasks, threads and communicators are numbered from 1. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/out.h"
#include "base/sorter.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/paraver/paraver.h"
#include "foreign/paraver/paraver_write.h"
#include "foreign/walk.h"
#include "native/event_numbers.h"
#include "native/log.h"
#include "reader/read/payload.h"

/* A state record or a message in the sorter. */
struct waiting {
    int64_t end_ns;
    uint32_t lane, other; /* lane: the lane of the state, or of the sender; other: the lane of the receiver */
    int32_t value;        /* state of a state record, or tag of a message */
    uint64_t bytes;       /* of a message */
};
/* The second part of the sort key, so that at the same time a state record comes before a message. */
enum { STATE_FIRST, MESSAGE_LAST = 2 };

/* The state record of a lane that has begun and not ended. */
struct now {
    int64_t since_ns;
    int state, seen; /* state: index in pithi_prv_states; seen: 1: a state record has begun in the lane */
};

struct paraver_writer {
    struct pithlog *log;
    struct pithi_out out;
    struct pithi_prv_places places;
    struct pithi_prv_payloads payloads;
    struct call {
        int type, value, state; /* type, value: of the events that stand for the state; state: its number in state
                                   records */
    } * calls;                  /* [defs]; used only for definitions of states */
    struct pithi_nest nest;
    struct pithi_sorter *waiting; /* state records and messages, by the time of their begin */
    int err;
    struct now *now; /* [lanes] */
    int64_t zero_ns; /* time 0 of the trace */
    struct pithi_losses losses;
    struct pithi_naming naming;
    /* Counts for the notes to the user. lost_payloads: payloads that were left out; members: members of communicators
     * that have no lane and were left out; deep: functions of samples that were left out because they are too deep */
    uint64_t lost_payloads, members, deep;
};

/* ---- Pieces of lines --------------------------------------------------------------------------------------------- */

static void put_number(struct paraver_writer *w, int64_t number)
{
    pithi_out_char(&w->out, ':');
    pithi_out_i64(&w->out, number);
}

static void put_time(struct paraver_writer *w, int64_t time_ns) { put_number(w, time_ns - w->zero_ns); }

/* Writes ":cpu:application:task:thread". */
static void put_place(struct paraver_writer *w, uint32_t lane)
{
    const struct pithi_prv_place *place = &w->places.lanes[lane];
    put_number(w, place->cpu);
    pithi_out_text(&w->out, ":1");
    put_number(w, place->task);
    put_number(w, place->thread);
}

static void begin_event(struct paraver_writer *w, uint32_t lane, int64_t time_ns)
{
    pithi_out_char(&w->out, '2');
    put_place(w, lane);
    put_time(w, time_ns);
}

static void put_pair(struct paraver_writer *w, int64_t type, int64_t value)
{
    put_number(w, type);
    put_number(w, value);
}

static void end_line(struct paraver_writer *w) { pithi_out_char(&w->out, '\n'); }

/* ---- Delayed records --------------------------------------------------------------------------------------------- */

/* Keeps a state record or a message in the sorter until the third pass. Returns 0 after an error. */
static int wait_for(struct paraver_writer *w, int64_t begin_ns, uint64_t kind, const struct waiting *item)
{
    /* Lines are sorted by time, then by kind (states before messages), then by arrival. */
    struct pithi_sort_key key = {{pithi_sort_time(begin_ns), kind}};
    if (!w->err)
        w->err = pithi_sorter_add(w->waiting, &key, item, sizeof *item);
    return !w->err;
}

static void wait_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct paraver_writer *w = context;
    (void)number;
    wait_for(w, m->send_ns, MESSAGE_LAST, &(struct waiting){m->recv_ns, m->send_lane, m->recv_lane, m->tag, m->bytes});
}

/* Ends the lane's state record at `time_ns` and puts it into the sorter, unless it took no time. Returns 0 after an
 * error. */
static int end_state_record(struct paraver_writer *w, uint32_t lane, int64_t time_ns)
{
    struct now *now = &w->now[lane];
    if (!now->seen || time_ns <= now->since_ns)
        return 1;
    return wait_for(w, now->since_ns, STATE_FIRST,
                    &(struct waiting){.end_ns = time_ns, .lane = lane, .value = now->state});
}

/* Ends the lane's state record and begins the next one if the begin or end of a state at step->to_ns changes the kind
 * of work that the lane does. The innermost open state of the log decides the kind of work. Outside all states the kind
 * is "Running". */
static int follow_state(void *context, const struct pithlog_step *step)
{
    struct paraver_writer *w = context;
    struct now *now = &w->now[step->lane];
    uint32_t inner = step->depth; /* number of states that are open after this step, without one that begins now */
    int state = PITHI_PRV_RUNNING;
    /* If the innermost state ends with this step, the state around it becomes the innermost. */
    if (step->change == PITHLOG_ENDS && step->at + 1 == step->depth)
        inner--;
    if (step->change == PITHLOG_BEGINS)
        state = w->calls[step->record->id].state;
    else if (inner > 0)
        state = w->calls[step->open[inner - 1].id].state;
    /* The state record goes on if the kind of work is the same, as in an MPI_Send inside another MPI_Send. */
    if (now->seen && now->state == state)
        return 1;
    if (!end_state_record(w, step->lane, step->to_ns))
        return 0;
    now->since_ns = step->to_ns;
    now->state = state;
    now->seen = 1;
    return 1;
}

/* Makes the first two passes, which collect and sort messages and state records. */
static int collect_waiting(struct paraver_writer *w, const struct pithi_convert *how, int64_t end_ns)
{
    struct pithi_each each = {
        .context = w, .put = follow_state, .message = wait_message, .failed = &w->err, .losses = &w->losses};
    int err;
    TRY(pithi_sorter_new(&w->waiting, PITHI_SORTER_BYTES));
    if (!(w->now = calloc(w->places.lane_count + (size_t)1, sizeof *w->now)))
        return pithi_no_memory();
    TRY(pithi_each_message(w->log, how, &each));
    TRY(pithi_each_record(w->log, how, &each));
    /* the last state of each lane lasts to the lane's end */
    for (uint32_t lane = 0; lane < w->places.lane_count; lane++) {
        int64_t last = pithlog_get_lane(w->log, lane)->last_ns;
        end_state_record(w, lane, last < end_ns ? last : end_ns);
    }
    TRY(w->err ? w->err : pithi_sorter_end(w->waiting));
out:
    free(w->now);
    w->now = NULL;
    return err;
}

/* Writes all state records and messages of the sorter whose lines precede an event at `time_ns`. */
static void put_waiting_until(struct paraver_writer *w, int64_t time_ns)
{
    struct pithi_sorted next;
    int status;
    /* State records that begin exactly at `time_ns` come before the event, messages sent then come after it. */
    while ((status = pithi_sorter_before(w->waiting, pithi_sort_time(time_ns), STATE_FIRST + 1, &next)) == 1) {
        struct waiting item;
        int is_state = next.key.word[1] == STATE_FIRST;
        memcpy(&item, next.data, sizeof item);
        pithi_out_char(&w->out, is_state ? '1' : '3');
        put_place(w, item.lane);
        put_time(w, pithi_sorted_time(&next));
        if (is_state) {
            put_time(w, item.end_ns);
        } else {
            /* Paraver has two times for each end of a message: when the call began, and when the data moved. Here the
             * two times are equal. */
            put_time(w, pithi_sorted_time(&next));
            put_place(w, item.other);
            put_time(w, item.end_ns);
            put_time(w, item.end_ns);
            put_number(w, (int64_t)item.bytes);
        }
        put_number(w, item.value);
        end_line(w);
    }
    if (status < 0)
        w->err = PITH_ERR_IO;
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if Pith's reader would make the same payload from the text. The writer leaves out a payload that would be
 * read back as another one. */
static int is_faithful(const struct pithlog_def *def, const struct pithlog_record *r, const char *text)
{
    size_t size;
    unsigned char *payload = pithi_payload_parse(def->format, text, &size);
    int same = payload && size == r->payload_bytes && memcmp(payload, r->payload, size) == 0;
    free(payload);
    return same;
}

/* Returns the value that stands for a text of a definition, or 0 if the text is not yet among the payloads. *first
 * becomes the map's entry for the text, which add_text needs for a new text, or NULL if memory runs out. */
static int64_t text_value(struct pithi_prv_payloads *p, uint32_t def, const char *text, uint64_t **first)
{
    /* Events with equal texts share a value. The hash is shifted, because a map takes all keys but the greatest. */
    uint64_t *known = *first = pithi_map_at(&p->by_hash, pithi_hash_text(PITHI_HASH ^ def, text) >> 1);
    for (uint32_t i = known ? (uint32_t)*known : 0; i; i = p->list[i - 1].next)
        if (p->list[i - 1].def == def && strcmp(p->list[i - 1].text, text) == 0)
            return i + INT64_C(1);
    return 0;
}

/* Adds a new text and takes ownership of it. Returns the value that stands for the text, or -1 if memory runs out. */
static int64_t add_text(struct pithi_prv_payloads *p, uint32_t def, char *text, uint64_t *first)
{
    if (!text || !pithi_grow(&p->list, p->count, &p->room, sizeof *p->list)) {
        free(text);
        return -1;
    }
    /* Texts have the values from 2 on, because the value 1 means an event without a payload. */
    p->list[p->count++] = (struct pithi_prv_payload){def, (uint32_t)*first, text};
    *first = p->count;
    return p->count + INT64_C(1);
}

/* Returns the value that stands for the payload of an event; 0 if the payload is left out; -1 if memory runs out. */
static int64_t payload_value(struct paraver_writer *w, const struct pithlog_def *def, const struct pithlog_record *r)
{
    struct pithi_prv_payloads *p = &w->payloads;
    struct pithi_payload_line line = {NULL, 0};
    if (!pithi_payload_line(&line, def->format, r))
        return -1;
    char *text = line.text;
    uint64_t *first;
    int64_t value = text_value(p, r->id, text, &first);
    /* Frees the text if the list already has it. Also frees a new text, which is then left out, if there are too many
     * texts or if the text would be read back as another payload. */
    if (value || !first || p->count >= PITHI_PRV_PAYLOADS || p->bytes + line.room > PITHI_PRV_PAYLOAD_BYTES ||
        !is_faithful(def, r, text)) {
        free(text);
        return first ? value : -1;
    }
    p->bytes += line.room;
    return add_text(p, r->id, text, first);
}

/* Returns the value that stands for the name of a function or call site, or 0 if memory runs out. */
static int64_t name_value(struct paraver_writer *w, uint32_t def, const char *name)
{
    uint64_t *first;
    int64_t value = text_value(&w->payloads, def, name, &first);
    if (!value && first)
        value = add_text(&w->payloads, def, strdup(name), first);
    return value > 0 ? value : 0;
}

/* Returns 1 and sets *number if the payload is a single whole number, otherwise returns 0. */
static int payload_number(const struct pithlog_def *def, const struct pithlog_record *r, int64_t *number)
{
    char token = pithi_token_single(def->format);
    size_t size = token ? pithi_token_size(token) : 0;
    if (!token || strchr("seE", token) || size != r->payload_bytes)
        return 0;
    uint64_t sum = pithi_get_be(r->payload, size);
    /* Extends the sign of a negative number of less than 8 bytes. */
    if (strchr("hdl", token) && size < 8 && sum >> (8 * size - 1))
        sum |= UINT64_MAX << 8 * size;
    *number = (int64_t)sum;
    return 1;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Writes an event whose value is not 0, which begins a call. The value 0 of the same type ends it (end_call). */
static void begin_call(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct paraver_writer *w = context;
    begin_event(w, lane, time_ns);
    put_pair(w, w->calls[id].type, w->calls[id].value);
    end_line(w);
}

static void end_call(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct paraver_writer *w = context;
    begin_event(w, lane, time_ns);
    put_pair(w, w->calls[id].type, 0);
    end_line(w);
}

/* Adds the functions of a sample, the innermost first, or the name of a call site to the event line. Adds nothing if
 * the record is neither. Returns 0 if memory runs out. */
static int put_functions(struct paraver_writer *w, const struct pithlog_record *r)
{
    int is_sample = r->id == w->losses.stack_ids[0];
    const char *found = is_sample || r->id == w->losses.stack_ids[1] ? w->naming.functions(w->naming.context, r) : NULL;
    char *text = found && *found ? strdup(found) : NULL, *last = text;
    uint32_t depth = 0;
    int64_t value = 1;
    if (!text)
        return !found || !*found;
    if (!is_sample && (value = name_value(w, w->payloads.callers, text)) > 0)
        put_pair(w, PITHI_PRV_CALLER, value);
    /* The innermost function is written first, at depth 0. It is the last one in a text like "main;solve;dot", so
     * functions are cut off from the end of the text. */
    for (; is_sample && last && value > 0 && depth < PITHI_PRV_SAMPLED_END - PITHI_PRV_SAMPLED; depth++) {
        last = strrchr(text, ';');
        if ((value = name_value(w, w->payloads.functions, last ? last + 1 : text)) > 0)
            put_pair(w, PITHI_PRV_SAMPLED + (int64_t)depth, value);
        if (last)
            *last = 0;
    }
    /* Counts the functions that were not written because they are too deep. */
    for (last = is_sample && last ? text : NULL; last; last = strchr(last + 1, ';'))
        w->deep++;
    w->payloads.depth = depth > w->payloads.depth ? depth : w->payloads.depth;
    free(text);
    return value > 0;
}

static void put_single(struct paraver_writer *w, const struct pithlog_record *r, int64_t type, int64_t value)
{
    begin_event(w, r->lane, r->time_ns);
    put_pair(w, type, value);
    end_line(w);
}

static int is_user(const struct paraver_writer *w, uint32_t id) { return w->calls[id].type == PITHI_PRV_USER; }

/* Returns 1 if two states may overlap without one being inside the other. States of the user have another event type
 * than calls of MPI. In Paraver only states of the same type must nest, so a state of the user and a call of MPI may
 * overlap. */
static int is_apart(void *context, uint32_t id, uint32_t ending)
{
    return is_user(context, id) != is_user(context, ending);
}

/* Writes a record. Before it, writes the delayed state records and messages of earlier times, because lines must be in
 * order of time. Ranks and communicators are numbered from 1, because 0 means none in Paraver. */
static int put_record(void *context, const struct pithlog_step *step)
{
    struct paraver_writer *w = context;
    const struct pithlog_record *r = step->record;
    put_waiting_until(w, r->time_ns);
    switch (r->kind) {
    case PITHLOG_ENTER:
    case PITHLOG_LEAVE:
        pithi_nest_step(&w->nest, step);
        return 1;
    case PITHLOG_EVENT: {
        const struct pithlog_def *def = pithlog_get_def(w->log, r->id);
        /* If the payload is a single whole number, this number is the value of the event, so that Paraver can compute
         * with it. */
        int64_t number, value = r->payload_bytes ? 0 : 1;
        begin_event(w, r->lane, r->time_ns);
        if (r->payload_bytes && payload_number(def, r, &number)) {
            put_pair(w, PITHI_PRV_EVENT_NUMBER + (int64_t)r->id, number);
        } else {
            if (r->payload_bytes && (value = payload_value(w, def, r)) < 0)
                return 0;
            w->lost_payloads += value == 0;
            put_pair(w, PITHI_PRV_EVENT + (int64_t)r->id, value ? value : 1);
        }
        if (w->naming.functions && !put_functions(w, r))
            return 0;
        end_line(w);
        return 1;
    }
    case PITHLOG_COUNTER: {
        /* `most` is 2^53. Up to this limit a double can hold every whole number, so the integer part of a whole value
         * is exact. */
        double most = 9007199254740992.0, value = r->value;
        int64_t whole = value >= -9.2e18 && value <= 9.2e18 ? (int64_t)value : 0, bits;
        memcpy(&bits, &value, sizeof bits);
        begin_event(w, r->lane, r->time_ns);
        put_pair(w, PITHI_PRV_COUNTER + (int64_t)r->id, whole);
        /* A fraction, a larger number or -0 is not exact as a whole number, so its bits are written, too. */
        if (!(value >= -most && value <= most && (double)whole == value && !(whole == 0 && signbit(value))))
            put_pair(w, PITHI_PRV_COUNTER_BITS + (int64_t)r->id, bits);
        end_line(w);
        break;
    }
    case PITHLOG_COLL:
        begin_event(w, r->lane, r->time_ns);
        put_pair(w, PITHI_PRV_COLL_SENT, (int64_t)r->bytes);
        put_pair(w, PITHI_PRV_COLL_GOT, (int64_t)r->got_bytes);
        /* Extrae marks only the root itself, by the value 1. A type of Pith's own has the rank of the root, for the
         * reader of Pith. */
        if (r->peer >= 0 && r->peer == pithlog_get_lane(w->log, r->lane)->rank)
            put_pair(w, PITHI_PRV_COLL_ROOT, 1);
        put_pair(w, PITHI_PRV_COLL_COMM, r->comm + INT64_C(1));
        if (r->peer >= 0)
            put_pair(w, PITHI_PRV_ROOT, r->peer + INT64_C(1));
        end_line(w);
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        put_single(w, r, r->kind == PITHLOG_COMM_CREATE ? PITHI_PRV_COMM_MADE : PITHI_PRV_COMM_FREED,
                   r->comm + INT64_C(1));
        break;
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
        put_single(w, r, PITHI_PRV_TRACING, r->kind == PITHLOG_RESUME);
        break;
    case PITHLOG_LOST:
        put_single(w, r, PITHI_PRV_LOST, (int64_t)r->bytes);
        break;
    default:
        break;
    }
    return !w->err;
}

/* ---- The header -------------------------------------------------------------------------------------------------- */

static void put_list(struct paraver_writer *w, uint32_t i, uint64_t number)
{
    if (i)
        pithi_out_char(&w->out, ',');
    pithi_out_u64(&w->out, number);
}

static int has_members(const struct pithlog_comm *comm) { return comm->size > 0 && comm->world_ranks != NULL; }

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int write_all(struct paraver_writer *w, FILE *out, const struct pithi_convert *how)
{
    struct pithi_walk walk;
    int err;
    /* Opens the walk only to find the interval of the log that is converted (walk.from_ns, walk.to_ns). */
    TRY(pithi_walk_open(&walk, w->log, how));
    pithi_walk_close(&walk);
    /* Paraver has no negative times. If only a part of the log is converted, or if the log has negative times, time 0
     * of the trace is the begin of the interval. */
    w->zero_ns = how->from_ns > INT64_MIN || walk.from_ns < 0 ? walk.from_ns : 0;
    const struct pithlog_def *def;
    w->calls = calloc(pithlog_get_info(w->log)->defs + (size_t)1, sizeof *w->calls);
    if (!pithi_prv_places_open(&w->places, w->log) || !w->calls)
        return pithi_no_memory();
    for (uint32_t id = 0; (def = pithlog_get_def(w->log, id)); id++) {
        struct call *call = &w->calls[id];
        call->type = pithi_prv_call_type(def->name, &call->value);
        /* MPI functions have the values that Extrae gives them. All other states have PITHI_PRV_NAMED + the id of their
         * definition. */
        call->value = call->value ? call->value : PITHI_PRV_NAMED + (int)id;
        call->state = pithi_prv_state_in(def->name);
    }
    TRY(collect_waiting(w, how, walk.to_ns));
    TRY(pithi_out_open(&w->out, out));

    const struct pithi_prv_places *p = &w->places;
    const struct pithlog_comm *comm;
    uint32_t comms = 0;
    for (uint32_t i = 0; (comm = pithlog_get_comm(w->log, i)); i++)
        comms += has_members(comm);
    pithi_out_text(&w->out, "#Paraver (");
    /* Writes the log's start in UTC, so that the output does not depend on the time zone. */
    const char *start = pithi_property(w->log, "start_unix_s");
    char text[64];
    struct tm date = {0};
    time_t seconds = (time_t)strtoll(start ? start : "0", NULL, 10);
    /* a log without a start time gets the begin of 1970 */
    if (!gmtime_r(&seconds, &date) || strftime(text, sizeof text, "%d/%m/%Y at %H:%M", &date) == 0)
        strcpy(text, "01/01/1970 at 00:00");
    pithi_out_text(&w->out, text);
    pithi_out_char(&w->out, ')');
    put_time(w, walk.to_ns > w->zero_ns ? walk.to_ns : w->zero_ns);
    pithi_out_text(&w->out, "_ns:");
    pithi_out_u64(&w->out, p->node_count);
    pithi_out_char(&w->out, '(');
    for (uint32_t i = 0; i < p->node_count; i++)
        put_list(w, i, p->cpus[i]);
    pithi_out_text(&w->out, "):1:");
    pithi_out_u64(&w->out, p->task_count);
    pithi_out_char(&w->out, '(');
    for (uint32_t i = 0; i < p->task_count; i++) {
        put_list(w, i, p->first_lane[i + 1] - p->first_lane[i]);
        put_number(w, p->nodes[i]);
    }
    pithi_out_text(&w->out, "),");
    pithi_out_u64(&w->out, comms);
    pithi_out_text(&w->out, "\n" PITHI_PRV_MARK "\n" PITHI_PRV_PROMISE "\n");
    char sampling[PITHI_SAMPLING];
    pithi_sampling_text(w->log, sampling);
    if (*sampling) {
        pithi_out_text(&w->out, PITHI_PRV_SAMPLING);
        pithi_out_text(&w->out, sampling);
        pithi_out_char(&w->out, '\n');
    }
    for (uint32_t i = 0; (comm = pithlog_get_comm(w->log, i)); i++)
        if (has_members(comm)) {
            /* The line is "c:1:number:tasks:task:task...". An intercommunicator lists both groups. */
            int32_t all = comm->size + comm->remote_size, there = 0;
            for (int32_t m = 0; m < all; m++)
                /* Members are written as tasks, so members without a lane are left out. */
                there += pithi_map_find(&w->places.tasks, (uint32_t)comm->world_ranks[m]) != NULL;
            w->members += (uint64_t)(all - there);
            pithi_out_text(&w->out, "c:1");
            put_number(w, i + INT64_C(1));
            put_number(w, there);
            for (int32_t m = 0; m < all; m++) {
                const uint64_t *task = pithi_map_find(&w->places.tasks, (uint32_t)comm->world_ranks[m]);
                if (task)
                    put_number(w, (int64_t)*task);
            }
            end_line(w);
        }

    /* The third pass writes the events and merges them with the delayed records. */
    struct pithi_each each = {.context = w, .put = put_record, .failed = &w->out.failed};
    w->nest = (struct pithi_nest){
        .begin = begin_call, .end = end_call, .context = w, .losses = &w->losses, .is_apart = is_apart};
    err = pithi_each_record(w->log, how, &each);
    if (err == PITH_OK)
        put_waiting_until(w, INT64_MAX);
    err = w->err ? w->err : err;
    pithi_out_text(&w->out, PITHI_PRV_END "\n");
    err = pithi_out_close(&w->out, err);
    if (err == PITH_OK && how->beside[0]) /* the .pcf comes last, because the third pass finds the texts of values */
        err = pithi_prv_write_labels(w->log, &w->payloads, how->beside[0]);
    if (err == PITH_OK && how->beside[1])
        err = pithi_prv_write_rows(w->log, &w->places, how->beside[1]);
out:
    return err;
}

int pithi_paraver_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    uint32_t defs = pithlog_get_info(log)->defs;
    struct paraver_writer w = {.log = log, .naming = how->naming, .payloads = {.functions = defs, .callers = defs + 1}};
    int err;
    TRY(pithi_losses_open(&w.losses, log));
    TRY(write_all(&w, out, how));
    if (err == PITH_OK) {
        uint64_t pairs = 0;
        w.losses.count[PITHI_LOSS_PAYLOADS] = w.lost_payloads;
        pithi_losses_zero(&w.losses, w.zero_ns);
        /* Gives each colour as Pith's reader finds it. The .pcf has colours as numbers, so a colour with a name comes
         * as "#rrggbb". */
        char text[8];
        for (uint32_t id = 0; pithlog_get_def(w.log, id); id++) {
            snprintf(text, sizeof text, "#%06x", (unsigned)pithlog_def_rgb(w.log, id));
            pithi_losses_colour(&w.losses, id, text);
        }
        for (uint32_t id = 0; id < pithlog_get_info(log)->comms; id++) {
            const struct pithlog_comm *comm = pithlog_get_comm(log, id);
            pairs += comm && comm->remote_size > 0;
        }
        pithi_losses_keep_sampling(&w.losses);
        pithi_losses_tell(&w.losses, how);
        pithi_note(how, w.members, "members of communicators that have no lane are left out");
        pithi_note(how, w.deep, "functions of samples: callers beyond depth 99 are left out");
        pithi_note(how, pairs, "intercommunicators: their two groups are one");
    }
out:
    for (uint32_t i = 0; i < w.payloads.count; i++)
        free(w.payloads.list[i].text);
    free(w.payloads.list);
    pithi_map_free(&w.payloads.by_hash);
    pithi_prv_places_close(&w.places);
    pithi_sorter_free(w.waiting);
    free(w.calls);
    pithi_losses_close(&w.losses);
    return err;
}
