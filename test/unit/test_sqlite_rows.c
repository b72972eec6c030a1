/* test_sqlite_rows.c - pith_rows, the virtual table, if SQLite has no memory for it. */
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

int main(void)
{
    const struct pithi_sqlite sqlite = {.create_module = connect_now, .declare_vtab = refuse};
    struct pithi_sqlite_source source;

    OK(pithi_sqlite_source_open(&source, &sqlite, NULL) == PITHI_SQLITE_OK && connected == PITHI_SQLITE_NOMEM,
       "a table that SQLite cannot declare is refused");
    OK(made == NULL, "and nothing is left, as SQLite would not free it");
    return tap_done();
}
