/* chunk.h - the frame of everything in a native log: a 32-byte header, then the payload, padded with zeros to 8. */
#ifndef PITHI_CHUNK_H
#define PITHI_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "native/bytes.h"
#include "native/layout.h"

struct pithi_chunk_head {
    uint16_t type, flags;
    uint64_t size; /* of the payload */
    int32_t rank;
    uint32_t crc; /* of the payload */
};

static inline uint64_t pithi_pad8(uint64_t n) { return (n + 7) & ~UINT64_C(7); }

void pithi_chunk_head_put(unsigned char *p, const struct pithi_chunk_head *head);

/* Reads the header at `offset` of a file: 1, or 0: none stands there, or it is damaged, or its payload passes the
 * file's end. */
int pithi_chunk_head_get(const unsigned char *data, uint64_t size, uint64_t offset, struct pithi_chunk_head *head);

/* Reads the chunk at `offset` of an open file that had `size` bytes when it was opened; its payload is then what
 * `payload` holds. Not through a mapping: a file that is cut or changed meanwhile is an error here, where there a
 * page gone is a SIGBUS, and bytes checked may be others when used. Returns NULL, or what is wrong; *no_memory: if
 * that it is. */
const char *pithi_chunk_read(int fd, uint64_t size, uint64_t offset, struct pithi_chunk_head *head,
                             struct pithi_buffer *payload, int *no_memory);

/* A whole chunk made of a payload; malloc'ed, NULL: no memory. */
unsigned char *pithi_chunk_make(uint16_t type, int32_t rank, const void *payload, size_t size, size_t *chunk_size);

#endif
