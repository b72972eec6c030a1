/* test_lost_numbers.c - logs that say how many states ended in each hole (native/lost_states.h): the numbers against
 * the definition; walks, sums, nesting and parts of such logs against the same logs without numbers, which are read
 * from their records; and logs whose numbers do not follow the definition, which must agree with themselves. */
#include <fcntl.h>
#include <unistd.h>

#include "native/lane_summary.h"
#include "native/log.h"
#include "common/hole_numbers.h"
#include "common/log_model.h"
#include "common/quick_or_full.h"
#include "reader/read/check.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/native.h"
#include "tap.h"

enum { LANES = 3, MOST = 80000, WINDOWS = 12 };

/* Lane 0 has some blocks and a sheet, lane 1 many holes, lane 2 few records. */
static void make(struct model *m, uint32_t seed)
{
    random_seed(seed);
    *m = (struct model){.lanes = LANES};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t open[64], depth = 0, most = seed % 3 ? 5 : 30;
        uint32_t count = lane == 2 ? 300 : 3000 + random_below(MOST - 3000);
        uint32_t rare = lane == 0 ? 5000 : lane == 1 ? 60 : 20;
        int64_t now_ns = 100 * lane;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t dice = random_below(100);
            now_ns += i > 1 && random_below(4) ? random_below(50) : 0;
            struct pithlog_record r = {.time_ns = now_ns, .lane = lane, .peer = -1};
            if (random_below(rare) == 0 || (i < 2 && seed % 2)) {
                r.kind = PITHLOG_LOST;
                r.bytes = i < 2 ? 1 : random_below(4);                      /* 1: a ring begins so */
                for (uint32_t k = random_below(4); k > 0 && depth > 0; k--) /* the program went on meanwhile */
                    depth--;
                for (uint32_t k = random_below(3); k > 0 && depth < most; k--)
                    open[depth++] = random_below(MODEL_STATES);
            } else if (dice < 5) {
                r.kind = PITHLOG_EVENT;
                r.id = MODEL_STATES;
            } else if (depth == 0 || (depth < most && dice < 52)) {
                r.kind = PITHLOG_ENTER;
                r.id = open[depth++] = random_below(MODEL_STATES);
            } else {
                uint32_t at = seed % 2 && dice >= 98 ? random_below(depth) : depth - 1; /* some do not nest */
                r.kind = PITHLOG_LEAVE;
                r.id = open[at];
                memmove(&open[at], &open[at + 1], (--depth - at) * sizeof *open);
            }
            model_add(m, &r);
        }
    }
}

static struct pithlog *opened(const char *path)
{
    struct pithlog *log;
    must(pithlog_open(path, &log));
    return log;
}

/* Writes the records of a window of the log. */
static struct pithlog *copy_of(struct pithlog *log, const char *path, int64_t from_ns, int64_t to_ns)
{
    FILE *out = fopen(path, "w+b");
    must(out ? pithi_native_write(log, out, &(struct pithi_convert){.from_ns = from_ns, .to_ns = to_ns}) : PITH_ERR_IO);
    fclose(out);
    return opened(path);
}

static void say_nothing(void *context, const char *text) { (void)context, (void)text; }

static int damages(const char *path) { return pithi_check(path, say_nothing, NULL, NULL); }

/* ---- Two logs ---------------------------------------------------------------------------------------------------- */

static int same_step(const struct pithlog_step *a, const struct pithlog_step *b)
{
    int same =
        a->lane == b->lane && a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->is == b->is &&
        a->change == b->change && a->why == b->why && a->depth == b->depth &&
        (a->change != PITHLOG_ENDS || (a->self_ns == b->self_ns && a->total_ns == b->total_ns && a->at == b->at));
    for (uint32_t i = 0; same && i < a->depth; i++)
        same = a->open[i].id == b->open[i].id && a->open[i].start_ns == b->open[i].start_ns;
    return same;
}

/* The number of windows in which their walks differ. */
static int walks_differ(struct pithlog *a, struct pithlog *b, int64_t from_ns, int64_t to_ns, int is_said)
{
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = to_ns};
    struct pithlog_walk *x, *y;
    struct pithlog_step s, t;
    int same = 1, more = 1;
    must(pithlog_walk_open(a, &query, &x));
    must(pithlog_walk_open(b, &query, &y));
    while (same && more) {
        more = pithlog_walk_next(x, &s);
        same = pithlog_walk_next(y, &t) == more && (more != 1 || same_step(&s, &t));
    }
    if (!same && is_said)
        printf("# walks differ in [%lld, %lld] at %lld, %lld\n", (long long)from_ns, (long long)to_ns,
               (long long)s.to_ns, (long long)t.to_ns);
    pithlog_walk_close(x);
    pithlog_walk_close(y);
    return !same;
}

/* 1: the sums of `log` with its summary are not those of the records of `of`. `is_part`: it has only some of these. */
static int sums_differ(struct pithlog *log, struct pithlog_summary *summary, struct pithlog *of, uint32_t lane,
                       int64_t from_ns, int64_t to_ns, int is_part)
{
    struct pithlog_sum got[64] = {{0}}, want[64] = {{0}};
    struct pithlog_rest got_rest, want_rest;
    must(pithlog_sums(log, summary, lane, from_ns, to_ns, got, &got_rest));
    must(pithlog_sums(of, NULL, lane, from_ns, to_ns, want, &want_rest));
    int i = 0, is_other_rest =
                   !is_part && (got_rest.missing_ns != want_rest.missing_ns ||
                                got_rest.outside_ns != want_rest.outside_ns || got_rest.end_ns != want_rest.end_ns);
    while (i < 64 && memcmp(&got[i], &want[i], sizeof got[i]) == 0)
        i++;
    if (i < 64)
        printf("# lane %u [%lld, %lld] state %d: %llu %lld %lld, not %llu %lld %lld\n", lane, (long long)from_ns,
               (long long)to_ns, i, (unsigned long long)got[i].count, (long long)got[i].own_ns,
               (long long)got[i].all_ns, (unsigned long long)want[i].count, (long long)want[i].own_ns,
               (long long)want[i].all_ns);
    if (is_other_rest)
        printf("# lane %u [%lld, %lld] missing %lld outside %lld, not %lld %lld\n", lane, (long long)from_ns,
               (long long)to_ns, (long long)got_rest.missing_ns, (long long)got_rest.outside_ns,
               (long long)want_rest.missing_ns, (long long)want_rest.outside_ns);
    return i < 64 || is_other_rest;
}

/* The states of records are those of a walk over the lane, wherever an iteration begins. */
static int nesting_differs(struct pithlog *log, uint32_t lane, int64_t from_ns)
{
    const uint32_t kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    struct pithlog_query whole = {INT64_MIN, INT64_MAX, &lane, 1, kinds, 0, NULL}, part = whole;
    struct pithlog_walk *walk;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct pithlog_step step;
    int same = 1;
    part.from_ns = from_ns;
    part.flags = PITHLOG_NEST;
    must(pithlog_walk_open(log, &whole, &walk));
    must(pithlog_iter_open(log, &part, &iter));
    while (same && pithlog_iter_next(iter, &r) == 1) {
        do
            same = pithlog_walk_next(walk, &step) == 1;
        while (same && (!step.record || step.why || step.change == PITHLOG_GOES_ON || step.record->time_ns < from_ns ||
                        !(kinds >> step.record->kind & 1)));
        same = same && same_record(&r, step.record) && r.depth == step.record->depth &&
               r.start_ns == step.record->start_ns && r.nested_ns == step.record->nested_ns;
    }
    if (!same)
        printf("# lane %u nests otherwise from %lld on: at %lld\n", lane, (long long)from_ns, (long long)r.time_ns);
    pithlog_iter_close(iter);
    pithlog_walk_close(walk);
    return !same;
}

static int records_differ(struct pithlog *a, struct pithlog *b)
{
    struct pithlog_iter *x, *y;
    struct pithlog_record r, s;
    int same = 1, more = 1;
    must(pithlog_iter_open(a, NULL, &x));
    must(pithlog_iter_open(b, NULL, &y));
    while (same && more) {
        more = pithlog_iter_next(x, &r);
        same = pithlog_iter_next(y, &s) == more && (more != 1 || same_record(&r, &s));
    }
    pithlog_iter_close(x);
    pithlog_iter_close(y);
    return !same;
}

static const struct pithi_lost_states *lost_of(struct pithlog *log, uint32_t lane)
{
    const struct pithi_lost_states *lost;
    must(pithi_lost_states_get(log, lane, &lost));
    return lost;
}

/* A random window; the first one is all. */
static void window(const struct pithlog *log, int i, int64_t *from_ns, int64_t *to_ns)
{
    int64_t end_ns = pithlog_get_info(log)->end_ns;
    *from_ns = i ? (int64_t)random_below((uint32_t)end_ns) : 0;
    *to_ns = i ? *from_ns + 1 + random_below(i % 2 ? 1000 : (uint32_t)end_ns) : end_ns + 1;
}

/* `of`: the log whose records tell what is right. */
struct wrong {
    long walks, sums, nesting, damages, unused;
};

/* `part` has the records of `log` from from_ns to to_ns. */
static long part_differs(struct pithlog *part, struct pithlog *log, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_summary *summary;
    long differ = 0;
    must(pithlog_summary_open(part, &summary));
    for (int i = 0; i < WINDOWS; i++) {
        int64_t a = i ? from_ns + random_below((uint32_t)(to_ns - from_ns)) : from_ns;
        int64_t b = i ? a + random_below((uint32_t)(to_ns - a)) + 1 : to_ns;
        for (uint32_t lane = 0; lane < LANES; lane++)
            differ += sums_differ(part, summary, log, lane, a, b, 1);
    }
    pithlog_summary_close(summary);
    return differ;
}

static void compare(struct pithlog *log, const char *path, struct pithlog *of, struct wrong *wrong)
{
    struct pithlog_summary *summary;
    int64_t from_ns, to_ns;
    must(pithlog_summary_open(log, &summary));
    for (int i = 0; i < WINDOWS; i++) {
        window(log, i, &from_ns, &to_ns);
        wrong->walks += walks_differ(log, of, from_ns, to_ns, 1);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            wrong->sums += sums_differ(log, summary, of, lane, from_ns, to_ns, 0);
            if (!lost_of(log, lane) || lost_of(log, lane)->is_numbered) /* else NEST does not know */
                wrong->nesting += nesting_differs(log, lane, from_ns);
        }
    }
    pithlog_summary_close(summary);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct pithi_lost_states *lost = lost_of(log, lane);
        wrong->unused += lost && (!lost->is_numbered || lost->gone_count > 0);
    }
    wrong->damages += damages(path) != 0;
}

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

static void check_copies(uint32_t seeds)
{
    struct hole_count count = {0};
    struct wrong wrong = {0}, cut = {0};
    long kept = 0, again = 0, numbered = 0, parts = 0;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct model m;
        char first[256], second[256], third[256], fourth[256];
        snprintf(first, sizeof first, "%s", scratch_path("first.pith"));
        snprintf(second, sizeof second, "%s", scratch_path("second.pith"));
        snprintf(third, sizeof third, "%s", scratch_path("third.pith"));
        snprintf(fourth, sizeof fourth, "%s", scratch_path("fourth.pith"));
        make(&m, seed);
        must(model_write(&m, first));
        struct pithlog *old = opened(first), *log = copy_of(old, second, INT64_MIN, INT64_MAX), *copy;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const struct pithi_lost_states *lost = lost_of(old, lane);
            hole_numbers(log, lane, &count);
            numbered += lost && lost->is_numbered && lost->hole_count > 1;
            kept += pithi_log_kept_sheets(log, lane) != NULL;
        }
        compare(log, second, old, &wrong);
        copy = copy_of(log, third, INT64_MIN, INT64_MAX);
        again += records_differ(log, copy);
        pithlog_close(copy);
        for (int i = 1; i <= 4; i++) {
            int64_t from_ns, to_ns;
            window(log, i, &from_ns, &to_ns);
            to_ns = to_ns < pithlog_get_info(log)->end_ns ? to_ns : pithlog_get_info(log)->end_ns;
            from_ns -= from_ns == to_ns;
            copy = copy_of(log, third, from_ns, to_ns);
            struct pithlog *old_copy = copy_of(old, fourth, from_ns, to_ns);
            parts += records_differ(copy, old_copy);
            parts += part_differs(copy, old, from_ns, to_ns);
            compare(copy, third, copy, &cut);
            pithlog_close(copy);
            pithlog_close(old_copy);
        }
        pithlog_close(log);
        pithlog_close(old);
        model_free(&m);
    }
    printf("# %ld holes, %ld states ended in them, %ld lanes with sheets\n", count.holes, count.ended, kept);
    OK(count.holes > 1000 && count.ended > 500 && count.wrong == 0 && kept > 0 && numbered == 0,
       "a copy says of each hole how many states ended in it (%ld wrong)", count.wrong);
    OK(wrong.unused == 0, "readers take it from there (%ld)", wrong.unused);
    OK(wrong.walks == 0, "walks are those of the log without numbers (%ld)", wrong.walks);
    OK(wrong.sums == 0, "sums of the summary are those of the records (%ld)", wrong.sums);
    OK(wrong.nesting == 0, "states nest in the same way wherever one begins (%ld)", wrong.nesting);
    OK(wrong.damages == 0, "check finds nothing (%ld)", wrong.damages);
    OK(again == 0, "a copy of the copy has the same records (%ld)", again);
    OK(parts == 0 && cut.unused + cut.walks + cut.sums + cut.nesting + cut.damages == 0,
       "parts have the same sums (%ld), and agree with themselves (%ld %ld %ld %ld %ld)", parts, cut.unused, cut.walks,
       cut.sums, cut.nesting, cut.damages);
}

/* Of a filter's part, some states are left out, so the numbers do not hold. */
static void check_filter(void)
{
    char first[256], second[256];
    struct pithlog_filter *filter;
    struct pithlog_record r;
    struct pithlog_iter *iter;
    struct pithlog *part;
    struct model m;
    long holes = 0, numbers = 0;
    snprintf(first, sizeof first, "%s", scratch_path("first.pith"));
    snprintf(second, sizeof second, "%s", scratch_path("second.pith"));
    make(&m, 3);
    must(model_write(&m, first));
    struct pithlog *old = opened(first), *log = copy_of(old, second, INT64_MIN, INT64_MAX);
    must(pithlog_filter_parse("name == \"thing 1\" or kind == lost", &filter, NULL));
    must(pithlog_open_part(log, filter, &part));
    must(pithlog_iter_open(part, NULL, &iter));
    while (pithlog_iter_next(iter, &r) == 1) {
        holes += r.kind == PITHLOG_LOST;
        numbers += r.kind == PITHLOG_LOST && r.got_bytes > 0;
    }
    OK(holes > 100 && numbers == 0, "the part that matches a filter has no numbers (%ld of %ld)", numbers, holes);
    pithlog_iter_close(iter);
    pithlog_close(part);
    pithlog_filter_free(filter);
    pithlog_close(log);
    pithlog_close(old);
    model_free(&m);
}

/* A hole with a number, and then a damaged block: the summary does not know how long the hole is. */
static void check_wider(void)
{
    char first[256], second[256];
    const struct pithi_log_lane *lane;
    struct pithi_log_window window = {0};
    struct pithi_log_block block;
    struct pithlog_summary *summary;
    struct model m = {.lanes = 1};
    snprintf(first, sizeof first, "%s", scratch_path("first.pith"));
    snprintf(second, sizeof second, "%s", scratch_path("second.pith"));
    for (uint32_t i = 0; i < 5 * PITHI_BLOCK_RECORDS; i++) {
        uint32_t kind = i + 1 == PITHI_BLOCK_RECORDS ? PITHLOG_LOST : i % 2 ? PITHLOG_LEAVE : PITHLOG_ENTER;
        model_add(&m,
                  &(struct pithlog_record){.time_ns = 10 * i, .kind = kind, .peer = -1, .bytes = kind == PITHLOG_LOST});
    }
    must(model_write(&m, first));
    struct pithlog *old = opened(first), *log = copy_of(old, second, INT64_MIN, INT64_MAX);
    must(pithi_log_lane(log, 0, &lane));
    must(pithi_log_block(log, lane, 1, &window, &block));
    pithlog_close(log);
    int file = open(second, O_WRONLY), good = pwrite(file, "damage", 6, (off_t)block.offset + 60) == 6;
    close(file);
    log = opened(second);
    must(pithlog_summary_open(log, &summary));
    struct pithlog_sum got[64] = {{0}}, want[64] = {{0}};
    struct pithlog_rest got_rest, want_rest;
    pithlog_sums(log, summary, 0, -10, 10 * (int64_t)m.count, got, &got_rest);
    pithlog_sums(log, NULL, 0, -10, 10 * (int64_t)m.count, want, &want_rest);
    OK(good && got_rest.missing_ns == 10 + 10 * (int64_t)PITHI_BLOCK_RECORDS &&
           memcmp(&got_rest, &want_rest, sizeof got_rest) == 0 && memcmp(got, want, sizeof got) == 0,
       "a damaged block in a hole: its sums are those of the records, %lld ns are missing",
       (long long)got_rest.missing_ns);
    pithlog_summary_close(summary);
    pithlog_close(log);
    pithlog_close(old);
    model_free(&m);
}

/* Numbers up to some hole, or numbers that somebody made up. */
static void check_others(uint32_t seeds)
{
    struct wrong some = {0}, any = {0};
    long behind = 0, unequal = 0, strange = 0;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct model m;
        struct pithlog_record *r;
        char first[256], second[256];
        snprintf(first, sizeof first, "%s", scratch_path("first.pith"));
        snprintf(second, sizeof second, "%s", scratch_path("second.pith"));
        make(&m, seed + 100);
        must(model_write(&m, first));
        struct pithlog *old = opened(first), *log = copy_of(old, second, INT64_MIN, INT64_MAX);
        /* the model gets the numbers, except that each lane's fifth is missing */
        struct pithlog_iter *iter;
        struct pithlog_record got;
        size_t at = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t holes = 0;
            must(pithlog_iter_open(log, &(struct pithlog_query){INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL}, &iter));
            while (pithlog_iter_next(iter, &got) == 1) {
                r = &m.records[at++];
                r->got_bytes = got.got_bytes;
                holes += got.got_bytes > 0;
                if (got.got_bytes > 0 && holes == 5)
                    r->got_bytes = 0;
            }
            pithlog_iter_close(iter);
        }
        pithlog_close(log);
        must(model_write(&m, second));
        log = opened(second);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t holes = 0;
            must(pithlog_iter_open(
                log, &(struct pithlog_query){INT64_MIN, INT64_MAX, &lane, 1, 1u << PITHLOG_LOST, 0, NULL}, &iter));
            while (pithlog_iter_next(iter, &got) == 1)
                behind += got.got_bytes > 0 && ++holes > 4;
            pithlog_iter_close(iter);
        }
        compare(log, second, old, &some);
        pithlog_close(log);
        for (size_t i = 0; i < m.count; i++)
            if (m.records[i].kind == PITHLOG_LOST)
                m.records[i].got_bytes = random_below(8) ? 1 + random_below(4) : UINT64_MAX - random_below(2);
        must(model_write(&m, second));
        log = opened(second);
        unequal += walks_differ(log, old, INT64_MIN, INT64_MAX, 0);
        strange += lost_of(log, 1)->hole_count > 10;
        compare(log, second, log, &any);
        pithlog_close(log);
        pithlog_close(old);
        model_free(&m);
    }
    OK(behind == 0 && some.walks + some.sums == 0,
       "no number after a hole without one (%ld); walks (%ld) and sums (%ld)", behind, some.walks, some.sums);
    OK(some.damages == 0, "check finds nothing (%ld)", some.damages);
    OK(unequal > 0 && strange > 0 && any.unused + any.walks + any.sums + any.nesting + any.damages == 0,
       "made-up numbers: sums (%ld), nesting (%ld), check (%ld) agree", any.sums, any.nesting, any.damages);
}

/* After a lane's last hole no state goes on, whatever its number says. */
static void check_end(void)
{
    const struct pithlog_record records[] = {
        {.time_ns = 10, .kind = PITHLOG_ENTER, .peer = -1},
        {.time_ns = 20, .kind = PITHLOG_ENTER, .id = 1, .peer = -1},
        {.time_ns = 30, .kind = PITHLOG_LOST, .peer = -1, .bytes = 5, .got_bytes = 2},
        {.time_ns = 10, .lane = 1, .kind = PITHLOG_ENTER, .peer = -1},
        {.time_ns = 50, .lane = 1, .kind = PITHLOG_LEAVE, .peer = -1},
    };
    struct model m = {0};
    char path[256];
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int ended = 0, is_late = 0;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        model_add(&m, &records[i]);
    snprintf(path, sizeof path, "%s", scratch_path("end.pith"));
    must(model_write(&m, path));
    struct pithlog *log = opened(path);
    must(pithlog_walk_open(log, NULL, &walk));
    while (pithlog_walk_next(walk, &step) == 1) {
        ended += step.lane == 0 && step.change == PITHLOG_ENDS && step.to_ns == 30 && !is_late;
        is_late |= step.to_ns > 30;
    }
    OK(ended == 2, "no state goes on after the last hole of a lane");
    pithlog_walk_close(walk);
    pithlog_close(log);
    model_free(&m);
}

/* Many states are open at the start of a block with few records. */
static void check_deep(void)
{
    static unsigned char payload[PITHI_BLOCK_PAYLOAD]; /* ends a block */
    struct model m = {0};
    char path[256];
    uint32_t i = 0, depth = 0;
    for (; i < 300; i++)
        model_add(&m,
                  &(struct pithlog_record){.time_ns = i, .kind = PITHLOG_ENTER, .id = i % MODEL_STATES, .peer = -1});
    model_add(&m,
              &(struct pithlog_record){.time_ns = i++, .kind = PITHLOG_LOST, .peer = -1, .bytes = 1, .got_bytes = 101});
    for (; i < 305; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = i,
                                               .kind = PITHLOG_EVENT,
                                               .id = MODEL_STATES,
                                               .peer = -1,
                                               .payload = payload,
                                               .payload_bytes = sizeof payload});
    snprintf(path, sizeof path, "%s", scratch_path("deep.pith"));
    must(model_write(&m, path));
    struct pithlog *log = opened(path);
    struct pithlog_walk *walk;
    struct pithlog_step step;
    must(pithlog_walk_open(log, &(struct pithlog_query){.from_ns = 304, .to_ns = 304}, &walk));
    while (pithlog_walk_next(walk, &step) == 1)
        depth = step.depth > depth ? step.depth : depth;
    OK(damages(path) == 0 && depth == 200, "200 of 300 states go on, in a block with one record (%u)", depth);
    pithlog_walk_close(walk);
    pithlog_close(log);
    model_free(&m);
}

int main(void)
{
    const uint32_t seeds = fewer_sanitized(4, quick_or_full(8, 40));
    check_copies(seeds);
    check_others(seeds);
    check_filter();
    check_wider();
    check_end();
    check_deep();
    scratch_remove();
    return tap_done();
}
