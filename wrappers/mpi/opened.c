/* opened.c - records programs that open the MPI library by dlopen with RTLD_LOCAL and get its functions by dlsym, as
 * Python's ctypes and Julia do. Such a program's dlsym would return the MPI library's functions and not the wrappers.
 * So this library defines dlsym. For a function of the MPI library, this dlsym returns the function that a program
 * linked with MPI would call, which is this library's wrapper. For everything else, it calls the C library's dlsym. */
/* The archive has no dlsym, because a program that is linked with the archive is also linked with MPI. A build with the
 * thread sanitizer has none either, because the sanitizer calls dlsym before it is initialized. */
#if !defined(PITHI_STATIC) && !defined(__SANITIZE_THREAD__)
#include "real.h"

#include <dlfcn.h>
#include <string.h>

/* Returns the dlsym of the next library that defines dlsym: another wrapper library or the C library, whose dlsym is
 * found only by its symbol version. */
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

/* Returns the function that a program linked with MPI would call in place of `symbol`. */
static void *linked(void *symbol, const char *name, const void *caller)
{
    /* Pith's own libraries also call dlsym. They need the MPI library's function, and not a wrapper. */
    Dl_info info;
    const char *slash = dladdr(caller, &info) ? strrchr(info.dli_fname, '/') : NULL;

    if (slash && !strncmp(slash, "/libpith-", 9))
        return symbol;
    void *ours = pithi_real_is_mpi(symbol) ? next_dlsym()(RTLD_DEFAULT, name) : NULL;

    dlerror(); /* clears an error of the look-up above, because the program's own look-up succeeded */
    return ours ? ours : symbol;
}

/* For RTLD_NEXT and RTLD_DEFAULT the result depends on the caller, which the C library's dlsym finds by the return
 * address. So this function jumps to the C library's dlsym, which keeps the return address. */
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
