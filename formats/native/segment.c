/* segment.c - writes all data of one rank: its descriptions (META chunks), the blocks of its lanes, its index
 * (SPEC.md).
 *
 * A record goes into the block of its lane, in memory; a full block is packed and appended, whatever the other lanes
 * do. So the chunks of lanes are mixed in the file, and the index, which comes last, says where each one is:
 *
 *     META | block of lane 0 | block of lane 1 | block of lane 0 | sheet of lane 0 | ... | INDEX
 *
 * A lane's block has 16,384 records. With 1,024 lanes it has 2,048: a reader in order of time keeps a block of each
 * lane unpacked, and its memory should not grow with the lanes.
 *
 * Descriptions come before the first block that needs them, and each block begins with the states that are open there.
 * So a file that was cut anywhere can be read up to the cut, without the index (rebuild.c). */
#include "native/segment.h"

#include "base/map.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/defs.h"
#include "native/lane_summary.h"

struct written_block {
    uint64_t offset;             /* where the block begins in the file */
    uint32_t count, kinds, size; /* size: bytes of the chunk */
    int64_t first_ns, last_ns;
};

struct lane {
    uint32_t thread;
    char *name;                    /* malloc'ed */
    struct pithi_encoder *encoder; /* encoder of the block that is being filled */
    struct written_block *blocks;  /* [block_count] */
    uint32_t block_count, block_room;
    struct pithi_totals totals; /* sums over the blocks so far */
    struct pithi_lane_summary summary;
};

struct comm {
    uint64_t key;
    char *name;   /* malloc'ed */
    int32_t size; /* > 0: the members are known */
};

struct pithi_segment {
    struct pithi_rank rank;
    struct pithi_sink sink;
    struct lane *lanes; /* by number of the lane */
    uint32_t lane_count, lane_room;
    struct comm *comms; /* by number in the segment */
    uint32_t comm_count, comm_room;
    struct pithi_map comm_map, lane_map; /* from key to index in `comms`; from thread to index in `lanes` */
    struct pithi_buffer meta;            /* descriptions not yet written */
    uint64_t *metas;                     /* offsets of META chunks */
    uint32_t meta_count, meta_room;
    struct pithi_zip *zip, own_zip;        /* the caller's, or own_zip */
    struct pithi_buffer block;             /* packed, before it is written */
    uint32_t block_records, sheet_records; /* records of a block, of a sheet, at most */
    uint64_t index_offset, index_size;     /* once it is written */
};

static int no_memory(const struct pithi_segment *s)
{
    return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of rank %d", (int)s->rank.rank);
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Appends one description: type, length, body. */
static int describe(struct pithi_segment *s, enum pithi_meta_type type, const struct pithi_buffer *body)
{
    return pithi_buffer_varint(&s->meta, (uint64_t)type) && pithi_buffer_varint(&s->meta, body->size) &&
           pithi_buffer_add(&s->meta, body->data, body->size);
}

static int describe_rank(struct pithi_segment *s)
{
    struct pithi_buffer body = {0};
    int ok = pithi_buffer_string(&body, s->rank.host) && pithi_buffer_varint(&body, s->rank.pid) &&
             describe(s, PITHI_M_RANK, &body);
    free(body.data);
    return ok;
}

/* Appends a chunk to the sink. */
static int append_chunk(struct pithi_segment *s, enum pithi_chunk_type type, const void *payload, size_t size,
                        uint64_t *offset, uint64_t *chunk_size)
{
    size_t total;
    unsigned char *chunk = pithi_chunk_make((uint16_t)type, s->rank.rank, payload, size, &total);
    if (!chunk)
        return no_memory(s);
    int err = s->sink.append(s->sink.context, chunk, total, offset);
    *chunk_size = total;
    free(chunk);
    return err;
}

/* Writes the descriptions that are not written yet. This is done before each block, so that a file that is cut behind
 * the block describes what the block uses. */
static int flush_meta(struct pithi_segment *s)
{
    uint64_t size;
    if (s->meta.size == 0)
        return PITH_OK;
    if (!pithi_grow(&s->metas, s->meta_count, &s->meta_room, sizeof *s->metas))
        return no_memory(s);
    int err = append_chunk(s, PITHI_C_META, s->meta.data, s->meta.size, &s->metas[s->meta_count], &size);
    if (err == PITH_OK) {
        s->meta_count++;
        s->meta.size = 0;
    }
    return err;
}

/* ---- Opening, lanes, communicators ------------------------------------------------------------------------------- */

/* Communicator 0 of each segment is the world. */
int pithi_segment_open(struct pithi_segment **segment, const struct pithi_rank *rank, const struct pithi_sink *sink)
{
    struct pithi_segment *s = *segment = calloc(1, sizeof *s);
    uint32_t world;
    if (!s)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of rank %d", (int)rank->rank);
    s->block_records = PITHI_BLOCK_RECORDS;
    s->sheet_records = PITHI_SHEET_RECORDS;
    s->zip = &s->own_zip;
    s->sink = *sink;
    s->rank = *rank;
    s->rank.host = strdup(rank->host ? rank->host : "");
    if (!s->rank.host || !describe_rank(s) ||
        pithi_segment_comm(s, &(struct pithlog_comm){.name = "MPI_COMM_WORLD"}, &world) != PITH_OK) {
        pithi_segment_free(s);
        *segment = NULL;
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the records of rank %d", (int)rank->rank);
    }
    return PITH_OK;
}

/* A rank may be described again, when more is known of it. The last description counts. */
int pithi_segment_describe(struct pithi_segment *s, const struct pithi_rank *rank)
{
    char *host = strdup(rank->host ? rank->host : "");
    if (!host)
        return no_memory(s);
    free((char *)(uintptr_t)s->rank.host);
    s->rank.host = host;
    s->rank.pid = rank->pid;
    s->rank.clock = rank->clock;
    return describe_rank(s) ? PITH_OK : no_memory(s);
}

void pithi_segment_free(struct pithi_segment *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        pithi_encoder_free(s->lanes[i].encoder);
        pithi_lane_summary_free(&s->lanes[i].summary);
        free(s->lanes[i].name);
        free(s->lanes[i].blocks);
    }
    for (uint32_t i = 0; i < s->comm_count; i++)
        free(s->comms[i].name);
    free((char *)(uintptr_t)s->rank.host);
    free(s->lanes);
    free(s->comms);
    pithi_map_free(&s->comm_map);
    pithi_map_free(&s->lane_map);
    free(s->meta.data);
    free(s->metas);
    free(s->block.data);
    pithi_zip_free(&s->own_zip);
    free(s);
}

/* Finds or makes the lane of a thread, and gives it a name. A lane is described again when its name changes. */
int pithi_segment_lane(struct pithi_segment *s, uint32_t thread, const char *name, uint32_t *lane)
{
    uint32_t i = s->lane_count;
    int is_new = !pithi_map_get(&s->lane_map, thread, &i);
    if (is_new) {
        if (!pithi_grow(&s->lanes, s->lane_count, &s->lane_room, sizeof *s->lanes))
            return no_memory(s);
        struct lane *made = &s->lanes[s->lane_count];
        *made = (struct lane){.thread = thread, .name = strdup("")};
        made->totals = (struct pithi_totals){.lanes = 1, .start_ns = INT64_MAX, .end_ns = INT64_MIN};
        if (!made->name || !pithi_map_put(&s->lane_map, thread, s->lane_count)) {
            free(made->name);
            return no_memory(s);
        }
        s->lane_count++;
    }
    struct lane *l = &s->lanes[i];
    if (name && strcmp(name, l->name) != 0) {
        char *copy = strdup(name);
        if (!copy)
            return no_memory(s);
        free(l->name);
        l->name = copy;
        is_new = 1;
    }
    *lane = i;
    if (is_new) {
        struct pithi_buffer body = {0};
        int ok = pithi_buffer_varint(&body, l->thread) && pithi_buffer_string(&body, l->name) &&
                 describe(s, PITHI_M_LANE, &body);
        free(body.data);
        if (!ok)
            return no_memory(s);
    }
    return PITH_OK;
}

/* Finds or makes a communicator by its key. It is described when it is new, and again when its name or its members
 * become known. */
int pithi_segment_comm(struct pithi_segment *s, const struct pithlog_comm *comm, uint32_t *index)
{
    if (comm->size < 0 || comm->remote_size < 0)
        return pithi_fail(PITH_ERR_USAGE, "a communicator of negative size");
    int news = !pithi_map_get(&s->comm_map, comm->key, index);
    if (news) {
        char *empty = strdup("");
        if (!empty || !pithi_grow(&s->comms, s->comm_count, &s->comm_room, sizeof *s->comms) ||
            !pithi_map_put(&s->comm_map, comm->key, s->comm_count)) {
            free(empty);
            return no_memory(s);
        }
        *index = s->comm_count;
        s->comms[s->comm_count++] = (struct comm){.key = comm->key, .name = empty};
    }
    struct comm *c = &s->comms[*index];
    if (comm->name && *comm->name && strcmp(comm->name, c->name) != 0) {
        char *copy = strdup(comm->name);
        if (!copy)
            return no_memory(s);
        free(c->name);
        c->name = copy;
        news = 1;
    }
    if (comm->size > 0 && comm->world_ranks && c->size != comm->size) {
        c->size = comm->size;
        news = 1;
    }
    /* the description has the known name, also if this call gives none */
    struct pithlog_comm told = *comm;
    told.name = c->name;
    if (news) {
        /* Describes a communicator. Members are stored as differences, so consecutive ranks take a byte each. The ranks
         * 4, 5, 6 become 4, 0, 0 before the zigzag coding: 0 stands for the rank before plus 1. */
        struct pithi_buffer body = {0};
        unsigned char key[8];
        int64_t before = -1;
        int64_t members = told.size > 0 && told.world_ranks ? (int64_t)told.size + told.remote_size : 0;
        pithi_put64(key, told.key);
        int ok = pithi_buffer_varint(&body, *index) && pithi_buffer_add(&body, key, 8) &&
                 pithi_buffer_string(&body, told.name) &&
                 pithi_buffer_varint(&body, members ? (uint32_t)told.size : 0) &&
                 pithi_buffer_varint(&body, members ? (uint32_t)told.remote_size : 0);
        for (int64_t i = 0; ok && i < members; i++) {
            ok = pithi_buffer_varint(&body, pithi_zigzag(told.world_ranks[i] - before - 1));
            before = told.world_ranks[i];
        }
        ok = ok && describe(s, PITHI_M_COMM, &body);
        free(body.data);
        if (!ok)
            return no_memory(s);
    }
    return PITH_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Writes the block that a lane has filled. Descriptions of its lane and communicators are written before it
 * (flush_meta), so that a cut file can be understood. Then come the codes (pithi_encoder_code), the block's part of the
 * summary, which needs the codes and the records in memory, and last the packed bytes. The chunk's head has the length
 * and checksum of these bytes, so it is filled in at the end. */
static int end_block(struct pithi_segment *s, struct lane *lane)
{
    static const unsigned char zeros[PITHI_CHUNK_HEAD];
    struct pithi_block_head head;
    struct written_block w;
    int err;
    if ((err = flush_meta(s)) != PITH_OK || (err = pithi_encoder_code(lane->encoder)) != PITH_OK ||
        ((s->sheet_records || lane->summary.builder) &&
         (err = pithi_lane_summary_block(&lane->summary, lane->encoder, s->rank.rank, s->sheet_records, &s->sink)) !=
             PITH_OK))
        return err;
    s->block.size = 0;
    if (!pithi_grow(&lane->blocks, lane->block_count, &lane->block_room, sizeof *lane->blocks) ||
        !pithi_buffer_add(&s->block, zeros, sizeof zeros))
        return no_memory(s);
    if ((err = pithi_encoder_end(lane->encoder, s->zip, &s->block, &head)) != PITH_OK)
        return err;
    size_t size = s->block.size - PITHI_CHUNK_HEAD;
    /* chunks begin at multiples of 8 */
    if (!pithi_buffer_add(&s->block, zeros, (size_t)(pithi_pad8(size) - size)))
        return no_memory(s);
    struct pithi_chunk_head chunk = {.type = PITHI_C_EVENTS,
                                     .size = size,
                                     .rank = s->rank.rank,
                                     .crc = pithi_crc(s->block.data + PITHI_CHUNK_HEAD, size)};
    pithi_chunk_head_put(s->block.data, &chunk);
    if ((err = s->sink.append(s->sink.context, s->block.data, s->block.size, &w.offset)) != PITH_OK)
        return err;
    w.count = head.count;
    w.kinds = head.kinds;
    w.size = (uint32_t)s->block.size;
    w.first_ns = head.first_ns;
    w.last_ns = head.last_ns;
    lane->blocks[lane->block_count++] = w;
    /* The head of the block has counts, so the totals are found without reading the records. */
    struct pithi_totals *t = &lane->totals;
    t->records += head.count;
    t->states += head.states;
    t->events += head.events;
    t->messages += head.messages;
    t->lost += head.lost;
    if (head.first_ns < t->start_ns)
        t->start_ns = head.first_ns;
    if (head.last_ns > t->end_ns)
        t->end_ns = head.last_ns;
    return PITH_OK;
}

/* Adds any record, also the first and the last of a block. Not inlined, so that `add` stays short. */
static __attribute__((noinline)) int add_any(struct pithi_segment *s, const struct pithlog_record *record,
                                             uint32_t lane_index, uint32_t comm)
{
    if (lane_index >= s->lane_count || comm >= s->comm_count)
        return pithi_fail(PITH_ERR_USAGE, "a record of a lane or communicator that was not made");
    struct lane *lane = &s->lanes[lane_index];
    /* a lane without records needs no encoder */
    if (__builtin_expect(!lane->encoder, 0) && !(lane->encoder = pithi_encoder_new(lane->thread)))
        return no_memory(s);
    int err = pithi_encoder_add(lane->encoder, record, comm);
    return err == PITH_OK && pithi_encoder_full(lane->encoder, s->block_records) ? end_block(s, lane) : err;
}

/* Adds a record. Nearly all records take the short path, which is for a record without a communicator that is neither
 * the first nor the last of its block. */
static inline int add(struct pithi_segment *s, const struct pithlog_record *record, uint32_t lane_index, uint32_t comm)
{
    if (__builtin_expect(lane_index < s->lane_count && comm == 0, 1)) {
        struct pithi_encoder *e = s->lanes[lane_index].encoder;
        if (e && pithi_encoder_count(e) + 1 < s->block_records && pithi_encoder_quick(e, record))
            return PITH_OK;
    }
    return add_any(s, record, lane_index, comm);
}

int pithi_segment_add_to(struct pithi_segment *s, const struct pithlog_record *record, uint32_t lane_index,
                         uint32_t comm)
{
    return add(s, record, lane_index, comm);
}

int pithi_segment_add(struct pithi_segment *s, const struct pithlog_record *record)
{
    return add(s, record, record->lane, record->comm);
}

/* Lets the caller write states straight into the encoder's arrays, as many as the block has room for. */
void pithi_segment_fill(struct pithi_segment *s, uint32_t lane, pithi_states_filler *fill, void *context)
{
    struct pithi_encoder *e = lane < s->lane_count ? s->lanes[lane].encoder : NULL;
    if (!e)
        return;
    struct pithi_states states = pithi_encoder_room(e, s->block_records);
    if (states.room == 0)
        return;
    fill(context, &states);
    pithi_encoder_filled(e, &states);
}

void pithi_segment_share_zip(struct pithi_segment *s, struct pithi_zip *zip) { s->zip = zip; }

/* With many lanes, blocks are smaller: 2,048 records each if there are 1,024 lanes. */
void pithi_segment_expect(struct pithi_segment *s, uint64_t lanes)
{
    uint64_t records =
        lanes > PITHI_BLOCK_LANES ? PITHI_BLOCK_RECORDS * (uint64_t)PITHI_BLOCK_LANES / lanes : PITHI_BLOCK_RECORDS;
    s->block_records = records < PITHI_BLOCK_RECORDS_MIN ? PITHI_BLOCK_RECORDS_MIN : (uint32_t)records;
}

void pithi_segment_sheets(struct pithi_segment *s, uint32_t records) { s->sheet_records = records; }

/* ---- Lanes made by several threads at once ----------------------------------------------------------------------- */

/* Writes the descriptions that are not written yet, so that parts of this segment refer to nothing that comes later in
 * the file. */
int pithi_segment_split(struct pithi_segment *s) { return flush_meta(s); }

/* A part has one lane of the whole segment, the same numbers of communicators, and a sink of its own. Parts share no
 * data that changes, so each may be made by another thread. pithi_segment_split has written the descriptions before. */
int pithi_segment_part(struct pithi_segment **part, const struct pithi_segment *whole, uint32_t lane,
                       const struct pithi_sink *sink)
{
    struct pithi_segment *s = calloc(1, sizeof *s);
    if (!s || !(s->lanes = malloc(sizeof *s->lanes))) {
        free(s);
        return no_memory(whole);
    }
    *part = s;
    s->rank.rank = whole->rank.rank;
    s->sink = *sink;
    s->zip = &s->own_zip;
    s->block_records = whole->block_records;
    s->sheet_records = whole->sheet_records;
    s->comm_count = whole->comm_count;
    s->lanes[0] = whole->lanes[lane];
    s->lane_count = 1;
    return PITH_OK;
}

/* Ends a lane and frees its memory now, because the last blocks of a hundred thousand lanes need memory, too. */
static int end_lane(struct pithi_segment *s, struct lane *lane)
{
    int err = lane->encoder && pithi_encoder_count(lane->encoder) > 0 ? end_block(s, lane) : PITH_OK;
    pithi_encoder_free(lane->encoder);
    lane->encoder = NULL;
    return err == PITH_OK ? pithi_lane_summary_end(&lane->summary, s->rank.rank, &s->sink) : err;
}

int pithi_segment_part_end(struct pithi_segment *part)
{
    struct lane *lane = &part->lanes[0];
    return end_lane(part, lane);
}

/* Puts a lane back into the whole segment. The part's bytes begin at `base` in the sink of the whole, so `base` is
 * added to all its offsets. */
void pithi_segment_join(struct pithi_segment *whole, uint32_t lane, struct pithi_segment *part, uint64_t base)
{
    for (uint32_t i = 0; i < part->lanes[0].block_count; i++)
        part->lanes[0].blocks[i].offset += base;
    for (uint32_t i = 0; i < part->lanes[0].summary.count; i++)
        part->lanes[0].summary.places[i].offset += base;
    /* the lane's lists move to the whole; the part keeps nothing to free */
    whole->lanes[lane] = part->lanes[0];
    part->lane_count = 0;
    part->comm_count = 0; /* a part has only the number of communicators, no descriptions */
    pithi_segment_free(part);
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

/* Returns the size of the index before its lists of blocks: head, META chunks, communicators, lanes and names, CRC. */
static uint64_t index_front(const struct pithi_segment *s)
{
    uint64_t size = PITHI_INDEX_HEAD + (uint64_t)s->meta_count * 8 + pithi_pad8((uint64_t)s->comm_count * 4) +
                    (uint64_t)s->lane_count * PITHI_INDEX_LANE;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        unsigned char length[PITHI_VARINT_MAX];
        size_t n = strlen(s->lanes[i].name);
        size += (size_t)(pithi_put_varint(length, n) - length) + n;
    }
    return pithi_pad8(size + 4);
}

/* Writes the blocks that are not full. After that the memory of blocks is not needed. */
int pithi_segment_rest(struct pithi_segment *s)
{
    int err = PITH_OK;
    for (uint32_t i = 0; err == PITH_OK && i < s->lane_count; i++)
        err = end_lane(s, &s->lanes[i]);
    free(s->block.data);
    s->block = (struct pithi_buffer){0};
    return err;
}

/* Ends all blocks, so that the size of the index is known. From the index sizes of all ranks, each rank can compute
 * where its segment begins, before any rank writes an index. */
int pithi_segment_finish(struct pithi_segment *s)
{
    int err = pithi_segment_rest(s);
    uint64_t lists = 0;
    if (err != PITH_OK || (err = flush_meta(s)) != PITH_OK)
        return err;
    for (uint32_t i = 0; i < s->lane_count; i++)
        lists += (uint64_t)s->lanes[i].block_count * PITHI_INDEX_BLOCK + pithi_lane_summary_size(&s->lanes[i].summary);
    s->index_size = PITHI_CHUNK_HEAD + index_front(s) + lists;
    return PITH_OK;
}

uint64_t pithi_segment_index_size(const struct pithi_segment *s) { return s->index_size; }

static void put_front(const struct pithi_segment *s, uint64_t base, struct pithi_defs *defs, unsigned char *front,
                      size_t size)
{
    unsigned char *p = front + PITHI_INDEX_HEAD;
    pithi_put32(front, s->lane_count);
    pithi_put32(front + 4, s->meta_count);
    pithi_put32(front + 8, s->comm_count);
    pithi_put64(front + 16, size);
    for (uint32_t i = 0; i < s->meta_count; i++, p += 8)
        pithi_put64(p, base + s->metas[i]);
    /* The segment has numbers of its own for communicators. The index maps each to the log's number. */
    for (uint32_t i = 0; i < s->comm_count; i++) {
        uint32_t number = UINT32_MAX;
        pithi_places_find_comm(pithi_defs_places(defs), s->comms[i].key, &number);
        pithi_put32(p + 4 * (size_t)i, number);
    }
    p += pithi_pad8((uint64_t)s->comm_count * 4);
    for (uint32_t i = 0; i < s->lane_count; i++) {
        const struct pithi_totals *t = &s->lanes[i].totals;
        pithi_put32(p, s->lanes[i].thread);
        pithi_put32(p + 4, s->lanes[i].block_count);
        pithi_put64(p + 8, (uint64_t)t->start_ns);
        pithi_put64(p + 16, (uint64_t)t->end_ns);
        pithi_put64(p + 24, t->records);
        pithi_put64(p + 32, t->states);
        pithi_put64(p + 40, t->events);
        pithi_put64(p + 48, t->messages);
        pithi_put64(p + 56, t->lost);
        pithi_put32(p + 64, s->lanes[i].summary.count);
        pithi_put32(p + 68, (uint32_t)s->lanes[i].summary.list.size);
        p += PITHI_INDEX_LANE;
    }
    for (uint32_t i = 0; i < s->lane_count; i++) {
        size_t n = strlen(s->lanes[i].name);
        p = pithi_put_varint(p, n);
        memcpy(p, s->lanes[i].name, n);
        p += n;
    }
    pithi_put32(front + size - 4, pithi_crc(front, size - 4));
}

/* Writes the index: its front at once, then the lists of blocks, then the summaries. `base`: where the segment begins
 * in the log. */
int pithi_segment_index(struct pithi_segment *s, uint64_t base, struct pithi_defs *defs)
{
    size_t front = (size_t)index_front(s);
    unsigned char *head = calloc(1, PITHI_CHUNK_HEAD + front);
    uint64_t offset;
    if (!head)
        return no_memory(s);
    struct pithi_chunk_head chunk = {.type = PITHI_C_INDEX,
                                     /* the front and each entry have CRCs of their own */
                                     .flags = PITHI_CHUNK_OWN_CRC,
                                     .size = s->index_size - PITHI_CHUNK_HEAD,
                                     .rank = s->rank.rank};
    pithi_chunk_head_put(head, &chunk);
    put_front(s, base, defs, head + PITHI_CHUNK_HEAD, front);
    int err = s->sink.append(s->sink.context, head, PITHI_CHUNK_HEAD + front, &offset);
    free(head);
    s->index_offset = base + offset;
    for (uint32_t i = 0; err == PITH_OK && i < s->lane_count; i++) {
        /* Writes a list in pieces, because the list of a long lane may be most of the index. */
        const struct lane *lane = &s->lanes[i];
        unsigned char piece[256 * PITHI_INDEX_BLOCK];
        err = PITH_OK;
        for (uint32_t done = 0; err == PITH_OK && done < lane->block_count;) {
            uint32_t n = lane->block_count - done < 256 ? lane->block_count - done : 256;
            for (uint32_t k = 0; k < n; k++) {
                /* An entry has 40 bytes, for a block of up to 16,384 records. From the entries, a reader finds the
                 * blocks of an interval of time, or with a kind of record, without reading any block. Each entry has
                 * its own CRC, so a reader of one lane need not check the others. */
                unsigned char *p = piece + (size_t)k * PITHI_INDEX_BLOCK;
                const struct written_block *b = &lane->blocks[done + k];
                pithi_put64(p, base + b->offset);
                pithi_put64(p + 8, (uint64_t)b->first_ns);
                pithi_put64(p + 16, (uint64_t)b->last_ns);
                pithi_put32(p + 24, b->count);
                pithi_put32(p + 28, b->kinds);
                pithi_put32(p + 32, b->size);
                pithi_put32(p + 36, pithi_crc(p, 36));
            }
            err = s->sink.append(s->sink.context, piece, (size_t)n * PITHI_INDEX_BLOCK, &offset);
            done += n;
        }
    }
    for (uint32_t i = 0; err == PITH_OK && i < s->lane_count; i++) {
        err = pithi_lane_summary_put(&s->lanes[i].summary, base, &s->block);
        if (err == PITH_OK && s->block.size > 0)
            err = s->sink.append(s->sink.context, s->block.data, s->block.size, &offset);
    }
    return err;
}

void pithi_segment_totals(const struct pithi_segment *s, struct pithi_totals *totals)
{
    *totals = (struct pithi_totals){.lanes = s->lane_count, .start_ns = INT64_MAX, .end_ns = INT64_MIN};
    for (uint32_t i = 0; i < s->lane_count; i++) {
        const struct pithi_totals *t = &s->lanes[i].totals;
        totals->records += t->records;
        totals->states += t->states;
        totals->events += t->events;
        totals->messages += t->messages;
        totals->lost += t->lost;
        totals->start_ns = t->start_ns < totals->start_ns ? t->start_ns : totals->start_ns;
        totals->end_ns = t->end_ns > totals->end_ns ? t->end_ns : totals->end_ns;
    }
}

/* Fills in the rank's entry of the rank table. */
void pithi_rank_entry(const struct pithi_segment *s, uint64_t base, struct pithi_defs *defs,
                      unsigned char entry[PITHI_RANK_ENTRY_SIZE])
{
    struct pithi_totals t;
    uint32_t host = 0;
    pithi_segment_totals(s, &t);
    pithi_places_find_host(pithi_defs_places(defs), s->rank.host, &host);
    memset(entry, 0, PITHI_RANK_ENTRY_SIZE);
    pithi_put32(entry, (uint32_t)s->rank.rank);
    pithi_put32(entry + 4, s->lane_count);
    pithi_put64(entry + 8, base);
    pithi_put64(entry + 16, s->index_offset);
    pithi_put64(entry + 24, s->index_size);
    pithi_put64(entry + 32, t.records);
    pithi_put64(entry + 40, (uint64_t)t.start_ns);
    pithi_put64(entry + 48, (uint64_t)t.end_ns);
    pithi_put64(entry + 56, s->rank.pid);
    pithi_put32(entry + 64, host);
    pithi_put32(entry + 68, s->rank.clock);
    pithi_put32(entry + PITHI_RANK_ENTRY_SIZE - 4, pithi_crc(entry, PITHI_RANK_ENTRY_SIZE - 4));
}
