/* log_open.c - opens a log, reads its digest, and reads what a running program has recorded so far. All this runs in
 * threads, because a foreign format, a missing index or a digest can take seconds.
 *
 * The job owns the opened log until its result is made; from then on the log's command owns it. So if a job is stopped
 * after its thread has opened the log, the job's `release` closes the log, which no other code has used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "tk/background.h"
#include "tk/log_object.h"
#include "tk/commands.h"

struct open_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    char *path;
    struct pithlog *log; /* opened by the job's thread; NULL once the result owns it */
};

static int open_run(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;
    return pithlog_open_watched(job->path, pithi_job_is_over, base, &job->log);
}

/* Makes the log's command. If the log is incomplete, prints a note, as the commands of pith do. */
static Tcl_Obj *opened(Tcl_Interp *interp, struct pithlog *log, const char *path)
{
    const struct pithlog_info *info = pithlog_get_info(log);

    if (!info->complete)
        fprintf(stderr, "pith: note: %s: incomplete: %s\n", path, info->incomplete);
    return pithi_log_command(interp, log, NULL, path);
}

static Tcl_Obj *open_result(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;
    struct pithlog *log = job->log;

    job->log = NULL;
    return opened(job->interp, log, job->path);
}

static void open_release(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;

    pithlog_close(job->log); /* not NULL if the job was stopped after it had opened the log */
    free(job->path);
    free(job);
}

int pithi_open_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {open_run, open_result, open_release};
    struct open_job *job;
    struct pithlog *log;

    if (objc == 2) {
        if (pithlog_open(Tcl_GetString(objv[1]), &log))
            return pithi_log_error(interp);
        Tcl_SetObjResult(interp, opened(interp, log, Tcl_GetString(objv[1])));
        return TCL_OK;
    }
    job = pithi_alloc(1, sizeof *job);
    job->interp = interp;
    job->path = strdup(Tcl_GetString(objv[1]));
    return pithi_job_start(interp, NULL, &job->job, &kind, objv[2]);
}

/* ---- The digest -------------------------------------------------------------------------------------------------- */

struct digest_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithlog_digest *digest; /* NULL once the log object has it */
    char *trouble;                 /* malloc'ed; NULL: none */
};

static int digest_run(struct pithi_job *job)
{
    struct digest_job *reading = (struct digest_job *)job;
    int err = pithlog_digest_open(reading->log, pithi_job_is_over, job, &reading->digest);

    if (err != PITH_ERR_DAMAGED)
        return err;
    reading->trouble = strdup(pithlog_error());
    return PITH_OK;
}

static Tcl_Obj *digest_result(struct pithi_job *job)
{
    struct digest_job *reading = (struct digest_job *)job;
    const struct pithlog_digest_info *info = pithlog_digest_get_info(reading->digest);
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put_wide(dict, "messages", (int64_t)info->messages);
    pithi_put_wide(dict, "counters", info->series);
    pithi_put_text(dict, "trouble", reading->trouble ? reading->trouble : "");
    if (!job->object->digest) {
        job->object->digest = reading->digest;
        reading->digest = NULL;
        pithi_log_add_counters(job->object);
    }
    return dict;
}

static void digest_release(struct pithi_job *job)
{
    struct digest_job *reading = (struct digest_job *)job;

    pithlog_digest_close(reading->digest);
    free(reading->trouble);
    free(reading);
}

int pithi_log_digest(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {digest_run, digest_result, digest_release};
    struct digest_job *reading = pithi_alloc(1, sizeof *reading);

    (void)objc;
    reading->log = object->log;
    return pithi_job_start(interp, object, &reading->job, &kind, objv[2]);
}

/* ---- A running program ------------------------------------------------------------------------------------------- */

struct snapshot {
    struct pithi_job job;
    Tcl_Interp *interp;
    char *folder, *name; /* malloc'ed */
    struct pithlog *log; /* NULL if it is not read yet, or the result owns it */
    struct pithlog_digest *digest;
    uint32_t running; /* number of processes that are still running */
    int finished;     /* 1: the program has ended */
    int64_t now_ns;
};

/* Reads the spill files of a program. Before it reads them, it finds out which processes have ended, so that the
 * records of a process that counts as ended are complete. */
static int snapshot_run(struct pithi_job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;
    struct pithlog_follow *follow;
    const struct pithlog_follow_info *info;
    int err = pithlog_follow_open(snapshot->folder, &follow);

    if (err)
        return err;
    err = pithlog_follow_look(follow);
    info = pithlog_follow_get_info(follow);
    snapshot->running = info->running;
    snapshot->finished = info->finished;
    snapshot->now_ns = info->now_ns;
    snapshot->name = strdup(info->log);
    pithlog_follow_close(follow);
    if (!err)
        err = pithlog_open(snapshot->folder, &snapshot->log);
    if (!err)
        err = pithlog_digest_open(snapshot->log, pithi_job_is_over, job, &snapshot->digest);
    return err == PITH_ERR_DAMAGED && snapshot->digest ? PITH_OK : err;
}

static Tcl_Obj *snapshot_result(struct pithi_job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put(dict, "log", pithi_log_command(snapshot->interp, snapshot->log, snapshot->digest, snapshot->folder));
    snapshot->log = NULL;
    snapshot->digest = NULL;
    pithi_put_wide(dict, "running", snapshot->running);
    pithi_put_wide(dict, "finished", snapshot->finished);
    pithi_put_wide(dict, "now", snapshot->now_ns);
    pithi_put_text(dict, "name", snapshot->name ? snapshot->name : "");
    return dict;
}

static void snapshot_release(struct pithi_job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;

    pithlog_digest_close(snapshot->digest);
    pithlog_close(snapshot->log);
    free(snapshot->folder);
    free(snapshot->name);
    free(snapshot);
}

int pithi_snapshot_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {snapshot_run, snapshot_result, snapshot_release};
    struct snapshot *snapshot;

    (void)objc;
    snapshot = pithi_alloc(1, sizeof *snapshot);
    snapshot->interp = interp;
    snapshot->folder = strdup(Tcl_GetString(objv[1]));
    return pithi_job_start(interp, NULL, &snapshot->job, &kind, objv[2]);
}
