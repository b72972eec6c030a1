/* log_digest.c - reading messages and counters of a log beside the window. The result is a dict: messages, counters
 * (how many there are), trouble (what could not be read, "" if all could). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "tk/background.h"
#include "tk/log_rows.h"

struct digest_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithlog_digest *digest; /* NULL once the log object has it */
    char *trouble;
};

static int tell_progress(void *context, double part) { return !pithi_job_go_on(context, part); }

static int digest_run(struct pithi_job *job)
{
    struct digest_job *reading = (struct digest_job *)job;
    int err = pithlog_digest_open(reading->log, tell_progress, job, &reading->digest);

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
