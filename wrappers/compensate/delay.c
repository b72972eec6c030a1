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

static int64_t look_ns; /* what a look at the clock takes: of two, one lies between them */

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

int64_t pithi_delay_spent(int64_t begin_ns)
{
    int64_t now = pithi_delay_clock();
    pithi_own_add(now - begin_ns + look_ns);
    return now;
}

void pithi_delay_set(int64_t x_ns)
{
    delay();
    self.shift_ns = (x_ns > 0 ? x_ns : 0) - pithi_own_ns();
    publish(x_ns);
}

/* ---- Shortest times -------------------------------------------------------------------------------------------------
 * Whoever finds a shorter one while another thread does may be forgotten: it comes again. */

static struct pithi_least messages[PITHI_SIZES]; /* from point to point: their ways; as `ready_ns` calls that sent */

static unsigned size_class(uint64_t size_bytes) { return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0; }

/* INT64_MAX: none seen. */
static int64_t get(const int64_t *least)
{
    int64_t known = __atomic_load_n(least, __ATOMIC_RELAXED);
    return known ? known - 1 : INT64_MAX;
}

static void lower(int64_t *least, int64_t ns)
{
    ns = ns > 0 ? ns : 0;
    if (ns < get(least))
        __atomic_store_n(least, ns + 1, __ATOMIC_RELAXED);
}

static struct pithi_least *way_of(const struct pithi_wait *wait, uint64_t size_bytes)
{
    return &(wait->ways ? wait->ways : messages)[size_class(size_bytes)];
}

/* 0: not known, for messages that lay there tell nothing; unless they came nearly as soon as one that came while a call
 * took its time. */
static int64_t known(const struct pithi_least *way)
{
    int64_t least = get(&way->way_ns), flight = get(&way->flight_ns);
    return get(&way->waited_ns) < INT64_MAX || (flight < INT64_MAX && flight - least <= least / 2) ? least : 0;
}

static int64_t known_way(const struct pithi_wait *wait, uint64_t size_bytes)
{
    return known(way_of(wait, size_bytes));
}

int64_t pithi_delay_way(uint64_t size_bytes) { return known(&messages[size_class(size_bytes)]); }

/* What its sender has seen is as good as what is seen here: a log tells of both. */
static void learn_way(const struct pithi_header *header, uint64_t size_bytes)
{
    struct pithi_least *way = &messages[size_class(size_bytes)];
    if (header->way_ns <= 0)
        return;
    lower(&way->way_ns, header->way_ns);
    lower(&way->waited_ns, header->way_ns);
}

/* Of a call for several messages the one that it waited for tells. */
static void learn(const struct pithi_wait *wait)
{
    struct pithi_least *call = &wait->least[size_class(wait->last_bytes)], *way = way_of(wait, wait->last_bytes);
    int64_t took = wait->end_ns - wait->begin_ns, lay = wait->begin_ns - wait->last.sent_ns, under_way;
    lower(&way->way_ns, took + lay);
    if (lay < 0)
        lower(&way->waited_ns, took);
    if (lay < took)
        lower(&way->flight_ns, took + lay);
    /* one sent before may have been under way still: then the call tells of that */
    under_way = known_way(wait, wait->last_bytes);
    lower(lay >= (under_way ? under_way : took) ? &call->ready_ns : &call->waited_ns, took);
}

void pithi_delay_sent(uint64_t size_bytes, int64_t ns) { lower(&messages[size_class(size_bytes)].ready_ns, ns); }

/* Where all calls waited: not longer than the shortest of them, than a message was under way, than sending one took. */
static int64_t least_call(const struct pithi_wait *wait, uint64_t size_bytes)
{
    const struct pithi_least *call = &wait->least[size_class(size_bytes)];
    int64_t least = known_way(wait, size_bytes), sent = get(&messages[size_class(size_bytes)].ready_ns);
    if (get(&call->ready_ns) < INT64_MAX)
        return get(&call->ready_ns);
    if (get(&call->waited_ns) < least)
        least = get(&call->waited_ns);
    return !wait->ways && sent < least ? sent : least;
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
    if (!wait->ways)
        learn_way(header, size_bytes);
    if (wait->count == 0 || header->sent_ns > wait->last.sent_ns ||
        (header->sent_ns == wait->last.sent_ns && header->delay_ns < wait->last.delay_ns)) {
        other = wait->last;
        other_bytes = wait->last_bytes;
        wait->last = *header;
        wait->last_bytes = size_bytes;
    }
    if (wait->count++ > 0) { /* its way took no longer than up to now */
        int64_t way = earlier(known_way(wait, other_bytes), wait->end_ns - other.sent_ns);
        wait->others_ns = later(wait->others_ns, other.sent_ns - other.delay_ns + way);
    }
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
    if (wait->least)
        learn(wait);
    int64_t least = wait->least ? earlier(least_call(wait, wait->last_bytes), took) : 0;
    int64_t under_way = known_way(wait, wait->last_bytes);
    if (sent + under_way > wait->begin_ns + least) /* it waited */
        x = earlier(x1, x2 + took - least);
    else
        x = earlier(x2, x1 + wait->end_ns - sent - under_way);
    pithi_delay_set(earlier(x, wait->end_ns - wait->others_ns));
}
