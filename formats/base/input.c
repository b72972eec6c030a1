/* input.c - calls the progress callback at most every 50 ms. */
#include "base/input.h"

#include <time.h>

enum { CALL_MS = 50 }; /* ms between two calls of a progress callback */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns the fraction of all work that is done, from 0 to 1. `part`: the fraction of the current pass. The first of
 * two passes counts as a third of the work, because it only finds definitions. */
static double part_done(const struct pithi_watched *watched, double part)
{
    if (watched->pass >= watched->passes)
        return 1;
    if (watched->passes == 2)
        return watched->pass == 0 ? part / 3 : (1 + 2 * part) / 3;
    return (watched->pass + part) / watched->passes;
}

int pithi_watched_look(struct pithi_watched *watched, uint64_t at, uint64_t size)
{
    int64_t now = now_ms();
    double part;

    if (watched->stopped)
        return 0;
    watched->pass += at < watched->at;
    watched->at = at;
    if (now - watched->called_ms < CALL_MS)
        return 1;
    watched->called_ms = now;
    part = part_done(watched, size > at ? (double)at / (double)size : 1);
    watched->stopped = watched->progress(watched->context, part) != 0;
    return !watched->stopped;
}
