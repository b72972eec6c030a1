/* encode.h - one process's spill file as a segment of the log: its part of the work when the job ends. Done by several
 * threads when there are cores and lanes for them; the bytes are the same whatever their number. */
#ifndef PITHI_ENCODE_H
#define PITHI_ENCODE_H

#include "hold.h"
#include "native/segment.h"
#include "spill/spill_walk.h"
#include "coarse.h"

enum { PITHI_ENCODE_THREADS = 8 }; /* at most */

/* A lane's bytes, among those of the thread that encoded it. */
struct pithi_encoded_lane {
    unsigned by;
    uint64_t offset, size;
};

struct pithi_encode {
    struct pithi_segment *segment;
    struct pithi_hold own; /* what is of no lane, and each first lane's end */
    uint64_t own_before;   /* so much of it stands before the lanes */
    uint64_t lanes_size;   /* then so much of lanes, in order; then the rest of it */
    struct pithi_hold by[PITHI_ENCODE_THREADS];
    struct pithi_encoded_lane *lanes;
    uint32_t lane_count;
    uint64_t states_left_out;
};

/* Begins the segment of `rank`. Functions give PITH_OK or an error with its text in pithlog_error(). */
int pithi_encode_open(struct pithi_encode *encode, const struct pithi_rank *rank, const char *folder);

struct pithi_encode_job {
    const struct pithi_spill *spill;
    struct pithi_defs *defs; /* the log's; gets what it lacks */
    int32_t rank;            /* this process's: it tells the members of the communicators that name it */
    int64_t shift_ns;        /* from CLOCK_MONOTONIC to time in the log */
    struct pithi_coarse_rules coarse;
    unsigned threads; /* may be used, the caller's own included */
};
/* All records. */
int pithi_encode_records(struct pithi_encode *encode, const struct pithi_encode_job *job);

/* Bytes that the segment takes in the log, its index included; after pithi_segment_finish. */
uint64_t pithi_encode_size(const struct pithi_encode *encode);

/* Hands out everything, in order, in pieces: put(context, offset from the segment's start, data, size) gives 0 or
 * fails. */
int pithi_encode_write(const struct pithi_encode *encode,
                       int (*put)(void *context, uint64_t offset, const void *data, size_t size), void *context);
void pithi_encode_close(struct pithi_encode *encode);

#endif
