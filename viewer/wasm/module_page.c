/* module_page.c - the page as the module's imports. */
#include "wasm/module_page.h"

#include <string.h>

__attribute__((import_module("pith"), import_name("text_width"))) double
page_text_width(const char *text, uint32_t size, double points, int bold);
__attribute__((import_module("pith"), import_name("progress"))) void page_progress(double part);

double pithi_page_text_width(struct pithi_font font, const char *text)
{
    return page_text_width(text, (uint32_t)strlen(text), font.size, font.bold);
}

int pithi_page_progress(void *context, double part)
{
    (void)context;
    page_progress(part);
    return 0;
}
