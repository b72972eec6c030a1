/* zip_wasm.c - zip.h without zlib: unpacks with inflate.c, and packs nothing, so that the writer stores blocks or codes
 * them itself. A browser's own inflate (DecompressionStream) answers later only, and the reader needs it at once. */
#include "base/zip.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file_at.h"
#include "base/input.h"
#include "base/temporary.h"
#include "wasm/inflate.h"

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

int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size)
{
    struct pithi_inflate z = {.in = data, .in_size = size, .out = out, .room = out_size};

    (void)zip;
    return pithi_inflate(&z) == PITHI_INFLATE_END && z.in_used == size && z.out_size == out_size;
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */

struct unpacked {
    int fd, err;
    uint64_t size, packed_size;
    size_t packed; /* the byte at which the member begins */
    struct pithi_watched *watched;
};

static int put(void *context, const unsigned char *data, size_t size)
{
    struct unpacked *to = context;

    if (pithi_write_at(to->fd, data, size, to->size) != size)
        /* Called with each full buffer: all of it is written, and the page may stop it. */
        to->err = pithi_temporary_failed("written");
    to->size += size;
    return !to->err && pithi_watched_at(to->watched, to->packed, to->packed_size);
}

/* The size of a member's head (RFC 1952); 0: it ends early. */
static size_t head_size(const unsigned char *data, size_t size)
{
    enum { HEAD_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16 }; /* bits of the head's flags (RFC 1952) */
    size_t at = 10;

    if (size < at)
        return 0;
    /* Two bytes with the size of an extra field; names end with a 0. */
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
    enum { ROOM = 1 << 20, TAIL = 8 }; /* TAIL: CRC and size */
    struct unpacked to = {.fd = fd, .packed_size = size, .watched = watched};
    const unsigned char *in = data;
    unsigned char *out = malloc(ROOM);
    enum pithi_inflated status = PITHI_INFLATE_END;
    size_t at = 0;

    *out_size = 0;
    *why = NULL;
    if (!out)
        return pithi_no_memory();
    /* A gzip file may have several members, one after another; each has a head of its own. */
    while (!to.err && status == PITHI_INFLATE_END && !*why && pithi_zip_is_gzip(in + at, size - at)) {
        size_t head = head_size(in + at, size - at);
        struct pithi_inflate z = {
            .in = in + at + head, .in_size = size - at - head, .out = out, .room = ROOM, .full = put, .context = &to};
        to.packed = at;
        status = head ? pithi_inflate(&z) : PITHI_INFLATE_CUT;
        put(&to, out, z.out_size);
        at += head + z.in_used + TAIL;
        if (status == PITHI_INFLATE_CUT || (status == PITHI_INFLATE_END && at > size))
            *why = "its gzip data ends early";
        else if (status == PITHI_INFLATE_BAD)
            *why = "its gzip data is damaged";
    }
    *out_size = to.size;
    free(out);
    return to.err;
}

/* ---- CRC-32 ------------------------------------------------------------------------------------------------------ */

/* Eight tables, for eight bytes at a time: table[k][b] is the CRC of the byte b followed by k bytes of 0. */
static uint32_t table[8][256];

static void make_table(void)
{
    /* The polynomial of gzip, with its bits reversed. */
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

uint32_t pithi_crc(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint32_t crc = UINT32_MAX;

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
