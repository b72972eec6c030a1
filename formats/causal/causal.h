/* causal.h - times that contradict cause and effect, mended: the concept of the controlled logical clock.
 *
 * Clocks that were compared still differ by some microseconds, and those of other recorders by more; then messages
 * seem to arrive before they left. The rule: no receive ends before its send began plus the smallest latency between
 * the two machines; no process leaves a collective, or is told that its request is complete, before those have entered
 * it that it had to wait for (coll_rules.h). Where a time breaks the rule it is moved up to it, and what lies around it
 * is stretched, so that no order on a rank changes and no interval jumps:
 *
 *     send at 100, receive at 40, latency 5:  the receive moves to 105, by 65
 *     behind it    what comes later moves by 65 less 1 percent of the time since: at 40 + 6500 nothing is left of it
 *     before it    what came earlier moves by as much less as it lies before, within 50 * 65; but a send in there no
 *                  further than its own receive allows
 *
 * So one rank's intervals become at most 1 percent shorter, and longer where the wrong time was. The latency of two
 * machines is the mean of the smallest seen there and back, from which their clocks' offset falls out, where some
 * message was backwards between them; else nothing is to be mended. What moves is a rank as a whole, all its threads.
 *
 * After D. Becker, R. Rabenseifner, F. Wolf, J. C. Linford: Scalable timestamp synchronization for event traces of
 * message-passing applications. Parallel Computing 35 (2009), and R. Rabenseifner's controlled logical clock (1997).
 *
 * Two passes over the log; a temporary file has 48 bytes a send and receive, some 150 a collective. Memory grows with
 * ranks, and messages and collectives under way.
 */
#ifndef PITHI_CAUSAL_H
#define PITHI_CAUSAL_H

#include "pithlog.h"

struct pithi_causal_report {
    uint64_t messages, collectives; /* that were backwards: received before sent; left before entered by those needed */
    int64_t largest_ns;             /* the furthest that a record was moved */
    uint64_t given_up;              /* not mended: they wait for each other in a ring, so their match is wrong */
};

/* *mended: a nameless log like `log` with times mended; NULL when none had to be. */
int pithi_causal(struct pithlog *log, struct pithlog **mended, struct pithi_causal_report *report);

/* As one line; "no time was moved" where none was. */
void pithi_causal_text(const struct pithi_causal_report *report, char *text, size_t size);

#endif
