/* terminal.c - prints the time lines as text. With colours, a column is a half block, which shows a state in the upper
 * half and the state inside it in the lower half. Without colours, each state is a letter, chosen from the state's name
 * and explained by a key below the picture.
 *
 *     rank 0 |CCCCCCSSSS:..~~CC|      C compute, S MPI_Send (not M: all MPI calls begin with it), ~ waits for others
 *
 * A column is one cell of a query (core/cells). So for a terminal of 100 columns, 100 cells are enough for a row,
 * however long the log is. */
#include "draw/draw.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/scene/arrows.h"
#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/scene/waiting.h"
#include "core/rows/words.h"

/* ---- The table of `pith draw --stats`: definitions with their counts and times ----------------------------------- */

static void print_name(const char *name, int width) { printf("%s%*s", name, width - pithi_columns(name), ""); }

/* Counts the messages between visible lanes that are under way at some time of the drawn interval. */
static uint64_t count_messages(const struct pithi_draw *draw)
{
    uint32_t lanes = pithlog_get_info(draw->log)->lanes;
    uint32_t *row_of_lane = pithi_rows_of_lanes(draw->log, draw->rows, draw->row_count);
    struct pithi_arrows_query query = {
        .t0_ns = draw->t0_ns, .t1_ns = draw->t1_ns, .width = 1, .row_of_lane = row_of_lane, .lane_count = lanes};
    struct pithi_arrows arrows = {0};
    uint64_t total;

    pithi_arrows_load(draw->picked ? draw->picked : draw->digest, &query, &arrows);
    total = arrows.total;
    pithi_arrows_free(&arrows);
    free(row_of_lane);
    return total;
}

void pithi_draw_table(const struct pithi_draw *draw, const struct pithi_cells *cells,
                      const struct pithi_legend_entry *entries, uint32_t count)
{
    int width = (int)strlen("computing");
    char name[48], computing[32];
    for (uint32_t i = 0; i < count; i++) {
        int columns =
            pithi_columns(pithi_clean(name, sizeof name, pithlog_get_def(draw->log, entries[i].id)->name, draw->ascii));
        width = columns > width ? columns : width;
    }

    printf("\n%*s %12s %11s %11s %7s\n", width, "", "count", "total", "self", "share");
    for (uint32_t i = 0; i < count; i++) {
        char total[32], self[32];
        print_name(pithi_clean(name, sizeof name, pithlog_get_def(draw->log, entries[i].id)->name, draw->ascii), width);
        printf(" %12" PRIu64, entries[i].sum.count);
        if (pithlog_get_def(draw->log, entries[i].id)->kind == PITHLOG_STATE) {
            pithi_duration_text(entries[i].sum.total_ns, total, sizeof total);
            pithi_duration_text(entries[i].sum.self_ns, self, sizeof self);
            printf(" %11s %11s %6.1f%%", total, self, entries[i].share * 100);
        }
        putchar('\n');
    }
    print_name("computing", width);
    pithi_duration_text(cells->computing_ns, computing, sizeof computing);
    printf(" %12s %11s %11s %6.1f%%\n", "", "", computing,
           pithi_legend_share(cells, draw->t1_ns - draw->t0_ns, cells->computing_ns) * 100);
    print_name("messages", width);
    printf(" %12" PRIu64 "\n", count_messages(draw));
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* TITLE_AND_AXIS is a number of lines; the other constants are numbers of characters. */
enum { DEFAULT_COLUMNS = 100, LEAST_COLUMNS = 30, MOST_LABEL = 24, TICK_SPACING = 14, TITLE_AND_AXIS = 3 };

struct terminal {
    const struct pithi_draw *draw;
    int colour, ascii; /* ascii 1: only ASCII characters are printed, also in names */
    int truecolour;
    int columns, label; /* the width of a line; the width of the labels */
    struct pithi_cells cells;
    struct pithi_legend_entry *legend;
    /* how many entries of the legend are shown; how many states are left out because they take very little time */
    uint32_t legend_count, tiny;
    uint32_t left_out;      /* how many entries of the legend are left out for lack of lines */
    uint32_t legend_lines;  /* the most lines of the legend, with the line that explains the signs; 0: no limit */
    char *letter;           /* [defs] the letter of each state */
    unsigned char *waits;   /* [rows * width] 1: the column waits; NULL: not shown */
    unsigned char *missing; /* [width] 1: in this column, records of the row that is printed are missing */
    int has_missing;        /* 1: records of any row are missing */
};

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char *row_label(const struct terminal *terminal, uint32_t row, char *label, size_t size)
{
    char raw[128];

    pithi_row_label(terminal->draw->log, terminal->draw->rows[row], raw, sizeof raw);
    return pithi_clean(label, size, raw, terminal->ascii);
}

/* Prints a text and spaces up to `width` characters; printf's %-*s would count bytes. */
static void print_padded(const char *text, int width)
{
    int used = pithi_columns(text);

    fputs(text, stdout);
    if (used < width)
        printf("%*s", width - used, "");
}

/* Cuts a text to its first `width` characters. */
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

/* Removes the entries of states that do not appear in the picture and took less than a thousandth of the time. Returns
 * the count of the remaining entries. */
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

/* Returns an array with the lanes of all rows, one row after the other. (*ends)[row] is the index after the last lane
 * of a row. The caller frees both arrays. */
static uint32_t *lanes_of_rows(const struct pithi_draw *draw, uint32_t **ends)
{
    uint32_t *lanes = NULL, capacity = 0, count = 0, of_row;

    *ends = pithi_alloc(draw->row_count, sizeof **ends);
    for (uint32_t row = 0; row < draw->row_count; row++) {
        const uint32_t *its = pithi_row_lanes(&draw->rows[row], &of_row);
        lanes = pithi_view_grow(lanes, &capacity, count + of_row, sizeof *lanes);
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

/* Chooses a letter for a state: the first letter of its name that no other state has yet, as capital or small letter.
 * "MPI_" is skipped, because many names begin with it. If all letters of the name are taken, returns any free letter or
 * digit. */
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

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* The interval in which a row has records. Outside of this interval nothing is drawn. */
struct life {
    int64_t first_ns, last_ns; /* the times of the row's first and last record */
};

static int is_alive(const struct terminal *terminal, const struct life *life, uint32_t column)
{
    const struct pithi_draw *draw = terminal->draw;
    double span = (double)draw->t1_ns - (double)draw->t0_ns, width = terminal->cells.width;
    double from = (double)draw->t0_ns + span * column / width, to = from + span / width;

    return (double)life->last_ns >= from && (double)life->first_ns < to;
}

static void print_letter(const struct terminal *terminal, const struct pithi_cell *cell, int alive, int waits)
{
    if (cell->state == PITHI_NONE)
        putchar(alive ? '.' : ' ');
    else
        putchar(waits ? '~' : cell->cover < 128 ? ':' : terminal->letter[cell->state]);
}

/* A terminal without true colours has 6 x 6 x 6 colours, which have one of six levels of red, green and blue: 0, 95,
 * 135, 175, 215 or 255. Returns the index (0 to 5) of the level nearest to a component of `rgb`. Example: #2e8b57 (46,
 * 139, 87) has the indices 0, 2, 1, so it is shown as colour 16 + 36 * 0 + 6 * 2 + 1 = 29. */
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

/* Prints one column of a row. A column without a state is a dot, or a space if `alive` is 0. A column in which the row
 * waits is a shaded block. If states take less than half of the column's time, it is a low block. Any other column is a
 * full block or, if a state inside the outer state takes half of the time, two halves: the outer state above, the inner
 * state below. */
static void print_block(const struct terminal *terminal, const struct pithi_cell *outer, const struct pithi_cell *inner,
                        int alive, int waits)
{
    const uint32_t *rgb = terminal->draw->rgb;

    if (outer->state == PITHI_NONE) {
        fputs(alive ? "\033[2m\xc2\xb7\033[22m" : " ", stdout);
        return;
    }
    if (waits) {
        set_colour(terminal, 38, rgb[inner->state == PITHI_NONE ? outer->state : inner->state]);
        fputs("\xe2\x96\x92\033[0m", stdout);
    } else if (outer->cover < 128) {
        set_colour(terminal, 38, rgb[outer->state]);
        fputs("\xe2\x96\x83\033[0m", stdout);
    } else if (inner->state == PITHI_NONE || inner->cover < 128) {
        /* This block fills seven eighths of the height; the rest separates the rows. */
        set_colour(terminal, 38, rgb[outer->state]);
        fputs("\xe2\x96\x87\033[0m", stdout);
    } else {
        set_colour(terminal, 38, rgb[inner->state]);
        set_colour(terminal, 48, rgb[outer->state]);
        fputs("\xe2\x96\x84\033[0m", stdout);
    }
}

/* Prints a line with its label. Column c shows a cell of the row row_of[c], or a space if row_of[c] is PITHI_NONE. */
static void print_row(const struct terminal *terminal, char *label, const uint32_t *row_of)
{
    uint32_t width = terminal->cells.width, last = PITHI_NONE;
    struct life life = {0};

    cut(label, terminal->label);
    print_padded(label, terminal->label);
    fputs(terminal->colour ? " \xe2\x94\x82" : " |", stdout);
    for (uint32_t c = 0; c < width; c++) {
        uint32_t row = row_of[c];
        if (row == PITHI_NONE) {
            putchar(' ');
            continue;
        }
        const struct pithi_cell *outer = pithi_cells_line(&terminal->cells, row, 0) + c;
        int waits = terminal->waits && terminal->waits[(size_t)row * width + c];
        if (row != last) {
            pithi_row_life(terminal->draw->log, &terminal->draw->rows[row], &life.first_ns, &life.last_ns);
            pithi_cells_missing(&terminal->cells, row, terminal->missing);
        }
        last = row;
        if (terminal->missing[c]) {
            if (terminal->colour)
                set_colour(terminal, 38, pithi_theme()->alarm);
            fputs(terminal->colour ? "!\033[0m" : "!", stdout);
        } else if (terminal->colour)
            print_block(terminal, outer, outer + width, is_alive(terminal, &life, c), waits);
        else
            print_letter(terminal, outer, is_alive(terminal, &life, c), waits);
    }
    puts(terminal->colour ? "\xe2\x94\x82" : "|");
}

static void print_rows(const struct terminal *terminal)
{
    const struct pithi_draw *draw = terminal->draw;
    uint32_t *row_of = pithi_alloc(terminal->cells.width, sizeof *row_of);
    char label[128];

    for (uint32_t row = 0; row < draw->row_count; row++) {
        row_label(terminal, row, label, sizeof label);
        for (uint32_t c = 0; c < terminal->cells.width; c++)
            row_of[c] = row;
        print_row(terminal, label, row_of);
    }
    if (draw->analysis && draw->path) {
        struct pithi_analysis_window window = {draw->analysis, draw->t0_ns, draw->t1_ns, terminal->cells.width};
        uint32_t *row_of_lane = pithi_rows_of_lanes(draw->log, draw->rows, draw->row_count);
        pithi_path_columns(&window, row_of_lane, row_of);
        snprintf(label, sizeof label, "path");
        print_row(terminal, label, row_of);
        free(row_of_lane);
    }
    free(row_of);
}

/* ---- Axis and legend --------------------------------------------------------------------------------------------- */

static void print_axis(const struct terminal *terminal)
{
    int width = (int)terminal->cells.width, left = terminal->label + 2, end;
    char *line = pithi_alloc((size_t)width + 64, 1), *labels = pithi_alloc((size_t)(left + width) + 64, 1);
    struct pithi_axis axis;

    pithi_axis_make(terminal->draw->t0_ns, terminal->draw->t1_ns, terminal->draw->clock_ns, width, TICK_SPACING, &axis);
    memset(line, '-', (size_t)width);
    memset(labels, ' ', (size_t)(left + width) + 63);
    end = (int)strlen(axis.base);
    memcpy(labels, axis.base, (size_t)end);
    for (uint32_t i = 0; i < axis.count; i++) {
        int x = (int)floor(axis.ticks[i].x), size = (int)strlen(axis.ticks[i].label);
        line[x] = '+';
        if (x + size > width || left + x <= end)
            continue;
        memcpy(labels + left + x, axis.ticks[i].label, (size_t)size);
        end = left + x + size;
    }
    labels[end] = 0;
    printf("%*s +%s+\n", terminal->label, "", line);
    printf("%s\n", labels);
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

/* If the legend has more entries than fit into its lines, removes the last entries, which have the least time, and
 * counts them in left_out. */
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

        char letter = terminal->letter[terminal->legend[i].id];
        entry_text(terminal, &terminal->legend[i], text, sizeof text);
        if (terminal->colour) {
            set_colour(terminal, 38, terminal->draw->rgb[terminal->legend[i].id]);
            printf("%s\033[0m ", letter ? "\xe2\x96\x88\xe2\x96\x88" : " \xe2\x96\xbe");
        } else {
            printf("%c  ", letter ? letter : '*');
        }
        print_padded(text, last ? 0 : widest - 3);

        if (last)
            putchar('\n');
    }
    if (terminal->left_out)
        printf("and %" PRIu32 " more\n", terminal->left_out);
    if (terminal->tiny)
        printf("and %" PRIu32 " more state%s, each below 0.1%%\n", terminal->tiny, &"s"[terminal->tiny == 1]);
    if (terminal->colour && terminal->waits)
        puts("\xe2\x96\x92\xe2\x96\x92 waiting for another rank");
    uint64_t lost = pithlog_get_info(terminal->draw->log)->lost;
    if (terminal->has_missing)
        puts(lost > 0 ? "!  records are missing" : "!  records are missing: the file is damaged");
    if (lost > 0) /* records lost at the end of a lane leave no "!" in the picture, but are reported here, too */
        printf("%" PRIu64 " record%s lost while the log was recorded\n", lost, lost == 1 ? " was" : "s were");
    if (!terminal->colour)
        puts(terminal->waits ? ".  computing  :  states for less than half of the time   ~  waiting for another rank"
                             : ".  computing  :  states for less than half of the time");
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
           pithi_clean(text, sizeof text, title, terminal->ascii), info->ranks, &"s"[info->ranks == 1], info -> lanes,
           &"s"[info->lanes == 1], per, messages, duration);
}

int pithi_draw_terminal(struct pithi_draw *draw)
{
    struct terminal terminal = {0};
    int status;

    /* If a height is given, divides its lines. Title and axis take 3 lines. Of the other lines a quarter is for the
     * legend, or more if there are few rows, and the rest is for rows. Example: of 24 lines, 3 are for title and axis,
     * 5 for the legend, 16 for rows. */
    if (draw->height) {
        int others = TITLE_AND_AXIS + (draw->path != 0);
        uint32_t lines = draw->height > others ? (uint32_t)(draw->height - others) : 1;
        uint32_t legend = draw->legend == PITHI_LEGEND_NONE ? 0 : lines / 4 > 3 ? lines / 4 : 3;
        pithi_draw_fewer_rows(draw, lines > legend ? lines - legend : 1);
        terminal.legend_lines = lines > draw->row_count + 1 ? lines - draw->row_count : 2;
    }

    const char *colours = getenv("COLORTERM");
    char label[128];
    terminal.draw = draw;
    terminal.colour = wants_colour(draw);
    terminal.ascii = draw->ascii;
    terminal.truecolour = colours && (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
    terminal.columns = draw->width ? draw->width : columns_of_terminal();
    if (terminal.columns < LEAST_COLUMNS)
        terminal.columns = LEAST_COLUMNS;
    for (uint32_t row = 0; row < draw->row_count; row++) {
        row_label(&terminal, row, label, sizeof label);
        if (pithi_columns(label) > terminal.label)
            terminal.label = pithi_columns(label);
    }
    if (terminal.label > MOST_LABEL)
        terminal.label = MOST_LABEL;
    if (terminal.label > terminal.columns / 3)
        terminal.label = terminal.columns / 3;

    status = ask_log(&terminal);
    if (!status) {
        char used[128] = {0};
        terminal.letter = pithi_alloc(terminal.cells.defs, 1);
        for (uint32_t i = 0; i < terminal.legend_count; i++) {
            const struct pithlog_def *def = pithlog_get_def(terminal.draw->log, terminal.legend[i].id);
            char letter = letter_for(def->name, used);
            if (def->kind != PITHLOG_STATE)
                continue;
            used[(unsigned char)letter] = 1;
            terminal.letter[terminal.legend[i].id] = letter;
        }

        terminal.missing = pithi_alloc(terminal.cells.width, 1);
        for (uint32_t row = 0; row < draw->row_count; row++)
            terminal.has_missing |= pithi_cells_missing(&terminal.cells, row, NULL) > 0;
        if (draw->analysis && draw->waits) {
            /* Marks the columns in which a row waits. */
            uint32_t width = terminal.cells.width, *level = pithi_alloc(width, sizeof *level);
            struct pithi_analysis_window window = {draw->analysis, draw->t0_ns, draw->t1_ns, width};

            terminal.waits = pithi_alloc((size_t)draw->row_count * width, 1);
            for (uint32_t row = 0; row < draw->row_count; row++) {
                pithi_waits_columns(&window, &draw->rows[row], &terminal.cells, row, level);
                for (uint32_t c = 0; c < width; c++)
                    terminal.waits[(size_t)row * width + c] = level[c] != PITHI_NONE;
            }
            free(level);
        }
        print_title(&terminal);
        print_rows(&terminal);
        print_axis(&terminal);
        if (draw->legend != PITHI_LEGEND_NONE)
            print_legend(&terminal);
        if (draw->analysis && draw->findings) {
            uint32_t count;
            struct pithi_wait_sum *findings = pithi_wait_sums_make(draw->log, draw->analysis, &count);
            char name[160], text[320];

            for (uint32_t i = 0; i < count && i < PITHI_FIGURE_WAIT_SUMS; i++) {
                pithi_wait_sum_name(draw->log, &findings[i], name, sizeof name);
                pithi_wait_sum_text(draw->log, &findings[i], text, sizeof text);
                printf("%s%" PRIu32 " %s: %s\n", i ? "" : "\n", i + 1, name, text);
            }
            free(findings);
        }
        pithi_notes_list(&draw->notes, stdout);
        if (draw->stats)
            pithi_draw_table(draw, &terminal.cells, terminal.legend, terminal.legend_count);
        if (fflush(stdout) != 0 || ferror(stdout))
            status = pithi_draw_failed("standard output: cannot write");
    }
    pithi_cells_free(&terminal.cells);
    free(terminal.legend);
    free(terminal.letter);
    free(terminal.waits);
    free(terminal.missing);
    return status;
}
