/* chrome_async.c - sorts asynchronous events by time and then gives them lanes. The sort comes first because a lane is
 * known to be free only if all earlier events have been seen. */
#include "foreign/chrome/chrome_async.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/sorter.h"

/* MEMORY: memory of this sorter in bytes, a quarter of the usual size because several sorters are open at a time;
 * LABEL: the longest label of a group, in bytes */
enum { MEMORY = PITHI_SORTER_BYTES / 4, LABEL = 256 };

/* All operations of one process and one category. They share lanes. */
struct pithi_chrome_async_group {
    char *label;       /* the category, for the names of its lanes */
    uint32_t process;  /* index */
    uint32_t *threads; /* [lane of the group]: its thread in struct pithi_chrome_lanes */
    uint32_t *free;    /* heap of unused lanes, the lowest first */
    uint32_t thread_count, thread_room, free_count, free_room; /* of `threads`, of `free` */
};

struct pithi_chrome_async_operation {
    uint32_t group, lane, depth; /* depth: number of open states of the operation */
};

/* Header of an item in the sorter; the data that the caller gave follow it. */
struct head {
    uint32_t operation, kind; /* operation: index in `operations`; kind: PITHLOG_ENTER, PITHLOG_LEAVE or
                                 PITHLOG_EVENT */
};

int pithi_chrome_async_new(struct pithi_chrome_async *async)
{
    *async = (struct pithi_chrome_async){0};
    return pithi_sorter_new(&async->sorter, MEMORY);
}

void pithi_chrome_async_free(struct pithi_chrome_async *async)
{
    for (uint32_t i = 0; i < async->group_count; i++) {
        free(async->groups[i].label);
        free(async->groups[i].threads);
        free(async->groups[i].free);
    }
    free(async->groups);
    free(async->operations);
    pithi_map_free(&async->group_numbers);
    pithi_map_free(&async->operation_numbers);
    pithi_sorter_free(async->sorter);
}

int pithi_chrome_async_is(char phase, enum pithlog_kind *kind)
{
    switch (phase) {
    case 'b':
    case 'S':
        *kind = PITHLOG_ENTER;
        return 1;
    case 'e':
    case 'F':
        *kind = PITHLOG_LEAVE;
        return 1;
    case 'n':
    case 'T':
    case 'p':
        *kind = PITHLOG_EVENT;
        return 1;
    default:
        return 0;
    }
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

/* Returns a hash that identifies the operation of an event. The caller has already hashed the category, the scope and
 * so on: `global` without the process, `local` with the process. This function adds the id of the event. A global id
 * means the same operation in all processes, so the id is added to `global`; any other id is added to `local`. An id is
 * global if it is the member "global" of the object "id2". */
static uint64_t hash_id(const struct pithi_chrome_event *event, uint64_t local, uint64_t global)
{
    struct pithi_json json = {.data = event->id2.text, .size = event->id2.size};
    struct pithi_json_value key, value;
    int first = 1;
    if (event->id2.kind != '{' || pithi_json_open(&json, '{') != PITHI_JSON_OK ||
        pithi_json_key(&json, &first, &key) != PITHI_JSON_OK || pithi_json_value(&json, &value) != PITHI_JSON_OK)
        return pithi_chrome_hash(local, &event->id);
    return pithi_chrome_hash(pithi_json_is(&key, "global") ? global : local, &value);
}

int pithi_chrome_async_add(struct pithi_chrome_async *async, struct pithi_chrome_lanes *lanes,
                           const struct pithi_chrome_event *event, enum pithlog_kind kind, const void *data,
                           uint32_t size)
{
    struct pithi_sort_key key = {{pithi_sort_time(event->time_ns)}};
    struct head head = {.kind = kind};
    unsigned char item[sizeof head + 2 * PITHI_CHROME_TEXT];

    /* Finds the group of the event's process and category, and the operation. Each is made at its first event. */
    uint32_t thread, process;
    CHECK(pithi_chrome_lanes_thread(lanes, event, &thread));
    process = pithi_chrome_lanes_process(lanes, thread);
    uint64_t global_hash = pithi_chrome_hash(0, &event->category);
    uint64_t local_hash = pithi_hash_number(global_hash, process + UINT64_C(1)) >> 1;
    uint64_t *known = pithi_map_at(&async->group_numbers, local_hash);
    char label[LABEL] = "async";
    if (!known ||
        (*known == 0 && !pithi_grow(&async->groups, async->group_count, &async->group_room, sizeof *async->groups)))
        return pithi_no_memory();
    if (*known == 0) {
        struct pithi_chrome_async_group new = {.process = process};
        if (event->category.size)
            pithi_json_text(&event->category, label, sizeof label);
        if (!(new.label = strdup(label)))
            return pithi_no_memory();
        async->groups[async->group_count++] = new;
        *known = async->group_count;
    }
    uint32_t group = (uint32_t)*known - 1;
    if (strchr("STpF", event->phase)) { /* in these phases, the name is a part of the id */
        global_hash = pithi_chrome_hash(global_hash, &event->name);
        local_hash = pithi_chrome_hash(local_hash, &event->name);
    }
    global_hash = pithi_chrome_hash(global_hash, &event->scope);
    local_hash = pithi_chrome_hash(local_hash, &event->scope);
    uint64_t *at = pithi_map_at(&async->operation_numbers, hash_id(event, local_hash, global_hash));
    if (!at || (*at == 0 && !pithi_grow(&async->operations, async->operation_count, &async->operation_room,
                                        sizeof *async->operations)))
        return pithi_no_memory();
    if (*at == 0) {
        async->operations[async->operation_count++] = (struct pithi_chrome_async_operation){.group = group};
        *at = async->operation_count;
    }
    head.operation = (uint32_t)*at - 1;

    memcpy(item, &head, sizeof head);
    memcpy(item + sizeof head, data, size);
    return pithi_sorter_add(async->sorter, &key, item, (uint32_t)sizeof head + size);
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static int is_less(const void *a, const void *b) { return *(const uint32_t *)a < *(const uint32_t *)b; }

int pithi_chrome_async_place(struct pithi_chrome_async *async, struct pithi_chrome_lanes *lanes,
                             int (*put)(void *context, int64_t time_ns, uint32_t thread, const void *data,
                                        uint32_t size),
                             void *context)
{
    struct pithi_sorted item;
    struct head head;
    int status;
    CHECK(pithi_sorter_end(async->sorter));
    while ((status = pithi_sorter_next(async->sorter, &item)) == 1) {
        memcpy(&head, item.data, sizeof head);
        struct pithi_chrome_async_operation *o = &async->operations[head.operation];
        struct pithi_chrome_async_group *group = &async->groups[o->group];
        uint32_t lane = o->lane;
        if (head.kind == PITHLOG_LEAVE && o->depth == 0) {
            async->alone++;
            continue;
        }
        /* An operation that begins takes the lowest free lane, or a new lane. A mark outside any operation also takes
         * such a lane, but frees it at once. */
        if (o->depth == 0 && group->free_count > 0) {
            pithi_heap_take(group->free, &group->free_count, &lane, sizeof lane, is_less);
        } else if (o->depth == 0) {
            char name[LABEL + 16];
            lane = group->thread_count;
            if (!pithi_grow(&group->threads, group->thread_count, &group->thread_room, sizeof *group->threads))
                return pithi_no_memory();
            if (lane == 0)
                snprintf(name, sizeof name, "%s", group->label);
            else
                snprintf(name, sizeof name, "%s %u", group->label, lane + 1);
            CHECK(pithi_chrome_lanes_add(lanes, group->process, o->group, lane, name, &group->threads[lane]));
            group->thread_count++;
        }
        o->lane = lane;
        o->depth += head.kind == PITHLOG_ENTER;
        o->depth -= head.kind == PITHLOG_LEAVE;
        if (o->depth == 0) {
            if (!pithi_grow(&group->free, group->free_count, &group->free_room, sizeof *group->free))
                return pithi_no_memory();
            pithi_heap_add(group->free, &group->free_count, &lane, sizeof lane, is_less);
        }
        CHECK(put(context, pithi_sorted_time(&item), group->threads[lane], (const char *)item.data + sizeof head,
                  item.size - (uint32_t)sizeof head));
    }
    return status < 0 ? PITH_ERR_IO : PITH_OK;
}
