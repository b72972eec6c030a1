/* glyphs.h - the letters of one font as masks, with which the raster draws text. The window makes them of Tk's font
 * (tk/font_glyphs.c), because the core has no fonts.
 *
 * There is one set for all pictures, as there is one theme. Its owner's thread changes it while nothing is painted;
 * painting threads only read it. */
#ifndef PITHI_GLYPHS_H
#define PITHI_GLYPHS_H

#include "core/raster.h"

/* A pixel that a letter covers. Most pixels of a mask are empty. */
struct pithi_dot {
    uint16_t x, y;   /* from the letter's upper left */
    uint16_t weight; /* how much of the pixel is covered, of 256 */
};

struct pithi_glyph {
    uint32_t code; /* of Unicode */
    int width;     /* of the mask, and to the next letter */
    struct pithi_dot *dots;
    uint32_t dot_count;
};

struct pithi_glyphs {
    int ascent, height; /* the base line is `ascent` below the upper edge of the masks */
    struct pithi_glyph *items;
    uint32_t count, capacity;
    uint32_t *slots; /* a hash table of index + 1 */
    uint32_t slot_count;
};

/* The set; its `height` is 0 as long as there is no font. */
struct pithi_glyphs *pithi_glyphs(void);
/* Empties it, for another font. */
void pithi_glyphs_reset(struct pithi_glyphs *glyphs, int ascent, int height);
/* Adds a letter that the set does not have. `mask` [height][width]: how much of each pixel it covers, of 255. */
void pithi_glyphs_add(struct pithi_glyphs *glyphs, uint32_t code, int width, const unsigned char *mask);
/* NULL: the set does not have it. */
const struct pithi_glyph *pithi_glyphs_find(const struct pithi_glyphs *glyphs, uint32_t code);
/* The first code of a text of UTF-8; moves *text behind it. 0 at the end. A wrong byte stands for itself. */
uint32_t pithi_glyphs_next(const char **text);

/* The text functions of the raster's painter; the context is a raster of words. */
double pithi_glyphs_width(void *raster, struct pithi_font font, const char *text);
void pithi_glyphs_text(void *raster, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                       const char *text);

#endif
