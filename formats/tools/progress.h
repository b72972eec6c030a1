/* progress.h - long work says how far it is, on a terminal, on one line that goes away at the end:
 *
 *     pith: convert: 43 %, 12.3 Mrecords/s, 7 s left
 *
 * The work itself only counts; a timer looks twice a second, so that it costs nothing. One at a time. */
#ifndef PITHI_PROGRESS_H
#define PITHI_PROGRESS_H

#include <stdint.h>

struct pithi_progress {
    const char *command;                   /* "convert" */
    uint64_t (*done)(const void *context); /* called from a signal handler: only what is safe there */
    const void *context;
    uint64_t total;   /* 0: not known; then what is done is shown, no part and no time left */
    const char *unit; /* of both: "records", "B" */
};

/* Shows it until pithi_progress_end. Nothing where stderr is no terminal. */
void pithi_progress_begin(const struct pithi_progress *progress);
void pithi_progress_end(void);
/* Before a line is printed meanwhile: makes room. */
void pithi_progress_clear(void);

/* For `done`: the context is a volatile uint64_t that the work counts up. */
uint64_t pithi_progress_count(const void *context);

/* For work that tells which part of it is done, as pithlog_open_watched: shows that, of `bytes`, until
 * pithi_progress_end. The second is the function to be told; it gives 0. */
void pithi_progress_begin_part(const char *command, uint64_t bytes);
int pithi_progress_part(void *context, double part);

#endif
