/* log_message_filter.c - picks the messages that are drawn, in a job. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/messages.h"
#include "tk/background.h"
#include "tk/log_object.h"

struct pick_job {
    struct pithi_job job;
    struct pithlog *log;
    const struct pithlog_digest *digest;
    struct pithi_message_filter filter;
    struct pithlog_digest *picked; /* NULL once the log object has it */
};

/* Gives the log other messages to draw. */
static void set_picked(struct pithi_log_object *object, struct pithlog_digest *picked)
{
    pithlog_digest_close(object->picked);
    object->picked = picked;
    object->plot.picked = picked;
}

static int pick_run(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;
    struct pithi_watch watch = pithi_job_watch(job);

    return pithi_message_filter_run(pick->log, pick->digest, &pick->filter, &watch, &pick->picked);
}

static Tcl_Obj *pick_result(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;
    Tcl_Obj *count = Tcl_NewWideIntObj((Tcl_WideInt)pithlog_digest_get_info(pick->picked)->messages);

    set_picked(job->object, pick->picked);
    pick->picked = NULL;
    return count;
}

static void pick_release(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;

    pithlog_digest_close(pick->picked);
    pithi_message_filter_free(&pick->filter);
    free(pick);
}

static int parse(Tcl_Interp *interp, Tcl_Obj *list, struct pithi_message_filter *filter)
{
    const char **words;
    char why[512];
    int count, err;

    if (Tcl_SplitList(interp, Tcl_GetString(list), &count, &words) != TCL_OK)
        return TCL_ERROR;
    err = pithi_message_filter_parse(filter, words, count, why, sizeof why);
    Tcl_Free((char *)words);
    if (!err)
        return TCL_OK;
    pithi_message_filter_free(filter);
    return pithi_usage_error(interp, why);
}

int pithi_log_pick(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {pick_run, pick_result, pick_release};
    struct pithi_message_filter filter;
    struct pick_job *job;

    (void)objc;
    if (parse(interp, objv[2], &filter) != TCL_OK)
        return TCL_ERROR;
    if (!*Tcl_GetString(objv[3])) {
        pithi_message_filter_free(&filter);
        return TCL_OK;
    }
    if (!object->digest || pithi_message_filter_is_all(&filter)) {
        pithi_message_filter_free(&filter);
        set_picked(object, NULL);
        return TCL_OK;
    }
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->digest = object->digest;
    job->filter = filter;
    return pithi_job_start(interp, object, &job->job, &kind, objv[3]);
}
