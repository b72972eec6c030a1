/* core_lane.h - the records of a lane, and which states are open between them by definition: for tests of viewer/core
 * that compare with brute force. */
#ifndef CORE_LANE_H
#define CORE_LANE_H

#include "common/open_oracle.h"

enum { MOST = 600 };

struct lane_copy {
    struct entry entries[MOST];
    uint32_t count;
};

/* 1: records are missing between this one and the next. */
static inline int is_hole(const struct lane_copy *copy, uint32_t record) { return copy->entries[record].is_hole; }

/* Finds where states end whose LEAVE was lost. */
static inline void end_lost(struct lane_copy *copy)
{
    static uint32_t open[MOST];
    for (uint32_t r = 0; r < copy->count; r++)
        copy->entries[r].lost = copy->entries[r].kind == PITHLOG_LOST;
    oracle_open_states(copy->entries, copy->count, 0, open);
}

struct stack {
    struct {
        uint32_t id, enter;
        int64_t start_ns;
        int open_in_window;
    } items[MOST];
    uint32_t depth;
};

/* The stack after the first `records` records. A LEAVE ends the innermost of its name. After a LOST
 * record, those that are open when the hole ends. */
static inline void replay_known(const struct lane_copy *copy, uint32_t records, struct stack *stack)
{
    stack->depth = 0;
    for (uint32_t r = 0; r < records; r++) {
        const struct entry *entry = &copy->entries[r];
        if (entry->kind == PITHLOG_ENTER) {
            stack->items[stack->depth].id = entry->id;
            stack->items[stack->depth].enter = r;
            stack->items[stack->depth++].start_ns = entry->time_ns;
        }
        for (uint32_t i = stack->depth; entry->kind == PITHLOG_LEAVE && i-- > 0;)
            if (stack->items[i].id == entry->id) {
                memmove(&stack->items[i], &stack->items[i + 1], (stack->depth - i - 1) * sizeof *stack->items);
                stack->depth--;
                break;
            }
        for (uint32_t i = stack->depth; is_hole(copy, r) && i-- > 0;)
            if (copy->entries[stack->items[i].enter].ended <= r) {
                memmove(&stack->items[i], &stack->items[i + 1], (stack->depth - i - 1) * sizeof *stack->items);
                stack->depth--;
            }
    }
}

/* In a hole, none is open. */
static inline void replay(const struct lane_copy *copy, uint32_t records, struct stack *stack)
{
    replay_known(copy, records, stack);
    if (records && is_hole(copy, records - 1))
        stack->depth = 0;
}

#endif
