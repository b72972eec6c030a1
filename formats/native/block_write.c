/* block_write.c - the encoder: collects records of a lane as columns, then packs them.
 *
 * The time a record costs here is paid by the program at MPI_Finalize, so adding only stores: a code, a time step,
 * and what few kinds carry beyond; that of states stands in block.h, so that it is compiled into its caller. All
 * choices (unit, coding) are made once a block, over whole columns.
 */
#include "native/block.h"

#include "native/huffman.h"

enum { FIRST_ROOM = 16, FIRST_SLOTS_LOG2 = 4, REPEATS_BLOCKS = 8 };

static size_t slots_of(const struct pithi_encoder *e) { return (size_t)1 << (64 - e->code_shift); }

/* One slot in four is used at most, and all codes fit in the largest table. */
static size_t codes_of(uint32_t slots_log2) { return (size_t)1 << (slots_log2 - 2); }

/* A table of 2^slots_log2 slots, with the codes that there are. */
static int make_slots(struct pithi_encoder *e, uint32_t slots_log2)
{
    struct pithi_code_slot *code = calloc((size_t)1 << slots_log2, sizeof *code);
    struct pithi_dict *dict = code ? realloc(e->dict, codes_of(slots_log2) * sizeof *dict) : NULL;
    if (!dict) {
        free(code);
        return 0;
    }
    free(e->code);
    e->code = code;
    e->dict = dict;
    e->code_shift = 64 - slots_log2;
    for (uint32_t i = 0; i < e->dict_count; i++) {
        uint64_t key = pithi_code_key(dict[i].kind, dict[i].what);
        size_t at = pithi_code_home(e, key);
        while (code[at].key != 0)
            at = (at + 1) % slots_of(e);
        code[at] = (struct pithi_code_slot){key, i};
    }
    return 1;
}

struct pithi_encoder *pithi_encoder_new(uint32_t thread)
{
    struct pithi_encoder *e = calloc(1, sizeof *e);
    if (!e || !make_slots(e, FIRST_SLOTS_LOG2)) {
        free(e);
        return NULL;
    }
    e->head.thread = thread;
    e->head.last_ns = INT64_MIN;
    return e;
}

void pithi_encoder_free(struct pithi_encoder *e)
{
    if (!e)
        return;
    free(e->open.states);
    free(e->steps);
    free(e->what);
    free(e->code);
    free(e->dict);
    for (int i = 0; i < PITHI_COL_COUNT; i++)
        free(e->column[i].data);
    free(e);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

/* The states open now are what the block starts with. */
static int begin_block(struct pithi_encoder *e, int64_t time_ns)
{
    struct pithi_buffer *out = &e->column[PITHI_COL_OPEN];
    e->head.first_ns = time_ns;
    e->head.last_ns = time_ns;
    e->head.before = e->lane_count;
    for (uint32_t i = 0; i < e->open.count; i++) {
        const struct pithi_open_state *s = &e->open.states[i];
        if (!pithi_buffer_varint(out, s->id) || !pithi_buffer_varint(out, (uint64_t)time_ns - (uint64_t)s->enter_ns) ||
            !pithi_buffer_varint(out, (uint64_t)s->nested_ns))
            return 0;
    }
    return 1;
}

static int grow(struct pithi_encoder *e)
{
    uint32_t room = e->room ? e->room * 4 : FIRST_ROOM;
    uint64_t *steps = realloc(e->steps, room * sizeof *steps);
    if (!steps)
        return 0;
    e->steps = steps;
    unsigned char *what = realloc(e->what, room);
    if (!what)
        return 0;
    e->what = what;
    e->room = room;
    return 1;
}

/* The byte for (kind, what) of a code, new ones while there are any, else the escape. -1: no memory. */
static int code_of(struct pithi_encoder *e, uint32_t kind, uint32_t what)
{
    uint64_t key = pithi_code_key(kind, what);
    size_t at = pithi_code_home(e, key);
    for (; e->code[at].key != 0; at = (at + 1) % slots_of(e))
        if (e->code[at].key == key)
            return (int)e->code[at].code;
    e->head.kinds |= 1u << (kind == PITHI_LEAVE_INNERMOST ? (uint32_t)PITHLOG_LEAVE : kind);
    if (e->dict_count == PITHI_CODE_ESCAPE)
        return PITHI_CODE_ESCAPE;
    if (e->dict_count == codes_of(64 - e->code_shift)) {
        if (!make_slots(e, 64 - e->code_shift + 2))
            return -1;
        for (at = pithi_code_home(e, key); e->code[at].key != 0;)
            at = (at + 1) % slots_of(e);
    }
    e->dict[e->dict_count] = (struct pithi_dict){kind, what};
    e->code[at] = (struct pithi_code_slot){key, e->dict_count};
    return (int)e->dict_count++;
}

static int put(struct pithi_encoder *e, enum pithi_column column, uint64_t v)
{
    return pithi_buffer_varint(&e->column[column], v);
}

static int put_bytes(struct pithi_encoder *e, enum pithi_column column, const void *data, size_t size)
{
    return pithi_buffer_add(&e->column[column], data, size);
}

static int add_leave(struct pithi_encoder *e, uint32_t id, int64_t time_ns)
{
    struct pithi_open_state ended;
    uint32_t depth;
    e->head.states += (uint32_t)pithi_stack_leave(&e->open, id, time_ns, &ended, &depth);
    return 1;
}

static int add_recv(struct pithi_encoder *e, const struct pithlog_record *r)
{
    uint64_t step = r->posted - e->posted;
    e->posted = r->posted + 1;
    e->head.messages += r->peer >= 0;
    return put(e, PITHI_COL_PEER, pithi_zigzag(r->peer)) && put(e, PITHI_COL_TAG, pithi_zigzag(r->tag)) &&
           put(e, PITHI_COL_BYTES, r->bytes) && put(e, PITHI_COL_POSTED, pithi_zigzag((int64_t)step));
}

static int add_counter(struct pithi_encoder *e, double value)
{
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pithi_put64(bytes, bits);
    return put_bytes(e, PITHI_COL_VALUE, bytes, sizeof bytes);
}

/* The communicator that a state or event is on. */
static int add_comm(struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    uint32_t place = e->head.count - 1, step = place - e->with_comm;
    if (comm == 0 || r->kind > PITHLOG_EVENT)
        return 1;
    e->with_comm = place + 1;
    return put(e, PITHI_COL_COMM, step) && put(e, PITHI_COL_COMM, comm);
}

/* What a kind carries beyond code and time. 0: no memory. */
static int add_fields(struct pithi_encoder *e, const struct pithlog_record *r, int64_t time_ns)
{
    switch (r->kind) {
    case PITHLOG_ENTER:
        return pithi_stack_enter(&e->open, r->id, time_ns);
    case PITHLOG_LEAVE:
        return add_leave(e, r->id, time_ns);
    case PITHLOG_EVENT:
        e->head.events++;
        return put(e, PITHI_COL_SIZE, r->payload_bytes) &&
               put_bytes(e, PITHI_COL_PAYLOAD, r->payload, r->payload_bytes);
    case PITHLOG_COUNTER:
        return add_counter(e, r->value);
    case PITHLOG_SEND:
        return put(e, PITHI_COL_PEER, pithi_zigzag(r->peer)) && put(e, PITHI_COL_TAG, pithi_zigzag(r->tag)) &&
               put(e, PITHI_COL_BYTES, r->bytes);
    case PITHLOG_RECV:
        return add_recv(e, r);
    case PITHLOG_COLL:
        return put(e, PITHI_COL_PEER, pithi_zigzag(r->peer)) && put(e, PITHI_COL_BYTES, r->bytes) &&
               put(e, PITHI_COL_GOT, r->got_bytes);
    case PITHLOG_LOST:
        e->head.lost += r->bytes;
        return put(e, PITHI_COL_BYTES, r->bytes);
    default:
        return 1;
    }
}

/* What happened, as the code of a record says it. */
static struct pithi_dict meaning_of(const struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    const uint32_t no_what = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME | 1u << PITHLOG_LOST;
    if (r->kind == PITHLOG_LEAVE && e->open.count && e->open.states[e->open.count - 1].id == r->id)
        return (struct pithi_dict){PITHI_LEAVE_INNERMOST, 0};
    return (struct pithi_dict){r->kind, r->kind <= PITHLOG_COUNTER ? r->id : no_what >> r->kind & 1 ? 0 : comm};
}

int pithi_encoder_add_any(struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    int64_t time_ns = r->time_ns;
    if (r->kind < PITHLOG_ENTER || r->kind > PITHLOG_LOST)
        return pithi_fail(PITH_ERR_USAGE, "a record of kind %u: there is no such", r->kind);
    if (r->kind == PITHLOG_EVENT && r->payload_bytes > PITHI_PAYLOAD_MAX)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a payload of %u bytes: at most %u can be stored", r->payload_bytes,
                          PITHI_PAYLOAD_MAX);
    if (time_ns < e->head.last_ns)
        time_ns = e->head.last_ns;
    if ((e->head.count == 0 && !begin_block(e, time_ns)) || (e->head.count == e->room && !grow(e)))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    struct pithi_dict is = meaning_of(e, r, comm);
    int code = code_of(e, is.kind, is.what);
    if (code < 0)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    e->what[e->head.count] = (unsigned char)code;
    e->steps[e->head.count] = (uint64_t)time_ns - (uint64_t)e->head.last_ns;
    e->head.count++;
    e->head.last_ns = time_ns;
    if ((code == (int)PITHI_CODE_ESCAPE && !(put(e, PITHI_COL_ESCAPE, is.kind) && put(e, PITHI_COL_ESCAPE, is.what))) ||
        !add_fields(e, r, time_ns) || !add_comm(e, r, comm))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of a lane");
    return PITH_OK;
}

/* ---- Ending a block ---------------------------------------------------------------------------------------------- */

/* The greatest common divisor of all steps: 1000 for a log that was kept in microseconds. */
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

/* Bits being put, lowest first: whole bytes leave at once, up to 7 bits stay in `word`. */
struct bits {
    unsigned char *at;
    uint64_t word;
    unsigned used;
};

/* `count`: at most 56, so that no branch is needed; it writes up to 8 bytes. */
static inline void put_bits(struct bits *b, uint64_t value, unsigned count)
{
    b->word |= value << b->used;
    b->used += count;
    pithi_put64(b->at, b->word);
    b->at += b->used / 8;
    b->word >>= b->used / 8 * 8;
    b->used %= 8;
}

/* Fills PITHI_COL_TIME and PITHI_COL_BITS from the steps. */
static int code_times(struct pithi_encoder *e)
{
    struct pithi_buffer *time = &e->column[PITHI_COL_TIME], *out = &e->column[PITHI_COL_BITS];
    uint64_t unit = e->head.unit = unit_of(e->steps, e->head.count);
    if (!pithi_buffer_reserve(time, e->head.count) || !pithi_buffer_reserve(out, (size_t)e->head.count * 8 + 16))
        return 0;
    unsigned char *class_at = time->data;
    struct bits b = {out->data, 0, 0};
    for (uint32_t i = 0; i < e->head.count; i++) {
        unsigned bits;
        uint64_t step = unit == 1 ? e->steps[i] : e->steps[i] / unit;
        *class_at++ = (unsigned char)pithi_time_class(step, &bits);
        step &= (UINT64_C(1) << bits) - 1;
        if (__builtin_expect(bits > 56, 0)) {
            put_bits(&b, step & UINT32_MAX, 32);
            step >>= 32;
            bits -= 32;
        }
        put_bits(&b, step, bits);
    }
    time->size = e->head.count;
    out->size = (size_t)(b.at - out->data) + (b.used > 0);
    return 1;
}

static int code_dict(struct pithi_encoder *e)
{
    for (uint32_t i = 0; i < e->dict_count; i++)
        if (!put(e, PITHI_COL_DICT, e->dict[i].kind) || !put(e, PITHI_COL_DICT, e->dict[i].what))
            return 0;
    return pithi_buffer_add(&e->column[PITHI_COL_WHAT], e->what, e->head.count);
}

/* log2 of n > 0 to about 0.01: between powers of two a parabola. (libm is not worth a dependency.) */
static double log2_of(uint32_t n)
{
    int whole = 31 - __builtin_clz(n);
    double part = (double)n / (double)(1u << whole) - 1;
    return whole + part * (4 - part) / 3;
}

/* Bytes that Huffman codes need, about. */
static double entropy_bytes(const uint32_t seen[256], size_t size)
{
    double bits = 0;
    for (int c = 0; c < 256; c++)
        if (seen[c])
            bits += seen[c] * (log2_of((uint32_t)size) - log2_of(seen[c]));
    return bits / 8 + (double)pithi_huffman_head(seen);
}

/* Looking for repeats is what costs time: whether they pay is found out on the column's beginning, and taken to be so
 * for some blocks. */
static int repeats_pay(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c, double huffman,
                       unsigned char *out)
{
    const struct pithi_buffer *column = &e->column[c];
    if (e->repeats[c].blocks == 0) {
        size_t part = column->size < 2048 ? column->size : 2048;
        size_t packed = pithi_zip_pack(zip, column->data, part, out, part);
        double whole = (double)packed * (double)column->size / (double)part;
        e->repeats[c].pay = packed && whole < .95 * huffman && whole < .97 * (double)column->size;
        e->repeats[c].blocks = REPEATS_BLOCKS;
    }
    e->repeats[c].blocks--;
    return e->repeats[c].pay;
}

/* Packs into `out` (room for the column): its size and coding; 0: store it. Time steps have no repeats but by
 * chance. */
static size_t pack_column(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c, unsigned char *out,
                          enum pithi_coding *coding)
{
    const struct pithi_buffer *column = &e->column[c];
    uint32_t seen[256];
    size_t packed;
    if (column->size <= 32)
        return 0;
    pithi_histogram(column->data, column->size, seen);
    double huffman = entropy_bytes(seen, column->size);
    *coding = PITHI_DEFLATED;
    if (c != PITHI_COL_TIME && c != PITHI_COL_BITS && repeats_pay(e, zip, c, huffman, out) &&
        (packed = pithi_zip_pack(zip, column->data, column->size, out, column->size - 1)) > 0) {
        if ((double)packed > huffman)
            e->repeats[c].blocks = 0; /* no more: look again */
        return packed;
    }
    *coding = PITHI_HUFFMAN;
    return huffman < .97 * (double)column->size
               ? pithi_huffman_pack(column->data, column->size, seen, out, column->size - 1)
               : 0;
}

static int put_column(struct pithi_encoder *e, struct pithi_zip *zip, enum pithi_column c, struct pithi_buffer *out,
                      unsigned char *entry)
{
    const struct pithi_buffer *column = &e->column[c];
    enum pithi_coding coding = PITHI_STORED;
    if (!pithi_buffer_reserve(out, column->size + PITHI_HUFFMAN_SLACK))
        return 0;
    size_t packed = pack_column(e, zip, c, out->data + out->size, &coding);
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

static void put_head(unsigned char *p, const struct pithi_block_head *h)
{
    pithi_put32(p, h->thread);
    pithi_put32(p + 4, h->count);
    pithi_put64(p + 8, (uint64_t)h->first_ns);
    pithi_put64(p + 16, (uint64_t)h->last_ns);
    pithi_put64(p + 24, h->before);
    pithi_put64(p + 32, h->unit);
    pithi_put32(p + 40, h->kinds);
    pithi_put32(p + 44, h->columns);
    pithi_put32(p + 48, h->states);
    pithi_put32(p + 52, h->events);
    pithi_put32(p + 56, h->messages);
    pithi_put32(p + 60, 0);
    pithi_put64(p + 64, h->lost);
    memset(p + 72, 0, PITHI_EVENTS_HEAD - 72);
}

static void next_block(struct pithi_encoder *e)
{
    e->lane_count += e->head.count;
    e->head = (struct pithi_block_head){.thread = e->head.thread, .last_ns = e->head.last_ns};
    e->dict_count = 0;
    e->posted = 0;
    e->with_comm = 0;
    memset(e->code, 0, slots_of(e) * sizeof *e->code);
    for (int i = 0; i < PITHI_COL_COUNT; i++)
        e->column[i].size = 0;
}

int pithi_encoder_end(struct pithi_encoder *e, struct pithi_zip *zip, struct pithi_buffer *out,
                      struct pithi_block_head *head)
{
    size_t start = out->size;
    if (!code_times(e) || !code_dict(e))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    e->head.columns = 0;
    for (int c = 1; c < PITHI_COL_COUNT; c++)
        e->head.columns += e->column[c].size != 0;
    size_t table = PITHI_EVENTS_HEAD + (size_t)e->head.columns * PITHI_COLUMN_ENTRY;
    if (!pithi_buffer_reserve(out, table))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    put_head(out->data + start, &e->head);
    out->size += table;
    size_t entry = start + PITHI_EVENTS_HEAD;
    for (int c = 1; c < PITHI_COL_COUNT; c++) {
        unsigned char text[PITHI_COLUMN_ENTRY];
        if (e->column[c].size == 0)
            continue;
        if (!put_column(e, zip, (enum pithi_column)c, out, text))
            return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
        memcpy(out->data + entry, text, sizeof text);
        entry += PITHI_COLUMN_ENTRY;
    }
    *head = e->head;
    next_block(e);
    return PITH_OK;
}
