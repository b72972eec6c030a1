/* test_core_alike.c - groups of ranks that spend their time alike, against a search that recomputes everything and
 * against the best groups there are; profiles, against the records that were written; the rows of groups. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/rows/alike.h"
#include "core/rows/rows.h"
#include "core_log.h"
#include "tap.h"

static uint64_t seed = 7;

static uint32_t chance(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

enum { MOST_RANKS = 64, MOST_COLUMNS = 9 };

/* Profiles in whole 1/64ths, so that sums and differences are exact and equal ones are equal. */
struct profiles {
    uint32_t ranks, columns;
    float share[MOST_RANKS * MOST_COLUMNS];
};

static void one_profile(struct profiles *profiles, uint32_t rank)
{
    for (int part = 0; part < 64; part++)
        profiles->share[rank * profiles->columns + chance(profiles->columns)] += 1 / 64.0f;
}

static struct profiles random_profiles(uint32_t ranks)
{
    struct profiles profiles = {.ranks = ranks, .columns = 1 + chance(MOST_COLUMNS)};

    for (uint32_t rank = 0; rank < ranks; rank++)
        if (rank && chance(3)) /* often the same as that of another one */
            memcpy(profiles.share + rank * profiles.columns, profiles.share + chance(rank) * profiles.columns,
                   profiles.columns * sizeof *profiles.share);
        else
            one_profile(&profiles, rank);
    return profiles;
}

static double apart(const struct profiles *profiles, uint32_t a, uint32_t b)
{
    double less = 0; /* what a spends more of than b: half of the sum of all differences */

    for (uint32_t i = 0; i < profiles->columns; i++) {
        double by =
            (double)profiles->share[a * profiles->columns + i] - (double)profiles->share[b * profiles->columns + i];
        less += by > 0 ? by : 0;
    }
    return less;
}

/* How far a rank is from its nearest centre; *which: the first of the nearest ones. */
static double to_centre(const struct profiles *profiles, const uint32_t *centres, uint32_t count, uint32_t rank,
                        uint32_t *which)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < count; i++)
        if (apart(profiles, rank, centres[i]) < least) {
            least = apart(profiles, rank, centres[i]);
            *which = i;
        }
    return least;
}

/* The same search, but each step looks at all ranks and all centres again. Returns the number of centres. */
static uint32_t search(const struct profiles *profiles, uint32_t first, double limit, uint32_t most, uint32_t *centres)
{
    uint32_t count = 1;

    centres[0] = first;
    while (count < most) {
        uint32_t farthest = 0, which;
        double by = -1;
        for (uint32_t rank = 0; rank < profiles->ranks; rank++)
            if (to_centre(profiles, centres, count, rank, &which) > by) {
                by = to_centre(profiles, centres, count, rank, &which);
                farthest = rank;
            }
        if (by <= limit)
            break;
        centres[count++] = farthest;
    }
    return count;
}

/* The smallest radius that `count` centres among the ranks can have, by trying all. */
static double best_radius(const struct profiles *profiles, uint32_t count, uint32_t from, uint32_t *centres,
                          uint32_t chosen)
{
    double best = INFINITY;
    uint32_t which;

    if (chosen == count) {
        double radius = 0;
        for (uint32_t rank = 0; rank < profiles->ranks; rank++)
            radius = fmax(radius, to_centre(profiles, centres, count, rank, &which));
        return radius;
    }
    for (uint32_t rank = from; rank < profiles->ranks; rank++) {
        centres[chosen] = rank;
        best = fmin(best, best_radius(profiles, count, rank + 1, centres, chosen + 1));
    }
    return best;
}

/* Two partitions are the same if the same pairs are together. */
static int same_groups(const struct pithi_alike *alike, const uint32_t *group)
{
    for (uint32_t a = 0; a < alike->ranks; a++)
        for (uint32_t b = 0; b < a; b++)
            if ((alike->group[a] == alike->group[b]) != (group[a] == group[b]))
                return 0;
    return 1;
}

/* Numbers, typical ranks and spreads of groups, from their ranks alone. Returns the largest spread; -1: wrong. */
static double check_groups(const struct profiles *profiles, const struct pithi_alike *alike)
{
    uint32_t next = 0;
    double largest = 0;

    for (uint32_t rank = 0; rank < alike->ranks; rank++) {
        if (alike->group[rank] > next)
            return -1;
        next += alike->group[rank] == next;
    }
    for (uint32_t i = 0; i < alike->count; i++) {
        double mean[MOST_COLUMNS] = {0}, least = INFINITY, spread = 0, typical = -1;
        uint32_t size = 0;
        for (uint32_t rank = 0; rank < alike->ranks; rank++)
            for (uint32_t c = 0; c < profiles->columns && alike->group[rank] == i; c++, size += c == 1)
                mean[c] += (double)profiles->share[rank * profiles->columns + c];
        for (uint32_t rank = 0; rank < alike->ranks; rank++) {
            double by = 0;
            if (alike->group[rank] != i)
                continue;
            for (uint32_t c = 0; c < profiles->columns; c++)
                by += fabs((double)profiles->share[rank * profiles->columns + c] - mean[c] / size) / 2;
            least = fmin(least, by);
            typical = rank == alike->typical[i] ? by : typical;
            spread = fmax(spread, apart(profiles, rank, alike->typical[i]));
        }
        if (typical < 0 || typical > least + 1e-6 || fabs(spread - alike->spread[i]) > 1e-9)
            return -1;
        largest = fmax(largest, spread);
    }
    return next == alike->count ? largest : -1;
}

static void test_random(void)
{
    int wrong = 0, far = 0, odd = 0, several = 0;

    for (int turn = 0; turn < 2000; turn++) {
        struct profiles profiles = random_profiles(1 + chance(turn % 2 ? 10 : MOST_RANKS));
        uint32_t most = 1 + chance(6), centres[MOST_RANKS], group[MOST_RANKS], which = 0, count;
        double limit = chance(30) / 64.0, spread;
        struct pithi_alike alike, one;
        pithi_alike_find(profiles.share, profiles.ranks, profiles.columns, limit, most, &alike);
        pithi_alike_find(profiles.share, profiles.ranks, profiles.columns, 1, 1, &one);
        count = search(&profiles, one.typical[0], limit, most, centres);
        double radius = 0;
        for (uint32_t rank = 0; rank < profiles.ranks; rank++) {
            radius = fmax(radius, to_centre(&profiles, centres, count, rank, &which));
            group[rank] = which;
        }
        wrong += alike.count != count || !same_groups(&alike, group) || one.count != 1;
        spread = check_groups(&profiles, &alike);
        odd += spread < 0 || spread > 2 * radius + 1e-9 || (radius > limit && count < most);
        if (profiles.ranks <= 10)
            far += radius > limit && radius > 2 * best_radius(&profiles, count, 0, centres, 0) + 1e-9;
        several += alike.count > 2;
        pithi_alike_free(&alike);
        pithi_alike_free(&one);
    }
    OK(!wrong && several > 200, "groups of random profiles: those of a search that keeps nothing");
    OK(!odd, "numbers, typical ranks and spreads");
    OK(!far, "at the most groups, no rank is more than twice as far from its centre as with the best centres");
}

/* Ranks of a few kinds, 30 % apart and more, with noise of up to 1 %, and one odd rank. */
static void test_planted(void)
{
    enum { RANKS = 1000, COLUMNS = 40 };
    static float share[RANKS * COLUMNS];
    struct pithi_alike alike;
    uint32_t group[RANKS];

    for (uint32_t rank = 0; rank < RANKS; rank++) {
        float *of = share + rank * COLUMNS, noise = (float)chance(100) / 10000;
        group[rank] = rank == 617 ? 4 : rank % 100 == 0 ? 3 : rank % 3;
        memset(of, 0, COLUMNS * sizeof *of);
        of[group[rank]] = 0.65f - noise;
        of[10] = 0.35f;
        of[11 + chance(COLUMNS - 11)] += noise;
    }
    pithi_alike_find(share, RANKS, COLUMNS, 0.05, PITHI_ALIKE_MOST, &alike);
    OK(alike.count == 5 && same_groups(&alike, group), "a thousand ranks of four kinds, and the odd one");
    pithi_alike_free(&alike);
}

/* ---- Of a log ---------------------------------------------------------------------------------------------------- */

/* Ranks 0 to 7, 1000 ns each: computing all the time in ranks 0, 2, 3, 5, 6; rank 1 half of it. Rank 4 does as rank 7,
 * on two threads. */
static struct pithlog *ranks_log(void)
{
    struct core_log log;
    uint32_t compute, wait;

    core_log_begin(&log);
    compute = core_define(&log, PITHLOG_STATE, "compute", "");
    wait = core_define(&log, PITHLOG_STATE, "wait", "");
    for (int32_t rank = 0; rank < 8; rank++)
        for (uint32_t thread = 0; thread <= (rank == 4); thread++) {
            uint32_t lane = core_lane(&log, rank, thread, "");
            int64_t until = rank == 1 ? 500 : rank == 4 || rank == 7 ? 200 : 990 + rank;
            core_add(&log, lane, PITHLOG_ENTER, 0, compute);
            core_add(&log, lane, PITHLOG_ENTER, until, wait);
            core_add(&log, lane, PITHLOG_LEAVE, 1000, wait);
            core_add(&log, lane, PITHLOG_LEAVE, 1000, compute);
        }
    return core_log_end(&log);
}

static struct pithi_alike groups_of(struct pithlog *log, const struct pithi_rows *rows, int64_t from, int64_t to,
                                    double limit)
{
    struct pithi_alike_question question = {
        .t0_ns = from, .t1_ns = to, .rank_lane = rows->rank_lane, .ranks = rows->rank_count, .limit = limit};
    struct pithi_alike alike;

    core_check(pithi_alike_of_log(log, &question, &alike));
    return alike;
}

static const char *labels(struct pithi_rows *rows)
{
    static char text[1024];
    char label[256], note[64];

    pithi_rows_seen(rows);
    *text = 0;
    for (uint32_t i = 0; i < rows->seen_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s(%s)", i ? "|" : "",
                 pithi_rows_seen_label(rows, i, label, sizeof label), pithi_rows_seen_note(rows, i, note, sizeof note));
    return text;
}

#define LABELS(wanted, ...)                                                                                            \
    do {                                                                                                               \
        const char *seen_ = labels(rows);                                                                              \
        OK(strcmp(seen_, wanted) == 0, __VA_ARGS__);                                                                   \
        if (strcmp(seen_, wanted) != 0)                                                                                \
            printf("#   got: %s\n", seen_);                                                                            \
    } while (0)

static void test_rows(void)
{
    struct pithlog *log = ranks_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    struct pithi_alike alike = groups_of(log, rows, 0, 1000, 0.05);
    char text[512], *word;

    OK(alike.count == 3 && alike.typical[0] == 3 && fabs(alike.spread[0] - 0.003) < 1e-6 && alike.typical[2] == 4,
       "the threads of a rank are taken together; the middle one is typical");
    pithi_rows_group_alike(rows, &alike);
    LABELS("ranks 0, 2-3, 5-6(5 ranks)|rank 1()|ranks 4, 7(2 ranks)", "a row for each group, and for the odd rank");
    OK(rows->seen[0].lane_count == 5 && rows->seen[2].lane_count == 3, "for all lanes of its ranks");
    pithi_rows_tip(rows, rows->places[0].node, text, sizeof text);
    OK(strstr(text, "Ranks 0, 2-3, 5-6 ") && strstr(text, "rank 3,") && strstr(text, " 0.3 %"), "what it stands for");
    OK(!*pithi_rows_tip(rows, rows->places[1].node, text, sizeof text), "a rank stands for itself");
    OK(strcmp(pithi_rows_key(rows, rows->places[2].node, text, sizeof text), "alike:4") == 0 &&
           pithi_rows_node(rows, text) == rows->places[2].node && pithi_rows_node(rows, "alike:5") == PITHI_NONE &&
           pithi_rows_node(rows, "alike:99") == PITHI_NONE,
       "keys of groups");
    word = pithi_rows_alike_word(rows);
    OK(strcmp(word, "3:0.3:0,2-3,5-6/1:0.0:1/4:0.0:4,7") == 0, "the groups as a word");
    pithi_rows_set_open(rows, pithi_rows_node(rows, "alike:4"), 1);
    LABELS("ranks 0, 2-3, 5-6(5 ranks)|rank 1()|ranks 4, 7(2 ranks)|rank 4()|4.1()|rank 7()", "an open group");
    pithi_rows_filter(rows, "5-7");
    LABELS("ranks 0, 2-3, 5-6(2 of 5 ranks)|ranks 4, 7(1 of 2 ranks)|rank 7()", "a filter");
    pithi_rows_filter(rows, "");
    alike = groups_of(log, rows, 0, 200, 0.05);
    pithi_rows_group_alike(rows, &alike);
    LABELS("ranks 0-7(8 ranks)", "in another time they are alike");
    pithi_rows_set_alike(rows, word);
    pithi_rows_group(rows, PITHI_BY_LIKENESS);
    LABELS("ranks 0, 2-3, 5-6(5 ranks)|rank 1()|ranks 4, 7(2 ranks)", "the groups of a word");
    free(word);
    word = pithi_rows_alike_word(rows);
    OK(strcmp(word, "3:0.3:0,2-3,5-6/1:0.0:1/4:0.0:4,7") == 0, "and the same word again");
    free(word);
    pithi_rows_set_alike(rows, "99:1:0-1,90-99/,/x:y:2-3/7:300:2-");
    pithi_rows_group(rows, PITHI_BY_LIKENESS);
    OK(strncmp(labels(rows), "ranks 0-1(2 ranks)|rank 2()|rank 3()|", 37) == 0,
       "ranks that a word leaves out are by themselves");
    OK(pithi_rows_picture(rows, PITHI_BY_HOST, "") == 0 && rows->seen_count == 8, "other groupings go on");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static int stop_at_once(void *context, double part)
{
    (void)context;
    return part < 0;
}

static void test_stopped(void)
{
    struct pithlog *log = ranks_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    struct pithi_alike_question question = {
        .t1_ns = 9, .rank_lane = rows->rank_lane, .ranks = rows->rank_count, .watch = {stop_at_once, NULL}};
    struct pithi_alike alike;

    OK(pithi_alike_of_log(log, &question, &alike) == 0 && !alike.ranks, "a stopped search finds no groups");
    pithi_rows_close(rows);
    pithlog_close(log);
}

int main(void)
{
    test_random();
    test_planted();
    test_rows();
    test_stopped();
    return tap_done();
}
