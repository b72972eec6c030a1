/* block_times.c - the times of a block's records, made ready for the decoder (block_read.c). */
#include "native/block.h"

/* The least step of each class, and its number of low bits; for an invalid class, more bits than any column has. */
struct time_class {
    uint64_t base, mask, bits;
};
#define CLASS(top, n)                                                                                                  \
    {                                                                                                                  \
        UINT64_C(top) << (n), (UINT64_C(1) << (n)) - 1, n                                                              \
    }
#define OCTAVE(n) CLASS(4, n), CLASS(5, n), CLASS(6, n), CLASS(7, n)
#define OCTAVES(n) OCTAVE(n), OCTAVE(n + 1), OCTAVE(n + 2), OCTAVE(n + 3), OCTAVE(n + 4)
#define OCTAVES20(n) OCTAVES(n), OCTAVES(n + 5), OCTAVES(n + 10), OCTAVES(n + 15)
#define NO_CLASS                                                                                                       \
    {                                                                                                                  \
        UINT64_MAX, 0, 0                                                                                               \
    }
static const struct time_class time_classes[256] = {
    {0, 0, 0},     {1, 0, 0},  {2, 0, 0}, {3, 0, 0}, OCTAVES20(0), OCTAVES20(20),
    OCTAVES20(40), OCTAVE(60), NO_CLASS,  NO_CLASS,  NO_CLASS,     NO_CLASS,
};

/* The same of steps below 2^28, of which two fit in one read; of all others a base that tells. */
enum { SHORT_BITS = 28 };
struct short_class {
    uint32_t base, mask, bits, unused; /* 16 bytes are found by a shift */
};
#define SHORT_CLASS(top, n)                                                                                            \
    {                                                                                                                  \
        (top) << (n), (1u << (n)) - 1, n, 0                                                                            \
    }
#define SHORT(n) SHORT_CLASS(4u, n), SHORT_CLASS(5u, n), SHORT_CLASS(6u, n), SHORT_CLASS(7u, n)
#define SHORTS(n) SHORT(n), SHORT(n + 1), SHORT(n + 2), SHORT(n + 3)
#define LONG                                                                                                           \
    {                                                                                                                  \
        UINT32_MAX, 0, 0, 0                                                                                            \
    }
#define LONGS4 LONG, LONG, LONG, LONG
#define LONGS16 LONGS4, LONGS4, LONGS4, LONGS4
static const struct short_class short_classes[256] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, SHORTS(0), SHORTS(4), SHORTS(8), SHORTS(12),
    SHORTS(16),   SHORTS(20),   SHORT(24),    SHORT(25),    LONGS4,    LONGS16,   LONGS16,   LONGS16,
    LONGS16,      LONGS16,      LONGS16,      LONGS16,      LONGS16,   LONGS16,
};

/* A step whose bits are the lowest of `v`. */
static inline __attribute__((always_inline)) uint64_t short_step(const struct short_class *class, uint64_t v)
{
    return class->base + (v & class->mask);
}

/* Decodes the times of `count` records if none is a special case (units, long steps, the end of the bits). 1: done;
 * 0: a special case, nothing was done. */
static int plain_times(struct pithi_block *b, uint32_t count)
{
    const unsigned char *classes = b->column[PITHI_COL_TIME].at + b->prepared, *bits = b->column[PITHI_COL_BITS].at;
    struct pithi_ready *ready = b->ready;
    uint64_t bit = b->bit, time = (uint64_t)b->prepared_ns, all = 0;
    if (b->head.unit != 1 || b->bit_count - bit < (uint64_t)count * 64 || count % 2 != 0)
        return 0;
    for (uint32_t i = 0; i < count; i += 2) {
        uint64_t v = pithi_get64(bits + (bit >> 3)) >> (bit & 7);
        const struct short_class *first = &short_classes[classes[i]], *second = &short_classes[classes[i + 1]];
        uint64_t step = short_step(first, v);
        ready[i].time_ns = (int64_t)(time += step);
        all |= step;
        step = short_step(second, v >> first->bits);
        ready[i + 1].time_ns = (int64_t)(time += step);
        all |= step;
        bit += first->bits + second->bits;
    }
    if (all >> SHORT_BITS || time - (uint64_t)b->prepared_ns > (uint64_t)b->head.last_ns - (uint64_t)b->prepared_ns)
        return 0;
    b->bit = bit;
    b->prepared_ns = (int64_t)time;
    return 1;
}

/* The same for any records; returns the number of valid ones. */
static uint32_t any_times(struct pithi_block *b, uint32_t count)
{
    const unsigned char *classes = b->column[PITHI_COL_TIME].at + b->prepared;
    for (uint32_t i = 0; i < count; i++) {
        const struct time_class *class = &time_classes[classes[i]];
        if (class->bits > b->bit_count - b->bit)
            return i;
        const unsigned char *p = b->column[PITHI_COL_BITS].at + (b->bit >> 3);
        uint64_t step = pithi_get64(p) >> (b->bit & 7);
        if (class->bits > 57 && b->bit & 7)
            step |= (uint64_t)p[8] << (64 - (b->bit & 7));
        step = class->base + (step & class->mask);
        b->bit += class->bits;
        if (__builtin_mul_overflow(step, b->head.unit, &step) ||
            step > (uint64_t)b->head.last_ns - (uint64_t)b->prepared_ns)
            return i;
        b->prepared_ns = (int64_t)((uint64_t)b->prepared_ns + step);
        b->ready[i].time_ns = b->prepared_ns;
    }
    return count;
}

uint32_t pithi_block_times(struct pithi_block *b, uint32_t count)
{
    return plain_times(b, count) ? count : any_times(b, count);
}
