/* delay.c - see delay.h. Owns the rule; knows neither MPI nor how messages carry what they carry. */
#include "delay.h"

#include "own.h"

int pithi_compensate, pithi_delay_one_clock, pithi_delay_several_clocks;

static __thread struct {
    int begun;
    int64_t shift_ns; /* x is the own cost and this: what waiting has taken away, or what the thread began with */
} self __attribute__((tls_model("initial-exec")));

/* Of the thread that was there first; others begin with it. Atomic. */
static int64_t process_ns;
static int first_taken;
static __thread int is_first __attribute__((tls_model("initial-exec")));

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

int64_t pithi_delay_spent(int64_t begin_ns)
{
    int64_t now = pithi_delay_clock();
    pithi_own_add(now - begin_ns);
    return now;
}

void pithi_delay_set(int64_t x_ns)
{
    delay();
    self.shift_ns = (x_ns > 0 ? x_ns : 0) - pithi_own_ns();
    publish(x_ns);
}

/* ---- Shortest times -------------------------------------------------------------------------------------------------
 * How long calls take that need not wait, and how soon a message is there: by size (1 byte, 2 to 3, 4 to 7 ...), as
 * far as was seen up to now. Whoever finds a shorter one while another thread does may be forgotten: it comes again. */
enum { SIZES = 65 };
static struct {
    int64_t ready_ns, waited_ns; /* calls whose message had been sent before; others. + 1; 0: none yet */
} calls[PITHI_WAIT_KINDS][SIZES];
static struct {
    int64_t way_ns; /* + 1 */
    int was_waited_for;
} ways[2][SIZES]; /* point to point; collectives */

static unsigned size_class(uint64_t size_bytes) { return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0; }

static int64_t get(const int64_t *least) { return __atomic_load_n(least, __ATOMIC_RELAXED) - 1; }

static void lower(int64_t *least, int64_t ns)
{
    int64_t known = get(least);
    ns = ns > 0 ? ns : 0;
    if (known < 0 || ns < known)
        __atomic_store_n(least, ns + 1, __ATOMIC_RELAXED);
}

static void learn(const struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes)
{
    unsigned size = size_class(size_bytes);
    int coll = wait->kind == PITHI_WAIT_COLL, waited = header->sent_ns > wait->begin_ns;
    lower(&ways[coll][size].way_ns, wait->end_ns - header->sent_ns);
    if (waited)
        __atomic_store_n(&ways[coll][size].was_waited_for, 1, __ATOMIC_RELAXED);
    lower(waited ? &calls[wait->kind][size].waited_ns : &calls[wait->kind][size].ready_ns,
          wait->end_ns - wait->begin_ns);
}

/* 0: not known, for messages that lay there tell nothing. */
static int64_t way(const struct pithi_wait *wait, uint64_t size_bytes)
{
    int coll = wait->kind == PITHI_WAIT_COLL;
    unsigned size = size_class(size_bytes);
    return __atomic_load_n(&ways[coll][size].was_waited_for, __ATOMIC_RELAXED) ? get(&ways[coll][size].way_ns) : 0;
}

/* Where all calls waited: not longer than the shortest of them, nor than a message was under way. */
static int64_t least_call(const struct pithi_wait *wait, uint64_t size_bytes)
{
    unsigned size = size_class(size_bytes);
    int64_t ready = get(&calls[wait->kind][size].ready_ns), waited = get(&calls[wait->kind][size].waited_ns);
    int64_t least = way(wait, size_bytes);
    if (ready >= 0)
        return ready;
    return waited >= 0 && waited < least ? waited : least;
}

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes)
{
    struct pithi_header here = *header, other;
    header = &here;
    here.sent_ns -= pithi_delay_offset(wait->end_ns);
    other = here;
    uint64_t other_bytes = size_bytes;
    if (!pithi_delay_one_clock) { /* of several the one with the smallest delay */
        if (wait->count++ == 0 || header->delay_ns < wait->last.delay_ns)
            wait->last = *header;
        return;
    }
    learn(wait, header, size_bytes);
    if (wait->count == 0 || header->sent_ns > wait->last.sent_ns) {
        other = wait->last;
        other_bytes = wait->last_bytes;
        wait->last = *header;
        wait->last_bytes = size_bytes;
    }
    if (wait->count++ > 0)
        wait->others_ns = later(wait->others_ns, other.sent_ns - other.delay_ns + way(wait, other_bytes));
}

void pithi_delay_waited(const struct pithi_wait *wait)
{
    int64_t x2 = delay(), x1 = wait->last.delay_ns, sent = wait->last.sent_ns, took = wait->end_ns - wait->begin_ns, x;
    if (wait->count == 0)
        return;
    if (!pithi_delay_one_clock) {
        pithi_delay_set(earlier(x1, x2 + took));
        return;
    }
    int64_t least = earlier(least_call(wait, wait->last_bytes), took), under_way = way(wait, wait->last_bytes);
    if (sent + under_way > wait->begin_ns + least) /* it waited */
        x = earlier(x1, x2 + took - least);
    else
        x = earlier(x2, x1 + wait->end_ns - sent - under_way);
    pithi_delay_set(earlier(x, wait->end_ns - wait->others_ns));
}
