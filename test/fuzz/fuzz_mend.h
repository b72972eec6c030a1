/* fuzz_mend.h - CRCs would stop nearly all that a fuzzer makes up of a native log, so they are put right first, as a
 * hostile writer would. */
#ifndef PITH_FUZZ_MEND_H
#define PITH_FUZZ_MEND_H

#include <string.h>

#include "base/bytes.h"
#include "base/zip.h"
#include "native/layout.h"
#include "native/segment.h"

static inline void mend_table(unsigned char *payload, uint64_t size)
{
    for (uint64_t at = 32; at + PITHI_RANK_ENTRY_SIZE <= size; at += PITHI_RANK_ENTRY_SIZE)
        pithi_put32(payload + at + PITHI_RANK_ENTRY_SIZE - 4, pithi_crc(payload + at, PITHI_RANK_ENTRY_SIZE - 4));
}

static inline void mend_index(unsigned char *payload, uint64_t size)
{
    uint64_t front = size >= PITHI_INDEX_HEAD ? pithi_get64(payload + 16) : 0;
    if (front < PITHI_INDEX_HEAD || front > size)
        return;
    pithi_put32(payload + front - 4, pithi_crc(payload, front - 4));
    for (uint64_t at = front; at + PITHI_INDEX_BLOCK <= size; at += PITHI_INDEX_BLOCK)
        pithi_put32(payload + at + 36, pithi_crc(payload + at, 36));
}

static inline void mend(unsigned char *data, size_t size)
{
    pithi_put32(data + 60, pithi_crc(data, 60));
    if (size >= 64 + PITHI_FOOTER_SIZE)
        pithi_put32(data + size - 4, pithi_crc(data + size - PITHI_FOOTER_SIZE, 124));
    for (size_t at = 64; at + PITHI_CHUNK_HEAD <= size;) {
        unsigned char *head = data + at;
        uint64_t payload = pithi_get64(head + 8), left = size - at - PITHI_CHUNK_HEAD;
        if (pithi_get32(head) != PITHI_CHUNK_MAGIC_LE || payload > left) {
            at += 8;
            continue;
        }
        int own = pithi_get16(head + 6) & PITHI_CHUNK_OWN_CRC;
        if (pithi_get16(head + 4) == PITHI_C_TABLE)
            mend_table(head + PITHI_CHUNK_HEAD, payload);
        if (pithi_get16(head + 4) == PITHI_C_INDEX)
            mend_index(head + PITHI_CHUNK_HEAD, payload);
        pithi_put32(head + 20, own ? 0 : pithi_crc(head + PITHI_CHUNK_HEAD, payload));
        pithi_put32(head + 28, pithi_crc(head, 28));
        at += PITHI_CHUNK_HEAD + (payload + 7) / 8 * 8;
    }
}

#endif
