/* log_flames.c - the functions in which the samples of a log were taken: the rows of functions below the states of a
 * lane, and the functions in an interval outside all states. */
#include "tk/log_object.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/scene/flames.h"
#include "core/scene/hit.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "tk/background.h"

int pithi_log_flames(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int err;

    if (objc > 3) {
        Tcl_WrongNumArgs(interp, 2, objv, "?file?");
        return TCL_ERROR;
    }
    if (objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewIntObj(object->flames ? 2 : pithi_flames_possible(object->log)));
        return TCL_OK;
    }
    if (object->flames)
        return pithi_usage_error(interp, "the log has its functions already");
    err = pithi_flames_open(object->log, Tcl_GetString(objv[2]), &object->flames);
    if (err == PITH_ERR_USAGE)
        return pithi_usage_error(interp, "the functions are those of another log");
    if (err)
        return pithi_log_error(interp);
    /* Unfolds again all lanes that are unfolded, so that they get rows for their functions. */
    for (uint32_t i = 1; i < object->tree->node_count; i++)
        if (object->tree->nodes[i].bands)
            pithi_log_unfold(object, i, 1);
    pithi_log_rows_changed(object);
    return TCL_OK;
}

int pithi_log_flame_row(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t lane, row = 0;
    int depth;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &depth) != TCL_OK)
        return TCL_ERROR;
    while (row < object->row_count && (object->rows[row].kind != PITHI_ROW_FUNCTIONS ||
                                       object->rows[row].lane != lane || object->rows[row].band != (uint32_t)depth))
        row++;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(row < object->row_count ? (Tcl_WideInt)row : -1));
    return TCL_OK;
}

int pithi_log_site_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t from, to;
    uint32_t lane, site;
    char name[640];
    int id, found;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &id) != TCL_OK || pithi_get_times(interp, objv + 5, &from, &to) != TCL_OK)
        return TCL_ERROR;
    if (!object->flames)
        return TCL_OK;
    found = pithi_flames_site_of(object->flames, object->log, lane, (uint32_t)id, from, to, &site);
    if (found < 0)
        return pithi_log_error(interp);
    if (found)
        Tcl_SetObjResult(interp, Tcl_NewStringObj(pithi_def_label(object->flames->log, site, name, sizeof name), -1));
    return TCL_OK;
}

int pithi_log_core_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_flames_most most;
    const struct pithlog_lane *lane;
    const struct pithi_row *of;
    int64_t time, from, to;
    uint32_t row, lanes;
    Tcl_Obj *dict;
    char name[256];
    int found;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &row) != TCL_OK || pithi_get_time(interp, objv[3], &time) != TCL_OK)
        return TCL_ERROR;
    of = &object->rows[row];
    pithi_row_lanes(of, &lanes);
    if (!object->flames || of->kind != PITHI_ROW_STATES || lanes > 1)
        return TCL_OK;
    found = pithi_hit_outside(object->log, of->lane, time, &from, &to);
    if (found > 0)
        found = pithi_flames_most(object->flames, of->lane, from, to > from ? to : from + 1, &most);
    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    lane = pithlog_get_lane(object->log, of->lane);
    dict = Tcl_NewDictObj();
    pithi_put_text(dict, "name", pithi_def_label(object->flames->log, most.id, name, sizeof name));
    pithi_put_text(dict, "place", pithi_flames_place(object->flames, most.id));
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put_wide(dict, "start", from);
    pithi_put_wide(dict, "end", to);
    pithi_put_wide(dict, "samples", (int64_t)most.samples);
    pithi_put_wide(dict, "all", (int64_t)most.all);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

struct function_sums_job {
    struct pithi_job job;
    const struct pithi_flames *flames;
    int64_t t0_ns, t1_ns;
    uint32_t *lanes, lane_count;
    struct pithi_flames_sum *sums;
};

static int sums_run(struct pithi_job *base)
{
    struct function_sums_job *job = (struct function_sums_job *)base;
    struct pithi_watch watch = pithi_job_watch(base);
    int err = PITH_OK;

    for (uint32_t i = 0; i < job->lane_count && !err; i++) {
        err = pithi_flames_sums(job->flames, job->lanes[i], job->t0_ns, job->t1_ns, &watch, job->sums);
        err = err == PITH_ERR_DAMAGED ? PITH_OK : err;
    }
    return err;
}

static Tcl_Obj *sums_result(struct pithi_job *base)
{
    struct function_sums_job *job = (struct function_sums_job *)base;
    Tcl_Obj *dict = Tcl_NewDictObj(), *sum;
    char name[256], colour[8];

    for (uint32_t id = 0; id < pithlog_get_info(job->flames->log)->defs; id++) {
        if (!job->sums[id].total)
            continue;
        snprintf(colour, sizeof colour, "#%06x", job->flames->rgb[id]);
        sum = Tcl_NewDictObj();
        pithi_put_text(sum, "name", pithi_def_label(job->flames->log, id, name, sizeof name));
        pithi_put_text(sum, "colour", colour);
        pithi_put_wide(sum, "own", (int64_t)job->sums[id].own);
        pithi_put_wide(sum, "total", (int64_t)job->sums[id].total);
        Tcl_DictObjPut(NULL, dict, Tcl_NewWideIntObj(id), sum);
    }
    return dict;
}

static void sums_release(struct pithi_job *base)
{
    struct function_sums_job *job = (struct function_sums_job *)base;

    free(job->lanes);
    free(job->sums);
    free(job);
}

int pithi_log_function_sums(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {sums_run, sums_result, sums_release};
    struct function_sums_job *job;
    int64_t t0_ns, t1_ns;

    (void)objc;
    if (!object->flames)
        return pithi_usage_error(interp, "the functions of the log are not known");
    if (pithi_get_window(interp, objv + 2, &t0_ns, &t1_ns) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    job->flames = object->flames;
    job->t0_ns = t0_ns;
    job->t1_ns = t1_ns;
    job->lanes = pithi_rows_lanes(object->tree, &job->lane_count);
    job->sums = pithi_alloc(pithlog_get_info(object->flames->log)->defs, sizeof *job->sums);
    return pithi_job_start(interp, object, &job->job, &kind, objv[4]);
}
