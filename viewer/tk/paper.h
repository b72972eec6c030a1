/* paper.h - `image create pithpaper`, a Tk image that is drawn on in memory and goes to the screen in one piece:
 * through memory shared with the X server where that is possible (`shared`), else only what has changed since the last
 * picture, what moved along being moved by the server itself (`sent`): that makes a remote display bearable. Displays
 * whose pixels are not words 0xRRGGBB need a photo.
 *
 *     pithtk::paper WINDOW           the ways that its display knows, the best first: {shared sent photo}
 *     image create pithpaper -way WAY
 *     IMAGE get X Y                  red, green, blue, as of a photo
 *     IMAGE copy PHOTO               the photo becomes a copy
 *     IMAGE straight CANVAS TAG      it is the item TAG that fills this canvas: new pictures go straight to its window,
 *                                    and the canvas draws only where other items lie (by itself it copies all of it
 *                                    three times, which on a large screen takes longer than all else)
 */
#ifndef PITHI_PAPER_H
#define PITHI_PAPER_H

#include <stdint.h>

#include <tk.h>

struct pithi_paper;

void pithi_paper_init(void); /* once: Tk knows the type */
int pithi_paper_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* NULL: no such image of this type. */
struct pithi_paper *pithi_paper_find(Tcl_Interp *interp, const char *name);
/* Its pixels to be drawn on, [height][width]; the last picture, when the size is the same. Waits until the X server has
 * taken that. NULL: no memory. */
uint32_t *pithi_paper_begin(struct pithi_paper *paper, int width, int height);
/* Scanlines up to `end` are drawn: they may go to the screen while the others are, all in all from top to bottom. */
void pithi_paper_ready(struct pithi_paper *paper, int end);
/* It is drawn. `moved`: what was in column x is in x - moved now, mostly; 0: it did not move. */
void pithi_paper_end(struct pithi_paper *paper, int moved);

#endif
