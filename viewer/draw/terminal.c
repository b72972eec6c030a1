/* terminal.c - the timelines in letters: on a terminal as half blocks in colour (the upper half is the outermost
 * state, the lower the innermost), else one letter a state, chosen from its name, with a key below. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/axis.h"
#include "core/clean.h"
#include "core/legend_draw.h"
#include "core/memory.h"
#include "core/palette.h"
#include "core/words.h"
#include "draw/draw.h"

enum { DEFAULT_COLUMNS = 100, LEAST_COLUMNS = 30, MOST_LABEL = 24, TICK_SPACING = 14, TITLE_AND_AXIS = 3 };

struct terminal {
    const struct pithi_draw *draw;
    int colour, ascii; /* ascii: plain letters, in names as well */
    int truecolour;
    int columns, label; /* of a line; of the labels */
    struct pithi_cells cells;
    struct pithi_legend_entry *legend;
    uint32_t legend_count, tiny; /* shown; left out */
    uint32_t left_out;           /* legend entries left out, since there are too few lines */
    uint32_t legend_lines;       /* at most, the key's own line included; 0: as many as it takes */
    char *letter;                /* [defs] */
};

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char *row_label(const struct terminal *terminal, uint32_t row, char *label, size_t size)
{
    char raw[128];

    pithi_row_label(terminal->draw->log, terminal->draw->rows[row], raw, sizeof raw);
    return pithi_clean(label, size, raw, terminal->ascii);
}

/* printf's %-*s counts bytes; this counts characters. */
static void print_padded(const char *text, int width)
{
    int used = pithi_columns(text);

    fputs(text, stdout);
    if (used < width)
        printf("%*s", width - used, "");
}

/* The first `width` characters. */
static void cut(char *text, int width)
{
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80 && width-- == 0) {
            *text = 0;
            return;
        }
}

/* ---- Set-up ------------------------------------------------------------------------------------------------------ */

static int columns_of_terminal(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (isatty(1) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return columns && atoi(columns) > 0 ? atoi(columns) : DEFAULT_COLUMNS;
}

static int wants_colour(const struct pithi_draw *draw)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

    if (draw->colour != PITHI_COLOUR_AUTO)
        return draw->colour == PITHI_COLOUR_ALWAYS;
    return isatty(1) && term && strcmp(term, "dumb") != 0 && !(no && *no);
}

static void set_up(struct terminal *terminal, const struct pithi_draw *draw)
{
    const char *colours = getenv("COLORTERM");
    char label[128];

    terminal->draw = draw;
    terminal->colour = wants_colour(draw);
    terminal->ascii = draw->ascii;
    terminal->truecolour = colours && (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
    terminal->columns = draw->width ? draw->width : columns_of_terminal();
    if (terminal->columns < LEAST_COLUMNS)
        terminal->columns = LEAST_COLUMNS;
    for (uint32_t row = 0; row < draw->row_count; row++) {
        row_label(terminal, row, label, sizeof label);
        if (pithi_columns(label) > terminal->label)
            terminal->label = pithi_columns(label);
    }
    if (terminal->label > MOST_LABEL)
        terminal->label = MOST_LABEL;
    if (terminal->label > terminal->columns / 3)
        terminal->label = terminal->columns / 3;
}

/* States that are nowhere in the picture and took less than a thousandth of the time are only counted. */
static uint32_t drop_tiny_entries(const struct terminal *terminal, struct pithi_legend_entry *legend, uint32_t count)
{
    unsigned char *seen = pithi_alloc(terminal->cells.defs, 1);
    size_t cells = (size_t)terminal->cells.rows * terminal->cells.levels * terminal->cells.width;
    uint32_t kept = 0;

    for (size_t i = 0; i < cells; i++)
        if (terminal->cells.cells[i].state != PITHI_NONE)
            seen[terminal->cells.cells[i].state] = 1;
    for (uint32_t i = 0; i < count; i++)
        if (seen[legend[i].id] || legend[i].share >= 0.001 ||
            pithlog_get_def(terminal->draw->log, legend[i].id)->kind != PITHLOG_STATE)
            legend[kept++] = legend[i];
    free(seen);
    return kept;
}

/* The lanes of all rows, one row behind the other, and where each row ends. Both to be freed. */
static uint32_t *lanes_of_rows(const struct pithi_draw *draw, uint32_t **ends)
{
    uint32_t *lanes = NULL, capacity = 0, count = 0, of_row;

    *ends = pithi_alloc(draw->row_count, sizeof **ends);
    for (uint32_t row = 0; row < draw->row_count; row++) {
        const uint32_t *its = pithi_row_lanes(&draw->rows[row], &of_row);
        lanes = pithi_grow(lanes, &capacity, count + of_row, sizeof *lanes);
        memcpy(lanes + count, its, of_row * sizeof *lanes);
        (*ends)[row] = count += of_row;
    }
    return lanes;
}

static int ask_log(struct terminal *terminal)
{
    const struct pithi_draw *draw = terminal->draw;
    uint32_t *ends, *lanes = lanes_of_rows(draw, &ends), count;
    struct pithi_query query = {.t0_ns = draw->t0_ns,
                                .t1_ns = draw->t1_ns,
                                .lanes = lanes,
                                .lane_count = draw->row_count ? ends[draw->row_count - 1] : 0,
                                .group_end = ends,
                                .group_count = draw->row_count,
                                .hidden = draw->hidden,
                                .summary = draw->summary,
                                .care = draw->care};
    int err;

    query.width = (uint32_t)(terminal->columns - terminal->label - 3);
    query.levels = terminal->colour ? 2 : 1;
    err = pithi_query_run(draw->log, &query, &terminal->cells);
    free(lanes);
    free(ends);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    else if (err)
        return pithi_draw_failed("%s", pithlog_error());
    terminal->legend = pithi_legend_make(draw->log, &terminal->cells, draw->t1_ns - draw->t0_ns, &count);
    count = pithi_legend_shown(terminal->legend, count, draw->hidden);
    terminal->legend_count = draw->stats ? count : drop_tiny_entries(terminal, terminal->legend, count);
    terminal->tiny = count - terminal->legend_count;
    return 0;
}

/* ---- Letters ----------------------------------------------------------------------------------------------------- */

/* The first letter of the name that is still free, as capital or small; MPI_ and the like say nothing and are passed
 * over. */
static char letter_for(const char *name, const char used[128])
{
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    if (strncmp(name, "MPI_", 4) == 0)
        name += 4;
    for (const char *c = name; *c; c++) {
        int upper = toupper((unsigned char)*c), lower = tolower((unsigned char)*c);
        if ((unsigned char)*c >= 128 || !isalnum((unsigned char)*c))
            continue;
        if (!used[upper])
            return (char)upper;
        if (!used[lower])
            return (char)lower;
    }
    for (const char *c = rest; *c; c++)
        if (!used[(unsigned char)*c])
            return *c;
    return '#';
}

static void give_letters(struct terminal *terminal)
{
    char used[128] = {0};

    terminal->letter = pithi_alloc(terminal->cells.defs, 1);
    for (uint32_t i = 0; i < terminal->legend_count; i++) {
        const struct pithlog_def *def = pithlog_get_def(terminal->draw->log, terminal->legend[i].id);
        char letter = letter_for(def->name, used);
        if (def->kind != PITHLOG_STATE)
            continue;
        used[(unsigned char)letter] = 1;
        terminal->letter[terminal->legend[i].id] = letter;
    }
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* The columns at or around which a row has records: outside of its life nothing is drawn. */
struct life {
    int64_t first_ns, last_ns;
};

static struct life life_of(const struct terminal *terminal, uint32_t row)
{
    struct life life;

    pithi_row_life(terminal->draw->log, &terminal->draw->rows[row], &life.first_ns, &life.last_ns);
    return life;
}

static int is_alive(const struct terminal *terminal, const struct life *life, uint32_t column)
{
    const struct pithi_draw *draw = terminal->draw;
    double span = (double)draw->t1_ns - (double)draw->t0_ns, width = terminal->cells.width;
    double from = (double)draw->t0_ns + span * column / width, to = from + span / width;

    return (double)life->last_ns >= from && (double)life->first_ns < to;
}

static void print_letters(const struct terminal *terminal, uint32_t row)
{
    const struct pithi_cell *line = pithi_cells_line(&terminal->cells, row, 0);
    struct life life = life_of(terminal, row);

    for (uint32_t c = 0; c < terminal->cells.width; c++) {
        if (line[c].state == PITHI_NONE)
            putchar(is_alive(terminal, &life, c) ? '.' : ' ');
        else
            putchar(line[c].cover < 128 ? ':' : terminal->letter[line[c].state]);
    }
}

static int cube(uint32_t rgb, int shift)
{
    int value = (int)(rgb >> shift & 255);
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static void set_colour(const struct terminal *terminal, int ground, uint32_t rgb)
{
    if (terminal->truecolour)
        printf("\033[%d;2;%u;%u;%um", ground, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255);
    else
        printf("\033[%d;5;%dm", ground, 16 + 36 * cube(rgb, 16) + 6 * cube(rgb, 8) + cube(rgb, 0));
}

/* One column: nothing; a low block (less than half of its time covered); a block; a state (upper half) and another
 * inside it (lower half). */
static void print_block(const struct terminal *terminal, const struct pithi_cell *outer, const struct pithi_cell *inner,
                        int alive)
{
    const uint32_t *rgb = terminal->draw->rgb;

    if (outer->state == PITHI_NONE) {
        fputs(alive ? "\033[2m\xc2\xb7\033[22m" : " ", stdout);
        return;
    }
    if (outer->cover < 128) {
        set_colour(terminal, 38, rgb[outer->state]);
        fputs("\xe2\x96\x83\033[0m", stdout);
    } else if (inner->state == PITHI_NONE || inner->cover < 128) {
        /* Seven eighths of a block: the rest parts the rows. */
        set_colour(terminal, 38, rgb[outer->state]);
        fputs("\xe2\x96\x87\033[0m", stdout);
    } else {
        set_colour(terminal, 38, rgb[inner->state]);
        set_colour(terminal, 48, rgb[outer->state]);
        fputs("\xe2\x96\x84\033[0m", stdout);
    }
}

static void print_blocks(const struct terminal *terminal, uint32_t row)
{
    const struct pithi_cell *outer = pithi_cells_line(&terminal->cells, row, 0);
    const struct pithi_cell *inner = pithi_cells_line(&terminal->cells, row, 1);
    struct life life = life_of(terminal, row);

    for (uint32_t c = 0; c < terminal->cells.width; c++)
        print_block(terminal, &outer[c], &inner[c], is_alive(terminal, &life, c));
}

static void print_rows(const struct terminal *terminal)
{
    char label[128];

    for (uint32_t row = 0; row < terminal->draw->row_count; row++) {
        row_label(terminal, row, label, sizeof label);
        cut(label, terminal->label);
        print_padded(label, terminal->label);
        fputs(terminal->colour ? " \xe2\x94\x82" : " |", stdout);
        if (terminal->colour)
            print_blocks(terminal, row);
        else
            print_letters(terminal, row);
        puts(terminal->colour ? "\xe2\x94\x82" : "|");
    }
}

/* ---- Axis and legend --------------------------------------------------------------------------------------------- */

static void print_axis(const struct terminal *terminal)
{
    int width = (int)terminal->cells.width;
    char *line = pithi_alloc((size_t)width + 64, 1), *labels = pithi_alloc((size_t)width + 64, 1);
    struct pithi_axis axis;
    int end = 0;

    pithi_axis_make(terminal->draw->t0_ns, terminal->draw->t1_ns, width, TICK_SPACING, &axis);
    memset(line, '-', (size_t)width);
    memset(labels, ' ', (size_t)width + 63);
    for (uint32_t i = 0; i < axis.count; i++) {
        int x = (int)floor(axis.ticks[i].x), size = (int)strlen(axis.ticks[i].label);
        line[x] = '+';
        if (x + size > width)
            continue;
        memcpy(labels + x, axis.ticks[i].label, (size_t)size);
        end = x + size;
    }
    labels[end] = 0;
    printf("%*s +%s+\n", terminal->label, "", line);
    printf("%-*.*s  %s\n", terminal->label, terminal->label, axis.base, labels);
    free(line);
    free(labels);
}

static void entry_text(const struct terminal *terminal, const struct pithi_legend_entry *entry, char *text, size_t size)
{
    const struct pithlog_def *def = pithlog_get_def(terminal->draw->log, entry->id);
    char name[48];

    pithi_clean(name, sizeof name, def->name, terminal->ascii);
    if (def->kind == PITHLOG_STATE)
        snprintf(text, size, "%s %.1f%%", name, entry->share * 100);
    else
        snprintf(text, size, "%s x%" PRIu64, name, entry->sum.count);
}

static void print_entry(const struct terminal *terminal, const struct pithi_legend_entry *entry, int width)
{
    char text[128];
    char letter = terminal->letter[entry->id];

    entry_text(terminal, entry, text, sizeof text);
    if (terminal->colour) {
        set_colour(terminal, 38, terminal->draw->rgb[entry->id]);
        printf("%s\033[0m ", letter ? "\xe2\x96\x88\xe2\x96\x88" : " \xe2\x96\xbe");
    } else {
        printf("%c  ", letter ? letter : '*');
    }
    print_padded(text, width - 3);
}

/* Where lines are scarce the last entries, those of the least time, are only counted. */
static void shorten_legend(struct terminal *terminal, uint32_t columns)
{
    uint32_t lines = terminal->legend_lines - !terminal->colour, count = terminal->legend_count;

    if (!terminal->legend_lines || (count + columns - 1) / columns + (terminal->tiny > 0) <= lines)
        return;
    terminal->legend_count = lines > 1 ? (lines - 1) * columns : 0;
    terminal->legend_count = terminal->legend_count < count ? terminal->legend_count : count;
    terminal->left_out = count - terminal->legend_count + terminal->tiny;
    terminal->tiny = 0;
}

static void print_legend(struct terminal *terminal)
{
    char text[128];
    int widest = 12, columns;

    for (uint32_t i = 0; i < terminal->legend_count; i++) {
        entry_text(terminal, &terminal->legend[i], text, sizeof text);
        if (pithi_columns(text) + 6 > widest)
            widest = pithi_columns(text) + 6;
    }
    columns = terminal->columns / widest > 0 ? terminal->columns / widest : 1;
    shorten_legend(terminal, (uint32_t)columns);
    for (uint32_t i = 0; i < terminal->legend_count; i++) {
        int last = i + 1 == terminal->legend_count || (int)(i + 1) % columns == 0;
        print_entry(terminal, &terminal->legend[i], last ? 0 : widest);
        if (last)
            putchar('\n');
    }
    if (terminal->left_out)
        printf("and %" PRIu32 " more\n", terminal->left_out);
    if (terminal->tiny)
        printf("and %" PRIu32 " more state%s, each below 0.1%%\n", terminal->tiny, &"s"[terminal->tiny == 1]);
    if (!terminal->colour)
        puts(".  no state   :  states for less than half of the time");
}

static void print_title(const struct terminal *terminal)
{
    const struct pithi_draw *draw = terminal->draw;
    const char *slash = strrchr(draw->log_path, '/');
    const struct pithlog_info *info = pithlog_get_info(draw->log);
    const char *title = draw->title ? draw->title : slash && slash[1] ? slash + 1 : draw->log_path;
    char duration[32], text[256], messages[48] = "", per[32] = "";
    int64_t from_ns, to_ns;

    pithi_whole_window(draw->log, &from_ns, &to_ns);
    pithi_duration_text(to_ns - from_ns - 1, duration, sizeof duration);
    if (info->messages)
        snprintf(messages, sizeof messages, ", %" PRIu64 " message%s", info->messages, &"s"[info->messages == 1]);
    if (draw->per > 1)
        snprintf(per, sizeof per, ", %" PRIu32 " a row", draw->per);
    printf("%s: %" PRIu32 " rank%s, %" PRIu32 " lane%s%s%s, %s\n",
           pithi_clean(text, sizeof text, title, terminal->ascii), info->ranks, &"s"[info->ranks == 1], info->lanes,
           &"s"[info->lanes == 1], per, messages, duration);
}

/* Of a given height: title and axis, a quarter or what the rows leave for the legend, and as many rows as it takes. */
static void share_lines(struct terminal *terminal, struct pithi_draw *draw)
{
    uint32_t lines = draw->height > TITLE_AND_AXIS ? (uint32_t)(draw->height - TITLE_AND_AXIS) : 1;
    uint32_t legend = draw->legend == PITHI_LEGEND_NONE ? 0 : lines / 4 > 3 ? lines / 4 : 3;

    if (!draw->height)
        return;
    pithi_draw_fewer_rows(draw, lines > legend ? lines - legend : 1);
    terminal->legend_lines = lines > draw->row_count + 1 ? lines - draw->row_count : 2;
}

int pithi_draw_terminal(struct pithi_draw *draw)
{
    struct terminal terminal = {0};
    int status;

    share_lines(&terminal, draw);
    set_up(&terminal, draw);
    status = ask_log(&terminal);
    if (!status) {
        give_letters(&terminal);
        print_title(&terminal);
        print_rows(&terminal);
        print_axis(&terminal);
        if (draw->legend != PITHI_LEGEND_NONE)
            print_legend(&terminal);
        if (draw->stats)
            pithi_draw_table(draw, terminal.legend, terminal.legend_count);
        if (fflush(stdout) != 0 || ferror(stdout))
            status = pithi_draw_failed("standard output: cannot write");
    }
    pithi_cells_free(&terminal.cells);
    free(terminal.legend);
    free(terminal.letter);
    return status;
}
