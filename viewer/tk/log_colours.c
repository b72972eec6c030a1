/* log_colours.c - sets the colours of a log's definitions, one by one or by a palette, and chooses the theme, which has
 * all other colours of a picture. */
#include <stdio.h>
#include <string.h>

#include "core/raster/palette.h"
#include "tk/commands.h"
#include "tk/log_object.h"

static int usage(Tcl_Interp *interp, const char *what, const char *word)
{
    Tcl_SetObjResult(interp, Tcl_ObjPrintf("%s: %s", what, word));
    Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
    return TCL_ERROR;
}

static int get_colour(Tcl_Interp *interp, Tcl_Obj *word, uint32_t *rgb)
{
    unsigned value;
    int end = 0;

    if (sscanf(Tcl_GetString(word), "#%6x%n", &value, &end) != 1 || end != 7 || Tcl_GetString(word)[7])
        return usage(interp, "no colour such as #1f77b4", Tcl_GetString(word));
    *rgb = value;
    return TCL_OK;
}

static Tcl_Obj *colour_word(uint32_t rgb) { return Tcl_ObjPrintf("#%06x", rgb); }

/* Sets the colour of a definition. The colour is used as given, in any theme. */
int pithi_log_colour(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t rgb;
    int id;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[2], &id) != TCL_OK || get_colour(interp, objv[3], &rgb) != TCL_OK)
        return TCL_ERROR;
    if (id < 0 || (uint32_t)id >= pithlog_get_info(object->log)->defs)
        return usage(interp, "no such definition", Tcl_GetString(objv[2]));
    object->rgb[id] = rgb;
    return TCL_OK;
}

int pithi_log_palette(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    enum pithi_palette palette;
    Tcl_Obj *list;

    (void)objc;
    if (pithi_palette_parse(Tcl_GetString(objv[2]), &palette))
        return usage(interp, "no such palette (log, classic, safe)", Tcl_GetString(objv[2]));
    if (pithi_palette_fill(object->log, object->summary, palette, object->rgb))
        Tcl_ResetResult(interp); /* damage is no error here: it only affects the order of the colours, and the picture
                                  * reports it */
    list = Tcl_NewListObj(0, NULL);
    for (uint32_t id = 0; id < pithlog_get_info(object->log)->defs; id++)
        Tcl_ListObjAppendElement(NULL, list, colour_word(object->rgb[id]));
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

int pithi_theme_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tcl_Obj *dict;
    const struct pithi_theme *theme;

    if (objc == 2 && pithi_theme_choose(Tcl_GetString(objv[1])))
        return usage(interp, "no such theme (light, dark)", Tcl_GetString(objv[1]));
    theme = pithi_theme();
    dict = Tcl_NewDictObj();
#define PUT(field) pithi_put(dict, #field, colour_word(theme->field));
    PITHI_THEME_COLOURS(PUT)
#undef PUT
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

int pithi_scale_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    double scale;

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[1], &scale) != TCL_OK)
        return TCL_ERROR;
    if (!(scale > 0))
        return usage(interp, "no scale", Tcl_GetString(objv[1]));
    pithi_theme_set_scale(scale);
    return TCL_OK;
}

int pithi_text_on_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t rgb;

    (void)objc;
    if (get_colour(interp, objv[1], &rgb) != TCL_OK)
        return TCL_ERROR;
    Tcl_SetObjResult(interp, colour_word(pithi_rgb_text_on(rgb)));
    return TCL_OK;
}

int pithi_safe_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tcl_Obj *list;
    int count;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[1], &count) != TCL_OK)
        return TCL_ERROR;
    list = Tcl_NewListObj(0, NULL);
    for (int i = 0; i < count; i++)
        Tcl_ListObjAppendElement(NULL, list, colour_word(pithi_safe_colour((uint32_t)i)));
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
