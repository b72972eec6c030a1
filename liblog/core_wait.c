/* core_wait.c - reads how long threads were runnable without a core: the thread that begins and ends the job, and all
 * others.
 *
 * A thread's file /proc/.../schedstat has three numbers, counted since the thread began: ns on a core, ns in which it
 * was runnable without a core, and the number of times that it got a core. For the thread that joins and ends the job
 * two readings are subtracted:
 *
 *     2000000 500000 12     then     12000000 30500000 260          10 ms on a core, 30 ms without one
 *
 * Other threads come and go between the readings. At each of the two readings, the numbers of all threads that exist
 * are added up. A thread that has a lane adds its own number when it ends, as its file is then gone. Threads without a
 * lane that end in between are not counted.
 *
 * The files are read by system calls: opendir and fopen would allocate, inside a call that the program made. */
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
    struct pithi_no_core at; /* the first reading; time_ns 0: none */
    uint64_t threads_ns;     /* time without a core of all other threads, at the first reading */
    long thread;             /* Linux's number of the thread that joined */
} first;
static uint64_t ended_ns; /* atomic; time without a core of threads with lanes that ended since the first reading */

/* Reads "CPU-NS DELAY-NS SLICES" from a schedstat file. Sets all fields to 0 if the kernel does not count these
 * times. */
static struct pithi_no_core read_file(const char *path)
{
    struct pithi_no_core now = {0};
    char text[80], *end;
    int saved = errno, fd = pithi_descriptor_open(path, O_RDONLY, 0);
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

static struct pithi_no_core read_now(void) { return read_file("/proc/thread-self/schedstat"); }

/* Linux's directory entry, as getdents64 gives it. opendir() would allocate. */
struct entry {
    uint64_t number;
    int64_t next;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* Returns the sum of the times without a core of all other existing threads, each since the thread began. */
static uint64_t others_ns(void)
{
    _Alignas(struct entry) char entries[4096];
    char path[64];
    uint64_t sum_ns = 0;
    int saved = errno, fd = pithi_descriptor_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    long got;

    while (fd >= 0 && (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            at += entry->size;
            if (entry->name[0] == '.' || strtol(entry->name, NULL, 10) == first.thread)
                continue;
            snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", entry->name);
            sum_ns += read_file(path).delay_ns;
        }
    if (fd >= 0)
        close(fd);
    errno = saved;
    return sum_ns;
}

void pithi_core_wait_begin(void)
{
    first.thread = syscall(SYS_gettid);
    first.threads_ns = others_ns();
    __atomic_store_n(&ended_ns, 0, __ATOMIC_RELAXED);
    first.at = read_now();
}

void pithi_core_wait_thread_end(void)
{
    if (first.at.time_ns != 0 && syscall(SYS_gettid) != first.thread)
        __atomic_fetch_add(&ended_ns, read_now().delay_ns, __ATOMIC_RELAXED);
}

struct pithi_no_core pithi_core_wait_end(void)
{
    struct pithi_no_core none = {0}, now;

    if (first.at.time_ns == 0 || syscall(SYS_gettid) != first.thread)
        return none;
    now = read_now();
    if (now.time_ns <= first.at.time_ns || now.cpu_ns < first.at.cpu_ns || now.delay_ns < first.at.delay_ns)
        return none;
    uint64_t threads_ns = others_ns() + __atomic_load_n(&ended_ns, __ATOMIC_RELAXED);
    return (struct pithi_no_core){now.delay_ns - first.at.delay_ns, now.cpu_ns - first.at.cpu_ns,
                                  now.time_ns - first.at.time_ns,
                                  threads_ns > first.threads_ns ? threads_ns - first.threads_ns : 0};
}

int pithi_core_wait_tell(struct pithi_defs *defs, const struct pithi_no_core *sums, unsigned ranks)
{
    char value[180];

    if (sums->time_ns == 0)
        return PITH_OK;
    snprintf(value, sizeof value, "delay=%llu cpu=%llu time=%llu ranks=%u threads=%llu",
             (unsigned long long)sums->delay_ns, (unsigned long long)sums->cpu_ns, (unsigned long long)sums->time_ns,
             ranks, (unsigned long long)sums->threads_ns);
    return pithi_defs_property(defs, "run_delay_ns", value);
}

int pithi_core_wait_tell_rank(struct pithi_defs *defs, const struct pithi_no_core *own, int rank)
{
    char key[40], value[80];

    if (own->time_ns == 0 || own->delay_ns + own->threads_ns < own->time_ns / 100)
        return PITH_OK;
    snprintf(key, sizeof key, "run_delay_ns %d", rank);
    snprintf(value, sizeof value, "delay=%llu threads=%llu", (unsigned long long)own->delay_ns,
             (unsigned long long)own->threads_ns);
    return pithi_defs_property(defs, key, value);
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
