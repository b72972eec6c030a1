/* message.h - records of point-to-point messages: before a send, after a receive.
 *
 * Before a call posts a receive, the receive takes a number by pith_recv_post. The record of the receive contains that
 * number. If the user passes MPI_STATUS_IGNORE, the wrapper passes a status of its own, to get the source, the tag and
 * the size.
 */
#ifndef PITHI_MESSAGE_H
#define PITHI_MESSAGE_H

#include "comm.h"
#include "completion.h"
#include "datatype.h"

/* The type in which all counts of elements are passed, even those of MPI functions whose count is an int. */
typedef MPI_Count pithi_count;

void pithi_send(MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type);

/* The log's data for an open request: active receives and collectives, persistent requests, MPI_Comm_idup, and matched
 * messages. */
enum pithi_pending_kind {
    PITHI_PENDING_RECV,
    PITHI_PENDING_SEND_INIT, /* MPI_Send_init */
    PITHI_PENDING_RECV_INIT, /* MPI_Recv_init */
    PITHI_PENDING_COLL_INIT,
    PITHI_PENDING_COLL, /* a collective that was started */
    PITHI_PENDING_COMM  /* MPI_Comm_idup */
};
struct pithi_pending {
    uint64_t posted; /* a receive's order number (pith_recv_post) */
    struct pithi_handle *comm;
    uint64_t bytes; /* SEND_INIT, COLL_INIT: bytes sent; COMM: the promised key */
    union {
        uint64_t got_bytes; /* COLL_INIT: bytes received */
        MPI_Comm *made;     /* COMM: where MPI stores the new communicator */
    } u;
    int32_t peer, tag; /* of a receive: as posted; COLL_INIT: peer is the root */
    /* kind: enum pithi_pending_kind; is_active: 1: started; is_cancelled: 1: MPI_Cancel was called */
    uint8_t kind, is_active, is_cancelled;
};
/* Registers the log as a client of the table of requests. Call it before the first request. */
void pithi_pending_begin(void);
/* Enters a request with `pending` as its data. Returns the request's number; -1 if there is no memory. */
int64_t pithi_pending_enter(uint64_t key, const struct pithi_pending *pending);

/* A receive from its posting to its completion. */
struct pithi_recv {
    struct pithi_handle *comm; /* NULL: nothing is recorded (MPI_PROC_NULL, or not a call of the user) */
    uint64_t posted;           /* the receive's number in the order of posting */
    int peer, tag;             /* as posted */
    MPI_Status own;            /* used if the user passes MPI_STATUS_IGNORE */
};
void pithi_recv_begin(struct pithi_recv *recv, MPI_Comm comm, int peer, int tag);
/* Returns the status to pass to the call. */
MPI_Status *pithi_recv_status(struct pithi_recv *recv, MPI_Status *status);
/* Call it after the receive. `result`: what the call returned, or if the call completed several requests, the error
 * field of the status. */
void pithi_recv_end(const struct pithi_recv *recv, int result, const MPI_Status *status);
/* Call it after a call that posted a receive with a request. Enters the request in the table. */
void pithi_recv_pending(const struct pithi_recv *recv, int result, const MPI_Request *request);

/* Call pithi_message_matched after MPI_Mprobe or MPI_Improbe. It enters the matched message, with a number for the
 * receive that will get the message. Call pithi_message_begin before that receive; it sets *recv from the entry. */
void pithi_message_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message);
void pithi_message_begin(struct pithi_recv *recv, const MPI_Message *message);

/* Enter a persistent request. Call these after the call that made the request. For a partitioned request, `count` is
 * the number of elements in all partitions together. */
void pithi_send_init(int result, MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type,
                     const MPI_Request *request);
void pithi_recv_init(int result, MPI_Comm comm, int peer, int tag, const MPI_Request *request);
/* Call it before MPI_Start and MPI_Startall. Records the sends and collectives that they start, and gives each started
 * receive its number. */
void pithi_start(int count, const MPI_Request *requests);

/* Call it before MPI_Cancel. Notes that the receive may be cancelled. */
void pithi_cancel(const MPI_Request *request);
/* Call it before MPI_Request_free. Removes the request, and records its receive if that is active. */
void pithi_request_free(const MPI_Request *request);

#endif
