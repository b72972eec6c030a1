/* paje_read.c - turns a file in Paje's trace format into native records. The file describes itself. It begins with the
 * events that it uses and the order of their fields. Each program that writes Paje chooses its own events and order.
 *
 *     %EventDef PajePushState 5             the number of an event of this kind, and its fields
 *     %  Time date
 *     %  Container string
 *     %  Type string
 *     %  Value string
 *     %EndEventDef
 *     5 0.25 c3 S "MPI_Send"                such an event
 *
 * Types, values and containers have a name and perhaps an alias; events refer to either. The first pass over the file
 * reads these definitions and the starts and ends of links. Then the links are matched (README.md). The second pass
 * reads states, events, values and messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_fields.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/paje/paje_reader.h"

/* memory of a sorter in bytes: a quarter of the usual size, because several sorters are open at a time */
enum { MEMORY = PITHI_SORTER_BYTES / 4 };

struct link_end {
    int64_t time_ns; /* time of the end */
    uint64_t seq, bytes;
    uint32_t container; /* index */
    int32_t tag;
    int is_end, has_tag; /* is_end: 1: the end of a link, 0: its start; has_tag: 1: the event has a field for the tag */
};

struct message_end {
    int32_t peer, tag;
    uint64_t bytes, posted; /* `posted`: number of the receive */
};

/* ---- The first pass ---------------------------------------------------------------------------------------------- */

/* Finds the container in a field, and notes that the container has records, so that it becomes a lane. */
static int use(struct paje_reader *r, enum paje_field field, const char *name, uint32_t *container)
{
    CHECK(pithi_paje_find_container(r, field, name, container));
    if (*container == UINT32_MAX)
        return pithi_paje_wrong(r, "the root container has no records of its own here", r->at[field]);
    r->containers[*container].is_used = 1;
    return PITH_OK;
}

static int take_definition(struct paje_reader *r, enum paje_kind kind, int64_t *last_ns)
{
    uint32_t container;
    /* The kinds from DESTROY on have a time. If the times of a file go back, its records are sorted while they are read
     * (pithi_reorder). */
    if (kind >= DESTROY && kind != OTHER) {
        r->reorder.is_needed |= r->time_ns < *last_ns;
        *last_ns = r->time_ns;
        r->has_records |= kind > DESTROY;
    }
    switch (kind) {
    case CONTAINER_TYPE:
    case STATE_TYPE:
    case EVENT_TYPE:
    case VARIABLE_TYPE:
    case LINK_TYPE:
        return pithi_paje_add_type(r, kind);
    case ENTITY_VALUE:
        return pithi_paje_add_value(r);
    case CREATE:
        return pithi_paje_add_container(r);
    case START_LINK:
    case END_LINK: {
        /* The start or the end of a link. The two have the same type, container and key. */
        int is_end = kind == END_LINK;
        struct link_end end = {.time_ns = r->time_ns, .seq = r->seq, .is_end = is_end};
        struct pithi_sort_key key;
        int64_t tag = 0;
        uint32_t type;
        CHECK(pithi_paje_find_type(r, LINK_TYPE, &type));
        CHECK(pithi_paje_needs(r, F_KEY, "Key"));
        CHECK(use(r, is_end ? F_END : F_START, is_end ? "EndContainer" : "StartContainer", &end.container));
        /* if the event has no field for the tag, the tag is 0 */
        end.has_tag = pithi_text_i64(r->at[F_TAG], INT32_MIN, INT32_MAX, &tag);
        end.tag = (int32_t)tag;
        if (!r->at[F_BYTES] || !pithi_text_u64(r->at[F_BYTES], &end.bytes))
            end.bytes = 0;
        /* The ends are sorted by a hash of type, container and key, then by their place in the file. */
        key = (struct pithi_sort_key){
            {pithi_paje_hash(pithi_paje_hash(type + UINT64_C(1), r->at[F_CONTAINER] ? r->at[F_CONTAINER] : ""),
                             r->at[F_KEY]),
             r->seq, 0}};
        return pithi_sorter_add(r->ends, &key, &end, sizeof end);
    }
    case DESTROY:
        CHECK(pithi_paje_find_container(r, F_NAME, "Name", &container));
        /* A trace ends with the destruction of the outermost container, unless it was cut. */
        r->is_ended |= container != UINT32_MAX && r->containers[container].parent == 0;
        return PITH_OK;
    case OTHER:
        r->other_events++;
        return PITH_OK;
    /* All other kinds are events of a container. The container becomes a lane. */
    default:
        return use(r, F_CONTAINER, "Container", &container);
    }
}

/* Ignores an error in the last line if the file was cut inside that line. */
static int settle(const struct paje_reader *r, int err)
{
    return err == PITH_ERR_DAMAGED && r->lines.at >= r->lines.size && pithi_ends_in_line(r->input) ? PITH_OK : err;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

/* Returns the number in a name such as "rank-3", or -1 if the name has no number, or several. */
static int64_t number_in(const char *name)
{
    int64_t number = -1;
    for (const char *c = name; *c;) {
        /* digits may be anywhere: "node3-cpu" has the number 3 */
        if (*c < '0' || *c > '9') {
            c++;
            continue;
        }
        char *end;
        unsigned long long value = strtoull(c, &end, 10);
        if (number >= 0 || value > INT32_MAX / 2)
            return -1;
        number = (int64_t)value;
        c = end;
    }
    return number;
}

/* Returns the container that is the process of a container. A container of a type like "Thread" is a thread of the
 * container around it; any other container is a process itself. */
static uint32_t process_of(const struct paje_reader *r, uint32_t container)
{
    const struct paje_container *c = &r->containers[container];
    const char *type = r->types[c->type - 1].name;
    return c->parent && (strcasestr(type, "thread") || strcasestr(type, "worker") || strcasestr(type, "core"))
               ? c->parent - 1
               : container;
}

static int is_lane(const struct paje_reader *r, uint32_t container)
{
    const struct paje_container *c = &r->containers[container];
    return c->is_used || (r->is_own && strcmp(r->types[c->type - 1].name, "Thread") == 0);
}

/* Makes a lane of a file that Pith wrote. "0.1 writer" in "rank 0 (node7)" is thread 1 of rank 0. The name of thread 0
 * has no point: "3 solver" is thread 0 of rank 3. */
static int make_own_lane(struct paje_reader *r, struct paje_container *c)
{
    const char *host = c->parent ? strstr(r->containers[c->parent - 1].name, " (") : NULL;
    char *end, text[PAJE_NAME];
    long long rank = strtoll(c->name, &end, 10);
    unsigned long thread = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    if (rank < 0 || rank > INT32_MAX || thread >= UINT32_MAX)
        return PITH_OK;
    c->rank = (int32_t)rank;
    if (host) {
        snprintf(text, sizeof text, "%.*s", (int)strlen(host + 2) - 1, host + 2);
        CHECK(pithi_writer_rank(r->writer, &(struct pithi_rank){.rank = c->rank, .host = text}));
    }
    return pithi_writer_lane(r->writer, c->rank, (uint32_t)thread, end + (*end == ' '), &c->lane);
}

static int make_lanes(struct paje_reader *r)
{
    struct pithi_map ranks = {0}, threads = {0}; /* ranks: process -> rank + 1; threads: rank -> number of lanes so
                                                    far */
    struct pithi_map taken = {0};
    int keeps = 1, err = PITH_OK;
    uint32_t next = 0;
    /* The numbers in the names of processes become the ranks, if each process has such a number and no two have the
     * same. "rank-3" and "rank-7" stay 3 and 7; "a" and "b" become 0 and 1. */
    for (uint32_t i = 0; keeps && i < r->container_count; i++) {
        uint32_t process = is_lane(r, i) ? process_of(r, i) : UINT32_MAX;
        int64_t number = process == UINT32_MAX ? -1 : number_in(r->containers[process].name);
        if (process == UINT32_MAX)
            continue;
        uint64_t *owner = number < 0 ? NULL : pithi_map_at(&taken, (uint64_t)number);
        keeps = owner && (*owner == 0 || *owner == process + UINT64_C(1));
        if (owner)
            *owner = process + UINT64_C(1);
    }
    for (uint32_t i = 0; err == PITH_OK && i < r->container_count; i++) {
        struct paje_container *c = &r->containers[i];
        char name[2 * PAJE_NAME];
        if (!is_lane(r, i))
            continue;
        if (r->is_own) {
            err = make_own_lane(r, c);
            continue;
        }
        uint32_t process = process_of(r, i);
        uint64_t *rank = pithi_map_at(&ranks, process), *thread;
        if (!rank)
            TRY(pithi_no_memory());
        /* The rank of a process is chosen at its first lane. */
        if (!*rank)
            *rank = keeps ? (uint64_t)number_in(r->containers[process].name) + 1 : ++next;
        c->rank = (int32_t)(*rank - 1);
        if (!(thread = pithi_map_at(&threads, *rank)))
            TRY(pithi_no_memory());
        /* the name of a thread begins with the name of its process */
        snprintf(name, sizeof name, process == i ? "%s" : "%s: %s",
                 process == i ? c->name : r->containers[process].name, c->name);
        err = pithi_writer_lane(r->writer, c->rank, (uint32_t)(*thread)++, name, &c->lane);
    }
out:
    pithi_map_free(&ranks);
    pithi_map_free(&threads);
    pithi_map_free(&taken);
    return err;
}

/* ---- Links to messages ------------------------------------------------------------------------------------------- */

/* Starts or ends of links whose partners come later in the file. */
struct waiting {
    struct link_end *all; /* [room], a ring */
    uint32_t first, count, room;
};

/* Matches starts and ends of links to messages. Starts and ends with the same key are matched in the order of the
 * file. */
static int match_links(struct paje_reader *r)
{
    struct waiting waiting[2] = {{0}, {0}}; /* starts, ends */
    struct pithi_sorted item;
    struct link_end end;
    uint64_t key = 0;
    int status, err = PITH_OK;
    TRY(pithi_sorter_end(r->ends));
    while (err == PITH_OK && (status = pithi_sorter_next(r->ends, &item)) == 1) {
        /* When the key changes, the starts and ends that are left from the key before have no partner. */
        if (item.key.word[0] != key)
            for (int i = 0; i < 2; i++) {
                r->lone_links += waiting[i].count - waiting[i].first;
                waiting[i].first = waiting[i].count = 0;
            }
        key = item.key.word[0];
        memcpy(&end, item.data, sizeof end);
        /* If the partner has come before, the two make a message. Otherwise this one is kept. */
        struct waiting *partners = &waiting[!end.is_end], *same = &waiting[end.is_end];
        if (partners->first < partners->count) {
            const struct link_end *partner = &partners->all[partners->first++];
            struct link_end both[2] = {end.is_end ? *partner : end, end.is_end ? end : *partner};
            /* Messages are sorted by receiver and time of sending, because receives are numbered in this order. */
            uint64_t rank = (uint64_t)(uint32_t)r->containers[both[1].container].rank;
            err = pithi_sorter_add(r->messages,
                                   &(struct pithi_sort_key){{rank, pithi_sort_time(both[0].time_ns), both[0].seq}},
                                   both, sizeof both);
        } else if (pithi_grow(&same->all, same->count, &same->room, sizeof *same->all)) {
            same->all[same->count++] = end;
        } else {
            err = pithi_no_memory();
        }
    }
    for (int i = 0; i < 2; i++)
        r->lone_links += waiting[i].count - waiting[i].first;
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_IO;
out:
    free(waiting[0].all);
    free(waiting[1].all);
    return err;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add(struct paje_reader *r, uint32_t container, uint32_t kind, uint32_t id)
{
    return pithi_reorder_add(
        &r->reorder,
        &(struct pithlog_record){
            .time_ns = r->time_ns, .lane = r->containers[container].lane, .kind = kind, .id = id, .peer = -1});
}

/* Ends states until `left` are open, the innermost first. */
static int end_states(struct paje_reader *r, uint32_t container, struct paje_stack *stack, uint32_t left)
{
    while (stack->count > left)
        CHECK(add(r, container, PITHLOG_LEAVE, stack->ids[--stack->count]));
    return PITH_OK;
}

static int take_record(struct paje_reader *r, enum paje_kind kind)
{
    switch (kind) {
    case DESTROY: {
        uint32_t container;
        CHECK(pithi_paje_find_container(r, F_NAME, "Name", &container));
        if (container == UINT32_MAX || !is_lane(r, container))
            return PITH_OK;
        /* When a container ends, its open states end. */
        for (uint32_t i = r->containers[container].stacks; i; i = r->stacks[i - 1].next)
            CHECK(end_states(r, container, &r->stacks[i - 1], 0));
        return PITH_OK;
    }
    case NEW_EVENT: {
        struct pithlog_record record = {.time_ns = r->time_ns, .kind = PITHLOG_EVENT, .peer = -1};
        unsigned char payload[2 + 65536];
        uint32_t container, type;
        CHECK(pithi_paje_find_container(r, F_CONTAINER, "Container", &container));
        CHECK(pithi_paje_find_type(r, EVENT_TYPE, &type));
        const struct paje_type *t = &r->types[type];
        const char *text = r->at[F_VALUE] ? r->at[F_VALUE] : "";
        record.lane = r->containers[container].lane;
        /* In files that Pith wrote, events of special types stand for records for which Paje has no event. */
        if (t->own) {
            record.kind = t->own;
            if (t->own == PITHLOG_LOST)
                pithi_text_u64(text, &record.bytes);
            return pithi_reorder_add(&r->reorder, &record);
        }
        record.id = t->def - 1;
        size_t size = strnlen(text, sizeof payload - 3);
        memcpy(payload + 2, text, size);
        payload[2 + size] = 0;
        /* Pith escaped the text, so that it has no line breaks. */
        if (r->is_own)
            size = pithi_unescape((char *)payload + 2);
        /* For an event without a payload, Pith writes the name of the type. So this text makes no payload. */
        if (*text && !(size == strlen(t->name) && memcmp(payload + 2, t->name, size) == 0)) {
            payload[0] = (unsigned char)(size >> 8);
            payload[1] = (unsigned char)size;
            record.payload = payload;
            record.payload_bytes = (uint32_t)size + 2;
        }
        return pithi_reorder_add(&r->reorder, &record);
    }
    case SET_STATE:
    case PUSH_STATE:
    case POP_STATE:
    case RESET_STATE: {
        uint32_t container, type, value;
        struct paje_stack *stack = NULL;
        CHECK(pithi_paje_find_container(r, F_CONTAINER, "Container", &container));
        CHECK(pithi_paje_find_type(r, STATE_TYPE, &type));
        /* Each state type has its own stack in each container, because in Paje only states of the same type nest. */
        uint64_t *known = pithi_map_at(&r->stack_numbers, pithi_map_pair(container, type));
        if (!known || (!*known && !pithi_grow(&r->stacks, r->stack_count, &r->stack_room, sizeof *r->stacks)))
            return pithi_no_memory();
        if (!*known) {
            /* Adds the stack to the list of the container's stacks, whose states end with the container. */
            r->stacks[r->stack_count] = (struct paje_stack){.next = r->containers[container].stacks};
            *known = r->containers[container].stacks = ++r->stack_count;
        }
        stack = &r->stacks[*known - 1];
        /* POP_STATE ends the innermost state. SET_STATE ends all states of the type and begins one. RESET_STATE ends
         * all states of the type. */
        if (kind == POP_STATE) {
            r->lone_pops += stack->count == 0;
            return end_states(r, container, stack, stack->count ? stack->count - 1 : 0);
        }
        if (kind != PUSH_STATE)
            CHECK(end_states(r, container, stack, 0));
        if (kind == RESET_STATE)
            return PITH_OK;
        CHECK(pithi_paje_needs(r, F_VALUE, "Value"));
        CHECK(pithi_paje_find_state(r, type, r->at[F_VALUE], r->at[F_VALUE], &value));
        if (!pithi_grow(&stack->ids, stack->count, &stack->room, sizeof *stack->ids))
            return pithi_no_memory();
        stack->ids[stack->count++] = r->values[value].def;
        return add(r, container, PITHLOG_ENTER, r->values[value].def);
    }
    case SET_VARIABLE:
    case ADD_VARIABLE:
    case SUB_VARIABLE: {
        struct pithlog_record record = {.time_ns = r->time_ns, .kind = PITHLOG_COUNTER, .peer = -1};
        uint32_t container, type;
        char *end;
        CHECK(pithi_paje_find_container(r, F_CONTAINER, "Container", &container));
        CHECK(pithi_paje_find_type(r, VARIABLE_TYPE, &type));
        CHECK(pithi_paje_needs(r, F_VALUE, "Value"));
        double value = strtod(r->at[F_VALUE], &end);
        if (*end || end == r->at[F_VALUE])
            return pithi_paje_wrong(r, "this is no value of a variable", r->at[F_VALUE]);
        /* Keeps the present value of each variable, because ADD_VARIABLE and SUB_VARIABLE only give a difference, and a
         * counter record of Pith needs the value. */
        uint64_t *known = pithi_map_at(&r->sum_numbers, pithi_map_pair(container, type));
        if (!known || (!*known && !pithi_grow(&r->sums, r->sum_count, &r->sum_room, sizeof *r->sums)))
            return pithi_no_memory();
        if (!*known) {
            r->sums[r->sum_count] = 0;
            *known = ++r->sum_count;
        }
        double *sum = &r->sums[*known - 1];
        *sum = kind == SET_VARIABLE ? value : kind == ADD_VARIABLE ? *sum + value : *sum - value;
        record.value = *sum;
        record.lane = r->containers[container].lane;
        record.id = r->types[type].def - 1;
        return pithi_reorder_add(&r->reorder, &record);
    }
    case START_LINK:
    case END_LINK: {
        /* The partners of links were found between the two passes. r->next_end is the next start or end that has a
         * partner, in the order of the file. */
        struct message_end end;
        uint32_t container, comm = 0;
        CHECK(pithi_paje_find_container(r, kind == END_LINK ? F_END : F_START, "container", &container));
        /* A start or end without a partner is left out. */
        if (!r->has_next || r->next_end.key.word[0] != r->seq)
            return PITH_OK;
        memcpy(&end, r->next_end.data, sizeof end);
        int status = pithi_sorter_next(r->numbered, &r->next_end);
        r->has_next = status == 1;
        if (status < 0)
            return PITH_ERR_IO;
        /* Only in files that Pith wrote is the value of a link the name of its communicator. */
        if (r->is_own && r->at[F_VALUE] && strcmp(r->at[F_VALUE], "MPI_COMM_WORLD") != 0) {
            char *name = pithi_paje_kept(r, r->at[F_VALUE]);
            if (!name)
                return pithi_no_memory();
            int err = pithi_writer_comm(
                r->writer, &(struct pithlog_comm){.key = pithi_paje_hash(1, name) | 1, .name = name}, &comm);
            free(name);
            CHECK(err);
        }
        return pithi_reorder_add(&r->reorder,
                                 &(struct pithlog_record){.time_ns = r->time_ns,
                                                          .lane = r->containers[container].lane,
                                                          .kind = kind == END_LINK ? PITHLOG_RECV : PITHLOG_SEND,
                                                          .comm = comm,
                                                          .peer = end.peer,
                                                          .tag = end.tag,
                                                          .bytes = end.bytes,
                                                          .posted = kind == END_LINK ? end.posted : 0});
    }
    default:
        return PITH_OK;
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_paje_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct paje_reader r = {.input = input,
                            .writer = writer,
                            .lines = {.input = input, .size = input->size},
                            .reorder = {.writer = writer}};
    int err;
    TRY(pithi_sorter_new(&r.ends, MEMORY));
    TRY(pithi_sorter_new(&r.messages, MEMORY));
    TRY(pithi_sorter_new(&r.numbered, MEMORY));
    /* The first pass reads definitions, and the starts and ends of links. An event is numbered by its place among all
     * lines, so that it has the same number in both passes. */
    struct paje_event_def *open = NULL;
    int64_t last_ns = INT64_MIN;
    enum paje_kind kind;
    char *line;
    int status;
    for (; (status = pithi_paje_line(&r, &line)) > 0; r.seq++)
        if (*line == '%') {
            TRY(settle(&r, pithi_paje_percent(&r, line, &open)));
        } else {
            TRY(settle(&r, pithi_paje_event(&r, line, &kind)));
            TRY(settle(&r, take_definition(&r, kind, &last_ns)));
        }
    if (status < 0)
        TRY(PITH_ERR_MEMORY);
    TRY(make_lanes(&r));

    /* The receives of a rank are numbered in the order of sending, so that each matches its own message. */
    uint64_t rank = UINT64_MAX, posted = 0;
    struct pithi_sorted item;
    TRY(match_links(&r));
    TRY(pithi_sorter_end(r.messages));
    while ((status = pithi_sorter_next(r.messages, &item)) == 1) {
        struct link_end both[2];
        memcpy(both, item.data, sizeof both);
        /* The numbers of each rank begin at 0. */
        posted = item.key.word[0] == rank ? posted + 1 : 0;
        rank = item.key.word[0];
        /* Each end of a message gets the rank of the other end. It is sorted by `seq`, its place in the file. */
        for (int i = 0; i < 2; i++) {
            struct message_end end = {.peer = r.containers[both[!i].container].rank,
                                      /* the tag of the start, unless only the end has one */
                                      .tag = both[!both[0].has_tag].tag,
                                      .bytes = both[0].bytes ? both[0].bytes : both[1].bytes,
                                      .posted = posted};
            TRY(pithi_sorter_add(r.numbered, &(struct pithi_sort_key){{both[i].seq}}, &end, sizeof end));
        }
    }
    if (status == 0)
        TRY(pithi_sorter_end(r.numbered));
    if (status == 0)
        status = r.has_next = pithi_sorter_next(r.numbered, &r.next_end);
    TRY(status < 0 ? PITH_ERR_IO : PITH_OK);

    /* The second pass reads the records. It also reads the definitions of events again, because an %EventDef in the
     * middle of the file may give an event number another meaning. */
    pithi_lines_rewind(&r.lines);
    open = NULL;
    for (r.seq = 0; (status = pithi_paje_line(&r, &line)) > 0; r.seq++)
        if (*line == '%') {
            TRY(settle(&r, pithi_paje_percent(&r, line, &open)));
        } else {
            TRY(settle(&r, pithi_paje_event(&r, line, &kind)));
            TRY(settle(&r, take_record(&r, kind)));
        }
    if (status < 0)
        TRY(PITH_ERR_MEMORY);
    TRY(pithi_reorder_end(&r.reorder));
    /* Says so if the file was cut. Any file was cut if it has no newline at the end. A file that Pith wrote was also
     * cut if the outermost container is not destroyed; a file of another program also if it has no records. */
    if (pithi_ends_in_line(input))
        TRY(pithi_ends_here(writer, input, "inside a line"));
    else if (r.is_own && !r.is_ended)
        TRY(pithi_ends_here(writer, input, "before the end of its outermost container"));
    else if (!r.is_own && !r.has_records)
        TRY(pithi_ends_here(writer, input, "before the first record"));
    TRY(pithi_say_count(writer, "paje_events_left_out", r.other_events));
    TRY(pithi_say_count(writer, "paje_ends_without_state", r.lone_pops));
    TRY(pithi_say_count(writer, "paje_links_without_partner", r.lone_links));
    TRY(pithi_say_count(writer, "paje_late_records", r.reorder.late));
out:
    for (uint32_t i = 0; i < r.type_count; i++)
        free(r.types[i].name);
    for (uint32_t i = 0; i < r.container_count; i++)
        free(r.containers[i].name);
    for (uint32_t i = 0; i < r.stack_count; i++)
        free(r.stacks[i].ids);
    free(r.events);
    free(r.types);
    free(r.values);
    free(r.containers);
    free(r.stacks);
    free(r.sums);
    free(r.line.data);
    pithi_map_free(&r.event_numbers);
    pithi_map_free(&r.type_numbers);
    pithi_map_free(&r.value_numbers);
    pithi_map_free(&r.container_numbers);
    pithi_map_free(&r.stack_numbers);
    pithi_map_free(&r.sum_numbers);
    pithi_sorter_free(r.ends);
    pithi_sorter_free(r.messages);
    pithi_sorter_free(r.numbered);
    pithi_reorder_free(&r.reorder);
    return err;
}

/* Recognises Paje: the file begins with definitions of events. Comments may come before them. */
int pithi_paje_probe(const struct pithi_input *input)
{
    static const char start[] = "%EventDef";
    struct pithi_input quiet = {.path = input->path, .data = input->data, .size = input->size};
    struct pithi_lines lines = {.input = &quiet, .size = input->data ? input->size : 0};
    const char *line;
    size_t size;
    for (int i = 0; i < 64 && pithi_lines_next(&lines, &line, &size); i++) {
        while (size > 0 && pithi_paje_is_blank(*line))
            line++, size--;
        if (size == 0 || *line == '#' || *line == '\r')
            continue;
        return size > strlen(start) && memcmp(line, start, strlen(start)) == 0 &&
               pithi_paje_is_blank(line[strlen(start)]);
    }
    return 0;
}
