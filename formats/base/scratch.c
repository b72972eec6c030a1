/* scratch.c - takes memory in parts that double. A part in a file is first filled with zeros by write(). This detects a
 * full disk, on which a later use of the part would raise SIGBUS. It is also faster than posix_fallocate, because the
 * kernel keeps what one write() writes in a large page. After posix_fallocate the kernel makes small pages: 200 MB in
 * small pages took twice as long to fill for the first time, and four times as long later. */
#include "base/scratch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map.h"
#include "base/temporary.h"

/* IN_MEMORY: bytes that are kept in memory before files are used. FIRST, LARGEST: bytes of the first and of the largest
 * part. */
enum { IN_MEMORY = 8 << 20, FIRST = 64 << 10, LARGEST = 8 << 20 };
/* For pithi_scratch_of_lanes. MOST, MOST_OF_LANE: bytes that may stay in memory, and further bytes for each lane.
 * GROWING_BITS: log2 of the most items in the chunks that all lanes fill at the same time. LOOK: bytes passed (that is,
 * read in sequence) between two calls of pithi_scratch_look. FAR_APART: the places read lie far apart if the bytes that
 * came into memory are more than FAR_APART times the bytes passed. FAR_TIMES: the limit of memory is doubled only if
 * pithi_scratch_look finds the places far apart this many times in a row. LOOK is small, because FAR_APART times as
 * many bytes may come into memory between two looks: with a LOOK of 2 MiB, 64 lanes exceeded the limit by 15 MiB, and
 * 65,536 lanes by 70 MiB. */
enum { MOST = 44 << 20, MOST_OF_LANE = 2 << 10, GROWING_BITS = 20, LOOK = 256 << 10, FAR_APART = 32, FAR_TIMES = 16 };

/* What several scratch memories share. The limit of resident memory is one for the process, so all threads of an
 * analysis share one count of it, and release pages together. They also share the count of bytes that are not in files,
 * because each pass and each thread has a scratch memory of its own. */
struct pithi_scratch_pool {
    pthread_mutex_t lock;
    uint32_t users;
    size_t in_memory;                 /* bytes of parts that are not in files */
    size_t most;                      /* bytes of files that may stay in memory */
    size_t progress;                  /* bytes passed since pages were released */
    unsigned far_apart;               /* how often in a row the places read lay far apart when pages were released */
    int statm;                        /* /proc/self/statm; -1: cannot be read */
    struct pithi_scratch_part *parts; /* of all users of the pool, the parts that are in files */
    uint32_t count, room;
};

/* Fills a file with zeros, 64 KB at a time. Returns 0 if the disk is full. The kernel keeps the bytes of one write() in
 * one large page, which is mapped as a whole, so a write must not be too large: an analysis of 1e8 records on 64 lanes
 * took 109 MiB of memory with writes of 256 KB, and 62 MiB with 64 KB. */
static int fill(int fd, size_t bytes)
{
    static char zeros[64 << 10];

    for (ssize_t done; bytes > 0; bytes -= (size_t)done)
        if ((done = write(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros)) <= 0)
            return 0;
    return 1;
}

/* Returns 1 if a part of `bytes` bytes may be in memory without a file, and counts these bytes. */
static int may_be_in_memory(struct pithi_scratch *s, size_t bytes)
{
    size_t *in_memory = s->pool ? &s->pool->in_memory : &s->in_memory;

    if (s->pool)
        pthread_mutex_lock(&s->pool->lock);
    int may = *in_memory + bytes <= IN_MEMORY;
    *in_memory += may ? bytes : 0;
    if (s->pool)
        pthread_mutex_unlock(&s->pool->lock);
    return may;
}

static char *new_part(struct pithi_scratch *s, size_t bytes, int *is_file)
{
    int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;

    if (!may_be_in_memory(s, bytes)) {
        if ((fd = pithi_temporary_file()) < 0)
            return NULL;
        flags = MAP_SHARED;
    }
    char *memory = fd >= 0 && !fill(fd, bytes) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (fd >= 0)
        close(fd);
    *is_file = fd >= 0;
    return memory == MAP_FAILED ? NULL : memory;
}

static int join_pool(struct pithi_scratch_pool *pool, struct pithi_scratch_part part)
{
    pthread_mutex_lock(&pool->lock);
    int good = pithi_grow(&pool->parts, pool->count, &pool->room, sizeof *pool->parts) != 0;
    if (good)
        pool->parts[pool->count++] = part;
    pthread_mutex_unlock(&pool->lock);
    return good;
}

void *pithi_scratch_get(struct pithi_scratch *s, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (s->count == 0 || s->parts[s->count - 1].bytes - s->used < bytes) {
        struct pithi_scratch_part part = {.bytes = s->count == 0 ? FIRST : s->parts[s->count - 1].bytes * 2};
        part.bytes = part.bytes > LARGEST ? LARGEST : part.bytes;
        part.bytes = part.bytes < bytes ? (bytes + 4095) & ~(size_t)4095 : part.bytes;
        if (!pithi_grow(&s->parts, s->count, &s->room, sizeof *s->parts) ||
            !(part.memory = new_part(s, part.bytes, &part.is_file)))
            return NULL;
        if (part.is_file && s->pool && !join_pool(s->pool, part)) {
            munmap(part.memory, part.bytes);
            return NULL;
        }
        s->parts[s->count++] = part;
        s->used = 0;
    }
    char *got = s->parts[s->count - 1].memory + s->used;
    s->used += bytes;
    pithi_scratch_passed(s, bytes);
    return got;
}

/* If there is no memory for a pool, the new scratch memory has no pool; it then releases pages more often than it must.
 */
struct pithi_scratch pithi_scratch_of_lanes(uint32_t lanes)
{
    struct pithi_scratch s = {
        .look = LOOK, .chunk_bits = PITHI_CHUNK_BITS, .pool = calloc(1, sizeof(struct pithi_scratch_pool))};

    if (s.pool) {
        pthread_mutex_init(&s.pool->lock, NULL);
        s.pool->users = 1;
        s.pool->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
        s.pool->most = MOST + (size_t)lanes * MOST_OF_LANE;
    }
    while (s.chunk_bits > PITHI_CHUNK_FIRST_BITS && lanes >> (GROWING_BITS - s.chunk_bits))
        s.chunk_bits--;
    return s;
}

struct pithi_scratch pithi_scratch_beside(const struct pithi_scratch *other)
{
    struct pithi_scratch s = {.look = other->look, .chunk_bits = other->chunk_bits, .pool = other->pool};

    if (s.pool) {
        pthread_mutex_lock(&s.pool->lock);
        s.pool->users++;
        pthread_mutex_unlock(&s.pool->lock);
    }
    return s;
}

static void let_go(const struct pithi_scratch_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].is_file)
            madvise(parts[i].memory, parts[i].bytes, MADV_DONTNEED); /* the file keeps the contents */
}

/* Releases pages if too much is in memory. If much more comes into memory than is reported as passed, the places that
 * are read lie far apart, and released pages would soon be read again. If this is seen FAR_TIMES times in a row, the
 * limit of memory is doubled, because reading again costs more than the memory is worth. (Without the doubling, a
 * search for causes that goes far back made 1.5e6 page faults instead of 1e5, and took three times as long. FAR_TIMES
 * is not smaller, because a search for causes in 65,536 lanes read far apart only seven times, and twice as much memory
 * gained nothing.) */
void pithi_scratch_look(struct pithi_scratch *s)
{
    struct pithi_scratch_pool *pool = s->pool;
    size_t passed = s->passed;

    s->passed = 0;
    if (!pool) {
        let_go(s->parts, s->count);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->progress += passed;
    /* Reads how many bytes of files the process has in memory. */
    char text[128];
    ssize_t size = pool->statm >= 0 ? pread(pool->statm, text, sizeof text - 1, 0) : 0;
    unsigned long long in_memory;

    text[size > 0 ? size : 0] = '\0';
    size_t here = sscanf(text, "%*u %*u %llu", &in_memory) == 1 ? (size_t)in_memory * (size_t)sysconf(_SC_PAGESIZE) : 0;
    if ((here ? here : pool->progress) > pool->most) {
        pool->far_apart = pool->progress < pool->most / FAR_APART ? pool->far_apart + 1 : 0;
        if (pool->far_apart == FAR_TIMES) {
            pool->most *= 2;
            pool->far_apart = 0;
        }
        pool->progress = 0;
        let_go(pool->parts, pool->count);
    }
    pthread_mutex_unlock(&pool->lock);
}

void pithi_scratch_free(struct pithi_scratch *s)
{
    if (s->pool) {
        struct pithi_scratch_pool *pool = s->pool;

        pthread_mutex_lock(&pool->lock);
        for (uint32_t i = 0; i < s->count; i++) {
            pool->in_memory -= s->parts[i].is_file ? 0 : s->parts[i].bytes;
            for (uint32_t k = 0; s->parts[i].is_file && k < pool->count; k++)
                if (pool->parts[k].memory == s->parts[i].memory) {
                    pool->parts[k] = pool->parts[--pool->count];
                    break;
                }
        }
        int is_last = --pool->users == 0;
        pthread_mutex_unlock(&pool->lock);
        if (is_last) {
            pthread_mutex_destroy(&pool->lock);
            if (pool->statm >= 0)
                close(pool->statm);
            free(pool->parts);
            free(pool);
        }
    }
    for (uint32_t i = 0; i < s->count; i++)
        munmap(s->parts[i].memory, s->parts[i].bytes);
    free(s->parts);
    *s = (struct pithi_scratch){0};
}

static void *get_near(struct pithi_scratch *s, struct pithi_near *near, size_t bytes)
{
    if (bytes >= PITHI_NEAR_BYTES)
        return pithi_scratch_get(s, bytes);
    if (near->left < bytes) {
        if (!(near->next = pithi_scratch_get(s, PITHI_NEAR_BYTES)))
            return NULL;
        near->left = PITHI_NEAR_BYTES;
    }
    near->left -= bytes;
    near->next += bytes;
    return near->next - bytes;
}

void *pithi_chunks_add(struct pithi_chunks *a, struct pithi_scratch *scratch, size_t size)
{
    return pithi_chunks_add_near(a, scratch, NULL, size);
}

void *pithi_chunks_add_near(struct pithi_chunks *a, struct pithi_scratch *scratch, struct pithi_near *near, size_t size)
{
    if (a->count > UINT32_MAX - PITHI_CHUNK_FIRST)
        return NULL;
    if (a->count == a->item_room) {
        if (!a->count)
            a->bits = scratch->chunk_bits ? scratch->chunk_bits : PITHI_CHUNK_BITS;
        uint32_t items = a->count < PITHI_CHUNK_FIRST ? PITHI_CHUNK_FIRST
                         : a->count >> a->bits        ? 1u << a->bits
                                                      : a->count;
        if (!pithi_grow_one(&a->chunks, a->chunk_count, sizeof *a->chunks) ||
            !(a->chunks[a->chunk_count] = near && items >> a->bits ? get_near(scratch, near, items * size)
                                                                   : pithi_scratch_get(scratch, items * size)))
            return NULL;
        a->chunk_count++;
        a->item_room += items;
    }
    return pithi_chunks_at(a, a->count++, size);
}

void pithi_chunks_free(struct pithi_chunks *a)
{
    free(a->chunks);
    *a = (struct pithi_chunks){0};
}
