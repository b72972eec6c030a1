/* quick_or_full.h - of a long sweep `make check` takes a part, `make check-full` (FULL=1) all. In shell: lib.sh. */
#ifndef TEST_QUICK_OR_FULL_H
#define TEST_QUICK_OR_FULL_H

#include <stdint.h>
#include <stdlib.h>

/* A count of inputs; what is checked of each is the same. */
static inline uint32_t quick_or_full(uint32_t quick, uint32_t full)
{
    const char *all = getenv("FULL");
    return all && *all ? full : quick;
}

/* Under a sanitizer, where each input takes several times as long: `fewer`, but all with FULL=1. */
static inline uint32_t fewer_sanitized(uint32_t fewer, uint32_t all)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return quick_or_full(fewer, all);
#else
    (void)fewer;
    return all;
#endif
}

#endif
