/* period.c - finds a period with *anchors*: short words of 1, 2, 4 ... calls that occur once in each period.
 *
 * Example: (Isend Isend Wait Wait)^9 Allreduce, repeated. Among words of one call, the distance from one Isend to the
 * next is 1 as often as it is larger, so Isend is no anchor. The distance from one word "Isend Isend" to the next is
 * mostly 4, and 5 at each Allreduce, so this word is an anchor of the period 4. A word of 32 calls would be an anchor
 * of the period 37.
 *
 * Each word votes for the distance that most of its occurrences have. A period is tried with the word that occurs most
 * often, because extra calls between its calls make a word occur less often. */
#include "analysis/findings/period.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum {
    WORD_MOST = 64,        /* calls in an anchor */
    SAMPLE_MOST = 1 << 17, /* periods are looked for in at most this number of calls, in the middle of the row */
    EXTRA = 8,             /* calls beyond two periods that still belong to an iteration */
    BURST = 8,             /* most calls in the period of a burst */
    SHORT = 4,             /* most calls in a period that may be a part of a longer one */
    TRIES = 256            /* most periods that are tried */
};

/* A longer period must explain this many times as much as a shorter one. If every tenth iteration has more calls, the
 * period of ten iterations explains a few calls more than the period of one. With MORE 1 the period of ten would win,
 * and a log of test_iterations.sh with 60 iterations would seem to have 6. Values from 1.05 to 4 find the right number
 * in all logs of that test. */
#define MORE 1.3
/* A period of at most SHORT calls may take half of all calls for extra ones (is_better). A longer period is better if
 * it covers MORE_EXACT times as many calls exactly, and nearly all of the time that the short one covers. With a
 * MORE_EXACT of 1.9 or more, a master that receives a result and sends three tasks, ten times, would seem to have 30
 * iterations. For the logs of that test, the value of NEARLY_ALL does not matter: 0 and 1 have the same results. */
#define MORE_EXACT 1.5
#define NEARLY_ALL 0.9

/* A word, that is, some calls in a row (see the head of this file). */
struct word {
    uint32_t first, last; /* occurrences in the row */
    uint32_t count;
    uint32_t distance, votes; /* most frequent distance, by the vote of Boyer and Moore */
    int64_t busy_ns;          /* time of its first call, summed over the occurrences */
};

/* A period to try, with its anchor: the `length` calls of the row that begin at `example`. */
struct
try {
    uint32_t period, length, example;
};

struct search {
    const struct pithi_row_call *row; /* the caller's */
    uint32_t count;
    int64_t row_ns;          /* from its first call to its last */
    uint32_t *at;            /* [count]: occurrences of an anchor */
    struct try tries[TRIES]; /* [try_count] periods to try */
    uint32_t try_count;
};

/* ---- Periods to try ---------------------------------------------------------------------------------------------- */

/* Counts the words that begin at first ... last - 1; hashes[i - first] is the hash of the word at i. Returns 0 if there
 * is no memory. */
static int count_words(const struct search *s, const uint64_t *hashes, uint32_t first, uint32_t last,
                       struct word **words, uint32_t *word_count)
{
    struct pithi_map map = {0};
    uint32_t room = 0, at;
    int good = 1;

    *words = NULL;
    *word_count = 0;
    for (uint32_t i = first; good && i < last; i++) {
        if (!pithi_map_get(&map, hashes[i - first], &at)) {
            at = *word_count;
            good = pithi_grow(words, at, &room, sizeof **words) && pithi_map_put(&map, hashes[i - first], at);
            if (!good)
                break;
            (*words)[(*word_count)++] = (struct word){.first = i, .last = i};
        }
        struct word *word = &(*words)[at];
        uint32_t distance = i - word->last;
        if (word->count++) {
            word->distance = word->votes ? word->distance : distance;
            word->votes += word->distance == distance ? 1 : UINT32_MAX;
        }
        word->last = i;
        word->busy_ns += s->row[i].end_ns - s->row[i].begin_ns;
    }
    pithi_map_free(&map);
    return good;
}

static int by_distance(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : x->first < y->first ? -1 : x->first > y->first;
}

/* Adds a try for each distance, with the word that occurs most often. If several words occur about as often, takes the
 * word whose calls take longest. */
static void add_tries(struct search *s, struct word *words, uint32_t count, uint32_t length, uint32_t sample)
{
    uint32_t good = 0;

    for (uint32_t i = 0; i < count; i++)
        if (words[i].count >= PITHI_ITERATIONS_LEAST && words[i].votes >= words[i].count / 4)
            words[good++] = words[i];
    count = good;
    qsort(words, count, sizeof *words, by_distance);
    for (uint32_t i = 0, next; i < count; i = next) {
        struct word *best = &words[i];
        for (next = i; next < count && words[next].distance == words[i].distance; next++)
            if (words[next].count + 1 >= words[i].count && words[next].busy_ns > best->busy_ns)
                best = &words[next];
        if (s->try_count == TRIES || (uint64_t)best->count * best->distance * 4 < sample)
            continue;
        s->tries[s->try_count++] = (struct try){best->distance, length, best->first};
    }
}

static int by_period(const void *a, const void *b)
{
    const struct try *x = a, *y = b;
    return x->period != y->period  ? (x->period < y->period ? -1 : 1)
           : x->length < y->length ? -1
                                   : x->length > y->length;
}

/* Collects the periods to try. Returns 0 if there is no memory. */
static int find_tries(struct search *s)
{
    uint32_t sample = s->count < SAMPLE_MOST ? s->count : SAMPLE_MOST, first = (s->count - sample) / 2;
    uint64_t *hashes = malloc(sample * sizeof *hashes);
    int good = hashes != NULL;

    for (uint32_t i = 0; good && i < sample; i++)
        hashes[i] = pithi_hash_mix(PITHI_HASH, s->row[first + i].symbol);
    for (uint32_t length = 1; good && length <= WORD_MOST && length * PITHI_ITERATIONS_LEAST <= sample; length *= 2) {
        struct word *words;
        uint32_t count;
        good = count_words(s, hashes, first, first + sample - length + 1, &words, &count);
        if (good)
            add_tries(s, words, count, length, sample);
        free(words);
        for (uint32_t i = 0; i + 2 * length <= sample; i++)
            hashes[i] = pithi_hash_mix(hashes[i] * 3, hashes[i + length]);
    }
    free(hashes);
    qsort(s->tries, s->try_count, sizeof *s->tries, by_period);
    return good;
}

/* ---- Trying a period --------------------------------------------------------------------------------------------- */

static uint32_t find_anchors(const struct search *s, const struct try *try)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i + try->length <= s->count; i++) {
        uint32_t k = 0;
        while (k < try->length && s->row[i + k].symbol == s->row[try->example + k].symbol)
            k++;
        if (k == try->length && (!count || i - s->at[count - 1] >= (try->period + 1) / 2))
            s->at[count++] = i;
    }
    return count;
}

/* Returns the index of a typical occurrence of the anchor: the next anchor follows after exactly one period, and the
 * calls up to it are the same as for most occurrences. The vote of Boyer and Moore finds it, from the middle of the row
 * on. */
static uint32_t find_typical(const struct search *s, uint32_t count, uint32_t period)
{
    uint32_t typical = s->at[count / 2], votes = 0;
    uint64_t calls = 0;

    for (uint32_t n = 0; n + 1 < count; n++) {
        uint32_t i = (count / 2 + n) % (count - 1);
        uint64_t hash = PITHI_HASH;
        if (s->at[i + 1] - s->at[i] != period)
            continue;
        for (uint32_t k = 0; k < period; k++)
            hash = pithi_hash_mix(hash, s->row[s->at[i] + k].symbol);
        if (votes == 0) {
            typical = s->at[i];
            calls = hash;
        }
        votes += hash == calls ? 1 : UINT32_MAX;
    }
    return typical;
}

/* Counts how many calls from `at` on equal the calls of the period that begins at `word`; at most `period`. */
static uint32_t same_after(const struct search *s, uint32_t at, uint32_t word, uint32_t period)
{
    uint32_t n = 0;

    while (n < period && at + n < s->count && s->row[at + n].symbol == s->row[word + n].symbol)
        n++;
    return n;
}

/* Counts, backwards from `at`, how many calls equal the last calls of the period that begins at `word`; at most
 * `period` - 1. */
static uint32_t same_before(const struct search *s, uint32_t at, uint32_t word, uint32_t period)
{
    uint32_t n = 0;

    while (n + 1 < period && n < at && s->row[at - n - 1].symbol == s->row[word + period - n - 1].symbol)
        n++;
    return n;
}

/* Returns 1 if the anchor occurs by chance, before or after the loop: fewer than half of the calls around it are those
 * of the period. */
static int is_alone(const struct search *s, uint32_t at, uint32_t word, uint32_t period)
{
    uint32_t same = same_after(s, at, word, period) + same_before(s, at, word, period);
    return same < period && same * 2 < period + 2;
}

static int64_t gap_before(const struct search *s, uint32_t i)
{
    return i ? s->row[i].begin_ns - s->row[i - 1].end_ns : 0;
}

/* Sets *best to the number of calls by which an iteration begins before its anchor. The first and the last iteration
 * must then be whole. Among the possible numbers, takes the one where the program typically computes longest before the
 * iteration. Returns the mean logarithm of that time, so that a few iterations that the system interrupted there do not
 * decide. Returns -1 if no number is possible. (In the logs of test_iterations.sh, the mean time finds the same
 * number.) */
static double find_shift(const struct search *s, uint32_t first, uint32_t last, uint32_t word, uint32_t period,
                         uint32_t *best)
{
    uint32_t before = same_before(s, s->at[first], word, period);
    uint32_t after = same_after(s, s->at[last], word, period);
    double longest = -1;

    *best = before;
    for (int64_t shift = before; before + after >= period && shift + after >= period; shift--) {
        double gap = 0;
        for (uint32_t i = first; i <= last; i++)
            if (s->at[i] > shift)
                gap += log1p((double)gap_before(s, (uint32_t)(s->at[i] - shift)));
        gap /= last - first + 1;
        if (gap > longest * (1 + 1e-9)) {
            longest = gap;
            *best = (uint32_t)shift;
        }
    }
    return longest;
}

/* Returns the begin of an anchor's iteration. It is `shift` calls before the anchor, not counting extra calls, but not
 * before `from`. */
static uint32_t begin_of(const struct search *s, uint32_t at, uint32_t from, uint32_t word, uint32_t period,
                         uint32_t shift)
{
    uint32_t begin = at;

    for (uint32_t n = 1; n <= shift; n++, begin--)
        while (begin > from && s->row[begin - 1].symbol != s->row[word + period - n].symbol)
            begin--;
    return begin > from && begin + shift + EXTRA >= at ? begin : at - shift;
}

/* Returns the begin of an iteration, including its extra calls. Extra calls before `begin` belong to the iteration if
 * the program computes longer before these calls than after them. */
static uint32_t with_extras(const struct search *s, uint32_t begin, uint32_t extras)
{
    uint32_t best = begin;

    for (uint32_t i = begin - extras; i < begin; i++)
        if (gap_before(s, i) > gap_before(s, best))
            best = i;
    return best;
}

/* Returns 1 if at least seven of eight calls from `at` on equal the calls of the period, shifted by `shift`. */
static int is_similar(const struct search *s, uint32_t at, uint32_t word, uint32_t period, uint32_t shift)
{
    uint32_t same = 0;

    for (uint32_t n = 0; n < period; n++)
        same += s->row[at + n].symbol == s->row[word + (n + period - shift) % period].symbol;
    return 8 * (uint64_t)same >= 7 * (uint64_t)period;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns `count` times the lower quartile of the lengths. It stands for their sum, in which a few iterations that the
 * system interrupted could exceed all others together. */
static double typical_sum(int64_t *lengths, uint32_t count)
{
    if (count == 0)
        return 0;
    qsort(lengths, count, sizeof *lengths, by_length);
    return (double)count * (double)lengths[(count - 1) / 4];
}

/* How much of a row the iterations of a period cover. */
struct cover {
    uint32_t period, calls, exact_calls; /* exact_calls: calls in iterations without extra calls */
    int64_t ns;                          /* sum of the iterations */
};

/* Returns 1 if `cover` is better than the best so far. A longer period is better if it explains clearly more, because a
 * shorter one may be only the exchanges with one rank in a step with several ranks. In (Recv Send Send Send), repeated,
 * the period of a single Send takes each Recv for an extra call. This short period covers all calls, too, but only half
 * of them exactly. */
static int is_better(const struct cover *cover, uint32_t count, const struct cover *best, uint32_t best_count)
{
    if (best_count == 0 || cover->period == best->period)
        return count > best_count;
    return (double)cover->ns > MORE * (double)best->ns || cover->calls > MORE * best->calls ||
           (best->period <= SHORT && cover->exact_calls > MORE_EXACT * best->exact_calls &&
            (double)cover->ns > NEARLY_ALL * (double)best->ns);
}

/* Tries a period. Returns 1 if it is a period and better than `best`, which covers *best_cover; 0 if not; -1 if there
 * is no memory. */
static int try_period(struct search *s, const struct try *try, struct pithi_period *best, struct cover *best_cover)
{
    uint32_t count = find_anchors(s, try), first = 0, period = try->period, exact = 0, calls = 0;
    int64_t sum_ns = 0;

    while (count - first > 2 && s->at[first + 1] - s->at[first] > 2 * period)
        first++;
    while (count - first > 2 && s->at[count - 1] - s->at[count - 2] > 2 * period)
        count--;
    if (count < first + PITHI_ITERATIONS_LEAST)
        return 0;
    uint32_t word = find_typical(s, count, period);
    while (first + 1 < count && is_alone(s, s->at[first], word, period))
        first++;
    while (first + 1 < count && is_alone(s, s->at[count - 1], word, period))
        count--;
    if (count < first + PITHI_ITERATIONS_LEAST)
        return 0;
    uint32_t shift, other;
    if (find_shift(s, first, count - 1, word, period, &shift) < 0) {
        /* A call before or after the loop may look like the anchor. */
        double with_last = find_shift(s, first + 1, count - 1, word, period, &shift);
        double with_first = find_shift(s, first, count - 2, word, period, &other);
        if (with_last >= 0 && with_last >= with_first) {
            first++;
        } else {
            shift = other;
            count -= with_first >= 0;
        }
    }
    count -= first;
    if (count < PITHI_ITERATIONS_LEAST)
        return 0;
    struct pithi_period found = {.firsts = malloc(count * sizeof(uint32_t)),
                                 .ends = malloc(count * sizeof(uint32_t)),
                                 .count = count,
                                 .call = try->example};
    int64_t *lengths = malloc(count * sizeof *lengths); /* lengths of exact iterations, then of the others */
    if (!found.firsts || !found.ends || !lengths) {
        free(found.firsts);
        free(found.ends);
        free(lengths);
        return -1;
    }
    for (uint32_t i = 0; i < count; i++)
        found.firsts[i] = begin_of(s, s->at[first + i], i ? s->at[first + i - 1] : 0, word, period, shift);
    /* Goes backwards: the length of an iteration must be measured from a begin that was not yet moved for extra
     * calls. */
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t distance = found.firsts[i] - found.firsts[i - 1];
        if (distance > period && distance <= 2 * period + EXTRA)
            found.firsts[i] = with_extras(s, found.firsts[i], least(distance - period, EXTRA));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = found.firsts[i];
        uint32_t end = i + 1 < count ? found.firsts[i + 1] : s->count;
        int is_exact = i + 1 < count && end - begin == period && is_similar(s, begin, word, period, shift);
        if (i + 1 == count || end - begin > 2 * period + EXTRA)
            end = begin + period < s->count ? begin + period : s->count;
        found.ends[i] = end;
        calls += end - begin;
        int64_t length_ns = (end < s->count ? s->row[end].begin_ns : s->row[end - 1].end_ns) - s->row[begin].begin_ns;
        sum_ns += length_ns;
        lengths[is_exact ? exact : count - 1 - (i - exact)] = length_ns;
        exact += (uint32_t)is_exact;
    }
    int is_most = 2 * (uint64_t)calls >= s->count || 2 * sum_ns >= s->row_ns;
    struct cover cover = {period, calls, exact * period, sum_ns};
    int is_good = is_most && is_better(&cover, count, best_cover, best->count) && 2 * exact >= count;
    /* A burst is a series of equal calls, and most of the time lies between the bursts. To exclude bursts, at least
     * half of the time must be in iterations without extra calls. This is not required if the period is too long for a
     * burst, and three quarters of the iterations have no extra calls. Most of the time may then be in a single
     * iteration with extra calls that the system interrupted. */
    if (is_good && (period <= BURST || 4 * (uint64_t)exact < 3 * (uint64_t)count))
        is_good = typical_sum(lengths, exact) >= typical_sum(lengths + exact, count - exact);
    free(lengths);
    if (!is_good) {
        free(found.firsts);
        free(found.ends);
        return 0;
    }
    free(best->firsts);
    free(best->ends);
    *best = found;
    *best_cover = cover;
    return 1;
}

int pithi_period_find(const struct pithi_row_call *row, uint32_t count, int64_t row_ns, struct pithi_period *period)
{
    struct search s = {.row = row, .count = count, .row_ns = row_ns};
    struct cover cover = {0};

    *period = (struct pithi_period){0};
    if (count < PITHI_ITERATIONS_LEAST)
        return 1;
    s.at = malloc(count * sizeof *s.at);
    int good = s.at && find_tries(&s);
    for (uint32_t i = 0; good && i < s.try_count; i++)
        good = try_period(&s, &s.tries[i], period, &cover) >= 0;
    free(s.at);
    return good;
}
