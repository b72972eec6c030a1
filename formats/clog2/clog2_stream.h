/* clog2_stream.h - the blocks of a CLOG-2 file being written. Big-endian, as merged files always are. Records are put
 * one after another; where a block has no room for one more it is ended. */
#ifndef PITHI_CLOG2_STREAM_H
#define PITHI_CLOG2_STREAM_H

#include <stdio.h>

#include "clog2/clog2_layout.h"

struct pithi_clog2_line {
    int32_t comm, rank, thread;
};

struct pithi_clog2_stream {
    FILE *out;
    unsigned char *block;
    uint32_t at;
    uint64_t blocks; /* written */
    double time_s;   /* of the last record; times never fall */
};

/* Leaves place for the preamble. */
int pithi_clog2_stream_open(struct pithi_clog2_stream *stream, FILE *out);

/* A record with its header; its body, all zero, is to be filled by the caller before the next call. NULL: the error
 * is set. */
unsigned char *pithi_clog2_put(struct pithi_clog2_stream *stream, enum pithi_clog2_type type, int64_t time_ns,
                               int32_t comm, int32_t rank, int32_t thread);

/* Ends the log; *table: where the communicator table stands, which is next. */
int pithi_clog2_stream_end(struct pithi_clog2_stream *stream, uint64_t *table);
void pithi_clog2_stream_free(struct pithi_clog2_stream *stream);

/* What the preamble says beside what it always says. */
struct pithi_clog2_preamble {
    int32_t ranks, threads;
    int32_t user_states, user_solos; /* how many */
    int32_t first_user_solo;
    uint64_t table;
};
void pithi_clog2_preamble(const struct pithi_clog2_preamble *values, unsigned char bytes[PITHI_CLOG2_PREAMBLE]);

#endif
