/* session.h - the recording of this process as a whole: its state, its files, and the lock that protects them.
 *
 * States:   NEW -> RECORDING <-> PAUSED -> OVER.   A failure to start leads from NEW to OVER. PITH_TO leads from
 * RECORDING to PAST: nothing more is stored, but the log must still be written. A forked child begins as NEW. */
#ifndef PITHI_SESSION_H
#define PITHI_SESSION_H

#include <signal.h>
#include <stdint.h>

#include "settings.h"
#include "spill_file.h"

enum pithi_state { PITHI_NEW, PITHI_RECORDING, PITHI_PAUSED, PITHI_PAST, PITHI_OVER };

struct pithi_session {
    int state;                      /* enum pithi_state; read atomically, changed under the guard */
    uint64_t lost;                  /* records not stored; atomic */
    struct pithi_settings settings; /* read once, from the environment */
    struct pithi_spill_file file;   /* where records go */
    int64_t start_real_ns;          /* the system's clock when recording began */
    uint64_t job;                   /* key of the job; 0: not joined */
    int rank, size;                 /* rank in the job, and number of its ranks; size 0: not joined */
    int forked;                     /* a forked child, which has a log of its own */
    int left_out;                   /* PITH_RANKS excludes this process: its records are dropped */
    int listed;                     /* number of ranks of the job in PITH_RANKS; known from pith_job_join on */
    int failed;                     /* a failure was reported already */
    unsigned number;                /* number of logs that this process wrote before this one; atomic */
    int window_begun;               /* PITH_FROM has passed; stays 1 even if the job agrees on a later start */
    char program[256];
    char log[PITHI_PATH_MAX];
    char written[PITHI_PATH_MAX + 64]; /* the last log, if this process gave it its name */
    char folder[PITHI_PATH_MAX];
    char root_host[256]; /* in a job: rank 0's host and the name of its spill file; "": rank 0 does not record */
    char root_file[256];
};
extern struct pithi_session pithi_session; /* of the process */

static inline int pithi_state(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_SEQ_CST); }

/* The guard: one lock for everything except storing records. While a thread holds it, its signals and its cancellation
 * are blocked, so that no handler records into a half-changed buffer. The guard preserves errno. Entering fails (0) if
 * this thread holds the lock already; that happens in the handler of a fault (SIGSEGV ...), and the caller then gives
 * up. */
struct pithi_guard {
    int saved_errno, cancel_state; /* restored by pithi_guard_leave */
    sigset_t signals;
};
int pithi_guard_enter(struct pithi_guard *guard);
void pithi_guard_leave(const struct pithi_guard *guard);
/* Returns 1 if this thread holds the lock. For the handler of samples, whose signal is not blocked. */
int pithi_guard_held(void);
/* With the guard held: pithi_guard_yield releases the lock and pithi_guard_back takes it again, so that other threads
 * need not wait during long work; signals stay blocked. pithi_guard_settle waits until no thread is between yield and
 * back; the end of recording calls it. */
void pithi_guard_yield(void);
void pithi_guard_back(void);
void pithi_guard_settle(void);

/* Under the guard. Starts recording if the state is NEW; afterwards the state is RECORDING or OVER. */
void pithi_session_start(void);
/* Under the guard: nothing is recorded from now on. */
void pithi_session_over(void);
/* Under the guard, after the log is written: the state becomes NEW, for another log. */
void pithi_session_again(void);
/* Ends recording and removes the records of a process that PITH_RANKS excludes. The folder stays, because other
 * processes may need it. */
void pithi_session_drop(void);

/* Under the guard, in the state RECORDING. pithi_session_before_window returns 1 if PITH_FROM has not come yet.
 * pithi_session_past_window returns 1 if PITH_TO has passed, and sets the state PAST then. */
int pithi_session_before_window(void);
int pithi_session_past_window(void);
/* Under the guard: PITH_FROM and PITH_TO count from `zero_ns` (CLOCK_MONOTONIC). */
void pithi_session_window(int64_t zero_ns);

/* Returns the id of the state pith:flush, the recorder's own time; 0 if it is not recorded. */
uint32_t pithi_own_state(void);
/* Records the state pith:flush around work that the program waits for; its duration is an own cost of this thread. */
struct pithi_own_time {
    uint32_t state;   /* 0: not recording */
    int64_t begin_ns; /* CLOCK_MONOTONIC */
};
struct pithi_own_time pithi_own_time_begin(void);
void pithi_own_time_end(struct pithi_own_time own);

/* Returns 1 if this process and rank 0 have the same spill folder, or if rank 0 has none. Each host may have a folder
 * of its own. */
int pithi_session_at_root(void);

/* Counts records as lost. */
void pithi_lost_add(uint64_t records);

/* Returns 1 in the process that reports set-up problems for the job: rank 0, by the launcher's variables. All processes
 * of a job share environment and log, so they usually have the same problems. */
int pithi_speaks_for_job(void);

#endif
