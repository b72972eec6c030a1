/* stack.h - the states open on a lane: pairs every LEAVE with its ENTER. The writer (for the stack at each block's
 * start) and iterators both use it, so that they agree. (If all states of a block nest, the writer finds the same stack
 * in another way, see block_codes.c; test_encoder compares the two.)
 *
 * A LEAVE ends the innermost open state of its id, at any depth: states entered after it stay open. A program may fail
 * to leave states, because of a longjmp or a path without pith_end. Then more and more states are open. If
 * PITHI_OPEN_MAX are open, the next ENTER therefore discards half of them: not the outermost PITHI_OPEN_OUTER, which
 * enclose the rest of the program, nor the newest, but those between. Their LEAVEs then end no state.
 */
#ifndef PITHI_STACK_H
#define PITHI_STACK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "native/layout.h"

struct pithi_open_state {
    uint32_t id;
    int64_t enter_ns;  /* when it began */
    int64_t nested_ns; /* spent in states directly inside, so far */
};

struct pithi_stack {
    struct pithi_open_state *states; /* outermost first */
    uint32_t count, room;
};

/* A LOST record that begins a hole, and the number of states that ended in this hole: the innermost ones of the states
 * open at the record. */
struct pithi_block_hole {
    uint32_t record, gone; /* index of the record in its block; number of states */
};

/* In a block whose states nest, each state that is open at some time has a frame. Frame 0 stands for no state. Frames
 * from 1 on are the states that are open at the block's start, outermost first. Then follow the states that are entered
 * in the block, in order. */
struct pithi_frame {
    uint16_t around; /* the frame outside it; this and `record` are set only for a state entered in the block */
    uint16_t record; /* the ENTER, counted from the block's first record */
};

/* Returns 0 if there is no memory. */
static inline int pithi_stack_reserve(struct pithi_stack *s, uint32_t room)
{
    if (room <= s->room)
        return 1;
    struct pithi_open_state *states = realloc(s->states, room * sizeof *states);
    if (!states)
        return 0;
    s->states = states;
    s->room = room;
    return 1;
}

/* Makes room for one more state; this may discard other states. Returns 0 if there is no memory. */
static inline int pithi_stack_make_room(struct pithi_stack *s)
{
    if (s->count < PITHI_OPEN_MAX) {
        uint32_t room = s->room ? s->room * 2 : 16;
        return pithi_stack_reserve(s, room < PITHI_OPEN_MAX ? room : PITHI_OPEN_MAX);
    }
    struct pithi_open_state *forgotten = s->states + PITHI_OPEN_OUTER;
    s->count -= PITHI_OPEN_FORGOTTEN;
    memmove(forgotten, forgotten + PITHI_OPEN_FORGOTTEN, (s->count - PITHI_OPEN_OUTER) * sizeof *forgotten);
    return 1;
}

static inline int pithi_stack_enter(struct pithi_stack *s, uint32_t id, int64_t time_ns)
{
    if (s->count == s->room && !pithi_stack_make_room(s))
        return 0;
    s->states[s->count++] = (struct pithi_open_state){.id = id, .enter_ns = time_ns};
    return 1;
}

/* Returns 1 if the LEAVE ended a state: *ended is the state and *depth its depth. Returns 0 if no such state is
 * open. */
static inline int pithi_stack_leave(struct pithi_stack *s, uint32_t id, int64_t time_ns, struct pithi_open_state *ended,
                                    uint32_t *depth)
{
    uint32_t i = s->count;
    do {
        if (i-- == 0)
            return 0;
    } while (s->states[i].id != id);
    *ended = s->states[i];
    *depth = i;
    /* subtracts as unsigned, so that a difference too large for int64 wraps instead of trapping */
    if (i > 0)
        s->states[i - 1].nested_ns =
            (int64_t)((uint64_t)s->states[i - 1].nested_ns + (uint64_t)time_ns - (uint64_t)ended->enter_ns);
    s->count--;
    if (i < s->count)
        memmove(s->states + i, s->states + i + 1, (s->count - i) * sizeof *s->states);
    return 1;
}

/* Removes the `gone` innermost states, which ended in a hole. Their time does not count as time inside the state around
 * them, because it is not known when they ended. */
static inline void pithi_stack_drop(struct pithi_stack *s, uint64_t gone)
{
    s->count -= gone < s->count ? (uint32_t)gone : s->count;
}

/* Handles the common case: an ENTER with room, or a LEAVE of the innermost state. Both share one path without branches,
 * because their order is unpredictable, and a mispredicted branch would cost more than this whole function. Returns 1
 * if it did; *start_ns, *nested_ns and *depth describe the state that was entered or left (for an ENTER: its time, 0,
 * its depth). Returns 0 in another case, and does nothing. */
static inline int pithi_stack_quick(struct pithi_stack *s, uint32_t leave, uint32_t id, int64_t time_ns,
                                    int64_t *start_ns, int64_t *nested_ns, uint32_t *depth)
{
    uint32_t count = s->count;
    if (__builtin_expect((count == s->room) | (count < leave), 0))
        return 0;
    /* the entry above the top gets the entered state, or for a LEAVE a value that is not used */
    struct pithi_open_state *above = &s->states[count], *state = above - leave;
    struct pithi_open_state *around = count > leave ? state - 1 : above;
    if (__builtin_expect(((state->id ^ id) & -leave) != 0, 0))
        return 0;
    above->id = id;
    above->enter_ns = time_ns;
    above->nested_ns = 0;
    int64_t start = state->enter_ns;
    *start_ns = start;
    *nested_ns = state->nested_ns;
    *depth = count - leave;
    /* adds 0 for an ENTER */
    around->nested_ns = (int64_t)((uint64_t)around->nested_ns + (uint64_t)time_ns - (uint64_t)start);
    s->count = count + 1 - 2 * leave;
    return 1;
}

#endif
