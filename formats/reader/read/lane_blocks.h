/* lane_blocks.h - unpacks the blocks of a lane one by one, and finds the states that are open on it at a time.
 *
 * A hole is [t_b, t_e): records of the lane are missing there. t_b is the time of a LOST record in the middle of its
 * lane, or of the last record before a damaged or missing block; t_e is the time of the lane's first record after it.
 * In a hole, no state counts.
 *
 * Which states are open from t_e on? After a damaged or missing block, the states in the next block's stack are open,
 * since the writer knew all records. After a LOST record, native/lost_states.h has the rule. If the log has no numbers
 * for it, the stacks of later blocks still have the states whose LEAVE was lost. */
#ifndef PITHI_LANE_BLOCKS_H
#define PITHI_LANE_BLOCKS_H

#include "native/block.h"
#include "native/log.h"
#include "native/lost_states.h"
#include "native/stack.h"

/* The memory to unpack a block, for one lane after another. Starts with `log` and else all zero. */
struct pithi_unpacking {
    struct pithlog *log;            /* not owned */
    uint64_t *allowance;            /* see struct pithi_block; NULL: no limit */
    struct pithi_zip zip;           /* memory of zlib, kept between blocks */
    struct pithi_buffer chunk;      /* bytes of the packed block */
    struct pithi_log_window window; /* of the file, if it is mapped */
    struct pithi_stack opened;      /* the stack at the start of the block unpacked last, if it was asked for */
};
void pithi_unpacking_free(struct pithi_unpacking *unpacking);

/* Unpacks block `at` of the lane with this number, and with `wants_opened` the stack at its start. PITH_OK, or an error
 * with *why (not PITH_ERR_IO, whose text is set). */
int pithi_unpack(struct pithi_unpacking *unpacking, const struct pithi_log_lane *lane, uint32_t number,
                 const struct pithi_log_block *at, struct pithi_block *block, int wants_opened, const char **why);

/* 1: a LOST record with a count above 0: records are missing. (A count of 0 says that none are.) */
static inline int pithi_is_lost(const struct pithlog_record *r) { return r->kind == PITHLOG_LOST && r->bytes > 0; }
/* 1: a LOST record with such a count in the middle of its lane: records are missing from its time on. (A ring buffer
 * loses its first records.) */
static inline int pithi_is_hole(const struct pithlog *log, const struct pithlog_record *r)
{
    return pithi_is_lost(r) && pithi_lost_is_hole(r, pithlog_get_lane(log, r->lane)->first_ns);
}

/* The holes of a lane's LOST records. */
struct pithi_lost_states {
    uint32_t hole_count, gone_count;
    /* 1: the log has the number of states that ended in each; later stacks do not have these states. */
    uint32_t is_numbered;
    uint32_t is_wider;             /* 1: a damaged or missing block is in at least one hole as well */
    struct pithi_lost_hole *holes; /* by time */
    /* If it is not numbered: the states that ended in holes, by time, then id, then hole. */
    struct pithi_gone *gone;
};

/* Finds them for a lane. The first call reads the lane's blocks with LOST records or, if these have no numbers, the
 * lane from the first such block on. The log owns the result. Any thread may call it. *found: NULL if no record was
 * lost in the middle of the lane, or after an error. */
int pithi_lost_states_get(struct pithlog *log, uint32_t lane, const struct pithi_lost_states **found);

/* The states open on a lane just before its first record at or after a time. */
struct pithi_open_at {
    struct pithi_stack stack; /* in a hole: of those open after it */
    int is_hole;              /* 1: the time is in a hole */
    int64_t to_ns;            /* if is_hole: the end of the hole; INT64_MAX: no record comes after it */
};
/* `block` and `unpacking` are working memory; at->stack may have memory from a call before, else it is all zero. A part
 * of the lane that cannot be read is a hole. PITH_OK or PITH_ERR_MEMORY. */
int pithi_open_at(struct pithi_unpacking *unpacking, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                  struct pithi_open_at *at);
/* Like pithi_open_at, for the hole of a damaged or missing block that begins at time_ns, the time of the last record
 * before it. */
int pithi_open_after_gap(struct pithi_unpacking *unpacking, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                         struct pithi_open_at *at);

#endif
