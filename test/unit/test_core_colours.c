/* test_core_colours.c - themes with contrast; the safe palette as the colour-blind see it; MPE's; groups of states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/raster/palette.h"
#include "core/rows/legend.h"
#include "core_log.h"
#include "mpi/group.h"
#include "tap.h"

/* ---- How colours are seen ---------------------------------------------------------------------------------------- */

/* Linear RGB as it is, without red cones, without green cones: Machado, Oliveira, Fernandes (2009), severity 1. */
static const double eyes[3][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
};
enum { THEMES = 2 };
static const char *const themes[THEMES] = {"light", "dark"};
static const char *const eye_names[] = {"all cones", "no red cones", "no green cones"};

static double linear(uint32_t channel)
{
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double lab_part(double x) { return x > 216.0 / 24389 ? cbrt(x) : (24389.0 / 27 * x + 16) / 116; }

/* CIELAB, white D65. */
static void see(uint32_t rgb, const double eye[3][3], double lab[3])
{
    static const double xyz[3][3] = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    static const double white[] = {0.95047, 1, 1.08883};
    double in[3] = {linear(rgb >> 16 & 255), linear(rgb >> 8 & 255), linear(rgb & 255)}, seen[3], f[3];

    for (int i = 0; i < 3; i++)
        seen[i] = fmin(1, fmax(0, eye[i][0] * in[0] + eye[i][1] * in[1] + eye[i][2] * in[2]));
    for (int i = 0; i < 3; i++)
        f[i] = lab_part((xyz[i][0] * seen[0] + xyz[i][1] * seen[1] + xyz[i][2] * seen[2]) / white[i]);
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static double distance(uint32_t a, uint32_t b, int eye)
{
    double x[3], y[3];

    see(a, eyes[eye], x);
    see(b, eyes[eye], y);
    return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

/* The least distance among the first `count` colours. */
static double least(const uint32_t *rgb, uint32_t count, int eye)
{
    double found = 1e9;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            found = fmin(found, distance(rgb[i], rgb[j], eye));
    return found;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void test_eyes(void)
{
    OK(fabs(distance(0xffffff, 0x000000, 0) - 100) < 0.01, "white is 100 away from black");
    OK(distance(0xcc0000, 0x6b5c00, 0) > 60 && distance(0xcc0000, 0x6b5c00, 2) < 20,
       "red and olive are the same to one who has no green cones (%.0f)", distance(0xcc0000, 0x6b5c00, 2));
}

static void test_safe(void)
{
    uint32_t rgb[24];

    for (uint32_t i = 0; i < 24; i++)
        rgb[i] = pithi_safe_colour(i);
    for (int eye = 0; eye < 3; eye++) {
        OK(least(rgb, 12, eye) > 28, "the first twelve of the safe colours, %s: %.1f apart", eye_names[eye],
           least(rgb, 12, eye));
        OK(least(rgb, 24, eye) > 15, "all of them, %s: %.1f", eye_names[eye], least(rgb, 24, eye));
    }
    for (unsigned i = 0; i < THEMES; i++) {
        double found = 1e9;
        OK(pithi_theme_choose(themes[i]) == 0, "theme %s", themes[i]);
        for (uint32_t k = 0; k < 12; k++)
            for (int eye = 0; eye < 3; eye++)
                found = fmin(found, distance(rgb[k], pithi_theme()->paper, eye));
        OK(found > 14, "and from its paper: %.1f", found);
    }
    pithi_theme_choose("light");
}

static void test_themes(void)
{
    OK(fabs(pithi_contrast(0xffffff, 0) - 21) < 0.01 && pithi_contrast(0x123456, 0x123456) == 1, "contrast: 21 and 1");
    for (unsigned i = 0; i < THEMES; i++) {
        const struct pithi_theme *t = (pithi_theme_choose(themes[i]), pithi_theme());
        double text = fmin(pithi_contrast(t->text, t->paper), pithi_contrast(t->text, t->panel));
        double faint = fmin(pithi_contrast(t->faint, t->paper), pithi_contrast(t->faint, t->panel));
        text = fmin(text, fmin(pithi_contrast(t->text, t->select), pithi_contrast(t->text, t->hover)));
        OK(strcmp(t->name, themes[i]) == 0 && text >= 7, "theme %s: text can be read (%.1f)", t->name, text);
        OK(faint >= 4.5, "faint text as well (%.1f)", faint);
        OK(pithi_contrast(t->accent, t->paper) >= 4.5 && pithi_contrast(t->alarm, t->panel) >= 4.5, "accent and alarm");
    }
    OK(pithi_theme_choose("pink") == -1 && strcmp(pithi_theme()->name, "dark") == 0, "no such theme: nothing changes");
    OK(pithi_contrast(pithi_rgb_visible(0x000080), pithi_theme()->idle) >= 1.9, "navy is lighter on dark paper");
    OK(pithi_rgb_visible(0xff8800) == 0xff8800, "orange stays");
    pithi_theme_choose("light");
    OK(pithi_rgb_visible(0x000080) == 0x000080 && pithi_rgb_visible(0xffffff) == 0xffffff, "on light paper all stay");
}

static void test_text_on(void)
{
    double worst = 21;

    for (uint32_t rgb = 0; rgb < 0x1000000; rgb += 0x010307)
        worst = fmin(worst, pithi_contrast(rgb, pithi_rgb_text_on(rgb)));
    OK(worst > 4.5, "text on any colour can be read: %.2f", worst);
}

static void test_classic(void)
{
    uint32_t rgb = 1;

    OK(pithi_classic_colour("MPI_Send", &rgb) && rgb == 0x0000ff, "MPE's MPI_Send is blue");
    OK(pithi_classic_colour("MPI_Recv", &rgb) && rgb == 0x00ff00, "MPI_Recv green");
    OK(pithi_classic_colour("MPI_Wait", &rgb) && rgb == 0xff0000, "MPI_Wait red");
    OK(pithi_classic_colour("MPI_Gather", &rgb) && rgb == 0xffffff, "what had none was white");
    OK(pithi_classic_colour("CLOG_Buffer_write2disk", &rgb) && pithi_classic_colour("MPI_Wtime", &rgb), "first, last");
    rgb = 1;
    OK(!pithi_classic_colour("MPI_Session_init", &rgb) && !pithi_classic_colour("solve", &rgb) && rgb == 1,
       "no others");
}

static const char *group(const char *name, const char *told)
{
    struct pithlog_def def = {.kind = PITHLOG_STATE, .name = name, .group = told, .colour = "", .format = ""};
    return pithi_state_group(&def);
}

static void test_groups(void)
{
    static const char *const rows[][2] = {
        {"MPI_Allreduce", "MPI collective"},
        {"MPI_Ibcast", "MPI collective"},
        {"MPI_Reduce_local", "MPI environment"},
        {"PMPI_Isend", "MPI point-to-point"},
        {"MPI_Sendrecv", "MPI point-to-point"},
        {"mpi_recv_", "MPI point-to-point"},
        {"MPI_Waitall", "MPI wait"},
        {"MPI_Win_wait", "MPI one-sided"},
        {"MPI_Get", "MPI one-sided"},
        {"MPI_Get_count", "MPI environment"},
        {"MPI_File_write_all", "MPI file"},
        {"MPI_Type_commit", "MPI datatype"},
        {"MPI_Comm_split", "MPI communicator"},
        {"MPI_Group_incl", "MPI group"},
        {"MPI_Init", "MPI environment"},
        {"solve", "user"},
    };
    int wrong = 0;

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(group(rows[i][0], ""), rows[i][1]) != 0) {
            printf("# %s: %s\n", rows[i][0], group(rows[i][0], ""));
            wrong++;
        }
    OK(wrong == 0, "groups by names");
    OK(strcmp(group("MPI_Send", "mine"), "mine") == 0, "what a log tells is kept");
    OK(strcmp(group("MPI_Send", "MPI"), "MPI point-to-point") == 0, "unless it says nothing");
}

/* ---- Of a log ---------------------------------------------------------------------------------------------------- */

/* "short" 1 ns, "MPI_Send" 100 ns, "long" 1000 ns, in this order. */
static struct pithlog *make_log(void)
{
    static const char *const names[] = {"short", "MPI_Send", "long"};
    static const int64_t spans[] = {1, 100, 1000};
    struct core_log log;
    int64_t now = 0;
    uint32_t lane;

    core_log_begin(&log);
    lane = core_lane(&log, 0, 0, "");
    for (int i = 0; i < 3; i++) {
        uint32_t id = core_define(&log, PITHLOG_STATE, names[i], i == 1 ? "navy" : "");
        core_add(&log, lane, PITHLOG_ENTER, now, id);
        core_add(&log, lane, PITHLOG_LEAVE, now += spans[i], id);
    }
    return core_log_end(&log);
}

static void test_fill(struct pithlog *log)
{
    uint32_t rgb[3] = {0};
    enum pithi_palette palette = PITHI_PALETTE_LOG;

    OK(!pithi_palette_fill(log, NULL, PITHI_PALETTE_LOG, rgb) && rgb[1] == 0x000080, "the log's own colours");
    OK(!pithi_palette_parse("classic", &palette) && !pithi_palette_fill(log, NULL, palette, rgb), "classic");
    OK(rgb[1] == 0x0000ff && rgb[0] != rgb[2], "MPE's blue, and colours of our own for the rest");
    OK(!pithi_palette_parse("safe", &palette) && !pithi_palette_fill(log, NULL, palette, rgb), "safe");
    OK(rgb[2] == pithi_safe_colour(0) && rgb[1] == pithi_safe_colour(1) && rgb[0] == pithi_safe_colour(2),
       "the best colours for what takes most time");
    OK(pithi_palette_parse("pale", &palette) == -1, "no such palette");
    pithi_theme_choose("dark");
    pithi_palette_fill(log, NULL, PITHI_PALETTE_LOG, rgb);
    OK(rgb[1] != 0x000080 && pithi_contrast(rgb[1], pithi_theme()->idle) >= 1.9, "seen on dark paper");
    pithi_palette_fill(log, NULL, PITHI_PALETTE_SAFE, rgb);
    OK(rgb[2] == pithi_safe_colour(0) && rgb[1] == pithi_safe_colour(1), "the safe ones are the same there");
    pithi_theme_choose("light");
}

/* ---- Of MPI ------------------------------------------------------------------------------------------------------ */

/* The colour that an MPI function is recorded with: its own in roles.table, else that of its class. */
static uint32_t colour_of_call(const char *name)
{
    FILE *table = fopen("wrappers/mpi/roles.table", "r");
    char line[1024], word[64], classes[64] = "", colour[16] = "";

    while (table && fgets(line, sizeof line, table)) {
        const char *own = strstr(line, "colour:");
        if (sscanf(line, "%63s %63s", word, classes) == 2 && strcmp(word, name) == 0) {
            snprintf(colour, sizeof colour, "%.7s", own ? own + 7 : pithi_group_colour(name, classes));
            break;
        }
    }
    if (table)
        fclose(table);
    return (uint32_t)strtoul(colour[0] ? colour + 1 : "0", NULL, 16);
}

/* Functions that take long in the same programs, and MPI_Init, which is long in short runs. */
static void test_calls(void)
{
    static const char *const names[] = {"MPI_Send",      "MPI_Recv",     "MPI_Isend",  "MPI_Irecv",  "MPI_Sendrecv",
                                        "MPI_Waitall",   "MPI_Barrier",  "MPI_Bcast",  "MPI_Reduce", "MPI_Allreduce",
                                        "MPI_Allgather", "MPI_Alltoall", "MPI_Gather", "MPI_Init"};
    enum { NAMES = sizeof names / sizeof *names };
    uint32_t rgb[NAMES];
    double grey = 100, contrast = 21;

    for (int i = 0; i < NAMES; i++)
        rgb[i] = colour_of_call(names[i]);
    for (int eye = 0; eye < 3; eye++)
        OK(least(rgb, NAMES, eye) > 8.5, "calls of MPI, %s: %.1f apart", eye_names[eye], least(rgb, NAMES, eye));
    OK(least(rgb, 5, 0) > 14 && distance(rgb[4], rgb[9], 0) > 24,
       "calls for messages: %.1f; MPI_Sendrecv, MPI_Allreduce: %.1f", least(rgb, 5, 0), distance(rgb[4], rgb[9], 0));
    for (int i = 0; i < NAMES; i++)
        grey = fmin(grey, distance(rgb[i], pithi_theme()->idle, 0));
    OK(grey > 9, "and from the light band of a lane: %.1f", grey);
    pithi_theme_choose("dark");
    for (int i = 0; i < NAMES; i++)
        contrast = fmin(contrast, pithi_contrast(rgb[i], pithi_theme()->idle));
    OK(contrast >= 1.9, "none is changed on dark paper (%.2f)", contrast);
    pithi_theme_choose("light");
}

/* States of a program that set no colours, beside the calls of MPI (wrappers/mpi/group.c, roles.table). */
static void test_quiet(void)
{
    const uint32_t mpi[] = {colour_of_call("MPI_Allreduce"), colour_of_call("MPI_Barrier"), colour_of_call("MPI_Wait"),
                            colour_of_call("MPI_Send"), colour_of_call("MPI_Init")};
    struct core_log made;
    uint32_t rgb[16];
    double warmest = -200;
    char name[16];

    core_log_begin(&made);
    core_add(&made, core_lane(&made, 0, 0, ""), PITHLOG_ENTER, 0, core_define(&made, PITHLOG_STATE, "0", ""));
    for (int i = 1; i < 16; i++) {
        snprintf(name, sizeof name, "%d", i);
        core_define(&made, PITHLOG_STATE, name, "");
    }
    struct pithlog *log = core_log_end(&made);
    OK(!pithi_palette_fill(log, NULL, PITHI_PALETTE_LOG, rgb), "colours of our own");
    for (int eye = 0; eye < 3; eye++) {
        double from_mpi = 1e9;
        OK(least(rgb, 8, eye) > 23, "the first eight, %s: %.1f apart", eye_names[eye], least(rgb, 8, eye));
        OK(least(rgb, 16, eye) > 13, "all of them, %s: %.1f", eye_names[eye], least(rgb, 16, eye));
        for (int i = 0; i < 16; i++)
            for (size_t k = 0; k < sizeof mpi / sizeof *mpi; k++)
                from_mpi = fmin(from_mpi, distance(rgb[i], mpi[k], eye));
        OK(from_mpi > 7, "and from the calls of MPI: %.1f", from_mpi);
    }
    for (int i = 0; i < 16; i++) {
        double lab[3];
        see(rgb[i], eyes[0], lab);
        warmest = fmax(warmest, lab[1]);
    }
    OK(warmest < 15, "none is red: that is what waits (%.1f)", warmest);
    pithlog_close(log);
}

int main(void)
{
    struct pithlog *log = make_log();

    test_eyes();
    test_safe();
    test_themes();
    test_text_on();
    test_classic();
    test_groups();
    test_fill(log);
    test_calls();
    test_quiet();
    pithlog_close(log);
    return tap_done();
}
