/* table.c - prints tables and chooses the widths of their columns and the units. It knows nothing of logs. This is a
 * cell with 50 ns in the three styles:
 *
 *     people      name   total          columns as wide as their widest cell, four digits and a unit
 *                 A      50 ns
 *     CSV         name,total_s          seconds with 9 decimals, so that a spreadsheet may add the column
 *                 A,0.000000050
 *     JSON        {"name":"A","total_s":0.000000050}
 *
 * A cell holds a whole number (ns, bytes, millionths), which becomes text only when the style is known. A lack of
 * memory is remembered until pithi_table_print, which returns the error. So callers that fill cells need not check each
 * call.
 */
#include "tools/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/map.h"
#include "base/out.h"

struct cell {
    int filled;     /* 0: skipped; such a cell is empty in each style */
    int64_t number; /* ns, bytes, bytes per second, a count or millionths, depending on the type of the cell's column */
    char *text;     /* malloc'ed; NULL: the cell has a number, or is skipped */
};

struct pithi_report {
    struct pithi_table_column *columns; /* a copy, with copied names, as callers may have the columns on their stack */
    uint32_t column_count, rows, next;  /* `next`: the cell to fill */
    struct cell *cells;                 /* the cells of all rows, row after row */
    struct cell spare;                  /* takes what is written if there is no memory for a cell, or no column */
    int no_memory;                      /* 1: there was no memory; pithi_table_print returns the error */
};

uint32_t pithi_table_rows(const struct pithi_report *table) { return table->rows; }

int pithi_table_new(struct pithi_report **table, const struct pithi_table_column *columns, uint32_t count)
{
    int there;

    *table = calloc(1, sizeof **table);
    there = *table && ((*table)->columns = calloc(count, sizeof *columns)) != NULL;
    for (uint32_t i = 0; there && i < count; i++) {
        (*table)->columns[i] = columns[i];
        there = ((*table)->columns[i].name = strdup(columns[i].name)) != NULL;
        /* counts only columns whose name was copied, so that pithi_table_free frees no other name */
        (*table)->column_count += (uint32_t)there;
    }
    return there ? PITH_OK : pithi_no_memory();
}

void pithi_table_row(struct pithi_report *table)
{
    table->no_memory =
        table->no_memory || !pithi_grow_one(&table->cells, table->rows, table->column_count * sizeof *table->cells);
    if (table->no_memory)
        return;
    memset(table->cells + (size_t)table->rows * table->column_count, 0, table->column_count * sizeof *table->cells);
    table->rows++;
    table->next = 0; /* the next cell to fill is the first of this row */
}

static struct cell *next_cell(struct pithi_report *table)
{
    return table->no_memory || table->next >= table->column_count
               ? &table->spare /* if there is no memory for the row, or more cells are filled than it has columns */
               : &table->cells[(size_t)(table->rows - 1) * table->column_count + table->next++];
}

void pithi_table_text(struct pithi_report *table, const char *text)
{
    struct cell *cell = next_cell(table);

    if (cell == &table->spare)
        return;
    cell->filled = 1;
    cell->text = strdup(text);
    table->no_memory = !cell->text;
}

void pithi_table_number(struct pithi_report *table, int64_t value)
{
    struct cell *cell = next_cell(table);

    cell->filled = 1;
    cell->number = value;
}

/* Goes to the next cell. The skipped cell is empty already, as a row begins with empty cells. */
void pithi_table_skip(struct pithi_report *table) { table->next++; }

void pithi_table_free(struct pithi_report *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < (size_t)table->rows * table->column_count; i++)
        free(table->cells[i].text);
    for (uint32_t i = 0; i < table->column_count; i++)
        free((char *)table->columns[i].name);
    free(table->columns);
    free(table->cells);
    free(table);
}

/* ---- For people ------------------------------------------------------------------------------------------------ */

/* Returns the text that a cell has in the table for people, malloc'ed. */
static char *cell_text(const struct cell *cell, enum pithi_cell_type type)
{
    static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    static const char *const rates[] = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"};
    uint64_t magnitude = cell->number < 0 ? 0 - (uint64_t)cell->number
                                          : (uint64_t)cell->number; /* unsigned, as it is 2^63 for INT64_MIN */
    char text[64];

    if (!cell->filled)
        return strdup("");
    switch (type) {
    case PITHI_CELL_TEXT:
        return pithi_quoted(PITHI_QUOTE_TABS, cell->text);
    case PITHI_CELL_SOURCE:
        return pithi_quoted(PITHI_QUOTE_TEXT, cell->text);
    case PITHI_CELL_COUNT:
        snprintf(text, sizeof text, "%" PRId64, cell->number);
        break;
    case PITHI_CELL_TIME:
        pithi_ns_text(text, (double)cell->number);
        break;
    case PITHI_CELL_MOMENT:
        /* Computes with integers, because a time since 1970 in ns has 19 digits, and a double only 15 to 16. */
        snprintf(text, sizeof text, "%s%" PRIu64 ".%09" PRIu64, cell->number < 0 ? "-" : "", magnitude / 1000000000,
                 magnitude % 1000000000);
        break;
    case PITHI_CELL_CHANGE:
        pithi_ns_text(text, (double)cell->number);
        if (cell->number > 0) { /* pithi_ns_text writes a minus, but no plus */
            memmove(text + 1, text, strlen(text) + 1);
            text[0] = '+';
        }
        break;
    case PITHI_CELL_RATIO:
        /* A ratio of 100 or more is printed without decimals, as they would say nothing. */
        snprintf(text, sizeof text, "%.*f", cell->number < 100000000 ? 3 : 0, (double)cell->number / 1e6);
        break;
    case PITHI_CELL_BYTES:
        pithi_scaled_text(text, (double)cell->number, 1024, sizes, 5);
        break;
    case PITHI_CELL_RATE:
        pithi_scaled_text(text, (double)cell->number, 1024, rates, 5);
        break;
    }
    return strdup(text);
}

/* Returns the number of characters of a UTF-8 text. */
size_t pithi_text_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80; /* continuation bytes are 10xxxxxx */
    return width;
}

/* Prints a row with the given texts or, if `texts` is NULL, the row with the names of the columns. */
static void put_row(const struct pithi_report *table, struct pithi_out *out, char *const *texts, const size_t *widths)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < table->column_count; i++)
        /* `last` becomes the last column that has a text; the line ends after it. */
        if (!table->columns[i].only_programs && (!texts || texts[i][0]))
            last = i;
    for (uint32_t i = 0; i <= last; i++) {
        const struct pithi_table_column *column = &table->columns[i];
        if (column->only_programs)
            continue;
        const char *text = texts ? texts[i] : column->name;
        int left = column->type <= PITHI_CELL_SOURCE; /* text is aligned left, a number right */
        /* Adds blanks up to the column's width, but no blanks at the end of a line. */
        size_t blanks = widths[i] - pithi_text_width(text);
        if (left)
            pithi_out_text(out, text);
        for (size_t k = 0; k < blanks && !(left && i == last); k++)
            pithi_out_char(out, ' ');
        if (!left)
            pithi_out_text(out, text);
        pithi_out_text(out, i == last ? "\n" : "  ");
    }
}

static int print_aligned(const struct pithi_report *table, struct pithi_out *out)
{
    size_t cells = (size_t)table->rows * table->column_count;
    size_t *widths = calloc(table->column_count, sizeof *widths);
    char **texts = calloc(cells + 1, sizeof *texts);
    int err = PITH_OK;

    if (!widths || !texts) {
        err = pithi_no_memory();
        goto out;
    }
    for (uint32_t i = 0; i < table->column_count; i++)
        widths[i] = strlen(table->columns[i].name);
    for (size_t i = 0; i < cells; i++) {
        size_t width, column = i % table->column_count;
        texts[i] = cell_text(&table->cells[i], table->columns[column].type);
        if (!texts[i]) {
            err = pithi_no_memory();
            goto out;
        }
        width = pithi_text_width(texts[i]);
        if (width > widths[column])
            widths[column] = width;
    }
    put_row(table, out, NULL, widths);
    for (size_t i = 0; i < cells; i += table->column_count)
        put_row(table, out, texts + i, widths);
out:
    for (size_t i = 0; texts && i < cells; i++)
        free(texts[i]);
    free(texts);
    free(widths);
    return err;
}

/* ---- For programs ---------------------------------------------------------------------------------------------- */

static int is_time(enum pithi_cell_type type)
{
    return type == PITHI_CELL_TIME || type == PITHI_CELL_MOMENT || type == PITHI_CELL_CHANGE;
}

static void put_name(struct pithi_out *out, const struct pithi_table_column *column)
{
    pithi_out_text(out, column->name);
    if (is_time(column->type))
        pithi_out_text(out, "_s"); /* a time's unit is part of the column's name: total_s */
}

static void put_cell(struct pithi_out *out, const struct cell *cell, enum pithi_cell_type type, enum pithi_quote quote)
{
    if (!cell->filled) {
        if (quote == PITHI_QUOTE_JSON) /* an empty cell is null in JSON, and nothing between two commas in CSV */
            pithi_out_text(out, "null");
    } else if (type == PITHI_CELL_SOURCE && quote == PITHI_QUOTE_CSV) {
        pithi_out_quoted(out, PITHI_QUOTE_CSV_TEXT, cell->text);
    } else if (type <= PITHI_CELL_SOURCE) {
        pithi_out_quoted(out, quote, cell->text);
    } else if (is_time(type)) {
        pithi_out_seconds(out, cell->number);
    } else if (type == PITHI_CELL_RATIO) {
        pithi_out_double(out, (double)cell->number / 1e6);
    } else {
        pithi_out_i64(out, cell->number);
    }
}

static void print_csv(const struct pithi_report *table, struct pithi_out *out)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        put_name(out, &table->columns[i]);
        pithi_out_char(out, i + 1 < table->column_count ? ',' : '\n');
    }
    for (size_t i = 0; i < (size_t)table->rows * table->column_count; i++) {
        uint32_t column = (uint32_t)(i % table->column_count);
        put_cell(out, &table->cells[i], table->columns[column].type, PITHI_QUOTE_CSV);
        pithi_out_char(out, column + 1 < table->column_count ? ',' : '\n');
    }
}

static void print_json(const struct pithi_report *table, struct pithi_out *out)
{
    pithi_out_text(out, "[");
    for (uint32_t row = 0; row < table->rows; row++) {
        pithi_out_text(out, row ? ",\n{" : "\n{");
        for (uint32_t i = 0; i < table->column_count; i++) {
            pithi_out_text(out, i ? ",\"" : "\"");
            put_name(out, &table->columns[i]);
            pithi_out_text(out, "\":");
            put_cell(out, &table->cells[(size_t)row * table->column_count + i], table->columns[i].type,
                     PITHI_QUOTE_JSON);
        }
        pithi_out_char(out, '}');
    }
    pithi_out_text(out, "\n]\n");
}

int pithi_table_print(const struct pithi_report *table, FILE *file, enum pithi_text_style style)
{
    struct pithi_out out;
    int err = PITH_OK;

    CHECK(table->no_memory ? pithi_no_memory() : pithi_out_open(&out, file));
    if (style == PITHI_TEXT_CSV)
        print_csv(table, &out);
    else if (style == PITHI_TEXT_JSON)
        print_json(table, &out);
    else
        err = print_aligned(table, &out);
    return pithi_out_close(&out, err);
}
