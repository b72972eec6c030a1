/* nested.h - whose an MPI call is: the user's, or one that MPI makes inside another. */
#ifndef PITHI_NESTED_H
#define PITHI_NESTED_H

/* This thread's place in the calls. `recorded`: the innermost call under way is one that the user made. `begun`: its
 * state is in the log, so what is recorded before the library's own call has the same time. `stamped`: the log's last
 * record was made after the library's own call, so the end of the state has the same time. `base`: the depth of the
 * program's own calls, 0, or inside another language's binding (binding.h); -1: the calls under way are not its own. */
struct pithi_self {
    int depth, recorded, begun, stamped, base;
    struct pithi_binding *binding; /* the innermost call of another language's binding (binding.h); NULL: none */
};
extern __thread struct pithi_self pithi_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* 1 when PITH_NESTED asks for the calls inside calls. */
int pithi_nested_wanted(void);

/* Whether a call inside another counts: when user code made it (a callback), or PITH_NESTED asks for all. `caller`: the
 * wrapper's return address. */
int pithi_nested_counts(const void *caller);

#endif
