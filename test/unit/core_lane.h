/* core_lane.h - the records of a lane, and which states are open between them by definition: for tests of viewer/core
 * that compare with brute force. */
#ifndef CORE_LANE_H
#define CORE_LANE_H

#include <stdint.h>
#include <string.h>

#include <pithlog.h>

enum { MOST = 600 };

struct entry {
    int64_t time_ns;
    uint32_t kind, id;
    uint32_t ended; /* ENTER: the LOST record in whose hole the state ended, or UINT32_MAX */
};

struct lane_copy {
    struct entry entries[MOST];
    uint32_t count;
};

/* 1: records are missing between this one and the next. */
static inline int is_hole(const struct lane_copy *copy, uint32_t record)
{
    return copy->entries[record].kind == PITHLOG_LOST && copy->entries[record].time_ns > copy->entries[0].time_ns;
}

/* Finds where states end whose LEAVE was lost: a LOST record ends those that are never left later, unless one inside
 * them is. */
static inline void end_lost(struct lane_copy *copy)
{
    static uint32_t leave[MOST], open[MOST];
    uint32_t depth = 0;

    for (uint32_t r = 0; r < copy->count; r++) {
        copy->entries[r].ended = leave[r] = UINT32_MAX;
        if (copy->entries[r].kind == PITHLOG_ENTER)
            open[depth++] = r;
        for (uint32_t i = depth; copy->entries[r].kind == PITHLOG_LEAVE && i-- > 0;)
            if (copy->entries[open[i]].id == copy->entries[r].id) {
                leave[open[i]] = r;
                memmove(&open[i], &open[i + 1], (--depth - i) * sizeof *open);
                break;
            }
    }
    for (uint32_t hole = 0; hole < copy->count; hole++) {
        if (!is_hole(copy, hole))
            continue;
        for (uint32_t r = hole; r-- > 0;) {
            int is_open = copy->entries[r].kind == PITHLOG_ENTER && leave[r] > hole;
            if (is_open && leave[r] != UINT32_MAX)
                break;
            if (is_open && copy->entries[r].ended == UINT32_MAX)
                copy->entries[r].ended = hole;
        }
    }
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
