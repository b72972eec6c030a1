/* false_clock.c - preloaded into a test: each rank's machine has a clock of its own, and the truth is known.
 *
 * FALSE_CLOCKS=N plays N machines: rank r is on machine r modulo N, each with a boot id of its own. Machine 0's clock
 * is true; CLOCK_MONOTONIC of machine m is m * 1234.567 s ahead, drifts by 20 to 65 ppm, every other one backwards
 * (FALSE_DRIFT=N: N times as fast), and wobbles by FALSE_WOBBLE ns (default 0) up and down in 1.3 s; FALSE_STEP=S makes
 * it jump by 50 ms S seconds after the program called false_clock_begin. FALSE_BUSY=N: so often after the boot id was
 * read, just before clocks are compared, others have the core for 500 us when the clock is to be read. Run it with
 * PITH_CLOCK=monotonic, so that all times come from here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t false_clock_true(void);
void false_clock_begin(void);

static __thread int64_t last_true;
static int machine = -1;
static double wobble_ns, step_at, drift_times;
static int64_t begin_ns = INT64_MAX / 4;
static int busy; /* atomic */

/* What the true clock showed when this thread last asked the false one. */
int64_t false_clock_true(void) { return last_true; }

void false_clock_begin(void) { begin_ns = last_true; }

static int number(const char *name)
{
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

static void set_up(void)
{
    int rank = getenv("OMPI_COMM_WORLD_RANK") ? number("OMPI_COMM_WORLD_RANK") : number("PMI_RANK");
    int machines = number("FALSE_CLOCKS");
    wobble_ns = number("FALSE_WOBBLE");
    drift_times = getenv("FALSE_DRIFT") ? atof(getenv("FALSE_DRIFT")) : 1;
    step_at = getenv("FALSE_STEP") ? atof(getenv("FALSE_STEP")) : 1e9;
    machine = machines > 0 ? rank % machines : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct timespec turn = {0, 500000};
    if (clock == CLOCK_MONOTONIC && busy > 0 && __atomic_sub_fetch(&busy, 1, __ATOMIC_RELAXED) >= 0)
        syscall(SYS_nanosleep, &turn, NULL);
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status != 0 || clock != CLOCK_MONOTONIC)
        return status;
    int64_t ns = last_true = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec;
    if (machine < 0)
        set_up();
    if (machine > 0) {
        double drift = drift_times * (machine % 2 ? 1e-6 : -1e-6) * (20 + 3 * (machine % 16));
        ns += machine * INT64_C(1234567000000) + (int64_t)(drift * (double)ns);
        ns += (int64_t)(wobble_ns * sin((double)last_true / 1.3e9 * 6.283185307));
        ns += (double)(last_true - begin_ns) / 1e9 >= step_at ? 50000000 : 0;
        now->tv_sec = ns / 1000000000;
        now->tv_nsec = ns % 1000000000;
    }
    return 0;
}

static int memory_with(const char *text)
{
    int fd = memfd_create("false", MFD_CLOEXEC);
    if (write(fd, text, strlen(text)) < 0)
        return -1;
    lseek(fd, 0, SEEK_SET);
    return fd;
}

int open(const char *path, int flags, ...)
{
    struct timespec now;
    char text[64];
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    if (machine < 0)
        clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof text, "false-machine-%d\n", machine);
    if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
        __atomic_store_n(&busy, number("FALSE_BUSY"), __ATOMIC_RELAXED);
        return memory_with(text);
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
