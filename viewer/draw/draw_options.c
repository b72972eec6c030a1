/* draw_options.c - reads the command line of `pith draw`.
 *
 * Options may stand in any order, so each option is first checked by itself. Options that do not go together are
 * refused after all options have been read: in `pith draw a.pith --ranges -o b.html`, --ranges is wrong only because of
 * the -o that follows.
 *
 * The suffix of the file after -o decides the kind of the picture. The usual mistakes are a missing -o (`pith draw
 * a.pith b.png`) and a suffix that no format has; each of these two mistakes has a message of its own. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/rows/words.h"
#include "draw/draw.h"

enum {
    SIZE = 256,
    FROM,
    TO,
    LANES,
    GROUP,
    UNFOLD,
    TITLE,
    LEGEND,
    STATS,
    WAITS,
    CRITICAL_PATH,
    FINDINGS,
    ITERATIONS,
    RANGES,
    GREY,
    PALETTE,
    THEME,
    FULL,
    NOTES,
    CORE_WAITS,
    TIME_OF_DAY,
    VIEWER,
    TEXT,
    ASCII,
    COLOUR
};
static const struct option options[] = {{"size", required_argument, NULL, SIZE},
                                        {"from", required_argument, NULL, FROM},
                                        {"to", required_argument, NULL, TO},
                                        {"lanes", required_argument, NULL, LANES},
                                        {"lane", required_argument, NULL, LANES},
                                        {"group", required_argument, NULL, GROUP},
                                        {"unfold", required_argument, NULL, UNFOLD},
                                        {"title", required_argument, NULL, TITLE},
                                        {"legend", required_argument, NULL, LEGEND},
                                        {"stats", no_argument, NULL, STATS},
                                        {"waits", no_argument, NULL, WAITS},
                                        {"core-waits", no_argument, NULL, CORE_WAITS},
                                        {"time-of-day", no_argument, NULL, TIME_OF_DAY},
                                        {"critical-path", no_argument, NULL, CRITICAL_PATH},
                                        {"findings", no_argument, NULL, FINDINGS},
                                        {"notes", no_argument, NULL, NOTES},
                                        {"iterations", optional_argument, NULL, ITERATIONS},
                                        {"ranges", no_argument, NULL, RANGES},
                                        {"grey", no_argument, NULL, GREY},
                                        {"gray", no_argument, NULL, GREY},
                                        {"palette", required_argument, NULL, PALETTE},
                                        {"theme", required_argument, NULL, THEME},
                                        {"full", no_argument, NULL, FULL},
                                        {"viewer", no_argument, NULL, VIEWER},
                                        {"text", no_argument, NULL, TEXT},
                                        {"ascii", no_argument, NULL, ASCII},
                                        {"color", required_argument, NULL, COLOUR},
                                        {"colour", required_argument, NULL, COLOUR},
                                        {"output", required_argument, NULL, 'o'},
                                        {NULL, 0, NULL, 0}};

__attribute__((format(printf, 1, 2))) static int usage(const char *format, ...)
{
    va_list args;

    fputs("pith: draw: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("; see `pith help draw`\n", stderr);
    return 2;
}

/* Returns the index of `word` in `names`, or -1 if it is not among them. */
static int choose(const char *word, const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

/* Stores the value of an option. Returns 0, or 2 if the value is wrong; then it has printed a message. */
static int set_option(struct pithi_draw *draw, int option, const char *value)
{
    switch (option) {
    case STATS:
        draw->stats = 1;
        return 0;
    case WAITS:
        draw->waits = 1;
        return 0;
    case CORE_WAITS:
        draw->shows_core_waits = 1;
        return 0;
    case TIME_OF_DAY:
        draw->shows_time_of_day = 1;
        return 0;
    case CRITICAL_PATH:
        draw->path = 1;
        return 0;
    case FINDINGS:
        draw->findings = 1;
        return 0;
    case NOTES:
        draw->shows_notes = 1;
        return 0;
    case RANGES:
        draw->ranges = 1;
        return 0;
    case GREY:
        draw->grey = 1;
        return 0;
    case FULL:
        draw->full = 1;
        return 0;
    case VIEWER:
        draw->is_viewer = 1;
        return 0;
    case ASCII:
        draw->ascii = 1;
        draw->colour = PITHI_COLOUR_NEVER;
        draw->kind = PITHI_DRAW_TEXT;
        return 0;
    case TEXT:
        draw->kind = PITHI_DRAW_TEXT;
        return 0;
    case 'o':
        draw->out_path = value;
        return 0;
    case 'e': {
        const char **scripts = pithi_alloc((size_t)draw->script_count + 1, sizeof *scripts);

        for (int i = 0; i < draw->script_count; i++)
            scripts[i] = draw->script[i];
        scripts[draw->script_count++] = value;
        free(draw->script);
        draw->script = scripts;
        return 0;
    }
    case ITERATIONS:
        draw->iterations = 1;
        draw->iterations_of = value;
        return 0;
    case SIZE:
        draw->size = value;
        if (pithi_size_parse(value, &draw->width, &draw->height))
            return usage("--size %s: must be pixels like 1200x400, at most 32000x32000", value);
        return 0;
    case FROM:
        draw->from = value;
        return pithlog_time_check(value) ? usage("--from: %s", pithlog_error()) : 0;
    case TO:
        draw->to = value;
        return pithlog_time_check(value) ? usage("--to: %s", pithlog_error()) : 0;
    case LANES:
        draw->lanes = value;
        return 0;
    case GROUP:
        if (pithi_grouping_parse(value, &draw->group))
            return usage("--group %s: must be host, comm, alike or none", value);
        return 0;
    case UNFOLD:
        draw->unfold = value;
        return 0;
    case TITLE:
        draw->title = value;
        return 0;
    case LEGEND: {
        static const char *const names[] = {"bottom", "right", "none"};
        int choice = choose(value, names, 3);

        if (choice < 0)
            return usage("--legend %s: must be bottom, right or none", value);
        draw->legend = (enum pithi_legend_place)choice;
        return 0;
    }
    case PALETTE:
        if (pithi_palette_parse(value, &draw->palette))
            return usage("--palette %s: must be log, classic or safe", value);
        return 0;
    case THEME:
        return pithi_theme_choose(value) ? usage("--theme %s: must be light or dark", value) : 0;
    default: {
        static const char *const names[] = {"auto", "always", "never"};
        int choice = choose(value, names, 3);

        if (choice < 0)
            return usage("--colour %s: must be always, never or auto", value);
        draw->colour = (enum pithi_draw_colour)choice;
        return 0;
    }
    }
}

/* Finds the kind of a picture by the suffix of its file name. Returns 0, or -1 if no kind has this suffix. */
static int kind_of(const char *path, enum pithi_draw_kind *kind)
{
    static const struct {
        const char *suffix;
        enum pithi_draw_kind kind;
    } kinds[] = {{".png", PITHI_DRAW_PNG}, {".svg", PITHI_DRAW_SVG},  {".pdf", PITHI_DRAW_PDF},  {".ps", PITHI_DRAW_PS},
                 {".eps", PITHI_DRAW_EPS}, {".htm", PITHI_DRAW_HTML}, {".html", PITHI_DRAW_HTML}};
    const char *dot = strrchr(path, '.');

    for (unsigned i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot, kinds[i].suffix) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
    return -1;
}

static int set_kind(struct pithi_draw *draw)
{
    if (draw->kind == PITHI_DRAW_TEXT)
        return draw->out_path ? usage("--text is printed; it goes not with -o") : 0;
    if (!draw->out_path)
        return usage("where to? give -o OUT.png (or .svg, .pdf, .ps, .eps, .html), or --text");
    if (kind_of(draw->out_path, &draw->kind) == 0)
        return 0;
    return usage("-o %s: its name must end in .png, .svg, .pdf, .ps, .eps or .html", draw->out_path);
}

int pithi_draw_options(struct pithi_draw *draw, int argc, char **argv)
{
    enum pithi_draw_kind kind;
    int option, status, option_count = 0;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:e:", options, NULL)) != -1) {
        if (option == ':')
            return usage("%s needs a value", argv[optind - 1]);
        if (option == '?') {
            /* The message names the whole word that the user wrote. After a single dash, getopt takes letters one by
             * one: of "-title" it has read only "-t", and optopt is 't'. After two dashes optopt is 0. */
            char dashed[] = {'-', (char)optopt, '\0'};
            const char *given = !optopt                                             ? argv[optind - 1]
                                : argv[optind] && !strncmp(argv[optind], dashed, 2) ? argv[optind]
                                                                                    : dashed;
            const char *name = given + strspn(given, "-");
            struct pithi_nearest nearest;

            pithi_nearest_begin(&nearest, name, strcspn(name, "="));
            for (const struct option *o = options; o->name; o++)
                pithi_nearest_try(&nearest, o->name);
            if (!nearest.name)
                return usage("no such option: %s", given);
            pithi_draw_failed("draw: no such option: %s; did you mean --%s?", given, nearest.name);
            return 2;
        }
        status = set_option(draw, option, optarg);
        if (status)
            return status;
        option_count++;
    }
    if (draw->is_viewer) {
        /* --viewer may be given only with -o. It makes a page in which the user opens logs and chooses how they are
         * shown, so all other options would have no effect. */
        draw->log_path = argv[optind]; /* NULL if no log was given */
        if (argc - optind > 1)
            return usage("one log at a time, not also %s", argv[optind + 1]);
        if (option_count > 2)
            return usage("--viewer: goes with -o and no other option");
        if (!draw->out_path || kind_of(draw->out_path, &draw->kind) || draw->kind != PITHI_DRAW_HTML)
            return usage("--viewer: give -o OUT.html");
        return 0;
    }
    if (argc == optind)
        return usage("LOG is missing");
    if (argc - optind == 2 && !draw->out_path && kind_of(argv[optind + 1], &kind) == 0)
        return usage("-o is missing before %s", argv[optind + 1]);
    if (argc - optind > 1)
        return usage("one log at a time, not also %s", argv[optind + 1]);
    draw->log_path = argv[optind];
    status = set_kind(draw);
    if (!status && draw->ranges && (draw->kind == PITHI_DRAW_TEXT || draw->kind == PITHI_DRAW_HTML))
        return usage("--ranges: in pictures only, not in text and pages");
    if (!status && draw->iterations && (draw->kind == PITHI_DRAW_TEXT || draw->kind == PITHI_DRAW_HTML))
        return usage("--iterations: in pictures only, not in text and pages");
    if (!status && draw->unfold && draw->kind == PITHI_DRAW_TEXT)
        return usage("--unfold: in pictures and pages only, not in text");
    if (status || draw->kind == PITHI_DRAW_TEXT || !draw->width)
        return status;
    if (draw->width < PITHI_FIGURE_LEAST_WIDTH || draw->width > PITHI_FIGURE_MOST || draw->height > PITHI_FIGURE_MOST ||
        (draw->height && draw->height < PITHI_FIGURE_LEAST_HEIGHT))
        return usage("--size must be from %dx%d to %dx%d, not %s", PITHI_FIGURE_LEAST_WIDTH, PITHI_FIGURE_LEAST_HEIGHT,
                     PITHI_FIGURE_MOST, PITHI_FIGURE_MOST, draw->size);
    return 0;
}
