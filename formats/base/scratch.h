/* scratch.h - memory for results that grow with a log: small amounts in memory, more in a mapped temporary file, which
 * the kernel may write out. Freed as a whole. */
#ifndef PITHI_SCRATCH_H
#define PITHI_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct pithi_scratch {
    struct pithi_scratch_part {
        char *memory;
        size_t bytes;
        int is_file;
    } * parts;
    uint32_t count, room;
    size_t used, in_memory; /* used: of the last part */
    size_t passed;          /* since the last rest */
};

/* Zeroed memory, aligned to 16 bytes. NULL: no memory, or no place for a temporary file. */
void *pithi_scratch_get(struct pithi_scratch *scratch, size_t bytes);
/* Lets the kernel take the pages in memory; they are read back from the file when they are next used. */
void pithi_scratch_rest(struct pithi_scratch *scratch);
/* Says that a loop goes on by `bytes`. Rests after PITHI_SCRATCH_REST of them, as each rest costs page faults. */
enum { PITHI_SCRATCH_REST = 32 << 20 };
static inline void pithi_scratch_passed(struct pithi_scratch *scratch, size_t bytes)
{
    if ((scratch->passed += bytes) > PITHI_SCRATCH_REST)
        pithi_scratch_rest(scratch);
}
void pithi_scratch_free(struct pithi_scratch *scratch);

/* An array in scratch memory that grows without moving its items. All zero: empty. */
enum { PITHI_CHUNK_BITS = 9, PITHI_CHUNK = 1 << PITHI_CHUNK_BITS }; /* items */
struct pithi_chunks {
    char **chunks;
    uint32_t chunk_count, chunk_room, count;
};

/* Adds an item of `size` bytes; NULL: no memory, or 2^32 - 1 items. */
void *pithi_chunks_add(struct pithi_chunks *array, struct pithi_scratch *scratch, size_t size);
static inline void *pithi_chunks_at(const struct pithi_chunks *array, uint32_t index, size_t size)
{
    return array->chunks[index >> PITHI_CHUNK_BITS] + (index & (PITHI_CHUNK - 1)) * size;
}
void pithi_chunks_free(struct pithi_chunks *array); /* the items belong to the scratch memory */

#endif
