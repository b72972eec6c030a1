/* words.h - parses sizes and lists of lanes from command lines and scripts, finds intervals of a log that are
 * usually shown, and makes names from logs printable. */
#ifndef PITHI_WORDS_H
#define PITHI_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "core/rows/rows.h"

/* Parses a size in pixels, such as "1200x400", or a width, such as "1200", which sets *height to 0. Returns 0; or -1 if
 * the text is neither of them, or a number is not from 1 to 100000. */
int pithi_size_parse(const char *text, int *width, int *height);

/* The ranks `first` to `last`, with one thread or all threads of each: "3", "0.1", "0-3". */
struct pithi_lane_range {
    long first, last, thread; /* first <= last; thread -1: all */
};
/* Reads the first range of a list and the comma after it, and moves *text behind them. Returns 1; 0 if the list is
 * empty; -1 if the text is not such a list. */
int pithi_lane_range_next(const char **text, struct pithi_lane_range *range);
int pithi_lane_range_has(const struct pithi_lane_range *range, const struct pithlog_lane *lane);

/* Keeps the rows of rows[*count] whose lanes are in a list of ranks or ranges of ranks, each with a thread or all
 * threads: "3", "0.1", "0-3,7.0". Returns 0; or -1 if the text is not such a list. */
int pithi_rows_choose(const struct pithlog *log, const char *list, struct pithi_row *rows, uint32_t *count);

/* Sets the default window, which has all records. Always t0 < t1. */
void pithi_whole_window(const struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns);
/* Sets the window to the time from the begin of MPI_Init to the end of MPI_Finalize. In a short run most of the time is
 * start-up, which is rarely of interest. If the log lacks one of the two calls, the window begins or ends with the log.
 * Always t0 < t1. */
void pithi_work_window(struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns);

/* Returns the first state with this name, or UINT32_MAX if there is none. */
uint32_t pithi_state_named(const struct pithlog *log, const char *name);
/* Returns "; did you mean MPI_Send?" with the name of a definition that is nearest to `name`, or "" if none is near. If
 * `states` is 1, only the names of states are compared. */
struct pithi_nearest;
const char *pithi_nearest_name(struct pithi_nearest *nearest, const struct pithlog *log, const char *name, int states);

/* ---- Names from logs --------------------------------------------------------------------------------------------- */

/* Copies at most size - 1 bytes of `text`. Control characters and invalid UTF-8 become '?'; with `ascii`, so do all
 * characters that are not ASCII. Directional marks become "\u202e" and so on, because they would reorder the text
 * around them. Characters are not cut. Returns `out`. */
char *pithi_clean(char *out, size_t size, const char *text, int ascii);

/* Returns the number of characters in a text that pithi_clean has made. */
int pithi_columns(const char *text);

#endif
