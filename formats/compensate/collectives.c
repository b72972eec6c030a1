/* collectives.c - see collectives.h. */
#include "compensate/collectives.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "native/log.h"
#include "native/map.h"

#define NONE UINT32_MAX

struct pithi_colls {
    struct pithlog *log;
    struct pithi_map counts;    /* rank and communicator: collectives so far */
    struct pithi_map under_way; /* communicator and number: which of `all` */
    struct pithi_coll *all;
    uint32_t count, room, free_first;
    uint32_t *members; /* of each communicator: those that the log has, + 1; 0: not asked yet */
};

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int no_memory(const struct pithi_colls *c)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", c->log->path);
}

int pithi_colls_open(struct pithlog *log, struct pithi_colls **colls)
{
    struct pithi_colls *c = *colls = calloc(1, sizeof *c);
    if (!c)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", log->path);
    c->log = log;
    c->free_first = NONE;
    c->members = calloc(log->info.comms + (size_t)1, sizeof *c->members);
    if (c->members)
        return PITH_OK;
    int err = no_memory(c);
    pithi_colls_close(c);
    *colls = NULL;
    return err;
}

void pithi_colls_close(struct pithi_colls *c)
{
    if (!c)
        return;
    pithi_map_free(&c->counts);
    pithi_map_free(&c->under_way);
    free(c->all);
    free(c->members);
    free(c);
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

static int has_rank(const struct pithlog *log, int32_t number)
{
    const struct pithi_log_rank *rank = pithi_log_find_rank(log, number);
    return rank && rank->lane_count > 0;
}

/* Of the members of a communicator those that the log has; 0: not known, or two groups, which wait otherwise. */
static uint32_t count_members(const struct pithlog *log, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(log, number);
    uint32_t count = 0;
    if (!comm || comm->remote_size > 0)
        return 0;
    for (uint32_t i = 0; comm->size == 0 && number == 0 && i < pithi_log_ranks(log); i++)
        count += pithi_log_rank(log, i)->lane_count > 0;
    for (int32_t i = 0; i < comm->size; i++)
        count += (uint32_t)has_rank(log, comm->world_ranks[i]);
    return count;
}

static uint32_t members_of(struct pithi_colls *c, uint32_t comm)
{
    if (comm >= c->log->info.comms)
        return 0;
    if (c->members[comm] == 0)
        c->members[comm] = count_members(c->log, comm) + 1;
    return c->members[comm] - 1;
}

/* ---- Under way --------------------------------------------------------------------------------------------------- */

static uint32_t find(const struct pithi_colls *c, uint64_t key)
{
    uint32_t at;
    return pithi_map_get(&c->under_way, key, &at) ? at : NONE;
}

/* Those that are over leave their place in the map; when it has mostly such ones, it is made again. */
static int sweep(struct pithi_colls *c)
{
    if (c->under_way.count < 4096 || c->under_way.count / 4 < c->count)
        return 1;
    pithi_map_free(&c->under_way);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->all[i].expected && !pithi_map_put(&c->under_way, c->all[i].key, i))
            return 0;
    return 1;
}

static uint32_t begin(struct pithi_colls *c, uint64_t key, enum pithi_coll_shape shape, uint32_t expected)
{
    uint32_t at = c->free_first;
    if (at != NONE)
        c->free_first = c->all[at].next;
    else if (pithi_grow(&c->all, c->count, &c->room, sizeof *c->all))
        at = c->count++;
    else
        return NONE;
    c->all[at] = (struct pithi_coll){
        .shape = shape, .expected = expected, .last_ns = -INFINITY, .last_before_ns = -INFINITY, .key = key};
    return sweep(c) && pithi_map_put(&c->under_way, key, at) ? at : NONE;
}

int pithi_colls_enter(struct pithi_colls *c, uint32_t lane, uint32_t comm, enum pithi_coll_shape shape,
                      uint32_t *number)
{
    uint64_t who = (uint64_t)pithi_log_rank_of(c->log, lane) << 32 | comm;
    uint32_t turn = 0, expected = members_of(c, comm);
    *number = NONE;
    if (!pithi_map_get(&c->counts, who, &turn))
        turn = 0;
    if (!pithi_map_put(&c->counts, who, turn + 1))
        return no_memory(c);
    if (shape == PITHI_COLL_NONE || expected == 0)
        return PITH_OK;
    uint64_t key = (uint64_t)comm << 32 | turn;
    uint32_t at = find(c, key);
    if (at == NONE || c->all[at].key != key || c->all[at].expected == 0)
        at = begin(c, key, shape, expected);
    if (at == NONE)
        return no_memory(c);
    if (c->all[at].shape == shape && c->all[at].arrived < expected) {
        c->all[at].arrived++;
        *number = at;
    }
    return PITH_OK;
}

struct pithi_coll *pithi_colls_get(struct pithi_colls *c, uint32_t number) { return &c->all[number]; }

void pithi_colls_leave(struct pithi_colls *c, uint32_t number)
{
    struct pithi_coll *coll = &c->all[number];
    if (++coll->left < coll->expected)
        return;
    coll->expected = 0;
    coll->next = c->free_first;
    c->free_first = number;
}
