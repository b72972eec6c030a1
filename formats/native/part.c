/* part.c - loads the data of a rank when it is first needed: the rank's lanes, and the table from the rank's numbers of
 * communicators to the log's. They are read from the front of the rank's index, or from its blocks if the index is
 * damaged. This file also loads the members of a communicator, which are in the segment of the one rank that lists
 * them.
 *
 * Threads share an open log without a lock, as a lock would be held during a read of the file. Loaded data never
 * changes, and its pointer is set once: if two threads load the same rank at once, the second to finish frees its own
 * copy and takes the first one's.
 *
 * A list of members may be long: for a communicator of 10,000 ranks, it has 10,000 numbers. So only one rank lists the
 * members of a communicator. When one list is wanted, all lists in the same chunk are kept, so that the chunk is read
 * only once. */
#include <stdio.h>

#include "base/error.h"
#include "base/far.h"
#include "base/zip.h"
#include "native/log.h"
#include "native/meta.h"

/* ---- Making ------------------------------------------------------------------------------------------------------ */

struct pithi_log_lane *pithi_part_add_lane(struct pithi_log_part *part, uint32_t thread, const char *name)
{
    if (!pithi_grow(&part->lanes, part->lane_count, &part->lane_room, sizeof *part->lanes))
        return NULL;
    struct pithi_log_lane *lane = &part->lanes[part->lane_count++];
    *lane = (struct pithi_log_lane){
        .seen = {.rank = part->rank, .thread = thread, .name = name, .first_ns = INT64_MAX, .last_ns = INT64_MIN}};
    return lane;
}

/* Most lanes have no name: they share the constant "", which is not freed. */
static void free_name(const char *name)
{
    if (*name)
        free((char *)(uintptr_t)name);
}

/* Takes over `name`, which is from malloc. */
void pithi_lane_rename(struct pithi_log_lane *lane, char *name)
{
    free_name(lane->seen.name);
    lane->seen.name = *name ? name : "";
    if (!*name)
        free(name);
}

void pithi_part_drop_lane(struct pithi_log_part *part)
{
    struct pithi_log_lane *lane = &part->lanes[--part->lane_count];
    free_name(lane->seen.name);
    free(lane->blocks);
}

/* Frees all that a part has; only its rank number stays. */
static void empty(struct pithi_log_part *part)
{
    while (part->lane_count > 0)
        pithi_part_drop_lane(part);
    free(part->lanes);
    free(part->comms);
    free(part->host);
    *part = (struct pithi_log_part){.rank = part->rank};
}

void pithi_part_free(struct pithi_log_part *part)
{
    if (part)
        empty(part);
    free(part);
}

static int by_thread(const void *a, const void *b)
{
    uint32_t x = ((const struct pithi_log_lane *)a)->seen.thread, y = ((const struct pithi_log_lane *)b)->seen.thread;
    return x < y ? -1 : x > y;
}

/* Sorts the lanes by thread and sets the fields that come from part and rank. After that the part does not change any
 * more. */
void pithi_part_finish(const struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part)
{
    int sorted = 1;
    for (uint32_t i = 1; i < part->lane_count; i++)
        sorted &= part->lanes[i - 1].seen.thread < part->lanes[i].seen.thread;
    if (!sorted)
        qsort(part->lanes, part->lane_count, sizeof *part->lanes, by_thread);
    for (uint32_t i = 0; i < part->lane_count; i++) {
        part->lanes[i].part = part;
        part->lanes[i].seen.host = pithi_log_host(log, rank);
    }
}

/* ---- The front of an index --------------------------------------------------------------------------------------- */

struct front {
    unsigned char *bytes;                                     /* the chunk's head and the front; `small` if they fit */
    const unsigned char *metas, *comms, *lanes, *names, *end; /* where its sections begin */
    uint32_t meta_count, comm_count, lane_count;
    uint64_t lists;            /* offset of the first list of blocks */
    unsigned char small[2048]; /* enough for the fronts of most ranks, which then need no malloc */
};

enum { FAR_FRONT = 256 }; /* bytes first read of a front in a far log: enough for a rank with one lane */

static void free_front(struct front *f)
{
    if (f->bytes != f->small)
        free(f->bytes);
}

/* Finds the sections of the front. Returns 0 if they do not fit into it. A chunk of the type INDEX begins with its
 * front, which has its own CRC:
 *
 *     head   counts   offsets of META chunks   communicators   lanes   names   CRC   lists of blocks, sheets
 *
 * So the front can be used without reading the lists, which may be much larger. */
static int divide(struct front *f, uint64_t size)
{
    const unsigned char *p = f->bytes + PITHI_CHUNK_HEAD;
    f->end = p + size - 4;
    if (pithi_get32(f->end) != pithi_crc(p, (size_t)(size - 4)))
        return 0;
    f->lane_count = pithi_get32(p);
    f->meta_count = pithi_get32(p + 4);
    f->comm_count = pithi_get32(p + 8);
    /* The numbers are products of 32-bit counts, so 64 bits cannot overflow here. */
    uint64_t metas = (uint64_t)f->meta_count * 8, comms = pithi_pad8((uint64_t)f->comm_count * 4);
    uint64_t lanes = (uint64_t)f->lane_count * PITHI_INDEX_LANE;
    if (metas + comms + lanes > size - 4 - PITHI_INDEX_HEAD)
        return 0;
    f->metas = p + PITHI_INDEX_HEAD;
    f->comms = f->metas + metas;
    f->lanes = f->comms + comms;
    f->names = f->lanes + lanes;
    return 1;
}

/* Reads the front of a rank's index. After PITH_ERR_DAMAGED the blocks may still be usable, after other errors not. */
static int read_front(struct pithlog *log, const struct pithi_log_rank *rank, struct front *f)
{
    struct pithi_chunk_head head;
    /* Reads 2048 bytes at first: most fronts fit, so one read is enough. From a far log (base/far.h), it reads only
     * what the front of a rank with one lane needs. */
    size_t most = pithi_far() ? FAR_FRONT : sizeof f->small;
    size_t here = rank->index_size < most ? (size_t)rank->index_size : most;
    int err;
    f->bytes = f->small;
    TRY(pithi_files_read(&log->files, rank->index, f->small, here));
    err = PITH_ERR_DAMAGED;
    if (!pithi_chunk_head_get(f->small, rank->index_size, 0, &head) || head.type != PITHI_C_INDEX ||
        head.rank != rank->rank || head.size != rank->index_size - PITHI_CHUNK_HEAD)
        goto out;
    uint64_t size = pithi_get64(f->small + PITHI_CHUNK_HEAD + 16);
    /* `size` is the size that the front states for itself */
    if (size < PITHI_INDEX_HEAD + 8 || size > head.size || size % 8 != 0)
        goto out;
    if (PITHI_CHUNK_HEAD + size > here && PITHI_CHUNK_HEAD + size <= sizeof f->small) {
        TRY(pithi_files_read(&log->files, rank->index + here, f->small + here,
                             (size_t)(PITHI_CHUNK_HEAD + size - here)));
    } else if (PITHI_CHUNK_HEAD + size > here) {
        if (!(f->bytes = malloc((size_t)(PITHI_CHUNK_HEAD + size)))) {
            f->bytes = f->small;
            return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for the index of rank %d", log->path, (int)rank->rank);
        }
        memcpy(f->bytes, f->small, here);
        TRY(pithi_files_read(&log->files, rank->index + here, f->bytes + here,
                             (size_t)(PITHI_CHUNK_HEAD + size - here)));
    }
    f->lists = rank->index + PITHI_CHUNK_HEAD + size;
    err = divide(f, size) && f->lane_count == rank->lane_count ? PITH_OK : PITH_ERR_DAMAGED;
out:
    return err;
}

/* Fills part->comms: the log's number for each of the rank's own numbers of communicators; UINT32_MAX: the rank never
 * described it. */
static int take_comms(const struct pithlog *log, const struct front *f, struct pithi_log_part *part)
{
    if (!(part->comms = malloc((f->comm_count ? f->comm_count : (size_t)1) * sizeof *part->comms)))
        return PITH_ERR_MEMORY;
    part->comm_count = f->comm_count;
    for (uint32_t i = 0; i < f->comm_count; i++) {
        part->comms[i] = pithi_get32(f->comms + 4 * (size_t)i);
        if (part->comms[i] >= log->places->comm_count && part->comms[i] != UINT32_MAX)
            return PITH_ERR_DAMAGED;
    }
    return PITH_OK;
}

/* Fills part->lanes. The offsets of the lists are not stored: the lists of blocks follow the front in order of the
 * lanes, and the summaries follow in the same order. */
static int take_lanes(const struct front *f, uint64_t end, struct pithi_log_part *part)
{
    const unsigned char *names = f->names;
    uint64_t list = f->lists;
    part->lane_room = f->lane_count;
    if (!(part->lanes = malloc((f->lane_count ? f->lane_count : (size_t)1) * sizeof *part->lanes)))
        return PITH_ERR_MEMORY;
    for (uint32_t i = 0; i < f->lane_count; i++) {
        char *name = NULL;
        if (!(names = pithi_get_string(names, f->end, &name)))
            return PITH_ERR_DAMAGED;
        struct pithi_log_lane *lane = pithi_part_add_lane(part, 0, "");
        pithi_lane_rename(lane, name);
        const unsigned char *p = f->lanes + (size_t)i * PITHI_INDEX_LANE;
        lane->seen.thread = pithi_get32(p);
        lane->block_count = pithi_get32(p + 4);
        lane->seen.first_ns = (int64_t)pithi_get64(p + 8);
        lane->seen.last_ns = (int64_t)pithi_get64(p + 16);
        lane->seen.records = pithi_get64(p + 24);
        lane->states = pithi_get64(p + 32);
        lane->events = pithi_get64(p + 40);
        lane->messages = pithi_get64(p + 48);
        lane->lost = pithi_get64(p + 56);
        lane->sheet_count = pithi_get32(p + 64);
        lane->path_bytes = pithi_get32(p + 68);
        lane->list = list;
        list += (uint64_t)lane->block_count * PITHI_INDEX_BLOCK;
    }
    for (uint32_t i = 0; i < f->lane_count; i++) {
        struct pithi_log_lane *lane = &part->lanes[i];
        lane->sheets = list;
        list += (uint64_t)lane->sheet_count * PITHI_INDEX_SHEET + pithi_pad8(lane->path_bytes);
    }
    /* lists that pass the end of the chunk are damage */
    return list <= end ? PITH_OK : PITH_ERR_DAMAGED;
}

/* Returns the offsets of a rank's META chunks, [*count]; the caller frees them. */
int pithi_part_metas(struct pithlog *log, const struct pithi_log_rank *rank, uint64_t **offsets, uint32_t *count)
{
    struct front f;
    int err = read_front(log, rank, &f);
    *offsets = err == PITH_OK ? malloc((f.meta_count + (size_t)1) * sizeof **offsets) : NULL;
    for (*count = 0; *offsets && *count < f.meta_count; ++*count)
        (*offsets)[*count] = pithi_get64(f.metas + 8 * (size_t)*count);
    free_front(&f);
    return err == PITH_OK && !*offsets ? PITH_ERR_MEMORY : err;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

static struct pithi_log_part *load_part(struct pithlog *log, const struct pithi_log_rank *rank)
{
    struct pithi_log_part *part = calloc(1, sizeof *part);
    int err = PITH_ERR_MEMORY;
    if (part) {
        part->rank = rank->rank;
        struct front f;
        err = read_front(log, rank, &f);
        if (err == PITH_OK)
            err = take_comms(log, &f, part);
        if (err == PITH_OK)
            err = take_lanes(&f, rank->index + rank->index_size, part);
        free_front(&f);
    }
    /* The front is damaged; the rank's blocks may be whole. */
    if (err == PITH_ERR_DAMAGED) {
        pithi_log_damage(log, rank->index, "the index of a rank is damaged");
        empty(part);
        err = pithi_part_rebuild(log, rank, part);
    }
    if (err == PITH_OK) {
        pithi_part_finish(log, rank, part);
        return part;
    }
    if (err == PITH_ERR_MEMORY)
        pithi_fail(err, "%s: no memory for rank %d", log->path, (int)rank->rank);
    pithi_part_free(part);
    return NULL;
}

/* A caller that reads the indexes of the first two ranks probably reads the indexes of all ranks. So the fronts of the
 * next 256 ranks are announced, and a reader over a network gets many at once (base/far.h). */
static void expect_next(struct pithlog *log, uint32_t index)
{
    enum { PARTS = 256, BYTES = 4 << 20 };
    uint64_t bytes = 0;
    if (index != 1 && index % PARTS != 0)
        return;
    for (uint32_t i = index; i < log->rank_count && i < index + PARTS && bytes < BYTES; i++) {
        uint64_t front = FAR_FRONT + (uint64_t)(log->ranks[i].lane_count - 1) * (PITHI_INDEX_LANE + 8);
        front = front < log->ranks[i].index_size ? front : log->ranks[i].index_size;
        pithi_files_soon(&log->files, log->ranks[i].index, front);
        bytes += front;
    }
}

const struct pithi_log_part *pithi_log_part(struct pithlog *log, uint32_t index)
{
    struct pithi_log_rank *rank = &log->ranks[index];
    struct pithi_log_part *part = __atomic_load_n(&rank->part, __ATOMIC_ACQUIRE), *none = NULL;
    if (part)
        return part;
    if (pithi_far())
        expect_next(log, index);
    if (!(part = load_part(log, rank)))
        return NULL;
    if (__atomic_compare_exchange_n(&rank->part, &none, part, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return part;
    pithi_part_free(part); /* another thread has loaded it first */
    return none;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* Finds a rank by binary search, as ranks are sorted. Returns NULL if the log does not have it. */
const struct pithi_log_rank *pithi_log_find_rank(const struct pithlog *log, int32_t number)
{
    uint32_t low = 0, high = log->rank_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (log->ranks[middle].rank < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < log->rank_count && log->ranks[low].rank == number ? &log->ranks[low] : NULL;
}

/* A search for the members of communicators. */
struct telling {
    struct pithlog *log;
    uint32_t wanted;           /* communicator */
    struct pithlog_comm *comm; /* gets the members of `wanted`; those of others go into the log */
    int32_t teller;            /* in a log with an index: use only lists of members by this rank */
    uint64_t offset;           /* in a rebuilt log: use only lists in this META chunk; else 0 */
};

static int fill_members(struct pithlog_comm *comm, const struct pithi_meta *meta)
{
    int32_t *members = pithi_meta_members(meta);
    if (members == NULL)
        return 0;
    comm->world_ranks = members;
    comm->size = meta->size;
    comm->remote_size = meta->remote_size;
    return 1;
}

/* Makes a communicator before it is requested, so that a later request need not read the descriptions again. */
static void make_other(struct pithlog *log, uint32_t index, const struct pithi_meta *meta)
{
    struct pithlog_comm *comm, *none = NULL;
    if (__atomic_load_n(&log->comms[index], __ATOMIC_ACQUIRE) || !(comm = malloc(sizeof *comm)))
        return;
    *comm = (struct pithlog_comm){.key = meta->key, .name = log->places->comms[index].name};
    if (!fill_members(comm, meta) ||
        !__atomic_compare_exchange_n(&log->comms[index], &none, comm, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        pithi_log_free_comm(comm); /* no members, or another thread was first */
}

static void take_members(const struct telling *t, const struct pithi_meta *meta)
{
    uint32_t index;
    /* Descriptions of a communicator by other ranks have no list of members. */
    if (meta->type != PITHI_M_COMM || meta->size <= 0 || !pithi_places_find_comm(t->log->places, meta->key, &index) ||
        !(t->offset != 0 ? t->log->tellers[index] == t->offset : t->log->places->comms[index].teller == t->teller))
        return;
    /* The chunk was read for one communicator. The others in it are made now, too; otherwise each of them would make
     * the chunk be read again. */
    if (index != t->wanted)
        make_other(t->log, index, meta);
    else if (t->comm->world_ranks == NULL)
        fill_members(t->comm, meta);
}

/* Reads the members of all communicators in a META chunk at once, so that the chunk is read only once. */
static void read_members(const struct telling *t, uint64_t offset)
{
    struct pithi_buffer payload = {0};
    struct pithi_chunk_head head;
    struct pithi_meta meta;
    const char *why;
    if (pithi_files_chunk(&t->log->files, offset, &head, &payload, &why) == PITH_OK && head.type == PITHI_C_META) {
        const unsigned char *p = payload.data, *end = p + payload.size;
        while (p && p < end) {
            p = pithi_meta_next(p, end, &meta);
            if (p)
                take_members(t, &meta);
            free(meta.name); /* pithi_meta_next allocates it, or sets it to NULL */
        }
    } else {
        pithi_log_damage(t->log, offset, "the descriptions of a rank are damaged: members of a communicator are lost");
    }
    free(payload.data);
}

struct pithlog_comm *pithi_log_make_comm(struct pithlog *log, uint32_t index)
{
    const struct pithi_place_comm *place = &log->places->comms[index];
    struct pithlog_comm *comm = malloc(sizeof *comm);
    if (!comm)
        return NULL;
    *comm = (struct pithlog_comm){.key = place->key, .name = place->name};
    if (place->size > 0) {
        struct telling t = {log, index, comm, log->places->comms[index].teller, log->tellers ? log->tellers[index] : 0};
        const struct pithi_log_rank *rank = pithi_log_find_rank(log, t.teller);
        uint64_t *metas = NULL;
        uint32_t count = 0;
        if (t.offset != 0)
            read_members(&t, t.offset);
        else if (!log->tellers && rank && pithi_part_metas(log, rank, &metas, &count) == PITH_OK)
            /* Reads the META chunks from the last to the first; the list of members that is found first stays. */
            while (count > 0)
                read_members(&t, metas[--count]);
        free(metas);
    } else if (index == 0) {
        /* No rank listed the members of the world: they are ranks 0 .. n-1 if the log has all of these ranks. A rebuilt
         * log may lack ranks. */
        uint32_t n = log->rank_count;
        if (!log->rebuilt && n != 0 && n <= INT32_MAX && log->ranks[0].rank == 0 &&
            (uint32_t)log->ranks[n - 1].rank == n - 1) {
            int32_t *members = malloc(n * sizeof *members);
            for (uint32_t i = 0; members && i < n; i++)
                members[i] = (int32_t)i;
            comm->world_ranks = members;
            comm->size = members ? (int32_t)n : 0;
        }
    }
    return comm;
}

/* Counts the requested communicators that have no list of members although the log says that they have members. */
uint32_t pithi_log_lost_comms(const struct pithlog *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->info.comms; i++) {
        const struct pithlog_comm *comm = __atomic_load_n(&log->comms[i], __ATOMIC_ACQUIRE);
        count += comm && !comm->world_ranks && log->places->comms[i].size > 0;
    }
    return count;
}

int pithlog_check_comms(const struct pithlog *log)
{
    uint32_t lost = pithi_log_lost_comms(log);
    return lost == 0 ? PITH_OK
                     : pithi_fail(PITH_ERR_DAMAGED, "%s: the lists of members of %u communicator%s are damaged",
                                  log->path, lost, lost == 1 ? "" : "s");
}

int pithi_log_adds_up(const struct pithlog *log, int64_t from_ns, int64_t to_ns)
{
    const int64_t most_ns = INT64_C(1) << 62;

    if (log->info.records && from_ns < to_ns &&
        (from_ns < -most_ns || to_ns > most_ns || to_ns - from_ns > most_ns / (log->info.lanes + INT64_C(1))))
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its times are too far apart to be added over all threads",
                          log->path);
    return PITH_OK;
}

void pithi_log_free_comm(struct pithlog_comm *comm)
{
    if (comm)
        free((int32_t *)(uintptr_t)comm->world_ranks);
    free(comm);
}
