/* walk.c - see walk.h. */
#include "foreign/walk.h"

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.flags = PITHLOG_NEST | PITHLOG_CLIP};

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
        if (record->kind == PITHLOG_LEAVE && record->depth == UINT32_MAX) {
            walk->unmatched_ends++;
            continue;
        }
        if (record->time_ns < walk->from_ns)
            record->time_ns = walk->from_ns;
        return 1;
    }
    return status;
}

void pithi_walk_close(struct pithi_walk *walk)
{
    pithlog_iter_close(walk->iter);
    walk->iter = NULL;
}
