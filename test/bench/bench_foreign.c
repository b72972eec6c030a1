/* bench_foreign.c - how fast ALOG and CLOG-2 are written and read (into a native log), beside the same log read in
 * order of time. CPU time, best of 3; 2 million records of 4 ranks, or BENCH_RECORDS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "format.h"

static double now_s(void) { return bench_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9; }

static void must(int err)
{
    if (!err)
        return;
    fprintf(stderr, "bench_foreign: %s\n", pithlog_error());
    exit(0);
}

static uint32_t define(struct pithi_writer *writer, enum pithlog_def_kind kind, const char *name, const char *format)
{
    struct pithlog_def def = {kind, name, "", "user", format};
    uint32_t id;

    must(pithi_defs_add(pithi_writer_defs(writer), &def, &id));
    return id;
}

/* Of ten records eight are of states, nested by two; one is an event with a number; the tenth a message. */
static void make(const char *path, uint64_t records)
{
    struct pithi_writer *writer;
    uint64_t seed = 1, posted[4] = {0};
    uint32_t lanes[4], outer, inner, step;
    int64_t time_ns = 0;

    must(pithi_writer_open(&writer, path, -1));
    outer = define(writer, PITHLOG_STATE, "outer", "");
    inner = define(writer, PITHLOG_STATE, "inner", "");
    step = define(writer, PITHLOG_EVENT_TYPE, "step", "step=%d");
    for (int32_t rank = 0; rank < 4; rank++)
        must(pithi_writer_lane(writer, rank, 0, NULL, &lanes[rank]));
    for (uint64_t i = 0; i < records; i++) {
        static const uint8_t kinds[10] = {1, 1, 2, 2, 1, 3, 1, 2, 2, 4};
        static const uint8_t inside[10] = {0, 1, 1, 0, 0, 0, 1, 1, 0, 0};
        uint32_t rank = (uint32_t)(i / 10 % 4), next = (rank + 1) % 4;
        struct pithlog_record r = {.lane = lanes[rank], .id = inside[i % 10] ? inner : outer, .peer = -1};
        seed = seed * UINT64_C(6364136223846793005) + 1;
        r.time_ns = time_ns += (int64_t)(seed >> 54);
        if (kinds[i % 10] == 3) {
            r.kind = PITHLOG_EVENT;
            r.id = step;
            r.payload = &seed;
            r.payload_bytes = 4;
        } else if (kinds[i % 10] == 4) {
            r.kind = i / 40 % 2 ? PITHLOG_RECV : PITHLOG_SEND;
            r.peer = (int32_t)next;
            r.bytes = 1024;
            r.posted = r.kind == PITHLOG_RECV ? posted[rank]++ : 0;
        } else {
            r.kind = kinds[i % 10];
        }
        must(pithi_writer_add(writer, &r));
    }
    must(pithi_writer_finish(writer));
    pithi_writer_close(writer);
}

static double iterate(struct pithlog *log)
{
    struct pithlog_iter *iter;
    struct pithlog_record record;
    double begin = now_s();

    must(pithlog_iter_open(log, NULL, &iter));
    while (pithlog_iter_next(iter, &record) == 1)
        ;
    pithlog_iter_close(iter);
    return now_s() - begin;
}

static double floor_s;

static void line(const char *what, double best_s, uint64_t records)
{
    bench_row(what, (double)records / best_s / 1e6, "Mevents/s", (double)records / floor_s / 1e6, "");
}

static void measure(struct pithlog *log, const char *name, const char *path, uint64_t records)
{
    const struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    double write_s = 1e9, read_s = 1e9, begin;
    char what[40];

    for (int i = 0; i < 3; i++) {
        struct pithlog *foreign;
        begin = now_s();
        must(pithi_format_write(log, pithi_format_by_name(name), path, &how));
        write_s = now_s() - begin < write_s ? now_s() - begin : write_s;
        begin = now_s();
        must(pithlog_open(path, &foreign));
        read_s = now_s() - begin < read_s ? now_s() - begin : read_s;
        pithlog_close(foreign);
    }
    unlink(path);
    snprintf(what, sizeof what, "foreign: %s written", name);
    line(what, write_s, records);
    snprintf(what, sizeof what, "foreign: %s read", name);
    line(what, read_s, records);
}

int main(void)
{
    const char *wanted = getenv("BENCH_RECORDS");
    uint64_t records = wanted ? strtoull(wanted, NULL, 10) : 2000000;
    char folder[] = "/tmp/bench_foreign.XXXXXX", path[64];
    struct pithlog *log;

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 0;
    snprintf(path, sizeof path, "bench.pith");
    make(path, records);
    must(pithlog_open(path, &log));
    floor_s = 1e9;
    for (int i = 0; i < 3; i++) {
        double took_s = iterate(log);
        floor_s = took_s < floor_s ? took_s : floor_s;
    }
    line("foreign: the log read in order", floor_s, records);
    measure(log, "clog2", "bench.clog2", records);
    measure(log, "alog", "bench.alog", records);
    pithlog_close(log);
    unlink(path);
    return chdir("/") != 0 || rmdir(folder) != 0;
}
