/* block.h - a block of records of one lane: made by the encoder, read by the decoder. Columns are described in
 * SPEC.md.
 *
 * Times. Of each step from one record to the next (divided by the block's unit), the size class, 4 to an octave,
 * goes into a column of bytes, which Huffman codes well; the bits below the class are as good as noise and are
 * stored as they are. A step of 1000 = binary 1111101000 has class 35 (bit length 10, next two bits 11) and 7 bits,
 * 1101000.
 */
#ifndef PITHI_BLOCK_H
#define PITHI_BLOCK_H

#include "error.h"
#include "native/bytes.h"
#include "native/layout.h"
#include "native/stack.h"
#include "native/zip.h"

/* The fixed part of a block's payload. */
struct pithi_block_head {
    uint32_t thread, count;
    int64_t first_ns, last_ns;
    uint64_t before; /* records of this lane in the blocks before */
    uint64_t unit;   /* of the time steps, in ns */
    uint32_t kinds;  /* 1 << kind of all records */
    uint32_t columns;
    uint32_t states, events, messages; /* paired LEAVEs, EVENTs, RECVs with a peer */
    uint64_t lost;
    uint64_t above; /* open states not kept, see stack.h */
};

/* ---- Encoding ---------------------------------------------------------------------------------------------------- */

struct pithi_dict {
    uint32_t kind, what; /* what: definition, or the rank's communicator; kind 0: no such code */
};

/* The columns of a block being made. All but what is below belongs to block_write.c. */
enum { PITHI_CODE_SLOTS = 1024 };
struct pithi_encoder {
    struct pithi_block_head head; /* `unit` and `columns` only at the end */
    uint32_t room;                /* for so many records there is memory */
    uint32_t dict_count;
    unsigned char *what; /* [room] codes */
    uint64_t *steps;     /* [room] */
    struct pithi_stack open;
    uint64_t lane_count; /* records of the lane in blocks before */
    uint64_t posted;
    struct pithi_buffer column[PITHI_COL_COUNT];
    struct {
        unsigned char pay, blocks; /* whether deflate does, and for how many blocks to go this is taken for true */
    } repeats[PITHI_COL_COUNT];
    struct pithi_code_slot {
        uint64_t key; /* pithi_code_key; 0: empty */
        uint32_t code;
    } code[PITHI_CODE_SLOTS];
    struct pithi_dict dict[256];
};

struct pithi_encoder *pithi_encoder_new(uint32_t thread); /* NULL: no memory */
void pithi_encoder_free(struct pithi_encoder *e);
/* Adds a record; `comm` is the rank's own number of record->comm. */
static inline int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *record, uint32_t comm);
/* The same, for records of all kinds and at any place of the block. */
int pithi_encoder_add_any(struct pithi_encoder *e, const struct pithlog_record *record, uint32_t comm);
static inline uint32_t pithi_encoder_count(const struct pithi_encoder *e) { return e->head.count; }
/* 1: the block has so many records, or many bytes of payload, and should be ended. */
static inline int pithi_encoder_full(const struct pithi_encoder *e, uint32_t records)
{
    return e->head.count >= records || e->column[PITHI_COL_PAYLOAD].size >= PITHI_BLOCK_PAYLOAD;
}
/* Puts the payload of an EVENTS chunk behind what is in `out`, and starts the next block. */
int pithi_encoder_end(struct pithi_encoder *e, struct pithi_zip *zip, struct pithi_buffer *out,
                      struct pithi_block_head *head);

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

/* Records are made ready so many at once, by a tight loop; who merges many lanes then finds all of them in the first
 * caches, where the columns of all lanes would not be. */
enum { PITHI_READY = 64 };

struct pithi_ready {
    int64_t time_ns;
    struct pithi_dict is; /* kind 0: `what` is its code, the escape or none */
};

/* A block being read. All zero is a fresh one; it may be loaded again and again. */
struct pithi_block {
    /* the cursor */
    const struct pithi_ready *next, *ready_end; /* in `ready`; before `next` is the record that step moved to */
    int64_t time_ns;                            /* of that */
    uint32_t prepared;                          /* records that are, or were, ready */
    uint64_t bit;                               /* place in PITHI_COL_BITS */
    uint64_t bit_count;
    uint64_t posted;
    struct pithi_ready ready[PITHI_READY];
    struct pithi_block_head head;
    struct pithi_buffer memory; /* columns unpacked, each followed by 16 bytes of 0 */
    struct pithi_column_view {
        const unsigned char *at, *end;
    } column[PITHI_COL_COUNT];
    struct pithi_dict dict[256]; /* communicators as the log's, see below */
    uint32_t dict_count;
    /* Set before loading: ids and communicators are less than these (UINT32_MAX: any), and the log's numbers of the
     * rank's communicators (NULL: they stay as they are). */
    uint32_t def_count, comm_count;
    const uint32_t *comms;
};

/* Reads only the fixed part of a payload: 1, or 0 when it contradicts itself. */
int pithi_block_head_get(const unsigned char *payload, uint64_t size, struct pithi_block_head *head);

/* Unpacks all columns, at the first record. `opened` gets the stack at its start, when not NULL. Returns PITH_OK,
 * PITH_ERR_DAMAGED with *why, PITH_ERR_UNSUPPORTED, PITH_ERR_MEMORY. */
int pithi_block_load(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                     struct pithi_stack *opened, const char **why);
/* The next that the escape column holds, without taking records: 1, or 0 at its end. */
int pithi_block_escape(struct pithi_block *b, struct pithi_dict *d);
void pithi_block_free(struct pithi_block *b);

/* As if all records were taken. */
static inline void pithi_block_leave(struct pithi_block *b)
{
    b->next = b->ready_end;
    b->prepared = b->head.count = 0;
}

/* Goes to the next record and gives its time in b->time_ns: 1; 0: the block is at its end; -1: damaged. */
static inline int pithi_block_step(struct pithi_block *b);
/* The record that step went to; to be called once for each. lane is left 0. 0: damaged. */
static inline int pithi_block_take(struct pithi_block *b, struct pithlog_record *record);

/* The uncommon part of both: makes the next records ready, as step returns; and a record that is no state's. */
int pithi_block_prepare(struct pithi_block *b);
int pithi_block_fields(struct pithi_block *b, struct pithi_dict is, struct pithlog_record *record);

/* The class and the number of bits below it, of a time step. */
static inline unsigned pithi_time_class(uint64_t step, unsigned *bits)
{
    if (step < 4) {
        *bits = 0;
        return (unsigned)step;
    }
    unsigned length = 64 - (unsigned)__builtin_clzll(step);
    *bits = length - 3;
    return 4 + (length - 3) * 4 + (unsigned)(step >> (length - 3) & 3);
}

/* The least step of each class, and the number of bits below it; of bytes that are no class more than any column
 * has. */
struct pithi_time_class {
    uint64_t base;
    uint64_t bits;
};
extern const struct pithi_time_class pithi_time_classes[256];

/* The next `count` bits, up to 61; reads up to 9 bytes. */
static inline uint64_t pithi_bits_at(const unsigned char *p, uint64_t bit, uint64_t count)
{
    p += bit >> 3;
    uint64_t v = pithi_get64(p) >> (bit & 7);
    if (__builtin_expect(count > 57, 0) && bit & 7)
        v |= (uint64_t)p[8] << (64 - (bit & 7));
    return v & ((UINT64_C(1) << count) - 1);
}

static inline uint64_t pithi_code_key(uint32_t kind, uint32_t what) { return (uint64_t)what << 8 | kind; }

static inline uint32_t pithi_code_home(uint64_t key) { return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 54); }

static inline int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    uint32_t count = e->head.count, leave = r->kind - PITHLOG_ENTER;
    uint64_t key = pithi_code_key(r->kind, r->id);
    const struct pithi_code_slot *slot = &e->code[pithi_code_home(key)];
    int64_t time_ns = r->time_ns > e->head.last_ns ? r->time_ns : e->head.last_ns, start_ns, nested_ns;
    uint32_t depth;
    /* What nearly all records are: enters or leaves a state already met, not at the block's start. */
    if (leave > 1 || slot->key != key || count == 0 || count == e->room ||
        !pithi_stack_quick(&e->open, leave, r->id, time_ns, &start_ns, &nested_ns, &depth))
        return pithi_encoder_add_any(e, r, comm);
    e->what[count] = (unsigned char)slot->code;
    e->steps[count] = (uint64_t)time_ns - (uint64_t)e->head.last_ns;
    e->head.last_ns = time_ns;
    e->head.states += leave;
    e->head.count = count + 1;
    return PITH_OK;
}

static inline int pithi_block_step(struct pithi_block *b)
{
    if (__builtin_expect(b->next == b->ready_end, 0)) {
        int status = pithi_block_prepare(b);
        if (status <= 0)
            return status;
    }
    b->time_ns = b->next++->time_ns;
    return 1;
}

static inline int pithi_block_take(struct pithi_block *b, struct pithlog_record *r)
{
    struct pithi_dict is = b->next[-1].is;
    r->time_ns = b->time_ns;
    r->lane = 0;
    r->kind = is.kind;
    r->id = is.what;
    r->comm = 0;
    r->peer = -1;
    r->tag = 0;
    /* 64 bytes at once; a compiler clears the whole record by an instruction that takes longer than all else here */
    memset((char *)r + offsetof(struct pithlog_record, bytes), 0, sizeof *r - offsetof(struct pithlog_record, bytes));
    return __builtin_expect(is.kind - PITHLOG_ENTER <= PITHLOG_LEAVE - PITHLOG_ENTER, 1) ? 1
                                                                                         : pithi_block_fields(b, is, r);
}

#endif
