/* causal.h - corrects times that contradict cause and effect, with the controlled logical clock.
 *
 * Synchronised clocks still differ by some microseconds, and in logs of other recorders by more. A message may then
 * seem to arrive before it was sent. The rule: a receive ends no earlier than its send began plus the smallest latency
 * between the two hosts. A process leaves a collective, or completes its request, no earlier than the members that it
 * needs have entered (coll_rules.h). A time that breaks the rule is moved up to it. The records around it move too, so
 * that their order on the rank stays and no interval jumps:
 *
 *     send at 100, receive at 40, latency 5:  the receive moves by 65, to 105
 *     after it     later records move by 65 less 1 percent of the time since the receive, and from 40 + 6500 on by 0
 *     before it    the earlier a record, the less it moves; up to 40 - 50 * 65 records do not move; a send moves
 *                  no further than its receive allows
 *
 * So an interval on a rank shrinks by at most 1 percent, or grows just before a corrected time. If a message between
 * two hosts was received before it was sent, the latency between these hosts is the mean of the smallest times there
 * and back, in which the clock offset cancels out. All threads of a rank move together.
 *
 * After D. Becker, R. Rabenseifner, F. Wolf, J. C. Linford: Scalable timestamp synchronization for event traces of
 * message-passing applications. Parallel Computing 35 (2009), and R. Rabenseifner's controlled logical clock (1997).
 *
 * The correction needs two passes over the log, and a temporary file with 48 bytes for each send or receive and some
 * 150 for each collective. Memory grows with the number of ranks and with the messages and collectives under way.
 */
#ifndef PITHI_CAUSAL_H
#define PITHI_CAUSAL_H

#include "pithlog.h"

struct pithi_causal_report {
    /* Corrected messages, which were received before they were sent; corrected collectives, in which a member left
     * before the members that it needs entered. */
    uint64_t messages, collectives;
    int64_t largest_ns; /* largest distance that a record moved */
    /* Number of dependencies that were dropped because they form a cycle, which only a wrong match can cause. */
    uint64_t given_up;
};

/* Sets *mended to a temporary copy of `log` with corrected times, or to NULL if no time was wrong. */
int pithi_causal(struct pithlog *log, struct pithlog **mended, struct pithi_causal_report *report);

/* Writes the report as one line into `text`. */
void pithi_causal_text(const struct pithi_causal_report *report, char *text, size_t size);

#endif
