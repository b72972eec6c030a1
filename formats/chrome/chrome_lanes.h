/* chrome_lanes.h - processes and threads of the Trace Event Format, by any number or word, as ranks and lanes.
 *
 * Our own writer calls a process "rank N": then it and its threads keep their numbers. So do processes whose numbers
 * are 0 1 2 ... without a gap. Others get theirs by process_sort_index, then by number, then by word; threads likewise,
 * but first comes the one with the number of its process: main. An event without a thread is the first one's. */
#ifndef PITHI_CHROME_LANES_H
#define PITHI_CHROME_LANES_H

#include "chrome/chrome_event.h"
#include "foreign/lookup.h"
#include "native/segment.h"

/* All zero is an empty one. Numbers of processes and threads are places in the arrays. */
struct pithi_chrome_lanes {
    struct pithi_chrome_place *processes, *threads;
    uint32_t process_count, process_room, thread_count, thread_room;
    struct pithi_lookup process_numbers, thread_numbers; /* hash -> number + 1 */
};

void pithi_chrome_lanes_free(struct pithi_chrome_lanes *lanes);
/* The thread of an event. PITH_OK or PITH_ERR_MEMORY. */
int pithi_chrome_lanes_thread(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event,
                              uint32_t *thread);
/* Something happens on it: it has a lane. */
void pithi_chrome_lanes_use(struct pithi_chrome_lanes *lanes, uint32_t thread);
/* An event of phase M, if it is about names or order. */
int pithi_chrome_lanes_meta(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event);
/* When all are known: makes them. Then lane and rank can be asked for. */
int pithi_chrome_lanes_make(struct pithi_chrome_lanes *lanes, struct pithi_writer *writer);
/* The file is our own writer's. */
int pithi_chrome_lanes_own(const struct pithi_chrome_lanes *lanes);
uint32_t pithi_chrome_lanes_lane(const struct pithi_chrome_lanes *lanes, uint32_t thread);
int32_t pithi_chrome_lanes_rank(const struct pithi_chrome_lanes *lanes, uint32_t thread);

#endif
