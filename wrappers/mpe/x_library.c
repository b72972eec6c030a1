/* x_library.c - finds libX11's functions by name, once for the process. */
#include "x_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} list[] = {
#define ROW(name) {"X" #name, offsetof(struct pithi_x, name)},
    PITHI_X_FUNCTIONS(ROW)
#undef ROW
};

static struct pithi_x library;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void put(void *handle, const char *name, size_t offset)
{
    void *function = dlsym(handle, name);

    memcpy((char *)&library + offset, &function, sizeof function);
    if (!function)
        missing = name;
}

static void load(void)
{
    void *handle = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        missing = "libX11.so.6";
        return;
    }
    put(handle, "XSetIOErrorExitHandler", offsetof(struct pithi_x, SetIOErrorExitHandler));
    missing = NULL; /* that one may be */
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        put(handle, list[i].name, list[i].offset);
}

const struct pithi_x *pithi_x_load(const char **why)
{
    pthread_once(&once, load);
    *why = missing;
    return missing ? NULL : &library;
}
