/* delay.c - computes the delay of each thread. It does not call MPI and does not depend on how headers are sent.
 *
 * Every record makes the delay larger, and waiting changes it. Updating the delay at each record would be too
 * expensive. So it is computed as own cost + shift. liblog counts the own cost so far anyway; only waiting changes the
 * shift:
 *
 *     own cost 30, shift 0                                 delay 30
 *     a call that waited makes the delay 20                shift 20 - 30 = -10
 *     five more ns of recording                            own cost 35, delay 25
 *
 * A thread that begins later starts with the present delay of the first thread, assuming that the first thread created
 * it. */
#include "delay.h"

#include "own.h"

int pithi_compensate, pithi_delay_one_clock, pithi_delay_several_clocks;

static __thread struct {
    int begun;        /* 1: shift_ns is set */
    int64_t shift_ns; /* delay - own cost */
} self __attribute__((tls_model("initial-exec")));

/* The delay of the first thread, which is the initial delay of threads that begin later. Atomic. */
static int64_t process_ns;
static int first_taken; /* 1: a thread has become the first thread; atomic */
static __thread int is_first __attribute__((tls_model("initial-exec")));

/* Returns this thread's delay, and initialises it in the thread's first call. */
static int64_t delay(void)
{
    if (!self.begun) {
        self.begun = 1;
        is_first = !__atomic_exchange_n(&first_taken, 1, __ATOMIC_RELAXED);
        if (!is_first)
            self.shift_ns = __atomic_load_n(&process_ns, __ATOMIC_RELAXED) - pithi_own_ns();
    }
    return pithi_own_ns() + self.shift_ns;
}

/* If this is the first thread, stores its delay for other threads. */
static void publish(int64_t x_ns)
{
    if (is_first)
        __atomic_store_n(&process_ns, x_ns, __ATOMIC_RELAXED);
}

int64_t pithi_delay_ns(void)
{
    if (!__atomic_load_n(&pithi_compensate, __ATOMIC_RELAXED))
        return 0;
    int64_t x_ns = delay();
    publish(x_ns);
    return x_ns;
}

int64_t pithi_delay_total_ns(void)
{
    int64_t own = pithi_delay_ns(), first = __atomic_load_n(&process_ns, __ATOMIC_RELAXED);
    return own > first ? own : first;
}

int64_t pithi_delay_offset(int64_t local_ns)
{
    int64_t offset_ns = 0;
    if (pithi_delay_several_clocks)
        pithi_own_clock(local_ns, &offset_ns);
    return offset_ns;
}

void pithi_delay_fill(struct pithi_header *header, int64_t from_ns)
{
    int64_t now_ns = pithi_delay_clock();
    header->delay_ns = pithi_delay_ns() + now_ns - from_ns;
    header->sent_ns = now_ns + pithi_delay_offset(now_ns);
}

static int64_t look_ns; /* how long it takes to read the clock */

void pithi_delay_begin(void)
{
    int64_t last = pithi_delay_clock(), least = INT64_MAX;
    for (int i = 0; i < 100; i++) {
        int64_t now = pithi_delay_clock();
        least = now - last < least ? now - last : least;
        last = now;
    }
    look_ns = least;
}

/* In a call, the recorder's work consists of sections. If a rank loses its core in such a section, not all of the
 * section's time is an own cost. With more processes than cores, such a section may last as long as another process has
 * the core: with 2 ranks beside 4 busy loops, 77 of 6000 sections took 0.70 of 0.71 s. A section of 3 us does not lose
 * its core because of recording; the program would have lost the core a moment later. So if a section takes more than
 * 20 times its typical time, it has lost its core, or waits for a rank that has lost its core, and only the typical
 * time is an own cost. (The thread's CPU time would not help, because reading it costs as much as a section, and a
 * waiting rank often polls, which uses CPU time.)
 *
 * Ranks that yield while they wait (Open MPI with mpi_yield_when_idle) are another case. They give the core up in most
 * shadow collectives, which then typically take milliseconds. This time is an own cost, because without the shadow
 * collective the ranks would keep the core. It was measured with 2 ranks beside 4 busy loops, in a program that itself
 * makes a collective like the shadow collective, in every second block of ten steps. In ten runs, the blocks with this
 * collective took 2 to 9 s longer, 50 s in all. The ranks spent 53 s in the collective (mean of both ranks), and had a
 * core for 0.2 % of this time. If the ranks poll instead of yielding, the blocks take no longer, though the ranks lose
 * their cores in the collective for up to 1 s.
 *
 * The typical time of a section is first the least time of its first LEARNS runs. Each later run moves it up or down by
 * an eighth, towards the median. Each of the first LEARNS runs counts ALWAYS_NS at most, because processes that begin
 * beside busy loops often lose their core in the very first runs: four took 8 to 20 ms, the next 296 took 2 us. If a
 * section really takes long, the time that was not counted in the first runs is not added later. For if a delay grew by
 * 18 ms within 1 ms, the compensated time would run backwards, and `pith compensate`, which never takes out more than
 * the elapsed time, would find a smaller delay. Several threads may update the typical time at once; a lost update does
 * no harm.
 *
 * LEARNS: after how many runs of a section its typical time is known; TIMES: a run that takes more than this multiple
 * of the typical time has lost its core; ALWAYS_NS: a run up to this length always counts in full; BYTE_NS: copying a
 * byte takes at most so many ns. */
enum { LEARNS = 8, TIMES = 20, ALWAYS_NS = 20000, BYTE_NS = 4 };

/* Returns the own cost of a section that took `ns`. Updates the section's typical time. */
static int64_t own_part(struct pithi_typical *typical, int64_t ns)
{
    int64_t before = __atomic_load_n(&typical->ns, __ATOMIC_RELAXED), after = before, cost_ns;
    uint32_t count = __atomic_load_n(&typical->count, __ATOMIC_RELAXED);

    if (count < LEARNS) {
        after = count == 0 || ns < before ? ns : before;
        cost_ns = ns < ALWAYS_NS ? ns : ALWAYS_NS;
        __atomic_store_n(&typical->count, count + 1, __ATOMIC_RELAXED);
    } else {
        if (ns != before)
            after += ns > before ? before / 8 + 1 : -before / 8;
        cost_ns = ns > ALWAYS_NS && ns > TIMES * after ? after : ns;
    }
    __atomic_store_n(&typical->ns, after, __ATOMIC_RELAXED);
    return cost_ns;
}

static __thread uint64_t copied_bytes __attribute__((tls_model("initial-exec")));

void pithi_delay_copies(uint64_t bytes) { copied_bytes += bytes; }

int64_t pithi_delay_spent_of(struct pithi_typical *typical, int64_t begin_ns)
{
    int64_t now = pithi_delay_clock(), ns = now - begin_ns + look_ns;
    int64_t copying_ns = (int64_t)copied_bytes * BYTE_NS;

    copied_bytes = 0;
    if (copying_ns > ns)
        copying_ns = ns;
    pithi_own_add(copying_ns + (typical ? own_part(typical, ns - copying_ns) : ns - copying_ns));
    return now;
}

void pithi_delay_set(int64_t x_ns)
{
    int64_t delay_ns = x_ns > 0 ? x_ns : 0;
    delay();
    self.shift_ns = delay_ns - pithi_own_ns();
    publish(delay_ns);
}

/* ---- Shortest times of this process, and latencies in headers ---------------------------------------------------- */

static struct pithi_least messages[PITHI_SIZES]; /* by size class; `ready_ns`: the shortest call that sent a message */

static struct pithi_least *latency_of(const struct pithi_wait *wait, uint64_t size_bytes)
{
    return &(wait->latencies ? wait->latencies : messages)[pithi_size_class(size_bytes)];
}

int64_t pithi_delay_latency(uint64_t size_bytes)
{
    return pithi_least_latency(&messages[pithi_size_class(size_bytes)]);
}

void pithi_delay_sent(uint64_t size_bytes, int64_t ns)
{
    pithi_least_lower(&messages[pithi_size_class(size_bytes)].ready_ns, ns);
}

/* ---- The rule (delay_rule.h) -------------------------------------------------------------------------------------*/

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the time at which the message was sent, and the time at which it would have been sent without recording. */
static struct pithi_both_ns sent_of(const struct pithi_header *header)
{
    return (struct pithi_both_ns){header->sent_ns, header->sent_ns - header->delay_ns};
}

void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes)
{
    struct pithi_header here = *header, other;
    header = &here;
    here.sent_ns -= pithi_delay_offset(wait->end_ns);
    other = here;
    uint64_t other_bytes = size_bytes;
    if (!pithi_delay_one_clock) { /* times cannot be compared: keeps the message with the smallest delay */
        if (wait->count++ == 0 || header->delay_ns < wait->last.delay_ns)
            wait->last = *header;
        return;
    }
    if (!wait->latencies) {
        /* The smallest latency that the sender has measured counts as if this process had measured it, because `pith
         * compensate` also uses the latencies of both processes. */
        struct pithi_least *latency = &messages[pithi_size_class(size_bytes)];
        if (header->latency_ns > 0) {
            pithi_least_lower(&latency->latency_ns, header->latency_ns);
            pithi_least_lower(&latency->waited_ns, header->latency_ns);
        }
    }
    if (wait->count == 0 || header->sent_ns > wait->last.sent_ns ||
        /* This message was sent last, so it becomes wait->last, and the former wait->last becomes one of the others. */
        (header->sent_ns == wait->last.sent_ns && header->delay_ns < wait->last.delay_ns)) {
        other = wait->last;
        other_bytes = wait->last_bytes;
        wait->last = *header;
        wait->last_bytes = size_bytes;
    }
    if (wait->count++ > 0) {
        int64_t latency = pithi_least_latency(latency_of(wait, other_bytes));
        wait->others_ns = later(wait->others_ns, pithi_delay_other(sent_of(&other), wait->end_ns, latency));
    }
}

void pithi_delay_waited(const struct pithi_wait *wait)
{
    int64_t x = delay(), took = wait->end_ns - wait->begin_ns, least = 0;
    if (wait->count == 0)
        return;
    if (!pithi_delay_one_clock) {
        pithi_delay_set(earlier(wait->last.delay_ns, x + took));
        return;
    }
    struct pithi_least *latency = latency_of(wait, wait->last_bytes);
    if (wait->least) {
        struct pithi_least *call = &wait->least[pithi_size_class(wait->last_bytes)];
        const struct pithi_least *sends = wait->latencies ? NULL : &messages[pithi_size_class(wait->last_bytes)];
        pithi_least_learn(call, latency, wait->last.sent_ns, wait->begin_ns, wait->end_ns, pithi_least_so_far);
        least = earlier(pithi_least_call(call, latency, sends), took);
    }
    struct pithi_both_ns begin = {wait->begin_ns, wait->begin_ns - x}, end = {wait->end_ns, wait->end_ns - x};
    int64_t ends = pithi_delay_rule(begin, sent_of(&wait->last), end, least, pithi_least_latency(latency));
    pithi_delay_set(wait->end_ns - later(ends, wait->others_ns));
}
