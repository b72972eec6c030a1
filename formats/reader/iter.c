/* iter.c - delivers records in time order over many lanes. A tournament selects the lane of the next record.
 * (With very many lanes, runs.c merges groups of lanes read here.) */
#include <stdio.h>

#include "base/tournament.h"
#include "reader/filter.h"
#include "reader/lane_cursor.h"
#include "reader/match.h"

/* ---- The order of lanes ------------------------------------------------------------------------------------------ */

_Static_assert((int)PITHI_ITER_LANES <= (int)PITHI_PACKED_PLAYERS, "each lane has a key");

/* The cursor whose record is current. */
static inline struct pithi_cursor *current(const struct pithlog_iter *it)
{
    return &it->cursors[pithi_packed_player(it->tree[0])];
}

/* Time of a lane's record that is delivered next, or was delivered last. */
static inline int64_t time_of(const struct pithi_cursor *c) { return (c->block.next - 1)->time_ns; }

static inline uint64_t key_of(const struct pithlog_iter *it, int64_t time_ns, uint32_t number)
{
    return pithi_packed_key(time_ns, it->base_ns, number);
}

/* The keys of a lane's current record, and of the next one if that is ready. */
static inline uint64_t pack(struct pithlog_iter *it, uint32_t number)
{
    const struct pithi_cursor *c = &it->cursors[number];
    if (c->done)
        return PITHI_PACKED_DONE << PITHI_PACKED_BITS | number;
    it->ahead[number] = key_of(it, c->block.next->time_ns, number);
    return key_of(it, time_of(c), number);
}

/* Makes the earliest record current. */
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

static UNCOMMON void begin_closing(struct pithlog_iter *it)
{
    it->phase = CLOSING;
    it->at = 0;
}

/* The current record's key is not below the limit: 1, the window ends; 0: it was FAR, and now it is not. */
static UNCOMMON int over(struct pithlog_iter *it)
{
    if (it->tree[0] >> PITHI_PACKED_BITS == PITHI_PACKED_FAR)
        play(it);
    if (it->tree[0] < it->limit)
        return 0;
    begin_closing(it);
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
    it->log = log;
    it->allowance = PITHI_BLOCKS_UNPACKED + PITHI_UNPACKED_FACTOR * pithi_files_bytes(&log->files);
    it->from_ns = query ? query->from_ns : INT64_MIN;
    it->to_ns = query ? query->to_ns : INT64_MAX;
    it->kinds = query && query->kinds ? query->kinds : UINT32_MAX;
    it->flags = query ? query->flags : 0;
    if (it->flags & PITHLOG_CLIP)
        it->flags |= PITHLOG_NEST;
    if (it->from_ns > it->to_ns) {
        it->phase = ENDED;
        return PITH_OK;
    }
    uint32_t *lanes = NULL, count = 0;
    int err = query && query->filter ? pithi_filtered_new(log, query, &it->filtered)
                                     : pithi_query_lanes(log, query, &lanes, &count);
    if (err == PITH_OK && it->flags & PITHLOG_OPENED && (it->flags != PITHLOG_OPENED || count > 1 || it->filtered))
        err = pithi_fail(PITH_ERR_USAGE, "%s: PITHLOG_OPENED is for one lane, without other flags", log->path);
    if (err == PITH_OK && count > PITHI_ITER_LANES) {
        struct pithlog_query many = {it->from_ns, it->to_ns, lanes, count, it->kinds, it->flags, NULL};
        err = pithi_runs_new(log, &many, PITHI_SLAB_RECORDS, &it->runs);
    } else if (err == PITH_OK && !it->filtered) {
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
    pithi_zip_free(&it->zip);
    free(it->opened_stack.states);
    free(it->broken.states);
    free(it->chunk.data);
    free(it->cursors);
    free(it);
}

/* ---- Delivering -------------------------------------------------------------------------------------------------- */

/* The next state open at the window's start: 1, or 0: no more. */
static int next_opening(struct pithlog_iter *it, struct pithlog_record *r)
{
    while (it->flags & AT_EDGES && it->kinds >> PITHLOG_ENTER & 1 && it->at < it->cursor_count) {
        struct pithi_cursor *c = &it->cursors[it->at];
        if (!c->hole && it->opened < c->stack.count) {
            const struct pithi_open_state *s = &c->stack.states[it->opened];
            *r = (struct pithlog_record){.time_ns = s->enter_ns,
                                         .lane = c->lane_number,
                                         .kind = PITHLOG_ENTER,
                                         .id = s->id,
                                         .peer = -1,
                                         .depth = it->opened++,
                                         .start_ns = s->enter_ns};
            return 1;
        }
        it->at++;
        it->opened = 0;
        if (it->flags & PITHLOG_OPENED && c->hole && c->hole_ns < it->from_ns) {
            *r = (struct pithlog_record){
                .time_ns = c->hole_ns, .lane = c->lane_number, .kind = PITHLOG_LOST, .peer = -1, .bytes = 1};
            return 1;
        }
    }
    return 0;
}

/* The next state open at the window's end, innermost first. */
static int next_closing(struct pithlog_iter *it, struct pithlog_record *r)
{
    int64_t end_ns = it->to_ns < it->log->info.end_ns ? it->to_ns : it->log->info.end_ns;
    if (end_ns < it->from_ns)
        end_ns = it->from_ns;
    while (it->flags & PITHLOG_CLIP && it->kinds >> PITHLOG_LEAVE & 1 && it->at < it->cursor_count) {
        struct pithi_cursor *c = &it->cursors[it->at];
        if (!c->hole && c->stack.count) {
            *r = (struct pithlog_record){.time_ns = end_ns,
                                         .lane = c->lane_number,
                                         .kind = PITHLOG_LEAVE,
                                         .id = c->stack.states[c->stack.count - 1].id,
                                         .peer = -1};
            pair(c, r);
            it->part = PITHI_PART_AFTER;
            return 1;
        }
        it->at++;
    }
    return 0;
}

/* Records of the log follow. */
static void set_pace(struct pithlog_iter *it)
{
    it->phase = it->slow_count > 0 ? STEPPING : RUNNING;
    it->part = PITHI_PART_WITHIN;
}

/* A hole begins after the current record. 0: no memory. */
static int begin_hole(struct pithlog_iter *it, struct pithi_cursor *c)
{
    if (!pithi_stack_reserve(&it->broken, c->stack.count + 1)) {
        pithi_no_memory();
        return 0;
    }
    if (c->stack.count > 0)
        memcpy(it->broken.states, c->stack.states, c->stack.count * sizeof *c->stack.states);
    it->broken.count = c->stack.count;
    c->stack.count = c->kept;
    return 1;
}

/* 1: a state that is open before the hole may be `after`, which is open after it. One entered in the hole may have the
 * time at which that begins, too. */
static int may_be(const struct pithi_open_state *state, const struct pithi_open_state *after, int64_t hole_ns)
{
    return state->id == after->id && (state->enter_ns == hole_ns || after->enter_ns < hole_ns);
}

/* It is known which states are open after the hole, those before it in the same order. */
static void begin_breaking(struct pithlog_iter *it, struct pithi_cursor *c)
{
    uint32_t before = 0; /* its place there */
    for (c->kept = 0; c->kept < c->stack.count; c->kept++, before++) {
        const struct pithi_open_state *s = &c->stack.states[c->kept];
        while (before < it->broken.count && !may_be(&it->broken.states[before], s, c->hole_ns))
            before++;
        if (s->enter_ns > c->hole_ns || before == it->broken.count)
            break;
    }
    it->matching = c->done ? 0 : c->kept;
    it->opened = it->broken.count;
    it->phase = BREAKING;
}

/* The next state that ends where a hole begins, innermost first; 0: no more. */
static int next_broken(struct pithlog_iter *it, struct pithi_cursor *c, struct pithlog_record *r)
{
    while (it->opened > 0) {
        struct pithi_open_state *s = &it->broken.states[--it->opened];
        int is_open = it->matching > 0 && c->stack.states[it->matching - 1].id == s->id;
        *r = (struct pithlog_record){.time_ns = c->hole_ns,
                                     .lane = c->lane_number,
                                     .kind = PITHLOG_LEAVE,
                                     .id = s->id,
                                     .peer = -1,
                                     .depth = it->opened,
                                     .start_ns = s->enter_ns,
                                     .nested_ns = s->nested_ns};
        if (it->opened > 0)
            s[-1].nested_ns = (int64_t)((uint64_t)s[-1].nested_ns + (uint64_t)r->time_ns - (uint64_t)s->enter_ns);
        it->matching -= (uint32_t)is_open;
        it->part = is_open ? PITHI_PART_HOLE : PITHI_PART_ENDED;
        if (it->kinds >> PITHLOG_LEAVE & 1)
            return 1;
    }
    c->hole = PITHI_IN_HOLE;
    return 0;
}

/* The next state that is open where a hole ends, outermost first. */
static int next_reopened(struct pithlog_iter *it, struct pithi_cursor *c, struct pithlog_record *r)
{
    while (it->opened < c->stack.count) {
        const struct pithi_open_state *s = &c->stack.states[it->opened];
        *r = (struct pithlog_record){.time_ns = time_of(c),
                                     .lane = c->lane_number,
                                     .kind = PITHLOG_ENTER,
                                     .id = s->id,
                                     .peer = -1,
                                     .depth = it->opened,
                                     .start_ns = s->enter_ns};
        it->part = it->opened++ < c->kept ? PITHI_PART_HOLE : PITHI_PART_BEGUN;
        if (it->kinds >> PITHLOG_ENTER & 1)
            return 1;
    }
    c->hole = PITHI_NO_HOLE;
    pithi_cursor_pace(it, c);
    set_pace(it);
    return 0;
}

/* Handles all phases but RUNNING. 1: a record, 0: end, -1: error, 2: RUNNING begins, at the first record. */
static UNCOMMON int other_phase(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (it->phase == PRIMING) {
        while (it->at < it->cursor_count) {
            if (pithi_cursor_prime(it, &it->cursors[it->at]) < 0)
                return -1;
            it->at++;
        }
        play(it);
        it->phase = OPENING;
        it->at = 0;
    }
    if (it->phase == OPENING) {
        if (next_opening(it, r))
            return 1;
        set_pace(it);
        return 2;
    }
    if (it->phase == CLOSING && next_closing(it, r))
        return 1;
    it->phase = ENDED;
    return 0;
}

/* 1: the lane's next record is ready without reading another block, which would invalidate delivered payloads; 0: there
 * is none, or the block is damaged. */
static inline int at_hand(struct pithi_cursor *c)
{
    return __builtin_expect(c->block.next != c->block.ready_end, 1) || pithi_block_prepare(&c->block) == 1;
}

/* Delivers the cursor's record: 1; 0: its kind is not selected. */
static inline uint32_t deliver(const struct pithlog_iter *it, struct pithi_cursor *c, struct pithlog_record *r)
{
    pithi_block_take(&c->block, r);
    if (it->flags & PITHLOG_NEST && r->kind <= PITHLOG_LEAVE)
        pair(c, r);
    return it->kinds >> r->kind & 1;
}

/* Delivers up to `count` records after the last one, as long as they are ready. Returns their number. `plain`: all
 * kinds, without NEST. */
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

/* The same for a single lane. */
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
        if ((n > 0 && n + 1 == count) || !at_hand(c)) /* one record alone would have to be prepared with many others */
            break;
        const struct pithi_ready *next = b->next, *end = b->ready_end;
        if (end - next > count - n)
            end = next + (count - n);
        if (plain && end[-1].time_ns <= it->to_ns) {
            pithi_block_give_many(&c->block, records + n, (uint32_t)(end - next));
            n += (uint32_t)(end - next);
            continue;
        }
        for (; next < end && next->time_ns <= it->to_ns; next++) {
            c->block.next = next + 1;
            n += deliver(it, c, &records[n]);
        }
        if (next < end) {
            begin_closing(it);
            break;
        }
    }
    if (b->next != b->ready_end)
        it->ahead[0] = key_of(it, b->next->time_ns, 0); /* for `run`, if the next call asks for one record */
    return n;
}

/* Goes to the lane's next record, perhaps through a hole: 1; 0: none; -1: call again to continue. */
static int advance_far(struct pithlog_iter *it, struct pithi_cursor *c)
{
    int status;
    do {
        int64_t now_ns = it->flags & PITHLOG_CLIP && !c->hole ? time_of(c) : INT64_MIN;
        int is_known = c->hole;
        status = pithi_cursor_advance(it, c);
        if (c->hole && !is_known) {
            c->hole_ns = now_ns;
            if (it->flags & PITHLOG_OPENED)
                pithi_cursor_replay(it, c);
            status = begin_hole(it, c) ? status : -1;
        }
    } while (status == 2);
    return status;
}

/* Goes past the last delivered record. Returns as other_phase. */
static int go_on(struct pithlog_iter *it, struct pithlog_record *r)
{
    uint32_t last = pithi_packed_player(it->tree[0]);
    struct pithi_cursor *c = &it->cursors[last];
    if (it->phase != BREAKING) {
        if (advance_far(it, c) < 0)
            return -1;
        if (c->hole == PITHI_HOLE_BEGINS)
            begin_breaking(it, c);
    }
    if (it->phase == BREAKING && next_broken(it, c, r))
        return 1;
    pithi_cursor_pace(it, c);
    set_pace(it);
    it->tree[0] = pithi_packed_replay(it->tree, it->leaves, last, pack(it, last));
    return 2;
}

/* The same as deliver; sees where a hole begins. -1: no memory. */
static int deliver_near_hole(struct pithlog_iter *it, struct pithi_cursor *c, struct pithlog_record *r)
{
    int is_wanted = (int)deliver(it, c, r);
    if (it->phase == STEPPING && it->flags & PITHLOG_OPENED && r->kind <= PITHLOG_LEAVE) {
        struct pithlog_record paired = *r;
        pair(c, &paired);
    }
    if (it->phase == STEPPING && pithi_match_is_hole(it->log, r)) {
        pithi_cursor_lost(c, r->time_ns);
        return begin_hole(it, c) ? is_wanted : -1;
    }
    return is_wanted;
}

/* Delivers the next record, also if it must read a block: 1, 0: end, -1: error. */
static UNCOMMON int next(struct pithlog_iter *it, struct pithlog_record *r)
{
    for (;;) {
        int status = 2;
        if (it->phase == RUNNING || it->phase == STEPPING || it->phase == BREAKING)
            status = go_on(it, r);
        else if (it->phase != REOPENING)
            status = other_phase(it, r);
        if (status != 2)
            return status;
        if (it->tree[0] >= it->limit && over(it))
            continue;
        struct pithi_cursor *c = current(it);
        if (c->hole && it->phase != REOPENING) {
            it->phase = REOPENING;
            it->opened = 0;
        }
        if (it->phase == REOPENING && next_reopened(it, c, r))
            return 1;
        if ((status = deliver_near_hole(it, c, r)) != 0)
            return status;
    }
}

enum pithi_iter_part pithi_iter_part(const struct pithlog_iter *it)
{
    if (it->filtered && pithi_filtered_iter(it->filtered))
        return pithi_iter_part(pithi_filtered_iter(it->filtered));
    return it->runs ? pithi_runs_part(it->runs) : it->part;
}

void pithi_iter_tell_holes(struct pithlog_iter *it, struct pithi_holes holes)
{
    it->holes = holes;
    if (it->filtered && pithi_filtered_iter(it->filtered))
        pithi_iter_tell_holes(pithi_filtered_iter(it->filtered), holes);
    if (it->runs)
        pithi_runs_tell_holes(it->runs, holes);
}

int pithlog_iter_next(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (__builtin_expect(it->phase == RUNNING, 1) && __builtin_expect(run(it, r, 1, 0) == 1, 1))
        return 1;
    if (it->filtered)
        return pithi_filtered_next(it->filtered, r, 1);
    return it->runs ? pithi_runs_next(it->runs, r, 1) : next(it, r);
}

int pithlog_iter_next_many(struct pithlog_iter *it, struct pithlog_record *records, int count)
{
    uint32_t n = 0;
    if (count > 0 && it->filtered)
        return pithi_filtered_next(it->filtered, records, count);
    if (count > 0 && it->runs)
        return pithi_runs_next(it->runs, records, (uint32_t)count);
    if (count > 0 && it->phase == RUNNING)
        n = it->cursor_count == 1                                 ? run_alone(it, records, (uint32_t)count)
            : it->flags & PITHLOG_NEST || it->kinds != UINT32_MAX ? run(it, records, (uint32_t)count, 0)
                                                                  : run(it, records, (uint32_t)count, 1);
    return n ? (int)n : count > 0 ? next(it, records) : 0;
}
