/* clog2_comm.c - see clog2_comm.h. */
#include "clog2/clog2_comm.h"

#include <stdlib.h>

#include "error.h"
#include "foreign/names.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

struct pithi_clog2_comm *pithi_clog2_comm(const struct pithi_clog2_scan *scan, int32_t number)
{
    uint64_t *index = pithi_lookup_get(&scan->comm_of, (uint32_t)number);

    return index && *index ? &scan->comms[*index - 1] : NULL;
}

static int is_number(int32_t number, int32_t limit) { return number >= 0 && number < limit; }

int32_t pithi_clog2_world_rank(const struct pithi_clog2_scan *scan, int32_t comm, int32_t rank)
{
    uint64_t *world;

    if (!is_number(rank, PITHI_CLOG2_RANKS_MAX))
        return -1;
    world = pithi_lookup_get(&scan->world_of, pithi_lookup_pair((uint32_t)comm, (uint32_t)rank));
    if (world && *world)
        return (int32_t)*world - 1;
    return comm == 0 ? rank : -1; /* the world's ranks need no record */
}

/* ---- COMMEVT --------------------------------------------------------------------------------------------------- */

/* Numbers of the uuid big-endian, so that a file and its merge give the same key. */
static void copy_uuid(const struct pithi_clog2_file *file, const unsigned char *body,
                      unsigned char uuid[PITHI_CLOG2_UUID])
{
    memcpy(uuid, body + 16, PITHI_CLOG2_UUID);
    pithi_clog2_put32(uuid, pithi_clog2_i32(body + 16, file->big));
    pithi_clog2_put64f(uuid + PITHI_CLOG2_UUID_TIME, pithi_clog2_f64(body + 16 + PITHI_CLOG2_UUID_TIME, file->big));
}

static struct pithi_clog2_comm *make_comm(struct pithi_clog2_scan *scan, int32_t number)
{
    uint64_t *index = pithi_lookup_at(&scan->comm_of, (uint32_t)number);

    if (!index)
        return NULL;
    if (!*index) {
        if (scan->comm_count == scan->comm_size) {
            uint32_t size = scan->comm_size ? 2 * scan->comm_size : 32;
            struct pithi_clog2_comm *comms = realloc(scan->comms, size * sizeof *comms);
            if (!comms)
                return NULL;
            scan->comms = comms;
            scan->comm_size = size;
        }
        scan->comms[scan->comm_count++] = (struct pithi_clog2_comm){
            .number = number, .type = -1, .groups = {-1, -1}, .inter = -1, .size = -1, .top = -1};
        *index = scan->comm_count;
    }
    return &scan->comms[*index - 1];
}

/* The two records behind an INTER on a line name the groups: LOCAL the writer's own, REMOTE the other one. */
static int join_group(struct pithi_clog2_scan *scan, struct pithi_clog2_comm *group, int32_t world)
{
    uint64_t *inter = world < 0 ? NULL : pithi_lookup_get(&scan->inter_of, (uint32_t)world);
    struct pithi_clog2_comm *of = inter && *inter ? pithi_clog2_comm(scan, (int32_t)(*inter - 1)) : NULL;

    if (!of)
        return PITH_OK;
    group->inter = of->number;
    if (of->groups[0] != group->number && of->groups[1] != group->number)
        of->groups[of->groups[0] >= 0] = group->number;
    return PITH_OK;
}

int pithi_clog2_comm_take(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    int big = scan->file.big;
    int32_t type = pithi_clog2_i32(record->body, big), number = pithi_clog2_i32(record->body + 4, big);
    int32_t rank = pithi_clog2_i32(record->body + 8, big), world = pithi_clog2_i32(record->body + 12, big);
    struct pithi_clog2_comm *comm;
    uint64_t *value;

    if (type == PITHI_CLOG2_FREE || number < 0)
        return PITH_OK;
    if (type == PITHI_CLOG2_WORLD && pithi_clog2_is_marked(record->body + 16, PITHI_CLOG2_MARK_WORLD))
        scan->made = pithi_clog2_u32(record->body + 16, big);
    comm = make_comm(scan, number);
    if (!comm)
        return no_memory();
    if (comm->type < 0) {
        comm->type = type;
        copy_uuid(&scan->file, record->body, comm->uuid);
    }
    if (!is_number(world, PITHI_CLOG2_RANKS_MAX))
        return PITH_OK;
    if (type == PITHI_CLOG2_INTER) {
        value = pithi_lookup_at(&scan->inter_of, (uint32_t)world);
        if (!value)
            return no_memory();
        *value = (uint64_t)number + 1;
    }
    if (type == PITHI_CLOG2_LOCAL || type == PITHI_CLOG2_REMOTE)
        join_group(scan, comm, world);
    /* Of the other group the writer is no member; and the ranks of an INTER are those of two groups. */
    if (!is_number(rank, PITHI_CLOG2_RANKS_MAX) || type == PITHI_CLOG2_REMOTE)
        return PITH_OK;
    value = pithi_lookup_at(&scan->world_of, pithi_lookup_pair((uint32_t)number, (uint32_t)rank));
    if (!value)
        return no_memory();
    *value = (uint64_t)world + 1;
    comm->top = rank > comm->top ? rank : comm->top;
    return PITH_OK;
}

/* Ranks 0 to the highest all known? A file that is not merged knows one rank alone. */
void pithi_clog2_comm_settle(struct pithi_clog2_scan *scan)
{
    for (uint32_t i = 0; i < scan->comm_count; i++) {
        struct pithi_clog2_comm *comm = &scan->comms[i];
        int32_t rank = 0;
        while (rank <= comm->top &&
               pithi_lookup_get(&scan->world_of, pithi_lookup_pair((uint32_t)comm->number, (uint32_t)rank)))
            rank++;
        comm->size = rank > comm->top && (scan->file.finalized || comm->type == PITHI_CLOG2_SELF) ? rank : -1;
    }
}

/* ---- Into the log ---------------------------------------------------------------------------------------------- */

/* The key that our writer stored, else a hash (FNV-1a) of the uuid. */
static uint64_t key_of(const struct pithi_clog2_comm *comm)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    double high = pithi_clog2_f64(comm->uuid + PITHI_CLOG2_UUID_TIME, 1);

    if (pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_KEY) && high >= 0 && high < 4294967296.0)
        return (uint64_t)high << 32 | pithi_clog2_u32(comm->uuid, 1);
    for (size_t i = 0; i < PITHI_CLOG2_UUID; i++)
        hash = (hash ^ comm->uuid[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < PITHI_CLOG2_UUID; i++)
        if (comm->uuid[i])
            return hash ? hash : 1;
    return (hash ^ (uint32_t)comm->number) * UINT64_C(0x100000001b3); /* no uuid */
}

static void name_of(const struct pithi_clog2_comm *comm, char name[32])
{
    const char *text = (const char *)comm->uuid + PITHI_CLOG2_UUID_NAME;
    size_t mark = strlen(PITHI_CLOG2_MARK_KEY), size = PITHI_CLOG2_UUID - PITHI_CLOG2_UUID_NAME;

    name[0] = 0;
    if (pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_KEY))
        pithi_name_cut(name, 32, text + mark, strnlen(text + mark, size - mark));
    else if (comm->type == PITHI_CLOG2_SELF)
        strcpy(name, "MPI_COMM_SELF");
}

static void members(const struct pithi_clog2_scan *scan, const struct pithi_clog2_comm *comm, int32_t *ranks)
{
    for (int32_t rank = 0; rank < comm->size; rank++)
        ranks[rank] = pithi_clog2_world_rank(scan, comm->number, rank);
}

static int define(struct pithi_clog2_scan *scan, struct pithi_clog2_comm *comm)
{
    struct pithlog_comm def = {.key = key_of(comm)};
    struct pithi_clog2_comm *local = comm, *remote = NULL;
    int32_t *ranks = NULL;
    char name[32];
    int err = PITH_OK;

    name_of(comm, name);
    def.name = name;
    if (comm->type == PITHI_CLOG2_INTER) {
        local = pithi_clog2_comm(scan, comm->groups[0]);
        remote = pithi_clog2_comm(scan, comm->groups[1]);
        if (!remote || remote->size <= 0 || local->size <= 0)
            local = NULL;
    }
    if (local && local->size > 0) {
        def.size = local->size;
        def.remote_size = remote ? remote->size : 0;
        ranks = malloc(((size_t)def.size + (size_t)def.remote_size) * sizeof *ranks);
        if (!ranks)
            return no_memory();
        members(scan, local, ranks);
        if (remote)
            members(scan, remote, ranks + def.size);
        def.world_ranks = ranks;
    }
    TRY(pithi_writer_comm(scan->writer, &def, &comm->index));
    comm->index++;
out:
    free(ranks);
    return err;
}

int pithi_clog2_comm_index(struct pithi_clog2_scan *scan, int32_t number, uint32_t *index)
{
    struct pithi_clog2_comm *comm = pithi_clog2_comm(scan, number);
    int err = PITH_OK;

    *index = 0;
    if (number == 0 || !comm || comm->type == PITHI_CLOG2_WORLD)
        return PITH_OK;
    if (comm->inter >= 0 && pithi_clog2_comm(scan, comm->inter))
        comm = pithi_clog2_comm(scan, comm->inter);
    if (!comm->index)
        TRY(define(scan, comm));
    *index = comm->index - 1;
out:
    return err;
}
