/* waits.h - finds the messages that calls wait for, for clients that walk the log themselves. */
#ifndef PITHI_WAITS_H
#define PITHI_WAITS_H

#include "pithlog.h"

struct pithi_waits;

/* Where the eager limit is unknown, messages below this size count as eager. */
enum { PITHI_EAGER_LEAST = 4096 };

/* A call that sends a message or posts a receive. It releases the call that completes the other end of the message. */
struct pithi_release {
    int64_t time_ns;       /* begin of the call; for a message sent outside of calls, when it was sent */
    uint32_t lane, number; /* number: the client's number of the call; UINT32_MAX: outside of calls */
};

struct pithi_waits_client {
    /* Called for each waiting call, when it is over and all its messages are matched; NULL: not wanted. */
    void (*tell)(void *context, const struct pithlog_wait *wait);
    /* Called when the call with this number needs a message of `bytes`; the call `by` releases the message. With the
     * kind PITHLOG_LATE_SENDER, posted_ns is when the lane posted the receive, INT64_MAX if this is not known. The kind
     * PITHLOG_WAIT_FOR_PROGRESS means that the receive was posted, but it is not known whether the message was small
     * enough to be sent before the receiver calls MPI again. NULL: not wanted. */
    void (*need)(void *context, uint32_t lane, uint32_t number, uint32_t kind, const struct pithi_release *by,
                 uint64_t bytes, int64_t posted_ns);
    uint64_t *matched; /* counts the messages with both ends */
    void *context;
};

/* Sets `records` to a query for the steps that pithi_waits_take needs (records.h). */
int pithi_waits_open(struct pithlog *log, const struct pithlog_waits_query *query,
                     const struct pithi_waits_client *client, struct pithlog_query *records,
                     struct pithi_waits **waits);
/* Takes the next step. If the step begins a state, `number` is the client's number of this call. */
int pithi_waits_take(struct pithi_waits *waits, const struct pithlog_step *step, uint32_t number);
/* Notes that records of the lane are missing from now on. Later messages of its rank are not matched. */
void pithi_waits_missing(struct pithi_waits *waits, uint32_t lane);
/* Notes that the innermost call of the step completes a collective. */
void pithi_waits_completes_coll(struct pithi_waits *waits, const struct pithlog_step *step);
/* If steps come by intervals (records.h), call this function before the first interval and after each
 * interval. */
int pithi_waits_interval_ends(struct pithi_waits *waits);
/* Call after the last record. Reports the calls that are still open or miss a partner. */
int pithi_waits_end(struct pithi_waits *waits);
void pithi_waits_close(struct pithi_waits *waits);
/* Returns the traits of a state (mpi_calls.h). In a log without MPI functions, each state counts as a call that
 * receives. */
unsigned pithi_waits_traits(const struct pithi_waits *waits, uint32_t state);

#endif
