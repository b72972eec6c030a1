/* test_analysis_threads.c - the analysis of a log is the same for any number of threads: all results, what is asked of
 * it later, the text of its JSON, and the file in which it is kept. Own logs, or those that are given. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/random.h"
#include "common/test_files.h"
#include "analysis/analysis.h"
#include "native/log.h"
#include "native/segment.h"
#include "pithlog_findings.h"
#include "tap.h"

enum { SEND, RECV, REDUCE, SCAN, WAIT, SOLVE, OTHER, DEFS, MOST_RANKS = 700 };
static char folder[64], kept[512];

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

static int64_t now_ns[MOST_RANKS];
static int64_t tick_ns; /* of the clock: with a coarse one, many wait states end at the same time */

static void add(struct pithi_writer *writer, uint32_t rank, struct pithlog_record record)
{
    record.lane = rank;
    record.time_ns = now_ns[rank] / tick_ns * tick_ns;
    must(pithi_writer_add(writer, &record));
}

static void state(struct pithi_writer *writer, uint32_t rank, uint32_t kind, uint32_t id, int64_t then_ns)
{
    add(writer, rank, (struct pithlog_record){.kind = kind, .id = id, .peer = -1});
    now_ns[rank] += then_ns;
}

/* A message to the rank `far` ranks on; a receive of it that may end before it was sent, as if clocks differed. In each
 * fifth round a collective, which some leave late. */
static void add_round(struct pithi_writer *writer, uint32_t ranks, uint64_t round)
{
    uint32_t far = 1 + random_below(ranks - 1);
    int64_t sent_ns[MOST_RANKS], last_ns = 0;

    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t work = random_below(3) ? SOLVE : OTHER;
        state(writer, rank, PITHLOG_ENTER, work, 10 + random_below(rank % 7 ? 1000 : 3000));
        state(writer, rank, PITHLOG_LEAVE, work, 1);
        state(writer, rank, PITHLOG_ENTER, SEND, 2);
        sent_ns[rank] = now_ns[rank];
        add(writer, rank,
            (struct pithlog_record){
                .kind = PITHLOG_SEND, .peer = (int32_t)((rank + far) % ranks), .bytes = 8u << random_below(12)});
        state(writer, rank, PITHLOG_LEAVE, SEND, 3);
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t from = (rank + ranks - far) % ranks;
        state(writer, rank, PITHLOG_ENTER, RECV, random_below(20));
        if (sent_ns[from] > now_ns[rank] && random_below(50))
            now_ns[rank] = sent_ns[from] + random_below(200);
        add(writer, rank,
            (struct pithlog_record){.kind = PITHLOG_RECV, .peer = (int32_t)from, .bytes = 8, .posted = round});
        state(writer, rank, PITHLOG_LEAVE, RECV, random_below(500));
        last_ns = now_ns[rank] > last_ns ? now_ns[rank] : last_ns;
    }
    for (uint32_t rank = 0; rank < ranks && round % 5 == 0; rank++) {
        uint32_t coll = round % 10 ? REDUCE : SCAN;
        state(writer, rank, PITHLOG_ENTER, coll, 1);
        add(writer, rank, (struct pithlog_record){.kind = PITHLOG_COLL, .peer = -1, .bytes = 8, .got_bytes = 8});
        now_ns[rank] = last_ns + 600 + random_below(100);
        state(writer, rank, PITHLOG_LEAVE, coll, 1);
    }
}

static void write_log(const char *path, uint32_t ranks, uint64_t rounds)
{
    static const char *const names[DEFS] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Scan",
                                            "MPI_Wait", "solve",    "other"};
    struct pithi_writer *writer;
    uint32_t id;

    must(pithi_writer_open(&writer, path, -1));
    for (uint32_t i = 0; i < DEFS; i++)
        must(pithi_defs_add(
            pithi_writer_defs(writer),
            &(struct pithlog_def){.kind = PITHLOG_STATE, .name = names[i], .group = i < SOLVE ? "MPI" : "user"}, &id));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        must(pithi_writer_lane(writer, (int32_t)rank, 0, "", &id));
        now_ns[rank] = random_below(1000);
    }
    for (uint64_t round = 0; round < rounds; round++)
        add_round(writer, ranks, round);
    must(pithi_writer_finish(writer));
    pithi_writer_close(writer);
}

/* ---- The cache --------------------------------------------------------------------------------------------------- */

/* Takes the kept analysis away. NULL: there is none. */
static char *take_kept(size_t *size)
{
    char name[128], *data = NULL;
    struct dirent *found;
    struct stat st;

    *size = 0;
    snprintf(name, sizeof name, "%s/pith", folder);
    DIR *dir = opendir(name);
    while (dir && (found = readdir(dir)))
        if (found->d_name[0] != '.') {
            snprintf(kept, sizeof kept, "%s/%.255s", name, found->d_name);
            FILE *file = fopen(kept, "rb");
            if (strstr(kept, ".analysis") && file && fstat(fileno(file), &st) == 0) {
                data = malloc((size_t)st.st_size + 1);
                *size = fread(data, 1, (size_t)st.st_size, file);
            }
            if (file)
                fclose(file);
            unlink(kept);
        }
    if (dir)
        closedir(dir);
    return data;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

struct made {
    struct pithlog *log;
    struct pithlog_analysis *analysis;
    int err;
    char *kept, *json;
    size_t kept_bytes;
    double predicted[4];
};

/* [0]: of what can be asked later, all is asked. */
static void make(struct made *m, const char *path, unsigned threads)
{
    struct pithlog_analyze_query query = {INT64_MIN, INT64_MAX, NULL, NULL};
    struct pithlog_what_if what[4] = {{.network = 1, .is_balanced = 1, .factor = 1},
                                      {.network = 0, .factor = 1},
                                      {.network = 0.5, .is_fitted = 1, .bytes = 0.5, .factor = 1},
                                      {.network = 1, .state = PITHLOG_COMPUTING, .lane = UINT32_MAX, .factor = 0.5}};
    const struct pithlog_finding *findings;
    uint32_t count;

    *m = (struct made){0};
    must(pithlog_open(path, &m->log));
    m->err = pithi_analyze_by_threads(m->log, &query, threads, &m->analysis);
    m->kept = take_kept(&m->kept_bytes);
    if (!m->analysis)
        return;
    if (m->analysis->info.to_ns > m->analysis->info.from_ns) {
        must(pithlog_analysis_findings(m->analysis, &findings, &count));
        must(pithlog_analysis_json(m->analysis, "log", &m->json));
        for (int i = 0; i < 4; i++)
            must(pithlog_analysis_what_if(m->analysis, &what[i], &m->predicted[i]));
    }
}

static void end(struct made *m)
{
    pithlog_analysis_free(m->analysis);
    pithlog_close(m->log);
    free(m->kept);
    free(m->json);
}

static int same_bytes(const void *a, const void *b, size_t bytes) { return bytes == 0 || memcmp(a, b, bytes) == 0; }

static int same_waits(const struct pithlog_analysis *a, const struct pithlog_analysis *b)
{
    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++) {
        const struct pithlog_wait_state *x, *y;
        size_t count = pithlog_analysis_waits(a, lane, &x);
        if (count != pithlog_analysis_waits(b, lane, &y))
            return 0;
        for (; count > 0; count--, x++, y++)
            if (x->from_ns != y->from_ns || x->to_ns != y->to_ns || x->release_ns != y->release_ns ||
                x->handed_ns != y->handed_ns || x->kind != y->kind || x->lane != y->lane || x->state != y->state ||
                x->cause_lane != y->cause_lane || x->order != y->order)
                return 0;
    }
    return 1;
}

static int same_results(const struct pithlog_analysis *a, const struct pithlog_analysis *b)
{
    int same = memcmp(&a->info, &b->info, sizeof a->info) == 0 && a->delay_count == b->delay_count &&
               a->path_count == b->path_count && a->share_count == b->share_count &&
               a->states.count == b->states.count && same_waits(a, b) &&
               same_bytes(a->shares, b->shares, a->share_count * sizeof *a->shares) &&
               same_bytes(a->states.cells, b->states.cells, a->states.count * sizeof *a->states.cells);

    for (size_t i = 0; same && i < a->path_count; i++)
        same = a->path[i].lane == b->path[i].lane && a->path[i].from_ns == b->path[i].from_ns &&
               a->path[i].to_ns == b->path[i].to_ns;
    for (size_t i = 0; same && i < a->delay_count; i++) {
        const struct pithlog_delay *x = &a->delays[i], *y = &b->delays[i];
        same = x->lane == y->lane && x->state == y->state && x->kind == y->kind && x->direct_ns == y->direct_ns &&
               x->indirect_ns == y->indirect_ns;
    }
    return same;
}

static int same(const struct made *a, const struct made *b)
{
    if (a->err != b->err || !a->analysis != !b->analysis || !a->json != !b->json)
        return 0;
    return !a->analysis || (same_results(a->analysis, b->analysis) && (!a->json || strcmp(a->json, b->json) == 0) &&
                            memcmp(a->predicted, b->predicted, sizeof a->predicted) == 0 &&
                            a->kept_bytes == b->kept_bytes && same_bytes(a->kept, b->kept, a->kept_bytes));
}

static void compare(const char *path, const char *what, int is_own)
{
    static const unsigned threads[] = {2, 3, PITHI_THREADS_MOST};
    struct made one, more;
    size_t waits = 0;

    make(&one, path, 1);
    for (uint32_t i = 0; one.analysis && i < pithlog_get_info(one.log)->lanes; i++)
        waits += one.analysis->lanes[i].wait_count;
    if (is_own)
        OK(!one.err && one.json && waits > 1000 && one.analysis->delay_count > 10 && one.analysis->path_count > 1,
           "%s has wait states and causes (%zu)", what, waits);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        make(&more, path, threads[i]);
        OK(same(&one, &more), "%s: %u threads give the same as one", what, threads[i]);
        end(&more);
    }
    OK(!is_own || pithlog_get_info(one.log)->records < 100000 || one.kept_bytes > 0, "%s: the kept files were compared",
       what);
    end(&one);
}

static void compare_own(uint32_t ranks, uint64_t rounds, int64_t tick, const char *what)
{
    char path[128];

    tick_ns = tick;
    snprintf(path, sizeof path, "%s/log.pith", folder);
    write_log(path, ranks, rounds);
    compare(path, what, 1);
    unlink(path);
}

int main(int argc, char **argv)
{
    size_t size;

    snprintf(folder, sizeof folder, "/tmp/test_analysis_threads.%ld", (long)getpid());
    mkdir(folder, 0700);
    setenv("XDG_CACHE_HOME", folder, 1);
    for (int i = 1; i < argc; i++)
        compare(argv[i], argv[i], 0);
    if (argc == 1) {
        compare_own(6, 2500, 1, "a log of 6 ranks");
        compare_own(60, 100, 500, "a log with a coarse clock");
        compare_own(MOST_RANKS, 30, 1, "a log of many ranks");
        compare_own(MOST_RANKS, 5, 1000, "a small log of many ranks");
    }
    free(take_kept(&size));
    snprintf(kept, sizeof kept, "%s/pith", folder);
    rmdir(kept);
    rmdir(folder);
    return tap_done();
}
