/* jump.c - from one record to others; see jump.h. */
#include "core/jump.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { MOST_RECORDS = 2000000 /* read for the end of a state */, MOST_MESSAGES = 4096 /* under way at once */ };

/* The innermost state open when the child begins. */
static int find_parent(struct pithlog_iter *iter, uint32_t id, int64_t start_ns, uint32_t depth, struct pithi_hit *hit)
{
    struct pithlog_record record;
    int more;

    while ((more = pithlog_iter_next(iter, &record)) == 1 && record.time_ns <= start_ns) {
        if (record.kind != PITHLOG_ENTER)
            continue;
        if (record.time_ns == start_ns && record.id == id && record.depth == depth)
            return 1;
        if (record.depth + 1 == depth) {
            hit->id = record.id;
            hit->depth = record.depth;
            hit->start_ns = record.time_ns;
        }
    }
    return more < 0 ? -1 : 0;
}

static int find_end(struct pithlog_iter *iter, struct pithi_hit *hit)
{
    struct pithlog_record record;
    int more = 0;

    for (uint32_t i = 0; i < MOST_RECORDS && !hit->ended && (more = pithlog_iter_next(iter, &record)) == 1; i++) {
        hit->end_ns = record.time_ns;
        hit->ended = record.kind == PITHLOG_LEAVE && record.id == hit->id && record.start_ns == hit->start_ns &&
                     record.depth <= hit->depth;
    }
    return more < 0 ? -1 : 1;
}

int pithi_jump_parent(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, uint32_t depth,
                      struct pithi_hit *hit)
{
    struct pithlog_query query = {.from_ns = start_ns,
                                  .to_ns = pithlog_get_lane(log, lane)->last_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_iter *iter;
    int found;

    memset(hit, 0, sizeof *hit);
    if (!depth || query.to_ns < start_ns)
        return 0;
    if (pithlog_iter_open(log, &query, &iter))
        return -1;
    found = find_parent(iter, id, start_ns, depth, hit);
    if (found == 1)
        found = find_end(iter, hit);
    pithlog_iter_close(iter);
    return found;
}

/* Of what is under way at that time between the two ranks, the one that was sent then. */
int pithi_jump_message(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t lane, int64_t time_ns,
                       int32_t peer, int32_t tag, struct pithlog_message *message)
{
    uint32_t lanes = pithlog_get_info(log)->lanes, count = 0;
    unsigned char *ends = pithi_alloc(lanes + (size_t)1, 1);
    struct pithlog_message *messages = pithi_alloc(MOST_MESSAGES, sizeof *messages);
    struct pithlog_digest_window window = {time_ns, time_ns + 1, ends};
    uint64_t total;
    int found = 0;

    for (uint32_t i = 0; i < lanes; i++)
        ends[i] = i == lane || pithlog_get_lane(log, i)->rank == peer;
    if (pithlog_digest_messages(digest, &window, messages, MOST_MESSAGES, &count, &total))
        found = -1;
    for (uint32_t i = 0; i < count && !found; i++) {
        *message = messages[i];
        found = message->send_lane == lane && message->send_ns == time_ns && message->tag == tag &&
                pithlog_get_lane(log, message->recv_lane)->rank == peer;
    }
    free(messages);
    free(ends);
    return found;
}

int pithi_jump_counter(const struct pithlog_digest *digest, uint32_t lane, uint32_t counter, int64_t from_ns,
                       int64_t to_ns, struct pithlog_column *value)
{
    const struct pithlog_series *series;

    for (uint32_t i = 0; (series = pithlog_digest_series(digest, i)); i++)
        if (series->lane == lane && series->counter == counter)
            return pithlog_digest_columns(digest, i, from_ns, to_ns, value, 1) ? -1 : value->known;
    return 0;
}

uint32_t pithi_jump_lane(const struct pithlog *log, int32_t rank, uint32_t thread)
{
    const struct pithlog_lane *lane;

    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++)
        if (lane->rank == rank && lane->thread == thread)
            return i;
    return PITHI_NONE;
}
