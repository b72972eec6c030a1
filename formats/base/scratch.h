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
    size_t used, in_memory; /* used: of the last part; in_memory: of parts without a file, if it is alone */
    size_t passed;          /* since it last looked how much is in memory */
    size_t look;            /* `passed` at which it looks; 0: PITHI_SCRATCH_LOOK */
    uint32_t chunk_bits;    /* of arrays in it: log2 of the items of their longest chunks; 0: PITHI_CHUNK_BITS */
    struct pithi_scratch_pool *pool; /* those that let their pages go together; NULL: it is alone */
};

/* Zeroed memory, aligned to 16 bytes. NULL: no memory, or no place for a temporary file. */
void *pithi_scratch_get(struct pithi_scratch *scratch, size_t bytes);
/* If too much is in memory, lets the kernel take the pages of the whole pool; they are read back from their files when
 * they are next used. */
void pithi_scratch_look(struct pithi_scratch *scratch);
/* Reports `bytes` of sequential progress, or PITHI_SCRATCH_JUMP for a jump, around which the kernel reads pages. It
 * looks after PITHI_SCRATCH_LOOK bytes. */
enum { PITHI_SCRATCH_LOOK = 8 << 20, PITHI_SCRATCH_JUMP = 16 << 10 };
static inline void pithi_scratch_passed(struct pithi_scratch *scratch, size_t bytes)
{
    if ((scratch->passed += bytes) > (scratch->look ? scratch->look : PITHI_SCRATCH_LOOK))
        pithi_scratch_look(scratch);
}
/* For results of so many lanes: what all lanes use at the same time stays in memory. */
struct pithi_scratch pithi_scratch_of_lanes(uint32_t lanes);
/* One more of the same pool, for results that are used together with those in `other`. Each is for one thread at a
 * time; a thread that only reads in `other` needs one of its own, too, to report what it passes. */
struct pithi_scratch pithi_scratch_beside(const struct pithi_scratch *other);
void pithi_scratch_free(struct pithi_scratch *scratch);

/* An array in scratch memory that grows without moving its items. All zero: empty. Chunks double up to 4096 items, so
 * that a short array takes little memory, and the items of a long one are side by side, also if many arrays grow. If
 * very many do, chunks stay short: then what all of them get at the same time is side by side, too. */
enum { PITHI_CHUNK_FIRST_BITS = 6, PITHI_CHUNK_FIRST = 1 << PITHI_CHUNK_FIRST_BITS, PITHI_CHUNK_BITS = 12 }; /* items */
struct pithi_chunks {
    char **chunks;                                /* each of item_room items */
    uint32_t chunk_count, bits, count, item_room; /* bits: log2 of the items of the longest chunks */
};

/* Adds an item of `size` bytes; NULL: no memory, or almost 2^32 items. */
void *pithi_chunks_add(struct pithi_chunks *array, struct pithi_scratch *scratch, size_t size);
/* Memory for the chunks of arrays that are used one after another: so these lie side by side, although arrays grow in
 * any order. All zero: empty. */
struct pithi_near {
    char *next; /* what is left of the last PITHI_NEAR_BYTES, */
    size_t left;
};
enum { PITHI_NEAR_BYTES = 64 << 10 }; /* which the kernel brings into memory together */
/* The same as pithi_chunks_add; `near` gets the chunks that do not double. NULL: none. */
void *pithi_chunks_add_near(struct pithi_chunks *array, struct pithi_scratch *scratch, struct pithi_near *near,
                            size_t size);
/* The same, faster: `last` is the last item; NULL: none. */
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
    if (index >> array->bits) /* after chunks that double, with as many items as one of this size */
        return array->chunks[(index >> array->bits) + array->bits - PITHI_CHUNK_FIRST_BITS] +
               (index & ((1u << array->bits) - 1)) * size;
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
