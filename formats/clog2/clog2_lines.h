/* clog2_lines.h - lines (communicator, rank, thread) of a CLOG-2 file being written: which one a record stands on,
 * and the COMMEVT records that readers want before anything is drawn on a line.
 *
 * States and events stand on the world's lines, or on those of the communicator that they are on. Messages stand on
 * those of their communicator, so that messages of two communicators are never paired; of an intercommunicator on those
 * of its two groups, each a communicator in the file.
 */
#ifndef PITHI_CLOG2_LINES_H
#define PITHI_CLOG2_LINES_H

#include "clog2/clog2_made.h"
#include "foreign/lookup.h"
#include "format.h"

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
    struct pithi_lookup began_on;  /* (lane, number of a state's end) -> communicator of the log, if one was given */
    struct pithi_clog2_entry *entries; /* by number in the file */
    uint32_t entry_count, entry_size;
    struct pithi_clog2_made made;
    uint64_t unknown_members, cut_names; /* cut_names: of communicators and hosts */
};

int pithi_clog2_lines_open(struct pithi_clog2_lines *lines, struct pithlog *log, struct pithi_clog2_stream *stream);
void pithi_clog2_lines_free(struct pithi_clog2_lines *lines);

/* What all ranks of the log begin with, COMMEVT records of the world; and what they end with. */
int pithi_clog2_begin_world(struct pithi_clog2_lines *lines, int64_t time_ns);
int pithi_clog2_end_world(struct pithi_clog2_lines *lines, int64_t time_ns);

/* The line of the sender or receiver that `record` is, and the partner's communicator and rank in it; the line is
 * announced. *known 0: no such partner, the message cannot be written. */
int pithi_clog2_message_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                             struct pithi_clog2_line *line, struct pithi_clog2_line *partner, int *known);

/* The line of an ENTER, LEAVE or EVENT, announced: that of its communicator. `end`: the number that ends the state. A
 * state ends on the line where it began, since readers pair the two there. */
int pithi_clog2_event_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end,
                           struct pithi_clog2_line *line);

/* A COMM_CREATE or COMM_FREE record. */
int pithi_clog2_write_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record);

/* Communicators, and members of others, that no record of the file is of. */
void pithi_clog2_lines_lost(const struct pithi_clog2_lines *lines, uint64_t *comms, uint64_t *members);

/* The communicator table, behind the blocks. */
int pithi_clog2_write_table(const struct pithi_clog2_lines *lines, FILE *out);

#endif
