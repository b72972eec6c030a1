/* zip_wasm.c - the functions of base/zip.h without zlib. The web page unpacks with pako, a JavaScript library. The
 * browser's own inflate (DecompressionStream) is not used, because it is asynchronous, and the reader needs the bytes
 * at once. Packing always fails; then a writer stores its blocks unpacked, or packs them by its own code. */
#include "base/zip.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_at.h"
#include "base/input.h"
#include "base/temporary.h"
#include "wasm/system.h"

void pithi_zip_free(struct pithi_zip *zip) { (void)zip; }

size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room)
{
    (void)zip, (void)data, (void)size, (void)out, (void)room;
    return 0;
}

size_t pithi_zip_pack_runs(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room)
{
    return pithi_zip_pack(zip, data, size, out, room);
}

/* ---- The page's inflate ------------------------------------------------------------------------------------------ */

/* Errors that page_inflate returns instead of the number of bytes that it has read. */
enum { CUT = -1, BAD = -2 }; /* any other negative number means that the callback stopped the unpacking */

/* A function of the web page. Unpacks raw deflate data into `out`, piece by piece. Calls pithi_system_unpacked after
 * each piece of `room` bytes, and after the last, shorter piece. */
__attribute__((import_module("pith"), import_name("inflate"))) double page_inflate(const void *in, uint32_t size,
                                                                                   void *out, uint32_t room);

static struct {
    int (*take)(void *context, size_t size);
    void *context;
} unpacking;

int pithi_system_unpacked(uint32_t size) { return unpacking.take(unpacking.context, size); }

static double inflate(const void *in, size_t size, void *out, size_t room, int (*take)(void *context, size_t size),
                      void *context)
{
    unpacking.take = take;
    unpacking.context = context;
    return page_inflate(in, (uint32_t)size, out, (uint32_t)room);
}

/* The callback by which pithi_zip_unpack gets the size. All bytes must be in the first piece, so at a second piece it
 * returns 0, which stops the unpacking. */
static int add_size(void *context, size_t size)
{
    size_t *sum = context;

    *sum += size;
    return *sum == size;
}

int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size)
{
    size_t got = 0;

    (void)zip;
    return inflate(data, size, out, out_size, add_size, &got) == (double)size && got == out_size;
}

/* ---- CRC-32 ------------------------------------------------------------------------------------------------------ */

/* Eight tables, for eight bytes at a time: table[k][b] is the CRC of the byte b followed by k bytes of 0. */
static uint32_t table[8][256];

static void make_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        table[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

/* Returns the CRC of some data followed by the bytes of `data`. `before` is the CRC of the data before, or 0 if there
 * are none. */
static uint32_t crc_of(uint32_t before, const void *data, size_t size)
{
    const unsigned char *p = data;
    uint32_t crc = ~before;

    if (!table[0][1])
        make_table();
    for (; size >= 8; size -= 8, p += 8) {
        crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = table[7][crc & 255] ^ table[6][crc >> 8 & 255] ^ table[5][crc >> 16 & 255] ^ table[4][crc >> 24] ^
              table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    }
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

uint32_t pithi_crc(const void *data, size_t size) { return crc_of(0, data, size); }

/* ---- gzip -------------------------------------------------------------------------------------------------------- */

struct unpacked {
    unsigned char *room;
    int fd, err;
    uint64_t size, packed_size;
    size_t packed; /* the offset at which the present member of the gzip file begins */
    uint32_t crc;  /* the CRC of what is unpacked of this member so far */
    struct pithi_watched *watched;
};

static int put(void *context, size_t size)
{
    struct unpacked *to = context;

    if (pithi_write_at(to->fd, to->room, size, to->size) != size)
        to->err = pithi_temporary_failed("written");
    to->size += size;
    to->crc = crc_of(to->crc, to->room, size);
    return !to->err && pithi_watched_at(to->watched, to->packed, to->packed_size);
}

/* Returns the size of the head of a member of a gzip file (RFC 1952), or 0 if the data end within the head. */
static size_t head_size(const unsigned char *data, size_t size)
{
    enum { HEAD_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };
    size_t at = 10;

    if (size < at)
        return 0;
    if (data[3] & EXTRA)
        at += size >= at + 2 ? 2u + data[at] + ((size_t)data[at + 1] << 8) : size;
    for (int text = NAME; text <= COMMENT; text *= 2)
        if (data[3] & text) {
            while (at < size && data[at])
                at++;
            at++;
        }
    at += data[3] & HEAD_CRC ? 2 : 0;
    return at < size ? at : 0;
}

int pithi_zip_gunzip(const void *data, size_t size, int fd, struct pithi_watched *watched, uint64_t *out_size,
                     const char **why)
{
    enum { ROOM = 1 << 20, TAIL = 8 }; /* TAIL: the bytes of the CRC and the size, which end a member */
    struct unpacked to = {.room = malloc(ROOM), .fd = fd, .packed_size = size, .watched = watched};
    const unsigned char *in = data;
    double status = 0;
    size_t at = 0;

    *out_size = 0;
    *why = NULL;
    if (!to.room)
        return pithi_no_memory();
    while (!to.err && status >= 0 && !*why && pithi_zip_is_gzip(in + at, size - at)) {
        size_t head = head_size(in + at, size - at);
        to.packed = at;
        to.crc = 0;
        status = head ? inflate(in + at + head, size - at - head, to.room, ROOM, put, &to) : CUT;
        at += head + (size_t)(status > 0 ? status : 0) + TAIL;
        if (status == CUT || (status >= 0 && at > size))
            *why = "its gzip data ends early";
        else if (status == BAD || (status >= 0 && !to.err && pithi_get32(in + at - TAIL) != to.crc))
            *why = "its gzip data is damaged";
    }
    *out_size = to.size;
    free(to.room);
    return to.err;
}
