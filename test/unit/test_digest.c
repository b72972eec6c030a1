/* test_digest.c - a digest against all messages and values of its log, in windows at random, and against the matcher.
 * */
#include "base/far.h"
#include "digest_log.h"
#include "tap.h"

/* ---- The matcher's messages -------------------------------------------------------------------------------------- */

static int by_all(const void *a, const void *b)
{
    const struct pithlog_message *x = a, *y = b;
    if (x->send_ns != y->send_ns)
        return x->send_ns < y->send_ns ? -1 : 1;
    if (x->recv_ns != y->recv_ns)
        return x->recv_ns < y->recv_ns ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* With few tags: which send belongs to which receive goes by the order of all records. */
static void test_like_matcher(uint32_t lanes)
{
    const uint32_t most = 50000;
    struct pithlog_message *matched = calloc(most, sizeof *matched), *found = calloc(most, sizeof *found);
    struct pithlog_digest_window all = {INT64_MIN, INT64_MAX, NULL};
    struct pithlog *log;
    struct pithlog_digest *digest;
    struct pithlog_matcher *matcher;
    uint32_t count = 0, got;
    uint64_t total, sends, recvs;
    tags = 2;
    write_log(lanes, 40000, "tags");
    tags = INT32_MAX;
    must(pithlog_open(path, &log));
    must(pithlog_matcher_open(log, &matcher));
    while (count < most && pithlog_matcher_next(matcher, &matched[count]) == 1)
        count++;
    pithlog_matcher_unmatched(matcher, &sends, &recvs);
    pithlog_matcher_close(matcher);
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    must(pithlog_digest_messages(digest, &all, found, most, &got, &total));
    qsort(matched, count, sizeof *matched, by_all);
    qsort(found, got, sizeof *found, by_all);
    OK(count > 30000 && got == count && total == count && memcmp(matched, found, count * sizeof *found) == 0,
       "%u lanes: the messages are those of the matcher (%u)", lanes, count);
    OK(pithlog_digest_get_info(digest)->sends_left == sends && pithlog_digest_get_info(digest)->recvs_left == recvs,
       "and as many are left without a partner");
    pithlog_digest_close(digest);
    pithlog_close(log);
    free(matched);
    free(found);
}

/* ---- An even choice ---------------------------------------------------------------------------------------------- */

static struct pithlog_digest_window sampled;
static uint64_t told;
static int told_right;

static void tell(void *context, const struct pithlog_message *m)
{
    (void)context;
    told++;
    told_right &= known(m) >= 0 && is_in(m, &sampled);
}

static void test_sample(const struct pithlog_digest *digest, const struct pithlog_info *info)
{
    struct pithlog_message none;
    uint32_t count;
    uint64_t total;
    double weight;
    sampled = (struct pithlog_digest_window){info->start_ns, info->end_ns + 1, NULL};
    told = 0;
    told_right = 1;
    must(pithlog_digest_sample(digest, &sampled, UINT64_MAX, tell, NULL, &weight));
    OK(told == message_count && weight == 1 && told_right, "a sample with room for all tells all");
    told = 0;
    must(pithlog_digest_sample(digest, &sampled, message_count / 10, tell, NULL, &weight));
    OK(told_right && weight == 64 && (double)told * weight > 0.9 * message_count &&
           (double)told * weight < 1.1 * message_count,
       "one of a tenth at most: %llu of %u, each for %.0f", (unsigned long long)told, message_count, weight);
    told = 0;
    sampled.to_ns = sampled.from_ns + (sampled.to_ns - sampled.from_ns) / 10;
    must(pithlog_digest_messages(digest, &sampled, &none, 0, &count, &total));
    must(pithlog_digest_sample(digest, &sampled, message_count / 30, tell, NULL, &weight));
    OK(told_right && weight == 8 && (double)told * weight > 0.95 * (double)total &&
           (double)told * weight < 1.05 * (double)total,
       "of a tenth of the time: %llu, each for %.0f, of %llu", (unsigned long long)told, weight,
       (unsigned long long)total);
}

/* ---- A part of the messages -------------------------------------------------------------------------------------- */

static int is_third(void *context, const struct pithlog_message *m)
{
    (void)context;
    return m->send_ns % 3 == 0;
}

static uint32_t others;
static void tell_third(void *context, const struct pithlog_message *m)
{
    tell(context, m);
    others += (uint32_t)!is_third(NULL, m);
}

static int stop(void *context, double part)
{
    (void)context, (void)part;
    return 1;
}

/* Every third message: all of them, no other, the longest in every window; a digest of its own. */
static void test_select(struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_message most[50];
    struct pithlog_digest *all, *third;
    uint32_t wanted = 0, count, right = 1;
    uint64_t total;
    double weight;
    must(pithlog_digest_open(log, NULL, NULL, &all));
    OK(pithlog_digest_select(all, is_third, stop, NULL, &third) == PITH_ERR_STOPPED && !third, "a choice is stopped");
    must(pithlog_digest_select(all, is_third, NULL, NULL, &third));
    pithlog_digest_close(all);
    for (uint32_t i = 0; i < message_count; i++)
        wanted += (uint32_t)is_third(NULL, &messages[i]);
    sampled = (struct pithlog_digest_window){info->start_ns, info->end_ns + 1, NULL};
    told = others = 0;
    told_right = 1;
    must(pithlog_digest_sample(third, &sampled, UINT64_MAX, tell_third, NULL, &weight));
    OK(told == wanted && told_right && !others && pithlog_digest_get_info(third)->messages == wanted &&
           pithlog_digest_get_info(third)->series == 0,
       "every third message: %llu of %u, no other, no counters", (unsigned long long)told, message_count);
    for (int i = 0; i < 20; i++) {
        struct pithlog_digest_window window = {.from_ns = info->start_ns + random_below(1 << 20) * (int64_t)1000};
        uint32_t in = 0, longer = 0;
        window.to_ns = window.from_ns + 1 + random_below(1 << 20);
        must(pithlog_digest_messages(third, &window, most, 50, &count, &total));
        uint64_t shortest = UINT64_MAX;
        for (uint32_t k = 0; k < count; k++)
            shortest = pithi_message_length(&most[k]) < shortest ? pithi_message_length(&most[k]) : shortest;
        for (uint32_t k = 0; k < message_count; k++)
            if (is_third(NULL, &messages[k]) && is_in(&messages[k], &window)) {
                in++;
                longer += pithi_message_length(&messages[k]) > shortest;
            }
        right &= total == in && count == (in < 50 ? in : 50) && longer <= count;
    }
    OK(right, "the longest of them in windows, and how many there are");
    pithlog_digest_close(third);
}

/* ---- In a page --------------------------------------------------------------------------------------------------- */

static uint64_t named_bytes;

static void name_bytes(void *context, int fd, uint64_t offset, uint64_t size)
{
    (void)context, (void)fd, (void)offset;
    named_bytes += size;
}

/* A file far away is read less: the longest messages are the same, and whether there are more. */
static void test_far(struct pithlog *log, const struct pithlog_digest *digest)
{
    static struct pithlog_message near[300], far[300];
    uint32_t lanes = pithlog_get_info(log)->lanes, near_count, far_count;
    unsigned char *shown = malloc(lanes);
    uint64_t total, far_total;
    int right = 1, is_more = 0;

    for (int i = 0; i < 40; i++) {
        struct pithlog_digest_window window = {INT64_MIN, INT64_MAX, shown};
        uint32_t most = i % 4 == 0 ? 300 : 1 + (uint32_t)random_below(100);
        for (uint32_t k = 0; k < lanes; k++)
            shown[k] = random_below(4) > 0;
        if (i % 2)
            window.from_ns = sampled.from_ns + random_below(1 << 20) * (int64_t)1000;
        must(pithlog_digest_messages(digest, &window, near, most, &near_count, &total));
        pithi_far_pretend(name_bytes, NULL);
        must(pithlog_digest_messages(digest, &window, far, most, &far_count, &far_total));
        pithi_far_pretend(NULL, NULL);
        right &= near_count == far_count && memcmp(near, far, near_count * sizeof *near) == 0;
        right &= total > most ? far_total >= total : far_total == total;
        is_more |= far_total > total;
    }
    OK(right && named_bytes, "far away: the same longest messages, and exact numbers of few");
    OK(is_more, "of many a number that may be too large");
    free(shown);
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 300 };

/* From the records, one by one. */
static void columns_by_records(struct pithlog *log, const struct pithlog_series *s, int64_t from_ns, int64_t to_ns,
                               struct pithlog_column *columns)
{
    struct pithlog_query query = {INT64_MIN, to_ns - 1, &s->lane, 1, 1u << PITHLOG_COUNTER, 0, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct pithlog_column now = {0, 0, 0, 0};
    uint32_t at = 0;
    must(pithlog_iter_open(log, &query, &iter));
    int more = pithlog_iter_next(iter, &r);
    for (; at < COLUMNS; at++) {
        int64_t end = from_ns + (int64_t)((double)(to_ns - from_ns) * (at + 1) / COLUMNS);
        now.low = now.high = now.last;
        for (; more == 1 && r.time_ns < (at + 1 == COLUMNS ? to_ns : end); more = pithlog_iter_next(iter, &r)) {
            if (r.id != s->counter)
                continue;
            now.low = !now.known || r.time_ns <= from_ns || r.value < now.low ? r.value : now.low;
            now.high = !now.known || r.time_ns <= from_ns || r.value > now.high ? r.value : now.high;
            now.last = r.value;
            now.known = 1;
        }
        columns[at] = now;
    }
    pithlog_iter_close(iter);
}

static int series_is_right(struct pithlog *log, const struct pithlog_digest *digest, uint32_t index)
{
    static struct pithlog_column got[COLUMNS], wanted[COLUMNS];
    const struct pithlog_info *info = pithlog_get_info(log);
    const struct pithlog_series *s = pithlog_digest_series(digest, index);
    int64_t span = info->end_ns - info->start_ns, from = info->start_ns + (int64_t)random_below(1000) * (span / 1000);
    int64_t to = from + 1 + span / (1 + random_below(1u << random_below(18)));
    memset(got, 0, sizeof got);
    must(pithlog_digest_columns(digest, index, from, to, got, COLUMNS));
    columns_by_records(log, s, from, to, wanted);
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (got[i].known != wanted[i].known ||
            (got[i].known &&
             (got[i].low != wanted[i].low || got[i].high != wanted[i].high || got[i].last != wanted[i].last))) {
            printf("# series %u column %u: %g %g %g, wanted %g %g %g\n", index, i, got[i].low, got[i].high, got[i].last,
                   wanted[i].low, wanted[i].high, wanted[i].last);
            return 0;
        }
    return 1;
}

static void test_counters(struct pithlog *log, const struct pithlog_digest *digest)
{
    uint32_t count = pithlog_digest_get_info(digest)->series;
    uint64_t values = 0;
    int right = 1, order = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_series *s = pithlog_digest_series(digest, i);
        values += s->count;
        order &= i == 0 || pithi_series_compare(pithlog_digest_series(digest, i - 1), s) < 0;
    }
    for (int round = 0; round < 40 && right; round++)
        right = series_is_right(log, digest, random_below(count));
    OK(count > 0 && order && !pithlog_digest_series(digest, count), "%u counters, in order", count);
    OK(values == pithlog_digest_get_info(digest)->values, "they have all values");
    OK(right, "columns of counters are those of the records");
}

static void test_windows(uint32_t lanes, uint32_t count)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    write_log(lanes, count, "windows");
    must(pithlog_open(path, &log));
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    OK(pithlog_digest_get_info(digest)->messages == count, "%u lanes: all %u messages", lanes, count);
    OK(windows_are_right(digest, pithlog_get_info(log), 60), "windows at random: the longest, and how many there are");
    if (lanes == 5) {
        test_sample(digest, pithlog_get_info(log));
        test_counters(log, digest);
        test_far(log, digest);
        test_select(log);
    }
    pithlog_digest_close(digest);
    pithlog_close(log);
}

int main(void)
{
    begin_folder();
    test_windows(5, 300000);
    test_windows(600, 150000);
    test_like_matcher(6);
    test_like_matcher(600);
    end_folder();
    return tap_done();
}
