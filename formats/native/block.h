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
};

/* ---- Encoding ---------------------------------------------------------------------------------------------------- */

struct pithi_dict {
    uint32_t kind, what; /* what: definition, or the rank's communicator; or PITHI_LEAVE_INNERMOST, 0 */
};

/* The columns of a block being made. All but what is below belongs to block_write.c. All of it grows with what comes: a
 * log may have a hundred thousand lanes with little in each. */
struct pithi_encoder {
    struct pithi_block_head head; /* `unit` and `columns` only at the end */
    uint32_t room;                /* for so many records there is memory */
    uint32_t dict_count;
    struct pithi_code_slot {
        uint64_t key; /* pithi_code_key; 0: empty */
        uint32_t code;
    } * code;                /* [2^(64 - code_shift)] */
    uint32_t code_shift;     /* 64 - log2 of the slots */
    struct pithi_dict *dict; /* [slots / 4, but 256 at most] */
    unsigned char *what;     /* [room] codes */
    uint64_t *steps;         /* [room] */
    struct pithi_stack open;
    uint64_t lane_count; /* records of the lane in blocks before */
    uint64_t posted;
    uint32_t with_comm; /* 1 + place of the last record in PITHI_COL_COMM */
    struct pithi_buffer column[PITHI_COL_COUNT];
    struct {
        unsigned char pay, blocks; /* whether deflate does, and for how many blocks to go this is taken for true */
    } repeats[PITHI_COL_COUNT];
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

/* Records are made ready so many at once, by tight loops that guess no branches; who merges many lanes then finds all
 * of them in the first caches, where the columns of all lanes would not be. Fields that only some kinds have stand
 * beside, in an entry for each record that has any; entry 0 is that of all the others. */
enum { PITHI_READY = 64 };

/* What a record begins with, and then. */
struct pithi_ready {
    int64_t time_ns;
    struct pithi_code {
        uint32_t lane, kind; /* kind 0: `what` is the code, the escape or none */
        uint32_t what;       /* what the record's `id` gets */
        uint32_t fields;     /* of a code: 1: such records have some */
    } is;
};

/* What a code stands for. */
struct pithi_code_entry {
    struct pithi_code is; /* of LEAVE of the innermost state: LEAVE of PITHI_INNERMOST */
    int64_t move;         /* how many more states are open: 1 of ENTER, -1 of LEAVE of the innermost, else 0 */
    uint32_t innermost;   /* all bits, of that LEAVE; else 0 */
};
#define PITHI_INNERMOST UINT32_MAX

/* The ids of the states open behind the records prepared. Before the outermost so many places lie free that damaged
 * records prepared at once cannot leave the memory. */
struct pithi_open_ids {
    uint32_t *ids; /* [PITHI_READY + room + 1] */
    uint32_t count, room;
};

/* A block being read. All zero is a fresh one; it may be loaded again and again. */
struct pithi_block {
    /* the cursor */
    const struct pithi_ready *next, *ready_end; /* in `ready`; before `next` is the record that step moved to */
    int64_t time_ns;                            /* of that */
    int64_t prepared_ns;                        /* of the last one that is, or was, ready */
    uint32_t prepared;                          /* how many are, or were */
    const char *why;                            /* damaged behind these, NULL: not known to be */
    uint64_t bit;                               /* place in PITHI_COL_BITS */
    uint64_t bit_count;
    uint64_t posted;
    uint64_t comm_at, comm;         /* the next record that PITHI_COL_COMM tells of, and what; UINT64_MAX: none */
    struct pithi_ready *ready;      /* [PITHI_READY] */
    struct pithlog_record *fields;  /* [PITHI_READY + 1], of each from `id` on */
    struct pithi_code_entry *codes; /* [256] communicators as the log's, see below */
    struct pithi_open_ids open;
    int nested; /* 1: no LEAVE but of the innermost state, and no escapes */
    struct pithi_block_head head;
    struct pithi_buffer memory; /* columns unpacked, each followed by 16 bytes of 0 */
    struct pithi_column_view {
        const unsigned char *at, *end;
    } column[PITHI_COL_COUNT];
    uint32_t dict_count;
    /* Set before loading: the lane that records get; ids and communicators are less than these (UINT32_MAX: any), and
     * the log's numbers of the rank's communicators (NULL: they stay as they are). */
    uint32_t lane, def_count, comm_count;
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
    b->why = NULL;
}

/* Makes the next records ready: 1; 0: the block is at its end; -1: it is damaged here, b->why says how. Only when none
 * is ready. */
int pithi_block_prepare(struct pithi_block *b);

/* Goes to the next record and gives its time in b->time_ns: as pithi_block_prepare. */
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

extern const struct pithlog_record pithi_no_fields;

/* The record of a ready one. (In few and large pieces: stores are what this costs.) */
static inline void pithi_block_give(const struct pithi_block *b, const struct pithi_ready *ready,
                                    struct pithlog_record *r)
{
    const size_t begin = offsetof(struct pithlog_record, id);
    const uintptr_t none = (uintptr_t)&pithi_no_fields, some = (uintptr_t)&b->fields[ready->is.fields];
    const char *fields = (const char *)(none ^ ((none ^ some) & -(uintptr_t)(ready->is.fields != 0)));
    memcpy(r, ready, begin);
    memcpy((char *)r + begin, fields + begin, sizeof *r - begin);
    r->id = ready->is.what;
}
_Static_assert(offsetof(struct pithlog_record, time_ns) == offsetof(struct pithi_ready, time_ns) &&
                   offsetof(struct pithlog_record, lane) == offsetof(struct pithi_ready, is.lane) &&
                   offsetof(struct pithlog_record, kind) == offsetof(struct pithi_ready, is.kind) &&
                   offsetof(struct pithlog_record, id) == offsetof(struct pithi_ready, is.what),
               "records begin alike");

/* The record that step went to. */
static inline void pithi_block_take(const struct pithi_block *b, struct pithlog_record *r)
{
    pithi_block_give(b, b->next - 1, r);
}

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

static inline uint64_t pithi_code_key(uint32_t kind, uint32_t what) { return (uint64_t)what << 8 | kind; }

static inline uint32_t pithi_code_home(const struct pithi_encoder *e, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> e->code_shift);
}

static inline int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *r, uint32_t comm)
{
    uint32_t count = e->head.count, leave = r->kind - PITHLOG_ENTER;
    uint64_t key = leave ? pithi_code_key(PITHI_LEAVE_INNERMOST, 0) : pithi_code_key(PITHLOG_ENTER, r->id);
    const struct pithi_code_slot *slot = &e->code[pithi_code_home(e, key)];
    int64_t time_ns = r->time_ns > e->head.last_ns ? r->time_ns : e->head.last_ns, start_ns, nested_ns;
    uint32_t depth;
    /* What nearly all records are: enters a state already met or leaves the innermost, not at the block's start. */
    if (leave > 1 || comm != 0 || slot->key != key || count == 0 || count == e->room ||
        !pithi_stack_quick(&e->open, leave, r->id, time_ns, &start_ns, &nested_ns, &depth))
        return pithi_encoder_add_any(e, r, comm);
    e->what[count] = (unsigned char)slot->code;
    e->steps[count] = (uint64_t)time_ns - (uint64_t)e->head.last_ns;
    e->head.last_ns = time_ns;
    e->head.states += leave;
    e->head.count = count + 1;
    return PITH_OK;
}

#endif
