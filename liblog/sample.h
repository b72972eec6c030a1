/* sample.h - samples: the call stacks of all threads, at regular intervals of their CPU time (PITH_SAMPLE). */
#ifndef PITHI_SAMPLE_H
#define PITHI_SAMPLE_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/* Under the guard, when recording starts: starts the sampling that PITH_SAMPLE asks for. */
void pithi_sample_start(void);
/* In a forked child, which has no timers. */
void pithi_sample_forked(void);
/* For a thread of the recorder: it gets no samples. */
void pithi_sample_not_here(void);
/* Not under the guard, before the end of recording: records the names of code that was made at run time, from the
 * program's perf map; records the modules again if their first records may be lost (a ring, PITH_FROM). */
void pithi_sample_finish(void);

/* ---- sample_signal.c --------------------------------------------------------------------------------------------- */

/* SIGSETXID: a signal that the C library keeps for itself, so no program uses it. */
enum { PITHI_SAMPLE_SIGNAL = 33 };
/* Installs the handler; 1: it is installed, now or before; 0 (errno): not possible. After the program has made a
 * thread, since the C library then installs its own. */
int pithi_sample_signal_take(void (*handler)(int, siginfo_t *, void *));
/* A signal that is not ours: to the C library. */
void pithi_sample_signal_pass(int number, siginfo_t *info, void *context);
/* 1: the program's handlers on alternate stacks block the signal, as a stack is too small for both. */
int pithi_sample_signal_masked(void);
void pithi_sample_signal_forked(void);

/* ---- sample_stack.c ---------------------------------------------------------------------------------------------- */

/* The addresses of the code that was interrupted: the program counter, then return addresses, innermost first. Returns
 * their number, at most `most`; 0: this machine is not supported. If there are more, the last is 0. Follows unwind
 * tables, and frame pointers where there are none. Safe in signal handlers; reads only memory that can be read. */
unsigned pithi_sample_stack(const ucontext_t *context, uint64_t *addresses, unsigned most);

/* The same for the caller of this function: the program counter here, then return addresses. */
unsigned pithi_own_stack(uint64_t *addresses, unsigned most);

/* Loaded files of code. */
struct pithi_module {
    uint64_t begin, end; /* its addresses */
    uint64_t bias;       /* address - this = address in the file */
    const char *path;    /* "": the program */
    const unsigned char *build_id;
    uint32_t build_id_bytes; /* 0: it has none */
};
/* The module that contains `address`: 1; 0: none. Safe in signal handlers. */
int pithi_module_find(uint64_t address, struct pithi_module *module);

#endif
