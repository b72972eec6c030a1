/* rebuild.c - reads a log without its index: scans all chunks in file order, uses the intact chunks and skips the
 * damaged ones. So it reads as much as possible of a log that was cut or is damaged in places. A rank with only a
 * damaged index is rebuilt from its own blocks.
 *
 * The header of a chunk states its type, rank and length; a block also states how many records of its lane came before
 * it. So a missing block is noticed:
 *
 *     blocks of lane 0           16,384 records, none before     16,384 records, 32,768 before
 *     records reached so far     16,384                          not 32,768: the records 16,384 to 32,767 are missing
 *
 * If no chunk is where one should begin, the scan tries each further offset that is a multiple of 8: a header has a
 * magic and a CRC of its own, so other bytes are hardly ever taken for one.
 *
 * Blocks may use definitions and communicators whose descriptions were lost. Such definitions and communicators get
 * placeholder names. */
#include <stdio.h>

#include "base/error.h"
#include "base/input.h"
#include "native/block.h"
#include "native/log.h"
#include "native/log_files.h"
#include "native/meta.h"

/* A block may use ids up to this far beyond the described ones, as descriptions may be lost; larger ids are damage. */
enum { LOST_MAX = 1 << 16 };

struct rebuild {
    struct pithlog *log;
    int single;                    /* 1: only one rank is rebuilt; definitions and communicators are known */
    struct pithi_log_part **parts; /* [part_count] in order of their first chunks */
    uint32_t part_count, part_room;
    struct pithi_map rank_map, lane_map; /* from rank to index in `parts`; from (part, thread) to lane */
    uint32_t teller_room;
    struct pithi_zip zip;
    struct pithi_buffer chunk; /* the payload that is unpacked */
    struct pithi_block block;
    struct pithi_stack opened;
    struct pithi_map def_kinds;   /* kinds of the definitions used */
    uint32_t def_count;           /* larger than any id used */
    struct pithi_map comm_counts; /* by part: larger than any number of a communicator used */
    uint64_t taken;               /* intact chunks; 0 at the end: nothing of the log is left */
};

/* Finds the rank's part, or begins one with its first chunk. */
static int find_part(struct rebuild *b, int32_t rank, uint32_t *index)
{
    if (pithi_map_get(&b->rank_map, (uint32_t)rank, index))
        return PITH_OK;
    struct pithi_log_part *part = calloc(1, sizeof *part);
    if (!part || !pithi_grow(&b->parts, b->part_count, &b->part_room, sizeof *b->parts) ||
        !pithi_map_put(&b->rank_map, (uint32_t)rank, b->part_count)) {
        free(part);
        return PITH_ERR_MEMORY;
    }
    part->rank = rank;
    *index = b->part_count;
    b->parts[b->part_count++] = part;
    return PITH_OK;
}

/* Finds the lane of a thread, or adds it. */
static int find_lane(struct rebuild *b, uint32_t part, uint32_t thread, struct pithi_log_lane **lane)
{
    uint64_t key = (uint64_t)part << 32 | thread;
    uint32_t index;
    if (pithi_map_get(&b->lane_map, key, &index)) {
        *lane = &b->parts[part]->lanes[index];
        return PITH_OK;
    }
    *lane = pithi_part_add_lane(b->parts[part], thread, "");
    return *lane && pithi_map_put(&b->lane_map, key, b->parts[part]->lane_count - 1) ? PITH_OK : PITH_ERR_MEMORY;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int add_lost_def(struct pithi_defs *defs, uint32_t kind, uint32_t id)
{
    static const char *const names[] = {"lost state", "lost event", "lost counter"};
    char name[48];
    uint32_t got;
    snprintf(name, sizeof name, "%s %u", names[kind], id);
    struct pithlog_def def = {(enum pithlog_def_kind)kind, name, "", "lost", ""};
    return pithi_defs_add(defs, &def, &got);
}

/* Reads a DEFS chunk. Each has definitions from some id on; the last DEFS chunk of a finished log has all. */
static int take_defs(struct rebuild *b)
{
    const unsigned char *p = b->chunk.data, *end = b->chunk.size ? p + b->chunk.size : p;
    uint32_t *ids = NULL, first, count;
    struct pithi_defs *defs = NULL;
    uint64_t from;
    int err = PITH_OK;
    /* a chunk whose first id is far above the known ids is damaged */
    if (!pithi_get_varint(p, end, &from) || from > (uint64_t)pithi_defs_count(b->log->defs) + LOST_MAX)
        return PITH_ERR_DAMAGED;
    /* a chunk with all definitions replaces those gathered so far, if it has at least as many */
    if (from == 0 && (err = pithi_defs_new(&defs)) != PITH_OK)
        return err;
    struct pithi_defs *into = defs ? defs : b->log->defs;
    /* unknown definitions below `from` were lost with a chunk */
    while (err == PITH_OK && pithi_defs_count(into) < from)
        err = add_lost_def(into, PITHLOG_STATE, pithi_defs_count(into));
    if (err == PITH_OK)
        err = pithi_defs_unpack_from(into, p, b->chunk.size, &first, &count, &ids);
    /* each definition must be new and get the next id */
    for (uint32_t i = 0; err == PITH_OK && i < count; i++)
        if (ids[i] != first + i)
            err = PITH_ERR_DAMAGED;
    free(ids);
    /* the new set has all that is known: it replaces the old one */
    if (err == PITH_OK && defs && pithi_defs_count(defs) >= pithi_defs_count(b->log->defs)) {
        struct pithi_defs *old = b->log->defs;
        b->log->defs = defs;
        defs = old;
    }
    pithi_defs_free(defs);
    return err;
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Maps the rank's number of a communicator to the log's `index`. */
static int number_comm(struct pithi_log_part *part, uint32_t local, uint32_t index)
{
    while (part->comm_count <= local) {
        if (!pithi_grow(&part->comms, part->comm_count, &part->comm_room, sizeof *part->comms))
            return PITH_ERR_MEMORY;
        part->comms[part->comm_count++] = UINT32_MAX;
    }
    part->comms[local] = index;
    return PITH_OK;
}

/* Finds or adds a communicator of the log, and notes where its members are listed. */
static int find_comm(struct rebuild *b, const struct pithi_meta *meta, int32_t rank, uint64_t offset, uint32_t *index)
{
    struct pithlog *log = b->log;
    struct pithlog_comm comm = {
        .key = meta->key, .name = meta->name, .size = meta->size, .remote_size = meta->remote_size};
    uint32_t before = log->found.comm_count;
    if (!pithi_places_comm(&log->found, &comm, rank, index) ||
        !pithi_grow(&log->tellers, *index, &b->teller_room, sizeof *log->tellers))
        return PITH_ERR_MEMORY;
    if (*index == before) /* new */
        log->tellers[*index] = 0;
    if (meta->size > 0 && log->tellers[*index] == 0)
        log->tellers[*index] = offset;
    return PITH_OK;
}

static int take_description(struct rebuild *b, uint32_t part, struct pithi_meta *meta, uint64_t offset)
{
    struct pithi_log_lane *lane;
    int err = PITH_OK;
    if (meta->type == PITHI_M_COMM) {
        uint32_t index = UINT32_MAX;
        /* A damaged number must not take memory for billions of entries. A valid number is limited, because each
         * described communicator takes more than 8 bytes of the chunk. */
        if (meta->number > b->parts[part]->comm_count + b->chunk.size / 8)
            return PITH_ERR_DAMAGED;
        if (b->single)
            pithi_places_find_comm(b->log->places, meta->key, &index);
        else
            err = find_comm(b, meta, b->parts[part]->rank, offset, &index);
        return err == PITH_OK ? number_comm(b->parts[part], meta->number, index) : err;
    }
    if (meta->type == PITHI_M_LANE && (err = find_lane(b, part, meta->number, &lane)) == PITH_OK)
        pithi_lane_rename(lane, meta->name);
    if (meta->type == PITHI_M_RANK) {
        free(b->parts[part]->host);
        b->parts[part]->host = meta->name;
        b->parts[part]->pid = meta->pid;
    }
    if (err == PITH_OK)
        meta->name = NULL; /* now owned by the rank or lane */
    return err;
}

static int take_meta(struct rebuild *b, int32_t rank, uint64_t offset)
{
    const unsigned char *p = b->chunk.data, *end = b->chunk.size ? p + b->chunk.size : p;
    struct pithi_meta meta;
    uint32_t part;
    int err = find_part(b, rank, &part);
    while (err == PITH_OK && p < end) {
        p = pithi_meta_next(p, end, &meta);
        err = p ? take_description(b, part, &meta, offset) : PITH_ERR_DAMAGED;
        free(meta.name);
    }
    return err;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Notes that a block uses a definition or communicator. Returns 0 if its number is invalid or there is no memory. */
static int note_use(struct rebuild *b, uint32_t part, const struct pithi_dict *d)
{
    uint32_t count = 0;
    if (d->kind <= PITHLOG_COUNTER) {
        uint32_t kind = d->kind == PITHLOG_EVENT     ? PITHLOG_EVENT_TYPE
                        : d->kind == PITHLOG_COUNTER ? PITHLOG_COUNTER_TYPE
                                                     : PITHLOG_STATE;
        /* if a single rank is rebuilt, the log's definitions are known, and no id is beyond them */
        if (d->what >= (uint64_t)pithi_defs_count(b->log->defs) + (b->single ? 0 : LOST_MAX))
            return 0;
        b->def_count = d->what >= b->def_count ? d->what + 1 : b->def_count;
        return pithi_map_put(&b->def_kinds, d->what, kind);
    }
    if (d->kind > PITHLOG_COMM_FREE)
        return 1;
    pithi_map_get(&b->comm_counts, part, &count);
    if (d->what >= (uint64_t)b->parts[part]->comm_count + (b->single ? 0 : LOST_MAX))
        return 0;
    return d->what < count || pithi_map_put(&b->comm_counts, part, d->what + 1);
}

static int note_uses(struct rebuild *b, uint32_t part)
{
    struct pithi_dict d;
    for (uint32_t i = 0; i < b->opened.count; i++)
        if (!note_use(b, part, &(struct pithi_dict){PITHLOG_ENTER, b->opened.states[i].id}))
            return 0;
    for (uint32_t i = 0; i < b->block.dict_count; i++)
        if (b->block.codes[i].what != PITHI_INNERMOST &&
            !note_use(b, part, &(struct pithi_dict){b->block.codes[i].kind, b->block.codes[i].what}))
            return 0;
    while (pithi_block_escape(&b->block, &d))
        if (d.what != PITHI_INNERMOST && !note_use(b, part, &d))
            return 0;
    return 1;
}

static int take_block(struct rebuild *b, int32_t rank, uint64_t offset)
{
    const struct pithi_block_head *h = &b->block.head;
    struct pithi_log_lane *l;
    uint32_t part;
    const char *why;
    int err;
    /* which ids and communicators exist is not known yet, so all are allowed here, and note_uses checks them */
    b->block.def_count = UINT32_MAX;
    b->block.comms = NULL;
    b->block.comm_count = UINT32_MAX;
    err = pithi_block_load(&b->block, &b->zip, b->chunk.data, b->chunk.size, &b->opened, &why);
    if (err != PITH_OK)
        return err;
    if ((err = find_part(b, rank, &part)) != PITH_OK || (err = find_lane(b, part, h->thread, &l)) != PITH_OK)
        return err;
    /* blocks of a lane are in order of time in the file, too */
    if ((l->block_count && l->blocks[l->block_count - 1].last_ns > h->first_ns) || !note_uses(b, part))
        return PITH_ERR_DAMAGED;
    if (!pithi_grow(&l->blocks, l->block_count, &l->block_room, sizeof *l->blocks))
        return PITH_ERR_MEMORY;
    l->blocks[l->block_count++] = (struct pithi_log_block){.offset = offset,
                                                           .first_ns = h->first_ns,
                                                           .last_ns = h->last_ns,
                                                           .count = h->count,
                                                           .kinds = h->kinds,
                                                           .is_after_hole = h->before != l->reached};
    l->reached = h->before + h->count;
    l->kinds |= h->kinds;
    l->seen.records += h->count;
    l->states += h->states;
    l->events += h->events;
    l->messages += h->messages;
    l->lost += h->lost;
    l->seen.first_ns = h->first_ns < l->seen.first_ns ? h->first_ns : l->seen.first_ns;
    l->seen.last_ns = h->last_ns;
    return PITH_OK;
}

/* ---- Scanning ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if the chunk is to be read. Indexes are skipped, because they are being rebuilt; so are chunks of types of
 * a later version. If a single rank is rebuilt, only its own descriptions and blocks are read. */
static int is_wanted(const struct rebuild *b, const struct pithi_chunk_head *head)
{
    if (b->single)
        return head->rank == b->parts[0]->rank && (head->type == PITHI_C_META || head->type == PITHI_C_EVENTS);
    return head->type == PITHI_C_DEFS || head->type == PITHI_C_META || head->type == PITHI_C_EVENTS;
}

static int take_chunk(struct rebuild *b, uint64_t offset)
{
    struct pithi_chunk_head head;
    const char *why;
    int err = pithi_files_chunk(&b->log->files, offset, &head, &b->chunk, &why);
    if (err == PITH_ERR_DAMAGED)
        /* the scan continues after this chunk */
        pithi_log_damage(b->log, offset, "the chunk here is damaged and left out: its CRC differs");
    if (err != PITH_OK)
        return err == PITH_ERR_DAMAGED ? PITH_OK : err;
    if (head.type == PITHI_C_DEFS)
        err = take_defs(b);
    else
        err = head.type == PITHI_C_META ? take_meta(b, head.rank, offset) : take_block(b, head.rank, offset);
    if (err == PITH_ERR_DAMAGED || err == PITH_ERR_UNSUPPORTED) {
        pithi_log_damage(b->log, offset, "the chunk here makes no sense and is left out");
        return PITH_OK;
    }
    b->taken += err == PITH_OK;
    return err;
}

/* Reads all chunks between two offsets of a file. */
static int scan(struct rebuild *b, uint64_t from, uint64_t end)
{
    struct pithi_scan *s = malloc(sizeof *s);
    struct pithi_chunk_head head;
    uint64_t offset;
    int status, err = PITH_OK;
    if (!s)
        return PITH_ERR_MEMORY;
    pithi_scan_begin(s, &b->log->files, from, end);
    do {
        status = pithi_scan_next(s, &offset, &head);
        if (s->bare != UINT64_MAX && (status == 1 || end - s->bare > PITHI_FOOTER_SIZE))
            pithi_log_damage(b->log, s->bare, "no whole chunk stands here; looking for the next");
        if (status == 1 && is_wanted(b, &head))
            err = take_chunk(b, offset);
        else
            b->taken += status == 1 && !b->single;
        if (status == 1 && !pithi_watched_at(b->log->watched, offset - from, end - from))
            err = pithi_fail(PITH_ERR_STOPPED, "%s: not opened: stopped", b->log->path);
    } while (status == 1 && err == PITH_OK);
    free(s);
    return status < 0 ? PITH_ERR_IO : err;
}

/* Scans a volume. A missing volume counts as damage. */
static int scan_volume(struct rebuild *b, uint32_t number)
{
    struct pithlog *log = b->log;
    uint64_t base = (uint64_t)number << PITHI_VOLUME_SHIFT, size;
    int fd;
    if (pithi_files_find(&log->files, base, &fd, &size) != PITH_OK) {
        log->damages++;
        if (log->say)
            log->say(log->say_context, pithlog_error());
        return PITH_OK;
    }
    return size > PITHI_HEADER_SIZE ? scan(b, base + PITHI_HEADER_SIZE, base + size) : PITH_OK;
}

static void end_rebuild(struct rebuild *b)
{
    for (uint32_t i = 0; i < b->part_count; i++)
        pithi_part_free(b->parts[i]);
    free(b->parts);
    pithi_block_free(&b->block);
    free(b->opened.states);
    free(b->chunk.data);
    pithi_zip_free(&b->zip);
    pithi_map_free(&b->rank_map);
    pithi_map_free(&b->lane_map);
    pithi_map_free(&b->def_kinds);
    pithi_map_free(&b->comm_counts);
}

/* ---- Lost descriptions ------------------------------------------------------------------------------------------- */

static int fill_lost(struct rebuild *b)
{
    /* Records refer to definitions by number, so a lost definition gets a name that says that it was lost. */
    int err = PITH_OK;
    for (uint32_t id = pithi_defs_count(b->log->defs); err == PITH_OK && id < b->def_count; id++) {
        uint32_t kind = PITHLOG_STATE;
        pithi_map_get(&b->def_kinds, id, &kind);
        err = add_lost_def(b->log->defs, kind, id);
    }
    for (uint32_t i = 0; err == PITH_OK && i < b->part_count; i++) {
        /* Makes a communicator for each number that a rank used but never described. Its key is made up of "Lost" in
         * ASCII, the part and the number; if a communicator has this key already, the next free one is taken. */
        struct pithi_log_part *part = b->parts[i];
        uint32_t count = 0, at;
        err = PITH_OK;
        pithi_map_get(&b->comm_counts, i, &count);
        for (uint32_t local = 0; err == PITH_OK && local < count; local++) {
            if (local < part->comm_count && part->comms[local] != UINT32_MAX)
                continue;
            struct pithi_meta meta = {.name = local ? "lost" : NULL};
            meta.key = local ? UINT64_C(0x4c6f737400000000) ^ ((uint64_t)i << 20) ^ local : 0;
            while (meta.key && pithi_places_find_comm(&b->log->found, meta.key, &at))
                meta.key += UINT64_C(1) << 52;
            err = find_comm(b, &meta, part->rank, 0, &at);
            if (err == PITH_OK)
                err = number_comm(part, local, at);
        }
    }
    return err;
}

/* ---- A whole log ------------------------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    int32_t x = (*(struct pithi_log_part *const *)a)->rank, y = (*(struct pithi_log_part *const *)b)->rank;
    return x < y ? -1 : x > y;
}

/* Makes a rank of the log from each part that was found. */
static int publish(struct rebuild *b)
{
    struct pithlog *log = b->log;
    log->places = &log->found;
    log->info.start_ns = INT64_MAX;
    log->info.end_ns = INT64_MIN;
    if (!(log->ranks = calloc(b->part_count + (size_t)1, sizeof *log->ranks)))
        return PITH_ERR_MEMORY;
    if (b->part_count)
        qsort(b->parts, b->part_count, sizeof *b->parts, by_rank);
    for (uint32_t i = 0; i < b->part_count; i++) {
        struct pithi_log_part *part = b->parts[i];
        struct pithi_log_rank *rank = &log->ranks[log->rank_count++];
        *rank = (struct pithi_log_rank){
            .rank = part->rank, .lane_count = part->lane_count, .clock = UINT32_MAX, .pid = part->pid};
        rank->part = part;
        b->parts[i] = NULL;
        if (part->host && !pithi_places_host(&log->found, part->host, &rank->host))
            return PITH_ERR_MEMORY;
        pithi_part_finish(log, rank, part);
        for (uint32_t k = 0; k < part->lane_count; k++) {
            const struct pithi_log_lane *lane = &part->lanes[k];
            log->info.records += lane->seen.records;
            log->info.states += lane->states;
            log->info.events += lane->events;
            log->info.messages += lane->messages;
            log->info.lost += lane->lost;
            log->info.start_ns = lane->seen.first_ns < log->info.start_ns ? lane->seen.first_ns : log->info.start_ns;
            log->info.end_ns = lane->seen.last_ns > log->info.end_ns ? lane->seen.last_ns : log->info.end_ns;
        }
    }
    return pithi_log_number(log);
}

int pithi_log_rebuild(struct pithlog *log)
{
    struct rebuild b = {.log = log};
    int err = pithi_defs_new(&log->defs);
    if (err == PITH_OK && !pithi_places_begin(&log->found))
        err = PITH_ERR_MEMORY;
    log->tellers = err == PITH_OK ? calloc(1, sizeof *log->tellers) : NULL; /* the entry of the world */
    b.teller_room = log->tellers != NULL;
    log->places = &log->found;
    if (log->watched)
        log->watched->passes = log->files.volume.count + 1;
    if (err == PITH_OK && log->files.size > PITHI_HEADER_SIZE)
        err = scan(&b, PITHI_HEADER_SIZE, log->files.size);
    for (uint32_t i = 1; err == PITH_OK && i <= log->files.volume.count; i++)
        err = scan_volume(&b, i);
    if (err == PITH_OK)
        err = b.taken ? fill_lost(&b) : PITH_ERR_DAMAGED;
    if (err == PITH_OK)
        err = publish(&b);
    end_rebuild(&b);
    if (err == PITH_ERR_DAMAGED)
        return pithi_fail(err, "%s: byte %d: no whole part of the log is left", log->path, PITHI_HEADER_SIZE);
    return err == PITH_ERR_MEMORY ? pithi_fail(err, "%s: no memory to open it", log->path) : err;
}

/* ---- One rank ---------------------------------------------------------------------------------------------------- */

/* Makes the number of lanes agree with the log's count for the rank: drops further lanes, and adds empty ones if some
 * were not found. */
static int fit_lanes(struct pithi_log_part *part, uint32_t count)
{
    uint32_t unused = 0;
    for (uint32_t i = 0; i < part->lane_count; i++)
        unused = part->lanes[i].seen.thread >= unused ? part->lanes[i].seen.thread + 1 : unused;
    while (part->lane_count < count)
        if (!pithi_part_add_lane(part, unused++, ""))
            return PITH_ERR_MEMORY;
    while (part->lane_count > count)
        pithi_part_drop_lane(part);
    return PITH_OK;
}

int pithi_part_rebuild(struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part)
{
    struct rebuild b = {.log = log, .single = 1};
    uint64_t records = 0;
    uint32_t index;
    /* If `own` is 1, the rank's chunks lie together, from `base` to its index, and only these are scanned. */
    int own = rank->base != 0 && rank->base < rank->index;
    int err = find_part(&b, rank->rank, &index);
    if (err == PITH_OK)
        err = number_comm(b.parts[0], 0, 0);
    if (err == PITH_OK)
        err = scan(&b, own ? rank->base : PITHI_HEADER_SIZE, own ? rank->index : log->files.size);
    if (err == PITH_OK)
        err = fit_lanes(b.parts[0], rank->lane_count);
    if (err == PITH_OK) {
        *part = *b.parts[0];
        free(b.parts[0]);
        b.part_count = 0;
        for (uint32_t i = 0; i < part->lane_count; i++)
            records += part->lanes[i].seen.records;
        part->missing = records < rank->records ? rank->records - records : 0;
        part->base = own ? rank->base : rank->index;
    }
    end_rebuild(&b);
    return err;
}
