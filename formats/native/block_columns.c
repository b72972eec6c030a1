/* block_columns.c - unpacks the columns of a block within limits of memory, and decodes the times. The decoder
 * (block_read.c) checks what the other columns contain.
 *
 * Limits. The head says how large each column is when unpacked. In a damaged or malicious file, a small block may name
 * a hundred columns of 256 MB. So there are three limits. A column may not be larger than its records can need (at most
 * 10 bytes each for numbers). The columns of a block together may not be larger than 32 MB + 16 times its packed size.
 * All blocks of a reader share an allowance.
 *
 * Times. A time step is stored as its size class and its low bits (block.h). The class determines how many low bits
 * there are, and the base to which they are added. Example: class 35, with the bits 1101000:
 *
 *     base 7 << 7 = 896, 7 bits: 104        step 896 + 104 = 1000 ns
 *
 * Two steps below 2^28 have at most 50 low bits, so one read of 8 bytes serves both, at any bit position. plain_times
 * decodes most blocks so. Single steps are decoded one by one if the block's unit is not 1 ns, near a step of 2^28 ns
 * or more, and at the end of the bits. */
#include "native/block.h"

#include "native/huffman.h"

/* Returns the largest valid size of a column of this type for `count` records. A larger column is not unpacked. */
static uint64_t column_limit(unsigned type, uint64_t count)
{
    switch (type) {
    case PITHI_COL_OPEN:
    case PITHI_COL_STILL:
        return PITHI_OPEN_MAX * (5 + 2 * (uint64_t)PITHI_VARINT_MAX) + (type == PITHI_COL_STILL ? 2 : 0);
    case PITHI_COL_DICT:
        return PITHI_CODE_ESCAPE * 6;
    case PITHI_COL_WHAT:
    case PITHI_COL_TIME:
        return count;
    case PITHI_COL_PAYLOAD:
        return PITHI_COLUMN_MAX;
    default:
        return count * PITHI_VARINT_MAX;
    }
}

/* Unpacks a column into b->memory; *at gets its offset in this memory. */
static int unpack_column(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *entry,
                         const unsigned char *data, uint64_t stored, size_t *at, const char **why)
{
    unsigned coding = pithi_get16(entry + 2);
    uint64_t raw = pithi_get32(entry + 8);
    *why = "a column's size is wrong";
    if (raw > column_limit(pithi_get16(entry), b->head.count) || (coding == PITHI_STORED && raw != stored) ||
        raw > pithi_zip_limit(stored))
        return PITH_ERR_DAMAGED;
    *why = "a column is coded in a way unknown to this version";
    if (coding > PITHI_HUFFMAN)
        return PITH_ERR_UNSUPPORTED;
    if (!pithi_buffer_reserve(&b->memory, (size_t)raw + 16))
        return PITH_ERR_MEMORY;
    *at = b->memory.size;
    unsigned char *out = b->memory.data + b->memory.size;
    *why = "a column does not unpack";
    if (coding == PITHI_STORED)
        memcpy(out, data, (size_t)raw);
    else if (!(coding == PITHI_DEFLATED ? pithi_zip_unpack(zip, data, (size_t)stored, out, (size_t)raw)
                                        : pithi_huffman_unpack(data, (size_t)stored, out, (size_t)raw)))
        return PITH_ERR_DAMAGED;
    memset(out + raw, 0, 16);
    b->memory.size += (size_t)raw + 16;
    return PITH_OK;
}

int pithi_block_unpack(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                       const char **why)
{
    size_t from[PITHI_COL_COUNT] = {0}, bytes[PITHI_COL_COUNT] = {0};
    int seen[PITHI_COL_COUNT] = {0};
    uint64_t at = PITHI_EVENTS_HEAD + (uint64_t)b->head.columns * PITHI_COLUMN_ENTRY;
    b->memory.size = 0;
    /* Reserves memory for all columns, if their sizes are within the limits. */
    uint64_t all = 16;
    for (uint32_t i = 0; i < b->head.columns; i++) {
        const unsigned char *entry = payload + PITHI_EVENTS_HEAD + (uint64_t)i * PITHI_COLUMN_ENTRY;
        if (pithi_get16(entry) > 0 && pithi_get16(entry) < PITHI_COL_COUNT)
            all += pithi_get32(entry + 8) + UINT64_C(16);
    }
    *why = "its columns unpack to more than a block of its size may have";
    if (all > PITHI_BLOCK_UNPACKED + PITHI_UNPACKED_FACTOR * size)
        return PITH_ERR_DAMAGED;
    if (all > b->most) {
        if (b->allowance && all - b->most > *b->allowance)
            return PITH_ERR_MEMORY;
        if (b->allowance)
            *b->allowance -= all - b->most;
        b->most = all;
    }
    int err = pithi_buffer_reserve(&b->memory, (size_t)all) ? PITH_OK : PITH_ERR_MEMORY;

    if (err != PITH_OK)
        return err;
    memset(b->memory.data, 0, 16); /* a column that the block does not have points to these zeros */
    b->memory.size = 16;
    for (uint32_t i = 0; i < b->head.columns; i++) {
        const unsigned char *entry = payload + PITHI_EVENTS_HEAD + (uint64_t)i * PITHI_COLUMN_ENTRY;
        unsigned type = pithi_get16(entry);
        uint64_t stored = pithi_get32(entry + 4);
        *why = "a column passes the end of its block";
        if (stored > size - at)
            return PITH_ERR_DAMAGED;
        if (type > 0 && type < PITHI_COL_COUNT) { /* skips types of a later version */
            *why = "a column is there twice";
            if (seen[type]++)
                return PITH_ERR_DAMAGED;
            if ((err = unpack_column(b, zip, entry, payload + at, stored, &from[type], why)) != PITH_OK)
                return err;
            bytes[type] = pithi_get32(entry + 8);
        }
        at += stored;
    }
    for (int c = 0; c < PITHI_COL_COUNT; c++) {
        b->column[c].at = b->memory.data + from[c];
        b->column[c].end = b->column[c].at + bytes[c];
    }
    *why = "a column is shorter than its records";
    return (size_t)(b->column[PITHI_COL_WHAT].end - b->column[PITHI_COL_WHAT].at) == b->head.count &&
                   (size_t)(b->column[PITHI_COL_TIME].end - b->column[PITHI_COL_TIME].at) == b->head.count
               ? PITH_OK
               : PITH_ERR_DAMAGED;
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

/* The least step of each class, and its number of low bits; for an invalid class, more bits than any column has.
 *
 *     class 4 + 4 n + k, k of 0 to 3: base (4 + k) << n, n low bits
 *     1000 = 0b111'1101000: the first three bits are 7 = 4 + 3, and 7 low bits are left
 *     class 4 + 4 * 7 + 3 = 35, base 7 << 7 = 896, and the low bits hold 104
 *
 * Each power of two has four classes, so a byte is enough for the class of any 64-bit step. The class determines the
 * first three bits of the step. */
struct time_class {
    uint64_t base, mask, bits; /* step = base + (the next `bits` bits) */
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

/* The classes of steps below 2^28. One read covers the low bits of two such steps. All other classes have the base
 * UINT32_MAX, so plain_times sees from the step that it is above the limit. */
enum { SHORT_BITS = 28 };
struct short_class {
    uint32_t base, mask, bits, unused; /* 16 bytes, so that indexing is a shift */
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

#define INLINE inline __attribute__((always_inline))

/* Returns the step of this class whose low bits are the lowest bits of `v`. */
static INLINE uint64_t short_step(const struct short_class *class, uint64_t v)
{
    return class->base + (v & class->mask);
}

static INLINE void put_time(char *record, uint64_t time_ns) { memcpy(record, &time_ns, sizeof time_ns); }

/* Decodes the times of `count` records into records that are `stride` bytes apart, the first at `out`. Returns 1; or 0,
 * having decoded nothing, if `count` is odd, the unit is not 1 ns, one of the steps is 2^28 or more, the bits may end
 * before, or a time is damaged. */
static INLINE int plain_times(struct pithi_block *b, char *out, size_t stride, uint32_t count)
{
    const unsigned char *classes = b->column[PITHI_COL_TIME].at + b->prepared, *bits = b->column[PITHI_COL_BITS].at;
    uint64_t bit = b->bit, time = (uint64_t)b->prepared_ns, all = 0;
    if (b->head.unit != 1 || b->bit_count - bit < (uint64_t)count * 64 || count % 2 != 0)
        return 0;
    for (size_t i = 0; i < count; i += 2) {
        uint64_t v = pithi_get64(bits + (bit >> 3)) >> (bit & 7);
        const struct short_class *first = &short_classes[classes[i]], *second = &short_classes[classes[i + 1]];
        uint64_t step = short_step(first, v);
        put_time(out + i * stride, time += step);
        all |= step;
        step = short_step(second, v >> first->bits);
        put_time(out + (i + 1) * stride, time += step);
        all |= step;
        bit += first->bits + second->bits;
    }
    if (all >> SHORT_BITS || time - (uint64_t)b->prepared_ns > (uint64_t)b->head.last_ns - (uint64_t)b->prepared_ns)
        return 0;
    b->bit = bit;
    b->prepared_ns = (int64_t)time;
    return 1;
}

_Static_assert(offsetof(struct pithi_ready, time_ns) == 0 && offsetof(struct pithlog_record, time_ns) == 0,
               "records begin with their time");

uint32_t pithi_block_times(struct pithi_block *b, uint32_t count)
{
    if (plain_times(b, (char *)b->ready, sizeof *b->ready, count))
        return count;
    /* Decodes the steps one by one, because plain_times cannot decode them. */
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

int pithi_block_plain_times(struct pithi_block *b, struct pithlog_record *records, uint32_t count)
{
    return plain_times(b, (char *)records, sizeof *records, count);
}
