/* lane_cursor.h - one lane of an iterator: its blocks, unpacked one by one, its open states, and its holes. Shared by
 * iter.c (the order of many lanes), lane_cursor.c (blocks) and lost_states.c. */
#ifndef PITHI_LANE_CURSOR_H
#define PITHI_LANE_CURSOR_H

#include "base/tournament.h"
#include "native/block.h"
#include "native/log.h"
#include "reader/filter.h"
#include "reader/iter.h"
#include "reader/lost_states.h"

/* Keeps rare code out of the path of each record. */
#define UNCOMMON __attribute__((noinline, cold))

/* With AT_EDGES. HOLE_BEGINS: after the last record before it, until the next record, or its lack, is known. */
enum pithi_at_hole { PITHI_NO_HOLE, PITHI_HOLE_BEGINS, PITHI_IN_HOLE };

struct pithi_cursor {
    _Alignas(64) struct pithi_block block; /* begins with the fields used for each record: one cache line */
    uint32_t lane_number;
    uint32_t done;                     /* 1: no more records before the end of the window */
    const struct pithi_log_lane *lane; /* NULL: not looked up yet, or lost */
    uint32_t found;                    /* 1: it was looked up */
    uint32_t next_block;               /* to be loaded after the current one */
    struct pithi_stack stack;
    /* With AT_EDGES: */
    enum pithi_at_hole hole;
    uint32_t kept;                        /* number of the open states that are open after it */
    int64_t hole_ns;                      /* when it begins */
    uint32_t goes_on;                     /* 1: the stack goes on in the next block; 0: it is that of the block */
    uint32_t is_slow;                     /* 1: RUNNING would miss the begin or end of a hole */
    const struct pithi_lost_states *lost; /* of a lane with LOST records; or NULL */
    uint32_t lost_before;                 /* number of its holes up to the current record */
    uint32_t loaded;                      /* 1 + index of the last block that could be loaded; 0: none */
};

/* AT_EDGES: the states open at the start of the window are wanted. STACKED: open states are followed up to there. */
enum { AT_EDGES = PITHLOG_CLIP | PITHLOG_OPENED, STACKED = PITHLOG_NEST | PITHLOG_OPENED };

/* STEPPING: RUNNING near a hole, record by record. BREAKING: states of the current cursor end at a hole, after its last
 * record. REOPENING: they begin again, before its record. */
enum phase { PRIMING, OPENING, RUNNING, STEPPING, BREAKING, REOPENING, CLOSING, ENDED };

struct pithlog_iter {
    struct pithlog *log;
    int64_t from_ns, to_ns;
    uint32_t kinds, flags;
    struct pithi_zip zip;
    struct pithi_buffer chunk; /* the block being unpacked */
    struct pithi_log_window window;
    struct pithi_stack opened_stack; /* of the block being loaded */
    struct pithi_stack broken;       /* of the current cursor, where a hole begins */
    uint64_t allowance;              /* memory for all blocks unpacked at once */
    struct pithi_cursor *cursors;
    uint32_t cursor_count;
    uint64_t tree[PITHI_PACKED_PLAYERS];  /* tree[0]: the key of the lane whose record is current (tournament.h) */
    uint64_t ahead[PITHI_PACKED_PLAYERS]; /* by cursor: the key of the record after its current one, if that is ready */
    uint32_t leaves;
    int64_t base_ns; /* of the keys */
    uint64_t limit;  /* the first key that is not in the window, or FAR */
    enum phase phase;
    enum pithi_iter_part part;
    struct pithi_runs *runs;         /* reads very many lanes; NULL: few lanes, read here */
    struct pithi_filtered *filtered; /* reads the records that match a filter; NULL: no filter */
    struct pithi_holes holes;
    uint32_t at;         /* PRIMING, OPENING, CLOSING: the cursor being worked on */
    uint32_t opened;     /* OPENING, REOPENING: number of its open states delivered; BREAKING: still to be delivered */
    uint32_t matching;   /* BREAKING: of its states that are open after the hole, number not yet found before it */
    uint32_t slow_count; /* of cursors that are slow */
};

/* The rare cases of the functions below. Return as they do. */
int pithi_cursor_damaged(struct pithlog_iter *it, struct pithi_cursor *c);
int pithi_cursor_next_block(struct pithlog_iter *it, struct pithi_cursor *c);
int pithi_cursor_hole(struct pithlog_iter *it, struct pithi_cursor *c);
void pithi_cursor_pair(struct pithi_cursor *c, struct pithlog_record *r);

static inline int pithi_cursor_step(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : pithi_cursor_damaged(it, c);
}

/* Goes to the lane's next record: 1; 0: none before the end of the window; -1: damaged, call again to continue; 2: a
 * hole without damage begins, call again. */
static inline int pithi_cursor_advance(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status = pithi_cursor_step(it, c);
    if (__builtin_expect(status == 0, 0))
        status = pithi_cursor_next_block(it, c);
    if (__builtin_expect(status < 0 || status == 2, 0))
        return status < 0 ? pithi_cursor_hole(it, c) : status;
    c->done = !status || c->block.time_ns > it->to_ns;
    return !c->done;
}

static inline void pair(struct pithi_cursor *c, struct pithlog_record *r)
{
    uint32_t leave = r->kind == PITHLOG_LEAVE;
    int64_t start_ns;
    if (!pithi_stack_quick(&c->stack, leave, r->id, r->time_ns, &start_ns, &r->nested_ns, &r->depth))
        pithi_cursor_pair(c, r);
    else
        r->start_ns = start_ns;
}

/* Brings a lane to its first record in the window; earlier ones only change the stack. 1: done, -1: call again. */
int pithi_cursor_prime(struct pithlog_iter *it, struct pithi_cursor *c);
/* A hole begins after a LOST record. */
void pithi_cursor_lost(struct pithi_cursor *c, int64_t time_ns);
/* PITHLOG_OPENED does not follow the stack: finds the one at the last record before a hole, and the record's time. */
void pithi_cursor_replay(struct pithlog_iter *it, struct pithi_cursor *c);
/* Sets is_slow, after the cursor has moved. */
void pithi_cursor_pace(struct pithlog_iter *it, struct pithi_cursor *c);

#endif
