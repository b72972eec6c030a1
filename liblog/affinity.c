/* affinity.c - the cores that a thread may run on. It is a file of its own, because libraries that keep no log link it
 * without the rest of libpith. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "pith_tool.h"

static int is_in(const unsigned char *cores, unsigned count, unsigned core)
{
    return core < count && (cores[core / 8] >> core % 8 & 1) != 0;
}

void pith_affinity(char *text, size_t size)
{
    unsigned char cores[1024] = {0};
    unsigned count = 8 * sizeof cores;
    size_t at = 0;
    int saved = errno;

    if (size == 0)
        return;
    text[0] = '\0';
    if (sched_getaffinity(0, sizeof cores, (cpu_set_t *)(void *)cores) != 0)
        count = 0;
    for (unsigned first = 0; first < count; first++) {
        unsigned last = first;
        if (!is_in(cores, count, first))
            continue;
        while (is_in(cores, count, last + 1))
            last++;
        int wrote = first == last ? snprintf(text + at, size - at, "%s%u", at > 0 ? "," : "", first)
                                  : snprintf(text + at, size - at, "%s%u-%u", at > 0 ? "," : "", first, last);
        if (wrote < 0 || at + (size_t)wrote >= size) {
            text[at] = '\0'; /* a truncated number would name another core */
            break;
        }
        at += (size_t)wrote;
        first = last;
    }
    errno = saved;
}
