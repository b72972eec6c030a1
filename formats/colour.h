/* colour.h - colour names (X11's rgb.txt) and numbers. */
#ifndef PITHI_COLOUR_H
#define PITHI_COLOUR_H

#include <stdint.h>

/* "SeaGreen", "sea green", "#rgb", "#rrggbb" (upper or lower case; a MPE/upshot ":bitmap" ending is ignored) as
 * 0xRRGGBB. Returns 0 when it is no colour. */
int pithi_colour_parse(const char *name, uint32_t *rgb);

/* The X11 name nearest to 0xRRGGBB, spelled as in rgb.txt without blanks ("SeaGreen"). */
const char *pithi_colour_nearest(uint32_t rgb);

/* 0xRRGGBB by its X11 name if it has one, else "#rrggbb" in `text`. */
const char *pithi_colour_text(uint32_t rgb, char text[8]);

/* A name in any spelling as rgb.txt has it ("sea green" -> "SeaGreen"); NULL when it is no name, or a number. */
const char *pithi_colour_canonical(const char *name);

#endif
