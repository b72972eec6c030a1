/* chunk.h - the chunk, the frame of all data in a native log: a 32-byte header, then the payload, padded with zeros to
 * a multiple of 8. */
#ifndef PITHI_CHUNK_H
#define PITHI_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "native/layout.h"

struct pithi_chunk_head {
    uint16_t type, flags; /* enum pithi_chunk_type; PITHI_CHUNK_OWN_CRC or 0 */
    uint64_t size;        /* of the payload */
    int32_t rank;         /* -1: of the log as a whole */
    uint32_t crc;         /* of the payload */
};

static inline uint64_t pithi_pad8(uint64_t n) { return (n + 7) & ~UINT64_C(7); }

void pithi_chunk_head_put(unsigned char *p, const struct pithi_chunk_head *head);

/* Reads the header at `offset` of a file. Returns 1; 0 if there is no header or it is damaged, or if its payload would
 * not end within the file or not fit in memory. */
int pithi_chunk_head_get(const unsigned char *data, uint64_t size, uint64_t offset, struct pithi_chunk_head *head);

/* Reads the chunk at `offset` of an open file that had `size` bytes when it was opened, and its payload into `payload`
 * (log_files.h says why files are not mapped). Returns NULL, or a description of the error; *no_memory is 1 if memory
 * is the reason. */
const char *pithi_chunk_read(int fd, uint64_t size, uint64_t offset, struct pithi_chunk_head *head,
                             struct pithi_buffer *payload, int *no_memory);

/* Makes a chunk from a payload, malloc'ed. Returns NULL if there is no memory. */
unsigned char *pithi_chunk_make(uint16_t type, int32_t rank, const void *payload, size_t size, size_t *chunk_size);

#endif
