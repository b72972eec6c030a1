/* notes.h - the user's notes at times and rows of a log: their file and their flags.
 *
 * The notes of LOG are in the text file LOG.notes, one a line, in any order: the time in seconds, a tab, the row, a
 * tab, the text. The row is `rank 3`, or `rank 3.1` for a thread other than the first. Empty lines and lines that begin
 * with # are left out. Notes are numbered from 1 by time. */
#ifndef PITHI_NOTES_H
#define PITHI_NOTES_H

#include <stdint.h>
#include <stdio.h>

#include "core/raster/painter.h"

struct pithi_plot;

struct pithi_note {
    int64_t time_ns;
    int32_t rank;
    uint32_t thread;
    char *text; /* UTF-8, one line */
};
struct pithi_notes {
    struct pithi_note *items; /* by time */
    uint32_t count;
};

/* Returns the name of the log's file of notes, to be freed. */
char *pithi_notes_path(const char *log_path);
/* Adds a note. Control characters of the text become spaces. */
void pithi_notes_add(struct pithi_notes *notes, int64_t time_ns, int32_t rank, uint32_t thread, const char *text);
void pithi_notes_free(struct pithi_notes *notes);
/* Reads the file into `notes`, which must be zeroed. Returns 0, also if there is no file; -1 on an error, with the
 * reason in why[size]. */
int pithi_notes_read(struct pithi_notes *notes, const char *path, char *why, int size);
/* Writes the whole file anew; without notes, removes the file. Returns 0; -1 on an error, with the reason in
 * why[size]. */
int pithi_notes_write(const struct pithi_notes *notes, const char *path, char *why, int size);

/* Writes a line for each note: number, time, row, text. */
void pithi_notes_list(const struct pithi_notes *notes, FILE *out);

/* Draws a flag with the number of each note of the plot, with its text if plot->note_texts is set. */
void pithi_notes_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* Returns the row of a note in the plot, or PITHI_NONE if no row shows the note's lane. */
uint32_t pithi_note_row(const struct pithi_plot *plot, const struct pithi_note *note);
/* Returns the index of the note whose flag, drawn without its text, is at a pixel of the plot, or PITHI_NONE if there
 * is none. */
uint32_t pithi_note_at(const struct pithi_plot *plot, double x, double y);

#endif
