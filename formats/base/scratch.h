/* scratch.h - memory for results that grow with a log. Small amounts are in memory; larger ones are in mapped temporary
 * files, which the kernel may write to disk. A scratch memory can only be freed as a whole. */
#ifndef PITHI_SCRATCH_H
#define PITHI_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct pithi_scratch {
    struct pithi_scratch_part {
        char *memory; /* mapped */
        size_t bytes;
        int is_file; /* 1: mapped from a temporary file */
    } * parts;
    uint32_t count, room;
    size_t used, in_memory; /* bytes used of the last part; without a pool, bytes of parts that are not in files */
    size_t passed;          /* bytes passed since the last pithi_scratch_look */
    size_t look;            /* pithi_scratch_look is called after this many bytes passed; 0: PITHI_SCRATCH_LOOK */
    uint32_t chunk_bits;    /* log2 of the items in the longest chunks of its arrays; 0: PITHI_CHUNK_BITS */
    struct pithi_scratch_pool *pool; /* shared by scratch memories that release pages together; NULL: not shared */
};

/* Returns `bytes` bytes of zeros, aligned to 16 bytes, or NULL if there is no memory or no place for a temporary file.
 */
void *pithi_scratch_get(struct pithi_scratch *scratch, size_t bytes);
/* If too much is in memory, releases the pages of the whole pool; the kernel reads a page back from its file when it is
 * used again. */
void pithi_scratch_look(struct pithi_scratch *scratch);
/* Reports that a loop has passed `bytes` of scratch memory in sequence. After a jump to another place, `bytes` is
 * PITHI_SCRATCH_JUMP, because the kernel also reads the pages around the place. Calls pithi_scratch_look once more than
 * `look` bytes are passed. */
enum { PITHI_SCRATCH_LOOK = 8 << 20, PITHI_SCRATCH_JUMP = 16 << 10 };
static inline void pithi_scratch_passed(struct pithi_scratch *scratch, size_t bytes)
{
    if ((scratch->passed += bytes) > (scratch->look ? scratch->look : PITHI_SCRATCH_LOOK))
        pithi_scratch_look(scratch);
}
/* Makes scratch memory for the results of `lanes` lanes, with a new pool. The limit of memory grows with the lanes, so
 * that the pages that all lanes use at the same time may stay. */
struct pithi_scratch pithi_scratch_of_lanes(uint32_t lanes);
/* Makes another scratch memory in the pool of `other`, for results that are used together with those in `other`. Each
 * scratch memory is for one thread at a time. A thread that only reads in `other` also needs a scratch memory of its
 * own, to report the bytes that it passes. */
struct pithi_scratch pithi_scratch_beside(const struct pithi_scratch *other);
void pithi_scratch_free(struct pithi_scratch *scratch);

/* An array in scratch memory that grows without moving its items: it consists of chunks, each twice as long as the one
 * before, up to 4096 items. A struct of zeros is empty. As chunks double, a short array takes little memory, and the
 * items of a long array are side by side even if many arrays grow at once. With very many arrays the longest chunks are
 * shorter, so that items that all arrays get at the same time are close together. */
enum { PITHI_CHUNK_FIRST_BITS = 6, PITHI_CHUNK_FIRST = 1 << PITHI_CHUNK_FIRST_BITS, PITHI_CHUNK_BITS = 12 }; /* items */
struct pithi_chunks {
    char **chunks;                                /* [chunk_count]; all chunks together have room for item_room items */
    uint32_t chunk_count, bits, count, item_room; /* bits: log2 of the number of items in the longest chunks */
};

/* Adds an item of `size` bytes and returns it. Returns NULL if there is no memory, or the array has almost 2^32 items.
 */
void *pithi_chunks_add(struct pithi_chunks *array, struct pithi_scratch *scratch, size_t size);
/* A source of chunks for arrays that are read one after another: it keeps the chunks of these arrays side by side,
 * although the arrays grow in any order. A struct of zeros is empty. */
struct pithi_near {
    char *next;  /* the unused rest of the last PITHI_NEAR_BYTES */
    size_t left; /* bytes of this rest */
};
enum { PITHI_NEAR_BYTES = 64 << 10 }; /* the kernel brings this many bytes into memory together */
/* Like pithi_chunks_add, but a chunk of the greatest length comes from `near`, if `near` is not NULL; all other chunks
 * come from `scratch`. */
void *pithi_chunks_add_near(struct pithi_chunks *array, struct pithi_scratch *scratch, struct pithi_near *near,
                            size_t size);
/* A faster pithi_chunks_add_near. `last` is the array's last item, or NULL if the array is empty. */
static inline void *pithi_chunks_add_after(struct pithi_chunks *array, struct pithi_scratch *scratch,
                                           struct pithi_near *near, void *last, size_t size)
{
    if (array->count % PITHI_CHUNK_FIRST == 0)
        return pithi_chunks_add_near(array, scratch, near, size);
    array->count++;
    return (char *)last + size;
}
static inline void *pithi_chunks_at(const struct pithi_chunks *array, uint32_t index, size_t size)
{
    if (index >> array->bits) /* the item is in a full chunk; all shorter chunks together have the items of one */
        return array->chunks[(index >> array->bits) + array->bits - PITHI_CHUNK_FIRST_BITS] +
               (index & ((1u << array->bits) - 1)) * size;
    unsigned log2 = 31 - (unsigned)__builtin_clz(index | (PITHI_CHUNK_FIRST / 2)); /* 5: the first chunk */
    return array->chunks[log2 - 5] + (index - (1u << log2 & ~(PITHI_CHUNK_FIRST - 1u))) * size;
}
/* Return the item after or before the item `of`, which has index `index`. They are faster than pithi_chunks_at, because
 * chunks begin at multiples of PITHI_CHUNK_FIRST, and all other neighbours are side by side. */
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
