/* module_page.h - what module.c asks the page for. module_page.c asks through imports; a test has its own. */
#ifndef PITHI_MODULE_PAGE_H
#define PITHI_MODULE_PAGE_H

#include "core/raster/painter.h"

/* The width of a text in units. */
double pithi_page_text_width(struct pithi_font font, const char *text);
/* How much a text covers of each pixel, of 255. Its left end is at the pixel (x, y) of the mask, on the base line. */
struct pithi_page_mask {
    const unsigned char *cover; /* [height][width], until the next call */
    int width, height, x, y;
};
/* Of the text, or of the rim around it, with `scale` pixels a unit. 0: nothing is to be seen. */
int pithi_page_text_mask(struct pithi_font font, const char *text, double scale, int is_rim,
                         struct pithi_page_mask *mask);
/* Long work is done to this part, 0 to 1. It goes on if 0 is returned. */
int pithi_page_progress(void *context, double part);

#endif
