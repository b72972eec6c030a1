/* lane_cursor.h - one lane of an iterator: its blocks, unpacked one by one, and its open states. Shared by iter.c (the
 * order of many lanes) and lane_cursor.c (blocks). */
#ifndef PITHI_LANE_CURSOR_H
#define PITHI_LANE_CURSOR_H

#include "base/tournament.h"
#include "native/block.h"
#include "native/log.h"
#include "reader/query/filter.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"

struct pithi_cursor {
    _Alignas(64) struct pithi_block block; /* begins with the fields used for each record: one cache line */
    uint32_t lane_number;                  /* in the log */
    uint32_t done;                         /* 1: no more records before the end of the window */
    const struct pithi_log_lane *lane;     /* NULL: not searched for yet, or lost */
    uint32_t found;                        /* 1: the lane was searched for */
    uint32_t next_block;                   /* the block to be loaded after the current one */
    struct pithi_stack stack;              /* the open states, with PITHLOG_NEST */
};

/* PRIMED: at the first record. */
enum phase { PRIMING, PRIMED, RUNNING, ENDED };

struct pithlog_iter {
    struct pithlog *log;              /* not owned */
    int64_t from_ns, to_ns;           /* of the query, inclusive */
    uint32_t kinds, flags;            /* of the query */
    struct pithi_unpacking unpacking; /* memory to unpack one block, used in turn */
    uint64_t allowance;               /* memory for all blocks unpacked at once */
    struct pithi_cursor *cursors;     /* [cursor_count] the lanes of the query, in their order */
    uint32_t cursor_count;
    uint64_t tree[PITHI_PACKED_PLAYERS];  /* tree[0]: the key of the lane whose record is current (tournament.h) */
    uint64_t ahead[PITHI_PACKED_PLAYERS]; /* by cursor: the key of the record after its current one, if that is ready */
    uint32_t leaves;                      /* of the tree: a power of two, at least cursor_count */
    int64_t base_ns;                      /* of the keys */
    uint64_t limit;                       /* the first key that is not in the window, or FAR */
    enum phase phase;                     /* what the next call does first: PRIMED: it is at the first record */
    struct pithi_runs *runs;              /* reads very many lanes; NULL: few lanes, read here */
    struct pithi_filtered *filtered;      /* reads the records that match a filter; NULL: no filter */
    struct pithi_clipped *clipped;        /* reads with PITHLOG_CLIP; NULL: without */
    struct pithi_holes holes;             /* the callback for holes */
    int looks_beyond;                     /* 1: also reports holes that end after the window */
    uint32_t at;                          /* PRIMING: the cursor being worked on */
    struct pithi_open_at opened;          /* with PITHLOG_OPENED */
    uint32_t opened_at;                   /* number of its states delivered */
};

/* The rare cases of the functions below, with the same results. */
int pithi_cursor_damaged(struct pithlog_iter *it, struct pithi_cursor *c);
int pithi_cursor_next_block(struct pithlog_iter *it, struct pithi_cursor *c);
void pithi_cursor_pair(struct pithi_cursor *c, struct pithlog_record *r);

static inline int pithi_cursor_step(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : pithi_cursor_damaged(it, c);
}

/* Goes to the lane's next record: 1; 0: none before the end of the window; -1: damaged, call again to continue. */
static inline int pithi_cursor_advance(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status = pithi_cursor_step(it, c);
    if (__builtin_expect(status == 0, 0))
        status = pithi_cursor_next_block(it, c);
    if (__builtin_expect(status < 0, 0))
        return status;
    c->done = !status || c->block.time_ns > it->to_ns;
    return !c->done;
}

/* With PITHLOG_NEST: follows the open states, and completes the record. */
static inline void nest(struct pithi_cursor *c, struct pithlog_record *r)
{
    if (r->kind <= PITHLOG_LEAVE) {
        uint32_t leave = r->kind == PITHLOG_LEAVE;
        int64_t start_ns;
        if (!pithi_stack_quick(&c->stack, leave, r->id, r->time_ns, &start_ns, &r->nested_ns, &r->depth))
            pithi_cursor_pair(c, r);
        else
            r->start_ns = start_ns;
    } else if (r->kind == PITHLOG_LOST && r->got_bytes > 0) {
        pithi_stack_drop(&c->stack, r->got_bytes - 1);
    }
}

/* Brings a lane to its first record in the window; earlier ones only change the stack. 1: done, -1: call again. */
int pithi_cursor_prime(struct pithlog_iter *it, struct pithi_cursor *c);

#endif
