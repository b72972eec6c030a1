/* complete.c - the end of loading, by footer and by rebuilding alike: lanes sorted, totals, the world, empty
 * strings. */
#include "error.h"
#include "native/bytes.h"
#include "native/log.h"

static int by_rank(const void *a, const void *b)
{
    const struct pithlog_lane *x = &((const struct pithi_log_lane *)a)->seen;
    const struct pithlog_lane *y = &((const struct pithi_log_lane *)b)->seen;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Every lane and communicator has strings, and the world is communicator 0. */
static int fill_in(struct pithlog *log)
{
    for (uint32_t i = 0; i < log->lane_count; i++) {
        struct pithi_log_lane *lane = &log->lanes[i];
        struct pithi_log_rank *rank = &log->ranks[lane->rank_index];
        if (!lane->seen.name && !(lane->seen.name = strdup("")))
            return 0;
        if (!rank->host && !(rank->host = strdup("")))
            return 0;
        lane->seen.host = rank->host;
        lane->seen.first_ns = lane->totals.start_ns;
        lane->seen.last_ns = lane->totals.end_ns;
        lane->seen.records = lane->totals.records;
    }
    for (uint32_t i = 0; i < log->comm_count; i++)
        if (!log->comms[i].name && !(log->comms[i].name = strdup("")))
            return 0;
    return 1;
}

/* The numbers of communicators are those of their first mention, but for the world, which comes first in any case. */
static int world_first(struct pithlog *log)
{
    uint32_t at;
    if (!pithi_map_get(&log->comm_map, 0, &at)) {
        if (!pithi_grow(&log->comms, log->comm_count, &log->comm_room, sizeof *log->comms))
            return 0;
        at = log->comm_count;
        log->comms[log->comm_count++] = (struct pithlog_comm){.name = strdup("MPI_COMM_WORLD")};
    }
    struct pithlog_comm world = log->comms[at];
    log->comms[at] = log->comms[0];
    log->comms[0] = world;
    for (uint32_t i = 0; at && i < log->rank_count; i++)
        for (uint32_t k = 0; k < log->ranks[i].comm_count; k++) {
            uint32_t *c = &log->ranks[i].comms[k];
            *c = *c == 0 ? at : *c == at ? 0 : *c;
        }
    return 1;
}

/* When nobody told the members of the world: ranks 0 .. n-1 of a whole log are all there were. */
static int fill_world(struct pithlog *log)
{
    struct pithlog_comm *world = &log->comms[0];
    uint32_t n = log->rank_count;
    if (world->size || n == 0 || n > INT32_MAX)
        return 1;
    for (uint32_t i = 0; i < n; i++)
        if (log->ranks[i].rank < 0 || (uint32_t)log->ranks[i].rank >= n)
            return 1;
    int32_t *members = malloc(n * sizeof *members);
    if (!members)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        members[i] = (int32_t)i;
    world->world_ranks = members;
    world->size = (int32_t)n;
    return 1;
}

int pithi_log_complete(struct pithlog *log, int whole)
{
    struct pithlog_info *info = &log->info;
    if (!world_first(log) || !fill_in(log) || (whole && !fill_world(log)))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to open it", log->path);
    if (log->lane_count)
        qsort(log->lanes, log->lane_count, sizeof *log->lanes, by_rank);
    info->ranks = log->rank_count;
    info->lanes = log->lane_count;
    info->comms = log->comm_count;
    info->defs = pithi_defs_count(log->defs);
    info->start_ns = INT64_MAX;
    info->end_ns = INT64_MIN;
    for (uint32_t i = 0; i < log->lane_count; i++) {
        const struct pithi_totals *t = &log->lanes[i].totals;
        info->records += t->records;
        info->states += t->states;
        info->events += t->events;
        info->messages += t->messages;
        info->lost += t->lost;
        info->start_ns = t->start_ns < info->start_ns ? t->start_ns : info->start_ns;
        info->end_ns = t->end_ns > info->end_ns ? t->end_ns : info->end_ns;
    }
    return PITH_OK;
}
