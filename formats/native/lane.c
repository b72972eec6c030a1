/* lane.c - gives iterators the lanes of an open log, and pieces (windows) of the lanes' lists of blocks.
 *
 * A lane of 10^9 records has 61,000 blocks, and a list of 2.4 MB. No caller needs the whole list at once: an iterator
 * goes from block to block, and a binary search for a time reads few entries. So each reader has a window of some
 * entries, and reads another window when it needs an entry outside. A window begins one entry early, because an entry
 * is checked against the end of the entry before: blocks must not overlap. */
#include "native/log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/zip.h"

uint32_t pithi_log_rank_of(const struct pithlog *log, uint32_t lane) { return log->lane_ranks[lane]; }

uint32_t pithi_log_ranks(const struct pithlog *log) { return log->rank_count; }

const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index) { return &log->ranks[index]; }

const char *pithi_log_host(const struct pithlog *log, const struct pithi_log_rank *rank)
{
    return log->places->hosts[rank->host];
}

/* Finds a lane, loading its rank first. Returns PITH_ERR_DAMAGED with *found set if the index of the rank is damaged:
 * then some records of the lane are lost, and the others can be read. */
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

int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index, struct pithi_log_window *w,
                    struct pithi_log_block *block)
{
    /* in a rebuilt log the list is in memory */
    if (lane->blocks) {
        *block = lane->blocks[index];
        return PITH_OK;
    }
    /* A window's first entry could not be compared with the entry before it, so it is not returned: it only serves to
     * check the second. Entry 0 of the list has no entry before it, and is returned. */
    int in_window = w->lane == lane && index >= w->first + (w->first > 0) && index < w->first + w->count;
    if (!in_window) {
        /* Reads a window. It begins one block before the wanted one, because the check needs the end of that block. */
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
            /* Reads an entry of a list. A block that contradicts itself or the end of the block before (`last_ns`) gets
             * count 0. */
            const unsigned char *p = bytes + (size_t)i * PITHI_INDEX_BLOCK;
            struct pithi_log_block b = {.offset = pithi_get64(p),
                                        .first_ns = (int64_t)pithi_get64(p + 8),
                                        .last_ns = (int64_t)pithi_get64(p + 16),
                                        .count = pithi_get32(p + 24),
                                        .kinds = pithi_get32(p + 28),
                                        .size = pithi_get32(p + 32)};
            if (pithi_get32(p + 36) != pithi_crc(p, 36) || b.offset % 8 != 0 || b.first_ns > b.last_ns ||
                b.count > PITHI_BLOCK_RECORDS_MAX || b.first_ns < last_ns)
                b.count = 0;
            w->blocks[i] = b;
            /* A damaged entry leaves last_ns as it is: the next entry is compared with the last intact one. */
            if (w->blocks[i].count)
                last_ns = w->blocks[i].last_ns;
        }
        w->lane = lane;
        w->first = first;
        w->count = count;
    }
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

/* Finds the first block that ends at or after a time, by binary search. A damaged entry ends the search early; a caller
 * that reads from there passes over the entry and reports the damage. */
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

/* ---- The public getters of an open log ------------------------------------------------------------------------ */

const struct pithlog_info *pithlog_get_info(const struct pithlog *log) { return &log->info; }

const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id)
{
    return pithi_defs_get(log->defs, id);
}

/* Loading on demand changes a log only internally, so callers may pass a const log. */
static struct pithlog *inside(const struct pithlog *log) { return (struct pithlog *)(uintptr_t)log; }

/* If the lane's rank cannot be loaded, returns a struct that has only rank, thread and host, for messages about the
 * lane. Each calling thread has one such struct, so the result is then valid until the thread's next call. */
const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane)
{
    static _Thread_local struct pithlog_lane lost;
    const struct pithi_log_lane *found;
    if (lane >= log->info.lanes)
        return NULL;
    pithi_log_lane(inside(log), lane, &found);
    if (found)
        return &found->seen;
    const struct pithi_log_rank *rank = pithi_log_rank(log, pithi_log_rank_of(log, lane));
    lost = (struct pithlog_lane){.rank = rank->rank,
                                 .thread = lane - rank->first_lane,
                                 .name = "",
                                 .host = pithi_log_host(log, rank),
                                 .first_ns = INT64_MAX,
                                 .last_ns = INT64_MIN};
    return &lost;
}

const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm)
{
    static const struct pithlog_comm none = {.name = ""};
    if (comm >= log->info.comms)
        return NULL;
    /* Communicators are made at their first request, because their members may be a long list. */
    struct pithlog_comm *made = __atomic_load_n(&log->comms[comm], __ATOMIC_ACQUIRE), *before = NULL;
    if (made || !(made = pithi_log_make_comm(inside(log), comm)))
        return made ? made : &none;
    if (__atomic_compare_exchange_n(&log->comms[comm], &before, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    pithi_log_free_comm(made); /* another thread was faster; its communicator is used */
    return before;
}

const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value)
{
    return pithi_defs_get_property(log->defs, index, value);
}

const char *pithi_property(const struct pithlog *log, const char *key)
{
    const char *found, *value;

    for (uint32_t i = 0; (found = pithlog_get_property(log, i, &value)); i++)
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

enum pithi_code_event pithi_code_event(const struct pithlog_def *def)
{
    static const char *const known[][2] = {
        [PITHI_CODE_SAMPLE] = {"pith:sample", "cpu=%l"},
        [PITHI_CODE_SITE] = {"pith:site", "address=%X"},
        [PITHI_CODE_MODULE] = {"pith:module", "begin=%X end=%X bias=%X build=%s path=%s"},
        [PITHI_CODE_NAME] = {"pith:code", "begin=%X end=%X name=%s"}};

    for (size_t i = PITHI_CODE_SAMPLE; def->kind == PITHLOG_EVENT_TYPE && i <= PITHI_CODE_NAME; i++)
        if (strcmp(def->name, known[i][0]) == 0 && strcmp(def->format, known[i][1]) == 0)
            return (enum pithi_code_event)i;
    return PITHI_NO_CODE;
}

int64_t pithi_sample_timing(const struct pithlog *log, int *wall)
{
    const char *clock = pithi_property(log, "sample_clock"), *period = pithi_property(log, "sample_ns");

    *wall = clock && strcmp(clock, "wall") == 0;
    /* 10 ms: 100 samples a second */
    return period && atoll(period) > 0 ? atoll(period) : 10000000;
}
