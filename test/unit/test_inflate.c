/* test_inflate.c - the inflate of pages (formats/wasm/inflate.c) against zlib: what zlib packs, whole, cut, damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/zip.h"
#include "common/quick_or_full.h"
#include "tap.h"
#include "wasm/inflate.c"

enum { MOST = 300000 };

static unsigned char plain[MOST], packed[MOST + 4000], unpacked[MOST], pieces[MOST];
static uint64_t seed = 1;

static uint32_t chance(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % below;
}

/* Bytes in runs, in repeated pieces, even or in a slope: every kind of block and code. */
static size_t make_plain(void)
{
    size_t size = chance(4) ? chance(3000) : chance(MOST), at = 0;
    uint32_t letters = 1 + chance(256);

    while (at < size) {
        size_t length = 1 + chance(600);
        uint32_t kind = chance(4);
        unsigned char byte = (unsigned char)chance(letters);
        for (; length > 0 && at < size; length--, at++)
            plain[at] = kind == 0    ? byte
                        : kind == 1  ? (unsigned char)chance(letters)
                        : kind == 2  ? (unsigned char)(chance(letters) & chance(256))
                        : at > 40000 ? plain[at - 30000 - byte]
                                     : (unsigned char)(at * 7);
    }
    return size;
}

static size_t piece_size;
static int keep_piece(void *context, const unsigned char *data, size_t size)
{
    (void)context;
    memcpy(pieces + piece_size, data, size);
    piece_size += size;
    return 1;
}

/* As pithi_zip_unpack. */
static int unpack(const unsigned char *data, size_t size, size_t out_size)
{
    struct pithi_inflate z = {.in = data, .in_size = size, .out = unpacked, .room = out_size};
    return pithi_inflate(&z) == PITHI_INFLATE_END && z.in_used == size && z.out_size == out_size;
}

int main(void)
{
    static const enum pithi_zip_strategy strategies[] = {PITHI_ZIP_DEFAULT, PITHI_ZIP_HUFFMAN_ONLY, PITHI_ZIP_FIXED};
    uint32_t rounds = quick_or_full(600, 6000), wrong = 0, wrong_pieces = 0, differ = 0, accepted = 0, cut = 0;
    unsigned char *window = malloc(65536);

    for (uint32_t round = 0; round < rounds; round++) {
        struct pithi_zip zip = {.strategy = strategies[round % 3]}, other = {0};
        size_t size = make_plain(), got = round % 7 == 6 ? pithi_zip_pack_runs(&zip, plain, size, packed, sizeof packed)
                                                         : pithi_zip_pack(&zip, plain, size, packed, sizeof packed);
        wrong += !unpack(packed, got, size) || memcmp(unpacked, plain, size) != 0;

        struct pithi_inflate z = {.in = packed, .in_size = got, .out = window, .room = 65536, .full = keep_piece};
        piece_size = 0;
        int whole = pithi_inflate(&z) == PITHI_INFLATE_END;
        keep_piece(NULL, window, z.out_size);
        wrong_pieces += !whole || piece_size != size || memcmp(pieces, plain, size) != 0;

        z = (struct pithi_inflate){
            .in = packed, .in_size = got ? chance((uint32_t)got) : 0, .out = unpacked, .room = MOST};
        cut += pithi_inflate(&z) != PITHI_INFLATE_CUT;

        for (int i = 0; i < 10 && got > 0; i++) {
            size_t at = chance((uint32_t)(got < 200 || chance(2) ? got : 200));
            unsigned char was = packed[at];
            packed[at] ^= (unsigned char)(1 << chance(8));
            static unsigned char by_zlib[MOST];
            int is_good = pithi_zip_unpack(&other, packed, got, by_zlib, size);
            accepted += (uint32_t)is_good;
            differ += unpack(packed, got, size) != is_good || (is_good && memcmp(by_zlib, unpacked, size) != 0);
            packed[at] = was;
        }
        pithi_zip_free(&zip);
        pithi_zip_free(&other);
    }
    OK(wrong == 0, "what zlib packs is unpacked");
    OK(wrong_pieces == 0, "in pieces, too");
    OK(cut == 0, "a cut input is said to be cut");
    OK(differ == 0, "damaged input: refused, or unpacked as by zlib");
    OK(accepted > 0, "some damages unpack");
    free(window);
    return tap_done();
}
