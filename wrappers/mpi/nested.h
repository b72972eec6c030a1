/* nested.h - shows whether the user or the MPI library itself made an MPI call that lies inside another one. */
#ifndef PITHI_NESTED_H
#define PITHI_NESTED_H

/* The calls that this thread is in.
 * depth: count of wrapped calls inside each other.
 * recorded: 1: the user made the innermost call.
 * begun: 0: its state is not in the log; 1: its state is in the log, so records before the library's own call share the
 *     time of the state's begin; 2: its call site is in the log, too.
 * stamped: 0: the thread has made no record after the library's own call; 1: it has, so the end of the state shares
 *     that record's time; 2: the library's own call also took long (pithi_long_call).
 * base: the depth outside of the program's own calls: 0, or more inside another language's binding (binding.h); -1: the
 *     present calls are not the program's. */
struct pithi_self {
    int depth, recorded, begun, stamped, base;
    struct pithi_binding *binding; /* the innermost call of another language's binding (binding.h); NULL: none */
};
extern __thread struct pithi_self pithi_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns 1 if PITH_NESTED is set, so that nested calls of the MPI library are recorded. */
int pithi_nested_wanted(void);

/* Returns 1 if a nested call is to be recorded, because user code made it (a callback) or PITH_NESTED is set. `caller`:
 * the wrapper's return address. */
int pithi_nested_counts(const void *caller);

#endif
