/* clog2_file.h - a CLOG-2 file as a series of records: the preamble, the walk over the blocks, damage and cut ends.
 * Knows nothing of what records mean. */
#ifndef PITHI_CLOG2_FILE_H
#define PITHI_CLOG2_FILE_H

#include "clog2/clog2_layout.h"
#include "format.h"

struct pithi_clog2_file {
    const struct pithi_input *input;
    int big;       /* byte order */
    int finalized; /* 0: what one process left, not merged: native byte order, times without their shift */
    uint64_t block_size;
    size_t blocks_end; /* offset behind the last block, as far as known */
    int table_cut;     /* the communicator table is not there, or not whole */
    int32_t world_size, threads;
    int32_t known_events, user_events, known_solos, user_solos; /* first numbers */
    int32_t known_states, user_states, known_solo_count, user_solo_count;
};

/* Reads the preamble. */
int pithi_clog2_file_open(struct pithi_clog2_file *file, const struct pithi_input *input);

struct pithi_clog2_record {
    int64_t time_ns; /* corrected by the time shift, if the file is not finalized */
    int32_t comm, rank, thread;
    uint32_t type;
    const unsigned char *body;
};

/* Where a walk stands, and what it met. All zero but `file`: at the start. */
struct pithi_clog2_cursor {
    const struct pithi_clog2_file *file;
    size_t block, at; /* offset of the block, and in the file; 0: not begun */
    size_t end;       /* of the block, in the file */
    size_t passed;    /* see foreign/passed.h */
    double shift_s;
    int ended;           /* ENDLOG was there */
    uint64_t damaged;    /* places where a block could not be read to its end, or a record had no time */
    size_t first_damage; /* offset of the first */
    uint64_t records;
};

/* The next record (never ENDLOG, ENDBLOCK): 1, 0 at the end. A block that cannot be read is left. */
int pithi_clog2_next(struct pithi_clog2_cursor *cursor, struct pithi_clog2_record *record);

#endif
