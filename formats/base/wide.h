/* wide.h - products of 64-bit numbers that need 128 bits, also on 32-bit machines, whose compilers have no integer of
 * 128 bits.
 *
 * Without this integer type, a product is computed from four products of 32-bit numbers: (a1 * 2^32 + a0) *
 * (b1 * 2^32 + b0). A division is done bit by bit, as long division on paper is done digit by digit. */
#ifndef PITHI_WIDE_H
#define PITHI_WIDE_H

#include <stdint.h>

#ifdef __SIZEOF_INT128__

/* Returns the low 64 bits of a * b / 2^bits, rounded down; bits: 1 to 63. */
static inline uint64_t pithi_mul_shift(uint64_t a, uint64_t b, unsigned bits)
{
    return (uint64_t)((unsigned __int128)a * b >> bits);
}

/* Returns a * b / c, rounded down, but at most UINT64_MAX. Sets *rest to the remainder, which is below c. c is not 0.
 */
static inline uint64_t pithi_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    unsigned __int128 product = (unsigned __int128)a * b, whole = product / c;
    *rest = (uint64_t)(product % c);
    return whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
}

#else

static inline uint64_t pithi_mul(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return other << 32 | (uint32_t)low;
}

static inline uint64_t pithi_mul_shift(uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t high, low = pithi_mul(a, b, &high);
    return high << (64 - bits) | low >> bits;
}

static inline uint64_t pithi_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    uint64_t high, low = pithi_mul(a, b, &high), whole = 0, left = high % c;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carry = left >> 63;
        left = left << 1 | (low >> bit & 1);
        if (carry || left >= c) {
            left -= c;
            whole |= UINT64_C(1) << bit;
        }
    }
    *rest = left;
    return high >= c ? UINT64_MAX : whole;
}

#endif

#endif
