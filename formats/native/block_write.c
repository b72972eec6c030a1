/* block_write.c - the encoder: stores the records of a lane, then packs them as columns (codes: block_codes.c).
 *
 * The program waits for the encoder in MPI_Finalize, so adding a record only stores its kind, its definition or
 * communicator, a time step, and the further fields of the few kinds that have some. States are added by inline
 * functions in block.h. All else is done once per block, over whole columns.
 *
 * Why columns: numbers of one kind resemble each other, but the fields of one record do not. Example, four records:
 *
 *     1000 enter A   1010 enter B   1030 leave B   1050 leave A
 *
 *     head       first record at 1000, unit of the steps 10 ns (their greatest common divisor)
 *     codes      0 1 2 2            (block_codes.c)
 *     steps      0 10 20 20, in units 0 1 2 2; below 4, a step is its own class and has no low bits
 *     columns    OPEN: empty; DICT: enter A, enter B, leave innermost; WHAT: 0 1 2 2; TIME: 0 1 2 2; BITS: empty
 *
 * Each column is packed in the way that suits it. Size classes of steps have no order worth a search, so they get
 * Huffman codes. The codes of records repeat as the program's loops do. Deflate finds such repeats, but is slow, so
 * only the start of a column is tried first (repeats_pay). The bits below the classes are noise and stay as they are. A
 * column that does not shrink is stored. */
#include "native/block.h"

#include "base/map.h"
#include "native/huffman.h"

enum { FIRST_ROOM = 16, FEW_BLOCKS = 8, MANY_BLOCKS = 32 };

struct pithi_encoder *pithi_encoder_new(uint32_t thread)
{
    struct pithi_encoder *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->head.thread = thread;
    e->head.last_ns = INT64_MIN;
    return e;
}

void pithi_encoder_free(struct pithi_encoder *e)
{
    if (!e)
        return;
    free(e->open.states);
    free(e->still.states);
    free(e->holes);
    free(e->steps);
    free(e->said);
    free(e->frames);
    free(e->innermost);
    free(e->code);
    free(e->dict);
    for (int i = 0; i < PITHI_COL_COUNT; i++)
        free(e->column[i].data);
    free(e);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static int grow(struct pithi_encoder *e)
{
    uint32_t room = e->room ? e->room * 4 : FIRST_ROOM;
    uint64_t *steps = realloc(e->steps, room * sizeof *steps);
    if (!steps)
        return 0;
    e->steps = steps;
    uint32_t *said = realloc(e->said, room * sizeof *said);
    if (!said)
        return 0;
    e->said = said;
    e->room = room;
    return 1;
}

static int put(struct pithi_encoder *e, enum pithi_column column, uint64_t v)
{
    return pithi_buffer_varint(&e->column[column], v);
}

static int put_bytes(struct pithi_encoder *e, enum pithi_column column, const void *data, size_t size)
{
    return pithi_buffer_add(&e->column[column], data, size);
}

/* Like `put`, for numbers whose length in bytes is unpredictable: writes up to four bytes without a branch. */
static int put_uneven(struct pithi_encoder *e, enum pithi_column column, uint64_t v)
{
    struct pithi_buffer *out = &e->column[column];
    if (v >> 28 != 0)
        return pithi_buffer_varint(out, v);
    if (!pithi_buffer_reserve(out, PITHI_VARINT_MAX))
        return 0;
    uint32_t more = (v >> 7 != 0) + (v >> 14 != 0) + (v >> 21 != 0), n = (uint32_t)v;
    n = (n & 0x7f) | (n & 0x3f80) << 1 | (n & 0x1fc000) << 2 | (n & 0xfe00000) << 3;
    pithi_put32(out->data + out->size, n | (0x808080 & ((1u << 8 * more) - 1)));
    out->size += more + 1;
    return 1;
}

/* SEND and RECV share one path without branches, as their order is unpredictable. A RECV also has an order of posting;
 * for a SEND, the mask `-recv` makes the number to write 0, and the byte that it takes is dropped. If there is no
 * memory, the columns keep nothing of the record, because the caller may try again. */
int pithi_encoder_message(struct pithi_encoder *e, const struct pithlog_record *r)
{
    struct pithi_buffer *peer = &e->column[PITHI_COL_PEER], *tag = &e->column[PITHI_COL_TAG];
    struct pithi_buffer *bytes = &e->column[PITHI_COL_BYTES], *posted = &e->column[PITHI_COL_POSTED];
    size_t peer_size = peer->size, tag_size = tag->size, bytes_size = bytes->size, posted_size = posted->size;
    uint64_t recv = r->kind == PITHLOG_RECV, step = (r->posted - e->posted) & -recv;
    if (!put(e, PITHI_COL_PEER, pithi_zigzag(r->peer)) || !put(e, PITHI_COL_TAG, pithi_zigzag(r->tag)) ||
        !put_uneven(e, PITHI_COL_BYTES, r->bytes) || !put(e, PITHI_COL_POSTED, pithi_zigzag((int64_t)step))) {
        peer->size = peer_size;
        tag->size = tag_size;
        bytes->size = bytes_size;
        return 0;
    }
    posted->size = recv ? posted->size : posted_size;
    e->posted += (step + 1) & -recv;
    e->head.messages += (uint32_t)recv & (r->peer >= 0);
    return 1;
}

/* Stores the number of states that ended in the hole of a LOST record. After a hole without a number, no more numbers
 * are stored, because a reader must then follow the lane's records anyway. */
static int add_hole(struct pithi_encoder *e, const struct pithlog_record *r)
{
    uint64_t begin_ns = e->lane_count > 0 ? (uint64_t)e->lane_begin_ns : (uint64_t)e->before_ns + e->steps[0];
    e->lost_records++;
    if (r->bytes == 0 || e->head.last_ns == (int64_t)begin_ns) /* no hole */
        return 1;
    e->is_gone_unknown |= r->got_bytes == 0;
    if (e->is_gone_unknown)
        return 1;
    if (!pithi_grow(&e->holes, e->hole_count, &e->hole_room, sizeof *e->holes))
        return 0;
    uint64_t gone = r->got_bytes - 1;
    e->holes[e->hole_count++] =
        (struct pithi_block_hole){e->head.count - 1, gone < PITHI_OPEN_MAX ? (uint32_t)gone : PITHI_OPEN_MAX};
    for (; e->gone_entries + 1 < e->lost_records; e->gone_entries++)
        if (!put(e, PITHI_COL_GONE, 0))
            return 0;
    e->gone_entries++;
    return put(e, PITHI_COL_GONE, e->holes[e->hole_count - 1].gone + UINT64_C(1));
}

/* Adds the fields of a record beyond code and time. Returns 0 if there is no memory. */
static int add_fields(struct pithi_encoder *e, const struct pithlog_record *r)
{
    switch (r->kind) {
    case PITHLOG_EVENT:
        e->head.events++;
        return put(e, PITHI_COL_SIZE, r->payload_bytes) &&
               put_bytes(e, PITHI_COL_PAYLOAD, r->payload, r->payload_bytes);
    case PITHLOG_COUNTER: {
        double value = r->value;
        unsigned char bytes[8];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        pithi_put64(bytes, bits);
        return put_bytes(e, PITHI_COL_VALUE, bytes, sizeof bytes);
    }
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        return pithi_encoder_message(e, r);
    case PITHLOG_COLL:
        return put(e, PITHI_COL_PEER, pithi_zigzag(r->peer)) && put(e, PITHI_COL_BYTES, r->bytes) &&
               put(e, PITHI_COL_GOT, r->got_bytes);
    case PITHLOG_LOST:
        e->head.lost += r->bytes;
        return put(e, PITHI_COL_BYTES, r->bytes) && add_hole(e, r);
    default:
        return 1;
    }
}

int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    uint32_t count = e->head.count;
    int64_t time_ns = r->time_ns;
    if (r->kind < PITHLOG_ENTER || r->kind > PITHLOG_LOST)
        return pithi_fail(PITH_ERR_USAGE, "unknown record kind %u", r->kind);
    if (r->kind == PITHLOG_EVENT && r->payload_bytes > PITHI_PAYLOAD_MAX)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a payload of %u bytes: at most %u can be stored", r->payload_bytes,
                          PITHI_PAYLOAD_MAX);
    /* What a record refers to: a definition, by the log's number, or a communicator, by the rank's number. */
    const uint32_t none = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME | 1u << PITHLOG_LOST;
    uint32_t what = r->kind <= PITHLOG_COUNTER ? r->id : none >> r->kind & 1 ? 0 : comm;
    if (what > PITHI_SAID_MAX)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "definition or communicator %u: at most %u can be stored", what,
                          PITHI_SAID_MAX);
    if (time_ns < e->head.last_ns)
        time_ns = e->head.last_ns;
    if (count == e->room && !grow(e))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    e->said[count] = pithi_said(r->kind, what);
    e->steps[count] = (uint64_t)time_ns - (uint64_t)(count > 0 ? e->head.last_ns : e->before_ns);
    e->head.count++;
    e->head.last_ns = time_ns;
    if (!add_fields(e, r))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    /* Adds the communicator of a state or event. */
    uint32_t place = e->head.count - 1, step = place - e->with_comm;
    if (comm != 0 && r->kind <= PITHLOG_EVENT) {
        e->with_comm = place + 1;
        if (!put(e, PITHI_COL_COMM, step) || !put(e, PITHI_COL_COMM, comm))
            return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    }
    return PITH_OK;
}

/* ---- Ending a block ---------------------------------------------------------------------------------------------- */

/* Returns the greatest common divisor of all steps: 1000 if all times are whole microseconds. */
static uint64_t unit_of(const uint64_t *steps, uint32_t count)
{
    uint64_t unit = 0;
    for (uint32_t i = 0; i < count && unit != 1; i++) {
        uint64_t a = steps[i], b = unit;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        unit = a;
    }
    return unit ? unit : 1;
}

/* Bits being written, lowest first: whole bytes are written at once, up to 7 bits stay in `word`. */
struct bits {
    unsigned char *at; /* where whole bytes go */
    uint64_t word;     /* bits that are no whole byte */
    unsigned used;
};

/* Appends the lowest `count` bits of `value`, at most 56: with the 7 bits that may wait in `word` they fit 64 bits, so
 * no branch is needed. Always writes 8 bytes; the next call overwrites those after the last whole byte. */
static inline void put_bits(struct bits *b, uint64_t value, unsigned count)
{
    b->word |= value << b->used;
    b->used += count;
    pithi_put64(b->at, b->word);
    b->at += b->used / 8;
    b->word >>= b->used / 8 * 8;
    b->used %= 8;
}

static void put_long(struct bits *b, uint64_t value, unsigned count)
{
    unsigned low = count < 32 ? count : 32;
    put_bits(b, value & ((UINT64_C(1) << low) - 1), low);
    put_bits(b, value >> low, count - low);
}

/* Returns the class of a step. *bits gets the number of low bits, *rest the low bits themselves. */
static inline unsigned char class_of(uint64_t step, unsigned *bits, uint64_t *rest)
{
    unsigned below = (63 ^ (unsigned)__builtin_clzll(step | 4)) - 2; /* 63 ^ clz is one instruction */
    uint64_t top = step >> below;
    *bits = below;
    *rest = step ^ top << below;
    return (unsigned char)(4 * below + (unsigned)top);
}

/* Fills PITHI_COL_TIME and PITHI_COL_BITS from the steps; counts the classes in `seen`. */
static int code_times(struct pithi_encoder *e, uint32_t seen[256])
{
    struct pithi_buffer *time = &e->column[PITHI_COL_TIME], *out = &e->column[PITHI_COL_BITS];
    uint64_t *steps = e->steps, rest[2];
    uint32_t count = e->head.count, i = 0;
    uint32_t odd[256] = {0}; /* counts every second class, because the processor makes increments of the same counter
                                one after the other */
    unsigned bits[2];
    if (!pithi_buffer_reserve(time, count) || !pithi_buffer_reserve(out, (size_t)count * 8 + 16))
        return 0;
    if (count > 0)
        steps[0] = 0; /* the block has the time of its first record */
    uint64_t unit = e->head.unit = unit_of(steps, count);
    for (uint32_t k = 0; unit != 1 && k < count; k++)
        steps[k] /= unit;
    unsigned char *classes = time->data;
    struct bits b = {out->data, 0, 0};
    for (; i + 2 <= count; i += 2) { /* two at once: the low bits of two steps nearly always fit one put_bits */
        classes[i] = class_of(steps[i], &bits[0], &rest[0]);
        classes[i + 1] = class_of(steps[i + 1], &bits[1], &rest[1]);
        seen[classes[i]]++;
        odd[classes[i + 1]]++;
        if (__builtin_expect(bits[0] + bits[1] <= 56, 1)) {
            put_bits(&b, rest[1] << bits[0] | rest[0], bits[0] + bits[1]);
        } else {
            put_long(&b, rest[0], bits[0]);
            put_long(&b, rest[1], bits[1]);
        }
    }
    for (; i < count; i++) {
        classes[i] = class_of(steps[i], &bits[0], &rest[0]);
        seen[classes[i]]++;
        put_long(&b, rest[0], bits[0]);
    }
    for (int c = 0; c < 256; c++)
        seen[c] += odd[c];
    time->size = count;
    out->size = (size_t)(b.at - out->data) + (b.used > 0);
    return 1;
}

/* Returns log2 of n > 0, with an error of about 0.01. Between powers of two, a parabola approximates it, so that Pith
 * need not depend on libm. */
static double log2_of(uint32_t n)
{
    int whole = 31 - __builtin_clz(n);
    double part = (double)n / (double)(1u << whole) - 1;
    return whole + part * (4 - part) / 3;
}

/* Returns the approximate number of bytes that the Huffman codes of `size` bytes take; seen[c] is how often byte c
 * occurs. */
static double entropy_bytes(const uint32_t seen[256], size_t size)
{
    double bits = 0;
    for (int c = 0; c < 256; c++)
        if (seen[c])
            bits += seen[c] * (log2_of((uint32_t)size) - log2_of(seen[c]));
    return bits / 8 + (double)pithi_huffman_head(seen);
}

/* Returns 1 if deflate, which searches for repeats, would make the column smaller than Huffman codes. As the search
 * takes time, only the column's beginning is tried, and the result is used for some further blocks: for more blocks
 * each time that the result stays the same. */
static int repeats_pay(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c, double huffman,
                       unsigned char *out)
{
    const struct pithi_buffer *column = &e->column[c];
    if (e->repeats[c].blocks == 0) {
        size_t part = column->size < 2048 ? column->size : 2048;
        size_t packed = pithi_zip_pack(zip, column->data, part, out, part);
        double whole = (double)packed * (double)column->size / (double)part;
        unsigned char pay = packed && whole < .95 * huffman && whole < .97 * (double)column->size;
        unsigned most = e->repeats[c].pay == pay ? 2u * e->repeats[c].most : 0;
        e->repeats[c].pay = pay;
        e->repeats[c].most = (unsigned char)(most < FEW_BLOCKS ? FEW_BLOCKS : most < MANY_BLOCKS ? most : MANY_BLOCKS);
        e->repeats[c].blocks = e->repeats[c].most;
    }
    e->repeats[c].blocks--;
    return e->repeats[c].pay;
}

/* Returns 1 if the column's first bytes hardly repeat, so no coder would shrink them. This holds for the low bits of
 * time steps, unless the clock has a pattern. */
static int looks_like_noise(const struct pithi_buffer *column)
{
    enum { PART = 4096 };
    uint32_t seen[256];
    if (column->size < 2 * PART)
        return 0;
    pithi_histogram(column->data, PART, seen);
    return entropy_bytes(seen, PART) - (double)pithi_huffman_head(seen) > .98 * PART;
}

/* Packs a column into `out`, which has room for the unpacked column. Returns the packed size, and sets *coding; returns
 * 0 if the column is to be stored unpacked. Time steps are not searched for repeats; their classes were counted in
 * `times`. */
static size_t pack_column(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c,
                          const uint32_t times[256], unsigned char *out, enum pithi_coding *coding)
{
    const struct pithi_buffer *column = &e->column[c];
    uint32_t counted[256];
    const uint32_t *seen = c == PITHI_COL_TIME ? times : counted;
    size_t packed;
    if (column->size <= 32 || (c == PITHI_COL_BITS && looks_like_noise(column)))
        return 0;
    if (seen == counted)
        pithi_histogram(column->data, column->size, counted);
    double huffman = entropy_bytes(seen, column->size);
    *coding = PITHI_DEFLATED;
    /* All bytes are equal, so the column is coded as one run. */
    if (seen[column->data[0]] == column->size)
        return pithi_zip_pack_runs(zip, column->data, column->size, out, column->size - 1);
    if (c != PITHI_COL_TIME && c != PITHI_COL_BITS && repeats_pay(e, zip, c, huffman, out) &&
        (packed = pithi_zip_pack(zip, column->data, column->size, out, column->size - 1)) > 0) {
        if ((double)packed > huffman)
            e->repeats[c].blocks = 0; /* deflate no longer pays: check again in the next block */
        return packed;
    }
    *coding = PITHI_HUFFMAN;
    return huffman < .97 * (double)column->size
               ? pithi_huffman_pack(column->data, column->size, seen, out, column->size - 1)
               : 0;
}

static int put_column(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c, const uint32_t times[256],
                      struct pithi_buffer *out, unsigned char *entry)
{
    const struct pithi_buffer *column = &e->column[c];
    enum pithi_coding coding = PITHI_STORED;
    if (!pithi_buffer_reserve(out, column->size + PITHI_HUFFMAN_SLACK))
        return 0;
    size_t packed = pack_column(e, zip, c, times, out->data + out->size, &coding);
    if (packed == 0)
        coding = PITHI_STORED;
    if (packed == 0 && !pithi_buffer_add(out, column->data, column->size))
        return 0;
    out->size += packed;
    pithi_put16(entry, (uint16_t)c);
    pithi_put16(entry + 2, (uint16_t)coding);
    pithi_put32(entry + 4, (uint32_t)(packed ? packed : column->size));
    pithi_put32(entry + 8, (uint32_t)column->size);
    pithi_put32(entry + 12, 0);
    return 1;
}

int pithi_encoder_end(struct pithi_encoder *e, struct pithi_zip *zip, struct pithi_buffer *out,
                      struct pithi_block_head *head)
{
    size_t start = out->size;
    uint32_t times[256] = {0};
    int err = pithi_encoder_code(e);
    if (err != PITH_OK)
        return err;
    if (!code_times(e, times))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    for (uint32_t i = 0; i < e->dict_count; i++)
        if (!put(e, PITHI_COL_DICT, e->dict[i].kind) || !put(e, PITHI_COL_DICT, e->dict[i].what))
            return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");

    e->head.columns = 0;
    for (int c = 1; c < PITHI_COL_COUNT; c++)
        e->head.columns += e->column[c].size != 0;
    size_t table = PITHI_EVENTS_HEAD + (size_t)e->head.columns * PITHI_COLUMN_ENTRY;
    if (!pithi_buffer_reserve(out, table))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    /* The head has the counts that readers ask for, so they need not unpack a block to count its states or messages. */
    unsigned char *p = out->data + start;
    pithi_put32(p, e->head.thread);
    pithi_put32(p + 4, e->head.count);
    pithi_put64(p + 8, (uint64_t)e->head.first_ns);
    pithi_put64(p + 16, (uint64_t)e->head.last_ns);
    pithi_put64(p + 24, e->head.before);
    pithi_put64(p + 32, e->head.unit);
    pithi_put32(p + 40, e->head.kinds);
    pithi_put32(p + 44, e->head.columns);
    pithi_put32(p + 48, e->head.states);
    pithi_put32(p + 52, e->head.events);
    pithi_put32(p + 56, e->head.messages);
    pithi_put32(p + 60, 0);
    pithi_put64(p + 64, e->head.lost);
    memset(p + 72, 0, PITHI_EVENTS_HEAD - 72);
    out->size += table;
    size_t entry = start + PITHI_EVENTS_HEAD;
    for (int c = 1; c < PITHI_COL_COUNT; c++) {
        unsigned char text[PITHI_COLUMN_ENTRY];
        if (e->column[c].size == 0)
            continue;
        if (!put_column(e, zip, (enum pithi_column)c, times, out, text))
            return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
        memcpy(out->data + entry, text, sizeof text);
        entry += PITHI_COLUMN_ENTRY;
    }
    *head = e->head;
    if (e->lane_count == 0)
        e->lane_begin_ns = e->head.first_ns;
    e->lane_count += e->head.count;
    e->before_ns = e->head.last_ns;
    e->head = (struct pithi_block_head){.thread = e->head.thread, .last_ns = e->head.last_ns};
    e->posted = 0;
    e->with_comm = 0;
    e->nested = 0;
    e->lost_records = e->gone_entries = e->hole_count = 0;
    pithi_encoder_forget(e);
    for (int i = 0; i < PITHI_COL_COUNT; i++)
        e->column[i].size = 0;
    return PITH_OK;
}
