/* zip.c - deflate and CRC-32 by zlib. Raw deflate without zlib's wrapper, because the chunk has a CRC. */
#include "base/zip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* Folds long data into 16 bytes by carry-less multiplication. (V. Gopal and others, "Fast CRC computation for
 * generic polynomials using PCLMULQDQ instruction", Intel 2009.)
 *
 * A CRC is the remainder of the data, as a polynomial, modulo P. 64 bits that are D bits ahead of some place can be
 * multiplied by (x^D mod P) and added to the data at that place: the remainder is the same. Four times 16 bytes are in
 * progress, so D is 512; at the end, D = 128 joins the four. The two halves of 16 bytes have different factors (D + 32
 * and D - 32, because the bits are in reflected order).
 */

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
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(-1)); /* the initial inversion */
    for (data += 64; end - data >= 64; data += 64)
        for (int k = 0; k < 4; k++)
            x[k] = fold(x[k], by_512, load(data + 16 * k));
    for (int k = 1; k < 4; k++)
        x[0] = fold(x[0], by_128, x[k]);
    for (; data < end; data += 16)
        x[0] = fold(x[0], by_128, load(data));
    _mm_storeu_si128((__m128i *)(void *)folded, x[0]);
}

/* Folds `size` bytes (a multiple of 16, at least 64) into 16 bytes with the same remainder: their CRC, without the
 * initial inversion, is that of `data`. 0: this processor cannot. */
static int crc_fold(const unsigned char *data, size_t size, unsigned char folded[16])
{
    if (!__builtin_cpu_supports("pclmul"))
        return 0;
    fold_all(data, size, folded);
    return 1;
}
#else
static int crc_fold(const unsigned char *data, size_t size, unsigned char folded[16])
{
    (void)data, (void)size, (void)folded;
    return 0;
}
#endif

void pithi_zip_free(struct pithi_zip *zip)
{
    if (zip->packer)
        deflateEnd(zip->packer);
    free(zip->packer);
    zip->packer = NULL;
    if (zip->unpacker)
        inflateEnd(zip->unpacker);
    free(zip->unpacker);
    zip->unpacker = NULL;
}

static z_stream *packer(struct pithi_zip *zip)
{
    if (zip->packer)
        return deflateReset(zip->packer) == Z_OK ? zip->packer : NULL;
    z_stream *z = calloc(1, sizeof *z);
    if (!z || deflateInit2(z, 1, Z_DEFLATED, -15, 8, (int)zip->strategy) != Z_OK) {
        free(z);
        return NULL;
    }
    zip->packer = z;
    return z;
}

size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room)
{
    if (size > INT_MAX || room > INT_MAX || room == 0)
        return 0;
    z_stream *z = packer(zip);
    if (!z)
        return 0;
    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    z->next_out = out;
    z->avail_out = (uInt)room;
    return deflate(z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

/* Bits of a deflate stream (RFC 1951), lowest first; up to 7 bits stay in `word`. */
struct bits {
    unsigned char *at;
    unsigned word, used;
};

static void put_bits(struct bits *b, unsigned value, unsigned count)
{
    b->word |= value << b->used;
    for (b->used += count; b->used >= 8; b->used -= 8, b->word >>= 8)
        *b->at++ = (unsigned char)b->word;
}

/* A fixed Huffman code: its highest bit comes first. */
static void put_code(struct bits *b, unsigned code, unsigned count)
{
    for (; count > 0; count--)
        put_bits(b, code >> (count - 1) & 1, 1);
}

static void put_literal(struct bits *b, unsigned char c)
{
    if (c < 144)
        put_code(b, 0x30u + c, 8);
    else
        put_code(b, 0x190u + c - 144, 9);
}

/* A copy of `length` bytes, 3 to 258, from one byte before. */
static void put_copy(struct bits *b, size_t length)
{
    unsigned l = (unsigned)length - 3, extra = l < 8 ? 0 : 29 - (unsigned)__builtin_clz(l);
    unsigned symbol = length == 258 ? 285 : 257 + 4 * extra + (l >> extra);
    if (symbol < 280)
        put_code(b, symbol - 256, 7);
    else
        put_code(b, 0xc0 + symbol - 280, 8);
    if (length < 258)
        put_bits(b, l & ((1u << extra) - 1), extra);
    put_code(b, 0, 5);
}

size_t pithi_zip_same(unsigned char c, size_t size, unsigned char *out, size_t room)
{
    struct bits b = {out, 0, 0};
    if (size == 0 || room < size / 128 + 16) /* a copy has 13 bits, all else less than 16 bytes */
        return 0;
    put_bits(&b, 3, 3); /* the last block, with fixed codes */
    put_literal(&b, c);
    for (size--; size >= 3;) {
        size_t length = size < 258 ? size : 258;
        put_copy(&b, length);
        size -= length;
    }
    while (size-- > 0)
        put_literal(&b, c);
    put_code(&b, 0, 7);
    put_bits(&b, 0, 7); /* to a whole byte */
    return (size_t)(b.at - out);
}

int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size)
{
    if (size > INT_MAX || out_size > INT_MAX)
        return 0;
    z_stream *z = zip->unpacker;
    if (!z) {
        z = calloc(1, sizeof *z);
        if (!z || inflateInit2(z, -15) != Z_OK) {
            free(z);
            return 0;
        }
        zip->unpacker = z;
    } else if (inflateReset(z) != Z_OK) {
        return 0;
    }
    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    z->next_out = out;
    z->avail_out = (uInt)out_size;
    return inflate(z, Z_FINISH) == Z_STREAM_END && z->avail_in == 0 && z->avail_out == 0;
}

uint32_t pithi_crc(const void *data, size_t size)
{
    unsigned char folded[16];
    size_t part = size / 16 * 16;
    if (part < 64 || !crc_fold(data, part, folded))
        return (uint32_t)crc32_z(0, data, size);
    uLong crc = crc32_z(UINT32_MAX, folded, sizeof folded); /* cancels zlib's own inversion */
    return (uint32_t)crc32_z(crc, (const Bytef *)data + part, size - part);
}
