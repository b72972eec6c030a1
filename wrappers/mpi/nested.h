/* nested.h - whether the user or the MPI library itself made a nested MPI call. */
#ifndef PITHI_NESTED_H
#define PITHI_NESTED_H

/* The calls that this thread is in.
 * depth: number of wrapped calls around each other.
 * recorded: 1: the user made the innermost call.
 * begun: 1: its state is in the log, so records before the library's own call share its time; 2: its call site, too.
 * stamped: 1: the thread's last record was made after the library's own call, so the end of the state shares its time;
 * 2:
 *     that call took long, too.
 * base: the depth outside of the program's own calls: 0, or more inside another language's binding (binding.h); -1: the
 *     present calls are not the program's. */
struct pithi_self {
    int depth, recorded, begun, stamped, base;
    struct pithi_binding *binding; /* the innermost call of another language's binding (binding.h); NULL: none */
};
extern __thread struct pithi_self pithi_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* 1: PITH_NESTED is set: nested calls of the MPI library are recorded. */
int pithi_nested_wanted(void);

/* 1: a nested call is recorded: user code made it (a callback), or PITH_NESTED is set. `caller`: the wrapper's return
 * address. */
int pithi_nested_counts(const void *caller);

#endif
