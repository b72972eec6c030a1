/* stage_object.c - the animation of a program as a Tcl command; see stage_object.h. */
#include "tk/stage_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/memory.h"
#include "core/palette.h"
#include "core/stage.h"
#include "tk/log_object.h"

enum { MOST_PIXELS = 8192 };

struct stage_object {
    struct pithi_stage *stage;
    struct pithi_raster raster;
    Tcl_Command command;
};

/* look KEEP */
static int stage_look(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    int64_t keep;

    if (pithi_get_time(interp, words[0], &keep) != TCL_OK)
        return TCL_ERROR;
    return pithi_stage_look(object->stage, keep) ? pithi_log_error(interp) : TCL_OK;
}

static void put_moment(Tcl_Obj *dict, const char *key, int64_t time)
{
    pithi_put(dict, key, time == INT64_MIN ? Tcl_NewObj() : Tcl_NewWideIntObj((Tcl_WideInt)time));
}

static int stage_info(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    const struct pithi_stage *stage = object->stage;
    const struct pithlog_follow_info *follow = stage->follow ? pithlog_follow_get_info(stage->follow) : NULL;
    Tcl_Obj *dict = Tcl_NewDictObj();

    (void)words;
    pithi_put_wide(dict, "ranks", stage->ranks);
    pithi_put_wide(dict, "seen", follow ? follow->processes : stage->ranks);
    pithi_put_wide(dict, "defs", stage->defs);
    pithi_put_wide(dict, "begin", stage->begin_ns);
    pithi_put_wide(dict, "now", stage->now_ns);
    put_moment(dict, "work", stage->work_ns);
    put_moment(dict, "rest", stage->rest_ns);
    pithi_put_wide(dict, "live", stage->is_live);
    pithi_put_wide(dict, "ended", stage->ended);
    pithi_put_wide(dict, "finished", stage->finished);
    pithi_put_wide(dict, "records", (int64_t)stage->records);
    pithi_put_wide(dict, "messages", (int64_t)(stage->flights_dropped + stage->flight_count));
    pithi_put_wide(dict, "lost", (int64_t)stage->lost);
    pithi_put_text(dict, "log", follow ? follow->log : "");
    pithi_put_text(dict, "program", follow ? follow->program : "");
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* States seen so far: id name colour ... */
static int stage_states(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    char name[256], colour[16];

    (void)words;
    for (uint32_t id = 0; id < object->stage->defs; id++) {
        if (!object->stage->used[id])
            continue;
        snprintf(colour, sizeof colour, "#%06x", object->stage->rgb[id]);
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(id));
        Tcl_ListObjAppendElement(
            NULL, list,
            Tcl_NewStringObj(pithi_clean(name, sizeof name, pithi_stage_def(object->stage, id)->name, 0), -1));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(colour, -1));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* at TIME: a state id a rank; -1 none, -2 not there */
static int stage_at(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    int64_t time;

    if (pithi_get_time(interp, words[0], &time) != TCL_OK)
        return TCL_ERROR;
    for (uint32_t rank = 0; rank < object->stage->ranks; rank++) {
        uint32_t state = pithi_stage_state(object->stage, rank, time);
        Tcl_ListObjAppendElement(
            NULL, list, Tcl_NewIntObj(state == PITHI_NONE ? -1 : state == PITHI_ABSENT ? -2 : (int)state));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int stage_sent(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    int64_t time;

    if (pithi_get_time(interp, words[0], &time) != TCL_OK)
        return TCL_ERROR;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj((Tcl_WideInt)pithi_stage_sent(object->stage, time)));
    return TCL_OK;
}

static int get_layout(Tcl_Interp *interp, Tcl_Obj *const words[], int *width, int *height, int *layout)
{
    static const char *const layouts[] = {"ring", "grid", NULL};

    if (Tcl_GetIntFromObj(interp, words[0], width) != TCL_OK || Tcl_GetIntFromObj(interp, words[1], height) != TCL_OK ||
        Tcl_GetIndexFromObj(interp, words[2], layouts, "layout", 0, layout) != TCL_OK)
        return TCL_ERROR;
    if (*width >= 1 && *width <= MOST_PIXELS && *height >= 1 && *height <= MOST_PIXELS)
        return TCL_OK;
    Tcl_SetObjResult(interp, Tcl_NewStringObj("picture too small or too large", -1));
    return TCL_ERROR;
}

/* places WIDTH HEIGHT LAYOUT: the radius, then x y of each rank */
static int stage_places(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    struct pithi_place *places;
    Tcl_Obj *list;
    int width, height, layout;
    double radius;

    if (get_layout(interp, words, &width, &height, &layout) != TCL_OK)
        return TCL_ERROR;
    places = pithi_alloc(object->stage->ranks + (size_t)1, sizeof *places);
    radius = pithi_stage_places(object->stage->ranks, width, height, (enum pithi_layout)layout, places);
    list = Tcl_NewListObj(0, NULL);
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(radius));
    for (uint32_t rank = 0; rank < object->stage->ranks; rank++) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(places[rank].x));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(places[rank].y));
    }
    free(places);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* draw WIDTH HEIGHT LAYOUT PHOTO TIME DWELL: how many messages are on their way */
static int stage_draw(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    Tk_PhotoHandle photo = Tk_FindPhoto(interp, Tcl_GetString(words[3]));
    Tk_PhotoImageBlock block;
    int width, height, layout;
    int64_t time, dwell;
    uint32_t under_way;

    if (get_layout(interp, words, &width, &height, &layout) != TCL_OK ||
        pithi_get_time(interp, words[4], &time) != TCL_OK || pithi_get_time(interp, words[5], &dwell) != TCL_OK)
        return TCL_ERROR;
    if (!photo) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no such photo", -1));
        return TCL_ERROR;
    }
    pithi_raster_prepare(&object->raster, width, height, PITHI_RGB_PAPER);
    under_way = pithi_stage_draw(object->stage, time, dwell, (enum pithi_layout)layout, &object->raster);
    block = (Tk_PhotoImageBlock){.pixelPtr = object->raster.pixels,
                                 .width = width,
                                 .height = height,
                                 .pitch = width * 3,
                                 .pixelSize = 3,
                                 .offset = {0, 1, 2, 3}};
    if (Tk_PhotoSetSize(interp, photo, width, height) != TCL_OK ||
        Tk_PhotoPutBlock(interp, photo, &block, 0, 0, width, height, TK_PHOTO_COMPOSITE_SET) != TCL_OK)
        return TCL_ERROR;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(under_way));
    return TCL_OK;
}

static int stage_close(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    (void)words;
    Tcl_DeleteCommandFromToken(interp, object->command);
    return TCL_OK;
}

static const struct method {
    const char *name;
    int words;
    const char *usage;
    int (*run)(struct stage_object *object, Tcl_Interp *interp, Tcl_Obj *const words[]);
} methods[] = {
    {"at", 1, "time", stage_at},
    {"close", 0, NULL, stage_close},
    {"draw", 6, "width height layout photo time dwell", stage_draw},
    {"info", 0, NULL, stage_info},
    {"look", 1, "keep", stage_look},
    {"places", 3, "width height layout", stage_places},
    {"sent", 1, "time", stage_sent},
    {"states", 0, NULL, stage_states},
    {NULL, 0, NULL, NULL},
};

static int stage_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int which;

    if (objc < 2) {
        Tcl_WrongNumArgs(interp, 1, objv, "method ?arg ...?");
        return TCL_ERROR;
    }
    if (Tcl_GetIndexFromObjStruct(interp, objv[1], methods, sizeof *methods, "method", 0, &which) != TCL_OK)
        return TCL_ERROR;
    if (objc != methods[which].words + 2) {
        Tcl_WrongNumArgs(interp, 2, objv, methods[which].usage);
        return TCL_ERROR;
    }
    return methods[which].run(data, interp, objv + 2);
}

static void stage_delete(ClientData data)
{
    struct stage_object *object = data;

    pithi_stage_close(object->stage);
    pithi_raster_free(&object->raster);
    free(object);
}

int pithi_stage_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const sources[] = {"follow", "log", NULL};
    static unsigned next;
    struct stage_object *object;
    struct pithi_stage *stage;
    char name[48];
    int source;

    (void)data;
    if (objc != 3) {
        Tcl_WrongNumArgs(interp, 1, objv, "follow|log file");
        return TCL_ERROR;
    }
    if (Tcl_GetIndexFromObj(interp, objv[1], sources, "source", 0, &source) != TCL_OK)
        return TCL_ERROR;
    if (source == 0 ? pithi_stage_follow(Tcl_GetString(objv[2]), &stage)
                    : pithi_stage_open(Tcl_GetString(objv[2]), &stage))
        return pithi_log_error(interp);
    object = pithi_alloc(1, sizeof *object);
    object->stage = stage;
    snprintf(name, sizeof name, "::pithtk::stage%u", ++next);
    object->command = Tcl_CreateObjCommand(interp, name, stage_command, object, stage_delete);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(name, -1));
    return TCL_OK;
}
