/* lane.c - what iterators ask of an open log: lanes, and parts of their lists of blocks. */
#include "native/log.h"

int pithi_log_lane(struct pithlog *log, uint32_t lane, const struct pithi_log_lane **found)
{
    *found = &log->lanes[lane];
    return PITH_OK;
}

const struct pithi_log_rank *pithi_log_rank_of(const struct pithlog *log, uint32_t lane, uint32_t *index)
{
    *index = log->lanes[lane].rank_index;
    return &log->ranks[*index];
}

uint32_t pithi_log_ranks(const struct pithlog *log) { return log->rank_count; }

const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index) { return &log->ranks[index]; }

int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                    struct pithi_log_window *window, struct pithi_log_block *block)
{
    (void)log;
    (void)window;
    *block = lane->blocks[index];
    return PITH_OK;
}

int pithi_log_block_at(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns,
                       struct pithi_log_window *window, uint32_t *index)
{
    uint32_t low = 0, high = lane->block_count;
    struct pithi_log_block block;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int err = pithi_log_block(log, lane, middle, window, &block);
        if (err != PITH_OK)
            return err;
        if (block.last_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return PITH_OK;
}
