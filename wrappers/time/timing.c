/* timing.c - the cells of threads, their sum, and the clock.
 *
 * A thread counts in its own cells. Only this thread writes them, so a call needs no lock and no atomic addition. Each
 * number is stored atomically, so the reader at the end finds no half-written number. When a thread ends, its cells are
 * added to the sum of the threads that ended before, so a program may start a million threads.
 *
 * Times are in ticks of the processor's counter. The length of a tick is measured over the whole run: 3,000,000,000
 * ticks in 1.5 s are 0.5 ns each. A calibration at the beginning would take time and be less exact.
 */
#include "timing.h"

#include "delay.h"
#include "job_time.h"
#include "partners.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <fcntl.h>
#include <unistd.h>
#endif

__thread struct pithi_time_self pithi_time_self;
int pithi_time_off, pithi_time_counter, pithi_time_by_comm, pithi_time_partners, pithi_time_delays;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_time_thread *threads; /* the running threads; under the lock */
static struct pithi_time_thread gone;     /* the sum over threads that have ended */
static pthread_key_t at_thread_end;       /* its destructor is thread_end */
static uint64_t begin_ticks;              /* ticks when this library was loaded */
static int64_t begin_ns;                  /* CLOCK_MONOTONIC at the same time */

/* ---- the clock --------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Returns 1 if the processor's counter has the same rate in all power states (CPUID 0x80000007, EDX bit 8) and the
 * kernel lists it as a clock, which means that the counters of all cores agree. */
static int counter_is_good(void)
{
    unsigned eax, ebx, ecx, edx;
    char list[256] = "tsc";

    if (!__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) || !(edx & 1u << 8))
        return 0;
    int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t size = read(fd, list, sizeof list - 1);
        list[size > 0 ? size : 0] = 0;
        close(fd);
    }
    return strstr(list, "tsc") != NULL;
}
#else
static int counter_is_good(void) { return 1; }
#endif

/* Returns the length of a tick in seconds (job_time.h). It is the mean over the whole run: both clocks were read when
 * this library was loaded, and are read again now. */
double pithi_time_tick_s(double *run_s)
{
    uint64_t ticks = pithi_time_ticks() - begin_ticks;

    *run_s = 1e-9 * (double)(pithi_delay_clock() - begin_ns);
    return ticks ? *run_s / (double)ticks : 0;
}

/* ---- delays ------------------------------------------------------------------------------------------------------ */

void pithi_time_delay_begin(struct pithi_time_call *call)
{
    call->outer_inner_saved_ns = pithi_time_self.inner_saved_ns;
    pithi_time_self.inner_saved_ns = 0;
    call->begin_delay_ns = pithi_delay_ns();
}

/* Adds to `cell`, the call's cell, by how much the delay grew during the call. The growth during nested calls is left
 * out, because it is in their cells already. If the delay grows by 30 in a call, and by 10 of these in a call inside
 * it, the outer call's cell gets 20 and the inner call's cell 10. */
void pithi_time_delay_end(const struct pithi_time_call *call, struct pithi_time_cell *cell)
{
    int64_t saved_ns = pithi_delay_ns() - call->begin_delay_ns;

    if (cell)
        __atomic_store_n(&cell->saved_ns, cell->saved_ns + saved_ns - pithi_time_self.inner_saved_ns, __ATOMIC_RELAXED);
    pithi_time_self.inner_saved_ns = call->outer_inner_saved_ns + (cell ? saved_ns : pithi_time_self.inner_saved_ns);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Adds the cells and partners of the thread `from` to those of the thread `to`. */
static void add_cells(struct pithi_time_thread *to, const struct pithi_time_thread *from)
{
    for (int c = 0; c < PITHI_TIME_COMMS; c++) {
        if (!from->cells[c])
            continue;
        if (!to->cells[c] && !(to->cells[c] = calloc((size_t)pithi_time_functions, sizeof **to->cells)))
            continue;
        for (int f = 0; f < pithi_time_functions; f++) {
            struct pithi_time_cell *sum = &to->cells[c][f];
            const struct pithi_time_cell *one = &from->cells[c][f];
            if (!one->calls)
                continue;
            if (!sum->calls || one->least < sum->least)
                sum->least = one->least;
            if (one->most > sum->most)
                sum->most = one->most;
            sum->calls += one->calls;
            sum->ticks += one->ticks;
            sum->messages += one->messages;
            sum->bytes += one->bytes;
            sum->saved_ns += one->saved_ns;
        }
    }
    for (uint32_t i = 0; i < from->partner_room; i++)
        if (from->partners[i].rank)
            pithi_time_partner_add(&to->partners, &to->partner_room, &to->partner_count, from->partners[i].rank - 1,
                                   from->partners[i].messages, from->partners[i].bytes);
    to->calls += from->calls;
}

/* Called when a thread ends: adds its counts to `gone` and frees its memory. */
static void thread_end(void *data)
{
    struct pithi_time_thread *thread = data, **at = &threads;

    pithi_time_self.thread = NULL;
    pithi_time_self.last = NULL;
    pthread_mutex_lock(&lock);
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
    add_cells(&gone, thread);
    pthread_mutex_unlock(&lock);
    for (int c = 0; c < PITHI_TIME_COMMS; c++)
        free(thread->cells[c]);
    free(thread->partners);
    free(thread);
}

static struct pithi_time_thread *thread_begin(void)
{
    struct pithi_time_thread *thread = calloc(1, sizeof *thread);

    if (!thread)
        return NULL;
    pthread_setspecific(at_thread_end, thread);
    pthread_mutex_lock(&lock);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&lock);
    return pithi_time_self.thread = thread;
}

struct pithi_time_cell *pithi_time_cell_make(int comm, int function)
{
    struct pithi_time_thread *thread = pithi_time_self.thread ? pithi_time_self.thread : thread_begin();

    if (!thread)
        return NULL;
    if (!thread->cells[comm]) {
        struct pithi_time_cell *cells = calloc((size_t)pithi_time_functions, sizeof *cells);
        if (!cells)
            return NULL;
        __atomic_store_n(&thread->cells[comm], cells, __ATOMIC_RELEASE);
    }
    return &thread->cells[comm][function];
}

struct pithi_time_thread *pithi_time_sum(void)
{
    pthread_mutex_lock(&lock);
    for (const struct pithi_time_thread *thread = threads; thread; thread = thread->next)
        add_cells(&gone, thread);
    pthread_mutex_unlock(&lock);
    return &gone;
}

static int asked(const char *value) { return value && *value && strcmp(value, "0") != 0; }

__attribute__((constructor)) static void begin(void)
{
    pthread_key_create(&at_thread_end, thread_end);
    pithi_time_counter = counter_is_good();
    pithi_time_by_comm = asked(secure_getenv("PITH_TIME_COMM"));
    pithi_time_partners = asked(secure_getenv("PITH_TIME_MATRIX"));
    begin_ns = pithi_delay_clock();
    begin_ticks = pithi_time_ticks();
}
