/* module_page.h - what module.c asks the page for. module_page.c asks through imports; a test has its own. */
#ifndef PITHI_MODULE_PAGE_H
#define PITHI_MODULE_PAGE_H

#include "core/raster/painter.h"

/* The width of a text in units. */
double pithi_page_text_width(struct pithi_font font, const char *text);
/* Long work is done to this part, 0 to 1. It goes on if 0 is returned. */
int pithi_page_progress(void *context, double part);

#endif
