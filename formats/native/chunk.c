/* chunk.c - reads and makes chunks, and makes the parts of a log around the segments: file header, DEFS chunk, rank
 * table, footer.
 *
 * A chunk is a head of 32 bytes, a payload and zeros up to a multiple of 8. The head has a CRC of itself and one of the
 * payload. So a scan can trust the length in an intact head without reading the payload, and finds the next chunk even
 * if the payload is damaged. A payload of 100 bytes makes a chunk of 32 + 104 = 136. */
#include "native/chunk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file_at.h"
#include "base/zip.h"
#include "native/segment.h"

void pithi_chunk_head_put(unsigned char *p, const struct pithi_chunk_head *head)
{
    pithi_put32(p, PITHI_CHUNK_MAGIC_LE);
    pithi_put16(p + 4, head->type);
    pithi_put16(p + 6, head->flags);
    pithi_put64(p + 8, head->size);
    pithi_put32(p + 16, (uint32_t)head->rank);
    pithi_put32(p + 20, head->crc);
    pithi_put32(p + 24, 0);
    pithi_put32(p + 28, pithi_crc(p, 28));
}

int pithi_chunk_head_get(const unsigned char *data, uint64_t size, uint64_t offset, struct pithi_chunk_head *head)
{
    if (offset % 8 != 0 || offset > size || size - offset < PITHI_CHUNK_HEAD)
        return 0;
    const unsigned char *p = data + offset;
    if (pithi_get32(p) != PITHI_CHUNK_MAGIC_LE || pithi_get32(p + 28) != pithi_crc(p, 28))
        return 0;
    head->type = pithi_get16(p + 4);
    head->flags = pithi_get16(p + 6);
    head->size = pithi_get64(p + 8);
    head->rank = (int32_t)pithi_get32(p + 16);
    head->crc = pithi_get32(p + 20);
    /* Where addresses have 32 bits, a payload must also fit in memory; hence the second limit. */
    return head->size <= size - offset - PITHI_CHUNK_HEAD && head->size <= SIZE_MAX / 2;
}

const char *pithi_chunk_read(int fd, uint64_t size, uint64_t offset, struct pithi_chunk_head *head,
                             struct pithi_buffer *payload, int *no_memory)
{
    unsigned char start[PITHI_CHUNK_HEAD];
    *no_memory = 0;
    payload->size = 0;
    if (offset % 8 != 0 || offset > size || size - offset < sizeof start ||
        pithi_read_at(fd, start, sizeof start, offset) < sizeof start ||
        !pithi_chunk_head_get(start, size - offset, 0, head))
        return "its header is not there";
    if (!pithi_buffer_reserve(payload, (size_t)head->size + 1)) {
        *no_memory = 1;
        return "there is no memory to read it";
    }
    if (pithi_read_at(fd, payload->data, head->size, offset + sizeof start) < head->size)
        return "the file was cut short since it was opened";
    payload->size = (size_t)head->size;
    return pithi_crc(payload->data, payload->size) == head->crc ? NULL : "its CRC differs";
}

unsigned char *pithi_chunk_make(uint16_t type, int32_t rank, const void *payload, size_t size, size_t *chunk_size)
{
    size_t total = PITHI_CHUNK_HEAD + (size_t)pithi_pad8(size);
    unsigned char *chunk = calloc(1, total);
    if (!chunk)
        return NULL;
    struct pithi_chunk_head head = {.type = type, .size = size, .rank = rank, .crc = pithi_crc(payload, size)};
    pithi_chunk_head_put(chunk, &head);
    if (size)
        memcpy(chunk + PITHI_CHUNK_HEAD, payload, size);
    *chunk_size = total;
    return chunk;
}

/* ---- Around the segments (segment.h) ----------------------------------------------------------------------------- */

void pithi_file_header(unsigned char h[PITHI_HEADER_SIZE], const struct pithi_volume *volume)
{
    memset(h, 0, PITHI_HEADER_SIZE);
    memcpy(h, PITHI_FILE_MAGIC, 8);
    pithi_put32(h + 8, PITHI_VERSION);
    pithi_put32(h + 12, PITHI_HEADER_SIZE);
    if (volume) {
        pithi_put32(h + 16, volume->number);
        pithi_put32(h + 20, volume->count);
        pithi_put64(h + 24, volume->id);
    }
    pithi_put32(h + 60, pithi_crc(h, 60));
}

int pithi_defs_chunk(const struct pithi_defs *defs, void **chunk, size_t *size)
{
    void *payload;
    size_t payload_size;
    int err = pithi_defs_pack(defs, &payload, &payload_size);
    if (err != PITH_OK)
        return err;
    *chunk = pithi_chunk_make(PITHI_C_DEFS, 0, payload, payload_size, size);
    free(payload);
    return *chunk ? PITH_OK : PITH_ERR_MEMORY;
}

uint64_t pithi_rank_table_size(uint32_t ranks) { return pithi_rank_entry_offset(ranks); }

uint64_t pithi_rank_entry_offset(uint32_t index) { return PITHI_TABLE_HEAD + (uint64_t)index * PITHI_RANK_ENTRY_SIZE; }

void pithi_rank_table_head(uint32_t ranks, unsigned char *head, size_t *size)
{
    struct pithi_chunk_head chunk = {
        .type = PITHI_C_TABLE, .flags = PITHI_CHUNK_OWN_CRC, .size = pithi_rank_table_size(ranks) - PITHI_CHUNK_HEAD};
    memset(head, 0, PITHI_TABLE_HEAD);
    pithi_chunk_head_put(head, &chunk);
    pithi_put32(head + PITHI_CHUNK_HEAD, ranks);
    *size = PITHI_TABLE_HEAD;
}

void pithi_file_footer(uint64_t defs_offset, uint64_t table_offset, uint32_t ranks, const struct pithi_totals *t,
                       unsigned char f[PITHI_FOOTER_SIZE])
{
    memset(f, 0, PITHI_FOOTER_SIZE);
    memcpy(f, PITHI_FOOTER_MAGIC, 8);
    pithi_put32(f + 8, PITHI_VERSION);
    pithi_put32(f + 12, ranks);
    pithi_put64(f + 16, defs_offset);
    pithi_put64(f + 24, table_offset);
    pithi_put64(f + 32, t->records);
    pithi_put64(f + 40, t->states);
    pithi_put64(f + 48, t->events);
    pithi_put64(f + 56, t->messages);
    pithi_put64(f + 64, t->lost);
    pithi_put64(f + 72, t->lanes);
    pithi_put64(f + 80, (uint64_t)t->start_ns);
    pithi_put64(f + 88, (uint64_t)t->end_ns);
    pithi_put32(f + 124, pithi_crc(f, 124));
}
