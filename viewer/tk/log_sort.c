/* log_sort.c - LOG sort BY FALLING T0 T1 IDS CALLBACK: rows in the order of what they do in [T0, T1), a job (see
 * background.h). BY: name, rank; inclusive, exclusive, share, count of the definitions IDS; messages, bytes. `share` is
 * that of a row's own time, so that a group with few lanes may come before one with many. */
#include <stdlib.h>
#include <string.h>

#include "core/lane_stat.h"
#include "core/memory.h"
#include "core/rows.h"
#include "tk/background.h"
#include "tk/log_rows.h"

static const struct sort_word {
    const char *name;
    enum pithi_rows_order order;
    enum pithi_stat stat;
} sort_words[] = {
    {"bytes", PITHI_ORDER_VALUE, PITHI_STAT_BYTES},
    {"count", PITHI_ORDER_VALUE, PITHI_STAT_COUNT},
    {"exclusive", PITHI_ORDER_VALUE, PITHI_STAT_EXCLUSIVE},
    {"inclusive", PITHI_ORDER_VALUE, PITHI_STAT_INCLUSIVE},
    {"messages", PITHI_ORDER_VALUE, PITHI_STAT_MESSAGES},
    {"name", PITHI_ORDER_NAME, 0},
    {"rank", PITHI_ORDER_RANK, 0},
    {"share", PITHI_ORDER_MEAN, PITHI_STAT_EXCLUSIVE},
    {NULL, 0, 0},
};

struct sort_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_lane_question question;
    unsigned char *chosen;
    enum pithi_rows_order order;
    int falling;
    double *value;
    uint32_t lanes;
};

/* Damage is passed over: the picture tells of it. */
static int run(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;
    int err = PITH_OK;

    if (sort->order != PITHI_ORDER_VALUE && sort->order != PITHI_ORDER_MEAN)
        return PITH_OK;
    if (pithlog_get_info(sort->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(sort->log, &sort->question.summary); /* its own: they are for one thread */
    for (uint32_t lane = 0; lane < sort->lanes && !err && !pithi_job_stopped(job); lane++) {
        err = pithi_lane_stat(sort->log, &sort->question, lane, &sort->value[lane]);
        if (err == PITH_ERR_DAMAGED)
            err = PITH_OK;
        pithi_job_progress(job, (double)(lane + 1) / sort->lanes);
    }
    pithlog_summary_close(sort->question.summary);
    return err;
}

static Tcl_Obj *result(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;

    pithi_rows_sort(job->object->tree, sort->order, sort->value, sort->falling);
    pithi_log_rows_changed(job->object);
    return Tcl_NewObj();
}

static void release(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;

    free(sort->chosen);
    free(sort->value);
    free(sort);
}

static int choose(Tcl_Interp *interp, Tcl_Obj *ids, unsigned char *chosen, uint32_t defs)
{
    Tcl_Obj **items;
    int count, id;

    if (Tcl_ListObjGetElements(interp, ids, &count, &items) != TCL_OK)
        return TCL_ERROR;
    for (int i = 0; i < count; i++) {
        if (Tcl_GetIntFromObj(interp, items[i], &id) != TCL_OK)
            return TCL_ERROR;
        if (id >= 0 && (uint32_t)id < defs)
            chosen[id] = 1;
    }
    return TCL_OK;
}

int pithi_log_sort(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    const struct pithlog_info *info = pithlog_get_info(object->log);
    struct sort_job *sort = pithi_alloc(1, sizeof *sort);
    int which;

    (void)objc;
    sort->log = object->log;
    sort->lanes = info->lanes;
    sort->value = pithi_alloc(sort->lanes, sizeof *sort->value);
    sort->question.chosen = sort->chosen = pithi_alloc(info->defs, 1);
    if (Tcl_GetIndexFromObjStruct(interp, objv[2], sort_words, sizeof *sort_words, "order", 0, &which) != TCL_OK ||
        Tcl_GetBooleanFromObj(interp, objv[3], &sort->falling) != TCL_OK ||
        pithi_get_window(interp, objv + 4, &sort->question.t0_ns, &sort->question.t1_ns) != TCL_OK ||
        choose(interp, objv[6], sort->chosen, info->defs) != TCL_OK) {
        release(&sort->job);
        return TCL_ERROR;
    }
    sort->order = sort_words[which].order;
    sort->question.stat = sort_words[which].stat;
    return pithi_job_start(interp, object, &sort->job, &kind, objv[7]);
}
