/* table.h - rows of numbers for people (aligned, with units) or for programs (CSV, JSON).
 *
 * A table is filled row by row and printed at the end, when the widths are known. For programs times are seconds with 9
 * decimals and their columns end in "_s"; JSON is one array with an object a line.
 */
#ifndef PITHI_TABLE_H
#define PITHI_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "text/text_lines.h"

enum pithi_cell_type {
    PITHI_CELL_TEXT,
    PITHI_CELL_COUNT,
    PITHI_CELL_TIME,
    PITHI_CELL_CHANGE, /* a time with its sign */
    PITHI_CELL_BYTES,
    PITHI_CELL_RATE,
    PITHI_CELL_RATIO /* in millionths */
};

struct pithi_table_column {
    const char *name;
    enum pithi_cell_type type;
    int only_programs; /* 1: left out of the table for people */
};

struct pithi_table;
int pithi_table_new(struct pithi_table **table, const struct pithi_table_column *columns, uint32_t count);
int pithi_table_row(struct pithi_table *table); /* begins a row, all cells empty */
/* Sets the next cell of the row. Texts are copied. */
int pithi_table_text(struct pithi_table *table, const char *text);
void pithi_table_number(struct pithi_table *table, int64_t value); /* count, nanoseconds, bytes, bytes a second */
void pithi_table_skip(struct pithi_table *table);                  /* leaves the next cell empty */
int pithi_table_print(const struct pithi_table *table, FILE *out, enum pithi_text_style style);
void pithi_table_free(struct pithi_table *table);

#endif
