/* counters.c - reads what the system counts for a thread.
 *
 * Some counters need no permission: clock_gettime, getrusage and /proc give them. All others come from perf_event_open.
 * Each thread opens its own descriptors, with numbers far from the program's. Before each use it checks that the
 * descriptor still is what it opened, because the program may close all descriptors and reuse their numbers.
 *
 * A value is recorded as a counter (PITHI_W_COUNTER) that begins at 0 in each thread. Nothing here calls malloc or
 * takes a lock: counters are also read in signal handlers.
 */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/say.h"
#include "buffer.h"
#include "clock.h"
#include "definitions.h"
#include "pith.h"
#include "process.h"
#include "session.h"

#define CACHE(level, result)                                                                                           \
    PERF, PERF_TYPE_HW_CACHE,                                                                                          \
        (PERF_COUNT_HW_CACHE_##level | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

enum source { CPU, USAGE_SWITCHES, USAGE_FAULTS, RUN_DELAY, PERF };

/* The names are perf's, except run-delay. The last field is PAPI's name for the counter. */
static const struct kind {
    const char *name, *unit;
    enum source source;
    uint32_t type;
    uint64_t config;
    const char *papi;
} kinds[] = {
    {"task-clock", "ns", CPU, 0, 0, NULL},
    {"run-delay", "ns", RUN_DELAY, 0, 0, NULL},
    {"context-switches", "", USAGE_SWITCHES, 0, 0, NULL},
    {"page-faults", "", USAGE_FAULTS, 0, 0, NULL},
    {"minor-faults", "", PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, NULL},
    {"major-faults", "", PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, NULL},
    {"cpu-migrations", "", PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL},
    {"instructions", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "PAPI_TOT_INS"},
    {"cycles", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "PAPI_TOT_CYC"},
    {"ref-cycles", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "PAPI_REF_CYC"},
    {"branches", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "PAPI_BR_INS"},
    {"branch-misses", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "PAPI_BR_MSP"},
    {"cache-references", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "PAPI_L3_TCA"},
    {"cache-misses", "", PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "PAPI_L3_TCM"},
    {"L1-dcache-load-misses", "", CACHE(L1D, MISS), "PAPI_L1_LDM"},
    {"LLC-loads", "", CACHE(LL, ACCESS), NULL},
    {"LLC-load-misses", "", CACHE(LL, MISS), "PAPI_L3_LDM"},
};
enum { MOST = 8 }; /* the most counters in a run */

/* The counters of this run. */
static struct {
    const struct kind *kind;
    uint32_t id;
} chosen[MOST];
static unsigned chosen_count;
int pithi_counters_on;

/* The state of this thread. */
static __thread struct {
    int begun, busy; /* begun: 1: the counters are open; busy: 1: the thread is reading them, so a handler must not */
    struct {
        int fd;         /* 0: none */
        uint64_t id;    /* the kernel's id of the event; of a file: its device and inode */
        uint64_t first; /* the value at the first reading, which counts as 0 */
    } counters[MOST];
} self __attribute__((tls_model("initial-exec")));

/* ---- perf events ------------------------------------------------------------------------------------------------- */

/* Opens an event that counts the calling thread. Returns -1 (errno) on an error. If counting in the kernel is not
 * permitted, the event counts only outside the kernel. */
static int event_open(const struct kind *kind)
{
    struct perf_event_attr attributes = {.type = kind->type,
                                         .size = sizeof attributes,
                                         .config = kind->config,
                                         .read_format =
                                             PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && (errno == EACCES || errno == EPERM)) {
        attributes.exclude_kernel = attributes.exclude_hv = 1;
        fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

/* Reads the event of counter `i`. A processor counts only some events at once, so the kernel lets events take turns.
 * The count is scaled to the whole time: 1000 in 4 of 10 ms becomes 2500. */
static int event_read(unsigned i, uint64_t *value)
{
    uint64_t read_now[3]; /* count, ns enabled, ns running */
    if (syscall(SYS_read, self.counters[i].fd, read_now, sizeof read_now) != (long)sizeof read_now)
        return 0;
    *value = read_now[0];
    if (read_now[2] > 0 && read_now[2] < read_now[1]) /* other events shared the processor's counters */
        *value = (uint64_t)((double)read_now[0] * ((double)read_now[1] / (double)read_now[2]));
    return 1;
}

/* ---- run-delay --------------------------------------------------------------------------------------------------- */

static int delay_open(void) { return pithi_descriptor_open("/proc/thread-self/schedstat", O_RDONLY, 0); }

/* Sets *value to the second number of schedstat: ns in which the thread could run, but had no core. Returns 0 if it
 * cannot be read. */
static int delay_read(int fd, uint64_t *value)
{
    char text[64], *end;
    long got = syscall(SYS_pread64, fd, text, sizeof text - 1, 0L, 0L, 0L); /* the offset 0; on 32-bit machines it takes
                                                                               two arguments */
    if (got <= 0)
        return 0;
    text[got] = '\0';
    strtoull(text, &end, 10);
    *value = strtoull(end, NULL, 10);
    return *end == ' ';
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int id_of(enum source source, int fd, uint64_t *id)
{
    struct stat info;
    if (source == PERF)
        return ioctl(fd, PERF_EVENT_IOC_ID, id) == 0;
    if (fstat(fd, &info) != 0)
        return 0;
    *id = (uint64_t)info.st_dev << 32 ^ info.st_ino;
    return 1;
}

/* Returns 1 if the descriptor is still what this thread opened for counter `i`. */
static int is_ours(unsigned i)
{
    uint64_t id;
    return self.counters[i].fd > 0 && id_of(chosen[i].kind->source, self.counters[i].fd, &id) &&
           id == self.counters[i].id;
}

/* A counter that some threads lack, because there were no more descriptors; NULL if there is none. It is kept here
 * because a signal handler cannot print it. */
static const char *lacking;
static int is_told; /* 1: `lacking` was set once; stays 1 in forked children, which do not repeat it */

/* Opens what this thread needs to read counter `i`. */
static void begin(unsigned i)
{
    enum source source = chosen[i].kind->source;
    int cancel_state, fd, kept = -1;
    if (is_ours(i) || (source != PERF && source != RUN_DELAY))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    fd = source == PERF ? event_open(chosen[i].kind) : delay_open();
    if (fd >= 0) {
        kept = pithi_descriptor_far(fd);
        close(fd);
    }
    /* EINVAL: RLIMIT_NOFILE does not allow the high descriptor number that is wanted */
    if (kept < 0 && (errno == EMFILE || errno == ENFILE || errno == EINVAL) &&
        !__atomic_exchange_n(&is_told, 1, __ATOMIC_RELAXED))
        __atomic_store_n(&lacking, chosen[i].kind->name, __ATOMIC_RELAXED);
    if (kept >= 0 && id_of(source, kept, &self.counters[i].id)) {
        self.counters[i].fd = kept;
    } else if (kept >= 0) {
        close(kept);
    }
    pthread_setcancelstate(cancel_state, NULL);
}

static int read_value(unsigned i, uint64_t *value)
{
    struct rusage usage;
    switch (chosen[i].kind->source) {
    case CPU:
        *value = (uint64_t)pithi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        return 1;
    case RUN_DELAY:
        return is_ours(i) && delay_read(self.counters[i].fd, value);
    case USAGE_SWITCHES:
    case USAGE_FAULTS:
        if (getrusage(RUSAGE_THREAD, &usage) != 0)
            return 0;
        *value = chosen[i].kind->source == USAGE_FAULTS ? (uint64_t)(usage.ru_minflt + usage.ru_majflt)
                                                        : (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
        return 1;
    case PERF:
        return is_ours(i) && event_read(i, value);
    }
    return 0;
}

void pithi_counters_read_at(const uint64_t *at)
{
    uint64_t values[MOST];
    unsigned there = 0;
    int saved = errno;
    if (!pithi_counters_on || self.busy || pithi_buffer_ended || pithi_state() != PITHI_RECORDING)
        return;
    self.busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < chosen_count; i++) {
        if (!self.begun)
            begin(i);
        if (!read_value(i, &values[i]))
            continue;
        if (!self.begun)
            self.counters[i].first = values[i];
        there |= 1u << i;
    }
    self.begun = 1;
    for (unsigned i = 0; i < chosen_count; i++)
        if (there >> i & 1)
            pithi_count_at(chosen[i].id, (double)(values[i] - self.counters[i].first), at);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self.busy = 0;
    errno = saved;
}

void pithi_counters_read(void) { pithi_counters_read_at(NULL); }

void pithi_counters_thread_end(void)
{
    for (unsigned i = 0; i < chosen_count; i++)
        if (is_ours(i))
            close(self.counters[i].fd);
    memset(&self, 0, sizeof self);
}

void pithi_counters_forked(void)
{
    pithi_counters_thread_end();
    lacking = NULL;
}

/* ---- Start ------------------------------------------------------------------------------------------------------- */

/* Returns why this machine does not give the counter; NULL if it does. */
static const char *refusal(const struct kind *kind)
{
    int fd;
    if (kind->source != PERF && kind->source != RUN_DELAY)
        return NULL;
    fd = kind->source == PERF ? event_open(kind) : delay_open();
    if (fd >= 0) {
        close(fd);
        return NULL;
    }
    if (kind->source == RUN_DELAY)
        return "this kernel has no /proc/thread-self/schedstat";
    if (errno == EACCES || errno == EPERM)
        return "not permitted; allow it by `sysctl kernel.perf_event_paranoid=2`, in a container by CAP_PERFMON";
    if (errno == ENOSYS)
        return "this kernel has no perf_event_open";
    return "this machine does not count it (virtual machines often do not; allow the PMU in their settings)";
}

static void choose(const char *name, size_t length)
{
    const struct kind *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0) ||
            (kinds[i].papi && strlen(kinds[i].papi) == length && memcmp(kinds[i].papi, name, length) == 0)) {
            kind = &kinds[i];
            break;
        }

    const char *why = kind == NULL ? "no such counter (man 7 pith has the list)" : refusal(kind);
    char whole[64];
    if (why == NULL && chosen_count == MOST)
        why = "8 counters at most";
    if (why != NULL) {
        if (!pithi_session.forked && pithi_speaks_for_job())
            pithi_say("PITH_COUNTERS: %.*s: %s", (int)length, name, why);
        return;
    }
    for (unsigned i = 0; i < chosen_count; i++)
        if (chosen[i].kind == kind)
            return;
    snprintf(whole, sizeof whole, "%s%s", PITHI_THREAD_COUNTER, kind->name);
    chosen[chosen_count].kind = kind;
    chosen[chosen_count].id = pithi_defs_counter(whole, kind->unit);
    chosen_count += PITH_ID_IN_(chosen[chosen_count].id);
}

void pithi_counters_finish(void)
{
    const char *name = __atomic_exchange_n(&lacking, NULL, __ATOMIC_RELAXED);
    if (name != NULL && pithi_speaks_for_job())
        pithi_say("PITH_COUNTERS: there are no more descriptors (ulimit -n), so some threads lack %s", name);
}

void pithi_counters_start(void)
{
    static int started;
    const char *names = pithi_session.settings.counters;
    if (started || names == NULL)
        return;
    started = 1;
    for (size_t length; *names != '\0'; names += length) {
        names += strspn(names, ", ");
        length = strcspn(names, ", ");
        if (length > 0)
            choose(names, length);
    }
    pithi_counters_on = chosen_count > 0;
}
