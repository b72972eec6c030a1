/* sqlite_library.c - loads libsqlite3 at the first use. The library stays loaded until the process ends. */
#include "foreign/sqlite/sqlite_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

static struct pithi_sqlite functions; /* filled once; read-only after that */
static int is_loaded;                 /* 1: `functions` is filled */

static const struct {
    const char *name;
    size_t offset;
} list[] = {
#define ROW(type, name, arguments) {"sqlite3_" #name, offsetof(struct pithi_sqlite, name)},
    PITHI_SQLITE_FUNCTIONS(ROW)
#undef ROW
};

int pithi_sqlite_begin(const char *path, const struct pithi_sqlite **sqlite)
{
    void *handle;

    *sqlite = &functions;
    if (__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE))
        return PITH_OK;
    handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return pithi_fail(PITH_ERR_UNSUPPORTED,
                          "%s: SQLite needs the library libsqlite3.so.0, which is not here; install "
                          "libsqlite3-0",
                          path);
    /* Stores the functions of the library. Needs no lock, because if several threads do so at once, they store the same
     * values. */
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        void *function = dlsym(handle, list[i].name);
        if (!function)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: libsqlite3.so.0 has no %s; install a newer libsqlite3", path,
                              list[i].name);
        memcpy((char *)&functions + list[i].offset, &function, sizeof function);
    }
    __atomic_store_n(&is_loaded, 1, __ATOMIC_RELEASE);
    return PITH_OK;
}
