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

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

Tcl_Obj *pithi_message_dict(const struct pithlog *log, const struct pithlog_message *message)
{
    const struct pithlog_lane *from = pithlog_get_lane(log, message->send_lane);
    const struct pithlog_lane *to = pithlog_get_lane(log, message->recv_lane);
    const struct pithlog_comm *comm = pithlog_get_comm(log, message->comm);
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put_wide(dict, "from", from->rank);
    pithi_put_wide(dict, "from_thread", from->thread);
    pithi_put_wide(dict, "to", to->rank);
    pithi_put_wide(dict, "to_thread", to->thread);
    pithi_put_wide(dict, "start", message->send_ns);
    pithi_put_wide(dict, "end", message->recv_ns);
    pithi_put_wide(dict, "tag", message->tag);
    pithi_put_name(dict, "comm", comm ? comm->name : "");
    pithi_put_wide(dict, "bytes", (int64_t)message->bytes);
    pithi_put_wide(dict, "error", pithlog_clock_error(log, message->send_lane, message->recv_lane));
    return dict;
}

int pithi_log_message_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithlog_message message;
    int64_t time;
    uint32_t lane;
    int peer, tag, found;

    (void)objc;
    if (get_lane(object, interp, objv + 2, &lane) != TCL_OK || pithi_get_time(interp, objv[4], &time) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[5], &peer) != TCL_OK || Tcl_GetIntFromObj(interp, objv[6], &tag) != TCL_OK)
        return TCL_ERROR;
    if (!object->digest)
        return TCL_OK;
    found = pithi_jump_message(object->log, object->digest, lane, time, peer, tag, &message);
    if (found < 0)
        return pithi_log_error(interp);
    if (found)
        Tcl_SetObjResult(interp, pithi_message_dict(object->log, &message));
    return TCL_OK;
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

static Tcl_Obj *counter_dict(const struct pithlog *log, const struct pithi_row *row, const struct pithlog_column *value)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log, row->lane);
    Tcl_Obj *dict = Tcl_NewDictObj();
    char name[256];

    pithi_put_wide(dict, "id", row->counter);
    pithi_put_text(dict, "name", pithi_def_label(log, row->counter, name, sizeof name));
    pithi_put_text(dict, "unit", pithlog_get_def(log, row->counter)->format);
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put(dict, "low", Tcl_NewDoubleObj(value->low));
    pithi_put(dict, "high", Tcl_NewDoubleObj(value->high));
    pithi_put(dict, "last", Tcl_NewDoubleObj(value->last));
    return dict;
}

int pithi_log_counter_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithlog_column value;
    const struct pithi_row *row;
    int64_t from, to;
    uint32_t number;
    int found;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &number) != TCL_OK ||
        pithi_get_window(interp, objv + 3, &from, &to) != TCL_OK)
        return TCL_ERROR;
    row = &object->rows[number];
    if (!object->digest || !pithlog_get_def(object->log, row->counter))
        return TCL_OK;
    found = pithi_jump_counter(object->digest, row->lane, row->counter, from, to, &value);
    if (found < 0)
        return pithi_log_error(interp);
    if (found)
        Tcl_SetObjResult(interp, counter_dict(object->log, row, &value));
    return TCL_OK;
}
