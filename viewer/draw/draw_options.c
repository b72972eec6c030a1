/* draw_options.c - the command line of `pith draw`. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/figure.h"
#include "core/words.h"
#include "draw/draw.h"

static const char help[] =
    "Usage: pith draw LOG -o OUT.png|svg|pdf   the timelines as a picture; no display needed\n"
    "       pith draw LOG --text               the timelines in letters, on the terminal in colour\n"
    "\n"
    "  -o OUT          the file; its suffix says which kind\n"
    "  --size WxH      in pixels (with --text in letters); without H as high as the rows need; default 1200\n"
    "  --from TIME     begin here: seconds, or with a unit (3ms, 20us, 7ns); init: where MPI_Init has ended\n"
    "  --to TIME       end here; finalize: where MPI_Finalize begins\n"
    "  --lanes LIST    only these ranks or threads: 0-3,7.1\n"
    "  --title TEXT    instead of the log's name\n"
    "  --text          print it\n"
    "  --ascii         as --text, plain letters only\n"
    "  --colour WHEN   with --text: always, never, auto (on a terminal)\n";

enum { SIZE = 256, FROM, TO, LANES, TITLE, TEXT, ASCII, COLOUR, HELP };
static const struct option options[] = {{"size", required_argument, NULL, SIZE},
                                        {"from", required_argument, NULL, FROM},
                                        {"to", required_argument, NULL, TO},
                                        {"lanes", required_argument, NULL, LANES},
                                        {"lane", required_argument, NULL, LANES},
                                        {"title", required_argument, NULL, TITLE},
                                        {"text", no_argument, NULL, TEXT},
                                        {"ascii", no_argument, NULL, ASCII},
                                        {"color", required_argument, NULL, COLOUR},
                                        {"colour", required_argument, NULL, COLOUR},
                                        {"output", required_argument, NULL, 'o'},
                                        {"help", no_argument, NULL, HELP},
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

static int set_colour(struct pithi_draw *draw, const char *when)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (int i = 0; i < 3; i++)
        if (strcmp(when, names[i]) == 0) {
            draw->colour = (enum pithi_draw_colour)i;
            return 0;
        }
    return usage("--colour %s: must be always, never or auto", when);
}

/* Returns 0, 2 after a message, -1 after help. */
static int set_option(struct pithi_draw *draw, int option, const char *value)
{
    switch (option) {
    case 'o':
        draw->out_path = value;
        return 0;
    case SIZE:
        if (pithi_size_parse(value, &draw->width, &draw->height))
            return usage("--size %s: must be like 1200x400", value);
        return 0;
    case FROM:
        draw->has_from = 1;
        if ((draw->from_init = strcmp(value, "init") == 0))
            return 0;
        if (pithi_time_parse(value, &draw->t0_ns))
            return usage("--from %s: no time such as 1.5 or 20ms, nor init", value);
        return 0;
    case TO:
        draw->has_to = 1;
        if ((draw->to_finalize = strcmp(value, "finalize") == 0))
            return 0;
        if (pithi_time_parse(value, &draw->t1_ns))
            return usage("--to %s: no time such as 1.5 or 20ms, nor finalize", value);
        return 0;
    case LANES:
        draw->lanes = value;
        return 0;
    case TITLE:
        draw->title = value;
        return 0;
    case ASCII:
        draw->ascii = 1;
        draw->colour = PITHI_COLOUR_NEVER;
        draw->kind = PITHI_DRAW_TEXT;
        return 0;
    case TEXT:
        draw->kind = PITHI_DRAW_TEXT;
        return 0;
    case COLOUR:
        return set_colour(draw, value);
    default:
        fputs(help, stdout);
        return -1;
    }
}

static int set_kind(struct pithi_draw *draw)
{
    static const char *const suffixes[] = {".png", ".svg", ".pdf"};
    const char *dot = draw->out_path ? strrchr(draw->out_path, '.') : NULL;

    if (draw->kind == PITHI_DRAW_TEXT)
        return draw->out_path ? usage("--text is printed; it goes not with -o") : 0;
    if (!draw->out_path)
        return usage("where to? give -o OUT.png (or .svg, .pdf), or --text");
    for (int i = 0; dot && i < 3; i++)
        if (strcmp(dot, suffixes[i]) == 0) {
            draw->kind = (enum pithi_draw_kind)i;
            return 0;
        }
    return usage("-o %s: its name must end in .png, .svg or .pdf", draw->out_path);
}

static int check_size(const struct pithi_draw *draw)
{
    if (draw->kind == PITHI_DRAW_TEXT || !draw->width)
        return 0;
    if (draw->width < PITHI_FIGURE_LEAST_WIDTH || draw->width > PITHI_FIGURE_MOST || draw->height > PITHI_FIGURE_MOST ||
        (draw->height && draw->height < PITHI_FIGURE_LEAST_HEIGHT))
        return usage("--size: from %dx%d to %dx%d", PITHI_FIGURE_LEAST_WIDTH, PITHI_FIGURE_LEAST_HEIGHT,
                     PITHI_FIGURE_MOST, PITHI_FIGURE_MOST);
    return 0;
}

int pithi_draw_options(struct pithi_draw *draw, int argc, char **argv)
{
    int option, status;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
        if (option == ':')
            return usage("%s needs a value", argv[optind - 1]);
        if (option == '?')
            return usage("no such option: %s", argv[optind - 1]);
        status = set_option(draw, option, optarg);
        if (status)
            return status;
    }
    if (argc - optind != 1)
        return usage(argc == optind ? "which log?" : "one log at a time");
    draw->log_path = argv[optind];
    status = set_kind(draw);
    return status ? status : check_size(draw);
}
