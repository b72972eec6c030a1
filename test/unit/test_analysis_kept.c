/* test_analysis_kept.c - the analysis of a large log is kept, found again without reading records, the same in all that
 * can be asked of it, and made anew when its file is damaged. Making it reports progress and can be stopped. */
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

enum { RANKS = 5, ROUNDS = 4000, SEND = 0, RECV, REDUCE, SCAN, SOLVE, DEFS };
static char folder[64], path[128], kept[512];

/* ---- A log with wait states of several kinds --------------------------------------------------------------------- */

static int64_t now_ns[RANKS];

static void add(struct pithi_writer *writer, uint32_t rank, struct pithlog_record record)
{
    record.lane = rank;
    record.time_ns = now_ns[rank];
    must(pithi_writer_add(writer, &record));
}

static void state(struct pithi_writer *writer, uint32_t rank, uint32_t kind, uint32_t id, int64_t then_ns)
{
    add(writer, rank, (struct pithlog_record){.kind = kind, .id = id, .peer = -1});
    now_ns[rank] += then_ns;
}

/* A message to the next rank, then a collective, which is a scan in each fifth round. All leave after the last came. */
static void add_round(struct pithi_writer *writer, uint64_t round)
{
    uint32_t coll = round % 5 ? REDUCE : SCAN;
    int64_t last_ns = 0;

    for (uint32_t rank = 0; rank < RANKS; rank++) {
        state(writer, rank, PITHLOG_ENTER, SOLVE, 10 + random_below(1000));
        state(writer, rank, PITHLOG_LEAVE, SOLVE, 1);
        state(writer, rank, PITHLOG_ENTER, SEND, 2);
        add(writer, rank,
            (struct pithlog_record){.kind = PITHLOG_SEND, .peer = (int32_t)((rank + 1) % RANKS), .bytes = 8});
        state(writer, rank, PITHLOG_LEAVE, SEND, 3);
        last_ns = now_ns[rank] > last_ns ? now_ns[rank] : last_ns;
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        state(writer, rank, PITHLOG_ENTER, RECV, 0);
        now_ns[rank] = last_ns + 20 + random_below(20);
        add(writer, rank,
            (struct pithlog_record){
                .kind = PITHLOG_RECV, .peer = (int32_t)((rank + RANKS - 1) % RANKS), .bytes = 8, .posted = round});
        state(writer, rank, PITHLOG_LEAVE, RECV, random_below(500));
        state(writer, rank, PITHLOG_ENTER, coll, 1);
        add(writer, rank, (struct pithlog_record){.kind = PITHLOG_COLL, .peer = -1, .bytes = 8, .got_bytes = 8});
        now_ns[rank] = last_ns + 600;
        state(writer, rank, PITHLOG_LEAVE, coll, 1);
    }
}

static void write_log(void)
{
    static const char *const names[DEFS] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Scan", "solve"};
    struct pithi_writer *writer;
    uint32_t id;

    must(pithi_writer_open(&writer, path, -1));
    for (uint32_t i = 0; i < DEFS; i++)
        must(pithi_defs_add(
            pithi_writer_defs(writer),
            &(struct pithlog_def){.kind = PITHLOG_STATE, .name = names[i], .group = i < SOLVE ? "MPI" : "user"}, &id));
    for (uint32_t rank = 0; rank < RANKS; rank++)
        must(pithi_writer_lane(writer, (int32_t)rank, 0, "", &id));
    for (uint64_t round = 0; round < ROUNDS; round++)
        add_round(writer, round);
    must(pithi_writer_finish(writer));
    pithi_writer_close(writer);
}

/* ---- Analyses ---------------------------------------------------------------------------------------------------- */

static uint64_t read_records;

static struct pithlog_analysis *analyze(int64_t from_ns, int (*progress)(void *context, double part), int *err)
{
    struct pithlog_analyze_query query = {from_ns, INT64_MAX, progress, NULL};
    struct pithlog_analysis *analysis;
    struct pithlog *log;

    must(pithlog_open(path, &log));
    read_records = 0;
    log->records_read = &read_records;
    *err = pithlog_analyze(log, &query, &analysis);
    if (!analysis)
        pithlog_close(log);
    return analysis;
}

static struct pithlog_analysis *made(void)
{
    int err;
    struct pithlog_analysis *analysis = analyze(INT64_MIN, NULL, &err);

    must(err);
    return analysis;
}

static void end(struct pithlog_analysis *analysis)
{
    struct pithlog *log = analysis->graph.log;

    pithlog_analysis_free(analysis);
    pithlog_close(log);
}

static int same_wait(const struct pithlog_wait_state *a, const struct pithlog_wait_state *b)
{
    return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->release_ns == b->release_ns &&
           a->handed_ns == b->handed_ns && a->kind == b->kind && a->lane == b->lane && a->state == b->state &&
           a->cause_lane == b->cause_lane && a->order == b->order;
}

static int same_results(const struct pithlog_analysis *a, const struct pithlog_analysis *b)
{
    int same = memcmp(&a->info, &b->info, sizeof a->info) == 0 && a->delay_count == b->delay_count &&
               a->path_count == b->path_count && a->share_count == b->share_count && a->delay_count > 0 &&
               a->path_count > 1;

    for (uint32_t lane = 0; same && lane < RANKS; lane++) {
        const struct pithlog_wait_state *of_a, *of_b;
        size_t count = pithlog_analysis_waits(a, lane, &of_a);
        same = count > ROUNDS && count == pithlog_analysis_waits(b, lane, &of_b) &&
               pithlog_analysis_useful_ns(a, lane) == pithlog_analysis_useful_ns(b, lane) &&
               pithlog_analysis_state_ns(a, lane, SOLVE) == pithlog_analysis_state_ns(b, lane, SOLVE);
        for (size_t i = 0; same && i < count; i++)
            same = same_wait(&of_a[i], &of_b[i]);
    }
    for (size_t i = 0; same && i < a->delay_count; i++) {
        const struct pithlog_delay *x = &a->delays[i], *y = &b->delays[i];
        same = x->lane == y->lane && x->state == y->state && x->kind == y->kind && x->direct_ns == y->direct_ns &&
               x->indirect_ns == y->indirect_ns;
    }
    for (size_t i = 0; same && i < a->path_count; i++)
        same = a->path[i].lane == b->path[i].lane && a->path[i].from_ns == b->path[i].from_ns;
    for (size_t i = 0; same && i < a->share_count; i++)
        same = memcmp(&a->shares[i], &b->shares[i], sizeof *a->shares) == 0;
    return same;
}

/* Compares results that are computed from the graph on request. */
static int same_answers(struct pithlog_analysis *a, struct pithlog_analysis *b)
{
    struct pithlog_what_if what = {.network = 0.5, .state = SOLVE, .lane = 1, .factor = 0.5};
    struct pithlog_call_sum sums[2][DEFS];
    const struct pithlog_iterations *iterations;
    const struct pithlog_finding *of_a, *of_b;
    uint32_t count_a, count_b;
    double ns_a, ns_b;

    must(pithlog_analysis_what_if(a, &what, &ns_a));
    must(pithlog_analysis_what_if(b, &what, &ns_b));
    must(pithlog_analysis_calls(a, sums[0]));
    must(pithlog_analysis_calls(b, sums[1]));
    must(pithlog_analysis_findings(a, &of_a, &count_a));
    must(pithlog_analysis_findings(b, &of_b, &count_b));
    int same = ns_a > 0 && ns_a == ns_b && memcmp(sums[0], sums[1], sizeof sums[0]) == 0 && count_a == count_b;
    for (uint32_t i = 0; same && i < count_a; i++)
        same = of_a[i].ns == of_b[i].ns && strcmp(of_a[i].text, of_b[i].text) == 0;
    must(pithlog_analysis_iterations(a, UINT32_MAX, &iterations));
    struct pithlog_iterations found = *iterations;
    must(pithlog_analysis_iterations(b, UINT32_MAX, &iterations));
    return same && found.count > 1 && found.count == iterations->count && found.median_ns == iterations->median_ns;
}

/* ---- The cache --------------------------------------------------------------------------------------------------- */

/* The number of files in the cache; `kept` is the name of one. */
static int count_kept(void)
{
    char name[128];
    struct dirent *found;
    int count = 0;

    snprintf(name, sizeof name, "%s/pith", folder);
    DIR *dir = opendir(name);
    while (dir && (found = readdir(dir)))
        if (found->d_name[0] != '.' && ++count)
            snprintf(kept, sizeof kept, "%s/%.255s", name, found->d_name);
    if (dir)
        closedir(dir);
    return count;
}

static void change_byte(off_t at)
{
    FILE *file = fopen(kept, "r+b");
    int byte;

    fseeko(file, at, SEEK_SET);
    byte = fgetc(file);
    fseeko(file, at, SEEK_SET);
    fputc(byte ^ (int)(1 + random_below(255)), file);
    fclose(file);
}

static int stop(void *context, double part)
{
    (void)context;
    (void)part;
    return 1;
}

static void test_kept(void)
{
    struct pithlog_analysis *first = made(), *again;
    int err;

    OK(read_records > 0 && count_kept() == 1, "the analysis of a large log is kept");
    again = made();
    OK(read_records == 0, "the second time, no record is read");
    OK(same_results(first, again), "the results are the same");
    OK(same_answers(first, again), "and so are replays, calls, findings and iterations");
    end(again);
    end(first);
    end(analyze(1000, NULL, &err));
    OK(err == PITH_OK && read_records > 0 && count_kept() == 1,
       "an analysis of another window is neither found nor kept");
    OK(!analyze(INT64_MIN, stop, &err) && err == PITH_ERR_STOPPED && count_kept() == 1, "reading it can be stopped");
}

/* ---- Progress ---------------------------------------------------------------------------------------------------- */

static double stop_at, last_part;
static int is_ascending, late;

static int watch(void *context, double part)
{
    (void)context;
    is_ascending &= part >= last_part && part <= 1;
    late += part > 0.5; /* after the records were read */
    last_part = part;
    return part >= stop_at;
}

static int analyze_watched(double stop)
{
    int err;

    while (count_kept())
        unlink(kept);
    stop_at = stop;
    last_part = 0;
    is_ascending = 1;
    late = 0;
    struct pithlog_analysis *analysis = analyze(INT64_MIN, watch, &err);
    if (analysis)
        end(analysis);
    return err;
}

static void test_progress(void)
{
    int stopped = 0, stops = 0;

    OK(analyze_watched(2) == PITH_OK && is_ascending && last_part > 0.99 && late > 20,
       "progress goes on after reading (%d reports)", late);
    for (double stop = 0.05; stop < 1; stop += 0.05, stops++)
        stopped += analyze_watched(stop) == PITH_ERR_STOPPED && last_part < stop + 0.1 && count_kept() == 0;
    OK(stopped == stops, "it can be stopped at any part, and nothing is kept (%d of %d)", stopped, stops);
}

static void test_damaged(void)
{
    struct pithlog_analysis *right = made(), *again;
    struct stat st;
    int tries = 0, sound = 0;

    count_kept();
    for (; tries < 30 && stat(kept, &st) == 0; tries++) {
        if (tries % 6 == 5)
            must(truncate(kept, random_below((uint32_t)st.st_size)));
        else
            change_byte(random_below((uint32_t)st.st_size));
        again = made();
        sound += read_records > 0 && same_results(right, again);
        end(again);
    }
    OK(tries == 30 && sound == 30, "a damaged or cut file is not used, and made anew (%d of %d)", sound, tries);
    again = made();
    OK(read_records == 0, "the new one is found");
    end(again);
    end(right);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/test_analysis_kept.%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/log.pith", folder);
    mkdir(folder, 0700);
    setenv("XDG_CACHE_HOME", folder, 1);
    write_log();
    test_kept();
    test_damaged();
    test_progress();
    while (count_kept())
        unlink(kept);
    unlink(path);
    snprintf(path, sizeof path, "%s/pith", folder);
    rmdir(path);
    rmdir(folder);
    return tap_done();
}
