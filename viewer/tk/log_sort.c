/* log_sort.c - LOG sort BY FALLING T0 T1 IDS CALLBACK: a job that sorts the rows by what they do in [T0, T1). BY is
 * name or rank; total, self, share or count of the definitions IDS; messages or bytes; waiting in [T0, T1), or
 * the waiting that the row causes in the whole run (both need an analysis, and use all definitions). `share` relates to
 * the row's own time, so that a group of few lanes may precede a group of many. */
#include <stdlib.h>
#include <string.h>

#include "core/rows.h"
#include "core/memory.h"
#include "tk/background.h"
#include "tk/log_object.h"

static const struct sort_word {
    const char *name;
    enum pithi_rows_order order;
    enum pithi_stat stat;
} sort_words[] = {
    {"bytes", PITHI_ORDER_VALUE, PITHI_STAT_BYTES},
    {"caused", PITHI_ORDER_VALUE, 0},
    {"count", PITHI_ORDER_VALUE, PITHI_STAT_COUNT},
    {"messages", PITHI_ORDER_VALUE, PITHI_STAT_MESSAGES},
    {"name", PITHI_ORDER_NAME, 0},
    {"rank", PITHI_ORDER_RANK, 0},
    {"self", PITHI_ORDER_VALUE, PITHI_STAT_EXCLUSIVE},
    {"share", PITHI_ORDER_MEAN, PITHI_STAT_EXCLUSIVE},
    {"total", PITHI_ORDER_VALUE, PITHI_STAT_INCLUSIVE},
    {"waiting", PITHI_ORDER_VALUE, 0},
    {NULL, 0, 0},
};

struct sort_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_lane_question question;
    unsigned char *chosen;
    enum pithi_rows_order order;
    int falling;
    int known; /* 1: the values are known before the job runs */
    double *value;
    uint32_t lanes;
};

/* Skips damaged parts: the picture reports them. */
static int run(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;
    int err = PITH_OK;

    if (sort->known || (sort->order != PITHI_ORDER_VALUE && sort->order != PITHI_ORDER_MEAN))
        return PITH_OK;
    if (pithlog_get_info(sort->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(sort->log, &sort->question.summary); /* each thread needs its own summary */
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

/* The analysis belongs to the window's thread, so these sums are not left to the job. */
static void sum_waiting(const struct pithlog_analysis *analysis, struct sort_job *sort)
{
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < sort->lanes; lane++) {
        size_t count = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            int64_t from = waits[i].from_ns, to = waits[i].to_ns;
            from = from > sort->question.t0_ns ? from : sort->question.t0_ns;
            to = to < sort->question.t1_ns ? to : sort->question.t1_ns;
            sort->value[lane] += to > from ? (double)(to - from) : 0;
        }
    }
}

static void sum_caused(const struct pithlog_analysis *analysis, struct sort_job *sort)
{
    const struct pithlog_delay *delays;
    size_t count = pithlog_analysis_delays(analysis, &delays);

    for (size_t i = 0; i < count; i++)
        sort->value[delays[i].lane] += delays[i].direct_ns + delays[i].indirect_ns;
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
        pithi_get_ids(interp, objv[6], sort->chosen, info->defs) != TCL_OK) {
        release(&sort->job);
        return TCL_ERROR;
    }
    sort->order = sort_words[which].order;
    sort->question.stat = sort_words[which].stat;
    int waiting = strcmp(sort_words[which].name, "waiting") == 0;
    int caused = strcmp(sort_words[which].name, "caused") == 0;
    sort->known = waiting || caused;
    if (waiting && object->analysis)
        sum_waiting(object->analysis, sort);
    if (caused && object->analysis)
        sum_caused(object->analysis, sort);
    return pithi_job_start(interp, object, &sort->job, &kind, objv[7]);
}
