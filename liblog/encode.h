/* encode.h - encodes the spill file of one process as a segment of the log, its part of the work at the end of the job.
 * Uses several threads if there are cores and lanes for them; the encoded bytes do not depend on the number of threads.
 */
#ifndef PITHI_ENCODE_H
#define PITHI_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "coarse.h"
#include "native/segment.h"
#include "spill/spill_walk.h"

/* ---- Encoded bytes ----------------------------------------------------------------------------------------------- */

struct pithi_hold {
    const char *folder;
    struct pithi_buffer memory; /* the newest bytes */
    size_t most;                /* limit of the bytes in memory; beyond it they go to a file */
    size_t populated;           /* bytes at the start of `memory` whose pages exist */
    uint64_t filed;             /* bytes in the file, which come before `memory` */
    int fd;                     /* descriptor of the file; -1: there is no file */
};

/* Begins an empty *hold, which keeps at most `most` bytes in memory, unless one piece is larger, and all older bytes in
 * a file in `folder`. */
void pithi_hold_open(struct pithi_hold *hold, const char *folder, size_t most);
/* Appends bytes; has the signature of struct pithi_sink. Returns PITH_OK or an error. */
int pithi_hold_append(void *hold, const void *data, size_t size, uint64_t *offset);
static inline uint64_t pithi_hold_size(const struct pithi_hold *hold) { return hold->filed + hold->memory.size; }
/* Copies up to `size` bytes from `offset` on. Returns their number; 0 if they cannot be read. */
size_t pithi_hold_read(const struct pithi_hold *hold, uint64_t offset, void *data, size_t size);
void pithi_hold_close(struct pithi_hold *hold);

/* ---- The segment ------------------------------------------------------------------------------------------------- */

enum { PITHI_ENCODE_THREADS = 8 }; /* largest number of threads of an encoding */

/* The place of a lane's bytes among the bytes of the thread that encoded it. */
struct pithi_encoded_lane {
    unsigned by; /* number of the worker */
    uint64_t offset, size;
};

struct pithi_encode {
    struct pithi_segment *segment;
    struct pithi_hold own;                      /* the bytes that belong to no lane */
    uint64_t own_before;                        /* number of bytes of `own` before the lanes */
    uint64_t lanes_size;                        /* bytes of all lanes; the rest of `own` comes after them */
    struct pithi_hold by[PITHI_ENCODE_THREADS]; /* bytes of the lanes, by the worker that encoded them */
    struct pithi_encoded_lane *lanes;           /* [lane_count] */
    uint32_t lane_count;
    uint64_t states_left_out;
};

/* Begins the segment of `rank`. Functions give PITH_OK or an error with its text in pithlog_error(). */
int pithi_encode_open(struct pithi_encode *encode, const struct pithi_rank *rank, const char *folder);

struct pithi_encode_job {
    const struct pithi_spill *spill; /* of this process */
    struct pithi_defs *defs;         /* definitions of the log; missing ones are added */
    int32_t rank;                    /* this process's rank; only one rank writes a communicator's members (merge.c) */
    int64_t shift_ns;                /* added to CLOCK_MONOTONIC, it gives the time in the log */
    struct pithi_coarse_rules coarse;
    unsigned threads; /* largest number to use, including the caller */
};
/* Encodes all records. */
int pithi_encode_records(struct pithi_encode *encode, const struct pithi_encode_job *job);

/* Returns the size of the segment with its index. Call it after pithi_segment_finish. */
uint64_t pithi_encode_size(const struct pithi_encode *encode);

/* Passes all bytes to put(context, offset from the segment's start, data, size), in order, in pieces; put returns 0 or
 * fails. */
int pithi_encode_write(const struct pithi_encode *encode,
                       int (*put)(void *context, uint64_t offset, const void *data, size_t size), void *context);
void pithi_encode_close(struct pithi_encode *encode);

#endif
