/* block_read.c - the decoder: checks and unpacks a block's columns, then prepares its records. It checks everything in
 * the payload, because CRCs detect accidents, not attacks.
 *
 * Records are prepared 64 at a time. Times, codes, open states and further fields are each decoded by a loop of their
 * own, which reads only a few columns. A processor cannot predict which kind comes next, so the loops of the common
 * case have no branch on it:
 *
 *     code        0 (enter A)  1 (enter B)   2 (leave innermost)       2
 *     stack       A            A B           A                         -
 *     move        +1           +1            -1                        -1      added to the top of the stack
 *     id          A            B             top[-1] = B               A       chosen by a mask, not by `if`
 *
 * A damaged block may leave more states than are open. The loop lets the top go below the bottom (64 spare entries
 * exist for this) and only remembers the lowest top; `good_before` then finds the first bad record.
 *
 * The good records before the damage are delivered first; then the next call fails. */
#include "native/block.h"

const struct pithlog_record pithi_no_fields = {.peer = -1};

static const char cut_short[] = "a record is cut short or makes no sense"; /* why a block is damaged */

int pithi_block_head_get(const unsigned char *p, uint64_t size, struct pithi_block_head *h)
{
    if (size < PITHI_EVENTS_HEAD)
        return 0;
    h->thread = pithi_get32(p);
    h->count = pithi_get32(p + 4);
    h->first_ns = (int64_t)pithi_get64(p + 8);
    h->last_ns = (int64_t)pithi_get64(p + 16);
    h->before = pithi_get64(p + 24);
    h->unit = pithi_get64(p + 32);
    h->kinds = pithi_get32(p + 40);
    h->columns = pithi_get32(p + 44);
    h->states = pithi_get32(p + 48);
    h->events = pithi_get32(p + 52);
    h->messages = pithi_get32(p + 56);
    h->lost = pithi_get64(p + 64);
    return h->count > 0 && h->count <= PITHI_BLOCK_RECORDS_MAX && h->first_ns <= h->last_ns && h->unit > 0 &&
           h->columns <= 1024 && h->columns <= (size - PITHI_EVENTS_HEAD) / PITHI_COLUMN_ENTRY &&
           h->before <= INT64_MAX;
}

static int get_long(struct pithi_column_view *c, uint64_t *v)
{
    const unsigned char *p = pithi_get_varint(c->at, c->end, v);
    if (!p)
        return 0;
    c->at = p;
    return 1;
}

static inline int get(struct pithi_block *b, enum pithi_column c, uint64_t *v)
{
    struct pithi_column_view *column = &b->column[c];
    *v = *column->at; /* may be read even at the end, as zeros follow each column */
    if (column->at == column->end || *v >= 0x80)
        return get_long(column, v);
    column->at++;
    return 1;
}

/* Checks the definition or communicator of a record, and converts a communicator to the log's number. Returns 0 if it
 * is invalid. */
static int known(const struct pithi_block *b, uint32_t kind, uint64_t *what)
{
    if (kind <= PITHLOG_COUNTER)
        return *what < b->def_count;
    if (kind > PITHLOG_COMM_FREE)
        return *what == 0;
    if (*what >= b->comm_count || (b->comms && b->comms[*what] == UINT32_MAX))
        return 0;
    if (b->comms)
        *what = b->comms[*what];
    return 1;
}

/* Reads a kind and a number from a column. PITHI_LEAVE_INNERMOST becomes LEAVE of PITHI_INNERMOST. */
static int get_what(struct pithi_block *b, enum pithi_column c, struct pithi_dict *d)
{
    uint64_t kind, what;
    if (!get(b, c, &kind) || !get(b, c, &what) || kind < PITHLOG_ENTER || kind > PITHI_LEAVE_INNERMOST ||
        !known(b, (uint32_t)kind, &what))
        return 0;
    *d = (struct pithi_dict){(uint32_t)kind, (uint32_t)what};
    if (kind == PITHI_LEAVE_INNERMOST)
        *d = (struct pithi_dict){PITHLOG_LEAVE, PITHI_INNERMOST};
    return 1;
}

int pithi_block_escape(struct pithi_block *b, struct pithi_dict *d)
{
    return b->column[PITHI_COL_ESCAPE].at < b->column[PITHI_COL_ESCAPE].end && get_what(b, PITHI_COL_ESCAPE, d);
}

/* Makes room for `room` open states. Returns 0 if there is no memory. */
static int reserve_open(struct pithi_block *b, uint32_t room)
{
    struct pithi_open_ids *open = &b->open;
    if (open->ids && room <= open->room)
        return 1;
    uint32_t *ids = realloc(open->ids, (PITHI_READY + room + (size_t)1) * sizeof *ids);
    if (!ids)
        return 0;
    if (!open->ids)
        memset(ids, 0, PITHI_READY * sizeof *ids);
    *open = (struct pithi_open_ids){ids, open->count, room};
    return 1;
}

static int push(struct pithi_block *b, uint32_t id)
{
    struct pithi_open_ids *open = &b->open;
    if (open->count == open->room && !reserve_open(b, open->room * 2 + 8))
        return 0;
    open->ids[PITHI_READY + open->count++] = id;
    return 1;
}

/* Reads the states open at the block's start from column OPEN or STILL; those of OPEN also go into b->open. `s`, if not
 * NULL, gets the states with their times. */
static int read_states(struct pithi_block *b, enum pithi_column c, struct pithi_stack *s, const char **why)
{
    uint64_t count = UINT64_MAX, found = 0;
    *why = "the states open at its start make no sense";
    if (c == PITHI_COL_STILL && !get(b, c, &count))
        return PITH_ERR_DAMAGED;
    if (s)
        s->count = 0;
    for (; b->column[c].at < b->column[c].end; found++) {
        uint64_t id, ago, nested;
        if (found == PITHI_OPEN_MAX || !get(b, c, &id) || !get(b, c, &ago) || !get(b, c, &nested) ||
            id >= b->def_count || ago > (uint64_t)b->head.first_ns - (uint64_t)INT64_MIN)
            return PITH_ERR_DAMAGED;
        if (c == PITHI_COL_OPEN && !push(b, (uint32_t)id))
            return PITH_ERR_MEMORY;
        if (!s)
            continue;
        if (s->count == s->room && !pithi_stack_make_room(s))
            return PITH_ERR_MEMORY;
        s->states[s->count++] = (struct pithi_open_state){
            .id = (uint32_t)id,
            .enter_ns = (int64_t)((uint64_t)b->head.first_ns - ago),
            .nested_ns = (int64_t)nested,
        };
    }
    return c == PITHI_COL_OPEN || count == found ? PITH_OK : PITH_ERR_DAMAGED;
}

/* Goes to the next record with an entry in PITHI_COL_COMM. Returns 0 if the entry is invalid. */
static int next_comm(struct pithi_block *b)
{
    uint64_t step;
    if (b->column[PITHI_COL_COMM].at == b->column[PITHI_COL_COMM].end) {
        b->comm_at = UINT64_MAX;
        return 1;
    }
    if (!get(b, PITHI_COL_COMM, &step) || !get(b, PITHI_COL_COMM, &b->comm) || !known(b, PITHLOG_SEND, &b->comm) ||
        step >= b->head.count - b->comm_at)
        return 0;
    b->comm_at += step;
    return 1;
}

/* Discards the records in `ready`. The last one stays readable just before `next`, as the caller may still use it. */
static void keep_last(struct pithi_block *b)
{
    if (b->ready_end != b->ready)
        b->ready[-1] = b->ready_end[-1];
    b->next = b->ready_end = b->ready;
}

int pithi_block_load(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                     struct pithi_stack *opened, const char **why)
{
    int err;
    *why = "its head contradicts itself";
    if (!pithi_block_head_get(payload, size, &b->head))
        return PITH_ERR_DAMAGED;
    keep_last(b);
    /* Allocates memory for prepared records and codes at the first use. */
    if (!b->ready) {
        struct pithi_ready *memory = calloc(PITHI_READY + (size_t)2, sizeof *memory);
        b->next = b->ready_end = b->ready = memory ? memory + 1 : NULL;
    }
    b->fields = b->fields ? b->fields : malloc((PITHI_READY + (size_t)1) * sizeof *b->fields);
    b->codes = b->codes ? b->codes : malloc(256 * sizeof *b->codes);
    if (!b->ready || !b->fields || !b->codes)
        return PITH_ERR_MEMORY;
    for (int i = 0; i <= PITHI_READY; i++)
        b->ready[i] = (struct pithi_ready){.lane = b->lane};
    b->with_fields = 0;
    b->fields[0] = pithi_no_fields; /* copied from memory later: the compiler would build a constant anew for each
                                       copy */

    if ((err = pithi_block_unpack(b, zip, payload, size, why)) != PITH_OK)
        return err;
    *why = "it speaks of definitions or communicators that are not there";
    b->dict_count = 0;
    b->nested = b->column[PITHI_COL_ESCAPE].at == b->column[PITHI_COL_ESCAPE].end;
    while (b->column[PITHI_COL_DICT].at < b->column[PITHI_COL_DICT].end) {
        struct pithi_dict d;
        if (b->dict_count == PITHI_CODE_ESCAPE || !get_what(b, PITHI_COL_DICT, &d))
            return PITH_ERR_DAMAGED;
        uint32_t innermost = d.kind == PITHLOG_LEAVE && d.what == PITHI_INNERMOST;
        b->codes[b->dict_count++] =
            (struct pithi_code_entry){d.what, (uint16_t)d.kind, d.kind > PITHLOG_LEAVE,
                                      (d.kind == PITHLOG_ENTER) - (int32_t)innermost, -innermost};
        b->nested &= d.kind != PITHLOG_LEAVE || innermost;
    }
    for (uint32_t i = b->dict_count; i < 256; i++)
        b->codes[i] = (struct pithi_code_entry){i, 0, 1, 0, 0};

    /* The codes refer to the states of OPEN. If some of these states ended in holes, STILL lists the remaining ones,
     * and the caller gets those of STILL. */
    int has_still = b->column[PITHI_COL_STILL].at < b->column[PITHI_COL_STILL].end;
    b->open.count = 0;
    if (!reserve_open(b, 8))
        return PITH_ERR_MEMORY;
    if ((err = read_states(b, PITHI_COL_OPEN, has_still ? NULL : opened, why)) != PITH_OK ||
        (has_still && (err = read_states(b, PITHI_COL_STILL, opened, why)) != PITH_OK))
        return err;
    b->prepared = 0;
    b->prepared_ns = b->head.first_ns;
    b->why = NULL;
    b->bit = 0;
    b->bit_count = (uint64_t)(b->column[PITHI_COL_BITS].end - b->column[PITHI_COL_BITS].at) * 8;
    b->posted = 0;
    b->comm_at = 0;
    *why = "its communicators make no sense";
    return next_comm(b) ? PITH_OK : PITH_ERR_DAMAGED;
}

void pithi_block_free(struct pithi_block *b)
{
    free(b->memory.data);
    b->memory = (struct pithi_buffer){0};
    b->most = 0;
    if (b->ready)
        free(b->ready - 1);
    free(b->fields);
    free(b->codes);
    free(b->open.ids);
    b->open = (struct pithi_open_ids){0};
    b->ready = NULL;
    b->fields = NULL;
    b->codes = NULL;
    b->next = b->ready_end = NULL;
}

/* ---- Taking records ---------------------------------------------------------------------------------------------- */

/* Like `get`, for numbers whose length in bytes is unpredictable: reads up to eight bytes without a branch. The top bit
 * of each byte says that another byte follows, so the lowest top bit that is 0 ends the number. The bytes after it are
 * masked out, and the groups of 7 bits are joined in three steps, into groups of 14, of 28 and of 56 bits. For 300:
 *
 *     bytes ac 02 | 85 ...     the top bit of 02 is 0: two bytes, 0x2c and 0x02 without their top bits
 *     word 0x022c              0x2c | 0x0200 >> 1 = 0x12c = 300 */
static inline int get_uneven(struct pithi_block *b, enum pithi_column c, uint64_t *v)
{
    struct pithi_column_view *column = &b->column[c];
    uint64_t word = pithi_get64(column->at), last = ~word & UINT64_C(0x8080808080808080);
    if (last == 0 || column->at == column->end)
        return get_long(column, v);
    word &= (last ^ (last - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    *v = (word & UINT64_C(0x0fffffff)) | word >> 32 << 28;
    column->at += __builtin_ctzll(last) / 8 + 1;
    return column->at <= column->end;
}

static inline int get_peer(struct pithi_block *b, int32_t *v, enum pithi_column c)
{
    uint64_t u;
    if (!get(b, c, &u))
        return 0;
    int64_t s = pithi_unzigzag(u);
    *v = (int32_t)s;
    return s >= INT32_MIN && s <= INT32_MAX;
}

/* Reads the further fields of a record of kind r->kind. Returns 0 if they are damaged. */
static int take_fields(struct pithi_block *b, struct pithlog_record *r)
{
    switch (r->kind) {
    case PITHLOG_EVENT: {
        struct pithi_column_view *c = &b->column[PITHI_COL_PAYLOAD];
        uint64_t size;
        if (!get(b, PITHI_COL_SIZE, &size) || size > (uint64_t)(c->end - c->at) || size > PITHI_PAYLOAD_MAX)
            return 0;
        r->payload = size ? c->at : NULL;
        r->payload_bytes = (uint32_t)size;
        c->at += size;
        return 1;
    }
    case PITHLOG_COUNTER: {
        struct pithi_column_view *c = &b->column[PITHI_COL_VALUE];
        if (c->end - c->at < 8)
            return 0;
        uint64_t bits = pithi_get64(c->at);
        memcpy(&r->value, &bits, sizeof bits);
        c->at += 8;
        return 1;
    }
    case PITHLOG_SEND:
    case PITHLOG_RECV: {
        /* SEND and RECV share one path, as their order is unpredictable: `recv` is 1 for a RECV, which has an order of
         * posting. */
        uint64_t recv = r->kind == PITHLOG_RECV;
        struct pithi_column_view *c = &b->column[PITHI_COL_POSTED];
        uint64_t step = *c->at;
        if (!get_peer(b, &r->peer, PITHI_COL_PEER) || !get_peer(b, &r->tag, PITHI_COL_TAG) ||
            !get_uneven(b, PITHI_COL_BYTES, &r->bytes))
            return 0;
        if (__builtin_expect((step & recv << 7) != 0, 0) ? !get_long(c, &step) : recv > (uint64_t)(c->end - c->at))
            return 0;
        c->at += step < 0x80 ? recv : 0;
        step = b->posted + (uint64_t)pithi_unzigzag(step);
        r->posted = step & -recv;
        b->posted += (step + 1 - b->posted) & -recv;
        return 1;
    }
    case PITHLOG_COLL:
        return get_peer(b, &r->peer, PITHI_COL_PEER) && get_uneven(b, PITHI_COL_BYTES, &r->bytes) &&
               get_uneven(b, PITHI_COL_GOT, &r->got_bytes);
    case PITHLOG_LOST:
        return get(b, PITHI_COL_BYTES, &r->bytes) &&
               (b->column[PITHI_COL_GONE].at == b->column[PITHI_COL_GONE].end || get(b, PITHI_COL_GONE, &r->got_bytes));
    default:
        return 1;
    }
}

/* Reads the further fields of decoded record `i` into b->fields[entry]; an escaped record also gets its kind and its
 * definition or communicator. Returns 0 if these are damaged. Not called for a record that enters or leaves a state,
 * unless it is escaped. */
static int get_fields(struct pithi_block *b, uint32_t i, uint32_t entry)
{
    struct pithi_dict is = {b->ready[i].kind, b->ready[i].what};
    struct pithlog_record *r = &b->fields[entry];
    *r = b->fields[0];
    b->ready[i].entry = entry;
    if (is.kind == 0 && (is.what != PITHI_CODE_ESCAPE || !get_what(b, PITHI_COL_ESCAPE, &is)))
        return 0;
    r->kind = b->ready[i].kind = is.kind;
    r->comm = is.kind <= PITHLOG_COUNTER ? 0 : is.what;
    b->ready[i].what = is.kind <= PITHLOG_COUNTER ? is.what : 0;
    return take_fields(b, r);
}

/* ---- Preparing records ------------------------------------------------------------------------------------------- */

/* Sets the kind of the next `count` records of a block whose states nest, and their definition or communicator. Sets
 * them in `records`; or in b->ready, if `records` is NULL. Returns a mask in which bit i is set if record i has further
 * fields. *good is 0 if more states were left than were open. (ENTER and LEAVE are unpredictable, so no branch depends
 * on them.) */
static inline __attribute__((always_inline)) uint64_t get_nested(struct pithi_block *b, struct pithlog_record *records,
                                                                 uint32_t count, int *good)
{
    const unsigned char *what = b->column[PITHI_COL_WHAT].at + b->prepared;
    const struct pithi_code_entry *codes = b->codes;
    struct pithi_ready *ready = b->ready;
    uint32_t *bottom = b->open.ids + PITHI_READY, *top = bottom + b->open.count, *least = bottom, lane = b->lane;
    uint64_t with_fields = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithi_code_entry *code = &codes[what[i]];
        uint32_t id = code->what;
        with_fields |= (uint64_t)code->fields << i;
        *top = id;
        id ^= (id ^ top[-1]) & code->innermost;
        if (records) {
            records[i].lane = lane;
            records[i].kind = code->kind;
            pithi_record_plain(&records[i], id);
        } else {
            ready[i].kind = code->kind;
            ready[i].what = id;
        }
        top += code->move;
        least = top < least ? top : least;
    }
    b->open.count = (uint32_t)(top - bottom);
    *good = least == bottom;
    return with_fields;
}

/* Returns the number of records before the first LEAVE that finds no state open, if `open` states are open before the
 * first record. */
static uint32_t good_before(const struct pithi_block *b, uint32_t open)
{
    const unsigned char *what = b->column[PITHI_COL_WHAT].at + b->prepared;
    for (uint32_t i = 0;; i++) {
        if (b->codes[what[i]].innermost && open == 0)
            return i;
        open += (uint32_t)b->codes[what[i]].move;
    }
}

/* Prepares records of a nested block; returns the number of valid ones. */
static uint32_t prepare_nested(struct pithi_block *b, uint32_t count)
{
    uint32_t open = b->open.count, number = 0;
    int good;
    b->with_fields = get_nested(b, NULL, count, &good);
    if (!good)
        count = good_before(b, open);
    for (uint64_t some = b->with_fields; some != 0; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(some);
        if (i >= count)
            break;
        if (!get_fields(b, i, ++number))
            return i;
    }
    return count;
}

/* Updates the list of open states for one record of this kind, by the rules of stack.h. A LEAVE whose `*what` is
 * PITHI_INNERMOST ends the innermost open state, and gets the id of that state in `*what`. Returns 1; or 0 if no state
 * is open for such a LEAVE, or if there is no memory. */
static int follow(struct pithi_block *b, uint32_t kind, uint32_t *what)
{
    struct pithi_open_ids *open = &b->open;
    uint32_t *ids = open->ids + PITHI_READY, at = open->count;
    if (kind == PITHLOG_ENTER && open->count == PITHI_OPEN_MAX) {
        open->count -= PITHI_OPEN_FORGOTTEN;
        memmove(ids + PITHI_OPEN_OUTER, ids + PITHI_OPEN_OUTER + PITHI_OPEN_FORGOTTEN,
                (open->count - PITHI_OPEN_OUTER) * sizeof *ids);
    }
    if (kind == PITHLOG_ENTER)
        return push(b, *what);
    if (kind != PITHLOG_LEAVE)
        return 1;
    if (*what == PITHI_INNERMOST) {
        if (at == 0)
            return 0;
        *what = ids[at - 1];
    }
    while (at > 0 && ids[at - 1] != *what)
        at--;
    if (at > 0) {
        memmove(ids + at - 1, ids + at, (open->count - at) * sizeof *ids);
        open->count--;
    }
    return 1;
}

/* Prepares records of any block, one by one; returns the number of valid ones. */
static uint32_t prepare_any(struct pithi_block *b, uint32_t count)
{
    const unsigned char *what = b->column[PITHI_COL_WHAT].at + b->prepared;
    uint32_t number = 0;
    b->with_fields = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithi_code_entry *code = &b->codes[what[i]];
        b->ready[i].kind = code->kind;
        b->ready[i].what = code->what;
        b->with_fields |= (uint64_t)code->fields << i;
        if ((code->fields && !get_fields(b, i, ++number)) || !follow(b, b->ready[i].kind, &b->ready[i].what))
            return i;
    }
    return count;
}

/* Sets the communicators of `count` prepared records. A record without further fields gets an entry of b->fields for
 * this, taken from the last entry backwards. Returns the number of valid records. */
static uint32_t give_comms(struct pithi_block *b, uint32_t count)
{
    uint32_t entry = PITHI_READY;
    while (b->comm_at < (uint64_t)b->prepared + count) {
        uint32_t at = (uint32_t)(b->comm_at - b->prepared);
        if (b->ready[at].kind > PITHLOG_EVENT)
            return at;
        if (b->ready[at].entry == 0) {
            b->fields[entry] = b->fields[0];
            b->ready[at].entry = entry--;
            b->with_fields |= UINT64_C(1) << at;
        }
        b->fields[b->ready[at].entry].comm = (uint32_t)b->comm;
        b->comm_at++;
        if (!next_comm(b))
            return at;
    }
    return count;
}

/* Returns 1 if the states of the next `count` records nest and there is room for them. */
static int is_quick(struct pithi_block *b, uint32_t count)
{
    uint32_t most = b->open.count + count;
    return b->nested && most <= PITHI_OPEN_MAX && (most <= b->open.room || reserve_open(b, most + PITHI_READY));
}

/* Decodes records straight into the caller's array, without the copy from `ready`. This works in blocks in which all
 * states nest, if none of the next records has a communicator. Returns 0 if the records must be prepared. */
uint32_t pithi_block_direct(struct pithi_block *b, struct pithlog_record *records, uint32_t count)
{
    uint32_t left = b->head.count - b->prepared, was_open = b->open.count, good;
    int nests;
    count = (count < left ? count : left) & ~1u;
    count = count < PITHI_READY ? count : PITHI_READY;
    if (count == 0 || b->why || b->comm_at < (uint64_t)b->prepared + count || !is_quick(b, count) ||
        !pithi_block_plain_times(b, records, count))
        return 0;
    uint64_t some = get_nested(b, records, count, &nests);
    good = nests ? count : good_before(b, was_open);
    for (; some != 0; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(some);
        struct pithlog_record *r = &records[i];
        if (i >= good)
            break;
        if (r->kind > PITHLOG_COUNTER) { /* get_nested has stored the communicator in `id` */
            r->comm = r->id;
            r->id = 0;
        }
        if (r->kind == 0 || !take_fields(b, r))
            good = i;
    }
    if (good < count)
        b->why = cut_short;
    b->prepared += good;
    return good;
}

/* Prepares the next 64 records. Times come first, because a damaged time ends the valid records; then kinds,
 * definitions and communicators; then the entries of PITHI_COL_COMM, which few states and events have. Only records
 * with fields get an entry in `fields`; the others share entry 0, which is pithi_no_fields. */
int pithi_block_prepare(struct pithi_block *b)
{
    uint32_t left = b->head.count - b->prepared, asked = left < PITHI_READY ? left : PITHI_READY, count = asked;
    if (b->why)
        return -1;
    if (count == 0)
        return 0;
    keep_last(b);
    if ((count = pithi_block_times(b, count)) < asked)
        b->why = "its times pass its end";
    for (; b->with_fields != 0; b->with_fields &= b->with_fields - 1)
        b->ready[__builtin_ctzll(b->with_fields)].entry = 0;
    uint32_t good = is_quick(b, count) ? prepare_nested(b, count) : prepare_any(b, count);
    if (b->comm_at != UINT64_MAX)
        good = give_comms(b, good);
    /* Prefetches data for the next records. If many lanes alternate, this data is not in the nearer caches. */
    uint32_t ahead = b->prepared + good;
    __builtin_prefetch(b->column[PITHI_COL_WHAT].at + ahead);
    __builtin_prefetch(b->column[PITHI_COL_TIME].at + ahead);
    __builtin_prefetch(b->column[PITHI_COL_BITS].at + (b->bit >> 3));
    __builtin_prefetch(b->column[PITHI_COL_BITS].at + (b->bit >> 3) + 64);
    if (good < count)
        b->why = cut_short;
    b->prepared += good;
    b->ready_end = b->ready + good;
    return good ? 1 : -1; /* first deliver the good records before a bad one */
}
