/* test_calibrate.c - the recorder knows its own cost: in the log, plausible, and leaving no trace in it. */
#include "record_help.h"

static void record_some(void)
{
    uint32_t work = pith_state_define("work", "red");
    for (int i = 0; i < 1000; i++) {
        pith_begin(work);
        pith_end(work);
    }
}

static void record_paused(void)
{
    record_some();
    pith_pause();
}

static void test_costs(void (*scenario)(void), const char *what)
{
    struct help_log log;
    int good = 1;
    OK(help_child(scenario) == 0 && help_read(&log, "run.pith"), "%s", what);
    OK(help_count(&log, PITHLOG_ENTER, "work") == 1000 && help_count(&log, PITHLOG_EVENT, NULL) == 0 &&
           help_count(&log, PITHLOG_SEND, NULL) == 0 && log.info->lost == 0,
       "nothing of the measuring is recorded, nothing lost");
    for (uint32_t kind = PITHLOG_ENTER; kind <= PITHLOG_COLL; kind++)
        good &= pithlog_own_cost_ns(log.log, 0, kind) > 0 && pithlog_own_cost_ns(log.log, 0, kind) < 20000;
    OK(good, "each kind of record has a cost");
    OK(pithlog_own_cost_ns(log.log, 0, PITHLOG_LOST) == 0 && pithlog_own_cost_ns(log.log, 77, PITHLOG_ENTER) == 0 &&
           pithlog_own_cost_ns(log.log, 0, PITHLOG_OWN_CALL) == 0,
       "no other kind, no lane that is not there, no wrapper");
    help_close(&log);
    help_fresh();
}

/* ---- Probes ------------------------------------------------------------------------------------------------------ */

static int calls;

static void slow_send(void)
{
    struct timespec from, now;
    calls++;
    pith_comm_send(0, 0, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < 2000);
}

static void bare_call(void)
{
    pith_begin(1);
    pith_end(1);
}

static void record_probed(void)
{
    record_some();
    pith_own_cost_probe(PITH_OWN_SEND, slow_send);
    pith_own_cost_probe(PITH_OWN_CALL, bare_call);
    pith_own_cost_probe(99, slow_send);
    if (calls != 960)
        exit(3);
    pith_begin(pith_state_define("work", NULL)); /* recording goes on */
}

static void test_probe(void)
{
    struct help_log log;
    OK(help_child(record_probed) == 0 && help_read(&log, "run.pith"), "a wrapper has its calls measured");
    OK(help_count(&log, PITHLOG_SEND, NULL) == 0 && help_count(&log, PITHLOG_ENTER, "work") == 1001,
       "what they record goes nowhere, and what comes after is recorded");
    OK(pithlog_own_cost_ns(log.log, 0, PITH_OWN_SEND) >= 2000, "a send costs what it spends");
    OK(pithlog_own_cost_ns(log.log, 0, PITH_OWN_CALL) < 2000, "a call without anything beside its records, little");
    help_close(&log);
    help_fresh();
}

/* ---- pith_own_cost ----------------------------------------------------------------------------------------------- */

static void *another(void *unused)
{
    pith_own_cost(5);
    return unused;
}

static void record_told(void)
{
    pthread_t thread;
    pith_own_cost(100);
    pith_own_cost(20);
    if (pthread_create(&thread, NULL, another, NULL) != 0)
        exit(3);
    pthread_join(thread, NULL);
    pith_pause();
    pith_own_cost(1000);
    pith_resume();
    pith_own_cost(3);
}

static void test_told(void)
{
    struct help_log log;
    double values[2][5] = {{0}};
    unsigned counts[2] = {0, 0};
    OK(help_child(record_told) == 0 && help_read(&log, "run.pith"), "a wrapper tells what it spent");
    for (size_t i = 0; i < log.count; i++)
        if (log.records[i].kind == PITHLOG_COUNTER && counts[log.records[i].lane] < 5)
            values[log.records[i].lane][counts[log.records[i].lane]++] = log.records[i].value;
    OK(help_count(&log, PITHLOG_COUNTER, "pith:own") == 6, "as the counter pith:own, not while paused");
    OK(counts[0] == 4 && values[0][0] == 0 && values[0][1] == 100 && values[0][2] == 120 && values[0][3] == 123,
       "the sum so far");
    OK(counts[1] == 2 && values[1][0] == 0 && values[1][1] == 5, "of each thread");
    help_close(&log);
    help_fresh();
}

int main(void)
{
    help_begin();
    test_costs(record_some, "a program without MPI");
    test_costs(record_paused, "one that ends in a pause");
    test_probe();
    test_told();
    help_clean();
    return tap_done();
}
