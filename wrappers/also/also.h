/* also.h - what the libraries of `pith run --also` share. These libraries are preloaded, so their functions come before
 * the C library's functions, and they record the calls that a program makes besides MPI: libpith-io (io.h),
 * libpith-functions (functions.h), libpith-openmp (openmp.h), libpith-pthread, libpith-memory (memory.h).
 *
 * A process's calls are recorded from its first call of MPI or of pith.h on. The program that `pith run` executes is
 * recorded from its start. But if mpirun started `pith run` and the program is not linked with MPI, the program is
 * recorded only from such a call on, because it may be a script that starts the real program (run/run.c). Forked
 * children and the programs that the program starts are not recorded. Calls from Pith's own libraries are never
 * recorded.
 *
 * An allocator may make many of these calls (mmap, read, pthread_mutex_lock) while it holds its locks. If the code that
 * records the call then called the program's malloc or free, it would wait for these locks forever. So code that runs
 * inside a wrapped call takes memory from mmap. Its thread-local variables use the initial-exec model, because the
 * loader allocates thread-local variables of other models by malloc.
 */
#ifndef PITHI_ALSO_H
#define PITHI_ALSO_H

#include <stddef.h>
#include <stdint.h>

#define PITHI_ALSO_API __attribute__((visibility("default")))
#define PITHI_CALLER __builtin_return_address(0)

/* Returns 1 if a call that returns to the address `caller` is to be recorded. If `caller` is NULL, returns 1 if the
 * program's calls are recorded at present. Preserves errno; safe in signal handlers. */
int pithi_also_wanted(const void *caller);
/* Makes recording begin now, instead of with the first call of MPI or pith.h. */
void pithi_also_begin_early(void);
/* Returns 1 in a child process made by vfork or clone, which shares the memory of the recorded process. Costs a system
 * call. */
int pithi_also_is_guest(void);

/* Maps `bytes` bytes of the file `fd` for reading, or of empty memory if `fd` is -1. Makes the system call itself,
 * because the function mmap is wrapped. Returns NULL if the system refuses. */
void *pithi_also_map(int fd, size_t bytes);

/* Returns the time of CLOCK_MONOTONIC, for measuring costs. */
int64_t pithi_also_now_ns(void);
/* Converts a duration to ticks of pith_clock_ticks. Each call takes a millisecond, because it measures how fast the
 * ticks count. */
uint64_t pithi_also_ticks_of(double ns);

/* Returns the id of the state `name`; 0 if the user left this state out. The first call defines the state. *id keeps
 * the id between calls; it must be 0 before the first call, and is accessed atomically. */
uint32_t pithi_also_state(uint32_t *id, const char *name, const char *colour, const char *group);

/* The real function of a wrapped name: the next function of this name that the loader finds after the calling library.
 * All real functions are looked up when the library is loaded, because a signal handler or the child of a fork must not
 * call dlsym. */
struct pithi_next {
    const char *name, *version;                 /* NULL: the default version */
    void *function;                             /* the real function; NULL: not looked up yet, or there is none */
} __attribute__((aligned(4 * sizeof(void *)))); /* aligned, so that the section is an array without gaps */
void *pithi_next_find(struct pithi_next *next);
void pithi_next_find_all(void);
#define NEXT(name) NEXT_VERSION(name, (void *)0)
/* NEXT(name) is the real function `name`. NEXT_VERSION is the same, but prefers the given version of the symbol to the
 * default version. */
#define NEXT_VERSION(name, version)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_next next_ __attribute__((section("pithi_next"), used)) = {#name, version, (void *)0};     \
        (__typeof__(&name))pithi_next_find(&next_);                                                                    \
    })

#endif
