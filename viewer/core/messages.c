/* messages.c - visits the messages of a stretch of time one by one, and searches them. */
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/query.h"

enum { WATCH_EVERY = 4096, DAMAGES_MOST = 10000 };

struct visit {
    const struct pithi_watch *watch;
    void (*message)(void *context, const struct pithlog_message *message);
    void *context;
    int64_t t0_ns, t1_ns;
    uint64_t done;
    double all;
    int stopped;
};

int pithi_message_in(const struct pithlog_message *message, int64_t t0_ns, int64_t t1_ns)
{
    int turned = message->recv_ns < message->send_ns;
    int64_t from = turned ? message->recv_ns : message->send_ns, to = turned ? message->send_ns : message->recv_ns;

    return from < t1_ns && (to > t0_ns || from >= t0_ns);
}

static void take(void *context, const struct pithlog_message *message)
{
    struct visit *visit = context;

    if (visit->stopped)
        return;
    if (pithi_message_in(message, visit->t0_ns, visit->t1_ns))
        visit->message(visit->context, message);
    if (++visit->done % WATCH_EVERY == 0)
        visit->stopped = !pithi_go_on(visit->watch, (double)visit->done / visit->all);
}

static int each_matched(struct pithlog *log, struct visit *visit)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int more, damages = 0, err = pithlog_matcher_open(log, &matcher);

    if (err)
        return err;
    while (!visit->stopped && damages < DAMAGES_MOST && (more = pithlog_matcher_next(matcher, &message)) != 0)
        if (more > 0)
            take(visit, &message);
        else
            damages++;
    pithlog_matcher_close(matcher);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
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
    return each_matched(log, &visit);
}

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* The first step of a search covers this part of the time to search (1 / FIRST_PART). */
enum { FIRST_PART = 1024 };

struct looking {
    struct pithlog *log;
    const struct pithi_search *search;
    uint32_t *index_of_lane; /* [lanes] into search->lanes; PITHI_NONE: not among them */
    int64_t t0_ns, t1_ns;    /* the window of send times */
    /* To find one message: */
    int backward, have;
    struct pithi_scan_position bound; /* hits lie between this position and the best so far */
    struct pithi_found *best;
    /* To count all messages: */
    uint64_t *counts; /* NULL: find one message */
    uint32_t columns;
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

static void count_one(const struct looking *looking, const struct pithlog_message *message)
{
    double span = (double)looking->t1_ns - (double)looking->t0_ns;
    uint32_t column = (uint32_t)(((double)message->send_ns - (double)looking->t0_ns) / span * looking->columns);

    looking->counts[column < looking->columns ? column : looking->columns - 1]++;
}

/* Messages that a lane sends at the same time are ordered by latency. */
static void look_at(void *context, const struct pithlog_message *message)
{
    struct looking *looking = context;
    struct pithi_scan_position at = {message->send_ns, 0, (uint32_t)(message->recv_ns - message->send_ns)};

    if (!fits(looking, message))
        return;
    at.lane = looking->index_of_lane[message->send_lane];
    if (looking->counts) {
        count_one(looking, message);
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

/* Searches from one end of [t0, t1), in steps that become wider. */
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
