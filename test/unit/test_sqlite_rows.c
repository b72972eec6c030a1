/* test_sqlite_rows.c - rows with keys in and out of order, and pith_rows, the virtual table, if SQLite has no memory
 * for it. */
#include <stdarg.h>
#include <stddef.h>

#include "foreign/sqlite/sqlite_rows.h"
#include "tap.h"

static struct pithi_sqlite_table *made;
static int connected;

static int refuse(struct sqlite3 *db, const char *sql)
{
    (void)db, (void)sql;
    return PITHI_SQLITE_NOMEM;
}

static int connect_now(struct sqlite3 *db, const char *name, const struct pithi_sqlite_module *module, void *context)
{
    char *error = NULL;

    (void)name;
    connected = module->connect(db, context, 0, NULL, &made, &error);
    return PITHI_SQLITE_OK;
}

static int put(struct pithi_sqlite_rows *rows, const char *types, ...)
{
    va_list values;
    int status;

    va_start(values, types);
    status = pithi_sqlite_rows_put(rows, types, values);
    va_end(values);
    return status;
}

/* The number that a query gives; -1: an error. */
static double number(const struct pithi_sqlite *sqlite, struct sqlite3 *db, const char *query)
{
    struct sqlite3_stmt *stmt;
    double value = -1;

    if (sqlite->prepare_v2(db, query, -1, &stmt, NULL) == PITHI_SQLITE_OK && sqlite->step(stmt) == PITHI_SQLITE_ROW)
        value = sqlite->column_double(stmt, 0);
    sqlite->finalize(stmt);
    return value;
}

/* Puts the keys 0 to `count` - 1, as `key_of` orders them, each with itself as a value. Returns the number of rows that
 * have this value; -1: an error. */
static double keys_kept(const struct pithi_sqlite *sqlite, int count, int64_t (*key_of)(int64_t i))
{
    struct pithi_sqlite_source source;
    struct pithi_sqlite_rows *rows = NULL;
    struct sqlite3 *db;
    double kept = -1;
    int status;

    if (sqlite->open_v2(":memory:", &db, PITHI_SQLITE_READWRITE, NULL))
        return -1;
    status = pithi_sqlite_source_open(&source, sqlite, db) ||
             sqlite->exec(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, value INTEGER)", NULL, NULL, NULL) ||
             pithi_sqlite_rows_open(&rows, &source, "INSERT INTO t", 2, 1);
    for (int64_t i = 0; i < count && !status; i++)
        status = put(rows, "ii", key_of(i), key_of(i));
    if (!status && !pithi_sqlite_rows_flush(rows))
        kept = number(sqlite, db, "SELECT count(*) FROM t WHERE id = value");
    pithi_sqlite_rows_close(rows);
    sqlite->close(db);
    return kept;
}

static int64_t rising(int64_t i) { return i + 1; }
static int64_t from_ten(int64_t i) { return i + 10; }
static int64_t with_gaps(int64_t i) { return i + i / 7; }
static int64_t falling(int64_t i) { return 5000 - i; }
/* An outer state ends after 2999 inner ones, and so on: its key comes last of 3000. */
static int64_t outer_last(int64_t i) { return i - i % 3000 + (i % 3000 + 1) % 3000 + 1; }

static void test_keys(void)
{
    const struct pithi_sqlite *sqlite;

    if (pithi_sqlite_begin("test", &sqlite)) {
        OK(1, "rows in a database # SKIP libsqlite3 is not installed");
        return;
    }
    OK(keys_kept(sqlite, 5000, rising) == 5000, "rising keys are kept");
    OK(keys_kept(sqlite, 5000, from_ten) == 5000, "also if they begin later");
    OK(keys_kept(sqlite, 5000, with_gaps) == 5000, "keys with gaps are kept");
    OK(keys_kept(sqlite, 5000, falling) == 5000, "falling keys are kept");
    OK(keys_kept(sqlite, 9000, outer_last) == 9000, "keys that come much later are kept");
}

int main(void)
{
    const struct pithi_sqlite sqlite = {.create_module = connect_now, .declare_vtab = refuse};
    struct pithi_sqlite_source source;

    OK(pithi_sqlite_source_open(&source, &sqlite, NULL) == PITHI_SQLITE_OK && connected == PITHI_SQLITE_NOMEM,
       "a table that SQLite cannot declare is refused");
    OK(made == NULL, "and nothing is left, as SQLite would not free it");
    test_keys();
    return tap_done();
}
