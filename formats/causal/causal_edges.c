/* causal_edges.c - collecting what ties ranks together: sends and receives matched, collectives put together. */
#include "causal/causal_edges.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "match.h"
#include "native/log.h"

/* The collectives of which it is known who waits for whom. Where nothing is given or got nobody has to wait. In a
 * scan only some wait for some; Alltoallv and Alltoallw do not tell who gets nothing of whom: they are left alone. */
enum direction { NEITHER, ALL, FROM_ROOT, TO_ROOT };
static const struct {
    const char *name;
    enum direction direction;
    int bare; /* 1: also without bytes */
} collectives[] = {
    {"MPI_Barrier", ALL, 1},     {"MPI_Allreduce", ALL, 0},     {"MPI_Allgather", ALL, 0},
    {"MPI_Allgatherv", ALL, 0},  {"MPI_Alltoall", ALL, 0},      {"MPI_Reduce_scatter_block", ALL, 0},
    {"MPI_Bcast", FROM_ROOT, 0}, {"MPI_Scatter", FROM_ROOT, 0}, {"MPI_Scatterv", FROM_ROOT, 0},
    {"MPI_Reduce", TO_ROOT, 0},  {"MPI_Gather", TO_ROOT, 0},    {"MPI_Gatherv", TO_ROOT, 0},
};

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
    uint32_t leaving;    /* which that is; UINT32_MAX: none */
    uint16_t leave_flags;
};

struct collecting {
    struct pithi_edges *e;
    struct pithi_match *match;
    struct lane_seen *lanes;
    struct comm_seen *comms;
    struct pithi_map turns; /* (communicator, rank): operations seen */
    signed char *known;     /* [definitions]: its row of the table, -1: none */
    uint32_t *filled;       /* [ranks] */
    int messages_only;
};

static int no_memory(const struct pithi_edges *e)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to look for times that contradict each other", e->log->path);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

/* So many edges and meetings at most; the file's place on the disk is promised, or a full disk would be a signal. */
static int make_room(struct pithi_edges *e, uint64_t edges, uint64_t meetings)
{
    int fd, err = PITH_OK;
    void *mapped;
    if (edges >= PITHI_NO_PARTNER)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: more than 4e9 sends, receives and collectives", e->log->path);
    e->mapped_bytes = edges * sizeof *e->edges + meetings * sizeof *e->meetings + 1;
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
    return PITH_OK;
}

static int count_edges(struct pithi_edges *e, uint64_t *edges, uint64_t *meetings)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL};
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(e->log, &query, &iter);
    if (err)
        return err;
    *edges = *meetings = 0;
    while ((count = pithlog_iter_next_many(iter, records, 256)) > 0)
        for (int i = 0; i < count; i++) {
            int is_coll = records[i].kind == PITHLOG_COLL;
            e->count[pithi_log_rank_of(e->log, records[i].lane)] += 1u + (unsigned)is_coll;
            *edges += 1u + (unsigned)is_coll;
            *meetings += (unsigned)is_coll;
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

/* The operation that is this rank's next on the communicator. */
static int find_meeting(struct collecting *c, uint32_t rank, uint32_t comm, uint32_t members, uint32_t *found)
{
    struct pithi_edges *e = c->e;
    struct comm_seen *seen = &c->comms[comm];
    uint64_t key = (uint64_t)comm << 32 | rank;
    uint32_t turn = 0;
    pithi_map_get(&c->turns, key, &turn);
    if (!pithi_map_put(&c->turns, key, turn + 1))
        return no_memory(e);
    *found = PITHI_NO_PARTNER; /* more took part than it has members: the log is wrong */
    if (turn < seen->first || turn > seen->first + seen->count)
        return PITH_OK;
    if (turn == seen->first + seen->count) {
        if (!pithi_grow(&seen->meetings, seen->count, &seen->room, sizeof *seen->meetings))
            return no_memory(e);
        e->meetings[e->meeting_count] = (struct pithi_meeting){.latest_ns = INT64_MIN,
                                                               .root_ns = INT64_MIN,
                                                               .left_ns = INT64_MAX,
                                                               .left_root_ns = INT64_MAX,
                                                               .members = members};
        seen->meetings[seen->count++] = e->meeting_count++;
    }
    *found = seen->meetings[turn - seen->first];
    e->meetings[*found].seen++;
    while (seen->count > 0 && e->meetings[seen->meetings[0]].seen >= members) {
        seen->first++;
        memmove(seen->meetings, seen->meetings + 1, --seen->count * sizeof *seen->meetings);
    }
    return PITH_OK;
}

static int take_collective(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->e->log, r->comm);
    struct lane_seen *lane = &c->lanes[r->lane];
    struct pithi_edge *enter = new_edge(c, rank, PITHI_EDGE_ENTER, r->time_ns);
    int row = lane->state != UINT32_MAX ? c->known[lane->state] : -1, is_root, err;
    uint32_t members = r->comm == 0 && comm->size == 0 ? c->e->ranks : (uint32_t)comm->size;
    if (c->messages_only || members == 0 || comm->remote_size != 0)
        return PITH_OK;
    if ((err = find_meeting(c, rank, r->comm, members, &enter->partner)) != PITH_OK)
        return err;
    if (row < 0 || enter->partner == PITHI_NO_PARTNER)
        return PITH_OK;
    is_root = r->peer == pithi_log_rank(c->e->log, rank)->rank;
    int gives = collectives[row].bare || r->bytes > 0, gets = collectives[row].bare || r->got_bytes > 0;
    if (collectives[row].direction == ALL) {
        enter->flags = gives ? PITHI_EDGE_GIVES : 0;
        lane->leave_flags = gets ? PITHI_EDGE_ALL : 0;
    } else if (collectives[row].direction == FROM_ROOT) {
        enter->flags = is_root && gives ? PITHI_EDGE_ROOT : 0;
        lane->leave_flags = !is_root && gets ? PITHI_EDGE_OF_ROOT : 0;
    } else {
        enter->flags = gives ? PITHI_EDGE_GIVES : 0;
        lane->leave_flags = is_root && gets ? PITHI_EDGE_ALL : 0;
    }
    lane->leaving = enter->partner;
    lane->coll_state = lane->state;
    return PITH_OK;
}

static void take_leave(struct collecting *c, uint32_t rank, const struct pithlog_record *r)
{
    struct lane_seen *lane = &c->lanes[r->lane];
    if (r->id == lane->coll_state && lane->leaving != UINT32_MAX) {
        struct pithi_edge *edge = new_edge(c, rank, PITHI_EDGE_LEAVE, r->time_ns);
        edge->partner = lane->leaving;
        edge->flags = lane->leave_flags;
        lane->leaving = UINT32_MAX;
    }
    lane->state = UINT32_MAX;
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
    default:
        return take_message(c, rank, r);
    }
}

static int take_all(struct collecting *c)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL |
                                           1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
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

static int prepare(struct collecting *c)
{
    struct pithi_edges *e = c->e;
    uint64_t edges, meetings;
    uint32_t first = 0;
    int err;
    e->ranks = pithi_log_ranks(e->log);
    e->first = calloc(e->ranks + (size_t)1, sizeof *e->first);
    e->count = calloc(e->ranks + (size_t)1, sizeof *e->count);
    e->group = calloc(e->ranks + (size_t)1, sizeof *e->group);
    c->filled = calloc(e->ranks + (size_t)1, sizeof *c->filled);
    c->lanes = calloc(e->log->info.lanes + (size_t)1, sizeof *c->lanes);
    c->comms = calloc(e->log->info.comms + (size_t)1, sizeof *c->comms);
    c->known = calloc(e->log->info.defs + (size_t)1, 1);
    c->match = pithi_match_new();
    if (!e->first || !e->count || !e->group || !c->filled || !c->lanes || !c->comms || !c->known || !c->match)
        return no_memory(e);
    TRY(find_groups(e));
    TRY(count_edges(e, &edges, &meetings));
    TRY(make_room(e, edges, meetings));
    for (uint32_t i = 0; i < e->ranks; first += e->count[i++])
        e->first[i] = first;
out:
    return err;
}

/* "MPI_Bcast" or "MPI_Bcast_c". */
static void know_names(struct collecting *c)
{
    for (uint32_t i = 0; i < c->e->log->info.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(c->e->log, i);
        c->known[i] = -1;
        for (size_t row = 0; def->kind == PITHLOG_STATE && row < sizeof collectives / sizeof *collectives; row++) {
            size_t length = strlen(collectives[row].name);
            if (strncmp(def->name, collectives[row].name, length) == 0 &&
                (def->name[length] == '\0' || strcmp(def->name + length, "_c") == 0))
                c->known[i] = (signed char)row;
        }
    }
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
    know_names(&c);
    c.messages_only = misses_some(log);
    if (c.messages_only)
        pithi_match_cut(c.match);
    for (uint32_t i = 0; i < log->info.lanes; i++)
        c.lanes[i] = (struct lane_seen){UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};
    TRY(take_all(&c));
    for (uint32_t i = 0; i < e->ranks; i++)
        e->count[i] = c.filled[i];
out:
    for (uint32_t i = 0; c.comms && i < log->info.comms; i++)
        free(c.comms[i].meetings);
    free(c.comms);
    free(c.lanes);
    free(c.known);
    free(c.filled);
    pithi_map_free(&c.turns);
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
