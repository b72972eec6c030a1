/* collectives.c - finds collective instances by counting the collectives of each member.
 *
 * In an incomplete log (a time window, lost records), a member may lack its first collectives and would count wrong.
 * But no member can leave a barrier before all have entered it. Suppose member A must wait for member B in an instance,
 * and has left it before B enters. Then B's part in this instance was lost, and B's record belongs to a later instance:
 *
 *     | cut |  rank 0 in #5         rank 0 in #6      Rank 1 began #5 before the cut, so its first record is of #6.
 *     | cut |                       rank 1 in #6      Rank 0 has left #5 by then, so this record counts for #6.
 *
 * In the middle of a log, records of a rank may be missing (LOST, a damaged block). It is not known how many of the
 * missing records were collectives. So on each communicator of this rank, only the instances that the rank entered
 * before the loss are known:
 *
 *     rank 0  #4  #5  | lost |  ?  ?        #4 and #5 are known: rank 1 may enter #5 later.
 *     rank 1  #4          #5  #6  ?         #6 and all later instances are unknown.
 *
 * The members of a communicator make its persistent collectives in the same order, but may start them in any order. So
 * the starts of each persistent collective are counted as if it had a communicator of its own: the first start in each
 * rank belongs to one instance, the second starts to the next. */
#include "analysis/waits/collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"
#include "pithlog.h"
#include "reader/read/match.h"

#define NONE UINT32_MAX

/* ---- Members ----------------------------------------------------------------------------------------------------- */

/* The members of communicators: how many of them are in the log, the place of each rank among them, and whether records
 * of a member are missing. */
struct team {
    int is_known;         /* 1: the fields below are set */
    int is_missing;       /* records of a member are missing from now on */
    uint32_t expected[2]; /* members that are in the log, by group */
};

struct members {
    struct pithlog *log;
    struct team *teams;      /* [communicators] */
    struct pithi_map places; /* rank and communicator: place of the rank */
    unsigned char *missing;  /* [ranks]: 1: its records are missing from now on */
};

/* Finds the members of a communicator. Returns NULL if they are unknown. */
static const struct team *members_team(struct members *members, uint32_t comm);

/* Prepares `m`. Returns 0 if there is no memory. Call members_free in any case. */
static int members_open(struct members *m, struct pithlog *log)
{
    m->log = log;
    m->teams = calloc(log->info.comms + (size_t)1, sizeof *m->teams);
    m->missing = calloc(pithi_log_ranks(log) + (size_t)1, 1);
    return m->teams && m->missing;
}

static void members_free(struct members *m)
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

/* Returns the number of members, of both groups. */
static uint32_t members_count(const struct pithlog *log, const struct pithlog_comm *comm)
{
    return comm->size == 0 ? pithi_log_ranks(log) : (uint32_t)comm->size + (uint32_t)comm->remote_size;
}

/* Returns 1 if the log has the member at this place. */
static int members_has(const struct pithlog *log, const struct pithlog_comm *comm, uint32_t place)
{
    return comm->size == 0 ? pithi_log_rank(log, place)->lane_count > 0 : has_rank(log, comm->world_ranks[place]);
}

/* Returns 1 if records of the member at this place are missing. */
static int is_missing(const struct members *m, const struct pithlog_comm *comm, uint32_t place)
{
    const struct pithi_log_rank *rank =
        comm->size == 0 ? pithi_log_rank(m->log, place) : pithi_log_find_rank(m->log, comm->world_ranks[place]);
    return rank && rank->lane_count > 0 && m->missing[pithi_log_rank_of(m->log, rank->first_lane)];
}

static const struct team *members_team(struct members *m, uint32_t number)
{
    const struct pithlog_comm *comm = number < m->log->info.comms ? pithlog_get_comm(m->log, number) : NULL;
    if (!comm || (comm->size == 0 && number != 0))
        return NULL;
    struct team *team = &m->teams[number];
    for (uint32_t i = 0; !team->is_known && i < members_count(m->log, comm); i++) {
        team->expected[comm->size > 0 && i >= (uint32_t)comm->size] += (uint32_t)members_has(m->log, comm, i);
        team->is_missing |= is_missing(m, comm, i);
    }
    team->is_known = 1;
    return team;
}

/* Sets *place to the place of a rank in a communicator whose members are known. `rank`: its index in the log. Places of
 * the second group follow those of the first. Sets *place to UINT32_MAX if the rank is no member. Returns 0 if there is
 * no memory. */
static int members_place(struct members *m, uint32_t rank, uint32_t number, uint32_t *place)
{
    const struct pithlog_comm *comm = pithlog_get_comm(m->log, number);
    int32_t world_rank = pithi_log_rank(m->log, rank)->rank;
    uint64_t key = (uint64_t)number << 32 | rank;
    *place = rank;
    if (comm->size == 0 || pithi_map_get(&m->places, key, place))
        return 1;
    for (*place = 0; *place < members_count(m->log, comm) && comm->world_ranks[*place] != world_rank;)
        ++*place;
    if (*place == members_count(m->log, comm))
        *place = NONE;
    return pithi_map_put(&m->places, key, *place);
}

/* Notes that records of a rank are missing from now on. Returns 0 if there is no memory. */
static int members_missing(struct members *m, uint32_t rank)
{
    uint32_t place;
    m->missing[rank] = 1;
    for (uint32_t i = 0; i < m->log->info.comms; i++) {
        struct team *team = &m->teams[i];
        if (!team->is_known || team->is_missing)
            continue;
        if (!members_place(m, rank, i, &place))
            return 0;
        team->is_missing = place != NONE;
    }
    return 1;
}

/* ---- Instances --------------------------------------------------------------------------------------------------- */

/* Members that others wait for together: all members, or one of the two groups of an intercommunicator. */
struct group {
    uint32_t expected, entered, arrived; /* entered: count of COLL records taken; arrived: members counted by
                                            pithi_colls_count */
    int64_t left_ns;                     /* the first leave of a member that must wait for others; INT64_MAX: none */
    struct pithi_moment last;            /* the latest arrival of a member */
};

struct coll {
    struct pithi_coll_rule rule;
    uint32_t left, first_size; /* members that have left; size of the first group */
    int is_inter, has_root;    /* is_inter: groups[1] is the second group of an intercommunicator; has_root: the root
                                  has arrived */
    int is_open;               /* 1: a member left before all had arrived, so this instance makes no member wait */
    int is_lost;               /* 1: the part of a member may be missing */
    struct group groups[2];
    struct pithi_moment root; /* arrival of the root */
    /* Scans: the arrival of each member by its place; INFINITY: not yet. At places below `come`, this time is raised to
     * the latest arrival of this and all lower places. */
    struct pithi_moment *positions;
    uint32_t come, position_room;
    uint64_t key;
    uint32_t comm, serial, next;
};

/* A persistent collective. */
struct kept {
    uint32_t state;  /* definition of the call that made the persistent collective */
    uint32_t number; /* persistent collectives made before on its communicator */
};

struct pithi_colls {
    struct pithlog *log;
    int is_incomplete;                                    /* records may be missing */
    struct pithi_coll_rule *rules;                        /* [definitions] */
    uint32_t started, complete, kept, of_all, neighbours; /* definitions of the events; NONE: not in the log */
    struct pithi_map counts;                              /* rank and communicator: number of collectives so far */
    struct pithi_map under_way;                           /* communicator or persistent collective, and turn: index
                                                             in `all` */
    struct pithi_map requests;                            /* rank and number: index in `parts` */
    struct pithi_map kept_requests; /* rank and number of a persistent request: index in `keeps` */
    struct pithi_map kept_numbers;  /* communicator and kept.number: number of the sequence in which members count
                                       starts */
    struct kept *keeps;
    uint32_t keep_count, keep_room;
    struct coll *all;
    uint32_t count, room, free_first, serial;
    struct pithi_coll_part *parts;
    uint32_t part_count, part_room;
    struct members members;
    int is_full; /* 1: pithi_colls_missing had no memory, so later calls fail */
    struct lane {
        struct pithi_coll_part part; /* the last nonblocking collective, until its request is recorded */
        uint32_t request;            /* persistent request about to be started; NONE: none */
        int gets_of_all;             /* 1: PITHI_COLL_OF_ALL was recorded for the lane's next collective */
        /* The neighbours that send to the lane in its next collective: first index in `sources` below; count, 0:
         * unknown. */
        uint32_t first_source, sources;
    } * lanes;
    struct pithi_map source_lists; /* communicator and place: first index in `sources` and number */
    uint32_t *sources, source_count, source_room;
};

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int no_memory(const struct pithi_colls *c)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", c->log->path);
}

static void know_names(struct pithi_colls *c)
{
    const struct {
        const char *name;
        uint32_t *id;
    } events[] = {{PITHI_COLL_STARTED, &c->started},
                  {PITHI_COLL_COMPLETE, &c->complete},
                  {PITHI_COLL_KEPT, &c->kept},
                  {PITHI_COLL_OF_ALL, &c->of_all},
                  {PITHI_COLL_NEIGHBOURS_ARE, &c->neighbours}};

    c->started = c->complete = c->kept = c->of_all = c->neighbours = NONE;
    for (uint32_t i = 0; i < c->log->info.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(c->log, i);
        if (def->kind == PITHLOG_STATE)
            c->rules[i] = pithi_coll_rule(def->name);
        for (size_t k = 0; def->kind == PITHLOG_EVENT_TYPE && k < sizeof events / sizeof *events; k++)
            if (strcmp(def->name, events[k].name) == 0)
                *events[k].id = i;
    }
}

static int is_part(struct pithlog *log)
{
    const char *key, *value;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, PITHI_PART_KEY) == 0)
            return 1;
    return 0;
}

int pithi_colls_open(struct pithlog *log, int of_neighbours, struct pithi_colls **colls)
{
    struct pithi_colls *c = *colls = calloc(1, sizeof *c);
    if (!c)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", log->path);
    c->log = log;
    c->is_incomplete = pithi_match_incomplete(log) || is_part(log);
    c->free_first = NONE;
    c->rules = calloc(log->info.defs + (size_t)1, sizeof *c->rules);
    c->lanes = calloc(log->info.lanes + (size_t)1, sizeof *c->lanes);
    if (!members_open(&c->members, log) || !c->rules || !c->lanes) {
        int err = no_memory(c);
        pithi_colls_close(c);
        *colls = NULL;
        return err;
    }
    for (uint32_t i = 0; i < log->info.lanes; i++)
        c->lanes[i] = (struct lane){.part = {.coll = NONE}, .request = NONE};
    know_names(c);
    for (uint32_t i = 0; i < log->info.defs && !of_neighbours; i++)
        if (c->rules[i].shape == PITHI_COLL_NEIGHBOURS)
            c->rules[i].shape = PITHI_COLL_NONE;
    return PITH_OK;
}

void pithi_colls_close(struct pithi_colls *c)
{
    if (!c)
        return;
    pithi_map_free(&c->counts);
    pithi_map_free(&c->under_way);
    pithi_map_free(&c->requests);
    pithi_map_free(&c->kept_requests);
    pithi_map_free(&c->kept_numbers);
    free(c->keeps);
    for (uint32_t i = 0; i < c->count; i++)
        free(c->all[i].positions);
    free(c->all);
    free(c->parts);
    free(c->rules);
    members_free(&c->members);
    free(c->lanes);
    pithi_map_free(&c->source_lists);
    free(c->sources);
    free(c);
}

/* ---- Under way --------------------------------------------------------------------------------------------------- */

static uint32_t find(const struct pithi_colls *c, uint64_t key)
{
    uint32_t at;
    return pithi_map_get(&c->under_way, key, &at) ? at : NONE;
}

static int is_second(const struct coll *coll, uint32_t place) { return coll->is_inter && place >= coll->first_size; }

static int is_under_way(const struct coll *coll) { return coll->groups[0].expected + coll->groups[1].expected > 0; }

/* Rebuilds the map of instances if most of its entries are of finished instances. Keys count up, so old keys are never
 * used again, but the map cannot remove entries. Returns 0 if there is no memory. */
static int sweep(struct pithi_colls *c)
{
    if (c->under_way.count < 4096 || c->under_way.count / 4 < c->count)
        return 1;
    pithi_map_free(&c->under_way);
    for (uint32_t i = 0; i < c->count; i++)
        if (is_under_way(&c->all[i]) && !pithi_map_put(&c->under_way, c->all[i].key, i))
            return 0;
    return 1;
}

/* Makes the array of arrivals of a scan, in which no member has arrived yet. A rank that is not in the log counts as
 * arrived, so no member waits for it. Returns 0 if there is no memory. */
static int make_positions(struct pithi_colls *c, struct coll *coll, const struct pithlog_comm *comm)
{
    uint32_t count = members_count(c->log, comm);
    if (count > coll->position_room) {
        free(coll->positions);
        coll->positions = malloc(count * sizeof *coll->positions);
        coll->position_room = coll->positions ? count : 0;
    }
    for (uint32_t i = 0; coll->positions && i < count; i++)
        coll->positions[i].at_ns = coll->positions[i].before_ns = members_has(c->log, comm, i) ? INFINITY : -INFINITY;
    return coll->positions != NULL;
}

static uint32_t begin(struct pithi_colls *c, uint64_t key, struct pithi_coll_rule rule, uint32_t comm)
{
    const struct team *team = members_team(&c->members, comm);
    const struct pithlog_comm *of = pithlog_get_comm(c->log, comm);
    struct pithi_moment never = {-INFINITY, -INFINITY};
    uint32_t at = c->free_first;
    if (at != NONE) {
        c->free_first = c->all[at].next;
    } else if (pithi_grow(&c->all, c->count, &c->room, sizeof *c->all)) {
        at = c->count++;
        c->all[at].positions = NULL;
        c->all[at].position_room = 0;
    } else {
        return NONE;
    }
    struct coll *coll = &c->all[at];
    *coll = (struct coll){
        .rule = rule,
        .is_inter = of->remote_size > 0,
        .first_size = (uint32_t)of->size,
        .groups = {{team->expected[0], 0, 0, INT64_MAX, never}, {team->expected[1], 0, 0, INT64_MAX, never}},
        .positions = coll->positions,
        .position_room = coll->position_room,
        .key = key,
        .comm = comm,
        .serial = NONE};
    if (rule.shape == PITHI_COLL_LOWER && !make_positions(c, coll, of))
        return NONE;
    return sweep(c) && pithi_map_put(&c->under_way, key, at) ? at : NONE;
}

/* Sets *key to the key of the rank's next instance in the sequence `who`, that is, on a communicator or of a persistent
 * collective. Returns 0 if there is no memory. */
static int next_turn(struct pithi_colls *c, uint32_t rank, uint32_t who, uint64_t *key)
{
    uint32_t turn = 0;
    uint64_t own = (uint64_t)rank << 32 | who;
    pithi_map_get(&c->counts, own, &turn);
    *key = (uint64_t)who << 32 | turn;
    return pithi_map_put(&c->counts, own, turn + 1);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

/* Stores a part under its request until the request is complete. Returns 0 if there is no memory. */
static int follow(struct pithi_colls *c, uint64_t key, const struct pithi_coll_part *part)
{
    uint32_t at;
    if (!pithi_map_get(&c->requests, key, &at)) {
        if (!pithi_grow(&c->parts, c->part_count, &c->part_room, sizeof *c->parts) ||
            !pithi_map_put(&c->requests, key, c->part_count))
            return 0;
        at = c->part_count++;
    }
    c->parts[at] = *part;
    return 1;
}

/* Stores the persistent collective that a rank has made. `key`: the rank and the number of the request, which stands
 * for this collective until another request gets the same number. Returns 0 if there is no memory. */
static int keep(struct pithi_colls *c, uint64_t key, uint32_t state, uint32_t number)
{
    uint32_t at;
    if (!pithi_map_get(&c->kept_requests, key, &at)) {
        at = c->keep_count;
        if (!pithi_grow(&c->keeps, c->keep_count, &c->keep_room, sizeof *c->keeps) ||
            !pithi_map_put(&c->kept_requests, key, at))
            return 0;
        c->keep_count++;
    }
    c->keeps[at] = (struct kept){state, number};
    return 1;
}

/* Adds the neighbours in a record PITHI_COLL_NEIGHBOURS_ARE to the list for the lane's next collective. Several lanes
 * of a rank may record such lists at once, so the lists of several lanes may be mixed in `sources`. Therefore a list
 * that a second record continues is copied to the end. Returns 0 if there is no memory. */
static int hear_sources(struct pithi_colls *c, struct lane *lane, const struct pithlog_record *r)
{
    uint32_t more = r->payload_bytes / 4, before = lane->sources, first = c->source_count;

    for (uint32_t i = 0; i < before + more; i++) {
        if (!pithi_grow(&c->sources, c->source_count, &c->source_room, sizeof *c->sources))
            return 0;
        c->sources[c->source_count++] =
            i < before ? c->sources[lane->first_source + i] : pithi_get_be32(r->payload + 4 * (i - before));
    }
    lane->first_source = first;
    lane->sources = before + more;
    return 1;
}

const uint32_t *pithi_colls_sources(const struct pithi_colls *c, uint32_t comm, uint32_t place, uint32_t *count)
{
    const uint64_t *list = pithi_map_find(&c->source_lists, pithi_map_pair(comm, place));

    *count = list ? (uint32_t)*list : 0;
    return list ? c->sources + (*list >> 32) : NULL;
}

/* Finds the persistent collective of a request. Returns NULL if the request is not of a persistent collective. */
static const struct kept *find_kept(const struct pithi_colls *c, uint32_t rank, uint32_t request)
{
    uint32_t at;
    return pithi_map_get(&c->kept_requests, (uint64_t)rank << 32 | request, &at) ? &c->keeps[at] : NULL;
}

int pithi_colls_need_order(const struct pithi_colls *c) { return c->is_incomplete; }

int pithi_colls_have_events(const struct pithi_colls *c)
{
    return c->started != NONE || c->complete != NONE || c->kept != NONE || c->of_all != NONE || c->neighbours != NONE;
}

int pithi_colls_completes(const struct pithi_colls *c, const struct pithlog_record *r)
{
    return r->kind == PITHLOG_EVENT && r->id == c->complete && r->payload_bytes == 4;
}

int pithi_colls_event(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state,
                      struct pithi_coll_part *part)
{
    struct lane *lane = &c->lanes[r->lane];
    uint32_t at;
    if (r->kind != PITHLOG_EVENT)
        return 0;
    lane->gets_of_all |= r->id == c->of_all;
    if (r->id == c->neighbours)
        return hear_sources(c, lane, r) ? 0 : -1;
    if (r->payload_bytes < 4)
        return 0;
    uint32_t rank = pithi_log_rank_of(c->log, r->lane), request = pithi_get_be32(r->payload);
    uint64_t key = (uint64_t)rank << 32 | request;
    if (c->members.missing[rank]) /* the missing records may have reused the numbers of its requests */
        return 0;
    if (r->id == c->kept && r->payload_bytes == 8)
        return keep(c, key, state, pithi_get_be32(r->payload + 4)) ? 0 : -1;
    if (r->id == c->started && find_kept(c, rank, request) &&
        !(state != NONE && c->rules[state].flags & PITHI_COLL_STARTS)) {
        lane->request = request;
        return 0;
    }
    if (r->id == c->started) {
        int good = lane->part.coll == NONE || follow(c, key, &lane->part);
        lane->part.coll = NONE;
        return good ? 0 : -1;
    }
    if (!pithi_colls_completes(c, r) || !pithi_map_get(&c->requests, key, &at) || c->parts[at].coll == NONE)
        return 0;
    *part = c->parts[at];
    c->parts[at].coll = NONE;
    return 1;
}

/* ---- Members enter, arrive and leave ----------------------------------------------------------------------------- */

/* Returns the rule of the collective that begins, and sets *who to the sequence that it is counted in. Returns NULL if
 * there is no memory. */
static const struct pithi_coll_rule *what(struct pithi_colls *c, const struct pithlog_record *r, uint32_t *state,
                                          uint32_t *who)
{
    static const struct pithi_coll_rule none = {PITHI_COLL_NONE, 0};
    uint32_t request = c->lanes[r->lane].request, rank = pithi_log_rank_of(c->log, r->lane);
    const struct kept *kept = request == NONE ? NULL : find_kept(c, rank, request);
    c->lanes[r->lane].request = NONE;
    *who = r->comm;
    if (kept) {
        *state = kept->state != NONE ? kept->state : *state;
        uint64_t key = (uint64_t)r->comm << 32 | kept->number;
        if (!pithi_map_get(&c->kept_numbers, key, who)) {
            *who = (uint32_t)c->kept_numbers.count;
            if (!pithi_map_put(&c->kept_numbers, key, *who))
                return NULL;
        }
        *who += c->log->info.comms;
    }
    return *state == NONE ? &none : &c->rules[*state];
}

/* Returns the index of the group that waits for the member at `place`, and that this member waits for. */
static int other_group(const struct coll *coll, uint32_t place) { return coll->is_inter ? !is_second(coll, place) : 0; }

/* Returns 1 if a member that enters now cannot be in this instance: it makes another kind of call, or a member that
 * must wait for it has already left. (No member waits for a member that contributes no data.) */
static int is_over(const struct coll *coll, const struct pithi_coll_rule *rule, const struct pithlog_record *r,
                   uint32_t place, int is_root)
{
    int is_needed = !(rule->flags & (PITHI_COLL_LOOSE | PITHI_COLL_AFTER)) &&
                    (rule->flags & PITHI_COLL_BARE || r->bytes > 0) && (rule->shape != PITHI_COLL_FROM || is_root);

    return coll->rule.shape != rule->shape ||
           (is_needed && coll->groups[other_group(coll, place)].left_ns < r->time_ns);
}

/* Links a part with its request, if the part has one. The request is recorded before the COLL record (MPI_Start) or
 * after the COLL record. */
static int note(struct pithi_colls *c, const struct pithlog_record *r, uint32_t request,
                const struct pithi_coll_part *part)
{
    if (request != NONE)
        return follow(c, (uint64_t)pithi_log_rank_of(c->log, r->lane) << 32 | request, part);
    if (part->starts)
        c->lanes[r->lane].part = *part;
    return 1;
}

void pithi_colls_count(struct pithi_colls *c, struct pithi_coll_part *part)
{
    struct coll *coll = &c->all[part->coll];

    if (coll->serial == NONE) {
        coll->serial = c->serial;
        c->serial += coll->is_inter ? 2 : 1;
    }
    part->serial = coll->serial;
    coll->groups[part->is_second].arrived++;
}

uint32_t pithi_colls_serial(const struct pithi_colls *c, const struct pithi_coll_part *part)
{
    return c->all[part->coll].serial;
}

static int enter(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state, uint32_t note_of,
                 int is_in_time, struct pithi_coll_part *part)
{
    int gets_of_all = c->lanes[r->lane].gets_of_all;
    struct lane *lane = &c->lanes[r->lane];
    uint32_t lane_sources = lane->sources;
    uint32_t rank = pithi_log_rank_of(c->log, r->lane), request = c->lanes[r->lane].request, who, place;
    const struct pithi_coll_rule *rule = what(c, r, &state, &who);
    uint64_t key;
    *part = (struct pithi_coll_part){.coll = NONE, .state = state};
    lane->part.coll = NONE;
    lane->gets_of_all = 0;
    lane->sources = 0;
    if (!rule || c->is_full || !next_turn(c, rank, who, &key))
        return -no_memory(c);
    int is_root = pithi_log_rank(c->log, rank)->rank == r->peer;
    const struct team *team = members_team(&c->members, r->comm);
    if (rule->shape == PITHI_COLL_NONE || !team)
        return 1;
    if (!members_place(&c->members, rank, r->comm, &place))
        return -no_memory(c);
    if (place == NONE)
        return 1;
    uint64_t *list = lane_sources ? pithi_map_at(&c->source_lists, pithi_map_pair(r->comm, place)) : NULL;
    if (lane_sources && !list)
        return -no_memory(c);
    if (list)
        *list = pithi_map_pair(lane->first_source, lane_sources);
    uint32_t at = find(c, key);
    while (c->is_incomplete && at != NONE && c->all[at].key == key && is_under_way(&c->all[at]) &&
           is_over(&c->all[at], rule, r, place, is_root)) {
        if (!next_turn(c, rank, who, &key))
            return -no_memory(c);
        at = find(c, key);
    }
    int is_new = at == NONE || c->all[at].key != key || !is_under_way(&c->all[at]);
    if (is_new && team->is_missing)
        return 1;
    if (is_new && (at = begin(c, key, *rule, r->comm)) == NONE)
        return -no_memory(c);
    struct coll *coll = &c->all[at];
    struct group *own = &coll->groups[is_second(coll, place)];
    if (coll->is_lost || coll->rule.shape != rule->shape || own->entered == own->expected)
        return 1; /* the instance is unknown, or the log contradicts itself */
    own->entered++;
    *part = (struct pithi_coll_part){.coll = at,
                                     .note = note_of,
                                     .rule = *rule,
                                     .is_inter = coll->is_inter,
                                     .is_second = is_second(coll, place),
                                     .gets_of_all = gets_of_all,
                                     .place = place,
                                     .state = state,
                                     .bytes = r->got_bytes,
                                     .is_root = is_root,
                                     .is_idle = coll->is_inter && r->peer < 0,
                                     .starts = (rule->flags & PITHI_COLL_STARTS) != 0};
    if (is_in_time)
        pithi_colls_count(c, part);
    return note(c, r, request, part) ? 0 : -no_memory(c);
}

int pithi_colls_enter(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state, uint32_t note_of,
                      struct pithi_coll_part *part)
{
    return enter(c, r, state, note_of, 1, part);
}

int pithi_colls_enter_early(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state,
                            struct pithi_coll_part *part)
{
    return enter(c, r, state, 0, 0, part);
}

static void latest(struct pithi_moment *last, const struct pithi_moment *when)
{
    last->at_ns = when->at_ns > last->at_ns ? when->at_ns : last->at_ns;
    last->before_ns = when->before_ns > last->before_ns ? when->before_ns : last->before_ns;
}

/* Stores that a member arrives at its place in a scan, and raises the arrivals of the higher places below `come`.
 *
 * All places below `come` have arrived, and each of them has the latest arrival up to its place. If a later time of a
 * lower place becomes known, these times are raised. Example: places 0 and 1 have 10 and 20. If place 0 turns out to
 * have arrived at 25, both get 25. */
static void sit_down(struct coll *coll, uint32_t place, const struct pithi_moment *when)
{
    if (coll->positions[place].at_ns == INFINITY)
        coll->positions[place] = *when;
    for (uint32_t i = place; i < coll->come || i == place; i++)
        latest(&coll->positions[i], when);
}

void pithi_colls_arrive(struct pithi_colls *c, const struct pithi_coll_part *part, const struct pithi_moment *when)
{
    struct coll *coll = &c->all[part->coll];
    latest(&coll->groups[is_second(coll, part->place)].last, when);
    if (coll->rule.shape == PITHI_COLL_LOWER)
        sit_down(coll, part->place, when);
    if (part->is_root) {
        coll->has_root = 1;
        coll->root = *when;
    }
}

static int last_of_group(const struct group *group, struct pithi_moment *when)
{
    *when = group->last;
    return group->arrived < group->expected ? -1 : group->expected > 0;
}

static int last_of_lower(struct coll *coll, uint32_t place, struct pithi_moment *when)
{
    struct pithi_moment *positions = coll->positions;
    for (; coll->come < place && positions[coll->come].at_ns < INFINITY; coll->come++)
        if (coll->come > 0)
            latest(&positions[coll->come], &positions[coll->come - 1]);
    if (place == 0 || coll->come < place)
        return place == 0 ? 0 : -1;
    *when = positions[place - 1];
    return when->at_ns > -INFINITY;
}

static int last_of_needed(struct coll *coll, const struct pithi_coll_part *part, struct pithi_moment *when)
{
    int other = other_group(coll, part->place);
    switch (coll->rule.shape) {
    case PITHI_COLL_ALL:
        return last_of_group(&coll->groups[other], when);
    case PITHI_COLL_TO:
        return part->is_root ? last_of_group(&coll->groups[other], when) : 0;
    case PITHI_COLL_FROM:
        *when = coll->root;
        return part->is_root || part->is_idle ? 0 : coll->has_root ? 1 : -1;
    case PITHI_COLL_NEIGHBOURS: /* infer.c finds these needs by pithi_colls_sources */
        return 0;
    default:
        return last_of_lower(coll, part->place, when);
    }
}

/* The result is 0, for no waiting, in these cases, too. A member that receives nothing does not wait for members that
 * arrive after its leave. Nor does a member that may receive data from only some members (PITHI_COLL_LOOSE). For a
 * collective that is recorded after the call, the arrivals are unknown. */
int pithi_colls_last(struct pithi_colls *c, const struct pithi_coll_part *part, struct pithi_moment *when)
{
    struct coll *coll = &c->all[part->coll];
    int known = last_of_needed(coll, part, when);
    unsigned flags = coll->rule.flags;
    int may_go = flags & PITHI_COLL_LOOSE || (!(flags & PITHI_COLL_BARE) && part->bytes == 0);
    if (flags & PITHI_COLL_AFTER)
        return 0;
    if ((flags & PITHI_COLL_MAY_WAIT) == PITHI_COLL_MAY_WAIT)
        coll->is_open |= known < 0;
    return coll->is_open || coll->is_lost || (known < 0 && may_go) ? 0 : known;
}

int pithi_colls_together(const struct pithi_colls *c, const struct pithi_coll_part *part)
{
    const struct coll *coll = &c->all[part->coll];
    return !coll->is_inter && !part->starts &&
           (coll->rule.shape == PITHI_COLL_ALL || coll->rule.shape == PITHI_COLL_TO);
}

uint32_t pithi_colls_wait_kind(const struct pithi_colls *c, const struct pithi_coll_part *part)
{
    const char *name = part->state == NONE ? "" : pithlog_get_def(c->log, part->state)->name;

    switch (part->rule.shape) {
    case PITHI_COLL_FROM:
        return PITHLOG_LATE_BROADCAST;
    case PITHI_COLL_TO:
        return PITHLOG_EARLY_REDUCE;
    case PITHI_COLL_LOWER:
        return PITHLOG_EARLY_SCAN;
    default:
        return strstr(name, "arrier") ? PITHLOG_WAIT_AT_BARRIER : PITHLOG_WAIT_AT_NXN;
    }
}

void pithi_colls_missing(struct pithi_colls *c, uint32_t lane)
{
    uint32_t rank = pithi_log_rank_of(c->log, lane), place, turn;
    if (c->members.missing[rank])
        return;
    c->is_full |= !members_missing(&c->members, rank);
    for (uint32_t i = 0; i < c->count && !c->is_full; i++) {
        struct coll *coll = &c->all[i];
        if (!is_under_way(coll))
            continue;
        turn = 0;
        pithi_map_get(&c->counts, (uint64_t)rank << 32 | coll->key >> 32, &turn);
        c->is_full = !members_place(&c->members, rank, coll->comm, &place);
        coll->is_lost |= !c->is_full && place != NONE && turn <= (uint32_t)coll->key;
    }
}

void pithi_colls_leave(struct pithi_colls *c, const struct pithi_coll_part *part, int64_t time_ns)
{
    struct coll *coll = &c->all[part->coll];
    struct group *own = &coll->groups[is_second(coll, part->place)];
    struct pithi_moment when;
    int gets = part->rule.flags & PITHI_COLL_BARE || part->bytes > 0;

    if (gets && coll->rule.shape != PITHI_COLL_LOWER && last_of_needed(coll, part, &when) != 0 &&
        time_ns < own->left_ns)
        own->left_ns = time_ns;
    if (++coll->left < coll->groups[0].expected + coll->groups[1].expected)
        return;
    coll->groups[0].expected = coll->groups[1].expected = 0;
    coll->next = c->free_first;
    c->free_first = part->coll;
}
