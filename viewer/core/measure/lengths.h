/* lengths.h - how long the instances of a state last: the list behind a histogram of durations.
 *
 * Every instance that reaches into the window counts, with its whole duration: it begins before t1 and ends at t0 or
 * later, as in the legend. If a state is inside itself, both instances count. A state that never ends lasts until the
 * log's last record. Messages count if they are in transit in the window between two of the lanes; their duration is
 * the latency (negative where clocks disagree).
 *
 * Memory: an entry (64 bytes) for each instance, up to PITHI_LENGTHS_EXACT. Beyond that, durations are rounded to their
 * first 11 binary digits (0.05 %), and an entry stands for all instances with the same rounded duration; their number,
 * their total, the shortest and the longest stay exact. (HdrHistogram uses such buckets.)
 *
 * For a map of the lengths over time or by lane (length_map.h), a list with rounded durations also has cells. A cell
 * has the instances at the same place whose durations have the same first 7 binary digits (1.6 %). A place is 1/1024 of
 * the window, or a lane, or a group of lanes if there are more than 1024. Only cells with an instance need memory, 64
 * bytes each. So a place needs at most 4 KB for each power of two of durations. */
#ifndef PITHI_LENGTHS_H
#define PITHI_LENGTHS_H

#include <stdint.h>

#include <pithlog.h>

#include "core/cells/query.h"

/* the most instances that are kept one by one; the most bins of a histogram; places of cells over time or lanes */
enum { PITHI_LENGTHS_EXACT = 1 << 18, PITHI_MOST_BINS = 200, PITHI_LENGTH_PLACES = 1024 };
/* Instead of a state: the latencies of messages. */
#define PITHI_MESSAGES (UINT32_MAX - 1)
/* instead of a state: sizes of messages; then all lengths are in bytes, not ns */
#define PITHI_MESSAGE_SIZES (UINT32_MAX - 2)

/* The second axis of a map of lengths: none, the begin of an instance, or its lane. */
enum pithi_lengths_over { PITHI_OVER_NOTHING, PITHI_OVER_TIME, PITHI_OVER_LANES };

struct pithi_lengths_query {
    int64_t t0_ns, t1_ns; /* t0 < t1 */
    const uint32_t *lanes;
    uint32_t lane_count;
    uint32_t state;                      /* definition, PITHI_MESSAGES or PITHI_MESSAGE_SIZES */
    const struct pithlog_digest *digest; /* for messages; NULL: messages are matched again */
    enum pithi_lengths_over over;        /* which cells a list that is not exact has */
    struct pithi_watch watch;            /* called from time to time */
};

/* An instance, or `count` instances of nearly the same length. Start, end and lanes are those of the longest
 * instance. */
struct pithi_length {
    int64_t length_ns;        /* the mean of all `count` instances */
    int64_t total_ns;         /* the sum of all `count` instances */
    uint64_t count;           /* 1 if exact */
    int64_t start_ns, end_ns; /* begin and end of the longest instance */
    uint32_t lane, peer;      /* peer: the receiver of a message; else the same as `lane` */
    uint64_t bytes;           /* size of a message */
    int32_t tag;              /* tag of a message */
};

struct pithi_length_list {
    struct pithi_length *items; /* by length, rising */
    uint32_t count, capacity;
    int64_t min_ns, max_ns; /* exact, also if the list is not */
    int exact;              /* 1: each entry is one instance */
    /* Used only if the list is not exact: its cells, sorted by length, the shortest first. In a cell, length_ns is
     * the length of the longest instance, not the mean. */
    struct pithi_length *cells;
    uint32_t cell_count, cell_capacity;
    int64_t t0_ns, t1_ns;
    uint32_t *place; /* [lanes of the log]: index of a lane in the query's lanes */
    uint32_t lane_count;
};

/* Returns the place of an instance. Over time, this is the index of one of `count` equal parts of the window; instances
 * that began before the window are in the first part. Over lanes, it is the index of one of `count` groups of lanes. */
uint32_t pithi_length_place(const struct pithi_length_list *list, const struct pithi_length *length,
                            enum pithi_lengths_over over, uint32_t count);

/* Reads the records of the lanes in the window, and continues until the instances that are open at the end of the
 * window have ended; for messages see messages.h. Returns 0 or an enum pith_err. After PITH_ERR_DAMAGED, the list lacks
 * a damaged part of a lane. Free the list in any case. */
int pithi_lengths_run(struct pithlog *log, const struct pithi_lengths_query *query, struct pithi_length_list *list);
void pithi_lengths_free(struct pithi_length_list *list);

/* Statistics of the entries with low <= length <= high; all 0 if there are none. */
struct pithi_spread {
    uint64_t count;                                      /* of all instances in the range */
    int64_t total_ns, min_ns, max_ns, median_ns, p95_ns; /* ns; percentiles by nearest rank */
    double mean_ns, deviation_ns;                        /* ns; the standard deviation of the population */
};
struct pithi_spread pithi_lengths_spread(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns);

/* Divides [low, high] into `count` bins, 1 to PITHI_MOST_BINS, of equal width or, logarithmic, of equal ratio. Makes
 * fewer bins if they would be narrower than a nanosecond. Returns the number of bins. */
struct pithi_bin {
    int64_t from_ns, to_ns; /* from <= length < to */
    uint64_t count;         /* of instances, not of entries */
    int64_t total_ns;       /* the total duration of the instances */
};
uint32_t pithi_lengths_bins(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns, int logarithmic,
                            uint32_t count, struct pithi_bin *bins);
/* Returns the length at the fraction `part` (0 to 1) of the range [low, high]. Bins begin and end at such lengths. */
int64_t pithi_lengths_edge(int64_t low_ns, int64_t high_ns, int logarithmic, double part);

/* Returns the index of the first entry that is at least `length_ns` long. `items` must be sorted by length. */
uint32_t pithi_lengths_first(const struct pithi_length *items, uint32_t count, int64_t length_ns);
/* Returns the entry with the `number`th longest length (from 0) in [low, high], or NULL if there are fewer. */
const struct pithi_length *pithi_lengths_nth(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns,
                                             uint32_t number);

#endif
