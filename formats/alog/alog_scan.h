/* alog_scan.h - the first pass over an ALOG file: header lines (wherever they stand), the numbers that events use, and
 * whether times are in order. The second pass (alog_read.c) makes the records.
 *
 * Event numbers. A number is the start of a state, the end of one, both, or a solo event. Solo events keep DATA and the
 * comment as a payload; which of them a number has decides its format:
 *     its -10 line has one token, %d or %s:   that format, with DATA or the comment
 *     some event has a comment:               "data=%d comment=%s"
 *     some event has DATA that is not 0:      "data=%d"
 *     else:                                   none
 */
#ifndef PITHI_ALOG_SCAN_H
#define PITHI_ALOG_SCAN_H

#include "alog/alog_line.h"
#include "foreign/lookup.h"
#include "format.h"

#define PITHI_ALOG_DATA_FORMAT "data=%d"
#define PITHI_ALOG_TEXT_FORMAT "data=%d comment=%s"

enum { PITHI_ALOG_PROCESSES_MAX = 1 << 17 }; /* larger process numbers are not believed */

/* What DATA and the comment become. */
enum pithi_alog_payload { PITHI_ALOG_NOTHING, PITHI_ALOG_DATA, PITHI_ALOG_TEXT, PITHI_ALOG_BOTH };

struct pithi_alog_event {
    int64_t type;
    uint32_t starts, ends; /* state + 1; 0: none */
    uint32_t solo;         /* event type + 1 */
    enum pithi_alog_payload payload;
    int used, has_data, has_comment;
    const char *name, *format; /* of its -9 and -10 lines, not terminated */
    size_t name_size, format_size;
};

struct pithi_alog_process {
    int32_t rank;
    uint32_t thread;
    uint32_t lane; /* + 1; 0: not made yet */
    char *name;    /* malloc'ed, NULL: none */
    int seen;
    int64_t last_ns;
    uint64_t received;
};

struct pithi_alog_scan {
    const struct pithi_input *input;
    size_t size;         /* of the input without a last line that was cut */
    size_t passed;       /* see foreign/passed.h */
    int cut;             /* the file ends inside its last line */
    int counted;         /* there is a -2 line */
    uint64_t told, seen; /* lines of events: as the -2 line counts them, 0: it does not; those there are */
    int64_t start_ns;    /* what readers of ALOG subtract */
    int64_t rollover_ns;
    int64_t processes; /* of the -3 line, else 0 */
    int has_start, disorder;
    int own;                   /* Pith has written it: its times are the log's, whatever -6 says */
    int64_t first_ns, last_ns; /* of the events; INT64_MAX, INT64_MIN: none */
    int64_t end_ns;            /* of the -7 line; INT64_MIN: there is none */
    uint64_t ignored_states;
    uint32_t numbers_told; /* event_numbers.h */
    struct pithi_alog_event *events;
    uint32_t event_count, event_size;
    struct pithi_lookup event_of; /* type -> index + 1 */
    struct pithi_alog_process *process;
    uint32_t process_count, process_size;
    struct pithi_lookup process_of; /* number -> index + 1 */
};

/* Reads all lines and adds the definitions to `defs`. pithi_alog_scan_free after success and failure. */
int pithi_alog_scan(struct pithi_alog_scan *scan, const struct pithi_input *input, struct pithi_defs *defs);
void pithi_alog_scan_free(struct pithi_alog_scan *scan);

/* The line that begins at *at (good lines only; blank ones are passed over): 1 and *at behind it, 0 at the end, -1
 * bad. */
int pithi_alog_next(struct pithi_alog_scan *scan, size_t *at, struct pithi_alog_line *line);

/* The whole time of an event's line, with its clock cycles. 0: out of range. */
int pithi_alog_time(const struct pithi_alog_scan *scan, const struct pithi_alog_line *line, int64_t *time_ns);

/* By number, made when new; NULL: out of memory. */
struct pithi_alog_event *pithi_alog_event(struct pithi_alog_scan *scan, int64_t type);
struct pithi_alog_process *pithi_alog_process(struct pithi_alog_scan *scan, int64_t number);

#endif
