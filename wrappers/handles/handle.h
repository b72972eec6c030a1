/* handle.h - the communicators, windows and files of this process: their members, and each client's data.
 *
 * A library has one table of them. An entry has the members' ranks, and a slot of memory for each client: the library
 * itself (the log, the time library, the checks), and compensation. handle.w makes an entry when a call makes a handle,
 * and removes it when a call frees the handle. A communicator without an entry (MPI_Comm_idup, MPIX_...) is entered at
 * its first use. An entry is valid until the program has freed the handle and no client holds the entry.
 *
 * Threads: all functions may be called at once. Entries never move.
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
    MPI_Comm handle;                    /* MPI_COMM_NULL: a window or a file, with its communicator's members */
    int rank, size;                     /* rank: this process's; size: number of members */
    int remote_size;                    /* members of the remote group; 0: an intracommunicator */
    int is_world_like;                  /* 1: rank i is world rank i, so there is no list */
    int32_t *world_ranks;               /* [size], then [remote_size]; NULL when is_world_like */
    struct pithi_neighbours neighbours; /* valid if knows_neighbours */
    int knows_neighbours;               /* 1: `neighbours` is valid; atomic */
    uint32_t users[PITHI_CLIENTS];      /* number of references of each client; atomic */
    uint8_t clients;                    /* a bit for each client whose slot is in use; atomic */
    uint8_t is_freed;                   /* 1: a wrapped call has freed the handle */
    uint64_t slots[PITHI_CLIENTS][PITHI_SLOT_BYTES / 8]; /* zero at first */
};

struct pithi_handle_client {
    /* Called right after the call that freed the handle, first for compensation; NULL: nothing to do. */
    void (*freed)(struct pithi_handle *handle);
    /* Called before the memory of the entry is released: the handle was freed, and no client holds the entry. */
    void (*ended)(struct pithi_handle *handle);
};

/* Call it in MPI_Init, before any other function. `world`: MPI_COMM_WORLD. `recorded`: MPI_GROUP_NULL; or, if only some
 * processes have the library, their group; world ranks then are ranks in that group. In the first session, `world` is
 * MPI_COMM_NULL, and `recorded` has all processes. */
void pithi_handles_begin(MPI_Comm world, MPI_Group recorded);
/* Call it at the end of the job. Later calls enter no handle and find no communicator. */
void pithi_handles_end(void);
/* Registers a client's callbacks; the struct must stay valid. */
void pithi_handle_register(enum pithi_client client, const struct pithi_handle_client *functions);

/* Keys of handles. Handles of different kinds may have the same bits, so the low bits of a key give the kind. */
static inline uint64_t pithi_comm_key(MPI_Comm handle) { return (uint64_t)(uintptr_t)handle << 2; }
static inline uint64_t pithi_window_key(MPI_Win handle) { return (uint64_t)(uintptr_t)handle << 2 | 1; }
static inline uint64_t pithi_file_key(MPI_File handle) { return (uint64_t)(uintptr_t)handle << 2 | 2; }

/* The entry of a communicator; NULL: none (MPI is not initialized, MPI_COMM_NULL, no memory). Enters an unknown
 * communicator. Cost: each thread caches some recent ones. */
struct pithi_handle *pithi_handle_of_comm(MPI_Comm comm);
/* The entry with that key, in which this client's slot is in use; NULL: none. */
struct pithi_handle *pithi_handle_find(uint64_t key, enum pithi_client client);
/* The entry with that key; NULL: none. */
struct pithi_handle *pithi_handle_get(uint64_t key);
/* The entry of MPI_COMM_WORLD. In a program that uses only sessions, its `handle` is MPI_COMM_NULL. */
extern struct pithi_handle pithi_handle_world __attribute__((visibility("hidden")));

/* The client's slot; and 1 if the client uses it. */
static inline void *pithi_handle_slot(const struct pithi_handle *handle, enum pithi_client client)
{
    return (void *)(uintptr_t)handle->slots[client];
}
static inline int pithi_handle_has(const struct pithi_handle *handle, enum pithi_client client)
{
    return __atomic_load_n(&handle->clients, __ATOMIC_ACQUIRE) >> client & 1;
}
/* Marks the client's slot as used. The client must have filled it before. */
static inline void pithi_handle_use(struct pithi_handle *handle, enum pithi_client client)
{
    __atomic_fetch_or(&handle->clients, (uint8_t)(1u << client), __ATOMIC_ACQ_REL);
}

/* Adds `step`, 1 or -1, to the client's references to the entry, such as those of open requests. NULL: no effect. */
static inline void pithi_handle_hold(struct pithi_handle *handle, enum pithi_client client, int step)
{
    if (handle && pithi_many_threads)
        __atomic_add_fetch(&handle->users[client], (uint32_t)step, __ATOMIC_ACQ_REL);
    else if (handle)
        handle->users[client] += (uint32_t)step;
}
/* 1: the client has a reference to the entry. */
static inline int pithi_handle_is_held(const struct pithi_handle *handle, enum pithi_client client)
{
    return __atomic_load_n(&handle->users[client], __ATOMIC_ACQUIRE) != 0;
}
/* Releases the freed entries that have no users. Each call that frees a handle does this, too. */
void pithi_handles_sweep(void);

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* The world rank of a peer; in an intercommunicator peers are in the remote group. Negative: none (MPI_PROC_NULL, a
 * process outside this job, out of range). */
static inline int pithi_handle_peer(const struct pithi_handle *handle, int rank)
{
    int count = handle->remote_size ? handle->remote_size : handle->size;

    if (rank < 0 || rank >= count)
        return -1;
    return handle->is_world_like ? rank : handle->world_ranks[(handle->remote_size ? handle->size : 0) + rank];
}
/* The world ranks of the *size members of a group, malloc'ed; -1 for a member outside this job. NULL: no memory. */
int *pithi_group_world_ranks(MPI_Group group, int *size);
/* The caller's world rank. */
int pithi_world_rank(void);
/* 1: all members of the communicator have a world rank. All processes get the same answer. */
int pithi_comm_is_ours(MPI_Comm comm);
/* Sets rank, size and remote_size of a communicator. 0: failed. */
int pithi_comm_sizes(MPI_Comm comm, struct pithi_handle *handle);
/* The neighbours in the communicator's topology; all 0 without a topology. */
struct pithi_neighbours pithi_handle_neighbours(struct pithi_handle *handle);

/* ---- for handle.w ----------------------------------------------------------------------------------------------- */

/* Enter a new communicator (MPI_COMM_NULL: no effect), or a new window or file (key 0: no effect) on a communicator. An
 * old entry of the same handle is removed; a call without a wrapper has freed that. */
void pithi_handle_comm_made(MPI_Comm made);
void pithi_handle_made_on(uint64_t key, MPI_Comm comm);
/* Call these before and after a call that frees the handle. Afterwards MPI has cleared the program's handle. */
struct pithi_handle *pithi_handle_free_begin(uint64_t key);
void pithi_handle_free_end(int result, struct pithi_handle *handle);

#endif
