/* palette.c - which colour a definition gets; see palette.h. */
#include "core/palette.h"

#include <stdlib.h>

#include "core/memory.h"

/* Okabe and Ito, "Color Universal Design" (2008), then Tol's muted scheme ("Colour schemes", SRON/EPS/TN/09-002), in an
 * order in which neighbours differ in hue and in lightness. */
static const uint32_t choices[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x332288, 0xddcc77,
                                   0x44aa99, 0x882255, 0xf0e442, 0x117733, 0xaa4499, 0x88ccee, 0x999933, 0xcc6677};
enum { CHOICES = sizeof choices / sizeof *choices };

static int channel(uint32_t rgb, int shift) { return (int)(rgb >> shift & 255); }

/* Squared and weighted as the eye does ("redmean" is not needed for a yes or no). */
static int too_close(uint32_t a, uint32_t b)
{
    int r = channel(a, 16) - channel(b, 16), g = channel(a, 8) - channel(b, 8), blue = channel(a, 0) - channel(b, 0);
    return 3 * r * r + 4 * g * g + 2 * blue * blue < 9 * 30 * 30;
}

/* `own[id]`: the colour that the program gave, or NO_COLOUR; becomes the palette. */
enum { NO_COLOUR = 0x1000000 };

static uint32_t *give_out(uint32_t *own, uint32_t defs)
{
    unsigned char taken[CHOICES] = {0};
    uint32_t next = 0;
    int free_choices = 0;

    for (uint32_t id = 0; id < defs; id++)
        for (int i = 0; own[id] != NO_COLOUR && i < CHOICES; i++)
            taken[i] |= (unsigned char)too_close(choices[i], own[id]);
    for (int i = 0; i < CHOICES; i++)
        free_choices += !taken[i];
    for (uint32_t id = 0; id < defs; id++) {
        if (own[id] != NO_COLOUR)
            continue;
        while (free_choices && taken[next % CHOICES])
            next++;
        own[id] = choices[next++ % CHOICES];
    }
    return own;
}

uint32_t *pithi_palette_make(const struct pithlog *log)
{
    uint32_t defs = pithlog_get_info(log)->defs;
    uint32_t *rgb = pithi_alloc(defs, sizeof *rgb);

    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithlog_get_def(log, id)->colour[0] ? pithlog_def_rgb(log, id) : NO_COLOUR;
    return give_out(rgb, defs);
}

uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow)
{
    uint32_t defs = pithlog_follow_get_info(follow)->defs;
    uint32_t *rgb = pithi_alloc(defs, sizeof *rgb);

    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithlog_follow_get_def(follow, id)->colour[0] ? pithlog_follow_def_rgb(follow, id) : NO_COLOUR;
    return give_out(rgb, defs);
}

uint32_t pithi_rgb_darker(uint32_t rgb, double amount)
{
    uint32_t out = 0;

    for (int shift = 16; shift >= 0; shift -= 8)
        out |= (uint32_t)(channel(rgb, shift) * (1.0 - amount)) << shift;
    return out;
}

uint32_t pithi_rgb_lightness(uint32_t rgb)
{
    return (uint32_t)(299 * channel(rgb, 16) + 587 * channel(rgb, 8) + 114 * channel(rgb, 0) + 500) / 1000;
}

/* Between nearly black and the grey of a lane without a state. */
enum { DARKEST_GREY = 0x28, LIGHTEST_GREY = 0xd0 };

void pithi_palette_grey(uint32_t *rgb, uint32_t count)
{
    unsigned char there[256] = {0};
    uint32_t steps = 0, step[256];

    for (uint32_t i = 0; i < count; i++)
        there[pithi_rgb_lightness(rgb[i])] = 1;
    for (int i = 0; i < 256; i++)
        step[i] = there[i] ? steps++ : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = step[pithi_rgb_lightness(rgb[i])];
        rgb[i] = (DARKEST_GREY + rank * (LIGHTEST_GREY - DARKEST_GREY) / (steps > 1 ? steps - 1 : 1)) * 0x010101u;
    }
}

uint32_t pithi_rgb_blend(uint32_t under, uint32_t over, unsigned alpha)
{
    uint32_t out = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned sum = (unsigned)channel(over, shift) * alpha + (unsigned)channel(under, shift) * (255 - alpha);
        out |= (sum + 127) / 255 << shift;
    }
    return out;
}
