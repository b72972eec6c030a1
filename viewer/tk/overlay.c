/* overlay.c - finds the canvas items that lie over a picture, by commands of the canvas, and draws the thin items.
 *
 * While a picture is painted, its scanlines go directly to the window (paper.c). They would cover a cursor line or a
 * frame that lies over the picture until the canvas draws again, so the line or frame would flicker. Therefore lines
 * and frames (thin items) are drawn again at once, directly to the window. Other items (texts, boxes) are few and
 * small. Scanlines leave out the bounding box of all other items, and the canvas draws this box at the end. */
#include "tk/paper_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

/* Runs the Tcl command "CANVAS COMMAND ITEM [OPTION]" and returns its result, which is valid until the next command.
 * Returns NULL on an error. */
static Tcl_Obj *ask(Tcl_Interp *interp, Tcl_Obj *canvas, const char *command, Tcl_Obj *item, const char *option)
{
    Tcl_Obj *words[] = {canvas, Tcl_NewStringObj(command, -1), item, Tcl_NewStringObj(option ? option : "", -1)};
    int status;

    for (int i = 0; i < 4; i++)
        Tcl_IncrRefCount(words[i]);
    status = Tcl_EvalObjv(interp, option ? 4 : 3, words, TCL_EVAL_GLOBAL);
    for (int i = 0; i < 4; i++)
        Tcl_DecrRefCount(words[i]);
    return status == TCL_OK ? Tcl_GetObjResult(interp) : NULL;
}

static const char *ask_text(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *item, const char *option)
{
    Tcl_Obj *answer = ask(interp, canvas, option ? "itemcget" : "type", item, option);
    return answer ? Tcl_GetString(answer) : "";
}

/* Gets the coordinates that "CANVAS COMMAND ITEM" returns, rounded to pixels. Returns 0 if there are not exactly four
 * coordinates, or one is too large for X. */
static int ask_places(Tcl_Interp *interp, Tcl_Obj *canvas, const char *command, Tcl_Obj *item, int places[4])
{
    Tcl_Obj *list = ask(interp, canvas, command, item, NULL), **parts;
    Tcl_Size count;

    if (!list || Tcl_ListObjGetElements(NULL, list, &count, &parts) != TCL_OK || count != 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        double place;
        if (Tcl_GetDoubleFromObj(NULL, parts[i], &place) != TCL_OK || !(fabs(place) < 30000))
            return 0;
        places[i] = (int)floor(place + 0.5);
    }
    return 1;
}

/* Examines an item. Returns 1 and sets *thin if the item is thin (a horizontal or vertical line, or the frame of a
 * rectangle); 0 if it is another item; -1 if it is not visible. */
static int look_at(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *item, struct pithi_thin *thin)
{
    int framed = strcmp(ask_text(interp, canvas, item, NULL), "rectangle") == 0, at[4];
    const char *colour = framed ? "-outline" : "-fill";
    double width;

    if (strcmp(ask_text(interp, canvas, item, "-state"), "hidden") == 0)
        return -1;
    if (!framed && (strcmp(ask_text(interp, canvas, item, NULL), "line") != 0 ||
                    strcmp(ask_text(interp, canvas, item, "-arrow"), "none") != 0))
        return 0;
    if ((framed && *ask_text(interp, canvas, item, "-fill")) || *ask_text(interp, canvas, item, "-dash") ||
        !ask_places(interp, canvas, "coords", item, at) || (!framed && at[0] != at[2] && at[1] != at[3]))
        return 0;
    width = atof(ask_text(interp, canvas, item, "-width"));
    if (!*ask_text(interp, canvas, item, colour))
        return -1;
    *thin = (struct pithi_thin){framed, at[0], at[1], at[2], at[3], (int)(width + 0.5), NULL};
    thin->colour = Tcl_DuplicateObj(Tcl_GetObjResult(interp));
    Tcl_IncrRefCount(thin->colour);
    return 1;
}

static void add_rest(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *item, struct pithi_area *rest)
{
    int box[4];

    if (!ask_places(interp, canvas, "bbox", item, box))
        return;
    if (rest->left >= rest->right)
        *rest = (struct pithi_area){box[0], box[1], box[2], box[3]};
    rest->left = box[0] < rest->left ? box[0] : rest->left;
    rest->top = box[1] < rest->top ? box[1] : rest->top;
    rest->right = box[2] > rest->right ? box[2] : rest->right;
    rest->bottom = box[3] > rest->bottom ? box[3] : rest->bottom;
}

int pithi_overlay_find(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *tag, struct pithi_overlay *overlay)
{
    Tcl_Obj *list = ask(interp, canvas, "find", Tcl_NewStringObj("withtag", -1), Tcl_GetString(tag)), **items;
    Tcl_Size count;
    int known = list && Tcl_ListObjGetElements(NULL, list, &count, &items) == TCL_OK;

    memset(overlay, 0, sizeof *overlay);
    if (known) {
        Tcl_IncrRefCount(list);
        for (Tcl_Size i = 0; i < count; i++) {
            struct pithi_thin thin;
            int what = look_at(interp, canvas, items[i], &thin);
            if (what == 0)
                add_rest(interp, canvas, items[i], &overlay->rest);
            if (what != 1)
                continue;
            overlay->thin =
                pithi_view_grow(overlay->thin, &overlay->capacity, overlay->count + 1, sizeof *overlay->thin);
            overlay->thin[overlay->count++] = thin;
        }
        Tcl_DecrRefCount(list);
    }
    Tcl_ResetResult(interp);
    return known;
}

static int is_in(const struct pithi_thin *thin, const struct pithi_area *area)
{
    int top = thin->y0 < thin->y1 ? thin->y0 : thin->y1, bottom = thin->y0 < thin->y1 ? thin->y1 : thin->y0;

    return top - thin->width <= area->bottom && bottom + thin->width >= area->top;
}

/* Draws a thin item with the same X calls as the canvas. */
static void draw_thin(Tcl_Interp *interp, const struct pithi_thin *thin, Tk_Window window,
                      const struct pithi_area *area)
{
    XRectangle clip = {(short)area->left, (short)area->top, (unsigned short)(area->right - area->left),
                       (unsigned short)(area->bottom - area->top)};
    XColor *colour = Tk_AllocColorFromObj(interp, window, thin->colour);
    XGCValues values = {.line_width = thin->width, .graphics_exposures = False};
    Display *display = Tk_Display(window);
    GC gc;

    if (!colour)
        return;
    values.foreground = colour->pixel;
    gc = Tk_GetGC(window, GCForeground | GCLineWidth | GCGraphicsExposures, &values);
    XSetClipRectangles(display, gc, 0, 0, &clip, 1, YXBanded);
    if (thin->framed)
        XDrawRectangle(display, Tk_WindowId(window), gc, thin->x0, thin->y0, (unsigned)(thin->x1 - thin->x0),
                       (unsigned)(thin->y1 - thin->y0));
    else
        XDrawLine(display, Tk_WindowId(window), gc, thin->x0, thin->y0, thin->x1, thin->y1);
    XSetClipMask(display, gc, None); /* removes the clip, because Tk shares this graphics context with other widgets */
    Tk_FreeGC(display, gc);
    Tk_FreeColorFromObj(window, thin->colour);
}

void pithi_overlay_draw(Tcl_Interp *interp, const struct pithi_overlay *overlay, Tk_Window window,
                        const struct pithi_area *area)
{
    for (uint32_t i = 0; i < overlay->count; i++)
        if (is_in(&overlay->thin[i], area))
            draw_thin(interp, &overlay->thin[i], window, area);
    Tcl_ResetResult(interp);
}

void pithi_overlay_free(struct pithi_overlay *overlay)
{
    for (uint32_t i = 0; i < overlay->count; i++)
        Tcl_DecrRefCount(overlay->thin[i].colour);
    free(overlay->thin);
}
