/* crc.c - long data is folded onto 16 bytes by carry-less multiplication. (V. Gopal and others, "Fast CRC computation
 * for generic polynomials using PCLMULQDQ instruction", Intel 2009.)
 *
 * A CRC is the remainder of the data, taken as a polynomial, by P. Bits far ahead may be replaced by what they are
 * modulo P: 64 bits standing D bits ahead of a place, times (x^D mod P), have the same remainder at that place, where
 * the data is added to them. With 4 x 16 bytes under way D is 512, then 128 to bring the four together; each 16 bytes
 * are two halves with a factor each (D + 32 and D - 32, as the bits are in reflected order). */
#include "native/crc.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define FOLDS __attribute__((target("pclmul,sse2")))

FOLDS static inline __m128i fold(__m128i x, __m128i factors, __m128i onto)
{
    __m128i low = _mm_clmulepi64_si128(x, factors, 0x00), high = _mm_clmulepi64_si128(x, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

FOLDS static inline __m128i load(const unsigned char *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

FOLDS static void fold_all(const unsigned char *data, size_t size, unsigned char folded[16])
{
    const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const unsigned char *end = data + size;
    __m128i x[4];
    for (int k = 0; k < 4; k++)
        x[k] = load(data + 16 * k);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(-1)); /* the inversion at the start */
    for (data += 64; end - data >= 64; data += 64)
        for (int k = 0; k < 4; k++)
            x[k] = fold(x[k], by_512, load(data + 16 * k));
    for (int k = 1; k < 4; k++)
        x[0] = fold(x[0], by_128, x[k]);
    for (; data < end; data += 16)
        x[0] = fold(x[0], by_128, load(data));
    _mm_storeu_si128((__m128i *)(void *)folded, x[0]);
}

int pithi_crc_fold(const unsigned char *data, size_t size, unsigned char folded[16])
{
    if (!__builtin_cpu_supports("pclmul"))
        return 0;
    fold_all(data, size, folded);
    return 1;
}
#else
int pithi_crc_fold(const unsigned char *data, size_t size, unsigned char folded[16])
{
    (void)data, (void)size, (void)folded;
    return 0;
}
#endif
