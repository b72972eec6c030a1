/* scratch.c - takes memory in parts that double. A part in a file is first filled with zeros by write(). This finds a
 * full disk; without it, using the part would raise SIGBUS. It is also faster than posix_fallocate, after which the
 * kernel makes small pages: 200 MB of them took twice as long to fill for the first time, and four times as long
 * later. The kernel keeps what one write() writes in a large page. */
#include "base/scratch.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map.h"
#include "base/temporary.h"

/* bytes: in memory before a file is used; of the first part and of the largest one */
enum { IN_MEMORY = 8 << 20, FIRST = 64 << 10, LARGEST = 8 << 20 };

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
        pithi_scratch_rest(s);
        s->parts[s->count++] = (struct pithi_scratch_part){memory, more, is_file};
        s->used = 0;
    }
    char *got = s->parts[s->count - 1].memory + s->used;
    s->used += bytes;
    return got;
}

void pithi_scratch_rest(struct pithi_scratch *s)
{
    s->passed = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->parts[i].is_file)
            madvise(s->parts[i].memory, s->parts[i].bytes, MADV_DONTNEED); /* keeps the contents of a shared mapping */
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
        uint32_t items = a->count < PITHI_CHUNK_FIRST  ? PITHI_CHUNK_FIRST
                         : a->count < PITHI_CHUNK_MOST ? a->count
                                                       : PITHI_CHUNK_MOST;
        if (!pithi_grow(&a->chunks, a->chunk_count, &a->chunk_room, sizeof *a->chunks) ||
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
