/* package.c - the Tcl package pithtk, with its commands in the namespace ::pithtk.
 *
 *     open FILE ?CALLBACK?       opens a log and returns its command (log_object.h). With CALLBACK, a job opens it
 *     snapshot FOLDER CALLBACK   a job that reads what a running program has recorded in its spill files. The result is
 *                                a dict: log (a log's command, which the caller closes), running (processes that have
 *                                not ended), finished (1: all ended, and the log was or is being written), now (time
 *                                of this snapshot, ns from the log's start), name (of the log)
 *     animation follow|log FILE  the command of an animation, of a running program's spill files or of a log
 *     duration NS                "1.5 ms"
 *     time NS RESOLUTION         "12.345 s"
 *     parse WORD                 "20ms" as nanoseconds
 *     nearest WORD NAMES         "; did you mean NAME?", or {} if none of the names is similar
 *     number N                   the number with its digits in groups
 *     font FONT new|more TEXT    the font of the names in bars: makes the letters of the text, for a new font or more
 *     theme ?NAME?               chooses a theme; returns the colours of the current theme
 *     scale FACTOR               sets the scale of lengths; 1: for 96 dots per inch
 *     texton COLOUR              black or white, whichever is legible on the colour
 *     safe COUNT                 the first colours of the palette safe
 *     covered WINDOW             1 if another window lies over this one, so that its pixels cannot be copied
 *     grab WINDOW PHOTO          copies a visible window into a photo
 *     paper WINDOW               the transports that the window's display supports (paper.h)
 */
#include <signal.h>
#include <string.h>

#include <tcl.h>
#include <tk.h>
#include <X11/Xutil.h>

#include "base/nearest.h"
#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/rows/words.h"
#include "tk/commands.h"
#include "tk/log_object.h"
#include "tk/paper.h"

#pragma GCC visibility push(default)
int Pithtk_Init(Tcl_Interp *interp);
#pragma GCC visibility pop

static int duration_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t time;

    (void)objc;
    if (pithi_get_time(interp, objv[1], &time) != TCL_OK)
        return TCL_ERROR;
    pithi_duration_text(time, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

static int time_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t time, resolution;

    (void)objc;
    if (pithi_get_time(interp, objv[1], &time) != TCL_OK || pithi_get_time(interp, objv[2], &resolution) != TCL_OK)
        return TCL_ERROR;
    pithi_time_text(time, resolution, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

static int parse_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t time;

    (void)objc;
    if (pithlog_time_parse(Tcl_GetString(objv[1]), &time))
        return pithi_usage_error(interp, pithlog_error());
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(time));
    return TCL_OK;
}

static int number_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t number;

    (void)objc;
    if (pithi_get_time(interp, objv[1], &number) != TCL_OK)
        return TCL_ERROR;
    pithi_number_text(number < 0 ? 0 : (uint64_t)number, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

static int nearest_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const char *word = Tcl_GetString(objv[1]);
    struct pithi_nearest nearest;
    Tcl_Obj **names;
    Tcl_Size count;

    (void)objc;
    if (Tcl_ListObjGetElements(interp, objv[2], &count, &names) != TCL_OK)
        return TCL_ERROR;
    pithi_nearest_begin(&nearest, word, strlen(word));
    for (Tcl_Size i = 0; i < count; i++)
        pithi_nearest_try(&nearest, Tcl_GetString(names[i]));
    Tcl_SetObjResult(interp, Tcl_NewStringObj(pithi_nearest_ask(&nearest), -1));
    return TCL_OK;
}

static int shift_of(unsigned long mask) { return mask ? __builtin_ctzl(mask) : 0; }

/* Returns 1 if a compositor is running, which keeps the pixels of each window in separate memory. */
static int is_composed(Display *display, int screen)
{
    char name[32];

    snprintf(name, sizeof name, "_NET_WM_CM_S%d", screen);
    return XGetSelectionOwner(display, XInternAtom(display, name, False)) != None;
}

/* Returns 1 if another window, of this or another application, lies over a part of the window. Then the server does not
 * have the pixels of this part. Only children of the root window that come after this window can lie over it. */
static int is_covered(Tk_Window window)
{
    Display *display = Tk_Display(window);
    /* Ignores X errors, because one of the windows may be closed while they are examined. */
    Tk_ErrorHandler handler = Tk_CreateErrorHandler(display, -1, -1, -1, NULL, NULL);
    Window root = RootWindow(display, Tk_ScreenNumber(window)), top = Tk_WindowId(window), parent, ignored, *children;
    int x, y, covered = 0;
    unsigned count = 0, i;

    XTranslateCoordinates(display, top, root, 0, 0, &x, &y, &ignored);
    while (XQueryTree(display, top, &ignored, &parent, &children, &count) && parent != root && parent != None) {
        XFree(children);
        top = parent;
    }
    XFree(children);
    children = NULL;
    count = 0;
    if (!is_composed(display, Tk_ScreenNumber(window)))
        XQueryTree(display, root, &ignored, &parent, &children, &count);
    for (i = 0; i < count && children[i] != top; i++)
        ;
    for (i++; i < count && !covered; i++) {
        XWindowAttributes other;
        covered = XGetWindowAttributes(display, children[i], &other) && other.map_state == IsViewable &&
                  other.class == InputOutput && other.x < x + Tk_Width(window) && x < other.x + other.width &&
                  other.y < y + Tk_Height(window) && y < other.y + other.height;
    }
    XFree(children);
    Tk_DeleteErrorHandler(handler);
    return covered;
}

static int covered_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));

    (void)objc;
    if (!window)
        return TCL_ERROR;
    Tcl_SetObjResult(interp, Tcl_NewIntObj(Tk_IsMapped(window) && is_covered(window)));
    return TCL_OK;
}

static int grab_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window;
    Tk_ErrorHandler handler;
    struct pithi_raster raster = {0};
    XImage *image;
    int status;

    (void)objc;
    window = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));
    if (!window || !Tk_IsMapped(window)) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no such window on the screen", -1));
        return TCL_ERROR;
    }
    /* Ignores the X error BadMatch, which XGetImage causes if the window is partly off the screen or is being resized.
     * Without a handler, the error would end the program. */
    handler = Tk_CreateErrorHandler(Tk_Display(window), BadMatch, -1, -1, NULL, NULL);
    image = XGetImage(Tk_Display(window), Tk_WindowId(window), 0, 0, (unsigned)Tk_Width(window),
                      (unsigned)Tk_Height(window), AllPlanes, ZPixmap);
    Tk_DeleteErrorHandler(handler);
    if (!image || !image->red_mask) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("the display cannot copy the window", -1));
        return TCL_ERROR;
    }
    pithi_raster_prepare(&raster, image->width, image->height, 0);
    /* This works for a true colour visual with 8 bits for each of red, green and blue. */
    unsigned char *out = raster.pixels;
    int red = shift_of(image->red_mask), green = shift_of(image->green_mask), blue = shift_of(image->blue_mask);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++, out += 3) {
            unsigned long pixel = XGetPixel(image, x, y);
            out[0] = (unsigned char)(pixel >> red);
            out[1] = (unsigned char)(pixel >> green);
            out[2] = (unsigned char)(pixel >> blue);
        }
    status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
    pithi_raster_free(&raster);
    XDestroyImage(image);
    return status;
}

static const struct command {
    const char *name;
    int least, most; /* limits of the number of arguments */
    const char *usage;
    pithi_command *run;
} commands[] = {{"::pithtk::animation", 2, 2, "follow|log file", pithi_anim_command},
                {"::pithtk::covered", 1, 1, "window", covered_command},
                {"::pithtk::duration", 1, 1, "ns", duration_command},
                {"::pithtk::font", 3, 3, "font new|more text", pithi_font_command},
                {"::pithtk::grab", 2, 2, "window photo", grab_command},
                {"::pithtk::nearest", 2, 2, "word names", nearest_command},
                {"::pithtk::number", 1, 1, "number", number_command},
                {"::pithtk::open", 1, 2, "file ?callback?", pithi_open_command},
                {"::pithtk::paper", 1, 1, "window", pithi_paper_command},
                {"::pithtk::parse", 1, 1, "time", parse_command},
                {"::pithtk::pinch", 2, 2, "window callback", pithi_pinch_command},
                {"::pithtk::query", 1, 1, "query", pithi_query_command},
                {"::pithtk::safe", 1, 1, "count", pithi_safe_command},
                {"::pithtk::scale", 1, 1, "factor", pithi_scale_command},
                {"::pithtk::snapshot", 2, 2, "folder callback", pithi_snapshot_command},
                {"::pithtk::texton", 1, 1, "#rrggbb", pithi_text_on_command},
                {"::pithtk::theme", 0, 1, "?name?", pithi_theme_command},
                {"::pithtk::time", 2, 2, "ns resolution", time_command}};

static int run_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct command *command = data;

    if (objc > command->least && objc <= command->most + 1)
        return command->run(interp, objc, objv);
    Tcl_WrongNumArgs(interp, 1, objv, command->usage);
    return TCL_ERROR;
}

int Pithtk_Init(Tcl_Interp *interp)
{
    if (!Tcl_InitStubs(interp, TCL_VERSION, 0) || !Tk_InitStubs(interp, TK_VERSION, 0))
        return TCL_ERROR;
    /* Ignores SIGXFSZ, which a write beyond the limit of file sizes raises. The write then fails, and the partial file
     * is removed. */
    signal(SIGXFSZ, SIG_IGN);
    if (!Tcl_FindNamespace(interp, "::pithtk", NULL, 0))
        Tcl_CreateNamespace(interp, "::pithtk", NULL, NULL);
    pithi_paper_init();
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        Tcl_CreateObjCommand(interp, commands[i].name, run_command, (ClientData)&commands[i], NULL);
    return Tcl_PkgProvide(interp, "pithtk", "1.0");
}
