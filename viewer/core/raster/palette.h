/* palette.h - the colours of states, events and counters, and the themes, which have all other colours. */
#ifndef PITHI_PALETTE_H
#define PITHI_PALETTE_H

#include <stdint.h>

#include <pithlog.h>

/* Colours of the theme that is chosen (below). */
#define PITHI_RGB_PAPER (pithi_theme()->paper)
/* The fraction of the paper's colour that is mixed into everything outside the selection, and, in the overview, outside
 * the view. */
#define PITHI_PALE 0.6
#define PITHI_RGB_IDLE (pithi_theme()->idle)
#define PITHI_RGB_GRID (pithi_theme()->grid)
#define PITHI_RGB_TEXT (pithi_theme()->text)
#define PITHI_RGB_FAINT (pithi_theme()->faint)
#define PITHI_RGB_ARROW (pithi_theme()->arrow)

enum pithi_palette {
    PITHI_PALETTE_LOG,     /* the colours in the log; states without a colour get quiet colours */
    PITHI_PALETTE_CLASSIC, /* MPE's colours for its states; other states as with PITHI_PALETTE_LOG */
    PITHI_PALETTE_SAFE     /* the first twelve are distinct also for users with red-green colour blindness */
};
/* Finds a palette by its name: log, classic, safe. Returns 0, or -1 if there is no such name. */
int pithi_palette_parse(const char *name, enum pithi_palette *palette);
/* Sets rgb[defs] by a palette, visible on the theme's paper. SAFE gives its best colours to the definitions with the
 * most time in the whole log, for which it may have to read the whole log. Returns 0 or an enum pith_err; on an error,
 * SAFE gives its colours in the order of definitions. `summary` may be NULL. */
int pithi_palette_fill(struct pithlog *log, struct pithlog_summary *summary, enum pithi_palette palette, uint32_t *rgb);
/* Returns the i-th colour of SAFE. */
uint32_t pithi_safe_colour(uint32_t i);
/* Finds MPE's colour for the name of a state. Returns 1, or 0 if MPE has no such state. */
int pithi_classic_colour(const char *name, uint32_t *rgb);

/* Returns a colour for each definition (0xRRGGBB, [defs], to be freed). This is the colour that the program set, else a
 * colour of a list that colour-blind users can distinguish, too. The list's colours are assigned in the order of
 * definitions, so that neighbours differ; colours near those that the program set are left out. */
uint32_t *pithi_palette_make(const struct pithlog *log);
/* Like pithi_palette_make, for a running program. Definitions keep their colours as long as later definitions set no
 * colours. */
uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow);

/* Returns a darker colour, for outlines; amount: 0 (unchanged) to 1 (black). */
uint32_t pithi_rgb_darker(uint32_t rgb, double amount);
/* Returns the lightness of a colour, 0 to 255 (ITU-R BT.601). */
uint32_t pithi_rgb_lightness(uint32_t rgb);
/* Replaces colours by greys that differ as much as possible and keep the order of lightness. */
void pithi_palette_grey(uint32_t *rgb, uint32_t count);
/* Returns the colour of `over` laid on `under`; alpha: 0 (only `under`) to 255 (only `over`). */
uint32_t pithi_rgb_blend(uint32_t under, uint32_t over, unsigned alpha);

/* ---- Themes ------------------------------------------------------------------------------------------------------ */

/* The colours of everything but states and events, light or dark. C and Tcl (pithtk::theme) have the same current
 * theme. */

/* Name and purpose of each colour. */
#define PITHI_THEME_COLOURS(COLOUR)                                                                                    \
    COLOUR(paper) /* behind the time lines */                                                                          \
    COLOUR(panel) /* behind buttons, labels, dialogs */                                                                \
    COLOUR(idle)  /* the life of a lane outside of states */                                                           \
    COLOUR(grid)                                                                                                       \
    COLOUR(separator) /* between ranks */                                                                              \
    COLOUR(edge)      /* of panels and boxes */                                                                        \
    COLOUR(text)                                                                                                       \
    COLOUR(faint)  /* less important text, axis */                                                                     \
    COLOUR(hidden) /* text of hidden or outdated entries */                                                            \
    COLOUR(arrow)                                                                                                      \
    COLOUR(accent) /* cursor, outlines, focus */                                                                       \
    COLOUR(select) /* behind what is selected */                                                                       \
    COLOUR(hover)                                                                                                      \
    COLOUR(thumb) /* of scrollbars */                                                                                  \
    COLOUR(alarm)                                                                                                      \
    COLOUR(path)    /* the critical path */                                                                            \
    COLOUR(trail)   /* of the animation: the way of recent messages */                                                 \
    COLOUR(rim)     /* of a rank */                                                                                    \
    COLOUR(absent)  /* an absent rank */                                                                               \
    COLOUR(unknown) /* time whose states are not computed yet */

struct pithi_theme {
    const char *name;
#define PITHI_THEME_FIELD(field) uint32_t field; /* 0xRRGGBB */
    PITHI_THEME_COLOURS(PITHI_THEME_FIELD)
#undef PITHI_THEME_FIELD
};

/* Returns the current theme, at first "light". Any thread may call it. */
const struct pithi_theme *pithi_theme(void);
/* Makes a theme the current one. Returns 0, or -1 if there is no such theme. */
int pithi_theme_choose(const char *name);

/* The scale is the factor for lengths in pixels, 1 for a screen with 96 dots per inch. With it, drawn shapes match
 * Tcl's texts in size. */
double pithi_theme_scale(void);
void pithi_theme_set_scale(double scale);

/* Returns the contrast ratio of WCAG 2.1: 1 (equal) to 21 (black on white). */
double pithi_contrast(uint32_t a, uint32_t b);
/* Returns the colour, or a similar colour if it has too little contrast with the theme's paper. */
uint32_t pithi_rgb_visible(uint32_t rgb);
/* Returns black or white, whichever is more legible on the colour. */
uint32_t pithi_rgb_text_on(uint32_t rgb);

#endif
