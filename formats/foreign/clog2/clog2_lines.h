/* clog2_lines.h - the lines of a CLOG-2 file that is written. A line is a communicator, a rank in it and a thread;
 * viewers draw a row for each. These functions find the line of each record, and write the COMMEVT records that readers
 * require before anything is drawn on a line.
 *
 * States and events are on lines of the world or of their communicator. Messages are on lines of their communicator, so
 * that readers never pair messages of two communicators. Messages of an intercommunicator are on lines of its two
 * groups; each group is a communicator in the file.
 *
 * The file holds the begin or end of a state and its payload in one record; the log has two records (clog2_numbers.h).
 * Therefore the begin of a state that may have a payload is delayed until the next record of its lane, because that
 * record may be the payload. A payload without such a begin is delayed until the next record, because that record may
 * be the end of its state. Time does not advance during a delay, so records of other lanes may be written meanwhile and
 * the file stays in time order. */
#ifndef PITHI_CLOG2_LINES_H
#define PITHI_CLOG2_LINES_H

#include "base/map.h"
#include "foreign/clog2/clog2_made.h"
#include "foreign/clog2/clog2_numbers.h"
#include "reader/read/format.h"

struct pithi_clog2_entry; /* an entry of the communicator table */

struct pithi_clog2_lines {
    struct pithlog *log;
    struct pithi_clog2_stream *stream; /* the file's blocks */
    struct pithi_clog2_line *lanes;    /* by lane: its line in the world */
    uint32_t lane_count;
    int32_t ranks, threads;     /* highest rank + 1, highest thread number + 1 */
    struct pithi_map number_of; /* communicator of the log -> number in the file; the two groups of an intercommunicator
                                   have the next two numbers */
    struct pithi_map rank_of;   /* (communicator of the log, world rank) -> rank + 1; ranks from `size` on are in the
                                   remote group */
    struct pithi_map announced; /* set of the lines that have a COMMEVT: (communicator number in the file,
                                   rank) */
    struct pithi_map began_on;  /* (lane, number of a state's end) -> communicator at the begin, if any */
    struct pithi_clog2_entry *entries;   /* by number in the file */
    uint32_t entry_count, entry_size;    /* [entry_count] */
    struct pithi_clog2_made made;        /* the records to add that only MPE files have */
    uint64_t unknown_members, cut_names; /* Counts for the notes. unknown_members: records written as of the world,
                                            because the members of their communicator are unknown; cut_names: names of
                                            communicators and hosts that were cut */
};

int pithi_clog2_lines_open(struct pithi_clog2_lines *lines, struct pithlog *log, struct pithi_clog2_stream *stream);
void pithi_clog2_lines_free(struct pithi_clog2_lines *lines);

/* Writes the records of the world with which all ranks begin. */
int pithi_clog2_begin_world(struct pithi_clog2_lines *lines, int64_t time_ns);
/* Writes the event PITHI_CLOG2_COMM_INIT or _FINALIZE (`number`) of the world for all ranks, if the file has such
 * events. */
int pithi_clog2_mark_world(struct pithi_clog2_lines *lines, int64_t time_ns, int32_t number);

/* Finds and announces the line of a SEND or RECV, and finds the communicator and rank of the partner. *known becomes 0
 * if the record has no partner; then the message cannot be written. */
int pithi_clog2_message_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                             struct pithi_clog2_line *line, struct pithi_clog2_line *partner, int *known);

/* Finds and announces the line of an ENTER, LEAVE or EVENT in its communicator. `end` is the number that ends the
 * state. A state ends on the line where it began, because readers pair begin and end on a line. */
int pithi_clog2_event_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end,
                           struct pithi_clog2_line *line);

/* Writes a COMM_CREATE or COMM_FREE record. */
int pithi_clog2_write_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record);

/* Counts the communicators that are not in the file. For all other communicators, counts the members that have no line
 * in the file. */
void pithi_clog2_lines_lost(const struct pithi_clog2_lines *lines, uint64_t *comms, uint64_t *members);

/* Writes the communicator table after the blocks. */
int pithi_clog2_write_table(const struct pithi_clog2_lines *lines, FILE *out);

struct pithi_clog2_cargo {
    struct pithi_clog2_numbers *numbers;
    struct pithi_clog2_lines *lines;
    struct pithi_clog2_kept {
        struct pithlog_record record; /* without its payload */
        uint32_t state;               /* for a payload: its state */
        int has_cargo;                /* 1: `cargo` has its payload */
        unsigned char cargo[PITHI_CLOG2_CARGO];
    } * kept;
    uint32_t count, room; /* number of delayed records */
    uint64_t cut;         /* payloads that were too long */
};

/* Writes an ENTER, LEAVE or EVENT, or delays it. */
int pithi_clog2_cargo_add(struct pithi_clog2_cargo *cargo, const struct pithlog_record *record);
/* Writes the delayed records that must precede a record of time `time_ns` in `lane`. Call it before each record that
 * does not go to pithi_clog2_cargo_add, and at the end with INT64_MAX, 0. */
int pithi_clog2_cargo_flush(struct pithi_clog2_cargo *cargo, int64_t time_ns, uint32_t lane);
void pithi_clog2_cargo_free(struct pithi_clog2_cargo *cargo);

#endif
