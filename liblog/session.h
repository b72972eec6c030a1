/* session.h - the recording of this process as a whole: is it on, where does it go, who may change that.
 *
 * States:   NEW -> RECORDING <-> PAUSED -> OVER.   Set-up failures lead from NEW to OVER. A forked child begins as
 * NEW. */
#ifndef PITHI_SESSION_H
#define PITHI_SESSION_H

#include <signal.h>
#include <stdint.h>

#include "settings.h"
#include "spill_file.h"

enum pithi_state { PITHI_NEW, PITHI_RECORDING, PITHI_PAUSED, PITHI_OVER };

struct pithi_session {
    int state;     /* enum pithi_state; read atomically, changed under the guard */
    uint64_t lost; /* records not stored; atomic */
    struct pithi_settings settings;
    struct pithi_spill_file file;
    int64_t start_real_ns;
    uint64_t job;
    int rank, size; /* in the job; size 0: not joined */
    int forked;     /* a child: its log is its own */
    int failed;     /* a failure was told already */
    char program[256];
    char log[PITHI_PATH_MAX];
    char folder[PITHI_PATH_MAX];
};
extern struct pithi_session pithi_session;

static inline int pithi_state(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_SEQ_CST); }

/* The guard: one lock for all that is not the recording of a record. Signals wait while it is held, so that their
 * handlers find room for what they record; so does cancellation; errno is kept. Entering fails (0) when this very
 * thread holds it, that is, in the handler of a fault; whoever fails gives up what it wanted. */
struct pithi_guard {
    int saved_errno, cancel_state;
    sigset_t signals;
};
int pithi_guard_enter(struct pithi_guard *guard);
void pithi_guard_leave(const struct pithi_guard *guard);

/* Under the guard. Starts recording if the state is NEW; afterwards the state is RECORDING or OVER. */
void pithi_session_start(void);
/* Under the guard: nothing is recorded from now on. */
void pithi_session_over(void);

/* Counts records that were not stored. */
void pithi_lost_add(uint64_t records);

/* One line on stderr, "pith: ...", in one write. */
void pithi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
