/* request.h - the open requests of this process, with each client's data.
 *
 * A client (the log, the time library, compensation, the checks) registers once and gets a slot in every request, that
 * is, memory of a size that it chooses. A client uses its slot from pithi_request_open, after the call that made the
 * request, until it forgets the request, usually when the request is complete (completion.h). A request is in the table
 * while at least one client uses its slot.
 *
 * MPI libraries give the same handle to several sends that are complete as soon as they begin. So the table may have
 * several entries for one handle; each entry stands for one of these requests.
 *
 * Several threads may call these functions at the same time. An entry and its data never move. A call that may complete
 * a request claims the request's entry. If another thread then makes a request with the same handle, the new request
 * gets an entry of its own.
 */
#ifndef PITHI_REQUEST_H
#define PITHI_REQUEST_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct pithi_completion;

struct pithi_request {
    uint64_t key;               /* the key of the request or of the matched message */
    struct pithi_request *next; /* next in the bucket of the table, or in the list of unused entries */
    uint32_t number;            /* unique among the open requests */
    uint8_t clients;            /* a bit for each client whose slot is in use */
    uint8_t is_claimed;         /* 1: claimed by a call that may complete it */
    uint64_t data[];            /* one slot for each client */
};

struct pithi_request_client {
    size_t size_bytes; /* size of the client's slot */
    /* Called right before and right after a call that completes requests for which this client has data; NULL: nothing
     * to do. After the call, the last registered client is called first. */
    void (*before)(struct pithi_completion *completion);
    void (*completed)(struct pithi_completion *completion);
    /* Called, with the table locked, if a new request of this client has the same handle as an old request. `data`: the
     * client's slot of the old request. Returns 1 if the old request has ended without a wrapped call; the client has
     * then released its data. Returns 0 if both requests are open. */
    int (*reused)(void *data);
};

/* Registers a client; call it in MPI_Init, before the first request. The struct must stay valid. Returns the client's
 * number. */
int pithi_request_register(const struct pithi_request_client *client);

/* For each client, the index in `data` of struct pithi_request at which its slot begins. */
extern size_t pithi_request_offsets[] __attribute__((visibility("hidden")));
static inline void *pithi_request_data(struct pithi_request *request, int client)
{
    return request->data + pithi_request_offsets[client];
}

/* Return the key of a handle. Matched messages (MPI_Mprobe) are in the same table, and their handles may have the same
 * bits as handles of requests, so their keys differ in the lowest bit. */
static inline uint64_t pithi_request_key(MPI_Request handle) { return (uint64_t)(uintptr_t)handle << 1; }
static inline uint64_t pithi_message_key(MPI_Message handle) { return (uint64_t)(uintptr_t)handle << 1 | 1; }

/* Opens an entry for a new request, with the client's slot in use. The caller fills in the slot and then calls
 * pithi_request_close; the table is locked in between. Returns NULL if there is no memory, and pithi_request_close must
 * then not be called. Costs one look-up, however many requests are open. */
struct pithi_request *pithi_request_open(uint64_t key, int client);
void pithi_request_close(void);
/* Reserves an entry, so that pithi_request_open_reserved cannot fail. Returns 0 if there is no memory. unreserve gives
 * up a reservation. */
int pithi_request_reserve(void);
void pithi_request_unreserve(void);
struct pithi_request *pithi_request_open_reserved(uint64_t key, int client);

/* Returns an unclaimed entry with this key whose slot this client uses; NULL if there is none. */
struct pithi_request *pithi_request_find(uint64_t key, int client);
/* Releases the client's slot and the caller's claim, and removes the entry if no client uses it any more. Do not call
 * it for a completed request that pithi_completion_next returned; call pithi_completion_forget. */
void pithi_request_forget(struct pithi_request *request, int client);
/* pithi_request_any returns 1 if the table is not empty. */
extern size_t pithi_request_count __attribute__((visibility("hidden"))); /* atomic */
static inline int pithi_request_any(void)
{
    return __builtin_expect(__atomic_load_n(&pithi_request_count, __ATOMIC_ACQUIRE) != 0, 0);
}

/* Claims an entry with this key whose slot one of these clients uses (`clients` has a bit for each), and returns it;
 * NULL if there is none. */
struct pithi_request *pithi_request_claim(uint64_t key, unsigned clients);
/* Like pithi_request_claim, for any handle. Searches the whole table. */
struct pithi_request *pithi_request_claim_any(unsigned clients);
/* Ends the claim, and removes the entry if no client uses it any more. */
void pithi_request_unclaim(struct pithi_request *request);

/* The registered clients, in the order of their numbers; for completion.c. */
extern const struct pithi_request_client *pithi_request_clients[] __attribute__((visibility("hidden")));
extern int pithi_request_client_count __attribute__((visibility("hidden")));

#endif
