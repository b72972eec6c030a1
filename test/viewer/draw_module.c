/* draw_module.c - calls viewer/wasm/module.c, compiled natively, by a script. wasm_run.js obeys it, too, with the
 * module in WebAssembly: what both write must be the same.
 *
 *     open LOG | words WORDS | overview WIDTH HEIGHT
 *     draw PERMILLE PERMILLE WIDTH HEIGHT SCALE FLAGS FIRST ROW_HEIGHT | at X Y | legend PERMILLE PERMILLE
 *     find TEXT PERMILLE, backwards from an odd one | hide ID 0/1 | theme NAME | analyze
 *
 * Of a picture its pixels are written, then JSON of the rest; of all else JSON, or the error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "wasm/module.h"
#include "wasm/module_page.h"

double pithi_page_text_width(struct pithi_font font, const char *text)
{
    int letters = 0;

    for (; *text; text++)
        letters += (*text & 0xc0) != 0x80;
    return 0.5 * font.size * letters;
}

/* A mask that depends on the text. */
int pithi_page_text_mask(struct pithi_font font, const char *text, double scale, int is_rim,
                         struct pithi_page_mask *mask)
{
    static unsigned char cover[64 * 64];
    size_t length = strlen(text);

    *mask = (struct pithi_page_mask){cover, 8 + (int)(length % 50), 6 + (int)(font.size * scale) % 40, 2, 5};
    for (int i = 0; i < mask->width * mask->height; i++)
        cover[i] = (unsigned char)((unsigned char)text[(size_t)i % length] * 7 + i * 3 + is_rim * 40 + font.bold * 9);
    return 1;
}

int pithi_page_progress(void *context, double part) { return (void)context, (void)part, 0; }

static void put(const char *text) { printf("%s\n", text ? text : pithi_module_error()); }

static int64_t member(const char *json, const char *key)
{
    const char *at = json ? strstr(json, key) : NULL;
    return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* Logs may have times as far apart as numbers go. */
static int64_t part_of(int64_t t0, int64_t t1, int permille)
{
    uint64_t rest;
    return (int64_t)((uint64_t)t0 + pithi_mul_div((uint64_t)t1 - (uint64_t)t0, (uint64_t)permille, 1000, &rest));
}

int main(int argc, char **argv)
{
    FILE *script = argc == 2 ? fopen(argv[1], "r") : NULL;
    int64_t t0 = 0, t1 = 0;
    char line[512], word[256];
    double x, y, scale, row_height;
    int a, b, width, height, flags, first;

    while (script && fgets(line, sizeof line, script)) {
        if (sscanf(line, "open %255s", word) == 1) {
            const char *facts = pithi_module_open(word);
            put(facts);
            t0 = member(facts, "\"from\":\"");
            t1 = member(facts, "\"to\":\"");
        } else if (strncmp(line, "words ", 6) == 0) {
            put(pithi_module_words(line + 6));
        } else if (sscanf(line, "overview %d %d", &width, &height) == 2) {
            const uint32_t *pixels = pithi_module_overview((uint32_t)width, (uint32_t)height);
            if (pixels)
                fwrite(pixels, 4, (size_t)width * (size_t)height, stdout);
            put("");
        } else if (sscanf(line, "draw %d %d %d %d %lf %d %d %lf", &a, &b, &width, &height, &scale, &flags, &first,
                          &row_height) == 8) {
            const uint32_t *pixels = pithi_module_draw(part_of(t0, t1, a), part_of(t0, t1, b), width, height, scale,
                                                       (uint32_t)flags, (uint32_t)first, row_height);
            const char *picture = pixels ? pithi_module_picture() : NULL;
            if (picture)
                fwrite(pixels, 4, (size_t)(member(picture, "\"width\":") * member(picture, "\"height\":")), stdout);
            put(picture);
        } else if (sscanf(line, "at %lf %lf", &x, &y) == 2) {
            put(pithi_module_at(x, y));
        } else if (sscanf(line, "legend %d %d", &a, &b) == 2) {
            put(pithi_module_legend(part_of(t0, t1, a), part_of(t0, t1, b)));
        } else if (sscanf(line, "find %255s %d", word, &a) == 2) {
            put(pithi_module_search(word, part_of(t0, t1, a), 0, 0, a % 2));
        } else if (sscanf(line, "hide %d %d", &a, &b) == 2) {
            pithi_module_hide((uint32_t)a, b);
        } else if (sscanf(line, "theme %255s", word) == 1) {
            pithi_module_theme(word);
        } else {
            put(pithi_module_analyze());
        }
    }
    return script ? 0 : 2;
}
