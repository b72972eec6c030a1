/* sample.c - samples the call stack of each thread, at intervals of its CPU time or of wall-clock time.
 *
 * A thread of the recorder, the watcher, looks for new threads of the program and gives each a timer, whose signal
 * interrupts that thread and no other. By default the timer is on the thread's CPU clock: a thread that waits uses no
 * CPU time, so its system calls are not interrupted. A timer on the wall clock interrupts them; SA_RESTART continues
 * most, but sleep, poll and select return early. The handler stores two kinds of events, as pith_event_data would:
 * pith:sample with the call stack, and before it pith:module for each module that occurs for the first time. Signal
 * handlers may record (buffer.c). The guard does not block this signal (sample_signal.c), so the handler does nothing
 * while its thread holds the guard.
 *
 * The kernel checks CPU clocks only at its clock ticks, every 4 ms on most systems. For a shorter period the watcher
 * also opens a perf event, where that is allowed: a precise timer that runs while the thread does. The event gives no
 * signal for a period that ends inside a system call. If that call were an exec, this signal, unlike a timer's, would
 * reach the new program. So a timer of 10 ms covers the time in system calls; that timer gives no sample if the last
 * sample is less than a period old. A perf event stops after a number of periods (EVENTS), and the handler adds further
 * periods again and again. So few signals are queued while the program blocks them. (One period at a time would cost
 * two more interrupts for each sample.)
 *
 * The handler calls only system calls, _dl_find_object and the recorder; no malloc, no lock of the program.
 */
#include "sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
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
#include "counters.h"
#include "pith.h"
#include "pith_tool.h"
#include "process.h"
#include "session.h"

#ifndef sigev_notify_thread_id /* glibc has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Largest numbers. FRAMES: addresses of a stack; MODULES: modules recorded; TIMERS: threads; ROOMS: samples taken at
 * the same time; BUILD_ID: bytes of a build id; OUTSIDE: places for addresses outside all modules. */
enum { FRAMES = 256, MODULES = 512, TIMERS = 4096, ROOMS = 64, BUILD_ID = 64, OUTSIDE = 4096 };
enum { LONG_NS = 10000 }; /* a call that takes this long gets its call site at its end */

static uint32_t sample_id; /* set before the first timer */
static uint32_t module_id, site_id;
static struct pithi_anchor first_anchor;
static int watching;    /* 1: the watcher runs; under the guard */
static uint64_t missed; /* periods that ended while the signal was blocked or no sample could be taken; atomic */
static __thread int not_here __attribute__((tls_model("initial-exec"))); /* 1: a thread of the recorder: no samples */
static const char *refusal; /* why there are no samples, for the log; atomic */

void pithi_sample_not_here(void) { not_here = 1; }

/* Says once why there are no samples, or why some threads have none. */
static void refuse(const char *why)
{
    const char *none = NULL;
    if (__atomic_compare_exchange_n(&refusal, &none, why, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
        pithi_speaks_for_job())
        pithi_say("PITH_SAMPLE: %s", why);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static unsigned char *put(unsigned char *at, uint64_t value, int size)
{
    while (size-- > 0)
        *at++ = (unsigned char)(value >> 8 * size);
    return at;
}

static unsigned char *put_text(unsigned char *at, const char *text, size_t size)
{
    at = put(at, size, 2);
    memcpy(at, text, size);
    return at + size;
}

/* Defines the event pith:module. Several threads may do so at once, because the same name gives the same id. */
static void define_module(void)
{
    uint32_t id = pith_event_define_group("pith:module", "gray50", "begin=%X end=%X bias=%X build=%s path=%s", "pith");
    __atomic_store_n(&module_id, id, __ATOMIC_RELAXED);
}

/* Records a module as the event pith:module. Call it while known_busy is held. Its buffers are static, because handlers
 * run on the program's alternate stacks, often only 8 KiB. */
static void record_module(const struct pithi_module *module)
{
    static unsigned char payload[PATH_MAX + 2 * BUILD_ID + 64];
    static char path[PATH_MAX], build[2 * BUILD_ID];
    unsigned char *end = payload;
    uint32_t id_bytes = module->build_id_bytes < BUILD_ID ? module->build_id_bytes : BUILD_ID;
    size_t size = strnlen(module->path, PATH_MAX - 1);
    memcpy(path, module->path, size);
    if (size == 0) {
        ssize_t got = readlink("/proc/self/exe", path, sizeof path);
        size = got > 0 ? (size_t)got : 0;
    }
    for (uint32_t i = 0; i < 2 * id_bytes; i++)
        build[i] = "0123456789abcdef"[module->build_id[i / 2] >> (i % 2 ? 0 : 4) & 15];
    end = put(end, module->begin, 8);
    end = put(end, module->end, 8);
    end = put(end, module->bias, 8);
    end = put_text(end, build, 2 * id_bytes);
    end = put_text(end, path, size);
    pith_event_data(module_id, payload, (size_t)(end - payload));
}

/* The modules recorded so far, in the log number known_number. A handler that finds the table in use (known_busy)
 * records no modules; the handler of a later sample records them. */
static struct {
    uint64_t begin, end; /* addresses */
    uint64_t identity;   /* hash of path and build id, as another file may be loaded there later */
} known[MODULES];
static unsigned program; /* 1 + the entry of the program itself, which is never unloaded */
static unsigned known_count, known_number;
static int known_busy;
/* Where the program itself is loaded, for callers that do not hold known_busy. `number`: 1 + the number of the log that
 * has it. */
static struct {
    uint64_t begin, end;
    unsigned number;
} program_at;

static uint64_t add_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t part; size > 0; bytes += part, size -= part) {
        uint64_t word = 0;
        part = size < sizeof word ? size : sizeof word;
        memcpy(&word, bytes, part);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Returns 1 if this module was recorded, and no other module was recorded later at any of its addresses. */
static int is_known(const struct pithi_module *module, uint64_t identity)
{
    for (unsigned i = known_count; i > 0; i--)
        if (module->begin < known[i - 1].end && known[i - 1].begin < module->end)
            return known[i - 1].begin == module->begin && known[i - 1].end == module->end &&
                   known[i - 1].identity == identity;
    return 0;
}

/* Addresses outside all modules: code generated at run time. A hash table, protected by known_busy. When it is half
 * full, further addresses are not stored and get no names. */
static uint64_t outside[OUTSIDE];
static unsigned outside_count;

static void record_new_modules(const uint64_t *addresses, unsigned count)
{
    struct pithi_module module = {0};
    if (__atomic_exchange_n(&known_busy, 1, __ATOMIC_ACQUIRE))
        return;
    if (known_number != pithi_session.number) {
        known_count = program = 0;
        known_number = pithi_session.number;
    }
    for (unsigned i = 0; i < count; i++) {
        if (program && addresses[i] >= known[program - 1].begin && addresses[i] < known[program - 1].end)
            continue;
        if (addresses[i] >= module.begin && addresses[i] < module.end)
            continue; /* neighbours in a stack are mostly in the same module, so this one was recorded just now */
        if (!pithi_module_find(addresses[i], &module)) {
            uint64_t address = addresses[i] - (i > 0);
            unsigned at = (unsigned)(address * UINT64_C(0x9e3779b97f4a7c15) >> 52) % OUTSIDE;
            while (outside[at] != 0 && outside[at] != address)
                at = (at + 1) % OUTSIDE;
            if (outside[at] == 0 && address != 0 && outside_count < OUTSIDE / 2) {
                outside[at] = address;
                outside_count++;
            }
            continue;
        }
        uint64_t hash = add_bytes(1, module.path, strlen(module.path));
        uint64_t identity = add_bytes(hash, (const char *)module.build_id, module.build_id_bytes);
        if (is_known(&module, identity) || known_count == MODULES)
            continue;
        record_module(&module);
        known[known_count].begin = module.begin;
        known[known_count].end = module.end;
        known[known_count++].identity = identity;
        if (module.path[0] != 0)
            continue;
        program = known_count;
        program_at.begin = module.begin;
        program_at.end = module.end;
        __atomic_store_n(&program_at.number, known_number + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&known_busy, 0, __ATOMIC_RELEASE);
}

/* Memory for samples that are being taken. It is static, because the stack that a handler is on may be nearly full. */
static struct room {
    int busy;                   /* 1: a sample is being taken in it */
    uint64_t words[FRAMES + 1]; /* the CPU time, then addresses */
} rooms[ROOMS];

static struct room *take_room(void)
{
    for (unsigned i = 0; i < ROOMS; i++)
        if (!__atomic_load_n(&rooms[i].busy, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&rooms[i].busy, 1, __ATOMIC_ACQUIRE))
            return &rooms[i];
    return NULL;
}

/* The addresses of the C library, in which threads begin and end. 0: unknown, or linked into the program. */
static uint64_t c_library_begin, c_library_end;

/* Returns 1 if no function of the program is on the thread's stack, and the thread is not in the list of threads. Such
 * a thread is ending, or beginning. If an ending thread made its first record now, it would stay in the list for ever,
 * as the destructors of keys have already run. */
static int is_ending(const uint64_t *addresses, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (addresses[i] < c_library_begin || addresses[i] >= c_library_end)
            return 0;
    return !pithi_buffer_is_listed();
}

static int by_events; /* 1: perf events are used besides timers */
enum { EVENTS = 16 }; /* limit of the queued signals of a thread */

/* Returns the least CPU time between two samples of a thread. Queued signals of perf events arrive at once, all in one
 * place; only the first gives a sample. */
static int64_t least_ns(int is_event)
{
    return !by_events ? 0 : is_event ? pithi_session.settings.sample_ns / 2 : pithi_session.settings.sample_ns;
}

/* Takes a sample, unless the thread's last one is less than `least_ns` of CPU time old. */
static void take_sample(const ucontext_t *context, uint64_t *words, int64_t least_ns)
{
    static __thread int64_t last_ns __attribute__((tls_model("initial-exec")));
    int64_t cpu_ns = pithi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    unsigned count;
    if (cpu_ns - last_ns < least_ns)
        return;
    last_ns = cpu_ns;
    count = pithi_sample_stack(context, words + 1, FRAMES);
    if (is_ending(words + 1, count))
        return;
    record_new_modules(words + 1, count);
    words[0] = (uint64_t)cpu_ns;
    for (unsigned i = 0; i <= count; i++)
        put((unsigned char *)&words[i], words[i], 8);
    pithi_counters_read();
    pith_event_data(sample_id, words, 8 * (count + (size_t)1));
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    static __thread unsigned events __attribute__((tls_model("initial-exec")));
    int saved = errno, is_event = info->si_code == POLL_IN || info->si_code == POLL_HUP;
    struct room *room = NULL;
    if (info->si_code != SI_TIMER && !is_event) {
        pithi_sample_signal_pass(number, info, context);
        return;
    }
    if (pithi_state() == PITHI_RECORDING && !pithi_buffer_ended && !not_here) {
        if (!pithi_guard_held() && (room = take_room()) != NULL) {
            take_sample(context, room->words, least_ns(is_event));
            __atomic_store_n(&room->busy, 0, __ATOMIC_RELEASE);
        }
        __atomic_add_fetch(&missed, (room == NULL) + (is_event || by_events ? 0 : (unsigned)info->si_overrun),
                           __ATOMIC_RELAXED);
    }
    /* Lets a perf event go on. If the program has reused the descriptor for another file, that file refuses the call.
     */
    if (is_event && (info->si_code == POLL_HUP || ++events % (EVENTS / 2) == 0))
        ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, info->si_code == POLL_HUP ? EVENTS : EVENTS / 2);
    errno = saved;
}

/* ---- Call sites -------------------------------------------------------------------------------------------------- */

/* Returns 1 for code of a library of MPI or OpenMP, or of Pith, which the user did not write. */
static int is_library(uint64_t address)
{
    static const char *const names[] = {"libmpi",   "libpmpi", "libpith", "libmpe", "liblmpe",
                                        "libopen-", "libgomp", "libomp",  "libiomp"};
    struct pithi_module module;
    const char *slash;
    if (!pithi_module_find(address, &module))
        return 1;
    slash = strrchr(module.path, '/');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(slash != NULL ? slash + 1 : module.path, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

int pith_call_sites(void) { return pithi_session.settings.call_sites ? 1 : -pithi_session.settings.long_call_sites; }

/* Returns the call site to record; 0 if there is none. Records first the definition and the module that readers need
 * for it. */
static uint64_t find_site(const void *caller)
{
    uint64_t stack[32], site = (uint64_t)(uintptr_t)caller;
    unsigned count, i;
    int saved = errno;
    if (site == 0 || pithi_state() != PITHI_RECORDING) /* in a pause the record of a new module would be lost */
        return 0;
    /* First tests whether the site is in the program itself and the program is recorded already: finding a module takes
     * 70 ns. */
    int is_quick = __atomic_load_n(&program_at.number, __ATOMIC_ACQUIRE) ==
                       __atomic_load_n(&pithi_session.number, __ATOMIC_RELAXED) + 1 &&
                   site >= program_at.begin && site < program_at.end;
    if (!is_quick && is_library(site)) {
        count = pithi_own_stack(stack, sizeof stack / sizeof stack[0]);
        for (i = 0; i < count && (stack[i] == 0 || is_library(stack[i])); i++)
            ;
        errno = saved; /* the walk changes errno */
        if (i == count)
            return 0;
        site = stack[i];
    }
    if (__atomic_load_n(&site_id, __ATOMIC_RELAXED) == 0) {
        define_module();
        __atomic_store_n(&site_id, pith_event_define_group("pith:site", "gray50", "address=%X", "pith"),
                         __ATOMIC_RELAXED);
    }
    if (!is_quick)
        record_new_modules(&site, 1);
    return site;
}

static void record_site(uint64_t site)
{
    put((unsigned char *)&site, site, 8);
    if (PITH_ID_IN_(site_id)) /* stored with the time of the last record, the state's begin or end */
        pith_words_(1, PITHI_W_EVENT_DATA, site_id, 2, sizeof site, site, 0);
    else
        pith_event_data(site_id, &site, 8);
}

void pith_call_site(const void *caller)
{
    uint64_t site = find_site(caller);
    if (site != 0)
        record_site(site);
}

uint64_t pith_long_call(void)
{
    int64_t passed_ns;
    uint64_t ticks;
    if (!pithi_session.settings.long_call_sites)
        return UINT64_MAX;
    passed_ns = pithi_clock_ns(CLOCK_MONOTONIC) - first_anchor.mono_ns;
    ticks = pithi_ticks() - first_anchor.ticks;
    return passed_ns < LONG_NS ? 3 * LONG_NS : (uint64_t)((double)ticks / (double)passed_ns * LONG_NS);
}

void pith_call_site_late(uint32_t state, const void *caller, uint64_t *record)
{
    uint64_t site = find_site(caller);
    struct pith_tentative end;
    if (site == 0 || pith_buffer_.next != record + 1)
        return;
    end = (struct pith_tentative){record, *record};
    if ((end.word & 0xffffff) == PITH_WORD_(0, state, PITH_KIND_LEAVE_) && pith_begin_undo(&end)) {
        record_site(site);
        pith_same_end(state);
    }
}

/* ---- Timers ------------------------------------------------------------------------------------------------------ */

/* The timers. Only the watcher uses them. */
static struct timer {
    pid_t thread;      /* Linux's number */
    int number;        /* the kernel's id of the timer; -1: none */
    int fd;            /* descriptor of the perf event; -1: none */
    uint64_t event_id; /* the kernel's id of the event, to check that `fd` is still it */
    int seen;          /* 1: the last look found the thread */
} timers[TIMERS];
static unsigned timer_count;

/* Returns 1 if enough signals can be queued. Instead of a signal that it cannot queue, the kernel sends SIGIO, which
 * ends a program. */
static int may_queue(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_SIGPENDING, &limit) == 0 && limit.rlim_cur >= 1000;
}

static int event_is_ours(const struct timer *timer)
{
    uint64_t id;
    return timer->fd >= 0 && ioctl(timer->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == timer->event_id;
}

/* Opens the perf event of a timer. It gives signals only outside the kernel (exclude_kernel), so it interrupts no
 * system call. */
static int event_begin(struct timer *timer)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .size = sizeof attributes,
                                         .sample_period = (uint64_t)pithi_session.settings.sample_ns,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1,
                                         .wakeup_events = 1};
    struct f_owner_ex owner = {F_OWNER_TID, timer->thread};
    int fd = -1;
    timer->fd = -1;
    if (may_queue())
        fd = (int)syscall(SYS_perf_event_open, &attributes, timer->thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return 0;
    timer->fd = pithi_descriptor_far(fd);
    close(fd);
    if (timer->fd < 0)
        return 0;
    if (ioctl(timer->fd, PERF_EVENT_IOC_ID, &timer->event_id) == 0 && fcntl(timer->fd, F_SETOWN_EX, &owner) == 0 &&
        fcntl(timer->fd, F_SETSIG, PITHI_SAMPLE_SIGNAL) == 0 && fcntl(timer->fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
        ioctl(timer->fd, PERF_EVENT_IOC_REFRESH, EVENTS) == 0)
        return 1;
    close(timer->fd);
    timer->fd = -1;
    return 0;
}

/* Makes and starts a timer by system calls. The C library's timer_create may call malloc, and a fork in another thread
 * meanwhile would leave the child an unusable malloc. */
static int timer_begin(struct timer *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = PITHI_SAMPLE_SIGNAL};
    int64_t interval_ns = by_events ? 10000000 : pithi_session.settings.sample_ns;
    struct itimerspec spec = {{interval_ns / 1000000000, interval_ns % 1000000000}, {0, 0}};
    clockid_t clock = (clockid_t)(~(unsigned)timer->thread << 3 | 6); /* the kernel's clock of a thread's CPU time */
    if (pithi_session.settings.sample_wall)
        clock = CLOCK_MONOTONIC;
    spec.it_value = spec.it_interval;
    event.sigev_notify_thread_id = timer->thread;
    timer->number = -1;
    if (syscall(SYS_timer_create, clock, &event, &timer->number) != 0)
        return 0;
    syscall(SYS_timer_settime, timer->number, 0, &spec, NULL);
    return 1;
}

static void timer_end(const struct timer *timer)
{
    if (timer->number >= 0)
        syscall(SYS_timer_delete, timer->number);
    if (event_is_ours(timer))
        close(timer->fd);
}

static void timers_end(int all)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < timer_count; i++) {
        if (timers[i].seen && !all)
            timers[kept++] = timers[i];
        else
            timer_end(&timers[i]);
    }
    timer_count = kept;
}

/* Says why a thread that exists has no timer. */
static void refuse_timer(int error)
{
    static char text[160];
    if (__atomic_load_n(&refusal, __ATOMIC_RELAXED) != NULL)
        return;
    if (timer_count == TIMERS || error == EAGAIN)
        snprintf(text, sizeof text,
                 "there are no more timers (ulimit -i, or %d threads), so some threads are not sampled", TIMERS);
    else
        snprintf(text, sizeof text, "no samples: the system refuses timers (timer_create: %s)", strerror(error));
    refuse(text);
}

/* Called for a thread that exists: finds its timer, or makes one. */
static void see(pid_t thread)
{
    struct timer *timer;
    unsigned i;
    int has_timer, error = 0;
    for (i = 0; i < timer_count; i++)
        if (timers[i].thread == thread) {
            timers[i].seen = 1;
            return;
        }
    timer = &timers[i];
    if (i < TIMERS) {
        *timer = (struct timer){thread, -1, -1, 0, 1};
        has_timer = timer_begin(timer);
        error = errno;
        if (((by_events || !has_timer) && event_begin(timer)) || has_timer) {
            timer_count++;
            return;
        }
    }
    if (i == TIMERS || error != EINVAL) /* EINVAL: the thread has ended */
        refuse_timer(error);
}

static int look_for_threads(pid_t self)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    if (folder == NULL)
        return 0;
    for (unsigned i = 0; i < timer_count; i++)
        timers[i].seen = 0;
    while ((entry = readdir(folder)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != self)
            see(thread);
    }
    closedir(folder);
    timers_end(0);
    return 1;
}

/* Chooses between timers and perf events, and stores the choice in properties of the log. */
static void choose_timers(void)
{
    struct timer probe = {(pid_t)syscall(SYS_gettid), -1, -1, 0, 0};
    char period[24];
    /* The period of the kernel's clock ticks; a shorter sampling period needs perf events. */
    struct timespec step;
    int64_t tick =
        clock_getres(CLOCK_MONOTONIC_COARSE, &step) == 0 ? (int64_t)step.tv_sec * 1000000000 + step.tv_nsec : 0;
    by_events = 0;
    if (!pithi_session.settings.sample_wall && pithi_session.settings.sample_ns < tick && event_begin(&probe)) {
        by_events = 1;
        timer_end(&probe);
    }
    snprintf(period, sizeof period, "%lld", (long long)pithi_session.settings.sample_ns);
    pith_property("sample_ns", period);
    pith_property("sample_clock", pithi_session.settings.sample_wall ? "wall" : "cpu");
    pith_property("sample_timer", by_events ? "perf" : "timer");
    if (by_events || pithi_session.settings.sample_wall)
        return;
    snprintf(period, sizeof period, "%lld", (long long)tick);
    pith_property("sample_tick_ns", period);
}

static void *watch(void *unused)
{
    struct timespec pause;
    int64_t begin_ns, took_ns;
    pid_t self = (pid_t)syscall(SYS_gettid);
    struct pithi_module library;
    not_here = 1;
    pithi_buffer_learn_thread();
    if (pithi_module_find((uint64_t)(uintptr_t)__builtin_return_address(0), &library) && library.path[0] != 0) {
        c_library_begin = library.begin; /* the C library has called this function as the thread's start function */
        c_library_end = library.end;
    }
    sample_id = pith_event_define_group("pith:sample", "gray50", "cpu=%l", "pith");
    define_module();
    choose_timers();
    while (pithi_sample_signal_take(on_timer)) {
        /* CPU time, without the time in which others had the core */
        begin_ns = pithi_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (pithi_state() == PITHI_OVER)
            timers_end(1);
        else if (!look_for_threads(self))
            refuse("no samples: /proc/self/task, which lists the threads, cannot be read");
        /* with many threads: looks less often, so as to use about 1 % of a core at most */
        took_ns = pithi_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
        took_ns = took_ns < 100000 ? 10000000 : took_ns < 10000000 ? 100 * took_ns : 1000000000;
        pause = (struct timespec){took_ns / 1000000000, took_ns % 1000000000};
        nanosleep(&pause, NULL);
    }
    timers_end(1);
    refuse("no samples: the signal that the C library keeps for itself cannot be used here");
    return unused;
}

void pithi_sample_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    struct pithi_module module;
    first_anchor = pithi_session.file.page->first;
    if (!pithi_session.settings.call_sites || watching) /* call_sites is also set if PITH_SAMPLE is */
        return;
    if (!pithi_module_find((uint64_t)(uintptr_t)&pithi_sample_start, &module)) {
        const char *name = pithi_session.settings.sample_ns ? "PITH_SAMPLE" : "PITH_CALLSITES";
        const char *why = "not possible on this system (it needs x86-64 or arm64, and glibc 2.35 or later)";
        if (pithi_session.settings.sample_ns)
            refuse(why);
        else if (pithi_speaks_for_job())
            pithi_say("%s: %s", name, why);
        return;
    }
    if (pithi_session.settings.sample_ns == 0 || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    watching = pthread_create(&thread, &attributes, watch, NULL) == 0; /* it inherits the blocked signals */
    pthread_attr_destroy(&attributes);
    if (!watching)
        refuse("no samples: the system refuses a thread that starts the timers (ulimit -u, ulimit -v)");
}

void pithi_sample_forked(void)
{
    for (unsigned i = 0; i < timer_count; i++)
        if (event_is_ours(&timers[i]))
            close(timers[i].fd); /* the child's copy of the descriptor */
    watching = 0;
    timer_count = 0;
    missed = 0;
    refusal = NULL;
    pithi_sample_signal_forked();
    known_count = program = 0;
    known_busy = 0;
    outside_count = 0;
    memset(outside, 0, sizeof outside);
    for (unsigned i = 0; i < ROOMS; i++)
        rooms[i].busy = 0;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns 1 if `sorted`, the sorted table `outside`, has an address in [begin, end). */
static int has_between(const uint64_t *sorted, uint64_t begin, uint64_t end)
{
    unsigned low = 0, high = OUTSIDE;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (sorted[middle] < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < OUTSIDE && sorted[low] < end;
}

/* Records the names of generated code. JIT compilers list generated functions in /tmp/perf-PID.map, in lines "BEGIN
 * SIZE NAME", numbers in hex (tools/perf/Documentation/jit-interface.txt of Linux). Only functions that occur in
 * samples are recorded. */
static void record_code(void)
{
    static uint64_t sorted[OUTSIDE];
    unsigned char payload[1100], *bytes;
    char path[40], line[1000], *at, *end;
    uint64_t begin, size;
    uint32_t id;
    struct stat status;
    FILE *map;
    int fd;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    /* Anybody may make a file of that name, so it must be a regular file owned by this user. */
    if (outside_count == 0 || (fd = pithi_descriptor_open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0)) < 0)
        return;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (map = fdopen(fd, "r")) == NULL) {
        close(fd);
        return;
    }
    memcpy(sorted, outside, sizeof sorted);
    qsort(sorted, OUTSIDE, sizeof *sorted, by_address);
    id = pith_event_define_group("pith:code", "gray50", "begin=%X end=%X name=%s", "pith");
    while (fgets(line, sizeof line, map) != NULL) {
        begin = strtoull(line, &at, 16);
        size = strtoull(at, &end, 16);
        if (end == at || *end != ' ' || begin == 0 || !has_between(sorted, begin, begin + size))
            continue;
        at = end + 1;
        bytes = put_text(put(put(payload, begin, 8), begin + size, 8), at, strcspn(at, "\n"));
        pith_event_data(id, payload, (size_t)(bytes - payload));
    }
    fclose(map);
}

void pithi_sample_finish(void)
{
    struct pithi_module module;
    if (pithi_state() != PITHI_RECORDING)
        return;
    /* Properties of the log that say why samples are missing. */
    const char *why = __atomic_load_n(&refusal, __ATOMIC_SEQ_CST);
    uint64_t count = __atomic_load_n(&missed, __ATOMIC_RELAXED);
    char text[24];
    if (why != NULL)
        pith_property("sample_refused", why);
    if (pithi_sample_signal_masked() && pithi_session.settings.sample_ns != 0)
        pith_property("sample_stacks", "handlers on alternate stacks have no samples");
    if (count != 0) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)count);
        pith_property("sample_missed", text);
    }
    record_code();
    /* A ring, or PITH_FROM, may have dropped the first records of the modules: records them again. */
    if (!pithi_session.settings.ring && pithi_session.settings.from_ns == 0)
        return;
    if (__atomic_exchange_n(&known_busy, 1, __ATOMIC_ACQUIRE))
        return;
    for (unsigned i = 0; i < known_count; i++)
        if (pithi_module_find(known[i].begin, &module))
            record_module(&module);
    __atomic_store_n(&known_busy, 0, __ATOMIC_RELEASE);
}
