/* log_jump.c - what belongs to a record; see log_jump.h. */
#include "tk/log_jump.h"

#include "core/jump.h"
#include "core/legend.h"

/* RANK THREAD as a lane. */
static int get_lane(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const words[2], uint32_t *lane)
{
    int rank, thread;

    if (Tcl_GetIntFromObj(interp, words[0], &rank) != TCL_OK || Tcl_GetIntFromObj(interp, words[1], &thread) != TCL_OK)
        return TCL_ERROR;
    *lane = pithi_jump_lane(object->log, rank, (uint32_t)thread);
    if (*lane != PITHI_NONE)
        return TCL_OK;
    Tcl_SetObjResult(interp, Tcl_ObjPrintf("there is no rank %d with a thread %d", rank, thread));
    Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
    return TCL_ERROR;
}

static int tell(struct pithi_log_object *object, Tcl_Interp *interp, uint32_t lane, int found,
                const struct pithi_hit *hit)
{
    const struct pithlog_lane *place = pithlog_get_lane(object->log, lane);
    Tcl_Obj *dict;
    char name[256];

    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    dict = Tcl_NewDictObj();
    pithi_put_wide(dict, "id", hit->id);
    pithi_put_text(dict, "name", pithi_def_label(object->log, hit->id, name, sizeof name));
    pithi_put_wide(dict, "rank", place->rank);
    pithi_put_wide(dict, "thread", place->thread);
    pithi_put_wide(dict, "start", hit->start_ns);
    pithi_put_wide(dict, "end", hit->end_ns);
    pithi_put_wide(dict, "depth", hit->depth);
    pithi_put_wide(dict, "ended", hit->ended);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

int pithi_log_parent(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t start;
    uint32_t lane;
    int id, depth;

    (void)objc;
    if (get_lane(object, interp, objv + 2, &lane) != TCL_OK || Tcl_GetIntFromObj(interp, objv[4], &id) != TCL_OK ||
        pithi_get_time(interp, objv[5], &start) != TCL_OK || Tcl_GetIntFromObj(interp, objv[6], &depth) != TCL_OK)
        return TCL_ERROR;
    return tell(object, interp, lane, pithi_jump_parent(object->log, lane, (uint32_t)id, start, (uint32_t)depth, &hit),
                &hit);
}

int pithi_log_state_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t time;
    uint32_t lane;

    (void)objc;
    if (get_lane(object, interp, objv + 2, &lane) != TCL_OK || pithi_get_time(interp, objv[4], &time) != TCL_OK)
        return TCL_ERROR;
    return tell(object, interp, lane, pithi_hit_state(object->log, lane, time, time + 1, PITHI_LEVELS - 1, NULL, &hit),
                &hit);
}
