/* reading.h - helpers for readers of foreign files: lines, early ends, memory of large files, records out of order;
 * for writers: a seekable file. */
#ifndef PITHI_READING_H
#define PITHI_READING_H

#include "base/map.h"
#include "native/defs.h"
#include "native/stack.h"
#include "pithlog.h"
#include "reader/read/format.h"

/* The size of a text file up to its last newline: a last line without a newline may have been cut. */
size_t pithi_whole_lines(const struct pithi_input *input);
static inline int pithi_ends_in_line(const struct pithi_input *input) { return pithi_whole_lines(input) < input->size; }

/* Marks the log as incomplete: "byte N: the file ends here, WHERE". WHERE is "inside a line", for example. */
int pithi_ends_here(struct pithi_writer *writer, const struct pithi_input *input, const char *where);

/* Frees memory of a large mapped file. A reader goes from start to end and releases the part that it has read, so that
 * its memory does not grow with the file. This part can be read again from the file. */
enum { PITHI_PASSED_STEP = 4 << 20 };

void pithi_passed_drop(const struct pithi_input *input, size_t *passed, size_t at);

/* The reader is at byte `at`. The caller keeps *passed, the end of the memory released so far, which is 0 at first. */
static inline void pithi_passed(const struct pithi_input *input, size_t *passed, size_t at)
{
    if (at - *passed >= PITHI_PASSED_STEP) /* also true when the reader moves to a lower byte */
        pithi_passed_drop(input, passed, at);
}

/* The lines of a text file, read in passes. Before the first line all but `input` and `size` is zero. */
struct pithi_lines {
    const struct pithi_input *input; /* not owned */
    size_t size;                     /* bytes of the input to read, without a last line that is left out */
    size_t at, passed;               /* the next line; memory released so far */
    uint64_t number;                 /* of the last line, from 1 */
};
/* Gets the next line without its newline. 1; 0 at the end. */
int pithi_lines_next(struct pithi_lines *lines, const char **line, size_t *size);
/* Fails with "FILE: line N: WHAT". */
int pithi_lines_wrong(const struct pithi_lines *lines, const char *what);
static inline void pithi_lines_rewind(struct pithi_lines *lines) { lines->at = lines->number = 0; }

/* Leaves without an enter. Such a leave shows that the file is wrong: records are missing before it, or its name is
 * wrong. Then some of the states around it may have ended, too:
 *
 *     enter main, enter a, leave b, enter c, leave c, leave main
 *
 * `main` goes on, as its leave comes later. `a` is never left: it has ended somewhere inside `main`, and must not last
 * until the end of the log. So a record LOST is added before the leave, and lane_blocks.h finds which states end there.
 * After a LOST, messages of the rank are not matched. Therefore it is added only if a state that is open there is never
 * left. This is known only at the end of the lane; then the file is read a second time (struct pithi_again).
 *
 * Call `look` before each record is added to the writer, in the order of its lane, and `end` after the last record. */
struct pithi_leaves {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    uint64_t alone; /* number of leaves without an enter */
    /* Internal, zero at first. */
    struct pithi_stack *lanes; /* the open states of each lane. enter_ns: number of the first leave without an enter
                                  inside the state, from 1; 0: none; -1: a LOST record of the file comes before it */
    uint32_t lane_count, lane_room, next;
};
int pithi_leaves_look(struct pithi_leaves *leaves, const struct pithlog_record *record);
int pithi_leaves_end(struct pithi_leaves *leaves);
void pithi_leaves_free(struct pithi_leaves *leaves);

/* Calls `write` with `out`. If `out` is not seekable (a pipe, a device), `write` gets an unnamed file that is then
 * copied to `out`. For formats whose first bytes are known last. */
int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how));

/* Puts records that are slightly out of order into time order, in bounded memory. The times of a lane in a native log
 * must not decrease. Foreign files promise the same, but some break it (clocks corrected afterwards, lines joined by
 * hand). The window holds PITHI_REORDER_WINDOW records and emits the earliest, so a record may come late by this number
 * of records. A record that comes later is emitted with its time, out of order, and counted. Records with equal times
 * keep their order. */
enum { PITHI_REORDER_WINDOW = 131072 };

struct pithi_reorder {
    struct pithi_writer *writer; /* gets the records */
    int is_needed;               /* 0: the times are in order, so records pass at once */
    /* 1: the file does not have the order of posting. Then the caller sets `posted` of a receive to its rank, or
     * another number that identifies the receiver; here it is replaced by the number of receives with the same number
     * before it. */
    int counts_receives;
    int (*drops)(void *context, const struct pithlog_record *record); /* 1: leave it out; -1: no memory; or NULL */
    void *context;
    struct pithi_leaves *leaves; /* gets each record; NULL: none */
    uint64_t late;               /* number of records that came too late to be put in order */
    /* Internal, zero at first. */
    struct pithi_map received;
    uint64_t order;
    int64_t last_ns; /* the latest time emitted, if has_last */
    int has_last;    /* 1: last_ns is set */
    uint32_t count, room;
    struct pithi_reorder_waiting *heap; /* [count] the earliest first */
};
int pithi_reorder_add(struct pithi_reorder *reorder, const struct pithlog_record *record); /* payload copied */
/* Adds the records of an event number of MPE's formats, which may end one state and start another: `record` with its
 * kind and id changed. `ends`, `starts`: definition of the state + 1; 0: none. `info`: an event with the number's
 * payload, which goes inside the state; or NULL. */
int pithi_reorder_states(struct pithi_reorder *reorder, struct pithlog_record *record, uint32_t ends, uint32_t starts,
                         const struct pithlog_record *info);
int pithi_reorder_end(struct pithi_reorder *reorder); /* emits the rest */
void pithi_reorder_free(struct pithi_reorder *reorder);

#endif
