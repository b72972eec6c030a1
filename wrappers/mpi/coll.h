/* coll.h - records of collective operations: communicator, root, bytes given and got by this process.
 *
 * The functions of a shape (pithi_coll_bcast ...) put what the arguments say into this thread's `pithi_coll_now`,
 * before the call. From there it is recorded at once (blocking and nonblocking calls), or kept with the request
 * (persistent ones, recorded at each start). Bytes are those of the buffers' data: a broadcast's root gives them once,
 * an all-to-all gives a part to each member. Data in place count as if they had been given from a buffer of their own.
 */
#ifndef PITHI_COLL_H
#define PITHI_COLL_H

#include "message.h"
#include "request.h"

/* Counts of a vector collective: int, or MPI_Count in the large-count functions. */
struct pithi_counts {
    const void *at;
    int is_wide;
};
#define PITHI_COUNTS(array) ((struct pithi_counts){(array), sizeof *(array) == 8})

void pithi_coll_barrier(MPI_Comm comm);
/* Of a window; `of_all`: all must wait for all. */
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

/* The record, before a blocking or nonblocking call. */
void pithi_coll_record(void);
/* After a nonblocking call: keeps the request, and records its number; and that it is complete. */
void pithi_coll_started(int result, const MPI_Request *request);
void pithi_coll_complete(const struct pithi_request *request);
/* After the call that made a persistent request; and before each start of it. */
void pithi_coll_keep(int result, const MPI_Request *request);
void pithi_coll_restart(const struct pithi_request *request);

#endif
