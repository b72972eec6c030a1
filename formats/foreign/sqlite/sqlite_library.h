/* sqlite_library.h - libsqlite3, which is loaded when a database is first written or asked. It needs no headers at
 * build time: SQLite's interface is stable, and the few functions and numbers in use are here. */
#ifndef PITHI_SQLITE_LIBRARY_H
#define PITHI_SQLITE_LIBRARY_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

/* Result codes, flags and types of sqlite3.h. */
enum { PITHI_SQLITE_OK = 0, PITHI_SQLITE_ROW = 100, PITHI_SQLITE_DONE = 101 };
enum { PITHI_SQLITE_READONLY = 1, PITHI_SQLITE_READWRITE = 2, PITHI_SQLITE_URI = 0x40, PITHI_SQLITE_NOMUTEX = 0x8000 };
enum { PITHI_SQLITE_DENY = 1, PITHI_SQLITE_ON_PRAGMA = 19 }; /* for set_authorizer */
enum { PITHI_SQLITE_INTEGER = 1, PITHI_SQLITE_FLOAT, PITHI_SQLITE_TEXT, PITHI_SQLITE_BLOB, PITHI_SQLITE_NULL };
/* For bind_text and bind_blob: SQLite copies the bytes. */
#define PITHI_SQLITE_COPY ((void (*)(void *)) - 1)

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
    ROW(int, bind_int64, (struct sqlite3_stmt * stmt, int index, int64_t value))                                       \
    ROW(int, bind_double, (struct sqlite3_stmt * stmt, int index, double value))                                       \
    ROW(int, bind_text, (struct sqlite3_stmt * stmt, int index, const char *text, int size, void (*free_it)(void *)))  \
    ROW(int, bind_null, (struct sqlite3_stmt * stmt, int index))                                                       \
    ROW(int, step, (struct sqlite3_stmt * stmt))                                                                       \
    ROW(int, reset, (struct sqlite3_stmt * stmt))                                                                      \
    ROW(int, finalize, (struct sqlite3_stmt * stmt))                                                                   \
    ROW(int, stmt_readonly, (struct sqlite3_stmt * stmt))                                                              \
    ROW(int, column_count, (struct sqlite3_stmt * stmt))                                                               \
    ROW(int, column_type, (struct sqlite3_stmt * stmt, int column))                                                    \
    ROW(const char *, column_name, (struct sqlite3_stmt * stmt, int column))                                           \
    ROW(const unsigned char *, column_text, (struct sqlite3_stmt * stmt, int column))                                  \
    ROW(double, column_double, (struct sqlite3_stmt * stmt, int column))

struct pithi_sqlite {
#define ROW(type, name, arguments) type(*name) arguments;
    PITHI_SQLITE_FUNCTIONS(ROW)
#undef ROW
};

/* Loads the library. `path`: for the error's text. PITH_ERR_UNSUPPORTED: it is not installed. */
int pithi_sqlite_begin(const char *path, const struct pithi_sqlite **sqlite);

#endif
