/* binding.h - calls that come by way of another language's binding, which has its own name for them: MPI::Comm::Send
 * calls MPI_Send. The binding's wrapper records the state under its name; the C wrapper inside of it records the
 * rest (messages, communicators, the job) and no state of its own, but with PITH_NESTED=1.
 *
 * libpith-pcxx is made of such wrappers. Its functions are what libpith-mpi exports beside MPI's names.
 */
#ifndef PITHI_BINDING_H
#define PITHI_BINDING_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pithi_binding {
    struct pithi_call call;
    struct pithi_state
        *late; /* what the C call is to record in place of its own state; NULL: nothing, or not any more */
    struct pithi_binding *outer;
    int depth; /* of its inside in the calls of this thread: a C call there is the binding's */
    int outer_base;
};

/* How a function's state lies. PITHI_BINDING_LATE: where the C call has its own, for MPI_Finalize, in which the log
 * is written, and MPI_Pcontrol, which begins or ends a pause. PITHI_BINDING_CARRIES: so it is with PITH_COMPENSATE,
 * which has work behind the state, for functions that make one C call in any case. */
enum { PITHI_BINDING_AROUND, PITHI_BINDING_LATE, PITHI_BINDING_CARRIES };

/* Brackets of one call, by the same thread. `state` is static; `caller`: the return address of the binding's
 * wrapper. */
void pithi_binding_enter(struct pithi_binding *binding, struct pithi_state *state, int how, const void *caller)
    __attribute__((visibility("default")));
void pithi_binding_leave(struct pithi_binding *binding) __attribute__((visibility("default")));

/* In place of enter, where a binding calls C for itself: C calls of this thread are not recorded until it leaves. */
void pithi_binding_hide(struct pithi_binding *binding) __attribute__((visibility("default")));

/* For a C wrapper inside of the binding's: the state to be recorded in place of its own. */
struct pithi_state *pithi_binding_inner(struct pithi_binding *binding, struct pithi_state *state);

#ifdef __cplusplus
}
#endif

#endif
