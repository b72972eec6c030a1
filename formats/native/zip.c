/* zip.c - deflate and CRC-32 by zlib. Raw deflate, no zlib wrapper: the chunk's CRC covers it. */
#include "native/zip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "native/crc.h"

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
    if (!z || deflateInit2(z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
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
    if (part < 64 || !pithi_crc_fold(data, part, folded))
        return (uint32_t)crc32_z(0, data, size);
    uLong crc = crc32_z(UINT32_MAX, folded, sizeof folded); /* which undoes zlib's own inversion */
    return (uint32_t)crc32_z(crc, (const Bytef *)data + part, size - part);
}
