/* huffman.h - codes single bytes by their frequency, without a search for repeats. For columns with an uneven
 * distribution and no order, such as the classes of time steps: 5 times as fast as zlib's Z_HUFFMAN_ONLY at the same
 * size, and 11 times as fast as deflate, which makes them larger (figures and layout: SPEC.md). A code begins where the
 * code before it ends, so the codes of one stream can only be decoded one after another. To be faster, the coder makes
 * four parts, each with codes of its own, and the decoder works on all four at once. */
#ifndef PITHI_HUFFMAN_H
#define PITHI_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_HUFFMAN_SLACK = 16 }; /* bytes behind the output */

/* Sets seen[c] to how often byte c occurs. */
void pithi_histogram(const unsigned char *data, size_t size, uint32_t seen[256]);

/* Returns the number of bytes that pithi_huffman_pack writes before the codes. */
size_t pithi_huffman_head(const uint32_t seen[256]);

/* Packs into at most `room` bytes (and may overwrite PITHI_HUFFMAN_SLACK bytes after them). Returns the packed size, or
 * 0 if it is larger than `room`. */
size_t pithi_huffman_pack(const unsigned char *data, size_t size, const uint32_t seen[256], unsigned char *out,
                          size_t room);

/* Unpacks exactly `out_size` bytes. Returns 1, or 0 if the data is damaged. */
int pithi_huffman_unpack(const unsigned char *data, size_t size, unsigned char *out, size_t out_size);

#endif
