/* clog2_lines.h - lines (communicator, rank, thread) of a CLOG-2 file being written: which one a record stands on,
 * and the COMMEVT records that readers want before anything is drawn on a line.
 *
 * States and events stand on the world's lines. Messages stand on those of their communicator, so that messages of
 * two communicators are never paired; of an intercommunicator on those of its two groups, each a communicator in the
 * file.
 */
#ifndef PITHI_CLOG2_LINES_H
#define PITHI_CLOG2_LINES_H

#include "clog2/clog2_stream.h"
#include "foreign/lookup.h"
#include "format.h"

struct pithi_clog2_line {
    int32_t comm, rank, thread;
};

struct pithi_clog2_entry; /* of the communicator table */

struct pithi_clog2_lines {
    struct pithlog *log;
    struct pithi_clog2_stream *stream;
    struct pithi_clog2_line *lanes; /* the world's line of each lane */
    uint32_t lane_count;
    int32_t ranks, threads; /* how many there are: highest number + 1 */
    struct pithi_lookup
        number_of; /* communicator of the log -> number in the file (an INTER: and its groups, + 1, + 2) */
    struct pithi_lookup rank_of;   /* (communicator of the log, world rank) -> rank + 1, from size on: remote group */
    struct pithi_lookup announced; /* (number in the file, rank) */
    struct pithi_clog2_entry *entries; /* by number in the file */
    uint32_t entry_count, entry_size;
    uint64_t unknown_members;
};

int pithi_clog2_lines_open(struct pithi_clog2_lines *lines, struct pithlog *log, struct pithi_clog2_stream *stream);
void pithi_clog2_lines_free(struct pithi_clog2_lines *lines);

/* COMMEVT records of the world for all ranks of the log. */
int pithi_clog2_announce_world(struct pithi_clog2_lines *lines, int64_t time_ns);

/* The line of the sender or receiver that `record` is, and the partner's communicator and rank in it; the line is
 * announced. *known 0: no such partner, the message cannot be written. */
int pithi_clog2_message_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                             struct pithi_clog2_line *line, struct pithi_clog2_line *partner, int *known);

/* A COMM_CREATE or COMM_FREE record. */
int pithi_clog2_write_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record);

/* The communicator table, behind the blocks. */
int pithi_clog2_write_table(const struct pithi_clog2_lines *lines, FILE *out);

#endif
