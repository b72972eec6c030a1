/* lane_blocks.h - unpacks the blocks of a lane one by one, and finds the states that are open on it at a time.
 *
 * A hole is an interval [t_b, t_e) in which records of the lane are missing. t_b is the time of a LOST record in the
 * middle of its lane, or of the last record before a damaged or missing block. t_e is the time of the lane's first
 * record after the hole. The time in a hole counts for no state.
 *
 * Which states are open from t_e on? After a damaged or missing block, those in the next block's stack, because the
 * writer knew all records. After a LOST record, the rule is in native/lost_states.h: if the log does not have the
 * number of states that ended in the hole, the stacks of later blocks still have the states whose LEAVE was lost. */
#ifndef PITHI_LANE_BLOCKS_H
#define PITHI_LANE_BLOCKS_H

#include "native/block.h"
#include "native/log.h"
#include "native/lost_states.h"
#include "native/stack.h"

/* The memory for unpacking blocks, which can be used for one lane after another. At first, `log` is set and all other
 * fields are 0. */
struct pithi_unpacking {
    struct pithlog *log;            /* not owned */
    uint64_t *allowance;            /* see struct pithi_block; NULL: no limit */
    struct pithi_zip zip;           /* memory of zlib, kept between blocks */
    struct pithi_buffer chunk;      /* bytes of the packed block */
    struct pithi_log_window window; /* part of the index that was read last */
    struct pithi_stack opened;      /* with wants_opened: the states open at the start of the block unpacked last */
};
void pithi_unpacking_free(struct pithi_unpacking *unpacking);

/* Unpacks block `at` of lane `number`; with `wants_opened`, also the states that are open at its start. Returns
 * PITH_OK, or an error with the reason in *why (for PITH_ERR_IO, in pithlog_error() instead). */
int pithi_unpack(struct pithi_unpacking *unpacking, const struct pithi_log_lane *lane, uint32_t number,
                 const struct pithi_log_block *at, struct pithi_block *block, int wants_opened, const char **why);

/* Returns 1 if records are missing at this record: a LOST record with a count above 0. (A LOST record with the count 0
 * says that none are missing.) */
static inline int pithi_is_lost(const struct pithlog_record *r) { return r->kind == PITHLOG_LOST && r->bytes > 0; }
/* Returns 1 if a hole begins at this record: a LOST record with a count above 0, and not at the begin of its lane. (A
 * LOST record at the begin of a lane stands for older records that a ring buffer overwrote.) */
static inline int pithi_is_hole(const struct pithlog *log, const struct pithlog_record *r)
{
    return pithi_is_lost(r) && pithi_lost_is_hole(r, pithlog_get_lane(log, r->lane)->first_ns);
}

/* The holes of a lane's LOST records. */
struct pithi_lost_states {
    uint32_t hole_count, gone_count;
    /* 1: the log has the number of states that ended in each hole, and the stacks of later blocks do not have these
     * states. */
    uint32_t is_numbered;
    uint32_t is_wider;             /* 1: at least one of these holes also has a damaged or missing block in it */
    struct pithi_lost_hole *holes; /* by time */
    /* [gone_count] if is_numbered is 0: the states that ended in holes, sorted by time, then id, then hole. */
    struct pithi_gone *gone;
};

/* Sets *found to the holes of LOST records of a lane; to NULL if there are none, or after an error. The first call
 * reads the lane's blocks with LOST records; if these records do not have the numbers of ended states, it reads the
 * lane from the first such block on. The log owns the result. Any thread may call this function. */
int pithi_lost_states_get(struct pithlog *log, uint32_t lane, const struct pithi_lost_states **found);

/* The states open on a lane just before its first record at or after a time. */
struct pithi_open_at {
    struct pithi_stack stack; /* if is_hole: the states that are open after the hole */
    int is_hole;              /* 1: the time is in a hole */
    int64_t to_ns;            /* if is_hole: the end of the hole; INT64_MAX: no record comes after it */
};
/* Finds the states that are open on a lane just before its first record at or after time_ns. Blocks that cannot be read
 * are holes. `block` and `unpacking` are working memory. at->stack is all zero, or has memory from an earlier call.
 * Returns PITH_OK or PITH_ERR_MEMORY. */
int pithi_open_at(struct pithi_unpacking *unpacking, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                  struct pithi_open_at *at);
/* Like pithi_open_at, for the hole of a damaged or missing block. time_ns is the begin of the hole, that is, the time
 * of the last record before it. */
int pithi_open_after_hole(struct pithi_unpacking *unpacking, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                          struct pithi_open_at *at);

#endif
