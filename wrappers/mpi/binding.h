/* binding.h - calls through another language's binding, which has its own names: MPI::Comm::Send calls MPI_Send. The
 * binding's wrapper records the state, under the binding's name of the function. The wrapper of the C function inside
 * records everything else (messages, communicators, the job), and its own state only with PITH_NESTED=1.
 *
 * libpith-pcxx consists of wrappers of a binding. They call the functions below, which libpith-mpi exports besides
 * MPI's.
 */
#ifndef PITHI_BINDING_H
#define PITHI_BINDING_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pithi_binding {
    struct pithi_call call;      /* the call of the binding's own wrapper */
    struct pithi_state *late;    /* state that the C call records in place of its own; NULL: none, or already used */
    struct pithi_binding *outer; /* the binding's call around this one, in the same thread; NULL: none */
    int depth;                   /* depth of this thread inside the wrapper; the binding's C calls are one deeper */
    int outer_base;              /* `base` of struct pithi_self before this call */
};

/* Which wrapper records a function's state. AROUND: the binding's wrapper. LATE: the C wrapper inside; for
 * MPI_Finalize, which writes the log, and MPI_Pcontrol, which begins or ends a pause. PIGGYBACK: the C wrapper inside
 * if PITH_COMPENSATE is set, because compensation works after the state's end; otherwise the binding's wrapper.
 * PIGGYBACK is for functions that always make exactly one C call. */
enum { PITHI_BINDING_AROUND, PITHI_BINDING_LATE, PITHI_BINDING_PIGGYBACK };

/* Call these at the begin and end of one call of a binding, in the same thread. `state` must be static; `caller`: the
 * return address of the binding's wrapper. */
void pithi_binding_enter(struct pithi_binding *binding, struct pithi_state *state, int how, const void *caller)
    __attribute__((visibility("default")));
void pithi_binding_leave(struct pithi_binding *binding) __attribute__((visibility("default")));

/* Replaces pithi_binding_enter where a binding makes C calls for its own purposes: until pithi_binding_leave, C calls
 * of this thread are not recorded. */
void pithi_binding_hide(struct pithi_binding *binding) __attribute__((visibility("default")));

/* Called by the C wrapper inside a binding's wrapper: returns the state that the C wrapper records in place of `state`,
 * its own. */
struct pithi_state *pithi_binding_inner(struct pithi_binding *binding, struct pithi_state *state);

#ifdef __cplusplus
}
#endif

#endif
