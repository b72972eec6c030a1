/* test_record_defs.c - definitions and properties by the hundred thousand: none is lost, in the program, at its end or
 * when the log is opened. How the time grows with their number: test/bench/bench_growth.sh. */
#include "record_help.h"

#include <malloc.h>

#include "common/quick_or_full.h"

enum { PROPERTIES = 80000, IDS = 1048574 };
static uint32_t many;

static void define(uint32_t count)
{
    char name[32];
    uint32_t i, before = 0;
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "state %u", i);
        uint32_t id = pith_state_define(name, NULL);
        if (id != (i < IDS ? before + 1 : 0))
            exit(3);
        before = id;
    }
    if (pith_state_define("state 0", NULL) != 1)
        exit(4);
    pith_begin(1);
    pith_end(1);
}

static void record_definitions(void)
{
    define(many);
    pith_finish();
}

static void test_definitions(void)
{
    struct help_log log;
    help_fresh();
    int good = help_child(record_definitions) == 0 && help_read(&log, "run.pith");
    const struct pithlog_def *last = good ? pithlog_get_def(log.log, many - 1) : NULL;
    OK(last != NULL && strncmp(last->name, "state ", 6) == 0, "%u definitions come back", many);
    OK(good && help_count(&log, PITHLOG_LEAVE, "state 0") == 1, "and the record with one of them");
    help_close(&log);
}

static size_t allocated(void)
{
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
#endif
    return 0;
}

/* The table grows several times meanwhile. */
static void record_after_malloc(void)
{
    define(1);
    size_t before = allocated();
    define(100000);
    if (allocated() != before)
        exit(5);
}

static void test_no_malloc(void)
{
    help_fresh();
    OK(help_child(record_after_malloc) == 0, "definitions need no malloc, which a signal handler may have interrupted");
}

static void record_too_many(void) { define(IDS + 50000); }

static void test_ids_run_out(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_too_many) == 0 && help_read(&log, "run.pith"), "ids run out after %d definitions", IDS);
    OK(log.info->defs >= IDS && help_count(&log, PITHLOG_ENTER, "state 0") == 1, "and those that there are work");
    help_close(&log);
}

static void record_properties(void)
{
    char key[32];
    uint32_t i;
    for (i = 0; i < PROPERTIES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        pith_property(key, i % 2 == 0 ? "even" : "odd");
    }
    pith_property("key 0", "anew");
    pith_finish();
}

static void test_properties(void)
{
    struct help_log log;
    const char *key, *value;
    uint32_t found = 0, anew = 0;
    help_fresh();
    int good = help_child(record_properties) == 0 && help_read(&log, "run.pith");
    for (uint32_t i = 0; good && (key = pithlog_get_property(log.log, i, &value)) != NULL; i++) {
        found += strncmp(key, "key ", 4) == 0;
        anew += strcmp(key, "key 0") == 0 && strcmp(value, "anew") == 0;
    }
    help_close(&log);
    OK(good && found == PROPERTIES && anew == 1, "%d properties come back, the last value of each", PROPERTIES);
}

int main(void)
{
    help_begin();
    many = fewer_sanitized(1 << 17, 1 << 19); /* (test_ids_run_out makes a million) */
    test_definitions();
    test_no_malloc();
    test_ids_run_out();
    test_properties();
    help_clean();
    return tap_done();
}
