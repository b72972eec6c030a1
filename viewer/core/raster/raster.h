/* raster.h - a picture in memory and its painter. Pixels have three bytes (red, green, blue), or are words 0x00RRGGBB,
 * as X displays use them.
 *
 * Rectangles are exact: their corners are rounded to whole pixels. Lines are smoothed. Text is in the font of
 * pithi_glyphs, whatever size the caller asks for. Text is drawn only if there is a font and the raster has `words`. */
#ifndef PITHI_RASTER_H
#define PITHI_RASTER_H

#include "core/raster/painter.h"

/* Bytes of a text that is stored and drawn later; a longer text is cut. */
enum { PITHI_KEPT_TEXT = 24 };

struct pithi_raster {
    unsigned char *pixels; /* [height][width][3] */
    uint32_t *words;       /* [height][width] instead of `pixels`, not owned; NULL: `pixels` are used */
    int width, height;
    int left, top, right, bottom; /* clip */
    const uint32_t *ground;       /* [width] colours of the empty picture, not owned; or NULL */
    int first, end;               /* only the scanlines [first, end) are drawn */
    int keeps;                    /* 1: shapes and texts are stored, to be drawn later */
    struct pithi_shape *shapes;   /* [shape_count] the stored shapes */
    uint32_t shape_count, shape_capacity;
};

/* Sets the size and fills with one colour. The raster must be zeroed before the first call. */
void pithi_raster_prepare(struct pithi_raster *raster, int width, int height, uint32_t rgb);
/* Like pithi_raster_prepare, on words that the caller owns. */
void pithi_raster_onto(struct pithi_raster *raster, uint32_t *words, int width, int height, uint32_t rgb);
/* Like pithi_raster_onto, but does not fill the picture. Instead, the painter's ground() fills scanlines with the
 * colours ground[width], which the caller owns, too. */
void pithi_raster_grounded(struct pithi_raster *raster, uint32_t *words, int width, int height, const uint32_t *ground);
/* Returns the scanlines [first, end) of a raster as a raster of its own, in the same memory, for use in any thread. The
 * part shares the stored shapes, so the raster must outlive the part. The part has nothing to be freed. */
struct pithi_raster pithi_raster_part(const struct pithi_raster *raster, int first, int end);
/* Draws the stored shapes on a part, in their order: the picture is the same as if they had been drawn at once. */
void pithi_raster_draw_kept(struct pithi_raster *part);
/* Frees the stored shapes and stops storing. */
void pithi_raster_forget(struct pithi_raster *raster);
void pithi_raster_free(struct pithi_raster *raster);
/* Returns `over` blended on `under`; alpha: 0 to 256. Red and blue are computed together, then green. under * (256 -
 * alpha) + over * alpha would need two multiplications; under * 256 + (over - under) * alpha needs one. A negative
 * difference wraps around, and the sum wraps back. */
static inline uint32_t pithi_blend_words(uint32_t under, uint32_t over, uint32_t alpha)
{
    uint32_t red_blue = under & 0xff00ff, green = under & 0xff00;

    red_blue = (red_blue << 8) + ((over & 0xff00ff) - red_blue) * alpha + 0x800080;
    green = (green << 8) + ((over & 0xff00) - green) * alpha + 0x8000;
    return (red_blue >> 8 & 0xff00ff) | (green >> 8 & 0xff00);
}

struct pithi_painter pithi_raster_painter(struct pithi_raster *raster);

/* ---- Letters ----------------------------------------------------------------------------------------------------- */

/* The letters of one font as masks, with which the raster draws text. The viewer's window makes them of Tk's font
 * (tk/font_glyphs.c), because the core has no fonts.
 *
 * There is one set for all pictures, as there is one theme. The thread that made the set changes it only while nothing
 * is painted; painting threads only read it. */

/* A pixel that a letter covers at least partly. A letter is a list of such pixels instead of a whole mask, because
 * most pixels of a mask are empty. */
struct pithi_dot {
    uint16_t x, y;   /* from the upper left corner of the letter's mask */
    uint16_t weight; /* how much of the pixel is covered, of 256 */
};

struct pithi_glyph {
    uint32_t code; /* of Unicode */
    int width;     /* width of the mask, which is also the distance to the next letter */
    struct pithi_dot *dots;
    uint32_t dot_count;
};

struct pithi_glyphs {
    int ascent, height; /* the base line is `ascent` below the upper edge of the masks */
    struct pithi_glyph *items;
    uint32_t count, capacity;
    uint32_t *slots; /* [slot_count] a hash table; 0: free, else index into `items` + 1 */
    uint32_t slot_count;
};

/* Returns the set. Its `height` is 0 as long as there is no font. */
struct pithi_glyphs *pithi_glyphs(void);
/* Empties the set, for another font. */
void pithi_glyphs_reset(struct pithi_glyphs *glyphs, int ascent, int height);
/* Adds a letter that the set does not have. `mask` [height][width]: how much of each pixel it covers, of 255. */
void pithi_glyphs_add(struct pithi_glyphs *glyphs, uint32_t code, int width, const unsigned char *mask);
/* Finds a letter. Returns NULL if the set does not have it. */
const struct pithi_glyph *pithi_glyphs_find(const struct pithi_glyphs *glyphs, uint32_t code);
/* Returns the first code of a text of UTF-8, and moves *text behind it. Returns 0 at the end of the text. The code of a
 * byte that is not UTF-8 is the byte itself. */
uint32_t pithi_glyphs_next(const char **text);

/* The text functions of the raster's painter; the context is a raster of words. */
double pithi_glyphs_width(void *raster, struct pithi_font font, const char *text);
void pithi_glyphs_text(void *raster, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                       const char *text);

#endif
