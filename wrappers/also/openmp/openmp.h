/* openmp.h - libpith-openmp: records what the threads of OpenMP do.
 *
 * For example, two threads, where each line is a state:
 *
 *     thread 0   omp:parallel
 *                  omp:implicit_task
 *                    omp:loop
 *                    omp:barrier          until the last thread is there
 *     thread 1     omp:implicit_task
 *                    omp:loop
 *                    omp:barrier
 *                omp:idle                 until the next parallel region
 *
 * ompt.c is the tool that LLVM's runtime calls (OMPT, OpenMP 5.0, chapter 4). GNU's runtime has no such interface, so
 * gomp.c and gomp_loops.c wrap the functions that code compiled by gcc calls. omp_record.c writes the records for both
 * runtimes.
 */
#ifndef PITHI_OPENMP_H
#define PITHI_OPENMP_H

#include <stdint.h>

#include "also/also.h"

enum pithi_omp_kind {
    PITHI_OMP_PARALLEL,
    PITHI_OMP_IMPLICIT_TASK,
    PITHI_OMP_LOOP,
    PITHI_OMP_SECTIONS,
    PITHI_OMP_SINGLE,        /* the block that one thread runs */
    PITHI_OMP_TASKLOOP,      /* makes tasks out of a loop's iterations */
    PITHI_OMP_TASK,          /* runs an explicit task */
    PITHI_OMP_BARRIER,       /* waits for the team */
    PITHI_OMP_TASKWAIT,      /* waits for its child tasks */
    PITHI_OMP_TASKGROUP,     /* waits for the tasks of a group */
    PITHI_OMP_CRITICAL,      /* inside a critical section */
    PITHI_OMP_CRITICAL_WAIT, /* waits to enter a critical section */
    PITHI_OMP_ORDERED,       /* inside an ordered block */
    PITHI_OMP_ORDERED_WAIT,  /* waits for its turn */
    PITHI_OMP_LOCK_WAIT,     /* waits for a lock */
    PITHI_OMP_IDLE,          /* without work, between regions */
    PITHI_OMP_KINDS
};

/* The thread begins a state. `caller`: the address in the program that the log names as the call site; NULL:
 * unknown. */
void pithi_omp_begin(enum pithi_omp_kind kind, const void *caller);
/* Ends the thread's innermost state of this kind, and the states inside it. Does nothing if no such state is open. */
void pithi_omp_end(enum pithi_omp_kind kind);

/* pithi_omp_idle_begin: a thread of a team has no work since the time `ticks` (of pith_clock_ticks; 0: now). At this
 * time its innermost implicit task ends and the state omp:idle begins. pithi_omp_idle_end ends omp:idle, or does
 * nothing if the thread is not idle. */
void pithi_omp_idle_begin(uint64_t ticks);
void pithi_omp_idle_end(void);
/* Call it when the thread waits at the end of a region. The runtime may never report the region's end in this thread,
 * but the master then sets *ticks to the time. If recording ends while the thread waits and *ticks is not 0, the thread
 * counts as idle since *ticks. `ticks` NULL: the thread no longer waits. */
void pithi_omp_idle_after(const uint64_t *ticks);

/* Returns a block of PITHI_OMP_BLOCK bytes, all 0, for the data of a region; NULL if there is no memory. The memory
 * comes from mmap, for the reason in also.h. pithi_omp_give frees the block. */
enum { PITHI_OMP_BLOCK = 128 };
void *pithi_omp_take(void);
void pithi_omp_give(void *block);

/* ---- GNU's runtime (gomp.c) -------------------------------------------------------------------------------------- */

/* Returns 1 if a call of GNU's runtime that begins a state is to be recorded. The wrapper of a call that ends a state
 * does not call this function, because the end is recorded if the begin was. */
int pithi_gomp_wanted(void);
/* Returns 1 if the functions GOMP_... belong to another runtime (LLVM's), which ompt.c records. */
int pithi_gomp_is_other(void);
/* Returns the runtime's function `next`, as the code at the address `caller` would find it. */
void *pithi_gomp_find(struct pithi_next *next, const void *caller);
#define GOMP(name)                                                                                                     \
    __extension__({                                                                                                    \
        static struct pithi_next next_ __attribute__((section("pithi_next"), used)) = {#name, (void *)0, (void *)0};   \
        (__typeof__(&name))pithi_gomp_find(&next_, PITHI_CALLER);                                                      \
    })

#endif
