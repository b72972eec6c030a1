/* message_filter.c - parses a filter of messages, and picks those that pass. */
#include "core/message_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* ---- Parsing ----------------------------------------------------------------------------------------------------- */

static int parse_option(struct pithi_message_filter *filter, const char *option, const char *value, char *why,
                        size_t size)
{
    int64_t *to = strcmp(option, "-longer") == 0    ? &filter->min_ns
                  : strcmp(option, "-shorter") == 0 ? &filter->max_ns
                  : strcmp(option, "-late") == 0    ? &filter->late_ns
                                                    : NULL;

    if (!to)
        snprintf(why, size, "no such option: %s; there are -longer, -shorter and -late", option);
    else if (!value)
        snprintf(why, size, "%s needs a time", option);
    else if (pithlog_time_parse(value, to))
        snprintf(why, size, "%s: no time: %s", option, value);
    else
        return 0;
    return -1;
}

int pithi_message_filter_parse(struct pithi_message_filter *filter, const char *const *words, int count, char *why,
                               size_t size)
{
    unsigned column;
    int at = 0;

    *filter = (struct pithi_message_filter){.min_ns = INT64_MIN, .max_ns = INT64_MAX};
    if (count && words[0][0] != '-') {
        at = 1;
        if (words[0][strspn(words[0], " ")] && pithlog_filter_parse(words[0], &filter->where, &column)) {
            filter->where = NULL;
            snprintf(why, size, "%s", pithlog_error());
            return -1;
        }
    }
    for (; at < count; at += 2)
        if (parse_option(filter, words[at], at + 1 < count ? words[at + 1] : NULL, why, size))
            return -1;
    return 0;
}

int pithi_message_filter_is_all(const struct pithi_message_filter *filter)
{
    return !filter->where && filter->min_ns == INT64_MIN && filter->max_ns == INT64_MAX && filter->late_ns <= 0;
}

void pithi_message_filter_free(struct pithi_message_filter *filter)
{
    pithlog_filter_free(filter->where);
    filter->where = NULL;
}

/* ---- Late senders ------------------------------------------------------------------------------------------------ */

struct picking {
    const struct pithlog *log;
    const struct pithi_message_filter *filter;
    const struct pithi_watch *watch;
    double from, share; /* of the progress */
    struct pithlog_message *late;
    uint32_t late_count, late_room;
};

static int by_message(const void *a, const void *b)
{
    const struct pithlog_message *x = a, *y = b;

    if (x->send_ns != y->send_ns)
        return x->send_ns < y->send_ns ? -1 : 1;
    if (x->recv_ns != y->recv_ns)
        return x->recv_ns < y->recv_ns ? -1 : 1;
    if (x->send_lane != y->send_lane)
        return x->send_lane < y->send_lane ? -1 : 1;
    return (x->recv_lane > y->recv_lane) - (x->recv_lane < y->recv_lane);
}

static void take_wait(void *context, const struct pithlog_wait *wait)
{
    struct picking *picking = context;

    if (wait->kind != PITHLOG_LATE_SENDER || wait->to_ns - wait->from_ns < picking->filter->late_ns)
        return;
    picking->late = pithi_view_grow(picking->late, &picking->late_room, picking->late_count + 1, sizeof *picking->late);
    picking->late[picking->late_count++] = wait->message;
}

static int is_over(void *context, double part)
{
    const struct picking *picking = context;
    return picking->watch && !pithi_go_on(picking->watch, picking->from + picking->share * part);
}

static int find_late(struct picking *picking, struct pithlog *log, const struct pithlog_digest *digest)
{
    struct pithlog_waits_query query = {INT64_MIN, INT64_MAX, digest, is_over, picking};
    int err = pithlog_waits(log, &query, take_wait, picking);

    if (picking->late_count)
        qsort(picking->late, picking->late_count, sizeof *picking->late, by_message);
    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

/* ---- Picking ----------------------------------------------------------------------------------------------------- */

static int is_wanted(void *context, const struct pithlog_message *message)
{
    const struct picking *picking = context;
    const struct pithi_message_filter *filter = picking->filter;
    int64_t took_ns = message->recv_ns - message->send_ns;

    if (took_ns < filter->min_ns || took_ns > filter->max_ns)
        return 0;
    if (filter->where && !pithlog_filter_message(filter->where, picking->log, message))
        return 0;
    return filter->late_ns <= 0 || (picking->late_count && bsearch(message, picking->late, picking->late_count,
                                                                   sizeof *picking->late, by_message));
}

int pithi_message_filter_run(struct pithlog *log, const struct pithlog_digest *digest,
                             const struct pithi_message_filter *filter, const struct pithi_watch *watch,
                             struct pithlog_digest **picked)
{
    struct picking picking = {.log = log, .filter = filter, .watch = watch, .share = filter->late_ns > 0 ? 0.9 : 0};
    int err = PITH_OK;

    *picked = NULL;
    if (filter->late_ns > 0)
        err = find_late(&picking, log, digest);
    picking.from = picking.share;
    picking.share = 1 - picking.from;
    if (!err)
        err = pithlog_digest_select(digest, is_wanted, is_over, &picking, picked);
    free(picking.late);
    return err;
}
