/* encode.h - one process's spill file as a segment of the log: its part of the work when the job ends.
 *
 * The encoded bytes are kept until it is known where in the log they stand: in memory, beyond 16 MiB in a nameless file
 * in the spill folder. */
#ifndef PITHI_ENCODE_H
#define PITHI_ENCODE_H

#include "native/segment.h"
#include "spill/spill_walk.h"

struct pithi_encode {
    struct pithi_segment *segment;
    const char *folder;
    unsigned char *memory; /* what came last */
    size_t used, room;
    uint64_t filed; /* bytes before it, in the file */
    int fd;
};

/* Begins the segment of `rank`. Functions give PITH_OK or an error with its text in pithlog_error(). */
int pithi_encode_open(struct pithi_encode *encode, const struct pithi_rank *rank, const char *folder);

/* All records of `spill`, at CLOCK_MONOTONIC + shift_ns, under the ids of `defs` (which gets what it lacks). */
int pithi_encode_records(struct pithi_encode *encode, struct pithi_spill *spill, struct pithi_defs *defs,
                         int64_t shift_ns);

/* Bytes that the segment takes in the log, its index included; after pithi_segment_finish. */
uint64_t pithi_encode_size(const struct pithi_encode *encode);

/* Hands out everything, in order, in pieces: put(context, offset from the segment's start, data, size) gives 0 or
 * fails. */
int pithi_encode_write(const struct pithi_encode *encode,
                       int (*put)(void *context, uint64_t offset, const void *data, size_t size), void *context);
void pithi_encode_close(struct pithi_encode *encode);

#endif
