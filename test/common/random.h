/* random.h - the random numbers of tests, the same on every machine and in every run (xorshift64). */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

/* The next number of a source; it must not be 0. */
static inline uint64_t random_next(uint64_t *source)
{
    *source ^= *source << 13;
    *source ^= *source >> 7;
    *source ^= *source << 17;
    return *source;
}

static uint64_t random_source = 88172645463325252u;

/* Another sequence for each seed. Seeds that lie together give sequences that have nothing in common. */
static inline void random_seed(uint64_t seed) { random_source = seed * UINT64_C(0x9e3779b97f4a7c15) + 1; }

static inline uint64_t random_u64(void) { return random_next(&random_source); }

/* 0 to n - 1 */
static inline uint32_t random_below(uint32_t n) { return (uint32_t)((random_u64() >> 32) * n >> 32); }

#endif
