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

/* What a record is about, its kind, and whether a state is left or entered (bits 1 and 0), in one number. */
#define PITHI_SAID_BITS 6
#define PITHI_SAID_MAX ((1u << (32 - PITHI_SAID_BITS)) - 1) /* no larger definition or communicator can be written */
static inline uint32_t pithi_said(uint32_t kind, uint32_t what)
{
    return what << PITHI_SAID_BITS | kind << 2 | (kind <= PITHLOG_LEAVE ? kind : 0);
}

/* The columns of a block being made. Only block_write.c, block_codes.c and the functions below use its fields. Memory
 * grows with the records: a log may have a hundred thousand lanes with few records each.
 *
 * Adding a record only stores it. pithi_encoder_code then finds, for the whole block at once, the states that each
 * record opens or ends, and its code. */
struct pithi_encoder {
    struct pithi_block_head head; /* `last_ns` and `count` while records are added; all of it at the end */
    uint32_t room;                /* for so many records there is memory */
    uint32_t dict_count;
    struct pithi_code_slot {
        uint32_t said; /* 0: empty */
        uint32_t code;
    } * code;                /* [2^(32 - code_shift)] */
    uint32_t code_shift;     /* 32 - log2 of the slots */
    struct pithi_dict *dict; /* [slots / 8, but 256 at most] */
    uint32_t *said;          /* [room] pithi_said of each record */
    uint64_t *steps;         /* [room] ns since the record before, also that of the block before */
    int64_t before_ns;       /* time of that, at first 0 */
    struct pithi_stack open; /* at the block's start; once it was coded: at its end */
    uint64_t lane_count;     /* records of the lane in blocks before */
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
int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *record, uint32_t comm);
/* The same for the common records: those that enter or leave a state, without a communicator. 1: added; 0: another
 * kind of record, nothing was done. */
static inline int pithi_encoder_quick(struct pithi_encoder *e, const struct pithlog_record *record);
static inline uint32_t pithi_encoder_count(const struct pithi_encoder *e) { return e->head.count; }
/* 1: the block has so many records, or many bytes of payload, and should be ended. */
static inline int pithi_encoder_full(const struct pithi_encoder *e, uint32_t records)
{
    return e->head.count >= records || e->column[PITHI_COL_PAYLOAD].size >= PITHI_BLOCK_PAYLOAD;
}
/* Gives all records added their codes: fills PITHI_COL_WHAT and the columns that go with it. pithi_encoder_end does so
 * where it was not done; call it first to see the codes before the block ends. */
int pithi_encoder_code(struct pithi_encoder *e);
/* Empties the table of codes. */
void pithi_encoder_forget(struct pithi_encoder *e);
/* Puts the payload of an EVENTS chunk behind what is in `out`, and starts the next block. */
int pithi_encoder_end(struct pithi_encoder *e, struct pithi_zip *zip, struct pithi_buffer *out,
                      struct pithi_block_head *head);

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

/* The number of records decoded at once, by tight loops without unpredictable branches. A merge of many lanes finds
 * these records in the L1 cache, where the columns of all lanes would not fit. Fields that only some kinds have are
 * kept apart, in an entry for each record that has any; all other records share entry 0. */
enum { PITHI_READY = 64 };

/* What a record begins with, and then. */
struct pithi_ready {
    int64_t time_ns;
    uint32_t lane, kind;
    uint32_t what;  /* what the record's `id` gets */
    uint32_t entry; /* where its other fields are */
};

/* What a code stands for. */
struct pithi_code_entry {
    uint32_t what;      /* as of a record; of LEAVE of the innermost state PITHI_INNERMOST */
    uint16_t kind;      /* 0: `what` is the code, the escape or none */
    uint16_t fields;    /* 1: such records have some */
    int32_t move;       /* how many more states are open: 1 of ENTER, -1 of LEAVE of the innermost, else 0 */
    uint32_t innermost; /* all bits, of that LEAVE; else 0 */
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
    struct pithlog_record *fields;              /* [PITHI_READY + 1], of each from `id` on */
    int64_t time_ns;                            /* of that */
    int64_t prepared_ns;                        /* of the last one that is, or was, ready */
    uint32_t prepared;                          /* how many are, or were */
    const char *why;                            /* damaged behind these, NULL: not known to be */
    uint64_t bit;                               /* place in PITHI_COL_BITS */
    uint64_t bit_count;
    uint64_t posted;
    uint64_t comm_at, comm;         /* the next record that PITHI_COL_COMM tells of, and what; UINT64_MAX: none */
    struct pithi_ready *ready;      /* [PITHI_READY] */
    uint64_t with_fields;           /* a bit for each of these: its entry is not 0 */
    struct pithi_code_entry *codes; /* [256] communicators as the log's, see below */
    struct pithi_open_ids open;
    int nested; /* 1: no LEAVE but of the innermost state, and no escapes */
    struct pithi_block_head head;
    struct pithi_buffer memory; /* columns unpacked, each followed by 16 bytes of 0 */
    uint64_t most;              /* bytes that they have had at most */
    struct pithi_column_view {
        const unsigned char *at, *end;
    } column[PITHI_COL_COUNT];
    uint32_t dict_count;
    /* Set before loading: the lane that records get; ids and communicators are less than these (UINT32_MAX: any), and
     * the log's numbers of the rank's communicators (NULL: they stay as they are). */
    uint32_t lane, def_count, comm_count;
    const uint32_t *comms;
    uint64_t
        *allowance; /* bytes by which the `most` of all blocks that share it may still grow, in sum; NULL: no limit */
};

/* Reads only the fixed part of a payload: 1, or 0 when it contradicts itself. */
int pithi_block_head_get(const unsigned char *payload, uint64_t size, struct pithi_block_head *head);

/* Unpacks all columns into block->memory, whose head is known. As pithi_block_load, which calls it. */
int pithi_block_unpack(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                       const char **why);
/* Unpacks all columns, at the first record. `opened` gets the stack at its start, when not NULL. Returns PITH_OK,
 * PITH_ERR_DAMAGED with *why, PITH_ERR_UNSUPPORTED, PITH_ERR_MEMORY (also where the allowance does not suffice). */
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

/* Puts the times of the next `count` records into `ready`: how many make sense. */
uint32_t pithi_block_times(struct pithi_block *b, uint32_t count);

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
    const uintptr_t none = (uintptr_t)&pithi_no_fields, some = (uintptr_t)&b->fields[ready->entry];
    const char *fields = (const char *)(none ^ ((none ^ some) & -(uintptr_t)(ready->entry != 0)));
    memcpy(r, ready, begin);
    memcpy((char *)r + begin, fields + begin, sizeof *r - begin);
    r->id = ready->what;
}

/* The same of `count` from b->next on; they are taken. (Most have no fields: these are alike from `id` on, and are put
 * down in six pieces; the others are put right afterwards.) */
static inline void pithi_block_give_many(struct pithi_block *b, struct pithlog_record *records, uint32_t count)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    const size_t id = offsetof(struct pithlog_record, id), behind = id + sizeof(four);
    const struct pithi_ready *ready = b->next;
    uint64_t some = b->with_fields >> (ready - b->ready);
    four ids;
    memcpy(&ids, (const char *)&pithi_no_fields + id, sizeof ids);
    for (uint32_t i = 0; i < count; i++) {
        char *r = (char *)&records[i];
        four is = ids | (four){ready[i].what};
        memcpy(r, &ready[i], id);
        memcpy(r + id, &is, sizeof is);
        memcpy(r + behind, (const char *)&pithi_no_fields + behind, sizeof *records - behind);
    }
    for (; some != 0; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(some);
        if (i >= count)
            break;
        memcpy((char *)&records[i] + id, (const char *)&b->fields[ready[i].entry] + id, sizeof *records - id);
        records[i].id = ready[i].what;
    }
    b->next = ready + count;
}
_Static_assert(offsetof(struct pithlog_record, time_ns) == offsetof(struct pithi_ready, time_ns) &&
                   offsetof(struct pithlog_record, lane) == offsetof(struct pithi_ready, lane) &&
                   offsetof(struct pithlog_record, kind) == offsetof(struct pithi_ready, kind) &&
                   offsetof(struct pithlog_record, id) == offsetof(struct pithi_ready, what),
               "records begin alike");

/* The record that step went to. */
static inline void pithi_block_take(const struct pithi_block *b, struct pithlog_record *r)
{
    pithi_block_give(b, b->next - 1, r);
}

static inline int pithi_encoder_quick(struct pithi_encoder *e, const struct pithlog_record *r)
{
    uint32_t count = e->head.count, id = r->id;
    int64_t time_ns = r->time_ns, last_ns = e->head.last_ns;
    if (__builtin_expect(r->kind - PITHLOG_ENTER > 1 || count >= e->room || time_ns < last_ns || id > PITHI_SAID_MAX,
                         0))
        return 0;
    e->said[count] = id << PITHI_SAID_BITS | r->kind * 5; /* pithi_said */
    e->steps[count] = (uint64_t)time_ns - (uint64_t)last_ns;
    e->head.last_ns = time_ns;
    e->head.count = count + 1;
    return 1;
}

#endif
