/* block_columns.c - unpacks a block's columns, within the memory that they may have. What they say is not looked at. */
#include "native/block.h"

#include "native/huffman.h"

/* The largest valid size of a column with so many records: it bounds the cost of unpacking. */
static uint64_t column_limit(unsigned type, uint64_t count)
{
    switch (type) {
    case PITHI_COL_OPEN:
        return PITHI_OPEN_MAX * (5 + 2 * (uint64_t)PITHI_VARINT_MAX);
    case PITHI_COL_DICT:
        return PITHI_CODE_ESCAPE * 6;
    case PITHI_COL_WHAT:
    case PITHI_COL_TIME:
        return count;
    case PITHI_COL_PAYLOAD:
        return PITHI_COLUMN_MAX;
    default:
        return count * PITHI_VARINT_MAX;
    }
}

/* One column into b->memory; its place there in *at. */
static int unpack_column(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *entry,
                         const unsigned char *data, uint64_t stored, size_t *at, const char **why)
{
    unsigned coding = pithi_get16(entry + 2);
    uint64_t raw = pithi_get32(entry + 8);
    *why = "a column's size is wrong";
    if (raw > column_limit(pithi_get16(entry), b->head.count) || (coding == PITHI_STORED && raw != stored) ||
        raw > pithi_zip_limit(stored))
        return PITH_ERR_DAMAGED;
    *why = "a column is coded in a way unknown to this version";
    if (coding > PITHI_HUFFMAN)
        return PITH_ERR_UNSUPPORTED;
    if (!pithi_buffer_reserve(&b->memory, (size_t)raw + 16))
        return PITH_ERR_MEMORY;
    *at = b->memory.size;
    unsigned char *out = b->memory.data + b->memory.size;
    *why = "a column does not unpack";
    if (coding == PITHI_STORED)
        memcpy(out, data, (size_t)raw);
    else if (!(coding == PITHI_DEFLATED ? pithi_zip_unpack(zip, data, (size_t)stored, out, (size_t)raw)
                                        : pithi_huffman_unpack(data, (size_t)stored, out, (size_t)raw)))
        return PITH_ERR_DAMAGED;
    memset(out + raw, 0, 16);
    b->memory.size += (size_t)raw + 16;
    return PITH_OK;
}

/* Memory for all columns, unless they would unpack to more than they may. */
static int reserve_columns(struct pithi_block *b, const unsigned char *payload, uint64_t size, const char **why)
{
    uint64_t all = 16;
    for (uint32_t i = 0; i < b->head.columns; i++) {
        const unsigned char *entry = payload + PITHI_EVENTS_HEAD + (uint64_t)i * PITHI_COLUMN_ENTRY;
        if (pithi_get16(entry) > 0 && pithi_get16(entry) < PITHI_COL_COUNT)
            all += pithi_get32(entry + 8) + UINT64_C(16);
    }
    *why = "its columns unpack to more than a block of its size may have";
    if (all > PITHI_BLOCK_UNPACKED + PITHI_UNPACKED_FACTOR * size)
        return PITH_ERR_DAMAGED;
    if (all > b->most) {
        if (b->allowance && all - b->most > *b->allowance)
            return PITH_ERR_MEMORY;
        if (b->allowance)
            *b->allowance -= all - b->most;
        b->most = all;
    }
    return pithi_buffer_reserve(&b->memory, (size_t)all) ? PITH_OK : PITH_ERR_MEMORY;
}

int pithi_block_unpack(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                       const char **why)
{
    size_t from[PITHI_COL_COUNT] = {0}, bytes[PITHI_COL_COUNT] = {0};
    int seen[PITHI_COL_COUNT] = {0};
    uint64_t at = PITHI_EVENTS_HEAD + (uint64_t)b->head.columns * PITHI_COLUMN_ENTRY;
    b->memory.size = 0;
    int err = reserve_columns(b, payload, size, why);
    if (err != PITH_OK)
        return err;
    memset(b->memory.data, 0, 16); /* where columns that are not there point to */
    b->memory.size = 16;
    for (uint32_t i = 0; i < b->head.columns; i++) {
        const unsigned char *entry = payload + PITHI_EVENTS_HEAD + (uint64_t)i * PITHI_COLUMN_ENTRY;
        unsigned type = pithi_get16(entry);
        uint64_t stored = pithi_get32(entry + 4);
        *why = "a column passes the end of its block";
        if (stored > size - at)
            return PITH_ERR_DAMAGED;
        if (type > 0 && type < PITHI_COL_COUNT) { /* others are of a later version: passed over */
            *why = "a column is there twice";
            if (seen[type]++)
                return PITH_ERR_DAMAGED;
            if ((err = unpack_column(b, zip, entry, payload + at, stored, &from[type], why)) != PITH_OK)
                return err;
            bytes[type] = pithi_get32(entry + 8);
        }
        at += stored;
    }
    for (int c = 0; c < PITHI_COL_COUNT; c++) {
        b->column[c].at = b->memory.data + from[c];
        b->column[c].end = b->column[c].at + bytes[c];
    }
    *why = "a column is shorter than its records";
    return b->column[PITHI_COL_WHAT].end - b->column[PITHI_COL_WHAT].at == b->head.count &&
                   b->column[PITHI_COL_TIME].end - b->column[PITHI_COL_TIME].at == b->head.count
               ? PITH_OK
               : PITH_ERR_DAMAGED;
}
