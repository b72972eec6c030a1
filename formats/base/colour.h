/* colour.h - colour names (X11's rgb.txt) and numbers. */
#ifndef PITHI_COLOUR_H
#define PITHI_COLOUR_H

#include <stdint.h>

/* Reads "SeaGreen", "sea green", "#rgb", "#rrggbb" (in any case; ignores an MPE/upshot ":bitmap" at the end) as
 * 0xRRGGBB. 0: not a colour. */
int pithi_colour_parse(const char *name, uint32_t *rgb);

/* The X11 name with the nearest colour, in the spelling of rgb.txt without blanks ("SeaGreen"). */
const char *pithi_colour_nearest(uint32_t rgb);

/* The X11 name of a colour if it has one, else "#rrggbb" in `text`. */
const char *pithi_colour_text(uint32_t rgb, char text[8]);

/* Converts a name in any spelling to that of rgb.txt ("sea green" -> "SeaGreen"); NULL: not a name, or a number. */
const char *pithi_colour_canonical(const char *name);

#endif
