/* palette.h - the colours of states, events and counters. */
#ifndef PITHI_PALETTE_H
#define PITHI_PALETTE_H

#include <stdint.h>

#include <pithlog.h>

#include "core/theme.h"

/* Colours of the theme that is chosen (theme.h). */
#define PITHI_RGB_PAPER (pithi_theme()->paper)
#define PITHI_RGB_IDLE (pithi_theme()->idle)
#define PITHI_RGB_GRID (pithi_theme()->grid)
#define PITHI_RGB_SEPARATOR (pithi_theme()->separator)
#define PITHI_RGB_TEXT (pithi_theme()->text)
#define PITHI_RGB_FAINT (pithi_theme()->faint)
#define PITHI_RGB_ARROW (pithi_theme()->arrow)

enum pithi_palette {
    PITHI_PALETTE_LOG,     /* those that the program gave */
    PITHI_PALETTE_CLASSIC, /* MPE's for its states; else as PITHI_PALETTE_LOG */
    PITHI_PALETTE_SAFE     /* its own for all: also those who see red and green alike tell the first twelve apart */
};
/* By name: log, classic, safe; 0, or -1. */
int pithi_palette_parse(const char *name, enum pithi_palette *palette);
/* The colours rgb[defs] of a log by a palette, as they are seen on the theme's paper. SAFE gives the best colours to
 * those definitions that the whole log spends most time in, which may mean reading it. 0, or an enum pith_err; then
 * the order of definitions stands in. `summary` may be NULL. */
int pithi_palette_fill(struct pithlog *log, struct pithlog_summary *summary, enum pithi_palette palette, uint32_t *rgb);
/* The i-th colour of SAFE, in the order in which they are given out. */
uint32_t pithi_safe_colour(uint32_t i);
/* MPE's colour of a state by its name: 1, or 0 if it had no such state. */
int pithi_classic_colour(const char *name, uint32_t *rgb);

/* A colour for every definition (0xRRGGBB, [defs], to be freed): the one the program gave, else one of a palette that
 * stays distinct for the colour-blind, given out in the order of definitions so that neighbours differ, and keeping
 * away from the colours the program gave. */
uint32_t *pithi_palette_make(const struct pithlog *log);
/* The same for what is defined so far in a program that runs: earlier ones keep their colours as long as those that
 * come give none themselves. */
uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow);

/* The colour made darker (amount 0 to 1) for outlines. */
uint32_t pithi_rgb_darker(uint32_t rgb, double amount);
/* How light it looks, 0 to 255 (ITU-R BT.601). */
uint32_t pithi_rgb_lightness(uint32_t rgb);
/* Greys instead of colours, as different from each other as they can be, in the order of their lightness. */
void pithi_palette_grey(uint32_t *rgb, uint32_t count);
/* `over` laid on `under`, alpha 0 to 255. */
uint32_t pithi_rgb_blend(uint32_t under, uint32_t over, unsigned alpha);

#endif
