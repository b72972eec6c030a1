/* known_part.c - finds the holes of a log, and the longest interval between holes (known_part.h).
 *
 *     a log of 0-100; rank 0 has a hole 20-25, rank 1 has a hole 22-60     parts: 0-19, 61-100; the longest is 61-100
 *
 * A walk over the records finds holes that LOST records make. Damaged blocks are found by reading the heads of all
 * blocks, which takes a fraction of the time of reading their records. */
#include "analysis/graph/known_part.h"

#include <stdlib.h>

#include "base/error.h"
#include "native/block.h"
#include "native/log.h"
#include "reader/read/lane_blocks.h"

enum { DAMAGES_MOST = 10000 }; /* number of damaged places that are skipped before reading stops */

struct hole {
    int64_t from_ns, to_ns;
    uint32_t lane;
};

struct holes {
    struct pithlog *log;
    struct hole *list;
    uint32_t count, room, unread, listed;
};

static int add_hole(struct holes *g, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    if (!pithi_grow(&g->list, g->count, &g->room, sizeof *g->list))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its holes", g->log->path);
    g->list[g->count++] = (struct hole){from_ns, to_ns, lane};
    return PITH_OK;
}

/* Returns 1 if the program lost records of the lane. */
static int has_lost(struct pithlog *log, uint32_t lane)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_LOST};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int status = -1;

    if (pithlog_iter_open(log, &query, &iter) != PITH_OK)
        return 1;
    /* A damaged block may come before the LOST record. */
    for (int damages = 0; status < 0 && damages < DAMAGES_MOST; damages++)
        status = pithlog_iter_next(iter, &record);
    pithlog_iter_close(iter);
    return status != 0;
}

/* Adds the holes of a lane that LOST records make. The first record of a ring buffer is LOST, because the records
 * before it are lost; this hole begins with the log. */
static int find_lost(struct holes *g, uint32_t number)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &number, .lane_count = 1, .kinds = 1u << PITHLOG_LOST};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, is_new = 1, damages = 0, err;

    if (!has_lost(g->log, number))
        return PITH_OK;
    CHECK(pithlog_walk_open(g->log, &query, &walk));
    err = PITH_OK;
    while (!err && damages < DAMAGES_MOST && (status = pithlog_walk_next(walk, &step)) != 0) {
        damages += status < 0;
        if (status < 0)
            continue;
        int is_lost = step.record && pithi_is_lost(step.record);
        if (is_lost && !pithi_is_hole(g->log, step.record))
            /* the first record of a ring */
            err = add_hole(g, number, info->start_ns, step.to_ns);
        if (step.is != PITHLOG_IS_HOLE)
            continue;
        if (is_new)
            err = add_hole(g, number, step.from_ns, step.to_ns);
        if (!err)
            g->list[g->count - 1].to_ns = step.change == PITHLOG_EDGE ? info->end_ns : step.to_ns;
        /* the next step extends this hole if it follows a LOST record or the end of a state in the hole */
        is_new = !is_lost && !(step.change == PITHLOG_ENDS && step.why & PITHLOG_AT_HOLE);
    }
    pithlog_walk_close(walk);
    return err;
}

/* Reads block `index`, and returns 1 if it can be read. `chunk`: memory to read into. */
static int read_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                      struct pithi_log_window *window, struct pithi_buffer *chunk, struct pithi_block_head *head)
{
    struct pithi_log_block block;
    struct pithi_chunk_head of;
    const char *why;

    return pithi_log_block(log, lane, index, window, &block) == PITH_OK &&
           pithi_files_chunk(&log->files, block.offset, &of, chunk, &why) == PITH_OK && of.type == PITHI_C_EVENTS &&
           pithi_block_head_get(chunk->data, chunk->size, head);
}

/* Adds holes for damaged blocks. Each hole reaches from the last readable block before the damage to the next readable
 * one. If a block is missing from the list of blocks, the next block shows it: its count of earlier records is larger
 * than the count of the records found. */
static int find_damaged(struct holes *g, uint32_t number)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    struct pithi_log_window *window = calloc(1, sizeof *window);
    const struct pithi_log_lane *lane;
    struct pithi_buffer chunk = {0};
    struct pithi_block_head head;
    uint64_t records = 0;
    int64_t last_ns = info->start_ns;
    int is_hole = 0, err = PITH_OK;

    if (!window)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its holes", g->log->path);
    /* without the lane's list of blocks, blocks may be missing at any time */
    int is_lost = pithi_log_lane(g->log, number, &lane) != PITH_OK;
    int is_all = is_lost && (!lane || lane->block_count == 0);
    if (is_lost && !is_all)
        err = add_hole(g, number, info->start_ns, info->end_ns);
    else
        for (uint32_t i = 0; !is_all && i < lane->block_count && !err; i++) {
            int is_good = read_block(g->log, lane, i, window, &chunk, &head);
            is_hole |= !is_good;
            if (!is_good)
                continue;
            if (is_hole || head.before != records)
                err = add_hole(g, number, last_ns, head.first_ns);
            is_hole = 0;
            records = head.before + head.count;
            last_ns = head.last_ns;
        }
    /* Counts the lane's rank as unread if nothing of the lane can be read. */
    if (is_all || (!err && is_hole && records == 0)) {
        const struct pithlog_lane *of = pithlog_get_lane(g->log, number);
        g->unread += of->thread == 0;
        g->listed += of->thread == 0 && of->records > 0;
    } else if (!err && is_hole)
        err = add_hole(g, number, last_ns, info->end_ns);
    free(chunk.data);
    free(window);
    return err;
}

/* Adds the hole at the end of a file that was cut: the last records of some processes are missing. Only first threads
 * are checked, as other threads may end early. */
static int find_end(struct holes *g, uint32_t lane)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    const struct pithlog_lane *of = pithlog_get_lane(g->log, lane);

    return info->incomplete && of->thread == 0 && of->records && of->last_ns < info->end_ns
               ? add_hole(g, lane, of->last_ns, info->end_ns)
               : PITH_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct hole *x = a, *y = b;
    return x->from_ns != y->from_ns ? (x->from_ns < y->from_ns ? -1 : 1) : (x->lane > y->lane) - (x->lane < y->lane);
}

/* Returns 1 if both are the same hole. In a lane with lost records and damage, both searches may find the same hole. */
static int is_same(const struct hole *a, const struct hole *b)
{
    return a->lane == b->lane && a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

/* Sets known->from_ns and to_ns to the longest interval between holes. Records may be missing exactly at both ends of a
 * hole, so these times are left out. */
static void find_longest(const struct holes *g, int64_t from_ns, int64_t to_ns, struct pithi_known_part *known)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    int64_t at_ns = from_ns > info->start_ns ? from_ns : info->start_ns;
    int64_t end_ns = to_ns < info->end_ns ? to_ns : info->end_ns, best_ns = -1;

    for (uint32_t i = 0; i <= g->count; i++) {
        /* the interval before a hole ends 1 ns before the hole */
        int64_t until_ns = i < g->count && g->list[i].from_ns <= end_ns ? g->list[i].from_ns - 1 : end_ns;
        if (until_ns - at_ns > best_ns) {
            best_ns = until_ns - at_ns;
            known->from_ns = at_ns > info->start_ns ? at_ns : from_ns;
            known->to_ns = until_ns < info->end_ns ? until_ns : to_ns;
        }
        if (i < g->count && g->list[i].to_ns >= at_ns)
            at_ns = g->list[i].to_ns + 1;
    }
    if (best_ns <= 0)
        known->from_ns = known->to_ns = info->start_ns;
}

int pithi_known_part_find(struct pithlog *log, int64_t from_ns, int64_t to_ns, int is_damaged,
                          int (*stop)(void *context, double part), void *context, struct pithi_known_part *known)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct holes g = {.log = log};
    int err = PITH_OK;

    *known = (struct pithi_known_part){.from_ns = from_ns, .to_ns = to_ns};
    for (uint32_t lane = 0; !err && lane < info->lanes; lane++) {
        if (stop && stop(context, 0))
            err = pithi_fail(PITH_ERR_STOPPED, "%s: stopped", log->path);
        err = err || !info->lost ? err : find_lost(&g, lane);
        err = err || !is_damaged ? err : find_damaged(&g, lane);
        err = err ? err : find_end(&g, lane);
    }
    if (!err && g.count) {
        qsort(g.list, g.count, sizeof *g.list, by_time);
        find_longest(&g, from_ns, to_ns, known);
    }
    known->is_part = g.count > 0;
    known->unread = g.unread;
    known->listed = g.listed;
    for (uint32_t i = 0; !err && i < g.count; i++) {
        /* skips holes outside of the window, and holes that were found twice */
        if (g.list[i].from_ns > to_ns || g.list[i].to_ns < from_ns || (i > 0 && is_same(&g.list[i - 1], &g.list[i])))
            continue;
        if (!known->holes++) {
            known->lane = g.list[i].lane;
            known->hole_from_ns = g.list[i].from_ns;
            known->hole_to_ns = g.list[i].to_ns;
        }
    }
    free(g.list);
    return err;
}
