/* x_window.h - the windows of mpe_graphics.h, as the files graphics*.c share them. */
#ifndef PITHI_X_WINDOW_H
#define PITHI_X_WINDOW_H

#include "mpe_graphics.h"
#include "x_library.h"

struct MPE_XGraph_ {
    struct MPE_XGraph_ *next; /* in the list of open windows */
    const struct pithi_x *x;
    Display *display; /* NULL in a rank that has no part in drawing (MPE_GRAPH_COLLECTIVE, not rank 0) */
    Window window;
    GC gc, drag_gc;
    unsigned long *pixels; /* of each colour */
    int colours;
    MPI_Comm comm; /* MPE_GRAPH_COLLECTIVE: the ranks that get rank 0's results, else MPI_COMM_NULL */
    int is_broken; /* the display has closed the connection */
    int is_listening;
    char *capture_name;
    int capture_every, updates, captures;
};

/* The open window of a handle, with the lock of all windows held, until pithi_window_end; NULL, with nothing held: it
 * is not open, or its connection broke. */
struct MPE_XGraph_ *pithi_window_begin(MPE_XGraph handle);
int pithi_window_end(struct MPE_XGraph_ *window, int result);

/* The X protocol errors on our connections are caught from here to _caught, which returns the last one's code or 0. */
void pithi_x_errors_begin(struct MPE_XGraph_ *window);
int pithi_x_errors_caught(struct MPE_XGraph_ *window);

/* In a window of MPE_GRAPH_COLLECTIVE: the `count` ints of rank 0 replace those of the other ranks. */
void pithi_window_share(MPE_XGraph handle, int count, int values[]);

/* Writes the picture to NAME followed by a number. Errors are told on stderr. */
void pithi_window_capture(struct MPE_XGraph_ *window);

#endif
