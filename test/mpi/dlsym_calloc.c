/* dlsym_calloc.c - a library whose dlsym allocates memory, as that of some C libraries does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) void *dlsym(void *library, const char *name)
{
    static void *(*next)(void *, const char *);
    char *some = calloc(3, 100), *other = malloc(50);
    void *found;

    if (!next && !(next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34")))
        next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (some && other && some[299] == 0) {
        memset(some, 1, 300);
        some = realloc(some, 400);
        if (some[299] != 1)
            abort();
    } else {
        abort();
    }
    found = next(library, name);
    free(some);
    free(other);
    return found;
}
