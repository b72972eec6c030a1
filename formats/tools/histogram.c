/* histogram.c - buckets by the highest six bits of a value (histogram.h). */
#include "tools/histogram.h"

#include <math.h>

static unsigned bucket_of(uint64_t value)
{
    if (value < 32)
        return (unsigned)value;
    unsigned shift = 58u - (unsigned)__builtin_clzll(value); /* 0 for values from 32 to 63, 1 from 64 to 127 */
    return (shift + 1) * 32 + (unsigned)(value >> shift & 31);
}

static uint64_t bucket_middle(unsigned bucket)
{
    if (bucket < 64)
        return bucket;
    unsigned shift = bucket / 32 - 1;
    uint64_t first = (uint64_t)(32 + bucket % 32) << shift;
    return first + ((UINT64_C(1) << shift) - 1) / 2;
}

void pithi_lengths_add(struct pithi_lengths *lengths, int64_t value)
{
    if (lengths->count == 0 || value < lengths->min)
        lengths->min = value;
    if (lengths->count == 0 || value > lengths->max)
        lengths->max = value;
    lengths->count++;
    lengths->sum += (double)value;
}

void pithi_histogram_add(struct pithi_histogram *histogram, int64_t value)
{
    pithi_lengths_add(&histogram->all, value);
    histogram->buckets[bucket_of(value < 0 ? 0 : (uint64_t)value)]++;
}

int64_t pithi_histogram_percentile(const struct pithi_histogram *histogram, double percent)
{
    const struct pithi_lengths *all = &histogram->all;
    uint64_t wanted = (uint64_t)ceil(percent / 100 * (double)all->count), seen = 0;

    if (all->count == 0)
        return 0;
    if (wanted <= 1)
        return all->min;
    if (wanted == all->count)
        return all->max;
    for (unsigned i = 0; i < PITHI_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= wanted) {
            int64_t value = (int64_t)bucket_middle(i);
            return value < all->min ? all->min : value > all->max ? all->max : value;
        }
    }
    return all->max;
}

int64_t pithi_lengths_mean(const struct pithi_lengths *lengths)
{
    return lengths->count ? (int64_t)nearbyint(lengths->sum / (double)lengths->count) : 0;
}
