/* chrome_flows.h - flow events ("s" starts, "t" goes through, "f" ends, found by category, name and id) as messages:
 * from each to the next in time. An end before its start (two clocks) belongs to it nonetheless, when there is no
 * other. */
#ifndef PITHI_CHROME_FLOWS_H
#define PITHI_CHROME_FLOWS_H

#include "chrome/chrome_event.h"
#include "chrome/chrome_lanes.h"

struct pithi_chrome_flows {
    struct pithi_sorter *sorter;
    uint64_t inside, alone; /* passed over: flows within a lane (but of our own files), ends without a partner */
};

/* A message; its receiver's receives are numbered by the order of sending, so that each is matched with its own. */
struct pithi_chrome_message {
    uint32_t send_thread, recv_thread;
    int64_t send_ns, recv_ns, tag;
    uint64_t bytes, posted;
};

int pithi_chrome_flows_new(struct pithi_chrome_flows *flows);
void pithi_chrome_flows_free(struct pithi_chrome_flows *flows);
int pithi_chrome_flows_add(struct pithi_chrome_flows *flows, const struct pithi_chrome_event *event, uint32_t thread);
/* When the lanes were made: tells all messages. */
int pithi_chrome_flows_messages(struct pithi_chrome_flows *flows, const struct pithi_chrome_lanes *lanes,
                                int (*tell)(void *context, const struct pithi_chrome_message *message), void *context);

#endif
