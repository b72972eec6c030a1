/* theme.c - the themes, and which of them is chosen. */
#include "core/theme.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "core/palette.h"

static const struct pithi_theme themes[] = {
    {.name = "light",
     .paper = 0xffffff,
     .panel = 0xf4f6f8,
     .idle = 0xe9edf1,
     .grid = 0xdfe3e8,
     .separator = 0xc9d0d8,
     .edge = 0xc9d0d8,
     .text = 0x1f2933,
     .faint = 0x616e7b,
     .hidden = 0xa7b1bb,
     .arrow = 0x16202a,
     .accent = 0x0b6bcb,
     .select = 0xd6e6f7,
     .hover = 0xe6ebf0,
     .thumb = 0xd5dbe1,
     .alarm = 0xb3261e,
     .path = 0xd6006c,
     .trail = 0xdde3e9,
     .rim = 0x52606d,
     .absent = 0xeef1f4,
     .unknown = 0xc3cbd3},
    {.name = "dark",
     .paper = 0x15191e,
     .panel = 0x20262d,
     .idle = 0x262d35,
     .grid = 0x2c343d,
     .separator = 0x3c4651,
     .edge = 0x3c4651,
     .text = 0xe6eaee,
     .faint = 0x98a4b0,
     .hidden = 0x66727e,
     .arrow = 0xd5dde5,
     .accent = 0x55a8f5,
     .select = 0x264b70,
     .hover = 0x2e3740,
     .thumb = 0x46515c,
     .alarm = 0xff8a80,
     .path = 0xff5cab,
     .trail = 0x313a44,
     .rim = 0x9aa7b4,
     .absent = 0x20262d,
     .unknown = 0x3f4a55},
};
enum { THEMES = sizeof themes / sizeof *themes };

static const struct pithi_theme *_Atomic chosen = themes;

const struct pithi_theme *pithi_theme(void) { return atomic_load_explicit(&chosen, memory_order_relaxed); }

int pithi_theme_choose(const char *name)
{
    for (int i = 0; i < THEMES; i++)
        if (strcmp(themes[i].name, name) == 0) {
            atomic_store(&chosen, &themes[i]);
            return 0;
        }
    return -1;
}

static _Atomic double chosen_scale = 1;

double pithi_theme_scale(void) { return chosen_scale; }
void pithi_theme_set_scale(double scale) { chosen_scale = scale; }

const char *pithi_theme_name(unsigned i) { return i < THEMES ? themes[i].name : NULL; }

int pithi_theme_colour(const char *name, uint32_t *rgb)
{
#define FIELD(field) {#field, offsetof(struct pithi_theme, field)},
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {PITHI_THEME_COLOURS(FIELD)};
#undef FIELD

    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0) {
            memcpy(rgb, (const char *)pithi_theme() + fields[i].offset, sizeof *rgb);
            return 0;
        }
    return -1;
}

/* ---- Contrast ---------------------------------------------------------------------------------------------------- */

static double luminance(uint32_t rgb)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double channel = (double)(rgb >> (8 * i) & 255) / 255;
        sum += weights[i] * (channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double pithi_contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

uint32_t pithi_rgb_text_on(uint32_t rgb)
{
    double y = luminance(rgb) + 0.05;
    return 1.05 / y > y / 0.05 ? 0xffffff : 0x000000; /* the contrasts with white and with black */
}

/* On light paper the outlines show nearly white bars; on dark paper nearly black bars would be invisible. */
uint32_t pithi_rgb_visible(uint32_t rgb)
{
    enum { STEP = 16 };
    const struct pithi_theme *theme = pithi_theme();

    if (luminance(theme->paper) > 0.5)
        return rgb;
    for (int tries = 0; tries < 16 && pithi_contrast(rgb, theme->idle) < 1.9; tries++)
        rgb = pithi_rgb_blend(rgb, 0xffffff, STEP);
    return rgb;
}
