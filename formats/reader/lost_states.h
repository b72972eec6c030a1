/* lost_states.h - the states that ended in holes of LOST records.
 *
 * A hole is [t_b, t_e). t_b is the time of a LOST record in the middle of its lane, or of the last record before a
 * damaged or missing block; t_e is that of the lane's first record after it. In a hole, no state counts.
 *
 * Which states are open from t_e on? After a damaged or missing block, those in the next block's stack, since the
 * writer knew all records. After a LOST record the writer did not: its stack keeps a state whose LEAVE was lost. Of
 * the states open at t_b, let S be the innermost whose LEAVE comes later in the lane (also in a damaged block: then a
 * later block's stack lacks it). S and the states around it are open again. The states inside S have ended.
 *
 *     enter A, enter B, enter C, LOST, enter D, leave D, leave B
 *
 * B is left later, so A and B are open after the hole; C ended in it. If A is never left, it ends at the next hole.
 */
#ifndef PITHI_LOST_STATES_H
#define PITHI_LOST_STATES_H

#include "native/log.h"
#include "native/stack.h"

struct pithi_lost_hole {
    int64_t lost_ns;
    uint32_t block; /* of its LOST record */
    uint32_t gone;  /* so many of the open states ended in it, the innermost ones */
};

struct pithi_gone {
    int64_t enter_ns;
    uint32_t id, hole;
};

struct pithi_lost_states {
    uint32_t hole_count, gone_count;
    struct pithi_lost_hole *holes; /* of LOST records, in order */
    struct pithi_gone *gone;       /* by time, then id, then hole */
};

/* Those of a lane. The first call reads the lane from its first LOST record on; the log owns the result. Any thread.
 * *found: NULL if no record was lost in its middle, or after an error. */
int pithi_lost_states_get(struct pithlog *log, uint32_t lane, const struct pithi_lost_states **found);
/* The number of holes in the blocks before `block`. */
uint32_t pithi_lost_states_before(const struct pithi_lost_states *lost, uint32_t block);
/* Takes the states that ended in the first `holes` holes off a writer's stack. */
void pithi_lost_states_drop(const struct pithi_lost_states *lost, uint32_t holes, struct pithi_stack *stack);

#endif
