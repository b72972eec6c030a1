/* zip.h - deflate and CRC-32. zip.c is the only file that includes zlib.h. */
#ifndef PITHI_ZIP_H
#define PITHI_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* Working memory for packing or unpacking, for one thread at a time. All zero at first. Set a strategy other than 0
 * before packing. */
enum pithi_zip_strategy { PITHI_ZIP_DEFAULT, PITHI_ZIP_HUFFMAN_ONLY = 2, PITHI_ZIP_FIXED = 4 }; /* zlib's numbers */
struct pithi_zip {
    void *packer, *run_packer, *unpacker; /* zlib's streams, made when first needed */
    enum pithi_zip_strategy strategy;
};
void pithi_zip_free(struct pithi_zip *zip);

/* Packs to raw deflate. Returns the size; 0: larger than `room` bytes (store it instead), or no memory. */
size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room);

/* Packs bytes that are all equal, or in long runs. For such bytes it is faster than pithi_zip_pack. */
size_t pithi_zip_pack_runs(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room);

/* Unpacks exactly `out_size` bytes: 1; 0: damaged, another size, or no memory. */
int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size);

/* The limit of the unpacked size of `size` packed bytes. */
static inline uint64_t pithi_zip_limit(uint64_t size) { return size * 1040 + 64; }

/* Unpacks a gzip file, of one or more members, to the start of `fd`. *out_size: the number of bytes unpacked.
 * *why: NULL, or why unpacking ended early (the file is cut or damaged). Returns PITH_OK, or an error: `fd` cannot be
 * written. */
struct pithi_watched;
int pithi_zip_gunzip(const void *data, size_t size, int fd, struct pithi_watched *watched, uint64_t *out_size,
                     const char **why);
static inline int pithi_zip_is_gzip(const unsigned char *data, size_t size)
{
    return size > 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

uint32_t pithi_crc(const void *data, size_t size);

#endif
