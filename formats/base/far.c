/* far.c - the functions of far.h for programs whose files are near. They do nothing unless pithi_far_pretend was
 * called.
 */
#include "base/far.h"

#include <stddef.h>

static void (*announce)(void *context, int fd, uint64_t offset, uint64_t size); /* NULL: files are near */
static void *announce_context;

int pithi_far(void) { return announce != NULL; }

void pithi_far_soon(int fd, uint64_t offset, uint64_t size)
{
    if (announce)
        announce(announce_context, fd, offset, size);
}

void pithi_far_now(int fd, uint64_t offset, uint64_t size) { pithi_far_soon(fd, offset, size); }

void pithi_far_pretend(void (*soon)(void *context, int fd, uint64_t offset, uint64_t size), void *context)
{
    announce = soon;
    announce_context = context;
}

static int is_coarse;

void pithi_far_coarse(int may) { is_coarse = may; }

int pithi_far_is_coarse(void) { return is_coarse; }
