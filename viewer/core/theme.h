/* theme.h - the colours of everything but states and events, light or dark. C, and Tcl by pithtk::theme, take their
 * colours from the one current theme.
 */
#ifndef PITHI_THEME_H
#define PITHI_THEME_H

#include <stdint.h>

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

/* The current theme; "light" at first. Any thread may call it. */
const struct pithi_theme *pithi_theme(void);
/* 0; -1: there is no such theme. */
int pithi_theme_choose(const char *name);
/* The i-th theme's name, NULL behind the last. */
const char *pithi_theme_name(unsigned i);

/* The scale of lengths, 1 for a screen with 96 dots per inch. It matches drawn shapes to Tcl's texts. */
double pithi_theme_scale(void);
void pithi_theme_set_scale(double scale);

/* Finds a colour by its name: 0, or -1. */
int pithi_theme_colour(const char *name, uint32_t *rgb);

/* The contrast ratio of WCAG 2.1: 1 (equal) to 21 (black on white). */
double pithi_contrast(uint32_t a, uint32_t b);
/* Returns the colour, or a similar colour if it has too little contrast with the theme's paper. */
uint32_t pithi_rgb_visible(uint32_t rgb);
/* Black or white, whichever is legible on the colour. */
uint32_t pithi_rgb_text_on(uint32_t rgb);

#endif
