/* sqlite_rows.h - rows that are inserted into a table many at a time.
 *
 * A statement for each row (bind, step, reset) costs more than SQLite's own work on the row. So rows are collected, and
 * one statement, `INSERT INTO table SELECT * FROM pith_rows`, inserts all of them. pith_rows is a virtual table: SQLite
 * asks it for each value. */
#ifndef PITHI_SQLITE_ROWS_H
#define PITHI_SQLITE_ROWS_H

#include <stdarg.h>

#include "foreign/sqlite/sqlite_library.h"

/* The rows of a connection that are inserted now. Must stay in its place until the connection is closed. */
struct pithi_sqlite_rows;
struct pithi_sqlite_source {
    const struct pithi_sqlite *sqlite;
    struct sqlite3 *db;
    const struct pithi_sqlite_rows *rows;
};
/* Makes pith_rows known to the connection. Returns SQLite's result. */
int pithi_sqlite_source_open(struct pithi_sqlite_source *source, const struct pithi_sqlite *sqlite, struct sqlite3 *db);

/* The rows to come of a table. `insert`: "INSERT INTO table". is_sorted 1: the first value is the key of the table, an
 * integer; many rows are inserted by rising keys, which is faster. Returns SQLite's result; -1: no memory. */
int pithi_sqlite_rows_open(struct pithi_sqlite_rows **rows, struct pithi_sqlite_source *source, const char *insert,
                           int columns, int is_sorted);
void pithi_sqlite_rows_close(struct pithi_sqlite_rows *rows);

/* Adds a row. `types` has a letter for each value: i int64_t, d double, s text, which is copied (NULL: no value), t
 * text of the program that was recorded, whose control characters and invalid bytes are spelled as `pith print` does,
 * n no value. Results as above; a failure may be that of an earlier row. */
int pithi_sqlite_rows_put(struct pithi_sqlite_rows *rows, const char *types, va_list values);
/* Inserts the rows that were added so far. */
int pithi_sqlite_rows_flush(struct pithi_sqlite_rows *rows);

#endif
