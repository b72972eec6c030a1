/* alog_line.h - one line of an ALOG file: TYPE PROC TASK DATA CYCLE TIMESTAMP [COMMENT]. */
#ifndef PITHI_ALOG_LINE_H
#define PITHI_ALOG_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Line types below 0 that mean something. */
enum pithi_alog_type {
    PITHI_ALOG_CREATOR = -1,
    PITHI_ALOG_EVENTS = -2,
    PITHI_ALOG_PROCESSES = -3,
    PITHI_ALOG_TASKS = -4,
    PITHI_ALOG_EVENT_TYPES = -5,
    PITHI_ALOG_START = -6,
    PITHI_ALOG_END = -7,
    PITHI_ALOG_CYCLES = -8,
    PITHI_ALOG_EVENT_NAME = -9,
    PITHI_ALOG_EVENT_FORMAT = -10,
    PITHI_ALOG_ROLLOVER = -11,
    PITHI_ALOG_STATE = -13,
    PITHI_ALOG_PROCESS_NAME = -15,
    PITHI_ALOG_SYNC = -100,
    PITHI_ALOG_SEND = -101,
    PITHI_ALOG_RECV = -102
};

struct pithi_alog_line {
    int64_t type, proc, task, data, cycle;
    int64_t time_ns;     /* of the TIMESTAMP alone */
    const char *comment; /* not terminated; blanks at both ends are left out */
    size_t comment_size;
};

enum pithi_alog_status { PITHI_ALOG_GOOD, PITHI_ALOG_BLANK, PITHI_ALOG_BAD };

/* Reads the line text[size] (without its newline). Blank lines and those that begin with '#' are BLANK. When it is BAD,
 * *wrong says why. */
enum pithi_alog_status pithi_alog_line_read(const char *text, size_t size, struct pithi_alog_line *line,
                                            const char **wrong);

/* A blank-separated integer at *at, before `end`: 1 and *at behind it; 0 when there is none. */
int pithi_alog_integer(const char **at, const char *end, int64_t *value);

/* 1: an event of the program or a message; 0: a header line, or a sync line of a merge, which has no meaning. */
static inline int pithi_alog_is_event(int64_t type) { return type >= 0 || type < PITHI_ALOG_SYNC; }

#endif
