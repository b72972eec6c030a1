/* block_slice.c - a part of a block, copied out of one that was loaded: what is kept of each lane when there are too
 * many for a whole block each. */
#include "native/block.h"

/* Where the columns of the block stand: nothing is ready that was not taken. */
static void get_mark(const struct pithi_block *b, struct pithi_block_mark *mark)
{
    mark->prepared = b->prepared;
    mark->prepared_ns = b->prepared_ns;
    mark->bit = b->bit;
    mark->posted = b->posted;
    mark->why = b->why;
    for (int c = 0; c < PITHI_COL_COUNT; c++)
        mark->at[c] = (uint32_t)(b->column[c].at - b->start[c]);
}

/* 0: the block is not the one of the mark. */
static int go_to_mark(struct pithi_block *b, const struct pithi_block_mark *mark)
{
    int same = mark->prepared <= b->head.count && mark->bit <= b->bit_count && mark->prepared_ns >= b->head.first_ns &&
               mark->prepared_ns <= b->head.last_ns;
    for (int c = 0; c < PITHI_COL_COUNT; c++)
        same &= mark->at[c] <= (size_t)(b->column[c].end - b->start[c]);
    if (!same)
        return 0;
    b->prepared = mark->prepared;
    b->prepared_ns = mark->prepared_ns;
    b->bit = mark->bit;
    b->posted = mark->posted;
    for (int c = 0; c < PITHI_COL_COUNT; c++)
        b->column[c].at = b->start[c] + mark->at[c];
    return 1;
}

/* The bytes of a column from one mark to the other. */
static void column_range(int c, const struct pithi_block_mark *from, const struct pithi_block_mark *to, size_t *at,
                         size_t *size)
{
    size_t end = to->at[c];
    *at = from->at[c];
    if (c == PITHI_COL_WHAT || c == PITHI_COL_TIME) { /* a byte a record */
        *at = from->prepared;
        end = to->prepared;
    } else if (c == PITHI_COL_BITS) {
        *at = (size_t)(from->bit / 8);
        end = (size_t)(to->bit / 8 + (to->bit % 8 != 0));
    } else if (c <= PITHI_COL_DICT) { /* done with */
        end = *at;
    }
    *size = end - *at;
}

static size_t bytes_between(const struct pithi_block_mark *from, const struct pithi_block_mark *to)
{
    size_t sum = 0, at, size;
    for (int c = 0; c < PITHI_COL_COUNT; c++) {
        column_range(c, from, to, &at, &size);
        sum += size;
    }
    return sum;
}

enum { ZEROS = 16 }; /* behind each column, and where those that are not there point to */

/* Memory of just the size that is needed: there are many slices. */
static int get_memory(struct pithi_block *slice, const struct pithi_block *whole, size_t size)
{
    if (size > slice->memory.room) {
        free(slice->memory.data);
        slice->memory.data = malloc(size);
        slice->memory.room = slice->memory.data ? size : 0;
    }
    struct pithi_code_entry *codes = realloc(slice->codes, (whole->dict_count + (size_t)1) * sizeof *codes);
    if (codes)
        slice->codes = codes;
    return slice->memory.data && codes && pithi_block_get_ready(slice);
}

/* Codes beyond those of the slice's table, which ends with the escape, are the escape: others did not come so far. */
static void take_codes(struct pithi_block *slice, const struct pithi_block *whole, unsigned char *what, size_t count)
{
    memcpy(slice->codes, whole->codes, whole->dict_count * sizeof *slice->codes);
    slice->codes[whole->dict_count] = whole->codes[PITHI_CODE_ESCAPE];
    for (size_t i = 0; i < count; i++)
        what[i] = what[i] < whole->dict_count ? what[i] : (unsigned char)whole->dict_count;
    slice->dict_count = whole->dict_count;
    slice->nested = whole->nested;
}

static int copy_columns(struct pithi_block *slice, const struct pithi_block *whole, const struct pithi_block_mark *from,
                        const struct pithi_block_mark *to)
{
    size_t at, size;
    if (!get_memory(slice, whole, bytes_between(from, to) + (PITHI_COL_COUNT + 1) * ZEROS))
        return 0;
    unsigned char *out = slice->memory.data;
    memset(out, 0, ZEROS);
    for (int c = 0; c < PITHI_COL_COUNT; c++) {
        column_range(c, from, to, &at, &size);
        if (size) {
            out += ZEROS;
            memcpy(out, whole->start[c] + at, size);
            memset(out + size, 0, ZEROS);
        }
        slice->start[c] = slice->column[c].at = size ? out : slice->memory.data;
        slice->column[c].end = slice->column[c].at + size;
        out += size;
        if (c == PITHI_COL_WHAT)
            take_codes(slice, whole, out - size, size);
    }
    return 1;
}

int pithi_block_slice(struct pithi_block *whole, struct pithi_block *slice, struct pithi_block_mark *mark, size_t room,
                      uint32_t *left)
{
    struct pithi_block_mark from, to;
    int status = 1;
    *left = 0;
    slice->why = mark->why;
    /* What the slice had open at its end is what was open at the mark. */
    if (!slice->why && mark->prepared > 0 && !(go_to_mark(whole, mark) && pithi_block_copy_open(whole, slice)))
        slice->why = "it changed while it was read";
    if (slice->why)
        return PITH_ERR_DAMAGED;
    if (!pithi_block_copy_open(slice, whole))
        return PITH_ERR_MEMORY;
    get_mark(whole, &from);
    do {
        status = pithi_block_prepare(whole);
        get_mark(whole, &to);
    } while (status == 1 && !whole->why && bytes_between(&from, &to) < room);
    slice->head = whole->head;
    slice->head.count = to.prepared - from.prepared;
    slice->why = slice->head.count == 0 ? whole->why : NULL; /* the good ones before a bad one come first */
    if (slice->why)
        return PITH_ERR_DAMAGED;
    if (!copy_columns(slice, whole, &from, &to))
        return PITH_ERR_MEMORY;
    slice->lane = whole->lane;
    slice->def_count = whole->def_count;
    slice->comms = whole->comms;
    slice->comm_count = whole->comm_count;
    slice->prepared = 0;
    slice->prepared_ns = from.prepared_ns;
    slice->bit = from.bit % 8;
    slice->bit_count = (uint64_t)(slice->column[PITHI_COL_BITS].end - slice->column[PITHI_COL_BITS].at) * 8;
    slice->posted = from.posted;
    slice->next = slice->ready_end = slice->ready;
    *left = whole->head.count - to.prepared;
    *mark = to;
    return PITH_OK;
}
