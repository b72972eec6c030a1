/* sample.h - samples: the call stacks of all threads, at regular intervals of their CPU time (PITH_SAMPLE). */
#ifndef PITHI_SAMPLE_H
#define PITHI_SAMPLE_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/* Under the guard, when recording starts: starts the sampling that PITH_SAMPLE asks for. */
void pithi_sample_start(void);
/* Call it in a forked child, which has no timers. */
void pithi_sample_forked(void);
/* A thread of the recorder calls this, so that no samples of it are taken. */
void pithi_sample_not_here(void);
/* Not under the guard, before the end of recording: records the names of code that was made at run time, from the
 * program's perf map; records the modules again if their first records may be lost (a ring, PITH_FROM). */
void pithi_sample_finish(void);

/* ---- sample_signal.c --------------------------------------------------------------------------------------------- */

/* SIGSETXID: a signal that the C library keeps for itself, so no program uses it. */
enum { PITHI_SAMPLE_SIGNAL = 33 };
/* Installs the handler. Returns 1 if it is installed, now or before; 0 (errno) if that is not possible. Call it after
 * the program has made a thread: glibc then installs its own handler, which this one must find in order to pass signals
 * on to it. */
int pithi_sample_signal_take(void (*handler)(int, siginfo_t *, void *));
/* Passes a signal that does not come from the recorder's timers to the C library's handler. */
void pithi_sample_signal_pass(int number, siginfo_t *info, void *context);
/* Returns 1 if the program has an alternate signal stack that is too small for its handlers and the recorder's, so its
 * handlers on alternate stacks block the recorder's signal. */
int pithi_sample_signal_masked(void);
void pithi_sample_signal_forked(void);

/* ---- sample_stack.c ---------------------------------------------------------------------------------------------- */

/* Stores the call stack of the interrupted code: the program counter, then return addresses, innermost first. Returns
 * their number, at most `most`; or 0 if this machine is not supported. If the stack is deeper, the last address is 0.
 * Follows unwind tables, and frame pointers where there are none. Safe in signal handlers; reads only memory that can
 * be read. */
unsigned pithi_sample_stack(const ucontext_t *context, uint64_t *addresses, unsigned most);

/* Stores the stack from here on: the program counter in this function, then return addresses. Returns their number. */
unsigned pithi_own_stack(uint64_t *addresses, unsigned most);

/* A loaded file of code. */
struct pithi_module {
    uint64_t begin, end; /* its addresses */
    uint64_t bias;       /* address - this = address in the file */
    const char *path;    /* "": the program */
    const unsigned char *build_id;
    uint32_t build_id_bytes; /* 0: it has none */
};
/* Finds the module that contains `address`. Returns 1, or 0 if there is none. Safe in signal handlers. */
int pithi_module_find(uint64_t address, struct pithi_module *module);

#endif
