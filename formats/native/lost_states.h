/* lost_states.h - which of a lane's states ended in the holes of its LOST records.
 *
 * A hole begins at a LOST record and ends at the lane's next record. Of the states open at the LOST record, let S be
 * the innermost whose LEAVE comes later. S and the states around it are open after the hole. The states inside S have
 * ended in it: their LEAVE was lost.
 *
 *     enter A, enter B, enter C, LOST, enter D, leave D, leave B
 *
 * B is left later, so A and B are open after the hole; C ended in it. If A is never left, it ends at the next hole.
 *
 * So it takes a pass over the lane to know it. A writer that can make one stores the number of such states with each
 * LOST record (struct pithlog_record, got_bytes): then a log's stacks and summaries are right, and its readers need no
 * pass. The numbers count up to the lane's first hole without one.
 */
#ifndef PITHI_LOST_STATES_H
#define PITHI_LOST_STATES_H

#include "native/stack.h"
#include "pithlog.h"

/* 1: the record begins a hole of a lane whose first record was at begin_ns. (A count of 0 says that none are missing;
 * where the lane begins, nothing was open.) */
static inline int pithi_lost_is_hole(const struct pithlog_record *r, int64_t begin_ns)
{
    return r->kind == PITHLOG_LOST && r->bytes > 0 && r->time_ns > begin_ns;
}

struct pithi_lost_hole {
    int64_t from_ns, to_ns; /* to_ns: of the next readable record; INT64_MAX: there is none */
    uint32_t block;         /* of its LOST record */
    uint32_t gone;          /* so many of the states open before it ended in it, the innermost ones */
    uint32_t is_wider;      /* 1: a damaged or missing block is in it as well */
};

/* A pass over a lane. All zero but begin_ns at first. */
struct pithi_lost_pass {
    int64_t begin_ns;              /* time of the lane's first record */
    struct pithi_lost_hole *holes; /* [hole_count] so far; `gone` is set by pithi_lost_end, or by the record */
    uint32_t hole_count;
    uint32_t numbered;                    /* so many of these have a number, the first ones */
    uint32_t hole_room, open_count, room; /* the rest is private */
    struct pithi_lost_follow {
        int64_t enter_ns;
        uint32_t id;
        uint32_t entered; /* number of holes before its ENTER */
        uint32_t passed;  /* it is known to be open after the holes before this one */
        uint32_t is_open; /* for pithi_lost_writer */
    } * open;             /* [open_count] as the writer has them open */
};

/* The next record; `block`: its block, for the hole. 0: no memory. */
int pithi_lost_record(struct pithi_lost_pass *pass, const struct pithlog_record *record, uint32_t block);
/* Records are missing without a LOST record, and then the writer's stack is this. 0: no memory. */
int pithi_lost_writer(struct pithi_lost_pass *pass, const struct pithi_stack *writer);
/* The lane has ended: counts the states gone in each hole without a number. These are the states of `open` with
 * `passed` below hole_count: the number of their hole. */
void pithi_lost_end(struct pithi_lost_pass *pass);
void pithi_lost_free(struct pithi_lost_pass *pass);

#endif
