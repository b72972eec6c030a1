/* block.h - a block of records of one lane. The encoder makes blocks, the decoder reads them. SPEC.md describes their
 * columns.
 *
 * Times. A step is the time from one record to the next, in the block's unit. It is stored in two columns. The first
 * column has one byte for each step, its size class. There are 4 classes for each power of two, so few different bytes
 * occur, and Huffman codes make the column small. The second column has the bits below the class. They are practically
 * noise, so they are stored unchanged. A step of 1000 = binary 1111101000 has class 35 (bit length 10, next two bits
 * 11), and the 7 bits below the class are 1101000.
 */
#ifndef PITHI_BLOCK_H
#define PITHI_BLOCK_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/zip.h"
#include "native/layout.h"
#include "native/stack.h"

/* The fixed part of a block's payload. */
struct pithi_block_head {
    uint32_t thread, count; /* number of the thread in its rank; number of records */
    int64_t first_ns, last_ns;
    uint64_t before;                   /* records of this lane in earlier blocks */
    uint64_t unit;                     /* the unit of the time steps, in ns */
    uint32_t kinds;                    /* 1 << kind of all records */
    uint32_t columns;                  /* mask of the columns that the block has */
    uint32_t states, events, messages; /* paired LEAVEs, EVENTs, RECVs with a peer */
    uint64_t lost;                     /* records lost in the block */
};

/* ---- Encoding ---------------------------------------------------------------------------------------------------- */

struct pithi_dict {
    uint32_t kind, what; /* what: a definition, or the rank's number of a communicator; 0 for PITHI_LEAVE_INNERMOST */
};

/* Packs a record's kind and its definition or communicator into one number. Bit 0 is 1 if the record enters a state,
 * bit 1 if it leaves a state. Bits 2 to 5 are its kind. The bits from 6 on are its definition or communicator. */
#define PITHI_SAID_BITS 6
#define PITHI_SAID_MAX ((1u << (32 - PITHI_SAID_BITS)) - 1) /* no larger definition or communicator can be written */
static inline uint32_t pithi_said(uint32_t kind, uint32_t what)
{
    return what << PITHI_SAID_BITS | kind << 2 | (kind <= PITHLOG_LEAVE ? kind : 0);
}

/* A block being made. Only block_write.c, block_codes.c and the functions below use the fields. Its memory grows as
 * records are added, because a log may have a hundred thousand lanes with few records each.
 *
 * Adding a record only stores it. pithi_encoder_code then goes through the whole block at once: for each record, it
 * finds the code, and the state that the record opens or ends. */
struct pithi_encoder {
    /* `count`, `last_ns`, `events`, `messages` and `lost` are set as records are added, the other members when the
     * block ends. */
    struct pithi_block_head head;
    uint32_t room;       /* records for which there is memory */
    uint32_t dict_count; /* codes so far */
    struct pithi_code_slot {
        uint32_t said; /* 0: empty */
        uint32_t code;
    } * code;                   /* [2^(32 - code_shift)] */
    uint32_t code_shift;        /* 32 - log2 of the number of slots */
    struct pithi_dict *dict;    /* [slots / 8, at most 256] by code: its kind and number */
    uint32_t *said;             /* [room] pithi_said of each record */
    uint64_t *steps;            /* [room] ns since the lane's previous record, even if that is in the previous block */
    int64_t before_ns;          /* time of the last record of the block before, at first 0 */
    struct pithi_stack open;    /* states open at the block's start; after pithi_encoder_code: at its end */
    struct pithi_frame *frames; /* [frame_room] if the states nest; an entry with record UINT16_MAX marks the end */
    uint16_t *innermost;        /* [frame_room] the frame of the innermost state after each record */
    uint32_t frames_before;     /* number of states open at the block's start; their frames are 1 to this number */
    uint32_t frame_room;
    int nested;          /* 1: the states nest */
    uint64_t lane_count; /* records of the lane in blocks before */
    uint64_t posted;     /* the expected order of posting of the next RECV */
    uint32_t with_comm;  /* 1 + index of the last record with an entry in PITHI_COL_COMM; 0: none */
    /* The fields from here on are for the holes that begin at LOST records. A reader may ignore the numbers in LOST
     * records, and then does not know which states ended in a hole. So states that ended in a hole stay in `open`, to
     * which the codes refer. From the first hole in which a state ended, `still` holds the states of `open` except
     * those that ended in holes. */
    int64_t lane_begin_ns;    /* time of the lane's first record; set when the lane's first block ends */
    uint32_t is_gone_unknown; /* 1: a hole lacks its number of ended states; the numbers of later holes are ignored */
    uint32_t has_gone;        /* 1: `still` is in use */
    uint32_t lost_records;    /* LOST records of the block so far */
    uint32_t gone_entries;    /* entries in PITHI_COL_GONE: one for each of the first LOST records */
    uint32_t hole_count, hole_room;
    struct pithi_block_hole *holes; /* [hole_count] of the block */
    struct pithi_stack still;
    struct pithi_buffer column[PITHI_COL_COUNT];
    struct {
        /* pay: 1 if deflate makes the column smaller; blocks: number of blocks until this is checked again; most: value
         * of `blocks` after the last check. */
        unsigned char pay, blocks, most;
    } repeats[PITHI_COL_COUNT];
};

struct pithi_encoder *pithi_encoder_new(uint32_t thread); /* returns NULL if there is no memory */
void pithi_encoder_free(struct pithi_encoder *e);
/* Adds a record; `comm` is the rank's own number of record->comm. Returns PITH_OK or an error. */
int pithi_encoder_add(struct pithi_encoder *e, const struct pithlog_record *record, uint32_t comm);
/* A faster pithi_encoder_add for records that enter or leave a state, without a communicator. Returns 1 if it added the
 * record; if it returns 0, call pithi_encoder_add. */
static inline int pithi_encoder_quick(struct pithi_encoder *e, const struct pithlog_record *record);
static inline uint32_t pithi_encoder_count(const struct pithi_encoder *e) { return e->head.count; }
/* Returns 1 if the block has `records` records, or many bytes of payload, and should end. */
static inline int pithi_encoder_full(const struct pithi_encoder *e, uint32_t records)
{
    return e->head.count >= records || e->column[PITHI_COL_PAYLOAD].size >= PITHI_BLOCK_PAYLOAD;
}
/* Room for records that only enter or leave states, outside any communicator. The caller fills in pithi_said of each
 * record and the time in ns since the record before, without a call for each record. */
struct pithi_states {
    struct pithi_encoder *encoder; /* the argument for pithi_encoder_message */
    uint32_t *said;                /* [room] filled by the caller */
    uint64_t *steps;
    uint32_t room, count; /* count: the number of records filled in, set by the caller */
    int64_t last_ns;      /* time of the record before; the caller sets it to the time of the last record filled in */
};
/* Returns room for more records, so much that the block stays below `records` records. If its `room` is 0, call
 * pithi_encoder_add. */
static inline struct pithi_states pithi_encoder_room(struct pithi_encoder *e, uint32_t records)
{
    uint32_t count = e->head.count, most = records - 1 < e->room ? records - 1 : e->room;
    return (struct pithi_states){e, e->said + count, e->steps + count, count < most ? most - count : 0,
                                 0, e->head.last_ns};
}
static inline void pithi_encoder_filled(struct pithi_encoder *e, const struct pithi_states *states)
{
    e->head.count += states->count;
    e->head.last_ns = states->last_ns;
}
/* Stores the peer, tag, size and order of posting of a SEND or RECV in communicator 0. The caller stores the record's
 * kind and time in struct pithi_states. Returns 0 if there is no memory. */
int pithi_encoder_message(struct pithi_encoder *e, const struct pithlog_record *record);
/* Assigns codes to all records: fills PITHI_COL_WHAT and its further columns. pithi_encoder_end does this, too; call it
 * earlier to use the codes before the block ends. */
int pithi_encoder_code(struct pithi_encoder *e);
/* Clears the table of codes. */
void pithi_encoder_forget(struct pithi_encoder *e);
/* Ends the block: appends its bytes, the payload of an EVENTS chunk, to `out`, and sets *head. Then starts the next
 * block. */
int pithi_encoder_end(struct pithi_encoder *e, struct pithi_zip *zip, struct pithi_buffer *out,
                      struct pithi_block_head *head);

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

/* The number of records that are prepared (decoded) at once, by tight loops without unpredictable branches. When many
 * lanes are merged, the prepared records of all lanes fit in the nearer caches; the columns of all lanes would not.
 * Fields that only some kinds of records have are in `fields` of struct pithi_block. A prepared record with such fields
 * has an entry there. All other records share entry 0. */
enum { PITHI_READY = 64 };

/* The first fields of a record, and where the others are. */
struct pithi_ready {
    int64_t time_ns;
    uint32_t lane, kind;
    uint32_t what;  /* the record's `id` */
    uint32_t entry; /* index of its other fields */
};

/* The meaning of a code. */
struct pithi_code_entry {
    uint32_t what;      /* as in a record; for LEAVE of the innermost state PITHI_INNERMOST */
    uint16_t kind;      /* 0: this code is the escape or undefined, and `what` is the code itself */
    uint16_t fields;    /* 1: such records have further fields */
    int32_t move;       /* change of the number of open states: 1 for ENTER, -1 for LEAVE of the innermost, else 0 */
    uint32_t innermost; /* all bits set for LEAVE of the innermost state; else 0 */
};
#define PITHI_INNERMOST UINT32_MAX

/* The ids of the states open after the prepared records. Damaged records may leave more states than are open; the
 * PITHI_READY free entries before the outermost state keep them from writing outside the memory. */
struct pithi_open_ids {
    uint32_t *ids; /* [PITHI_READY + room + 1] */
    uint32_t count, room;
};

/* A block being read. Starts as all zero; may be loaded again any number of times. */
struct pithi_block {
    /* The position of reading: */
    const struct pithi_ready *next, *ready_end; /* pointers into `ready`; the last record taken is just before `next` */
    struct pithlog_record *fields;              /* [PITHI_READY + 1] entries; only the fields from `id` on are used */
    int64_t time_ns;                            /* of the last record taken */
    int64_t prepared_ns;                        /* time of the last prepared record */
    uint32_t prepared;                          /* number of records prepared so far */
    const char *why;                            /* the damage that follows the prepared records; NULL: none found yet */
    uint64_t bit;                               /* position in PITHI_COL_BITS */
    uint64_t bit_count;                         /* bits in PITHI_COL_BITS */
    uint64_t posted;                            /* the expected order of posting of the next RECV */
    /* The next record with an entry in PITHI_COL_COMM (UINT64_MAX: no more), and its communicator. */
    uint64_t comm_at, comm;
    struct pithi_ready *ready;      /* [PITHI_READY + 1]; entry [-1] is the last record taken before them; entries after
                                       the prepared records may be read, but mean nothing */
    uint64_t with_fields;           /* bit i: the entry of ready[i] is not 0 */
    struct pithi_code_entry *codes; /* [256] with the log's numbers of communicators, converted by `comms` */
    struct pithi_open_ids open;
    int nested; /* 1: every LEAVE is of the innermost state, and there are no escapes */
    struct pithi_block_head head;
    struct pithi_buffer memory; /* columns unpacked, each followed by 16 bytes of 0 */
    uint64_t most;              /* the largest size of `memory` so far */
    struct pithi_column_view {
        const unsigned char *at, *end; /* a column's bytes that are left */
    } column[PITHI_COL_COUNT];
    uint32_t dict_count; /* codes of its dictionary */
    /* The caller sets the fields from here on before loading. `lane` is copied into the records. Ids must be below
     * def_count, the rank's numbers of communicators below comm_count (UINT32_MAX: all are allowed). */
    uint32_t lane, def_count, comm_count;
    const uint32_t *comms; /* the log's numbers of the rank's communicators; NULL: records keep the rank's numbers */
    uint64_t *allowance;   /* how many bytes the blocks that share this count may still allocate (growth of their
                              `most`); NULL: no limit */
};

/* Reads only the fixed part of a payload. Returns 1, or 0 if that part contradicts itself. */
int pithi_block_head_get(const unsigned char *payload, uint64_t size, struct pithi_block_head *head);

/* Unpacks all columns into block->memory; block->head must be set. pithi_block_load calls this function and returns the
 * same values. */
int pithi_block_unpack(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                       const char **why);
/* Unpacks all columns and goes to the first record. `opened`, if not NULL, gets the stack at the block's start. Returns
 * PITH_OK, PITH_ERR_DAMAGED with *why, PITH_ERR_UNSUPPORTED, PITH_ERR_MEMORY (also if the allowance is exhausted). */
int pithi_block_load(struct pithi_block *b, struct pithi_zip *zip, const unsigned char *payload, uint64_t size,
                     struct pithi_stack *opened, const char **why);
/* Reads the next entry of the escape column, without reading records. Returns 1, or 0 at the end of the column. */
int pithi_block_escape(struct pithi_block *b, struct pithi_dict *d);
void pithi_block_free(struct pithi_block *b);

/* Skips all records. */
static inline void pithi_block_leave(struct pithi_block *b)
{
    b->next = b->ready_end;
    b->prepared = b->head.count = 0;
    b->why = NULL;
}

/* Puts the times of the next `count` records into `ready`; returns the number of valid ones. */
uint32_t pithi_block_times(struct pithi_block *b, uint32_t count);

/* Decodes the times of the next `count` records straight into `records`. Returns 1; or 0, having done nothing, if they
 * must be decoded one by one (block_columns.c says when). */
int pithi_block_plain_times(struct pithi_block *b, struct pithlog_record *records, uint32_t count);

/* Prepares the next records. Returns 1 if there are some; 0 at the end of the block; -1 if the block is damaged here
 * (see b->why). Call it only if no record is ready. */
int pithi_block_prepare(struct pithi_block *b);

/* Goes to the next record and sets b->time_ns to its time. Returns 1, 0 or -1 as pithi_block_prepare does. */
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

/* Decodes up to `count` of the next records straight into `records`, without preparing them. Call it only if no record
 * is ready. Returns the number of records decoded. If it returns 0, call pithi_block_prepare: the block may be at its
 * end or damaged, or its next records cannot be decoded in this way. It decodes records in pairs, so it returns 0 if
 * only one is left or wanted. */
uint32_t pithi_block_direct(struct pithi_block *b, struct pithlog_record *records, uint32_t count);

extern const struct pithlog_record pithi_no_fields;

/* Sets record->id to `id`, and all fields after it to the values that they have in a record without further fields. */
static inline __attribute__((always_inline)) void pithi_record_plain(struct pithlog_record *record, uint32_t id)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    const size_t from = offsetof(struct pithlog_record, id), behind = from + sizeof(four);
    char *r = (char *)record;
    four is;
    memcpy(&is, (const char *)&pithi_no_fields + from, sizeof is);
    is |= (four){id};
    memcpy(r + from, &is, sizeof is);
    memcpy(r + behind, (const char *)&pithi_no_fields + behind, sizeof *record - behind);
}

/* Copies `count` prepared records, from b->next on, and moves past them. (Most have no further fields, so all are first
 * written as if they had none; the others are corrected afterwards.) */
static inline void pithi_block_give_many(struct pithi_block *b, struct pithlog_record *records, uint32_t count)
{
    const size_t id = offsetof(struct pithlog_record, id);
    const struct pithi_ready *ready = b->next;
    uint64_t some = b->with_fields >> (ready - b->ready);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&records[i], &ready[i], id);
        pithi_record_plain(&records[i], ready[i].what);
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

/* Copies the record to which pithi_block_step went. */
static inline void pithi_block_take(const struct pithi_block *b, struct pithlog_record *r)
{
    const struct pithi_ready *ready = b->next - 1;
    const size_t begin = offsetof(struct pithlog_record, id);
    const uintptr_t none = (uintptr_t)&pithi_no_fields, some = (uintptr_t)&b->fields[ready->entry];
    const char *fields = (const char *)(none ^ ((none ^ some) & -(uintptr_t)(ready->entry != 0)));
    memcpy(r, ready, begin);
    memcpy((char *)r + begin, fields + begin, sizeof *r - begin);
    r->id = ready->what;
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
