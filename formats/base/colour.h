/* colour.h - colour names (X11's rgb.txt) and numbers. */
#ifndef PITHI_COLOUR_H
#define PITHI_COLOUR_H

#include <stdint.h>

/* Converts "SeaGreen", "sea green", "#rgb" or "#rrggbb", in upper or lower case, to 0xRRGGBB in *rgb. Ignores the
 * ":bitmap" that MPE and upshot may append to a colour. Returns 1, or 0 if `name` is not a colour. */
int pithi_colour_parse(const char *name, uint32_t *rgb);

/* Returns the X11 name whose colour is nearest, in the spelling of rgb.txt without blanks ("SeaGreen"). */
const char *pithi_colour_nearest(uint32_t rgb);

/* Returns the X11 name of a colour. If the colour has no name, writes "#rrggbb" to `text` and returns `text`. */
const char *pithi_colour_text(uint32_t rgb, char text[8]);

/* Returns the spelling of rgb.txt for a name in any spelling: "SeaGreen" for "sea green". Returns NULL if `name` is not
 * a colour name, also if it is a number such as "#2e8b57". */
const char *pithi_colour_canonical(const char *name);

#endif
