/* test_summary_read.c - pieces and sums of a log's lanes, against its records. */
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/random.h"
#include "common/test_files.h"
#include "native/segment.h"
#include "reader/read/check.h"
#include "pithlog.h"
#include "tap.h"

enum { STATES = 6, EVENTS = 2, DEFS = STATES + EVENTS, LANES = 3, RECORDS = 300000 };

/* Lane 0 is busy and nested, lane 1 has hours between bursts, lane 2 a few records. */
static struct pithlog_record make_record(uint32_t lane, int64_t *now_ns, uint32_t *open, uint32_t *depth)
{
    struct pithlog_record r = {.lane = lane, .peer = -1};
    *now_ns += lane == 1 && random_below(20000) == 0 ? 3600000000000
               : random_below(4) == 0                ? 0
                                                     : (int64_t)random_below(3000);
    r.time_ns = *now_ns;
    if (random_below(15) == 0) {
        r.kind = PITHLOG_EVENT;
        r.id = STATES + random_below(EVENTS);
    } else if (*depth == 0 || (*depth < 5 && random_below(2))) {
        r.kind = PITHLOG_ENTER;
        r.id = open[(*depth)++] = random_below(STATES);
    } else {
        r.kind = PITHLOG_LEAVE;
        r.id = open[--*depth];
    }
    return r;
}

static void write_log(const char *path)
{
    struct pithi_writer *w;
    uint32_t id, number;
    must(pithi_writer_open(&w, path, -1));
    for (uint32_t i = 0; i < DEFS; i++) {
        char name[8];
        snprintf(name, sizeof name, "d%u", i);
        must(pithi_defs_add(pithi_writer_defs(w),
                            &(struct pithlog_def){i < STATES ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, name, "", "", ""},
                            &id));
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t open[8], depth = 0, count = lane == 2 ? 50 : RECORDS;
        int64_t now_ns = 1000 * lane;
        must(pithi_writer_lane(w, (int32_t)lane / 2, lane % 2, "", &number));
        for (uint32_t i = 0; i < count; i++) {
            struct pithlog_record r = make_record(lane, &now_ns, open, &depth);
            r.lane = number;
            must(pithi_writer_add(w, &r));
        }
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* By iterating with every state clipped to the window. */
static void sum_records(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, struct pithlog_sum *sums)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .flags = PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint32_t inside[DEFS] = {0};
    must(pithlog_iter_open(log, &query, &iter));
    while (pithlog_iter_next(iter, &r) == 1) {
        int64_t start_ns = r.start_ns > from_ns ? r.start_ns : from_ns;
        if (r.kind == PITHLOG_ENTER)
            inside[r.id]++;
        if (r.kind != PITHLOG_LEAVE) {
            sums[r.id].count += (r.kind == PITHLOG_ENTER || r.kind == PITHLOG_EVENT) && r.time_ns < to_ns;
            continue;
        }
        if (r.depth != UINT32_MAX && --inside[r.id] == 0)
            sums[r.id].all_ns += r.time_ns - start_ns;
    }
    pithlog_iter_close(iter);
}

/* Own times as the time until the next record, of whatever is innermost. */
static void own_records(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, struct pithlog_sum *sums)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .flags = PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint32_t open[64], depth = 0;
    int64_t last_ns = from_ns;
    must(pithlog_iter_open(log, &query, &iter));
    while (pithlog_iter_next(iter, &r) == 1) {
        int64_t now_ns = r.time_ns < from_ns ? from_ns : r.time_ns;
        if (depth > 0)
            sums[open[depth - 1]].own_ns += now_ns - last_ns;
        last_ns = now_ns;
        if (r.kind == PITHLOG_ENTER)
            open[depth++] = r.id;
        depth -= r.kind == PITHLOG_LEAVE && depth > 0;
    }
    pithlog_iter_close(iter);
}

static int sums_agree(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns,
                      int64_t to_ns)
{
    struct pithlog_sum got[DEFS] = {{0}}, want[DEFS] = {{0}};
    must(pithlog_summary_sums(summary, lane, from_ns, to_ns, got));
    sum_records(log, lane, from_ns, to_ns, want);
    own_records(log, lane, from_ns, to_ns, want);
    for (uint32_t i = 0; i < DEFS; i++)
        if (memcmp(&got[i], &want[i], sizeof got[i]) != 0) {
            printf("# lane %u [%lld, %lld) d%u: count %llu own %lld all %lld, not %llu %lld %lld\n", lane,
                   (long long)from_ns, (long long)to_ns, i, (unsigned long long)got[i].count, (long long)got[i].own_ns,
                   (long long)got[i].all_ns, (unsigned long long)want[i].count, (long long)want[i].own_ns,
                   (long long)want[i].all_ns);
            return 0;
        }
    return 1;
}

static void test_sums(struct pithlog *log, struct pithlog_summary *summary)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    int good = 1;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        int64_t first = pithlog_get_lane(log, lane)->first_ns, last = pithlog_get_lane(log, lane)->last_ns;
        good &= sums_agree(log, summary, lane, info->start_ns, info->end_ns + 1);
        for (int i = 0; i < 12; i++) {
            int64_t span = last - first, from = first + (int64_t)((double)span * random_below(1000) / 1000);
            good &=
                sums_agree(log, summary, lane, from, from + 1 + (int64_t)((double)span * random_below(1000) / 2000));
        }
        good &= sums_agree(log, summary, lane, last, last + 1000000);
    }
    OK(good, "sums of windows are those of their records");
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

struct seen {
    int64_t from_ns, to_ns, length_ns, last_end_ns;
    const struct pithlog_path *paths;
    uint32_t path_count, count, longer;
    uint64_t own_ns[STATES];
    int good;
};

static void see(void *context, const struct pithlog_piece *piece)
{
    struct seen *seen = context;
    unsigned shares = 0;
    seen->good &= piece->end_ns > seen->from_ns && piece->start_ns < seen->to_ns && piece->end_ns >= piece->start_ns;
    seen->good &= seen->count == 0 ? piece->start_ns <= seen->from_ns : piece->start_ns == seen->last_end_ns;
    for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++) {
        seen->good &= piece->path[i] < seen->path_count;
        shares += piece->share[i];
        if (piece->path[i] != 0)
            seen->own_ns[seen->paths[piece->path[i]].state] +=
                (uint64_t)((double)(piece->end_ns - piece->start_ns) * piece->share[i] / 255);
    }
    seen->good &= shares > 0 && shares <= 255;
    seen->longer += piece->end_ns - piece->start_ns > seen->length_ns;
    seen->last_end_ns = piece->end_ns;
    seen->count++;
}

static struct seen look(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                        int64_t length_ns)
{
    struct seen seen = {from_ns, to_ns, length_ns, 0, NULL, 0, 0, 0, {0}, 1};
    seen.paths = pithlog_summary_paths(summary, lane, &seen.path_count);
    must(pithlog_summary_pieces(summary, lane, from_ns, to_ns, length_ns, see, &seen));
    return seen;
}

static void test_pieces(struct pithlog *log, struct pithlog_summary *summary)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log, 0);
    int64_t span = lane->last_ns - lane->first_ns;
    struct pithlog_sum sums[DEFS] = {{0}};
    struct seen one = look(summary, 0, lane->first_ns, lane->last_ns, INT64_MAX);
    OK(one.good && one.count == 1, "a lane as one piece");
    struct seen some = look(summary, 0, lane->first_ns, lane->last_ns, span / 250);
    OK(some.good && some.longer == 0 && some.count > 250 && some.count < 1250, "a 250th each: %u pieces", some.count);
    OK(some.last_end_ns == lane->last_ns, "up to the end");
    struct seen all = look(summary, 0, lane->first_ns, lane->last_ns, 1);
    OK(all.good && all.count == (RECORDS + 511) / 512, "the finest: %u pieces", all.count);
    struct seen part = look(summary, 0, lane->first_ns + span / 3, lane->first_ns + span / 2, 1);
    OK(part.good && part.count > all.count / 7 && part.count < all.count / 5, "a sixth of them: %u", part.count);
    struct seen none = look(summary, 0, lane->last_ns + 1, lane->last_ns + 1000, 1);
    OK(none.count == 0, "none behind the end");
    must(pithlog_summary_sums(summary, 0, lane->first_ns, lane->last_ns, sums));
    int good = 1;
    for (uint32_t i = 0; i < STATES; i++)
        good &= (double)all.own_ns[i] <= 1.0001 * (double)sums[i].own_ns && all.own_ns[i] > 0;
    OK(good, "what pieces say of states is not more than they had");
    struct seen bursts =
        look(summary, 1, pithlog_get_lane(log, 1)->first_ns, pithlog_get_lane(log, 1)->last_ns, 100000);
    OK(bursts.good && bursts.longer > 0, "%u pieces of a lane with hours of nothing, %u of them longer than asked",
       bursts.count, bursts.longer);
    struct pithlog_rest rest;
    OK(pithlog_summary_pieces(summary, LANES, 0, 1, 1, see, &one) == PITH_ERR_USAGE &&
           pithlog_sums(log, summary, LANES, 0, 1, sums, &rest) == PITH_ERR_USAGE &&
           pithlog_sums(log, NULL, LANES, 0, 1, sums, &rest) == PITH_ERR_USAGE,
       "there is no such lane");
}

/* ---- Lost records ------------------------------------------------------------------------------------------------ */

/* Records are lost, and then no state begins or ends for many blocks: a window between knows it. */
static void test_long_hole(const char *path)
{
    enum { LAST = 60000 };
    struct pithi_writer *w;
    struct pithlog *log;
    struct pithlog_sum sums[2] = {{0}};
    struct pithlog_rest rest;
    uint32_t id, lane;
    must(pithi_writer_open(&w, path, -1));
    must(pithi_writer_lane(w, 0, 0, "", &lane));
    must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_STATE, "a", "", "", ""}, &id));
    must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_STATE, "b", "", "", ""}, &id));
    for (int64_t i = 0; i <= LAST; i++) {
        struct pithlog_record r = {.time_ns = i, .lane = lane, .kind = PITHLOG_PAUSE, .peer = -1};
        if (i == 0 || i == 20 || i == LAST) {
            r.kind = i == 0 ? PITHLOG_ENTER : PITHLOG_LEAVE;
            r.id = i == 20; /* LEAVE without ENTER: b was entered in the hole */
        } else if (i == 10) {
            r.kind = PITHLOG_LOST;
            r.bytes = 1;
        }
        must(pithi_writer_add(w, &r));
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
    must(pithlog_open(path, &log));
    must(pithlog_sums(log, NULL, 0, 0, LAST, sums, &rest));
    OK(sums[0].all_ns == LAST - 1 && rest.missing_ns == 1, "a hole ends at the next record");
    must(pithlog_sums(log, NULL, 0, 10, 1000, sums, &rest));
    OK(sums[0].all_ns == LAST - 1 + 989 && rest.missing_ns == 1, "a window that begins in it");
    must(pithlog_sums(log, NULL, 0, 50000, 51000, sums, &rest));
    OK(sums[0].all_ns == LAST - 1 + 1989 && rest.missing_ns == 0, "one that begins many blocks later");
    pithlog_close(log);
}

/* ---- Too much for a summary -------------------------------------------------------------------------------------- */

enum { MANY = 40000 };

static void test_many_states(const char *path)
{
    struct pithi_writer *w;
    struct pithlog *log;
    struct pithlog_summary *summary;
    struct pithlog_sum *sums = calloc(MANY, sizeof *sums);
    uint32_t id, lane, count;
    must(pithi_writer_open(&w, path, -1));
    must(pithi_writer_lane(w, 0, 0, "", &lane));
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "state%u", i);
        must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_STATE, name, "", "", ""}, &id));
        struct pithlog_record r = {
            .time_ns = 10 * (int64_t)i, .lane = lane, .kind = PITHLOG_ENTER, .id = id, .peer = -1};
        must(pithi_writer_add(w, &r));
        r.time_ns += 5;
        r.kind = PITHLOG_LEAVE;
        must(pithi_writer_add(w, &r));
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
    must(pithlog_open(path, &log));
    OK(pithlog_get_info(log)->records == 2 * MANY && pithi_check(path, NULL, NULL, NULL) == PITH_OK,
       "a lane of %d states: the log is whole", MANY);
    must(pithlog_summary_open(log, &summary));
    OK(!pithlog_summary_paths(summary, 0, &count), "it has no summary");
    must(pithlog_summary_sums(summary, 0, 0, 1000, sums));
    OK(sums[99].count == 1 && sums[99].own_ns == 5 && sums[100].count == 0, "but sums");
    pithlog_summary_close(summary);
    pithlog_close(log);
    free(sums);
}

struct reader {
    struct pithlog *log;
    const struct pithlog_path *paths[LANES];
};

static void *read_lists(void *data)
{
    struct reader *reader = data;
    struct pithlog_summary *summary;
    uint32_t count;
    must(pithlog_summary_open(reader->log, &summary));
    for (uint32_t lane = 0; lane < LANES; lane++)
        reader->paths[lane] = pithlog_summary_paths(summary, lane, &count);
    pithlog_summary_close(summary);
    return NULL;
}

/* What a log has of a lane may be large (the last lane has too few records): it is there once, whoever asks first. */
static void test_shared(const char *path)
{
    struct reader readers[4];
    pthread_t threads[4];
    struct pithlog *log;
    int same = 1;
    must(pithlog_open(path, &log));
    for (int i = 0; i < 4; i++) {
        readers[i] = (struct reader){.log = log};
        must(pthread_create(&threads[i], NULL, read_lists, &readers[i]));
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        for (uint32_t lane = 0; lane < 2; lane++)
            same &= readers[i].paths[lane] && readers[i].paths[lane] == readers[0].paths[lane];
    OK(same, "summaries of four threads share a lane's paths, which stay when they are closed");
    pithlog_close(log);
}

int main(void)
{
    char path[] = "/tmp/pith-summary-XXXXXX";
    struct pithlog *log;
    struct pithlog_summary *summary;
    close(mkstemp(path));
    write_log(path);
    must(pithlog_open(path, &log));
    must(pithlog_summary_open(log, &summary));
    test_pieces(log, summary);
    test_sums(log, summary);
    pithlog_summary_close(summary);
    pithlog_close(log);
    test_shared(path);
    test_long_hole(path);
    test_many_states(path);
    unlink(path);
    return tap_done();
}
