/* lengths.h - how long the instances of a state last: the list behind a histogram of lengths, and what is asked of it.
 *
 * What counts: every instance that reaches into the window, with its whole length: those that began before t1 and ended
 * at t0 or later, as many as the legend counts. A state inside itself counts each time. A state that never ended
 * lasts until the log's last record. Of messages: those between two of the lanes that are under way in the window, with
 * the time from send to receive (negative where clocks disagree).
 *
 * Memory: an entry (64 bytes) for each instance, up to PITHI_LENGTHS_EXACT of them. From then on lengths are rounded to
 * their first 11 binary digits (0.05 %) and an entry stands for all that look alike; how many, their total, the
 * shortest and the longest stay exact. (Buckets that grow with the value are known from HdrHistogram.)
 */
#ifndef PITHI_LENGTHS_H
#define PITHI_LENGTHS_H

#include <stdint.h>

#include <pithlog.h>

#include "core/watch.h"

enum { PITHI_LENGTHS_EXACT = 1 << 18, PITHI_MOST_BINS = 200 };
#define PITHI_MESSAGES (UINT32_MAX - 1) /* instead of a state: messages */

struct pithi_lengths_query {
    int64_t t0_ns, t1_ns; /* t0 < t1 */
    const uint32_t *lanes;
    uint32_t lane_count;
    uint32_t state; /* definition, or PITHI_MESSAGES */
    const struct pithlog_digest *digest; /* for messages; NULL: they are matched anew */
    struct pithi_watch watch;
};

/* An entry: one instance, or `count` of nearly the same length, of which the longest is known by its place. */
struct pithi_length {
    int64_t length_ns; /* the mean of all */
    int64_t total_ns;
    uint64_t count;
    int64_t start_ns, end_ns;
    uint32_t lane, peer; /* peer: the receiver's, of a message; else `lane` again */
    uint64_t bytes;      /* of a message, and its tag */
    int32_t tag;
};

struct pithi_length_list {
    struct pithi_length *items; /* by length, rising */
    uint32_t count, capacity;
    int64_t min_ns, max_ns;
    int exact; /* 1: an entry is an instance */
};

/* 0 or an enum pith_err; a damaged part of a lane is left out and told by PITH_ERR_DAMAGED. `list` is to be freed in
 * any case. Cost: reads the window's records of the lanes, and on until the instances open at its end are over; of
 * messages see messages.h. */
int pithi_lengths_run(struct pithlog *log, const struct pithi_lengths_query *query, struct pithi_length_list *list);
void pithi_lengths_free(struct pithi_length_list *list);

/* Of the entries with low <= length <= high. All 0 when there are none. */
struct pithi_spread {
    uint64_t count;
    int64_t total_ns, min_ns, max_ns, median_ns, p95_ns; /* the smallest length that so many are not above */
    double mean_ns, deviation_ns;                        /* of all, not of a sample */
};
struct pithi_spread pithi_lengths_spread(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns);

/* Cuts [low, high] into `count` bins, equally wide or, logarithmic, each as much wider than the one before it; fewer
 * when they would be narrower than a nanosecond. Returns how many; count 1 to PITHI_MOST_BINS. */
struct pithi_bin {
    int64_t from_ns, to_ns; /* from <= length < to */
    uint64_t count;
    int64_t total_ns;
};
uint32_t pithi_lengths_bins(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns, int logarithmic,
                            uint32_t count, struct pithi_bin *bins);

/* The entry with the `number`th longest length (from 0) in [low, high]; NULL: there are not so many. */
const struct pithi_length *pithi_lengths_nth(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns,
                                             uint32_t number);

#endif
