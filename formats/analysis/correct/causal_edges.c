/* causal_edges.c - collects the edges: matches sends with receives, and assigns collective records to instances.
 *
 * An edge is a record that may tie its rank to another one. The passes of causal.c go along the edges of a rank and
 * look at their partners. So the edges of a rank are adjacent and in order of time, and each edge has the index of its
 * partner in `edges`:
 *
 *     rank 0     send, barrier             edges 0 SEND   (partner 3), 1 ENTER, 2 LEAVE  (instance 0)
 *     rank 1     receive, barrier          edges 3 RECV   (partner 0), 4 ENTER, 5 LEAVE  (instance 0)
 *
 * The log is in order of time over all ranks. It is read twice, first to count the edges of each rank, then to store
 * them. An edge has 48 bytes, and a long run can have 1e8 edges. So the edges are in a mapped temporary file. The
 * passes read it in order, and the system keeps in memory what it has room for. */
#include "analysis/correct/causal_edges.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/waits/collectives.h"
#include "analysis/waits/pairs.h"
#include "base/error.h"
#include "base/temporary.h"
#include "native/log.h"
#include "reader/read/match.h"

/* State of a lane while its records are read. */
struct lane_seen {
    uint32_t state;      /* the state entered last; UINT32_MAX: it has been left */
    uint32_t coll_state; /* state of the collective under way */
    uint32_t leaving;    /* the ENTER edge of this collective; PITHI_NO_PARTNER: none */
};

struct collecting {
    struct pithi_edges *e;
    struct pithi_pairs *pairs; /* sends and receives to match; the number of each is the index of its edge */
    struct pithi_colls *colls; /* each member's note is the index of its ENTER edge; NULL: only messages are paired */
    struct lane_seen *lanes;   /* [lanes] */
    uint32_t *filled;          /* [ranks]: edges stored so far */
    uint32_t kinds;            /* mask of the kinds of records that make edges */
};

static int no_memory(const struct pithi_edges *e)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to look for times that contradict each other", e->log->path);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

/* Maps a file with room for these numbers of entries. Reserves its disk space, so that a full disk gives an error now
 * and no signal later. */
static int make_room(struct pithi_edges *e, uint64_t edges, uint64_t instances, uint64_t positions)
{
    int fd, err = PITH_OK;
    void *mapped;
    if (edges >= PITHI_NO_PARTNER)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: more than 4e9 sends, receives and collectives", e->log->path);
    e->mapped_bytes =
        edges * sizeof *e->edges + instances * sizeof *e->instances + positions * sizeof *e->positions + 1;
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
    e->instances = (void *)(e->edges + edges);
    e->positions = (void *)(e->instances + instances);
    e->position_room = (uint32_t)positions;
    return PITH_OK;
}

static uint32_t groups_of(const struct collecting *c, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->e->log, number);
    return comm && comm->remote_size > 0 ? 2 : 1;
}

static int count_edges(struct collecting *c, uint64_t *edges, uint64_t *instances)
{
    struct pithi_edges *e = c->e;
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = c->kinds};
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(e->log, &query, &iter);
    if (err)
        return err;
    *edges = *instances = 0;
    while ((count = pithlog_iter_next_many(iter, records, 256)) > 0)
        for (int i = 0; i < count; i++) {
            unsigned is_coll = records[i].kind == PITHLOG_COLL;
            unsigned more = records[i].kind != PITHLOG_EVENT ? 1 + is_coll
                                                             : c->colls && pithi_colls_completes(c->colls, &records[i]);
            e->count[pithi_log_rank_of(e->log, records[i].lane)] += more;
            *edges += more;
            *instances += is_coll ? groups_of(c, records[i].comm) : 0;
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

/* Returns the smallest latency from the clock group of a rank to that of another, or NULL if there is no message
 * between the two groups. A group has the ranks that share a clock, because the error of their times is the same. Sets
 * *key to the pair of groups. */
static int64_t *least_latency(const struct pithi_edges *e, uint32_t from, uint32_t to, uint64_t *key)
{
    uint32_t a = e->group[from], b = e->group[to], index;
    *key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return pithi_map_get(&e->latency_map, *key, &index) ? &e->latencies[index].least_ns[a > b] : NULL;
}

/* Example: by the recorded times, messages from one group to another took at least 12 ns, and messages back at least
 * -4 ns. So the clocks differ by 8 ns, and the latency is (12 - 4) / 2 = 4 ns. */
int64_t pithi_edges_latency(const struct pithi_edges *e, uint32_t from, uint32_t to)
{
    uint64_t key;
    int64_t *there = least_latency(e, from, to, &key), *back = least_latency(e, to, from, &key);
    if (!there || !back || *there == INT64_MAX || *back == INT64_MAX)
        return 0;
    if (*there >= 0 && *back >= 0) /* no message was received before it was sent */
        return *there < *back ? *there : *back;
    return *there + *back > 0 ? (*there + *back) / 2 : 0;
}

static int see_message(struct collecting *c, const struct pithlog_message *message)
{
    struct pithi_edges *e = c->e;
    struct pithi_edge *send = &e->edges[message->send_lane], *recv = &e->edges[message->recv_lane];
    uint64_t key;
    int64_t *least = least_latency(e, send->rank, recv->rank, &key), took = recv->time_ns - send->time_ns;
    send->partner = message->recv_lane;
    recv->partner = message->send_lane;
    e->messages += took < 0;
    if (!least) {
        if (!pithi_grow(&e->latencies, e->latency_count, &e->latency_room, sizeof *e->latencies) ||
            !pithi_map_put(&e->latency_map, key, e->latency_count))
            return no_memory(e);
        e->latencies[e->latency_count++] = (struct pithi_latencies){{INT64_MAX, INT64_MAX}};
        least = least_latency(e, send->rank, recv->rank, &key);
    }
    if (took < *least)
        *least = took;
    return PITH_OK;
}

static int take_message(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct pithlog_message message;
    struct pithi_edge *edge =
        new_edge(c, rank, r->kind == PITHLOG_SEND ? PITHI_EDGE_SEND : PITHI_EDGE_RECV, r->time_ns);
    int status = pithi_pairs_take(c->pairs, r, (uint32_t)(edge - c->e->edges), &message), err = PITH_OK;

    if (status > 0)
        err = see_message(c, &message);
    while (err == PITH_OK && status >= 0 && (status = pithi_pairs_more(c->pairs, &message)) > 0)
        err = see_message(c, &message);
    return status < 0 ? no_memory(c->e) : err;
}

static int flush_messages(struct collecting *c)
{
    struct pithlog_message message;
    int status, err = PITH_OK;
    while ((status = pithi_pairs_rest(c->pairs, &message)) > 0)
        if ((err = see_message(c, &message)) != PITH_OK)
            return err;
    return status < 0 ? no_memory(c->e) : PITH_OK;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* Returns the index in `instances` of the entry that a member's part belongs to. A collective between two groups has
 * two adjacent entries, one for each group. */
static uint32_t find_instance(struct pithi_edges *e, const struct pithi_coll_part *part, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(e->log, number);
    while (e->instance_count < part->serial + 1 + (part->is_inter != 0))
        e->instances[e->instance_count++] = (struct pithi_instance){
            .latest_ns = INT64_MIN, .root_ns = INT64_MIN, .left_ns = INT64_MAX, .left_root_ns = INT64_MAX};
    for (uint32_t group = 0; group < 1 + (part->is_inter != 0); group++)
        e->instances[part->serial + group].members = comm->size == 0 ? e->ranks
                                                     : group         ? (uint32_t)comm->remote_size
                                                                     : (uint32_t)comm->size;
    return part->serial + (part->is_second != 0);
}

/* Returns the scan position of a member, or PITHI_NO_POSITION if the log contradicts itself; then this member waits for
 * none. */
static uint32_t find_position(struct pithi_edges *e, struct pithi_instance *instance, uint32_t place)
{
    if (place >= instance->members ||
        (instance->positions == 0 && instance->members > e->position_room - e->position_count))
        return PITHI_NO_POSITION;
    if (instance->positions == 0) {
        instance->positions = e->position_count + 1;
        for (uint32_t i = 0; i < instance->members; i++)
            e->positions[e->position_count++] = (struct pithi_scan_place){INT64_MAX, INT64_MAX};
    }
    return place;
}

/* Returns the flags of a member's ENTER, together with the flags of its LEAVE shifted left by PITHI_EDGE_LATER. */
static unsigned flags_of(const struct pithi_coll_rule *rule, int is_root, int gives, int gets, int has_position)
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
        leave = gets && has_position ? PITHI_EDGE_LOWER : 0;
    }
    return enter | leave << PITHI_EDGE_LATER;
}

static int take_collective(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct pithi_edges *e = c->e;
    struct lane_seen *lane = &c->lanes[r->lane];
    struct pithi_edge *enter = new_edge(c, rank, PITHI_EDGE_ENTER, r->time_ns);
    uint32_t at = (uint32_t)(enter - e->edges);
    struct pithi_coll_part part;
    enter->position = PITHI_NO_POSITION;
    if (!c->colls)
        return PITH_OK;
    if (pithi_colls_enter(c->colls, r, lane->state, at, &part) < 0)
        return no_memory(e);
    if (part.coll == UINT32_MAX)
        return PITH_OK;
    /* `colls` only assigns records to instances here. So each member leaves the instance at once, and `colls` can drop
     * it when all members have entered. INT64_MAX: no time is given, because `colls` needs none here. */
    pithi_colls_leave(c->colls, &part, INT64_MAX);
    enter->partner = find_instance(e, &part, r->comm);
    if (part.rule.shape == PITHI_COLL_LOWER)
        enter->position = find_position(e, &e->instances[enter->partner], part.place);
    unsigned bare = part.rule.flags & PITHI_COLL_BARE, is_loose = part.rule.flags & PITHI_COLL_LOOSE;
    unsigned group = !part.is_inter ? 0 : part.is_second ? PITHI_EDGE_BEFORE : PITHI_EDGE_NEXT;
    enter->flags = (uint16_t)(flags_of(&part.rule, part.is_root, bare || r->bytes > 0,
                                       is_loose ? part.gets_of_all : bare || r->got_bytes > 0,
                                       enter->position != PITHI_NO_POSITION) |
                              group << PITHI_EDGE_LATER);
    if (!part.starts) {
        lane->leaving = at;
        lane->coll_state = lane->state;
    }
    return PITH_OK;
}

/* Adds the end of the collective whose ENTER is the edge `entered`. */
static void new_end(struct collecting *c, uint32_t rank, enum pithi_edge_kind kind, uint32_t entered, int64_t time_ns)
{
    const struct pithi_edge *enter = &c->e->edges[entered];
    struct pithi_edge *edge = new_edge(c, rank, kind, time_ns);
    edge->position = enter->position;
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

/* Takes an event of a nonblocking collective; adds an edge if the event completes the collective. */
static int take_event(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct pithi_coll_part part;
    int status = pithi_colls_event(c->colls, r, c->lanes[r->lane].state, &part);
    if (status > 0)
        new_end(c, rank, PITHI_EDGE_COMPLETE, part.note, r->time_ns);
    return status < 0 ? no_memory(c->e) : PITH_OK;
}

/* ---- Collecting -------------------------------------------------------------------------------------------------- */

static int take_edge(struct collecting *c, const struct pithlog_record *r)
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
    case PITHLOG_LOST:
        pithi_pairs_lost(c->pairs, r);
        return PITH_OK;
    default:
        return take_message(c, rank, r);
    }
}

static int take_all(struct collecting *c)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = c->kinds | 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_LOST};
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(c->e->log, &query, &iter);
    if (err)
        return err;
    pithi_pairs_follow(c->pairs, iter);
    while (err == PITH_OK && (count = pithlog_iter_next_many(iter, records, 256)) != 0) {
        if (count < 0)
            err = PITH_ERR_DAMAGED;
        for (int i = 0; i < count && err == PITH_OK; i++)
            err = take_edge(c, &records[i]);
    }
    pithlog_iter_close(iter);
    return err ? err : flush_messages(c);
}

/* Gives ranks with the same host and clock number the same group, because they share a clock. */
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

/* Returns 1 if the log has scans, that is, states of MPI_Scan or MPI_Exscan. */
static int has_scans(const struct pithlog *log)
{
    for (uint32_t i = 0; i < log->info.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind == PITHLOG_STATE && pithi_coll_rule(def->name).shape == PITHI_COLL_LOWER)
            return 1;
    }
    return 0;
}

/* Returns 1 if records are missing. Then the n-th collective of a rank may not be the n-th of another rank. */
static int misses_some(const struct pithlog *log)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "ranks_not_recorded") == 0)
            return 1;
    return pithi_match_incomplete(log);
}

static int prepare(struct collecting *c)
{
    struct pithi_edges *e = c->e;
    uint64_t edges, instances;
    uint32_t first = 0;
    int err;
    e->ranks = pithi_log_ranks(e->log);
    e->first = calloc(e->ranks + (size_t)1, sizeof *e->first);
    e->count = calloc(e->ranks + (size_t)1, sizeof *e->count);
    e->group = calloc(e->ranks + (size_t)1, sizeof *e->group);
    c->filled = calloc(e->ranks + (size_t)1, sizeof *c->filled);
    c->lanes = calloc(e->log->info.lanes + (size_t)1, sizeof *c->lanes);
    c->pairs = pithi_pairs_open(e->log);
    if (!e->first || !e->count || !e->group || !c->filled || !c->lanes || !c->pairs)
        return no_memory(e);
    for (uint32_t i = 0; i < e->log->info.lanes; i++)
        c->lanes[i] = (struct lane_seen){UINT32_MAX, UINT32_MAX, PITHI_NO_PARTNER};
    if (!misses_some(e->log))
        TRY(pithi_colls_open(e->log, 0, &c->colls));
    c->kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL;
    if (c->colls && pithi_colls_have_events(c->colls))
        c->kinds |= 1u << PITHLOG_EVENT;
    TRY(find_groups(e));
    TRY(count_edges(c, &edges, &instances));
    TRY(make_room(e, edges, instances, has_scans(e->log) ? instances : 0));
    for (uint32_t i = 0; i < e->ranks; first += e->count[i++])
        e->first[i] = first;
out:
    return err;
}

int pithi_edges_collect(struct pithi_edges *e, struct pithlog *log)
{
    struct collecting c = {.e = e};
    int err;
    memset(e, 0, sizeof *e);
    e->log = log;
    TRY(prepare(&c));
    TRY(take_all(&c));
    for (uint32_t i = 0; i < e->ranks; i++)
        e->count[i] = c.filled[i];
out:
    free(c.lanes);
    free(c.filled);
    pithi_colls_close(c.colls);
    pithi_pairs_close(c.pairs);
    return err;
}

void pithi_edges_free(struct pithi_edges *e)
{
    if (e->edges)
        munmap(e->edges, e->mapped_bytes);
    free(e->first);
    free(e->count);
    free(e->group);
    free(e->latencies);
    pithi_map_free(&e->latency_map);
}
