/* core_wait.c - reads what the system counts for the thread that begins and ends the job. */
#include "core_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/say.h"
#include "clock.h"
#include "process.h"
#include "session.h"

static struct {
    struct pithi_no_core at; /* time_ns: of the reading; 0: none */
    long thread; /* Linux's number of the thread */
} first;

/* "CPU-NS DELAY-NS SLICES"; all 0 if the kernel does not count. */
static struct pithi_no_core read_now(void)
{
    struct pithi_no_core now = {0};
    char text[80], *end;
    int saved = errno, fd = pithi_descriptor_open("/proc/thread-self/schedstat", O_RDONLY, 0);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    errno = saved;
    if (got <= 0)
        return now;
    text[got] = '\0';
    now.cpu_ns = strtoull(text, &end, 10);
    now.delay_ns = strtoull(end, NULL, 10);
    now.time_ns = now.cpu_ns > 0 && *end == ' ' ? (uint64_t)pithi_clock_ns(CLOCK_MONOTONIC) : 0;
    return now;
}

void pithi_core_wait_begin(void)
{
    first.thread = syscall(SYS_gettid);
    first.at = read_now();
}

struct pithi_no_core pithi_core_wait_end(void)
{
    struct pithi_no_core none = {0}, now;

    if (first.at.time_ns == 0 || syscall(SYS_gettid) != first.thread)
        return none;
    now = read_now();
    if (now.time_ns <= first.at.time_ns || now.cpu_ns < first.at.cpu_ns || now.delay_ns < first.at.delay_ns)
        return none;
    return (struct pithi_no_core){now.delay_ns - first.at.delay_ns, now.cpu_ns - first.at.cpu_ns,
                                    now.time_ns - first.at.time_ns};
}

int pithi_core_wait_tell(struct pithi_defs *defs, const struct pithi_no_core *sums, unsigned ranks)
{
    char value[140];

    if (sums->time_ns == 0)
        return PITH_OK;
    snprintf(value, sizeof value, "delay=%llu cpu=%llu time=%llu ranks=%u", (unsigned long long)sums->delay_ns,
             (unsigned long long)sums->cpu_ns, (unsigned long long)sums->time_ns, ranks);
    return pithi_defs_property(defs, "run_delay_ns", value);
}

void pithi_core_wait_say(const struct pithi_no_core *sums, unsigned sharing, unsigned cores)
{
    char on[40] = "too few cores";

    if (sharing == 0 || sums->delay_ns <= sums->time_ns / 10)
        return;
    if (cores > 0)
        snprintf(on, sizeof on, "%u core%s", cores, cores == 1 ? "" : "s");
    pithi_say("%u ranks share %s: they had no core for %.0f %% of the time, which makes times longer", sharing, on,
              100.0 * (double)sums->delay_ns / (double)sums->time_ns);
}
