/* opened.c - programs that open the MPI library themselves, by dlopen with RTLD_LOCAL, and get its functions by dlsym;
 * Python's ctypes and Julia do this. The loader then does not search this library first. So this library defines dlsym:
 * for a function of the MPI library it returns the function that a program linked with MPI would call, which is this
 * library's wrapper. Everything else goes to the C library's dlsym. */
/* It is left out of the archive, since a program that is linked with the archive is linked with MPI; and of a build
 * with the thread sanitizer, which calls dlsym before it is initialized. */
#if !defined(PITHI_STATIC) && !defined(__SANITIZE_THREAD__)
#include "real.h"

#include <dlfcn.h>
#include <string.h>

/* The dlsym of the next library, which may be another wrapper's. The C library's has a version. */
static void *(*next_dlsym(void))(void *, const char *)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.0"};
    static void *(*next)(void *, const char *);
    void *found = NULL;

    if (__builtin_expect(next != NULL, 1))
        return next;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !found; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    memcpy(&next, &found, sizeof next);
    return next;
}

/* The function that the linked program would call in place of `symbol`. */
static void *linked(void *symbol, const char *name, const void *caller)
{
    /* If Pith's own libraries look up a function, they need the MPI library's, and not a wrapper. */
    Dl_info info;
    const char *slash = dladdr(caller, &info) ? strrchr(info.dli_fname, '/') : NULL;

    if (slash && !strncmp(slash, "/libpith-", 9))
        return symbol;
    void *ours = pithi_real_is_mpi(symbol) ? next_dlsym()(RTLD_DEFAULT, name) : NULL;

    dlerror(); /* clears an error of this look-up: the program's own call succeeded */
    return ours ? ours : symbol;
}

/* For RTLD_NEXT and RTLD_DEFAULT the result depends on the caller, which the C library finds by the return address. So
 * its dlsym is reached by a jump, which keeps that address. */
PITHI_PMPI __attribute__((no_sanitize("address", "thread", "undefined"))) void *dlsym(void *restrict handle,
                                                                                      const char *restrict name)
{
    void *(*next)(void *, const char *) = next_dlsym();
    void *symbol;

    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT ||
        (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "PMPI_", 5) != 0))
        PITHI_JUMP next(handle, name);
    symbol = next(handle, name);
    return symbol ? linked(symbol, name, __builtin_return_address(0)) : NULL;
}
#endif
