/* file.c - what stands around the segments: file header, DEFS chunk, rank table, footer. Spec: SPEC.md. */
#include "native/bytes.h"
#include "native/chunk.h"
#include "native/segment.h"
#include "native/zip.h"

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
