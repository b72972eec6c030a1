/* also.h - what the libraries of `pith run --also` share. They stand before the C library and record calls that a
 * program makes besides MPI: libpith-io (io.h), libpith-functions (functions.h), libpith-openmp (openmp.h),
 * libpith-pthread, libpith-memory (memory.h).
 *
 * A call is recorded if its process is recorded: from the first call of MPI or pith.h on, or from the start in a
 * program that `pith run` started itself and that will probably record. So forked children and the programs that the
 * program starts are not recorded. Calls of Pith's own libraries are never recorded.
 *
 * An allocator may make many of these calls (mmap, read, pthread_mutex_lock) while it holds its locks. So nothing that
 * runs inside a wrapped call may call the program's malloc or free: memory comes from mmap, and variables of threads
 * have the model initial-exec.
 */
#ifndef PITHI_ALSO_H
#define PITHI_ALSO_H

#include <stdint.h>

#define PITHI_ALSO_API __attribute__((visibility("default")))
#define PITHI_CALLER __builtin_return_address(0)

/* 1: a call that returns to `caller` is to be recorded. Preserves errno; safe in signal handlers. */
int pithi_also_wanted(const void *caller);
/* From now on calls are recorded, even before a call of MPI or pith.h. */
void pithi_also_begin_early(void);
/* 1: this is a child made by vfork or clone, which shares the memory of the recorded process. Cost: a system call. */
int pithi_also_is_guest(void);

/* CLOCK_MONOTONIC, to measure costs. */
int64_t pithi_also_now_ns(void);
/* How many ticks (pith_clock_ticks) a duration has. Takes a millisecond. */
uint64_t pithi_also_ticks_of(double ns);

/* The id of a state that is to be recorded; 0: it is left out. *id (atomic) keeps it; 0 before the first call. */
uint32_t pithi_also_state(uint32_t *id, const char *name, const char *colour, const char *group);

/* The library's own function of this name, which comes after the caller's in the order of loading. All are looked up
 * when the library is loaded, because a signal handler or the child of a fork must not call dlsym. */
struct pithi_next {
    const char *name, *version;                 /* NULL: the default version */
    void *function;                             /* the next one in the order of loading; NULL: there is none */
} __attribute__((aligned(4 * sizeof(void *)))); /* so that they lie in their section without gaps */
void *pithi_next_find(struct pithi_next *next);
void pithi_next_find_all(void);
#define NEXT(name) NEXT_VERSION(name, (void *)0)
/* The same of one version of its symbol, if the library has that version. */
#define NEXT_VERSION(name, version)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_next next_ __attribute__((section("pithi_next"), used)) = {#name, version, (void *)0};     \
        (__typeof__(&name))pithi_next_find(&next_);                                                                    \
    })

#endif
