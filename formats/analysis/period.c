/* period.c - finds a period with *runs*: parts of the row in which each call is equal to the call `period` calls
 * before, and that are at least two periods long. A run ends at an extra call; behind it, another run of the same calls
 * begins.
 *
 * Example: in a b a b a b X a b a b, X is an extra call. There are two runs of the period 2, of 6 and of 4 calls.
 *
 * All runs of a row of n calls are found in O(n log n), and there are fewer than n: H. Bannai, T. I, S. Inenaga, Y.
 * Nakashima, M. Takeda, K. Tsuruta: The "Runs" Theorem (2017). Each run begins to repeat at a Lyndon word: a word
 * that is smaller than all its ends, in the order of the symbols or in the reverse order. */
#include "analysis/period.h"

#include <stdlib.h>

#include "base/map.h"

enum {
    SAMPLE_MOST = 1 << 17, /* the period is looked for in so many calls in the middle of the row */
    EXTRA = 8              /* an iteration may have so many extra calls, besides as many as the period has */
};

struct run {
    uint32_t begin, end, period;
    uint32_t at;    /* in its first period: at the same call in all runs of the same calls */
    uint64_t calls; /* a hash of its period, the same wherever the period begins */
};

struct search {
    const struct pithi_row_call *row; /* the sample, then the whole row */
    uint32_t count;
    int64_t row_ns;
    uint64_t *hashes, *powers; /* [count + 1]: of the first i calls; of the base */
    struct run *runs;
    uint32_t run_count, run_room;
    int64_t *lengths; /* [count] */
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct search *s, uint32_t at, uint32_t length)
{
    return s->hashes[at + length] - s->hashes[at] * s->powers[length];
}

static int set_hashes(struct search *s)
{
    s->hashes = malloc((s->count + (size_t)1) * sizeof *s->hashes);
    s->powers = malloc((s->count + (size_t)1) * sizeof *s->powers);
    if (!s->hashes || !s->powers)
        return 0;
    s->hashes[0] = 0;
    s->powers[0] = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        s->powers[i + 1] = s->powers[i] * UINT64_C(0x9e3779b97f4a7c15);
        s->hashes[i + 1] = s->hashes[i] * UINT64_C(0x9e3779b97f4a7c15) + pithi_hash_mix(PITHI_HASH, s->row[i].symbol);
    }
    return 1;
}

/* How many calls from a on are those from b on; a < b. */
static uint32_t same_after(const struct search *s, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = s->count - b;

    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (hash_of(s, a, middle) == hash_of(s, b, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* How many calls before a are those before b; a < b. */
static uint32_t same_before(const struct search *s, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = a;

    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (hash_of(s, a - middle, middle) == hash_of(s, b - middle, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* 1: the row from a on comes before the row from b on, in the order of the symbols or in the reverse one. */
static int is_before(const struct search *s, uint32_t a, uint32_t b, int reverse)
{
    uint32_t same = same_after(s, a, b);

    if (b + same == s->count)
        return 0;
    return reverse ? s->row[a + same].symbol > s->row[b + same].symbol
                   : s->row[a + same].symbol < s->row[b + same].symbol;
}

/* Adds the run in which the calls from a to b - 1 repeat, if there is one. 0: no memory. */
static int add_run(struct search *s, uint32_t a, uint32_t b)
{
    struct run run = {.begin = a - same_before(s, a, b), .end = b + same_after(s, a, b), .period = b - a};

    if (run.end - run.begin < 2 * run.period)
        return 1;
    run.at = run.begin;
    for (uint32_t i = run.begin; i < run.begin + run.period; i++) {
        run.calls += pithi_hash_mix(PITHI_HASH, hash_of(s, i, run.period));
        if (hash_of(s, i, run.period) < hash_of(s, run.at, run.period))
            run.at = i;
    }
    if (!pithi_grow(&s->runs, s->run_count, &s->run_room, sizeof *s->runs))
        return 0;
    s->runs[s->run_count++] = run;
    return 1;
}

static int by_period(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    if (x->period != y->period)
        return x->period < y->period ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* 0: no memory. */
static int find_runs(struct search *s)
{
    uint32_t *next = malloc((s->count + (size_t)1) * sizeof *next); /* the Lyndon word from i on ends before next[i] */
    int good = next && set_hashes(s);

    for (int reverse = 0; good && reverse < 2; reverse++)
        for (uint32_t i = s->count; good && i-- > 0;) {
            next[i] = i + 1;
            while (next[i] < s->count && is_before(s, i, next[i], reverse))
                next[i] = next[next[i]];
            if (next[i] < s->count && next[i] - i <= s->count / PITHI_ITERATIONS_LEAST)
                good = add_run(s, i, next[i]);
        }
    free(next);
    if (s->run_count)
        qsort(s->runs, s->run_count, sizeof *s->runs, by_period);
    return good;
}

/* ---- The best repetition ----------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median_of(int64_t *lengths, uint32_t count)
{
    qsort(lengths, count, sizeof *lengths, by_length);
    return lengths[(count - 1) / 2];
}

/* The first call in a run that is `shift` calls after `at`, or whole periods before. */
static uint32_t first_of(uint32_t begin, uint32_t at, uint32_t shift, uint32_t period)
{
    return begin + (at - begin + shift) % period;
}

/* The typical length of a period: the median, from that of its calls on where it is shortest. Two bursts of equal calls
 * are less than a period from each other only at some calls. */
static int64_t typical_length(struct search *s, const struct run *runs, uint32_t count)
{
    int64_t shortest_ns = INT64_MAX;

    for (uint32_t shift = 0; shift < runs->period; shift++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = first_of(runs[i].begin, runs[i].at, shift, runs->period); k + runs->period < runs[i].end;
                 k += runs->period)
                s->lengths[n++] = s->row[k + runs->period].begin_ns - s->row[k].begin_ns;
        int64_t length_ns = median_of(s->lengths, n);
        shortest_ns = length_ns < shortest_ns ? length_ns : shortest_ns;
    }
    return shortest_ns;
}

/* What the runs of a period cover: calls, and the time of as many typical periods. */
struct cover {
    uint32_t period, calls;
    double ns;
};

static struct cover measure(struct search *s, const struct run *runs, uint32_t count)
{
    struct cover cover = {.period = runs->period};
    uint32_t end = 0; /* two runs may overlap */

    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = runs[i].begin > end ? runs[i].begin : end;
        cover.calls += runs[i].end > begin ? runs[i].end - begin : 0;
        end = runs[i].end > end ? runs[i].end : end;
    }
    if (cover.calls / cover.period >= PITHI_ITERATIONS_LEAST)
        cover.ns = (double)typical_length(s, runs, count) * cover.calls / cover.period;
    return cover;
}

/* A longer period is better if it explains clearly more: of a step that exchanges messages with several ranks, a
 * shorter one explains those with one rank. */
static int is_better(const struct cover *cover, const struct cover *best)
{
    if (cover->period == best->period)
        return cover->calls > best->calls;
    return cover->ns > 1.3 * best->ns || cover->calls > 1.3 * best->calls;
}

/* The runs of the best repetition; 0: there is none. */
static uint32_t find_best(struct search *s, struct run **best)
{
    struct cover best_cover = {0};
    uint32_t best_count = 0;

    for (uint32_t i = 0, next; i < s->run_count; i = next) {
        uint32_t count = 0; /* a run may be found in both orders */
        for (next = i; next < s->run_count && s->runs[next].period == s->runs[i].period &&
                       s->runs[next].calls == s->runs[i].calls;
             next++)
            if (next == i || s->runs[next].begin != s->runs[i + count - 1].begin)
                s->runs[i + count++] = s->runs[next];
        struct cover cover = measure(s, &s->runs[i], count);
        if (cover.calls / cover.period >= PITHI_ITERATIONS_LEAST &&
            (2 * (uint64_t)cover.calls >= s->count || 2 * cover.ns >= (double)s->row_ns) &&
            is_better(&cover, &best_cover)) {
            best_cover = cover;
            *best = &s->runs[i];
            best_count = count;
        }
    }
    return best_count;
}

/* ---- Iterations -------------------------------------------------------------------------------------------------- */

/* The loop: all runs of its calls in the whole row. */
struct loop {
    struct pithi_row_call *word; /* [period]; a copy */
    uint32_t period;
    struct part {
        uint32_t begin, end; /* of a run */
        uint32_t at;         /* where the word is in it, first */
    } * parts;
    uint32_t count, room;
    uint32_t before, after; /* how many calls go on as the loop does behind one extra call, at the ends */
    uint32_t from, to;      /* with these, and with single iterations */
};

/* 1: an iteration is at `at`, which begins `shift` calls after the begin of the word. */
static int is_word(const struct search *s, const struct loop *loop, uint32_t shift, uint32_t at)
{
    uint32_t n = 0;

    while (n < loop->period && s->row[at + n].symbol == loop->word[(shift + n) % loop->period].symbol)
        n++;
    return n == loop->period;
}

/* Finds the runs of the loop in the row. 0: no memory. */
static int find_parts(const struct search *s, struct loop *loop)
{
    uint32_t period = loop->period;

    for (uint32_t i = 0, end; i + 2 * period <= s->count; i = end - period + 1) {
        for (end = i + period; end < s->count && s->row[end].symbol == s->row[end - period].symbol; end++)
            ;
        for (uint32_t at = i; end - i >= 2 * period && at < i + period; at++)
            if (is_word(s, loop, 0, at)) {
                if (!pithi_grow(&loop->parts, loop->count, &loop->room, sizeof *loop->parts))
                    return 0;
                loop->parts[loop->count++] = (struct part){i, end, at};
                break;
            }
    }
    return 1;
}

/* An extra call may be in the first or last iteration. */
static void find_ends(const struct search *s, struct loop *loop)
{
    uint32_t from = loop->parts[0].begin, to = loop->parts[loop->count - 1].end, period = loop->period, n = 0;

    while (n < 2 * period && n + 2 <= from &&
           s->row[from - 2 - n].symbol == s->row[from + period - 1 - n % period].symbol)
        n++;
    loop->before = n;
    loop->from = from - (n ? n + 1 : 0);
    for (n = 0; n < 2 * period && to + 1 + n < s->count &&
                s->row[to + 1 + n].symbol == s->row[to - period + n % period].symbol;
         n++)
        ;
    loop->after = n;
    loop->to = to + (n ? n + 1 : 0);
}

static int64_t gap_before(const struct search *s, uint32_t i)
{
    return i ? s->row[i].begin_ns - s->row[i - 1].end_ns : 0;
}

/* How long the program typically computes before the call that is `shift` calls after the begin of the word. */
static int64_t typical_gap(struct search *s, const struct loop *loop, uint32_t shift)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < loop->count; i++) {
        const struct part *part = &loop->parts[i];
        uint32_t first = first_of(part->begin, part->at, shift, loop->period);
        for (uint32_t k = first + loop->period; k + loop->period <= part->end; k += loop->period)
            s->lengths[n++] = gap_before(s, k);
    }
    return n ? median_of(s->lengths, n) : -1;
}

/* Where an iteration begins, in calls after the begin of the word: so that the first and the last one are whole; of
 * such places, where the program typically computes longest before. */
static uint32_t find_shift(struct search *s, const struct loop *loop)
{
    const struct part *first = &loop->parts[0], *last = &loop->parts[loop->count - 1];
    uint32_t best = 0, period = loop->period;
    int64_t longest_ns = -2;

    for (uint32_t lead = 0; lead < period; lead++) {
        uint32_t to_first = (lead + period - loop->before % period) % period; /* from the begin of the first run */
        uint32_t shift = (to_first + period - (first->at - first->begin)) % period;
        uint32_t to_last = (last->at - last->begin + shift) % period;
        uint32_t rest = (last->end - last->begin - to_last + loop->after) % period;
        int64_t gap_ns = lead + rest < period ? typical_gap(s, loop, shift) : -2;
        if (gap_ns > longest_ns) {
            longest_ns = gap_ns;
            best = shift;
        }
    }
    return best;
}

/* The end of the iteration that begins at `at` with extra calls in it; 0: there is none that ends before `end`. */
static uint32_t match(const struct search *s, const struct loop *loop, uint32_t shift, uint32_t at, uint32_t end)
{
    uint32_t i = at;

    for (uint32_t n = 0; n < loop->period; n++, i++) {
        uint32_t symbol = loop->word[(shift + n) % loop->period].symbol;
        while (n && i < end && s->row[i].symbol != symbol)
            i++;
        if (i >= end || s->row[i].symbol != symbol || i - at - n > loop->period + EXTRA)
            return 0;
    }
    return i;
}

/* There may be single iterations before the first run and after the last one, behind a few extra calls. */
static void add_single(const struct search *s, struct loop *loop, uint32_t shift)
{
    uint32_t most = loop->period + least(loop->period, EXTRA);

    for (uint32_t n = 1; n <= most && n <= loop->from; n++)
        if (is_word(s, loop, shift, loop->from - n)) {
            loop->from -= n;
            n = 0;
        }
    for (uint32_t n = 1; n <= most && loop->to + n <= s->count; n++)
        if (is_word(s, loop, shift, loop->to + n - loop->period)) {
            loop->to += n;
            n = 0;
        }
}

/* Extra calls before the begin belong to this iteration if the program computes longer before them than after. */
static uint32_t with_extras(const struct search *s, uint32_t begin, uint32_t extras)
{
    uint32_t best = begin;

    for (uint32_t i = begin - extras; i < begin; i++)
        if (gap_before(s, i) > gap_before(s, best))
            best = i;
    return best;
}

/* Adds the iterations with extra calls between `at` and `end`, which no run covers. */
static void add_matches(const struct search *s, const struct loop *loop, uint32_t shift, uint32_t at, uint32_t end,
                        struct pithi_period *found)
{
    while (at < end) {
        uint32_t next = match(s, loop, shift, at, end);
        if (next) {
            found->firsts[found->count] = at;
            found->ends[found->count++] = next;
        }
        at = next ? next : at + 1;
    }
}

/* 0: no memory. */
static int set_iterations(struct search *s, struct loop *loop, struct pithi_period *found)
{
    uint32_t room = s->count / loop->period + 1, shift = find_shift(s, loop), period = loop->period, at;

    found->firsts = malloc(room * sizeof *found->firsts);
    found->ends = malloc(room * sizeof *found->ends);
    if (!found->firsts || !found->ends)
        return 0;
    add_single(s, loop, shift);
    at = loop->from;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct part *part = &loop->parts[i];
        uint32_t first = first_of(part->begin, part->at, shift, period);
        while (first < at) /* runs may overlap */
            first += period;
        if (first + period > part->end)
            continue;
        add_matches(s, loop, shift, at, first, found);
        for (at = first; at + period <= part->end; at += period) {
            found->firsts[found->count] = at;
            found->ends[found->count++] = at + period;
        }
    }
    add_matches(s, loop, shift, at, loop->to, found);
    for (uint32_t i = 0; i + 1 < found->count; i++) {
        uint32_t extras = found->firsts[i + 1] - found->ends[i];
        if (extras <= period + EXTRA)
            found->ends[i] = found->firsts[i + 1] = with_extras(s, found->firsts[i + 1], least(extras, EXTRA));
    }
    return 1;
}

/* The call of the word that takes most of the time, where it is in the first run. */
static uint32_t longest_call(const struct search *s, const struct loop *loop)
{
    const struct part *part = &loop->parts[0];
    uint32_t best = part->begin;
    int64_t longest_ns = -1;

    for (uint32_t n = 0; n < loop->period; n++) {
        int64_t ns = 0;
        for (uint32_t i = 0; i < loop->count; i++) {
            const struct part *in = &loop->parts[i];
            for (uint32_t k = first_of(in->begin, in->at, n, loop->period); k < in->end; k += loop->period)
                ns += s->row[k].end_ns - s->row[k].begin_ns;
        }
        if (ns > longest_ns) {
            longest_ns = ns;
            best = first_of(part->begin, part->at, n, loop->period);
        }
    }
    return best;
}

int pithi_period_find(const struct pithi_row_call *row, uint32_t count, int64_t row_ns, struct pithi_period *period)
{
    uint32_t sample = least(count, SAMPLE_MOST), first = (count - sample) / 2, best_count;
    struct search s = {.row = row + first, .count = sample, .row_ns = row_ns};
    struct loop loop = {0};
    struct run *best = NULL;
    int good;

    *period = (struct pithi_period){0};
    if (count < PITHI_ITERATIONS_LEAST)
        return 1;
    if (sample < count)
        s.row_ns = s.row[sample - 1].end_ns - s.row[0].begin_ns;
    s.lengths = malloc(count * sizeof *s.lengths);
    good = s.lengths && find_runs(&s);
    best_count = good ? find_best(&s, &best) : 0;
    free(s.hashes);
    free(s.powers);
    if (best_count) {
        loop.period = best->period;
        loop.word = malloc(loop.period * sizeof *loop.word);
        for (uint32_t n = 0; loop.word && n < loop.period; n++)
            loop.word[n] = s.row[best->begin + n];
        s.row = row;
        s.count = count;
        good = loop.word && find_parts(&s, &loop);
        if (good) {
            find_ends(&s, &loop);
            good = set_iterations(&s, &loop, period);
            period->call = longest_call(&s, &loop);
        }
    }
    if (!good || period->count < PITHI_ITERATIONS_LEAST) {
        free(period->firsts);
        free(period->ends);
        *period = (struct pithi_period){0};
    }
    free(loop.word);
    free(loop.parts);
    free(s.runs);
    free(s.lengths);
    return good;
}
