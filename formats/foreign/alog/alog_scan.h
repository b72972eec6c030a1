/* alog_scan.h - the lines of an ALOG file, TYPE PROC TASK DATA CYCLE TIMESTAMP [COMMENT], and the first pass over
 * them. The first pass reads the header lines (which may stand anywhere), finds out how each event number is used, and
 * checks whether times are in order. The second pass (alog_read.c) makes the records.
 *
 * An event number starts a state, ends a state, or does both. A number that does neither stands for a solo event. DATA
 * and the comment of a solo event become its payload. The format of the payload depends on all events with this number:
 *     the -10 line of the number has one token, %d or %s:   that format, with DATA or the comment
 *     some event has a comment:                             "data=%d comment=%s"
 *     some event has DATA that is not 0:                    "data=%d"
 *     otherwise:                                            no payload */
#ifndef PITHI_ALOG_SCAN_H
#define PITHI_ALOG_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "foreign/reading.h"
#include "reader/read/format.h"

/* The line types below 0 that have a meaning. */
enum pithi_alog_type {
    PITHI_ALOG_CREATOR = -1,   /* comment: the program that wrote the file */
    PITHI_ALOG_EVENTS = -2,    /* data: number of event lines */
    PITHI_ALOG_PROCESSES = -3, /* data: number of processes */
    PITHI_ALOG_TASKS = -4,
    PITHI_ALOG_EVENT_TYPES = -5,   /* data: number of event types */
    PITHI_ALOG_START = -6,         /* time: start of the log */
    PITHI_ALOG_END = -7,           /* time: end of the log */
    PITHI_ALOG_CYCLES = -8,        /* data: number of times that the clock started again */
    PITHI_ALOG_EVENT_NAME = -9,    /* data: an event type; comment: its name */
    PITHI_ALOG_EVENT_FORMAT = -10, /* data: an event type; comment: a printf format for the data of this event type */
    PITHI_ALOG_ROLLOVER = -11,     /* time: the time at which the clock starts again from 0 */
    PITHI_ALOG_STATE = -13,        /* task, data: the event types of begin and end; comment: colour, name */
    PITHI_ALOG_PROCESS_NAME = -15, /* process; comment: its name */
    PITHI_ALOG_SYNC = -100,        /* written by programs that merge files and compare clocks */
    PITHI_ALOG_SEND = -101,        /* data: the receiver; comment: tag, bytes */
    PITHI_ALOG_RECV = -102         /* data: the sender; comment: tag, bytes */
};

struct pithi_alog_line {
    int64_t type, proc, task, data, cycle; /* the columns of the line */
    int64_t time_ns;                       /* from TIMESTAMP only, without CYCLE */
    const char *comment;                   /* not NUL-terminated; without blanks at either end */
    size_t comment_size;                   /* bytes of `comment` */
};

enum pithi_alog_status { PITHI_ALOG_GOOD, PITHI_ALOG_BLANK, PITHI_ALOG_BAD };

/* Reads the line text[size], without its newline. A blank line or a line that begins with '#' is BLANK. If the line is
 * BAD, *wrong is the reason. */
enum pithi_alog_status pithi_alog_line_read(const char *text, size_t size, struct pithi_alog_line *line,
                                            const char **wrong);

/* Reads an integer at *at that is followed by a blank or `end`. Returns 1 and moves *at past the integer, or returns 0
 * if there is no such integer. */
int pithi_alog_integer(const char **at, const char *end, int64_t *value);

/* Returns 1 if a line of this type is an event of the program or a message. Returns 0 for a header line and for a sync
 * line, which the log does not need. */
static inline int pithi_alog_is_event(int64_t type) { return type >= 0 || type < PITHI_ALOG_SYNC; }

#define PITHI_ALOG_DATA_FORMAT "data=%d"
#define PITHI_ALOG_TEXT_FORMAT "data=%d comment=%s"

enum { PITHI_ALOG_PROCESSES_MAX = 1 << 17 }; /* larger process numbers are rejected */

/* The contents of a payload: none, DATA, the comment, or both. */
enum pithi_alog_payload { PITHI_ALOG_NOTHING, PITHI_ALOG_DATA, PITHI_ALOG_TEXT, PITHI_ALOG_BOTH };

struct pithi_alog_event {
    int64_t type;                    /* the number in the file */
    uint32_t starts, ends;           /* the state that the number begins, ends; stored + 1; 0: none */
    uint32_t solo;                   /* the event type of a solo event, stored + 1 */
    enum pithi_alog_payload payload; /* what the payloads of this number contain */
    int used, has_data, has_comment;
    const char *name, *format;     /* from its -9 and -10 lines, not NUL-terminated */
    size_t name_size, format_size; /* their bytes */
};

struct pithi_alog_process {
    int32_t rank; /* -1: not known */
    uint32_t thread;
    uint32_t lane;     /* lane + 1; 0 if not made yet */
    char *name;        /* malloc'ed, NULL if none */
    int seen;          /* 1: a line belongs to it */
    int64_t last_ns;   /* time of its last line so far, to notice times that decrease */
    uint64_t received; /* number of receives so far */
};

struct pithi_alog_scan {
    const struct pithi_input *input;
    struct pithi_lines lines;  /* the lines of the file, without a last line that was cut */
    int cut;                   /* the file ends inside its last line */
    int counted;               /* 1: there is a -2 line, which has the number of event lines */
    uint64_t told, seen;       /* number of event lines: `told` by the -2 line (0 if unknown), `seen` in the file */
    int64_t start_ns;          /* start of the log; subtracted from all times */
    int64_t rollover_ns;       /* the time at which the clock starts again from 0 */
    int64_t processes;         /* from the -3 line, else 0 */
    int has_start, disorder;   /* has_start: there is a -6 line; disorder: 1: times decrease, so records must be
                                  sorted */
    int own;                   /* written by Pith: its times are the log's times, whatever -6 says */
    int64_t first_ns, last_ns; /* times of events; INT64_MAX, INT64_MIN if there are none */
    int64_t end_ns;            /* from the -7 line; INT64_MIN if there is none */
    uint64_t ignored_states;   /* number of state definitions that were left out because an earlier one uses their
                                  numbers */
    uint32_t numbers_told;     /* number of event numbers stored as properties of the log (native/event_numbers.h) */
    struct pithi_alog_event *events; /* [event_count] */
    uint32_t event_count, event_size;
    struct pithi_map event_of;          /* type -> index + 1 */
    struct pithi_alog_process *process; /* [process_count] */
    uint32_t process_count, process_size;
    struct pithi_map process_of; /* number -> index + 1 */
};

/* Reads all lines and adds the definitions to `defs`. Call pithi_alog_scan_free after success and after failure. */
int pithi_alog_scan(struct pithi_alog_scan *scan, const struct pithi_input *input, struct pithi_defs *defs);
void pithi_alog_scan_free(struct pithi_alog_scan *scan);

/* Reads the next line that is not blank. Returns 1 for a good line, 0 at the end of the file, -1 for a bad line. */
int pithi_alog_next(struct pithi_alog_scan *scan, struct pithi_alog_line *line);

/* Computes the time of an event line from its TIMESTAMP and CYCLE. Returns 0 if the time is out of range. */
int pithi_alog_time(const struct pithi_alog_scan *scan, const struct pithi_alog_line *line, int64_t *time_ns);

/* The first function returns the entry of an event number, the second one that of a process number. Both make the entry
 * if there is none, and return NULL if memory runs out. */
struct pithi_alog_event *pithi_alog_event(struct pithi_alog_scan *scan, int64_t type);
struct pithi_alog_process *pithi_alog_process(struct pithi_alog_scan *scan, int64_t number);

#endif
