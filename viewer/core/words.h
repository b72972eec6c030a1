/* words.h - what people type on command lines and in scripts: times, sizes of pictures, lists of lanes. */
#ifndef PITHI_WORDS_H
#define PITHI_WORDS_H

#include <stdint.h>

#include "core/digest.h"

/* "1.5" seconds, or with a unit: "3ms", "20us", "7ns", "2s". 0, or -1: no time. */
int pithi_time_parse(const char *text, int64_t *time_ns);

/* "1200x400" or "1200" (height 0). 0 or -1. */
int pithi_size_parse(const char *text, int *width, int *height);

/* Ranks first to last, of each one thread or all (-1): "3", "0.1", "0-3". */
struct pithi_lane_range {
    long first, last, thread;
};
/* Reads one from the front of a list and the comma behind it: 1; 0 at the end; -1: no such list. */
int pithi_lane_range_next(const char **text, struct pithi_lane_range *range);
int pithi_lane_range_has(const struct pithi_lane_range *range, const struct pithlog_lane *lane);

/* Keeps of rows[*count] those of the lanes in a list of ranks, ranges of ranks, each with a thread or all: "3", "0.1",
 * "0-3,7.0". 0; -1: not such a list. */
int pithi_rows_choose(const struct pithlog *log, const char *list, struct pithi_row *rows, uint32_t *count);

/* The window to show when nothing else is said: all records. Always t0 < t1. */
void pithi_whole_window(const struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns);

#endif
