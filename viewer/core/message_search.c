/* message_search.c - see message_search.h. */
#include "core/message_search.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/row.h"

/* The stretch looked through first is this part of the log. */
enum { FIRST_PART = 1024 };

struct looking {
    struct pithlog *log;
    const struct pithi_search *search;
    uint32_t *index_of_lane; /* [lanes] into search->lanes; PITHI_NONE: not among them */
    int64_t t0_ns, t1_ns;    /* sent in here */
    /* One is sought: */
    int backward, have;
    struct pithi_place bound; /* it lies between this and the best so far */
    struct pithi_found *best;
    /* All are counted: */
    uint64_t *counts; /* NULL: one is sought */
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

static int is_before(const struct pithi_place *a, const struct pithi_place *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->lane != b->lane ? a->lane < b->lane : a->tie < b->tie;
}

static int is_better(const struct looking *looking, const struct pithi_place *at)
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

/* Those that one lane sends at one moment are in the order of how long they take. */
static void look_at(void *context, const struct pithlog_message *message)
{
    struct looking *looking = context;
    struct pithi_place at = {message->send_ns, 0, (uint32_t)(message->recv_ns - message->send_ns)};

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

/* From one end of [t0, t1) on, in steps that become wider. */
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
                         int backward, struct pithi_place at, struct pithi_found *found)
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
