/* memory_record.c - remembers the blocks that were recorded, and records their events and the counter of the resident
 * size (memory.h).
 *
 * The recorder itself maps memory while it records, through the wrapped calls. pithi_also_wanted excludes these calls
 * by their caller, and `busy` prevents a call from being recorded while this thread records another call.
 *
 * Allocators call mmap and munmap while they hold their locks. A call of the program's allocator from here would wait
 * for these locks forever, so there is none.
 */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "handles/event_payload.h"
#include "pith_tool.h"

size_t pithi_memory_least = SIZE_MAX;
size_t pithi_memory_count;

static const char group[] = "memory";
static __thread int busy __attribute__((tls_model("initial-exec"))); /* 1: this thread is in a function of this file */

/* ---- The blocks -------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the table of blocks */

/* A hash table of the blocks, at most half full. It is in a mapping of its own, and is only accessed under the lock. */
static struct block {
    uintptr_t address; /* 0: the entry is unused */
    size_t bytes;      /* 0: the block was freed; copy_blocks drops the entry */
} * blocks;
static size_t block_room, block_used; /* block_room: a power of two */

/* Returns the entry of an address, or the unused entry where this address would go. */
static struct block *block_at(uintptr_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20);

    while (blocks[at & (block_room - 1)].address && blocks[at & (block_room - 1)].address != address)
        at++;
    return &blocks[at & (block_room - 1)];
}

/* Replaces the table by a copy that has at least four entries for each block. Returns 0 if there is no memory. */
static int copy_blocks(void)
{
    struct block *old = blocks;
    size_t old_room = block_room, room = 1024;
    struct block *made;

    while (room / 4 < pithi_memory_count)
        room *= 2;
    if (!(made = pithi_also_map(-1, room * sizeof *blocks)))
        return 0;
    blocks = made;
    block_room = room;
    block_used = 0;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].bytes) {
            *block_at(old[i].address) = old[i];
            block_used++;
        }
    if (old)
        syscall(SYS_munmap, old, old_room * sizeof *old);
    return 1;
}

static void set_size(const void *block, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (2 * block_used < block_room || copy_blocks()) {
        struct block *entry = block_at((uintptr_t)block);
        block_used += !entry->address;
        entry->address = (uintptr_t)block;
        if (!entry->bytes)
            __atomic_add_fetch(&pithi_memory_count, 1, __ATOMIC_RELAXED);
        entry->bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
}

size_t pithi_memory_take(const void *block)
{
    size_t bytes = 0;

    if (busy || !block || !__atomic_load_n(&pithi_memory_count, __ATOMIC_RELAXED))
        return 0;
    busy = 1; /* a signal handler of this thread must not wait for the lock, which this thread may hold */
    pthread_mutex_lock(&lock);
    struct block *entry = block_room ? block_at((uintptr_t)block) : NULL;
    if (entry && entry->bytes) {
        bytes = entry->bytes;
        entry->bytes = 0;
        __atomic_sub_fetch(&pithi_memory_count, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    busy = 0;
    return bytes;
}

void pithi_memory_keep(const void *block, size_t bytes)
{
    int saved = errno;

    if (!bytes || busy)
        return;
    busy = 1;
    set_size(block, bytes);
    busy = 0;
    errno = saved;
}

/* ---- The resident size ------------------------------------------------------------------------------------------- */

enum { PERIOD_NS = 10000000 }; /* ns between two values of the counter */

static void count_resident(void)
{
    static uint32_t counter; /* atomic */
    static int64_t last;     /* atomic */
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    const char *second;

    if (fd >= 0)
        close(fd);
    text[size < 0 ? 0 : size] = 0;
    second = strchr(text, ' '); /* sizes in pages: virtual, resident, ... */
    int64_t bytes = second ? strtoll(second, NULL, 10) * sysconf(_SC_PAGESIZE) : -1;
    uint32_t id = __atomic_load_n(&counter, __ATOMIC_RELAXED);

    if (bytes < 0 || bytes == __atomic_exchange_n(&last, bytes, __ATOMIC_RELAXED))
        return;
    if (!id) {
        id = pith_counter_define("memory:resident", "bytes");
        __atomic_store_n(&counter, id, __ATOMIC_RELAXED);
    }
    pith_count(id, (double)bytes);
}

/* Called in each call of MPI. Records the resident size once in each PERIOD_NS. */
static void watch(void)
{
    int saved = errno;

    if (busy)
        return;
    /* Only one thread in each period gets past the following tests. */
    static int64_t next_ns; /* atomic */
    int64_t next = __atomic_load_n(&next_ns, __ATOMIC_RELAXED), now;
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    if (now < next ||
        !__atomic_compare_exchange_n(&next_ns, &next, now + PERIOD_NS, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    if (!pithi_also_wanted(NULL))
        return;
    busy = 1;
    int64_t from = pithi_also_now_ns();
    count_resident();
    pith_own_cost((uint64_t)(pithi_also_now_ns() - from));
    busy = 0;
    errno = saved;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

struct block_event {
    const char *name, *colour;
    uint32_t id; /* 0: not yet defined; accessed atomically */
};
static struct block_event alloc_event = {"memory:alloc", "gold", 0}, free_event = {"memory:free", "khaki", 0};

static void record(struct block_event *event, const char *call, const void *block, size_t bytes)
{
    struct pithi_event_payload payload;
    uint32_t id = __atomic_load_n(&event->id, __ATOMIC_RELAXED);

    if (!id) {
        id = pith_event_define_group(event->name, event->colour, "call=%s bytes=%l address=%X", group);
        __atomic_store_n(&event->id, id, __ATOMIC_RELAXED);
    }
    payload.size = 0;
    pithi_event_text(&payload, call);
    pithi_event_number(&payload, (int64_t)bytes, 8);
    pithi_event_number(&payload, (int64_t)(uintptr_t)block, 8);
    pith_event_data(id, payload.bytes, payload.size);
}

void pithi_memory_got_large(const char *call, const void *block, size_t bytes, const void *caller)
{
    int saved = errno;

    if (!block || busy || !pithi_also_wanted(caller))
        return;
    busy = 1;
    int64_t from = pithi_also_now_ns();
    set_size(block, bytes);
    record(&alloc_event, call, block, bytes);
    pith_own_cost((uint64_t)(pithi_also_now_ns() - from));
    busy = 0;
    watch();
    errno = saved;
}

void pithi_memory_freed(const char *call, const void *block, size_t bytes, const void *caller)
{
    int saved = errno;

    if (!bytes || !pithi_also_wanted(caller))
        return;
    busy = 1;
    int64_t from = pithi_also_now_ns();
    record(&free_event, call, block, bytes);
    pith_own_cost((uint64_t)(pithi_also_now_ns() - from));
    busy = 0;
    errno = saved;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

/* Switches recording off in a forked child, and also the look-up of blocks, because a thread that the child does not
 * have may hold the lock forever. */
static void in_child(void)
{
    pithi_memory_least = SIZE_MAX;
    pithi_memory_count = 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *least = secure_getenv("PITH_MEMORY_MIN");
    long long bytes = least && *least ? atoll(least) : 1 << 20;

    pthread_atfork(NULL, NULL, in_child);
    pith_watch_calls(watch);
    pithi_memory_least = bytes > 0 ? (size_t)bytes : 1;
}
