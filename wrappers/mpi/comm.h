/* comm.h - the communicators of this process: their ids in liblog, and the world ranks of their members.
 *
 * Keys. Every member must find the same 64-bit key without a message. A key is a hash of facts that all members of the
 * new communicator know: the parent's key, the kind of call, the members' world ranks in order, and the number of
 * earlier creations with the same three. All members take part in each such creation, in the same order, so their
 * counts agree. Example: ranks 0 and 1 split MPI_COMM_WORLD twice in the same way and get key(world, split, {0,1}, 0)
 * and key(world, split, {0,1}, 1); ranks 2 and 3 get other keys. An intercommunicator has no parent that both sides
 * know. Its two groups replace the parent, the one with the smaller first world rank first.
 */
#ifndef PITHI_COMM_H
#define PITHI_COMM_H

#include "job.h"
#include "handle_table.h"
#include "ranks.h"

#include <stdint.h>

struct pithi_comm {
    struct pithi_handle table;
    MPI_Comm handle;
    uint64_t key;
    uint32_t id; /* id in liblog; 0: MPI_COMM_WORLD */
    int rank, size;
    int remote_size;      /* 0: an intracommunicator */
    int is_world_like;    /* ranks equal world ranks: no table */
    int32_t *world_ranks; /* [size], then [remote_size]; NULL when is_world_like */
    struct pithi_neighbours neighbours;
    int knows_neighbours;    /* `neighbours` is set; atomic */
    uint32_t open_requests;  /* number of requests that refer to it; atomic */
    uint32_t kept_colls;     /* number of persistent collectives made; atomic */
    struct pithi_comm *next; /* in the list of freed communicators */
};

enum pithi_comm_kind {
    PITHI_COMM_DUP = 1,
    PITHI_COMM_SPLIT,
    PITHI_COMM_CREATE,
    PITHI_COMM_TOPOLOGY,
    PITHI_COMM_INTER,
    PITHI_COMM_MERGE,
    PITHI_COMM_OTHER,
    PITHI_COMM_WINDOW
};

/* After MPI_Init: enters MPI_COMM_WORLD. `recorded`: MPI_GROUP_NULL, or, if only some processes are recorded, their
 * group; world ranks are then ranks in that group. */
void pithi_comm_begin(MPI_Group recorded);
/* The same without MPI_COMM_WORLD (sessions): uses the group of all processes. */
void pithi_comm_begin_group(MPI_Group all);

/* The communicator of a handle; NULL: none (MPI is not initialized, MPI_COMM_NULL). Enters a communicator that a call
 * without a wrapper made, as kind OTHER. The pointer is valid until the communicator is freed and all its requests are
 * complete. */
struct pithi_comm *pithi_comm_find_other(MPI_Comm handle);
extern struct pithi_comm pithi_comm_world;
static inline struct pithi_comm *pithi_comm_find(MPI_Comm handle)
{
    if (__builtin_expect(pithi_job_up && pithi_comm_world.handle == handle, 1))
        return &pithi_comm_world;
    return pithi_comm_find_other(handle);
}

/* For libpith-mpe, so that the log has each communicator once. 1: the communicator is known here; sets its id in liblog
 * and its key. */
__attribute__((visibility("default"))) int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key);

/* The world rank of a peer, which is in the remote group of an intercommunicator. Negative: none (MPI_PROC_NULL, not in
 * this job, out of range). */
static inline int pithi_comm_peer(const struct pithi_comm *comm, int rank)
{
    int count = comm->remote_size ? comm->remote_size : comm->size;

    if (rank < 0 || rank >= count)
        return -1;
    return comm->is_world_like ? rank : comm->world_ranks[(comm->remote_size ? comm->size : 0) + rank];
}
/* The world rank of a collective's root; -1: unknown. */
int pithi_comm_root(const struct pithi_comm *comm, int root);
/* The world ranks of the *size members of a group, malloc'ed; -1: not in this job. NULL: unknown. */
int32_t *pithi_comm_group(MPI_Group group, int *size);
/* The caller's world rank. */
int pithi_comm_self(void);

/* Counts the open requests on the communicator: 1: begun, -1: ended. NULL: no effect. */
static inline void pithi_comm_hold(struct pithi_comm *comm, int step)
{
    if (comm && pithi_many_threads)
        __atomic_add_fetch(&comm->open_requests, (uint32_t)step, __ATOMIC_ACQ_REL);
    else if (comm)
        comm->open_requests += (uint32_t)step;
}

/* The user's call made a communicator, or none (MPI_COMM_NULL). */
void pithi_comm_made(int result, enum pithi_comm_kind kind, MPI_Comm parent, const MPI_Comm *made);
/* For MPI_Comm_idup, which sets its result later: the part of the key that depends on the order of calls. */
uint64_t pithi_comm_promise(MPI_Comm parent);
void pithi_comm_pending(int result, uint64_t key, MPI_Comm *made, const MPI_Request *request);
void pithi_comm_promised(uint64_t key, MPI_Comm made);
/* Before and after MPI_Comm_free and MPI_Comm_disconnect. The call clears the handle. */
struct pithi_comm *pithi_comm_drop_begin(const MPI_Comm *handle);
void pithi_comm_drop_end(int result, struct pithi_comm *comm);
/* For a window made on `parent`: the log has it as a communicator, since its collective operations are ordered only
 * among themselves. pithi_comm_drop_end frees it. NULL: none. */
struct pithi_comm *pithi_comm_of_window(const struct pithi_comm *parent);
void pithi_comm_named(int result, MPI_Comm handle, const char *name);

#endif
