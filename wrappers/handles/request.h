/* request.h - the open requests of this process, with each client's data.
 *
 * A client (the log, the time library, compensation, the checks) registers once and gets a slot: memory of a chosen
 * size in every request. The slot is in use from pithi_request_open, after the call that made the request, until the
 * client forgets it, usually when the request is complete (completion.h). A request is in the table while at least one
 * client uses its slot.
 *
 * Libraries give one handle to several sends that are complete at once (MPICH to all of them, Open MPI to its empty
 * request). So the table may have several entries for one handle; each stands for one of these requests.
 *
 * Threads: all functions may be called at once. An entry and its data never move. A call that may complete a request
 * claims its entry. If another thread then makes a request with the same handle, that request gets its own entry.
 */
#ifndef PITHI_REQUEST_H
#define PITHI_REQUEST_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct pithi_completion;

struct pithi_request {
    uint64_t key;               /* the key of a request or of a matched message */
    struct pithi_request *next; /* next in the bucket of the table, or in the list of unused entries */
    uint32_t number;            /* unique among the open requests */
    uint8_t clients;            /* a bit for each client whose slot is in use */
    uint8_t is_claimed;         /* 1: claimed by a call that may complete it */
    uint64_t data[];            /* one slot for each client */
};

struct pithi_request_client {
    size_t size_bytes; /* size of the client's slot */
    /* Right before and right after a call that completes requests with data of this client; NULL: nothing to do. After
     * the call, the clients run in reverse order of registration: the last one is nearest to the library's call. */
    void (*before)(struct pithi_completion *completion);
    void (*completed)(struct pithi_completion *completion);
    /* Called if the library reused the handle for a new request of this client, with the table locked. `data`: the slot
     * of the old request. 1: the old request ended unseen, and the client has released its data. 0: both are open. */
    int (*reused)(void *data);
};

/* Registers a client, in MPI_Init, before the first request; the struct must stay valid. Returns the client's
 * number. */
int pithi_request_register(const struct pithi_request_client *client);

/* Places of the clients' slots in struct pithi_request, in words. */
extern size_t pithi_request_offsets[] __attribute__((visibility("hidden")));
static inline void *pithi_request_data(struct pithi_request *request, int client)
{
    return request->data + pithi_request_offsets[client];
}

/* Keys. Matched messages (MPI_Mprobe) use the same table; their handles may have the same bits as handles of
 * requests. */
static inline uint64_t pithi_request_key(MPI_Request handle) { return (uint64_t)(uintptr_t)handle << 1; }
static inline uint64_t pithi_message_key(MPI_Message handle) { return (uint64_t)(uintptr_t)handle << 1 | 1; }

/* Opens an entry for a new request, with the client's slot in use. The caller fills in the slot and then closes the
 * entry; the table is locked in between. NULL: no memory, and nothing to close. Cost: one look-up, independent of the
 * number of open requests. */
struct pithi_request *pithi_request_open(uint64_t key, int client);
void pithi_request_close(void);
/* Reserves an entry, so that pithi_request_open_reserved cannot fail. 0: no memory. unreserve returns a reservation
 * that is not used. */
int pithi_request_reserve(void);
void pithi_request_unreserve(void);
struct pithi_request *pithi_request_open_reserved(uint64_t key, int client);

/* The client's unclaimed entry of a handle; NULL: none. */
struct pithi_request *pithi_request_find(uint64_t key, int client);
/* Releases the client's slot, and the caller's claim; without clients the entry is removed. Not for completed requests,
 * which completion.h releases. */
void pithi_request_forget(struct pithi_request *request, int client);
/* 1: the table is not empty. */
extern size_t pithi_request_count __attribute__((visibility("hidden"))); /* atomic */
static inline int pithi_request_any(void)
{
    return __builtin_expect(__atomic_load_n(&pithi_request_count, __ATOMIC_ACQUIRE) != 0, 0);
}

/* Claims an entry of the handle with data of one of these clients (a bit for each); NULL: none. */
struct pithi_request *pithi_request_claim(uint64_t key, unsigned clients);
/* Like pithi_request_claim, for any handle. Cost: a pass over the whole table. */
struct pithi_request *pithi_request_claim_any(unsigned clients);
/* Ends the claim; removes an entry without clients. */
void pithi_request_unclaim(struct pithi_request *request);

/* For completion.c. */
extern const struct pithi_request_client *pithi_request_clients[] __attribute__((visibility("hidden")));
extern int pithi_request_client_count __attribute__((visibility("hidden")));

#endif
