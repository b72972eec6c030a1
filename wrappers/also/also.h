/* also.h - what the libraries of `pith run --also` share. These libraries are preloaded, so their functions come before
 * the C library's functions, and they record the calls that a program makes besides MPI: libpith-io (io.h),
 * libpith-functions (functions.h), libpith-openmp (openmp.h), libpith-pthread, libpith-memory (memory.h).
 *
 * A process's calls are recorded from its first call of MPI or of pith.h on. The program that `pith run` started itself
 * is recorded from its start, unless it may be a script or another starter of the real program (run/run.c). Forked
 * children and the programs that the program starts are not recorded. Calls from Pith's own libraries never are.
 *
 * An allocator may make many of these calls (mmap, read, pthread_mutex_lock) while it holds its locks. So code that
 * runs inside a wrapped call must not call the program's malloc or free: it takes memory from mmap, and its
 * thread-local variables use the initial-exec model, as the loader allocates thread-local variables of other models by
 * malloc.
 */
#ifndef PITHI_ALSO_H
#define PITHI_ALSO_H

#include <stddef.h>
#include <stdint.h>

#define PITHI_ALSO_API __attribute__((visibility("default")))
#define PITHI_CALLER __builtin_return_address(0)

/* 1: a call that returns to the address `caller` is to be recorded. `caller` NULL: any call of the program. Preserves
 * errno; safe in signal handlers. */
int pithi_also_wanted(const void *caller);
/* Calls are recorded from now on, even before the first call of MPI or pith.h. */
void pithi_also_begin_early(void);
/* 1: this is a child made by vfork or clone, which shares the memory of the recorded process. It costs a system
 * call. */
int pithi_also_is_guest(void);

/* Maps so many bytes of a file to read them, or of empty memory (fd -1), by a system call: the wrapped mmap is for the
 * program's calls. NULL: it cannot. */
void *pithi_also_map(int fd, size_t bytes);

/* CLOCK_MONOTONIC, to measure costs. */
int64_t pithi_also_now_ns(void);
/* Converts a duration to ticks of pith_clock_ticks. Takes a millisecond, since it measures the rate of the ticks. */
uint64_t pithi_also_ticks_of(double ns);

/* The id of the state `name`, which is defined by the first call; 0: the user left this state out. *id, which is read
 * and written atomically, keeps the id between calls and must be 0 before the first one. */
uint32_t pithi_also_state(uint32_t *id, const char *name, const char *colour, const char *group);

/* The real function of a wrapped name: the next function of this name that the loader finds after the calling library.
 * All of them are looked up when the library is loaded, because a signal handler or the child of a fork must not call
 * dlsym. */
struct pithi_next {
    const char *name, *version;                 /* NULL: the default version */
    void *function;                             /* the next one in the order of loading; NULL: there is none */
} __attribute__((aligned(4 * sizeof(void *)))); /* the section pithi_next is an array: no gaps between its elements */
void *pithi_next_find(struct pithi_next *next);
void pithi_next_find_all(void);
#define NEXT(name) NEXT_VERSION(name, (void *)0)
/* As NEXT, but the given version of the symbol, if the library has it. */
#define NEXT_VERSION(name, version)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_next next_ __attribute__((section("pithi_next"), used)) = {#name, version, (void *)0};     \
        (__typeof__(&name))pithi_next_find(&next_);                                                                    \
    })

#endif
