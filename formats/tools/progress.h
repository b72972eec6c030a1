/* progress.h - shows the progress of long work on one line of a terminal, which it clears at the end:
 *
 *     pith: convert: 43 %, 12.3 Mrecords/s, 7 s left
 *
 * The working code only increments a count, which a timer reads twice a second. So progress costs almost nothing. A
 * process can show only one progress at a time. */
#ifndef PITHI_PROGRESS_H
#define PITHI_PROGRESS_H

#include <stdint.h>

struct pithi_progress {
    const char *command;                   /* the command that does the work, such as "convert" */
    uint64_t (*done)(const void *context); /* called from a signal handler: must be async-signal-safe */
    const void *context;
    uint64_t total;   /* 0: unknown; shows neither a percentage nor the time left */
    const char *unit; /* unit of `done` and `total`: "records", "B" */
};

/* Shows progress until pithi_progress_end. Does nothing if stderr is no terminal. */
void pithi_progress_begin(const struct pithi_progress *progress);
void pithi_progress_end(void);
/* Clears the line; call it before printing another line. */
void pithi_progress_clear(void);

/* A function for the field `done`. The field `context` must then point to a volatile uint64_t, which the work
 * increments. */
uint64_t pithi_progress_count(const void *context);

/* Shows the progress of a function that calls a callback with the fraction that is done, such as pithlog_open_watched,
 * as this fraction of `bytes`, until pithi_progress_end. The callback to pass to the function is pithi_progress_part,
 * which returns 0. */
void pithi_progress_begin_part(const char *command, uint64_t bytes);
int pithi_progress_part(void *context, double part);

#endif
