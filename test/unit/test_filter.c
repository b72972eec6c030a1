/* test_filter.c - queries: what is read, and where an error is. */
#include <malloc.h>
#include <pithlog.h>
#include <string.h>

#include "native/stack.h"
#include "reader/query/filter.h"
#include "tap.h"

static int is_good(const char *text)
{
    struct pithlog_filter *filter;
    unsigned column = 77;
    int err = pithlog_filter_parse(text, &filter, &column);

    if (err)
        printf("# %s\n", pithlog_error());
    pithlog_filter_free(filter);
    return err == PITH_OK && column == 0;
}

static void test_good(void)
{
    static const char *const good[] = {"state ~ \"MPI_*\" and duration > 1ms and rank in 0-3 and comm == \"row\"",
                                       "rank==0",
                                       "not not rank == 1 or (tag == -1 and size >= 1.5KiB)",
                                       "rank in (0, 2-4,7) and kind in send,recv",
                                       "tag in -3--1",
                                       "time >= 0.5 and time<20us or end == 1e-3s",
                                       "state == solve or state == 'a \"b\"' or name ~ \"\\\"*\"",
                                       "comm in 0-3, row, \"a b\"",
                                       "value > -1.5e3",
                                       "kind ~ 'comm*'",
                                       "duration >= 1:02:33.5 and time in 0:10-2:05"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        OK(is_good(good[i]), "%s", good[i]);
}

static void test_wrong(void)
{
    static const struct {
        const char *text;
        unsigned column;
        const char *error;
    } wrong[] = {
        {"", 1, "the name of a field is missing"},
        {"rank", 5, "a comparison (==, !=, <, <=, >, >=, ~ or in) is missing"},
        {"rank ==", 8, "a number is missing"},
        {"rank = 1", 6, "'=' is no comparison; use =="},
        {"rank == 1 && tag == 2", 11, "'&' is no operator; use and, or, not"},
        {"rank == 1 tag == 2", 11, "and, or, or the end is wanted, not 'tag'"},
        {"(rank == 1", 11, "and, or, or ')' is missing"},
        {"rank in (1, 2", 14, "')' or ',' is missing"},
        {"rank in 3-1", 10, "the range ends before it begins"},
        {"rank == 1ms", 10, "a number without unit is wanted, not '1ms'"},
        {"duration > 1:5", 12, "'1:5' is not a time such as 1.5, 3ms, 20us or 7ns"},
        {"duration > 1h", 12, "'1h' is not a time such as 1.5, 3ms, 20us or 7ns"},
        {"size > 1ms", 9, "'ms' is no unit of a size; use B, kB, MB, GB, KiB, MiB or GiB"},
        {"rank == a", 9, "a number is wanted, not 'a'"},
        {"state < \"a\"", 9, "names have no order: compare 'state' by ==, !=, ~ or in"},
        {"rank ~ 1", 8, "~ needs a pattern in quotes; a field with numbers has no pattern"},
        {"state == 1", 10, "a name or a text in quotes is wanted, not '1'"},
        {"state == \"a", 10, "the text has no closing \""},
        {"kind == sent", 9,
         "there is no kind 'sent'; kinds are state, event, counter, send, recv, coll, comm, pause, resume and lost"},
        {"size > 1 and colour == red", 14, "there is no field 'colour'; see pith-query(7)"},
        {"name == \"\xc3\xa4\" nor rank == 1", 13, "and, or, or the end is wanted, not 'nor'"},
        {"rank == #", 9, "'#' has no meaning here"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pithlog_filter *filter = NULL;
        unsigned column = 0;
        char text[256];
        int err = pithlog_filter_parse(wrong[i].text, &filter, &column);
        snprintf(text, sizeof text, "query: column %u: %s", wrong[i].column, wrong[i].error);
        int good = err == PITH_ERR_USAGE && !filter && column == wrong[i].column && strcmp(pithlog_error(), text) == 0;
        OK(good, "%s", text);
        if (!good)
            printf("# got: %u: %s\n", column, pithlog_error());
    }
}

static void test_limits(void)
{
    static char text[300000];
    struct pithlog_filter *filter;

    memset(text, '(', 5000);
    OK(pithlog_filter_parse(text, &filter, NULL) == PITH_ERR_USAGE, "5000 parentheses are refused");
    for (size_t i = 0; i < 20000; i++)
        memcpy(text + 14 * i, "rank == 1 or  ", 15);
    OK(pithlog_filter_parse(text, &filter, NULL) == PITH_ERR_USAGE, "20000 comparisons are refused");
    strcpy(text + 14 * 500 - 4, " ");
    OK(is_good(text), "500 are not");
}

/* ENTERs of a running program that never leaves its states. Returns how many of them `query` selects; -1: no memory. */
static int follow_leaks(const char *query, struct pithi_stack *model, int *wanted, size_t *grown)
{
    enum { STATES = 200000, DEPTH = 2048 };
    struct pithlog_record r = {.kind = PITHLOG_ENTER, .peer = -1}, selected[2];
    struct pithlog_filter *filter;
    struct pithi_follow_filter *follow;
    int count = 0, got = 0;
    size_t before = 0;

    if (pithlog_filter_parse(query, &filter, NULL) != PITH_OK)
        return -1;
    pithi_follow_filter_new(&follow, filter, NULL);
    *wanted = 0;
    for (int i = 0; i < STATES && got >= 0; i++, r.time_ns++) {
        pithi_stack_enter(model, 0, r.time_ns);
        *wanted += model->count - 1 == DEPTH;
        count += got = pithi_follow_filter_take(follow, &r, selected);
        if (i == STATES / 10)
            before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    *grown = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    pithi_follow_filter_free(follow);
    pithlog_filter_free(filter);
    return got < 0 ? -1 : count;
}

static void test_follow_leaks(void)
{
    struct pithi_stack model = {0};
    int wanted;
    size_t grown;

    int count = follow_leaks("depth == 2048", &model, &wanted, &grown);
    OK(count == wanted && wanted > 1, "states that are never left have the depth that an iterator gives: %d, %d", count,
       wanted);
    OK(follow_leaks("duration > 1000s", &model, &wanted, &grown) == 0 && grown < 1 << 20,
       "and take no more and more memory: %zu bytes", grown);
    free(model.states);
}

int main(void)
{
    test_follow_leaks();
    test_good();
    test_wrong();
    test_limits();
    return tap_done();
}
