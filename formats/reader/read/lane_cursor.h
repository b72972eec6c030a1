/* lane_cursor.h - the cursor of one lane of an iterator: the lane's blocks, which are unpacked one by one, and its open
 * states. lane_cursor.c reads the blocks; iter.c merges the cursors of many lanes. */
#ifndef PITHI_LANE_CURSOR_H
#define PITHI_LANE_CURSOR_H

#include "base/tournament.h"
#include "native/block.h"
#include "native/log.h"
#include "reader/query/filter.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"

struct pithi_cursor {
    _Alignas(64) struct pithi_block block; /* first, because its first cache line is used for each record */
    uint32_t lane_number;                  /* number of the lane in the log */
    uint32_t done;                         /* 1: no more records before the end of the window */
    const struct pithi_log_lane *lane;     /* NULL: not searched for yet, or cannot be read */
    uint32_t found;                        /* 1: the lane was searched for */
    uint32_t next_block;                   /* the block to be loaded after the current one */
    struct pithi_stack stack;              /* the open states, with PITHLOG_NEST */
};

/* What the next call of an iterator does first. PRIMING: finds the first record of each lane. PRIMED: delivers the
 * current record, which is the first one. RUNNING: goes past the last delivered record. ENDED: returns 0. */
enum phase { PRIMING, PRIMED, RUNNING, ENDED };

struct pithlog_iter {
    struct pithlog *log;              /* not owned */
    int64_t from_ns, to_ns;           /* the query's interval, inclusive */
    uint32_t kinds, flags;            /* of the query */
    struct pithi_unpacking unpacking; /* memory for unpacking, which the cursors use in turn */
    uint64_t allowance;               /* bytes that may still be used for unpacked blocks */
    struct pithi_cursor *cursors;     /* [cursor_count] the lanes of the query, in their order */
    uint32_t cursor_count;
    uint64_t tree[PITHI_PACKED_PLAYERS];  /* tree[0] is the key of the current record (tournament.h) */
    uint64_t ahead[PITHI_PACKED_PLAYERS]; /* by cursor: key of its next record, if that is ready */
    uint32_t leaves;                      /* leaves of the tree: a power of two, at least cursor_count */
    int64_t base_ns;                      /* the time from which keys count */
    uint64_t limit;                       /* keys from this one on are after the window, or FAR */
    enum phase phase;                     /* what the next call does first */
    struct pithi_runs *runs;              /* reads very many lanes; NULL: few lanes, read here */
    struct pithi_filtered *filtered;      /* reads the records that match a filter; NULL: no filter */
    struct pithi_clipped *clipped;        /* reads with PITHLOG_CLIP; NULL: without */
    struct pithi_holes holes;             /* the callback for holes */
    int looks_beyond;                     /* 1: also reports holes that end after the window */
    uint32_t at;                          /* PRIMING: index of the next cursor */
    struct pithi_open_at opened;          /* with PITHLOG_OPENED: the states open at from_ns */
    uint32_t opened_at;                   /* how many of these states were delivered */
};

/* The rare cases of the inline functions below. They return the same as those. */
int pithi_cursor_damaged(struct pithlog_iter *it, struct pithi_cursor *c);
int pithi_cursor_next_block(struct pithlog_iter *it, struct pithi_cursor *c);
void pithi_cursor_pair(struct pithi_cursor *c, struct pithlog_record *r);

static inline int pithi_cursor_step(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : pithi_cursor_damaged(it, c);
}

/* Goes to the lane's next record. Returns 1; 0 if there is none before the end of the window; -1 on an error: records
 * are damaged, and the next call continues after them. */
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

/* For PITHLOG_NEST: updates the stack of open states, and sets the record's depth, start_ns and nested_ns. */
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

/* Goes to a lane's first record in the window; earlier records only change the stack. Returns 1; -1 on an error: the
 * next call continues. */
int pithi_cursor_prime(struct pithlog_iter *it, struct pithi_cursor *c);

#endif
