/* binding.c - gives a binding's state to the C wrapper that the binding calls (binding.h).
 *
 * Example: MPI::Comm::Send calls MPI_Send. With PITHI_BINDING_AROUND, the binding's wrapper records the state
 * MPI::Comm::Send, and the wrapper of MPI_Send records no state. With PITHI_BINDING_LATE, the binding's wrapper records
 * no state, and the wrapper of MPI_Send records the state MPI::Comm::Send. */
#include "binding.h"

#include "piggyback.h"

/* A state that is never recorded. */
static struct pithi_state unseen = {.name = "", .classes = "", .colour = "", .id = PITH_LEFT_OUT_};

void pithi_binding_enter(struct pithi_binding *binding, struct pithi_state *state, int how, const void *caller)
{
    struct pithi_self *self = &pithi_self;
    int carries = how == PITHI_BINDING_PIGGYBACK && pithi_piggyback_on && !pithi_nested_wanted();

    binding->late = how == PITHI_BINDING_LATE || carries ? state : NULL;
    pithi_enter(&binding->call, binding->late ? &unseen : state, caller);
    binding->outer = self->binding;
    binding->outer_base = self->base;
    binding->depth = self->base = self->depth;
    self->binding = binding;
}

/* layers.h of the C++ bindings does not have the definition of the struct and reserves memory of this size for it. */
_Static_assert(sizeof(struct pithi_binding) <= sizeof(void *[8]), "room for a binding's call");

void pithi_binding_hide(struct pithi_binding *binding)
{
    struct pithi_self *self = &pithi_self;

    *binding = (struct pithi_binding){.call = {&unseen, self->recorded}, .outer = self->binding};
    binding->outer_base = self->base;
    binding->depth = ++self->depth;
    self->base = -1;
    self->recorded = 0;
    self->binding = binding;
}

void pithi_binding_leave(struct pithi_binding *binding)
{
    pithi_self.binding = binding->outer;
    pithi_self.base = binding->outer_base;
    pithi_leave(&binding->call, NULL);
}

struct pithi_state *pithi_binding_inner(struct pithi_binding *binding, struct pithi_state *state)
{
    struct pithi_state *late = binding->late;

    binding->late = NULL;
    if (late)
        return late;
    return pithi_nested_wanted() ? state : &unseen;
}
