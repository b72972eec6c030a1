/* kept_pixels.h - a picture that the X server keeps, and of which only what changes is sent. */
#ifndef PITHI_KEPT_PIXELS_H
#define PITHI_KEPT_PIXELS_H

#include <stdint.h>

#include <tk.h>

struct pithi_kept;

/* Pixels as words 0xRRGGBB, 32 bits each (paper.c sees to it). */
struct pithi_kept *pithi_kept_new(Tk_Window window, int width, int height);
void pithi_kept_free(struct pithi_kept *kept);
/* The server gets to know the words. `moved`: what was in column x is in x - moved now, as a hint: the server moves
 * what it has itself. */
void pithi_kept_update(struct pithi_kept *kept, const uint32_t *words, GC gc, int moved);
Pixmap pithi_kept_pixmap(const struct pithi_kept *kept);

#endif
