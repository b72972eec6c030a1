/* inflate.c - inflate as RFC 1951 describes it. Codes of up to 10 bits, nearly all, are looked up in a table; longer
 * ones are found by their length, bit by bit.
 *
 * Codes are given by their lengths alone: those of one length are numbers in a row, and shorter ones come first.
 *
 *     lengths of A B C D: 2 1 3 3      count 1 1 2; B is 0, A is 10, C is 110, D is 111
 *     table of 10 bits, lowest first: every second entry (xxxxxxxxx0) is B with 1 bit, xxxxxxxx01 is A with 2 ...
 *
 * The input is read bit by bit from the lowest of each byte, but a code from its highest bit: so codes are reversed for
 * the table. */
#include "wasm/inflate.h"

#include <stdint.h>
#include <string.h>

/* bits looked up at once, bits of the longest code, codes; bytes that a copy may reach back */
enum { FAST = 10, LONGEST = 15, SYMBOLS = 288, WINDOW = 32 << 10 };

struct codes {
    uint16_t fast[1 << FAST];    /* symbol << 4 | length; 0: a longer code, or none */
    uint16_t count[LONGEST + 1]; /* of codes by length */
    uint16_t symbols[SYMBOLS];   /* by code */
};

struct state {
    struct pithi_inflate *z;
    uint64_t bits; /* the next ones, lowest first */
    unsigned have; /* number of them */
    size_t at, out;
    enum pithi_inflated wrong; /* PITHI_INFLATE_END: nothing */
};

/* At least `need` bits, of at most 32, if the input has them. 0: it ends. */
static int refill(struct state *s, unsigned need)
{
    /* Up to 64 bits at a time, so that a few symbols need no look at the input. */
    while (s->have <= 56 && s->at < s->z->in_size) {
        s->bits |= (uint64_t)s->z->in[s->at++] << s->have;
        s->have += 8;
    }
    if (s->have >= need)
        return 1;
    s->wrong = PITHI_INFLATE_CUT;
    return 0;
}

static uint32_t take(struct state *s, unsigned count)
{
    if (s->have < count && !refill(s, count))
        return 0;
    uint32_t got = (uint32_t)(s->bits & ((UINT64_C(1) << count) - 1));
    s->bits >>= count;
    s->have -= count;
    return got;
}

static unsigned reversed(unsigned code, unsigned length)
{
    unsigned other = 0;
    for (; length > 0; length--, code >>= 1)
        other = other << 1 | (code & 1);
    return other;
}

/* 0: the lengths are not those of a prefix code. A code may be incomplete, as zlib allows it: if it has one symbol of
 * one bit, or `may_be_empty` none. */
static int make_codes(struct codes *codes, const unsigned char *lengths, unsigned count, int may_be_empty)
{
    unsigned next[LONGEST + 2] = {0}, place[LONGEST + 2] = {0}, used = 0;
    int left = 1;

    memset(codes, 0, sizeof *codes);
    for (unsigned i = 0; i < count; i++)
        codes->count[lengths[i]]++;
    /* Symbols of length 0 do not occur. */
    codes->count[0] = 0;
    for (unsigned length = 1; length <= LONGEST; length++) {
        /* `left` is how many codes of this length are still free: more symbols than that are no prefix code. */
        left = left * 2 - codes->count[length];
        if (left < 0)
            return 0;
        used += codes->count[length];
        /* The first code of the next length, and the place of its first symbol. */
        next[length + 1] = (next[length] + codes->count[length]) << 1;
        place[length + 1] = place[length] + codes->count[length];
    }
    if (left > 0 && !(used == 1 && codes->count[1] == 1 && may_be_empty) && !(used == 0 && may_be_empty))
        return 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned length = lengths[i];
        if (!length)
            continue;
        codes->symbols[place[length]++] = (uint16_t)i;
        unsigned code = next[length]++;
        /* All entries whose lowest bits are this code. */
        for (unsigned k = reversed(code, length); length <= FAST && k < 1 << FAST; k += 1u << length)
            codes->fast[k] = (uint16_t)(i << 4 | length);
    }
    return 1;
}

static unsigned decode(struct state *s, const struct codes *codes)
{
    if (s->have < LONGEST)
        refill(s, 0);
    /* An entry may need more bits than the input has left: then the slow way finds out. */
    unsigned found = codes->fast[s->bits & ((1 << FAST) - 1)];
    if (found && (found & 15) <= s->have) {
        s->bits >>= found & 15;
        s->have -= found & 15;
        return found >> 4;
    }
    unsigned code = 0, first = 0, place = 0;
    for (unsigned length = 1; length <= LONGEST && length <= s->have; length++) {
        code |= (unsigned)(s->bits >> (length - 1)) & 1;
        /* `first` is the first code of this length: a code is one of them if it is not beyond their number. */
        if (code - first < codes->count[length]) {
            s->bits >>= length;
            s->have -= length;
            return codes->symbols[place + code - first];
        }
        place += codes->count[length];
        first = (first + codes->count[length]) << 1;
        code <<= 1;
    }
    s->wrong = s->have >= LONGEST ? PITHI_INFLATE_BAD : PITHI_INFLATE_CUT;
    return 0;
}

/* Makes room for a byte. 0: there is none. */
static int make_room(struct state *s)
{
    struct pithi_inflate *z = s->z;

    if (s->out < z->room)
        return 1;
    /* The last 32 KiB stay, as later copies may reach back so far; all before them is done. */
    if (z->full && z->room >= 2 * WINDOW && z->full(z->context, z->out, s->out - WINDOW)) {
        memmove(z->out, z->out + s->out - WINDOW, WINDOW);
        s->out = WINDOW;
        return 1;
    }
    s->wrong = PITHI_INFLATE_STOPPED;
    return 0;
}

static void copy_stored(struct state *s)
{
    /* Up to the next byte. */
    s->bits >>= s->have & 7;
    s->have -= s->have & 7;
    uint32_t size = take(s, 16), other = take(s, 16);
    /* The size comes twice, the second time with all bits turned. */
    if (!s->wrong && (size ^ other) != 0xffff)
        s->wrong = PITHI_INFLATE_BAD;
    while (!s->wrong && size-- > 0) {
        uint32_t byte = take(s, 8);
        if (!s->wrong && make_room(s))
            s->z->out[s->out++] = (unsigned char)byte;
    }
}

static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const unsigned char length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static void copy_match(struct state *s, unsigned symbol, const struct codes *distances)
{
    struct pithi_inflate *z = s->z;
    size_t length = length_base[symbol] + take(s, length_bits[symbol]);
    unsigned code = decode(s, distances);

    if (s->wrong || code >= 30) {
        s->wrong = s->wrong ? s->wrong : PITHI_INFLATE_BAD;
        return;
    }
    /* Codes 0 to 3 have no further bits; then two codes each have one more: code 10 has 4. */
    size_t distance = distance_base[code] + take(s, code < 4 ? 0 : code / 2 - 1);
    if (s->wrong)
        return;
    if (distance > s->out) {
        s->wrong = PITHI_INFLATE_BAD;
        return;
    }
    while (length > 0 && make_room(s)) {
        size_t part = z->room - s->out < length ? z->room - s->out : length;
        unsigned char *to = z->out + s->out;
        /* A copy may reach into itself: "a" and a copy of 5 from distance 1 are aaaaaa, byte by byte. */
        if (distance >= part)
            memcpy(to, to - distance, part);
        else
            for (size_t i = 0; i < part; i++)
                to[i] = to[(ptrdiff_t)i - (ptrdiff_t)distance];
        s->out += part;
        length -= part;
    }
}

static void copy_coded(struct state *s, const struct codes *literals, const struct codes *distances)
{
    while (!s->wrong) {
        unsigned symbol = decode(s, literals);
        if (s->wrong || symbol == 256)
            return;
        if (symbol < 256) {
            if (make_room(s))
                s->z->out[s->out++] = (unsigned char)symbol;
        } else if (symbol > 285) {
            s->wrong = PITHI_INFLATE_BAD;
        } else {
            copy_match(s, symbol - 257, distances);
        }
    }
}

static void fixed_codes(struct codes *literals, struct codes *distances)
{
    unsigned char lengths[SYMBOLS];

    for (int i = 0; i < SYMBOLS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_codes(literals, lengths, SYMBOLS, 0);
    memset(lengths, 5, 32);
    make_codes(distances, lengths, 32, 0);
}

/* Reads the lengths of the codes of a block. 0: they are wrong, or the input ends. */
static int read_codes(struct state *s, struct codes *literals, struct codes *distances)
{
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned literal_count = take(s, 5) + 257, distance_count = take(s, 5) + 1, length_count = take(s, 4) + 4;
    unsigned char lengths[320] = {0};
    unsigned count = 0;

    if (literal_count > 286 || distance_count > 30)
        s->wrong = s->wrong ? s->wrong : PITHI_INFLATE_BAD;
    for (unsigned i = 0; i < length_count; i++)
        lengths[order[i]] = (unsigned char)take(s, 3);
    /* 19 codes for the lengths themselves; `literals` serves for them first. */
    if (!s->wrong && !make_codes(literals, lengths, 19, 0))
        s->wrong = PITHI_INFLATE_BAD;
    memset(lengths, 0, sizeof lengths);
    while (!s->wrong && count < literal_count + distance_count) {
        unsigned symbol = decode(s, literals), times = 1;
        unsigned char length = (unsigned char)symbol;
        if (symbol == 16 && count == 0)
            s->wrong = PITHI_INFLATE_BAD;
        if (s->wrong)
            break;
        /* 16: the last length again, 3 to 6 times; 17: 3 to 10 times 0; 18: 11 to 138 times 0. */
        if (symbol >= 16) {
            length = symbol == 16 ? lengths[count - 1] : 0;
            times = symbol == 18 ? 11 + take(s, 7) : 3 + take(s, symbol == 16 ? 2 : 3);
        }
        if (count + times > literal_count + distance_count)
            s->wrong = s->wrong ? s->wrong : PITHI_INFLATE_BAD;
        for (; !s->wrong && times > 0; times--)
            lengths[count++] = length;
    }
    /* Without a code for 256, the block would never end. */
    if (!s->wrong && (lengths[256] == 0 || !make_codes(literals, lengths, literal_count, 1) ||
                      !make_codes(distances, lengths + literal_count, distance_count, 1)))
        s->wrong = PITHI_INFLATE_BAD;
    return !s->wrong;
}

enum pithi_inflated pithi_inflate(struct pithi_inflate *z)
{
    struct state s = {.z = z};
    struct codes literals, distances;
    int is_last = 0;

    while (!is_last && !s.wrong) {
        is_last = (int)take(&s, 1);
        unsigned kind = take(&s, 2);
        if (s.wrong)
            break;
        if (kind == 0)
            copy_stored(&s);
        else if (kind == 1)
            fixed_codes(&literals, &distances), copy_coded(&s, &literals, &distances);
        else if (kind == 3)
            s.wrong = PITHI_INFLATE_BAD;
        else if (read_codes(&s, &literals, &distances))
            copy_coded(&s, &literals, &distances);
    }
    /* Whole bytes that were read ahead are given back. */
    z->in_used = s.at - s.have / 8;
    z->out_size = s.out;
    return s.wrong;
}
