/* x_window.h - the windows of mpe_graphics.h and libX11, shared by the files graphics*.c. */
#ifndef PITHI_X_WINDOW_H
#define PITHI_X_WINDOW_H

#include "mpe_graphics.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>

/* libX11 is loaded when the first window is opened. So programs that only log do not need it, and no link command has
 * to name it. These are the functions that libmpe uses, without their prefix X. */
#define PITHI_X_FUNCTIONS(ROW)                                                                                         \
    ROW(AllocColor)                                                                                                    \
    ROW(AllocNamedColor)                                                                                               \
    ROW(ChangeGC)                                                                                                      \
    ROW(CheckWindowEvent)                                                                                              \
    ROW(CloseDisplay)                                                                                                  \
    ROW(CreateGC)                                                                                                      \
    ROW(CreateWindow)                                                                                                  \
    ROW(DrawArc)                                                                                                       \
    ROW(DrawLine)                                                                                                      \
    ROW(DrawPoints)                                                                                                    \
    ROW(DrawRectangle)                                                                                                 \
    ROW(DrawString)                                                                                                    \
    ROW(FillArc)                                                                                                       \
    ROW(FillRectangle)                                                                                                 \
    ROW(Flush)                                                                                                         \
    ROW(GetImage)                                                                                                      \
    ROW(GetWindowAttributes)                                                                                           \
    ROW(InternAtom)                                                                                                    \
    ROW(MapRaised)                                                                                                     \
    ROW(OpenDisplay)                                                                                                   \
    ROW(SelectInput)                                                                                                   \
    ROW(SetErrorHandler)                                                                                               \
    ROW(SetForeground)                                                                                                 \
    ROW(SetWMNormalHints)                                                                                              \
    ROW(SetWMProtocols)                                                                                                \
    ROW(StoreName)                                                                                                     \
    ROW(Sync)

struct pithi_x {
#define ROW(name) __typeof__(&X##name) name;
    PITHI_X_FUNCTIONS(ROW)
#undef ROW
    void (*SetIOErrorExitHandler)(Display *, void (*)(Display *, void *), void *); /* NULL before libX11 1.7 */
};

struct MPE_XGraph_ {
    struct MPE_XGraph_ *next; /* in the list of open windows */
    const struct pithi_x *x;
    Display *display; /* NULL in a rank that does not draw (MPE_GRAPH_COLLECTIVE, not rank 0) */
    Window window;
    GC gc, drag_gc;        /* for drawing; for the shape that follows a dragging mouse */
    unsigned long *pixels; /* X's pixel value of each colour */
    int colours;           /* how many */
    MPI_Comm comm;         /* MPE_GRAPH_COLLECTIVE: the ranks that get rank 0's results; otherwise MPI_COMM_NULL */
    int is_broken;         /* the display has closed the connection */
    int is_listening;      /* 1: this rank gets the presses of the mouse */
    char *capture_name;    /* MPE_CaptureFile: malloc'ed; NULL: none */
    int capture_every, updates, captures; /* every so many updates; updates, and captured files so far */
};

/* Finds the open window of a handle and locks all windows until pithi_window_end. NULL, without a lock: the window is
 * not open, or its connection broke. */
struct MPE_XGraph_ *pithi_window_begin(MPE_XGraph handle);
/* Unlocks the windows. Returns `result`, or MPE_ERR_NOXCONNECT if the connection broke meanwhile. */
int pithi_window_end(struct MPE_XGraph_ *window, int result);

/* Between these two calls, errors of the X protocol on our connections are caught. The second returns the last error's
 * code, or 0. */
void pithi_x_errors_begin(struct MPE_XGraph_ *window);
int pithi_x_errors_caught(struct MPE_XGraph_ *window);

/* In a MPE_GRAPH_COLLECTIVE window, copies `count` ints from rank 0 to the other ranks. */
void pithi_window_share(MPE_XGraph handle, int count, int values[]);

#endif
