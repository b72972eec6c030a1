/* far.c - far.h for programs whose files are near: nothing to do, unless pithi_far_play pretends that they are far. */
#include "base/far.h"

#include <stddef.h>

static void (*tell)(void *context, int fd, uint64_t offset, uint64_t size); /* NULL: files are near */
static void *tell_context;

int pithi_far(void) { return tell != NULL; }

void pithi_far_soon(int fd, uint64_t offset, uint64_t size)
{
    if (tell)
        tell(tell_context, fd, offset, size);
}

void pithi_far_now(int fd, uint64_t offset, uint64_t size) { pithi_far_soon(fd, offset, size); }

void pithi_far_play(void (*soon)(void *context, int fd, uint64_t offset, uint64_t size), void *context)
{
    tell = soon;
    tell_context = context;
}

static int is_coarse;

void pithi_far_coarse(int may) { is_coarse = may; }

int pithi_far_is_coarse(void) { return is_coarse; }
