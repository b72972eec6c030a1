/* module_page.c - defines the functions of module_page.h by calling functions of the web page, which the WebAssembly
 * module imports. */
#include "wasm/module_page.h"

#include <stdlib.h>
#include <string.h>

#include "wasm/module.h"

__attribute__((import_module("pith"), import_name("text_width"))) double
page_text_width(const char *text, uint32_t size, double points, int bold);
/* Writes width, height, x and y of the mask to `numbers`, and the mask to the memory that pithi_module_mask returns. */
__attribute__((import_module("pith"), import_name("text_mask"))) int
page_text_mask(const char *text, uint32_t size, double points, int bold, double scale, int is_rim, int numbers[4]);
__attribute__((import_module("pith"), import_name("progress"))) void page_progress(double part);

double pithi_page_text_width(struct pithi_font font, const char *text)
{
    return page_text_width(text, (uint32_t)strlen(text), font.size, font.bold);
}

static unsigned char *cover;
static size_t cover_size;

void *pithi_module_mask(uint32_t size)
{
    if (size > cover_size) {
        free(cover);
        cover = malloc(size);
        cover_size = cover ? size : 0;
    }
    return cover;
}

int pithi_page_text_mask(struct pithi_font font, const char *text, double scale, int is_rim,
                         struct pithi_page_mask *mask)
{
    int numbers[4] = {0};

    if (!page_text_mask(text, (uint32_t)strlen(text), font.size, font.bold, scale, is_rim, numbers))
        return 0;
    *mask = (struct pithi_page_mask){cover, numbers[0], numbers[1], numbers[2], numbers[3]};
    return 1;
}

int pithi_page_progress(void *context, double part)
{
    (void)context;
    page_progress(part);
    return 0;
}
