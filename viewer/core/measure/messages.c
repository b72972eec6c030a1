/* messages.c - visits the messages of an interval one by one, searches for messages, and makes a digest of the messages
 * that a filter selects.
 *
 * The next hit may be near, or there may be none. So the first step of a search covers 1/1024 of the time that is left,
 * and each further step covers twice as much as the step before. A hit 1 % away is found in 4 steps (15/1024), and no
 * search takes more than 11 steps. */
#include "core/measure/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/cells/query.h"

/* messages between two calls of the watch; damaged places that are skipped */
enum { WATCH_EVERY = 4096, DAMAGES_MOST = 10000 };

struct visit {
    const struct pithi_watch *watch;                                       /* decides whether to go on; NULL: always */
    void (*message)(void *context, const struct pithlog_message *message); /* called for each message */
    void *context;
    int64_t t0_ns, t1_ns; /* [t0, t1) */
    uint64_t done;        /* messages visited */
    double all;           /* expected number of messages, for the progress */
    int stopped;          /* 1: the watch returned that it must stop */
};

static void take(void *context, const struct pithlog_message *message)
{
    struct visit *visit = context;
    int turned = message->recv_ns < message->send_ns;
    int64_t from = turned ? message->recv_ns : message->send_ns, to = turned ? message->send_ns : message->recv_ns;

    if (visit->stopped)
        return;
    /* Takes a message that is in transit at some time of [t0, t1). If clocks disagree, a message may be received before
     * it is sent. */
    if (from < visit->t1_ns && (to > visit->t0_ns || from >= visit->t0_ns))
        visit->message(visit->context, message);
    if (++visit->done % WATCH_EVERY == 0)
        visit->stopped = !pithi_go_on(visit->watch, (double)visit->done / visit->all);
}

int pithi_messages_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                        const struct pithi_watch *watch,
                        void (*visit_message)(void *context, const struct pithlog_message *message), void *context)
{
    struct pithlog_digest_window window = {.from_ns = t0_ns, .to_ns = t1_ns};
    struct visit visit = {watch, visit_message, context, t0_ns, t1_ns, 0, (double)pithlog_get_info(log)->messages + 1,
                          0};
    double weight;

    if (digest)
        return pithlog_digest_sample(digest, &window, UINT64_MAX, take, &visit, &weight);
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int more, damages = 0, err = pithlog_matcher_open(log, &matcher);
    if (err)
        return err;
    while (!visit.stopped && damages < DAMAGES_MOST && (more = pithlog_matcher_next(matcher, &message)) != 0)
        if (more > 0)
            take(&visit, &message);
        else
            damages++;
    pithlog_matcher_close(matcher);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* The first step of a search covers 1 / FIRST_PART of the time to search. */
enum { FIRST_PART = 1024 };

struct looking {
    struct pithlog *log;               /* not owned */
    const struct pithi_search *search; /* the caller's */
    uint32_t *index_of_lane;           /* [lanes] into search->lanes; PITHI_NONE: not among them */
    int64_t t0_ns, t1_ns;              /* the window of send times */
    /* To find one message: */
    int backward, have;               /* backward: 1: find the last message before the start; have: 1: `best` is set */
    struct pithi_scan_position bound; /* a hit must lie between this position and the best hit so far */
    struct pithi_found *best;         /* the hit so far */
    /* To count all messages: */
    uint64_t *counts; /* NULL: find one message */
    uint32_t columns; /* length of `counts` */
};

static void begin(struct looking *looking)
{
    uint32_t lanes = pithlog_get_info(looking->log)->lanes;

    looking->index_of_lane = pithi_alloc(lanes, sizeof *looking->index_of_lane);
    memset(looking->index_of_lane, 0xff, lanes * sizeof *looking->index_of_lane);
    for (uint32_t i = 0; i < looking->search->lane_count; i++)
        looking->index_of_lane[looking->search->lanes[i]] = i;
}

static int fits(const struct looking *looking, const struct pithlog_message *message)
{
    const struct pithi_search *search = looking->search;
    int64_t took_ns = message->recv_ns - message->send_ns;

    return looking->index_of_lane[message->send_lane] != PITHI_NONE && message->send_ns >= looking->t0_ns &&
           message->send_ns < looking->t1_ns && took_ns >= search->min_ns && took_ns <= search->max_ns &&
           message->bytes >= search->min_bytes && message->bytes <= search->max_bytes &&
           (search->tag == PITHI_ANY_TAG || message->tag == search->tag) &&
           (search->peer < 0 || pithlog_get_lane(looking->log, message->recv_lane)->rank == search->peer);
}

static int is_before(const struct pithi_scan_position *a, const struct pithi_scan_position *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->lane != b->lane ? a->lane < b->lane : a->tie < b->tie;
}

static int is_better(const struct looking *looking, const struct pithi_scan_position *at)
{
    if (looking->backward)
        return is_before(at, &looking->bound) && (!looking->have || is_before(&looking->best->at, at));
    return is_before(&looking->bound, at) && (!looking->have || is_before(at, &looking->best->at));
}

/* If a message fits the search, counts it, or keeps it if it is the best hit so far. Messages that a lane sends at the
 * same time are ordered by latency. */
static void look_at(void *context, const struct pithlog_message *message)
{
    struct looking *looking = context;
    struct pithi_scan_position at = {message->send_ns, 0, (uint32_t)(message->recv_ns - message->send_ns)};

    if (!fits(looking, message))
        return;
    at.lane = looking->index_of_lane[message->send_lane];
    if (looking->counts) {
        double span = (double)looking->t1_ns - (double)looking->t0_ns;
        uint32_t column = (uint32_t)(((double)message->send_ns - (double)looking->t0_ns) / span * looking->columns);
        looking->counts[column < looking->columns ? column : looking->columns - 1]++;
    } else if (is_better(looking, &at)) {
        looking->have = 1;
        *looking->best = (struct pithi_found){.at = at,
                                              .lane = message->send_lane,
                                              .kind = PITHLOG_SEND,
                                              .end_ns = message->recv_ns,
                                              .ended = 1,
                                              .peer = pithlog_get_lane(looking->log, message->recv_lane)->rank,
                                              .tag = message->tag,
                                              .bytes = message->bytes};
    }
}

static int look_through(struct looking *looking, const struct pithlog_digest *digest)
{
    struct pithlog_digest_window window = {.from_ns = looking->t0_ns, .to_ns = looking->t1_ns};
    double weight;

    return pithlog_digest_sample(digest, &window, UINT64_MAX, look_at, looking, &weight) ? -1 : 0;
}

/* Searches from one end of [t0, t1) in steps. Each step is twice as wide as the step before. */
static int find(struct looking *looking, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns)
{
    const struct pithi_search *search = looking->search;
    int64_t step = (t1_ns - t0_ns) / FIRST_PART + 1, whole = t1_ns - t0_ns;

    for (int err; t0_ns < t1_ns; step *= 2) {
        step = step < t1_ns - t0_ns ? step : t1_ns - t0_ns;
        looking->t0_ns = looking->backward ? t1_ns - step : t0_ns;
        looking->t1_ns = looking->t0_ns + step;
        if ((err = look_through(looking, digest)) || looking->have)
            return err ? err : 1;
        *(looking->backward ? &t1_ns : &t0_ns) += looking->backward ? -step : step;
        if (search->stopped && search->stopped(search->context, 1 - (double)(t1_ns - t0_ns) / (double)whole))
            return 0;
    }
    return 0;
}

int pithi_message_search(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                         int backward, struct pithi_scan_position at, struct pithi_found *found)
{
    struct looking looking = {.log = log, .search = search, .backward = backward, .bound = at, .best = found};
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t t0_ns = info->start_ns, t1_ns = info->end_ns + 1;
    int result;

    if (backward && at.time_ns < t1_ns)
        t1_ns = at.time_ns + 1;
    if (!backward && at.time_ns > t0_ns)
        t0_ns = at.time_ns;
    begin(&looking);
    result = find(&looking, digest, t0_ns, t1_ns);
    free(looking.index_of_lane);
    return result;
}

int pithi_message_count(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                        int64_t t0_ns, int64_t t1_ns, uint64_t *counts, uint32_t columns)
{
    struct looking looking = {
        .log = log, .search = search, .t0_ns = t0_ns, .t1_ns = t1_ns, .counts = counts, .columns = columns};
    int result;

    begin(&looking);
    result = look_through(&looking, digest);
    free(looking.index_of_lane);
    return result;
}

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
    const struct pithlog *log; /* for names in the filter's query */
    const struct pithi_message_filter *filter;
    const struct pithi_watch *watch;
    /* the fraction of the whole work that is done before the current step, and the fraction that this step is */
    double from, share;
    struct pithlog_message *late; /* [late_count] messages for which a receiver waited at least late_ns, sorted */
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
    if (filter->late_ns > 0) {
        /* Reads the waits first, which give the late messages. Then each message is only looked up among the late
         * messages. */
        struct pithlog_waits_query query = {INT64_MIN, INT64_MAX, digest, is_over, &picking};
        err = pithlog_waits(log, &query, take_wait, &picking);
        if (picking.late_count)
            qsort(picking.late, picking.late_count, sizeof *picking.late, by_message);
        err = err == PITH_ERR_DAMAGED ? PITH_OK : err;
    }
    picking.from = picking.share;
    picking.share = 1 - picking.from;
    if (!err)
        err = pithlog_digest_select(digest, is_wanted, is_over, &picking, picked);
    free(picking.late);
    return err;
}
