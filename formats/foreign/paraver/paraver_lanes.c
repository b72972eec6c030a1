/* paraver_lanes.c - the threads, open states and communicators of a trace being read.
 *
 * State records are adjacent, and events lie inside them. At the time where a state ends and the next state begins, a
 * call that ends belongs to the first state, and a call that begins belongs to the second. Therefore the change of
 * states is delayed until a call begins or a later time comes:
 *
 *     1:...:0:10:1            state 1 from 0 to 10         enter state 1 at 0
 *     2:...:5:50000001:1      call 1 begins at 5           enter call 1
 *     1:...:10:20:4           state 4 from 10 to 20        (delayed)
 *     2:...:10:50000001:0     call 1 ends at 10            leave call 1
 *     2:...:10:50000001:2     call 2 begins at 10          leave state 1, enter state 4, enter call 2
 *
 * Without the delay, call 1 would begin in state 1 and end in state 4.
 */
#include "foreign/paraver/paraver_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/text_fields.h"
#include "foreign/paraver/paraver.h"

/* If the header has at most this many threads, all become lanes, even if the .row does not name them. */
enum { SURE_THREADS = 65536 };

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

int pithi_prv_lanes_use(struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread)
{
    struct pithi_prv_lane *lane = pithi_item_at(&lanes->places, pithi_map_pair(task, thread), &lanes->lanes,
                                                &lanes->count, &lanes->room, sizeof *lane, NULL);
    if (lane) {
        lane->task = task;
        lane->thread = thread;
    }
    return lane != NULL;
}

uint32_t pithi_prv_lanes_find(const struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread)
{
    return (uint32_t)*pithi_map_find(&lanes->places, pithi_map_pair(task, thread)) - 1;
}

/* Adds all threads of the header, so that each becomes a lane, if the .row names so many threads or if there are at
 * most SURE_THREADS. Otherwise adds nothing, so that only threads with records become lanes, because a damaged header
 * may state any number of threads. `rows` is the number of threads in the .row. Returns 0 if memory runs out. */
static int use_all(struct pithi_prv_lanes *lanes, const struct pithi_prv_header *header, uint32_t rows)
{
    uint64_t all = 0;
    for (uint32_t task = 0; task < header->task_count; task++)
        all += header->tasks[task].threads;
    if (all > rows && all > SURE_THREADS)
        return 1;
    for (uint32_t task = 0; task < header->task_count; task++)
        for (uint32_t thread = 1; thread <= header->tasks[task].threads; thread++)
            if (!pithi_prv_lanes_use(lanes, task, thread))
                return 0;
    return 1;
}

static int by_place(const void *a, const void *b)
{
    const struct pithi_prv_lane *x = a, *y = b;
    return x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                              : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Parses a row that Pith wrote. "name (1.3.2)" or "THREAD 1.3.2" is rank 2, thread 1, because Paraver counts from 1.
 * *name becomes the name of the lane, in `row`, or "". Returns 0 if the row has another form. */
static int take_own_row(char *row, int32_t *rank, uint32_t *thread, const char **name)
{
    unsigned task, number;
    char *open = strrchr(row, '('), end;
    *name = "";
    if (sscanf(row, "THREAD 1.%u.%u%c", &task, &number, &end) != 2) {
        if (!open || open == row || sscanf(open, "(1.%u.%u%c", &task, &number, &end) != 3)
            return 0;
        open[-1] = 0;
        pithi_unescape(row);
        *name = row;
    }
    if (task < 1 || task > INT32_MAX || number < 1 || number == UINT32_MAX)
        return 0;
    *rank = (int32_t)(task - 1);
    *thread = number - 1;
    return 1;
}

int pithi_prv_lanes_make(struct pithi_prv_lanes *lanes, const struct pithi_prv_header *header,
                         const struct pithi_prv_rows *rows, int own)
{
    uint32_t row = 0, known = 0;
    lanes->ranks = calloc(header->task_count + (size_t)1, sizeof *lanes->ranks);
    if (!lanes->ranks || !use_all(lanes, header, rows->thread_count))
        return pithi_no_memory();
    if (lanes->count) /* qsort must not get a null pointer */
        qsort(lanes->lanes, lanes->count, sizeof *lanes->lanes, by_place);
    for (uint32_t i = 0; i < lanes->count; i++)
        *pithi_map_find(&lanes->places, pithi_map_pair(lanes->lanes[i].task, lanes->lanes[i].thread)) = i + (uint64_t)1;
    for (uint32_t task = 0; task < header->task_count; task++) {
        uint32_t first = known;
        lanes->ranks[task] = (int32_t)task;
        for (; known < lanes->count && lanes->lanes[known].task == task; known++) {
            struct pithi_prv_lane *lane = &lanes->lanes[known];
            uint64_t at = row + (uint64_t)lane->thread - 1;
            int has_row = at < rows->thread_count && lane->thread <= header->tasks[task].threads;
            char *label = has_row ? rows->threads[at] : NULL;
            int32_t rank = (int32_t)lane->task;
            uint32_t thread = lane->thread - 1;
            const char *name = label && strncmp(label, "THREAD ", 7) != 0 ? label : "";
            if (own && label)
                take_own_row(label, &rank, &thread, &name);
            lanes->ranks[lane->task] = rank;
            CHECK(pithi_writer_lane(lanes->writer, rank, thread, name, &lane->number));
        }
        uint32_t node = header->tasks[task].node;
        char *host = known > first && node > 0 && node <= rows->node_count ? rows->nodes[node - 1] : NULL;
        if (host && !(own && strcmp(host, "unknown host") == 0))
            CHECK(pithi_writer_rank(lanes->writer, &(struct pithi_rank){.rank = lanes->ranks[task], .host = host}));
        row = header->tasks[task].threads > UINT32_MAX - row ? UINT32_MAX : row + header->tasks[task].threads;
    }
    return PITH_OK;
}

void pithi_prv_lanes_close(struct pithi_prv_lanes *lanes)
{
    free(lanes->lanes);
    free(lanes->ranks);
    free(lanes->calls);
    pithi_map_free(&lanes->places);
    pithi_map_free(&lanes->inner);
}

/* ---- State records ----------------------------------------------------------------------------------------------- */

static int add(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t kind, uint32_t def, int64_t time_ns)
{
    return pithi_writer_add(
        lanes->writer,
        &(struct pithlog_record){
            .time_ns = time_ns, .lane = lanes->lanes[place].number, .kind = kind, .id = def, .peer = -1});
}

/* Leaves the current state record, if there is one, and enters the next one. */
static int change_state(struct pithi_prv_lanes *lanes, uint32_t place)
{
    struct pithi_prv_lane *l = &lanes->lanes[place];
    if (l->now_open) {
        lanes->cut += l->now_end > l->next_begin;
        CHECK(add(lanes, place, PITHLOG_LEAVE, l->now, l->now_end < l->next_begin ? l->now_end : l->next_begin));
    }
    CHECK(add(lanes, place, PITHLOG_ENTER, l->next, l->next_begin));
    l->now = l->next;
    l->now_end = l->next_end;
    l->now_open = 1;
    l->next_open = 0;
    return PITH_OK;
}

/* Enters the next state record of a lane if it begins before `time_ns`, and leaves the current one if it ends before
 * `time_ns`. If `also` is 1, does the same with a state record that begins or ends exactly at `time_ns`. */
static int settle(struct pithi_prv_lanes *lanes, uint32_t place, int64_t time_ns, int also)
{
    struct pithi_prv_lane *l = &lanes->lanes[place];
    if (l->next_open && (l->next_begin < time_ns || (also && l->next_begin == time_ns)))
        CHECK(change_state(lanes, place));
    if (l->now_open && (l->now_end < time_ns || (also && l->now_end == time_ns && !l->next_open))) {
        l->now_open = 0;
        CHECK(add(lanes, place, PITHLOG_LEAVE, l->now, l->now_end));
    }
    return PITH_OK;
}

int pithi_prv_lanes_until(struct pithi_prv_lanes *lanes, uint32_t place, int64_t time_ns)
{
    return settle(lanes, place, time_ns, 0);
}

int pithi_prv_lanes_state(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t def, int64_t begin_ns, int64_t end_ns)
{
    struct pithi_prv_lane *l = &lanes->lanes[place];
    CHECK(settle(lanes, place, begin_ns, 0));
    if (l->next_open)
        CHECK(change_state(lanes, place));
    l->next = def;
    l->next_begin = begin_ns;
    l->next_end = end_ns > begin_ns ? end_ns : begin_ns;
    l->next_open = 1;
    return PITH_OK;
}

int pithi_prv_lanes_end(struct pithi_prv_lanes *lanes)
{
    int err = PITH_OK;
    for (uint32_t place = 0; place < lanes->count && !err; place++)
        err = settle(lanes, place, INT64_MAX, 1);
    return err;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Ends a call. *inner is the index + 1 of the innermost open call of a type, and becomes that of the call around it. */
static int end_call(struct pithi_prv_lanes *lanes, uint32_t place, uint64_t *inner, int64_t time_ns)
{
    uint32_t call = (uint32_t)*inner - 1, def = lanes->calls[call].def;
    *inner = lanes->calls[call].outer;
    lanes->calls[call].outer = lanes->call_free;
    lanes->call_free = call + 1;
    return add(lanes, place, PITHLOG_LEAVE, def, time_ns);
}

int pithi_prv_lanes_enter(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, uint32_t def, int phase,
                          int64_t time_ns)
{
    uint64_t *inner = pithi_map_at(&lanes->inner, pithi_map_pair(place, type));
    if (!inner)
        return pithi_no_memory();
    CHECK(settle(lanes, place, time_ns, !phase || !*inner));
    if (phase && *inner)
        CHECK(end_call(lanes, place, inner, time_ns));
    CHECK(settle(lanes, place, time_ns, 1));
    /* Takes the entry of a call that has ended, if there is one, otherwise a new entry. */
    uint32_t call = lanes->call_free - 1;
    if (lanes->call_free)
        lanes->call_free = lanes->calls[call].outer;
    else if (pithi_grow(&lanes->calls, lanes->call_count, &lanes->call_room, sizeof *lanes->calls))
        call = lanes->call_count++;
    else
        return pithi_no_memory();
    lanes->calls[call] = (struct pithi_prv_call){def, (uint32_t)*inner};
    *inner = call + (uint64_t)1;
    return add(lanes, place, PITHLOG_ENTER, def, time_ns);
}

int pithi_prv_lanes_leave(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, int64_t time_ns)
{
    uint64_t *inner = pithi_map_find(&lanes->inner, pithi_map_pair(place, type));
    CHECK(settle(lanes, place, time_ns, 0));
    if (!inner || !*inner) {
        lanes->ends_alone++;
        return PITH_OK;
    }
    return end_call(lanes, place, inner, time_ns);
}

/* Adds a communicator to the log. In a trace that Pith wrote, the .pcf has the name of the communicator, as the label
 * of its number among the values of PITHI_PRV_COLL_COMM. */
static int make_comm(struct pithi_prv_comms *c, struct pithlog_comm comm, uint32_t *index)
{
    const struct pithi_prv_type *type = c->own ? pithi_prv_type(c->labels, PITHI_PRV_COLL_COMM) : NULL;
    const char *label = type ? pithi_prv_value(c->labels, type->group, (int64_t)(uint32_t)comm.key) : NULL;
    char *name = strdup(label ? label : comm.name ? comm.name : "");
    if (!name)
        return pithi_no_memory();
    pithi_unescape(name);
    comm.name = name;
    int err = pithi_writer_comm(c->writer, &comm, index);
    free(name);
    return err;
}

int pithi_prv_comms_line(struct pithi_prv_comms *c, const char *at, const char *end)
{
    const struct pithi_prv_header *h = c->header;
    int64_t app, number, count, task;
    uint32_t index = 0;
    int32_t *members;
    int world = 1, err = PITH_OK;
    if (pithi_prv_number(&at, end, &app) != 1 || pithi_prv_number(&at, end, &number) != 1 ||
        pithi_prv_number(&at, end, &count) != 1 || app < 1 || app > h->app_count || number < 0 ||
        number >= UINT32_MAX || count < 1 || count > end - at)
        return PITH_OK; /* ignores the line; some tools write it without members */
    int64_t first = h->first_task[app - 1], tasks = h->first_task[app] - first;
    if (!(members = malloc((size_t)count * sizeof *members)))
        return pithi_no_memory();
    for (int64_t i = 0; i < count; i++) {
        if (pithi_prv_number(&at, end, &task) != 1 || task < 1 || task > tasks) {
            free(members);
            return PITH_OK;
        }
        members[i] = c->ranks[first + task - 1];
        world &= task == i + 1;
    }
    uint64_t *place = pithi_map_at(&c->known, pithi_map_pair((uint32_t)app, (uint32_t)number));
    int is_world = c->worlds && !c->worlds[app] && world && count == tasks;
    if (c->own ? number != 1 : !world || app != 1 || tasks != h->task_count || count != tasks || c->known.count > 1)
        err = make_comm(c,
                        (struct pithlog_comm){.key = pithi_map_pair((uint32_t)app, (uint32_t)number),
                                              .name = is_world ? "MPI_COMM_WORLD" : NULL,
                                              .size = (int32_t)count,
                                              .world_ranks = members},
                        &index);
    if (is_world)
        c->worlds[app] = index;
    if (place)
        *place = index + (uint64_t)1;
    free(members);
    return place ? err : pithi_no_memory();
}

int pithi_prv_comms_worlds(struct pithi_prv_comms *c)
{
    const struct pithi_prv_header *h = c->header;
    int err = PITH_OK;

    for (uint32_t app = 1; c->worlds && !err && app <= h->app_count; app++) {
        uint32_t first = h->first_task[app - 1], count = h->first_task[app] - first;
        /* Uses UINT32_MAX as the communicator's number, because no communicator of the file has this number. */
        if (count > 0 && !c->worlds[app])
            err = make_comm(c,
                            (struct pithlog_comm){.key = pithi_map_pair(app, UINT32_MAX),
                                                  .name = "MPI_COMM_WORLD",
                                                  .size = (int32_t)count,
                                                  .world_ranks = c->ranks + first},
                            &c->worlds[app]);
    }
    return err;
}

int pithi_prv_comms_find(struct pithi_prv_comms *c, uint32_t app, int64_t number, uint32_t *comm)
{
    uint64_t *place;
    int err = PITH_OK;
    *comm = 0;
    if (number < 1 || number >= UINT32_MAX || (c->own && number == 1))
        return PITH_OK;
    if (!(place = pithi_map_at(&c->known, pithi_map_pair(app, (uint32_t)number))))
        return pithi_no_memory();
    if (*place == 0) {
        err = make_comm(c, (struct pithlog_comm){.key = pithi_map_pair(app, (uint32_t)number)}, comm);
        *place = *comm + (uint64_t)1;
    }
    *comm = (uint32_t)(*place - 1);
    return err;
}
