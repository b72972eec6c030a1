/* histogram.h - percentiles of any number of lengths, in 15 KB.
 *
 * Buckets grow with the value: each power of two is divided into 32 equal buckets, and each value below 32 has its own.
 * So a bucket is at most 1/32 = 3.1 % as wide as its values. The percentile is the middle of its bucket, so its error
 * is at most 1.6 %. Smallest, largest, sum and count are exact. (The idea is known from HdrHistogram.)
 *
 *     1000 ns lies in 512..1023, in buckets of 16 ns: its bucket is 992..1007, shown as 999
 */
#ifndef PITHI_HISTOGRAM_H
#define PITHI_HISTOGRAM_H

#include <stdint.h>

enum { PITHI_HISTOGRAM_BUCKETS = 60 * 32 }; /* 60 powers of two, 32 classes in each */

struct pithi_lengths {
    uint64_t count;
    int64_t min, max;
    double sum;
};

struct pithi_histogram {
    struct pithi_lengths all;
    uint64_t buckets[PITHI_HISTOGRAM_BUCKETS]; /* [i] lengths of class i */
};

/* Adds a length. A negative one (clocks disagree) goes to the bucket of 0, but is exact in `all`. A struct of zeros is
 * empty. */
void pithi_lengths_add(struct pithi_lengths *lengths, int64_t value);
void pithi_histogram_add(struct pithi_histogram *histogram, int64_t value);

/* The smallest value for which `percent` % of all values are not larger than it; 0 if there are no values. */
int64_t pithi_histogram_percentile(const struct pithi_histogram *histogram, double percent);
int64_t pithi_lengths_mean(const struct pithi_lengths *lengths);

#endif
