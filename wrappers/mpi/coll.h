/* coll.h - records of collective operations: communicator, root, bytes sent and received by this process.
 *
 * A function for each shape (pithi_coll_bcast ...) decodes the arguments into this thread's `pithi_coll_now` before the
 * call. A blocking or nonblocking call records it at once. A persistent one keeps it with the request and records it at
 * each start. Bytes are those of the buffers' data: the root of a broadcast sends them once, an all-to-all sends a part
 * to each member. In-place data count as if they came from a separate buffer.
 */
#ifndef PITHI_COLL_H
#define PITHI_COLL_H

#include "message.h"

/* Counts of a vector collective: int, or MPI_Count in the large-count functions. */
struct pithi_counts {
    const void *at;
    int is_wide;
};
#define PITHI_COUNTS(array) ((struct pithi_counts){(array), sizeof *(array) == 8})

void pithi_coll_barrier(MPI_Comm comm);
/* For a window; `of_all`: every process must wait for every other one. */
void pithi_coll_window(struct pithi_comm *window, int of_all);
void pithi_coll_bcast(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type);
void pithi_coll_gather(MPI_Comm comm, int root, const void *from, pithi_count count, MPI_Datatype type,
                       pithi_count recv_count, MPI_Datatype recv_type);
void pithi_coll_gatherv(MPI_Comm comm, int root, const void *from, pithi_count count, MPI_Datatype type,
                        struct pithi_counts recv_counts, MPI_Datatype recv_type);
void pithi_coll_scatter(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type, const void *to,
                        pithi_count recv_count, MPI_Datatype recv_type);
void pithi_coll_scatterv(MPI_Comm comm, int root, struct pithi_counts counts, MPI_Datatype type, const void *to,
                         pithi_count recv_count, MPI_Datatype recv_type);
void pithi_coll_allgather(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                          MPI_Datatype recv_type);
void pithi_coll_allgatherv(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type,
                           struct pithi_counts recv_counts, MPI_Datatype recv_type);
void pithi_coll_alltoall(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                         MPI_Datatype recv_type);
void pithi_coll_alltoallv(MPI_Comm comm, const void *from, struct pithi_counts counts, MPI_Datatype type,
                          struct pithi_counts recv_counts, MPI_Datatype recv_type);
void pithi_coll_alltoallw(MPI_Comm comm, const void *from, struct pithi_counts counts, const MPI_Datatype *types,
                          struct pithi_counts recv_counts, const MPI_Datatype *recv_types);
void pithi_coll_reduce(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type);
void pithi_coll_allreduce(MPI_Comm comm, pithi_count count, MPI_Datatype type);
void pithi_coll_exscan(MPI_Comm comm, pithi_count count, MPI_Datatype type);
void pithi_coll_reduce_scatter(MPI_Comm comm, struct pithi_counts counts, MPI_Datatype type);
void pithi_coll_reduce_scatter_block(MPI_Comm comm, pithi_count count, MPI_Datatype type);
/* Neighbourhood collectives: the members are the neighbours of the topology. */
void pithi_coll_nallgather(MPI_Comm comm, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                           MPI_Datatype recv_type);
void pithi_coll_nallgatherv(MPI_Comm comm, pithi_count count, MPI_Datatype type, struct pithi_counts recv_counts,
                            MPI_Datatype recv_type);
void pithi_coll_nalltoall(MPI_Comm comm, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                          MPI_Datatype recv_type);
void pithi_coll_nalltoallv(MPI_Comm comm, struct pithi_counts counts, MPI_Datatype type,
                           struct pithi_counts recv_counts, MPI_Datatype recv_type);
void pithi_coll_nalltoallw(MPI_Comm comm, struct pithi_counts counts, const MPI_Datatype *types,
                           struct pithi_counts recv_counts, const MPI_Datatype *recv_types);

/* After a call that made a communicator, if only the members of the new one call it: writes the record. */
void pithi_coll_made(int result, const MPI_Comm *made);
/* Writes the record, before a blocking or nonblocking call. */
void pithi_coll_record(void);
/* After a nonblocking call: keeps the request and records its number; later, that it is complete. */
void pithi_coll_started(int result, const MPI_Request *request);
/* The same, where the caller keeps the request; its number, or negative: not kept. */
void pithi_coll_numbered(int64_t request);
void pithi_coll_complete(uint32_t request);
/* After the call that made a persistent request; and before each start of it. */
void pithi_coll_keep(int result, const MPI_Request *request);
void pithi_coll_restart(struct pithi_pending *pending, uint32_t number);

#endif
