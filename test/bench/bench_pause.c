/* bench_pause.c - how long the recorder keeps its caller waiting: the time from one record to the next in a loop that
 * does nothing else, as a distribution; beside it the same loop that stores into warm memory in place of recording.
 * Rounds of the two take turns in one process, so that both see the machine's own pauses: interrupts, other programs, a
 * host.
 *
 * A record that took the slow road (the buffer's end was reached: a chunk change) is told apart from the others. 1
 * thread, then 4; BENCH_EVENTS: records of each of the two loops (default 100 million). */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "pith.h"

enum { FINE = 32, BINS = 64 * FINE, ROUNDS = 20, THREADS = 4, LONG_NS = 50000 };

/* Gaps by length: FINE bins for each power of two. */
struct gaps {
    uint64_t bins[BINS], count, most;
    uint64_t long_count, long_ticks;
};
/* Not recorded; recorded; recorded by the slow road; the processor time of that, in which other programs have no part.
 */
enum { PLAIN, QUICK, SLOW, SLOW_CPU, WAYS };

static double ticks_ns;     /* of a tick */
static double clock_cpu_ns; /* from one look at the thread's processor time to the next */
static uint64_t long_ticks, events;
static uint32_t event;
static pthread_barrier_t turn;
static struct gaps of_thread[THREADS][WAYS];

static unsigned bin_of(uint64_t ticks)
{
    unsigned power;
    if (ticks < FINE)
        return (unsigned)ticks;
    power = 63 - (unsigned)__builtin_clzll(ticks);
    return (power - 4) * FINE + (unsigned)(ticks >> (power - 5) & (FINE - 1));
}

/* The longest gap that falls into the bin. */
static uint64_t bin_end(unsigned bin)
{
    unsigned power = bin / FINE + 4;
    return bin < FINE ? bin : ((uint64_t)(FINE + bin % FINE + 1) << (power - 5)) - 1;
}

static void note(struct gaps *gaps, uint64_t ticks)
{
    gaps->bins[bin_of(ticks)]++;
    if (__builtin_expect(ticks > long_ticks, 0)) {
        gaps->long_count++;
        gaps->long_ticks += ticks;
    }
    if (ticks > gaps->most)
        gaps->most = ticks;
}

/* One record, of which is known before that it will take the slow road. */
static void recorded_slowly(struct gaps *gaps)
{
    double cpu_ns = bench_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t last = pith_ticks_();
    pith_event(event);
    note(&gaps[SLOW], pith_ticks_() - last);
    cpu_ns = bench_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns - clock_cpu_ns;
    note(&gaps[SLOW_CPU], cpu_ns > 0 ? (uint64_t)(cpu_ns / ticks_ns) : 0);
}

static void recorded(struct gaps *gaps, uint64_t count)
{
    uint64_t last = pith_ticks_();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t now;
        if (__builtin_expect(pith_buffer_.next >= __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED), 0)) {
            recorded_slowly(gaps);
            last = pith_ticks_();
            continue;
        }
        pith_event(event);
        now = pith_ticks_();
        note(&gaps[QUICK], now - last);
        last = now;
    }
}

static void plain(struct gaps *gaps, uint64_t count)
{
    static __thread uint64_t warm[2 * 4096];
    uint64_t last;
    memset(warm, 1, sizeof warm);
    last = pith_ticks_();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t now;
        __atomic_store_n(&warm[2 * (i & 4095)], pith_ticks_(), __ATOMIC_RELAXED);
        __atomic_store_n(&warm[2 * (i & 4095) + 1], i, __ATOMIC_RELAXED);
        now = pith_ticks_();
        note(&gaps[PLAIN], now - last);
        last = now;
    }
}

/* Rounds begin together: never does one thread record while another's plain round measures the noise of that. */
static void *thread(void *gaps)
{
    pith_event(event);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        pthread_barrier_wait(&turn);
        (round % 2 != 0 ? recorded : plain)(gaps, events / ROUNDS);
    }
    return NULL;
}

/* ---- Telling ----------------------------------------------------------------------------------------------------- */

static struct gaps *sum(int threads, unsigned from, unsigned to)
{
    struct gaps *all = calloc(1, sizeof *all);
    if (all == NULL)
        exit(0);
    for (int t = 0; t < threads; t++)
        for (unsigned way = from; way <= to; way++) {
            const struct gaps *one = &of_thread[t][way];
            for (unsigned i = 0; i < BINS; i++) {
                all->bins[i] += one->bins[i];
                all->count += one->bins[i];
            }
            all->most = one->most > all->most ? one->most : all->most;
            all->long_count += one->long_count;
            all->long_ticks += one->long_ticks;
        }
    return all;
}

static double percentile_us(const struct gaps *gaps, double percent)
{
    uint64_t below = 0, wanted = (uint64_t)((double)gaps->count * percent / 100);
    for (unsigned i = 0; i < BINS; i++)
        if ((below += gaps->bins[i]) > wanted)
            return (double)(bin_end(i) < gaps->most ? bin_end(i) : gaps->most) * ticks_ns / 1e3;
    return (double)gaps->most * ticks_ns / 1e3;
}

static void print_gaps(const char *what, const struct gaps *gaps)
{
    static const double percents[] = {50, 99, 99.9, 99.99, 99.999};
    printf("  %-22s", what);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++)
        printf(" %9.3f", percentile_us(gaps, percents[i]));
    printf(" %9.1f %9.1f %9.1f\n", (double)gaps->most * ticks_ns / 1e3, (double)gaps->long_count,
           (double)gaps->long_ticks * ticks_ns / 1e6);
}

static void tell(int threads)
{
    struct gaps *floor = sum(threads, PLAIN, PLAIN), *all = sum(threads, QUICK, SLOW), *slow = sum(threads, SLOW, SLOW);
    struct gaps *quick = sum(threads, QUICK, QUICK), *cpu = sum(threads, SLOW_CPU, SLOW_CPU);
    double per_million = 1e6 / (double)all->count;
    char what[80];

    printf("%d thread%s, %.1e gaps, %llu at chunk changes; us:\n", threads, threads > 1 ? "s" : "", (double)all->count,
           (unsigned long long)slow->count);
    printf("  %-22s %9s %9s %9s %9s %9s %9s %9s %9s\n", "", "50 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "longest",
           "over 50us", "their ms");
    print_gaps("not recorded", floor);
    print_gaps("recorded", all);
    print_gaps("  at chunk changes", slow);
    print_gaps("  their processor time", cpu);
    print_gaps("  elsewhere", quick);
#define ROW(name, value, unit, least, goal)                                                                            \
    do {                                                                                                               \
        snprintf(what, sizeof what, "pause, %d thread%s: %s", threads, threads > 1 ? "s" : "", name);                  \
        bench_row(what, value, unit, least, goal);                                                                     \
    } while (0)
    ROW("99.99 %", percentile_us(all, 99.99), "us", percentile_us(floor, 99.99), "<=50");
    ROW("99.999 %", percentile_us(all, 99.999), "us", percentile_us(floor, 99.999), "");
    ROW("longest", (double)all->most * ticks_ns / 1e3, "us", (double)floor->most * ticks_ns / 1e3, "");
    ROW("over 50 us, of a million", (double)all->long_count * per_million, "", (double)floor->long_count * per_million,
        "");
    ROW("over 50 us, together, a call", (double)all->long_ticks * ticks_ns / (double)all->count, "ns",
        (double)floor->long_ticks * ticks_ns / (double)floor->count, "");
    ROW("chunk change, median", percentile_us(slow, 50), "us", 0, "");
    ROW("chunk change, 99 %", percentile_us(slow, 99), "us", 0, "<=50");
    ROW("chunk change, 99 %, processor time", percentile_us(cpu, 99), "us", 0, "<=50");
#undef ROW
    free(floor);
    free(all);
    free(slow);
    free(quick);
    free(cpu);
}

static void measure_tick(void)
{
    double begin = bench_ns(CLOCK_MONOTONIC);
    uint64_t ticks = pith_ticks_();
    while (bench_ns(CLOCK_MONOTONIC) < begin + 5e7)
        ;
    ticks_ns = (bench_ns(CLOCK_MONOTONIC) - begin) / (double)(pith_ticks_() - ticks);
    long_ticks = (uint64_t)(LONG_NS / ticks_ns);
    clock_cpu_ns = 1e9;
    for (int i = 0; i < 100; i++) {
        double first = bench_ns(CLOCK_THREAD_CPUTIME_ID), took = bench_ns(CLOCK_THREAD_CPUTIME_ID) - first;
        clock_cpu_ns = took < clock_cpu_ns ? took : clock_cpu_ns;
    }
}

int main(void)
{
    static const int sizes[] = {1, THREADS};
    const char *wanted = getenv("BENCH_EVENTS");
    uint64_t in_all = wanted != NULL ? strtoull(wanted, NULL, 10) : 100000000;
    char folder[] = "/tmp/bench_pause.XXXXXX", remove[64];
    pthread_t ids[THREADS];

    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    setenv("PITH_LOG", "pause.pith", 1);
    setenv("PITH_QUIET", "1", 1);
    event = pith_event_define("e", NULL, NULL);
    measure_tick();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        events = in_all / (uint64_t)sizes[s];
        memset(of_thread, 0, sizeof of_thread);
        pthread_barrier_init(&turn, NULL, (unsigned)sizes[s]);
        for (int t = 0; t < sizes[s]; t++)
            if (pthread_create(&ids[t], NULL, thread, of_thread[t]) != 0)
                return 1;
        for (int t = 0; t < sizes[s]; t++)
            pthread_join(ids[t], NULL);
        pthread_barrier_destroy(&turn);
        tell(sizes[s]);
    }
    if (pith_lost() > 0)
        printf("(%llu records were lost)\n", (unsigned long long)pith_lost());
    fflush(stdout);
    snprintf(remove, sizeof remove, "rm -rf -- %s", folder);
    if (chdir("/") != 0 || system(remove) != 0)
        printf("(files are left in %s)\n", folder);
    _exit(0); /* without a log of it all */
}
