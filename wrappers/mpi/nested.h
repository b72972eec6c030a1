/* nested.h - whether the user or the MPI library itself made an MPI call. */
#ifndef PITHI_NESTED_H
#define PITHI_NESTED_H

/* This thread's current calls. `recorded`: the user made the innermost call. `begun`: its state is in the log, so
 * records before the library's own call share its time; 2: with its call site. `stamped`: the last record was made
 * after the library's own call, so the end of the state shares its time; 2: and that call took long. `base`: the depth
 * of the program's own calls, 0, or inside another language's binding (binding.h); -1: the current calls are not the
 * program's. */
struct pithi_self {
    int depth, recorded, begun, stamped, base;
    struct pithi_binding *binding; /* the innermost call of another language's binding (binding.h); NULL: none */
};
extern __thread struct pithi_self pithi_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* 1: PITH_NESTED asks for nested calls. */
int pithi_nested_wanted(void);

/* Whether a nested call is recorded: user code made it (a callback), or PITH_NESTED is set. `caller`: the wrapper's
 * return address. */
int pithi_nested_counts(const void *caller);

#endif
