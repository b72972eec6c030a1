/* sqlite_functions.c - median and percentile as functions of SQL. The percentile P of n sorted values is the value at
 * index P / 100 * (n - 1). If this index is no whole number, the result is interpolated between the two values beside
 * it. For example, percentile 25 of 10, 20, 40 has the index 0.5 and is 15. The median is percentile 50. Values that
 * are not numbers are ignored. If there are no numbers, the result is NULL. */
#include <stdlib.h>

#include "base/map.h"
#include "foreign/sqlite/sqlite_library.h"

/* SQLITE_UTF8, SQLITE_DETERMINISTIC and SQLITE_INNOCUOUS of sqlite3.h. */
enum { FLAGS = 1 | 0x800 | 0x200000 };

static const struct pithi_sqlite *sqlite; /* the functions of SQLite, once they are loaded */

struct values {
    double *all, percent; /* all: the values so far, malloc'ed; percent: P, 0 to 100 */
    size_t count, room;
    const char *wrong; /* text of an error in the query; NULL: none */
};

static void take(void *context, int count, void **arguments)
{
    struct values *v = sqlite->aggregate_context(context, sizeof *v);
    double percent = 50;

    if (!v || v->wrong)
        return;
    if (count > 1) {
        int type = sqlite->value_numeric_type(arguments[1]);
        percent = sqlite->value_double(arguments[1]);
        if ((type != PITHI_SQLITE_INTEGER && type != PITHI_SQLITE_FLOAT) || !(percent >= 0 && percent <= 100))
            v->wrong = "percentile(X, P): P is a number from 0 to 100";
        else if (v->count > 0 && percent != v->percent)
            v->wrong = "percentile(X, P): P is the same for all rows";
    }
    v->percent = percent;
    int type = sqlite->value_numeric_type(arguments[0]);
    if (v->wrong || (type != PITHI_SQLITE_INTEGER && type != PITHI_SQLITE_FLOAT))
        return;
    if (v->count == v->room) {
        size_t room = v->room ? 2 * v->room : 64;
        double *all = realloc(v->all, room * sizeof *all);
        if (!all) {
            v->wrong = "out of memory";
            return;
        }
        v->all = all;
        v->room = room;
    }
    v->all[v->count++] = sqlite->value_double(arguments[0]);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void finish(void *context)
{
    struct values *v = sqlite->aggregate_context(context, 0);

    if (!v)
        return;
    if (v->wrong) {
        sqlite->result_error(context, v->wrong, -1);
    } else if (v->count > 0) {
        qsort(v->all, v->count, sizeof *v->all, by_value);
        double place = v->percent / 100 * (double)(v->count - 1);
        size_t below = (size_t)place, above = below + 1 < v->count ? below + 1 : below;
        sqlite->result_double(context, v->all[below] + (v->all[above] - v->all[below]) * (place - (double)below));
    }
    free(v->all);
    v->all = NULL;
}

int pithi_sqlite_functions(const struct pithi_sqlite *library, struct sqlite3 *db)
{
    sqlite = library;
    int status = sqlite->create_function_v2(db, "median", 1, FLAGS, NULL, NULL, take, finish, NULL);
    return status ? status : sqlite->create_function_v2(db, "percentile", 2, FLAGS, NULL, NULL, take, finish, NULL);
}
