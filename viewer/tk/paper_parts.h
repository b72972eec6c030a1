/* paper_parts.h - functions that implement the image type of paper.h: for canvas items over the picture (overlay.c),
 * and for the two transports to the X server (server_pixels.c, shared_pixels.c). */
#ifndef PITHI_PAPER_PARTS_H
#define PITHI_PAPER_PARTS_H

#include <stdint.h>

#include <tk.h>
#include "tk/tcl_kinds.h"

/* ---- Items over the picture (overlay.c) -------------------------------------------------------------------------- */

/* Thin items are horizontal and vertical lines, and frames of rectangles. overlay.c draws them itself, because the
 * canvas would redraw the whole area that an item spans. */

/* An area [left, right) x [top, bottom) in pixels of the canvas. */
struct pithi_area {
    int left, top, right, bottom;
};

struct pithi_thin {
    int framed; /* 1: the frame of a rectangle; 0: a horizontal or vertical line */
    int x0, y0, x1, y1, width;
    Tcl_Obj *colour;
};

struct pithi_overlay {
    struct pithi_thin *thin;
    uint32_t count, capacity;
    struct pithi_area rest; /* bounding box of all other items; empty if there are none */
};

/* Finds the items of `canvas` that `tag` (a tag expression) selects. Returns 0 after an error. */
int pithi_overlay_find(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *tag, struct pithi_overlay *overlay);
/* Draws the thin items within the area. */
void pithi_overlay_draw(Tcl_Interp *interp, const struct pithi_overlay *overlay, Tk_Window window,
                        const struct pithi_area *area);
void pithi_overlay_free(struct pithi_overlay *overlay);

/* ---- A picture stored in the X server (server_pixels.c) ---------------------------------------------------------- */

struct pithi_server_pixels;

/* Pixels must be 32-bit words 0xRRGGBB, which paper.c checks. */
struct pithi_server_pixels *pithi_server_pixels_new(Tk_Window window, int width, int height);
void pithi_server_pixels_free(struct pithi_server_pixels *pixels);
/* Sends the bands that differ. `moved` is the number of columns by which the picture has moved to the left. The server
 * shifts its copy by so many columns, so that fewer bands differ. */
void pithi_server_pixels_update(struct pithi_server_pixels *pixels, const uint32_t *words, GC gc, int moved);
Pixmap pithi_server_pixels_pixmap(const struct pithi_server_pixels *pixels);

/* ---- Pixels in shared memory (shared_pixels.c) ------------------------------------------------------------------- */

struct pithi_shared;

/* Memory that the X server and this program share (MIT-SHM). shared_pixels_none.c replaces shared_pixels.c if the
 * library for MIT-SHM is missing at compile time. */

/* Returns 1 if memory can be shared with the display. Tests this with a picture of a single pixel. */
int pithi_shared_known(Tk_Window window);
/* Returns NULL if memory cannot be shared, because the display is on another host, or there is no memory. */
struct pithi_shared *pithi_shared_new(Tk_Window window, int width, int height);
void pithi_shared_free(struct pithi_shared *shared);
char *pithi_shared_data(struct pithi_shared *shared);
/* Asks the server to draw a part of the picture. The server reads the pixels later, so they must not change until the
 * next XSync. */
void pithi_shared_put(struct pithi_shared *shared, Drawable to, GC gc, int from_x, int from_y, int x, int y,
                      unsigned width, unsigned height);

#endif
