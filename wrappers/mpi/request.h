/* request.h - the open requests that will give a record: receives and collectives under way, persistent requests,
 * MPI_Comm_idup.
 *
 * A request is entered when it is made and looked at when a call completes it. Between the look before the call and the
 * one after it the handle may have gone to another request (of another thread); `posted`, a number of its own, tells.
 */
#ifndef PITHI_REQUEST_H
#define PITHI_REQUEST_H

#include "comm.h"

#include <mpi.h>
#include <stdint.h>

enum pithi_request_kind {
    PITHI_REQUEST_NONE, /* not in the table */
    PITHI_REQUEST_RECV, /* under way: `posted` holds its number */
    PITHI_REQUEST_SEND_INIT,
    PITHI_REQUEST_RECV_INIT,
    PITHI_REQUEST_COLL_INIT,
    PITHI_REQUEST_COLL, /* a nonblocking collective under way */
    PITHI_REQUEST_COMM
};
struct pithi_request {
    uint64_t key; /* the handle; 0: not in use */
    uint64_t posted;
    struct pithi_comm *comm;
    uint64_t bytes; /* SEND_INIT, COLL_INIT: given; COMM: the key promised */
    union {
        uint64_t got_bytes; /* COLL_INIT */
        MPI_Comm *made;     /* COMM: where MPI will put, or has put, the new communicator */
    } u;
    int32_t peer, tag; /* of a receive: as posted; of COLL_INIT: peer is the root */
    uint8_t kind, is_active, is_cancelled;
    uint32_t place, next; /* the table's own: where it is, and what is chained to it */
};

/* Every function takes a live handle (not MPI_REQUEST_NULL). Cost: a hash look-up, whatever the number open. */
void pithi_request_put(MPI_Request handle, const struct pithi_request *request);
/* The same in two steps, for the road that is taken most: an entry to be filled in (from `posted` to `is_cancelled`),
 * and its end. NULL: no memory; nothing to end. */
struct pithi_request *pithi_request_open(MPI_Request handle);
void pithi_request_close(struct pithi_request *entry);
/* What else names a communicator, as an open request does: 1; no more: -1. */
void pithi_request_hold(struct pithi_comm *comm, int step);
/* Whether any is in the table. */
int pithi_request_any(void);
/* Copies it; kind NONE when it is not in the table. */
void pithi_request_get(MPI_Request handle, struct pithi_request *copy);
/* Takes it out if it is still the one that was copied. */
void pithi_request_drop(const struct pithi_request *copy);
/* Changes what is kept, if it is still the one that was copied (same `key` and kind, persistent). */
void pithi_request_set(const struct pithi_request *copy);

#endif
