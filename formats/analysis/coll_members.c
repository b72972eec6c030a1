/* coll_members.c - reads the members of a communicator when they are asked for first. */
#include "analysis/coll_members.h"

#include <stdlib.h>

#include "native/log.h"

#define NONE UINT32_MAX

int pithi_members_open(struct pithi_coll_members *m, struct pithlog *log)
{
    m->log = log;
    m->teams = calloc(log->info.comms + (size_t)1, sizeof *m->teams);
    m->missing = calloc(pithi_log_ranks(log) + (size_t)1, 1);
    return m->teams && m->missing;
}

void pithi_members_free(struct pithi_coll_members *m)
{
    pithi_map_free(&m->places);
    free(m->teams);
    free(m->missing);
}

static int has_rank(const struct pithlog *log, int32_t number)
{
    const struct pithi_log_rank *rank = pithi_log_find_rank(log, number);
    return rank && rank->lane_count > 0;
}

uint32_t pithi_members_count(const struct pithlog *log, const struct pithlog_comm *comm)
{
    return comm->size == 0 ? pithi_log_ranks(log) : (uint32_t)comm->size + (uint32_t)comm->remote_size;
}

int pithi_members_has(const struct pithlog *log, const struct pithlog_comm *comm, uint32_t place)
{
    return comm->size == 0 ? pithi_log_rank(log, place)->lane_count > 0 : has_rank(log, comm->world_ranks[place]);
}

/* 1: records of the member at this place are missing. */
static int is_missing(const struct pithi_coll_members *m, const struct pithlog_comm *comm, uint32_t place)
{
    const struct pithi_log_rank *rank =
        comm->size == 0 ? pithi_log_rank(m->log, place) : pithi_log_find_rank(m->log, comm->world_ranks[place]);
    return rank && rank->lane_count > 0 && m->missing[pithi_log_rank_of(m->log, rank->first_lane)];
}

const struct pithi_coll_team *pithi_members_team(struct pithi_coll_members *m, uint32_t number)
{
    const struct pithlog_comm *comm = number < m->log->info.comms ? pithlog_get_comm(m->log, number) : NULL;
    if (!comm || (comm->size == 0 && number != 0))
        return NULL;
    struct pithi_coll_team *team = &m->teams[number];
    for (uint32_t i = 0; !team->is_known && i < pithi_members_count(m->log, comm); i++) {
        team->expected[comm->size > 0 && i >= (uint32_t)comm->size] += (uint32_t)pithi_members_has(m->log, comm, i);
        team->is_missing |= is_missing(m, comm, i);
    }
    team->is_known = 1;
    return team;
}

int pithi_members_place(struct pithi_coll_members *m, uint32_t rank, uint32_t number, uint32_t *place)
{
    const struct pithlog_comm *comm = pithlog_get_comm(m->log, number);
    int32_t world_rank = pithi_log_rank(m->log, rank)->rank;
    uint64_t key = (uint64_t)number << 32 | rank;
    *place = rank;
    if (comm->size == 0 || pithi_map_get(&m->places, key, place))
        return 1;
    for (*place = 0; *place < pithi_members_count(m->log, comm) && comm->world_ranks[*place] != world_rank;)
        ++*place;
    if (*place == pithi_members_count(m->log, comm))
        *place = NONE;
    return pithi_map_put(&m->places, key, *place);
}

int pithi_members_missing(struct pithi_coll_members *m, uint32_t rank)
{
    uint32_t place;
    m->missing[rank] = 1;
    for (uint32_t i = 0; i < m->log->info.comms; i++) {
        struct pithi_coll_team *team = &m->teams[i];
        if (!team->is_known || team->is_missing)
            continue;
        if (!pithi_members_place(m, rank, i, &place))
            return 0;
        team->is_missing = place != NONE;
    }
    return 1;
}
