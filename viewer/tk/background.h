/* background.h - long work on a log beside the window, a job: a thread does it, Tcl hears how far it is and what came
 * out, and may stop it.
 *
 *     struct lengths_job { struct pithi_job job; ... what it needs, copied: the log object may change meanwhile ... };
 *     static const struct pithi_job_kind lengths_kind = {run, result, release};
 *     pithi_job_start(interp, object, &lengths->job, &lengths_kind, callback)
 *
 * leaves the name of a command in the interpreter: `NAME stop` ends the work. The callback, a list of words, is called
 * in Tcl's thread with more words: `progress PART` (0 to 1, some times a second), and at the end one of `done RESULT`,
 * `failed TEXT`, `stopped`; after that the command is gone. When the log is closed, its jobs are stopped first, without
 * a word.
 */
#ifndef PITHI_BACKGROUND_H
#define PITHI_BACKGROUND_H

#include <stdatomic.h>

#include <tcl.h>

#include "core/watch.h"

struct pithi_job;
struct pithi_log_object;

struct pithi_job_kind {
    /* In the job's own thread: 0 or an enum pith_err with pithlog_error(). No Tcl. Looks at pithi_job_stopped() some
     * times a second at least. The log may be read by any number of threads, each with iterators of its own. */
    int (*run)(struct pithi_job *job);
    /* In Tcl's thread after a run that gave 0. */
    Tcl_Obj *(*result)(struct pithi_job *job);
    /* In Tcl's thread, at last: frees it. */
    void (*release)(struct pithi_job *job);
};

struct pithi_job_state;
struct pithi_job {
    struct pithi_log_object *object; /* whose log it reads; NULL: none that is open */
    struct pithi_job_state *state;   /* background.c's own */
    _Atomic(double) part;            /* done, 0 to 1 */
    atomic_int stopped;              /* 1: the result is not wanted any more */
};

/* A Tcl status; the job is released by background.c, also when it cannot start. */
int pithi_job_start(Tcl_Interp *interp, struct pithi_log_object *object, struct pithi_job *job,
                    const struct pithi_job_kind *kind, Tcl_Obj *callback);
/* Stops all jobs of a log and waits for them. */
void pithi_job_stop_all(struct pithi_log_object *object);

static inline void pithi_job_progress(struct pithi_job *job, double part) { atomic_store(&job->part, part); }
static inline int pithi_job_stopped(struct pithi_job *job) { return atomic_load(&job->stopped); }

/* The same for work in the core. */
static inline int pithi_job_go_on(void *job, double part)
{
    pithi_job_progress(job, part);
    return !pithi_job_stopped(job);
}
static inline struct pithi_watch pithi_job_watch(struct pithi_job *job)
{
    return (struct pithi_watch){pithi_job_go_on, job};
}

#endif
