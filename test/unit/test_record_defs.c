/* test_record_defs.c - definitions and properties by the hundred thousand: the time grows with their number, in the
 * program, at its end and when the log is opened. */
#include <time.h>

#include "record_help.h"

enum { SOME = 1 << 16, MANY = SOME * 8, IDS = 1048574 };

static uint32_t wanted;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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
    double begin = now_s();
    define(wanted);
    pith_finish();
    FILE *file = fopen("seconds", "w");
    fprintf(file, "%.6f", now_s() - begin);
    fclose(file);
}

/* What recording and opening take: seconds of processor time. */
static double record_s, open_s;

static int measure(uint32_t count)
{
    struct help_log log;
    wanted = count;
    help_fresh();
    if (help_child(record_definitions) != 0)
        return 0;
    FILE *file = fopen("seconds", "r");
    int good = file != NULL && fscanf(file, "%lf", &record_s) == 1;
    fclose(file);
    double begin = now_s();
    good &= help_read(&log, "run.pith");
    open_s = now_s() - begin;
    const struct pithlog_def *last = good ? pithlog_get_def(log.log, count - 1 < IDS ? count - 1 : IDS - 1) : NULL;
    printf("# %u definitions: recorded and written in %.3f s, opened in %.3f s\n", count, record_s, open_s);
    good = good && last != NULL && strncmp(last->name, "state ", 6) == 0 && help_count(&log, PITHLOG_LEAVE, "state 0");
    help_close(&log);
    return good;
}

static void test_time(void)
{
    double some_record_s, some_open_s;
    OK(measure(SOME), "%d definitions come back", SOME);
    some_record_s = record_s;
    some_open_s = open_s;
    OK(measure(MANY), "%d definitions come back", MANY);
    /* in linear time 8, in quadratic time 64 */
    OK(record_s < 24 * (some_record_s + 0.01), "eight times as many take no longer each, in the program");
    OK(open_s < 24 * (some_open_s + 0.01), "nor when the log is opened");
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
    for (i = 0; i < wanted; i++) {
        snprintf(key, sizeof key, "key %u", i);
        pith_property(key, i % 2 == 0 ? "even" : "odd");
    }
    pith_property("key 0", "anew");
    pith_finish();
    FILE *file = fopen("seconds", "w");
    fprintf(file, "%.6f", now_s());
    fclose(file);
}

static double properties_s(uint32_t count, int *good)
{
    struct help_log log;
    const char *key, *value;
    double took = 1e9;
    uint32_t found = 0, anew = 0;
    wanted = count;
    help_fresh();
    *good = help_child(record_properties) == 0 && help_read(&log, "run.pith");
    for (uint32_t i = 0; *good && (key = pithlog_get_property(log.log, i, &value)) != NULL; i++) {
        found += strncmp(key, "key ", 4) == 0;
        anew += strcmp(key, "key 0") == 0 && strcmp(value, "anew") == 0;
    }
    *good = *good && found == count && anew == 1;
    help_close(&log);
    FILE *file = fopen("seconds", "r");
    if (file == NULL || fscanf(file, "%lf", &took) != 1)
        *good = 0;
    if (file != NULL)
        fclose(file);
    return took;
}

static void test_properties(void)
{
    int good;
    double some_s = properties_s(10000, &good);
    OK(good, "10000 properties come back, the last word of each");
    double many_s = properties_s(80000, &good);
    OK(good, "80000 properties come back");
    printf("# %.3f s, %.3f s\n", some_s, many_s);
    OK(many_s < 24 * (some_s + 0.01), "eight times as many take no longer each");
}

int main(void)
{
    help_begin();
    test_time();
    test_ids_run_out();
    test_properties();
    help_clean();
    return tap_done();
}
