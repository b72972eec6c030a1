/* chrome_lanes.h - maps processes and threads of the Trace Event Format to ranks and lanes, and flow events to
 * messages. Any number or word may identify a process or thread.
 *
 * The Pith writer calls a process "rank N". Such a process and its threads keep their numbers as ranks and threads. If
 * the processes of another file have the numbers 0 to n - 1, these numbers become their ranks. All other processes are
 * ordered by process_sort_index, then by number, then by word. Threads are ordered in the same way, but the main
 * thread, which has the number of its process, comes first. An event without a thread belongs to the first thread.
 *
 * A profile of PyTorch contains one rank of a job; its "distributedInfo" says which. The processes in the profile (the
 * program, each device) become lanes of this rank, so that the profiles of a job can be merged.
 *
 * Flow events ("s" starts, "t" continues, "f" ends) are identified by category, name and id. Two flow events of a flow
 * that are adjacent in time become a message. Because clocks differ, an end may be earlier than its start. Such a pair
 * still becomes a message if the flow has no other start that is earlier than the end. */
#ifndef PITHI_CHROME_LANES_H
#define PITHI_CHROME_LANES_H

#include "base/map.h"
#include "foreign/chrome/chrome_event.h"
#include "native/segment.h"

/* All zero at first. Processes and threads are numbered by their index in the arrays. */
struct pithi_chrome_lanes {
    struct pithi_chrome_place *processes, *threads; /* in the order in which they are first met */
    uint32_t process_count, process_room, thread_count, thread_room;
    struct pithi_map process_numbers, thread_numbers; /* hash -> number + 1 */
    /* 1: the file contains one rank of a job, whose number is `rank`. All processes of the file become threads of that
     * rank. */
    int is_one_rank;
    int32_t rank;
};

void pithi_chrome_lanes_free(struct pithi_chrome_lanes *lanes);
/* Finds the thread of an event. Returns PITH_OK or PITH_ERR_MEMORY. */
int pithi_chrome_lanes_thread(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event,
                              uint32_t *thread);
uint32_t pithi_chrome_lanes_process(const struct pithi_chrome_lanes *lanes, uint32_t thread);
/* Adds a thread for asynchronous events: lane `number` of group `group`. It comes after the other threads of its
 * process. */
int pithi_chrome_lanes_add(struct pithi_chrome_lanes *lanes, uint32_t process, uint32_t group, uint32_t number,
                           const char *name, uint32_t *thread);
/* Marks a thread as used, so that it gets a lane. */
void pithi_chrome_lanes_use(struct pithi_chrome_lanes *lanes, uint32_t thread);
/* Reads an event of phase M, which sets the name or the sort order of a process or thread. */
int pithi_chrome_lanes_meta(struct pithi_chrome_lanes *lanes, const struct pithi_chrome_event *event);
/* Makes the lanes and ranks after all events. Only then are the lane and rank of a thread known. */
int pithi_chrome_lanes_make(struct pithi_chrome_lanes *lanes, struct pithi_writer *writer);
/* Returns 1 if Pith wrote the file. */
int pithi_chrome_lanes_own(const struct pithi_chrome_lanes *lanes);
uint32_t pithi_chrome_lanes_lane(const struct pithi_chrome_lanes *lanes, uint32_t thread);
int32_t pithi_chrome_lanes_rank(const struct pithi_chrome_lanes *lanes, uint32_t thread);

struct pithi_chrome_flows {
    struct pithi_sorter *sorter; /* flow events, sorted by flow, then by time */
    uint64_t inside, alone;      /* Counts of events that were left out. inside: flows within a lane, except in files
                                    that Pith wrote; alone: ends without a partner */
};

/* A message. The receives of a receiver are numbered in order of sending, so that each matches its own message. */
struct pithi_chrome_message {
    uint32_t send_thread, recv_thread; /* indices of threads */
    int64_t send_ns, recv_ns, tag;
    uint64_t bytes, posted; /* `posted`: number among the receives of the receiver */
};

int pithi_chrome_flows_new(struct pithi_chrome_flows *flows);
void pithi_chrome_flows_free(struct pithi_chrome_flows *flows);
int pithi_chrome_flows_add(struct pithi_chrome_flows *flows, const struct pithi_chrome_event *event, uint32_t thread);
/* Joins flow events to messages and calls `tell` for each message. Call it after pithi_chrome_lanes_make. */
int pithi_chrome_flows_messages(struct pithi_chrome_flows *flows, const struct pithi_chrome_lanes *lanes,
                                int (*tell)(void *context, const struct pithi_chrome_message *message), void *context);

#endif
