/* affinity.c - the cores that a thread may run on. A file of its own, since libraries that keep no log use it too. */
#include "affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pith_tool.h"

static int is_in(const unsigned char *cores, unsigned count, unsigned core)
{
    return core < count && (cores[core / 8] >> core % 8 & 1) != 0;
}

void pith_affinity(char *text, size_t size)
{
    unsigned char cores[PITHI_CORES_MAX / 8] = {0};
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
            text[at] = '\0'; /* a number that was cut would be another core */
            break;
        }
        at += (size_t)wrote;
        first = last;
    }
    errno = saved;
}

/* "0-3,8", or "rank 0 on 0-3,8, rank 1 on 4-7, ...". */
size_t pithi_affinity_read(const char *text, unsigned char set[PITHI_CORES_MAX / 8])
{
    size_t most = 0;
    for (const char *at = text; *at != '\0';) {
        char *end;
        if (strncmp(at, "rank ", 5) == 0) {
            strtoul(at + 5, &end, 10);
            at = strncmp(end, " on ", 4) == 0 ? end + 4 : "";
        }
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < PITHI_CORES_MAX; first++) {
            set[first / 8] |= (unsigned char)(1u << first % 8);
            most = first + 1 > most ? first + 1 : most;
        }
        at = end + strspn(end, ", ");
    }
    return (most + 63) / 64 * 8; /* the kernel's sets are of whole words */
}
