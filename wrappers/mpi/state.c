/* state.c - defines the states of MPI calls, and handles nested calls. */
#include "state.h"

#include "binding.h"
#include "group.h"
#include "pith_tool.h"

int pithi_calls_off;
struct pithi_state pithi_state_off = {"", "", "", PITH_LEFT_OUT_};

int pithi_state_first(struct pithi_state *state)
{
    const char *colour = *state->colour ? state->colour : pithi_group_colour(state->name, state->classes);
    uint32_t id = pith_state_define_group(state->name, colour, pithi_group_of(state->name, state->classes));

    __atomic_store_n(&state->id, id, __ATOMIC_RELAXED);
    pith_begin(id);
    return PITH_ID_IN_(id);
}

struct pithi_state *pithi_state_nested(struct pithi_state *state, const void *caller)
{
    struct pithi_self *self = &pithi_self;

    if (self->binding && self->binding->depth == self->depth - 1)
        return pithi_binding_inner(self->binding, state);
    self->recorded = pithi_nested_counts(caller);
    return state;
}
