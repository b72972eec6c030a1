/* test_queries.c - queries on random logs: a window gives the records of the whole log that lie in it, and the
 * records of a running program give the same as those of its log. */
#include <stdio.h>
#include <string.h>

#include "common/log_model.h"
#include "reader/query/filter.h"
#include "tap.h"

enum { RECORDS = 3000, LANES = 5, WINDOWS = 60 };

static const char *const queries[] = {
    "duration > 2us",
    "self < 1us",
    "comm == 1",
    "comm == 2 and duration > 3us",
    "not duration > 10us",
    "end < 200us",
    "time > 100us and time < 300us",
    "comm in 1-2 or tag > 0",
    "kind == send or comm == 3",
    "time < 200us and self > 1us",
    "depth > 2 and comm != 1",
};

struct list {
    struct pithlog_record *records; /* [2 * RECORDS] */
    int count;
};

static void read_list(struct pithlog *log, const struct pithlog_query *query, struct list *list)
{
    struct pithlog_iter *iter;
    int got;
    list->count = 0;
    if (pithlog_iter_open(log, query, &iter))
        exit(1);
    while ((got = pithlog_iter_next_many(iter, list->records + list->count, 2 * RECORDS - list->count)) > 0)
        list->count += got;
    pithlog_iter_close(iter);
}

static int is_same(const struct pithlog_record *a, const struct pithlog_record *b)
{
    return a->time_ns == b->time_ns && a->lane == b->lane && a->kind == b->kind && a->id == b->id && a->comm == b->comm;
}

/* Windows of the log that differ from the part of `all` in them. */
static int count_windows(struct pithlog *log, const struct pithlog_filter *filter, const struct list *all,
                         struct list *part)
{
    static const uint32_t kinds[] = {0, 1u << PITHLOG_ENTER, 1u << PITHLOG_LEAVE,
                                     1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
    uint32_t span_ns = (uint32_t)pithlog_get_info(log)->end_ns;
    int differ = 0;
    for (int i = 0; i < WINDOWS; i++) {
        int64_t from_ns = random_below(span_ns), to_ns = from_ns + random_below(span_ns / 4);
        struct pithlog_query query = {from_ns, to_ns, NULL, 0, kinds[i % 4], 0, filter};
        int at = 0, same = 1;
        read_list(log, &query, part);
        for (int k = 0; k < all->count; k++) {
            const struct pithlog_record *r = &all->records[k];
            if (r->time_ns >= from_ns && r->time_ns <= to_ns && (!query.kinds || query.kinds >> r->kind & 1))
                same = same && at < part->count && is_same(r, &part->records[at++]);
        }
        differ += !same || at != part->count;
    }
    return differ;
}

static int by_all(const void *a, const void *b)
{
    const struct pithlog_record *x = a, *y = b;
#define BY(field)                                                                                                      \
    if (x->field != y->field)                                                                                          \
    return x->field < y->field ? -1 : 1
    BY(time_ns);
    BY(lane);
    BY(kind);
    BY(id);
    BY(comm);
    return 0;
}

/* 1: what a running program gives is that of its log, in any order. */
static int follows(const struct pithlog_filter *filter, const struct list *records, const struct list *all)
{
    struct pithi_follow_filter *follow;
    struct pithlog_record *selected = calloc(2 * RECORDS + 2, sizeof *selected), *wanted = NULL;
    int count = 0, same;
    pithi_follow_filter_new(&follow, filter, NULL);
    for (int i = 0; i < records->count; i++)
        count += pithi_follow_filter_take(follow, &records->records[i], selected + count);
    while (pithi_follow_filter_end(follow, selected + count))
        count++;
    pithi_follow_filter_free(follow);
    wanted = malloc((2 * RECORDS + 2) * sizeof *wanted);
    memcpy(wanted, all->records, (size_t)all->count * sizeof *wanted);
    qsort(selected, (size_t)count, sizeof *selected, by_all);
    qsort(wanted, (size_t)all->count, sizeof *wanted, by_all);
    same = count == all->count;
    for (int i = 0; same && i < count; i++)
        same = is_same(&selected[i], &wanted[i]);
    if (!same)
        printf("# %d selected, %d wanted\n", count, all->count);
    free(selected);
    free(wanted);
    return same;
}

/* LEAVEs of the log that a query for the duration selects although `pith print` shows another duration, or the reverse.
 * It lists none of a state that ended in a hole. */
static int count_durations(struct pithlog *log)
{
    struct pithlog_query query = {INT64_MIN, INT64_MAX, NULL, 0, 1u << PITHLOG_LEAVE, PITHLOG_NEST, NULL};
    struct list leaves = {malloc(2 * RECORDS * sizeof *leaves.records), 0};
    struct list found = {malloc(2 * RECORDS * sizeof *found.records), 0};
    struct pithlog_filter *filter;
    int differ = 0, at = 0;
    pithlog_filter_parse("duration > 2us", &filter, NULL);
    read_list(log, &query, &leaves);
    query.filter = filter;
    read_list(log, &query, &found);
    for (int i = 0; i < leaves.count; i++) {
        const struct pithlog_record *r = &leaves.records[i];
        if (r->time_ns - r->start_ns > 2000 && r->depth != UINT32_MAX)
            differ += at >= found.count || !is_same(r, &found.records[at++]);
    }
    differ += found.count - at;
    pithlog_filter_free(filter);
    free(leaves.records);
    free(found.records);
    return differ;
}

/* A running program does not tell yet which states ended in a hole: without holes its records are compared too. */
static void test_log(int has_holes)
{
    const struct pithlog_query whole = {INT64_MIN, INT64_MAX, NULL, 0, 0, 0, NULL};
    struct list records, all, part;
    struct model model = {0};
    struct pithlog *log;
    char path[256];

    records.records = malloc(2 * RECORDS * sizeof *records.records);
    all.records = malloc(2 * RECORDS * sizeof *all.records);
    part.records = malloc(2 * RECORDS * sizeof *part.records);
    snprintf(path, sizeof path, "%s", scratch_path(has_holes ? "holes.pith" : "query.pith"));
    model_random(&model, RECORDS, LANES);
    if (!has_holes)
        model_without_holes(&model);
    if (model_write(&model, path) || pithlog_open(path, &log))
        exit(1);
    read_list(log, &whole, &records);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct pithlog_query query = whole;
        struct pithlog_filter *filter;
        if (pithlog_filter_parse(queries[i], &filter, NULL))
            printf("# %s\n", pithlog_error());
        query.filter = filter;
        read_list(log, &query, &all);
        int differ = count_windows(log, filter, &all, &part);
        OK(differ == 0 && all.count > 0, "%s: %d records, %d windows of %d differ", queries[i], all.count, differ,
           WINDOWS);
        if (!has_holes)
            OK(follows(filter, &records, &all), "%s: the same while it runs", queries[i]);
        pithlog_filter_free(filter);
    }
    OK(count_durations(log) == 0, "durations are those that `pith print` shows");
    pithlog_close(log);
    model_free(&model);
    free(records.records);
    free(all.records);
    free(part.records);
}

int main(void)
{
    test_log(0);
    test_log(1);
    scratch_remove();
    return tap_done();
}
