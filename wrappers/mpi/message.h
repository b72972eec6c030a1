/* message.h - records of point-to-point messages: before a send, after a receive.
 *
 * A receive takes its number (pith_recv_post) before the call that posts it, and gives it back with what came. Where
 * the user ignores the status, an own one is put in its place, for the source, the tag and the size.
 */
#ifndef PITHI_MESSAGE_H
#define PITHI_MESSAGE_H

#include "request.h"

/* MPI_Count where the library has it. */
typedef MPI_Count pithi_count;

/* `count` elements of a datatype in bytes. */
uint64_t pithi_bytes(pithi_count count, MPI_Datatype type);
/* MPI_Type_free: sizes of handles known so far may change. */
void pithi_bytes_forget(void);

void pithi_send(MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type);

/* A receive from its posting to its end. */
struct pithi_recv {
    struct pithi_comm *comm; /* NULL: nothing to record (MPI_PROC_NULL, not the user's call) */
    uint64_t posted;
    int peer, tag; /* as posted */
    MPI_Status own;
};
void pithi_recv_begin(struct pithi_recv *recv, MPI_Comm comm, int peer, int tag);
/* The status to call with. */
MPI_Status *pithi_recv_status(struct pithi_recv *recv, MPI_Status *status);
/* `result`: the call's, or the status's own error where the call completed several. */
void pithi_recv_end(const struct pithi_recv *recv, int result, const MPI_Status *status);
/* The same for a receive that goes on in a request. */
void pithi_recv_pending(const struct pithi_recv *recv, int result, const MPI_Request *request);

/* MPI_Mprobe and MPI_Improbe match: the number belongs to the message from then on. */
void pithi_message_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message);
void pithi_message_begin(struct pithi_recv *recv, const MPI_Message *message);

/* Persistent requests. A partitioned one counts all its partitions. */
void pithi_send_init(int result, MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type,
                     const MPI_Request *request);
void pithi_recv_init(int result, MPI_Comm comm, int peer, int tag, const MPI_Request *request);
/* Before MPI_Start, MPI_Startall. */
void pithi_start(int count, const MPI_Request *requests);

void pithi_cancel(const MPI_Request *request);
/* Before MPI_Request_free. */
void pithi_request_free(const MPI_Request *request);

#endif
