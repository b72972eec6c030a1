/* paper.h - `image create pithpaper`, a Tk image that is painted in memory and goes to the screen in one piece. There
 * are two transports to the X server. `shared`: the picture is in memory shared with the server. `sent`: the server
 * gets only the bands that differ from its old picture, which it can shift by itself; so remote displays are fast
 * enough. A display whose pixels are not words 0xRRGGBB needs a photo.
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

/* Finds an image by its name. Returns NULL if no image of this type has the name. */
struct pithi_paper *pithi_paper_find(Tcl_Interp *interp, const char *name);
/* Waits until the X server has read the last picture. Returns the pixels to paint, [height][width], which still have
 * the last picture if its size was the same. Returns NULL if there is no memory. */
uint32_t *pithi_paper_begin(struct pithi_paper *paper, int width, int height);
/* Reports that the scanlines up to `end` are painted and may go to the screen. */
void pithi_paper_ready(struct pithi_paper *paper, int end);
/* Reports that the picture is complete. If most of the picture is the old one, shifted to the left, `moved` is the
 * number of columns; otherwise 0. */
void pithi_paper_end(struct pithi_paper *paper, int moved);

#endif
