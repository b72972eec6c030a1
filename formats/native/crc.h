/* crc.h - CRC-32 (that of zlib) over long data, where the processor multiplies polynomials. */
#ifndef PITHI_CRC_H
#define PITHI_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of the first `size` bytes, 64 or more and a multiple of 16, 16 bytes that have the same remainder: the CRC of data is
 * that of these, without the inversion at the start, and of what follows. 1, or 0: not on this processor. */
int pithi_crc_fold(const unsigned char *data, size_t size, unsigned char folded[16]);

#endif
