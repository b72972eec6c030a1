/* background.h - jobs. A job is long work on a log, done in a thread of its own, so that the window stays responsive.
 * Scripts get its progress and its result, and can stop it.
 *
 *     struct lengths_job { struct pithi_job job; ... copies of its input, because the log object may change ... };
 *     static const struct pithi_job_kind lengths_kind = {run, result, release};
 *     pithi_job_start(interp, object, &lengths->job, &lengths_kind, callback)
 *
 * pithi_job_start makes a Tcl command for the job and sets the interpreter's result to its name. The command `NAME
 * stop` ends the work. Tcl's thread calls the callback, a list of words, with further words: `progress PART` (0 to 1, a
 * few times a second), and at the end `done RESULT`, `failed TEXT` or `stopped`. At the end the command is deleted.
 * Closing a log stops the jobs of the log first, without a callback. */
#ifndef PITHI_BACKGROUND_H
#define PITHI_BACKGROUND_H

#include <stdatomic.h>

#include <tcl.h>

#include "core/cells/query.h"

struct pithi_job;
struct pithi_log_object;

struct pithi_job_kind {
    /* Runs in the job's own thread, without Tcl. Returns 0, or an enum pith_err with pithlog_error(). Checks
     * pithi_job_stopped() at least a few times a second. Any number of threads may read a log, each with its own
     * iterators. */
    int (*run)(struct pithi_job *job);
    /* Called in Tcl's thread after a run that returned 0. */
    Tcl_Obj *(*result)(struct pithi_job *job);
    /* Called in Tcl's thread after everything else; frees the job. */
    void (*release)(struct pithi_job *job);
};

struct pithi_job_state;
struct pithi_job {
    struct pithi_log_object *object; /* the log that it reads; NULL: none */
    struct pithi_job_state *state;   /* used only by background.c */
    _Atomic(double) part;            /* the fraction of the work that is done, 0 to 1 */
    atomic_int stopped;              /* 1: the result is not needed any more */
};

/* Starts a job and returns a Tcl status. `release` is called for the job in any case, even if it could not be started.
 */
int pithi_job_start(Tcl_Interp *interp, struct pithi_log_object *object, struct pithi_job *job,
                    const struct pithi_job_kind *kind, Tcl_Obj *callback);
/* Stops all jobs of a log and waits for them. */
void pithi_job_stop_all(struct pithi_log_object *object);

static inline void pithi_job_progress(struct pithi_job *job, double part) { atomic_store(&job->part, part); }
static inline int pithi_job_stopped(struct pithi_job *job) { return atomic_load(&job->stopped); }

/* The callback of a watch (core/cells/query.h), by which work in the core reports progress. Returns 0 if the job was
 * stopped; then the core stops. */
static inline int pithi_job_go_on(void *job, double part)
{
    pithi_job_progress(job, part);
    return !pithi_job_stopped(job);
}
/* The progress callback of the reader's functions, which stop if it does not return 0. */
static inline int pithi_job_is_over(void *job, double part) { return !pithi_job_go_on(job, part); }
static inline struct pithi_watch pithi_job_watch(struct pithi_job *job)
{
    return (struct pithi_watch){pithi_job_go_on, job};
}

#endif
