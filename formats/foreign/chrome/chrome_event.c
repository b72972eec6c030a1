/* chrome_event.c - parses one event of the Trace Event Format and keeps the open states of each lane. The ends of
 * complete events ("X") wait in a heap per lane, because they need not nest: when times are rounded to microseconds,
 * neighbours overlap.
 *
 *     {"ph":"X","ts":10,"dur":11,"name":"a"}       enter a at 10; the heap has its end, 21
 *     {"ph":"X","ts":20,"dur":5,"name":"b"}        enter b at 20; the heap has 21 and 25
 *     a later event, at 30                         leave a at 21, leave b at 25: a ends while b is open */
#include "foreign/chrome/chrome_event.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/text_fields.h"

/* The limit of times: 95 years in either direction, so that a sum of three times does not overflow. */
#define LATEST_NS INT64_C(3000000000000000000)

/* Reads a time in microseconds with up to 3 decimals. Returns 0 if it is not valid. */
static int time_of(const struct pithi_json_value *value, int64_t *time_ns)
{
    return pithi_json_scaled(value, 3, time_ns) && *time_ns >= -LATEST_NS && *time_ns <= LATEST_NS;
}

/* Reads an object as an event. Keys may come in any order. */
int pithi_chrome_event(struct pithi_json *json, struct pithi_chrome_event *event)
{
    struct pithi_json_value key, value;
    int first = 1, status = pithi_json_open(json, '{');
    *event = (struct pithi_chrome_event){0};
    /* Values are not decoded here: the event keeps where each value is in the text, and a later function decodes it if
     * it is needed. */
    while (status == PITHI_JSON_OK && (status = pithi_json_key(json, &first, &key)) == PITHI_JSON_OK) {
        if ((status = pithi_json_value(json, &value)) != PITHI_JSON_OK)
            break;
        if (pithi_json_is(&key, "ph")) {
            /* a phase is one letter; 0 for anything else */
            event->phase = (char)(value.kind == '"' && value.size == 1 ? value.text[0] : 0);
        } else if (pithi_json_is(&key, "name")) {
            event->name = value;
        } else if (pithi_json_is(&key, "cat")) {
            event->category = value;
        } else if (pithi_json_is(&key, "pid")) {
            event->pid = value;
        } else if (pithi_json_is(&key, "tid")) {
            event->tid = value;
        } else if (pithi_json_is(&key, "id")) {
            event->id = value;
        } else if (pithi_json_is(&key, "args")) {
            event->args = value;
        } else if (pithi_json_is(&key, "bind_id")) {
            event->bind_id = value;
        } else if (pithi_json_is(&key, "flow_in")) {
            event->flow_in = pithi_json_is(&value, "true");
        } else if (pithi_json_is(&key, "flow_out")) {
            event->flow_out = pithi_json_is(&value, "true");
        } else if (pithi_json_is(&key, "ts")) {
            event->timed = time_of(&value, &event->time_ns);
        } else if (pithi_json_is(&key, "dur")) {
            /* A missing or negative length becomes 0. The reader of the file counts these events. */
            event->has_length = time_of(&value, &event->length_ns);
            event->is_negative = event->has_length && event->length_ns < 0;
            if (!event->has_length || event->is_negative)
                event->length_ns = 0;
        } else if (pithi_json_is(&key, "id2")) {
            event->id2 = value;
        } else if (pithi_json_is(&key, "scope")) {
            event->scope = value;
        }
    }
    return status == PITHI_JSON_DONE ? PITHI_JSON_OK : status;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static int open_args(const struct pithi_chrome_event *event, struct pithi_json *json)
{
    *json = (struct pithi_json){.data = event->args.text, .size = event->args.size};
    return event->args.kind == '{' && pithi_json_open(json, '{') == PITHI_JSON_OK;
}

/* Finds an argument by its key. Returns 1 and sets *value, or returns 0 if there is none. */
int pithi_chrome_arg(const struct pithi_chrome_event *event, const char *wanted, struct pithi_json_value *value)
{
    struct pithi_json_value key;
    struct pithi_json json;
    int first = 1, open = open_args(event, &json);
    while (open && pithi_json_key(&json, &first, &key) == PITHI_JSON_OK &&
           pithi_json_value(&json, value) == PITHI_JSON_OK)
        if (pithi_json_is(&key, wanted))
            return 1;
    return 0;
}

int pithi_chrome_arg_number(const struct pithi_chrome_event *event, const char *key, int64_t least, int64_t *number)
{
    struct pithi_json_value value;
    return pithi_chrome_arg(event, key, &value) && pithi_json_scaled(&value, 0, number) && *number >= least;
}

/* Writes the arguments as text, "a=1 b=x", cut at PITHI_CHROME_TEXT bytes. Returns the length of the text. */
size_t pithi_chrome_args_text(const struct pithi_chrome_event *event, char text[PITHI_CHROME_TEXT])
{
    struct pithi_json_value key, value;
    struct pithi_json json;
    size_t used = 0;
    int first = 1, open = open_args(event, &json);
    text[0] = 0;
    while (open && pithi_json_key(&json, &first, &key) == PITHI_JSON_OK &&
           pithi_json_value(&json, &value) == PITHI_JSON_OK && used + 2 < PITHI_CHROME_TEXT) {
        /* A file that Pith wrote has the whole payload in the argument "payload", as one escaped text. This text is
         * added without its key. */
        int own = used == 0 && pithi_json_is(&key, "payload") && value.kind == '"';
        if (used)
            text[used++] = ' ';
        if (!own) {
            used += pithi_json_text(&key, text + used, PITHI_CHROME_TEXT - 1 - used);
            text[used++] = '=';
        }
        size_t length = pithi_json_text(&value, text + used, PITHI_CHROME_TEXT - used);
        used += own ? pithi_unescape(text + used) : length;
    }
    return used;
}

uint64_t pithi_chrome_hash(uint64_t hash, const struct pithi_json_value *value)
{
    return pithi_hash_bytes(hash ^ PITHI_HASH, value->text, value->size) >> 1;
}

struct ending {
    int64_t end_ns;
    uint64_t order; /* for equal ends: the state that began last ends first */
    uint32_t id;
};

struct pithi_chrome_lane {
    struct ending *heap; /* [count] ends of complete events, the earliest first */
    uint32_t count, room;
    uint64_t order; /* number of the next complete event, in the order of begins */
    uint32_t *open; /* definitions of states begun by "B" and not ended */
    uint32_t open_count, open_room;
};

void pithi_chrome_states_free(struct pithi_chrome_states *states)
{
    for (uint32_t i = 0; i < states->count; i++) {
        free(states->lanes[i].heap);
        free(states->lanes[i].open);
    }
    free(states->lanes);
}

static int before(const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->order > y->order;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t kind, uint32_t id)
{
    return pithi_writer_add(
        states->writer, &(struct pithlog_record){
                            .time_ns = time_ns - states->zero_ns, .lane = lane, .kind = kind, .id = id, .peer = -1});
}

/* Ends the complete events whose end is not after `until_ns`, in the order of their ends. */
static int end_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t until_ns)
{
    struct pithi_chrome_lane *l = &states->lanes[lane];
    int err = PITH_OK;
    while (err == PITH_OK && l->count && l->heap[0].end_ns <= until_ns) {
        struct ending e;
        pithi_heap_take(l->heap, &l->count, &e, sizeof e, before);
        err = add(states, lane, e.end_ns, PITHLOG_LEAVE, e.id);
    }
    return err;
}

/* Sets *l to the lane, and ends its complete events whose end is not after `time_ns`. */
static int advance(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, struct pithi_chrome_lane **l)
{
    while (states->count <= lane) {
        if (!pithi_grow(&states->lanes, states->count, &states->room, sizeof *states->lanes))
            return pithi_no_memory();
        states->lanes[states->count++] = (struct pithi_chrome_lane){0};
    }
    *l = &states->lanes[lane];
    return end_whole(states, lane, time_ns);
}

int pithi_chrome_states_begin(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t id)
{
    struct pithi_chrome_lane *l;
    CHECK(advance(states, lane, time_ns, &l));
    if (!pithi_grow(&l->open, l->open_count, &l->open_room, sizeof *l->open))
        return pithi_no_memory();
    l->open[l->open_count++] = id;
    return add(states, lane, time_ns, PITHLOG_ENTER, id);
}

/* "E" ends the state that was begun last by "B"; its name is not compared. */
int pithi_chrome_states_end(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns)
{
    struct pithi_chrome_lane *l;
    CHECK(advance(states, lane, time_ns, &l));
    if (l->open_count == 0)
        states->ends_alone++;
    else
        CHECK(add(states, lane, time_ns, PITHLOG_LEAVE, l->open[--l->open_count]));
    return PITH_OK;
}

int pithi_chrome_states_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, int64_t length_ns,
                              uint32_t id)
{
    struct pithi_chrome_lane *l;
    /* complete events that end before or at this time are ended first */
    CHECK(advance(states, lane, time_ns, &l));
    if (!pithi_grow(&l->heap, l->count, &l->room, sizeof *l->heap))
        return pithi_no_memory();
    CHECK(add(states, lane, time_ns, PITHLOG_ENTER, id));
    struct ending e = {time_ns + length_ns, l->order++, id};
    pithi_heap_add(l->heap, &l->count, &e, sizeof e, before);
    return PITH_OK;
}

int pithi_chrome_states_other(struct pithi_chrome_states *states, struct pithlog_record *record)
{
    struct pithi_chrome_lane *l;
    CHECK(advance(states, record->lane, record->time_ns, &l));
    record->time_ns -= states->zero_ns;
    return pithi_writer_add(states->writer, record);
}

/* States that were begun by "B" and not ended stay open at the end of the log. */
int pithi_chrome_states_finish(struct pithi_chrome_states *states)
{
    int err = PITH_OK;
    for (uint32_t lane = 0; err == PITH_OK && lane < states->count; lane++)
        err = end_whole(states, lane, INT64_MAX);
    return err;
}
