/* walk.c - see walk.h. */
#include "foreign/walk.h"

#include "error.h"
#include "iter.h"

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how)
{
    return pithi_walk_open_lanes(walk, log, how, NULL, 0);
}

int pithi_walk_open_lanes(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how,
                          const uint32_t *lanes, uint32_t count)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.lanes = lanes, .lane_count = count, .flags = PITHLOG_NEST | PITHLOG_CLIP};

    *walk = (struct pithi_walk){.from_ns = info->start_ns, .to_ns = info->end_ns};
    if (how && how->from_ns > walk->from_ns)
        walk->from_ns = how->from_ns;
    if (how && how->to_ns < walk->to_ns)
        walk->to_ns = how->to_ns;
    if (walk->from_ns > walk->to_ns) /* nothing there: an empty window, not an error */
        walk->to_ns = walk->from_ns;
    query.from_ns = walk->from_ns;
    query.to_ns = walk->to_ns;
    return pithlog_iter_open(log, &query, &walk->iter);
}

int pithi_walk_next(struct pithi_walk *walk, struct pithlog_record *record)
{
    int status;

    while ((status = pithlog_iter_next(walk->iter, record)) == 1) {
        enum pithi_iter_part part = pithi_iter_part(walk->iter);
        if (record->kind == PITHLOG_LEAVE && record->depth == UINT32_MAX) {
            if (walk->losses)
                walk->losses->count[PITHI_LOSS_UNMATCHED]++;
            continue;
        }
        if (record->time_ns < walk->from_ns)
            record->time_ns = walk->from_ns;
        if (walk->losses)
            pithi_losses_record(walk->losses, record,
                                part == PITHI_PART_BEFORE  ? PITHI_EDGE_START
                                : part == PITHI_PART_AFTER ? PITHI_EDGE_END
                                                           : PITHI_EDGE_NONE);
        return 1;
    }
    return status;
}

void pithi_walk_close(struct pithi_walk *walk)
{
    pithlog_iter_close(walk->iter);
    walk->iter = NULL;
}

int pithi_each_record(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each)
{
    struct pithi_walk walk;
    struct pithlog_record record;
    int err, status = 0;

    TRY(pithi_walk_open(&walk, log, how));
    walk.losses = each->losses;
    each->begin(each->context, walk.from_ns);
    while (err == PITH_OK && !*each->failed && (status = pithi_walk_next(&walk, &record)) == 1)
        if (!each->put(each->context, &record))
            err = pithi_fail(PITH_ERR_MEMORY, "out of memory");
    pithi_walk_close(&walk);
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_DAMAGED;
out:
    return err;
}

static int in_window(const struct pithi_convert *how, int64_t time_ns)
{
    return time_ns >= how->from_ns && time_ns <= how->to_ns;
}

int pithi_each_message(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;
    uint64_t number = 0;
    int err, status = 0;

    TRY(pithlog_matcher_open(log, &matcher));
    while (!*each->failed && (status = pithlog_matcher_next(matcher, &m)) == 1)
        if (in_window(how, m.send_ns) && in_window(how, m.recv_ns))
            each->message(each->context, &m, ++number);
    if (each->losses)
        each->losses->matched = number;
    pithlog_matcher_close(matcher);
    err = status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
out:
    return err;
}
