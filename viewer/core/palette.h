/* palette.h - the colours of states, events and counters. */
#ifndef PITHI_PALETTE_H
#define PITHI_PALETTE_H

#include <stdint.h>

#include <pithlog.h>

#include "core/theme.h"

/* Colours of the theme that is chosen (theme.h). */
#define PITHI_RGB_PAPER (pithi_theme()->paper)
/* The part of the paper's colour in everything outside the selection, and in the overview outside the window. */
#define PITHI_PALE 0.6
#define PITHI_RGB_IDLE (pithi_theme()->idle)
#define PITHI_RGB_GRID (pithi_theme()->grid)
#define PITHI_RGB_SEPARATOR (pithi_theme()->separator)
#define PITHI_RGB_TEXT (pithi_theme()->text)
#define PITHI_RGB_FAINT (pithi_theme()->faint)
#define PITHI_RGB_ARROW (pithi_theme()->arrow)

enum pithi_palette {
    PITHI_PALETTE_LOG,     /* the colours that the program set */
    PITHI_PALETTE_CLASSIC, /* MPE's colours for its states; others as PITHI_PALETTE_LOG */
    PITHI_PALETTE_SAFE     /* the first twelve are distinct also for users with red-green colour blindness */
};
/* By name: log, classic, safe; 0, or -1. */
int pithi_palette_parse(const char *name, enum pithi_palette *palette);
/* Sets rgb[defs] by a palette, visible on the theme's paper. SAFE gives its best colours to the definitions with the
 * most time in the whole log, which may mean reading it. 0, or an enum pith_err; then the order of definitions is used
 * instead. `summary` may be NULL. */
int pithi_palette_fill(struct pithlog *log, struct pithlog_summary *summary, enum pithi_palette palette, uint32_t *rgb);
/* The i-th colour of SAFE. */
uint32_t pithi_safe_colour(uint32_t i);
/* Finds MPE's colour for the name of a state: 1; 0: MPE has no such state. */
int pithi_classic_colour(const char *name, uint32_t *rgb);

/* A colour for each definition (0xRRGGBB, [defs], to be freed): the program's, else one of a palette that stays
 * distinct for colour-blind users. Colours are assigned in the order of definitions so that neighbours differ, and
 * avoid the colours of the program. */
uint32_t *pithi_palette_make(const struct pithlog *log);
/* The same for a running program. Definitions keep their colours as long as later definitions set no colours. */
uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow);

/* The colour made darker (amount 0 to 1) for outlines. */
uint32_t pithi_rgb_darker(uint32_t rgb, double amount);
/* The lightness of a colour, 0 to 255 (ITU-R BT.601). */
uint32_t pithi_rgb_lightness(uint32_t rgb);
/* Replaces colours by greys that differ as much as possible and keep the order of lightness. */
void pithi_palette_grey(uint32_t *rgb, uint32_t count);
/* `over` laid on `under`, alpha 0 to 255. */
uint32_t pithi_rgb_blend(uint32_t under, uint32_t over, unsigned alpha);

#endif
