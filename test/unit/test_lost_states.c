/* test_lost_states.c - holes in lanes (lane_blocks.h): what walks, and iterators with CLIP, deliver, against the
 * definition, on random logs with LOST records and damaged blocks: as they are written first, and as a copy that says
 * how many states ended in each hole. */
#include <fcntl.h>

#include "native/log.h"
#include "reader/read/iter.h"
#include "reader/read/native.h"
#include "common/log_model.h"
#include "common/open_oracle.h"
#include "common/quick_or_full.h"
#include "tap.h"

enum { MOST = 4000, LANES = 2 };

/* ---- The definition ---------------------------------------------------------------------------------------------- */

struct lane {
    struct pithlog_record r[MOST];
    struct entry k[MOST];
    int count;
};
static struct lane lanes[LANES];

struct piece {
    int enter;
    int64_t start_ns, nested_ns, before_ns; /* nested_ns -1: not known; before_ns: the same where a hole begins */
};

struct expecting {
    struct model out;
    struct piece open[MOST];
    int depth, before; /* `before`: where a hole begins */
    int64_t from_ns, to_ns;
    int is_in_hole;
};

static void leave(struct expecting *e, uint32_t lane, uint32_t id, int depth, int64_t time_ns)
{
    const struct piece *p = &e->open[depth];
    struct pithlog_record r = {time_ns,
                               lane,
                               PITHLOG_LEAVE,
                               .id = id,
                               .depth = (uint32_t)depth,
                               .start_ns = p->start_ns,
                               .nested_ns = p->nested_ns};
    if (depth > 0 && p[-1].nested_ns >= 0)
        e->open[depth - 1].nested_ns += time_ns - p->start_ns;
    if (time_ns >= e->from_ns)
        model_add(&e->out, &r);
}

/* A hole ends before record `at`. */
static void end_hole(struct expecting *e, struct lane *l, int at, int is_inside)
{
    int64_t now_ns = l->k[at].time_ns;
    int old = 0, is_lost = !l->k[at - 1].is_damaged;
    e->is_in_hole = 0;
    e->depth = 0;
    for (int i = 0; i < at; i++)
        if (oracle_is_open(l->k, (uint32_t)i, (uint32_t)at - 1, (uint32_t)at)) {
            if (is_inside)
                model_add(&e->out, &(struct pithlog_record){now_ns, l->r[i].lane, PITHLOG_ENTER, .id = l->k[i].id,
                                                            .depth = (uint32_t)e->depth, .start_ns = l->k[i].time_ns,
                                                            .posted = 1});
            while (is_lost && old < e->before && e->open[old].enter != i)
                old++;
            int64_t nested_ns = is_lost && old < e->before ? e->open[old].before_ns : -1;
            e->open[e->depth++] = (struct piece){i, l->k[i].time_ns, nested_ns, 0};
        }
}

static void begin_hole(struct expecting *e, const struct lane *l, int64_t time_ns)
{
    for (int i = 0; i < e->depth && !e->is_in_hole; i++)
        e->open[i].before_ns = e->open[i].nested_ns;
    if (!e->is_in_hole)
        e->before = e->depth;
    if (!e->is_in_hole)
        for (int i = e->depth; i-- > 0;) {
            leave(e, l->r[0].lane, l->k[e->open[i].enter].id, i, time_ns);
            if (e->out.count > 0) /* it may go on */
                e->out.records[e->out.count - 1].nested_ns = -1;
        }
    e->is_in_hole = 1;
    e->depth = 0;
}

static void begin_window(struct expecting *e, const struct lane *l)
{
    for (int i = 0; i < e->depth && !e->is_in_hole; i++) {
        const struct pithlog_record *r = &l->r[e->open[i].enter];
        model_add(&e->out,
                  &(struct pithlog_record){r->time_ns, r->lane, PITHLOG_ENTER, .id = r->id, .depth = (uint32_t)i});
        e->open[i].nested_ns = -1;
    }
    if (e->is_in_hole) /* what the block's stack has is not known here */
        e->before = 0;
}

static void expect(struct expecting *e, struct lane *l, int64_t end_ns)
{
    int has_begun = 0;
    int64_t now_ns = l->k[0].time_ns;
    for (int i = 0; i < l->count && (l->k[i].time_ns <= e->to_ns || l->k[i].is_damaged); i++) {
        const struct entry *k = &l->k[i];
        if (k->is_damaged) {
            begin_hole(e, l, now_ns);
            continue;
        }
        if (!has_begun && k->time_ns >= e->from_ns) {
            if (e->is_in_hole && k->time_ns == e->from_ns)
                end_hole(e, l, i, 0);
            begin_window(e, l);
            has_begun = 1;
        }
        now_ns = k->time_ns;
        if (e->is_in_hole)
            end_hole(e, l, i, has_begun);
        struct pithlog_record r = l->r[i];
        r.peer = 0;
        if (r.kind == PITHLOG_LEAVE) {
            int at = e->depth;
            while (at > 0 && l->k[e->open[at - 1].enter].leave != (uint32_t)i)
                at--;
            if (at > 0) {
                leave(e, r.lane, r.id, at - 1, now_ns);
                memmove(&e->open[at - 1], &e->open[at], (size_t)(e->depth-- - at) * sizeof *e->open);
                continue;
            }
            r.depth = UINT32_MAX;
            r.start_ns = now_ns;
        } else if (r.kind == PITHLOG_ENTER) {
            r.depth = (uint32_t)e->depth;
            e->open[e->depth++] = (struct piece){i, now_ns, 0, 0};
        }
        if (now_ns >= e->from_ns)
            model_add(&e->out, &r);
        if (k->is_hole)
            begin_hole(e, l, now_ns);
    }
    if (!has_begun)
        begin_window(e, l);
    end_ns = e->to_ns < end_ns ? e->to_ns : end_ns;
    for (int i = e->depth; i-- > 0 && !e->is_in_hole;)
        leave(e, l->r[0].lane, l->k[e->open[i].enter].id, i, end_ns > e->from_ns ? end_ns : e->from_ns);
}

/* ---- Random logs ------------------------------------------------------------------------------------------------- */

/* Lanes of small blocks: a large payload ends a block. */
static void make(struct model *m, uint32_t seed)
{
    static unsigned char payload[PITHI_BLOCK_PAYLOAD / 2];
    random_seed(seed);
    *m = (struct model){.lanes = LANES};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t open[64], depth = 0, count = 40 + random_below(seed % 4 ? 100 : 700), most = seed % 3 ? 4 : 20;
        int64_t now_ns = 100 * lane;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t dice = random_below(100);
            now_ns += random_below(4) ? random_below(30) : 0;
            struct pithlog_record r = {.time_ns = now_ns, .lane = lane, .peer = -1};
            if (dice < 8) {
                r.kind = PITHLOG_LOST;
                r.bytes = random_below(4);
                /* the program went on meanwhile */
                for (uint32_t k = random_below(3); k > 0 && depth > 0; k--)
                    depth--;
                for (uint32_t k = random_below(3); k > 0 && depth < most; k--)
                    open[depth++] = random_below(MODEL_STATES);
            } else if (dice < 14) {
                r.kind = PITHLOG_EVENT;
                r.id = MODEL_STATES;
                r.payload = payload;
                r.payload_bytes = sizeof payload;
            } else if (dice < 20) {
                r.kind = PITHLOG_PAUSE;
            } else if (depth == 0 || (depth < most && dice < 62)) {
                r.kind = PITHLOG_ENTER;
                r.id = open[depth++] = random_below(MODEL_STATES);
            } else {
                uint32_t at = dice < 95 ? depth - 1 : random_below(depth); /* some do not nest */
                r.kind = PITHLOG_LEAVE;
                r.id = open[at];
                memmove(&open[at], &open[at + 1], (--depth - at) * sizeof *open);
            }
            model_add(m, &r);
        }
    }
}

/* Damages some blocks of the file; takes the records of each lane from the model. */
static int damage(const struct model *m, const char *path, uint32_t seed, int is_numbered)
{
    static uint32_t open_room[MOST];
    struct pithlog *log;
    const struct pithi_log_lane *lane;
    struct pithi_log_window window = {0};
    struct pithi_log_block block;
    int file = open(path, O_WRONLY), damaged = 0;
    if (pithlog_open(path, &log) != PITH_OK)
        return -1;
    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i].count = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct pithlog_record *r = &m->records[k];
            if (r->lane != i)
                continue;
            lanes[i].r[lanes[i].count] = *r;
            lanes[i].k[lanes[i].count++] =
                (struct entry){r->time_ns, r->kind, r->id, .lost = r->kind == PITHLOG_LOST ? r->bytes : 0};
        }
        pithi_log_lane(log, i, &lane);
        for (uint32_t b = 0, at = 0; b < lane->block_count; b++, at += block.count) {
            pithi_log_block(log, lane, b, &window, &block);
            int is_damaged = seed % 5 > 1 && random_below(3) == 0;
            for (uint32_t k = 0; k < block.count; k++)
                lanes[i].k[at + k].is_damaged = is_damaged;
            damaged += is_damaged;
            if (is_damaged && pwrite(file, "damage", 6, (off_t)block.offset + 60) != 6)
                return -1;
        }
        oracle_open_states(lanes[i].k, (uint32_t)lanes[i].count, is_numbered, open_room);
    }
    close(file);
    pithlog_close(log);
    return damaged;
}

static int is_same(const struct pithlog_record *got, const struct pithlog_record *want)
{
    if (got->time_ns != want->time_ns || got->lane != want->lane || got->kind != want->kind || got->id != want->id)
        return 0;
    if (got->kind > PITHLOG_LEAVE)
        return 1;
    if (got->depth != want->depth)
        return 0;
    if (want->kind == PITHLOG_ENTER)
        return !want->posted || got->start_ns == want->start_ns; /* posted: it goes on after a hole */
    return got->start_ns == want->start_ns && (want->nested_ns < 0 || got->nested_ns == want->nested_ns);
}

static int check_window(struct pithlog *log, const uint32_t *asked, uint32_t asked_count, int64_t from_ns,
                        int64_t to_ns, uint32_t flags, int many)
{
    static struct expecting want[LANES];
    struct pithlog_query query = {from_ns, to_ns, asked, asked_count, 0, flags, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record some[8];
    size_t at[LANES] = {0};
    int64_t going = 0; /* states that go on are left and entered in pairs */
    int wrong = 0, got;
    for (uint32_t i = 0; i < asked_count; i++) {
        struct expecting *e = &want[asked[i]];
        model_free(&e->out);
        e->depth = e->is_in_hole = 0;
        e->from_ns = from_ns;
        e->to_ns = to_ns;
        expect(e, &lanes[asked[i]], pithlog_get_info(log)->end_ns);
    }
    if (pithlog_iter_open(log, &query, &iter) != PITH_OK)
        return 1;
    int64_t now_ns = INT64_MIN;
    while ((got = pithlog_iter_next_many(iter, some, many)) != 0 && !wrong)
        for (int i = 0; i < got && !wrong; i++) {
            const struct expecting *e = &want[some[i].lane];
            size_t n = at[some[i].lane]++;
            const struct pithlog_record *r = n < e->out.count ? &e->out.records[n] : NULL;
            wrong = !r || !is_same(&some[i], r) || (some[i].time_ns < now_ns && some[i].time_ns >= from_ns);
            now_ns = some[i].time_ns;
            if (pithi_iter_part(iter) == PITHI_PART_HOLE)
                going +=
                    (some[i].kind == PITHLOG_LEAVE ? 1 : -1) * (int64_t)(some[i].id + 1) * (some[i].start_ns + 1000);
            if (wrong)
                printf(
                    "# lane %u [%lld, %lld] record %zu: %lld kind %u id %u depth %u start %lld nested %lld, not %lld "
                    "kind %u id %u depth %u start %lld nested %lld\n",
                    some[i].lane, (long long)from_ns, (long long)to_ns, n, (long long)some[i].time_ns, some[i].kind,
                    some[i].id, some[i].depth, (long long)some[i].start_ns, (long long)some[i].nested_ns,
                    r ? (long long)r->time_ns : -1, r ? r->kind : 0, r ? r->id : 0, r ? r->depth : 0,
                    r ? (long long)r->start_ns : -1, r ? (long long)r->nested_ns : 0);
        }
    for (uint32_t i = 0; i < asked_count && !wrong; i++)
        if ((wrong = at[asked[i]] != want[asked[i]].out.count))
            printf("# lane %u [%lld, %lld] %zu records, not %zu\n", asked[i], (long long)from_ns, (long long)to_ns,
                   at[asked[i]], want[asked[i]].out.count);
    pithlog_iter_close(iter);
    return wrong || going != 0;
}

/* OPENED: -1 is its end if damage makes a hole that reaches into the window. It may be one if the hole ends where the
 * window begins. */
static int check_opened(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    const struct lane *l = &lanes[lane];
    struct pithlog_query query = {from_ns, to_ns, &lane, 1, 0, PITHLOG_OPENED, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record some[8];
    int got, is_hole = 0, is_any = 0;
    int64_t begin_ns = INT64_MIN; /* of the records that are damaged now */
    for (int i = 0; i < l->count; i++) {
        is_any |= l->k[i].is_damaged || l->k[i].is_hole;
        if (l->k[i].is_damaged)
            continue;
        is_hole |= i > 0 && l->k[i - 1].is_damaged && begin_ns <= to_ns && l->k[i].time_ns > from_ns;
        begin_ns = l->k[i].time_ns;
    }
    is_hole |= l->count > 0 && l->k[l->count - 1].is_damaged && begin_ns <= to_ns;
    if (pithlog_iter_open(log, &query, &iter) != PITH_OK)
        return 1;
    while ((got = pithlog_iter_next_many(iter, some, 8)) > 0)
        continue;
    if (got < 0 && pithlog_iter_next(iter, some) != 0)
        is_any = 0; /* nothing may follow */
    pithlog_iter_close(iter);
    if (is_hole && got == 0)
        printf("# OPENED lane %u [%lld, %lld]: %d, damaged: %d\n", lane, (long long)from_ns, (long long)to_ns, got,
               is_hole);
    return (is_hole && got == 0) || (got < 0 && !is_any);
}

/* ---- Walks ------------------------------------------------------------------------------------------------------- */

/* By definition: the lane's last good record at or before `time_ns`, and the first one after it; -1, `count`: none. */
static void around(const struct lane *l, int64_t time_ns, int *before, int *after)
{
    *before = -1;
    for (int i = 0; i < l->count && (l->k[i].is_damaged || l->k[i].time_ns <= time_ns); i++)
        *before = l->k[i].is_damaged ? *before : i;
    for (*after = *before + 1; *after < l->count && l->k[*after].is_damaged;)
        ++*after;
}

/* Checks an interval of positive length with the definition of holes and open states. */
static int interval_is_wrong(const struct lane *l, const struct pithlog_step *step, int64_t from_ns, int64_t to_ns)
{
    int before, after, is_paused = 0, is_hole, is_wrong;
    uint32_t depth = 0;
    around(l, step->from_ns, &before, &after);
    if (before < 0) /* the lane's first block is damaged */
        return step->is != PITHLOG_IS_HOLE;
    is_hole = after > before + 1 || l->k[before].is_hole;
    for (int i = 0; i <= before; i++)
        if (!l->k[i].is_damaged && (l->k[i].kind == PITHLOG_PAUSE || l->k[i].kind == PITHLOG_RESUME))
            is_paused = l->k[i].kind == PITHLOG_PAUSE;
    is_wrong = step->is != (is_hole ? PITHLOG_IS_HOLE : is_paused ? PITHLOG_IS_PAUSED : PITHLOG_IS_RECORDED);
    if (is_hole && (l->k[before].time_ns < from_ns || after == l->count || l->k[after].time_ns > to_ns))
        return is_wrong;
    for (int i = 0; i <= before; i++) {
        const struct entry *k = &l->k[i];
        if (!oracle_is_open(l->k, (uint32_t)i, (uint32_t)after - 1, (uint32_t)after))
            continue;
        is_wrong |= depth >= step->depth || step->open[depth].id != k->id;
        depth++;
    }
    return is_wrong | (depth != step->depth);
}

/* The steps of a walk: each interval by definition, without gaps; and their sums. */
static int check_walk(struct pithlog *log, const uint32_t *asked, uint32_t asked_count, int64_t from_ns, int64_t to_ns)
{
    static int64_t self_ns[LANES][MODEL_STATES], all_ns[LANES][MODEL_STATES]; /* of intervals, less that of ENDS */
    struct pithlog_query query = {from_ns, to_ns, asked, asked_count, 0, 0, NULL};
    int64_t now_ns[LANES], last_ns = INT64_MIN;
    uint32_t open[LANES][256], depth[LANES] = {0}, edges = 0;
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, wrong = 0;
    memset(self_ns, 0, sizeof self_ns);
    memset(all_ns, 0, sizeof all_ns);
    if (pithlog_walk_open(log, &query, &walk) != PITH_OK)
        return 1;
    for (uint32_t i = 0; i < LANES; i++)
        now_ns[i] = from_ns > pithlog_get_lane(log, i)->first_ns ? from_ns : pithlog_get_lane(log, i)->first_ns;
    while ((status = pithlog_walk_next(walk, &step)) != 0 && !wrong) {
        if (status < 0)
            continue;
        const struct lane *l = &lanes[step.lane];
        wrong = step.from_ns != now_ns[step.lane] || step.to_ns < step.from_ns ||
                (step.change != PITHLOG_EDGE && step.change != PITHLOG_HOLE_BEGINS && step.to_ns < last_ns);
        wrong |= step.from_ns < step.to_ns && interval_is_wrong(l, &step, from_ns, to_ns);
        wrong |= step.kept > step.depth || step.kept > depth[step.lane];
        for (uint32_t i = 0; i < step.depth && !wrong; i++) {
            int64_t length_ns = step.is == PITHLOG_IS_HOLE ? 0 : step.to_ns - step.from_ns;
            wrong = i < step.kept && step.open[i].id != open[step.lane][i];
            open[step.lane][i] = step.open[i].id;
            all_ns[step.lane][step.open[i].id] += length_ns;
            self_ns[step.lane][step.open[i].id] += i + 1 == step.depth ? length_ns : 0;
        }
        if (step.change == PITHLOG_ENDS) {
            all_ns[step.lane][step.open[step.at].id] -= step.total_ns;
            self_ns[step.lane][step.open[step.at].id] -= step.self_ns;
        }
        depth[step.lane] = step.depth;
        now_ns[step.lane] = step.to_ns;
        edges += step.change == PITHLOG_EDGE;
        last_ns = step.record ? step.to_ns : last_ns;
        if (wrong)
            printf("# walk [%lld, %lld] lane %u: [%lld, %lld) is %u, depth %u, kept %u, change %u\n",
                   (long long)from_ns, (long long)to_ns, step.lane, (long long)step.from_ns, (long long)step.to_ns,
                   step.is, step.depth, step.kept, step.change);
    }
    pithlog_walk_close(walk);
    for (uint32_t i = 0; i < LANES && !wrong; i++)
        for (int id = 0; id < MODEL_STATES && !wrong; id++)
            if ((wrong = (all_ns[i][id] != 0 || self_ns[i][id] != 0)))
                printf("# walk [%lld, %lld] lane %u state %d: total %lld, self %lld too much\n", (long long)from_ns,
                       (long long)to_ns, i, id, (long long)all_ns[i][id], (long long)self_ns[i][id]);
    return wrong || edges != asked_count;
}

/* ---- Single cases ------------------------------------------------------------------------------------------------ */

static void add(struct model *m, uint32_t kind, uint32_t id, int64_t time_ns)
{
    static unsigned char payload[PITHI_BLOCK_PAYLOAD]; /* each event ends a block */
    struct pithlog_record r = {.time_ns = time_ns, .kind = kind, .id = id, .peer = -1, .bytes = kind == PITHLOG_LOST};
    r.payload = payload;
    r.payload_bytes = kind == PITHLOG_EVENT ? sizeof payload : 0;
    model_add(m, &r);
}

/* Writes a log of lane 0 and destroys its second block; `is_cut`: also its end, so that the index is rebuilt. */
static struct pithlog *open_without_second(struct model *m, const char *path, int is_cut)
{
    const struct pithi_log_lane *lane;
    struct pithi_log_window window = {0};
    struct pithi_log_block block;
    struct pithlog *log;
    if (model_write(m, path) != PITH_OK || pithlog_open(path, &log) != PITH_OK)
        return NULL;
    int file = open(path, O_WRONLY), good = pithi_log_lane(log, 0, &lane) == PITH_OK && lane->block_count > 2 &&
                                            pithi_log_block(log, lane, 1, &window, &block) == PITH_OK &&
                                            pwrite(file, "destroyed", 9, (off_t)block.offset) == 9 &&
                                            (!is_cut || ftruncate(file, lseek(file, 0, SEEK_END) - 10) == 0);
    close(file);
    pithlog_close(log);
    model_free(m);
    return good && pithlog_open(path, &log) == PITH_OK ? log : NULL;
}

static uint64_t count_of(struct pithlog *log, uint32_t id, int has_summary, int64_t *missing_ns)
{
    struct pithlog_sum sums[64] = {{0}};
    struct pithlog_summary *summary = NULL;
    struct pithlog_rest rest = {0};
    if (has_summary && pithlog_summary_open(log, &summary) != PITH_OK)
        return UINT64_MAX;
    pithlog_sums(log, summary, 0, 0, 1000, sums, &rest);
    pithlog_summary_close(summary);
    *missing_ns = rest.missing_ns;
    return sums[id].count;
}

static int64_t total_of(struct pithlog *log, uint32_t id)
{
    struct pithlog_sum sums[64] = {{0}};
    struct pithlog_rest rest = {0};
    pithlog_sums(log, NULL, 0, 0, 1000, sums, &rest);
    return sums[id].all_ns;
}

/* nested_ns of the last LEAVE with CLIP. */
static int64_t last_nested(struct pithlog *log)
{
    struct pithlog_query query = {INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_LEAVE, PITHLOG_CLIP, NULL};
    struct pithlog_record r = {0};
    struct pithlog_iter *iter;
    int got;
    if (pithlog_iter_open(log, &query, &iter) != PITH_OK)
        return -1;
    while ((got = pithlog_iter_next(iter, &r)) != 0)
        continue;
    pithlog_iter_close(iter);
    return r.nested_ns;
}

/* The number of holes that a walk from from_ns on tells. */
static int holes_from(struct pithlog *log, int64_t from_ns)
{
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = INT64_MAX};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, holes = 0;
    if (pithlog_walk_open(log, &query, &walk) != PITH_OK)
        return -1;
    while ((status = pithlog_walk_next(walk, &step)) != 0)
        holes += status > 0 && step.change == PITHLOG_HOLE_BEGINS;
    pithlog_walk_close(walk);
    return holes;
}

static void check_single(const char *path)
{
    struct model m = {.lanes = 1};
    int64_t missing_ns;
    add(&m, PITHLOG_ENTER, 0, 10);
    for (int64_t time_ns = 20; time_ns <= 60; time_ns += 10)
        add(&m, PITHLOG_EVENT, MODEL_STATES, time_ns);
    struct pithlog *log = open_without_second(&m, path, 1);
    OK(log && count_of(log, 0, 0, &missing_ns) == 1 && missing_ns == 20, "rebuilt: a missing block makes one hole");
    pithlog_close(log);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_ENTER, 0, 10);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 20);
    add(&m, PITHLOG_ENTER, 1, 20);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 30);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 40);
    log = open_without_second(&m, path, 0);
    OK(log && count_of(log, 0, 0, &missing_ns) == 1 && count_of(log, 1, 0, &missing_ns) == 1 && missing_ns == 20,
       "a state entered in a hole counts, also at the time where that begins");
    pithlog_close(log);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_ENTER, 0, 10);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 10);
    add(&m, PITHLOG_ENTER, 1, 20);
    add(&m, PITHLOG_LEAVE, 1, 35);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 35);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 40);
    add(&m, PITHLOG_LEAVE, 0, 60);
    log = open_without_second(&m, path, 0);
    OK(log && last_nested(log) == 15, "a state that goes on: the time inside it in a damaged block");
    pithlog_close(log);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_ENTER, 0, 10);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 20);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 30);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 30);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 40);
    log = open_without_second(&m, path, 0);
    OK(log && holes_from(log, 30) == 0 && holes_from(log, 29) == 1,
       "a hole that ends where a window begins is outside");
    pithlog_close(log);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_ENTER, 0, 10);
    add(&m, PITHLOG_ENTER, 1, 15);
    for (uint32_t i = 3; i < PITHI_BLOCK_RECORDS; i++)
        add(&m, PITHLOG_RESUME, 0, 15);
    add(&m, PITHLOG_LOST, 0, 20); /* the block's last record */
    add(&m, PITHLOG_LEAVE, 1, 30);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 30);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 40);
    add(&m, PITHLOG_LEAVE, 0, 60);
    log = open_without_second(&m, path, 0);
    OK(log && count_of(log, 1, 0, &missing_ns) == 1 && missing_ns == 20 && total_of(log, 1) == 5,
       "lost records, then a damaged block: a state that was left there ends with the hole's begin");
    pithlog_close(log);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_LOST, 0, 10); /* as a ring begins */
    add(&m, PITHLOG_EVENT, MODEL_STATES, 20);
    add(&m, PITHLOG_ENTER, 0, 30);
    add(&m, PITHLOG_ENTER, 1, 32);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 35);
    add(&m, PITHLOG_LOST, 0, 40);
    add(&m, PITHLOG_EVENT, MODEL_STATES, 50);
    add(&m, PITHLOG_LEAVE, 0, 60);
    OK(model_write(&m, path) == PITH_OK && pithlog_open(path, &log) == PITH_OK && total_of(log, 0) == 20 &&
           total_of(log, 1) == 8,
       "a block without lost records between two that have some: a state entered there ends in the second hole");
    pithlog_close(log);
    model_free(&m);

    m = (struct model){.lanes = 1};
    add(&m, PITHLOG_ENTER, 0, 10);
    add(&m, PITHLOG_LOST, 0, 20);
    add(&m, PITHLOG_LEAVE, 0, 20);
    OK(model_write(&m, path) == PITH_OK && pithlog_open(path, &log) == PITH_OK &&
           count_of(log, 0, 0, &missing_ns) == 1 && count_of(log, 0, 1, &missing_ns) == 1,
       "a hole without length at the end of a lane: its states count once");
    pithlog_close(log);
    model_free(&m);
}

/* Writes the log, or a copy of it that says how many states ended in its holes. */
static int write_log(const struct model *m, const char *path, int is_numbered)
{
    struct pithlog *log;
    int err = model_write(m, path);
    if (err != PITH_OK || !is_numbered)
        return err;
    char copy[256];
    snprintf(copy, sizeof copy, "%s.copy", path);
    FILE *out = fopen(copy, "w+b");
    if (!out || pithlog_open(path, &log) != PITH_OK)
        return PITH_ERR_IO;
    err = pithi_native_write(log, out, NULL);
    pithlog_close(log);
    return fclose(out) == 0 && rename(copy, path) == 0 ? err : PITH_ERR_IO;
}

int main(void)
{
    const char *path = scratch_path("holes.pith");
    const uint32_t all[] = {0, 1};
    long wrong[5] = {0}, windows = 0, damaged = 0, holes = 0, ended = 0;
    const uint32_t seeds = fewer_sanitized(15, quick_or_full(25, 60));
    for (uint32_t seed = 1; seed <= seeds + seeds / 2; seed++) {
        struct model m;
        struct pithlog *log;
        int is_numbered = seed > seeds;
        make(&m, seed);
        int got = write_log(&m, path, is_numbered) == PITH_OK ? damage(&m, path, seed, is_numbered) : -1;
        if (got < 0 || pithlog_open(path, &log) != PITH_OK)
            return 1;
        damaged += got;
        for (uint32_t i = 0; i < LANES; i++)
            for (int k = 0; k < lanes[i].count; k++) {
                holes += lanes[i].k[k].is_hole;
                ended += lanes[i].k[k].ended != NEVER;
            }
        int64_t end_ns = pithlog_get_info(log)->end_ns;
        for (int i = 0; i < 24; i++, windows++) {
            int64_t from_ns = i ? (int64_t)random_below((uint32_t)end_ns) : INT64_MIN;
            int64_t to_ns = i ? from_ns + random_below(i % 2 ? 100 : (uint32_t)end_ns) : INT64_MAX;
            if (i % 8 == 1) /* at a record */
                from_ns = lanes[i & 1].k[random_below((uint32_t)lanes[i & 1].count)].time_ns, to_ns = from_ns + i;
            uint32_t lane = (uint32_t)i / 2 % LANES;
            wrong[0] += check_window(log, &lane, 1, from_ns, to_ns, PITHLOG_CLIP, i % 3 ? 8 : 1);
            wrong[1] += check_window(log, all, 2, from_ns, to_ns, PITHLOG_CLIP, i % 3 ? 8 : 1);
            wrong[4] += check_opened(log, lane, from_ns, to_ns);
            wrong[2] += check_walk(log, &lane, 1, from_ns, to_ns);
            wrong[3] += check_walk(log, all, 2, from_ns, to_ns);
        }
        pithlog_close(log);
        model_free(&m);
    }
    printf("# %ld windows, %ld damaged blocks, %ld holes of LOST, %ld states ended in them\n", windows, damaged, holes,
           ended);
    const long least = (long)seeds * 5 / 2;
    OK(damaged > least && holes > least && ended > least, "random logs have holes");
    OK(wrong[0] == 0, "CLIP: states end where a hole begins, and those still open begin again (%ld windows)", wrong[0]);
    OK(wrong[1] == 0, "also of two lanes (%ld)", wrong[1]);
    OK(wrong[4] == 0, "OPENED ends where damage makes a hole (%ld)", wrong[4]);
    OK(wrong[2] == 0, "a walk: the intervals of a lane, their states and holes, by definition (%ld)", wrong[2]);
    OK(wrong[3] == 0, "also of two lanes (%ld)", wrong[3]);
    check_single(path);
    return tap_done();
}
