/* text_lines.h - a log as lines of text: the output of `pith print`, and the formats text, csv and json of `pith
 * convert`.
 *
 * Each record is one line, in time order. Memory use is constant. man/pith-print.1 describes the lines. */
#ifndef PITHI_TEXT_LINES_H
#define PITHI_TEXT_LINES_H

#include <stdio.h>

#include "foreign/formats.h"

enum pithi_text_style {
    PITHI_TEXT_TABS, /* time_s rank thread kind name key=value..., separated by tabs; definitions on lines with '#' */
    PITHI_TEXT_CSV,  /* a line of column names, then the same columns on every line; no definitions */
    PITHI_TEXT_JSON  /* an object on each line; definitions have the key "define" */
};

struct pithi_text_print {
    enum pithi_text_style style;
    struct pithlog_query query;
    int has_end;           /* 1: print the lines of printer.h by which a reader detects a cut */
    const char *name_glob; /* not NULL: print only states, events and counters whose name matches (fnmatch) */
};

/* Prints the parts of the log that `how` selects. Returns PITH_OK or an error. */
int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text_print *how);

#endif
