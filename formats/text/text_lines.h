/* text_lines.h - a log as lines of text: what `pith print` shows, and the formats text, csv and json of `pith convert`.
 *
 * One record a line, in time order, in constant memory. The lines are described for users in man/pith-print.1.
 */
#ifndef PITHI_TEXT_LINES_H
#define PITHI_TEXT_LINES_H

#include <stdio.h>

#include "format.h"

enum pithi_text_style {
    PITHI_TEXT_TABS, /* time_s rank thread kind name key=value..., tab-separated; definitions in lines with '#' */
    PITHI_TEXT_CSV,  /* a head line, then the same columns in every line; no definitions */
    PITHI_TEXT_JSON  /* an object a line; definitions are objects with the key "define" */
};

struct pithi_text {
    enum pithi_text_style style;
    struct pithlog_query query;
    int has_end;           /* 1: with the lines of printer.h by which a reader sees that a file was cut */
    const char *name_glob; /* not NULL: only states, events and counters whose name matches (fnmatch) */
};

/* Prints what `how` asks for. PITH_OK or an error. */
int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text *how);

/* Rows of the table of formats. */
int pithi_text_probe(const struct pithi_input *input);
int pithi_text_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_text_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);
int pithi_csv_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);
int pithi_json_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
