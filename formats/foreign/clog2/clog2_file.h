/* clog2_file.h - reads and writes a CLOG-2 file as a series of records, without their meaning. The reader handles the
 * preamble, the blocks, damage and cuts. The writer appends records to a block, and begins a new block if the next
 * record does not fit. Written files are big-endian, like all merged files. */
#ifndef PITHI_CLOG2_FILE_H
#define PITHI_CLOG2_FILE_H

#include <stdio.h>

#include "foreign/clog2/clog2_layout.h"
#include "foreign/clog_blocks.h"

struct pithi_clog2_file {
    struct pithi_clog_blocks blocks;
    int big;       /* 1: the file is big-endian */
    int finalized; /* 0: the unmerged file of one process, with native byte order and unshifted times */
    int table_cut; /* the communicator table is missing or incomplete */
    int32_t known_events, user_events, known_solos, user_solos; /* the first event numbers of states and of solo
                                                                   events; known: defined by MPE; user: defined by
                                                                   the program */
    int32_t known_states, user_states, known_solo_count, user_solo_count;
};

/* Reads the preamble. */
int pithi_clog2_file_open(struct pithi_clog2_file *file, const struct pithi_input *input);

struct pithi_clog2_record {
    int64_t time_ns;            /* corrected by the time shift, if the file is not finalized */
    int32_t comm, rank, thread; /* `comm`: number of the communicator in the file; `rank`: rank in this communicator */
    uint32_t type;              /* enum pithi_clog2_type */
    const unsigned char *body;  /* after the header of the record */
};

/* Reads the next record that is not ENDLOG or ENDBLOCK. Returns 1, or 0 at the end. If a record cannot be read, skips
 * the rest of its block. */
int pithi_clog2_next(const struct pithi_clog2_file *file, struct pithi_clog_cursor *cursor,
                     struct pithi_clog2_record *record);

struct pithi_clog2_line {
    int32_t comm, rank, thread;
};

struct pithi_clog2_stream {
    FILE *out;
    unsigned char *block; /* one block, written when it is full */
    uint32_t at;          /* bytes in use */
    uint64_t blocks;      /* number written */
    double time_s;        /* time of the last record; times never decrease */
};

/* Leaves room for the preamble. */
int pithi_clog2_stream_open(struct pithi_clog2_stream *stream, FILE *out);

/* Adds a record with its header and returns its body, which is zeroed. The caller must fill the body before the next
 * call. Returns NULL and sets the error on failure. */
unsigned char *pithi_clog2_put(struct pithi_clog2_stream *stream, enum pithi_clog2_type type, int64_t time_ns,
                               int32_t comm, int32_t rank, int32_t thread);

/* Ends the log. *table is the offset of the communicator table, which must be written next. */
int pithi_clog2_stream_end(struct pithi_clog2_stream *stream, uint64_t *table);
void pithi_clog2_stream_free(struct pithi_clog2_stream *stream);

/* The variable contents of the preamble. */
struct pithi_clog2_preamble {
    int32_t ranks, threads;          /* highest rank + 1, highest thread number + 1 */
    int32_t user_states, user_solos; /* number of the program's states, of its solo events */
    int32_t first_user_solo;         /* event number of the program's first solo event; 0: none */
    uint64_t table;                  /* offset of the communicator table */
};
void pithi_clog2_preamble(const struct pithi_clog2_preamble *values, unsigned char bytes[PITHI_CLOG2_PREAMBLE]);

#endif
