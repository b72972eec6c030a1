/* bins.h - counts lengths of time in bins of half powers of two (up to 95 ns, 96-127, 128-191, 192-255 ...), for
 * percentiles. */
#ifndef PITHI_BINS_H
#define PITHI_BINS_H

#include <stdint.h>

enum { PITHI_BINS = 64, PITHI_LEAST_BIN = 12 }; /* half powers of two up to 64 ns share bin 0 */
struct pithi_bins {
    uint32_t counts[PITHI_BINS], all; /* number of lengths in each bin, and in all bins */
    double sums[PITHI_BINS];          /* sum of the lengths in each bin */
};

static inline unsigned pithi_log2(uint64_t value) { return 63 - (unsigned)__builtin_clzll(value | 1); }

static inline void pithi_bins_add(struct pithi_bins *bins, int64_t ns)
{
    unsigned log2 = pithi_log2((uint64_t)ns), bin = 2 * log2 + (log2 > 0 && (ns >> (log2 - 1) & 1));

    bin = bin < PITHI_LEAST_BIN ? 0 : bin - PITHI_LEAST_BIN;
    bin = bin < PITHI_BINS ? bin : PITHI_BINS - 1;
    bins->counts[bin]++;
    bins->sums[bin] += (double)ns;
    bins->all++;
}

/* Returns the mean of the bin in which 1 / part of all lengths is reached. With a `part` of 2 this is the median, with
 * 10 the 10th percentile. */
static inline double pithi_bins_part(const struct pithi_bins *bins, uint32_t part)
{
    uint32_t below = 0, bin = 0;

    while (bin < PITHI_BINS - 1 && (below += bins->counts[bin]) * (uint64_t)part < bins->all)
        bin++;
    return bins->sums[bin] / bins->counts[bin];
}
static inline double pithi_bins_median(const struct pithi_bins *bins) { return pithi_bins_part(bins, 2); }

#endif
