/* test_wide.c - products of 128 bits on machines whose compiler has no such integer: their low 64 bits, and, where this
 * compiler has one, the whole. */
#ifdef __SIZEOF_INT128__
#undef __SIZEOF_INT128__ /* wide.h now computes as on 32 bits */
#define IS_JUDGED 1
#endif
#include "base/wide.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tap.h"

static uint64_t random_state = 88172645463325252u;

/* Of any length from 1 to 64 bits. */
static uint64_t number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> (random_state * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

int main(void)
{
    uint64_t rest;

    OK(pithi_mul_shift(UINT64_MAX, UINT64_MAX, 63) == UINT64_MAX - 3, "the low 64 bits of a product that is shifted");
    OK(pithi_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX, &rest) == UINT64_MAX && rest == 0, "a product divided");
    OK(pithi_mul_div(7, 10, 4, &rest) == 17 && rest == 2, "what remains");
    OK(pithi_mul_div(UINT64_MAX, 3, 2, &rest) == UINT64_MAX && rest == 1,
       "a quotient of more than 64 bits is the largest");
    int wrong = 0;
    for (int i = 0; i < 1000000; i++) {
        uint64_t a = number(), b = number(), c = number();
        unsigned bits = 1 + (unsigned)(i % 63);
        c += c == 0;
        uint64_t shifted = pithi_mul_shift(a, b, bits), divided = pithi_mul_div(a, b, c, &rest);
        /* The low 64 bits fit, whatever is above. */
        wrong += shifted << bits != a * b >> bits << bits;
        wrong += rest >= c || (divided != UINT64_MAX && divided * c + rest != a * b);
#ifdef IS_JUDGED
        unsigned __int128 product = (unsigned __int128)a * b;
        uint64_t whole = product / c > UINT64_MAX ? UINT64_MAX : (uint64_t)(product / c);
        wrong += shifted != (uint64_t)(product >> bits);
        wrong += divided != whole || rest != (uint64_t)(product % c);
#endif
    }
    OK(wrong == 0, "a million random products: %d wrong", wrong);
    return tap_done();
}
