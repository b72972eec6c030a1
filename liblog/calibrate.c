/* calibrate.c - see calibrate.h.
 *
 * At the end and not at the start: the program does not wait for it, and code and clock are as they were while it ran.
 * What is left out: the slow road once in some ten thousand records (README.md, "Pauses"), 2 to 4 ns a record. */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "clock.h"
#include "own_sum.h"
#include "pith.h"
#include "pith_tool.h"
#include "session.h"

_Static_assert((int)PITH_OWN_CALL == (int)PITHLOG_OWN_CALL && (int)PITH_OWN_SEND == (int)PITHLOG_SEND &&
                   (int)PITH_OWN_RECV == (int)PITHLOG_RECV && (int)PITH_OWN_COLL == (int)PITHLOG_COLL,
               "pith_tool.h names the kinds that pithlog.h does");

enum { BATCHES = 15, RECORDS = 64, WORDS = 8 }; /* words of a call's records at most, and some to spare */

static struct pithi_own_cost costs;
static int calibrated;

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static uint64_t scratch[BATCHES * RECORDS * WORDS + 64];

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median of batches of calls, in ns a call. Memory is touched before, as a thread's chunks are. */
static double measure(void (*call)(void))
{
    double ns[BATCHES];
    struct pithi_aside aside;
    memset(scratch, 0, sizeof scratch);
    pithi_buffer_aside(&aside, scratch, scratch + sizeof scratch / sizeof scratch[0] - 16);
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t from = pithi_clock_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < RECORDS; i++)
            call();
        ns[batch] = (double)(pithi_clock_ns(CLOCK_MONOTONIC) - from) / RECORDS;
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
    /* Paused, records that are not inline do nothing, and without an inline clock none is. */
    if (calibrated || (!pithi_clock_inline && state != PITHI_RECORDING))
        return;
    calibrated = 1;
    double loop = measure(nothing);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        note(kinds[i].kind, measure(kinds[i].call) - loop);
    if (state != PITHI_RECORDING)
        note(PITHLOG_COUNTER, costs.ns[PITHLOG_EVENT]);
}

const struct pithi_own_cost *pithi_calibrate_costs(void) { return &costs; }

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

/* ---- What wrappers spend beside ---------------------------------------------------------------------------------- */

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
    if (total == 0) /* so that the first sum is not taken for one of which the beginning was cut off */
        pith_count(id, 0);
    total += ns;
    pithi_own_sum_add(ns);
    pith_count(id, (double)total);
}
