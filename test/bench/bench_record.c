/* bench_record.c - what recording costs, beside floors measured in the same process: nanoseconds an event (best of many
 * short rounds; "mean": processor time over all of a long run); the floor of all is a read of the clock in use plus a
 * 16-byte store. Both clocks are measured: the counter, and clock_gettime. BENCH_EVENTS: events of the long run
 * (default 100 million, fewer when the disk is short). */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "clock.h"
#include "pith.h"
#include "pith_tool.h"
#include "pithlog.h"
#include "unit/fork_job.h"

enum { ROUND = 10000, ROUNDS = 100 };

static double floor_ns; /* of the clock in use, and a 16-byte store */
static double floor_of_ns[2];
static const char *const clock_names[] = {"counter", "monotonic"}, *const clock_suffixes[] = {"", ", clock_gettime"};
static const char *suffix = "";

static double now_ns(void) { return (double)pithi_clock_ns(CLOCK_MONOTONIC); }

static void line(const char *what, double ns, const char *goal)
{
    char text[120];
    snprintf(text, sizeof text, "%s%s", what, suffix);
    bench_row(text, ns, "ns", floor_ns, goal);
}

static void use_clock(int clock)
{
    setenv("PITH_CLOCK", clock_names[clock], 1);
    suffix = clock_suffixes[clock];
    floor_ns = floor_of_ns[clock];
}

/* Of an anonymous page. */
static double fault_ns(void)
{
    enum { PAGES = 4096, PAGE = 4096 };
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double begin = bench_ns(CLOCK_THREAD_CPUTIME_ID);
    if (memory == MAP_FAILED)
        return 0;
    madvise(memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    begin = (bench_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / PAGES;
    munmap(memory, (size_t)PAGES * PAGE);
    return begin;
}

/* Best time of `body` over the rounds, an event. */
#define BEST(result, body)                                                                                             \
    do {                                                                                                               \
        int round_, i_;                                                                                                \
        (result) = 1e18;                                                                                               \
        for (round_ = 0; round_ < ROUNDS; round_++) {                                                                  \
            double begin_ = now_ns(), took_;                                                                           \
            for (i_ = 0; i_ < ROUND; i_++) {                                                                           \
                body;                                                                                                  \
            }                                                                                                          \
            took_ = (now_ns() - begin_) / ROUND;                                                                       \
            if (took_ < (result))                                                                                      \
                (result) = took_;                                                                                      \
        }                                                                                                              \
    } while (0)

/* ---- Floors ------------------------------------------------------------------------------------------------------ */

static void floors(void)
{
    static uint64_t warm[2 * 65536];
    volatile uint64_t sink = 0;
    uint64_t *next = warm;
    double ns;
    memset(warm, 1, sizeof warm);
    BEST(floor_ns, uint64_t t = pith_ticks_(); __atomic_store_n(next, t, __ATOMIC_RELAXED);
         __atomic_store_n(next + 1, 7, __ATOMIC_RELAXED); next = next + 2 < warm + 2 * 65536 ? next + 2 : warm);
    BEST(ns, sink = pith_ticks_());
    bench_row("time stamp counter", ns, "ns", 0, "");
    line("time stamp counter and 16 bytes stored, warm", floor_ns, "");
    BEST(ns, sink = (uint64_t)pithi_clock_ns(CLOCK_MONOTONIC));
    bench_row("clock_gettime", ns, "ns", 0, "");
    floor_of_ns[0] = floor_ns;
    BEST(floor_of_ns[1], uint64_t t = (uint64_t)pithi_clock_ns(CLOCK_MONOTONIC);
         __atomic_store_n(next, t, __ATOMIC_RELAXED); __atomic_store_n(next + 1, 7, __ATOMIC_RELAXED);
         next = next + 2 < warm + 2 * 65536 ? next + 2 : warm);
    bench_row("clock_gettime and 16 bytes stored, warm", floor_of_ns[1], "ns", floor_of_ns[1], "");
    ns = 1e9;
    for (int i = 0; i < 5; i++) {
        double one = fault_ns();
        ns = one < ns ? one : ns;
    }
    bench_row("a page fault", ns, "ns", 0, "");
    (void)sink;
}

/* ---- Children: a process records once ---------------------------------------------------------------------------- */

static char folder[64];

static void in_child(void (*body)(void))
{
    pid_t pid;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        body();
        fflush(stdout);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    if (system("rm -rf -- *.spill *.pith") != 0)
        printf("(files are left in %s)\n", folder);
}

static void calls(void)
{
    uint32_t state = pith_state_define("s", NULL), event = pith_event_define("e", NULL, NULL),
             counter = pith_counter_define("c", NULL);
    const char *goal = *suffix ? "<=1.10x" : "<=1.05x";
    uint64_t payload = 5;
    double ns;
    BEST(ns, pith_begin(state); pith_end(state));
    line("begin or end, inlined", ns / 2, goal);
    BEST(ns, pith_event(event));
    line("event, inlined", ns, goal);
    BEST(ns, pith_slow_(PITH_KIND_EVENT_, event));
    line("event, through a library call", ns, "<=1.35x");
    BEST(ns, pith_event_data(event, &payload, sizeof payload));
    line("event with 8 bytes of payload", ns, "");
    BEST(ns, pith_count(counter, 1.5));
    line("counter", ns, "");
    BEST(ns, pith_send(1, 2, 3));
    line("send", ns, "");
    BEST(ns, pith_recv(1, 2, 3));
    line("receive", ns, "");
    pith_pause();
    BEST(ns, pith_event(event));
    line("event while paused", ns, "<=1.5");
    BEST(ns, pith_send(1, 2, 3));
    line("send while paused", ns, "");
}

static uint64_t long_events;
static const char *long_what;

static void long_run(void)
{
    uint32_t state = pith_state_define("s", NULL);
    double begin = now_ns(), cpu = bench_ns(CLOCK_PROCESS_CPUTIME_ID), ns;
    struct bench_faults faults = bench_faults_begin();
    uint64_t i;
    char text[80];
    for (i = 0; i < long_events; i += 2) {
        pith_begin(state);
        pith_end(state);
    }
    cpu = (bench_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)long_events;
    ns = (now_ns() - begin) / (double)long_events;
    double pages = bench_faults_end(faults);
    snprintf(text, sizeof text, "begin or end, mean of %.0e, %s", (double)long_events, long_what);
    line(text, cpu, "<=1.25x");
    snprintf(text, sizeof text, "  the same by the wall clock, %s", long_what);
    line(text, ns, "");
    snprintf(text, sizeof text, "  page faults, %s%s", long_what, suffix);
    bench_row(text, pages * 1e6 / (double)long_events, "/Mevents", 0, "");
    if (pith_lost() > 0)
        printf("  (%llu records were lost)\n", (unsigned long long)pith_lost());
}

static void null_library(void)
{
    char path[1100], self[1000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    void *library;
    void (*call)(uint32_t, uint32_t);
    double ns;
    self[length > 0 ? length : 0] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(path, sizeof path, "%s/../../lib/libpith-null.so.0", self);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || (*(void **)&call = dlsym(library, "pith_slow_")) == NULL)
        return;
    BEST(ns, call(1, 1));
    line("call into libpith-null (-DPITH_NULL: no code)", ns, "");
}

/* ---- The end of a run -------------------------------------------------------------------------------------------- */

enum { STATES = 20 };
static uint64_t end_events; /* of one rank */

/* Durations that look like a program's: 20 states, log-normal-like gaps made of a few spins. */
static void record_program(void)
{
    uint32_t states[STATES], seed = 12345;
    uint64_t i;
    char name[16];
    int s;
    for (s = 0; s < STATES; s++) {
        snprintf(name, sizeof name, "state %d", s);
        states[s] = pith_state_define(name, NULL);
    }
    for (i = 0; i < end_events; i += 2) {
        volatile uint32_t spin;
        seed = seed * 1103515245u + 12345u;
        s = (int)((seed >> 16) % STATES);
        pith_begin(states[s]);
        for (spin = (seed >> 8 & 15) * (seed >> 12 & 15); spin > 0; spin = spin - 1)
            ;
        pith_end(states[s]);
    }
}

static void tell_end(const char *what, int ranks, double ns)
{
    double events = (double)end_events * ranks;
    struct stat info;
    char text[80];
    if (stat("run.pith", &info) != 0)
        return;
    snprintf(text, sizeof text, "finish of %s, %.0e events", what, events);
    bench_row(text, ns / 1e9, "s", 0, ranks == 4 ? "<=0.25" : "");
    snprintf(text, sizeof text, "finish of %s, size", what);
    bench_row(text, (double)info.st_size / events, "bytes/event", 0, "");
}

static void end_alone(void)
{
    double begin, cpu, ns, pages;
    record_program();
    struct bench_faults faults = bench_faults_begin();
    begin = now_ns();
    cpu = bench_ns(CLOCK_PROCESS_CPUTIME_ID);
    pith_finish();
    cpu = bench_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    ns = now_ns() - begin;
    pages = bench_faults_end(faults);
    tell_end("one process", 1, ns);
    bench_row("finish of one process, by processor time", (double)end_events * 1e3 / cpu, "Mevents/s", 0, ">=60");
    bench_row("  page faults", pages * 1e6 / (double)end_events, "/Mevents", 0, "");
}

static int time_pipe[2];

static void end_of_rank(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    double begin, ns;
    pith_job_join(&transport);
    record_program();
    job_barrier(job);
    begin = now_ns();
    pith_job_finish(&transport);
    ns = now_ns() - begin;
    if (job->rank == 0 && write(time_pipe[1], &ns, sizeof ns) != sizeof ns)
        exit(1);
}

static void end_of_job(const char *what, int ranks)
{
    double ns = 0;
    if (pipe(time_pipe) != 0 || job_run(ranks, end_of_rank) != 0 || read(time_pipe[0], &ns, sizeof ns) != sizeof ns)
        printf("%s failed\n", what);
    else
        tell_end(what, ranks, ns);
    close(time_pipe[0]);
    close(time_pipe[1]);
    fflush(stdout);
    unlink("run.pith");
    while (ranks-- > 0) {
        char said[32];
        snprintf(said, sizeof said, "said.%d", ranks); /* what a rank wrote on stderr: fork_job.h */
        unlink(said);
    }
}

int main(void)
{
    const char *wanted = getenv("BENCH_EVENTS");
    struct statvfs disk;

    snprintf(folder, sizeof folder, "/tmp/pith-bench.XXXXXX");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    setenv("PITH_LOG", "run.pith", 1);
    setenv("PITH_QUIET", "1", 1);
    long_events = wanted != NULL ? strtoull(wanted, NULL, 10) : 100000000;
    if (statvfs(".", &disk) == 0 && (double)long_events * 8 > (double)disk.f_bavail * (double)disk.f_frsize / 2)
        long_events = (uint64_t)((double)disk.f_bavail * (double)disk.f_frsize / 16);
    floors();
    use_clock(1);
    in_child(calls);
    use_clock(0);
    in_child(calls);
    null_library();
    /* Memory that a virtual machine has never touched costs its host, too; the second run is given what the first one
     * left. */
    long_what = "fresh spill pages";
    in_child(long_run);
    long_what = "once more";
    in_child(long_run);
    use_clock(1);
    in_child(long_run);
    use_clock(0);
    end_events = 1000000;
    in_child(end_alone);
    end_of_job("4 processes", 4);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : 1;
}
