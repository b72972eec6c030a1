/* sql.c - `pith sql LOG QUERY`: runs an SQL query on the database of a log (foreign/sqlite). The first query makes the
 * database, which is kept in the cache. A query can neither change the database nor reach other files.
 *
 * The query may come from somebody else, a web page or a program, so it must not write or reach any file: the database
 * is opened for reading only, ATTACH is limited to 0 databases, and the two PRAGMAs that change where SQLite puts files
 * are denied. Also, a statement runs only if sqlite3_stmt_readonly() returns 1 for it.
 *
 * A database that is not in the cache is written to TMPDIR/pith-sql-XXXXXX.part. If a signal comes, outfile.c removes
 * this file. Once the database is open, its file is unlinked, so a process that dies later leaves nothing behind.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/open_file.h"
#include "base/out.h"
#include "foreign/sqlite/sqlite_library.h"
#include "reader/read/cache.h"
#include "reader/read/format.h"
#include "reader/read/native.h"
#include "symbols/sample_text.h"
#include "tools/outfile.h"
#include "tools/table.h"
#include "tools/tools.h"

/* The kind of file under which the cache keeps databases. Change the number if the tables change, or the rule by which
 * a log gets no database. */
#define KIND "sql3"
/* The values of SQLITE_LIMIT_ATTACHED and SQLITE_DBCONFIG_DEFENSIVE in sqlite3.h. */
enum { LIMIT_ATTACHED = 7, CONFIG_DEFENSIVE = 1010 };

static const struct pithi_sqlite *sqlite; /* the functions of SQLite, once they were loaded */
static char damage[1024]; /* the error text if the log is damaged, so that the database has only its intact parts; else
                             "" */

/* Appends the names that `query` selects to `list`, and passes them to `nearest`, which keeps the name that is most
 * like the unknown one. */
static void collect(struct sqlite3 *db, const char *query, struct pithi_nearest *nearest, char *list, size_t size)
{
    static char found[PITHI_NEAREST_LONGEST + 1];
    struct sqlite3_stmt *s = NULL;

    *list = '\0';
    /* If this query fails, the list stays empty, and the error of the user's query is reported without it. */
    if (sqlite->prepare_v2(db, query, -1, &s, NULL) != PITHI_SQLITE_OK)
        return;
    while (sqlite->step(s) == PITHI_SQLITE_ROW) {
        const char *name = (const char *)sqlite->column_text(s, 0);
        int edits = nearest->edits;
        if (!name)
            continue;
        /* If a column of just this name exists, it is in a table that the query does not use: no help as a hint. */
        if (strcasecmp(name, nearest->given) != 0)
            pithi_nearest_try(nearest, name);
        /* A name that became the nearest is copied, as SQLite frees the text at the next row. */
        if (nearest->edits != edits)
            nearest->name = strcpy(found, name);
        snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", name);
    }
    sqlite->finalize(s);
}

/* Sets the error from SQLite's message. For an unknown table or column, adds the nearest name; for a table, also the
 * list of tables. */
static int failed(struct sqlite3 *db)
{
    static const char table[] = "no such table: ", column[] = "no such column: ";
    struct pithi_nearest nearest;
    char text[512], list[2048];

    snprintf(text, sizeof text, "%s", sqlite->errmsg(db));
    if (strncmp(text, table, sizeof table - 1) == 0) {
        pithi_nearest_begin(&nearest, text + sizeof table - 1, strlen(text + sizeof table - 1));
        collect(db,
                "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite%' ORDER BY 1",
                &nearest, list, sizeof list);
        return pithi_fail(PITH_ERR_USAGE, "sql: %s%s%s: %s", text, pithi_nearest_ask(&nearest),
                          nearest.name ? " There are" : "; there are", list);
    }
    /* The message is, for example, "no such column: l.rnak"; the name of the column follows the dot. */
    if (strncmp(text, column, sizeof column - 1) == 0) {
        const char *name = strrchr(text, '.') ? strrchr(text, '.') + 1 : text + sizeof column - 1;
        pithi_nearest_begin(&nearest, name, strlen(name));
        collect(db, "SELECT DISTINCT p.name FROM sqlite_schema s, pragma_table_info(s.name) p", &nearest, list,
                sizeof list);
        return pithi_fail(PITH_ERR_USAGE, "sql: %s%s", text,
                          nearest.name ? pithi_nearest_ask(&nearest) : "; man pith-sql lists the columns");
    }
    return pithi_fail(PITH_ERR_USAGE, "sql: %s", text);
}

/* ---- The database ------------------------------------------------------------------------------------------------ */

/* Returns 1 if the file LOG is a database itself. Then it is queried as it is. */
static int is_database(const char *path)
{
    char start[16] = "";
    int fd = pithi_open_input(path, 0);
    int is = fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start &&
             memcmp(start, "SQLite format 3", sizeof start) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

/* Copies the database into the cache, if the cache can be written. */
static void keep(const char *path, const struct pithi_cache_key *key)
{
    struct pithi_cache_part part;
    struct stat status;
    int fd = pithi_open_input(path, 0), whole;

    /* A database of half the cache's size or more is not kept, as the cache would have to drop most other files. */
    if (fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_size < PITHI_CACHE_BYTES / 2 &&
        pithi_cache_begin(&part, key, KIND)) {
        off_t at = 0;
        /* sendfile() copies within the kernel. The copy is kept only if it is complete. */
        while (at < status.st_size && sendfile(part.fd, fd, &at, (size_t)(status.st_size - at)) > 0)
            ;
        whole = at == status.st_size;
        pithi_cache_end(&part, whole);
        close(part.fd);
    }
    if (fd >= 0)
        close(fd);
}

struct recovering {
    const char *path;
    uint64_t damages;
};

static int fill(void *context, struct pithi_writer *writer)
{
    struct recovering *r = context;

    return pithi_native_recover(r->path, writer, &r->damages);
}

/* Makes the database of the log in a temporary file, whose name is returned in *path, malloc'ed. If the log is damaged,
 * the database has its intact parts, and `damage` is set. While the database is written, ".part" is added to the name
 * of its file; if a signal comes then, outfile.c removes the file. */
static int make(const char *command, struct pithlog *log, const char *name, char **path)
{
    const char *folder = getenv("TMPDIR");
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    const struct pithi_format *format = pithi_format_by_name("sqlite");
    struct recovering r = {.path = name};
    struct pithi_sample_text *text = NULL;
    struct pithlog *rest = NULL;
    int fd, err;

    if (asprintf(path, "%s/pith-sql-XXXXXX", folder && *folder ? folder : "/tmp") < 0) {
        *path = NULL;
        return pithi_no_memory();
    }
    if ((fd = mkstemp(*path)) < 0)
        TRY(pithi_fail(PITH_ERR_IO, "sql: no place for a temporary file; set TMPDIR"));
    close(fd);
    /* mkstemp() was called for a unique name only. The writer makes a file of its own, with ".part" added to the
     * name. */
    unlink(*path);
    TRY(pithi_sample_text_open(log, &text, &how.naming));
    err = pithi_outfile_write(command, log, format, *path, &how);
    /* The writer refuses a damaged log. In this case the database is made from a temporary log of the intact parts. */
    if (err == PITH_ERR_DAMAGED) {
        snprintf(damage, sizeof damage, "%s", pithlog_error());
        err = pithi_native_temporary("the temporary copy (see TMPDIR)", fill, &r, &rest);
        if (err == PITH_OK)
            err = pithi_outfile_write(command, rest, format, *path, &how);
        pithlog_close(rest);
    }
    pithi_sample_text_close(text);
    return err;
out:
    free(*path);
    *path = NULL;
    return err;
}

/* Denies the PRAGMAs that change the folders in which SQLite makes files. SQLite calls this function. */
static int authorize(void *context, int action, const char *name, const char *value, const char *database,
                     const char *trigger)
{
    (void)context, (void)value, (void)database, (void)trigger;
    return action == PITHI_SQLITE_ON_PRAGMA && name &&
                   (strcasecmp(name, "temp_store_directory") == 0 || strcasecmp(name, "data_store_directory") == 0)
               ? PITHI_SQLITE_DENY
               : PITHI_SQLITE_OK;
}

/* Returns 1 if the database must be opened with immutable=1. This is so for a database in WAL mode, beside which SQLite
 * would otherwise make files, even for reading. Returns 0 if a write-ahead log or a journal is beside the database:
 * such a file has its newest rows, and with immutable=1 SQLite would ignore the file. */
static int is_immutable(const char *path)
{
    static const char *const beside[] = {"-wal", "-journal"};
    unsigned char versions[2] = {0, 0}; /* versions of the file format to write and to read; 2: WAL mode */
    /* bytes 18 and 19 of the header are the versions */
    int fd = pithi_open_input(path, 0), is = fd >= 0 && pread(fd, versions, 2, 18) == 2 && versions[1] == 2;
    char *other;
    struct stat status;

    for (int i = 0; i < 2 && is; i++) {
        is = asprintf(&other, "%s%s", path, beside[i]) >= 0 && (stat(other, &status) != 0 || status.st_size == 0);
        free(is ? other : NULL);
    }
    if (fd >= 0)
        close(fd);
    return is;
}

static int open_readonly(const char *path, struct sqlite3 **db)
{
    /* Resolves links, because the write-ahead log is beside the file to which a link points. */
    char *full = realpath(path, NULL);
    size_t room = full ? 3 * strlen(full) + sizeof "file://?immutable=1" : 0, at;
    char *uri = full ? malloc(room) : NULL;

    if (!uri) {
        free(full);
        return pithi_no_memory();
    }
    at = (size_t)sprintf(uri, "%s", *full == '/' ? "file://" : "file:");
    for (const unsigned char *c = (const unsigned char *)full; *c; c++)
        /* '%', '?' and '#' have a meaning in a URI, so they are written as %25, %3F and %23. */
        at += (size_t)sprintf(uri + at, *c == '%' || *c == '?' || *c == '#' ? "%%%02X" : "%c", *c);
    sprintf(uri + at, "%s", is_immutable(full) ? "?immutable=1" : "");
    free(full);
    int status = sqlite->open_v2(uri, db, PITHI_SQLITE_READONLY | PITHI_SQLITE_URI, NULL);
    free(uri);
    if (status)
        return failed(*db);
    if (pithi_sqlite_functions(sqlite, *db))
        return failed(*db);
    /* each of these calls closes a way to write or to reach another file */
    sqlite->set_authorizer(*db, authorize, NULL);
    sqlite->limit(*db, LIMIT_ATTACHED, 0);
    sqlite->db_config(*db, CONFIG_DEFENSIVE, 1, NULL);
    /* sqlite3_open reads nothing yet, so a first query finds out whether the file is damaged. */
    return sqlite->exec(*db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) ? failed(*db) : PITH_OK;
}

/* Opens the database of the log at `path`. A database that is not in the cache is made in a temporary file, which is
 * unlinked as soon as it is open. Sets *temporary to the name of this file, malloc'ed, or to NULL if there is none. The
 * caller frees the name at the very end, because outfile.c keeps a pointer to it. */
static int open_database(const char *command, const char *path, struct sqlite3 **db, char **temporary)
{
    struct pithi_cache_key key;
    struct pithlog *log;
    char name[64];
    int fd = -1, err, has_key;

    if (is_database(path))
        return open_readonly(path, db);
    CHECK(pithi_tool_open(command, path, &log));
    has_key = pithi_cache_key(log, &key);
    if (has_key && (fd = pithi_cache_find(&key, KIND)) >= 0) {
        /* Opens the database by its descriptor, as another process may remove its name from the cache meanwhile. */
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        err = open_readonly(name, db);
        close(fd);
        if (!err)
            goto out;
        /* The database in the cache is damaged, so it is removed and made anew. */
        sqlite->close(*db);
        *db = NULL;
        pithi_cache_remove(&key, KIND);
    }
    TRY(make(command, log, path, temporary));
    if (has_key && !*damage) /* a damaged log's database is not kept, so that each query reports the damage */
        keep(*temporary, &key);
    TRY(open_readonly(*temporary, db));
out:
    if (*temporary)
        unlink(*temporary);
    pithlog_close(log);
    return err;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static const char *value_of(struct sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite->column_text(s, column);

    return text ? text : "";
}

/* Returns 1 if the value in a column is a blob. put_blob writes it as SQL does, X'00FF'. */
static int is_blob(struct sqlite3_stmt *s, int column) { return sqlite->column_type(s, column) == PITHI_SQLITE_BLOB; }

static void put_blob(struct pithi_out *out, struct sqlite3_stmt *s, int column)
{
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char *bytes = sqlite->column_blob(s, column);
    int size = sqlite->column_bytes(s, column);

    pithi_out_text(out, "X'");
    for (int i = 0; i < size; i++) {
        pithi_out_char(out, digits[bytes[i] >> 4]);
        pithi_out_char(out, digits[bytes[i] & 15]);
    }
    pithi_out_char(out, '\'');
}

/* Writes a row for programs. If `names` is 1, writes the names of the columns, the first line of CSV, instead. */
static void put_row(struct pithi_out *out, struct sqlite3_stmt *s, enum pithi_text_style style, int names)
{
    enum pithi_quote quote = style == PITHI_TEXT_CSV ? PITHI_QUOTE_CSV : PITHI_QUOTE_JSON;
    int json = style == PITHI_TEXT_JSON;

    for (int i = 0; i < sqlite->column_count(s); i++) {
        pithi_out_text(out, i ? "," : json ? "{" : "");
        if (json || names)
            pithi_out_quoted(out, quote, sqlite->column_name(s, i));
        if (json)
            pithi_out_char(out, ':');
        if (names)
            continue;
        int type = sqlite->column_type(s, i);
        if (type == PITHI_SQLITE_NULL)
            pithi_out_text(out, json ? "null" : "");
        else if (type == PITHI_SQLITE_INTEGER || type == PITHI_SQLITE_FLOAT)
            /* JSON has no infinite numbers, so they become null. */
            pithi_out_text(out, json && !isfinite(sqlite->column_double(s, i)) ? "null" : value_of(s, i));
        else if (is_blob(s, i)) {
            pithi_out_text(out, json ? "\"" : "");
            put_blob(out, s, i);
            pithi_out_text(out, json ? "\"" : "");
        } else
            pithi_out_quoted(out, quote, value_of(s, i));
    }
}

static int answer_programs(struct pithi_out *out, struct sqlite3 *db, struct sqlite3_stmt *s,
                           enum pithi_text_style style)
{
    uint64_t rows = 0;
    int more;

    if (style == PITHI_TEXT_CSV) {
        put_row(out, s, style, 1);
        pithi_out_char(out, '\n');
    } else {
        pithi_out_text(out, "[");
    }
    /* each row is written as it comes */
    for (; !out->failed && (more = sqlite->step(s)) == PITHI_SQLITE_ROW; rows++) {
        if (style == PITHI_TEXT_JSON)
            pithi_out_text(out, rows ? ",\n" : "\n");
        put_row(out, s, style, 0);
        pithi_out_text(out, style == PITHI_TEXT_JSON ? "}" : "\n");
    }
    if (style == PITHI_TEXT_JSON)
        pithi_out_text(out, "\n]\n");
    return !out->failed && more != PITHI_SQLITE_DONE ? failed(db) : PITH_OK;
}

/* In the table for people, a column is as wide as its widest value in the first FIRST_ROWS rows or FIRST_BYTES bytes.
 * If a later row has a wider value, the rest of its line moves to the right. So a query with any number of rows needs
 * little memory, and its first rows are shown soon. */
enum { FIRST_ROWS = 1000, FIRST_BYTES = 1 << 20 };

struct people {
    struct pithi_out *out;
    int columns;
    size_t *widths;
    char **first; /* the texts of the first rows; NULL once these are printed */
    uint32_t count, room;
    size_t bytes;
};

/* Returns the value in a column as text, malloc'ed, or NULL if there is no memory. */
static char *text_of(struct sqlite3_stmt *s, int column)
{
    struct pithi_out out;
    char *text = NULL;
    size_t size;
    FILE *memory;

    if (!is_blob(s, column))
        return pithi_quoted(PITHI_QUOTE_TABS, value_of(s, column));
    if (!(memory = open_memstream(&text, &size)))
        return NULL;
    if (pithi_out_open(&out, memory) == PITH_OK) {
        put_blob(&out, s, column);
        pithi_out_close(&out, PITH_OK);
    }
    return fclose(memory) == 0 ? text : NULL;
}

static void put_texts(struct people *p, char *const *texts)
{
    int last = 0;

    for (int i = 0; i < p->columns; i++)
        /* The line ends after its last cell that has a text: blanks after it could make the line wider than the
         * terminal. */
        last = *texts[i] ? i : last;
    for (int i = 0; i <= last; i++) {
        size_t width = pithi_text_width(texts[i]);
        pithi_out_text(p->out, texts[i]);
        for (; i < last && width < p->widths[i]; width++)
            pithi_out_char(p->out, ' ');
        pithi_out_text(p->out, i < last ? "  " : "\n");
    }
}

static void drop_first(struct people *p)
{
    for (size_t i = 0; i < (size_t)p->count * (size_t)p->columns; i++)
        free(p->first[i]);
    free(p->first);
    p->first = NULL;
    p->count = 0;
}

static void put_first(struct people *p)
{
    for (uint32_t row = 0; row < p->count; row++)
        put_texts(p, p->first + (size_t)row * (size_t)p->columns);
    drop_first(p);
    pithi_out_flush(p->out);
}

/* Keeps the texts of a row if it is one of the first rows, from which the widths are computed; prints a later row. The
 * texts are malloc'ed and are freed after printing. */
static int take_row(struct people *p, char **texts)
{
    if (p->room == UINT32_MAX) { /* this value means that the first rows are printed */
        put_texts(p, texts);
        for (int i = 0; i < p->columns; i++)
            free(texts[i]);
        return PITH_OK;
    }
    if (!pithi_grow(&p->first, p->count, &p->room, (size_t)p->columns * sizeof *p->first))
        return pithi_no_memory();
    memcpy(p->first + (size_t)p->count++ * (size_t)p->columns, texts, (size_t)p->columns * sizeof *texts);
    for (int i = 0; i < p->columns; i++) {
        size_t width = pithi_text_width(texts[i]);
        p->widths[i] = width > p->widths[i] ? width : p->widths[i];
        p->bytes += strlen(texts[i]) + sizeof *texts;
    }
    if (p->count > FIRST_ROWS || p->bytes >= FIRST_BYTES) {
        put_first(p);
        p->room = UINT32_MAX;
    }
    return PITH_OK;
}

static int answer_people(struct pithi_out *out, struct sqlite3 *db, struct sqlite3_stmt *s)
{
    struct people p = {.out = out, .columns = sqlite->column_count(s)};
    char **texts = calloc((size_t)p.columns, sizeof *texts);
    int err, more = PITHI_SQLITE_ROW;

    p.widths = calloc((size_t)p.columns, sizeof *p.widths);
    if (!texts || !p.widths)
        TRY(pithi_no_memory());
    /* The first round takes the names of the columns as a row, so that the widths fit the names, too. */
    for (int names = 1; !out->failed; names = 0) {
        if (!names && (more = sqlite->step(s)) != PITHI_SQLITE_ROW)
            break;
        for (int i = 0; i < p.columns; i++)
            if (!(texts[i] = names ? pithi_quoted(PITHI_QUOTE_TABS, sqlite->column_name(s, i)) : text_of(s, i)))
                TRY(pithi_no_memory());
        TRY(take_row(&p, texts));
    }
    err = !out->failed && more != PITHI_SQLITE_DONE ? failed(db) : PITH_OK;
out:
    if (err == PITH_OK)
        put_first(&p);
    else
        drop_first(&p);
    free(texts);
    free(p.widths);
    return err;
}

/* Runs the statements of a query one by one, and prints the rows of each statement that returns rows. */
static int answer(struct sqlite3 *db, const char *query, enum pithi_text_style style)
{
    struct sqlite3_stmt *s = NULL;
    struct pithi_out out;
    int err, statements = 0;

    CHECK(pithi_out_open(&out, stdout));
    /* prepare_v2 reads one statement and moves `query` to the next one. */
    while (*query) {
        if (sqlite->prepare_v2(db, query, -1, &s, &query))
            TRY(failed(db));
        if (!s) /* there were only blanks or a comment */
            continue;
        statements++;
        if (!sqlite->stmt_readonly(s))
            TRY(pithi_fail(PITH_ERR_USAGE, "sql: a query cannot change the database"));
        if (sqlite->column_count(s) == 0) { /* a statement without rows, such as BEGIN */
            if (sqlite->step(s) != PITHI_SQLITE_DONE)
                TRY(failed(db));
        } else if (style == PITHI_TEXT_TABS) {
            TRY(answer_people(&out, db, s));
        } else {
            TRY(answer_programs(&out, db, s, style));
        }
        sqlite->finalize(s);
        s = NULL;
    }
    err = statements ? PITH_OK
                     : pithi_fail(PITH_ERR_USAGE, "sql: the query is empty; ask, for example, 'SELECT * FROM states'");
out:
    sqlite->finalize(s);
    return pithi_out_close(&out, err);
}

int pithi_tool_sql(int argc, char **argv)
{
    static const char *const names[] = {"LOG", "QUERY", NULL};
    enum pithi_text_style style = PITHI_TEXT_TABS;
    const struct pithi_option options[] = {PITHI_STYLE_OPTIONS(&style), {.name = NULL}};
    struct sqlite3 *db = NULL;
    char *temporary = NULL;
    int err, status;

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if ((status = pithi_tool_arguments(argc, argv, names)) != 0)
        return status;
    /* Users often give QUERY before LOG by mistake. */
    if (access(argv[optind], F_OK) != 0 && access(argv[optind + 1], F_OK) == 0)
        return pithi_tool_usage(argv[0], "LOG comes before QUERY; exchange them");
    TRY(pithi_sqlite_begin(argv[optind], &sqlite));
    TRY(open_database(argv[0], argv[optind], &db, &temporary));
    TRY(answer(db, argv[optind + 1], style));
    if (*damage)
        err = pithi_fail(PITH_ERR_DAMAGED, "%s; all other records are in the tables", damage);
out:
    if (err)
        pithi_tool_failed();
    if (db)
        sqlite->close(db);
    free(temporary);
    return err != PITH_OK;
}
