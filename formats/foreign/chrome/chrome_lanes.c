/* chrome_lanes.c - maps processes and threads to ranks and lanes, and flows to messages.
 *
 *     processes 4711, 4712 with threads 4711, 4713 and 4712       ranks 0 and 1; threads 0.0, 0.1 and 1.0
 *     processes 0 and 2, named "rank 0" and "rank 2 (node7)"      by Pith: ranks 0 and 2, rank 2 on the host node7
 *
 * Lanes are known only at the end of the file. So threads get numbers in the order in which they appear. Events go
 * through a sort on disk with these numbers, and get their lanes when they come out of the sort.
 *
 * Messages go through two sorts. The first one sorts the flow events by flow and time, and neighbours are joined to
 * messages. The second one sorts the messages by receiver and send time, and the messages of each receiver are numbered
 * in this order. */
#include "foreign/chrome/chrome_lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sorter.h"

enum { WORD = 256, NAME = 512 }; /* bytes */

/* A process or a thread. */
enum kind { MISSING, NUMBER, WORDS, ASYNC };
struct pithi_chrome_place {
    enum kind kind;        /* kind of pid or tid: missing, a number, a word; or a lane of asynchronous events */
    int64_t number, order; /* number: pid or tid; order: the sort index of the file, the first sort key */
    char *word, *name;     /* word: pid or tid if it is a word; name: from the metadata */
    uint32_t process;      /* index of its process */
    uint32_t result;       /* for a process: its rank; for a thread: its lane */
    int own;               /* for a process: written by Pith */
    uint32_t lane;         /* for a process: the lane of its first thread, if has_lane */
    int has_lane;          /* 1: `lane` is set */
    int used;              /* 1: an event belongs to it */
};

static void free_places(struct pithi_chrome_place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(places[i].word);
        free(places[i].name);
    }
    free(places);
}

void pithi_chrome_lanes_free(struct pithi_chrome_lanes *lanes)
{
    free_places(lanes->processes, lanes->process_count);
    free_places(lanes->threads, lanes->thread_count);
    pithi_map_free(&lanes->process_numbers);
    pithi_map_free(&lanes->thread_numbers);
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

static uint64_t identify(const struct pithi_json_value *value, struct pithi_chrome_place *place)
{
    *place = (struct pithi_chrome_place){.kind = MISSING};
    if (value->kind == 0)
        return 0;
    place->kind = pithi_json_scaled(value, 0, &place->number) ? NUMBER : WORDS;
    if (place->kind == NUMBER)
        return pithi_hash_number(0, (uint64_t)place->number) >> 1;
    return pithi_chrome_hash(1, value);
}

static int find(struct pithi_map *numbers, uint64_t key, const struct pithi_json_value *value,
                struct pithi_chrome_place place, struct pithi_chrome_place **places, uint32_t *count, uint32_t *room,
                uint32_t *number)
{
    uint64_t *at = pithi_map_at(numbers, key);
    char word[WORD];
    if (!at || (*at == 0 && !pithi_grow(places, *count, room, sizeof **places)))
        return pithi_no_memory();
    if (*at == 0) {
        if (place.kind == WORDS) {
            pithi_json_text(value, word, sizeof word);
            if (!(place.word = strdup(word)))
                return pithi_no_memory();
        }
        (*places)[(*count)++] = place;
        *at = *count;
    }
    *number = (uint32_t)*at - 1;
    return PITH_OK;
}

int pithi_chrome_lanes_thread(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event,
                              uint32_t *thread)
{
    struct pithi_chrome_place place;
    uint64_t key = identify(&event->pid, &place);
    uint32_t process;
    CHECK(find(&lanes->process_numbers, key, &event->pid, place, &lanes->processes, &lanes->process_count,
               &lanes->process_room, &process));
    key = identify(&event->tid, &place);
    place.process = process;
    key = (key ^ pithi_hash_number(0, process + UINT64_C(1))) >> 1;
    return find(&lanes->thread_numbers, key, &event->tid, place, &lanes->threads, &lanes->thread_count,
                &lanes->thread_room, thread);
}

uint32_t pithi_chrome_lanes_process(const struct pithi_chrome_lanes *lanes, uint32_t thread)
{
    return lanes->threads[thread].process;
}

int pithi_chrome_lanes_add(struct pithi_chrome_lanes *lanes, uint32_t process, uint32_t group, uint32_t number,
                           const char *name, uint32_t *thread)
{
    struct pithi_chrome_place place = {.kind = ASYNC,
                                       .number = (int64_t)group << 32 | number,
                                       .order = INT64_MAX,
                                       .process = process,
                                       .used = 1,
                                       .name = strdup(name)};
    if (!place.name || !pithi_grow(&lanes->threads, lanes->thread_count, &lanes->thread_room, sizeof *lanes->threads)) {
        free(place.name);
        return pithi_no_memory();
    }
    *thread = lanes->thread_count;
    lanes->threads[lanes->thread_count++] = place;
    return PITH_OK;
}

void pithi_chrome_lanes_use(struct pithi_chrome_lanes *lanes, uint32_t thread) { lanes->threads[thread].used = 1; }

/* ---- Names ------------------------------------------------------------------------------------------------------- */

int pithi_chrome_lanes_meta(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event)
{
    int process = pithi_json_is(&event->name, "process_name") || pithi_json_is(&event->name, "process_sort_index");
    struct pithi_json_value name, made;
    uint32_t thread;
    if (!process && !pithi_json_is(&event->name, "thread_name") && !pithi_json_is(&event->name, "thread_sort_index"))
        return PITH_OK;
    CHECK(pithi_chrome_lanes_thread(lanes, event, &thread));
    struct pithi_chrome_place *place = &lanes->threads[thread];
    if (process)
        place = &lanes->processes[place->process];
    pithi_chrome_arg_number(event, "sort_index", INT64_MIN, &place->order);
    /* If the event has the argument "made", its name is ignored: the Pith writer invented the name, because the log had
     * none. */
    if (pithi_chrome_arg(event, "name", &name) && !pithi_chrome_arg(event, "made", &made)) {
        char text[NAME];
        pithi_json_text(&name, text, sizeof text);
        free(place->name);
        if (!(place->name = strdup(text)))
            return pithi_no_memory();
    }
    return PITH_OK;
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

struct ordered {
    const struct pithi_chrome_place *place;
    int64_t first;   /* for a thread: the number of its process. The thread with the same number is the main thread and
                        comes first */
    uint32_t number; /* index before sorting */
};

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int is_main(const struct ordered *o) { return o->place->kind == NUMBER && o->place->number == o->first; }

static int by_order(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    int way = compare_numbers(a->place->process, b->place->process);
    way = way ? way : is_main(b) - is_main(a);
    way = way ? way : compare_numbers(a->place->order, b->place->order);
    way = way ? way : compare_numbers(a->place->kind, b->place->kind);
    way = way ? way : compare_numbers(a->place->number, b->place->number);
    way = way || a->place->kind != WORDS ? way : strcmp(a->place->word, b->place->word);
    return way ? way : compare_numbers(a->number, b->number);
}

static struct ordered *sorted(const struct pithi_chrome_place *places, uint32_t count,
                              const struct pithi_chrome_place *processes)
{
    struct ordered *all = malloc((count + (size_t)1) * sizeof *all);
    for (uint32_t i = 0; all && i < count; i++)
        all[i] = (struct ordered){&places[i], processes ? processes[places[i].process].number : INT64_MIN, i};
    if (all)
        qsort(all, count, sizeof *all, by_order);
    return all;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* Parses "rank 3" and "rank 3 (node7)". *host is the text in brackets, or empty. */
static int is_own(const struct pithi_chrome_place *process, char host[NAME])
{
    int end = 0;
    char own[32];
    if (!process->name || process->kind != NUMBER || process->number < 0 || process->number > INT32_MAX / 2)
        return 0;
    end = snprintf(own, sizeof own, "rank %" PRId64, process->number);
    if (strncmp(process->name, own, (size_t)end) != 0)
        return 0;
    const char *rest = process->name + end;
    size_t length = strlen(rest);
    host[0] = 0;
    if (length > 3 && strncmp(rest, " (", 2) == 0 && rest[length - 1] == ')')
        snprintf(host, NAME, "%.*s", (int)length - 3, rest + 2);
    return length == 0 || host[0];
}

static int make_ranks(struct pithi_chrome_lanes *lanes, struct pithi_writer *writer)
{
    int keep = 0, err = PITH_OK;
    char host[NAME];
    /* The numbers of the processes become their ranks if Pith wrote all of them, or if they are 0 to n - 1. Otherwise
     * the numbers may be as large as 4711, and each process gets the next free rank. */
    if (!lanes->is_one_rank) {
        uint32_t own = 0, dense = 0;
        for (uint32_t i = 0; i < lanes->process_count; i++) {
            const struct pithi_chrome_place *p = &lanes->processes[i];
            own += is_own(p, host);
            dense += p->kind == NUMBER && p->number >= 0 && p->number < lanes->process_count;
        }
        for (uint32_t i = 0; i < lanes->process_count; i++)
            lanes->processes[i].own = own == lanes->process_count;
        keep = own == lanes->process_count || dense == lanes->process_count;
    }
    struct ordered *order = sorted(lanes->processes, lanes->process_count, NULL);
    if (!order)
        return pithi_no_memory();
    uint32_t next = 0;
    for (uint32_t i = 0; i < lanes->thread_count; i++)
        lanes->processes[lanes->threads[i].process].used |= lanes->threads[i].used;
    for (uint32_t i = 0; i < lanes->process_count; i++) {
        struct pithi_chrome_place *p = &lanes->processes[order[i].number];
        if (!keep && !p->used)
            continue;
        p->result = lanes->is_one_rank ? (uint32_t)lanes->rank : keep ? (uint32_t)p->number : next++;
        struct pithi_rank rank = {.rank = (int32_t)p->result, .host = ""};
        if (lanes->is_one_rank)
            continue;
        if (p->own && is_own(p, host))
            rank.host = host;
        else if (p->kind == NUMBER && p->number > 0)
            rank.pid = (uint64_t)p->number;
        TRY(*rank.host || rank.pid ? pithi_writer_rank(writer, &rank) : PITH_OK);
    }
out:
    free(order);
    return err;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static int make_lane(struct pithi_writer *writer, const struct pithi_chrome_place *process,
                     struct pithi_chrome_place *thread, uint32_t next)
{
    int keep = process->own && thread->kind == NUMBER && thread->number >= 0 && thread->number <= INT32_MAX;
    char name[NAME];
    /* In files of other programs, the name of a lane begins with the name of the process. */
    const char *of = process->own ? NULL : process->name ? process->name : process->word;
    const char *own = thread->name ? thread->name : thread->word;
    if (of && own && strcmp(of, own) != 0)
        snprintf(name, NAME, "%s: %s", of, own);
    else
        snprintf(name, NAME, "%s", own ? own : of ? of : "");
    return pithi_writer_lane(writer, (int32_t)process->result, keep ? (uint32_t)thread->number : next, name,
                             &thread->result);
}

int pithi_chrome_lanes_make(struct pithi_chrome_lanes *lanes, struct pithi_writer *writer)
{
    struct ordered *order = sorted(lanes->threads, lanes->thread_count, lanes->processes);
    uint32_t next = 0, before = UINT32_MAX;
    int err = order ? PITH_OK : pithi_no_memory();
    if (err)
        goto out;
    TRY(make_ranks(lanes, writer));
    for (uint32_t i = 0; i < lanes->thread_count; i++) {
        struct pithi_chrome_place *thread = &lanes->threads[order[i].number];
        struct pithi_chrome_place *process = &lanes->processes[thread->process];
        next = thread->process == before || lanes->is_one_rank ? next : 0;
        before = thread->process;
        if (thread->kind == MISSING || (!thread->used && !process->own))
            continue;
        TRY(make_lane(writer, process, thread, next++));
        if (!process->has_lane)
            process->lane = thread->result;
        process->has_lane = 1;
    }
    /* Events without a thread, such as the counters of a process, belong to its first thread, if it has threads. */
    for (uint32_t i = 0; i < lanes->thread_count; i++) {
        struct pithi_chrome_place *thread = &lanes->threads[i];
        const struct pithi_chrome_place *process = &lanes->processes[thread->process];
        thread->result = thread->kind == MISSING ? process->lane : thread->result;
        if (thread->kind == MISSING && thread->used && !process->has_lane)
            TRY(make_lane(writer, process, thread, lanes->is_one_rank ? next++ : 0));
    }
out:
    free(order);
    return err;
}

int pithi_chrome_lanes_own(const struct pithi_chrome_lanes *lanes)
{
    return lanes->process_count > 0 && lanes->processes[0].own;
}

uint32_t pithi_chrome_lanes_lane(const struct pithi_chrome_lanes *lanes, uint32_t thread)
{
    return lanes->threads[thread].result;
}

int32_t pithi_chrome_lanes_rank(const struct pithi_chrome_lanes *lanes, uint32_t thread)
{
    return (int32_t)lanes->processes[lanes->threads[thread].process].result;
}

/* memory of a sorter in bytes: a quarter of the usual size, because several sorters are open at a time */
enum { MEMORY = PITHI_SORTER_BYTES / 4 };

struct end {
    int64_t time_ns, tag; /* tag: the tag of the message */
    uint64_t bytes;
    uint32_t thread; /* index in struct pithi_chrome_lanes */
    int phase;       /* 0: none */
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
    struct pithi_sorter *messages; /* messages, for the second sort */
    struct end open, early; /* Two events of the current flow. open: the flow's last event, from which the next message
                               starts; early: an end that comes before any start. If there is no such event, its phase
                               is 0 */
};

static int add_message(struct matching *m, const struct end *sent, const struct end *received)
{
    struct pithi_chrome_message message = {.send_thread = sent->thread,
                                           .recv_thread = received->thread,
                                           .send_ns = sent->time_ns,
                                           .recv_ns = received->time_ns,
                                           .tag = sent->tag ? sent->tag : received->tag,
                                           .bytes = sent->bytes ? sent->bytes : received->bytes};
    /* In files of other programs, a flow within a lane shows cause and effect. It is not a message. */
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

int pithi_chrome_flows_messages(struct pithi_chrome_flows *flows, const struct pithi_chrome_lanes *lanes,
                                int (*tell)(void *context, const struct pithi_chrome_message *message), void *context)
{
    struct matching m = {.flows = flows, .lanes = lanes};
    int err;
    TRY(pithi_sorter_new(&m.messages, MEMORY));
    struct pithi_sorted item;
    struct end end;
    uint64_t flow = 0;
    int status;
    TRY(pithi_sorter_end(m.flows->sorter));
    while ((status = pithi_sorter_next(m.flows->sorter, &item)) == 1) {
        if (item.key.word[0] != flow)
            end_flow(&m);
        flow = item.key.word[0];
        memcpy(&end, item.data, sizeof end);
        if (end.phase == 's') {
            m.flows->alone += m.open.phase == 's';
            m.open = end;
            if (m.early.phase) {
                TRY(add_message(&m, &end, &m.early));
                m.open.phase = m.early.phase = 0;
            }
        } else if (m.open.phase) {
            TRY(add_message(&m, &m.open, &end));
            m.open = end;
            m.open.phase = end.phase == 't' ? 't' : 0;
        } else {
            m.flows->alone += m.early.phase != 0;
            m.early = end;
        }
    }
    end_flow(&m);
    if (status < 0)
        TRY(PITH_ERR_IO);
    /* The receives of a rank are numbered in the order of sending. */
    struct pithi_chrome_message message;
    uint64_t rank = UINT64_MAX, posted = 0;
    TRY(pithi_sorter_end(m.messages));
    while ((status = pithi_sorter_next(m.messages, &item)) == 1) {
        memcpy(&message, item.data, sizeof message);
        posted = item.key.word[0] == rank ? posted + 1 : 0;
        rank = item.key.word[0];
        message.posted = posted;
        TRY(tell(context, &message));
    }
    if (status < 0)
        TRY(PITH_ERR_IO);
out:
    pithi_sorter_free(m.messages);
    return err;
}
