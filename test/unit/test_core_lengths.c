/* test_core_lengths.c - lengths of states and messages: against a list made by reading every record, with states inside
 * themselves, cut by the window, and never ended; spreads and bins against counting. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/length_map.h"
#include "core/cells/query.h"
#include "core_log.h"
#include "tap.h"

enum { LANES = 3, STATES = 4, DEEPEST = 6, MOST = 700000 };

static uint64_t seed = 4711;
static int64_t brute[MOST];
static uint32_t brute_count;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

static void send_one(struct core_log *log, uint32_t kind, uint32_t lane, int64_t time_ns, int32_t peer, uint64_t posted)
{
    struct pithlog_record record = {.time_ns = time_ns,
                                    .lane = lane,
                                    .kind = kind,
                                    .peer = peer,
                                    .tag = 3,
                                    .bytes = 50 + (uint64_t)time_ns % 1000,
                                    .posted = posted};
    core_check(pithi_writer_add(log->writer, &record));
}

/* Rank 0 sends to 1 and 2; what it does not send, it never gets. */
static struct pithlog *make_log(uint32_t records)
{
    struct core_log log;
    char name[24];

    core_log_begin(&log);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "state%d", i);
        core_define(&log, PITHLOG_STATE, name, "");
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t made = core_lane(&log, (int32_t)lane, 0, ""), open[DEEPEST], depth = 0;
        int64_t now = (int64_t)lane * 7;
        uint64_t posted = 0;
        for (uint32_t i = 0; i < records; i++) {
            now += below(i % 100 == 5 ? 1000000 : 1000);
            if (i % 50 == 7)
                send_one(&log, lane ? PITHLOG_RECV : PITHLOG_SEND, made, now + (lane ? 900 : 0),
                         lane ? 0 : 1 + (int32_t)(i / 50 % 2), lane ? posted++ : 0);
            now += lane && i % 50 == 7 ? 900 : 0;
            if (depth && (depth == DEEPEST || below(2)))
                core_add(&log, made, PITHLOG_LEAVE, now, open[--depth]);
            else
                core_add(&log, made, PITHLOG_ENTER, now, open[depth++] = below(STATES));
        }
    }
    return core_log_end(&log);
}

/* ---- By every record --------------------------------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void brute_states(struct pithlog *log, const struct pithi_lengths_query *query)
{
    struct pithlog_query all = {.from_ns = pithlog_get_info(log)->start_ns,
                                .to_ns = pithlog_get_info(log)->end_ns,
                                .lanes = query->lanes,
                                .lane_count = query->lane_count,
                                .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record r;

    brute_count = 0;
    core_check(pithlog_iter_open(log, &all, &iter));
    while (pithlog_iter_next(iter, &r) == 1)
        if (r.kind == PITHLOG_LEAVE && r.id == query->state && r.start_ns < query->t1_ns && r.time_ns >= query->t0_ns)
            brute[brute_count++] = r.time_ns - r.start_ns;
    pithlog_iter_close(iter);
    qsort(brute, brute_count, sizeof *brute, rising);
}

static void brute_messages(struct pithlog *log, const struct pithi_lengths_query *query)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;

    brute_count = 0;
    core_check(pithlog_matcher_open(log, &matcher));
    while (pithlog_matcher_next(matcher, &m) == 1) {
        int64_t first = m.send_ns < m.recv_ns ? m.send_ns : m.recv_ns;
        int64_t last = m.send_ns < m.recv_ns ? m.recv_ns : m.send_ns;
        int send = 0, recv = 0;
        for (uint32_t i = 0; i < query->lane_count; i++) {
            send |= query->lanes[i] == m.send_lane;
            recv |= query->lanes[i] == m.recv_lane;
        }
        if (send && recv && first < query->t1_ns && (last > query->t0_ns || first >= query->t0_ns))
            brute[brute_count++] = query->state == PITHI_MESSAGE_SIZES ? (int64_t)m.bytes : m.recv_ns - m.send_ns;
    }
    pithlog_matcher_close(matcher);
    qsort(brute, brute_count, sizeof *brute, rising);
}

/* SIZES: lengths are the bytes of messages. */
static int same_lengths(const struct pithi_length_list *list, int sizes)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct pithi_length *item = &list->items[i];
        if (i >= brute_count || item->length_ns != brute[i] ||
            (sizes ? (int64_t)item->bytes : item->end_ns - item->start_ns) != brute[i])
            return 0;
    }
    return list->count == brute_count && list->exact;
}

/* ---- What is asked ----------------------------------------------------------------------------------------------- */

static void test_spread(const struct pithi_length_list *list, int64_t low, int64_t high, const char *what)
{
    struct pithi_spread spread = pithi_lengths_spread(list, low, high);
    uint32_t from = 0, to = brute_count, count;
    double squares = 0;
    int64_t total = 0;

    while (from < brute_count && brute[from] < low)
        from++;
    while (to > from && brute[to - 1] > high)
        to--;
    count = to - from;
    for (uint32_t i = from; i < to; i++)
        total += brute[i];
    for (uint32_t i = from; i < to; i++)
        squares += pow((double)brute[i] - (double)total / count, 2);
    OK(spread.count == count && spread.total_ns == total && spread.min_ns == brute[from] &&
           spread.max_ns == brute[to - 1],
       "%s: count, total, shortest, longest", what);
    OK(fabs(spread.mean_ns - (double)total / count) < 1e-6 * spread.mean_ns &&
           fabs(spread.deviation_ns - sqrt(squares / count)) <= 1e-6 * spread.deviation_ns,
       "%s: average, deviation", what);
    OK(spread.median_ns == brute[from + (count + 1) / 2 - 1] &&
           spread.p95_ns == brute[from + (uint32_t)ceil(0.95 * count) - 1],
       "%s: median, p95", what);
}

static void test_bins(const struct pithi_length_list *list, int logarithmic, uint32_t wanted)
{
    struct pithi_bin bins[PITHI_MOST_BINS];
    uint32_t count = pithi_lengths_bins(list, list->min_ns, list->max_ns, logarithmic, wanted, bins);
    uint32_t at = 0, wrong = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t total = 0;
        uint32_t in = 0;
        for (; at < brute_count && brute[at] < bins[i].to_ns; at++, in++)
            total += brute[at];
        wrong += in != bins[i].count || total != bins[i].total_ns || bins[i].to_ns < bins[i].from_ns ||
                 (i && bins[i].from_ns != bins[i - 1].to_ns);
    }
    OK(!wrong && count && count <= wanted && at == brute_count && bins[0].from_ns == list->min_ns &&
           bins[count - 1].to_ns == list->max_ns + 1,
       "%u %s bins hold what they say", wanted, logarithmic ? "logarithmic" : "linear");
}

static void test_window(struct pithlog *log, const uint32_t *lanes, uint32_t lane_count, int64_t t0, int64_t t1,
                        const char *what)
{
    struct pithi_query sums = {.t0_ns = t0, .t1_ns = t1, .levels = 1, .lanes = lanes, .lane_count = lane_count};
    struct pithi_cells cells = {0};
    uint32_t wrong = 0, differ = 0;

    core_check(pithi_query_run(log, &sums, &cells));
    for (uint32_t state = 0; state < STATES; state++) {
        struct pithi_lengths_query query = {
            .t0_ns = t0, .t1_ns = t1, .lanes = lanes, .lane_count = lane_count, .state = state};
        struct pithi_length_list list;
        core_check(pithi_lengths_run(log, &query, &list));
        brute_states(log, &query);
        wrong += !same_lengths(&list, 0);
        differ += list.count != cells.sums[state].count;
        pithi_lengths_free(&list);
    }
    OK(!wrong, "%s: the lengths that all records give", what);
    OK(!differ, "%s: as many as the legend counts", what);
    pithi_cells_free(&cells);
}

static void test_exact(void)
{
    static const uint32_t lanes[] = {0, 1, 2};
    struct pithlog *log = make_log(20000);
    int64_t end = pithlog_get_info(log)->end_ns;
    struct pithi_lengths_query query = {.t0_ns = 0, .t1_ns = end + 1, .lanes = lanes, .lane_count = LANES, .state = 1};
    struct pithi_length_list list;
    struct pithlog_digest *digest;

    test_window(log, lanes, LANES, 0, end + 1, "all");
    test_window(log, lanes + 1, 1, end / 3, end / 2, "one lane, a sixth");
    test_window(log, lanes, LANES, end / 2, end / 2 + 1, "a nanosecond");
    test_window(log, lanes, LANES, end, end + 1, "the last moment, with what never ended");
    core_check(pithi_lengths_run(log, &query, &list));
    brute_states(log, &query);
    test_spread(&list, INT64_MIN, INT64_MAX, "all lengths");
    test_spread(&list, 500, 60000, "a range of them");
    OK(pithi_lengths_spread(&list, list.max_ns + 1, INT64_MAX).count == 0, "a range without any");
    for (uint32_t bins = 1; bins <= PITHI_MOST_BINS; bins += bins < 7 ? 1 : 193) {
        test_bins(&list, 0, bins);
        test_bins(&list, 1, bins);
    }
    OK(pithi_lengths_nth(&list, 0, INT64_MAX, 0)->length_ns == list.max_ns &&
           pithi_lengths_nth(&list, 0, INT64_MAX, 2)->length_ns == brute[brute_count - 3] &&
           !pithi_lengths_nth(&list, 0, INT64_MAX, brute_count),
       "the longest, the third longest, no further one");
    pithi_lengths_free(&list);
    query.state = PITHI_MESSAGES;
    core_check(pithi_lengths_run(log, &query, &list));
    brute_messages(log, &query);
    OK(list.count > 300 && same_lengths(&list, 0), "messages: %u", list.count);
    pithi_lengths_free(&list);
    query.state = PITHI_MESSAGE_SIZES;
    core_check(pithi_lengths_run(log, &query, &list));
    brute_messages(log, &query);
    OK(list.count > 300 && list.min_ns < list.max_ns && same_lengths(&list, 1), "their sizes: %" PRId64 " to %" PRId64,
       list.min_ns, list.max_ns);
    test_spread(&list, INT64_MIN, INT64_MAX, "all sizes");
    pithi_lengths_free(&list);
    query.state = PITHI_MESSAGES;
    query.lane_count = 2;
    query.t0_ns = end / 4;
    query.t1_ns = end / 2;
    core_check(pithi_lengths_run(log, &query, &list));
    brute_messages(log, &query);
    OK(list.count > 20 && same_lengths(&list, 0), "messages of two lanes in a quarter: %u", list.count);
    pithi_lengths_free(&list);
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    query.digest = digest;
    core_check(pithi_lengths_run(log, &query, &list));
    OK(same_lengths(&list, 0), "the same, by the digest");
    pithi_lengths_free(&list);
    pithlog_digest_close(digest);
    pithlog_close(log);
}

/* ---- Maps -------------------------------------------------------------------------------------------------------- */

struct instance {
    int64_t start, length;
    uint32_t lane;
};

static int longest_first(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    return x->length > y->length ? -1 : x->length < y->length;
}

/* All instances of the query's state, the longest first. To be freed. */
static struct instance *all_instances(struct pithlog *log, const struct pithi_lengths_query *query, uint32_t *count)
{
    struct instance *all = calloc(MOST, sizeof *all);
    struct pithlog_query every = {.from_ns = pithlog_get_info(log)->start_ns,
                                  .to_ns = pithlog_get_info(log)->end_ns,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record r;

    *count = 0;
    core_check(pithlog_iter_open(log, &every, &iter));
    while (pithlog_iter_next(iter, &r) == 1)
        for (uint32_t i = 0; i < query->lane_count; i++)
            if (r.kind == PITHLOG_LEAVE && r.id == query->state && r.start_ns < query->t1_ns &&
                r.time_ns >= query->t0_ns && query->lanes[i] == r.lane)
                all[(*count)++] = (struct instance){r.start_ns, r.time_ns - r.start_ns, r.lane};
    pithlog_iter_close(iter);
    qsort(all, *count, sizeof *all, longest_first);
    return all;
}

/* The place of an instance, by counting on from the first one. */
static uint32_t brute_place(const struct pithi_lengths_query *query, const struct pithi_length_map *map,
                            const struct instance *instance)
{
    uint32_t place = 0, lane = 0;

    if (map->over == PITHI_OVER_TIME) {
        while (place + 1 < map->places && (double)(instance->start - query->t0_ns) * map->places >=
                                              (double)(query->t1_ns - query->t0_ns) * (place + 1))
            place++;
        return place;
    }
    while (query->lanes[lane] != instance->lane)
        lane++;
    while ((place + 1) * query->lane_count / map->places <= lane)
        place++;
    return place;
}

/* Compares every tile of a map with all instances, its n-th longest, and where it is found again by its pixels. */
static void test_map(const struct pithi_length_list *list, const struct pithi_lengths_query *query,
                     const struct instance *all, uint32_t all_count, struct pithi_length_map map, const char *what)
{
    struct pithi_bin bins[PITHI_MOST_BINS];
    uint64_t *counts, most = 0, seen = 0;
    uint32_t *asked, wrong = 0, wrong_nth = 0, wrong_hit = 0;
    uint32_t bin_count = pithi_lengths_bins(list, map.low_ns, map.high_ns, map.logarithmic, map.bins, bins);

    pithi_length_map_make(list, &map);
    counts = calloc((size_t)map.places * map.bins, sizeof *counts);
    asked = calloc((size_t)map.places * map.bins, sizeof *asked);
    for (uint32_t i = 0; i < all_count; i++) {
        uint32_t bin = 0, place = brute_place(query, &map, &all[i]);
        if (all[i].length < map.low_ns || all[i].length > map.high_ns)
            continue;
        while (all[i].length >= bins[bin].to_ns)
            bin++;
        size_t tile = (size_t)place * map.bins + bin;
        counts[tile]++;
        const struct pithi_length *nth = pithi_length_map_nth(&map, place, bin, asked[tile]++);
        wrong_nth += !nth || nth->length_ns != all[i].length;
    }
    for (uint32_t place = 0; place < map.places; place++)
        for (uint32_t bin = 0; bin < map.bins; bin++) {
            size_t tile = (size_t)place * map.bins + bin;
            struct pithi_length_box box = pithi_length_map_box(&map, place, bin);
            uint32_t found[2];
            wrong += counts[tile] != map.tiles[tile].count;
            most = counts[tile] > most ? counts[tile] : most;
            seen += map.tiles[tile].count;
            if (counts[tile])
                wrong_hit += !pithi_length_map_hit(&map, box.x, box.y, 0, &found[0], &found[1]) || found[0] != place ||
                             found[1] != bin;
            else
                wrong_nth += pithi_length_map_nth(&map, place, bin, 0) != NULL;
        }
    OK(bin_count == map.bins && !wrong && seen && most == map.most, "%s: %" PRIu64 " instances in their tiles", what,
       seen);
    OK(!wrong_nth, "%s: the n-th longest of a tile", what);
    OK(!wrong_hit, "%s: a pixel has its tile", what);
    free(counts);
    free(asked);
    pithi_length_map_free(&map);
}

static void test_maps(void)
{
    static const uint32_t lanes[] = {2, 0, 1};
    struct pithlog *log = make_log(20000);
    int64_t end = pithlog_get_info(log)->end_ns, place = -1;
    struct pithi_lengths_query query = {
        .t0_ns = end / 5, .t1_ns = end / 2, .lanes = lanes, .lane_count = LANES, .state = 1};
    struct pithi_length_list list;
    struct pithi_length_map map = {.places = 150, .bins = 40, .width = 460, .height = 130};
    uint32_t count, bin, places = 0;
    struct instance *all = all_instances(log, &query, &count);

    core_check(pithi_lengths_run(log, &query, &list));
    map.low_ns = list.min_ns;
    map.high_ns = list.max_ns;
    map.over = PITHI_OVER_TIME;
    test_map(&list, &query, all, count, map, "over time");
    struct pithi_length_box first = pithi_length_map_box(&map, 0, 0);
    OK(first.x == 0 && first.y + first.height == map.height, "over time: the shortest are at the bottom");
    map.logarithmic = 1;
    test_map(&list, &query, all, count, map, "over time, logarithmic");
    map.over = PITHI_OVER_LANES;
    test_map(&list, &query, all, count, map, "by lane, logarithmic");
    map.places = 2;
    map.low_ns = 700;
    map.high_ns = 90000;
    test_map(&list, &query, all, count, map, "two groups of lanes, a range of lengths");
    map.logarithmic = 0;
    map.high_ns = 720;
    test_map(&list, &query, all, count, map, "bins of a nanosecond");
    pithi_length_map_make(&list, &map);
    while (pithi_length_map_next(&map, &place, 1, &bin))
        places++;
    OK(places == 2 && place == 2 && pithi_length_map_next(&map, &place, -1, &bin) && place == 1 &&
           pithi_length_map_nth(&map, 1, bin, 0),
       "from place to place");
    pithi_length_map_free(&map);
    free(all);
    pithi_lengths_free(&list);
    pithlog_close(log);
}

/* Of very many instances, cells: the same numbers by place and by length, if tiles and cells have the same borders. */
static void test_cells(struct pithlog *log, int64_t t1)
{
    static const uint32_t lanes[] = {0};
    struct pithi_lengths_query query = {
        .t0_ns = 0, .t1_ns = t1, .lanes = lanes, .lane_count = 1, .over = PITHI_OVER_TIME};
    struct pithi_length_list list;
    struct pithi_length_map map = {
        .over = PITHI_OVER_TIME, .places = PITHI_LENGTH_PLACES / 4, .bins = 1, .width = 512, .height = 8};
    uint32_t count, wrong = 0;
    struct instance *all = all_instances(log, &query, &count);
    uint64_t by_place[PITHI_LENGTH_PLACES / 4] = {0}, sum = 0;
    int64_t longest[PITHI_LENGTH_PLACES / 4] = {0};

    core_check(pithi_lengths_run(log, &query, &list));
    map.low_ns = list.min_ns;
    map.high_ns = list.max_ns;
    pithi_length_map_make(&list, &map);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = brute_place(&query, &map, &all[i]);
        by_place[place]++;
        longest[place] = all[i].length > longest[place] ? all[i].length : longest[place];
    }
    for (uint32_t place = 0; place < map.places; place++) {
        wrong += by_place[place] != map.tiles[place].count ||
                 longest[place] != map.entries[map.tiles[place].longest].length_ns;
        sum += map.tiles[place].count;
    }
    OK(!list.exact && sum == count && !wrong, "%u instances in %u cells: counts and longest by time", count,
       list.cell_count);
    wrong = 0;
    for (uint32_t i = 0; i < list.cell_count; i++) {
        double mean = (double)list.cells[i].total_ns / (double)list.cells[i].count;
        wrong += mean > (double)list.cells[i].length_ns || mean < (double)list.cells[i].length_ns * (1 - 1.0 / 64) - 1;
    }
    OK(!wrong, "lengths of a cell differ by 1.6 %% at most");
    query.over = PITHI_OVER_LANES;
    pithi_length_map_free(&map);
    pithi_lengths_free(&list);
    core_check(pithi_lengths_run(log, &query, &list));
    OK(list.cell_count < 2000, "by lane, %u cells", list.cell_count);
    pithi_lengths_free(&list);
    free(all);
}

static int close_to(int64_t got, int64_t wanted) { return llabs(got - wanted) <= wanted / 1000 + 1; }

/* More instances than are kept one by one. */
static void test_rounded(void)
{
    static const uint32_t lanes[] = {0};
    struct core_log made;
    struct pithlog *log;
    struct pithi_length_list list;
    struct pithi_spread spread;
    uint32_t instances = PITHI_LENGTHS_EXACT + 50000;
    int64_t now = 0, total = 0;

    core_log_begin(&made);
    core_define(&made, PITHLOG_STATE, "state", "");
    core_lane(&made, 0, 0, "");
    for (uint32_t i = 0; i < instances; i++) {
        int64_t length = 1 + (int64_t)below(1u << (4 + i % 20));
        core_add(&made, 0, PITHLOG_ENTER, now, 0);
        core_add(&made, 0, PITHLOG_LEAVE, now += length, 0);
        total += brute[i] = length;
    }
    brute_count = instances;
    qsort(brute, brute_count, sizeof *brute, rising);
    log = core_log_end(&made);
    core_check(pithi_lengths_run(
        log, &(struct pithi_lengths_query){.t0_ns = 0, .t1_ns = now + 1, .lanes = lanes, .lane_count = 1}, &list));
    spread = pithi_lengths_spread(&list, INT64_MIN, INT64_MAX);
    OK(!list.exact && list.count < 30000, "too many instances: %u entries for %u", list.count, instances);
    OK(spread.count == instances && spread.total_ns == total && spread.min_ns == brute[0] &&
           spread.max_ns == brute[instances - 1],
       "count, total, shortest and longest stay exact");
    OK(close_to(spread.median_ns, brute[(instances + 1) / 2 - 1]) &&
           close_to(spread.p95_ns, brute[(uint32_t)ceil(0.95 * instances) - 1]),
       "median and p95 nearly");
    OK(list.items[list.count - 1].end_ns - list.items[list.count - 1].start_ns == brute[instances - 1],
       "the longest is known by its place");
    OK(!list.cell_count, "cells only for a map");
    pithi_lengths_free(&list);
    test_cells(log, now + 1);
    pithlog_close(log);
}

static int never(void *context, double part)
{
    (void)part;
    ++*(int *)context;
    return 0;
}

static void test_stop(void)
{
    static const uint32_t lanes[] = {0, 1, 2};
    struct pithlog *log = make_log(1000);
    int asked = 0;
    struct pithi_lengths_query query = {
        .t0_ns = 0, .t1_ns = INT64_MAX, .lanes = lanes, .lane_count = LANES, .watch = {never, &asked}};
    struct pithi_length_list list;

    OK(pithi_lengths_run(log, &query, &list) == PITH_OK && asked == 1 && !list.count, "stopped at once");
    pithi_lengths_free(&list);
    pithlog_close(log);
}

int main(void)
{
    test_exact();
    test_rounded();
    test_maps();
    test_stop();
    return tap_done();
}
