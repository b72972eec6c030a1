/* protobuf.h - writes fields of Protocol Buffers messages (encoding: protobuf.dev), as far as Pith needs them: field
 * numbers below 2^28; values as varint, as 8 bytes, or with a length in front. */
#ifndef PITHI_PROTOBUF_H
#define PITHI_PROTOBUF_H

#include <string.h>

#include "base/bytes.h"

enum { PITHI_PB_VARINT, PITHI_PB_FIXED64, PITHI_PB_BYTES };

/* All return the byte after what they wrote. They need room for 15 bytes for a number, else 10 + `size` bytes. */
static inline unsigned char *pithi_pb_varint(unsigned char *p, uint32_t field, uint64_t value)
{
    return pithi_put_varint(pithi_put_varint(p, field << 3 | PITHI_PB_VARINT), value);
}

static inline unsigned char *pithi_pb_fixed64(unsigned char *p, uint32_t field, uint64_t value)
{
    p = pithi_put_varint(p, field << 3 | PITHI_PB_FIXED64);
    pithi_put64(p, value);
    return p + 8;
}

static inline unsigned char *pithi_pb_double(unsigned char *p, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pithi_pb_fixed64(p, field, bits);
}

static inline unsigned char *pithi_pb_bytes(unsigned char *p, uint32_t field, const void *data, size_t size)
{
    p = pithi_put_varint(pithi_put_varint(p, field << 3 | PITHI_PB_BYTES), size);
    memcpy(p, data, size);
    return p + size;
}

#endif
