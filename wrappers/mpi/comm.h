/* comm.h - the log's data for communicators and windows (handle.h): their ids in liblog, and their keys.
 *
 * Keys. Every member must find the same 64-bit key without a message. A key is a hash of facts that all members of the
 * new communicator know: the parent's key, the kind of call, the members' world ranks in order, and the number of
 * earlier creations with the same three facts. All members take part in each such creation, in the same order, so their
 * counts agree. Example: ranks 0 and 1 split MPI_COMM_WORLD twice in the same way and get key(world, split, {0,1}, 0)
 * and key(world, split, {0,1}, 1); ranks 2 and 3 get other keys. An intercommunicator has no parent that both sides
 * know. So its two groups take the parent's place, first the group with the smaller first world rank.
 */
#ifndef PITHI_COMM_H
#define PITHI_COMM_H

#include "handle.h"
#include "job.h"

#include <stdint.h>

/* The log's slot of a communicator, a window or a file. */
struct pithi_comm {
    uint64_t key;        /* 0: MPI_COMM_WORLD */
    uint32_t id;         /* id in liblog; 0: MPI_COMM_WORLD */
    uint32_t kept_colls; /* number of persistent collectives made; atomic */
    int number;          /* number of a window or a file, from 1 in the order of making */
    int is_fenced;       /* 1: a window whose last fence began an epoch */
    int neighbours;      /* ranks of the topology's neighbours: 1: to be recorded; 2: recorded; atomic */
};
_Static_assert(sizeof(struct pithi_comm) <= PITHI_SLOT_BYTES, "the slot is large enough");
static inline struct pithi_comm *pithi_comm_of(const struct pithi_handle *handle)
{
    return pithi_handle_slot(handle, PITHI_CLIENT_LIBRARY);
}

enum pithi_comm_kind {
    PITHI_COMM_DUP = 1,  /* MPI_Comm_dup */
    PITHI_COMM_SPLIT,    /* MPI_Comm_split */
    PITHI_COMM_CREATE,   /* MPI_Comm_create, by a group */
    PITHI_COMM_TOPOLOGY, /* with a topology */
    PITHI_COMM_INTER,    /* between two groups */
    PITHI_COMM_MERGE,    /* MPI_Intercomm_merge */
    PITHI_COMM_OTHER,    /* made by a call without a wrapper */
    PITHI_COMM_WINDOW,   /* of a window */
    PITHI_COMM_FILE      /* of a file */
};

/* Call it in MPI_Init, or in the first session. The arguments are the same as for pithi_handles_begin. */
void pithi_comm_begin(MPI_Comm world, MPI_Group recorded);

/* Return the entry of a communicator; NULL if MPI is not initialized or the handle is MPI_COMM_NULL. A communicator
 * that a call without a wrapper made is entered now, as kind OTHER. The pointer is valid until the communicator is
 * freed and all its requests are complete. */
struct pithi_handle *pithi_comm_find_other(MPI_Comm handle);
static inline struct pithi_handle *pithi_comm_find(MPI_Comm handle)
{
    if (__builtin_expect(pithi_job_up && pithi_handle_world.handle == handle, 1))
        return &pithi_handle_world;
    return pithi_comm_find_other(handle);
}

/* libpith-mpe calls this, so that the log has each communicator only once. If the communicator is known here, sets *id
 * to its id in liblog and *key to its key, and returns 1; otherwise returns 0. */
__attribute__((visibility("default"))) int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key);

/* Returns the world rank of a collective's root; -1 if it is unknown. */
int pithi_comm_root(const struct pithi_handle *comm, int root);

/* Defines a new communicator in the log. Call it after the call of the user that made the communicator; *made may be
 * MPI_COMM_NULL. */
void pithi_comm_made(int result, enum pithi_comm_kind kind, MPI_Comm parent, const MPI_Comm *made);
/* For MPI_Comm_idup, whose new communicator exists only when the request is complete. pithi_comm_promise, before the
 * call, computes the key, because a key depends on the order of calls; it returns 0 if nothing is recorded.
 * pithi_comm_pending, after the call, enters the request. pithi_comm_promised, when the request is complete, defines
 * the communicator. */
uint64_t pithi_comm_promise(MPI_Comm parent);
void pithi_comm_pending(int result, uint64_t key, MPI_Comm *made, const MPI_Request *request);
void pithi_comm_promised(uint64_t key, MPI_Comm made);
/* Call it after a window or a file was made on a communicator. In the log, the window or file is a communicator of its
 * own, because its collective operations are ordered only among themselves. */
void pithi_comm_made_on(struct pithi_handle *made, enum pithi_comm_kind kind, MPI_Comm parent);
void pithi_comm_named(int result, MPI_Comm handle, const char *name);

#endif
