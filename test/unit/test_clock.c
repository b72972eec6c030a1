/* test_clock.c - the counter against CLOCK_MONOTONIC: which one is chosen, and what happens when they part. The counter
 * is faked: reading it faults (PR_SET_TSC), and a handler gives the value; CLOCK_MONOTONIC is read by a system call, as
 * the C library's own way reads the counter. */
#include "record_help.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#if !defined(__x86_64__) || !defined(PR_SET_TSC)
int main(void)
{
    OK(1, "the counter cannot be faked here # SKIP");
    return tap_done();
}
#else

/* ---- The fake clocks --------------------------------------------------------------------------------------------- */

static int by_system_call, is_unlisted;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (by_system_call)
        return (int)syscall(SYS_clock_gettime, clock, now);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
}

/* The kernel's list of clocks, as of a virtual machine. */
int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (is_unlisted && strstr(path, "/available_clocksource") != NULL) {
        int ends[2];
        if (pipe(ends) != 0 || write(ends[1], "kvm-clock \n", 11) != 11)
            return -1;
        close(ends[1]);
        return ends[0];
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int64_t real_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct {
    double ticks, rate; /* at `ns`; ticks per ns */
    int64_t ns;
} fake;

static uint64_t fake_ticks(void) { return (uint64_t)(fake.ticks + (double)(real_ns() - fake.ns) * fake.rate); }

static void set_fake(double ahead_ns, double rate)
{
    int64_t now = real_ns();
    fake.ticks = fake.ticks + (double)(now - fake.ns) * fake.rate + ahead_ns * fake.rate;
    fake.rate = rate;
    fake.ns = now;
}

static void on_read(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)registers[REG_RIP];
    uint64_t ticks = fake_ticks();
    (void)info;
    if (code[0] != 0x0f || code[1] != 0x31) { /* not rdtsc */
        signal(number, SIG_DFL);
        return;
    }
    registers[REG_RAX] = (greg_t)(ticks & UINT32_MAX);
    registers[REG_RDX] = (greg_t)(ticks >> 32);
    registers[REG_RIP] += 2;
}

static void begin_fake(void)
{
    struct sigaction action = {.sa_sigaction = on_read, .sa_flags = SA_SIGINFO};
    by_system_call = 1;
    setenv("PITH_CLOCK", "counter", 1);
    fake.ticks = 1e13;
    fake.rate = 2;
    fake.ns = real_ns();
    sigaction(SIGSEGV, &action, NULL);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        exit(7);
}

/* ---- Events whose times are known -------------------------------------------------------------------------------- */

/* (A process compares its clocks at words 64, 320, 1344, 5440 and 21824: an event has two.) */
enum { BEFORE = 3000, AFTER = 12000, EVENTS = BEFORE + AFTER, COMPARED_BEFORE = 2720, COMPARED_AFTER = 10912 };

static struct {
    int64_t from_ns, to_ns; /* around the event */
} * known;

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

static void event(uint32_t id, int number)
{
    known[number].from_ns = real_ns();
    pith_begin(id);
    pith_end(id);
    known[number].to_ns = real_ns();
}

static double ahead_ns, later_rate;
static int dies;

static uint32_t state_of(int number)
{
    char name[16];
    snprintf(name, sizeof name, "%d", number);
    return pith_state_define(name, NULL);
}

static void record(void)
{
    begin_fake();
    uint32_t id = pith_state_define("s", NULL);
    for (int i = 0; i < EVENTS; i++) {
        if (i == BEFORE)
            set_fake(ahead_ns, later_rate);
        if (i % 1000 == 0)
            nap();
        event(id, i);
    }
    if (dies)
        _exit(0);
}

/* A thread records nothing while another one meets the jump. */
static int turn; /* atomic */

static void wait_for(int wanted)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
        nap();
}

static void *rare(void *unused)
{
    (void)unused;
    event(state_of(0), 0);
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
    wait_for(2);
    event(state_of(5), 5);
    return NULL;
}

static void record_two(void)
{
    pthread_t thread;
    begin_fake();
    if (pthread_create(&thread, NULL, rare, NULL) != 0)
        exit(5);
    wait_for(1);
    for (int i = 1; i < 3; i++) {
        nap();
        event(state_of(i), i);
    }
    set_fake(ahead_ns, later_rate);
    for (int i = 3; i < 5; i++)
        event(state_of(i), i);
    __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

static const char *property(const struct help_log *log, const char *begin)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log->log, i, &value)) != NULL; i++)
        if (strncmp(key, begin, strlen(begin)) == 0)
            return value;
    return "";
}

/* By how much the records' times are wrong: records from number `from` to `to`. */
static double error_of(const struct help_log *log, int from, int to)
{
    double zero = 0, width = INFINITY, worst = 0;
    int number = 0;
    for (int pass = 0; pass < 2; pass++, number = 0)
        for (size_t i = 0; i < log->count; i++) {
            const struct pithlog_record *r = &log->records[i];
            const char *name = help_name(log, r);
            if (r->kind != PITHLOG_ENTER || strcmp(name, "pith:flush") == 0)
                continue;
            int n = strcmp(name, "s") == 0 ? number++ : atoi(name);
            double low = (double)(known[n].from_ns - known[0].from_ns),
                   high = (double)(known[n].to_ns - known[0].from_ns);
            if (pass == 0 && high - low < width) {
                width = high - low;
                zero = (low + high) / 2 - (double)r->time_ns;
            } else if (pass == 1 && n >= from && n < to) {
                double time = (double)r->time_ns + zero;
                worst = fmax(worst, fmax(low - time, time - high) - width / 2);
            }
        }
    return worst;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* `part`: of the bound that the log gives, by which times between the two comparisons may be wrong. A counter may run
 * 500 ppm faster or slower for a while, as time servers do, so a jump of 0.3 ms is told from that only if less than
 * 0.6 s pass between the comparisons: one run of five does it in half a second, however busy the machine. */
static void test_jump(const char *what, double by_ns, double rate, const char *says, double part)
{
    struct help_log log;
    ahead_ns = by_ns;
    later_rate = rate;
    int good = help_child(record) == 0;
    for (int i = 0; i < 4 && good && known[COMPARED_AFTER].to_ns - known[COMPARED_BEFORE].from_ns > 500000000; i++) {
        help_fresh();
        good = help_child(record) == 0;
    }
    good = good && help_read(&log, "run.pith");
    OK(good && help_count(&log, PITHLOG_ENTER, "s") == EVENTS && log.info->lost == 0, "%s: all records", what);
    double bound = atof(property(&log, "clock_fit_ns")), error = error_of(&log, 0, EVENTS);
    printf("# clock_parted: %s; bound %.0f ns, error %.0f ns\n", property(&log, "clock_parted "), bound, error);
    OK(strstr(property(&log, "clock_parted "), says) != NULL && (*says || !*property(&log, "clock_parted ")),
       "%s: the log says so", what);
    OK(fabs(atof(property(&log, "clock") + 4) - 2) < 0.001, "%s: the clock before it", what);
    OK(error <= bound + 5000, "%s: no time is wrong by more than the log says", what);
    OK(error_of(&log, 0, COMPARED_BEFORE) < 20000 && error_of(&log, COMPARED_AFTER, EVENTS) < 20000,
       "%s: times up to the last comparison before it, and from the next one on, are right", what);
    OK(error <= part * bound + 20000, "%s: times in between", what);
    double clock_error = atof(property(&log, "clock_error_ns"));
    OK(*says ? clock_error > 100 && clock_error <= bound + 100 : clock_error == 100, "%s: clock_error_ns", what);
    help_close(&log);
}

static void test_killed(void)
{
    struct help_log log;
    ahead_ns = 5e9;
    later_rate = 2;
    dies = 1;
    OK(help_child(record) == 0 && help_recover(&log, "run.pith.spill"), "a process that dies after a jump");
    dies = 0;
    OK(help_count(&log, PITHLOG_ENTER, "s") == EVENTS &&
           error_of(&log, 0, EVENTS) <= atof(property(&log, "clock_fit_ns")) + 5000 &&
           strstr(property(&log, "clock_parted "), "ahead") != NULL,
       "has its records with their times");
    help_close(&log);
    help_fresh();
}

static void test_threads(void)
{
    struct help_log log;
    ahead_ns = -3e9;
    later_rate = 2;
    OK(help_child(record_two) == 0 && help_read(&log, "run.pith") && log.info->lost == 0,
       "two threads and a jump back");
    printf("# %s; error %.0f ns\n", property(&log, "clock_parted "), error_of(&log, 0, 6));
    OK(strstr(property(&log, "clock_parted "), "behind") != NULL && error_of(&log, 0, 6) < 20000,
       "the thread that did not meet it has good times, too");
    help_close(&log);
}

static void record_little(void)
{
    uint32_t id = pith_state_define("s", NULL);
    for (int i = 0; i < 100; i++) {
        pith_begin(id);
        pith_end(id);
    }
}

static void test_choice(const char *clock, const char *what)
{
    struct help_log log;
    OK(help_child(record_little) == 0 && help_read(&log, "run.pith") &&
           strncmp(property(&log, "clock"), clock, strlen(clock)) == 0 && log.count == 202,
       "%s", what);
    help_close(&log);
}

static int file_has(const char *path, const char *word)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t got = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = '\0';
    if (file != NULL)
        fclose(file);
    return strstr(text, word) != NULL;
}

int main(void)
{
    const char *current = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    help_begin();
    known = mmap(NULL, EVENTS * sizeof *known, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsetenv("PITH_CLOCK");
    is_unlisted = 1;
    if (file_has("/proc/cpuinfo", " nonstop_tsc") &&
        (file_has(current, "tsc") || file_has(current, "kvm-clock") || file_has(current, "hyperv")))
        test_choice("tsc", "not listed, but CLOCK_MONOTONIC needs no system call: the counter");
    by_system_call = 1;
    test_choice("clock_gettime", "not listed, and CLOCK_MONOTONIC needs a system call: that");
    by_system_call = is_unlisted = 0;
    setenv("PITH_CLOCK", "monotonic", 1);
    test_choice("clock_gettime", "PITH_CLOCK=monotonic");
    setenv("PITH_CLOCK", "counter", 1);
    test_choice("tsc", "PITH_CLOCK=counter");
    setenv("PITH_CLOCK", "sundial", 1);
    OK(help_child(record_little) == 0 && strstr(help_said(), "PITH_CLOCK=sundial: not counter or monotonic; ignored"),
       "an invalid PITH_CLOCK is reported");
    test_jump("no jump", 0, 2, "", 0);
    test_jump("the machine slept", 60e9, 2, "ahead of CLOCK_MONOTONIC", 0);
    test_jump("the counter ran 0.3 ms ahead", 3e5, 2, "ahead of CLOCK_MONOTONIC", 1);
    test_jump("the counter went back", -60e9, 2, "behind CLOCK_MONOTONIC", 0);
    test_jump("another rate", 0, 2.2, "ahead of CLOCK_MONOTONIC", 0.5);
    test_jump("a slower rate", 0, 1.5, "behind CLOCK_MONOTONIC", 0.5);
    test_killed();
    test_threads();
    help_clean();
    return tap_done();
}
#endif
