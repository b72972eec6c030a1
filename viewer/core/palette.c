/* palette.c - which colour a definition gets; see palette.h. */
#include "core/palette.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/query.h"
#include "core/words.h"

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

/* ---- Other palettes ---------------------------------------------------------------------------------------------- */

int pithi_palette_parse(const char *name, enum pithi_palette *palette)
{
    static const char *const names[] = {"log", "classic", "safe"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *palette = (enum pithi_palette)i;
            return 0;
        }
    return -1;
}

/* Found by search: the first twelve lie 29 and more apart in CIELAB, as they are and as Machado, Oliveira and Fernandes
 * ("A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009) have them seen without the red or
 * the green cones, and 14 from the paper of both themes; all of them 16 and more apart. */
static const uint32_t safe[] = {0x449999, 0xcc7700, 0x0044bb, 0xffdd44, 0x883300, 0xbbddff, 0x663377, 0xbbee88,
                                0x9999ff, 0x774444, 0xcceecc, 0x999966, 0x3366bb, 0x9966ff, 0x774466, 0x00cc44,
                                0x55bb99, 0xaabbff, 0x337733, 0xdd1133, 0xaadd99, 0xee99cc, 0x8888cc, 0x557799};

uint32_t pithi_safe_colour(uint32_t i) { return safe[i % (sizeof safe / sizeof *safe)]; }

static int heavier(const struct pithi_sum *sums, uint32_t a, uint32_t b)
{
    if (sums[a].exclusive_ns != sums[b].exclusive_ns)
        return sums[a].exclusive_ns > sums[b].exclusive_ns;
    return sums[a].count != sums[b].count ? sums[a].count > sums[b].count : a < b;
}

/* Shell sort: qsort has no room for the sums. */
static void sort_by_weight(uint32_t *ids, uint32_t count, const struct pithi_sum *sums)
{
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t id = ids[i], j = i;
            for (; j >= gap && heavier(sums, id, ids[j - gap]); j -= gap)
                ids[j] = ids[j - gap];
            ids[j] = id;
        }
}

static int fill_safe(struct pithlog *log, struct pithlog_summary *summary, uint32_t *rgb)
{
    uint32_t lane_count = pithlog_get_info(log)->lanes, defs = pithlog_get_info(log)->defs;
    uint32_t *ids = pithi_alloc(defs, sizeof *ids), *lanes = pithi_alloc(lane_count, sizeof *lanes);
    struct pithi_query query = {.levels = 1, .lanes = lanes, .lane_count = lane_count, .summary = summary};
    struct pithi_cells cells = {0};
    int err;

    for (uint32_t lane = 0; lane < lane_count; lane++)
        lanes[lane] = lane;
    for (uint32_t id = 0; id < defs; id++)
        ids[id] = id;
    pithi_whole_window(log, &query.t0_ns, &query.t1_ns);
    err = pithi_query_run(log, &query, &cells);
    if (!err)
        sort_by_weight(ids, defs, cells.sums);
    for (uint32_t i = 0; i < defs; i++)
        rgb[ids[i]] = pithi_safe_colour(i);
    pithi_cells_free(&cells);
    free(lanes);
    free(ids);
    return err;
}

int pithi_palette_fill(struct pithlog *log, struct pithlog_summary *summary, enum pithi_palette palette, uint32_t *rgb)
{
    uint32_t defs = pithlog_get_info(log)->defs, *own = pithi_palette_make(log);

    memcpy(rgb, own, defs * sizeof *rgb);
    free(own);
    if (palette == PITHI_PALETTE_CLASSIC)
        for (uint32_t id = 0; id < defs; id++)
            pithi_classic_colour(pithlog_get_def(log, id)->name, &rgb[id]);
    if (palette == PITHI_PALETTE_SAFE)
        return fill_safe(log, summary, rgb); /* chosen for both papers */
    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithi_rgb_visible(rgb[id]);
    return PITH_OK;
}

/* ---- Of a program that runs -------------------------------------------------------------------------------------- */

uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow)
{
    uint32_t defs = pithlog_follow_get_info(follow)->defs;
    uint32_t *rgb = pithi_alloc(defs, sizeof *rgb);

    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithlog_follow_get_def(follow, id)->colour[0] ? pithlog_follow_def_rgb(follow, id) : NO_COLOUR;
    return give_out(rgb, defs);
}

/* ---- Mixing ------------------------------------------------------------------------------------------------------ */

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
