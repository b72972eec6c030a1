/* huffman.c - canonical Huffman codes of at most 11 bits, so that decoding is one look into a table that stays in
 * the first cache. (D. Huffman, "A method for the construction of minimum-redundancy codes", 1952; canonical as in
 * RFC 1951.) */
#include "native/huffman.h"

#include <string.h>

#include "native/bytes.h"

enum { LONGEST = 11, TABLE = 1 << LONGEST };

void pithi_histogram(const unsigned char *data, size_t size, uint32_t seen[256])
{
    uint32_t part[4][256] = {{0}}; /* four, as the same byte twice in a row would wait for itself */
    size_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k][data[i + k]]++;
    for (; i < size; i++)
        part[0][data[i]]++;
    for (int c = 0; c < 256; c++)
        seen[c] = part[0][c] + part[1][c] + part[2][c] + part[3][c];
}

/* ---- Code lengths ------------------------------------------------------------------------------------------------ */

struct leaf {
    uint64_t weight;
    unsigned symbol;
};

static int by_weight(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight ? -1 : 1) : (int)x->symbol - (int)y->symbol;
}

/* Depths of the optimal tree over leaves sorted by weight; the largest. Two queues: leaves, and inner nodes, which
 * come out in order of weight by themselves. */
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

/* Code lengths by symbol, 0: does not occur. Weights are made more alike until no code is too long. */
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
    if (count == 1)
        depth[0] = 1;
    else
        while (depths(leaves, count, depth) > LONGEST)
            for (int i = 0; i < count; i++)
                leaves[i].weight = leaves[i].weight >> 2 | 1;
    for (int i = 0; i < count; i++)
        length[leaves[i].symbol] = depth[i];
}

/* Canonical codes, their first bit lowest, as bits are read lowest first. */
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

size_t pithi_huffman_pack(const unsigned char *data, size_t size, const uint32_t seen[256], unsigned char *out,
                          size_t room)
{
    unsigned char length[256];
    uint16_t code[256];
    uint64_t bits = 0, word = 0;
    unsigned used = 0;
    if (size == 0)
        return 0;
    code_lengths(seen, length);
    for (int c = 0; c < 256; c++)
        bits += (uint64_t)seen[c] * length[c];
    if (PITHI_HUFFMAN_HEAD + (bits + 7) / 8 > room)
        return 0;
    make_codes(length, code);
    for (int i = 0; i < PITHI_HUFFMAN_HEAD; i++)
        out[i] = (unsigned char)(length[2 * i] | length[2 * i + 1] << 4);
    unsigned char *at = out + PITHI_HUFFMAN_HEAD;
    for (size_t i = 0; i < size;) {
        for (size_t end = size - i < 4 ? size : i + 4; i < end; i++) {
            word |= (uint64_t)code[data[i]] << used;
            used += length[data[i]];
        }
        pithi_put64(at, word); /* 7 + 4 * 11 bits at most */
        at += used / 8;
        word >>= used / 8 * 8;
        used %= 8;
    }
    return PITHI_HUFFMAN_HEAD + (size_t)(bits + 7) / 8;
}

/* ---- Unpacking --------------------------------------------------------------------------------------------------- */

/* What each LONGEST next bits begin with: symbol | length << 8. 0: the lengths are not those of a full tree (or of a
 * single symbol, which then is all there is). Every entry is set, so that decoding needs no check. */
static int make_table(const unsigned char *head, uint16_t table[TABLE])
{
    unsigned char length[256];
    uint16_t code[256];
    unsigned filled = 0, symbols = 0, last = 0;
    for (unsigned i = 0; i < 256; i++) {
        length[i] = i % 2 ? head[i / 2] >> 4 : head[i / 2] & 15;
        if (length[i] > LONGEST)
            return 0;
        if (length[i]) {
            filled += TABLE >> length[i];
            symbols++;
            last = i;
        }
    }
    if (symbols == 1 && length[last] == 1) {
        for (unsigned i = 0; i < TABLE; i++)
            table[i] = (uint16_t)(last | 1u << 8);
        return 1;
    }
    if (filled != TABLE)
        return 0;
    make_codes(length, code);
    for (unsigned c = 0; c < 256; c++)
        for (unsigned i = code[c]; length[c] && i < TABLE; i += 1u << length[c])
            table[i] = (uint16_t)(c | (unsigned)length[c] << 8);
    return 1;
}

int pithi_huffman_unpack(const unsigned char *data, size_t size, unsigned char *out, size_t out_size)
{
    uint16_t table[TABLE];
    if (size < PITHI_HUFFMAN_HEAD || !make_table(data, table))
        return 0;
    const unsigned char *p = data + PITHI_HUFFMAN_HEAD;
    uint64_t bytes = size - PITHI_HUFFMAN_HEAD, bit = 0;
    size_t i = 0;
    while (out_size - i >= 5 && (bit >> 3) + 8 <= bytes) { /* 57 bits come with a read, five codes have 55 */
        uint64_t v = pithi_get64(p + (bit >> 3)) >> (bit & 7);
        for (int k = 0; k < 5; k++) {
            unsigned entry = table[v & (TABLE - 1)];
            out[i++] = (unsigned char)entry;
            v >>= entry >> 8;
            bit += entry >> 8;
        }
    }
    for (; i < out_size && bit <= bytes * 8; i++) {
        uint64_t v = 0;
        for (uint64_t k = 0; k < 3 && (bit >> 3) + k < bytes; k++)
            v |= (uint64_t)p[(bit >> 3) + k] << 8 * k;
        unsigned entry = table[v >> (bit & 7) & (TABLE - 1)];
        out[i] = (unsigned char)entry;
        bit += entry >> 8;
    }
    return i == out_size && bit <= bytes * 8 && bytes * 8 - bit < 8;
}
