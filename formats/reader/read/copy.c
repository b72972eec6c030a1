/* copy.c - copies a log or a part of it (copy.h). Most of this file handles messages of which only one end is in the
 * part; see below.
 *
 * The numbers of definitions, lanes and communicators are different in each log. So all of these are first added to the
 * writer, which returns their numbers in the copy; then the numbers in each record are translated. If several logs are
 * copied into one writer, equal definitions and communicators become one. */
#include "reader/read/copy.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "native/log.h"
#include "reader/query/filter.h"
#include "reader/read/carry.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"
#include "reader/read/native.h"

/* ---- Messages with one end in the part ----------------------------------------------------------------------------
 *
 * On a path (communicator, sender, receiver, tag) the n-th send belongs to the n-th receive by order of posting
 * (match.c). A part that lacks the first receive would give its send to the second receive:
 *
 *     | the part |  send 1   recv 0   send 2   recv 1      send 0 lies before the part: recv 0 must match no send
 *
 * So all messages of the log are matched first. If only one end of a message is in the part, this send or receive loses
 * its peer in the copy. (It keeps the peer if no lane of the peer's rank is copied, because then it cannot match a
 * wrong partner.) The receives of a rank get new numbers of posting, from 0 on, because a missing number would hold
 * back all later receives:
 *
 *     posted in the part: 7, 8, 12, 13, 14     runs: 7 to 8 (before 0), 12 to 14 (before 2)
 *     13 is in the second run:                 2 + (13 - 12) = 3, so the copy has 0, 1, 2, 3, 4
 *
 * The numbers are kept as runs and not one by one, because an interval of a log has few runs, however long it is. */

struct posting_run {
    uint64_t first, last; /* all numbers of posting from first to last are in the part */
    uint64_t before;      /* number of receives in earlier runs */
};

/* The numbers of posting of one rank's receives in the part. */
struct postings {
    struct posting_run *runs; /* [count] ascending; no two runs have a number in common */
    uint32_t count, room;
};

/* A copy in progress. */
struct copying {
    struct pithlog *log; /* not owned */
    struct pithi_writer *writer;
    const struct pithi_copy *what;  /* owned by the caller */
    struct pithlog_query query;     /* selects the records that are read */
    uint32_t *defs, *lanes, *comms; /* numbers in the copy; UINT32_MAX: the lane is left out */
    struct pithi_scope scope;       /* the part of the log that can match the filter; not used without a filter */
    unsigned char *kept;            /* [lanes] 1: the lane is copied */
    int part;                       /* 1: only a part of the log is copied */
    struct pithi_map unmatched;     /* from end_key to the number of unmatched ends with this key */
    struct postings *postings;      /* [rank_count] by index of the rank in the log */
    uint32_t rank_count;
    uint32_t *next_lost; /* [lanes] index of the lane's next hole of a LOST record; NULL with a filter */
    int64_t now_ns;      /* time of the last record */
    int64_t *holes; /* [lanes] time of a hole that is not marked in the copy yet; INT64_MAX: none; NULL: not used */
    uint32_t hole; /* the lane whose hole was reported last; UINT32_MAX: no hole was reported for the current records */
};

static int no_memory(const struct copying *c)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to copy it", c->log->path);
}

/* Returns the key of an end of a message (a send or a receive). Ends with equal keys are interchangeable. */
static uint64_t end_key(uint32_t kind, uint32_t lane, int64_t time_ns, uint32_t comm, int32_t peer, int32_t tag)
{
    uint64_t hash = pithi_hash_mix(pithi_hash_mix(0, (uint64_t)kind << 32 | lane), (uint64_t)time_ns);
    return pithi_hash_mix(pithi_hash_mix(hash, (uint64_t)comm << 32 | (uint32_t)tag), (uint32_t)peer);
}

static int inside(const struct copying *c, uint32_t lane, int64_t time_ns)
{
    return c->kept[lane] && time_ns >= c->query.from_ns && time_ns <= c->query.to_ns;
}

/* Returns 1 if some lane of this lane's rank is copied. */
static int rank_inside(const struct copying *c, uint32_t lane)
{
    const struct pithi_log_rank *rank = pithi_log_rank(c->log, pithi_log_rank_of(c->log, lane));
    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (c->kept[rank->first_lane + i])
            return 1;
    return 0;
}

/* Returns 1 if the send of a message (is_send 1), or the receive (is_send 0), is copied. */
static int has_end(const struct copying *c, const struct pithlog_message *m, int is_send)
{
    const struct pithlog_filter *filter = c->what->filter;

    return inside(c, is_send ? m->send_lane : m->recv_lane, is_send ? m->send_ns : m->recv_ns) &&
           (!filter || pithi_filter_end(filter, c->log, m, is_send ? PITHLOG_SEND : PITHLOG_RECV));
}

static int find_unmatched(struct copying *c)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;
    int status = 0, err = pithlog_matcher_open(c->log, &matcher);
    if (err != PITH_OK)
        return err;
    while (err == PITH_OK && (status = pithlog_matcher_next(matcher, &m)) == 1) {
        int send = has_end(c, &m, 1), recv = has_end(c, &m, 0);
        uint32_t here = send ? m.send_lane : m.recv_lane, other = send ? m.recv_lane : m.send_lane, count = 0;
        if (send == recv || !rank_inside(c, other))
            continue;
        uint64_t key = end_key(send ? PITHLOG_SEND : PITHLOG_RECV, here, send ? m.send_ns : m.recv_ns, m.comm,
                               pithi_log_rank(c->log, pithi_log_rank_of(c->log, other))->rank, m.tag);
        pithi_map_get(&c->unmatched, key, &count);
        if (!pithi_map_put(&c->unmatched, key, count + 1))
            err = no_memory(c);
    }
    pithlog_matcher_close(matcher);
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

/* Returns the index of the first run that ends at or after `posted`. */
static uint32_t find_run(const struct postings *p, uint64_t posted)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->runs[middle].last < posted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the number of posting of a receive to the runs. Returns 0 if there is no memory. */
static int add_posting(struct postings *p, uint64_t posted)
{
    uint32_t i = find_run(p, posted);
    if (i < p->count && p->runs[i].first <= posted)
        return 1; /* seen before */
    int follows = i > 0 && p->runs[i - 1].last + 1 == posted, leads = i < p->count && p->runs[i].first - 1 == posted;
    if (follows && leads) {
        p->runs[i - 1].last = p->runs[i].last;
        memmove(p->runs + i, p->runs + i + 1, (--p->count - i) * sizeof *p->runs);
    } else if (follows) {
        p->runs[i - 1].last = posted;
    } else if (leads) {
        p->runs[i].first = posted;
    } else {
        if (!pithi_grow(&p->runs, p->count, &p->room, sizeof *p->runs))
            return 0;
        memmove(p->runs + i + 1, p->runs + i, (p->count++ - i) * sizeof *p->runs);
        p->runs[i] = (struct posting_run){posted, posted, 0};
    }
    return 1;
}

static int find_postings(struct copying *c)
{
    struct pithlog_query query = c->query;
    struct pithlog_record r;
    struct pithlog_iter *iter;
    int status = 0, err = PITH_OK;
    query.kinds = 1u << PITHLOG_RECV;
    query.flags = 0;
    CHECK(pithlog_iter_open(c->log, &query, &iter));
    while (err == PITH_OK && (status = pithlog_iter_next(iter, &r)) == 1)
        if (!add_posting(&c->postings[pithi_log_rank_of(c->log, r.lane)], r.posted))
            err = no_memory(c);
    pithlog_iter_close(iter);
    for (uint32_t i = 0; i < c->rank_count; i++) {
        struct postings *p = &c->postings[i];
        for (uint32_t k = 1; k < p->count; k++)
            p->runs[k].before = p->runs[k - 1].before + (p->runs[k - 1].last - p->runs[k - 1].first) + 1;
    }
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Adds a definition to the writer. If two logs have different payload formats for an event of the same name, the copy
 * has two events, the second with a number after its name. */
static int add_def(struct copying *c, const struct pithlog_def *def, uint32_t *id)
{
    struct pithi_defs *defs = pithi_writer_defs(c->writer);
    struct pithlog_def own = *def;
    char *name = NULL;
    int err = pithi_defs_add(defs, def, id);
    for (unsigned n = 2; err == PITH_OK && strcmp(pithi_defs_get(defs, *id)->format, def->format) != 0; n++) {
        free(name);
        if (asprintf(&name, "%s (%u)", def->name, n) < 0)
            return no_memory(c);
        own.name = name;
        err = pithi_defs_add(defs, &own, id);
    }
    free(name);
    if (err == PITH_OK && c->what->differing) {
        const struct pithlog_def *there = pithi_defs_get(defs, *id);
        *c->what->differing += strcmp(there->colour, def->colour) != 0 || strcmp(there->group, def->group) != 0;
    }
    return err;
}

/* ---- Ranks, lanes, communicators --------------------------------------------------------------------------------- */

static int copy_lane(struct copying *c, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(c->log, number);
    uint32_t thread = c->what->threads ? c->what->threads[number] : lane->thread;
    const char *program = c->what->program;
    char *name = NULL;
    if (!c->kept[number]) {
        c->lanes[number] = UINT32_MAX;
        return PITH_OK;
    }
    if (program && asprintf(&name, "%s%s%s", program, lane->name[0] ? "/" : "", lane->name) < 0)
        return no_memory(c);
    int err = pithi_writer_lane(c->writer, lane->rank + c->what->rank_offset, thread, name ? name : lane->name,
                                &c->lanes[number]);
    free(name);
    return err;
}

static int32_t moved(const struct copying *c, int32_t rank)
{
    int32_t sum;
    return rank < 0 || __builtin_add_overflow(rank, c->what->rank_offset, &sum) ? -1 : sum;
}

static int copy_comm(struct copying *c, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->log, number);
    struct pithlog_comm world = {.name = comm->name};
    if (c->what->program) {
        /* With several programs, gives the communicator a key and a name that no other program uses, and gives its
         * members their new ranks. */
        uint32_t *index = &c->comms[number];
        size_t members = (size_t)comm->size + (size_t)comm->remote_size;
        int32_t *ranks = malloc((members + 1) * sizeof *ranks);
        struct pithlog_comm own = *comm;
        char *name = NULL;
        int err = PITH_ERR_MEMORY;
        own.key = pithi_hash_mix(comm->key, c->what->salt) | 1;
        if (ranks && asprintf(&name, "%s %s", c->what->program, comm->name) >= 0) {
            for (size_t i = 0; i < members; i++)
                ranks[i] = moved(c, comm->world_ranks[i]);
            own.world_ranks = ranks;
            own.name = name;
            err = pithi_writer_comm(c->writer, &own, index);
            free(name);
        } else {
            no_memory(c);
        }
        free(ranks);
        return err;
    }
    if (number == 0 && c->what->one_of_many && c->log->places->comms[0].size == 0)
        comm = &world; /* the log does not list the members of the world: takes all ranks of all logs */
    return pithi_writer_comm(c->writer, comm, &c->comms[number]);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Returns 1 if the kind of a record fits the kind of its definition; 0 if not, because then the record is damaged. */
static int is_of_kind(const struct pithlog *log, const struct pithlog_record *r)
{
    static const enum pithlog_def_kind kinds[] = {[PITHLOG_ENTER] = PITHLOG_STATE,
                                                  [PITHLOG_LEAVE] = PITHLOG_STATE,
                                                  [PITHLOG_EVENT] = PITHLOG_EVENT_TYPE,
                                                  [PITHLOG_COUNTER] = PITHLOG_COUNTER_TYPE};
    return r->kind > PITHLOG_COUNTER || pithi_defs_get(log->defs, r->id)->kind == kinds[r->kind];
}

/* Stores in a LOST record how many states ended in its hole. In a copy by a filter, this number is not known, because
 * some of these states may be left out. */
static int number_lost(struct copying *c, struct pithlog_record *r)
{
    const struct pithi_lost_states *lost;
    r->got_bytes = 0;
    if (!c->next_lost || !pithi_is_hole(c->log, r))
        return PITH_OK;
    CHECK(pithi_lost_states_get(c->log, r->lane, &lost));
    uint32_t *next = &c->next_lost[r->lane];
    while (lost && *next < lost->hole_count && lost->holes[*next].from_ns < r->time_ns)
        ++*next;
    if (lost && *next < lost->hole_count && lost->holes[*next].from_ns == r->time_ns)
        r->got_bytes = lost->holes[(*next)++].gone + UINT64_C(1);
    return PITH_OK;
}

/* Translates a record to the numbers of the copy. */
static void translate(struct copying *c, struct pithlog_record *r)
{
    const struct pithi_copy *what = c->what;
    int has_peer = r->kind == PITHLOG_SEND || r->kind == PITHLOG_RECV;
    if (has_peer && c->part) {
        /* Sets the peer and the number of posting that the record has in the part. This uses up an entry of
         * `unmatched`, so it must be done once for each record. */
        uint64_t key = end_key(r->kind, r->lane, r->time_ns, r->comm, r->peer, r->tag);
        uint32_t count = 0;
        if (pithi_map_get(&c->unmatched, key, &count) && count > 0) {
            pithi_map_put(&c->unmatched, key, count - 1);
            r->peer = -1;
        }
        if (r->kind == PITHLOG_RECV) {
            const struct postings *p = &c->postings[pithi_log_rank_of(c->log, r->lane)];
            uint32_t i = find_run(p, r->posted);
            if (i < p->count)
                r->posted = p->runs[i].before + (r->posted - p->runs[i].first);
        }
    }
    if (what->move)
        r->time_ns = pithi_time_moved(r->time_ns, what->move(what->move_context, r));
    if (r->time_ns < what->from_ns)
        r->time_ns = what->from_ns;
    r->time_ns = pithi_time_moved(r->time_ns, what->shift_ns);
    if (has_peer || r->kind == PITHLOG_COLL)
        r->peer = moved(c, r->peer);
    r->lane = c->lanes[r->lane];
    if (r->kind > PITHLOG_COUNTER || r->comm != 0) /* in a state or event, 0 means no communicator */
        r->comm = c->comms[r->comm];
    if (r->kind <= PITHLOG_COUNTER)
        r->id = c->defs[r->id];
}

static void tell_hole(void *context, uint32_t lane)
{
    struct copying *c = context;
    c->holes[lane] = c->now_ns;
    c->hole = lane;
}

/* Adds a LOST record where records of a lane are missing. It counts 1, because the number of missing records is not
 * known. */
static int mark_hole(struct copying *c, uint32_t lane)
{
    struct pithlog_record lost = {
        .kind = PITHLOG_LOST, .lane = lane, .time_ns = c->holes[lane], .peer = -1, .bytes = 1};
    c->holes[lane] = INT64_MAX;
    translate(c, &lost);
    return pithi_writer_add(c->writer, &lost);
}

static int copy_records(struct copying *c)
{
    enum { MANY = 128 }; /* records copied at once */
    uint64_t *damages = c->what->damages;
    struct pithlog_iter *iter;
    struct pithlog_record records[MANY];
    int got, err = pithlog_iter_open(c->log, &c->query, &iter);
    if (err != PITH_OK)
        return err;
    /* if damage is allowed, learns where records are missing */
    c->now_ns = c->log->info.start_ns;
    c->hole = UINT32_MAX;
    if (c->what->damages) {
        if (!(c->holes = malloc((c->log->info.lanes + (size_t)1) * sizeof *c->holes))) {
            err = no_memory(c);
            goto out;
        }
        for (uint32_t i = 0; i < c->log->info.lanes; i++)
            c->holes[i] = INT64_MAX;
        pithi_iter_tell_holes(iter, (struct pithi_holes){tell_hole, c});
    }
    while ((got = pithlog_iter_next_many(iter, records, MANY)) != 0) {
        uint32_t kept = 0;
        if (got < 0 && !damages) {
            err = PITH_ERR_DAMAGED;
            goto out;
        }
        /* If damage is allowed, leaves out records that cannot be read, and marks their place in the lane by a LOST
         * record. */
        if (got < 0) {
            ++*damages;
            TRY(c->hole != UINT32_MAX ? mark_hole(c, c->hole) : PITH_OK);
        }
        for (int i = 0; c->holes && i < got; i++)
            TRY(c->holes[records[i].lane] < INT64_MAX ? mark_hole(c, records[i].lane) : PITH_OK);
        c->hole = UINT32_MAX;
        c->now_ns = got > 0 ? records[got - 1].time_ns : c->now_ns;
        if (pithi_iter_part(iter) == PITHI_PART_HOLE || pithi_iter_part(iter) == PITHI_PART_ENDED)
            got = 0; /* leaves out ENTERs and LEAVEs at holes: LOST marks the hole in the copy */
        for (int i = 0; i < got; i++)
            if (damages && !is_of_kind(c->log, &records[i])) {
                ++*damages;
            } else {
                records[kept] = records[i];
                TRY(records[i].kind == PITHLOG_LOST ? number_lost(c, &records[kept]) : PITH_OK);
                translate(c, &records[kept++]);
            }
        TRY(pithi_writer_add_many(c->writer, records, kept));
        if (c->what->copied)
            *c->what->copied += kept;
    }
out:
    pithlog_iter_close(iter);
    return err;
}

/* Copies the events that name the code of samples and call sites in the part, before all other records. */
static int copy_carried(struct copying *c)
{
    struct pithi_carry *carry;
    struct pithlog_record record;
    int status, err = PITH_OK;

    CHECK(pithi_carry_open(c->log, &c->query, c->kept, &carry));
    while (!err && (status = pithi_carry_next(carry, &record)) != 0)
        if (status == 1) { /* ignores damage here: copy_records reports it if it is in the part */
            translate(c, &record);
            err = pithi_writer_add(c->writer, &record);
        }
    pithi_carry_close(carry);
    return err;
}

/* Stores the begin and end of the part as a property, limited to the times of the log. */
static int set_part_ns(const struct copying *c, struct pithi_defs *defs)
{
    int64_t from_ns = c->log->info.start_ns, to_ns = c->log->info.end_ns;
    char text[64];

    if (!c->query.flags)
        return PITH_OK;
    pithi_part_ns(c->log, &from_ns, &to_ns);
    from_ns = c->what->from_ns > from_ns ? c->what->from_ns : from_ns;
    to_ns = c->what->to_ns < to_ns ? c->what->to_ns : to_ns;
    snprintf(text, sizeof text, "from=%lld to=%lld", (long long)from_ns, (long long)to_ns);
    return pithi_defs_property(defs, PITHI_PART_NS_KEY, text);
}

int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, const struct pithi_copy *what)
{
    struct copying c = {.log = log, .writer = writer, .what = what, .rank_count = pithi_log_ranks(log)};
    c.query = (struct pithlog_query){
        .from_ns = what->from_ns, .to_ns = what->to_ns, .lanes = what->lanes, .lane_count = what->lane_count};
    size_t lane_count = log->info.lanes;
    int err = PITH_OK; /* stays so for an empty log */

    if (what->filter) { /* leaves out lanes in which nothing can match */
        TRY(pithi_scope_find(&c.scope, log, what->filter, &c.query));
        if (c.scope.query.lane_count < (what->lanes ? what->lane_count : lane_count)) {
            c.query.lanes = c.scope.lanes;
            c.query.lane_count = c.scope.query.lane_count;
        }
        c.query.filter = what->filter;
    }
    if (!what->filter && log->info.lost > 0 && !(c.next_lost = calloc(lane_count + 1, sizeof *c.next_lost))) {
        err = no_memory(&c);
        goto out;
    }
    c.part = what->filter || what->lanes || what->from_ns != INT64_MIN || what->to_ns != INT64_MAX;
    c.defs = malloc((log->info.defs + (size_t)1) * sizeof *c.defs);
    c.lanes = malloc((lane_count + 1) * sizeof *c.lanes);
    c.comms = malloc((log->info.comms + (size_t)1) * sizeof *c.comms);
    c.kept = malloc(lane_count + 1);
    if (!c.defs || !c.lanes || !c.comms || !c.kept) {
        err = no_memory(&c);
        goto out;
    }
    memset(c.kept, c.query.lanes == NULL, lane_count);
    for (uint32_t i = 0; c.query.lanes && i < c.query.lane_count; i++)
        c.kept[c.query.lanes[i]] = 1;
    if (what->from_ns != INT64_MIN || what->to_ns != INT64_MAX)
        c.query.flags = PITHLOG_CLIP;
    /* adds definitions and properties first, because everything else refers to them */
    struct pithi_defs *defs = pithi_writer_defs(writer);
    const char *key, *value;
    for (uint32_t i = 0; i < log->info.defs; i++)
        TRY(add_def(&c, pithi_defs_get(log->defs, i), &c.defs[i]));
    for (uint32_t i = 0; !what->one_of_many && (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        /* Leaves out the property with the times of a part if times are moved. */
        if (strcmp(key, PITHI_PART_NS_KEY) != 0 || (!what->move && !what->shift_ns))
            TRY(pithi_defs_property(defs, key, value));
    for (uint32_t i = 0; i < c.rank_count; i++) {
        /* A part leaves out ranks without a kept lane. A copy of all lanes also keeps ranks without lanes. */
        const struct pithi_log_rank *r = pithi_log_rank(log, i);
        struct pithi_rank rank = {r->rank + what->rank_offset, pithi_log_host(log, r), r->pid,
                                  what->one_of_many ? 0 : r->clock};
        int wanted = !c.query.lanes;
        for (uint32_t k = 0; !wanted && k < r->lane_count; k++)
            wanted = c.kept[r->first_lane + k];
        TRY(wanted ? pithi_writer_rank(writer, &rank) : PITH_OK);
    }
    for (uint32_t i = 0; i < log->info.lanes; i++)
        TRY(copy_lane(&c, i));
    for (uint32_t i = 0; i < log->info.comms; i++)
        TRY(copy_comm(&c, i));
    if (what->damages)
        *what->damages += pithi_log_lost_comms(log);
    else
        TRY(pithlog_check_comms(log));
    /* There are no records, and no open states, outside the log's times. */
    if (what->from_ns > log->info.end_ns || what->to_ns < log->info.start_ns)
        goto out;
    if (c.part) {
        TRY(pithi_defs_property(defs, PITHI_PART_KEY, "of a longer log"));
        TRY(set_part_ns(&c, defs));
        if (!(c.postings = calloc(c.rank_count + (size_t)1, sizeof *c.postings))) {
            err = no_memory(&c);
            goto out;
        }
        if (log->info.messages > 0) {
            TRY(find_unmatched(&c));
            TRY(find_postings(&c));
        }
        TRY(copy_carried(&c));
    }
    TRY(copy_records(&c));
out:
    for (uint32_t i = 0; c.postings && i < c.rank_count; i++)
        free(c.postings[i].runs);
    free(c.postings);
    pithi_map_free(&c.unmatched);
    pithi_scope_free(&c.scope);
    free(c.defs);
    free(c.lanes);
    free(c.comms);
    free(c.kept);
    free(c.next_lost);
    free(c.holes);
    return err;
}

struct part {
    struct pithlog *log;    /* the source */
    struct pithi_copy what; /* the window */
};

static int fill_part(void *context, struct pithi_writer *writer)
{
    const struct part *part = context;
    return pithi_log_copy(part->log, writer, &part->what);
}

int pithlog_open_part(struct pithlog *log, const struct pithlog_filter *filter, struct pithlog **part)
{
    struct part all = {log, {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .filter = filter}};
    return pithi_native_temporary("the records that match the query (see TMPDIR)", fill_part, &all, part);
}
