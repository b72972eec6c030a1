/* theme.h - the colours of everything around states and events, light or dark. One theme is chosen for the whole
 * program; C and Tcl (theme.tcl, by pithtk::theme) take their colours from it.
 */
#ifndef PITHI_THEME_H
#define PITHI_THEME_H

#include <stdint.h>

/* Name, what it is for. */
#define PITHI_THEME_COLOURS(COLOUR)                                                                                    \
    COLOUR(paper) /* behind the time lines */                                                                          \
    COLOUR(panel) /* behind buttons, labels, dialogs */                                                                \
    COLOUR(idle)  /* a lane's life, where no state is open */                                                          \
    COLOUR(grid)                                                                                                       \
    COLOUR(separator) /* between ranks */                                                                              \
    COLOUR(edge)      /* of panels and boxes */                                                                        \
    COLOUR(text)                                                                                                       \
    COLOUR(faint)  /* less important text, axis */                                                                     \
    COLOUR(hidden) /* text of what is hidden or out of date */                                                         \
    COLOUR(arrow)                                                                                                      \
    COLOUR(accent) /* cursor, outlines, focus */                                                                       \
    COLOUR(select) /* behind what is selected */                                                                       \
    COLOUR(hover)                                                                                                      \
    COLOUR(thumb) /* of scrollbars */                                                                                  \
    COLOUR(alarm)                                                                                                      \
    COLOUR(way)    /* of the animation: where messages went */                                                         \
    COLOUR(rim)    /* of a rank */                                                                                     \
    COLOUR(absent) /* a rank that is not there */

struct pithi_theme {
    const char *name;
#define PITHI_THEME_FIELD(field) uint32_t field; /* 0xRRGGBB */
    PITHI_THEME_COLOURS(PITHI_THEME_FIELD)
#undef PITHI_THEME_FIELD
};

/* The one chosen last; "light" at first. Any thread. */
const struct pithi_theme *pithi_theme(void);
/* 0, or -1: there is no such theme, and nothing changes. */
int pithi_theme_choose(const char *name);
/* The i-th theme's name, NULL behind the last. */
const char *pithi_theme_name(unsigned i);

/* How much larger things are than on a screen with 96 dots per inch; 1 at first. What is drawn together with Tcl's
 * texts goes by it. */
double pithi_theme_scale(void);
void pithi_theme_set_scale(double scale);

/* A colour by its name: 0, or -1. */
int pithi_theme_colour(const char *name, uint32_t *rgb);

/* How much brighter one is than the other as WCAG 2.1 has it: 1 alike ... 21 black on white. */
double pithi_contrast(uint32_t a, uint32_t b);
/* The colour, or when it can hardly be told from the theme's paper, one like it that can. */
uint32_t pithi_rgb_visible(uint32_t rgb);
/* Black or white, whichever can be read on the colour. */
uint32_t pithi_rgb_text_on(uint32_t rgb);

#endif
