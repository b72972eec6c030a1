/* paper.h - `image create pithpaper`, a Tk image that is painted in memory. Its pixels go to the X server by one of two
 * transports. `shared`: the picture is in memory shared with the server. `sent`: the server keeps the old picture, can
 * shift it, and gets only the bands that differ from it; so remote displays are fast enough. A display whose pixels are
 * not words 0xRRGGBB needs a photo instead of this image type.
 *
 *     pithtk::paper WINDOW           the transports that the window's display supports, the best first, for example
 *                                    {shared sent photo}
 *     image create pithpaper -way WAY
 *     IMAGE get X Y                  red, green, blue, as of a photo
 *     IMAGE copy PHOTO               copies the picture into a photo
 *     IMAGE straight CANVAS TAG      draws new pictures directly to the window of CANVAS, whose item TAG shows the
 *                                    image and fills the canvas. The canvas only redraws where other items lie. (By
 *                                    itself the canvas copies each picture three times, which takes most of the time
 *                                    of a picture on a large screen.) */
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
/* Reports that the picture is complete. If most of the picture is the last picture, shifted to the left, `moved` is the
 * number of columns by which it is shifted; otherwise 0. */
void pithi_paper_end(struct pithi_paper *paper, int moved);

#endif
