/* glyphs.c - a hash table of letters, and text made of them. */
#include "core/glyphs.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

struct pithi_glyphs *pithi_glyphs(void)
{
    static struct pithi_glyphs glyphs;

    return &glyphs;
}

void pithi_glyphs_reset(struct pithi_glyphs *glyphs, int ascent, int height)
{
    for (uint32_t i = 0; i < glyphs->count; i++)
        free(glyphs->items[i].dots);
    free(glyphs->items);
    free(glyphs->slots);
    *glyphs = (struct pithi_glyphs){.ascent = ascent, .height = height};
}

static uint32_t slot_of(const struct pithi_glyphs *glyphs, uint32_t code)
{
    uint32_t slot = code * 2654435761u & (glyphs->slot_count - 1);

    while (glyphs->slots[slot] && glyphs->items[glyphs->slots[slot] - 1].code != code)
        slot = (slot + 1) & (glyphs->slot_count - 1);
    return slot;
}

static void take_dots(struct pithi_glyph *glyph, int height, const unsigned char *mask)
{
    uint32_t covered = 0;

    for (int i = 0; i < glyph->width * height; i++)
        covered += mask[i] != 0;
    glyph->dots = pithi_alloc(covered, sizeof *glyph->dots);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < glyph->width; x++, mask++)
            if (*mask)
                glyph->dots[glyph->dot_count++] =
                    (struct pithi_dot){(uint16_t)x, (uint16_t)y, (uint16_t)(*mask + (*mask >> 7))};
}

void pithi_glyphs_add(struct pithi_glyphs *glyphs, uint32_t code, int width, const unsigned char *mask)
{
    glyphs->items = pithi_view_grow(glyphs->items, &glyphs->capacity, glyphs->count + 1, sizeof *glyphs->items);
    glyphs->items[glyphs->count] = (struct pithi_glyph){.code = code, .width = width};
    take_dots(&glyphs->items[glyphs->count++], glyphs->height, mask);
    if (glyphs->count * 2 > glyphs->slot_count) {
        free(glyphs->slots);
        glyphs->slot_count = glyphs->slot_count ? glyphs->slot_count * 2 : 256;
        glyphs->slots = pithi_alloc(glyphs->slot_count, sizeof *glyphs->slots);
        for (uint32_t i = 0; i < glyphs->count; i++)
            glyphs->slots[slot_of(glyphs, glyphs->items[i].code)] = i + 1;
    }
    glyphs->slots[slot_of(glyphs, code)] = glyphs->count;
}

const struct pithi_glyph *pithi_glyphs_find(const struct pithi_glyphs *glyphs, uint32_t code)
{
    uint32_t at = glyphs->slot_count ? glyphs->slots[slot_of(glyphs, code)] : 0;

    return at ? &glyphs->items[at - 1] : NULL;
}

uint32_t pithi_glyphs_next(const char **text)
{
    const unsigned char *byte = (const unsigned char *)*text;
    uint32_t code = *byte;
    int more = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;

    if (!code)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((byte[i] & 0xc0) != 0x80)
            more = 0;
    code &= more ? 0x3fu >> more : 0xff;
    for (int i = 1; i <= more; i++)
        code = code << 6 | (byte[i] & 0x3f);
    *text += more + 1;
    return code;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void draw_clipped_glyph(const struct pithi_raster *raster, const struct pithi_glyph *glyph, int left, int top,
                               uint32_t rgb)
{
    for (uint32_t i = 0; i < glyph->dot_count; i++) {
        const struct pithi_dot *dot = &glyph->dots[i];
        int x = left + dot->x, y = top + dot->y;
        if (x < raster->left || x >= raster->right || y < raster->top || y >= raster->bottom)
            continue;
        uint32_t *word = &raster->words[(size_t)y * (size_t)raster->width + (size_t)x];
        *word = pithi_blend_words(*word, rgb, dot->weight);
    }
}

/* Most letters are within the clip, and a picture has up to ten thousand of them. */
static void draw_glyph(const struct pithi_raster *raster, const struct pithi_glyph *glyph, int left, int top,
                       uint32_t rgb)
{
    if (left < raster->left || left + glyph->width > raster->right || top < raster->top ||
        top + pithi_glyphs()->height > raster->bottom) {
        draw_clipped_glyph(raster, glyph, left, top, rgb);
        return;
    }
    const struct pithi_dot *dots = glyph->dots;
    uint32_t width = (uint32_t)raster->width, count = glyph->dot_count;
    uint32_t *words = raster->words + (size_t)top * width + (size_t)left;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = &words[dots[i].y * width + dots[i].x];
        *word = pithi_blend_words(*word, rgb, dots[i].weight);
    }
}

double pithi_glyphs_width(void *context, struct pithi_font font, const char *text)
{
    const struct pithi_glyphs *glyphs = pithi_glyphs();
    uint32_t code;
    int width = 0;

    (void)context, (void)font;
    while ((code = pithi_glyphs_next(&text)) != 0) {
        const struct pithi_glyph *glyph = pithi_glyphs_find(glyphs, code);
        width += glyph ? glyph->width : 0;
    }
    return width;
}

static void draw_letters(const struct pithi_raster *raster, int left, int top, uint32_t rgb, const char *text)
{
    uint32_t code;

    while ((code = pithi_glyphs_next(&text)) != 0) {
        const struct pithi_glyph *glyph = pithi_glyphs_find(pithi_glyphs(), code);
        if (glyph)
            draw_glyph(raster, glyph, left, top, rgb);
        left += glyph ? glyph->width : 0;
    }
}

void pithi_glyphs_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font,
                       uint32_t rgb, const char *text)
{
    const struct pithi_raster *raster = context;
    double width = anchor == PITHI_LEFT ? 0 : pithi_glyphs_width(context, font, text);
    int left = (int)floor(x - (anchor == PITHI_CENTRE ? width / 2 : width) + 0.5);
    int top = (int)floor(y + 0.5) - pithi_glyphs()->ascent;
    int rim = (int)fmax(floor(font.size * PITHI_RIM + 0.5), 1);

    for (int i = 0; i < 9 && font.rimmed; i++)
        if (i != 4)
            draw_letters(raster, left + (i % 3 - 1) * rim, top + (i / 3 - 1) * rim, font.rim, text);
    draw_letters(raster, left, top, rgb, text);
}
