/* request.c - a hash table of entries, which are allocated in blocks. New requests get unused entries in memory order.
 * So if thousands of requests complete in the order of posting, their entries are read in memory order. A mutex
 * protects the table; it costs nothing unless several threads may be in MPI at once.
 *
 * An entry has a slot for each client, so that the log and compensation share one look-up:
 *
 *     MPI_Irecv      the log opens an entry for handle 0x98 (bit 0 set), compensation opens the same one (bit 1 set)
 *     MPI_Wait       each client takes its data and forgets the entry; when both bits are 0, the entry is unused again
 *
 * Entries do not move, because a call has pointers to entries while other threads make requests. */
#include "request.h"

#include "lock.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 2, BLOCK = 256, BUCKETS_FIRST = 256 }; /* BLOCK: entries in a block; BUCKETS_FIRST: buckets at first */

const struct pithi_request_client *pithi_request_clients[CLIENTS];
size_t pithi_request_offsets[CLIENTS];
int pithi_request_client_count;
size_t pithi_request_count;

static size_t entry_bytes = sizeof(struct pithi_request); /* grows with each client, before the first request */
static struct pithi_request *unused, *first_buckets[BUCKETS_FIRST], **buckets = first_buckets;
static size_t bucket_count = BUCKETS_FIRST; /* a power of two */
/* made: how many entries all blocks have; unused_count: how many are in `unused`; reserved: how many of those in
 * `unused` are reserved */
static uint32_t made, unused_count, reserved;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int pithi_request_register(const struct pithi_request_client *client)
{
    int number = pithi_request_client_count++;

    pithi_request_clients[number] = client;
    pithi_request_offsets[number] = (entry_bytes - sizeof(struct pithi_request)) / sizeof(uint64_t);
    entry_bytes += (client->size_bytes + 7) / 8 * 8;
    return number;
}

static struct pithi_request **bucket_of(uint64_t key)
{
    return &buckets[(size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (bucket_count - 1)];
}

/* Adds a block of entries to `unused`, so that the first entry of the block is taken first. Returns 0 if there is no
 * memory. */
static int make_block(void)
{
    char *block = malloc(BLOCK * entry_bytes);

    if (!block)
        return 0;
    for (uint32_t i = BLOCK; i-- > 0;) {
        struct pithi_request *entry = (struct pithi_request *)(void *)(block + i * entry_bytes);
        entry->number = made + i;
        entry->next = unused;
        unused = entry;
    }
    made += BLOCK;
    unused_count += BLOCK;
    if (made > bucket_count) {
        /* Doubles the number of buckets. If there is no memory, the chains become longer instead. */
        struct pithi_request **before = buckets, **wider = calloc(2 * bucket_count, sizeof *wider);
        size_t count = bucket_count;

        if (wider) {
            buckets = wider;
            bucket_count *= 2;
            for (size_t i = 0; i < count; i++)
                for (struct pithi_request *moved = before[i], *next; moved; moved = next) {
                    struct pithi_request **bucket = bucket_of(moved->key);
                    next = moved->next;
                    moved->next = *bucket;
                    *bucket = moved;
                }
            if (before != first_buckets)
                free(before);
        }
    }
    return 1;
}

static void set_count(size_t count) { __atomic_store_n(&pithi_request_count, count, __ATOMIC_RELEASE); }

/* Moves an entry from the table to `unused`. */
static inline void release(struct pithi_request *entry)
{
    struct pithi_request **at = bucket_of(entry->key);

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    entry->next = unused;
    unused = entry;
    unused_count++;
    set_count(pithi_request_count - 1);
}

/* Returns an entry of the handle that this client does not use yet, or a new entry, and leaves the table locked. If
 * there is no memory, returns NULL and the table is not locked. */
static inline struct pithi_request *open_entry(uint64_t key, int client, int is_reserved)
{
    struct pithi_request *entry, **bucket;
    unsigned bit = 1u << client;

    pithi_lock(&lock);
    bucket = bucket_of(key);
    for (entry = *bucket; entry; entry = entry->next)
        if (entry->key == key && !entry->is_claimed &&
            (!(entry->clients & bit) || pithi_request_clients[client]->reused(pithi_request_data(entry, client))))
            break;
    if (is_reserved)
        reserved--;
    if (entry) {
        entry->clients |= (uint8_t)bit;
        return entry;
    }
    if (__builtin_expect(unused_count <= reserved, 0)) {
        if (!make_block()) {
            pithi_unlock(&lock);
            return NULL;
        }
        bucket = bucket_of(key);
    }
    entry = unused;
    unused = entry->next;
    unused_count--;
    entry->key = key;
    entry->clients = (uint8_t)bit;
    entry->is_claimed = 0;
    entry->next = *bucket;
    *bucket = entry;
    set_count(pithi_request_count + 1);
    return entry;
}

struct pithi_request *pithi_request_open(uint64_t key, int client) { return open_entry(key, client, 0); }
struct pithi_request *pithi_request_open_reserved(uint64_t key, int client) { return open_entry(key, client, 1); }

void pithi_request_close(void) { pithi_unlock(&lock); }

int pithi_request_reserve(void)
{
    pithi_lock(&lock);
    int good = unused_count > reserved || make_block();
    reserved += (uint32_t)good;
    pithi_unlock(&lock);
    return good;
}

void pithi_request_unreserve(void)
{
    pithi_lock(&lock);
    reserved--;
    pithi_unlock(&lock);
}

/* Returns an unclaimed entry with this key that has data of one of these clients; NULL if there is none. */
static inline struct pithi_request *find(uint64_t key, unsigned clients)
{
    struct pithi_request *entry = *bucket_of(key);

    while (entry && (entry->key != key || entry->is_claimed || !(entry->clients & clients)))
        entry = entry->next;
    return entry;
}

struct pithi_request *pithi_request_find(uint64_t key, int client)
{
    pithi_lock(&lock);
    struct pithi_request *entry = find(key, 1u << client);
    pithi_unlock(&lock);
    return entry;
}

struct pithi_request *pithi_request_claim(uint64_t key, unsigned clients)
{
    pithi_lock(&lock);
    struct pithi_request *entry = find(key, clients);
    if (entry)
        entry->is_claimed = 1;
    pithi_unlock(&lock);
    return entry;
}

struct pithi_request *pithi_request_claim_any(unsigned clients)
{
    struct pithi_request *entry = NULL;

    pithi_lock(&lock);
    for (size_t i = 0; i < bucket_count && !entry; i++)
        for (entry = buckets[i]; entry && (entry->is_claimed || !(entry->clients & clients));)
            entry = entry->next;
    if (entry)
        entry->is_claimed = 1;
    pithi_unlock(&lock);
    return entry;
}

void pithi_request_unclaim(struct pithi_request *entry)
{
    pithi_lock(&lock);
    entry->is_claimed = 0;
    if (!entry->clients)
        release(entry);
    pithi_unlock(&lock);
}

void pithi_request_forget(struct pithi_request *entry, int client)
{
    pithi_lock(&lock);
    entry->clients &= (uint8_t) ~(1u << client);
    entry->is_claimed = 0;
    if (!entry->clients)
        release(entry);
    pithi_unlock(&lock);
}
