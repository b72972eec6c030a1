/* huffman.h - single bytes coded by how often they occur; no repeats are looked for. For columns of noise with a
 * shape, as the classes of time steps are: as small as deflate makes them, several times faster both ways. Layout:
 * SPEC.md. The bytes are coded in four parts, each with bits of its own: where a code begins is known only when the one
 * before it is, so a processor has four to work at instead of one. */
#ifndef PITHI_HUFFMAN_H
#define PITHI_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_HUFFMAN_SLACK = 16 };

/* How often each byte occurs. */
void pithi_histogram(const unsigned char *data, size_t size, uint32_t seen[256]);

/* Bytes that come before the codes. */
size_t pithi_huffman_head(const uint32_t seen[256]);

/* Packs into at most `room` bytes (and may spoil PITHI_HUFFMAN_SLACK bytes behind): the size, or 0 when it does not
 * fit. */
size_t pithi_huffman_pack(const unsigned char *data, size_t size, const uint32_t seen[256], unsigned char *out,
                          size_t room);

/* Unpacks exactly `out_size` bytes: 1, or 0 when the data is damaged. */
int pithi_huffman_unpack(const unsigned char *data, size_t size, unsigned char *out, size_t out_size);

#endif
