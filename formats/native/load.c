/* load.c - opening a native log by its footer: rank table, indexes, descriptions, definitions. When any of these is
 * missing or contradicts itself, everything is made again from the blocks (rebuild.c). */
#include "native/log.h"

#include <stdio.h>

#include "error.h"
#include "native/bytes.h"
#include "native/chunk.h"
#include "native/zip.h"

int pithi_native_is(const unsigned char *data, size_t size)
{
    struct pithi_chunk_head head;
    return (size >= 8 && memcmp(data, PITHI_FILE_MAGIC, 8) == 0) ||
           (size > PITHI_HEADER_SIZE && pithi_chunk_head_get(data, size, PITHI_HEADER_SIZE, &head));
}

int pithi_log_damage(struct pithlog *log, uint64_t offset, const char *what)
{
    int err = pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: %s", log->path, (unsigned long long)offset, what);
    log->damages++;
    if (log->say)
        log->say(log->say_context, pithlog_error());
    return err;
}

/* ---- By the footer ----------------------------------------------------------------------------------------------- */

/* A chunk of `type` at `offset`, whole and intact. */
static int intact_chunk(struct pithlog *log, uint64_t offset, enum pithi_chunk_type type, struct pithi_chunk_head *head)
{
    if (!pithi_chunk_head_get(log->data, log->size, offset, head) || head->type != type)
        return pithi_log_damage(log, offset, "the chunk that should stand here does not");
    if (!(head->flags & PITHI_CHUNK_OWN_CRC) && !pithi_chunk_intact(log->data, offset, head))
        return pithi_log_damage(log, offset, "the chunk here is damaged: its CRC differs");
    return PITH_OK;
}

static int load_defs(struct pithlog *log, uint64_t offset)
{
    struct pithi_chunk_head head;
    uint32_t *ids = NULL, first, count;
    int err;
    TRY(intact_chunk(log, offset, PITHI_C_DEFS, &head));
    err = pithi_defs_unpack_from(log->defs, log->data + offset + PITHI_CHUNK_HEAD, (size_t)head.size, &first, &count,
                                 &ids);
    if (err == PITH_ERR_DAMAGED || (err == PITH_OK && (first != 0 || count != pithi_defs_count(log->defs))))
        err = pithi_log_damage(log, offset, "the definitions make no sense");
out:
    free(ids);
    return err;
}

static int check_block(struct pithlog *log, const struct pithi_log_lane *lane, const struct pithi_log_block *b)
{
    const struct pithi_log_block *before = lane->block_count ? &lane->blocks[lane->block_count - 1] : NULL;
    return b->offset % 8 == 0 && b->offset < log->size &&
           log->size - b->offset > PITHI_CHUNK_HEAD + PITHI_EVENTS_HEAD && b->first_ns <= b->last_ns && b->count > 0 &&
           b->count <= PITHI_BLOCK_RECORDS_MAX && (!before || before->last_ns <= b->first_ns);
}

/* One lane of an index; the byte after it, or NULL. */
static const unsigned char *load_lane(struct pithlog *log, uint32_t rank, const unsigned char *p,
                                      const unsigned char *end, int *err)
{
    uint32_t index;
    *err = PITH_ERR_DAMAGED;
    if (end - p < PITHI_INDEX_LANE)
        return NULL;
    uint32_t blocks = pithi_get32(p + 4);
    if (blocks > (uint64_t)(end - p - PITHI_INDEX_LANE) / PITHI_INDEX_BLOCK)
        return NULL;
    if ((*err = pithi_log_find_lane(log, rank, pithi_get32(p), &index)) != PITH_OK)
        return NULL;
    struct pithi_log_lane *lane = &log->lanes[index];
    lane->totals.start_ns = (int64_t)pithi_get64(p + 8);
    lane->totals.end_ns = (int64_t)pithi_get64(p + 16);
    lane->totals.records = pithi_get64(p + 24);
    lane->totals.states = pithi_get64(p + 32);
    lane->totals.events = pithi_get64(p + 40);
    lane->totals.messages = pithi_get64(p + 48);
    lane->totals.lost = pithi_get64(p + 56);
    p += PITHI_INDEX_LANE;
    for (uint32_t i = 0; i < blocks; i++, p += PITHI_INDEX_BLOCK) {
        struct pithi_log_block b = {pithi_get64(p), (int64_t)pithi_get64(p + 8), (int64_t)pithi_get64(p + 16),
                                    pithi_get32(p + 24), pithi_get32(p + 28)};
        *err = check_block(log, lane, &b) ? pithi_log_add_block(log, index, &b) : PITH_ERR_DAMAGED;
        if (*err != PITH_OK)
            return NULL;
    }
    return p;
}

static int load_metas(struct pithlog *log, int32_t rank, const unsigned char *offsets, uint32_t count)
{
    struct pithi_chunk_head head;
    int err = PITH_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = pithi_get64(offsets + 8 * (size_t)i);
        TRY(intact_chunk(log, offset, PITHI_C_META, &head));
        err = head.rank == rank ? pithi_log_read_meta(log, rank, log->data + offset + PITHI_CHUNK_HEAD, head.size)
                                : PITH_ERR_DAMAGED;
        if (err == PITH_ERR_DAMAGED)
            err = pithi_log_damage(log, offset, "the descriptions of a rank make no sense");
        if (err != PITH_OK)
            return err;
    }
out:
    return err;
}

static int load_index(struct pithlog *log, int32_t rank_number, uint64_t offset)
{
    struct pithi_chunk_head head;
    uint32_t rank, before = log->rank_count;
    int err;
    TRY(intact_chunk(log, offset, PITHI_C_INDEX, &head));
    const unsigned char *p = log->data + offset + PITHI_CHUNK_HEAD, *end = p + head.size;
    TRY(pithi_log_find_rank(log, rank_number, &rank));
    if (head.size < PITHI_INDEX_HEAD || head.rank != rank_number || rank < before)
        return pithi_log_damage(log, offset, "the index of a rank contradicts the rank table");
    uint32_t lanes = pithi_get32(p), metas = pithi_get32(p + 4);
    p += PITHI_INDEX_HEAD;
    if (metas > (uint64_t)(end - p) / 8)
        return pithi_log_damage(log, offset, "the index of a rank makes no sense");
    TRY(load_metas(log, rank_number, p, metas));
    p += 8 * (size_t)metas;
    for (uint32_t i = 0; i < lanes; i++)
        if (!(p = load_lane(log, rank, p, end, &err)))
            return err == PITH_ERR_DAMAGED ? pithi_log_damage(log, offset, "the index of a rank makes no sense") : err;
out:
    return err;
}

static int load_table(struct pithlog *log, uint64_t offset, uint32_t ranks)
{
    struct pithi_chunk_head head;
    int err;
    TRY(intact_chunk(log, offset, PITHI_C_TABLE, &head));
    if (head.size < PITHI_TABLE_HEAD - PITHI_CHUNK_HEAD ||
        (head.size - (PITHI_TABLE_HEAD - PITHI_CHUNK_HEAD)) / PITHI_RANK_ENTRY_SIZE < ranks ||
        pithi_get32(log->data + offset + PITHI_CHUNK_HEAD) != ranks)
        return pithi_log_damage(log, offset, "the rank table contradicts the footer");
    for (uint32_t i = 0; i < ranks; i++) {
        uint64_t at = offset + pithi_rank_entry_offset(i);
        const unsigned char *entry = log->data + at;
        if (pithi_get32(entry + 60) != pithi_crc(entry, 60))
            return pithi_log_damage(log, at, "an entry of the rank table is damaged: its CRC differs");
        TRY(load_index(log, (int32_t)pithi_get32(entry), pithi_get64(entry + 16)));
    }
out:
    return err;
}

static int load_by_footer(struct pithlog *log)
{
    int err;
    if (log->size < PITHI_HEADER_SIZE + PITHI_FOOTER_SIZE)
        return pithi_log_damage(log, log->size, "the log ends here, without a footer");
    const unsigned char *f = log->data + log->size - PITHI_FOOTER_SIZE;
    if (memcmp(f, PITHI_FOOTER_MAGIC, 8) != 0 || pithi_get32(f + 124) != pithi_crc(f, 124))
        return pithi_log_damage(log, log->size, "the log ends here, without an intact footer");
    TRY(pithi_defs_new(&log->defs));
    TRY(load_defs(log, pithi_get64(f + 16)));
    TRY(load_table(log, pithi_get64(f + 24), pithi_get32(f + 12)));
    TRY(pithi_log_complete(log, 1));
    if (log->info.records != pithi_get64(f + 32) || log->info.lanes != pithi_get64(f + 72))
        return pithi_log_damage(log, log->size - PITHI_FOOTER_SIZE, "the footer contradicts the indexes");
out:
    return err;
}

static int check_header(struct pithlog *log)
{
    const unsigned char *h = log->data;
    if (log->size >= PITHI_HEADER_SIZE && memcmp(h, PITHI_FILE_MAGIC, 8) == 0 &&
        pithi_get32(h + 60) == pithi_crc(h, 60)) {
        uint32_t version = pithi_get32(h + 8);
        if (version > PITHI_VERSION)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: byte 8: a log of version %u; this program knows up to %u",
                              log->path, version, PITHI_VERSION);
        return PITH_OK;
    }
    pithi_log_damage(log, 0, "the header is damaged");
    return PITH_OK;
}

int pithi_log_load(struct pithlog *log)
{
    int err = check_header(log);
    if (err != PITH_OK)
        return err;
    uint32_t damages = log->damages;
    err = load_by_footer(log);
    log->info.complete = damages == 0;
    if (err == PITH_ERR_DAMAGED) {
        pithi_log_unload(log);
        err = pithi_log_rebuild(log);
        log->info.complete = 0;
    }
    log->info.format = "native";
    log->info.version = PITHI_VERSION;
    log->info.bytes = log->size;
    if (err != PITH_OK)
        pithi_log_unload(log);
    return err;
}

void pithi_log_unload(struct pithlog *log)
{
    for (uint32_t i = 0; i < log->rank_count; i++) {
        free(log->ranks[i].host);
        free(log->ranks[i].comms);
    }
    for (uint32_t i = 0; i < log->lane_count; i++) {
        free((char *)(uintptr_t)log->lanes[i].seen.name);
        free(log->lanes[i].blocks);
    }
    for (uint32_t i = 0; i < log->comm_count; i++) {
        free((char *)(uintptr_t)log->comms[i].name);
        free((int32_t *)(uintptr_t)log->comms[i].world_ranks);
    }
    free(log->ranks);
    free(log->lanes);
    free(log->comms);
    pithi_defs_free(log->defs);
    pithi_map_free(&log->rank_map);
    pithi_map_free(&log->lane_map);
    pithi_map_free(&log->comm_map);
    log->ranks = NULL;
    log->lanes = NULL;
    log->comms = NULL;
    log->defs = NULL;
    log->rank_count = log->rank_room = log->lane_count = log->lane_room = log->comm_count = log->comm_room = 0;
    log->info = (struct pithlog_info){0};
}
