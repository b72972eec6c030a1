/* log_notes.c - the notes of a log (core/scene/notes.h) for the window. */
#include <stdlib.h>

#include "core/scene/notes.h"
#include "tk/log_object.h"

enum { WHY = 1024 }; /* bytes */

static Tcl_Obj *list_notes(const struct pithi_notes *notes)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    for (uint32_t i = 0; i < notes->count; i++) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "time", notes->items[i].time_ns);
        pithi_put_wide(dict, "rank", notes->items[i].rank);
        pithi_put_wide(dict, "thread", notes->items[i].thread);
        pithi_put_text(dict, "text", notes->items[i].text);
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    return list;
}

int pithi_log_notes(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_notes notes = {0};
    char *path = pithi_notes_path(object->path), why[WHY];
    int failed = pithi_notes_read(&notes, path, why, sizeof why);

    (void)objc, (void)objv;
    free(path);
    if (failed) {
        pithi_notes_free(&notes);
        return pithi_usage_error(interp, why);
    }
    Tcl_SetObjResult(interp, list_notes(&notes));
    pithi_notes_free(&notes);
    return TCL_OK;
}

/* Gets the value of a key of a note. Returns TCL_ERROR if the note does not have the key. */
static int get(Tcl_Interp *interp, Tcl_Obj *dict, const char *key, Tcl_Obj **value)
{
    Tcl_Obj *name = Tcl_NewStringObj(key, -1);
    int status;

    Tcl_IncrRefCount(name);
    status = Tcl_DictObjGet(interp, dict, name, value);
    Tcl_DecrRefCount(name);
    return status == TCL_OK && !*value ? pithi_usage_error(interp, "a note has time, rank, thread and text") : status;
}

static int add_note(Tcl_Interp *interp, struct pithi_notes *notes, Tcl_Obj *dict)
{
    Tcl_Obj *time, *rank, *thread, *text;
    int64_t time_ns;
    int rank_number, thread_number;

    if (get(interp, dict, "time", &time) != TCL_OK || get(interp, dict, "rank", &rank) != TCL_OK ||
        get(interp, dict, "thread", &thread) != TCL_OK || get(interp, dict, "text", &text) != TCL_OK ||
        pithi_get_time(interp, time, &time_ns) != TCL_OK || Tcl_GetIntFromObj(interp, rank, &rank_number) != TCL_OK ||
        Tcl_GetIntFromObj(interp, thread, &thread_number) != TCL_OK)
        return TCL_ERROR;
    pithi_notes_add(notes, time_ns, rank_number, (uint32_t)thread_number, Tcl_GetString(text));
    return TCL_OK;
}

int pithi_log_set_notes(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_notes notes = {0};
    Tcl_Obj **items;
    Tcl_Size count;

    (void)objc;
    if (Tcl_ListObjGetElements(interp, objv[2], &count, &items) != TCL_OK)
        return TCL_ERROR;
    for (Tcl_Size i = 0; i < count; i++)
        if (add_note(interp, &notes, items[i]) != TCL_OK) {
            pithi_notes_free(&notes);
            return TCL_ERROR;
        }
    pithi_notes_free(&object->notes);
    object->notes = notes;
    Tcl_SetObjResult(interp, list_notes(&notes));
    return TCL_OK;
}

int pithi_log_save_notes(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char *path = pithi_notes_path(object->path), why[WHY];
    int failed = pithi_notes_write(&object->notes, path, why, sizeof why);

    (void)objc, (void)objv;
    free(path);
    return failed ? pithi_usage_error(interp, why) : TCL_OK;
}

int pithi_log_note_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    double x, y;
    uint32_t index;

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    index = pithi_note_at(&object->plot, x, y);
    Tcl_SetObjResult(interp, Tcl_NewIntObj(index == PITHI_NONE ? -1 : (int)index));
    return TCL_OK;
}
