/* copy.c - see copy.h. */
#include "native/copy.h"

#include <stdio.h>

#include "error.h"
#include "native/bytes.h"
#include "native/halves.h"
#include "native/log.h"

/* A copy under way: the log's numbers in the writer, UINT32_MAX for a lane that is left out. */
struct copying {
    struct pithlog *log;
    struct pithi_writer *writer;
    const struct pithi_copy *what;
    uint32_t *defs, *lanes, *comms;
    unsigned char *kept; /* by lane */
    struct pithi_halves halves;
    int part; /* 1: some of the log is left out */
};

static int no_memory(const struct copying *c)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to copy it", c->log->path);
}

static int begin(struct copying *c)
{
    const struct pithi_copy *what = c->what;
    size_t lanes = c->log->info.lanes;
    c->part = what->lanes || what->from_ns != INT64_MIN || what->to_ns != INT64_MAX;
    c->defs = malloc((c->log->info.defs + (size_t)1) * sizeof *c->defs);
    c->lanes = malloc((lanes + 1) * sizeof *c->lanes);
    c->comms = malloc((c->log->info.comms + (size_t)1) * sizeof *c->comms);
    c->kept = malloc(lanes + 1);
    if (!c->defs || !c->lanes || !c->comms || !c->kept)
        return no_memory(c);
    memset(c->kept, what->lanes == NULL, lanes);
    for (uint32_t i = 0; what->lanes && i < what->lane_count; i++)
        c->kept[what->lanes[i]] = 1;
    return PITH_OK;
}

static void end(struct copying *c)
{
    pithi_halves_free(&c->halves);
    free(c->defs);
    free(c->lanes);
    free(c->comms);
    free(c->kept);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Payloads of the same event in two programs may be written differently; then it is two events. */
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

static int copy_defs(struct copying *c)
{
    struct pithi_defs *defs = pithi_writer_defs(c->writer);
    const char *key, *value;
    int err = PITH_OK;
    for (uint32_t i = 0; i < c->log->info.defs; i++)
        TRY(add_def(c, pithi_defs_get(c->log->defs, i), &c->defs[i]));
    for (uint32_t i = 0; !c->what->one_of_many && (key = pithlog_get_property(c->log, i, &value)) != NULL; i++)
        TRY(pithi_defs_property(defs, key, value));
out:
    return err;
}

/* ---- Ranks, lanes, communicators --------------------------------------------------------------------------------- */

/* A rank of which no lane is left is left out. One without any lanes stays in a whole copy. */
static int copy_rank(struct copying *c, const struct pithi_log_rank *r)
{
    struct pithi_rank rank = {r->rank + c->what->rank_offset, pithi_log_host(c->log, r), r->pid,
                              c->what->one_of_many ? 0 : r->clock};
    int wanted = !c->what->lanes;
    for (uint32_t i = 0; !wanted && i < r->lane_count; i++)
        wanted = c->kept[r->first_lane + i];
    return wanted ? pithi_writer_rank(c->writer, &rank) : PITH_OK;
}

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

/* A communicator of one of several programs: its own key and name, its members as they are numbered now. */
static int copy_comm_apart(struct copying *c, const struct pithlog_comm *comm, uint32_t *index)
{
    size_t members = (size_t)comm->size + (size_t)comm->remote_size;
    int32_t *ranks = malloc((members + 1) * sizeof *ranks);
    struct pithlog_comm own = *comm;
    char *name = NULL;
    int err = PITH_ERR_MEMORY;
    own.key = (comm->key ^ c->what->salt * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93) | 1;
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

static int copy_comm(struct copying *c, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(c->log, number);
    struct pithlog_comm world = {.name = comm->name};
    if (c->what->program)
        return copy_comm_apart(c, comm, &c->comms[number]);
    if (number == 0 && c->what->one_of_many && c->log->places->comms[0].size == 0)
        comm = &world; /* nobody tells its members: they are those of all the logs */
    return pithi_writer_comm(c->writer, comm, &c->comms[number]);
}

static int copy_places(struct copying *c)
{
    int err = PITH_OK;
    for (uint32_t i = 0; i < pithi_log_ranks(c->log); i++)
        TRY(copy_rank(c, pithi_log_rank(c->log, i)));
    for (uint32_t i = 0; i < c->log->info.lanes; i++)
        TRY(copy_lane(c, i));
    for (uint32_t i = 0; i < c->log->info.comms; i++)
        TRY(copy_comm(c, i));
out:
    return err;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Records of a kind that their definition does not have are no records. */
static int is_of_kind(const struct pithlog *log, const struct pithlog_record *r)
{
    static const enum pithlog_def_kind kinds[] = {[PITHLOG_ENTER] = PITHLOG_STATE,
                                                  [PITHLOG_LEAVE] = PITHLOG_STATE,
                                                  [PITHLOG_EVENT] = PITHLOG_EVENT_TYPE,
                                                  [PITHLOG_COUNTER] = PITHLOG_COUNTER_TYPE};
    return r->kind > PITHLOG_COUNTER || pithi_defs_get(log->defs, r->id)->kind == kinds[r->kind];
}

static int copy_record(struct copying *c, struct pithlog_record *r)
{
    const struct pithi_copy *what = c->what;
    int has_peer = r->kind == PITHLOG_SEND || r->kind == PITHLOG_RECV;
    if (has_peer && c->part)
        pithi_halves_mend(&c->halves, pithi_log_rank_of(c->log, r->lane), r);
    if (what->move)
        r->time_ns = pithi_time_moved(r->time_ns, what->move(what->move_context, r));
    if (r->time_ns < what->from_ns)
        r->time_ns = what->from_ns;
    r->time_ns = pithi_time_moved(r->time_ns, what->shift_ns);
    if (has_peer || r->kind == PITHLOG_COLL)
        r->peer = moved(c, r->peer);
    r->lane = c->lanes[r->lane];
    if (r->kind > PITHLOG_COUNTER || r->comm != 0) /* 0 of a state or event: it is on none */
        r->comm = c->comms[r->comm];
    if (r->kind <= PITHLOG_COUNTER)
        r->id = c->defs[r->id];
    return pithi_writer_add(c->writer, r);
}

static int copy_records(struct copying *c, const struct pithlog_query *query)
{
    uint64_t *damages = c->what->damages;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int status, err = pithlog_iter_open(c->log, query, &iter);
    if (err != PITH_OK)
        return err;
    while ((status = pithlog_iter_next(iter, &r)) != 0) {
        if (status < 0 && !damages) {
            err = PITH_ERR_DAMAGED;
            goto out;
        }
        if (status < 0 || (damages && !is_of_kind(c->log, &r)))
            ++*damages;
        else
            TRY(copy_record(c, &r));
    }
out:
    pithlog_iter_close(iter);
    return err;
}

int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, const struct pithi_copy *what)
{
    struct copying c = {.log = log, .writer = writer, .what = what};
    struct pithlog_query query = {
        .from_ns = what->from_ns, .to_ns = what->to_ns, .lanes = what->lanes, .lane_count = what->lane_count};
    int err;
    TRY(begin(&c));
    if (what->from_ns != INT64_MIN || what->to_ns != INT64_MAX)
        query.flags = PITHLOG_CLIP;
    TRY(copy_defs(&c));
    TRY(copy_places(&c));
    if (what->from_ns > log->info.end_ns || what->to_ns < log->info.start_ns) /* states left open reach no further */
        goto out;
    if (c.part)
        TRY(pithi_halves_find(&c.halves, log, &query, c.kept));
    TRY(copy_records(&c, &query));
out:
    end(&c);
    return err;
}
