/* session.h - the recording of this process as a whole: is it on, where does it go, who may change that.
 *
 * States:   NEW -> RECORDING <-> PAUSED -> OVER.   Set-up failures lead from NEW to OVER. PITH_TO leads from RECORDING
 * to PAST, in which nothing more is stored but the log is still to be written. A forked child begins as NEW. */
#ifndef PITHI_SESSION_H
#define PITHI_SESSION_H

#include <signal.h>
#include <stdint.h>

#include "settings.h"
#include "spill_file.h"

enum pithi_state { PITHI_NEW, PITHI_RECORDING, PITHI_PAUSED, PITHI_PAST, PITHI_OVER };

struct pithi_session {
    int state;     /* enum pithi_state; read atomically, changed under the guard */
    uint64_t lost; /* records not stored; atomic */
    struct pithi_settings settings;
    struct pithi_spill_file file;
    int64_t start_real_ns;
    uint64_t job;
    int rank, size;   /* in the job; size 0: not joined */
    int forked;       /* a child: its log is its own */
    int left_out;     /* by PITH_RANKS: of this process nothing is kept */
    int listed;       /* how many ranks of the job PITH_RANKS lets record, from pith_job_join on */
    int failed;       /* a failure was told already */
    unsigned number;  /* logs of this process before this one; atomic */
    int window_begun; /* PITH_FROM is over, in whatever way the job's start is agreed on later */
    char program[256];
    char log[PITHI_PATH_MAX];
    char written[PITHI_PATH_MAX + 64]; /* the log that was made, if this process named it */
    char folder[PITHI_PATH_MAX];
    char root_host[256]; /* of a job: rank 0's host and the name of its spill file; "": rank 0 does not record */
    char root_file[256];
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
/* Inside the guard: lets go of the lock for a while, so that other threads need not wait; signals go on waiting. The
 * end of recording waits for those who are there. */
void pithi_guard_yield(void);
void pithi_guard_back(void);
/* Waits until nobody has let go of the lock so. */
void pithi_guard_settle(void);

/* Under the guard. Starts recording if the state is NEW; afterwards the state is RECORDING or OVER. */
void pithi_session_start(void);
/* Under the guard: nothing is recorded from now on. */
void pithi_session_over(void);
/* Under the guard, when the log is written: the state is NEW again, for another log. */
void pithi_session_again(void);
/* Nothing is recorded from now on, and what was recorded goes (PITH_RANKS); but not the folder, in which others may be
 * about to make files. */
void pithi_session_drop(void);

/* Under the guard, in the state RECORDING. Is it the time before PITH_FROM? After PITH_TO, sets the state PAST. */
int pithi_session_before_window(void);
int pithi_session_past_window(void);
/* Under the guard: the window counts from `zero_ns` (CLOCK_MONOTONIC) on. */
void pithi_session_window(int64_t zero_ns);

/* The state of the recorder's own time, pith:flush. 0: not to be recorded. */
uint32_t pithi_own_state(void);
/* That, while the program runs: what it takes is an own cost of this thread. */
struct pithi_own_time {
    uint32_t state;
    int64_t begin_ns;
};
struct pithi_own_time pithi_own_time_begin(void);
void pithi_own_time_end(struct pithi_own_time own);

/* Whether this process's spill folder is rank 0's as well, as hosts may each have their own; also 1 where rank 0 has
 * none. */
int pithi_session_at_root(void);

/* Counts records that were not stored. */
void pithi_lost_add(uint64_t records);

/* The processes of a job share their environment and their log, and as a rule the trouble with them: 1 in the one that
 * tells it for all, rank 0 by what the launcher says. */
int pithi_speaks_for_job(void);
/* One line on stderr, "pith: ...", in one write. */
void pithi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
