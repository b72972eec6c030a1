/* chrome_async.h - gives asynchronous events lanes.
 *
 * An asynchronous operation ("b" begins, "n" marks, "e" ends; before 2016: "S" begins, "T" and "p" mark, "F" ends)
 * belongs to no thread. Its process, category and id identify the operation; b and e of an operation nest. Operations
 * overlap, and there may be a million of them, so an operation has a lane only while it lasts: it takes the first free
 * lane of its process and category, and frees the lane when its last open state ends. The category "disk" has as many
 * lanes as operations overlapped: "disk", "disk 2" ...
 *
 *     read 1   b-----------e                      disk    1111111111111 3333
 *     read 2        b---------e            ->     disk 2       22222222222
 *     read 3                    b---e
 */
#ifndef PITHI_CHROME_ASYNC_H
#define PITHI_CHROME_ASYNC_H

#include "foreign/chrome/chrome_lanes.h"

/* Made by pithi_chrome_async_new. */
struct pithi_chrome_async {
    struct pithi_sorter *sorter;                       /* all asynchronous events, sorted by time */
    struct pithi_map group_numbers, operation_numbers; /* hash -> number + 1 */
    struct pithi_chrome_async_group *groups;           /* [group_count]; `operations` has [operation_count] */
    struct pithi_chrome_async_operation *operations;
    uint32_t group_count, group_room, operation_count, operation_room;
    uint64_t alone; /* number of ends without a begin, which are left out */
};

int pithi_chrome_async_new(struct pithi_chrome_async *async);
void pithi_chrome_async_free(struct pithi_chrome_async *async);

/* Returns 1 if an asynchronous event can have this phase, and sets *kind to ENTER, LEAVE or EVENT. */
int pithi_chrome_async_is(char phase, enum pithlog_kind *kind);

/* Adds an event of `kind` ENTER, LEAVE or EVENT. pithi_chrome_async_place passes `data` to its callback. */
int pithi_chrome_async_add(struct pithi_chrome_async *async, struct pithi_chrome_lanes *lanes,
                           const struct pithi_chrome_event *event, enum pithlog_kind kind, const void *data,
                           uint32_t size);

/* Call after all events were added. Gives the events lanes and calls `put` for each, in order of time. `thread` is the
 * index of its lane in `lanes`. */
int pithi_chrome_async_place(struct pithi_chrome_async *async, struct pithi_chrome_lanes *lanes,
                             int (*put)(void *context, int64_t time_ns, uint32_t thread, const void *data,
                                        uint32_t size),
                             void *context);

#endif
