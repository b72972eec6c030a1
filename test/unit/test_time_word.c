/* test_time_word.c - the times that users write: numbers, init, finalize, end, instances of states, times counted from
 * them. */
#include <string.h>

#include "core_log.h"
#include "tap.h"

static int time_is(const char *word, int64_t wanted)
{
    int64_t time = -77;
    return pithlog_time_parse(word, &time) == PITH_OK && pithlog_time_check(word) == PITH_OK && time == wanted;
}

static void test_numbers(void)
{
    static const char *const wrong[] = {"",           "x",       "1h",     "nan",    "inf",   "1  s",
                                        "1 ",         "ms",      "1:2",    "1:60",   ":05",   "1:05s",
                                        "1:02:03:04", "1:05 ms", "1e2:05", "1.5:05", "0x1:05"};
    int64_t time = -77;
    int refused = 1;

    OK(time_is("1.5", 1500000000) && time_is("20ms", 20000000) && time_is("7ns", 7) && time_is("3us", 3000) &&
           time_is("-2s", -2000000000) && time_is("1e-3", 1000000) && time_is("0.1234567894", 123456789),
       "times with and without units");
    OK(time_is("1732312345123456789ns", 1732312345123456789) && time_is("1732312345.123456789", 1732312345123456789),
       "to the nanosecond");
    OK(time_is("2:05", 125000000000) && time_is("2:05.3", 125300000000) &&
           time_is("1:02:33.000000001", 3753000000001) && time_is("-0:01", -1000000000) &&
           time_is("90:00", 5400000000000) && time_is("100:00:00.", 360000000000000),
       "minutes and seconds; hours, minutes and seconds");
    OK(time_is("1 s", 1000000000) && time_is("340.1 us", 340100), "as Pith writes times");
    OK(time_is("1e300", INT64_MAX / 2) && time_is("-1e30", -(INT64_MAX / 2)), "146 years at most");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused &= pithlog_time_parse(wrong[i], &time) == PITH_ERR_USAGE && pithlog_time_check(wrong[i]);
    OK(refused && time == -77, "what is no time");
    OK(pithlog_time_parse("init", &time) == PITH_ERR_USAGE &&
           strcmp(pithlog_error(), "'init' is not a time such as 1.5, 3ms, 20us or 7ns") == 0,
       "a word that needs a log is no number");
}

static void test_words(void)
{
    static const char *const good[] = {"init",   "finalize", "solve[1]",   "a b[2][3]",     "[[4]",
                                       "1.5[2]", "end",      "init+100ms", "finalize-1:00", "a+1[2]-3us",
                                       "a+1[2]", "1+1e-3",   "init+1e-3",  "end - 5 ms"};
    static const char *const wrong[] = {"Init",    "solve",      "solve[]",  "solve[0]", "solve[x]", "solve[-1]",
                                        "solve[1", "solve[1]x",  "[1]",      "init+",    "init+x",   "init+-1s",
                                        "+init",   "init+1s+1s", "solve+1s", "1s+init",  "solve[ 1]"};
    int all = 1;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        all &= pithlog_time_check(good[i]) == PITH_OK;
    OK(all, "words");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        all &= pithlog_time_check(wrong[i]) == PITH_ERR_USAGE;
    OK(all, "no words");
    OK(strcmp(pithlog_error(),
              "'solve[ 1]' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]") == 0,
       "the text names what is accepted");
}

static int64_t find(struct pithlog *log, const char *word, enum pithlog_edge edge)
{
    int64_t time;
    return pithlog_time_find(log, word, edge, &time) == PITH_OK ? time : -1;
}

#define BEGIN PITHLOG_EDGE_BEGIN
#define END PITHLOG_EDGE_END

/* Rank 1 calls MPI on its second thread. f is once inside itself on lane a, and overlaps lane b's; the last f has no
 * end. */
static void test_log(void)
{
    struct core_log made;
    uint32_t init, thread, finalize, f, a, b, c;
    struct pithlog *log;

    core_log_begin(&made);
    init = core_define(&made, PITHLOG_STATE, "MPI_Init", "");
    thread = core_define(&made, PITHLOG_STATE, "MPI_Init_thread", "");
    finalize = core_define(&made, PITHLOG_STATE, "MPI_Finalize", "");
    f = core_define(&made, PITHLOG_STATE, "f", "");
    a = core_lane(&made, 0, 0, NULL);
    b = core_lane(&made, 1, 0, NULL);
    c = core_lane(&made, 1, 1, NULL);
    core_add(&made, a, PITHLOG_ENTER, 10, init);
    core_add(&made, a, PITHLOG_LEAVE, 50, init);
    core_add(&made, a, PITHLOG_ENTER, 100, f);
    core_add(&made, a, PITHLOG_ENTER, 120, f);
    core_add(&made, a, PITHLOG_LEAVE, 130, f);
    core_add(&made, a, PITHLOG_LEAVE, 200, f);
    core_add(&made, a, PITHLOG_ENTER, 900, finalize);
    core_add(&made, a, PITHLOG_LEAVE, 1000, finalize);
    core_add(&made, b, PITHLOG_LEAVE, 5, f);
    core_add(&made, b, PITHLOG_ENTER, 110, f);
    core_add(&made, b, PITHLOG_LEAVE, 115, f);
    core_add(&made, b, PITHLOG_ENTER, 300, f);
    core_add(&made, c, PITHLOG_ENTER, 20, thread);
    core_add(&made, c, PITHLOG_LEAVE, 70, thread);
    core_add(&made, c, PITHLOG_ENTER, 850, finalize);
    core_add(&made, c, PITHLOG_LEAVE, 990, finalize);
    log = core_log_end(&made);
    OK(find(log, "init", BEGIN) == 70 && find(log, "init", END) == 70, "init: the last end, also on another thread");
    OK(find(log, "finalize", END) == 900 && find(log, "finalize", BEGIN) == 900, "finalize: the last begin");
    OK(find(log, "f[1]", BEGIN) == 100 && find(log, "f[1]", END) == 200, "the first f, with one inside");
    OK(find(log, "f[2]", BEGIN) == 110 && find(log, "f[2]", END) == 115, "the second, on another lane");
    OK(find(log, "f[3]", BEGIN) == 120 && find(log, "f[3]", END) == 130, "the third, inside the first");
    OK(find(log, "f[4]", BEGIN) == 300 && find(log, "f[4]", END) == 1000, "the fourth lasts until the log's end");
    OK(find(log, "f[5]", BEGIN) == -1 && strstr(pithlog_error(), ": f[5]: the log has 4 instances of this state"),
       "there is no fifth");
    OK(find(log, "g[1]", BEGIN) == -1 && strstr(pithlog_error(), ": g[1]: the log has 0 instances of this state"),
       "nor a state g");
    OK(find(log, "end", BEGIN) == 1000 && find(log, "end-1us", END) == 0 && find(log, "init+30ns", BEGIN) == 100 &&
           find(log, "init + 30 ns", END) == 100 && find(log, "finalize-50ns", END) == 850 &&
           find(log, "f[2]+1ns", BEGIN) == 111 && find(log, "f[2]+1ns", END) == 116 &&
           find(log, "1us-10ns", END) == 990,
       "times counted from a place");
    OK(find(log, "g[1]+1s", BEGIN) == -1 && strstr(pithlog_error(), ": g[1]: the log has 0 instances of this state"),
       "from one that is not there");
    OK(find(log, "30ns", END) == 30 && find(log, "x", END) == -1, "numbers");
    pithlog_close(log);
}

/* A log from 2026-11-29 13:03:05.25 UTC, an hour later in its zone, that lasts three hours, or thirty. */
static struct pithlog *clocked_log(const char *start, int64_t end_s)
{
    struct core_log made;
    uint32_t lane, work;

    core_log_begin(&made);
    work = core_define(&made, PITHLOG_STATE, "work", "");
    lane = core_lane(&made, 0, 0, NULL);
    if (start)
        core_check(pithi_defs_property(pithi_writer_defs(made.writer), "start_unix_s", start));
    core_add(&made, lane, PITHLOG_ENTER, 0, work);
    core_add(&made, lane, PITHLOG_LEAVE, end_s * 1000000000, work);
    return core_log_end(&made);
}

static void test_dates(void)
{
    static const char *const wrong[] = {"T14:03",
                                        "T14:03:60",
                                        "T24:00:00",
                                        "14:03:05Z",
                                        "2026-11-29T",
                                        "2026-13-29",
                                        "2026-11-32",
                                        "2026-1-29",
                                        "26-11-29",
                                        "2026-11-29T14:03",
                                        "2026-11-29TT14:03:05",
                                        "T-1:03:05",
                                        "2026-11-29x14:03:05",
                                        "T4:03:05",
                                        "T14:03:05ZZ",
                                        "T14:03:05.x"};
    struct pithlog *log = clocked_log("1795957385.250000000", 10800), *day = clocked_log("1795957385.25", 108000),
                   *without = clocked_log(NULL, 1), *broken = clocked_log("soon", 1);
    int64_t unix_ns, local_ns;
    int refused = 1;

    setenv("TZ", "UTC-1", 1);
    OK(pithlog_wall_clock(log, &unix_ns, &local_ns) && unix_ns == 1795957385250000000 &&
           local_ns == unix_ns + 3600000000000,
       "the wall clock");
    OK(find(log, "2026-11-29T14:03:06", BEGIN) == 750000000 && find(log, "2026-11-29 14:03:06.5", END) == 1250000000 &&
           find(log, "2026-11-29T13:03:06Z", BEGIN) == 750000000 && find(log, "T14:03:06", BEGIN) == 750000000 &&
           find(log, "T13:03:06Z", BEGIN) == 750000000 && find(log, "T14:03:06-250ms", BEGIN) == 500000000,
       "dates and times of day");
    OK(find(log, "2026-11-30", BEGIN) == 35814750000000 && find(log, "2026-11-30 - 1s", BEGIN) == 35813750000000,
       "midnight");
    OK(pithlog_time_find(log, "T14:03:05", BEGIN, &unix_ns) == PITH_OK && unix_ns == -250000000,
       "shortly before the log begins");
    OK(find(log, "T17:04:00", BEGIN) == 10854750000000 && find(day, "T13:03:05.5", BEGIN) == 82800250000000 &&
           find(day, "T14:03:06", BEGIN) == 750000000,
       "after its end; the next day; the first of two");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused &= pithlog_time_check(wrong[i]) == PITH_ERR_USAGE;
    OK(refused, "no dates");
    OK(find(without, "2026-11-29", BEGIN) == -1 &&
           strstr(pithlog_error(), ": 2026-11-29: this log does not know when it was recorded") &&
           !pithlog_wall_clock(without, &unix_ns, &local_ns) && !pithlog_wall_clock(broken, &unix_ns, &local_ns),
       "logs without a clock");
    pithlog_close(log);
    pithlog_close(day);
    pithlog_close(without);
    pithlog_close(broken);
}

static void test_without(void)
{
    struct core_log made;
    struct pithlog *log;

    core_log_begin(&made);
    core_add(&made, core_lane(&made, 0, 0, NULL), PITHLOG_ENTER, 5, core_define(&made, PITHLOG_STATE, "work", ""));
    log = core_log_end(&made);
    OK(find(log, "init", BEGIN) == -1 && strstr(pithlog_error(), ": init: there is no MPI_Init in this log"),
       "no init");
    OK(find(log, "finalize", END) == -1 && strstr(pithlog_error(), ": finalize: there is no MPI_Finalize in this log"),
       "no finalize");
    pithlog_close(log);
}

int main(void)
{
    test_numbers();
    test_words();
    test_log();
    test_dates();
    test_without();
    return tap_done();
}
