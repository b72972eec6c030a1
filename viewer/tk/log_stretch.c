/* log_stretch.c - LOG stretch, LOG traffic: what happened in a stretch of time, by row; see statistics.h. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/stretch.h"
#include "tk/background.h"
#include "tk/statistics.h"

struct stretch_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_stretch_query query;
    struct pithi_row *rows; /* copies, with their lanes in `lanes` */
    uint32_t *lanes;
    struct pithi_stretch stretch;
    struct pithi_traffic traffic;
};

/* The rows may be others before the job is done. */
static void copy_rows(struct stretch_job *job, const struct pithi_row *rows, uint32_t count)
{
    uint32_t all = 0, next = 0, of_row;

    for (uint32_t row = 0; row < count; row++) {
        pithi_row_lanes(&rows[row], &of_row);
        all += of_row;
    }
    job->rows = pithi_alloc(count, sizeof *job->rows);
    job->lanes = pithi_alloc(all, sizeof *job->lanes);
    for (uint32_t row = 0; row < count; row++, next += of_row) {
        const uint32_t *lanes = pithi_row_lanes(&rows[row], &of_row);
        memcpy(job->lanes + next, lanes, of_row * sizeof *lanes);
        job->rows[row] = rows[row];
        job->rows[row].lanes = job->lanes + next;
        job->rows[row].lane_count = of_row;
    }
    job->query.rows = job->rows;
    job->query.row_count = count;
}

/* What a damaged log has is told: the time lines say what is wrong with it. */
static int told(int err) { return err == PITH_ERR_DAMAGED ? PITH_OK : err; }

static int stretch_run(struct pithi_job *data)
{
    struct stretch_job *job = (struct stretch_job *)data;
    int err;

    /* The window's summary is its own thread's. */
    if (pithlog_get_info(job->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(job->log, &job->query.summary);
    err = pithi_stretch_run(job->log, &job->query, &job->stretch);
    pithlog_summary_close(job->query.summary);
    return told(err);
}

static int traffic_run(struct pithi_job *data)
{
    struct stretch_job *job = (struct stretch_job *)data;
    return told(pithi_traffic_run(job->log, &job->query, &job->traffic));
}

static Tcl_Obj *wides(const int64_t *values, int count)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    for (int i = 0; i < count; i++)
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj((Tcl_WideInt)values[i]));
    return list;
}

static Tcl_Obj *sum_list(uint32_t id, const struct pithi_sum *sum)
{
    return wides((const int64_t[]){id, (int64_t)sum->count, sum->inclusive_ns, sum->exclusive_ns}, 4);
}

static Tcl_Obj *stretch_result(struct pithi_job *data)
{
    const struct stretch_job *job = (const struct stretch_job *)data;
    const struct pithi_stretch *stretch = &job->stretch;
    Tcl_Obj *result = Tcl_NewDictObj(), *all = Tcl_NewListObj(0, NULL), *rows = Tcl_NewDictObj();

    for (uint32_t id = 0; id < stretch->defs; id++)
        if (stretch->sums[id].count)
            Tcl_ListObjAppendElement(NULL, all, sum_list(id, &stretch->sums[id]));
    for (uint32_t i = 0; i < stretch->count;) {
        uint32_t row = stretch->entries[i].row;
        Tcl_Obj *of_row = Tcl_NewListObj(0, NULL);
        Tcl_ListObjAppendElement(NULL, of_row, Tcl_NewWideIntObj(job->rows[row].lane_count));
        for (; i < stretch->count && stretch->entries[i].row == row; i++)
            Tcl_ListObjAppendElement(NULL, of_row, sum_list(stretch->entries[i].id, &stretch->entries[i].sum));
        Tcl_DictObjPut(NULL, rows, Tcl_NewWideIntObj(row), of_row);
    }
    pithi_put_wide(result, "lanes", stretch->lanes);
    pithi_put(result, "all", all);
    pithi_put(result, "rows", rows);
    return result;
}

static Tcl_Obj *traffic_result(struct pithi_job *data)
{
    const struct pithi_traffic *traffic = &((struct stretch_job *)data)->traffic;
    Tcl_Obj *result = Tcl_NewDictObj();

    pithi_put_wide(result, "sent", (int64_t)traffic->sent);
    pithi_put_wide(result, "sent_bytes", (int64_t)traffic->sent_bytes);
    pithi_put_wide(result, "received", (int64_t)traffic->received);
    pithi_put_wide(result, "received_bytes", (int64_t)traffic->received_bytes);
    return result;
}

static void stretch_release(struct pithi_job *data)
{
    struct stretch_job *job = (struct stretch_job *)data;

    pithi_stretch_free(&job->stretch);
    free(job->rows);
    free(job->lanes);
    free(job);
}

static int start(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const objv[],
                 const struct pithi_job_kind *kind)
{
    struct stretch_job *job;
    int64_t t0, t1;

    if (pithi_get_window(interp, objv + 2, &t0, &t1) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->query.t0_ns = t0;
    job->query.t1_ns = t1;
    job->query.watch = pithi_job_watch(&job->job);
    job->query.digest = object->digest;
    copy_rows(job, object->rows, object->row_count);
    return pithi_job_start(interp, object, &job->job, kind, objv[4]);
}

int pithi_log_stretch(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {stretch_run, stretch_result, stretch_release};

    (void)objc;
    return start(object, interp, objv, &kind);
}

int pithi_log_traffic(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {traffic_run, traffic_result, stretch_release};

    (void)objc;
    return start(object, interp, objv, &kind);
}
