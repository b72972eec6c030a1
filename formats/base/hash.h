/* hash.h - hashes of bytes, texts and numbers. Start with PITHI_HASH, or with another number to get another hash.
 * Files contain values of pithi_hash_bytes and pithi_hash_text (keys of communicators), so these must not change. */
#ifndef PITHI_HASH_H
#define PITHI_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PITHI_HASH UINT64_C(0xcbf29ce484222325)

/* FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo). */
static inline uint64_t pithi_hash_byte(uint64_t hash, uint32_t byte) { return (hash ^ byte) * UINT64_C(0x100000001b3); }

static inline uint64_t pithi_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = pithi_hash_byte(hash, bytes[i]);
    return hash;
}

static inline uint64_t pithi_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = pithi_hash_byte(hash, (unsigned char)*text);
    return hash;
}

/* Adds a number: multiplies by 2^64 / the golden ratio (D. Knuth, The Art of Computer Programming 3, 6.4). Use the
 * high bits of the result. */
static inline uint64_t pithi_hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Like pithi_hash_number, for callers that use the low bits of the result. */
static inline uint64_t pithi_hash_mix(uint64_t hash, uint64_t number)
{
    hash = pithi_hash_number(hash, number);
    return hash ^ hash >> 29;
}

#endif
