/* table.h - prints tables of numbers for people (aligned, with units) or for programs (CSV, JSON).
 *
 * A table is filled row by row and printed at the end, when the column widths are known. For programs, times are in
 * seconds with 9 decimals, in columns named "..._s"; JSON is one array with one object per line.
 */
#ifndef PITHI_TABLE_H
#define PITHI_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "foreign/text/printer.h"

enum pithi_cell_type {
    PITHI_CELL_TEXT,
    PITHI_CELL_SOURCE, /* a line of source code; its backslashes are not escaped */
    PITHI_CELL_COUNT,
    PITHI_CELL_TIME,
    PITHI_CELL_MOMENT, /* a point in time; seconds with 9 decimals in each style, as people pass it to other commands */
    PITHI_CELL_CHANGE, /* a difference of times, with its sign */
    PITHI_CELL_BYTES,
    PITHI_CELL_RATE,
    PITHI_CELL_RATIO /* in millionths */
};

struct pithi_table_column {
    const char *name;
    enum pithi_cell_type type;
    int only_programs; /* 1: not shown to people */
};

/* In tables of states, the name of the row for the time outside MPI. */
#define PITHI_COMPUTING_NAME "computing"

struct pithi_report;
/* Makes an empty table with a copy of the columns. Returns PITH_OK or an error. */
int pithi_table_new(struct pithi_report **table, const struct pithi_table_column *columns, uint32_t count);
/* Begins a row of empty cells. If there is no memory for a row or a text, pithi_table_print fails. */
void pithi_table_row(struct pithi_report *table);
/* Each of these three functions fills the next cell of the row. Texts are copied. */
void pithi_table_text(struct pithi_report *table, const char *text);
void pithi_table_number(struct pithi_report *table, int64_t value); /* in the unit of the column's type */
void pithi_table_skip(struct pithi_report *table);                  /* leaves the next cell empty */
uint32_t pithi_table_rows(const struct pithi_report *table);        /* the number of rows */
int pithi_table_print(const struct pithi_report *table, FILE *out, enum pithi_text_style style);
size_t pithi_text_width(const char *text); /* returns the width in characters */
void pithi_table_free(struct pithi_report *table);

#endif
