/* handle.h - the communicators, windows and files of this process: their members, and each client's data.
 *
 * Each library has one table for all of these. An entry has the members' ranks, and a slot of memory for each client.
 * The clients are the library itself (the log, the time library or the checks) and compensation. handle.w makes an
 * entry when a call makes a handle, and removes the entry when a call frees the handle. A communicator for which
 * handle.w makes no entry, such as one from MPI_Comm_idup or an MPIX_ function, is entered at its first use. An entry
 * is valid until the program has freed the handle and no client holds the entry.
 *
 * Several threads may call these functions at the same time. Entries never move.
 */
#ifndef PITHI_HANDLE_H
#define PITHI_HANDLE_H

#include "lock.h"
#include "ranks.h"

#include <mpi.h>
#include <stdint.h>

enum pithi_client { PITHI_CLIENT_LIBRARY, PITHI_CLIENT_COMPENSATION, PITHI_CLIENTS };
enum { PITHI_SLOT_BYTES = 32 }; /* bytes of each client's data */

struct pithi_handle {
    uint64_t key;                       /* the value of the handle */
    struct pithi_handle *next;          /* next in the bucket, or in the list of freed entries */
    MPI_Comm handle;                    /* the communicator; MPI_COMM_NULL: the entry is of a window or a file */
    int rank, size;                     /* rank: this process's rank; size: number of members */
    int remote_size;                    /* number of members of the remote group; 0: an intracommunicator */
    int is_world_like;                  /* 1: each rank is equal to its world rank, so world_ranks is NULL */
    int32_t *world_ranks;               /* [size], then [remote_size]; NULL when is_world_like */
    struct pithi_neighbours neighbours; /* valid if knows_neighbours */
    int knows_neighbours;               /* 1: `neighbours` is valid; atomic */
    uint32_t users[PITHI_CLIENTS];      /* number of references of each client; atomic */
    uint8_t clients;                    /* a bit for each client whose slot is in use; atomic */
    uint8_t is_freed;                   /* 1: a wrapped call has freed the handle */
    uint64_t slots[PITHI_CLIENTS][PITHI_SLOT_BYTES / 8]; /* zero at first */
};

struct pithi_handle_client {
    /* Called right after the call that freed the handle, compensation's callback first. NULL: nothing to do. */
    void (*freed)(struct pithi_handle *handle);
    /* Called before the entry's memory is freed, when the handle was freed and no client holds the entry. */
    void (*ended)(struct pithi_handle *handle);
};

/* Call it in MPI_Init, before any other function. `world`: MPI_COMM_WORLD. `recorded`: MPI_GROUP_NULL if all processes
 * have this library; else the group of those that have it, and world ranks are ranks in this group. If the program uses
 * only sessions, call it for the first session, with MPI_COMM_NULL as `world` and the group of all processes as
 * `recorded`. */
void pithi_handles_begin(MPI_Comm world, MPI_Group recorded);
/* Call it at the end of the job. From then on, no handle is entered and no communicator is found. */
void pithi_handles_end(void);
/* Registers a client's callbacks; the struct must stay valid. */
void pithi_handle_register(enum pithi_client client, const struct pithi_handle_client *functions);

/* Keys of handles. Handles of different kinds may have the same bits, so the low bits of a key give the kind. */
static inline uint64_t pithi_comm_key(MPI_Comm handle) { return (uint64_t)(uintptr_t)handle << 2; }
static inline uint64_t pithi_window_key(MPI_Win handle) { return (uint64_t)(uintptr_t)handle << 2 | 1; }
static inline uint64_t pithi_file_key(MPI_File handle) { return (uint64_t)(uintptr_t)handle << 2 | 2; }

/* Returns the entry of a communicator, and makes one if there is none yet. Returns NULL if MPI is not initialized, if
 * `comm` is MPI_COMM_NULL, or if there is no memory. Usually fast, because each thread caches some recent
 * communicators. */
struct pithi_handle *pithi_handle_of_comm(MPI_Comm comm);
/* Returns the entry with this key, if the slot of this client is in use; else NULL. */
struct pithi_handle *pithi_handle_find(uint64_t key, enum pithi_client client);
/* Returns the entry with this key; NULL if there is none. */
struct pithi_handle *pithi_handle_get(uint64_t key);
/* The entry of MPI_COMM_WORLD. In a program that uses only sessions, its `handle` is MPI_COMM_NULL. */
extern struct pithi_handle pithi_handle_world __attribute__((visibility("hidden")));

/* pithi_handle_slot returns the client's slot; pithi_handle_has returns 1 if the slot is in use. */
static inline void *pithi_handle_slot(const struct pithi_handle *handle, enum pithi_client client)
{
    return (void *)(uintptr_t)handle->slots[client];
}
static inline int pithi_handle_has(const struct pithi_handle *handle, enum pithi_client client)
{
    return __atomic_load_n(&handle->clients, __ATOMIC_ACQUIRE) >> client & 1;
}
/* Marks the client's slot as used. The client must have filled the slot before. */
static inline void pithi_handle_use(struct pithi_handle *handle, enum pithi_client client)
{
    __atomic_fetch_or(&handle->clients, (uint8_t)(1u << client), __ATOMIC_ACQ_REL);
}

/* Adds `step` (1 or -1) to the number of references that the client has to the entry, such as those of open requests.
 * Does nothing if `handle` is NULL. */
static inline void pithi_handle_hold(struct pithi_handle *handle, enum pithi_client client, int step)
{
    if (handle && pithi_many_threads)
        __atomic_add_fetch(&handle->users[client], (uint32_t)step, __ATOMIC_ACQ_REL);
    else if (handle)
        handle->users[client] += (uint32_t)step;
}
/* Returns 1 if the client has a reference to the entry. */
static inline int pithi_handle_is_held(const struct pithi_handle *handle, enum pithi_client client)
{
    return __atomic_load_n(&handle->users[client], __ATOMIC_ACQUIRE) != 0;
}
/* Frees the entries whose handle was freed and that no client holds. Each call that frees a handle does this, too. */
void pithi_handles_sweep(void);

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Returns the world rank of the peer `rank`; in an intercommunicator, peers are in the remote group. Returns a negative
 * number if `rank` is MPI_PROC_NULL or out of range, or the peer is outside this job. */
static inline int pithi_handle_peer(const struct pithi_handle *handle, int rank)
{
    int count = handle->remote_size ? handle->remote_size : handle->size;

    if (rank < 0 || rank >= count)
        return -1;
    return handle->is_world_like ? rank : handle->world_ranks[(handle->remote_size ? handle->size : 0) + rank];
}
/* Returns the world ranks of the *size members of a group, malloc'ed; a member outside this job has -1. Returns NULL if
 * there is no memory. */
int *pithi_group_world_ranks(MPI_Group group, int *size);
/* Returns this process's world rank. */
int pithi_world_rank(void);
/* Returns 1 if all members of the communicator have a world rank. The result is the same in all processes. */
int pithi_comm_is_ours(MPI_Comm comm);
/* Sets rank, size and remote_size of *handle to those of the communicator. Returns 0 on an error. */
int pithi_comm_sizes(MPI_Comm comm, struct pithi_handle *handle);
/* Returns the neighbours in the communicator's topology; all fields are 0 if it has no topology. */
struct pithi_neighbours pithi_handle_neighbours(struct pithi_handle *handle);

/* ---- for handle.w ----------------------------------------------------------------------------------------------- */

/* Enter a new communicator, or a new window or file on a communicator; do nothing for MPI_COMM_NULL or the key 0.
 * Remove an old entry of the same handle, which was freed by a call that has no wrapper. */
void pithi_handle_comm_made(MPI_Comm made);
void pithi_handle_made_on(uint64_t key, MPI_Comm comm);
/* Call free_begin before a call that frees the handle, and free_end after it. free_end gets the entry that free_begin
 * returned, because MPI has cleared the program's handle by then. */
struct pithi_handle *pithi_handle_free_begin(uint64_t key);
void pithi_handle_free_end(int result, struct pithi_handle *handle);

#endif
