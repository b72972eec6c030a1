/* reading.h - helpers for readers of foreign files (lines, files that were cut, memory of large files, records out of
 * order) and for writers (a seekable file). */
#ifndef PITHI_READING_H
#define PITHI_READING_H

#include "base/map.h"
#include "native/defs.h"
#include "native/stack.h"
#include "pithlog.h"
#include "reader/read/format.h"

/* Returns the size of a text file up to and including its last newline. A last line without a newline may have been
 * cut. */
size_t pithi_whole_lines(const struct pithi_input *input);
static inline int pithi_ends_in_line(const struct pithi_input *input) { return pithi_whole_lines(input) < input->size; }

/* Marks the log as incomplete, with the text "byte N: the file ends here, WHERE". WHERE is, for example, "inside a
 * line". */
int pithi_ends_here(struct pithi_writer *writer, const struct pithi_input *input, const char *where);

/* A reader of a large mapped file goes from start to end and releases the memory of the bytes that it has read, in
 * steps of PITHI_PASSED_STEP bytes, so that its memory does not grow with the file. If it reads released bytes again,
 * the system fetches them from the file. */
enum { PITHI_PASSED_STEP = 4 << 20 };

/* Releases the bytes before `at`. Called by pithi_passed only. */
void pithi_passed_drop(const struct pithi_input *input, size_t *passed, size_t at);

/* Says that the reader is at byte `at`. The caller keeps *passed, the end of the memory that was released so far, which
 * is 0 at first. */
static inline void pithi_passed(const struct pithi_input *input, size_t *passed, size_t at)
{
    if (at - *passed >= PITHI_PASSED_STEP) /* also true when the reader moves to a lower byte */
        pithi_passed_drop(input, passed, at);
}

/* The lines of a text file, which may be read several times. Before the first line, all members but `input` and `size`
 * are zero. */
struct pithi_lines {
    const struct pithi_input *input; /* not owned */
    size_t size;                     /* bytes of the input to read; a last line that is left out is not included */
    size_t at, passed;               /* at: offset of the next line; passed: end of the memory released so far */
    uint64_t number;                 /* number of the last line that was read, from 1 */
};
/* Gets the next line without its newline. Returns 1, or 0 at the end. */
int pithi_lines_next(struct pithi_lines *lines, const char **line, size_t *size);
/* Reports the error "FILE: line N: WHAT" and returns its error code. N is the line that was read last. */
int pithi_lines_wrong(const struct pithi_lines *lines, const char *what);
static inline void pithi_lines_rewind(struct pithi_lines *lines) { lines->at = lines->number = 0; }

/* Looks for leaves without an enter. Such a leave shows that the file is wrong: records are missing before the leave,
 * or its name is wrong. Then the leaves of some open states may be missing, too:
 *
 *     enter main, enter a, leave b, enter c, leave c, leave main
 *
 * At "leave b", `main` and `a` are open. `main` goes on, because its leave comes later. `a` is never left. It has ended
 * somewhere inside `main`, and must not last until the end of the log. So a LOST record is added before "leave b", and
 * lane_blocks.h finds which states end there. But after a LOST record, messages of the rank are not matched. Therefore
 * a LOST record is added only if one of the states that are open there is never left. This is known only at the end of
 * the lane; then the file is read a second time (struct pithi_again).
 *
 * Call pithi_leaves_look before each record is added to the writer, in the order of the lane's records, and
 * pithi_leaves_end after the last record. */
struct pithi_leaves {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    uint64_t alone; /* number of leaves without an enter */
    /* Internal, zero at first. */
    struct pithi_stack *lanes; /* the open states of each lane. The enter_ns of a state is not a time here, but the
                                  number of the first leave without an enter inside the state, counted from 1; 0: no
                                  such leave yet; -1: the file has a LOST record inside the state, before any such
                                  leave */
    uint32_t lane_count, lane_room, next;
};
int pithi_leaves_look(struct pithi_leaves *leaves, const struct pithlog_record *record);
int pithi_leaves_end(struct pithi_leaves *leaves);
void pithi_leaves_free(struct pithi_leaves *leaves);

/* Calls `write` with `out`. If `out` is not seekable (a pipe, a device), `write` gets an unnamed file, which is then
 * copied to `out`. Used for formats in which the first bytes are known last. */
int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how));

/* Puts records that are slightly out of order into time order, in bounded memory. The times of a lane in a native log
 * must not decrease. Foreign files should have the same order, but some do not (clocks corrected afterwards, lines
 * joined by hand). So records wait in a window of PITHI_REORDER_WINDOW records. When the window is full, its earliest
 * record is emitted, that is, added to the log. So a record is still put in order if up to PITHI_REORDER_WINDOW records
 * that belong after it come before it. A record that comes even later is emitted with its time, out of order, and
 * counted. Records with equal times keep their order. */
enum { PITHI_REORDER_WINDOW = 131072 };

struct pithi_reorder {
    struct pithi_writer *writer; /* gets the records */
    int is_needed;               /* 0: the times are in order, so records go to the writer without waiting */
    /* 1: the file does not say in which order receives were posted. Then the caller sets `posted` of a receive to the
     * receiver's rank, or to another number that identifies the receiver. When the receive is emitted, its `posted`
     * becomes the count of earlier receives of the same receiver. */
    int counts_receives;
    int (*drops)(void *context, const struct pithlog_record *record); /* NULL, or returns 1 to leave the record out, 0
                                                                         to keep it, -1 if memory runs out */
    void *context;
    struct pithi_leaves *leaves; /* looks at each record that is emitted (pithi_leaves_look); NULL: no such check */
    uint64_t late;               /* number of records that came too late to be put in order */
    /* Internal, zero at first. */
    struct pithi_map received;
    uint64_t order;
    int64_t last_ns; /* the latest time emitted; valid if has_last */
    int has_last;    /* 1: last_ns is set */
    uint32_t count, room;
    struct pithi_reorder_waiting *heap; /* [count] the earliest first */
};
int pithi_reorder_add(struct pithi_reorder *reorder, const struct pithlog_record *record); /* copies the payload */
/* Adds the records of one event of MPE's formats, which may end one state and start another. The leave and the enter
 * are copies of `record` with another kind and id. `ends` and `starts` are the definitions of the two states, + 1, or 0
 * if no state ends or starts. `info` is NULL, or an event record with the payload, which is added inside the state. */
int pithi_reorder_states(struct pithi_reorder *reorder, struct pithlog_record *record, uint32_t ends, uint32_t starts,
                         const struct pithlog_record *info);
int pithi_reorder_end(struct pithi_reorder *reorder); /* emits the rest */
void pithi_reorder_free(struct pithi_reorder *reorder);

#endif
