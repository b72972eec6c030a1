/* delay_replay.h - a log as it would have been without recording: removes the cost of the records, and the waiting that
 * this cost caused.
 *
 * Each lane has a delay x: without recording it would have been earlier by x. x grows by the own cost of each record.
 * When a lane has waited for another, x becomes (Malony, Shende, Morris, Wolf: Euro-Par 2005, IJHPCA 2007)
 *
 *     x2' = min(x1, x2 + w)       x1: the sender's delay, x2: the receiver's, w: how long the receiver waited
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   w = 80: min(30, 5 + 80) = 30                            140 - 30 = 110
 *
 * The same rule in terms of times: without recording, the call ends when its receiver is ready and the message has
 * arrived, whichever is later. So messages that had already arrived, or took no time, need no special case.
 */
#ifndef PITHI_DELAY_REPLAY_H
#define PITHI_DELAY_REPLAY_H

#include "native/segment.h"

/* Waiting calls of one state whose peers or arrival times are unknown. */
struct pithi_alone {
    const char *name; /* valid as long as the log is open */
    uint64_t count;   /* 0: this entry and the later ones are unused */
};
enum { PITHI_ALONE_NAMES = 3 }; /* most states that are named */

struct pithi_delay_replay_result {
    double own_ns;   /* sum over all lanes: costs of records, and those in pith:own */
    double delay_ns; /* largest delay at the end of a lane */
    /* Time of the first record; time of the last record, as measured and without recording. */
    int64_t start_ns, end_before_ns, end_after_ns;
    uint64_t early; /* receives and collectives that were recorded before what they waited for */
    struct pithi_alone alone[PITHI_ALONE_NAMES]; /* the states with the most such calls */
    uint64_t alone_others;                       /* number of such calls in all other states */
};

/* Copies an open log to an empty writer, with new times. `local`: removes only own costs; no wait becomes shorter.
 * Reads all records twice, and messages once more each time; with `local`, all records once. Memory: 200 bytes a lane,
 * plus messages and collectives under way (pairs.h, collectives.h). */
int pithi_delay_replay(struct pithlog *log, struct pithi_writer *writer, int local,
                       struct pithi_delay_replay_result *result);

#endif
