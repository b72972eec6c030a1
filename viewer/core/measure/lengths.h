/* lengths.h - how long the instances of a state last: the list behind a histogram of durations.
 *
 * Every instance that reaches into the window counts, with its whole duration: those that begin before t1 and end at t0
 * or later, as in the legend. A state inside itself counts each time. A state that never ends lasts until the log's
 * last record. Messages count if they are in transit in the window between two of the lanes; their duration is the
 * latency (negative where clocks disagree).
 *
 * Memory: an entry (64 bytes) for each instance, up to PITHI_LENGTHS_EXACT. Beyond that, durations are rounded to their
 * first 11 binary digits (0.05 %), and an entry stands for all instances with the same rounded duration; their number,
 * their total, the shortest and the longest stay exact. (HdrHistogram uses such buckets.) */
#ifndef PITHI_LENGTHS_H
#define PITHI_LENGTHS_H

#include <stdint.h>

#include <pithlog.h>

#include "core/cells/query.h"

enum { PITHI_LENGTHS_EXACT = 1 << 18, PITHI_MOST_BINS = 200 };
/* Instead of a state: the transfer times of messages, or their sizes. For sizes, all lengths are in bytes instead of
 * ns. */
#define PITHI_MESSAGES (UINT32_MAX - 1)
#define PITHI_MESSAGE_SIZES (UINT32_MAX - 2)

struct pithi_lengths_query {
    int64_t t0_ns, t1_ns; /* t0 < t1 */
    const uint32_t *lanes;
    uint32_t lane_count;
    uint32_t state;                      /* definition, or one of the above */
    const struct pithlog_digest *digest; /* for messages; NULL: they are matched again */
    struct pithi_watch watch;
};

/* An instance, or `count` instances of nearly the same length. Start, end and lanes are those of the longest
 * instance. */
struct pithi_length {
    int64_t length_ns; /* the mean of all */
    int64_t total_ns;
    uint64_t count;
    int64_t start_ns, end_ns;
    uint32_t lane, peer; /* peer: the receiver of a message; else the same as `lane` */
    uint64_t bytes;      /* of a message, and its tag */
    int32_t tag;
};

struct pithi_length_list {
    struct pithi_length *items; /* by length, rising */
    uint32_t count, capacity;
    int64_t min_ns, max_ns;
    int exact; /* 1: an entry is an instance */
};

/* Reads the records of the lanes in the window, and continues until the instances open at its end have ended; for
 * messages see messages.h. 0 or an enum pith_err; PITH_ERR_DAMAGED: a damaged part of a lane was skipped. Free the list
 * in any case. */
int pithi_lengths_run(struct pithlog *log, const struct pithi_lengths_query *query, struct pithi_length_list *list);
void pithi_lengths_free(struct pithi_length_list *list);

/* Statistics of the entries with low <= length <= high; all 0 if there are none. */
struct pithi_spread {
    uint64_t count;
    int64_t total_ns, min_ns, max_ns, median_ns, p95_ns; /* nearest-rank percentiles */
    double mean_ns, deviation_ns;                        /* of the population */
};
struct pithi_spread pithi_lengths_spread(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns);

/* Divides [low, high] into `count` bins, 1 to PITHI_MOST_BINS, of equal width or, logarithmic, of equal ratio. Makes
 * fewer if they would be narrower than a nanosecond. Returns their number. */
struct pithi_bin {
    int64_t from_ns, to_ns; /* from <= length < to */
    uint64_t count;
    int64_t total_ns;
};
uint32_t pithi_lengths_bins(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns, int logarithmic,
                            uint32_t count, struct pithi_bin *bins);

/* The entry with the `number`th longest length (from 0) in [low, high]; NULL: there are fewer. */
const struct pithi_length *pithi_lengths_nth(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns,
                                             uint32_t number);

#endif
