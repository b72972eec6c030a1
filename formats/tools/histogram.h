/* histogram.h - percentiles of any number of lengths in 15 KB.
 *
 * Concept: buckets that grow with the value. Each power of two is cut into 32 equal buckets, and values below 32 have
 * one each; so a bucket is never wider than 1/32 = 3.1 % of its values. A percentile is the middle of the bucket in
 * which it falls: at most 1.6 % off. Worked: 1000 ns lies in 512..1023, cut into buckets of 16; it is in 992..1007,
 * shown as 999. (The idea is known from HdrHistogram.) Smallest, largest, sum and count are exact.
 */
#ifndef PITHI_HISTOGRAM_H
#define PITHI_HISTOGRAM_H

#include <stdint.h>

enum { PITHI_HISTOGRAM_BUCKETS = 60 * 32 };

struct pithi_lengths {
    uint64_t count;
    int64_t min, max;
    double sum;
};

struct pithi_histogram {
    struct pithi_lengths all;
    uint64_t buckets[PITHI_HISTOGRAM_BUCKETS];
};

/* Adds a length; negative ones (clocks that disagree) count as 0 in the buckets, as they are in `all`. A struct of
 * zeros is empty. */
void pithi_lengths_add(struct pithi_lengths *lengths, int64_t value);
void pithi_histogram_add(struct pithi_histogram *histogram, int64_t value);

/* The smallest value that `percent` of all are not above; 0 when empty. */
int64_t pithi_histogram_percentile(const struct pithi_histogram *histogram, double percent);
int64_t pithi_lengths_mean(const struct pithi_lengths *lengths);

#endif
