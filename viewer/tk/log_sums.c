/* log_sums.c - adds up states, messages, counters and waiting of an interval. The methods `sumsjob` and `waitingjob`
 * start jobs; `sums`, `messages` and `counters` return at once.
 *
 * `sumsjob` goes lane by lane, so that it can report its progress and can be stopped after each lane. The sums are the
 * same as from one query for all lanes. Only one thread may use a summary, so the job needs a summary of its own.
 * Making a summary takes long, so a job that ends leaves its summary for the next job (spare_summary).
 *
 * The waiting in an interval cannot be taken from an analysis of the whole run, because which rank waits for which
 * depends on the interval that is analyzed. So the interval is analyzed by itself, as `pith analyze --from --to` does,
 * unless it is the whole run. */
#include <math.h>
#include <stdlib.h>

#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/measure/interval.h"
#include "tk/background.h"
#include "tk/log_object.h"

static Tcl_Obj *sums_list(struct pithi_log_object *object, const struct pithi_cells *cells, int64_t span_ns)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL), *computing = Tcl_NewDictObj();
    uint32_t count;
    struct pithi_legend_entry *entries = pithi_legend_make(object->log, cells, span_ns, &count);

    for (uint32_t i = 0; i < count; i++) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "id", entries[i].id);
        pithi_put_wide(dict, "count", (int64_t)entries[i].sum.count);
        pithi_put_wide(dict, "inclusive", entries[i].sum.total_ns);
        pithi_put_wide(dict, "exclusive", entries[i].sum.self_ns);
        pithi_put(dict, "share", Tcl_NewDoubleObj(entries[i].share));
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    free(entries);
    if (cells->computing_ns > 0) {
        pithi_put_wide(computing, "exclusive", cells->computing_ns);
        pithi_put(computing, "share", Tcl_NewDoubleObj(pithi_legend_share(cells, span_ns, cells->computing_ns)));
    }
    return Tcl_NewListObj(2, (Tcl_Obj *[]){list, computing});
}

/* Turns the error of a damaged log into PITH_OK, because the readable part of the log was counted, and the picture of
 * the log shows where records are missing. */
static int unless_damaged(int err) { return err == PITH_ERR_DAMAGED ? PITH_OK : err; }

int pithi_log_sums(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_query query = {.levels = 1, .summary = object->summary};
    struct pithi_cells cells = {0};
    uint32_t *lanes;
    int status;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &query.t0_ns, &query.t1_ns) != TCL_OK)
        return TCL_ERROR;
    query.lanes = lanes = pithi_rows_lanes(object->tree, &query.lane_count);
    status = unless_damaged(pithi_query_run(object->log, &query, &cells)) ? pithi_log_error(interp) : TCL_OK;
    if (status == TCL_OK)
        Tcl_SetObjResult(interp, sums_list(object, &cells, query.t1_ns - query.t0_ns));
    pithi_cells_free(&cells);
    free(lanes);
    return status;
}

/* `messages` returns the number of drawn messages between visible lanes in an interval. It returns "" if the number is
 * not known: before the digest is read, or if only some lanes are visible and there are too many messages to read. */
int pithi_log_messages(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    enum { MOST_LOOKED_THROUGH = 1000000 }; /* most messages that are read if only some lanes are visible */
    const struct pithlog_digest *digest = object->picked ? object->picked : object->digest;
    const struct pithlog_info *info = pithlog_get_info(object->log);
    struct pithlog_digest_window window = {0};
    uint32_t lane_count, count, *lanes;
    unsigned char *chosen = NULL;
    uint64_t total;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &window.from_ns, &window.to_ns) != TCL_OK)
        return TCL_ERROR;
    lanes = pithi_rows_lanes(object->tree, &lane_count);
    if (digest && (lane_count == info->lanes || pithlog_digest_get_info(digest)->messages <= MOST_LOOKED_THROUGH)) {
        chosen = pithi_alloc(info->lanes, 1);
        for (uint32_t i = 0; i < lane_count; i++)
            chosen[lanes[i]] = 1;
        window.lanes = lane_count == info->lanes ? NULL : chosen;
        if (!pithlog_digest_messages(digest, &window, NULL, 0, &count, &total))
            Tcl_SetObjResult(interp, Tcl_NewWideIntObj((Tcl_WideInt)total));
        free(chosen);
    }
    free(lanes);
    return TCL_OK;
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

struct counter_sum {
    uint64_t values;  /* number of values in the whole log, on all lanes */
    double low, high; /* least and largest value */
};

/* If there are more series of counter values than this, `low` and `high` are those of the whole log. For the values in
 * an interval, the digest would have to be searched for each series. */
enum { MOST_SERIES = 2000 };

int pithi_log_counters(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t defs = pithlog_get_info(object->log)->defs, series_count;
    const struct pithlog_series *series;
    struct counter_sum *sums;
    Tcl_Obj *list, *dict;
    int64_t t0, t1;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &t0, &t1) != TCL_OK)
        return TCL_ERROR;
    if (!object->digest)
        return TCL_OK;
    list = Tcl_NewListObj(0, NULL);
    series_count = pithlog_digest_get_info(object->digest)->series;
    sums = pithi_alloc(defs, sizeof *sums);
    for (uint32_t i = 0; (series = pithlog_digest_series(object->digest, i)); i++) {
        struct counter_sum *sum = &sums[series->counter];
        struct pithlog_column column = {.low = series->low, .high = series->high, .known = 1};
        if (series_count <= MOST_SERIES && pithlog_digest_columns(object->digest, i, t0, t1, &column, 1))
            continue;
        if (!sum->values) {
            sum->low = INFINITY;
            sum->high = -INFINITY;
        }
        sum->values += series->count;
        sum->low = column.known ? fmin(sum->low, column.low) : sum->low;
        sum->high = column.known ? fmax(sum->high, column.high) : sum->high;
    }
    for (uint32_t id = 0; id < defs; id++) {
        if (!sums[id].values)
            continue;
        dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "count", (int64_t)sums[id].values);
        if (sums[id].low <= sums[id].high) {
            pithi_put(dict, "low", Tcl_NewDoubleObj(sums[id].low));
            pithi_put(dict, "high", Tcl_NewDoubleObj(sums[id].high));
        }
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(id));
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    free(sums);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* ---- Sums as a job ----------------------------------------------------------------------------------------------- */

struct sums_job {
    struct pithi_job job;
    int large; /* 1: the log is large enough for a summary */
    struct pithlog_summary *summary;
    int64_t t0_ns, t1_ns;
    uint32_t *lanes, lane_count; /* malloc'ed */
    struct pithi_cells sum;
};

static int run(struct pithi_job *job)
{
    struct sums_job *sums = (struct sums_job *)job;
    struct pithlog *log = job->object->log;
    struct pithi_cells lane = {0};
    int err = PITH_OK;

    if (sums->large && !sums->summary)
        pithlog_summary_open(log, &sums->summary); /* if this fails, records are read instead */
    for (uint32_t i = 0; i < sums->lane_count && !err && !pithi_job_stopped(job); i++) {
        struct pithi_query query = {.t0_ns = sums->t0_ns,
                                    .t1_ns = sums->t1_ns,
                                    .levels = 1,
                                    .lanes = &sums->lanes[i],
                                    .lane_count = 1,
                                    .summary = sums->summary,
                                    .stop = &job->stopped};
        err = unless_damaged(pithi_query_run(log, &query, &lane));
        if (!sums->sum.sums)
            sums->sum.sums = pithi_alloc(lane.defs, sizeof *sums->sum.sums);
        sums->sum.defs = lane.defs;
        for (uint32_t id = 0; id < lane.defs; id++)
            pithi_sum_add(&sums->sum.sums[id], &lane.sums[id]);
        sums->sum.computing_ns += lane.computing_ns;
        pithi_job_progress(job, (i + 1.0) / sums->lane_count);
    }
    pithi_cells_free(&lane);
    return err;
}

static Tcl_Obj *result(struct pithi_job *job)
{
    struct sums_job *sums = (struct sums_job *)job;
    sums->sum.rows = sums->sum.lanes = sums->lane_count; /* makes shares fractions of the time of all lanes */
    return sums_list(job->object, &sums->sum, sums->t1_ns - sums->t0_ns);
}

/* Leaves the summary to the next job if the log object has no spare summary, because making a summary takes long. */
static void release(struct pithi_job *job)
{
    struct sums_job *sums = (struct sums_job *)job;

    if (job->object->spare_summary)
        pithlog_summary_close(sums->summary);
    else
        job->object->spare_summary = sums->summary;
    pithi_cells_free(&sums->sum);
    free(sums->lanes);
    free(sums);
}

int pithi_log_sums_job(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    int64_t t0_ns, t1_ns;
    struct sums_job *sums;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &t0_ns, &t1_ns) != TCL_OK)
        return TCL_ERROR;
    sums = pithi_alloc(1, sizeof *sums);
    sums->t0_ns = t0_ns;
    sums->t1_ns = t1_ns;
    sums->large = object->summary != NULL;
    sums->lanes = pithi_rows_lanes(object->tree, &sums->lane_count);
    sums->summary = object->spare_summary;
    object->spare_summary = NULL;
    return pithi_job_start(interp, object, &sums->job, &kind, objv[4]);
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

struct waiting_job {
    struct pithi_job job;
    int64_t t0_ns, t1_ns;  /* the part of the interval that the log's analysis covers; t0 >= t1: it covers nothing */
    unsigned char *chosen; /* [lanes] */
    struct waiting_sum {
        double waiting_ns, caused_ns; /* the time that the state waited; the time that it made others wait */
    } * sums;                         /* [defs + 1]: the last is computing */
    int done;                         /* 1: the sums are made */
};

static void add_waiting(struct waiting_job *job, const struct pithlog_analysis *analysis)
{
    const struct pithlog_info *info = pithlog_get_info(job->job.object->log);
    const struct pithlog_wait_state *waits;
    const struct pithlog_delay *delays;
    size_t count = pithlog_analysis_delays(analysis, &delays);

    for (size_t i = 0; i < count; i++)
        if (job->chosen[delays[i].lane])
            job->sums[delays[i].state == PITHLOG_COMPUTING ? info->defs : delays[i].state].caused_ns +=
                delays[i].direct_ns + delays[i].indirect_ns;
    for (uint32_t lane = 0; lane < info->lanes; lane++) {
        if (!job->chosen[lane])
            continue;
        count = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++)
            job->sums[waits[i].state].waiting_ns += (double)(waits[i].to_ns - waits[i].from_ns);
    }
    job->done = 1;
}

/* Runs in the job's thread. Analyzes the interval, as `pith analyze --from --to` does, because its waiting cannot be
 * taken from the analysis of the whole log. */
static int waiting_run(struct pithi_job *base)
{
    struct waiting_job *job = (struct waiting_job *)base;
    struct pithlog_analyze_query query = {
        .from_ns = job->t0_ns, .to_ns = job->t1_ns, .progress = pithi_job_is_over, .context = base};
    struct pithlog_analysis *analysis = NULL;
    int err = job->done ? PITH_OK : pithlog_analyze(base->object->log, &query, &analysis);

    if (analysis)
        add_waiting(job, analysis);
    pithlog_analysis_free(analysis);
    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

static Tcl_Obj *waiting_result(struct pithi_job *base)
{
    struct waiting_job *job = (struct waiting_job *)base;
    uint32_t defs = pithlog_get_info(base->object->log)->defs;
    Tcl_Obj *list = Tcl_NewDictObj(), *sum;

    for (uint32_t i = 0; i <= defs; i++) {
        if (i < defs && job->sums[i].waiting_ns <= 0 && job->sums[i].caused_ns <= 0)
            continue;
        sum = Tcl_NewDictObj();
        pithi_put_wide(sum, "waiting", (int64_t)job->sums[i].waiting_ns);
        pithi_put_wide(sum, "caused", (int64_t)job->sums[i].caused_ns);
        Tcl_DictObjPut(NULL, list, i == defs ? Tcl_NewStringObj("computing", -1) : Tcl_NewWideIntObj(i), sum);
    }
    return list;
}

static void waiting_release(struct pithi_job *base)
{
    struct waiting_job *job = (struct waiting_job *)base;

    free(job->chosen);
    free(job->sums);
    free(job);
}

int pithi_log_waiting_job(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {waiting_run, waiting_result, waiting_release};
    const struct pithlog_info *info = pithlog_get_info(object->log);
    int64_t t0_ns, t1_ns;
    struct waiting_job *job;
    uint32_t count, *lanes;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &t0_ns, &t1_ns) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    job->job.object = object;
    job->sums = pithi_alloc(info->defs + (size_t)1, sizeof *job->sums);
    job->chosen = pithi_alloc(info->lanes, 1);
    lanes = pithi_rows_lanes(object->tree, &count);
    for (uint32_t i = 0; i < count; i++)
        job->chosen[lanes[i]] = 1;
    free(lanes);
    job->done = !object->analysis;
    if (object->analysis) {
        const struct pithlog_analysis_info *whole = pithlog_analysis_get_info(object->analysis);
        job->t0_ns = t0_ns > whole->from_ns ? t0_ns : whole->from_ns;
        job->t1_ns = t1_ns < whole->to_ns ? t1_ns : whole->to_ns;
        job->done = job->t0_ns >= job->t1_ns;
        if (!job->done && job->t0_ns == whole->from_ns && job->t1_ns == whole->to_ns)
            add_waiting(job, object->analysis);
    }
    return pithi_job_start(interp, object, &job->job, &kind, objv[4]);
}
