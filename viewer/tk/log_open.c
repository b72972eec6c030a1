/* log_open.c - opening a log: at once, or in a thread where it takes long (a foreign format, an index to be made). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "tk/background.h"
#include "tk/log_object.h"

struct open_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    char *path;
    struct pithlog *log;
};

static int tell_progress(void *job, double part) { return !pithi_job_go_on(job, part); }

static int run(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;
    return pithlog_open_watched(job->path, tell_progress, base, &job->log);
}

/* As the commands say it. */
static Tcl_Obj *opened(Tcl_Interp *interp, struct pithlog *log, const char *path)
{
    const struct pithlog_info *info = pithlog_get_info(log);

    if (!info->complete)
        fprintf(stderr, "pith: note: %s: incomplete: %s\n", path, info->incomplete);
    return pithi_log_command(interp, log, NULL, path);
}

static Tcl_Obj *result(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;
    struct pithlog *log = job->log;

    job->log = NULL;
    return opened(job->interp, log, job->path);
}

/* A log that nobody wants any more is still here. */
static void release(struct pithi_job *base)
{
    struct open_job *job = (struct open_job *)base;

    if (job->log)
        pithlog_close(job->log);
    free(job->path);
    free(job);
}

static const struct pithi_job_kind open_kind = {run, result, release};

static int open_at_once(Tcl_Interp *interp, const char *path)
{
    struct pithlog *log;

    if (pithlog_open(path, &log))
        return pithi_log_error(interp);
    Tcl_SetObjResult(interp, opened(interp, log, path));
    return TCL_OK;
}

int pithi_log_open_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct open_job *job;

    (void)data;
    if (objc != 2 && objc != 3) {
        Tcl_WrongNumArgs(interp, 1, objv, "file ?callback?");
        return TCL_ERROR;
    }
    if (objc == 2)
        return open_at_once(interp, Tcl_GetString(objv[1]));
    job = pithi_alloc(1, sizeof *job);
    job->interp = interp;
    job->path = strdup(Tcl_GetString(objv[1]));
    return pithi_job_start(interp, NULL, &job->job, &open_kind, objv[2]);
}
