/* load.c - opens a native log by its header, footer, definitions and rank table. If one of these is missing or
 * contradicts itself, the log is rebuilt from its blocks (rebuild.c).
 *
 * The cost must not depend on the length of the run. So the file is read from its end, and only what each part refers
 * to:
 *
 *     footer (128 bytes) -> definitions
 *                        -> rank table, 80 bytes a rank -> indexes of ranks, each read when it is first needed
 *
 * A log of 1,000 ranks is open after reading 80 KB of table and the definitions. The lanes of a rank, its lists of
 * blocks and its members of communicators come later, if at all (part.c, lane.c).
 *
 * Nothing read is trusted: each part has a CRC, and what it says is compared with the size of the file before memory is
 * taken for it. */
#include "native/clocks.h"
#include "native/log.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/zip.h"
#include "native/chunk.h"
#include "native/defs.h"
#include "native/lane_summary.h"

/* Returns 1 for the start of a native log. If the header is damaged, a chunk that follows it shows that the file is a
 * native log. */
int pithi_native_is(const unsigned char *start, size_t size)
{
    struct pithi_chunk_head head;
    return (size >= 8 && memcmp(start, PITHI_FILE_MAGIC, 8) == 0) ||
           (size >= PITHI_NATIVE_START && pithi_chunk_head_get(start, UINT64_MAX, PITHI_HEADER_SIZE, &head));
}

/* Reports damage and counts it. The log stays open: the caller decides what can be read without the damaged part. */
int pithi_log_damage(struct pithlog *log, uint64_t offset, const char *what)
{
    char name[4096];
    pithi_files_name(&log->files, offset, name, sizeof name);
    int err = pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: %s", name, (unsigned long long)pithi_place(offset), what);
    __atomic_fetch_add(&log->damages, 1, __ATOMIC_RELAXED);
    if (log->say)
        log->say(log->say_context, pithlog_error());
    return err;
}

static int no_memory(const struct pithlog *log)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to open it", log->path);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Reads the definitions of the whole log. Their ids must begin at 0, and no two may be equal; otherwise ids in records
 * would refer to other definitions. */
static int load_defs(struct pithlog *log, uint64_t offset)
{
    struct pithi_buffer payload = {0};
    struct pithi_chunk_head head;
    uint32_t *ids = NULL, first, count;
    const char *why;
    int err = pithi_files_chunk(&log->files, offset, &head, &payload, &why);
    if (err == PITH_ERR_DAMAGED || (err == PITH_OK && head.type != PITHI_C_DEFS))
        err = pithi_log_damage(log, offset, "the definitions that should stand here are damaged");
    else if (err == PITH_OK)
        err = pithi_defs_unpack_from(log->defs, payload.data, payload.size, &first, &count, &ids);
    if (ids && (first != 0 || count != pithi_defs_count(log->defs)))
        err = PITH_ERR_DAMAGED;
    if (err == PITH_ERR_DAMAGED)
        pithi_log_damage(log, offset, "the definitions make no sense");
    free(ids);
    free(payload.data);
    return err;
}

/* ---- The rank table ---------------------------------------------------------------------------------------------- */

/* Sums over the rank table. `lanes` and `records` are compared with the footer. `index_bytes` may not be more than the
 * size of the files, because indexes do not overlap. Each lane takes bytes of an index, so this also limits the number
 * of lanes. */
struct table {
    uint64_t lanes, records, index_bytes; /* bytes of the indexes */
    int sorted;                           /* 1: the entries are in order of rank */
};

static int load_entries(struct pithlog *log, uint64_t at, uint32_t ranks, struct table *t)
{
    unsigned char piece[256 * PITHI_RANK_ENTRY_SIZE];
    int err = PITH_OK;
    for (uint32_t done = 0; done < ranks;) {
        uint32_t n = ranks - done < 256 ? ranks - done : 256;
        TRY(pithi_files_read(&log->files, at, piece, (size_t)n * PITHI_RANK_ENTRY_SIZE));
        for (uint32_t i = 0; i < n; i++, at += PITHI_RANK_ENTRY_SIZE) {
            const unsigned char *p = piece + (size_t)i * PITHI_RANK_ENTRY_SIZE;
            uint32_t index = done + i;
            struct pithi_log_rank *r = &log->ranks[index];
            if (pithi_get32(p + PITHI_RANK_ENTRY_SIZE - 4) != pithi_crc(p, PITHI_RANK_ENTRY_SIZE - 4)) {
                err = pithi_log_damage(log, at, "an entry of the rank table is damaged: its CRC differs");
                goto out;
            }
            *r = (struct pithi_log_rank){.rank = (int32_t)pithi_get32(p),
                                         .lane_count = pithi_get32(p + 4),
                                         .host = pithi_get32(p + 64),
                                         .clock = pithi_get32(p + 68),
                                         .pid = pithi_get64(p + 56),
                                         .records = pithi_get64(p + 32),
                                         .base = pithi_get64(p + 8),
                                         .index = pithi_get64(p + 16),
                                         .index_size = pithi_get64(p + 24)};
            /* the smallest index: its head, no lanes, and the checksum padded to 8 bytes */
            uint64_t least = PITHI_CHUNK_HEAD + PITHI_INDEX_HEAD + 8;
            t->lanes += r->lane_count;
            t->records += r->records;
            t->index_bytes += r->index_size;
            /* Each lane of the index has at least PITHI_INDEX_LANE bytes, and the sum of all indexes is at most the
             * files' size. So no number here can make the reader take more memory than the files are large. */
            if (r->index_size < least || (r->index_size - least) / PITHI_INDEX_LANE < r->lane_count ||
                t->index_bytes < r->index_size || t->index_bytes > pithi_files_bytes(&log->files) ||
                r->host >= log->places->host_count || r->index % 8 != 0 || r->base % 8 != 0) {
                err = pithi_log_damage(log, at, "an entry of the rank table makes no sense");
                goto out;
            }
            t->sorted &= index == 0 || log->ranks[index - 1].rank < r->rank;
        }
        done += n;
    }
out:
    return err;
}

static int by_rank(const void *a, const void *b)
{
    int32_t x = ((const struct pithi_log_rank *)a)->rank, y = ((const struct pithi_log_rank *)b)->rank;
    return x < y ? -1 : x > y;
}

int pithi_log_number(struct pithlog *log)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < log->rank_count; i++) {
        log->ranks[i].first_lane = (uint32_t)lanes;
        lanes += log->ranks[i].lane_count;
    }
    if (lanes >= UINT32_MAX)
        return PITH_ERR_DAMAGED;
    log->lane_ranks = malloc(((size_t)lanes + 1) * sizeof *log->lane_ranks);
    log->comms = calloc(log->places->comm_count, sizeof *log->comms);
    log->sheets = calloc((size_t)lanes + 1, sizeof *log->sheets);
    log->lost = calloc((size_t)lanes + 1, sizeof *log->lost);
    if (!log->lane_ranks || !log->comms || !log->sheets || !log->lost)
        return no_memory(log);
    for (uint32_t i = 0; i < log->rank_count; i++)
        for (uint32_t k = 0; k < log->ranks[i].lane_count; k++)
            log->lane_ranks[log->ranks[i].first_lane + k] = i;
    log->info.ranks = log->rank_count;
    log->info.lanes = (uint32_t)lanes;
    log->info.comms = log->places->comm_count;
    log->info.defs = pithi_defs_count(log->defs);
    return PITH_OK;
}

static int load_table(struct pithlog *log, uint64_t offset, uint32_t ranks, struct table *t)
{
    unsigned char front[PITHI_TABLE_HEAD];
    struct pithi_chunk_head head;
    int err =
        pithi_place_volume(offset) ? PITH_ERR_DAMAGED : pithi_files_read(&log->files, offset, front, sizeof front);
    if (err == PITH_OK && (!pithi_chunk_head_get(front, log->files.size - offset, 0, &head) ||
                           head.type != PITHI_C_TABLE || head.size < PITHI_TABLE_HEAD - PITHI_CHUNK_HEAD ||
                           (head.size - (PITHI_TABLE_HEAD - PITHI_CHUNK_HEAD)) / PITHI_RANK_ENTRY_SIZE < ranks ||
                           pithi_get32(front + PITHI_CHUNK_HEAD) != ranks))
        err = PITH_ERR_DAMAGED;
    if (err == PITH_ERR_DAMAGED)
        pithi_log_damage(log, offset, "the rank table that should stand here is damaged");
    if (err != PITH_OK)
        return err;
    if (!(log->ranks = calloc(ranks + (size_t)1, sizeof *log->ranks)))
        return no_memory(log);
    TRY(load_entries(log, offset + PITHI_TABLE_HEAD, ranks, t));
    log->rank_count = ranks;
    if (!t->sorted) {
        /* Each rank must occur once. */
        qsort(log->ranks, log->rank_count, sizeof *log->ranks, by_rank);
        for (uint32_t i = 1; i < log->rank_count; i++)
            if (log->ranks[i].rank == log->ranks[i - 1].rank)
                return pithi_log_damage(log, offset, "the rank table has a rank twice");
    }
    err = pithi_log_number(log);
    if (err == PITH_ERR_DAMAGED)
        pithi_log_damage(log, offset, "the rank table has too many lanes");
out:
    return err;
}

/* ---- Header and footer ------------------------------------------------------------------------------------------- */

static int load_by_footer(struct pithlog *log)
{
    unsigned char f[PITHI_FOOTER_SIZE];
    struct pithlog_info *info = &log->info;
    struct table t = {.sorted = 1};
    /* the footer is the end of the first file */
    uint64_t at = log->files.size - PITHI_FOOTER_SIZE;
    int err;
    if (log->files.size < PITHI_HEADER_SIZE + PITHI_FOOTER_SIZE)
        return pithi_log_damage(log, log->files.size, "the log ends here, without a footer");
    TRY(pithi_files_read(&log->files, at, f, sizeof f));
    /* A log whose program died has no footer. */
    if (memcmp(f, PITHI_FOOTER_MAGIC, 8) != 0 || pithi_get32(f + 124) != pithi_crc(f, 124))
        return pithi_log_damage(log, log->files.size, "the log ends here, without an intact footer");
    TRY(pithi_defs_new(&log->defs));
    log->places = pithi_defs_places(log->defs);
    TRY(load_defs(log, pithi_get64(f + 16)));
    TRY(load_table(log, pithi_get64(f + 24), pithi_get32(f + 12), &t));
    info->records = pithi_get64(f + 32);
    info->states = pithi_get64(f + 40);
    info->events = pithi_get64(f + 48);
    info->messages = pithi_get64(f + 56);
    info->lost = pithi_get64(f + 64);
    info->start_ns = (int64_t)pithi_get64(f + 80);
    info->end_ns = (int64_t)pithi_get64(f + 88);
    /* The footer's sums must agree with the table. They do not if the footer belongs to another version of the file. */
    if (t.records != info->records || t.lanes != pithi_get64(f + 72))
        return pithi_log_damage(log, at, "the footer contradicts the rank table");
out:
    return err;
}

static int load_header(struct pithlog *log, int blocks)
{
    unsigned char h[PITHI_HEADER_SIZE];
    struct pithi_volume volume = {0};
    /* A damaged header does not stop the reading: the rest of the file can be read without it. */
    int good = log->files.size >= sizeof h && pithi_files_read(&log->files, 0, h, sizeof h) == PITH_OK &&
               memcmp(h, PITHI_FILE_MAGIC, 8) == 0 && pithi_get32(h + 60) == pithi_crc(h, 60);
    uint32_t version = good ? pithi_get32(h + 8) : PITHI_VERSION;
    if (version > PITHI_VERSION)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: byte 8: a log of version %u; this program knows up to %u",
                          log->path, version, PITHI_VERSION);
    if (good && !pithi_volume_get(h, &volume)) {
        good = 0;
        volume = (struct pithi_volume){0};
    }
    if (volume.number) {
        /* A volume cannot be read alone, so the error says which file to open. */
        char suffix[16];
        int length = (int)strlen(log->path), cut = snprintf(suffix, sizeof suffix, ".%u", volume.number);
        if (length > cut && strcmp(log->path + length - cut, suffix) == 0)
            return pithi_fail(PITH_ERR_OPEN, "%s: is only part %u of a log; open %.*s", log->path, volume.number,
                              length - cut, log->path);
        return pithi_fail(PITH_ERR_OPEN,
                          "%s: is only part %u of a log; open the file that has no number behind its name", log->path,
                          volume.number);
    }
    if (!good)
        pithi_log_damage(log, 0, "the header is damaged");
    return pithi_files_begin(&log->files, &volume, blocks);
}

/* Copies the text of pithlog_error() without the name of the file. */
static void take_reason(const struct pithlog *log, char *reason, size_t size)
{
    const char *text = pithlog_error();
    size_t name = strlen(log->path);
    if (strncmp(text, log->path, name) == 0 && strncmp(text + name, ": ", 2) == 0)
        text += name + 2;
    snprintf(reason, size, "%s", text);
}

/* Opens the log by its footer, or by reading its blocks. `blocks`: 1 for `pith recover`, which reads all blocks in any
 * case. */
int pithi_log_load(struct pithlog *log, int blocks)
{
    char damage[512] = ""; /* the first damage found while loading */
    int err = load_header(log, blocks);
    if (err != PITH_OK)
        return err;
    /* keeps the text, because the next error overwrites pithlog_error() */
    if (log->damages)
        take_reason(log, damage, sizeof damage);
    err = blocks ? PITH_ERR_DAMAGED : load_by_footer(log);
    log->rebuilt = err == PITH_ERR_DAMAGED;
    /* If footer, definitions or table are damaged: discard what was read, and rebuild it from the blocks. */
    if (log->rebuilt) {
        if (!*damage && !blocks) /* `pith recover` ignores the index, so a missing index is no damage */
            take_reason(log, damage, sizeof damage);
        pithi_log_unload(log);
        err = pithi_log_rebuild(log);
    }
    /* Damage makes the log incomplete. The reason becomes a property, so it stays with the log when it is copied or
     * converted. */
    if (err == PITH_OK) {
        if (*damage)
            err = pithi_incomplete(log->defs, "%s", damage);
        log->info.incomplete = pithi_incomplete_reason(log->defs);
        log->info.complete = !log->info.incomplete;
    }
    if (err == PITH_OK)
        err = pithi_log_clocks(log);
    log->info.format = "native";
    log->info.version = PITHI_VERSION;
    log->info.bytes = pithi_files_bytes(&log->files);
    if (err != PITH_OK)
        pithi_log_unload(log);
    return err;
}

/* Frees what loading made, so that a rebuild can begin from nothing. The files stay open. */
void pithi_log_unload(struct pithlog *log)
{
    for (uint32_t i = 0; i < log->rank_count; i++)
        pithi_part_free(log->ranks[i].part);
    for (uint32_t i = 0; log->comms && i < log->places->comm_count; i++)
        pithi_log_free_comm(log->comms[i]);
    pithi_log_drop_sheets(log);
    for (uint32_t i = 0; log->lost && i < log->info.lanes; i++)
        free(log->lost[i]);
    free(log->lost);
    log->lost = NULL;
    free(log->ranks);
    free(log->lane_ranks);
    free(log->comms);
    free(log->tellers);
    pithi_clocks_free(log->clocks, log->clock_count);
    log->clocks = NULL;
    log->clock_count = 0;
    log->clocks_known = 0;
    pithi_places_free(&log->found);
    pithi_defs_free(log->defs);
    log->ranks = NULL;
    log->rank_count = 0;
    log->lane_ranks = NULL;
    log->comms = NULL;
    log->tellers = NULL;
    log->places = NULL;
    log->defs = NULL;
    log->info = (struct pithlog_info){0};
}
