/* log_flames.c - the functions that the samples of a log were in: rows of them, and the function of a stretch outside
 * all states. */
#include "tk/log_object.h"

#include "core/flames.h"
#include "core/hit.h"
#include "core/legend.h"

/* Lanes that were unfolded before get rows for their functions. */
static void unfold_again(struct pithi_log_object *object)
{
    for (uint32_t i = 1; i < object->tree->node_count; i++)
        if (object->tree->nodes[i].bands)
            pithi_log_set_bands(object, i, 1);
    pithi_log_rows_changed(object);
}

int pithi_log_flames(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int err;

    if (objc > 3) {
        Tcl_WrongNumArgs(interp, 2, objv, "?file?");
        return TCL_ERROR;
    }
    if (objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(pithi_flames_possible(object->log)));
        return TCL_OK;
    }
    if (object->flames)
        return pithi_usage_error(interp, "the log has its functions already");
    err = pithi_flames_open(object->log, Tcl_GetString(objv[2]), &object->flames);
    if (err == PITH_ERR_USAGE)
        return pithi_usage_error(interp, "the functions are those of another log");
    if (err)
        return pithi_log_error(interp);
    unfold_again(object);
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
    while (row < object->row_count &&
           (!object->rows[row].flame || object->rows[row].lane != lane || object->rows[row].band != (uint32_t)depth))
        row++;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(row < object->row_count ? (Tcl_WideInt)row : -1));
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
    if (!object->flames || of->counter != PITHI_NONE || of->flame || lanes > 1)
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
