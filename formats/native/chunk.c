/* chunk.c - the frame of everything in a native log. */
#include "native/chunk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/bytes.h"
#include "native/zip.h"

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
    return head->size <= size - offset - PITHI_CHUNK_HEAD;
}

static int read_all(int fd, uint64_t offset, unsigned char *data, uint64_t size)
{
    while (size > 0) {
        ssize_t got = pread(fd, data, size < 1u << 30 ? (size_t)size : 1u << 30, (off_t)offset);
        if (got <= 0)
            return 0;
        offset += (uint64_t)got;
        data += got;
        size -= (uint64_t)got;
    }
    return 1;
}

const char *pithi_chunk_read(int fd, uint64_t size, uint64_t offset, struct pithi_chunk_head *head,
                             struct pithi_buffer *payload, int *no_memory)
{
    unsigned char start[PITHI_CHUNK_HEAD];
    *no_memory = 0;
    payload->size = 0;
    if (offset % 8 != 0 || offset > size || size - offset < sizeof start ||
        !read_all(fd, offset, start, sizeof start) || !pithi_chunk_head_get(start, size - offset, 0, head))
        return "its header is not there";
    if (!pithi_buffer_reserve(payload, (size_t)head->size + 1)) {
        *no_memory = 1;
        return "there is no memory to read it";
    }
    if (!read_all(fd, offset + sizeof start, payload->data, head->size))
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
