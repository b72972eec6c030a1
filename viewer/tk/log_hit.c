/* log_hit.c - what stands for many; see log_hit.h. */
#include "tk/log_hit.h"

#include <math.h>
#include <stdlib.h>

#include "core/arrow_draw.h"
#include "core/hit.h"
#include "core/legend.h"
#include "tk/log_jump.h"

static void put_place(struct pithi_log_object *object, Tcl_Obj *dict, const char *key, const struct pithi_row *row)
{
    char place[64];

    pithi_row_place(object->log, row, place, sizeof place);
    pithi_put_text(dict, key, place);
}

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

static Tcl_Obj *line_of(const struct pithi_plot *plot, const struct pithi_bundle *bundle)
{
    struct pithi_bundle_look look;
    Tcl_Obj *line = Tcl_NewListObj(0, NULL);

    pithi_bundle_look(plot, bundle, 1, &look);
    for (int i = 0; i < 4; i++)
        Tcl_ListObjAppendElement(NULL, line, Tcl_NewDoubleObj(look.ends[i]));
    return line;
}

int pithi_log_bundle_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_plot *plot = &object->plot;
    const struct pithi_bundle *bundle;
    struct pithi_bundle exact;
    Tcl_Obj *dict;
    double x, y;
    int about = plot->arrows.sampled;

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    bundle = pithi_hit_bundle(plot, x, y, 0.5);
    if (!bundle)
        return TCL_OK;
    exact = *bundle;
    if (about)
        about = pithi_plot_look(plot, bundle, &exact) != 0;
    bundle = &exact;
    dict = Tcl_NewDictObj();
    put_place(object, dict, "from", &plot->rows[bundle->from_row]);
    put_place(object, dict, "to", &plot->rows[bundle->to_row]);
    pithi_put_wide(dict, "count", llround(bundle->count));
    pithi_put_wide(dict, "bytes", llround(bundle->bytes));
    pithi_put_wide(dict, "mean", llround(bundle->mean_ns));
    pithi_put_wide(dict, "about", about);
    pithi_put(dict, "longest", pithi_message_dict(object->log, &bundle->longest));
    pithi_put_wide(dict, "start", bundle->longest.send_ns);
    pithi_put_wide(dict, "end", bundle->longest.recv_ns);
    pithi_put(dict, "line", line_of(plot, bundle));
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Rows of many lanes ------------------------------------------------------------------------------------------ */

/* The row of the picture drawn last at y, where rows were grouped for it; else the row seen. */
static const struct pithi_row *row_at(const struct pithi_log_object *object, uint32_t row, double y, int *grouped)
{
    double line = floor(y / (object->plot.row_height > 0 ? object->plot.row_height : 1));

    *grouped = object->groups.count > 0 && object->plot.rows == object->groups.rows;
    if (!*grouped)
        return &object->rows[row];
    return line >= 0 && line < object->groups.count ? &object->groups.rows[(uint32_t)line] : NULL;
}

static Tcl_Obj *mix_list(struct pithi_log_object *object, const struct pithi_mix *mix)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    char name[256];

    for (uint32_t i = 0; i < mix->count; i++) {
        pithi_def_label(object->log, mix->states[i].id, name, sizeof name);
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(name, -1));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(mix->states[i].share));
    }
    return list;
}

int pithi_log_group_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_row *group;
    struct pithi_mix mix;
    int64_t t0, t1;
    uint32_t row, lanes;
    Tcl_Obj *dict;
    int grouped;
    double y;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &row) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK ||
        pithi_get_window(interp, objv + 4, &t0, &t1) != TCL_OK)
        return TCL_ERROR;
    group = row_at(object, row, y, &grouped);
    if (!group || group->counter != PITHI_NONE)
        return TCL_OK;
    pithi_row_lanes(group, &lanes);
    if (lanes < 2 && !grouped)
        return TCL_OK;
    dict = Tcl_NewDictObj();
    put_place(object, dict, "place", group);
    pithi_put_wide(dict, "lanes", lanes);
    pithi_put_wide(dict, "auto", grouped);
    pithi_hit_row_mix(object->log, group, t0, t1, &mix); /* of a damaged log what could be read */
    pithi_put_wide(dict, "asked", mix.asked);
    pithi_put(dict, "mix", mix_list(object, &mix));
    free(mix.states);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}
