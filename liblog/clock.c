/* clock.c - chooses the clock, makes and compares anchors, reads boot ids, parses times in text.
 *
 * An anchor should be the counter and CLOCK_MONOTONIC at one moment. The two clocks can only be read one after the
 * other. So the counter is read before and after CLOCK_MONOTONIC, and the anchor has the middle of the counter's two
 * values. The narrowest of four tries counts: in the others the thread may have been interrupted.
 *
 *     counter 1000, CLOCK_MONOTONIC 50,000 ns, counter 1100        width 100: ticks 1050 are 50,000 ns
 *     counter 3000, CLOCK_MONOTONIC 51,200 ns, counter 9000        width 6000: interrupted, not used
 *
 * At each anchor, the advance of the two clocks since the anchor before is compared. The allowed difference grows with
 * the time between the anchors, because the system may correct CLOCK_MONOTONIC: 1 us plus 0.05 %, about 0.5 ms in 1 s.
 */
#include "clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pith_tool.h"

int pithi_clock_inline;

struct pithi_clock_line pithi_clock_line;

/* ---- Choice of the clock ----------------------------------------------------------------------------------------- */

enum pithi_clock_wanted pithi_clock_wanted(void)
{
    const char *value = secure_getenv("PITH_CLOCK");
    if (value == NULL || *value == '\0' || getauxval(AT_SECURE) != 0)
        return PITHI_WANT_SAFE;
    return strcmp(value, "counter") == 0     ? PITHI_WANT_COUNTER
           : strcmp(value, "monotonic") == 0 ? PITHI_WANT_MONOTONIC
                                             : PITHI_WANT_INVALID;
}

#if defined(__x86_64__)
enum { COUNTER = PITHI_CLOCK_TSC };

/* Returns 1 if CPUID 0x80000007 sets bit 8 of EDX, that is, if the time stamp counter has one rate in all power states
 * (Intel SDM 17.17.1, AMD APM 3, E.4.8). */
static int is_invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8) != 0;
}

/* Returns 1 if the kernel lists the counter as a clock source. The kernel removes it from the list when the counters of
 * the cores disagree; many virtual machines never list it. Without a list the counter is trusted. */
static int is_listed(void)
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

/* Times the C library's call and the system call, the fastest of 16 each. If the C library's call needs no system call,
 * it takes at most a third of the time of the system call. The test accepts less than half. */
static int monotonic_needs_no_system_call(void)
{
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
    struct timespec now;
    for (int i = 0; i < 32; i++) {
        uint64_t begin = pith_ticks_(), took;
        if (i % 2)
            syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        else
            clock_gettime(CLOCK_MONOTONIC, &now);
        took = pith_ticks_() - begin;
        if (took < least[i % 2])
            least[i % 2] = took;
    }
    return least[0] < least[1] / 2;
}

static int is_safe(void) { return is_invariant() && (is_listed() || monotonic_needs_no_system_call()); }
#elif defined(__aarch64__)
/* The generic timer of ARM64: by its specification one clock for all cores, at one rate. */
enum { COUNTER = PITHI_CLOCK_ARM64 };
static int is_safe(void) { return 1; }
#else
enum { COUNTER = PITHI_CLOCK_NS };
static int is_safe(void) { return 0; }
#endif

static int chosen; /* 1 + the clock; 0: not chosen yet; atomic */

enum pithi_spill_clock pithi_clock_choose(void)
{
    int clock = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE) - 1;
    if (clock < 0) {
        enum pithi_clock_wanted wanted = pithi_clock_wanted();
        int saved = errno;
        clock = wanted == PITHI_WANT_COUNTER || (wanted != PITHI_WANT_MONOTONIC && is_safe()) ? (int)COUNTER
                                                                                              : (int)PITHI_CLOCK_NS;
        errno = saved;
        __atomic_store_n(&pithi_clock_inline, clock != PITHI_CLOCK_NS, __ATOMIC_RELEASE);
        __atomic_store_n(&chosen, clock + 1, __ATOMIC_RELEASE);
    }
    return (enum pithi_spill_clock)clock;
}

/* ---- Anchors ----------------------------------------------------------------------------------------------------- */

static int is_inline(void) { return __atomic_load_n(&pithi_clock_inline, __ATOMIC_ACQUIRE); }

uint64_t pithi_ticks(void) { return is_inline() ? pith_ticks_() : pithi_ticks_at(pithi_clock_ns(CLOCK_MONOTONIC)); }

/* Reads the clock. Does not test whether the clock was chosen. The test would cost 0.7 ns and is not needed: a thread
 * gets limits only after the choice, and comes here only with a limit. */
uint64_t pith_call_ticks_(void) { return pithi_ticks_at(pithi_clock_ns(CLOCK_MONOTONIC)); }

uint64_t pith_slow_ticks_(void)
{
    if (__builtin_expect(__atomic_load_n(&chosen, __ATOMIC_RELAXED) == 0, 0))
        pithi_clock_choose();
    return pithi_ticks();
}

/* Fills *anchor. Returns its width: the ticks from before to after the reading of CLOCK_MONOTONIC. */
static uint64_t read_anchor(struct pithi_anchor *anchor)
{
    uint64_t narrowest = UINT64_MAX, best = UINT64_MAX;
    int i;
    for (i = 0; i < 4; i++) {
        uint64_t before = pith_ticks_(), after;
        int64_t mono = pithi_clock_ns(CLOCK_MONOTONIC);
        after = pith_ticks_();
        if (after - before < narrowest || i == 0) {
            narrowest = after - before;
            anchor->ticks = before + narrowest / 2;
            anchor->mono_ns = mono;
        }
    }
    for (i = 0; i < 4; i++) { /* CLOCK_REALTIME at the anchor's moment */
        int64_t before = pithi_clock_ns(CLOCK_MONOTONIC), real = pithi_clock_ns(CLOCK_REALTIME);
        uint64_t width = (uint64_t)(pithi_clock_ns(CLOCK_MONOTONIC) - before);
        if (width < best) {
            best = width;
            anchor->real_ns = real - (before + (int64_t)(width / 2)) + anchor->mono_ns;
        }
    }
    if (!is_inline())
        anchor->ticks = pithi_ticks_at(anchor->mono_ns);
    return narrowest;
}

void pithi_clock_anchor(struct pithi_anchor *anchor) { read_anchor(anchor); }

/* ---- Agreement --------------------------------------------------------------------------------------------------- */

#define APART_NS 1000.0 /* ns */
#define APART_PART 5e-4 /* fraction of the passed time */
#define ANCHOR_NS 200.0 /* the error of an anchor, besides half of its width */

static struct {
    struct pithi_anchor first, last; /* the first and the last anchor that agreed */
    uint64_t first_width, width;     /* widths of `first` and `last`, in ticks */
} agreed;

void pithi_clock_begin(void)
{
    memset(&agreed, 0, sizeof agreed);
    pithi_clock_line.scale = 0;
    __atomic_store_n(&pithi_clock_inline, pithi_clock_choose() != PITHI_CLOCK_NS, __ATOMIC_RELEASE);
}

/* Returns by how many ns the counter is ahead of CLOCK_MONOTONIC since the last anchor; 0 if the two agree. */
static double ahead_ns(const struct pithi_anchor *now, uint64_t width, double rate)
{
    double base_ns = (double)(agreed.last.mono_ns - agreed.first.mono_ns);
    /* the error of the time from the first anchor to the last */
    double slope_ns = 2 * ANCHOR_NS + (double)(agreed.first_width + agreed.width) / 2 / rate;
    double passed_ns = (double)(now->mono_ns - agreed.last.mono_ns);
    double ahead = (double)(int64_t)(now->ticks - agreed.last.ticks) / rate - passed_ns;
    double allowed =
        APART_NS + (double)(width + agreed.width) / 2 / rate + passed_ns * (APART_PART + slope_ns / base_ns);
    return ahead > allowed || ahead < -allowed ? ahead : 0;
}

static double ticks_per_ns(void)
{
    return (double)(agreed.last.ticks - agreed.first.ticks) / (double)(agreed.last.mono_ns - agreed.first.mono_ns);
}

int pithi_clock_anchor_next(struct pithi_anchor *anchor)
{
    uint64_t width = read_anchor(anchor);
    if (!is_inline())
        return 0;
    if (agreed.last.mono_ns > agreed.first.mono_ns && agreed.last.ticks > agreed.first.ticks &&
        ahead_ns(anchor, width, ticks_per_ns()) != 0)
        return 1;
    if (agreed.first.ticks == 0) {
        agreed.first = *anchor;
        agreed.first_width = width;
    }
    agreed.last = *anchor;
    agreed.width = width;
    return 0;
}

void pithi_clock_part(struct pithi_anchor *anchor, uint64_t latest, struct pithi_spill_page *page)
{
    double passed_ticks = (double)(anchor->mono_ns - agreed.last.mono_ns) * ticks_per_ns();
    double ahead = ((double)(int64_t)(anchor->ticks - agreed.last.ticks) - passed_ticks) / ticks_per_ns();
    struct pithi_anchor far = *anchor;
    if (anchor->ticks <= agreed.last.ticks || anchor->ticks < latest)
        anchor->ticks = agreed.last.ticks + (uint64_t)passed_ticks;
    pithi_clock_line = (struct pithi_clock_line){anchor->ticks, anchor->mono_ns, (uint64_t)(ticks_per_ns() * 0x1p32)};
    far.mono_ns += INT64_C(1) << 40;
    far.ticks = pithi_ticks_at(far.mono_ns);
    page->parted[0] = agreed.last;
    page->parted[1] = *anchor;
    page->parted[2] = far;
    __atomic_store_n(&page->ahead_ns, (int64_t)ahead, __ATOMIC_RELEASE);
    __atomic_store_n(&pithi_clock_inline, 0, __ATOMIC_RELEASE);
}

/* ---- Boot id, times in text -------------------------------------------------------------------------------------- */

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

/* Parses by hand, because strtod takes the decimal point of the locale. */
int64_t pithi_moment_ns(const char *value, int64_t plain_ns)
{
    const struct {
        const char *suffix;
        int64_t ns;
    } units[] = {{"", plain_ns}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    uint64_t number = 0, part = 1, rest;
    int digits = 0;
    size_t i;
    for (; *value >= '0' && *value <= '9'; value++, digits++) {
        if (number > (INT64_MAX - 9) / 10)
            return -1;
        number = number * 10 + (uint64_t)(*value - '0');
    }
    if (*value == '.')
        for (value++; *value >= '0' && *value <= '9'; value++, digits++)
            if (part < 1000000000 && number <= (INT64_MAX - 9) / 10) { /* finer digits are ignored */
                number = number * 10 + (uint64_t)(*value - '0');
                part *= 10;
            }
    for (i = 0; digits > 0 && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(value, units[i].suffix) == 0) {
            uint64_t ns = pithi_mul_div(number, (uint64_t)units[i].ns, part, &rest);
            return ns < INT64_MAX ? (int64_t)ns : -1;
        }
    return -1;
}
