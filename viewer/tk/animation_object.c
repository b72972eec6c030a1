/* animation_object.c - the methods of an animation, for Tcl.
 *
 * An animation is a Tcl command. Scripts decide when to draw which moment. This file only converts the words of the
 * command to calls of functions in core/scene/animation.h.
 *
 *     set a [::pithtk::animation log run.pith]     for a running program: [::pithtk::animation follow FOLDER]
 *     $a look $keep                                reads further records for some ms; may drop those before time $keep
 *     $a draw 800 600 ring photo1 $now 200000000   draws the moment $now; each message is shown for at least 200 ms
 *     $a close */
#include "tk/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/words.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/scene/animation.h"
#include "tk/log_object.h"

enum { MOST_PIXELS = 8192 }; /* the largest width and height of the picture */

struct anim_object {
    struct pithi_anim *anim;
    struct pithi_raster raster;
    Tcl_Command command;
};

/* Puts a time into a dict, or an empty word if the time is not known yet. */
static void put_moment(Tcl_Obj *dict, const char *key, int64_t time)
{
    pithi_put(dict, key, time == INT64_MIN ? Tcl_NewObj() : Tcl_NewWideIntObj((Tcl_WideInt)time));
}

/* The method `states` returns id, name and colour of each state that has occurred so far. */
static int anim_states(struct anim_object *object, Tcl_Interp *interp)
{
    /* Leaves out states that no lane enters, because a log may define many of them. */
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    char name[256], colour[16];

    for (uint32_t id = 0; id < object->anim->defs; id++) {
        if (!object->anim->used[id])
            continue;
        snprintf(colour, sizeof colour, "#%06x", object->anim->rgb[id]);
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(id));
        Tcl_ListObjAppendElement(
            NULL, list,
            Tcl_NewStringObj(pithi_clean(name, sizeof name, pithi_anim_def(object->anim, id)->name, 0), -1));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(colour, -1));
    }
    Tcl_SetObjResult(interp, list);
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

/* The method `places WIDTH HEIGHT LAYOUT` returns a list: the radius of the circles that stand for ranks, then x and y
 * of each rank. */
static int anim_places(struct anim_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    struct pithi_anim_place *places;
    Tcl_Obj *list;
    int width, height, layout;
    double radius;

    if (get_layout(interp, words, &width, &height, &layout) != TCL_OK)
        return TCL_ERROR;
    places = pithi_alloc(object->anim->ranks + (size_t)1, sizeof *places);
    radius = pithi_anim_places(object->anim->ranks, width, height, (enum pithi_anim_layout)layout, places);
    list = Tcl_NewListObj(0, NULL);
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(radius));
    for (uint32_t rank = 0; rank < object->anim->ranks; rank++) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(places[rank].x));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(places[rank].y));
    }
    free(places);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* The method `draw WIDTH HEIGHT LAYOUT PHOTO TIME DWELL` returns the number of messages in transit. */
static int anim_draw(struct anim_object *object, Tcl_Interp *interp, Tcl_Obj *const words[])
{
    int width, height, layout;
    int64_t time, dwell;
    uint32_t in_transit;

    if (get_layout(interp, words, &width, &height, &layout) != TCL_OK ||
        pithi_get_times(interp, words + 4, &time, &dwell) != TCL_OK)
        return TCL_ERROR;
    pithi_raster_prepare(&object->raster, width, height, PITHI_RGB_PAPER);
    in_transit = pithi_anim_draw(object->anim, time, dwell, (enum pithi_anim_layout)layout, &object->raster);
    if (pithi_put_photo(interp, Tcl_GetString(words[3]), &object->raster) != TCL_OK)
        return TCL_ERROR;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(in_transit));
    return TCL_OK;
}

static int anim_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_method methods[] = {
        {"at", 1, "time"},   {"close", 0, NULL},  {"draw", 6, "width height layout photo time dwell"},
        {"info", 0, NULL},   {"look", 1, "keep"}, {"places", 3, "width height layout"},
        {"sent", 1, "time"}, {"states", 0, NULL}, {NULL, 0, NULL}};
    enum { AT, CLOSE, DRAW, INFO, LOOK, PLACES, SENT, STATES }; /* in the order of the methods */
    struct anim_object *object = data;
    struct pithi_anim *anim = object->anim;
    const struct pithlog_follow_info *follow = anim->follow ? pithlog_follow_get_info(anim->follow) : NULL;
    Tcl_Obj *result;
    int64_t time;
    int which;

    if (pithi_find_method(interp, objc, objv, 1, methods, sizeof *methods, &which) != TCL_OK)
        return TCL_ERROR;
    if ((which == AT || which == LOOK || which == SENT) && pithi_get_time(interp, objv[2], &time) != TCL_OK)
        return TCL_ERROR;
    switch (which) {
    case AT: /* returns the id of each rank's state at a time; -1: in no state; -2: the rank has no records then */
        result = Tcl_NewListObj(0, NULL);
        for (uint32_t rank = 0; rank < anim->ranks; rank++) {
            uint32_t state = pithi_anim_state(anim, rank, time);
            Tcl_ListObjAppendElement(NULL, result,
                                     Tcl_NewIntObj(state == PITHI_NONE     ? -1
                                                   : state == PITHI_ABSENT ? -2
                                                                           : (int)state));
        }
        Tcl_SetObjResult(interp, result);
        return TCL_OK;
    case CLOSE:
        Tcl_DeleteCommandFromToken(interp, object->command);
        return TCL_OK;
    case DRAW:
        return anim_draw(object, interp, objv + 2);
    case INFO:
        result = Tcl_NewDictObj();
        pithi_put_wide(result, "ranks", anim->ranks);
        pithi_put_wide(result, "seen", follow ? follow->processes : anim->ranks);
        pithi_put_wide(result, "defs", anim->defs);
        pithi_put_wide(result, "begin", anim->begin_ns);
        pithi_put_wide(result, "now", anim->now_ns);
        put_moment(result, "work", anim->work_ns);
        put_moment(result, "rest", anim->rest_ns);
        pithi_put_wide(result, "live", anim->is_live);
        pithi_put_wide(result, "ended", anim->ended);
        pithi_put_wide(result, "finished", anim->finished);
        pithi_put_wide(result, "records", (int64_t)anim->records);
        pithi_put_wide(result, "messages", (int64_t)(anim->messages_dropped + anim->message_count));
        pithi_put_wide(result, "lost", (int64_t)anim->lost);
        pithi_put_text(result, "trouble", anim->trouble ? anim->trouble : "");
        pithi_put_text(result, "log", follow ? follow->log : "");
        pithi_put_text(result, "program", follow ? follow->program : "");
        Tcl_SetObjResult(interp, result);
        return TCL_OK;
    case LOOK:
        return pithi_anim_look(anim, time) ? pithi_log_error(interp) : TCL_OK;
    case PLACES:
        return anim_places(object, interp, objv + 2);
    case SENT:
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj((Tcl_WideInt)pithi_anim_sent(anim, time)));
        return TCL_OK;
    case STATES:
        return anim_states(object, interp);
    }
    return TCL_OK;
}

static void anim_delete(ClientData data)
{
    struct anim_object *object = data;

    pithi_anim_close(object->anim);
    pithi_raster_free(&object->raster);
    free(object);
}

int pithi_anim_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const sources[] = {"follow", "log", NULL};
    static unsigned next;
    struct anim_object *object;
    struct pithi_anim *anim;
    char name[48];
    int source;

    (void)objc;
    if (Tcl_GetIndexFromObj(interp, objv[1], sources, "source", 0, &source) != TCL_OK)
        return TCL_ERROR;
    if (source == 0 ? pithi_anim_follow(Tcl_GetString(objv[2]), &anim) : pithi_anim_open(Tcl_GetString(objv[2]), &anim))
        return pithi_log_error(interp);
    object = pithi_alloc(1, sizeof *object);
    object->anim = anim;
    snprintf(name, sizeof name, "::pithtk::animation%u", ++next);
    object->command = Tcl_CreateObjCommand(interp, name, anim_command, object, anim_delete);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(name, -1));
    return TCL_OK;
}
