/* over.h - what lies over a picture that fills a canvas: other items. Thin ones (a line along an axis, the frame of a
 * rectangle) can be drawn here as the canvas does it; it draws by copying the whole area that they span. */
#ifndef PITHI_OVER_H
#define PITHI_OVER_H

#include <stdint.h>

#include <tk.h>

/* In pixels of the canvas; right and bottom are outside. */
struct pithi_area {
    int left, top, right, bottom;
};

struct pithi_thin {
    int framed; /* 0: a line from one corner to the other, along an axis */
    int x0, y0, x1, y1, width;
    Tcl_Obj *colour;
};

struct pithi_over {
    struct pithi_thin *thin;
    uint32_t count, capacity;
    struct pithi_area rest; /* around all other items; empty: there are none */
};

/* The items of `canvas` that `tag` (a tag expression) selects. 0: they cannot be found out. */
int pithi_over_find(Tcl_Interp *interp, Tcl_Obj *canvas, Tcl_Obj *tag, struct pithi_over *over);
/* The thin ones, what of them is in the area. */
void pithi_over_draw(Tcl_Interp *interp, const struct pithi_over *over, Tk_Window window,
                     const struct pithi_area *area);
void pithi_over_free(struct pithi_over *over);

#endif
