/* comm.h - the communicators of this process: the recorder's id, and world ranks for ranks.
 *
 * Keys. Every member must come to the same 64-bit key without a message. A key is a hash of what all members of the new
 * communicator know: the parent's key, the kind of call, the members' world ranks in order, and how many times this
 * process has made one from the same three before. All members take part in each such creation, and in the same order,
 * so they count alike. Example: ranks 0 and 1 split MPI_COMM_WORLD twice alike: key(world, split, {0,1}, 0) and
 * key(world, split, {0,1}, 1); ranks 2 and 3 come to keys of their own. An intercommunicator has no parent that both
 * sides know; its two groups stand in, the one with the smaller first world rank first.
 */
#ifndef PITHI_COMM_H
#define PITHI_COMM_H

#include "job.h"

#include <stdint.h>

struct pithi_comm {
    MPI_Comm handle;
    uint64_t key;
    uint32_t id; /* liblog's; 0: MPI_COMM_WORLD */
    int rank, size;
    int remote_size;           /* 0: an intracommunicator */
    int is_world_like;         /* ranks are world ranks: no table */
    int32_t *world_ranks;      /* [size], then [remote_size]; NULL when is_world_like */
    int in_degree, out_degree; /* neighbours in its topology; -1: not asked for yet */
    uint32_t open_requests;    /* that name it; atomic */
    uint32_t kept_colls;       /* persistent collectives made; atomic */
    struct pithi_comm *next;
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

/* MPI is up: MPI_COMM_WORLD is entered. `recorded`: not all of it are, but these, whose ranks then are the world ranks
 * here; else MPI_GROUP_NULL. */
void pithi_comm_begin(MPI_Group recorded);
/* The same without an MPI_COMM_WORLD (sessions): the group of all processes takes its place. */
void pithi_comm_begin_group(MPI_Group all);

/* The communicator of a handle; NULL when it has none (MPI not up, MPI_COMM_NULL). One not seen before, made behind
 * Pith's back, is entered as of kind OTHER. The pointer is good until the communicator is freed and no request that was
 * begun on it is open. */
struct pithi_comm *pithi_comm_find_other(MPI_Comm handle);
extern struct pithi_comm pithi_comm_world;
static inline struct pithi_comm *pithi_comm_find(MPI_Comm handle)
{
    if (__builtin_expect(pithi_job_up && pithi_comm_world.handle == handle, 1))
        return &pithi_comm_world;
    return pithi_comm_find_other(handle);
}

/* For libpith-mpe beside us, so that a communicator is in the log once: 1: it is known here, by that id of liblog's and
 * that key. */
__attribute__((visibility("default"))) int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key);

/* The world rank of a peer: for an intercommunicator one of the remote group. Negative: none (MPI_PROC_NULL, not in
 * this job, out of range). */
static inline int pithi_comm_peer(const struct pithi_comm *comm, int rank)
{
    int count = comm->remote_size ? comm->remote_size : comm->size;

    if (rank < 0 || rank >= count)
        return -1;
    return comm->is_world_like ? rank : comm->world_ranks[(comm->remote_size ? comm->size : 0) + rank];
}
/* The root of a collective as a world rank; -1: none that is known here. */
int pithi_comm_root(const struct pithi_comm *comm, int root);
/* The caller's world rank. */
int pithi_comm_self(void);

/* A call of the user gave a new communicator, or none (MPI_COMM_NULL). */
void pithi_comm_made(int result, enum pithi_comm_kind kind, MPI_Comm parent, const MPI_Comm *made);
/* For MPI_Comm_idup, whose result comes later: the part of the key that depends on the order of calls. */
uint64_t pithi_comm_promise(MPI_Comm parent);
void pithi_comm_pending(int result, uint64_t key, MPI_Comm *made, const MPI_Request *request);
void pithi_comm_promised(uint64_t key, MPI_Comm made);
/* MPI_Comm_free, MPI_Comm_disconnect: before the call, which takes the handle away; and after it. */
struct pithi_comm *pithi_comm_drop_begin(const MPI_Comm *handle);
void pithi_comm_drop_end(int result, struct pithi_comm *comm);
/* A window was made on `parent`: in the log it is a communicator of its own, as only its own collective operations have
 * an order. Freed by pithi_comm_drop_end. NULL: none. */
struct pithi_comm *pithi_comm_of_window(const struct pithi_comm *parent);
void pithi_comm_named(int result, MPI_Comm handle, const char *name);

#endif
