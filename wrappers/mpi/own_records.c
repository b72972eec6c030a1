/* own_records.c - see own.h: the cost of records, which libpith counts. */
#include "own.h"

#include "cost_probes.h"
#include "nested.h"
#include "pith_tool.h"

/* Spent by PITH_COMPENSATE itself, and not yet in the log. */
static __thread int64_t untold_ns __attribute__((tls_model("initial-exec")));
static __thread int64_t waited_ns __attribute__((tls_model("initial-exec"))); /* likewise: the delay */
static __thread int has_waited __attribute__((tls_model("initial-exec")));
static uint32_t counter;

void pithi_own_begin(void)
{
    pithi_cost_probes();
    pith_own_cost_sum();
    counter = pith_counter_define("pith:delay", "ns");
}

int64_t pithi_own_ns(void) { return pith_own_cost_sum() + untold_ns; }

void pithi_own_add(int64_t ns) { untold_ns += ns; }

int pithi_own_clock(int64_t local_ns, int64_t *offset_ns) { return pith_job_clock(local_ns, offset_ns); }

/* Was done when the job was joined. */
int pithi_own_compare(void) { return -1; }

void pithi_own_over(void)
{
    pith_same_from_now();
    pithi_self.stamped = 1;
}

void pithi_own_waited(int64_t delay_ns)
{
    waited_ns = delay_ns;
    has_waited = 1;
}

void pithi_own_tell(void)
{
    if (!pith_recording())
        return;
    if (untold_ns > 0)
        pith_own_cost((uint64_t)untold_ns);
    untold_ns = 0;
    if (has_waited)
        pith_count(counter, (double)waited_ns);
    has_waited = 0;
}

void pithi_own_fact(const char *key, const char *value) { pith_property(key, value); }
