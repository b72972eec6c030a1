/* clog_blocks.h - the walk over the blocks of a CLOG or CLOG-2 file: positions, cuts, damage, times.
 *
 * All blocks have the same size. A block has adjacent records, then a record that ends the block (the last block: a
 * record that ends the log), then unused bytes. The readers of the two formats interpret the records. */
#ifndef PITHI_CLOG_BLOCKS_H
#define PITHI_CLOG_BLOCKS_H

#include "foreign/reading.h"

struct pithi_clog_blocks {
    const struct pithi_input *input; /* mapped */
    size_t begin, end;               /* begin: offset of the first block; end: offset after the last block, as far as
                                        known */
    size_t size;                     /* bytes of a block */
};

/* The position of a walk and its findings. All zero at the start. */
struct pithi_clog_cursor {
    size_t block, at;    /* offset of the block, and of the next record */
    size_t passed;       /* end of the memory released so far (pithi_passed in foreign/reading.h) */
    double shift_s;      /* seconds, added to the times of records */
    int ended;           /* the record that ends the log was found */
    uint64_t damaged;    /* number of blocks not read to their end, and of records with invalid values */
    size_t first_damage; /* offset of the first damage */
    uint64_t records;    /* number of records so far */
};

/* Returns 1 if there is a next record; it begins at *p, and *left bytes of its block remain. Returns 0 if there is
 * none, or if the caller of the reader wants it to stop. */
static inline int pithi_clog_at(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor,
                                const unsigned char **p, size_t *left)
{
    if (!cursor->at)
        cursor->block = cursor->at = blocks->begin;
    if (cursor->at >= blocks->end || !pithi_input_at(blocks->input, cursor->at))
        return 0;
    size_t block_end = cursor->block + blocks->size;
    *p = blocks->input->data + cursor->at;
    *left = (block_end < blocks->end ? block_end : blocks->end) - cursor->at;
    return 1;
}

/* Returns the bytes from the beginning of the current block to the end of all blocks. */
static inline size_t pithi_clog_rest(const struct pithi_clog_blocks *blocks, const struct pithi_clog_cursor *cursor)
{
    return blocks->end - cursor->block;
}

/* Goes past a record of `size` bytes. Returns 1 and sets *time_ns to its time. Returns 0 and counts damage if the time
 * is out of range, or if `is_valid` is 0, that is, another value of the record is out of range. */
int pithi_clog_take(struct pithi_clog_cursor *cursor, size_t size, double time_s, int is_valid, int64_t *time_ns);
void pithi_clog_next_block(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor);
/* Call if there is no complete record here. If `is_cut`, the file was cut here, and the walk ends. Otherwise the block
 * is damaged, and the walk goes on with the next block. */
void pithi_clog_leave_block(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor, int is_cut);
/* Call at the record that ends the log. */
void pithi_clog_end(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor);

#endif
