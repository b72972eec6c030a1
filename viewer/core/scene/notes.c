/* notes.c - reads and writes the notes of a log, and draws their flags: a line at the time, and a box with the number
 * at the top of the row. */
#include "core/scene/notes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open_file.h"
#include "core/cells/memory.h"
#include "core/scene/plot.h"
#include "core/raster/palette.h"
#include "core/rows/words.h"

/* ---- The list ---------------------------------------------------------------------------------------------------- */

void pithi_notes_add(struct pithi_notes *notes, int64_t time_ns, int32_t rank, uint32_t thread, const char *text)
{
    struct pithi_note note = {time_ns, rank, thread, strdup(text)};
    uint32_t at = notes->count;

    for (char *c = note.text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    notes->items = realloc(notes->items, (notes->count + 1) * sizeof *notes->items);
    /* There are few notes, and they are nearly always added in order, so the place is searched from the end. */
    for (; at > 0 && notes->items[at - 1].time_ns > time_ns; at--)
        notes->items[at] = notes->items[at - 1];
    notes->items[at] = note;
    notes->count++;
}

void pithi_notes_free(struct pithi_notes *notes)
{
    for (uint32_t i = 0; i < notes->count; i++)
        free(notes->items[i].text);
    free(notes->items);
    *notes = (struct pithi_notes){0};
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static const char suffix[] = ".notes";

char *pithi_notes_path(const char *log_path)
{
    size_t size = strlen(log_path) + sizeof suffix;
    char *path = pithi_alloc(size, 1);

    snprintf(path, size, "%s%s", log_path, suffix);
    return path;
}

/* Adds the note of a line, which has no newline. Empty lines and lines that begin with # add none. Returns 0 if the
 * line is wrong. */
static int read_line(struct pithi_notes *notes, const char *line)
{
    unsigned rank, thread = 0;
    char *row, *end;
    const char *text;
    long double seconds; /* a double would round nanoseconds of long times */
    int used = 0;

    if (!*line || *line == '#')
        return 1;
    seconds = strtold(line, &row);
    if (row == line || *row != '\t' || !(fabsl(seconds) < 9e9L))
        return 0;
    if (sscanf(++row, "rank %u%n", &rank, &used) != 1)
        return 0;
    end = row + used;
    if (*end == '.' && sscanf(end, ".%u%n", &thread, &used) == 1)
        end += used;
    if (*end != '\t')
        return 0;
    text = end + 1;
    pithi_notes_add(notes, (int64_t)llroundl(seconds * 1e9L), (int32_t)rank, thread, text);
    return 1;
}

int pithi_notes_read(struct pithi_notes *notes, const char *path, char *why, int size)
{
    FILE *file = pithi_open_whole(path);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned number = 0;
    int wrong = 0;

    if (!file && errno == ENOENT)
        return 0;
    if (!file) {
        snprintf(why, (size_t)size, "%s: %s", path, pithi_open_why());
        return -1;
    }
    while (!wrong && (length = getline(&line, &room, file)) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        /* A line with a NUL byte is wrong. strlen() ends at this byte, so its result is smaller than `length` by more
         * than the two bytes that a line end may have. */
        wrong = strlen(line) + 2 < (size_t)length || !read_line(notes, line);
    }
    if (wrong)
        snprintf(why, (size_t)size, "%s: line %u: not a time in seconds, a tab, `rank R`, a tab and a text", path,
                 number);
    else if (ferror(file))
        snprintf(why, (size_t)size, "%s: cannot read", path);
    wrong |= ferror(file) != 0;
    free(line);
    fclose(file);
    return wrong ? -1 : 0;
}

/* Returns `text` with the row of a note: "rank 3" or "rank 3.1". */
static const char *row_text(const struct pithi_note *note, char text[32])
{
    snprintf(text, 32, note->thread ? "rank %d.%u" : "rank %d", (int)note->rank, (unsigned)note->thread);
    return text;
}

void pithi_notes_list(const struct pithi_notes *notes, FILE *out)
{
    char row[32];

    for (uint32_t i = 0; i < notes->count; i++)
        fprintf(out, "%s%u %.9g s %s: %s\n", i ? "" : "\n", i + 1, (double)notes->items[i].time_ns / 1e9,
                row_text(&notes->items[i], row), notes->items[i].text);
}

int pithi_notes_write(const struct pithi_notes *notes, const char *path, char *why, int size)
{
    /* The file is written beside the old one and then renamed, so that the old notes survive a full disk. Without
     * notes, the file is removed. */
    size_t room = strlen(path) + sizeof ".part";
    char *part = pithi_alloc(room, 1);
    FILE *file;
    int failed;

    if (!notes->count) {
        failed = unlink(path) != 0 && errno != ENOENT;
    } else {
        snprintf(part, room, "%s.part", path);
        file = pithi_make_stream(part, "w");
        failed = !file;
        if (file) {
            char row[32];
            fputs("# Notes of pith view: time in seconds, row, text\n", file);
            for (uint32_t i = 0; i < notes->count; i++)
                fprintf(file, "%.9Lf\t%s\t%s\n", (long double)notes->items[i].time_ns / 1e9L,
                        row_text(&notes->items[i], row), notes->items[i].text);
            failed = ferror(file) != 0;
            failed |= fclose(file) != 0;
            failed = failed || rename(part, path) != 0;
        }
    }
    if (failed) {
        snprintf(why, (size_t)size, "%s: %s", path, strerror(errno));
        if (notes->count)
            unlink(part);
    }
    free(part);
    return failed ? -1 : 0;
}

/* ---- Flags ------------------------------------------------------------------------------------------------------- */

enum { TEXT_SIZE = 10, MOST_TEXT = 400 }; /* pixels; bytes */

struct flag {
    double x, y, width, height; /* of the box; its left edge is at the note's time */
    double foot;                /* the lower end of the line */
    char text[MOST_TEXT];
};

uint32_t pithi_note_row(const struct pithi_plot *plot, const struct pithi_note *note)
{
    uint32_t count;

    for (uint32_t row = 0; row < plot->row_count; row++) {
        const uint32_t *lanes = pithi_row_lanes(&plot->rows[row], &count);
        for (uint32_t i = 0; pithi_row_has_cells(&plot->rows[row]) && i < count; i++) {
            const struct pithlog_lane *lane = pithlog_get_lane(plot->log, lanes[i]);
            if (lane && lane->rank == note->rank && lane->thread == note->thread)
                return row;
        }
    }
    return PITHI_NONE;
}

/* Finds where the flag of a note is drawn. Returns 0 if the plot does not show the note. `painter` measures the text;
 * if it is NULL, the width of the box is an estimate. */
static int find_flag(const struct pithi_plot *plot, uint32_t index, const struct pithi_painter *painter, int with_text,
                     struct flag *flag)
{
    const struct pithi_note *note = &plot->notes->items[index];
    struct pithi_font font = {.size = TEXT_SIZE * pithi_theme_scale()};
    uint32_t row;

    if (note->time_ns < plot->t0_ns || note->time_ns >= plot->t1_ns)
        return 0;
    row = pithi_note_row(plot, note);
    if (row == PITHI_NONE)
        return 0;
    snprintf(flag->text, sizeof flag->text, with_text ? "%u  %s" : "%u", index + 1, note->text);
    flag->x = floor(pithi_plot_x(plot, note->time_ns));
    flag->y = floor(pithi_plot_row_top(plot, row));
    flag->foot = floor(pithi_plot_row_top(plot, row + 1));
    flag->height = ceil(font.size * 1.3);
    flag->width = 6 + (painter && painter->text ? painter->text_width(painter->context, font, flag->text)
                                                : 0.6 * font.size * (double)strlen(flag->text));
    flag->width = ceil(flag->width);
    return 1;
}

void pithi_notes_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct pithi_font font = {.size = TEXT_SIZE * pithi_theme_scale()};
    struct flag flag;

    for (uint32_t i = 0; plot->notes && i < plot->notes->count; i++) {
        if (!find_flag(plot, i, painter, plot->note_texts, &flag))
            continue;
        painter->rect(painter->context, flag.x, flag.y, 2, flag.foot - flag.y, pithi_theme()->accent, 1);
        painter->rect(painter->context, flag.x, flag.y, flag.width, flag.height, pithi_theme()->accent, 1);
        if (painter->text)
            painter->text(painter->context, flag.x + 3, flag.y + flag.height * 0.5 + font.size * 0.36, PITHI_LEFT, font,
                          pithi_rgb_text_on(pithi_theme()->accent), flag.text);
    }
}

uint32_t pithi_note_at(const struct pithi_plot *plot, double x, double y)
{
    struct flag flag;

    /* The flag drawn last is on top. `find_flag` measures without a painter here, so the width is about that of the
     * drawn box. */
    for (uint32_t i = plot->notes ? plot->notes->count : 0; i-- > 0;)
        if (find_flag(plot, i, NULL, 0, &flag) && x >= flag.x && x < flag.x + flag.width && y >= flag.y &&
            y < flag.y + flag.height)
            return i;
    return PITHI_NONE;
}
