/* clock.c - chooses the clock, makes anchors, reads boot ids, parses times in text. */
#include "clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "pith.h"

int pithi_clock_inline;

/* ---- Choice of the clock ----------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* CPUID 0x80000007, EDX bit 8: the time stamp counter has one rate in all power states (Intel SDM 17.17.1, AMD APM 3,
 * E.4.8). */
static int invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8) != 0;
}

/* The kernel removes the counter from this list when the cores disagree. Without the list the counter is trusted. */
static int trusted_by_kernel(void)
{
    char list[256];
    ssize_t got;
    int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 1;
    got = read(fd, list, sizeof list - 1);
    close(fd);
    if (got <= 0)
        return 1;
    list[got] = '\0';
    return strncmp(list, "tsc", 3) == 0 || strstr(list, " tsc") != NULL;
}

enum pithi_spill_clock pithi_clock_choose(void)
{
    pithi_clock_inline = invariant() && trusted_by_kernel();
    return pithi_clock_inline ? PITHI_CLOCK_TSC : PITHI_CLOCK_NS;
}
#elif defined(__aarch64__)
/* The generic timer of ARM64: by its specification one clock for all cores, at one rate. */
enum pithi_spill_clock pithi_clock_choose(void)
{
    pithi_clock_inline = 1;
    return PITHI_CLOCK_ARM64;
}
#else
enum pithi_spill_clock pithi_clock_choose(void) { return PITHI_CLOCK_NS; }
#endif

/* ---- Anchors ----------------------------------------------------------------------------------------------------- */

uint64_t pithi_ticks(void) { return pithi_clock_inline ? pith_ticks_() : (uint64_t)pithi_clock_ns(CLOCK_MONOTONIC); }

void pithi_clock_anchor(struct pithi_anchor *anchor)
{
    uint64_t best = UINT64_MAX;
    int i;
    for (i = 0; i < 4; i++) {
        uint64_t before = pithi_ticks(), after;
        int64_t mono = pithi_clock_ns(CLOCK_MONOTONIC);
        after = pithi_ticks();
        if (after - before < best) {
            best = after - before;
            anchor->ticks = before + best / 2;
            anchor->mono_ns = mono;
        }
    }
    best = UINT64_MAX;
    for (i = 0; i < 4; i++) { /* CLOCK_REALTIME at the anchor's moment */
        int64_t before = pithi_clock_ns(CLOCK_MONOTONIC), real = pithi_clock_ns(CLOCK_REALTIME);
        uint64_t width = (uint64_t)(pithi_clock_ns(CLOCK_MONOTONIC) - before);
        if (width < best) {
            best = width;
            anchor->real_ns = real - (before + (int64_t)(width / 2)) + anchor->mono_ns;
        }
    }
    if (!pithi_clock_inline) /* ticks are CLOCK_MONOTONIC: make them equal */
        anchor->ticks = (uint64_t)anchor->mono_ns;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

void pithi_boot_id(char *id, size_t size)
{
    ssize_t got = -1;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, id, size - 1);
        close(fd);
    }
    id[got > 0 ? got : 0] = '\0';
    id[strcspn(id, "\n")] = '\0';
}

/* Parses by hand, because the decimal point of strtod depends on the locale. */
int64_t pithi_moment_ns(const char *value, int64_t plain_ns)
{
    const struct {
        const char *suffix;
        int64_t ns;
    } units[] = {{"", plain_ns}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    __int128 number = 0, part = 1;
    int digits = 0;
    size_t i;
    for (; *value >= '0' && *value <= '9' && number < INT64_MAX; value++, digits++)
        number = number * 10 + (*value - '0');
    if (*value == '.')
        for (value++; *value >= '0' && *value <= '9'; value++, digits++)
            if (part < 1000000000) { /* finer digits are ignored */
                number = number * 10 + (*value - '0');
                part *= 10;
            }
    for (i = 0; digits > 0 && number < INT64_MAX && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(value, units[i].suffix) == 0 && number * units[i].ns / part < INT64_MAX)
            return (int64_t)(number * units[i].ns / part);
    return -1;
}
