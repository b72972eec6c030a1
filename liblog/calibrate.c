/* calibrate.c - measures the cost of a record, and adds up the costs of a thread.
 *
 * It measures at the end of the run. So the program does not wait for the measurement, and code and clock are in the
 * same condition as during the run. The slow path, taken once in some ten thousand records (README.md, "Pauses"), is
 * not included; on average it adds 2 to 4 ns to a record.
 */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "clock.h"
#include "counters.h"
#include "native/own_cost.h"
#include "pith.h"
#include "pith_tool.h"
#include "session.h"
#include "spill/spill_walk.h"

_Static_assert((int)PITH_OWN_CALL == (int)PITHLOG_OWN_CALL && (int)PITH_OWN_SEND == (int)PITHLOG_SEND &&
                   (int)PITH_OWN_RECV == (int)PITHLOG_RECV && (int)PITH_OWN_COLL == (int)PITHLOG_COLL,
               "pith_tool.h names the kinds that pithlog.h does");

/* WORDS, WORDS_COUNTED: more 64-bit words than a call stores, without and with counters */
enum { BATCHES = 15, RECORDS = 64, WORDS = 8, WORDS_COUNTED = 40 };

static struct pithi_own_cost costs; /* written while calibrating, read-only after that */
static int calibrated;              /* 1: `costs` is known */

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static uint64_t scratch[BATCHES * RECORDS * WORDS_COUNTED + 64]; /* where the records of the measurement go */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Returns the time of a call in ns: the median of batches. The memory is touched first, so that no page faults are
 * measured. Recording has none either, because chunks are mapped ahead. */
static double measure(void (*call)(void))
{
    double ns[BATCHES];
    struct pithi_aside aside;
    /* Reading counters takes so long that the thread loses its core in many batches. So the thread's CPU time is
     * measured. */
    clockid_t clock = pithi_counters_on ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    size_t words = BATCHES * RECORDS * (size_t)(pithi_counters_on ? WORDS_COUNTED : WORDS);
    memset(scratch, 0, (words + 64) * sizeof scratch[0]);
    pithi_buffer_aside(&aside, scratch, scratch + words + 48);
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t from = pithi_clock_ns(clock);
        for (int i = 0; i < RECORDS; i++)
            call();
        ns[batch] = (double)(pithi_clock_ns(clock) - from) / RECORDS;
    }
    pithi_buffer_back(&aside);
    qsort(ns, BATCHES, sizeof ns[0], compare);
    return ns[BATCHES / 2];
}

static void nothing(void) { __asm__ volatile("" ::: "memory"); }
static void enter(void) { pith_begin(1); }
static void leave(void) { pith_end(1); }
static void event(void) { pith_event(1); }
static void count(void) { pith_count(1, 1); }
static void send_one(void) { pith_comm_send(0, 0, 0, 0); }
static void receive(void) { pith_comm_recv(0, 0, 0, 0, 0); }
static void coll(void) { pith_comm_coll(0, 0, 0, 0); }

/* ---- All kinds --------------------------------------------------------------------------------------------------- */

static void note(uint32_t kind, double ns) { costs.ns[kind] = ns > 0 ? ns : 0; }

void pithi_calibrate(void)
{
    static const struct {
        uint32_t kind;
        void (*call)(void);
    } kinds[] = {{PITHLOG_ENTER, enter},   {PITHLOG_LEAVE, leave},  {PITHLOG_EVENT, event}, {PITHLOG_COUNTER, count},
                 {PITHLOG_SEND, send_one}, {PITHLOG_RECV, receive}, {PITHLOG_COLL, coll}};
    int state = pithi_state();
    /* In a pause the slow path stores nothing, so only calls that record inline can be measured. With counters, states
     * never record inline, so nothing is measured in a pause. */
    if (calibrated || (pithi_counters_on && state != PITHI_RECORDING))
        return;
    calibrated = 1;
    double loop = measure(nothing);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        note(kinds[i].kind, measure(kinds[i].call) - loop);
    if (state != PITHI_RECORDING)
        /* pith_count is never inline; a counter's record is taken to cost as much as an event's. */
        note(PITHLOG_COUNTER, costs.ns[PITHLOG_EVENT]);
}

void pith_own_cost_probe(uint32_t kind, void (*call)(void))
{
    struct pithi_guard guard;
    if (kind >= PITHLOG_OWN_COSTS || !pithi_guard_enter(&guard))
        return;
    if (pithi_session.file.page != NULL && pithi_session.state < PITHI_OVER) {
        pithi_calibrate();
        double ns = measure(call) - measure(nothing);
        note(kind, kind == PITHLOG_OWN_CALL ? ns - costs.ns[PITHLOG_ENTER] - costs.ns[PITHLOG_LEAVE] : ns);
    }
    pithi_guard_leave(&guard);
}

int pithi_calibrate_tell(struct pithi_defs *defs, const char *host)
{
    return calibrated ? pithi_own_cost_tell(defs, host, &costs) : PITH_OK;
}

/* ---- Own costs of wrappers --------------------------------------------------------------------------------------- */

void pith_own_cost(uint64_t ns)
{
    static uint32_t counter;
    static __thread uint64_t total;
    uint32_t id = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    if (!pith_recording())
        return;
    if (id == 0) {
        id = pith_counter_define(PITHI_OWN_COUNTER, "ns");
        __atomic_store_n(&counter, id, __ATOMIC_RELAXED);
    }
    if (total == 0) /* records the sum 0, which shows readers where the sum begins */
        pith_count(id, 0);
    total += ns;
    pithi_own_sum_add(ns);
    pith_count(id, (double)total);
}

/* ---- A thread's sum ---------------------------------------------------------------------------------------------- */

int pithi_own_summing;

static __thread struct {
    const uint64_t *seen; /* words before this one are counted; NULL: none of this chunk is */
    double ns;
} own __attribute__((tls_model("initial-exec")));

/* A bit for each id: 1 for a state of wrapped calls. States with ids of IDS and more count as not wrapped; the sum is
 * then about 1 ns too small for each of their calls. */
enum { IDS = 4096 };
static uint64_t wrapped[IDS / 64];

void pithi_own_sum_wrapped(uint32_t id)
{
    if (id < IDS)
        __atomic_or_fetch(&wrapped[id / 64], UINT64_C(1) << id % 64, __ATOMIC_RELAXED);
}

static int is_wrapped(uint64_t word)
{
    uint64_t id = word >> 4 & PITHI_WORD_ID_MASK;
    return id < IDS && (__atomic_load_n(&wrapped[id / 64], __ATOMIC_RELAXED) >> id % 64 & 1) != 0;
}

static double cost_of(uint64_t word)
{
    static const unsigned char kinds[16] = {
        [PITHI_W_ENTER] = PITHLOG_ENTER,     [PITHI_W_LEAVE] = PITHLOG_LEAVE,      [PITHI_W_EVENT] = PITHLOG_EVENT,
        [PITHI_W_COUNTER] = PITHLOG_COUNTER, [PITHI_W_EVENT_DATA] = PITHLOG_EVENT, [PITHI_W_SEND] = PITHLOG_SEND,
        [PITHI_W_RECV] = PITHLOG_RECV,       [PITHI_W_COLL] = PITHLOG_COLL};
    unsigned kind = kinds[word & 15];
    double ns = kind ? costs.ns[kind] : 0;
    return kind == PITHLOG_LEAVE && is_wrapped(word) ? ns + costs.ns[PITHLOG_OWN_CALL] : ns;
}

void pithi_own_sum_to(const struct pithi_lane *lane, const uint64_t *next)
{
    const uint64_t *word = own.seen ? own.seen : lane->entered ? lane->entered : lane->begin;
    uint64_t words;
    while (word < next && (words = pithi_spill_record_words(word, (uint64_t)(next - word))) != 0) {
        own.ns += cost_of(*word);
        word += words;
    }
    own.seen = word;
}

void pithi_own_sum_left(void) { own.seen = NULL; }

void pithi_own_sum_add(uint64_t ns) { own.ns += (double)ns; }

int64_t pith_own_cost_sum(void)
{
    __atomic_store_n(&pithi_own_summing, 1, __ATOMIC_RELAXED);
    pithi_buffer_sum();
    return (int64_t)own.ns;
}
