/* packed.h - records as few bytes, for temporary files that this process writes and reads. */
#ifndef PITHI_PACKED_H
#define PITHI_PACKED_H

#include <stddef.h>

#include "pithlog.h"

/* Bytes that one record needs at most, its payload not counted. */
enum { PITHI_PACKED_MAX = 128 };

/* What records are packed against: the one before. All zero before the first. */
struct pithi_packing {
    int64_t time_ns;
    uint32_t lane;
};

/* Puts a record, with a number below 16 of the caller's, to `p`; the byte after it. The payload is not put: it comes
 * behind. */
unsigned char *pithi_pack(struct pithi_packing *before, const struct pithlog_record *record, unsigned mark,
                          unsigned char *p);
/* And back, with the payload behind it: the byte after both, or NULL: they do not end before `end` (nothing is
 * changed). */
const unsigned char *pithi_unpack(struct pithi_packing *before, const unsigned char *p, const unsigned char *end,
                                  struct pithlog_record *record, unsigned *mark);

#endif
