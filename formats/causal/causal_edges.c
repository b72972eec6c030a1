/* causal_edges.c - collecting what ties ranks together: sends and receives matched, collectives put together. */
#include "causal/causal_edges.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coll_rules.h"
#include "error.h"
#include "kept_colls.h"
#include "match.h"
#include "native/log.h"

/* What a communicator has under way: operations by their number, `first` the oldest. */
struct comm_seen {
    uint64_t first;
    uint32_t *meetings;
    uint32_t count, room;
};

/* Where a thread stands. */
struct lane_seen {
    uint32_t state;      /* entered last; UINT32_MAX: it was left */
    uint32_t coll_state; /* of the collective under way */
    uint32_t leaving;    /* the edge that entered it; UINT32_MAX: none */
    uint32_t started;    /* that of the last nonblocking one; UINT32_MAX: none */
    uint32_t request;    /* persistent, about to be started; UINT32_MAX: none */
    int gets_of_all;     /* its next collective does */
};

struct collecting {
    struct pithi_edges *e;
    struct pithi_match *match;
    struct lane_seen *lanes;
    struct comm_seen *comms; /* those of the log, and behind them persistent collectives */
    uint32_t comm_room;
    struct pithi_kept_colls kept;
    struct pithi_map turns;                                 /* (communicator, rank): operations seen */
    struct pithi_map started;                               /* (rank, request): the edge that entered it */
    struct pithi_map places;                                /* (communicator, rank): its rank there */
    struct pithi_coll_rule *known;                          /* [definitions] */
    uint32_t start_event, end_event, all_event, kept_event; /* definitions; UINT32_MAX: not in the log */
    uint32_t *filled;                                       /* [ranks] */
    int messages_only;
};

static int no_memory(const struct pithi_edges *e)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to look for times that contradict each other", e->log->path);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

/* So many edges and meetings at most; the file's place on the disk is promised, or a full disk would be a signal. */
static int make_room(struct pithi_edges *e, uint64_t edges, uint64_t meetings, uint64_t seats)
{
    int fd, err = PITH_OK;
    void *mapped;
    if (edges >= PITHI_NO_PARTNER)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: more than 4e9 sends, receives and collectives", e->log->path);
    e->mapped_bytes = edges * sizeof *e->edges + meetings * sizeof *e->meetings + seats * sizeof *e->seats + 1;
    if ((fd = pithi_temporary_file()) < 0)
        return pithi_fail(PITH_ERR_IO, "no place for a temporary file: %s; set TMPDIR", strerror(errno));
    errno = posix_fallocate(fd, 0, (off_t)e->mapped_bytes);
    if (errno != 0)
        err = pithi_fail(PITH_ERR_IO, "no place for a temporary file: %s; set TMPDIR", strerror(errno));
    mapped = err ? MAP_FAILED : mmap(NULL, e->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (err)
        return err;
    if (mapped == MAP_FAILED)
        return no_memory(e);
    e->edges = mapped;
    e->meetings = (void *)(e->edges + edges);
    e->seats = (void *)(e->meetings + meetings);
    e->seat_room = (uint32_t)seats;
    return PITH_OK;
}

/* Only logs of nonblocking collectives tell their ends, and take a look at all events. */
static uint32_t kinds_of(const struct collecting *c)
{
    uint32_t events = c->end_event != UINT32_MAX || c->all_event != UINT32_MAX ? 1u << PITHLOG_EVENT : 0;
    return 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL | events;
}

static uint32_t groups_of(const struct collecting *c, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->e->log, number);
    return comm && comm->remote_size > 0 ? 2 : 1;
}

static int count_edges(struct collecting *c, uint64_t *edges, uint64_t *meetings)
{
    struct pithi_edges *e = c->e;
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = kinds_of(c)};
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(e->log, &query, &iter);
    if (err)
        return err;
    *edges = *meetings = 0;
    while ((count = pithlog_iter_next_many(iter, records, 256)) > 0)
        for (int i = 0; i < count; i++) {
            unsigned is_coll = records[i].kind == PITHLOG_COLL;
            unsigned more = records[i].kind != PITHLOG_EVENT ? 1 + is_coll : records[i].id == c->end_event;
            e->count[pithi_log_rank_of(e->log, records[i].lane)] += more;
            *edges += more;
            *meetings += is_coll ? groups_of(c, records[i].comm) : 0;
        }
    pithlog_iter_close(iter);
    return count < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

static struct pithi_edge *new_edge(struct collecting *c, uint32_t rank, enum pithi_edge_kind kind, int64_t time_ns)
{
    struct pithi_edge *edge = &c->e->edges[c->e->first[rank] + c->filled[rank]++];
    *edge = (struct pithi_edge){
        .time_ns = time_ns, .before_ns = INT64_MAX, .partner = PITHI_NO_PARTNER, .kind = (uint16_t)kind, .rank = rank};
    return edge;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The two ways between the groups of two ranks; the first is that from the lower group to the higher one. */
static int64_t *way(const struct pithi_edges *e, uint32_t from, uint32_t to, uint64_t *key)
{
    uint32_t a = e->group[from], b = e->group[to], index;
    *key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return pithi_map_get(&e->way_map, *key, &index) ? &e->ways[index].least_ns[a > b] : NULL;
}

int64_t pithi_edges_latency(const struct pithi_edges *e, uint32_t from, uint32_t to)
{
    uint64_t key;
    int64_t *there = way(e, from, to, &key), *back = way(e, to, from, &key);
    if (!there || !back || *there == INT64_MAX || *back == INT64_MAX)
        return 0;
    if (*there >= 0 && *back >= 0) /* all fits: nothing must change */
        return *there < *back ? *there : *back;
    return *there + *back > 0 ? (*there + *back) / 2 : 0;
}

static int see_message(struct collecting *c, const struct pithlog_message *message)
{
    struct pithi_edges *e = c->e;
    struct pithi_edge *send = &e->edges[message->send_lane], *recv = &e->edges[message->recv_lane];
    uint64_t key;
    int64_t *least = way(e, send->rank, recv->rank, &key), took = recv->time_ns - send->time_ns;
    send->partner = message->recv_lane;
    recv->partner = message->send_lane;
    e->messages += took < 0;
    if (!least) {
        if (!pithi_grow(&e->ways, e->way_count, &e->way_room, sizeof *e->ways) ||
            !pithi_map_put(&e->way_map, key, e->way_count))
            return no_memory(e);
        e->ways[e->way_count++] = (struct pithi_ways){{INT64_MAX, INT64_MAX}};
        least = way(e, send->rank, recv->rank, &key);
    }
    if (took < *least)
        *least = took;
    return PITH_OK;
}

/* The matcher numbers what it is given by its lane: here by the edge. */
static int take_message(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct pithlog_record own = *r;
    struct pithlog_message message;
    struct pithi_edge *edge =
        new_edge(c, rank, r->kind == PITHLOG_SEND ? PITHI_EDGE_SEND : PITHI_EDGE_RECV, r->time_ns);
    int32_t world_rank = pithi_log_rank(c->e->log, rank)->rank;
    int status, err = PITH_OK;
    own.lane = (uint32_t)(edge - c->e->edges);
    status = pithi_match_take(c->match, rank, world_rank, &own, &message);
    while (status > 0 && err == PITH_OK) {
        err = see_message(c, &message);
        status = r->kind == PITHLOG_RECV ? pithi_match_ready(c->match, rank, world_rank, 0, &message) : 0;
    }
    return status < 0 ? no_memory(c->e) : err;
}

static int flush_messages(struct collecting *c)
{
    struct pithlog_message message;
    int status = 0, err = PITH_OK;
    for (uint32_t i = 0; i < c->e->ranks && err == PITH_OK && status >= 0; i++)
        while ((status = pithi_match_ready(c->match, i, pithi_log_rank(c->e->log, i)->rank, 1, &message)) > 0)
            if ((err = see_message(c, &message)) != PITH_OK)
                break;
    return status < 0 ? no_memory(c->e) : err;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* Of each group one. */
static uint32_t new_meetings(struct pithi_edges *e, const struct pithlog_comm *comm)
{
    uint32_t first = e->meeting_count, groups = comm->remote_size > 0 ? 2 : 1;
    for (uint32_t i = 0; i < groups; i++)
        e->meetings[e->meeting_count++] = (struct pithi_meeting){.latest_ns = INT64_MIN,
                                                                 .root_ns = INT64_MIN,
                                                                 .left_ns = INT64_MAX,
                                                                 .left_root_ns = INT64_MAX,
                                                                 .members = comm->size == 0 ? e->ranks
                                                                            : i == 0        ? (uint32_t)comm->size
                                                                                     : (uint32_t)comm->remote_size};
    return first;
}

/* The operation that is this rank's next of `who`, a communicator, or a persistent one of `comm`. */
static int find_meeting(struct collecting *c, uint32_t rank, uint32_t who, uint32_t comm, uint32_t *found)
{
    struct pithi_edges *e = c->e;
    const struct pithlog_comm *of = pithlog_get_comm(e->log, comm);
    struct comm_seen *seen = &c->comms[who];
    uint64_t key = (uint64_t)who << 32 | rank;
    uint32_t turn = 0, members = of->size == 0 ? e->ranks : (uint32_t)of->size + (uint32_t)of->remote_size;
    pithi_map_get(&c->turns, key, &turn);
    if (!pithi_map_put(&c->turns, key, turn + 1))
        return no_memory(e);
    *found = PITHI_NO_PARTNER; /* more took part than it has members: the log is wrong */
    if (turn < seen->first || turn > seen->first + seen->count)
        return PITH_OK;
    if (turn == seen->first + seen->count) {
        if (!pithi_grow(&seen->meetings, seen->count, &seen->room, sizeof *seen->meetings))
            return no_memory(e);
        seen->meetings[seen->count++] = new_meetings(e, of);
    }
    *found = seen->meetings[turn - seen->first];
    e->meetings[*found].seen++;
    while (seen->count > 0 && e->meetings[seen->meetings[0]].seen >= members) {
        seen->first++;
        memmove(seen->meetings, seen->meetings + 1, --seen->count * sizeof *seen->meetings);
    }
    return PITH_OK;
}

/* The rank's place in the communicator, the second group's behind the first's; the number of all: none. */
static int find_place(struct collecting *c, uint32_t rank, uint32_t number, uint32_t *place)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->e->log, number);
    int32_t world_rank = pithi_log_rank(c->e->log, rank)->rank;
    uint64_t key = (uint64_t)number << 32 | rank;
    *place = rank;
    if (comm->size == 0 || pithi_map_get(&c->places, key, place))
        return PITH_OK;
    for (*place = 0; *place < (uint32_t)(comm->size + comm->remote_size) && comm->world_ranks[*place] != world_rank;)
        ++*place;
    return pithi_map_put(&c->places, key, *place) ? PITH_OK : no_memory(c->e);
}

/* A seat of the meeting. Where there is none, as the log has not what it says, nobody waits. */
static int find_seat(struct collecting *c, uint32_t rank, uint32_t comm, struct pithi_edge *enter)
{
    struct pithi_edges *e = c->e;
    struct pithi_meeting *meeting = &e->meetings[enter->partner];
    uint32_t place;
    int err = find_place(c, rank, comm, &place);
    if (err != PITH_OK || place >= meeting->members ||
        (meeting->seats == 0 && meeting->members > e->seat_room - e->seat_count))
        return err;
    if (meeting->seats == 0) {
        meeting->seats = e->seat_count + 1;
        for (uint32_t i = 0; i < meeting->members; i++)
            e->seats[e->seat_count++] = (struct pithi_seat){INT64_MAX, INT64_MAX};
    }
    enter->seat = place;
    return PITH_OK;
}

/* What entering does for others, and, PITHI_EDGE_LATER bits up, what the end waits for. */
static unsigned flags_of(const struct pithi_coll_rule *rule, int is_root, int gives, int gets, int has_seat)
{
    unsigned enter = gives ? PITHI_EDGE_GIVES : 0, leave = 0;
    if (rule->shape == PITHI_COLL_ALL) {
        leave = gets ? PITHI_EDGE_ALL : 0;
    } else if (rule->shape == PITHI_COLL_FROM) {
        enter = is_root && gives ? PITHI_EDGE_ROOT : 0;
        leave = !is_root && gets ? PITHI_EDGE_OF_ROOT : 0;
    } else if (rule->shape == PITHI_COLL_TO) {
        leave = is_root && gets ? PITHI_EDGE_ALL : 0;
    } else {
        leave = gets && has_seat ? PITHI_EDGE_LOWER : 0;
    }
    return enter | leave << PITHI_EDGE_LATER;
}

/* Between two groups: the rank's own meeting, and, as a flag of the end, where the other one is. */
static int find_group(struct collecting *c, uint32_t rank, uint32_t comm, struct pithi_edge *enter, unsigned *end)
{
    uint32_t place, first = (uint32_t)pithlog_get_comm(c->e->log, comm)->size;
    int err = find_place(c, rank, comm, &place);
    enter->partner += place >= first;
    *end = place >= first ? PITHI_EDGE_BEFORE : PITHI_EDGE_NEXT;
    return err;
}

/* Whose turn it is: a communicator's, or a persistent collective's, with its rule. */
static int find_who(struct collecting *c, uint32_t rank, const struct pithlog_record *r, uint32_t *who,
                    struct pithi_coll_rule *rule)
{
    struct lane_seen *lane = &c->lanes[r->lane];
    uint32_t comms = c->e->log->info.comms, most;
    const struct pithi_kept *kept = lane->request == UINT32_MAX ? NULL : pithi_kept_find(&c->kept, rank, lane->request);
    *who = r->comm;
    *rule = lane->state == UINT32_MAX ? (struct pithi_coll_rule){PITHI_COLL_NONE, 0} : c->known[lane->state];
    if (!kept)
        return PITH_OK;
    if (kept->state != UINT32_MAX)
        *rule = c->known[kept->state];
    if (!pithi_kept_who(&c->kept, r->comm, kept->number, who))
        return no_memory(c->e);
    *who += comms;
    if (*who < c->comm_room)
        return PITH_OK;
    most = 2 * *who + 8;
    if (!pithi_resize(&c->comms, c->comm_room, most, sizeof *c->comms))
        return no_memory(c->e);
    c->comm_room = most;
    return PITH_OK;
}

static int take_collective(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->e->log, r->comm);
    struct lane_seen *lane = &c->lanes[r->lane];
    struct pithi_edge *enter = new_edge(c, rank, PITHI_EDGE_ENTER, r->time_ns);
    struct pithi_coll_rule rule;
    unsigned group = 0;
    uint32_t who, request = lane->request;
    int gets_of_all = lane->gets_of_all, bare, is_root, err;
    err = find_who(c, rank, r, &who, &rule);
    lane->gets_of_all = 0;
    lane->request = UINT32_MAX;
    lane->started = PITHI_NO_PARTNER;
    enter->seat = PITHI_NO_SEAT;
    if (err != PITH_OK || c->messages_only || (comm->size == 0 && r->comm != 0))
        return err;
    if ((err = find_meeting(c, rank, who, r->comm, &enter->partner)) != PITH_OK)
        return err;
    if (rule.shape == PITHI_COLL_NONE || enter->partner == PITHI_NO_PARTNER)
        return PITH_OK;
    if (comm->remote_size > 0 && (err = find_group(c, rank, r->comm, enter, &group)) != PITH_OK)
        return err;
    if (rule.shape == PITHI_COLL_LOWER && (err = find_seat(c, rank, r->comm, enter)) != PITH_OK)
        return err;
    bare = rule.flags & PITHI_COLL_BARE;
    is_root = r->peer == pithi_log_rank(c->e->log, rank)->rank;
    enter->flags = (uint16_t)flags_of(&rule, is_root, bare || r->bytes > 0,
                                      rule.flags & PITHI_COLL_LOOSE ? gets_of_all : bare || r->got_bytes > 0,
                                      enter->seat != PITHI_NO_SEAT) |
                   (uint16_t)(group << PITHI_EDGE_LATER);
    if (rule.flags & PITHI_COLL_STARTS && request != UINT32_MAX) {
        if (!pithi_map_put(&c->started, (uint64_t)rank << 32 | request, (uint32_t)(enter - c->e->edges)))
            return no_memory(c->e);
    } else if (rule.flags & PITHI_COLL_STARTS) {
        lane->started = (uint32_t)(enter - c->e->edges);
    } else {
        lane->leaving = (uint32_t)(enter - c->e->edges);
        lane->coll_state = lane->state;
    }
    return PITH_OK;
}

/* The end of a collective that was entered at that edge. */
static void new_end(struct collecting *c, uint32_t rank, enum pithi_edge_kind kind, uint32_t entered, int64_t time_ns)
{
    const struct pithi_edge *enter = &c->e->edges[entered];
    struct pithi_edge *edge = new_edge(c, rank, kind, time_ns);
    edge->seat = enter->seat;
    edge->flags = enter->flags >> PITHI_EDGE_LATER;
    edge->partner =
        enter->partner + (edge->flags & PITHI_EDGE_NEXT ? 1 : 0) - (edge->flags & PITHI_EDGE_BEFORE ? 1 : 0);
}

static void take_leave(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct lane_seen *lane = &c->lanes[r->lane];
    if (r->id == lane->coll_state && lane->leaving != PITHI_NO_PARTNER) {
        new_end(c, rank, PITHI_EDGE_LEAVE, lane->leaving, r->time_ns);
        lane->leaving = PITHI_NO_PARTNER;
    }
    lane->state = UINT32_MAX;
}

static uint32_t request_of(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* What the recorder says of a collective: who it is for, that its request was made, that it is complete. */
static int take_event(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct lane_seen *lane = &c->lanes[r->lane];
    uint64_t key = (uint64_t)rank << 32;
    uint32_t entered;
    if (r->id == c->all_event)
        lane->gets_of_all = 1;
    if (r->id == c->kept_event && r->payload_bytes == 8)
        return pithi_kept_make(&c->kept, rank, request_of(r->payload), lane->state, request_of(r->payload + 4))
                   ? PITH_OK
                   : no_memory(c->e);
    if ((r->id != c->start_event && r->id != c->end_event) || r->payload_bytes != 4)
        return PITH_OK;
    key |= request_of(r->payload);
    if (r->id == c->start_event && !(lane->state != UINT32_MAX && c->known[lane->state].flags & PITHI_COLL_STARTS) &&
        pithi_kept_find(&c->kept, rank, request_of(r->payload))) {
        lane->request = request_of(r->payload);
        return PITH_OK;
    }
    if (r->id == c->start_event) {
        int stored = pithi_map_put(&c->started, key, lane->started);
        lane->started = PITHI_NO_PARTNER;
        return stored ? PITH_OK : no_memory(c->e);
    }
    if (pithi_map_get(&c->started, key, &entered) && entered != PITHI_NO_PARTNER) {
        new_end(c, rank, PITHI_EDGE_COMPLETE, entered, r->time_ns);
        pithi_map_put(&c->started, key, PITHI_NO_PARTNER);
    }
    return PITH_OK;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static int take(struct collecting *c, const struct pithlog_record *r)
{
    uint32_t rank = pithi_log_rank_of(c->e->log, r->lane);
    switch (r->kind) {
    case PITHLOG_ENTER:
        c->lanes[r->lane].state = r->id;
        return PITH_OK;
    case PITHLOG_LEAVE:
        take_leave(c, rank, r);
        return PITH_OK;
    case PITHLOG_COLL:
        return take_collective(c, rank, r);
    case PITHLOG_EVENT:
        return take_event(c, rank, r);
    default:
        return take_message(c, rank, r);
    }
}

static int take_all(struct collecting *c)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = kinds_of(c) | 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(c->e->log, &query, &iter);
    if (err)
        return err;
    while (err == PITH_OK && (count = pithlog_iter_next_many(iter, records, 256)) != 0) {
        if (count < 0)
            err = PITH_ERR_DAMAGED;
        for (int i = 0; i < count && err == PITH_OK; i++)
            err = take(c, &records[i]);
    }
    pithlog_iter_close(iter);
    return err ? err : flush_messages(c);
}

/* Ranks of one host and one number of a clock are taken to have one clock. */
static int find_groups(struct pithi_edges *e)
{
    struct pithi_map map = {0};
    uint32_t groups = 0;
    for (uint32_t i = 0; i < e->ranks; i++) {
        const struct pithi_log_rank *rank = pithi_log_rank(e->log, i);
        uint64_t key = (uint64_t)rank->clock << 32 | rank->host;
        if (!pithi_map_get(&map, key, &e->group[i])) {
            e->group[i] = groups++;
            if (!pithi_map_put(&map, key, e->group[i])) {
                pithi_map_free(&map);
                return no_memory(e);
            }
        }
    }
    pithi_map_free(&map);
    return PITH_OK;
}

/* 1: the log has scans. */
static int know_names(struct collecting *c)
{
    int has_scans = 0;
    c->start_event = c->end_event = c->all_event = c->kept_event = UINT32_MAX;
    for (uint32_t i = 0; i < c->e->log->info.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(c->e->log, i);
        if (def->kind == PITHLOG_STATE)
            c->known[i] = pithi_coll_rule(def->name);
        has_scans |= c->known[i].shape == PITHI_COLL_LOWER;
        if (def->kind != PITHLOG_EVENT_TYPE)
            continue;
        if (strcmp(def->name, PITHI_COLL_STARTED) == 0)
            c->start_event = i;
        else if (strcmp(def->name, PITHI_COLL_COMPLETE) == 0)
            c->end_event = i;
        else if (strcmp(def->name, PITHI_COLL_KEPT) == 0)
            c->kept_event = i;
        else if (strcmp(def->name, PITHI_COLL_OF_ALL) == 0)
            c->all_event = i;
    }
    return has_scans;
}

static int prepare(struct collecting *c)
{
    struct pithi_edges *e = c->e;
    uint64_t edges, meetings;
    uint32_t first = 0;
    int has_scans, err;
    e->ranks = pithi_log_ranks(e->log);
    e->first = calloc(e->ranks + (size_t)1, sizeof *e->first);
    e->count = calloc(e->ranks + (size_t)1, sizeof *e->count);
    e->group = calloc(e->ranks + (size_t)1, sizeof *e->group);
    c->filled = calloc(e->ranks + (size_t)1, sizeof *c->filled);
    c->lanes = calloc(e->log->info.lanes + (size_t)1, sizeof *c->lanes);
    c->comm_room = e->log->info.comms + 1;
    c->comms = calloc(c->comm_room, sizeof *c->comms);
    c->known = calloc(e->log->info.defs + (size_t)1, sizeof *c->known);
    c->match = pithi_match_new();
    if (!e->first || !e->count || !e->group || !c->filled || !c->lanes || !c->comms || !c->known || !c->match)
        return no_memory(e);
    TRY(find_groups(e));
    has_scans = know_names(c);
    TRY(count_edges(c, &edges, &meetings));
    TRY(make_room(e, edges, meetings, has_scans ? meetings : 0));
    for (uint32_t i = 0; i < e->ranks; first += e->count[i++])
        e->first[i] = first;
out:
    return err;
}

/* Where something is missing, the n-th operation of one rank need not be that of another. */
static int misses_some(const struct pithlog *log)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "ranks_not_recorded") == 0)
            return 1;
    return pithi_match_incomplete(log) || !log->info.complete;
}

int pithi_edges_collect(struct pithi_edges *e, struct pithlog *log)
{
    struct collecting c = {.e = e};
    int err;
    memset(e, 0, sizeof *e);
    e->log = log;
    TRY(prepare(&c));
    c.messages_only = misses_some(log);
    if (c.messages_only)
        pithi_match_cut(c.match);
    for (uint32_t i = 0; i < log->info.lanes; i++)
        c.lanes[i] = (struct lane_seen){UINT32_MAX, UINT32_MAX, PITHI_NO_PARTNER, PITHI_NO_PARTNER, UINT32_MAX, 0};
    TRY(take_all(&c));
    for (uint32_t i = 0; i < e->ranks; i++)
        e->count[i] = c.filled[i];
out:
    for (uint32_t i = 0; c.comms && i < c.comm_room; i++)
        free(c.comms[i].meetings);
    free(c.comms);
    free(c.lanes);
    free(c.known);
    free(c.filled);
    pithi_map_free(&c.turns);
    pithi_map_free(&c.started);
    pithi_map_free(&c.places);
    pithi_kept_free(&c.kept);
    pithi_match_free(c.match);
    return err;
}

void pithi_edges_free(struct pithi_edges *e)
{
    if (e->edges)
        munmap(e->edges, e->mapped_bytes);
    free(e->first);
    free(e->count);
    free(e->group);
    free(e->ways);
    pithi_map_free(&e->way_map);
}
