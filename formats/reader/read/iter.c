/* iter.c - delivers records in time order over many lanes. A tournament selects the lane of the next record. (If there
 * are very many lanes, they are read here in groups, which runs.c merges.)
 *
 * The records of each lane are already in time order, so the lanes only need to be merged: the earliest of the current
 * records of all lanes is delivered next.
 *
 *     lane 0:  5  9  12          tree: the keys of 5, 7 and 6; 5 wins -> deliver it, lane 0 continues with 9
 *     lane 1:  7  8                    9, 7, 6; 6 wins               -> deliver it, lane 2 continues with 11
 *     lane 2:  6  11                   9, 7, 11 ...
 *
 * A key is one number: the time since `base_ns` in its high bits, the number of the cursor in its low bits
 * (base/tournament.h). So a single comparison also decides between equal times: the lane that comes first in the query
 * wins. The time in a key has fewer than 64 bits, so a record far after `base_ns` has the key FAR. When FAR wins,
 * `over` moves `base_ns` forward and plays again.
 *
 * A record costs a tournament (8 matches for 256 lanes) and a copy. To make the tournament fast, `ahead` has the key of
 * each lane's next record: the key is made while the record is in the cache. The loop of `run` has no function call;
 * rare cases (another block, damage, the end) leave the loop and are handled by `next`.
 *
 * Changes must keep this rule: a call that has delivered a record may not load another block, because the payload of
 * the record lies in the old block. It must return early instead. */
#include <stdio.h>

#include "base/far.h"
#include "base/tournament.h"
#include "reader/read/clip.h"
#include "reader/query/filter.h"
#include "reader/read/lane_cursor.h"

/* ---- The order of lanes ------------------------------------------------------------------------------------------ */

_Static_assert((int)PITHI_ITER_LANES <= (int)PITHI_PACKED_PLAYERS, "each lane has a key");

/* Returns the time of a lane's current record, which is delivered next or was delivered last. */
static inline int64_t time_of(const struct pithi_cursor *c) { return (c->block.next - 1)->time_ns; }

static inline uint64_t key_of(const struct pithlog_iter *it, int64_t time_ns, uint32_t number)
{
    return pithi_packed_key(time_ns, it->base_ns, number);
}

/* Returns the key of a lane's current record, and puts the key of its next record, if that is ready, into `ahead`. */
static inline uint64_t pack(struct pithlog_iter *it, uint32_t number)
{
    const struct pithi_cursor *c = &it->cursors[number];
    if (c->done)
        return PITHI_PACKED_DONE << PITHI_PACKED_BITS | number;
    it->ahead[number] = key_of(it, c->block.next->time_ns, number);
    return key_of(it, time_of(c), number);
}

/* Moves `base_ns` to the earliest current record, makes all keys anew, and plays the whole tournament. */
static UNCOMMON void play(struct pithlog_iter *it)
{
    uint64_t keys[PITHI_PACKED_PLAYERS];
    it->base_ns = INT64_MAX;
    for (uint32_t i = 0; i < it->cursor_count; i++)
        if (!it->cursors[i].done && time_of(&it->cursors[i]) < it->base_ns)
            it->base_ns = time_of(&it->cursors[i]);
    for (uint32_t i = 0; i < it->leaves; i++)
        keys[i] = i < it->cursor_count ? pack(it, i) : PITHI_PACKED_DONE << PITHI_PACKED_BITS | i;
    it->limit = it->to_ns < it->base_ns ? 0 : (key_of(it, it->to_ns, 0) | (PITHI_PACKED_PLAYERS - 1)) + 1;
    if (it->limit > PITHI_PACKED_FAR << PITHI_PACKED_BITS)
        it->limit = PITHI_PACKED_FAR << PITHI_PACKED_BITS;
    pithi_packed_play(it->tree, it->leaves, keys);
}

/* Called when the winner's key is not below the limit. Returns 1 if the window ends; 0 if the key was only FAR, and
 * after playing again it is below the limit. */
static UNCOMMON int over(struct pithlog_iter *it)
{
    if (it->tree[0] >> PITHI_PACKED_BITS == PITHI_PACKED_FAR)
        play(it);
    if (it->tree[0] < it->limit)
        return 0;
    it->phase = ENDED;
    return 1;
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static int make_cursors(struct pithlog_iter *it, const uint32_t *lanes, uint32_t count)
{
    it->cursors = aligned_alloc(_Alignof(struct pithi_cursor), (count + (size_t)1) * sizeof *it->cursors);
    it->leaves = pithi_tournament_leaves(count);
    if (!it->cursors)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read %u lanes", it->log->path, count);
    memset(it->cursors, 0, (count + (size_t)1) * sizeof *it->cursors);
    it->cursor_count = count;
    for (uint32_t i = 0; i < count; i++) {
        it->cursors[i].lane_number = lanes[i];
        it->cursors[i].done = 1;
    }
    return PITH_OK;
}

int pithlog_iter_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_iter **iter)
{
    struct pithlog_iter *it = *iter = calloc(1, sizeof *it);
    if (!it)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read it", log->path);
    it->log = it->unpacking.log = log;
    it->unpacking.allowance = &it->allowance;
    it->allowance = PITHI_BLOCKS_UNPACKED + PITHI_UNPACKED_FACTOR * pithi_files_bytes(&log->files);
    it->from_ns = query ? query->from_ns : INT64_MIN;
    it->to_ns = query ? query->to_ns : INT64_MAX;
    it->kinds = query && query->kinds ? query->kinds : UINT32_MAX;
    it->flags = query ? query->flags : 0;
    if (it->from_ns > it->to_ns) {
        it->phase = ENDED;
        return PITH_OK;
    }
    uint32_t *lanes = NULL, count = 0;
    int err = query && query->filter     ? pithi_filtered_new(log, query, &it->filtered)
              : it->flags & PITHLOG_CLIP ? pithi_clipped_new(log, query, &it->clipped)
                                         : pithi_query_lanes(log, query, &lanes, &count);
    if (err == PITH_OK && it->flags & PITHLOG_OPENED && (it->flags != PITHLOG_OPENED || count != 1))
        err = pithi_fail(PITH_ERR_USAGE, "%s: PITHLOG_OPENED is for one lane, without a filter or other flags",
                         log->path);
    it->looks_beyond = (it->flags & PITHLOG_OPENED) != 0;
    if (err == PITH_OK && count > 1 && pithi_far()) {
        /* in a far log, announces the lists of blocks that an iterator over several lanes will read */
        enum { BYTES = 4 << 20 };
        uint64_t bytes = 0;
        const struct pithi_log_lane *lane;
        for (uint32_t i = 0; i < count && bytes < BYTES; i++)
            if (pithi_log_lane(log, lanes[i], &lane) == PITH_OK && !lane->blocks) {
                pithi_files_soon(&log->files, lane->list, (uint64_t)lane->block_count * PITHI_INDEX_BLOCK);
                bytes += (uint64_t)lane->block_count * PITHI_INDEX_BLOCK;
            }
    }
    if (err == PITH_OK && count > PITHI_ITER_LANES) {
        struct pithlog_query many = {it->from_ns, it->to_ns, lanes, count, it->kinds, it->flags, NULL};
        err = pithi_runs_new(log, &many, PITHI_SLAB_RECORDS, &it->runs);
    } else if (err == PITH_OK && !it->filtered && !it->clipped) {
        err = make_cursors(it, lanes, count);
    }
    free(lanes);
    if (err != PITH_OK) {
        pithlog_iter_close(it);
        *iter = NULL;
    }
    return err;
}

void pithlog_iter_close(struct pithlog_iter *it)
{
    if (!it)
        return;
    for (uint32_t i = 0; i < it->cursor_count; i++) {
        pithi_block_free(&it->cursors[i].block);
        free(it->cursors[i].stack.states);
    }
    pithi_runs_free(it->runs);
    pithi_filtered_free(it->filtered);
    pithi_clipped_free(it->clipped);
    pithi_unpacking_free(&it->unpacking);
    free(it->opened.stack.states);
    free(it->cursors);
    free(it);
}

/* ---- Delivering -------------------------------------------------------------------------------------------------- */

/* Returns 1 if the lane's next record can be had without reading another block (which would invalidate delivered
 * payloads); 0 if the block has no further record, or is damaged. */
static inline int at_hand(struct pithi_cursor *c)
{
    return __builtin_expect(c->block.next != c->block.ready_end, 1) || pithi_block_prepare(&c->block) == 1;
}

/* Stores the cursor's record in *r. Returns 1 if its kind is wanted, else 0. */
static inline uint32_t deliver(const struct pithlog_iter *it, struct pithi_cursor *c, struct pithlog_record *r)
{
    pithi_block_take(&c->block, r);
    if (it->flags & PITHLOG_NEST)
        nest(c, r);
    return it->kinds >> r->kind & 1;
}

/* Delivers up to `count` records, as long as no block must be read, and returns their number. `plain` is 1 if all kinds
 * are wanted, without PITHLOG_NEST. At first, the winner of the tree is the record delivered last; so each round first
 * replaces the winner by the next record of its lane. */
static inline __attribute__((always_inline)) uint32_t run(struct pithlog_iter *it, struct pithlog_record *records,
                                                          uint32_t count, int plain)
{
    struct pithi_cursor *cursors = it->cursors;
    uint64_t *tree = it->tree, *ahead = it->ahead, winner = tree[0], limit = it->limit;
    int64_t base_ns = it->base_ns;
    uint32_t n = 0, leaves = it->leaves;
    while (n < count) {
        uint32_t last = pithi_packed_player(winner);
        struct pithi_block *b = &cursors[last].block;
        if (__builtin_expect(b->next == b->ready_end, 0)) {
            if (pithi_block_prepare(b) != 1)
                break;
            ahead[last] = key_of(it, b->next->time_ns, last);
        }
        /* The record whose key is in `ahead` becomes the lane's current record; `ahead` gets the key of the record
         * after it. That record may be behind the ready ones. Its key then means nothing (the memory may be read), and
         * the check above makes it anew before it is used. */
        winner = pithi_packed_replay(tree, leaves, last, ahead[last]);
        ahead[last] = pithi_packed_key((++b->next)->time_ns, base_ns, last);
        if (__builtin_expect(winner >= limit, 0)) {
            tree[0] = winner;
            if (over(it))
                return n;
            winner = tree[0];
            limit = it->limit;
            base_ns = it->base_ns;
        }
        struct pithi_cursor *c = &cursors[pithi_packed_player(winner)];
        if (plain)
            pithi_block_take(&c->block, &records[n++]);
        else
            n += deliver(it, c, &records[n]);
    }
    tree[0] = winner;
    return n;
}

/* Like `run`, for a single lane. It needs no tournament, because records come straight from the lane's block, many at
 * once. */
static uint32_t run_alone(struct pithlog_iter *it, struct pithlog_record *records, uint32_t count)
{
    struct pithi_cursor *c = it->cursors;
    const struct pithi_block *b = &c->block;
    int plain = !(it->flags & PITHLOG_NEST) && it->kinds == UINT32_MAX;
    int whole = plain && b->head.last_ns <= it->to_ns;
    uint32_t n = 0;
    while (n < count) {
        uint32_t got = whole && b->next == b->ready_end ? pithi_block_direct(&c->block, records + n, count - n) : 0;
        n += got;
        if (got > 0)
            continue;
        /* If only one more record is wanted, leaves it to the next call: preparing it here would prepare many others,
         * too. */
        if ((n > 0 && n + 1 == count) || !at_hand(c))
            break;
        const struct pithi_ready *next = b->next, *end = b->ready_end;
        if ((size_t)(end - next) > count - n)
            end = next + (count - n);
        if (plain && end[-1].time_ns <= it->to_ns) { /* all lie in the window: takes them at once */
            pithi_block_give_many(&c->block, records + n, (uint32_t)(end - next));
            n += (uint32_t)(end - next);
            continue;
        }
        for (; next < end && next->time_ns <= it->to_ns; next++) {
            c->block.next = next + 1;
            n += deliver(it, c, &records[n]);
        }
        if (next < end) {
            it->phase = ENDED;
            break;
        }
    }
    if (b->next != b->ready_end)
        it->ahead[0] = key_of(it, b->next->time_ns, 0); /* for `run`, which the next call may use */
    return n;
}

/* Finds the first record of each lane. Returns -1 on an error (records of one lane are damaged). */
static int prime(struct pithlog_iter *it)
{
    for (; it->at < it->cursor_count; it->at++)
        if (pithi_cursor_prime(it, &it->cursors[it->at]) < 0)
            return -1;
    play(it);
    it->phase = PRIMED;
    return 1;
}

int pithi_iter_prime(struct pithlog_iter *it)
{
    uint32_t flags = it->flags;
    if (it->phase != PRIMING || it->runs)
        return 1;
    it->flags |= PITHLOG_NEST;
    int status = prime(it);
    it->flags = flags;
    return status;
}

const struct pithi_stack *pithi_iter_open_states(const struct pithlog_iter *it, uint32_t i)
{
    const struct pithi_cursor *c = &it->cursors[i];
    return it->phase == PRIMED && !c->done && c->block.head.first_ns <= it->from_ns ? &c->stack : NULL;
}

/* Delivers the next record, and reads another block if necessary. Returns 1; 0 at the end; -1 on an error. */
static UNCOMMON int next(struct pithlog_iter *it, struct pithlog_record *r)
{
    while (it->phase != ENDED) {
        if (it->phase == PRIMING && prime(it) < 0)
            return -1;
        if (it->phase == RUNNING) {
            /* replaces the record delivered last by the next one of its lane */
            uint32_t last = pithi_packed_player(it->tree[0]);
            if (pithi_cursor_advance(it, &it->cursors[last]) < 0)
                return -1;
            it->tree[0] = pithi_packed_replay(it->tree, it->leaves, last, pack(it, last));
        }
        it->phase = RUNNING;
        /* the winner of the tree is the cursor with the current record */
        if (!(it->tree[0] >= it->limit && over(it)) && deliver(it, &it->cursors[pithi_packed_player(it->tree[0])], r))
            return 1;
    }
    return 0;
}

/* With PITHLOG_OPENED, finds the states that are open at from_ns. Returns -1 if records are missing there, or if there
 * is no memory. */
static int find_opened(struct pithlog_iter *it)
{
    const struct pithi_stack *known;
    struct pithi_block block = {0};
    if (pithi_iter_prime(it) < 0)
        return -1;
    if ((known = pithi_iter_open_states(it, 0)) != NULL) {
        it->opened.stack = *known;
        it->cursors[0].stack = (struct pithi_stack){0};
        return 1;
    }
    int err = pithi_open_at(&it->unpacking, &block, it->cursors[0].lane_number, it->from_ns, &it->opened);
    pithi_block_free(&block);
    if (err == PITH_OK && it->opened.is_hole)
        err = pithi_fail(PITH_ERR_DAMAGED, "%s: records are missing", it->log->path);
    return err == PITH_OK ? 1 : -1;
}

/* Delivers the next record with PITHLOG_OPENED. */
static int next_opened(struct pithlog_iter *it, struct pithlog_record *r)
{
    int status = 1;
    if (it->phase == PRIMING)
        status = find_opened(it);
    while (status > 0 && it->phase == PRIMED && it->opened_at < it->opened.stack.count) {
        const struct pithi_open_state *state = &it->opened.stack.states[it->opened_at++];
        *r = (struct pithlog_record){.time_ns = state->enter_ns,
                                     .lane = it->cursors[0].lane_number,
                                     .kind = PITHLOG_ENTER,
                                     .id = state->id,
                                     .peer = -1,
                                     .depth = it->opened_at - 1,
                                     .start_ns = state->enter_ns};
        if (it->kinds >> PITHLOG_ENTER & 1)
            return 1;
    }
    status = status > 0 ? next(it, r) : -1;
    if (status < 0)
        it->phase = ENDED;
    return status;
}

enum pithi_iter_part pithi_iter_part(const struct pithlog_iter *it)
{
    if (it->filtered && pithi_filtered_iter(it->filtered))
        return pithi_iter_part(pithi_filtered_iter(it->filtered));
    return it->clipped ? pithi_clipped_part(it->clipped) : PITHI_PART_WITHIN;
}

void pithi_iter_tell_holes(struct pithlog_iter *it, struct pithi_holes holes)
{
    it->holes = holes;
    if (it->filtered && pithi_filtered_iter(it->filtered))
        pithi_iter_tell_holes(pithi_filtered_iter(it->filtered), holes);
    if (it->clipped)
        pithi_clipped_tell_holes(it->clipped, holes);
    if (it->runs)
        pithi_runs_tell_holes(it->runs, holes, it->looks_beyond);
}

int pithi_iter_by_intervals(struct pithlog_iter *it, uint64_t length_ns, unsigned threads)
{
    return it->runs && pithi_runs_by_intervals(it->runs, length_ns, threads);
}

void pithi_iter_tell_all_holes(struct pithlog_iter *it, struct pithi_holes holes)
{
    it->looks_beyond = 1;
    pithi_iter_tell_holes(it, holes);
}

int pithlog_iter_next(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (__builtin_expect(it->phase == RUNNING, 1) && __builtin_expect(run(it, r, 1, 0) == 1, 1))
        return 1;
    if (it->filtered)
        return pithi_filtered_next(it->filtered, r, 1);
    if (it->clipped)
        return pithi_clipped_next(it->clipped, r, 1);
    if (it->flags & PITHLOG_OPENED)
        return next_opened(it, r);
    return it->runs ? pithi_runs_next(it->runs, r, 1) : next(it, r);
}

int pithlog_iter_next_many(struct pithlog_iter *it, struct pithlog_record *records, int count)
{
    uint32_t n = 0;
    if (count > 0 && it->filtered)
        return pithi_filtered_next(it->filtered, records, count);
    if (count > 0 && it->clipped)
        return pithi_clipped_next(it->clipped, records, (uint32_t)count);
    if (count > 0 && it->runs)
        return pithi_runs_next(it->runs, records, (uint32_t)count);
    if (count > 0 && it->phase == RUNNING)
        n = it->cursor_count == 1                                 ? run_alone(it, records, (uint32_t)count)
            : it->flags & PITHLOG_NEST || it->kinds != UINT32_MAX ? run(it, records, (uint32_t)count, 0)
                                                                  : run(it, records, (uint32_t)count, 1);
    if (n > 0 || count <= 0)
        return (int)n;
    return it->flags & PITHLOG_OPENED ? next_opened(it, records) : next(it, records);
}
