/* bytes.h - little-endian numbers, varints and a growing buffer, for the native format.
 *
 * A varint is a number in 1 to 10 bytes. Each byte has 7 bits of the number, the lowest bits first. The top bit is set
 * in all bytes but the last. A signed number becomes an unsigned one by zigzag first (0 -1 1 -2 ... become 0 1 2 3
 * ...). The functions that get numbers never read at or after `end`.
 */
#ifndef PITHI_BYTES_H
#define PITHI_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PITHI_VARINT_MAX 10u /* bytes of the longest varint: 64 bits, 7 in each byte */

static inline void pithi_put16(unsigned char *p, uint16_t v)
{
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
}

static inline void pithi_put32(unsigned char *p, uint32_t v)
{
    pithi_put16(p, (uint16_t)v);
    pithi_put16(p + 2, (uint16_t)(v >> 16));
}

static inline void pithi_put64(unsigned char *p, uint64_t v)
{
    pithi_put32(p, (uint32_t)v);
    pithi_put32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t pithi_get16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }

static inline uint32_t pithi_get32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Reads a big-endian number of 32 bits. The numbers in an event's payload are big-endian. */
static inline uint32_t pithi_get_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Read and write a big-endian number of `size` bytes. pithi_put_be returns the address after the number. */
static inline uint64_t pithi_get_be(const unsigned char *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v = v << 8 | p[i];
    return v;
}

static inline unsigned char *pithi_put_be(unsigned char *p, uint64_t v, size_t size)
{
    for (size_t i = size; i-- > 0; v >>= 8)
        p[i] = (unsigned char)v;
    return p + size;
}

static inline uint64_t pithi_get64(const unsigned char *p)
{
    return (uint64_t)pithi_get32(p) | (uint64_t)pithi_get32(p + 4) << 32;
}

static inline uint64_t pithi_zigzag(int64_t v) { return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0); }

static inline int64_t pithi_unzigzag(uint64_t v) { return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0)); }

static inline unsigned char *pithi_put_varint(unsigned char *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    *p++ = (unsigned char)v;
    return p;
}

/* Reads a varint into *v. Returns the address after the varint, or NULL if the varint does not end before `end` or has
 * more than 64 bits. */
static inline const unsigned char *pithi_get_varint(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
    if (p < end && *p < 0x80) {
        *v = *p;
        return p + 1;
    }
    uint64_t sum = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        uint64_t bits = *p & 0x7f;
        if (shift == 63 && bits > 1)
            return NULL;
        sum |= bits << shift;
        if (!(*p++ & 0x80)) {
            *v = sum;
            return p;
        }
    }
    return NULL;
}

/* A growing buffer. A struct of zeros is an empty buffer. Its owner calls free(data) at the end. */
struct pithi_buffer {
    unsigned char *data; /* malloc'ed */
    size_t size, room;
};

/* Makes room for `more` bytes at data + size. Returns 1, or 0 if there is no memory. */
static inline int pithi_buffer_reserve(struct pithi_buffer *b, size_t more)
{
    if (more <= b->room - b->size)
        return 1;
    if (more > SIZE_MAX / 2 - b->size)
        return 0;
    size_t room = b->room ? b->room : 256;
    while (room - b->size < more)
        room *= 2;
    unsigned char *data = realloc(b->data, room);
    if (!data)
        return 0;
    b->data = data;
    b->room = room;
    return 1;
}

static inline int pithi_buffer_add(struct pithi_buffer *b, const void *data, size_t size)
{
    if (!pithi_buffer_reserve(b, size))
        return 0;
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    return 1;
}

static inline int pithi_buffer_varint(struct pithi_buffer *b, uint64_t v)
{
    if (!pithi_buffer_reserve(b, PITHI_VARINT_MAX))
        return 0;
    b->size = (size_t)(pithi_put_varint(b->data + b->size, v) - b->data);
    return 1;
}

static inline int pithi_buffer_string(struct pithi_buffer *b, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    return pithi_buffer_varint(b, n) && pithi_buffer_add(b, s, n);
}

/* Text within other bytes, without a NUL. */
struct pithi_slice {
    const char *text; /* not NUL-terminated; not owned */
    size_t size;
};

static inline struct pithi_slice pithi_slice(const char *s)
{
    return (struct pithi_slice){s ? s : "", s ? strlen(s) : 0};
}

/* Gets a string written by pithi_buffer_string, without a copy. Returns the address after the string, or NULL if the
 * string does not end before `end` or contains a NUL. */
static inline const unsigned char *pithi_get_slice(const unsigned char *p, const unsigned char *end,
                                                   struct pithi_slice *text)
{
    uint64_t n;
    if (!(p = pithi_get_varint(p, end, &n)) || n > (uint64_t)(end - p) || memchr(p, 0, n))
        return NULL;
    *text = (struct pithi_slice){(const char *)p, n};
    return p + n;
}

/* Like pithi_get_slice, but sets *s to a malloc'ed, NUL-terminated copy. Also returns NULL if there is no memory. */
static inline const unsigned char *pithi_get_string(const unsigned char *p, const unsigned char *end, char **s)
{
    struct pithi_slice text;
    char *copy;
    if (!(p = pithi_get_slice(p, end, &text)) || !(copy = malloc(text.size + 1)))
        return NULL;
    memcpy(copy, text.text, text.size);
    copy[text.size] = 0;
    *s = copy;
    return p;
}

#endif
