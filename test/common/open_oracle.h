/* open_oracle.h - which states of a lane are open after a hole, from the definition (formats/native/lost_states.h): all
 * records of the lane are looked at each time. It shares no code with the reader. */
#ifndef TEST_OPEN_ORACLE_H
#define TEST_OPEN_ORACLE_H

#include <stdint.h>
#include <string.h>

#include <pithlog.h>

#define NEVER UINT32_MAX

/* A record as the writer knew it. */
struct entry {
    int64_t time_ns;
    uint32_t kind, id;
    uint64_t lost;  /* LOST: the number of records that are missing; 0: none */
    int is_damaged; /* its block cannot be read */
    /* The rest is found by oracle_open_states. */
    int is_hole;    /* a LOST record in the middle of its lane */
    uint32_t leave; /* ENTER: the index of its LEAVE, or NEVER */
    uint32_t ended; /* ENTER: the index of the LOST record in whose hole it ended, or NEVER */
};

/* A LEAVE ends the innermost state of its name. `open` is room for `count` numbers. */
static inline void oracle_pair(struct entry *entries, uint32_t count, uint32_t *open)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        entries[i].leave = entries[i].ended = NEVER;
        if (entries[i].kind == PITHLOG_ENTER)
            open[depth++] = i;
        for (uint32_t k = depth; entries[i].kind == PITHLOG_LEAVE && k-- > 0;)
            if (entries[open[k]].id == entries[i].id) {
                entries[open[k]].leave = i;
                memmove(&open[k], &open[k + 1], (--depth - k) * sizeof *open);
                break;
            }
    }
}

/* Of the states open at a LOST record, those inside the innermost one that is left later have ended in its hole.
 *
 *     enter A, enter B, enter C, LOST, enter D, leave D, leave B     C.ended is 3
 *
 * A LEAVE in a damaged block counts if a later block is good: the stack in that block lacks the state. `is_numbered`:
 * the log says how many states ended in each hole, and its writer knew all records, also those that are damaged. */
static inline void oracle_end(struct entry *entries, uint32_t count, int is_numbered)
{
    uint32_t good = 0; /* behind the last record of a good block */
    for (uint32_t i = 0; i < count; i++) {
        int is_known = is_numbered || !entries[i].is_damaged;
        good = is_known ? i + 1 : good;
        entries[i].is_hole = entries[i].kind == PITHLOG_LOST && entries[i].lost > 0 && is_known &&
                             entries[i].time_ns > entries[0].time_ns;
    }
    for (uint32_t hole = 0; hole < count; hole++) {
        uint32_t first = 0; /* that may have ended */
        if (!entries[hole].is_hole)
            continue;
        for (uint32_t i = 0; i < hole; i++)
            if (entries[i].kind == PITHLOG_ENTER && entries[i].leave > hole && entries[i].leave < good)
                first = i + 1;
        for (uint32_t i = first; i < hole; i++)
            if (entries[i].kind == PITHLOG_ENTER && entries[i].leave > hole && entries[i].ended == NEVER)
                entries[i].ended = hole;
    }
    for (uint32_t i = 0; i < count; i++)
        entries[i].is_hole &= !entries[i].is_damaged;
}

static inline void oracle_open_states(struct entry *entries, uint32_t count, int is_numbered, uint32_t *open)
{
    oracle_pair(entries, count, open);
    oracle_end(entries, count, is_numbered);
}

/* 1: state i, entered before, is open where the records `before` and `after` and those between them have happened as
 * far as one can know: its LEAVE is `after` or later, and it ended in no hole up to `before`. */
static inline int oracle_is_open(const struct entry *entries, uint32_t i, uint32_t before, uint32_t after)
{
    return entries[i].kind == PITHLOG_ENTER && entries[i].leave >= after &&
           (entries[i].ended == NEVER || entries[i].ended > before);
}

#endif
