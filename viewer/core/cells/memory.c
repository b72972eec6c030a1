/* memory.c - allocates memory. If there is none, ends the program, so that callers need not handle this error. */
#include "core/cells/memory.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void *checked(void *data)
{
    if (!data) {
        fputs("pith: out of memory\n", stderr);
        exit(1);
    }
    return data;
}

void *pithi_alloc(size_t count, size_t size) { return checked(calloc(count ? count : 1, size)); }

void *pithi_view_regrow(void *data, uint32_t *capacity, uint32_t needed, size_t size)
{
    uint64_t wanted = *capacity + (uint64_t)*capacity / 2;

    if (wanted < needed)
        wanted = needed;
    if (wanted < 16)
        wanted = 16;
    if (wanted > UINT32_MAX || wanted > SIZE_MAX / size)
        return checked(NULL);
    *capacity = (uint32_t)wanted;
    return checked(realloc(data, (size_t)wanted * size));
}

void pithi_memory_rest(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
