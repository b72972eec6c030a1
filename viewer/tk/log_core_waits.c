/* log_core_waits.c - reads in a job when threads had no core, and tells how long. */
#include <stdlib.h>
#include <string.h>

#include "core/waiting.h"
#include "core/memory.h"
#include "tk/background.h"
#include "tk/log_object.h"

struct core_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_core_waits *waits; /* NULL once the log object has them */
    char *trouble;
};

static int core_run(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;
    struct pithi_watch watch = pithi_job_watch(base);
    int err = pithi_core_waits_read(job->log, &watch, job->waits);

    if (err != PITH_ERR_DAMAGED)
        return err;
    job->trouble = strdup(pithlog_error());
    return PITH_OK;
}

static Tcl_Obj *core_result(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;

    if (!base->object->core_waits) {
        base->object->core_waits = job->waits;
        job->waits = NULL;
    }
    return Tcl_NewStringObj(job->trouble ? job->trouble : "", -1);
}

static void core_release(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;

    if (job->waits)
        pithi_core_waits_free(job->waits);
    free(job->waits);
    free(job->trouble);
    free(job);
}

int pithi_log_core_waits(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {core_run, core_result, core_release};
    struct core_job *job;

    if (objc > 3) {
        Tcl_WrongNumArgs(interp, 2, objv, "?callback?");
        return TCL_ERROR;
    }
    if (objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(pithi_core_waits_possible(object->log)));
        return TCL_OK;
    }
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->waits = pithi_alloc(1, sizeof *job->waits);
    return pithi_job_start(interp, object, &job->job, &kind, objv[2]);
}

int pithi_log_show_core_waits(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    (void)objc;
    return Tcl_GetBooleanFromObj(interp, objv[2], &object->shows_core_waits);
}

const struct pithi_core_waits *pithi_log_core_waits_shown(const struct pithi_log_object *object)
{
    return object->shows_core_waits ? object->core_waits : NULL;
}

int pithi_log_core_wait_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t from, to;
    uint32_t lane;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        pithi_get_times(interp, objv + 4, &from, &to) != TCL_OK)
        return TCL_ERROR;
    if (object->core_waits)
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(pithi_core_waits_ns(object->core_waits, lane, from, to)));
    return TCL_OK;
}
