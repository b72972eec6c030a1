/* clog1_file.h - a CLOG file as a series of records: its byte order, its blocks, damage and cut ends. Knows nothing of
 * what records mean.
 *
 * There is no file header: blocks of 1024 (MPICH up to 1.1.2) or 65536 bytes, each with records back to back, then
 * ENDBLOCK (the last one: ENDLOG), then bytes without meaning. A record begins with 24 bytes:
 *
 *     double seconds | int type | int length, of all of it in units of 8 bytes | int process | int unused
 */
#ifndef PITHI_CLOG1_FILE_H
#define PITHI_CLOG1_FILE_H

#include "format.h"

enum pithi_clog1_type {
    PITHI_CLOG1_ENDLOG = -2,
    PITHI_CLOG1_ENDBLOCK = -1,
    PITHI_CLOG1_UNDEFINED = 0,
    PITHI_CLOG1_RAW,
    PITHI_CLOG1_MESSAGE,
    PITHI_CLOG1_COLLECTIVE,
    PITHI_CLOG1_COMM,
    PITHI_CLOG1_EVENTDEF,
    PITHI_CLOG1_STATEDEF,
    PITHI_CLOG1_SRCLOC,
    PITHI_CLOG1_TIMESHIFT,
    PITHI_CLOG1_TYPES
};

enum { PITHI_CLOG1_HEADER = 24, PITHI_CLOG1_RANKS_MAX = 1 << 17 }; /* larger process numbers are damage */

struct pithi_clog1_file {
    const struct pithi_input *input;
    int big; /* byte order; MPE wrote big-endian ones on every machine */
    size_t block_size;
};

struct pithi_clog1_record {
    int64_t time_ns;
    int32_t type, process;
    const unsigned char *body; /* at least as long as its type's */
};

/* Where a walk stands, and what it met. All zero but `file`: at the start. */
struct pithi_clog1_cursor {
    const struct pithi_clog1_file *file;
    size_t block, at;    /* offset of the block, and in the file */
    size_t passed;       /* see foreign/passed.h */
    int ended;           /* ENDLOG was there */
    uint64_t damaged;    /* places where a block could not be read to its end, or a record had no time or process */
    size_t first_damage; /* offset of the first */
    uint64_t records;
};

/* 0: no CLOG file. */
int pithi_clog1_file_open(struct pithi_clog1_file *file, const struct pithi_input *input);
/* The next record (RAW to TIMESHIFT): 1, 0 at the end. A block that cannot be read is left. */
int pithi_clog1_next(struct pithi_clog1_cursor *cursor, struct pithi_clog1_record *record);

#endif
