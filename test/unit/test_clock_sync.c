/* test_clock_sync.c - clocks made one: points that count, times between and outside of them, spans turned into another
 * clock's time; what a log's properties tell of clocks; points that no clock gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/clocks.h"
#include "native/segment.h"
#include "spill/clock_sync.h"
#include "tap.h"

#define S INT64_C(1000000000)

static struct pithi_sync point(int64_t local_ns, int64_t offset_ns, int64_t round_ns)
{
    return (struct pithi_sync){local_ns, offset_ns, round_ns, 0};
}

static void moments(void)
{
    struct pithi_sync p[3] = {point(10 * S, 700000, 6000), point(0, 500000, 4000), point(20 * S, 700000, 4000)};
    OK(pithi_sync_ns(p, 0, 5) == 5, "without points nothing changes");
    OK(pithi_sync_tidy(p, 3) == 3 && p[0].local_ns == 0 && p[2].local_ns == 20 * S, "points are sorted");
    OK(pithi_sync_ns(p, 3, 5 * S / 2) == 5 * S / 2 + 550000, "the worked example: 2.5 s");
    OK(pithi_sync_ns(p, 3, 10 * S) == 10 * S + 700000 && pithi_sync_ns(p, 3, 15 * S) == 15 * S + 700000,
       "at a point, and in the next piece");
    OK(llabs(pithi_sync_ns(p, 3, 30 * S) - 30 * S - 800000) < 2000, "behind the last, the drift of the whole");
    OK(llabs(pithi_sync_ns(p, 3, -10 * S) + 10 * S - 400000) < 2000, "before the first too");
    OK(pithi_sync_ns(p, 1, 99 * S) == 99 * S + 500000, "one point: its offset");
    p[1] = point(100000000, 500400, 2000000); /* 4 ppm that errors of a millisecond may feign */
    OK(llabs(pithi_sync_ns(p, 2, 10 * S) - 10 * S - 500000) < 1000, "what errors may feign is not carried on");
}

static void choice(void)
{
    struct pithi_sync p[4] = {point(0, 5, 4000), point(1000, 7, 2000), point(2000, 9, 3000), point(S, 100, 5000)};
    OK(pithi_sync_tidy(p, 4) == 2 && p[0].round_ns == 2000 && p[1].local_ns == S, "of points close by, the best");
    struct pithi_sync q[3] = {point(0, 5, -4), point(INT64_MIN, INT64_MAX, 0), point(INT64_MAX, INT64_MIN, 1)};
    uint32_t count = pithi_sync_tidy(q, 3);
    OK(count == 2, "no round trip is negative");
    pithi_sync_ns(q, count, 0);
    pithi_sync_ns(q, count, INT64_MAX);
    OK(pithi_sync_tidy(NULL, 0) == 0, "no points");
}

static void spans(void)
{
    struct pithi_anchor anchors[2] = {{1000, 5 * S, 0}, {1000 + 26 * (uint64_t)S, 15 * S, 0}};
    struct pithi_sync p[2] = {point(6 * S, 1000000, 2000), point(14 * S, 1400000, 2000)};
    struct pithi_spill_time plain, time;
    int64_t worst = 0, before = INT64_MIN;
    int falls = 0;
    pithi_time_fit(&plain, &(struct pithi_spill_page){.clock = PITHI_CLOCK_TSC}, anchors, 2, NULL);
    pithi_time_fit(&time, &(struct pithi_spill_page){.clock = PITHI_CLOCK_TSC}, anchors, 2, NULL);
    OK(pithi_sync_correct(&time, p, 2) == PITH_OK && time.spans[time.count].ticks == UINT64_MAX, "spans are corrected");
    for (uint64_t ticks = 0; ticks < 40 * (uint64_t)S; ticks += 77777777) {
        int64_t ns = pithi_time_ns(&time, ticks);
        int64_t off = llabs(ns - pithi_sync_ns(p, 2, pithi_time_ns(&plain, ticks)));
        worst = off > worst ? off : worst;
        falls += ns < before;
        before = ns;
    }
    OK(worst <= 2 && !falls, "each moment as by way of the local clock (to %d ns), none before another", (int)worst);
    pithi_time_free(&plain);
    pithi_time_free(&time);
}

/* A log with this property, opened; its only other clock. */
static void told(const char *value, struct pithi_clock *clock, char *fault, size_t size)
{
    struct pithi_writer *writer;
    struct pithlog *log = NULL;
    struct pithi_clock *clocks;
    uint32_t count, lane;
    pithi_writer_open(&writer, "clock.pith", -1);
    pithi_writer_rank(writer, &(struct pithi_rank){0, "a", 1, 0});
    pithi_writer_lane(writer, 0, 0, NULL, &lane);
    pithi_writer_rank(writer, &(struct pithi_rank){1, "b", 1, 7});
    pithi_writer_lane(writer, 1, 0, NULL, &lane);
    pithi_defs_property(pithi_writer_defs(writer), "clock_sync_7", value);
    pithi_defs_property(pithi_writer_defs(writer), "clock_error_ns", "600");
    pithi_writer_finish(writer);
    pithi_writer_close(writer);
    *clock = (struct pithi_clock){0};
    *fault = '\0';
    if (pithlog_open("clock.pith", &log) != PITH_OK)
        return;
    if (pithi_clocks_read(log, &clocks, &count) == PITH_OK && count == 1) {
        *clock = clocks[0];
        snprintf(fault, size, "%s", pithi_clock_fault(&clocks[0]));
        OK(pithlog_clock_error(log, 0, 0) == 0 && pithlog_clock_error(log, 0, 1) == clock->error_ns &&
               pithlog_clock_error(log, 0, 2) == -1,
           "the error between two lanes: %s", value);
        clock->points = NULL;
    }
    pithi_clocks_free(clocks, count);
    pithlog_close(log);
}

static void judged(void)
{
    static const struct {
        const char *value, *fault;
        uint32_t count;
        int64_t error_ns;
    } rows[] = {
        {"rank 1 0:500:100 1000000000:20500:200", "", 2, 100},
        {"rank 1 0:0:100 1000000000:20000:100 2000000000:40000:100 3000000000:60000:100", "", 4, 50},
        {"rank 1 0:0:100 1000000000:20040:100 2000000000:39960:100 3000000000:60040:100", "", 4, 50},
        {"rank 1 0:0:100 1000000000:20000:100 2000000000:41000:100 3000000000:60000:100", "drifts unevenly", 4, 50},
        {"rank 1 0:0:100 1000000000:50000000:100 2000000000:50000000:100", "steps", 3, 50},
        {"rank 1", "was never compared", 0, -1},
        {"rank 1 5:5:5 4:4:4 6:6", "", 1, 3},
        {"rank 1 9223372036854775807:9223372036854775807:9223372036854775807 0:0:-5", "was never compared", 0, -1},
        {"nonsense", "was never compared", 0, -1},
        {"", "was never compared", 0, -1},
        {"rank 99999999999999999999 1:2:3", "", 1, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pithi_clock clock;
        char fault[64];
        told(rows[i].value, &clock, fault, sizeof fault);
        OK(strcmp(fault, rows[i].fault) == 0 && clock.count == rows[i].count && clock.error_ns == rows[i].error_ns,
           "%s: %s (%u points, %d ns)", rows[i].value, fault, (unsigned)clock.count, (int)clock.error_ns);
    }
}

int main(void)
{
    char folder[] = "/tmp/pith-clock-sync.XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    moments();
    choice();
    spans();
    judged();
    unlink("clock.pith");
    rmdir(folder);
    return tap_done();
}
