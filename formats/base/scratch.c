/* scratch.c - takes memory in parts that double. A part in a file is first filled with zeros by write(). This finds a
 * full disk; without it, using the part would raise SIGBUS. It is also faster than posix_fallocate, after which the
 * kernel makes small pages: 200 MB of them took twice as long to fill for the first time, and four times as long
 * later. The kernel keeps what one write() writes in a large page. */
#include "base/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map.h"
#include "base/temporary.h"

/* bytes: in memory before a file is used; of the first part and of the largest one */
enum { IN_MEMORY = 8 << 20, FIRST = 64 << 10, LARGEST = 8 << 20 };
/* Of lanes: bytes that may stay in memory, and how many more for each lane; log2 of the items in the chunks that all of
 * them fill at the same time; bytes between two looks; how many times more bytes come into memory than are passed if
 * they lie far apart. */
enum { MOST = 24 << 20, MOST_OF_LANE = 5 << 9, GROWING_BITS = 20, LOOK = 2 << 20, FAR_APART = 32 };

/* A large page is mapped as a whole, so it must not be too large: with 256 KB, an analysis of 1e8 records on 64 lanes
 * took 109 MiB, with 64 KB 62 MiB. 0: the disk is full. */
static int fill(int fd, size_t bytes)
{
    static char zeros[64 << 10];

    for (ssize_t done; bytes > 0; bytes -= (size_t)done)
        if ((done = write(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros)) <= 0)
            return 0;
    return 1;
}

static char *new_part(struct pithi_scratch *s, size_t bytes, int *is_file)
{
    int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;

    if (s->in_memory + bytes > IN_MEMORY) {
        if ((fd = pithi_temporary_file()) < 0)
            return NULL;
        flags = MAP_SHARED;
    }
    char *memory = fd >= 0 && !fill(fd, bytes) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (fd >= 0)
        close(fd);
    else
        s->in_memory += bytes;
    *is_file = fd >= 0;
    return memory == MAP_FAILED ? NULL : memory;
}

void *pithi_scratch_get(struct pithi_scratch *s, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (s->count == 0 || s->parts[s->count - 1].bytes - s->used < bytes) {
        size_t more = s->count == 0 ? FIRST : s->parts[s->count - 1].bytes * 2;
        more = more > LARGEST ? LARGEST : more;
        more = more < bytes ? (bytes + 4095) & ~(size_t)4095 : more;
        if (!pithi_grow(&s->parts, s->count, &s->room, sizeof *s->parts))
            return NULL;
        int is_file;
        char *memory = new_part(s, more, &is_file);
        if (!memory)
            return NULL;
        s->passed += more;
        pithi_scratch_look(s);
        s->parts[s->count++] = (struct pithi_scratch_part){memory, more, is_file};
        s->used = 0;
    }
    char *got = s->parts[s->count - 1].memory + s->used;
    s->used += bytes;
    return got;
}

struct pithi_scratch pithi_scratch_of_lanes(uint32_t lanes)
{
    struct pithi_scratch s = {.look = LOOK, .chunk_bits = PITHI_CHUNK_BITS};

    s.most = MOST + (size_t)lanes * MOST_OF_LANE;
    while (s.chunk_bits > PITHI_CHUNK_FIRST_BITS && lanes >> (GROWING_BITS - s.chunk_bits))
        s.chunk_bits--;
    return s;
}

/* The bytes of files that the process has in memory; 0: not known. */
static size_t resident(void)
{
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128];
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    unsigned long long pages;

    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    return sscanf(text, "%*u %*u %llu", &pages) == 1 ? (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

struct pithi_scratch pithi_scratch_beside(struct pithi_scratch *other)
{
    struct pithi_scratch s = {.look = other->look, .most = other->most, .chunk_bits = other->chunk_bits};

    s.beside = other;
    return s;
}

/* If much more comes into memory than the passes report, they read places that lie far apart. Pages that are let go
 * would be read again soon, which costs more than the memory is worth: then twice as much may stay. (A search for
 * causes that goes far back made 1.5e6 page faults instead of 1e5, and took three times as long.) */
void pithi_scratch_look(struct pithi_scratch *s)
{
    s->progress += s->passed;
    s->passed = 0;
    if (s->most) {
        size_t here = resident();
        if ((here ? here : s->progress) <= s->most)
            return;
        if (s->progress < s->most / FAR_APART)
            s->most *= 2;
    }
    s->progress = 0;
    for (; s; s = s->beside)
        for (uint32_t i = 0; i < s->count; i++)
            if (s->parts[i].is_file)
                madvise(s->parts[i].memory, s->parts[i].bytes, MADV_DONTNEED); /* the file keeps the contents */
}

/* The list of parts is copied, as it moves when `other` gets another part. */
int pithi_scratch_read(struct pithi_scratch *reader, const struct pithi_scratch *other)
{
    *reader = *other;
    reader->passed = reader->progress = 0;
    reader->room = 0;
    if (!(reader->parts = malloc((other->count + (size_t)1) * sizeof *reader->parts)))
        return 0;
    if (other->count)
        memcpy(reader->parts, other->parts, other->count * sizeof *reader->parts);
    return 1;
}

void pithi_scratch_end_read(struct pithi_scratch *reader)
{
    free(reader->parts);
    *reader = (struct pithi_scratch){0};
}

void pithi_scratch_free(struct pithi_scratch *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        munmap(s->parts[i].memory, s->parts[i].bytes);
    free(s->parts);
    *s = (struct pithi_scratch){0};
}

void *pithi_chunks_add(struct pithi_chunks *a, struct pithi_scratch *scratch, size_t size)
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
            !(a->chunks[a->chunk_count] = pithi_scratch_get(scratch, items * size)))
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
