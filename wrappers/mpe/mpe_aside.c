/* mpe_aside.c - see mpe_aside.h. */
#include "mpe_aside.h"

#if defined(PITHI_STATIC) && !defined(NOMPI)

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

void *pithi_mpe_aside;

/* The folder of a library of ours that records. */
static int find_folder(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    if (!slash || (strcmp(slash, "/libpith-mpi.so") != 0 && strcmp(slash, "/libpith-anim.so") != 0))
        return 0;
    snprintf(context, PATH_MAX, "%.*s", (int)(slash - info->dlpi_name), info->dlpi_name);
    return 1;
}

/* Before constructors of the program, which may call. */
__attribute__((constructor(101))) static void stand_aside(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];

    if (!dl_iterate_phdr(find_folder, folder))
        return;
    snprintf(path, sizeof path, "%s/libpith-mpe.so", folder);
    /* For all to see: libpith-mpi looks for it. */
    pithi_mpe_aside = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

void *pithi_mpe_aside_find(void **slot, const char *name)
{
    void *found = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (!found) {
        found = dlsym(pithi_mpe_aside, name);
        __atomic_store_n(slot, found, __ATOMIC_RELAXED);
    }
    return found;
}

#endif
