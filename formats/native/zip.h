/* zip.h - deflate and CRC-32. zip.c is the only file that includes zlib.h. */
#ifndef PITHI_ZIP_H
#define PITHI_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* Working memory for packing or unpacking; one thread at a time. All zero is a fresh one. */
struct pithi_zip {
    void *packer, *unpacker;
};
void pithi_zip_free(struct pithi_zip *zip);

/* Packs to raw deflate. Returns its size, or 0: it would not fit into `room` bytes (store it instead), or no memory. */
size_t pithi_zip_pack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t room);

/* Unpacks exactly `out_size` bytes. Returns 1, or 0: damaged, or another size, or no memory. */
int pithi_zip_unpack(struct pithi_zip *zip, const void *data, size_t size, void *out, size_t out_size);

/* No `size` packed bytes can unpack to more than this. */
static inline uint64_t pithi_zip_limit(uint64_t size) { return size * 1040 + 64; }

uint32_t pithi_crc(const void *data, size_t size);

#endif
