/* session.c - start, pause, fork and end of the recording of this process.
 *
 * The state goes new -> recording <-> paused -> over, and from over to new for a further log of the process. A thread
 * that changes the state or the file holds the guard: a mutex, with all signals blocked. If signals were not blocked, a
 * handler that records on the thread that has the lock would wait for its own thread for ever. Signals that cannot wait
 * (SIGSEGV ...) are not blocked. In a handler of theirs that interrupts code under the guard, pithi_guard_enter returns
 * 0, and a record counts as lost.
 *
 * Storing a record needs no guard. A thread stores only into its own chunk. The thread learns of the state by the limit
 * of its buffer, which is 0 unless the state is recording (buffer.c). */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/launcher.h"
#include "base/say.h"
#include "buffer.h"
#include "calibrate.h"
#include "clock.h"
#include "counters.h"
#include "definitions.h"
#include "listener.h"
#include "merge.h"
#include "native/own_cost.h"
#include "output.h"
#include "pith.h"
#include "pith_tool.h"
#include "process.h"
#include "sample.h"
#include "selection.h"

struct pithi_session pithi_session;

/* ---- The guard --------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int holds_lock __attribute__((tls_model("initial-exec")));

/* Returns 0 if this thread holds the guard already: then this is a signal handler that interrupted code under the
 * guard, and it may change nothing. */
int pithi_guard_enter(struct pithi_guard *guard)
{
    sigset_t all;
    guard->saved_errno = errno;
    if (holds_lock)
        return 0;
    /* A thread that is cancelled while it has the lock would keep it for ever. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* a blocked fault ends the program */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_BLOCK, &all, &guard->signals);
    holds_lock = 1; /* before locking, so that a handler in between does not wait for the lock */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pthread_mutex_lock(&lock);
    return 1;
}

void pithi_guard_leave(const struct pithi_guard *guard)
{
    /* In the reverse order: as long as holds_lock is 1, a handler does not try to take the lock. */
    pthread_mutex_unlock(&lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    holds_lock = 0;
    pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
    pthread_setcancelstate(guard->cancel_state, NULL);
    errno = guard->saved_errno;
}

int pithi_guard_held(void) { return holds_lock; }

static int yielding; /* threads between yield and back; atomic */

/* Lets other threads have the lock while this thread does long work that needs none. Signals stay blocked. */
void pithi_guard_yield(void)
{
    __atomic_add_fetch(&yielding, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
}

void pithi_guard_back(void)
{
    pthread_mutex_lock(&lock);
    __atomic_sub_fetch(&yielding, 1, __ATOMIC_SEQ_CST);
}

/* Waits until all threads that yielded have come back, before what they use is freed. */
void pithi_guard_settle(void)
{
    static const struct timespec moment = {0, 20000};
    while (__atomic_load_n(&yielding, __ATOMIC_SEQ_CST) > 0)
        nanosleep(&moment, NULL);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Returns 1 in rank 0, because only rank 0 prints its failures. The line about the log has the number of other ranks
 * that were not recorded. */
int pithi_speaks_for_job(void) { return pithi_launcher_rank(0) == 0; }

/* Counts lost records in the process, and in its spill file for `pith recover`. */
void pithi_lost_add(uint64_t records)
{
    struct pithi_spill_page *page = pithi_session.file.page;
    __atomic_add_fetch(&pithi_session.lost, records, __ATOMIC_RELAXED);
    if (page != NULL)
        __atomic_add_fetch(&page->lost, records, __ATOMIC_RELAXED);
}

uint64_t pith_lost(void) { return __atomic_load_n(&pithi_session.lost, __ATOMIC_RELAXED); }

int pithi_session_at_root(void)
{
    char path[sizeof pithi_session.folder + sizeof pithi_session.root_file];
    snprintf(path, sizeof path, "%s/%s", pithi_session.folder, pithi_session.root_file);
    return pithi_session.root_file[0] == '\0' || access(path, F_OK) == 0;
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

/* The lock is held during the fork, so that the child gets a consistent copy of the data that it protects. A fork in a
 * signal handler that interrupted code under the guard does not take the lock. */
static __thread struct pithi_guard fork_guard;
static __thread int fork_guarded; /* 1: this thread took the guard before fork */
/* 1: recording has started, so a forked child must leave the log of its parent; under the guard */
static int has_started;

/* fork calls these three functions in the thread that forks (pthread_atfork) */
static void fork_prepare(void) { fork_guarded = pithi_guard_enter(&fork_guard); }

static void fork_parent(void)
{
    if (fork_guarded)
        pithi_guard_leave(&fork_guard);
}

static void fork_child(void)
{
    /* Nothing was recorded before the fork, so the child begins like any process. */
    if (!has_started) {
        fork_parent();
        return;
    }
    /* The child has one thread, and must not touch the parent's files: it forgets them and begins a log of its own. */
    /* A pause stays a pause, and an ended recording stays ended. */
    pithi_buffer_forked();
    pithi_defs_forked();
    pithi_listener_forked();
    pithi_sample_forked();
    pithi_spill_file_let_go(&pithi_session.file);
    memset(&pithi_session.file, 0, sizeof pithi_session.file);
    pithi_session.lost = 0;
    pithi_session.size = 0;
    pithi_session.root_file[0] = '\0';
    pithi_session.forked = 1;
    pithi_session.window_begun = 0;
    yielding = 0;
    /* a paused session stays paused in the child */
    if (pithi_session.state == PITHI_RECORDING || pithi_session.state == PITHI_PAST)
        pithi_session.state = PITHI_NEW;
    if (fork_guarded)
        pithi_guard_leave(&fork_guard);
}

/* ---- Start ------------------------------------------------------------------------------------------------------- */

/* Called when the library is loaded, because pthread_atfork may use malloc. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(fork_prepare, fork_parent, fork_child); }

/* Makes the spill file. On a full disk a folder can often be made, but no file in it; then the folder in TMPDIR is
 * tried. */
static int create_file(struct pithi_session *s)
{
    int tries, saved;
    for (tries = 1; pithi_spill_file_create(&s->file, s->folder, s->settings.max_bytes) != 0; tries--) {
        saved = errno;
        /* a folder that was made in vain is removed again */
        rmdir(s->folder); /* works if it is empty, that is, if no other process uses it */
        errno = saved;
        if (tries == 0 || (saved != ENOSPC && saved != EDQUOT) || s->settings.spill != NULL ||
            !pithi_place_temporary(s->folder, sizeof s->folder, s->log))
            return -1;
    }
    return 0;
}

/* Makes the folder and the file of this process. Returns NULL, or what is wrong. */
static const char *set_up(enum pithi_spill_clock clock)
{
    struct pithi_session *s = &pithi_session;
    static char text[PITHI_PATH_MAX + 64];
    const char *wrong;
    struct pithi_spill_page *page;

    pithi_place_program(s->program, sizeof s->program);
    /* a child's log has its number in the name, so that it does not replace its parent's */
    wrong = pithi_place_log(s->log, sizeof s->log, &s->settings, s->program, s->forked ? (unsigned)getpid() : 0);
    if (wrong == NULL && (!s->forked || s->folder[0] == '\0')) /* a child uses the folder of its parent */
        wrong = pithi_place_folder(s->folder, sizeof s->folder, &s->settings, s->log);
    if (wrong != NULL)
        return wrong;
    if (create_file(s) != 0) {
        snprintf(text, sizeof text, "cannot make a file in %.1000s: %s", s->folder, strerror(errno));
        return text;
    }
    page = s->file.page;
    s->start_real_ns = page->first.real_ns;
    /* A unique number. If this process becomes rank 0, it is the number of the job. */
    uint64_t number = pithi_hash_number(0, (uint64_t)pithi_clock_ns(CLOCK_REALTIME));
    number ^= (uint64_t)getpid() << 40 ^ pithi_ticks();
    /* Sets a bit, because 0 would mean "no job". */
    s->job = number | 1;
    page->clock = (uint32_t)clock;
    page->job = s->job;
    page->first_posted = s->number > 0 ? pithi_recv_posted() : 0;
    memcpy(page->program, s->program, sizeof s->program);
    memcpy(page->log, s->log, sizeof s->log);
    pithi_session_window(page->first.mono_ns);
    /* The magic is stored last, so a page with it is complete. */
    __atomic_store_n(&page->magic, PITHI_SPILL_MAGIC, __ATOMIC_RELEASE);
    /* Until here the file has no name, so readers see a whole page or none. */
    if (pithi_spill_file_appear(&s->file) == 0) {
        /* `pith run` leaves a note (wrappers/run/preload/note.c), "-PID ...", in the environment. A plus sign in it
         * shows the next program, if this one calls exec, that records exist. It is changed in place, because setenv
         * would allocate memory. */
        char *note = secure_getenv("_PITH_RUN");
        if (note != NULL && *note == '-' && strtol(note + 1, NULL, 10) == (long)getpid())
            *note = '+';
        return NULL;
    }
    snprintf(text, sizeof text, "cannot make a file in %.1000s: %s", s->folder, strerror(errno));
    return text;
}

/* ---- The time window --------------------------------------------------------------------------------------------- */

/* Returns the sum, or INT64_MAX if it would overflow. */
static int64_t later(int64_t zero_ns, int64_t more_ns)
{
    return more_ns < INT64_MAX - zero_ns ? zero_ns + more_ns : INT64_MAX;
}

void pithi_session_window(int64_t zero_ns)
{
    const struct pithi_settings *settings = &pithi_session.settings;
    struct pithi_spill_page *page = pithi_session.file.page;
    if (page == NULL || (settings->from_ns == 0 && settings->to_ns == INT64_MAX))
        return;
    page->zero_ns = zero_ns;
    page->from_ns = settings->from_ns > 0 ? later(page->zero_ns, settings->from_ns) : INT64_MIN;
    page->to_ns = later(page->zero_ns, settings->to_ns);
}

/* Returns 1 if PITH_FROM has not come yet, so that records need not be kept. Once it has passed, the clock is not read
 * again. */
int pithi_session_before_window(void)
{
    const struct pithi_spill_page *page = pithi_session.file.page;
    if (!pithi_session.window_begun && (page->zero_ns == 0 || pithi_clock_ns(CLOCK_MONOTONIC) >= page->from_ns))
        pithi_session.window_begun = 1;
    return !pithi_session.window_begun;
}

/* Returns 1 if PITH_TO has passed. Recording then ends for good, in all threads. */
int pithi_session_past_window(void)
{
    const struct pithi_spill_page *page = pithi_session.file.page;
    if (page->zero_ns == 0 || pithi_clock_ns(CLOCK_MONOTONIC) <= page->to_ns)
        return 0;
    __atomic_store_n(&pithi_session.state, PITHI_PAST, __ATOMIC_SEQ_CST);
    pithi_buffer_stop_all();
    return 1;
}

/* Under the guard: begins recording, unless it has begun or ended already. Errors turn recording off, with one line;
 * the program goes on. */
void pithi_session_start(void)
{
    const char *wrong;

    if (pithi_session.state != PITHI_NEW)
        return;
    pithi_settings_read(&pithi_session.settings);
    /* If the user wants only an analysis and no log, a forked child records nothing, because its log is not analysed
     * and would be kept. */
    if (pithi_session.forked && pithi_session.settings.only_answer) {
        pithi_session_over();
        return;
    }
    /* A process without a job counts as rank 0; a forked child keeps the rank of its parent. */
    pithi_session.left_out = !pithi_ranks_has(pithi_session.settings.ranks, pithi_session.rank);
    pithi_session.listed = !pithi_session.left_out;
    enum pithi_spill_clock clock = pithi_clock_choose();
    pithi_clock_begin();
    /* A program with other rights than its user's could be made to write a file that the user must not write. */
    if (pithi_session.settings.secure) {
        pithi_place_program(pithi_session.program, sizeof pithi_session.program);
        pithi_say("%s: nothing is recorded: it runs with other rights than its user's (set-user-ID, set-group-ID or "
                  "capabilities)",
                  pithi_session.program);
        pithi_session_over();
        return;
    }
    wrong = set_up(clock);
    if (wrong != NULL) {
        if (pithi_speaks_for_job())
            pithi_say("%s: %s (recording is off)", pithi_session.log[0] != '\0' ? pithi_session.log : "log", wrong);
        pithi_session.failed = 1;
        pithi_session_over();
        return;
    }
    /* From here on a forked child has to begin a log of its own. */
    has_started = 1;
    pithi_output_expect();
    pithi_output_watched();
    pithi_defs_write_all();
    pithi_listener_start();
    /* The definitions are in the file before the state allows the first record. */
    __atomic_store_n(&pithi_session.state, PITHI_RECORDING, __ATOMIC_SEQ_CST);
    pithi_counters_start();
    pithi_sample_start();
}

void pith_start(void)
{
    struct pithi_guard guard;
    if (!pithi_guard_enter(&guard))
        return;
    pithi_session_start();
    pithi_guard_leave(&guard);
}

/* Under the guard: no record is stored after this. */
void pithi_session_over(void)
{
    int recorded = pithi_session.state == PITHI_RECORDING;
    __atomic_store_n(&pithi_session.state, PITHI_OVER, __ATOMIC_SEQ_CST);
    pithi_buffer_stop_all();
    if (recorded)
        pithi_buffer_end_late();
}

/* Makes the process ready for another log, after one was written. */
void pithi_session_again(void)
{
    struct pithi_session *s = &pithi_session;
    if (s->state != PITHI_OVER || s->start_real_ns == 0)
        return;
    pithi_spill_file_let_go(&s->file);
    memset(&s->file, 0, sizeof s->file);
    s->lost = 0;
    s->size = 0;
    s->failed = 0;
    s->window_begun = 0;
    s->folder[0] = '\0';
    s->root_file[0] = '\0';
    pithi_defs_forked();
    pithi_buffer_again();
    __atomic_add_fetch(&s->number, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&s->state, PITHI_NEW, __ATOMIC_SEQ_CST);
}

/* Gives up the recording and removes its file: there will be no log of it. */
void pithi_session_drop(void)
{
    int there = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    pithi_session_over();
    if (there)
        pithi_spill_file_remove(&pithi_session.file);
}

/* ---- Control ----------------------------------------------------------------------------------------------------- */

void pith_pause(void)
{
    struct pithi_guard guard;
    /* The record comes first, because none can be stored after the change of state. */
    if (pithi_state() == PITHI_RECORDING)
        pithi_record(PITHI_W_PAUSE, 0, NULL, 0);
    if (!pithi_guard_enter(&guard))
        return;
    /* A pause before the start is allowed: recording then begins paused. */
    if (pithi_session.state == PITHI_RECORDING || pithi_session.state == PITHI_NEW) {
        __atomic_store_n(&pithi_session.state, PITHI_PAUSED, __ATOMIC_SEQ_CST);
        pithi_buffer_stop_all();
    }
    pithi_guard_leave(&guard);
}

void pith_resume(void)
{
    struct pithi_guard guard;
    int resumed = 0;
    if (!pithi_guard_enter(&guard))
        return;
    /* A process that was paused before its start has no file yet, so it starts with its next record. */
    if (pithi_session.state == PITHI_PAUSED) {
        int state = pithi_session.file.page != NULL ? PITHI_RECORDING : PITHI_NEW;
        __atomic_store_n(&pithi_session.state, state, __ATOMIC_SEQ_CST);
        resumed = state == PITHI_RECORDING;
    }
    pithi_guard_leave(&guard);
    if (resumed)
        pithi_record(PITHI_W_RESUME, 0, NULL, 0);
}

void pith_flush(void)
{
    struct pithi_spill_file file;
    struct pithi_guard guard;
    if (!pithi_guard_enter(&guard))
        return;
    /* Takes a copy, so that the lock is free while the data goes to the disk. */
    file = pithi_session.file;
    pithi_guard_leave(&guard);
    if (file.page != NULL) {
        int saved = errno;
        struct pithi_own_time own = pithi_own_time_begin();
        pithi_spill_file_sync(&file); /* can take long, so without the lock */
        pithi_own_time_end(own);
        errno = saved;
    }
}

/* Returns the state that shows the recorder's own time in the log. While nothing is recorded, returns 0, an id that
 * records nothing. */
uint32_t pithi_own_state(void)
{
    return pithi_state() == PITHI_RECORDING ? pith_state_define_group(PITHI_OWN_STATE, "gray50", "pith") : 0;
}

struct pithi_own_time pithi_own_time_begin(void)
{
    struct pithi_own_time own = {pithi_own_state(), pithi_clock_ns(CLOCK_MONOTONIC)};
    pith_begin(own.state);
    return own;
}

void pithi_own_time_end(struct pithi_own_time own)
{
    pith_end(own.state);
    pithi_own_sum_add((uint64_t)(pithi_clock_ns(CLOCK_MONOTONIC) - own.begin_ns));
}

/* ---- End --------------------------------------------------------------------------------------------------------- */

/* Writes the log of a process without MPI. With MPI, the wrapper of MPI_Finalize writes the log. */
void pith_finish(void)
{
    if (pithi_session.size == 0)
        pithi_merge_alone();
}

/* Runs after every atexit handler of the program. */
__attribute__((destructor)) static void at_exit(void)
{
    if (pithi_session.size == 0)
        pithi_merge_alone();
    else
        pithi_merge_missed();
    pithi_output_analyze(NULL); /* does nothing if MPI_Finalize has done it */
}
