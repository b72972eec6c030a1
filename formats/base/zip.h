/* zip.h - deflate and CRC-32. zip.c is the only file that includes zlib.h. */
#ifndef PITHI_ZIP_H
#define PITHI_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* Working memory for packing or unpacking, for one thread at a time. It begins as zeros. To use a strategy other than
 * the default, set it before packing. */
enum pithi_zip_strategy { PITHI_ZIP_DEFAULT, PITHI_ZIP_HUFFMAN_ONLY = 2, PITHI_ZIP_FIXED = 4 }; /* zlib's numbers */
struct pithi_zip {
    void *packer, *run_packer, *unpacker; /* zlib's streams, made when first needed */
    enum pithi_zip_strategy strategy;
};
void pithi_zip_free(struct pithi_zip *zip);

/* Packs to raw deflate. Returns the packed size, or 0 if it would be larger than `room` bytes or there is no memory;
 * the caller then stores the data unpacked. */
size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room);

/* Packs bytes that are all equal, or in long runs. For such bytes it is faster than pithi_zip_pack. */
size_t pithi_zip_pack_runs(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room);

/* Unpacks exactly `out_size` bytes. Returns 1, or 0 if the data is damaged or has another size, or there is no memory.
 */
int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size);

/* Returns an upper limit of the unpacked size of `size` packed bytes. */
static inline uint64_t pithi_zip_limit(uint64_t size) { return size * 1040 + 64; }

/* Unpacks a gzip file, of one or more members, to the start of `fd`. Sets *out_size to the number of bytes unpacked.
 * Sets *why to NULL, or to the reason why unpacking ended early (the file is cut or damaged). Returns PITH_OK, also
 * then, or an error if `fd` cannot be written. */
struct pithi_watched;
int pithi_zip_gunzip(const void *data, size_t size, int fd, struct pithi_watched *watched, uint64_t *out_size,
                     const char **why);
static inline int pithi_zip_is_gzip(const unsigned char *data, size_t size)
{
    return size > 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

uint32_t pithi_crc(const void *data, size_t size);

#endif
