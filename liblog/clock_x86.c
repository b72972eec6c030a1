/* clock_x86.c - the time stamp counter of x86-64: is it one clock, running evenly, the same on every core? */
#if defined(__x86_64__)
#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

/* CPUID 0x80000007, EDX bit 8: the counter runs at one rate in all power states (Intel SDM 17.17.1, AMD APM 3, E.4.8).
 * */
static int invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8) != 0;
}

/* The kernel takes the counter off this list when it sees the cores disagree. Without the list it is believed. */
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
#else
typedef int pithi_clock_x86_is_not_for_this_machine;
#endif
