/* collectives.c - see collectives.h. */
#include "compensate/collectives.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "kept_colls.h"
#include "native/log.h"
#include "native/map.h"

#define NONE UINT32_MAX

/* Those that somebody waits for together: all, or the members of one group. */
struct group {
    uint32_t expected, arrived;
    struct pithi_moment last;
};

struct coll {
    struct pithi_coll_rule rule;
    uint32_t left, first_size; /* members that have left; of the first group */
    int is_inter, has_root;
    int is_open; /* one has left it before all had come */
    struct group groups[2];
    struct pithi_moment root;
    struct pithi_moment *seats; /* of a scan: when who sits there was there; INFINITY: not yet. The first `come`: when
                                   the last of those up to there was */
    uint32_t come, seat_room;
    uint64_t key;
    uint32_t next;
};

/* Of a communicator, as far as the log has its members. */
struct team {
    int is_known;
    uint32_t expected[2];
};

struct pithi_colls {
    struct pithlog *log;
    struct pithi_coll_rule *rules;    /* [definitions] */
    uint32_t started, complete, kept; /* events; NONE: the log has none */
    struct pithi_map counts;          /* rank and communicator: collectives so far */
    struct pithi_map under_way;       /* communicator and number: which of `all` */
    struct pithi_map places;          /* rank and communicator */
    struct pithi_map requests;        /* rank and number: which of `parts` */
    struct pithi_kept_colls keeps;
    struct coll *all;
    uint32_t count, room, free_first;
    struct pithi_part *parts;
    uint32_t part_count, part_room;
    struct team *teams; /* [communicators] */
    struct lane {
        struct pithi_part part; /* of the last nonblocking one, until its request is told */
        uint32_t request;       /* persistent, about to be started; NONE */
    } * lanes;
};

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int no_memory(const struct pithi_colls *c)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", c->log->path);
}

static void know_names(struct pithi_colls *c)
{
    c->started = c->complete = c->kept = NONE;
    for (uint32_t i = 0; i < c->log->info.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(c->log, i);
        if (def->kind == PITHLOG_STATE)
            c->rules[i] = pithi_coll_rule(def->name);
        else if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_COLL_STARTED) == 0)
            c->started = i;
        else if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_COLL_COMPLETE) == 0)
            c->complete = i;
        else if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_COLL_KEPT) == 0)
            c->kept = i;
    }
}

int pithi_colls_open(struct pithlog *log, struct pithi_colls **colls)
{
    struct pithi_colls *c = *colls = calloc(1, sizeof *c);
    if (!c)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its collectives", log->path);
    c->log = log;
    c->free_first = NONE;
    c->rules = calloc(log->info.defs + (size_t)1, sizeof *c->rules);
    c->teams = calloc(log->info.comms + (size_t)1, sizeof *c->teams);
    c->lanes = calloc(log->info.lanes + (size_t)1, sizeof *c->lanes);
    if (!c->rules || !c->teams || !c->lanes) {
        int err = no_memory(c);
        pithi_colls_close(c);
        *colls = NULL;
        return err;
    }
    for (uint32_t i = 0; i < log->info.lanes; i++)
        c->lanes[i] = (struct lane){.part = {.coll = NONE}, .request = NONE};
    know_names(c);
    return PITH_OK;
}

void pithi_colls_close(struct pithi_colls *c)
{
    if (!c)
        return;
    pithi_map_free(&c->counts);
    pithi_map_free(&c->under_way);
    pithi_map_free(&c->places);
    pithi_map_free(&c->requests);
    pithi_kept_free(&c->keeps);
    for (uint32_t i = 0; i < c->count; i++)
        free(c->all[i].seats);
    free(c->all);
    free(c->parts);
    free(c->rules);
    free(c->teams);
    free(c->lanes);
    free(c);
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

static int has_rank(const struct pithlog *log, int32_t number)
{
    const struct pithi_log_rank *rank = pithi_log_find_rank(log, number);
    return rank && rank->lane_count > 0;
}

static uint32_t members(const struct pithlog *log, const struct pithlog_comm *comm)
{
    return comm->size == 0 ? pithi_log_ranks(log) : (uint32_t)comm->size + (uint32_t)comm->remote_size;
}

/* Those that the log has. */
static int has_member(const struct pithlog *log, const struct pithlog_comm *comm, uint32_t place)
{
    return comm->size == 0 ? pithi_log_rank(log, place)->lane_count > 0 : has_rank(log, comm->world_ranks[place]);
}

/* NULL: its members are not known. */
static const struct team *team_of(struct pithi_colls *c, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->log, number);
    struct team *team = &c->teams[number];
    if (!comm || (comm->size == 0 && number != 0))
        return NULL;
    if (!team->is_known)
        for (uint32_t i = 0; i < members(c->log, comm); i++)
            team->expected[comm->size > 0 && i >= (uint32_t)comm->size] += (uint32_t)has_member(c->log, comm, i);
    team->is_known = 1;
    return team;
}

/* The place of a rank (its index in the log); NONE: it is no member. No memory: 0. */
static int find_place(struct pithi_colls *c, uint32_t rank, uint32_t number, uint32_t *place)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->log, number);
    int32_t world_rank = pithi_log_rank(c->log, rank)->rank;
    uint64_t key = (uint64_t)number << 32 | rank;
    *place = rank;
    if (comm->size == 0 || pithi_map_get(&c->places, key, place))
        return 1;
    for (*place = 0; *place < members(c->log, comm) && comm->world_ranks[*place] != world_rank;)
        ++*place;
    if (*place == members(c->log, comm))
        *place = NONE;
    return pithi_map_put(&c->places, key, *place);
}

/* ---- Under way --------------------------------------------------------------------------------------------------- */

static uint32_t find(const struct pithi_colls *c, uint64_t key)
{
    uint32_t at;
    return pithi_map_get(&c->under_way, key, &at) ? at : NONE;
}

static int is_second(const struct coll *coll, uint32_t place) { return coll->is_inter && place >= coll->first_size; }

static int is_under_way(const struct coll *coll) { return coll->groups[0].expected + coll->groups[1].expected > 0; }

/* Those that are over leave their place in the map; when it has mostly such ones, it is made again. */
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

/* Who is not in the log keeps nobody waiting. */
static int make_seats(struct pithi_colls *c, struct coll *coll, const struct pithlog_comm *comm)
{
    uint32_t count = members(c->log, comm);
    if (count > coll->seat_room) {
        free(coll->seats);
        coll->seats = malloc(count * sizeof *coll->seats);
        coll->seat_room = coll->seats ? count : 0;
    }
    for (uint32_t i = 0; coll->seats && i < count; i++)
        coll->seats[i].at_ns = coll->seats[i].before_ns = has_member(c->log, comm, i) ? INFINITY : -INFINITY;
    return coll->seats != NULL;
}

static uint32_t begin(struct pithi_colls *c, uint64_t key, struct pithi_coll_rule rule, uint32_t comm)
{
    const struct team *team = team_of(c, comm);
    const struct pithlog_comm *of = pithlog_get_comm(c->log, comm);
    struct pithi_moment never = {-INFINITY, -INFINITY};
    uint32_t at = c->free_first;
    if (at != NONE) {
        c->free_first = c->all[at].next;
    } else if (pithi_grow(&c->all, c->count, &c->room, sizeof *c->all)) {
        at = c->count++;
        c->all[at].seats = NULL;
        c->all[at].seat_room = 0;
    } else {
        return NONE;
    }
    struct coll *coll = &c->all[at];
    *coll = (struct coll){.rule = rule,
                          .is_inter = of->remote_size > 0,
                          .first_size = (uint32_t)of->size,
                          .groups = {{team->expected[0], 0, never}, {team->expected[1], 0, never}},
                          .seats = coll->seats,
                          .seat_room = coll->seat_room,
                          .key = key};
    if (rule.shape == PITHI_COLL_LOWER && !make_seats(c, coll, of))
        return NONE;
    return sweep(c) && pithi_map_put(&c->under_way, key, at) ? at : NONE;
}

/* The next one of `who`, a communicator or a persistent request of it. 0: no memory. */
static int next_turn(struct pithi_colls *c, uint32_t rank, uint32_t who, uint64_t *key)
{
    uint32_t turn = 0;
    uint64_t own = (uint64_t)rank << 32 | who;
    pithi_map_get(&c->counts, own, &turn);
    *key = (uint64_t)who << 32 | turn;
    return pithi_map_put(&c->counts, own, turn + 1);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The part goes with the request until that is complete. */
static int follow(struct pithi_colls *c, uint64_t key, const struct pithi_part *part)
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

int pithi_colls_completes(const struct pithi_colls *c, const struct pithlog_record *r)
{
    return r->kind == PITHLOG_EVENT && r->id == c->complete && r->payload_bytes == 4;
}

int pithi_colls_event(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state, struct pithi_part *part)
{
    struct lane *lane = &c->lanes[r->lane];
    uint32_t at;
    if (r->kind != PITHLOG_EVENT || r->payload_bytes < 4)
        return 0;
    uint32_t rank = pithi_log_rank_of(c->log, r->lane), request = number_at(r->payload);
    uint64_t key = (uint64_t)rank << 32 | request;
    if (r->id == c->kept && r->payload_bytes == 8)
        return pithi_kept_make(&c->keeps, rank, request, state, number_at(r->payload + 4)) ? 0 : -1;
    if (r->id == c->started && pithi_kept_find(&c->keeps, rank, request) &&
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

/* ---- A member's way ---------------------------------------------------------------------------------------------- */

/* What begins by name, and whose turn it is; NULL: no memory. */
static const struct pithi_coll_rule *what(struct pithi_colls *c, const struct pithlog_record *r, uint32_t *state,
                                          uint32_t *who)
{
    static const struct pithi_coll_rule none = {PITHI_COLL_NONE, 0};
    uint32_t request = c->lanes[r->lane].request, rank = pithi_log_rank_of(c->log, r->lane);
    const struct pithi_kept *kept = request == NONE ? NULL : pithi_kept_find(&c->keeps, rank, request);
    c->lanes[r->lane].request = NONE;
    *who = r->comm;
    if (kept) {
        *state = kept->state != NONE ? kept->state : *state;
        if (!pithi_kept_who(&c->keeps, r->comm, kept->number, who))
            return NULL;
        *who += c->log->info.comms;
    }
    return *state == NONE ? &none : &c->rules[*state];
}

/* The part's own: its request, if it has one, is told before the record or behind it. */
static int note(struct pithi_colls *c, const struct pithlog_record *r, uint32_t request, const struct pithi_part *part)
{
    if (request != NONE)
        return follow(c, (uint64_t)pithi_log_rank_of(c->log, r->lane) << 32 | request, part);
    if (part->starts)
        c->lanes[r->lane].part = *part;
    return 1;
}

int pithi_colls_enter(struct pithi_colls *c, const struct pithlog_record *r, uint32_t state, struct pithi_part *part)
{
    uint32_t rank = pithi_log_rank_of(c->log, r->lane), request = c->lanes[r->lane].request, who, place;
    const struct pithi_coll_rule *rule = what(c, r, &state, &who);
    uint64_t key;
    *part = (struct pithi_part){.coll = NONE, .state = state};
    c->lanes[r->lane].part.coll = NONE;
    if (!rule || !next_turn(c, rank, who, &key))
        return -no_memory(c);
    if (rule->shape == PITHI_COLL_NONE || r->comm >= c->log->info.comms || !team_of(c, r->comm))
        return 1;
    if (!find_place(c, rank, r->comm, &place))
        return -no_memory(c);
    if (place == NONE)
        return 1;
    uint32_t at = find(c, key);
    if ((at == NONE || c->all[at].key != key || !is_under_way(&c->all[at])) &&
        (at = begin(c, key, *rule, r->comm)) == NONE)
        return -no_memory(c);
    struct coll *coll = &c->all[at];
    struct group *own = &coll->groups[is_second(coll, place)];
    if (coll->rule.shape != rule->shape || own->arrived == own->expected) /* the log is wrong */
        return 1;
    own->arrived++;
    *part = (struct pithi_part){.coll = at,
                                .place = place,
                                .state = state,
                                .bytes = r->got_bytes,
                                .is_root = pithi_log_rank(c->log, rank)->rank == r->peer,
                                .is_idle = coll->is_inter && r->peer < 0,
                                .starts = (rule->flags & PITHI_COLL_STARTS) != 0};
    return note(c, r, request, part) ? 0 : -no_memory(c);
}

static void latest(struct pithi_moment *last, const struct pithi_moment *when)
{
    last->at_ns = when->at_ns > last->at_ns ? when->at_ns : last->at_ns;
    last->before_ns = when->before_ns > last->before_ns ? when->before_ns : last->before_ns;
}

/* Those behind whose times are made already have come no earlier. */
static void sit_down(struct coll *coll, uint32_t place, const struct pithi_moment *when)
{
    if (coll->seats[place].at_ns == INFINITY)
        coll->seats[place] = *when;
    for (uint32_t i = place; i < coll->come || i == place; i++)
        latest(&coll->seats[i], when);
}

void pithi_colls_arrive(struct pithi_colls *c, const struct pithi_part *part, const struct pithi_moment *when)
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
    struct pithi_moment *seats = coll->seats;
    for (; coll->come < place && seats[coll->come].at_ns < INFINITY; coll->come++)
        if (coll->come > 0)
            latest(&seats[coll->come], &seats[coll->come - 1]);
    if (place == 0 || coll->come < place)
        return place == 0 ? 0 : -1;
    *when = seats[place - 1];
    return when->at_ns > -INFINITY;
}

static int last_of_needed(struct coll *coll, const struct pithi_part *part, struct pithi_moment *when)
{
    int other = coll->is_inter ? !is_second(coll, part->place) : 0;
    switch (coll->rule.shape) {
    case PITHI_COLL_ALL:
        return last_of_group(&coll->groups[other], when);
    case PITHI_COLL_TO:
        return part->is_root ? last_of_group(&coll->groups[other], when) : 0;
    case PITHI_COLL_FROM:
        *when = coll->root;
        return part->is_root || part->is_idle ? 0 : coll->has_root ? 1 : -1;
    default:
        return last_of_lower(coll, part->place, when);
    }
}

/* Where nobody has to be waited for, as there is nothing to get, or only from some, those who came later were not. A
 * window's operation, of which nothing is got, either is a barrier or not. */
int pithi_colls_last(struct pithi_colls *c, const struct pithi_part *part, struct pithi_moment *when)
{
    struct coll *coll = &c->all[part->coll];
    int known = last_of_needed(coll, part, when);
    unsigned flags = coll->rule.flags;
    int may_go = flags & PITHI_COLL_LOOSE || (!(flags & PITHI_COLL_BARE) && part->bytes == 0);
    if (flags & PITHI_COLL_LOOSE && flags & PITHI_COLL_BARE)
        coll->is_open |= known < 0;
    return coll->is_open || (known < 0 && may_go) ? 0 : known;
}

int pithi_colls_together(const struct pithi_colls *c, const struct pithi_part *part)
{
    const struct coll *coll = &c->all[part->coll];
    return !coll->is_inter && !part->starts &&
           (coll->rule.shape == PITHI_COLL_ALL || coll->rule.shape == PITHI_COLL_TO);
}

void pithi_colls_leave(struct pithi_colls *c, const struct pithi_part *part)
{
    struct coll *coll = &c->all[part->coll];
    if (++coll->left < coll->groups[0].expected + coll->groups[1].expected)
        return;
    coll->groups[0].expected = coll->groups[1].expected = 0;
    coll->next = c->free_first;
    c->free_first = part->coll;
}
