/* running.c - a log of a program that runs, read in a thread; see running.h. */
#include "tk/running.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "tk/background.h"
#include "tk/log_object.h"

struct snapshot {
    struct pithi_job job;
    Tcl_Interp *interp;
    char *folder, *name;
    struct pithlog *log; /* NULL: not read, or given away */
    struct pithlog_digest *digest;
    uint32_t running;
    int finished;
    int64_t now_ns;
};

/* The processes are looked at first: of those at their end, all is read after it. */
static int look(struct snapshot *snapshot)
{
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
    return err;
}

static int go_on(void *context, double part) { return !pithi_job_go_on(context, part); }

static int run(struct pithi_job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;
    int err = look(snapshot);

    if (!err)
        err = pithlog_open(snapshot->folder, &snapshot->log);
    if (!err)
        err = pithlog_digest_open(snapshot->log, go_on, job, &snapshot->digest);
    return err == PITH_ERR_DAMAGED && snapshot->digest ? PITH_OK : err;
}

static Tcl_Obj *result(struct pithi_job *job)
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

static void release(struct pithi_job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;

    pithlog_digest_close(snapshot->digest);
    pithlog_close(snapshot->log);
    free(snapshot->folder);
    free(snapshot->name);
    free(snapshot);
}

int pithi_snapshot_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    struct snapshot *snapshot;

    (void)data;
    if (objc != 3) {
        Tcl_WrongNumArgs(interp, 1, objv, "folder callback");
        return TCL_ERROR;
    }
    snapshot = pithi_alloc(1, sizeof *snapshot);
    snapshot->interp = interp;
    snapshot->folder = strdup(Tcl_GetString(objv[1]));
    return pithi_job_start(interp, NULL, &snapshot->job, &kind, objv[2]);
}
