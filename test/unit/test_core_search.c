/* test_core_search.c - hits against brute force on random logs: names, lengths, kinds, lanes, both directions, counts;
 * with a summary and without. */
#include <inttypes.h>
#include <string.h>

#include "core/measure/search.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 5, EVENT_ID = STATES, DEFS = STATES + 1, LANES = 3, MOST = 400000 };

struct hit {
    struct pithi_scan_position at;
    int64_t end_ns;
    uint32_t kind, id;
};

static struct hit *all; /* every begin, in order of lanes and time */
static uint32_t all_count;
static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- A random log, and all that begins in it --------------------------------------------------------------------- */

static void note(uint32_t lane, int64_t time_ns, uint32_t kind, uint32_t id)
{
    all[all_count++] = (struct hit){.at = {time_ns, lane, 0}, .end_ns = INT64_MAX, .kind = kind, .id = id};
}

static void random_lane(struct core_log *log, uint32_t number, uint32_t records, int rare)
{
    uint32_t lane = core_lane(log, (int32_t)number, 0, ""), open[16], depth = 0, first = all_count;
    int64_t now = below(50);

    for (uint32_t i = 0; i < records; i++) {
        uint32_t dice = below(20);
        now += below(4) ? below(100) : 0;
        if (dice == 0) {
            note(number, now, PITHLOG_EVENT, EVENT_ID);
            core_add(log, lane, PITHLOG_EVENT, now, EVENT_ID);
        } else if (depth < 10 && (dice < 11 || !depth)) {
            /* The last state is a rare one. */
            uint32_t id = rare && i == records / 3 ? STATES - 1 : below(STATES - 1);
            open[depth++] = all_count;
            note(number, now, PITHLOG_ENTER, id);
            core_add(log, lane, PITHLOG_ENTER, now, id);
        } else {
            struct hit *ended = &all[open[--depth]];
            ended->end_ns = now;
            core_add(log, lane, PITHLOG_LEAVE, now, ended->id);
        }
    }
    for (uint32_t i = first; i < all_count; i++)
        if (all[i].end_ns == INT64_MAX)
            all[i].end_ns = all[i].kind == PITHLOG_ENTER ? now : all[i].at.time_ns;
}

static struct pithlog *random_log(uint32_t records)
{
    static const char *const names[] = {"a", "b", "c", "d", "rare"};
    struct core_log log;

    all_count = 0;
    core_log_begin(&log);
    for (uint32_t id = 0; id < STATES; id++)
        core_define(&log, PITHLOG_STATE, names[id], "");
    core_define(&log, PITHLOG_EVENT_TYPE, "event", "");
    for (uint32_t i = 0; i < LANES; i++)
        random_lane(&log, i, records, 1);
    return core_log_end(&log);
}

/* ---- Brute force ------------------------------------------------------------------------------------------------- */

static int fits(const struct pithi_search *search, const struct hit *hit)
{
    int64_t lasted = hit->end_ns - hit->at.time_ns;
    int lane = 0;

    for (uint32_t i = 0; i < search->lane_count; i++)
        lane |= search->lanes[i] == hit->at.lane;
    if (!lane || !(search->kinds >> hit->kind & 1) || (search->wanted && !search->wanted[hit->id]))
        return 0;
    return hit->kind == PITHLOG_EVENT || (lasted >= search->min_ns && lasted <= search->max_ns);
}

static int by_place(const void *left, const void *right)
{
    const struct hit *a = left, *b = right;
    if (a->at.time_ns != b->at.time_ns)
        return a->at.time_ns < b->at.time_ns ? -1 : 1;
    if (a->at.lane != b->at.lane)
        return a->at.lane < b->at.lane ? -1 : 1;
    return a < b ? -1 : a > b; /* as recorded: the sort is given them in this order */
}

static uint32_t brute(const struct pithi_search *search, struct hit *hits)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all_count; i++)
        if (fits(search, &all[i]))
            hits[count++] = all[i];
    return count;
}

static int same(const struct pithi_found *found, const struct hit *hit)
{
    return found->at.time_ns == hit->at.time_ns && found->lane == hit->at.lane && found->id == hit->id &&
           found->kind == hit->kind && found->end_ns == hit->end_ns;
}

/* All hits one after the other: as many as there are, and of each that it is one of them, in order. */
static int walk_is_right(struct pithlog *log, const struct pithi_search *search, struct hit *hits, uint32_t count,
                         int backward)
{
    struct pithi_scan_position at = backward ? (struct pithi_scan_position){INT64_MAX, UINT32_MAX, UINT32_MAX}
                                             : (struct pithi_scan_position){INT64_MIN, 0, 0};
    struct pithi_found found;
    uint32_t steps = 0;
    int good = 1;

    while ((backward ? pithi_search_previous : pithi_search_next)(log, search, at, &found) == 1 && steps < count + 2) {
        const struct hit *wanted = &hits[backward ? count - 1 - steps : steps];
        if (steps < count && (found.at.time_ns != wanted->at.time_ns || found.lane != wanted->at.lane))
            good = 0;
        /* Those of one time on one lane are in the order of records, which the sort may not keep. */
        if (steps < count && good && !same(&found, wanted)) {
            int any = 0;
            for (uint32_t i = 0; i < count; i++)
                any |= same(&found, &hits[i]);
            good = any;
        }
        at = found.at;
        steps++;
    }
    return good && steps == count;
}

static void check(struct pithlog *log, const struct pithi_search *search, const char *what)
{
    static struct hit hits[MOST];
    uint64_t counts[37], total = 0, wrong = 0, right[37] = {0};
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t t0 = info->start_ns, t1 = info->end_ns + 1;
    uint32_t count = brute(search, hits);

    qsort(hits, count, sizeof *hits, by_place);
    OK(walk_is_right(log, search, hits, count, 0), "%s: forward, %u hits", what, count);
    OK(walk_is_right(log, search, hits, count, 1), "%s: backward", what);
    OK(pithi_search_count(log, search, t0, t1, counts, 37) == 0, "%s: counted", what);
    for (uint32_t i = 0; i < count; i++)
        right[(uint32_t)((double)(hits[i].at.time_ns - t0) / (double)(t1 - t0) * 37)]++;
    for (int i = 0; i < 37; i++)
        total += counts[i], wrong += counts[i] != right[i];
    OK(total == count && wrong == 0, "%s: %" PRIu64 " of %u, each in its column", what, total, count);
}

static void check_log(uint32_t records)
{
    struct pithlog *log = random_log(records);
    unsigned char wanted[DEFS] = {0};
    uint32_t lanes[LANES] = {0, 1, 2}, some[1] = {1};
    struct pithi_search search = {
        .kinds = 1u << PITHLOG_ENTER, .max_ns = INT64_MAX, .tag = PITHI_ANY_TAG, .lanes = lanes, .lane_count = LANES};

    check(log, &search, "all states");
    search.kinds |= 1u << PITHLOG_EVENT;
    check(log, &search, "states and events");
    search.min_ns = 500;
    check(log, &search, "long ones");
    search.max_ns = 900;
    check(log, &search, "neither long nor short");
    search.min_ns = 0;
    check(log, &search, "short ones");
    search.lanes = some;
    search.lane_count = 1;
    check(log, &search, "of one lane");
    search.kinds = 1u << PITHLOG_EVENT;
    check(log, &search, "events of one lane");
    wanted[STATES - 1] = wanted[1] = 1;
    search = (struct pithi_search){
        .wanted = wanted, .kinds = 1u << PITHLOG_ENTER, .max_ns = INT64_MAX, .lanes = lanes, .lane_count = LANES};
    check(log, &search, "by name");
    pithlog_close(log);
}

/* ---- A rare state in a long log ---------------------------------------------------------------------------------- */

static unsigned asked;
static int count_leaves(void *context, double part)
{
    (void)part;
    asked++;
    return context != NULL;
}

/* The summary's total is that of the records, and its marks are where something is under way. */
static void check_survey(struct pithlog *log, const struct pithi_search *search)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t t0 = info->start_ns, t1 = info->end_ns + 1;
    unsigned char marks[100] = {0}, right[100] = {0};
    uint64_t total, count = 0;
    int wrong = 0;

    for (uint32_t i = 0; i < all_count; i++) {
        if (!fits(search, &all[i]))
            continue;
        count++;
        for (int c = 0; c < 100; c++)
            right[c] |= all[i].at.time_ns < t0 + (t1 - t0) * (c + 1) / 100 && all[i].end_ns >= t0 + (t1 - t0) * c / 100;
    }
    OK(pithi_search_is_simple(search) && pithi_search_survey(log, search, t0, t1, &total, marks, 100) == 0, "surveyed");
    for (int c = 0; c < 100; c++)
        wrong += marks[c] != right[c];
    OK(total == count, "survey: %" PRIu64 " of %" PRIu64, total, count);
    OK(wrong <= 1, "survey: %d columns wrong (one may end at a column's border)", wrong);
}

static void check_rare(void)
{
    struct pithlog *log = random_log(MOST);
    struct pithlog_summary *summary;
    unsigned char wanted[DEFS] = {0};
    uint32_t lanes[LANES] = {0, 1, 2};
    struct pithi_search search = {.wanted = wanted,
                                  .kinds = 1u << PITHLOG_ENTER,
                                  .max_ns = INT64_MAX,
                                  .lanes = lanes,
                                  .lane_count = LANES,
                                  .stopped = count_leaves};
    struct pithi_scan_position at = {INT64_MIN, 0, 0};
    struct pithi_found found, again;

    wanted[STATES - 1] = 1;
    OK(pithlog_summary_open(log, &summary) == 0, "a summary");
    OK(pithi_search_next(log, &search, at, &found) == 1, "a rare state is found");
    search.summary = summary;
    OK(pithi_search_next(log, &search, at, &again) == 1 && again.at.time_ns == found.at.time_ns, "so with the summary");
    OK(found.id == STATES - 1 && found.ended, "it is that one, with its end");
    check(log, &search, "the rare state, with a summary");
    check_survey(log, &search);
    wanted[1] = 1;
    check_survey(log, &search);
    search.context = &search;
    OK(pithi_search_next(log, &search, at, &found) == 0, "stopped: nothing");
    pithlog_summary_close(summary);
    pithlog_close(log);
}

int main(void)
{
    all = calloc((size_t)LANES * MOST, sizeof *all);
    check_log(60);
    check_log(700);
    check_rare();
    free(all);
    return tap_done();
}
