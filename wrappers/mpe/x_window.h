/* x_window.h - the windows of mpe_graphics.h and the functions of libX11, for the files graphics*.c. */
#ifndef PITHI_X_WINDOW_H
#define PITHI_X_WINDOW_H

#include "mpe_graphics.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>

/* The functions of libX11 that libmpe uses, without the prefix X. libX11 is loaded when the first window is opened. So
 * programs that only write logs do not need libX11, and no link command has to name it. */
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

/* Their addresses. */
struct pithi_x {
#define ROW(name) __typeof__(&X##name) name;
    PITHI_X_FUNCTIONS(ROW)
#undef ROW
    void (*SetIOErrorExitHandler)(Display *, void (*)(Display *, void *), void *); /* NULL: libX11 is older than 1.7 */
};

struct MPE_XGraph_ {
    struct MPE_XGraph_ *next; /* in the list of open windows */
    const struct pithi_x *x;
    Display *display; /* NULL: this rank does not draw (only rank 0 draws in a MPE_GRAPH_COLLECTIVE window) */
    Window window;
    GC gc, drag_gc;        /* gc: for drawing; drag_gc: for the shape that follows a dragging mouse */
    unsigned long *pixels; /* [MPE_Color] X's pixel value */
    int colours;           /* how many colours the window has */
    MPI_Comm comm;         /* to share rank 0's results; MPI_COMM_NULL if the window is not MPE_GRAPH_COLLECTIVE */
    int is_broken;         /* 1: the connection to the display is lost */
    int is_listening;      /* 1: X reports mouse presses to this connection */
    char *capture_name;    /* MPE_CaptureFile: malloc'ed; NULL: none */
    /* capture_every: updates per picture; updates, captures: updates and pictures so far */
    int capture_every, updates, captures;
};

/* Finds the open window of a handle, and locks all windows until pithi_window_end. Returns NULL and locks nothing if no
 * such window is open or its connection is lost. */
struct MPE_XGraph_ *pithi_window_begin(MPE_XGraph handle);
/* Unlocks the windows. Returns `result`, or MPE_ERR_NOXCONNECT if the connection was lost meanwhile. */
int pithi_window_end(struct MPE_XGraph_ *window, int result);

/* Errors that the X server reports between these two calls are caught. pithi_x_errors_caught returns the last error's
 * code, or 0. */
void pithi_x_errors_begin(struct MPE_XGraph_ *window);
int pithi_x_errors_caught(struct MPE_XGraph_ *window);

/* In a MPE_GRAPH_COLLECTIVE window, copies `count` ints from rank 0 to the other ranks. In other windows, does
 * nothing. */
void pithi_window_share(MPE_XGraph handle, int count, int values[]);

#endif
