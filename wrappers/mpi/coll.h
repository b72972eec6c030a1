/* coll.h - records of collective operations: communicator, root, bytes sent and received by this process.
 *
 * Before a call, pithi_coll computes the call's record from its arguments and stores it in this thread's
 * `pithi_coll_now`. For a blocking or nonblocking call, the wrapper writes that record at once. For a persistent call,
 * it keeps the record with the request, and each start writes it.
 */
#ifndef PITHI_COLL_H
#define PITHI_COLL_H

#include "collective.h"
#include "message.h"
#include "state.h"

struct pithi_coll_record {
    struct pithi_handle *comm; /* NULL: nothing to record */
    int root;                  /* a world rank; PITH_NOBODY: no root */
    struct pithi_moved moved;  /* bytes sent and received by this process */
    int of_all;                /* 1: known to receive data from every other process; only some calls set it */
};
extern __thread struct pithi_coll_record pithi_coll_now
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Notes that the ranks of the communicator's neighbours must be recorded before the next record of a collective on it.
 * Does nothing if the log already has these ranks. */
void pithi_coll_has_neighbours(const struct pithi_handle *comm);
/* Returns 1 if this process gets data from every other process in an MPI_Alltoallv or MPI_Alltoallw. */
int pithi_coll_is_of_all(struct pithi_data received, const struct pithi_handle *comm);

PITHI_IN_WRAPPER void pithi_coll(const struct pithi_collective *call)
{
    struct pithi_coll_record *now = &pithi_coll_now;
    struct pithi_handle *comm = pithi_self.recorded && pithi_job_messages ? pithi_comm_find(call->comm) : NULL;

    *now = (struct pithi_coll_record){.comm = comm, .root = PITH_NOBODY};
    if (!comm)
        return;
    struct pithi_members members = pithi_members_of(comm, call->shape);
    if (pithi_shape_has_neighbours(call->shape))
        pithi_coll_has_neighbours(comm);
    if (pithi_shape_has_root(call->shape))
        now->root = pithi_comm_root(comm, call->root);
    now->moved = pithi_collective_bytes(call, &members);
    if (call->shape == PITHI_SHAPE_alltoall && call->received.counts)
        now->of_all = pithi_coll_is_of_all(call->received, comm);
}
/* Prepares the record of a collective of all processes of the communicator, without data. */
void pithi_coll_barrier(MPI_Comm comm);
/* Prepares the record of a collective on a window or a file. `handle`: its entry; NULL if it is unknown. `of_all`: 1:
 * every process must wait for every other one. */
void pithi_coll_on(struct pithi_handle *handle, int of_all);

/* For calls that only the members of the new communicator make. Prepares and writes the record; call it after the
 * call. */
void pithi_coll_made(int result, const MPI_Comm *made);
/* Writes the prepared record, before a blocking or nonblocking call. */
void pithi_coll_record(void);
/* Call it after a nonblocking collective. Enters the request and records that the collective started. */
void pithi_coll_started(int result, const MPI_Request *request);
/* As pithi_coll_started, for callers that have entered the request themselves and pass its number. If the number is
 * negative (the request could not be entered), records nothing. */
void pithi_coll_numbered(int64_t request);
/* Records that the request with this number is complete. */
void pithi_coll_complete(uint32_t request);
/* After the call that made a persistent request: keeps the prepared record with the request. pithi_coll_restart writes
 * that record before each start. */
void pithi_coll_keep(int result, const MPI_Request *request);
void pithi_coll_restart(struct pithi_pending *pending, uint32_t number);

#endif
