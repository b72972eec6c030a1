/* sqlite_rows.c - the virtual table pith_rows, which gives SQLite the collected rows. SQLite calls functions of this
 * file for each value, so they must be fast. Therefore the rows are an array of cells, and all texts are in one buffer.
 *
 * With the virtual table, 1024 rows of two values take one statement with 2048 calls of get_value. Without it they
 * would take 1024 statements, each with two calls to bind, one to step and one to reset. If the rows have an integer
 * key, a batch is inserted in the order of the keys. Then most rows go to the end of the table's tree, where SQLite
 * need not search. */
#include "foreign/sqlite/sqlite_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/out.h"

/* COLUMNS: most columns of a table; ROWS: rows that are collected and inserted together (a batch), few enough to stay
 * in the processor's cache */
enum { COLUMNS = 9, ROWS = 1024 };

struct cell {
    union {
        int64_t integer;
        double real;
        size_t text; /* offset in rows->texts */
    };
    char type; /* i: integer, d: real, s: text, n: no value */
};

struct pithi_sqlite_rows {
    struct pithi_sqlite_source *source;
    struct sqlite3_stmt *insert;       /* INSERT ... SELECT from the virtual table */
    int columns, count;                /* columns: number of columns; count: number of rows collected */
    int is_sorted;                     /* 1: the first value of a row is its integer key */
    int64_t largest;                   /* the largest key in the table, if is_sorted */
    uint16_t order[ROWS];              /* indexes of the rows in the order in which they are inserted */
    struct pithi_buffer texts;         /* texts of the cells, one after another */
    struct cell cells[ROWS * COLUMNS]; /* rows of `columns` cells, one after another */
};

/* ---- The virtual table ------------------------------------------------------------------------------------------- */

struct table {
    struct pithi_sqlite_table base;
    const struct pithi_sqlite_source *source; /* has the rows that the table shows */
};

struct cursor {
    struct pithi_sqlite_cursor base;
    const struct pithi_sqlite_rows *rows;
    int row;                  /* index in rows->order */
    const struct cell *cells; /* cells of the row at which the cursor is */
};

static int connect_table(struct sqlite3 *db, void *context, int count, const char *const *words,
                         struct pithi_sqlite_table **table, char **error)
{
    struct pithi_sqlite_source *source = context;
    int status = source->sqlite->declare_vtab(db, "CREATE TABLE x(c0, c1, c2, c3, c4, c5, c6, c7, c8)");
    struct table *t;

    (void)count, (void)words, (void)error;
    if (status)
        return status;
    if (!(t = calloc(1, sizeof *t)))
        return PITHI_SQLITE_NOMEM;
    t->source = source;
    *table = &t->base;
    return PITHI_SQLITE_OK;
}

static int disconnect_table(struct pithi_sqlite_table *table)
{
    free(table);
    return PITHI_SQLITE_OK;
}

static int plan(struct pithi_sqlite_table *table, void *info)
{
    (void)table, (void)info;
    return PITHI_SQLITE_OK;
}

static int open_cursor(struct pithi_sqlite_table *table, struct pithi_sqlite_cursor **cursor)
{
    struct cursor *c = calloc(1, sizeof *c);

    if (!c)
        return PITHI_SQLITE_NOMEM;
    c->rows = ((struct table *)table)->source->rows;
    *cursor = &c->base;
    return PITHI_SQLITE_OK;
}

static int close_cursor(struct pithi_sqlite_cursor *cursor)
{
    free(cursor);
    return PITHI_SQLITE_OK;
}

/* Moves the cursor to row `row` of the order, or to the end if there are fewer rows. */
static void go_to(struct cursor *c, int row)
{
    c->row = row;
    if (row < c->rows->count)
        c->cells = &c->rows->cells[c->rows->order[row] * c->rows->columns];
}

static int first_row(struct pithi_sqlite_cursor *cursor, int number, const char *text, int count, void **values)
{
    (void)number, (void)text, (void)count, (void)values;
    go_to((struct cursor *)cursor, 0);
    return PITHI_SQLITE_OK;
}

static int next_row(struct pithi_sqlite_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;

    go_to(c, c->row + 1);
    return PITHI_SQLITE_OK;
}

static int is_end(struct pithi_sqlite_cursor *cursor)
{
    const struct cursor *c = (struct cursor *)cursor;

    return c->row == c->rows->count;
}

static int get_value(struct pithi_sqlite_cursor *cursor, void *result, int column)
{
    const struct cursor *c = (struct cursor *)cursor;
    const struct pithi_sqlite *sqlite = c->rows->source->sqlite;
    const struct cell *cell = &c->cells[column];

    if (cell->type == 'i')
        sqlite->result_int64(result, cell->integer);
    else if (cell->type == 'd')
        sqlite->result_double(result, cell->real);
    else if (cell->type == 's')
        sqlite->result_text(result, (const char *)c->rows->texts.data + cell->text, -1, NULL);
    return PITHI_SQLITE_OK;
}

static int get_number(struct pithi_sqlite_cursor *cursor, int64_t *number)
{
    *number = ((struct cursor *)cursor)->row;
    return PITHI_SQLITE_OK;
}

int pithi_sqlite_source_open(struct pithi_sqlite_source *source, const struct pithi_sqlite *sqlite, struct sqlite3 *db)
{
    /* The member `create` is NULL. So the table pith_rows exists in the connection at once, without CREATE VIRTUAL
     * TABLE, which is not possible for it. */
    static const struct pithi_sqlite_module module = {.connect = connect_table,
                                                      .plan = plan,
                                                      .disconnect = disconnect_table,
                                                      .open = open_cursor,
                                                      .close = close_cursor,
                                                      .filter = first_row,
                                                      .next = next_row,
                                                      .is_end = is_end,
                                                      .column = get_value,
                                                      .number = get_number};

    *source = (struct pithi_sqlite_source){sqlite, db, NULL};
    return sqlite->create_module(db, "pith_rows", &module, source);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

int pithi_sqlite_rows_open(struct pithi_sqlite_rows **rows, struct pithi_sqlite_source *source, const char *insert,
                           int columns, int is_sorted)
{
    struct pithi_sqlite_rows *r = *rows = malloc(sizeof *r);
    char sql[128];
    int at = snprintf(sql, sizeof sql, "%s SELECT c0", insert);

    if (!r)
        return -1;
    r->source = source;
    r->insert = NULL;
    r->columns = columns;
    r->count = 0;
    r->is_sorted = is_sorted;
    r->largest = 0;
    r->texts = (struct pithi_buffer){0};
    for (int i = 1; i < columns; i++)
        at += snprintf(sql + at, sizeof sql - (size_t)at, ", c%d", i);
    snprintf(sql + at, sizeof sql - (size_t)at, " FROM pith_rows");
    return source->sqlite->prepare_v2(source->db, sql, -1, &r->insert, NULL);
}

void pithi_sqlite_rows_close(struct pithi_sqlite_rows *rows)
{
    if (!rows)
        return;
    rows->source->sqlite->finalize(rows->insert);
    free(rows->texts.data);
    free(rows);
}

int pithi_sqlite_rows_flush(struct pithi_sqlite_rows *rows)
{
    const struct pithi_sqlite *sqlite = rows->source->sqlite;
    int status;

    if (!rows->count)
        return PITHI_SQLITE_OK;
    if (rows->is_sorted) {
        /* Gives SQLite NULL instead of a key that is the largest so far plus 1. For a NULL, SQLite makes this same key
         * itself, and need not search the table for it, as it does for each key that it is given. */
        for (int i = 0; i < rows->count; i++) {
            struct cell *key = &rows->cells[rows->order[i] * rows->columns];
            if (key->integer == rows->largest + 1)
                key->type = 'n';
            if (key->integer > rows->largest)
                rows->largest = key->integer;
        }
    }
    rows->source->rows = rows;
    status = sqlite->step(rows->insert);
    sqlite->reset(rows->insert);
    rows->count = 0;
    rows->texts.size = 0;
    return status == PITHI_SQLITE_DONE ? PITHI_SQLITE_OK : status;
}

static int keep_text(struct pithi_sqlite_rows *rows, struct cell *cell, const char *text)
{
    cell->type = text ? 's' : 'n';
    cell->text = rows->texts.size;
    return pithi_buffer_add(&rows->texts, text, text ? strlen(text) + 1 : 0) ? 0 : -1;
}

int pithi_sqlite_rows_put(struct pithi_sqlite_rows *rows, const char *types, va_list values)
{
    struct cell *cell = rows->cells + rows->count * rows->columns;
    char *plain;
    int status = 0;

    for (; *types && !status; types++, cell++) {
        cell->type = *types;
        switch (*types) {
        case 'i':
            cell->integer = va_arg(values, int64_t);
            break;
        case 'd':
            cell->real = va_arg(values, double);
            break;
        case 't':
            if (!(plain = pithi_quoted(PITHI_QUOTE_TEXT, va_arg(values, const char *))))
                return -1;
            status = keep_text(rows, cell, plain);
            free(plain);
            break;
        case 's':
            status = keep_text(rows, cell, va_arg(values, const char *));
            break;
        default:
            break;
        }
    }
    if (status)
        return status;
    /* Inserts the row at its place in `order`. The loop is short, because few rows come out of the order of their keys,
     * and these only by a few places. */
    int64_t key = rows->cells[rows->count * rows->columns].integer;
    int at = rows->count;
    for (; rows->is_sorted && at > 0 && rows->cells[rows->order[at - 1] * rows->columns].integer > key; at--)
        rows->order[at] = rows->order[at - 1];
    rows->order[at] = (uint16_t)rows->count;
    return ++rows->count == ROWS ? pithi_sqlite_rows_flush(rows) : PITHI_SQLITE_OK;
}
