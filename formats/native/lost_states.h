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
 * So the states that ended are known only after a pass over the whole lane. A writer that can make this pass stores the
 * number of states that ended in each hole with its LOST record (struct pithlog_record, got_bytes). Then a log's stacks
 * and summaries are right, and its readers need no pass. These numbers are valid up to the lane's first hole without a
 * number.
 */
#ifndef PITHI_LOST_STATES_H
#define PITHI_LOST_STATES_H

#include "native/stack.h"
#include "pithlog.h"

/* Returns 1 if the record begins a hole of a lane whose first record was at begin_ns. A lost record begins no hole if
 * its `bytes`, the number of missing records, is 0, or if it is at the begin of the lane, where no state was open
 * yet. */
static inline int pithi_lost_is_hole(const struct pithlog_record *r, int64_t begin_ns)
{
    return r->kind == PITHLOG_LOST && r->bytes > 0 && r->time_ns > begin_ns;
}

struct pithi_lost_hole {
    int64_t from_ns, to_ns; /* to_ns: time of the next readable record; INT64_MAX: no more records */
    uint32_t block;         /* the block of its LOST record */
    uint32_t gone;          /* number of states that ended in it: the innermost ones open before it */
    uint32_t is_wider;      /* 1: a damaged or missing block is in it as well */
};

/* A pass over a lane. All zero but begin_ns at first. */
struct pithi_lost_pass {
    int64_t begin_ns;              /* time of the lane's first record */
    struct pithi_lost_hole *holes; /* [hole_count] so far; `gone` is set by pithi_lost_end, or by the record */
    uint32_t hole_count;
    uint32_t numbered;                    /* the first `numbered` holes have a number in their LOST record */
    uint32_t hole_room, open_count, room; /* the rest is private */
    struct pithi_lost_follow {
        int64_t enter_ns;
        uint32_t id;
        uint32_t entered; /* number of holes before its ENTER */
        uint32_t passed;  /* the state is known to be open after the holes 0 to passed - 1 */
        uint32_t is_open; /* for pithi_lost_writer */
    } * open;             /* [open_count] the stack of the log's writer, in which states that ended in holes stay */
};

/* Takes the next record of the lane; `block`: the number of its block, kept for a hole that begins here. Returns 0 if
 * there is no memory. */
int pithi_lost_record(struct pithi_lost_pass *pass, const struct pithlog_record *record, uint32_t block);
/* Call it where records are missing without a LOST record, as in a damaged block. `writer`: the states that the next
 * block says are open. Returns 0 if there is no memory. */
int pithi_lost_writer(struct pithi_lost_pass *pass, const struct pithi_stack *writer);
/* Call it after the lane's last record: counts the states that ended in each hole without a number. A state of `open`
 * with `passed` below hole_count ended in the hole of number `passed`. */
void pithi_lost_end(struct pithi_lost_pass *pass);
void pithi_lost_free(struct pithi_lost_pass *pass);

#endif
