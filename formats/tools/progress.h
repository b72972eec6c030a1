/* progress.h - long work says how far it is, on a terminal, on one line that goes away at the end.
 *
 * The work itself only counts; a timer looks twice a second, so that it costs nothing. One at a time. */
#ifndef PITHI_PROGRESS_H
#define PITHI_PROGRESS_H

#include <stdint.h>

struct pithi_progress {
    const char *what;                      /* "pith: checking" */
    uint64_t (*done)(const void *context); /* called from a signal handler: only what is safe there */
    const void *context;
    uint64_t total;   /* shown as a percentage; 0: not known, `done` is shown in units */
    const char *unit; /* then: " MB" */
};

/* Shows it until pithi_progress_end. Nothing where stderr is no terminal. */
void pithi_progress_begin(const struct pithi_progress *progress);
void pithi_progress_end(void);

/* For `done`: the context is a volatile uint64_t that the work counts up. */
uint64_t pithi_progress_count(const void *context);

#endif
