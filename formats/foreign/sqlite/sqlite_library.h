/* sqlite_library.h - loads libsqlite3 when a database is first written or queried. It needs no headers at build time:
 * SQLite's interface is stable, and the few functions and numbers that Pith uses are declared here. */
#ifndef PITHI_SQLITE_LIBRARY_H
#define PITHI_SQLITE_LIBRARY_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

/* Result codes, flags and types of sqlite3.h. */
enum { PITHI_SQLITE_OK = 0, PITHI_SQLITE_NOMEM = 7, PITHI_SQLITE_ROW = 100, PITHI_SQLITE_DONE = 101 };
enum { PITHI_SQLITE_READONLY = 1, PITHI_SQLITE_READWRITE = 2, PITHI_SQLITE_URI = 0x40, PITHI_SQLITE_NOMUTEX = 0x8000 };
enum { PITHI_SQLITE_DENY = 1, PITHI_SQLITE_ON_PRAGMA = 19 }; /* for set_authorizer */
enum { PITHI_SQLITE_INTEGER = 1, PITHI_SQLITE_FLOAT, PITHI_SQLITE_TEXT, PITHI_SQLITE_BLOB, PITHI_SQLITE_NULL };

/* SQLite's structs for a virtual table, as sqlite3.h declares them (sqlite3_vtab, sqlite3_vtab_cursor and version 1 of
 * sqlite3_module). Pith's own structs for tables and cursors begin with the first two. */
struct pithi_sqlite_table {
    const void *module; /* set by SQLite */
    int references;
    char *error; /* text of an error, which SQLite frees */
};
struct pithi_sqlite_cursor {
    struct pithi_sqlite_table *table;
};
struct pithi_sqlite_module {
    int version;
    int (*create)(struct sqlite3 *db, void *context, int count, const char *const *words,
                  struct pithi_sqlite_table **table, char **error);
    int (*connect)(struct sqlite3 *db, void *context, int count, const char *const *words,
                   struct pithi_sqlite_table **table, char **error);
    int (*plan)(struct pithi_sqlite_table *table, void *info);
    int (*disconnect)(struct pithi_sqlite_table *table);
    int (*destroy)(struct pithi_sqlite_table *table);
    int (*open)(struct pithi_sqlite_table *table, struct pithi_sqlite_cursor **cursor);
    int (*close)(struct pithi_sqlite_cursor *cursor);
    int (*filter)(struct pithi_sqlite_cursor *cursor, int number, const char *text, int count, void **values);
    int (*next)(struct pithi_sqlite_cursor *cursor);
    int (*is_end)(struct pithi_sqlite_cursor *cursor);
    int (*column)(struct pithi_sqlite_cursor *cursor, void *result, int column);
    int (*number)(struct pithi_sqlite_cursor *cursor, int64_t *number);
    void *others[7]; /* functions for changes, transactions and renaming, all NULL */
};

#define PITHI_SQLITE_FUNCTIONS(ROW)                                                                                    \
    ROW(int, open_v2, (const char *name, struct sqlite3 **db, int flags, const char *vfs))                             \
    ROW(int, close, (struct sqlite3 * db))                                                                             \
    ROW(int, exec, (struct sqlite3 * db, const char *sql, void *call, void *context, char **error))                    \
    ROW(const char *, errmsg, (struct sqlite3 * db))                                                                   \
    ROW(int, db_config, (struct sqlite3 * db, int what, ...))                                                          \
    ROW(int, set_authorizer,                                                                                           \
        (struct sqlite3 * db,                                                                                          \
         int (*ask)(void *context, int action, const char *, const char *, const char *, const char *),                \
         void *context))                                                                                               \
    ROW(int, limit, (struct sqlite3 * db, int what, int value))                                                        \
    ROW(int, prepare_v2,                                                                                               \
        (struct sqlite3 * db, const char *sql, int size, struct sqlite3_stmt **stmt, const char **tail))               \
    ROW(int, create_module,                                                                                            \
        (struct sqlite3 * db, const char *name, const struct pithi_sqlite_module *module, void *context))              \
    ROW(int, declare_vtab, (struct sqlite3 * db, const char *sql))                                                     \
    ROW(void, result_int64, (void *result, int64_t value))                                                             \
    ROW(void, result_double, (void *result, double value))                                                             \
    ROW(int, create_function_v2,                                                                                       \
        (struct sqlite3 * db, const char *name, int arguments, int flags, void *context,                               \
         void (*call)(void *, int, void **), void (*step)(void *, int, void **), void (*final)(void *),                \
         void (*destroy)(void *)))                                                                                     \
    ROW(void *, aggregate_context, (void *context, int size))                                                          \
    ROW(int, value_numeric_type, (void *value))                                                                        \
    ROW(double, value_double, (void *value))                                                                           \
    ROW(void, result_error, (void *context, const char *text, int size))                                               \
    ROW(void, result_text, (void *result, const char *text, int size, void (*free_it)(void *)))                        \
    ROW(int, step, (struct sqlite3_stmt * stmt))                                                                       \
    ROW(int, reset, (struct sqlite3_stmt * stmt))                                                                      \
    ROW(int, finalize, (struct sqlite3_stmt * stmt))                                                                   \
    ROW(int, stmt_readonly, (struct sqlite3_stmt * stmt))                                                              \
    ROW(int, column_count, (struct sqlite3_stmt * stmt))                                                               \
    ROW(int, column_type, (struct sqlite3_stmt * stmt, int column))                                                    \
    ROW(const char *, column_name, (struct sqlite3_stmt * stmt, int column))                                           \
    ROW(const unsigned char *, column_text, (struct sqlite3_stmt * stmt, int column))                                  \
    ROW(const void *, column_blob, (struct sqlite3_stmt * stmt, int column))                                           \
    ROW(int, column_bytes, (struct sqlite3_stmt * stmt, int column))                                                   \
    ROW(double, column_double, (struct sqlite3_stmt * stmt, int column))

struct pithi_sqlite {
#define ROW(type, name, arguments) type(*name) arguments;
    PITHI_SQLITE_FUNCTIONS(ROW)
#undef ROW
};

/* Lets queries of the connection `db` use median(X) and percentile(X, P). Returns SQLite's result code. */
int pithi_sqlite_functions(const struct pithi_sqlite *sqlite, struct sqlite3 *db);

/* Loads the library, unless it is loaded. `path` is the database file, which the text of an error names. Returns
 * PITH_ERR_UNSUPPORTED if the library is not installed. */
int pithi_sqlite_begin(const char *path, const struct pithi_sqlite **sqlite);

#endif
