/* test_iter.c - iterators against brute force over the same records: order, windows, lanes, kinds and flags. */
#include <signal.h>
#include <sys/resource.h>

#include "reader/read/check.h"
#include "reader/read/iter.h"
#include "common/log_model.h"
#include "tap.h"

/* ---- Brute force ------------------------------------------------------------------------------------------------- */

struct open_state {
    uint32_t id;
    int64_t start_ns, nested_ns;
};

/* Sums of times from the whole range of int64_t wrap, as in the reader. */
static void add_span(int64_t *sum_ns, int64_t from_ns, int64_t to_ns)
{
    *sum_ns = (int64_t)((uint64_t)*sum_ns + (uint64_t)to_ns - (uint64_t)from_ns);
}

/* What the documentation says, record by record, without any index. The result is in `out`, in order. */
static void expected(const struct model *m, const struct pithlog_query *q, int64_t log_end_ns, struct model *out)
{
    struct pithlog_record *closing = NULL;
    struct model clipped = {0}, inside = {0};
    size_t closing_count = 0;
    int clip = (q->flags & PITHLOG_CLIP) != 0, nest = clip || q->flags & PITHLOG_NEST;
    int opens = clip || q->flags & PITHLOG_OPENED;
    uint32_t kinds = q->kinds ? q->kinds : UINT32_MAX;
    for (uint32_t lane = 0; lane < m->lanes; lane++) {
        struct open_state *open = malloc((m->count + 1) * sizeof *open);
        uint32_t depth = 0, asked = q->lanes == NULL, opened = 0;
        for (uint32_t i = 0; i < q->lane_count && q->lanes; i++)
            asked |= q->lanes[i] == lane;
        for (size_t i = 0; asked && i <= m->count; i++) {
            struct pithlog_record r =
                i < m->count ? m->records[i] : (struct pithlog_record){.time_ns = INT64_MAX, .lane = lane};
            if (r.lane != lane)
                continue;
            if (!opened && (r.time_ns >= q->from_ns || i == m->count)) {
                opened = 1;
                for (uint32_t k = 0; opens && k < depth && kinds >> PITHLOG_ENTER & 1; k++)
                    model_add(&clipped, &(struct pithlog_record){.time_ns = open[k].start_ns,
                                                                 .lane = lane,
                                                                 .peer = -1,
                                                                 .kind = PITHLOG_ENTER,
                                                                 .id = open[k].id,
                                                                 .depth = k,
                                                                 .start_ns = open[k].start_ns});
            }
            if (i == m->count || r.time_ns > q->to_ns)
                break;
            if ((nest || opens) && r.kind == PITHLOG_ENTER) {
                if (depth == 4096) {
                    depth -= 2048;
                    memmove(open + 64, open + 64 + 2048, (depth - 64) * sizeof *open);
                }
                r.depth = depth;
                r.start_ns = r.time_ns;
                open[depth++] = (struct open_state){r.id, r.time_ns, 0};
            } else if ((nest || opens) && r.kind == PITHLOG_LEAVE) {
                uint32_t k = depth;
                while (k > 0 && open[k - 1].id != r.id)
                    k--;
                r.depth = k ? k - 1 : UINT32_MAX;
                r.start_ns = k ? open[k - 1].start_ns : r.time_ns;
                r.nested_ns = k ? open[k - 1].nested_ns : 0;
                if (k > 1)
                    add_span(&open[k - 2].nested_ns, r.start_ns, r.time_ns);
                if (k)
                    memmove(open + k - 1, open + k, (--depth - (k - 1)) * sizeof *open);
            }
            if (r.time_ns >= q->from_ns && kinds >> r.kind & 1)
                model_add(&inside, nest ? &r : &m->records[i]);
        }
        int64_t end = q->to_ns < log_end_ns ? q->to_ns : log_end_ns;
        while (clip && depth-- > 0 && kinds >> PITHLOG_LEAVE & 1) {
            closing = realloc(closing, (closing_count + 1) * sizeof *closing);
            closing[closing_count++] = (struct pithlog_record){.time_ns = end > q->from_ns ? end : q->from_ns,
                                                               .lane = lane,
                                                               .kind = PITHLOG_LEAVE,
                                                               .id = open[depth].id,
                                                               .peer = -1,
                                                               .depth = depth,
                                                               .start_ns = open[depth].start_ns,
                                                               .nested_ns = open[depth].nested_ns};
            if (depth)
                add_span(&open[depth - 1].nested_ns, open[depth].start_ns, closing[closing_count - 1].time_ns);
        }
        free(open);
    }
    for (size_t i = 0; i < clipped.count; i++)
        model_add(out, &clipped.records[i]);
    /* a stable sort by (time, lane): lanes came one after another, so a merge of runs by hand is a sort of indices */
    size_t *at = calloc(m->lanes + 1, sizeof *at), done = 0;
    size_t *end = calloc(m->lanes + 1, sizeof *end);
    for (size_t i = 0; i < inside.count; i++)
        end[inside.records[i].lane] = i + 1;
    for (size_t i = inside.count; i-- > 0;)
        at[inside.records[i].lane] = i;
    while (done++ < inside.count) {
        uint32_t best = UINT32_MAX;
        for (uint32_t lane = 0; lane < m->lanes; lane++)
            if (at[lane] < end[lane] &&
                (best == UINT32_MAX || inside.records[at[lane]].time_ns < inside.records[at[best]].time_ns))
                best = lane;
        model_add(out, &inside.records[at[best]++]);
    }
    for (size_t i = 0; i < closing_count; i++)
        model_add(out, &closing[i]);
    free(at);
    free(end);
    free(closing);
    model_free(&clipped);
    model_free(&inside);
}

/* Of the same query: what pithlog_iter_next_many gives, in helpings of all sizes, against one record after another. */
static long compare_many(struct pithlog *log, const struct pithlog_query *q)
{
    enum { MOST = 100 };
    struct pithlog_iter *one, *many;
    struct pithlog_record r, records[MOST];
    long wrong = 0;
    int got, size = 0;
    if (pithlog_iter_open(log, q, &one) || pithlog_iter_open(log, q, &many))
        return -1;
    while ((got = pithlog_iter_next_many(many, records, 1 + size++ % MOST)) > 0) {
        wrong += got > 1 + (size - 1) % MOST;
        for (int i = 0; i < got; i++)
            wrong += pithlog_iter_next(one, &r) != 1 || !same_record(&r, &records[i]) || r.depth != records[i].depth ||
                     r.start_ns != records[i].start_ns || r.nested_ns != records[i].nested_ns;
    }
    wrong += got != 0 || pithlog_iter_next_many(many, records, MOST) != 0 || pithlog_iter_next(one, &r) != 0;
    pithlog_iter_close(one);
    pithlog_iter_close(many);
    return wrong;
}

/* Records that differ from brute force, and whether one was missing or too many. */
static long compare(const struct model *m, struct pithlog *log, const struct pithlog_query *q)
{
    struct model want = {0};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    long wrong = 0;
    expected(m, q, pithlog_get_info(log)->end_ns, &want);
    if (pithlog_iter_open(log, q, &iter))
        return -1;
    for (size_t i = 0; i < want.count; i++) {
        const struct pithlog_record *w = &want.records[i];
        wrong += pithlog_iter_next(iter, &r) != 1;
        model_number_comm(log, &r);
        wrong += !same_record(&r, w) || r.depth != w->depth || r.start_ns != w->start_ns || r.nested_ns != w->nested_ns;
    }
    wrong += pithlog_iter_next(iter, &r) != 0;
    wrong += pithlog_iter_next(iter, &r) != 0; /* the end stays the end */
    pithlog_iter_close(iter);
    model_free(&want);
    return wrong + compare_many(log, q);
}

/* test_lost_states.c tests holes. */
static void random_records(struct model *m, size_t count, uint32_t lanes)
{
    model_random(m, count, lanes);
    model_without_holes(m);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void test_queries(void)
{
    const char *path = scratch_path("iter.pith");
    struct model m = {0};
    struct pithlog *log = NULL;
    long wrong[6] = {0};
    random_records(&m, 140000, 3); /* three blocks a lane */
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a log of 3 lanes");
    int64_t end = pithlog_get_info(log)->end_ns;
    struct pithlog_query all = {INT64_MIN, INT64_MAX, NULL, 0, 0, 0, NULL};
    OK(compare(&m, log, &all) == 0, "everything in order of time");
    all.flags = PITHLOG_NEST;
    OK(compare(&m, log, &all) == 0, "everything with NEST");
    all.flags = PITHLOG_CLIP;
    OK(compare(&m, log, &all) == 0, "everything with CLIP");
    for (int i = 0; i < 24; i++) {
        uint32_t lanes[] = {2, 0, 2}, kinds[] = {0, 1u << PITHLOG_LEAVE, 1u << PITHLOG_SEND | 1u << PITHLOG_RECV, 6};
        int64_t from = (int64_t)(random_u64() % (uint64_t)end);
        struct pithlog_query q = {from,
                                  from + random_below(400000),
                                  i % 3 ? NULL : lanes,
                                  i % 3 ? 0 : 3,
                                  kinds[i / 2 % 4],
                                  i % 2   ? PITHLOG_CLIP
                                  : i % 4 ? PITHLOG_NEST
                                          : 0,
                                  NULL};
        wrong[0] += compare(&m, log, &q);
    }
    OK(wrong[0] == 0, "24 random windows, lanes, kinds and flags");
    const struct pithlog_query edges[] = {{0, 0, NULL, 0, 0, PITHLOG_CLIP, NULL},
                                          {end, end, NULL, 0, 0, PITHLOG_CLIP, NULL},
                                          {end + 1, end + 9, NULL, 0, 0, PITHLOG_CLIP, NULL},
                                          {-9, -1, NULL, 0, 0, PITHLOG_CLIP, NULL},
                                          {end - 1, INT64_MAX, NULL, 0, 0, PITHLOG_CLIP, NULL}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        wrong[1] += compare(&m, log, &edges[i]);
    OK(wrong[1] == 0, "windows at the edges and outside");
    for (uint32_t i = 0; i < 12 + sizeof edges / sizeof *edges; i++) {
        uint32_t lane = i % 3, kinds[] = {0, 1u << PITHLOG_SEND | 1u << PITHLOG_ENTER};
        int64_t from = (int64_t)(random_u64() % (uint64_t)end);
        struct pithlog_query q =
            i < 12 ? (struct pithlog_query){.from_ns = from, .to_ns = from + random_below(400000)} : edges[i - 12];
        q.lanes = &lane;
        q.lane_count = 1;
        q.kinds = kinds[i / 3 % 2];
        q.flags = PITHLOG_OPENED;
        wrong[2] += compare(&m, log, &q);
    }
    OK(wrong[2] == 0, "windows of a lane with OPENED");
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct pithlog_query turned = {10, 9, NULL, 0, 0, PITHLOG_CLIP, NULL};
    OK(pithlog_iter_open(log, &turned, &iter) == 0 && pithlog_iter_next(iter, &r) == 0,
       "a window turned round is empty");
    pithlog_iter_close(iter);
    uint32_t no_lane = 3;
    struct pithlog_query bad = {0, 10, &no_lane, 1, 0, 0, NULL};
    OK(pithlog_iter_open(log, &bad, &iter) == PITH_ERR_USAGE && !iter, "a lane that is not there: %s", pithlog_error());
    const struct pithlog_query opened[] = {
        {0, 10, NULL, 0, 0, PITHLOG_OPENED, NULL},
        {0, 10, (uint32_t[]){1}, 1, 0, PITHLOG_OPENED | PITHLOG_NEST, NULL},
    };
    for (int i = 0; i < 2; i++)
        wrong[3] += pithlog_iter_open(log, &opened[i], &iter) != PITH_ERR_USAGE || iter;
    OK(wrong[3] == 0, "OPENED with more lanes, or with another flag: %s", pithlog_error());
    struct pithlog_query none = {0, 10, &no_lane, 0, 0, 0, NULL};
    OK(pithlog_iter_open(log, &none, &iter) == 0 && pithlog_iter_next(iter, &r) == 0, "no lanes, no records");
    pithlog_iter_close(iter);
    pithlog_close(log);
    model_free(&m);

    random_records(&m, 3000, 90);
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a log of 90 lanes");
    all.flags = PITHLOG_CLIP;
    OK(compare(&m, log, &all) == 0, "everything in order of time");
    pithlog_close(log);
    model_free(&m);
}

/* A lane that ended long before the window, with a state left open; blocks without any asked-for kind between. */
static void test_long_states(void)
{
    const char *path = scratch_path("long.pith");
    struct model m = {0};
    struct pithlog *log = NULL;
    long wrong = 0;
    model_add(&m, &(struct pithlog_record){.time_ns = 5, .kind = PITHLOG_ENTER, .id = 3, .peer = -1});
    model_add(&m, &(struct pithlog_record){.time_ns = 7, .lane = 1, .kind = PITHLOG_ENTER, .id = 4, .peer = -1});
    model_add(&m, &(struct pithlog_record){.time_ns = 8, .lane = 1, .kind = PITHLOG_ENTER, .id = 4, .peer = -1});
    for (int64_t i = 0; i < 60000; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = 10 + i, .lane = 1, .kind = PITHLOG_PAUSE, .peer = -1});
    model_add(&m, &(struct pithlog_record){.time_ns = 70000, .lane = 1, .kind = PITHLOG_LEAVE, .id = 4, .peer = -1});
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "states longer than blocks");
    for (int i = 0; i < 12; i++) {
        struct pithlog_query q = {
            i * 6000, i * 6000 + 1000, NULL, 0, i % 2 ? 6 : 0, i % 3 ? PITHLOG_CLIP : PITHLOG_NEST, NULL};
        wrong += compare(&m, log, &q);
    }
    struct pithlog_query leaves = {INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_LEAVE, PITHLOG_NEST, NULL};
    wrong += compare(&m, log, &leaves);
    OK(wrong == 0, "are seen in every window");
    pithlog_close(log);
    model_free(&m);
}

/* Far too many states open at once: those in the middle are forgotten, alike by the writer and the reader. */
static void test_deep(void)
{
    const char *path = scratch_path("deep.pith");
    const struct pithlog_query all = {INT64_MIN, INT64_MAX, NULL, 0, 0, PITHLOG_NEST, NULL},
                               late = {20000, 30000, NULL, 0, 0, PITHLOG_CLIP, NULL};
    struct model m = {0};
    struct pithlog *log = NULL;
    enum { DEEP = 20000 };
    for (int64_t i = 0; i < 2 * DEEP; i++)
        model_add(&m,
                  &(struct pithlog_record){.time_ns = i, .kind = i < DEEP ? PITHLOG_ENTER : PITHLOG_LEAVE, .peer = -1});
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a recursion %d deep", DEEP);
    OK(compare(&m, log, &all) == 0 && compare(&m, log, &late) == 0,
       "is paired by the rule, from its start and its middle");
    OK(pithlog_get_info(log)->states == 2049 + (DEEP - 4097) % 2048, "and counted alike by the writer: %llu",
       (unsigned long long)pithlog_get_info(log)->states);
    OK(pithi_check(path, NULL, NULL, NULL) == 0, "and verified");
    pithlog_close(log);
    model_free(&m);
}

/* A program that never leaves some of its states: all others are paired as if it did. */
static void test_leak(void)
{
    const char *path = scratch_path("leak.pith");
    const struct pithlog_query all = {INT64_MIN, INT64_MAX, NULL, 0, 0, PITHLOG_NEST, NULL},
                               leaves = {INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_LEAVE, PITHLOG_NEST, NULL};
    struct model m = {0};
    struct pithlog *log = NULL;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    enum { LEAKS = 100000 };
    uint64_t paired = 0, wrong = 0;
    model_add(&m, &(struct pithlog_record){.time_ns = 0, .kind = PITHLOG_ENTER, .id = 2, .peer = -1});
    for (int64_t i = 1; i <= LEAKS; i++) {
        model_add(&m, &(struct pithlog_record){.time_ns = 3 * i, .kind = PITHLOG_ENTER, .id = 1, .peer = -1});
        model_add(&m, &(struct pithlog_record){.time_ns = 3 * i + 1, .kind = PITHLOG_ENTER, .id = 0, .peer = -1});
        model_add(&m, &(struct pithlog_record){.time_ns = 3 * i + 2, .kind = PITHLOG_LEAVE, .id = 0, .peer = -1});
    }
    model_add(&m, &(struct pithlog_record){.time_ns = 4 * LEAKS, .kind = PITHLOG_LEAVE, .id = 2, .peer = -1});
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a program that leaks %d states", LEAKS);
    pithlog_iter_open(log, &leaves, &iter);
    while (pithlog_iter_next(iter, &r) == 1) {
        paired++;
        wrong += r.id == 0 ? r.start_ns != r.time_ns - 1 : r.start_ns != 0 || r.depth != 0;
    }
    OK(paired == LEAKS + 1 && wrong == 0, "the states that it leaves are paired, inner ones and the outermost");
    OK(pithlog_get_info(log)->states == paired, "and counted alike by the writer");
    OK(compare(&m, log, &all) == 0, "all is by the rule");
    OK(pithi_check(path, NULL, NULL, NULL) == 0, "and verified");
    pithlog_iter_close(iter);
    pithlog_close(log);
    model_free(&m);
}

/* A temporary file that cannot grow: said, and that is the end. */
static void test_no_room(struct pithlog *log)
{
    struct rlimit old, small;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    OK(pithlog_iter_open(log, NULL, &iter) == PITH_OK, "no room for a temporary file");
    setrlimit(RLIMIT_FSIZE, &small);
    int status = pithlog_iter_next(iter, &r), after = pithlog_iter_next(iter, &r);
    setrlimit(RLIMIT_FSIZE, &old);
    OK(status == -1 && after == 0 && strstr(pithlog_error(), "set TMPDIR") != NULL, "%s", pithlog_error());
    pithlog_iter_close(iter);
}

static uint32_t *number_lanes(uint32_t count)
{
    uint32_t *lanes = malloc(count * sizeof *lanes);
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = i;
    return lanes;
}

/* Records that differ when a query is taken in slabs of so few. */
static long compare_slabs(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records)
{
    struct pithlog_record want, records[64];
    struct pithlog_query q = *query;
    struct pithlog_iter *iter;
    struct pithi_runs *runs;
    long wrong = 0;
    int n, status = 1;
    q.lane_count = pithlog_get_info(log)->lanes;
    q.lanes = number_lanes(q.lane_count);
    q.kinds = q.kinds ? q.kinds : UINT32_MAX;
    if (pithi_runs_new(log, &q, slab_records, &runs) || pithlog_iter_open(log, query, &iter))
        return -1;
    while ((n = pithi_runs_next(runs, records, 64)) > 0)
        for (int i = 0; i < n; i++) {
            status = pithlog_iter_next(iter, &want);
            wrong += status != 1 || !same_record(&records[i], &want) || records[i].depth != want.depth ||
                     records[i].start_ns != want.start_ns || records[i].nested_ns != want.nested_ns;
        }
    wrong += n != 0 || pithlog_iter_next(iter, &want) != 0;
    pithlog_iter_close(iter);
    pithi_runs_free(runs);
    free((void *)(uintptr_t)q.lanes);
    return wrong;
}

/* So many lanes that they are read in groups, and taken in slabs of time; one of them has large records. */
static void test_many_lanes(void)
{
    const char *path = scratch_path("many.pith");
    static const char payload[1000] = {0};
    struct pithlog_query q = {INT64_MIN, INT64_MAX, NULL, 0, 0, PITHLOG_NEST, NULL};
    struct model m = {0};
    struct pithlog *log = NULL;
    random_records(&m, 6000, 400);
    int64_t end = 0;
    for (size_t i = 0; i < m.count; i++)
        end = m.records[i].time_ns > end ? m.records[i].time_ns : end;
    for (int i = 0; i < 3000; i++) {
        struct pithlog_record r = {.time_ns = end + 100 * i + i * i % 37, .lane = 7, .peer = -1};
        if (i % 3 == 0) {
            r.kind = PITHLOG_EVENT;
            r.id = MODEL_STATES;
            r.payload = payload;
            r.payload_bytes = 990 + (uint32_t)(i % 10);
        } else if (i % 7 == 0) {
            r.kind = PITHLOG_RECV;
            r.peer = i % 5;
            r.tag = i;
            r.posted = (uint64_t)i * 3;
            r.bytes = (uint64_t)i << i % 40;
        } else {
            r.kind = i % 5 < 2 ? PITHLOG_ENTER : PITHLOG_LEAVE;
            r.id = (uint32_t)i % 4;
        }
        model_add(&m, &r);
    }
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a log of 400 lanes, one of them large");
    OK(compare(&m, log, &q) == 0, "in order of time");
    q = (struct pithlog_query){end + 100100, end + 200000, NULL, 0, 0, PITHLOG_CLIP, NULL};
    OK(compare(&m, log, &q) == 0, "from the middle of a block on");
    q = (struct pithlog_query){INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_EVENT, 0, NULL};
    OK(compare(&m, log, &q) == 0, "only events");
    long wrong = 0;
    for (int i = 0; i < 24; i++) {
        int64_t from = (int64_t)(random_u64() % (uint64_t)end), to = from + (int64_t)(random_u64() % (uint64_t)end);
        static const uint32_t flags[] = {0, PITHLOG_NEST};
        q = (struct pithlog_query){i < 6 ? INT64_MIN : from, i < 6 ? INT64_MAX : to, NULL, 0, 0, flags[i % 2], NULL};
        wrong += compare_slabs(log, &q, 300 + random_below(2000)) != 0;
    }
    OK(wrong == 0, "the same in slabs");
    test_no_room(log);
    pithlog_close(log);
    model_free(&m);
}

/* Lanes whose times lie centuries apart, with gaps of all sizes, and at equal times. */
static void test_far(void)
{
    enum { LANES = 37, RECORDS = 40000 };
    const char *path = scratch_path("far.pith");
    const struct pithlog_query queries[] = {{INT64_MIN, INT64_MAX, NULL, 0, 0, 0, NULL},
                                            {INT64_MIN, INT64_MAX, NULL, 0, 0, PITHLOG_CLIP, NULL},
                                            {INT64_MIN / 2, INT64_MAX / 3, NULL, 0, 0, 0, NULL},
                                            {INT64_MIN, INT64_MAX, (const uint32_t[]){4}, 1, 0, 0, NULL},
                                            {-5, INT64_MAX - 1, NULL, 0, 1u << PITHLOG_LEAVE, PITHLOG_NEST, NULL}};
    struct model m = {0};
    struct pithlog *log = NULL;
    int64_t now_ns = INT64_MIN;
    long wrong = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint32_t far = random_below(400);
        uint64_t step = random_u64() >> (far < 8 ? 3 + far : 40 + far % 24);
        if (random_below(4) > 0 && step < (uint64_t)INT64_MAX - (uint64_t)now_ns)
            now_ns = (int64_t)((uint64_t)now_ns + step);
        model_add(&m, &(struct pithlog_record){.time_ns = i + 50 > RECORDS ? INT64_MAX : now_ns,
                                               .lane = random_below(LANES),
                                               .kind = i & 1 ? PITHLOG_ENTER : PITHLOG_LEAVE,
                                               .id = random_below(3),
                                               .peer = -1});
    }
    OK(now_ns > 0 && model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "times of all the range");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        wrong += compare(&m, log, &queries[i]);
    OK(wrong == 0, "come in order");
    pithlog_close(log);
    model_free(&m);
}

/* Times that fall are taken as the time before. */
static void test_falling(void)
{
    const char *path = scratch_path("falling.pith");
    struct model m = {0};
    struct pithlog *log = NULL;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int64_t times[] = {5, 9, 3, INT64_MIN, 10}, want[] = {5, 9, 9, 9, 10};
    long wrong = 0;
    for (int i = 0; i < 5; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = times[i], .kind = PITHLOG_PAUSE, .peer = -1});
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "times that fall");
    pithlog_iter_open(log, NULL, &iter);
    for (int i = 0; i < 5; i++)
        wrong += pithlog_iter_next(iter, &r) != 1 || r.time_ns != want[i];
    OK(wrong == 0, "never come out falling");
    pithlog_iter_close(iter);
    pithlog_close(log);
    model_free(&m);
}

/* A file that is cut while it is read ends in errors, not in a signal. */
static void test_cut(void)
{
    const char *path = scratch_path("cut.pith");
    struct model m = {0};
    struct pithlog *log = NULL;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    long records = 0, errors = 0;
    int status;
    for (int i = 0; i < 200000; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = i * 1000 + random_below(1000),
                                               .kind = PITHLOG_COUNTER,
                                               .id = MODEL_STATES + MODEL_EVENTS,
                                               .value = (double)random_u64(),
                                               .peer = -1});
    OK(model_write(&m, path) == 0 && pithlog_open(path, &log) == 0, "a log");
    pithlog_iter_open(log, NULL, &iter);
    while (records < 20000 && pithlog_iter_next(iter, &r) == 1)
        records++;
    OK(truncate(path, 300000) == 0, "is cut while it is read");
    while ((status = pithlog_iter_next(iter, &r)) != 0 && errors < 100) {
        records += status > 0;
        errors += status < 0;
    }
    OK(records > 20000 && records < 200000 && errors > 0 && errors < 100, "%ld records come, then errors", records);
    OK(strstr(pithlog_error(), path) != NULL, "that name the file");
    pithlog_iter_close(iter);
    pithlog_close(log);
    model_free(&m);
}

int main(void)
{
    test_cut();
    test_queries();
    test_long_states();
    test_deep();
    test_leak();
    test_many_lanes();
    test_far();
    test_falling();
    scratch_remove();
    return tap_done();
}
