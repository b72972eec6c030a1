/* paper.h - `image create pithpaper`, a Tk image that is painted in memory and goes to the screen in one piece. There
 * are two transports: memory that is shared with the X server (`shared`); and `sent`, where the server shifts its old
 * picture by itself and only gets the bands that differ, which makes remote displays usable. A display whose pixels are
 * not words 0xRRGGBB needs a photo.
 *
 *     pithtk::paper WINDOW           the transports of its display, the best first: {shared sent photo}
 *     image create pithpaper -way WAY
 *     IMAGE get X Y                  red, green, blue, as of a photo
 *     IMAGE copy PHOTO               copies the picture into a photo
 *     IMAGE straight CANVAS TAG      the item TAG shows the image and fills the canvas: new pictures go directly to the
 *                                    canvas's window, and the canvas only redraws where other items lie. (By itself it
 *                                    copies everything three times, most of the time of a frame on a large screen.) */
#ifndef PITHI_PAPER_H
#define PITHI_PAPER_H

#include <stdint.h>

#include <tk.h>

struct pithi_paper;

/* Registers the image type; call it once. */
void pithi_paper_init(void);

/* Finds an image by name; NULL: there is no image of this type with that name. */
struct pithi_paper *pithi_paper_find(Tcl_Interp *interp, const char *name);
/* Returns the pixels to paint, [height][width]. They hold the last picture if the size is the same. Waits until the X
 * server has read the last picture. NULL: no memory. */
uint32_t *pithi_paper_begin(struct pithi_paper *paper, int width, int height);
/* Reports that the scanlines up to `end` are painted and may go to the screen. */
void pithi_paper_ready(struct pithi_paper *paper, int end);
/* Reports that the picture is complete. `moved`: most of it is the old picture, shifted left by this number of columns;
 * 0: it is not. */
void pithi_paper_end(struct pithi_paper *paper, int moved);

#endif
