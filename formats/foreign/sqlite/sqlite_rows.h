/* sqlite_rows.h - inserts many rows into a table at a time.
 *
 * A statement for each row (bind, step, reset) costs more than SQLite's own work on the row. So rows are collected, and
 * one statement, `INSERT INTO table SELECT * FROM pith_rows`, inserts all of them. pith_rows is a virtual table, for
 * which SQLite calls a function of this file for each value. */
#ifndef PITHI_SQLITE_ROWS_H
#define PITHI_SQLITE_ROWS_H

#include <stdarg.h>

#include "foreign/sqlite/sqlite_library.h"

/* The table pith_rows of one connection, and the rows that it contains now. Must not move until the connection is
 * closed. */
struct pithi_sqlite_rows;
struct pithi_sqlite_source {
    const struct pithi_sqlite *sqlite;
    struct sqlite3 *db;
    const struct pithi_sqlite_rows *rows; /* the rows being inserted; set around each use */
};
/* Makes pith_rows known to the connection. Returns SQLite's result. */
int pithi_sqlite_source_open(struct pithi_sqlite_source *source, const struct pithi_sqlite *sqlite, struct sqlite3 *db);

/* Makes a collection of rows for a table. `insert` is "INSERT INTO table". If is_sorted is 1, the table must be empty,
 * and the first value of each row must be its integer key, not negative; then collected rows are inserted in order of
 * this key, which is faster. Returns SQLite's result, or -1 if memory runs out. */
int pithi_sqlite_rows_open(struct pithi_sqlite_rows **rows, struct pithi_sqlite_source *source, const char *insert,
                           int columns, int is_sorted);
void pithi_sqlite_rows_close(struct pithi_sqlite_rows *rows);

/* Adds a row. `types` has a letter for each value. i: int64_t; d: double; s: text, which is copied (NULL: no value); t:
 * text of the recorded program, copied with control characters and invalid bytes escaped as in `pith print`; n: no
 * value, and no argument. Returns SQLite's result, or -1 if memory runs out. The failure may come from an earlier
 * row. */
int pithi_sqlite_rows_put(struct pithi_sqlite_rows *rows, const char *types, va_list values);
/* Inserts the rows that were added so far. */
int pithi_sqlite_rows_flush(struct pithi_sqlite_rows *rows);

#endif
