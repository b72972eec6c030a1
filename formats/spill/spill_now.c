/* spill_now.c - reading the clocks of this machine for a reader of spill files. */
#include "spill/spill_now.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
static uint64_t counter(void) { return __builtin_ia32_rdtsc(); }
enum { COUNTER = PITHI_CLOCK_TSC };
#elif defined(__aarch64__)
static uint64_t counter(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
enum { COUNTER = PITHI_CLOCK_ARM64 };
#else
static uint64_t counter(void) { return 0; }
enum { COUNTER = PITHI_CLOCK_NS };
#endif

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pithi_spill_is_here(const struct pithi_spill_page *page)
{
    char id[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return 0;
    if (fgets(id, sizeof id, file) != NULL)
        id[strcspn(id, "\n")] = '\0';
    fclose(file);
    return id[0] != '\0' && strcmp(id, page->boot_id) == 0;
}

/* A clock that slept is ahead in CLOCK_REALTIME by as long; setting the clock looks the same. */
#define APART_NS 1000000000.0

int pithi_spill_now(const struct pithi_spill_page *page, struct pithi_anchor *now)
{
    uint64_t before;
    double apart;
    if (page->clock != COUNTER || page->clock == PITHI_CLOCK_NS || !pithi_spill_is_here(page))
        return 0;
    before = counter();
    now->mono_ns = clock_ns(CLOCK_MONOTONIC);
    now->ticks = before + (counter() - before) / 2;
    now->real_ns = clock_ns(CLOCK_REALTIME);
    apart = ((double)now->real_ns - (double)page->first.real_ns) - ((double)now->mono_ns - (double)page->first.mono_ns);
    return apart > -APART_NS && apart < APART_NS;
}
