/* zip.c - deflate and CRC-32 by zlib. It writes raw deflate without zlib's wrapper, because each chunk of a log has a
 * CRC of its own.
 *
 * Packers and unpackers are kept and reset instead of made anew, because a new packer takes 268 kB of memory, which
 * must be cleared.
 */
#include "base/zip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file_at.h"
#include "base/input.h"
#include "base/temporary.h"

/* The functions below fold long data into 16 bytes with the same CRC by carry-less multiplication. (V. Gopal and
 * others, "Fast CRC computation for generic polynomials using PCLMULQDQ instruction", Intel 2009.)
 *
 * A CRC is the remainder of the data, as a polynomial, modulo P. If 64 bits are D bits ahead of some place, they can be
 * multiplied by (x^D mod P) and added to the data at that place without changing the remainder. The loop folds four
 * blocks of 16 bytes at the same time, so D is 512; at the end, the four blocks are joined with D = 128. The two halves
 * of a block have different factors (for D + 32 and D - 32, because the bits are in reflected order).
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
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(-1)); /* CRC-32 inverts the first 32 bits of the data */
    for (data += 64; end - data >= 64; data += 64)
        for (int k = 0; k < 4; k++)
            x[k] = fold(x[k], by_512, load(data + 16 * k));
    for (int k = 1; k < 4; k++)
        x[0] = fold(x[0], by_128, x[k]);
    for (; data < end; data += 16)
        x[0] = fold(x[0], by_128, load(data));
    _mm_storeu_si128((__m128i *)(void *)folded, x[0]);
}

/* Folds `size` bytes (a multiple of 16, at least 64) into 16 bytes with the same remainder: the CRC of these 16 bytes,
 * without the initial inversion, is the CRC of `data`. Returns 1, or 0 if the processor lacks the instruction. */
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

static void free_packer(void **place)
{
    if (*place)
        deflateEnd(*place);
    free(*place);
    *place = NULL;
}

void pithi_zip_free(struct pithi_zip *zip)
{
    free_packer(&zip->packer);
    free_packer(&zip->run_packer);
    if (zip->unpacker)
        inflateEnd(zip->unpacker);
    free(zip->unpacker);
    zip->unpacker = NULL;
}

/* Returns the packer at `place`, which it makes at the first use. Returns NULL if there is no memory. */
static z_stream *packer(void **place, int memory_level, int strategy)
{
    if (*place)
        return deflateReset(*place) == Z_OK ? *place : NULL;
    z_stream *z = calloc(1, sizeof *z);
    if (!z || deflateInit2(z, 1, Z_DEFLATED, -15, memory_level, strategy) != Z_OK) {
        free(z);
        return NULL;
    }
    *place = z;
    return z;
}

static size_t pack(z_stream *z, const void *data, size_t size, void *out, size_t room)
{
    if (!z || size > INT_MAX || room > INT_MAX || room == 0)
        return 0;
    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    z->next_out = out;
    z->avail_out = (uInt)room;
    return deflate(z, Z_FINISH) == Z_STREAM_END ? room - z->avail_out : 0;
}

size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room)
{
    return pack(packer(&zip->packer, 8, (int)zip->strategy), data, size, out, room);
}

/* Uses Z_RLE with zlib's smallest table (memory level 1), which takes the least time to clear. Z_RLE needs no large
 * table, because it looks up no earlier bytes. */
size_t pithi_zip_pack_runs(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room)
{
    return pack(packer(&zip->run_packer, 1, Z_RLE), data, size, out, room);
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

int pithi_zip_gunzip(const void *data, size_t size, int fd, struct pithi_watched *watched, uint64_t *out_size,
                     const char **why)
{
    enum { PIECE = 1 << 20 }; /* bytes given to zlib at once */
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data};
    unsigned char *out = malloc(PIECE);
    size_t at = 0;
    int status = Z_OK, err = PITH_OK;
    *out_size = 0;
    *why = NULL;
    if (!out || inflateInit2(&z, 15 + 16) != Z_OK) {
        free(out);
        return pithi_no_memory();
    }
    do {
        size_t in = size - at < PIECE ? size - at : PIECE;
        z.next_in = (Bytef *)(uintptr_t)data + at;
        z.avail_in = (uInt)in;
        z.next_out = out;
        z.avail_out = PIECE;
        status = inflate(&z, Z_NO_FLUSH);
        at += in - z.avail_in;
        size_t got = PIECE - z.avail_out;
        if (pithi_write_at(fd, out, got, *out_size) != got)
            err = pithi_temporary_failed("written");
        *out_size += got;
        if (status == Z_STREAM_END && pithi_zip_is_gzip((const unsigned char *)data + at, size - at))
            status = inflateReset(&z); /* begins the next member; as in gzip, other bytes after a member are padding */
        else if (status == Z_BUF_ERROR || (status == Z_OK && at == size && got < PIECE))
            *why = "its gzip data ends early";
        else if (status != Z_OK && status != Z_STREAM_END)
            *why = "its gzip data is damaged";
    } while (err == PITH_OK && status == Z_OK && !*why && pithi_watched_at(watched, at, size));
    inflateEnd(&z);
    free(out);
    return err;
}

uint32_t pithi_crc(const void *data, size_t size)
{
    unsigned char folded[16];
    size_t part = size / 16 * 16;
    if (part < 64 || !crc_fold(data, part, folded))
        return (uint32_t)crc32_z(0, data, size);
    uLong crc = crc32_z(UINT32_MAX, folded, sizeof folded); /* UINT32_MAX cancels zlib's own initial inversion */
    return (uint32_t)crc32_z(crc, (const Bytef *)data + part, size - part);
}
