/* palette.h - the colours of states, events and counters, and those of everything around them. */
#ifndef PITHI_PALETTE_H
#define PITHI_PALETTE_H

#include <stdint.h>

#include <pithlog.h>

/* The theme: 0xRRGGBB. */
enum {
    PITHI_RGB_PAPER = 0xffffff,
    PITHI_RGB_IDLE = 0xe9edf1, /* a lane's life, where no state is open */
    PITHI_RGB_GRID = 0xdfe3e8,
    PITHI_RGB_SEPARATOR = 0xc9d0d8, /* between ranks */
    PITHI_RGB_TEXT = 0x1f2933,
    PITHI_RGB_FAINT = 0x667380, /* less important text, axis */
    PITHI_RGB_ARROW = 0x16202a
};

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
