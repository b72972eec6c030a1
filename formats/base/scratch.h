/* scratch.h - memory for results that grow with a log: small amounts in memory, more in a mapped temporary file, which
 * the kernel may write out. Freed as a whole. */
#ifndef PITHI_SCRATCH_H
#define PITHI_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct pithi_scratch {
    struct pithi_scratch_part {
        char *memory; /* mapped */
        size_t bytes;
        int is_file;
    } * parts;
    uint32_t count, room;
    size_t used, in_memory; /* used: of the last part */
    size_t passed;          /* since the last rest */
    size_t rest;            /* `passed` at which it rests; 0: PITHI_SCRATCH_REST */
};

/* Zeroed memory, aligned to 16 bytes. NULL: no memory, or no place for a temporary file. */
void *pithi_scratch_get(struct pithi_scratch *scratch, size_t bytes);
/* Lets the kernel take the pages in memory; they are read back from the file when they are next used. */
void pithi_scratch_rest(struct pithi_scratch *scratch);
/* Reports `bytes` of sequential progress, or PITHI_SCRATCH_JUMP for a jump, around which the kernel reads pages. After
 * PITHI_SCRATCH_REST bytes it releases the pages; not more often, as each release costs page faults. */
enum { PITHI_SCRATCH_REST = 8 << 20, PITHI_SCRATCH_JUMP = 16 << 10, PITHI_SCRATCH_ARRAY = 64 << 10 };
static inline void pithi_scratch_passed(struct pithi_scratch *scratch, size_t bytes)
{
    if ((scratch->passed += bytes) > (scratch->rest ? scratch->rest : PITHI_SCRATCH_REST))
        pithi_scratch_rest(scratch);
}
/* For many arrays that are used in turn: it rests when a chunk of each may have been in use. */
static inline struct pithi_scratch pithi_scratch_of_arrays(uint32_t arrays)
{
    size_t rest = (size_t)arrays * PITHI_SCRATCH_ARRAY;
    return (struct pithi_scratch){.rest = rest > PITHI_SCRATCH_REST ? rest : 0};
}
void pithi_scratch_free(struct pithi_scratch *scratch);

/* An array in scratch memory that grows without moving its items. All zero: empty. Chunks double up to 4096 items, so
 * that a short array takes little memory, and the items of a long one are side by side, also if many arrays grow. */
enum { PITHI_CHUNK_FIRST = 64, PITHI_CHUNK_BITS = 12, PITHI_CHUNK_MOST = 1 << PITHI_CHUNK_BITS }; /* items */
struct pithi_chunks {
    char **chunks; /* each of item_room items */
    uint32_t chunk_count, chunk_room, count, item_room;
};

/* Adds an item of `size` bytes; NULL: no memory, or almost 2^32 items. */
void *pithi_chunks_add(struct pithi_chunks *array, struct pithi_scratch *scratch, size_t size);
/* The same, faster: `last` is the last item; NULL: none. */
static inline void *pithi_chunks_add_after(struct pithi_chunks *array, struct pithi_scratch *scratch, void *last,
                                           size_t size)
{
    if (array->count % PITHI_CHUNK_FIRST == 0)
        return pithi_chunks_add(array, scratch, size);
    array->count++;
    return (char *)last + size;
}
static inline void *pithi_chunks_at(const struct pithi_chunks *array, uint32_t index, size_t size)
{
    if (index >= PITHI_CHUNK_MOST) /* after 7 smaller chunks, with as many items as one of this size */
        return array->chunks[(index >> PITHI_CHUNK_BITS) + 6] + (index & (PITHI_CHUNK_MOST - 1)) * size;
    unsigned log2 = 31 - (unsigned)__builtin_clz(index | (PITHI_CHUNK_FIRST / 2)); /* 5: the first chunk */
    return array->chunks[log2 - 5] + (index - (1u << log2 & ~(PITHI_CHUNK_FIRST - 1u))) * size;
}
/* The item after or before the item `of`, which has this index: faster than pithi_chunks_at, as chunks begin at
 * multiples of PITHI_CHUNK_FIRST. */
static inline void *pithi_chunks_next(const struct pithi_chunks *array, const void *of, uint32_t index, size_t size)
{
    return (index + 1) % PITHI_CHUNK_FIRST ? (char *)of + size : pithi_chunks_at(array, index + 1, size);
}
static inline void *pithi_chunks_before(const struct pithi_chunks *array, const void *of, uint32_t index, size_t size)
{
    return index % PITHI_CHUNK_FIRST ? (char *)of - size : pithi_chunks_at(array, index - 1, size);
}
void pithi_chunks_free(struct pithi_chunks *array); /* the items belong to the scratch memory */

#endif
