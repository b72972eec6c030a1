/* histogram.h - percentiles of any number of lengths, in 15 KB of memory.
 *
 * The histogram counts how many lengths lie in each bucket, an interval of values. Each value below 32 has a bucket of
 * its own; above, the values from a power of two to the next are divided into 32 equal buckets. So a bucket's width is
 * at most 1/32 = 3.1 % of its values. A percentile is given as the middle of the bucket in which it lies, so its error
 * is at most 1.6 %. Smallest, largest, sum and count are exact. (The idea is known from HdrHistogram.)
 *
 *     1000 ns lies in 512..1023, in buckets of 16 ns: its bucket is 992..1007, shown as 999
 */
#ifndef PITHI_HISTOGRAM_H
#define PITHI_HISTOGRAM_H

#include <stdint.h>

enum { PITHI_HISTOGRAM_BUCKETS = 60 * 32 }; /* 60 groups of 32 buckets: the values below 32, then 59 powers of two */

struct pithi_lengths {
    uint64_t count;
    int64_t min, max;
    double sum;
};

struct pithi_histogram {
    struct pithi_lengths all;
    uint64_t buckets[PITHI_HISTOGRAM_BUCKETS]; /* [i]: the number of lengths in bucket i */
};

/* These two functions add a length. A negative length, which occurs if clocks disagree, is counted in the bucket of 0,
 * and with its exact value in `all`. A struct of zeros is empty. */
void pithi_lengths_add(struct pithi_lengths *lengths, int64_t value);
void pithi_histogram_add(struct pithi_histogram *histogram, int64_t value);

/* Returns the smallest value such that `percent` % of all values are at most as large; 0 if there are no values. */
int64_t pithi_histogram_percentile(const struct pithi_histogram *histogram, double percent);
int64_t pithi_lengths_mean(const struct pithi_lengths *lengths);

#endif
