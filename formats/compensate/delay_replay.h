/* delay_replay.h - a log as it would have been without its recording: what the records cost is taken out, and
 * what others waited because of it.
 *
 * Each lane has a delay x, how much earlier it would have been where it is. x grows by the own cost of each record;
 * where a lane has waited for another one, it becomes (Malony, Shende, Morris, Wolf: Euro-Par 2005, IJHPCA 2007)
 *
 *     x2' = min(x1, x2 + w)       x1: the sender's delay, x2: the receiver's, w: how long the receiver waited
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   w = 80: min(30, 5 + 80) = 30                            140 - 30 = 110
 *
 * The same, told by times: the call would have ended when the receiver had come to it and when the message had come,
 * whichever was later. So one that lay there already, and one that came in no time, need no case of their own.
 */
#ifndef PITHI_DELAY_REPLAY_H
#define PITHI_DELAY_REPLAY_H

#include "native/segment.h"

/* Calls of a state that wait for others, and it is not known for whom, or when these came. */
struct pithi_alone {
    const char *name; /* as good as the log */
    uint64_t count;   /* 0: no more */
};
enum { PITHI_ALONE_NAMES = 3 };

struct pithi_replay_result {
    double own_ns;                                 /* of all lanes together: what their records cost, and pith:own */
    double delay_ns;                               /* the largest that a lane ended with */
    int64_t start_ns, end_before_ns, end_after_ns; /* first and last record */
    uint64_t early; /* receives and collectives that the log has before what they waited for */
    struct pithi_alone alone[PITHI_ALONE_NAMES]; /* the most of them, */
    uint64_t alone_others;                       /* and all others */
};

/* Adds to an empty writer all that an open log holds, with new times. `local`: own costs are taken out, and nobody's
 * waiting changes. Reads all records twice, messages once more each time. Memory: 200 bytes a lane, and what is under
 * way (partner_ends.h, collectives.h). */
int pithi_replay(struct pithlog *log, struct pithi_writer *writer, int local, struct pithi_replay_result *result);

#endif
