/* serve_legend.c - makes the legend of an interval that has too many records for the page to read them. A process of
 * its own does this. It runs the same code as the page's WebAssembly module (viewer/wasm/module.c), compiled
 * natively. */
#include <stdio.h>
#include <stdlib.h>

#include "serve/serve.h"
#include "wasm/module.h"
#include "wasm/module_page.h"

/* The module calls functions of the page for the widths and masks of texts. These functions replace them; they need do
 * nothing, because no text is drawn for a legend. */
double pithi_page_text_width(struct pithi_font font, const char *text) { return (void)font, (void)text, 0; }

int pithi_page_text_mask(struct pithi_font font, const char *text, double scale, int is_rim,
                         struct pithi_page_mask *mask)
{
    return (void)font, (void)text, (void)scale, (void)is_rim, (void)mask, 0;
}

int pithi_page_progress(void *context, double part) { return (void)context, (void)part, 0; }

int pithi_serve_put_legend(char *const *argv)
{
    const char *legend = NULL;

    pithi_module_theme(argv[3]);
    if (pithi_module_open(argv[0]))
        legend = pithi_module_legend(strtoll(argv[1], NULL, 10), strtoll(argv[2], NULL, 10));
    if (!legend) {
        fprintf(stderr, "pith: %s\n", pithi_module_error());
        return 1;
    }
    puts(legend);
    return ferror(stdout) || fflush(stdout) != 0;
}
