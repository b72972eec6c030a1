/* own_records.c - see own.h: the cost of records, which libpith counts. */
#include "own.h"

#include "cost_probes.h"
#include "pith_tool.h"

/* Spent by PITH_COMPENSATE itself, and not yet in the log. */
static __thread int64_t untold_ns __attribute__((tls_model("initial-exec")));
static uint32_t counter;

void pithi_own_begin(void)
{
    pithi_cost_probes();
    pith_own_cost_sum();
    counter = pith_counter_define("pith:delay", "ns");
}

int64_t pithi_own_ns(void) { return pith_own_cost_sum() + untold_ns; }

void pithi_own_add(int64_t ns) { untold_ns += ns; }

void pithi_own_tell(void)
{
    if (untold_ns <= 0 || !pith_recording())
        return;
    pith_own_cost((uint64_t)untold_ns);
    untold_ns = 0;
}

void pithi_own_tell_delay(int64_t delay_ns)
{
    static __thread int64_t told_ns __attribute__((tls_model("initial-exec")));
    if (delay_ns != told_ns)
        pith_count(counter, (double)delay_ns);
    told_ns = delay_ns;
}

void pithi_own_fact(const char *key, const char *value) { pith_property(key, value); }
