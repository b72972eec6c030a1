/* huffman.c - canonical Huffman codes of at most 11 bits, so that decoding one or two codes is one look-up in a table
 * that fits in the L1 cache. (D. Huffman, "A method for the construction of minimum-redundancy codes", 1952; canonical
 * as in RFC 1951.)
 *
 * Example: a occurs 4 times, b twice, c and d once. The code lengths are 1, 2, 3, 3; the codes follow from the lengths
 * alone (shorter first, then by byte), so only the lengths are stored, 4 bits each:
 *
 *     a  0     b  10     c  110     d  111          14 bits for 8 bytes
 *
 * Bits are filled from the lowest, the first bit of a code first. "abac" is 0, 10, 0, 110: the byte 0x32.
 *
 * The decoder looks up the next 11 bits in a table of 2^11 entries of 4 bytes: 8 KiB. An entry whose bits begin with
 * the codes of a and b has both bytes, and the length of both codes together, 3 bits. An entry has two bytes if two
 * codes fit into its 11 bits.
 *
 * Lengths above 11 would need a larger table. They occur only if some bytes are very rare. Then all weights are made
 * more equal, until no code is too long; rare bytes get shorter codes than they should, others longer ones. */
#include "native/huffman.h"

#include <string.h>

#include "base/bytes.h"

/* LONGEST: the most bits of a code; TABLE: entries of the decoder's table; PARTS: streams that are decoded side by
 * side; SIZES: bytes that store the sizes of the first three streams. */
enum { LONGEST = 11, TABLE = 1 << LONGEST, PARTS = 4, SIZES = 4 * (PARTS - 1) };

void pithi_histogram(const unsigned char *data, size_t size, uint32_t seen[256])
{
    uint32_t part[4][256] = {{0}}; /* four counters per byte, as the processor makes increments of the same counter one
                                      after the other */
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t eight = pithi_get64(data + i);
        part[0][eight & 255]++;
        part[1][eight >> 8 & 255]++;
        part[2][eight >> 16 & 255]++;
        part[3][eight >> 24 & 255]++;
        part[0][eight >> 32 & 255]++;
        part[1][eight >> 40 & 255]++;
        part[2][eight >> 48 & 255]++;
        part[3][eight >> 56]++;
    }
    for (; i < size; i++)
        part[0][data[i]]++;
    for (int c = 0; c < 256; c++)
        seen[c] = part[0][c] + part[1][c] + part[2][c] + part[3][c];
}

/* ---- Code lengths ------------------------------------------------------------------------------------------------ */

struct leaf {
    uint64_t weight; /* how often it occurs */
    unsigned symbol; /* the byte */
};

static int by_weight(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight ? -1 : 1) : (int)x->symbol - (int)y->symbol;
}

/* Finds the depths in the optimal tree over leaves sorted by weight, and returns the largest depth. Uses two queues:
 * leaves, and inner nodes, which are made in order of weight. */
static unsigned depths(const struct leaf *leaves, int count, unsigned char *depth)
{
    uint64_t weight[511];
    int parent[511], leaf = 0, inner = count, made = count;
    unsigned char deep[511];
    for (int i = 0; i < count; i++)
        weight[i] = leaves[i].weight;
    for (; made < 2 * count - 1; made++) {
        weight[made] = 0;
        for (int k = 0; k < 2; k++) {
            int least = inner == made || (leaf < count && weight[leaf] <= weight[inner]) ? leaf++ : inner++;
            weight[made] += weight[least];
            parent[least] = made;
        }
    }
    unsigned deepest = 0;
    deep[2 * count - 2] = 0;
    for (int i = 2 * count - 3; i >= 0; i--) {
        deep[i] = (unsigned char)(deep[parent[i]] + 1);
        deepest = deep[i] > deepest ? deep[i] : deepest;
    }
    for (int i = 0; i < count; i++)
        depth[i] = deep[i];
    return deepest;
}

/* Sets length[c] to the length of the code of byte c; 0 if c does not occur. Makes the weights more equal until no code
 * is too long. */
static void code_lengths(const uint32_t seen[256], unsigned char length[256])
{
    struct leaf leaves[256];
    unsigned char depth[256];
    int count = 0;
    memset(length, 0, 256);
    for (unsigned c = 0; c < 256; c++)
        if (seen[c])
            leaves[count++] = (struct leaf){seen[c], c};
    qsort(leaves, (size_t)count, sizeof *leaves, by_weight);
    if (count < 2) /* `count` is never 0, but the compiler cannot know that */
        depth[0] = 1;
    else
        while (depths(leaves, count, depth) > LONGEST)
            for (int i = 0; i < count; i++)
                leaves[i].weight = leaves[i].weight >> 2 | 1;
    for (int i = 0; i < count; i++)
        length[leaves[i].symbol] = depth[i];
}

/* Makes canonical codes. The first bit of a code is its lowest one, because bits are read lowest first. */
static void make_codes(const unsigned char length[256], uint16_t code[256])
{
    unsigned count[LONGEST + 1] = {0}, next[LONGEST + 2] = {0};
    for (int c = 0; c < 256; c++)
        count[length[c]]++;
    count[0] = 0;
    for (int n = 1; n <= LONGEST; n++)
        next[n + 1] = (next[n] + count[n]) << 1;
    for (int c = 0; c < 256; c++) {
        unsigned turned = 0, value = length[c] ? next[length[c]]++ : 0;
        for (unsigned k = 0; k < length[c]; k++)
            turned |= (value >> k & 1) << (length[c] - 1 - k);
        code[c] = (uint16_t)turned;
    }
}

/* ---- Packing ----------------------------------------------------------------------------------------------------- */

/* Sets *low and *high to the lowest and the highest byte that occurs. */
static void range(const uint32_t seen[256], unsigned *low, unsigned *high)
{
    for (*low = 0; *low < 255 && seen[*low] == 0;)
        ++*low;
    for (*high = 255; *high > *low && seen[*high] == 0;)
        --*high;
}

size_t pithi_huffman_head(const uint32_t seen[256])
{
    unsigned low, high;
    range(seen, &low, &high);
    return 2 + (high - low) / 2 + 1 + SIZES;
}

/* Writes the lowest and the highest byte that occurs, and the code lengths from the one to the other. Returns the place
 * after them. */
static unsigned char *put_lengths(const unsigned char length[256], const uint32_t seen[256], unsigned char *out)
{
    unsigned low, high;
    range(seen, &low, &high);
    *out++ = (unsigned char)low;
    *out++ = (unsigned char)high;
    for (unsigned c = low; c <= high; c += 2)
        *out++ = (unsigned char)(length[c] | (c < high ? length[c + 1] << 4 : 0));
    return out;
}

/* Returns where part `part` (0 to 3) of `size` bytes begins; for 4, where the last part ends. */
static size_t part_at(size_t size, size_t part)
{
    size_t at = (size + PARTS - 1) / PARTS * part;
    return at < size ? at : size;
}

/* Bits being written, lowest first: whole bytes are written at once, up to 7 bits stay in `word`. */
struct bits {
    unsigned char *at;
    uint64_t word;
    unsigned used;
};

/* Writes the highest `count` bits of `top`, 1 to 57. */
static inline void put_top(struct bits *b, uint64_t top, unsigned count)
{
    b->word |= top >> (64 - count) << b->used;
    b->used += count;
    pithi_put64(b->at, b->word);
    b->at += b->used / 8;
    b->word >>= b->used / 8 * 8;
    b->used %= 8;
}

/* Puts a code before the codes in `top`, which move down by its length; adds its length to *lengths (see put_codes). */
static inline uint64_t push(uint64_t top, uint64_t code, uint64_t *lengths)
{
    *lengths += code;
    return top >> (code & 63) | code;
}

/* Writes the codes of `size` bytes to `out`; returns the place after them. An entry of `coded` has the code in its
 * highest bits and the code's length in its lowest byte. Codes are shifted in from the top; the lengths end up below
 * the codes, and put_top cuts them off. */
static unsigned char *put_codes(const unsigned char *data, size_t size, const uint64_t coded[256], unsigned char *out)
{
    struct bits b = {out, 0, 0};
    size_t i = 0;
    for (; i + 5 <= size; i += 5) { /* 55 bits at most */
        uint64_t lengths = 0, top = push(0, coded[data[i]], &lengths);
        top = push(top, coded[data[i + 1]], &lengths);
        top = push(top, coded[data[i + 2]], &lengths);
        top = push(top, coded[data[i + 3]], &lengths);
        top = push(top, coded[data[i + 4]], &lengths);
        put_top(&b, top, lengths & 255);
    }
    for (; i < size; i++)
        put_top(&b, coded[data[i]], coded[data[i]] & 255);
    return b.at + (b.used > 0);
}

size_t pithi_huffman_pack(const unsigned char *data, size_t size, const uint32_t seen[256], unsigned char *out,
                          size_t room)
{
    unsigned char length[256];
    uint16_t code[256];
    uint64_t bits = 0, coded[256];
    if (size == 0)
        return 0;
    code_lengths(seen, length);
    for (int c = 0; c < 256; c++)
        bits += (uint64_t)seen[c] * length[c];
    if (pithi_huffman_head(seen) + bits / 8 + PARTS > room)
        return 0;
    make_codes(length, code);
    for (unsigned c = 0; c < 256; c++)
        coded[c] = length[c] ? (uint64_t)code[c] << (64 - length[c]) | length[c] : 0;
    unsigned char *sizes = put_lengths(length, seen, out), *at = sizes + SIZES;
    for (size_t part = 0; part < PARTS; part++) {
        size_t from = part_at(size, part);
        unsigned char *end = put_codes(data + from, part_at(size, part + 1) - from, coded, at);
        if (part < PARTS - 1)
            pithi_put32(sizes + 4 * part, (uint32_t)(end - at));
        at = end;
    }
    return (size_t)(at - out);
}

/* ---- Unpacking --------------------------------------------------------------------------------------------------- */

/* Returns the canonical code of `length` bits that follows `code`. The first bit of both codes is their lowest one. */
static unsigned next_code(unsigned code, unsigned length)
{
    unsigned bit = 1u << (length - 1);
    for (; code & bit; bit >>= 1)
        code ^= bit;
    return code | bit;
}

/* The code at the start of the next LONGEST bits, and the one after it if all of it is among these bits. */
struct entry {
    uint16_t taken;           /* length of the codes in bits | number of codes << 8 */
    unsigned char symbols[2]; /* the second one only if `taken` has room for it */
};

static unsigned length_of(const unsigned char *lengths, unsigned low, unsigned symbol)
{
    return lengths[(symbol - low) / 2] >> (symbol - low) % 2 * 4 & 15;
}

/* Makes the table of decoding, with an entry for each value of the next LONGEST bits. Every entry is set, so decoding
 * needs no check. The table for n bits is two copies of the table for n - 1 bits, plus the codes and the pairs of codes
 * of length n. Returns 0 if the lengths are neither those of a full tree nor of a single symbol of length 1. */
static int make_table(const unsigned char *lengths, unsigned low, unsigned high, struct entry table[TABLE])
{
    unsigned char symbols[256];
    uint16_t codes[256];
    unsigned ends[LONGEST + 1], code = 0, done = 0;
    /* Sorts symbols by the length of their codes; those of length n end before ends[n]. */
    unsigned char length[256];
    unsigned count[LONGEST + 2] = {0}, filled = 0, from[LONGEST + 1] = {0};
    for (unsigned c = low; c <= high; c++) {
        length[c] = (unsigned char)length_of(lengths, low, c);
        if (length[c] > LONGEST)
            return 0;
        count[length[c]]++;
    }
    ends[0] = 0;
    for (unsigned n = 1; n <= LONGEST; n++) {
        filled += count[n] << (LONGEST - n);
        from[n] = ends[n - 1];
        ends[n] = from[n] + count[n];
    }
    if (filled != TABLE && !(ends[LONGEST] == 1 && count[1] == 1))
        return 0;
    for (unsigned c = low; c <= high; c++)
        if (length[c])
            symbols[from[length[c]]++] = (unsigned char)c;

    table[0] = (struct entry){0};
    for (unsigned n = 1, size = 1; n <= LONGEST; n++, size *= 2) {
        memcpy(table + size, table, size * sizeof *table);
        for (; done < ends[n]; done++) {
            codes[done] = (uint16_t)code;
            table[code] = (struct entry){(uint16_t)(1 << 8 | n), {symbols[done]}};
            code = next_code(code, n);
        }
        for (unsigned first = 1; first < n; first++)
            for (unsigned i = ends[first - 1]; i < ends[first]; i++)
                for (unsigned k = ends[n - first - 1]; k < ends[n - first]; k++)
                    table[codes[i] | (unsigned)codes[k] << first] =
                        (struct entry){(uint16_t)(2 << 8 | n), {symbols[i], symbols[k]}};
        if (ends[LONGEST] == 1)
            table[1] = table[0];
    }
    return 1;
}

struct part {
    const unsigned char *data; /* the codes of the part */
    uint64_t bytes, bit;
    unsigned char *out, *end; /* the place of the next byte; the end of the room */
};

#define INLINE inline __attribute__((always_inline))

/* Decodes one or two codes; adds their length and number to *sum. Writes two bytes in any case. */
static INLINE void take_some(const struct entry table[TABLE], uint64_t *v, uint32_t *sum, unsigned char *out)
{
    const struct entry *entry = &table[*v & (TABLE - 1)];
    uint32_t taken = entry->taken;
    memcpy(out + (*sum >> 8 & 255), entry->symbols, sizeof entry->symbols);
    *v >>= taken & 63; /* the low byte is the length; a shift uses only 6 bits of it */
    *sum += taken;
}

/* READ: usable bits of a read; FIVE, MOST: the most bits and symbols of five entries. */
enum { READ = 57, FIVE = 5 * LONGEST, MOST = 10 };

/* Decodes the codes of the next five entries of a part. */
static INLINE void take_five(const struct entry table[TABLE], const struct part *p, uint64_t *bit, unsigned char **out)
{
    uint64_t v = pithi_get64(p->data + (*bit >> 3)) >> (*bit & 7);
    uint32_t sum = 0;
    take_some(table, &v, &sum, *out);
    take_some(table, &v, &sum, *out);
    take_some(table, &v, &sum, *out);
    take_some(table, &v, &sum, *out);
    take_some(table, &v, &sum, *out);
    *bit += sum & 255;
    *out += sum >> 8;
}
_Static_assert(FIVE <= READ, "one read has five entries");

/* Returns how often five entries can be decoded without checking what remains. */
static uint64_t fives_left(const struct part *p)
{
    uint64_t bits = p->bytes * 8, most = (uint64_t)(p->end - p->out) / MOST;
    uint64_t fives = bits < p->bit + 64 ? 0 : (bits - p->bit - 64) / FIVE + 1;
    return fives < most ? fives : most;
}

/* Decodes from all four parts at once, as long as all have enough left. */
static void take_fours(const struct entry table[TABLE], struct part part[PARTS])
{
    uint64_t bit[PARTS]; /* in registers */
    unsigned char *out[PARTS];
    for (;;) {
        uint64_t fives = UINT64_MAX;
        for (int i = 0; i < PARTS; i++) {
            uint64_t left = fives_left(&part[i]);
            fives = left < fives ? left : fives;
            bit[i] = part[i].bit;
            out[i] = part[i].out;
        }
        if (fives == 0)
            return;
        for (; fives > 0; fives--) {
            take_five(table, &part[0], &bit[0], &out[0]);
            take_five(table, &part[1], &bit[1], &out[1]);
            take_five(table, &part[2], &bit[2], &out[2]);
            take_five(table, &part[3], &bit[3], &out[3]);
        }
        for (int i = 0; i < PARTS; i++) {
            part[i].bit = bit[i];
            part[i].out = out[i];
        }
    }
}

/* Decodes the rest of a part. Returns 1, or 0 if the part's codes do not end where its bytes end. */
static int take_rest(const struct entry table[TABLE], struct part *p, const unsigned char *lengths, unsigned low)
{
    for (uint64_t fives; (fives = fives_left(p)) > 0;)
        for (; fives > 0; fives--)
            take_five(table, p, &p->bit, &p->out);
    while (p->out < p->end && p->bit <= p->bytes * 8) { /* one by one */
        uint64_t v = 0;
        for (uint64_t k = 0; k < 3 && (p->bit >> 3) + k < p->bytes; k++)
            v |= (uint64_t)p->data[(p->bit >> 3) + k] << 8 * k;
        *p->out = table[v >> (p->bit & 7) & (TABLE - 1)].symbols[0];
        p->bit += length_of(lengths, low, *p->out++);
    }
    return p->out == p->end && p->bit <= p->bytes * 8 && p->bytes * 8 - p->bit < 8;
}

int pithi_huffman_unpack(const unsigned char *data, size_t size, unsigned char *out, size_t out_size)
{
    struct entry table[TABLE];
    if (size < 2 || data[0] > data[1])
        return 0;
    size_t lengths = (size_t)(data[1] - data[0]) / 2 + 1, head = 2 + lengths + SIZES;
    if (size < head || !make_table(data + 2, data[0], data[1], table))
        return 0;
    uint64_t left = size - head;
    struct part part[PARTS];
    const unsigned char *sizes = data + 2 + lengths, *at = data + head;
    for (size_t i = 0; i < PARTS; i++) {
        uint64_t bytes = i < PARTS - 1 ? pithi_get32(sizes + 4 * i) : left;
        if (bytes > left)
            return 0;
        part[i] = (struct part){at, bytes, 0, out + part_at(out_size, i), out + part_at(out_size, i + 1)};
        at += bytes;
        left -= bytes;
    }
    take_fours(table, part);
    int good = 1;
    for (size_t i = 0; i < PARTS; i++)
        good &= take_rest(table, &part[i], data + 2, data[0]);
    return good;
}
