/* sqlite_rows.h - inserts many rows into a table at a time.
 *
 * To run a statement for each row (bind, step, reset) costs more than SQLite's own work on the row. So rows are
 * collected in memory, and one statement, `INSERT INTO table SELECT * FROM pith_rows`, inserts all of them. pith_rows
 * is a virtual table. SQLite does not store it, but calls a function of sqlite_rows.c for each of its values. */
#ifndef PITHI_SQLITE_ROWS_H
#define PITHI_SQLITE_ROWS_H

#include <stdarg.h>

#include "foreign/sqlite/sqlite_library.h"

/* The table pith_rows of one connection, and the rows that it contains now. The struct must not move until the
 * connection is closed, because SQLite keeps a pointer to it. */
struct pithi_sqlite_rows;
struct pithi_sqlite_source {
    const struct pithi_sqlite *sqlite;
    struct sqlite3 *db;
    const struct pithi_sqlite_rows *rows; /* the rows that the table contains; set before each INSERT */
};
/* Adds the table pith_rows to a connection. Returns SQLite's result code. */
int pithi_sqlite_source_open(struct pithi_sqlite_source *source, const struct pithi_sqlite *sqlite, struct sqlite3 *db);

/* Makes an empty collection of rows for a table. `insert` is "INSERT INTO table". If is_sorted is 1, the table must be
 * empty, and the first value of each row must be its integer key, which is not negative. Then rows are inserted in the
 * order of their keys, which is faster. Returns SQLite's result code, or -1 if memory runs out. */
int pithi_sqlite_rows_open(struct pithi_sqlite_rows **rows, struct pithi_sqlite_source *source, const char *insert,
                           int columns, int is_sorted);
void pithi_sqlite_rows_close(struct pithi_sqlite_rows *rows);

/* Adds a row. `types` has a letter for each value: i for an int64_t; d for a double; s for a text, which is copied
 * (NULL: no value); t for a text of the recorded program, which is copied with control characters and invalid bytes
 * escaped as in `pith print`; n for no value, which has no argument either. Returns SQLite's result code, or -1 if
 * memory runs out. An error may concern an earlier row, because rows are inserted later than they are added. */
int pithi_sqlite_rows_put(struct pithi_sqlite_rows *rows, const char *types, va_list values);
/* Inserts the rows that were added and are not yet inserted. Returns SQLite's result code. */
int pithi_sqlite_rows_flush(struct pithi_sqlite_rows *rows);

#endif
