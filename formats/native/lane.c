/* lane.c - what iterators ask of an open log: lanes, and windows of their lists of blocks. */
#include "native/log.h"

#include <stdio.h>

#include "error.h"
#include "native/zip.h"

uint32_t pithi_log_rank_of(const struct pithlog *log, uint32_t lane) { return log->lane_ranks[lane]; }

uint32_t pithi_log_ranks(const struct pithlog *log) { return log->rank_count; }

const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index) { return &log->ranks[index]; }

const char *pithi_log_host(const struct pithlog *log, const struct pithi_log_rank *rank)
{
    return log->places->hosts[rank->host];
}

int pithi_log_lane(struct pithlog *log, uint32_t lane, const struct pithi_log_lane **found)
{
    uint32_t rank = log->lane_ranks[lane];
    const struct pithi_log_part *part = pithi_log_part(log, rank);
    *found = part ? &part->lanes[lane - log->ranks[rank].first_lane] : NULL;
    if (!part)
        return PITH_ERR_DAMAGED;
    if (part->missing) {
        char name[4096];
        pithi_files_name(&log->files, part->base, name, sizeof name);
        return pithi_fail(PITH_ERR_DAMAGED,
                          "%s: byte %llu: rank %d is damaged, and %llu of its records with its index; `pith recover` "
                          "takes the rest",
                          name, (unsigned long long)pithi_place(part->base), (int)part->rank,
                          (unsigned long long)part->missing);
    }
    return PITH_OK;
}

/* ---- Lists of blocks --------------------------------------------------------------------------------------------- */

/* A block that contradicts itself, or the one before it (`last_ns`), counts no records. */
static struct pithi_log_block get_block(const unsigned char *p, int64_t last_ns)
{
    struct pithi_log_block b = {pithi_get64(p), (int64_t)pithi_get64(p + 8), (int64_t)pithi_get64(p + 16),
                                pithi_get32(p + 24), pithi_get32(p + 28)};
    if (pithi_get32(p + 36) != pithi_crc(p, 36) || b.offset % 8 != 0 || b.first_ns > b.last_ns ||
        b.count > PITHI_BLOCK_RECORDS_MAX || b.first_ns < last_ns)
        b.count = 0;
    return b;
}

/* The window begins with the block before the one wanted, so that this is compared with that. */
static int read_window(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                       struct pithi_log_window *w)
{
    unsigned char bytes[PITHI_LOG_WINDOW * PITHI_INDEX_BLOCK];
    uint32_t first = index ? index - 1 : 0, left = lane->block_count - first;
    uint32_t count = left < PITHI_LOG_WINDOW ? left : PITHI_LOG_WINDOW;
    int64_t last_ns = INT64_MIN;
    w->lane = NULL;
    int err = pithi_files_read(&log->files, lane->list + (uint64_t)first * PITHI_INDEX_BLOCK, bytes,
                               (size_t)count * PITHI_INDEX_BLOCK);
    if (err != PITH_OK)
        return err;
    for (uint32_t i = 0; i < count; i++) {
        w->blocks[i] = get_block(bytes + (size_t)i * PITHI_INDEX_BLOCK, last_ns);
        if (w->blocks[i].count)
            last_ns = w->blocks[i].last_ns;
    }
    w->lane = lane;
    w->first = first;
    w->count = count;
    return PITH_OK;
}

int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index, struct pithi_log_window *w,
                    struct pithi_log_block *block)
{
    if (lane->blocks) {
        *block = lane->blocks[index];
        return PITH_OK;
    }
    int in_window = w->lane == lane && index >= w->first + (w->first > 0) && index < w->first + w->count;
    int err = in_window ? PITH_OK : read_window(log, lane, index, w);
    if (err != PITH_OK)
        return err;
    *block = w->blocks[index - w->first];
    if (block->count)
        return PITH_OK;
    char name[4096];
    uint64_t at = lane->list + (uint64_t)index * PITHI_INDEX_BLOCK;
    pithi_files_name(&log->files, at, name, sizeof name);
    return pithi_fail(
        PITH_ERR_DAMAGED,
        "%s: byte %llu: the index of rank %d is damaged, and a block is lost with it; `pith recover` finds "
        "it again",
        name, (unsigned long long)pithi_place(at), (int)lane->part->rank);
}

uint32_t pithi_log_block_at(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns,
                            struct pithi_log_window *window)
{
    uint32_t low = 0, high = lane->block_count;
    struct pithi_log_block block;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pithi_log_block(log, lane, middle, window, &block) != PITH_OK)
            return low;
        if (block.last_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
