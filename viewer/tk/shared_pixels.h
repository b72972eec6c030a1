/* shared_pixels.h - memory that an X server and this program share (MIT-SHM). shared_pixels.c, or where the extension's
 * library is missing at compile time shared_pixels_none.c. */
#ifndef PITHI_SHARED_PIXELS_H
#define PITHI_SHARED_PIXELS_H

#include <tk.h>

struct pithi_shared;

/* 1: this display can. */
int pithi_shared_known(Tk_Window window);
/* NULL: it cannot after all (a display on another machine, no memory). */
struct pithi_shared *pithi_shared_new(Tk_Window window, int width, int height);
void pithi_shared_free(struct pithi_shared *shared);
char *pithi_shared_data(struct pithi_shared *shared);
/* The server reads the data some time later: until XSync they must not change. */
void pithi_shared_put(struct pithi_shared *shared, Drawable to, GC gc, int from_x, int from_y, int x, int y,
                      unsigned width, unsigned height);

#endif
