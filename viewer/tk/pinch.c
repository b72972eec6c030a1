/* pinch.c - reports pinches on a touchpad. Tk 8.6 does not read events of the X Input Extension, so this file requests
 * them by a second connection to the X server. Pinches need XInput 2.4, which X servers have from version 21.1 on. */
#include <X11/extensions/XInput2.h>
#include <stdlib.h>
#include <string.h>
#include <tk.h>

#include "core/cells/memory.h"
#include "tk/commands.h"

struct pinch {
    Tcl_Interp *interp;
    Tcl_Obj *callback;
    Display *display; /* a connection of its own */
    int opcode;       /* major opcode of the X Input Extension */
};

static const char *what_of(int type)
{
    return type == XI_GesturePinchBegin ? "begin" : type == XI_GesturePinchUpdate ? "update" : "end";
}

static void report(struct pinch *pinch, const XIGesturePinchEvent *event)
{
    Tcl_Obj *call = Tcl_DuplicateObj(pinch->callback);

    Tcl_IncrRefCount(call);
    Tcl_ListObjAppendElement(NULL, call, Tcl_NewStringObj(what_of(event->evtype), -1));
    Tcl_ListObjAppendElement(NULL, call, Tcl_NewDoubleObj(event->event_x));
    Tcl_ListObjAppendElement(NULL, call, Tcl_NewDoubleObj(event->scale));
    if (Tcl_EvalObjEx(pinch->interp, call, TCL_EVAL_GLOBAL) != TCL_OK)
        Tcl_BackgroundException(pinch->interp, TCL_ERROR);
    Tcl_DecrRefCount(call);
}

/* Reads all events that have arrived. Of several successive updates only the last one is reported. The others are not
 * needed, because the scale of an update is relative to the begin of the pinch. */
static void read_events(ClientData data, int mask)
{
    struct pinch *pinch = data;
    XIGesturePinchEvent last = {0};
    XEvent event;

    (void)mask;
    /* Keeps `pinch` from being freed within the loop, because the callback may close the window. */
    Tcl_Preserve(pinch);
    while (pinch->display && XPending(pinch->display)) {
        XNextEvent(pinch->display, &event);
        if (event.type != GenericEvent || event.xcookie.extension != pinch->opcode ||
            !XGetEventData(pinch->display, &event.xcookie))
            continue;
        XIGesturePinchEvent now = *(const XIGesturePinchEvent *)event.xcookie.data;
        XFreeEventData(pinch->display, &event.xcookie);
        /* If an event other than an update follows, reports the last update first. */
        if (last.evtype == XI_GesturePinchUpdate && now.evtype != XI_GesturePinchUpdate)
            report(pinch, &last);
        last = now;
        if (now.evtype != XI_GesturePinchUpdate && pinch->display)
            report(pinch, &now);
    }
    if (last.evtype == XI_GesturePinchUpdate && pinch->display)
        report(pinch, &last);
    Tcl_Release(pinch);
}

static void release(pithi_freed *data)
{
    Tcl_DecrRefCount(((struct pinch *)data)->callback);
    free(data);
}

static void on_window(ClientData data, XEvent *event)
{
    struct pinch *pinch = data;

    if (event->type != DestroyNotify || !pinch->display)
        return;
    Tcl_DeleteFileHandler(ConnectionNumber(pinch->display));
    XCloseDisplay(pinch->display);
    pinch->display = NULL;
    /* Frees `pinch` later, because read_events may be running. */
    Tcl_EventuallyFree(pinch, release);
}

static int failed; /* set by on_error */
static int on_error(Display *display, XErrorEvent *error)
{
    (void)display, (void)error;
    return failed = 1;
}

/* Requests the pinches in a window. Returns 0 if the server does not support them. */
static int ask(struct pinch *pinch, Window window)
{
    unsigned char bits[XIMaskLen(XI_LASTEVENT)] = {0};
    XIEventMask mask = {XIAllMasterDevices, sizeof bits, bits};
    int event, error, major = 2, minor = 4;
    int (*before)(Display *, XErrorEvent *);

    if (!XQueryExtension(pinch->display, "XInputExtension", &pinch->opcode, &event, &error) ||
        XIQueryVersion(pinch->display, &major, &minor) != Success || major < 2 || (major == 2 && minor < 4))
        return 0;
    for (int type = XI_GesturePinchBegin; type <= XI_GesturePinchEnd; type++)
        XISetMask(bits, type);
    /* If XISelectEvents fails, an X error arrives later, which would end the program. So a handler is set that only
     * notes the error, and XSync waits until an error has arrived. */
    failed = 0;
    before = XSetErrorHandler(on_error);
    XISelectEvents(pinch->display, window, &mask, 1);
    XSync(pinch->display, False);
    XSetErrorHandler(before);
    return !failed;
}

/* Returns 1 if the display is on another machine. Pinches of such a display are not requested, because the window would
 * have to wait for several round trips of a second connection. */
static int is_remote(const char *name) { return *name != ':' && strncmp(name, "unix:", 5) != 0; }

int pithi_pinch_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));
    struct pinch *pinch;
    int asked;

    (void)objc;
    if (!window)
        return TCL_ERROR;
    /* The result is 0 unless the request succeeds. A failed request is no error, because the window works without
     * pinches. */
    Tcl_SetObjResult(interp, Tcl_NewIntObj(0));
    if (is_remote(DisplayString(Tk_Display(window))))
        return TCL_OK;
    pinch = pithi_alloc(1, sizeof *pinch);
    pinch->display = XOpenDisplay(DisplayString(Tk_Display(window)));
    Tk_MakeWindowExist(window);
    XSync(Tk_Display(window), False); /* the window must exist in the server before the other connection uses it */
    asked = pinch->display && ask(pinch, Tk_WindowId(window));
    if (!asked) {
        if (pinch->display)
            XCloseDisplay(pinch->display);
        free(pinch);
        return TCL_OK;
    }
    pinch->interp = interp;
    pinch->callback = objv[2];
    Tcl_IncrRefCount(pinch->callback);
    Tcl_CreateFileHandler(ConnectionNumber(pinch->display), TCL_READABLE, read_events, pinch);
    Tk_CreateEventHandler(window, StructureNotifyMask, on_window, pinch);
    Tcl_SetObjResult(interp, Tcl_NewIntObj(1));
    return TCL_OK;
}
