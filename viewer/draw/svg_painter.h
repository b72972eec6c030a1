/* svg_painter.h - the painter (core/painter.h) for SVG, written by ourselves: a picture of many records has far fewer
 * bytes than cairo's.
 *
 * A bar is a stroke as thick as it is high, so that all bars of a colour and a height are one path, "m3 0h5" each, and
 * bars that touch are one. Texts stay texts, which can be searched for and copied.
 */
#ifndef PITHI_SVG_PAINTER_H
#define PITHI_SVG_PAINTER_H

#include "core/painter.h"
#include "draw/text_buffer.h"

struct pithi_svg;

/* `measure`: a painter that knows how wide texts are; it must outlive this one. */
struct pithi_svg *pithi_svg_new(double width, double height, const char *title, const struct pithi_painter *measure);
struct pithi_painter pithi_svg_painter(struct pithi_svg *svg);
/* The whole document, which stays the svg's. */
const struct pithi_text *pithi_svg_end(struct pithi_svg *svg);
/* So far. */
uint32_t pithi_svg_bytes(const struct pithi_svg *svg);
void pithi_svg_free(struct pithi_svg *svg);

#endif
