/* meta.c - what META chunks say: hosts, names of lanes, communicators; and uniting the ranks' communicators by key. */
#include "native/bytes.h"
#include "native/layout.h"
#include "native/log.h"

int pithi_log_find_rank(struct pithlog *log, int32_t rank, uint32_t *index)
{
    if (pithi_map_get(&log->rank_map, (uint32_t)rank, index))
        return PITH_OK;
    if (!pithi_grow(&log->ranks, log->rank_count, &log->rank_room, sizeof *log->ranks) ||
        !pithi_map_put(&log->rank_map, (uint32_t)rank, log->rank_count))
        return PITH_ERR_MEMORY;
    *index = log->rank_count;
    log->ranks[log->rank_count++] = (struct pithi_log_rank){.rank = rank};
    return PITH_OK;
}

int pithi_log_find_lane(struct pithlog *log, uint32_t rank_index, uint32_t thread, uint32_t *index)
{
    uint64_t key = (uint64_t)rank_index << 32 | thread;
    if (pithi_map_get(&log->lane_map, key, index))
        return PITH_OK;
    if (!pithi_grow(&log->lanes, log->lane_count, &log->lane_room, sizeof *log->lanes) ||
        !pithi_map_put(&log->lane_map, key, log->lane_count))
        return PITH_ERR_MEMORY;
    *index = log->lane_count;
    struct pithi_log_lane *lane = &log->lanes[log->lane_count++];
    *lane = (struct pithi_log_lane){.rank_index = rank_index};
    lane->seen.rank = log->ranks[rank_index].rank;
    lane->seen.thread = thread;
    lane->totals.start_ns = INT64_MAX;
    lane->totals.end_ns = INT64_MIN;
    return PITH_OK;
}

int pithi_log_add_block(struct pithlog *log, uint32_t lane_index, const struct pithi_log_block *block)
{
    struct pithi_log_lane *lane = &log->lanes[lane_index];
    if (!pithi_grow(&lane->blocks, lane->block_count, &lane->block_room, sizeof *lane->blocks))
        return PITH_ERR_MEMORY;
    lane->blocks[lane->block_count++] = *block;
    return PITH_OK;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* The members, when nobody told them before. */
static const unsigned char *read_members(struct pithlog_comm *comm, const unsigned char *p, const unsigned char *end,
                                         uint64_t size, uint64_t remote)
{
    if (size > INT32_MAX || remote > INT32_MAX || size + remote > (uint64_t)(end - p))
        return NULL;
    if (size == 0 || comm->size > 0)
        return p;
    int32_t *ranks = malloc((size_t)(size + remote) * sizeof *ranks);
    int64_t before = -1;
    for (uint64_t i = 0; ranks && p && i < size + remote; i++) {
        uint64_t step;
        if (!(p = pithi_get_varint(p, end, &step)) || step > UINT64_C(1) << 34)
            p = NULL;
        else if ((before += 1 + pithi_unzigzag(step)) < INT32_MIN || before > INT32_MAX)
            p = NULL;
        else
            ranks[i] = (int32_t)before;
    }
    if (!ranks || !p) {
        free(ranks);
        return NULL;
    }
    comm->size = (int32_t)size;
    comm->remote_size = (int32_t)remote;
    comm->world_ranks = ranks;
    return p;
}

static int find_comm(struct pithlog *log, uint64_t key, uint32_t *index)
{
    if (pithi_map_get(&log->comm_map, key, index))
        return 1;
    if (!pithi_grow(&log->comms, log->comm_count, &log->comm_room, sizeof *log->comms) ||
        !pithi_map_put(&log->comm_map, key, log->comm_count))
        return 0;
    *index = log->comm_count;
    log->comms[log->comm_count++] = (struct pithlog_comm){.key = key};
    return 1;
}

int pithi_log_map_comm(struct pithlog *log, uint32_t rank_index, uint32_t local, uint64_t key, uint32_t *index)
{
    struct pithi_log_rank *rank = &log->ranks[rank_index];
    if (!find_comm(log, key, index))
        return 0;
    while (rank->comm_count <= local) {
        if (!pithi_grow(&rank->comms, rank->comm_count, &rank->comm_room, sizeof *rank->comms))
            return 0;
        rank->comms[rank->comm_count++] = UINT32_MAX;
    }
    rank->comms[local] = *index;
    return 1;
}

static int read_comm(struct pithlog *log, uint32_t rank, const unsigned char *p, const unsigned char *end)
{
    uint64_t local, size, remote;
    char *name = NULL;
    uint32_t index;
    if (!(p = pithi_get_varint(p, end, &local)) || end - p < 8 ||
        local > (uint64_t)log->ranks[rank].comm_count + log->size / 8) /* each has an entry of more than 8 bytes */
        return 0;
    uint64_t key = pithi_get64(p);
    if ((key == 0) != (local == 0) || !(p = pithi_get_string(p + 8, end, &name)))
        return 0;
    int ok = pithi_log_map_comm(log, rank, (uint32_t)local, key, &index);
    struct pithlog_comm *comm = ok ? &log->comms[index] : NULL;
    if (ok && *name) {
        free((char *)(uintptr_t)comm->name);
        comm->name = name;
        name = NULL;
    }
    free(name);
    return ok && (p = pithi_get_varint(p, end, &size)) && (p = pithi_get_varint(p, end, &remote)) &&
           read_members(comm, p, end, size, remote);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

static int read_rank(struct pithi_log_rank *rank, const unsigned char *p, const unsigned char *end)
{
    char *host = NULL;
    if (!(p = pithi_get_string(p, end, &host)))
        return 0;
    free(rank->host);
    rank->host = host;
    return pithi_get_varint(p, end, &rank->pid) != NULL;
}

static int read_lane(struct pithlog *log, uint32_t rank, const unsigned char *p, const unsigned char *end)
{
    uint64_t thread;
    uint32_t index;
    char *name = NULL;
    if (!(p = pithi_get_varint(p, end, &thread)) || thread > UINT32_MAX || !pithi_get_string(p, end, &name))
        return 0;
    if (pithi_log_find_lane(log, rank, (uint32_t)thread, &index) != PITH_OK) {
        free(name);
        return 0;
    }
    free((char *)(uintptr_t)log->lanes[index].seen.name);
    log->lanes[index].seen.name = name;
    return 1;
}

int pithi_log_read_meta(struct pithlog *log, int32_t rank_number, const unsigned char *p, uint64_t total)
{
    const unsigned char *end = p + total;
    uint32_t rank;
    int err = pithi_log_find_rank(log, rank_number, &rank);
    while (err == PITH_OK && p < end) {
        uint64_t type, size;
        int ok = 1;
        if (!(p = pithi_get_varint(p, end, &type)) || !(p = pithi_get_varint(p, end, &size)) ||
            size > (uint64_t)(end - p))
            return PITH_ERR_DAMAGED;
        if (type == PITHI_M_RANK)
            ok = read_rank(&log->ranks[rank], p, p + size);
        else if (type == PITHI_M_LANE)
            ok = read_lane(log, rank, p, p + size);
        else if (type == PITHI_M_COMM)
            ok = read_comm(log, rank, p, p + size);
        err = ok ? PITH_OK : PITH_ERR_DAMAGED;
        p += size;
    }
    return err;
}
