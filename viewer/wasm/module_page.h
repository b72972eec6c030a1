/* module_page.h - functions of the web page that module.c calls. module_page.c implements them by imports of
 * WebAssembly; native builds (serve_legend.c, tests) have implementations of their own. */
#ifndef PITHI_MODULE_PAGE_H
#define PITHI_MODULE_PAGE_H

#include "core/raster/painter.h"

/* Returns the width of a text in units of the page. */
double pithi_page_text_width(struct pithi_font font, const char *text);
/* A mask says how much of each pixel a text covers, from 0 to 255. The left end of the text's base line is at the pixel
 * (x, y) of the mask. */
struct pithi_page_mask {
    const unsigned char *cover; /* [height][width], valid until the next call */
    int width, height, x, y;
};
/* Makes the mask of a text, or of the rim around the text, with `scale` pixels per unit. Returns 0 if nothing is
 * visible. */
int pithi_page_text_mask(struct pithi_font font, const char *text, double scale, int is_rim,
                         struct pithi_page_mask *mask);
/* Reports to the page which fraction (0 to 1) of long work is done. If it returns 0, the work goes on. */
int pithi_page_progress(void *context, double part);

#endif
