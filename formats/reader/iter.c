/* iter.c - delivers records in time order over many lanes. Unpacks each lane's blocks one by one; a tournament selects
 * the lane of the next record. Knows blocks and the index, but no files and no inside of chunks.
 * (With very many lanes, runs.c merges groups of lanes read here.) */
#include <stdio.h>

#include "base/tournament.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"
#include "reader/filter.h"
#include "reader/iter.h"
#include "reader/match.h"

/* Keeps rare code out of the path of each record. */
#define UNCOMMON __attribute__((noinline, cold))

struct cursor {
    _Alignas(64) struct pithi_block block; /* begins with the fields used for each record: one cache line */
    uint32_t lane_number;
    uint32_t done;                     /* 1: no more records before the end of the window */
    const struct pithi_log_lane *lane; /* NULL: not looked up yet, or lost */
    uint32_t found;                    /* 1: it was looked up */
    uint32_t next_block;               /* to be loaded after the current one */
    uint32_t is_lost;                  /* PRIMING: records are missing since the last change of the stack */
    struct pithi_stack stack;
};

/* AT_EDGES: the states open at the start of the window are wanted. STACKED: open states are followed up to there. */
enum { AT_EDGES = PITHLOG_CLIP | PITHLOG_OPENED, STACKED = PITHLOG_NEST | PITHLOG_OPENED };

enum phase { PRIMING, OPENING, RUNNING, CLOSING, ENDED };

struct pithlog_iter {
    struct pithlog *log;
    int64_t from_ns, to_ns;
    uint32_t kinds, flags;
    struct pithi_zip zip;
    struct pithi_buffer chunk; /* the block being unpacked */
    struct pithi_log_window window;
    uint64_t allowance; /* memory for all blocks unpacked at once */
    struct cursor *cursors;
    uint32_t cursor_count;
    uint64_t tree[PITHI_PACKED_PLAYERS];  /* tree[0]: the key of the lane whose record is current (tournament.h) */
    uint64_t ahead[PITHI_PACKED_PLAYERS]; /* by cursor: the key of the record after its current one, if that is ready */
    uint32_t leaves;
    int64_t base_ns; /* of the keys */
    uint64_t limit;  /* the first key that is not in the window, or FAR */
    enum phase phase;
    enum pithi_iter_part part;
    struct pithi_runs *runs;         /* reads very many lanes; NULL: few lanes, read here */
    struct pithi_filtered *filtered; /* reads the records that match a filter; NULL: no filter */
    struct pithi_holes holes;
    uint32_t at;     /* PRIMING, OPENING, CLOSING: the cursor being worked on */
    uint32_t opened; /* OPENING: number of its open states delivered */
};

/* ---- A lane's cursor --------------------------------------------------------------------------------------------- */

/* Records of the cursor's lane are missing after its last one. */
static UNCOMMON int tell_hole(const struct pithlog_iter *it, const struct cursor *c)
{
    if (it->holes.tell)
        it->holes.tell(it->holes.context, c->lane_number);
    return -1;
}

static UNCOMMON int block_damaged(struct pithlog_iter *it, struct cursor *c, const char *why)
{
    struct pithi_log_block block = {0};
    char name[4096];
    pithi_block_leave(&c->block); /* so that the next call continues with the next block */
    if (pithi_log_block(it->log, c->lane, c->next_block - 1, &it->window, &block) != PITH_OK)
        block.offset = 0;
    pithi_files_name(&it->log->files, block.offset, name, sizeof name);
    pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: a block of rank %d is damaged: %s; `pith recover` takes the rest",
               name, (unsigned long long)pithi_place(block.offset), (int)c->lane->seen.rank, why);
    return -1;
}

/* 1: the head of the block agrees with the index. */
static int as_indexed(const struct pithi_block_head *h, const struct cursor *c, const struct pithi_log_block *b)
{
    return h->first_ns == b->first_ns && h->last_ns == b->last_ns && h->count == b->count && h->kinds == b->kinds &&
           h->thread == c->lane->seen.thread;
}

/* Reads and unpacks the lane's block `b`. */
static int unpack(struct pithlog_iter *it, struct cursor *c, const struct pithi_log_block *b, const char **why)
{
    struct pithi_stack *opened = it->flags & STACKED ? &c->stack : NULL;
    const struct pithi_log_part *part = c->lane->part;
    struct pithi_chunk_head head;
    CHECK(pithi_files_chunk(&it->log->files, b->offset, &head, &it->chunk, why));
    *why = "its header is not there";
    if (head.type != PITHI_C_EVENTS || head.rank != part->rank)
        return PITH_ERR_DAMAGED;
    c->block.lane = c->lane_number;
    c->block.def_count = it->log->info.defs;
    c->block.comms = part->comms;
    c->block.comm_count = part->comm_count;
    c->block.allowance = &it->allowance;
    CHECK(pithi_block_load(&c->block, &it->zip, it->chunk.data, it->chunk.size, opened, why));
    *why = "it contradicts the index";
    return as_indexed(&c->block.head, c, b) ? PITH_OK : PITH_ERR_DAMAGED;
}

/* 1; -1: it cannot be read. */
static int load_block(struct pithlog_iter *it, struct cursor *c, const struct pithi_log_block *b)
{
    const char *why;
    int err = unpack(it, c, b, &why);
    if (err == PITH_ERR_MEMORY)
        pithi_fail(err, "%s: byte %llu: no memory to read a block beside those of %u other lanes; read fewer lanes",
                   it->log->path, (unsigned long long)b->offset, it->cursor_count - 1);
    if (err == PITH_ERR_DAMAGED || err == PITH_ERR_UNSUPPORTED)
        return block_damaged(it, c, why);
    if (err != PITH_OK) {
        pithi_block_leave(&c->block);
        return -1;
    }
    if (it->log->records_read)
        __atomic_fetch_add(it->log->records_read, b->count, __ATOMIC_RELAXED);
    return 1;
}

/* 1: the block has no wanted record, so it need not be read: the next block starts with its open states. With CLIP, all
 * blocks are read, as the states are needed at the end; with OPENED, at the start. */
static int may_skip(const struct pithlog_iter *it, const struct pithi_log_block *b)
{
    return !(b->kinds & it->kinds) && !(it->flags & AT_EDGES);
}

static inline int step(struct pithlog_iter *it, struct cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : block_damaged(it, c, c->block.why);
}

/* Goes to the first record of the lane's next block. Returns as advance. */
static UNCOMMON int next_block(struct pithlog_iter *it, struct cursor *c)
{
    struct pithi_log_block block;
    for (; c->next_block < c->lane->block_count; c->next_block++) {
        if (pithi_log_block(it->log, c->lane, c->next_block, &it->window, &block) != PITH_OK) {
            c->next_block++;
            return -1;
        }
        if (block.is_after_gap)
            tell_hole(it, c);
        if (block.first_ns > it->to_ns)
            return 0;
        if (may_skip(it, &block))
            continue;
        c->next_block++;
        c->stack.count = 0;
        return load_block(it, c, &block) < 0 ? -1 : step(it, c);
    }
    if (it->log->rebuilt && c->lane->kinds & (1u << PITHLOG_SEND | 1u << PITHLOG_RECV))
        tell_hole(it, c); /* blocks may be missing at the end */
    return 0;
}

/* Goes to the lane's next record: 1; 0: none before the end of the window; -1: damaged, call again to continue. */
static inline int advance(struct pithlog_iter *it, struct cursor *c)
{
    int status = step(it, c);
    if (__builtin_expect(status == 0, 0))
        status = next_block(it, c);
    if (__builtin_expect(status < 0, 0))
        return tell_hole(it, c);
    c->done = !status || c->block.time_ns > it->to_ns;
    return !c->done;
}

/* ---- Nesting ----------------------------------------------------------------------------------------------------- */

static UNCOMMON void pair_uncommon(struct cursor *c, struct pithlog_record *r)
{
    struct pithi_open_state state;
    if (r->kind == PITHLOG_ENTER) {
        int kept = pithi_stack_enter(&c->stack, r->id, r->time_ns); /* 0: no memory */
        r->depth = c->stack.count - (uint32_t)kept;
    } else if (pithi_stack_leave(&c->stack, r->id, r->time_ns, &state, &r->depth)) {
        r->start_ns = state.enter_ns;
        r->nested_ns = state.nested_ns;
    } else {
        r->start_ns = r->time_ns;
        r->depth = UINT32_MAX;
    }
}

static inline void pair(struct cursor *c, struct pithlog_record *r)
{
    uint32_t leave = r->kind == PITHLOG_LEAVE;
    int64_t start_ns;
    if (!pithi_stack_quick(&c->stack, leave, r->id, r->time_ns, &start_ns, &r->nested_ns, &r->depth))
        pair_uncommon(c, r);
    else
        r->start_ns = leave ? start_ns : 0;
}

/* Looks the lane up in the index: 1; -1: a part of it is lost, call again to continue with the rest. */
static int find(struct pithlog_iter *it, struct cursor *c)
{
    int err = pithi_log_lane(it->log, c->lane_number, &c->lane);
    c->found = 1;
    if (c->lane)
        c->next_block = pithi_log_block_at(it->log, c->lane, it->from_ns, &it->window);
    /* A LOST record in an earlier block counts here, too, if no state begins or ends after its block. */
    struct pithi_log_block before = {0};
    uint32_t changes = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_LOST, first = c->next_block;
    while (it->flags & AT_EDGES && it->log->info.lost && first > 0 && !(before.kinds & changes) &&
           pithi_log_block(it->log, c->lane, first - 1, &it->window, &before) == PITH_OK)
        first--;
    c->next_block = before.kinds >> PITHLOG_LOST & 1 ? first : c->next_block;
    /* If the lane ended before the window, its open states are open in the window. */
    if (it->flags & AT_EDGES && c->lane && c->next_block == c->lane->block_count && c->next_block > 0)
        c->next_block--;
    return err == PITH_OK ? 1 : tell_hole(it, c);
}

/* Brings a lane to its first record in the window; earlier ones only change the stack. 1: done, -1: call again. */
static int prime(struct pithlog_iter *it, uint32_t number)
{
    struct cursor *c = &it->cursors[number];
    struct pithlog_record r;
    if (!c->found && find(it, c) < 0)
        return -1;
    while (c->lane) {
        int status = advance(it, c);
        if (status < 0)
            return -1;
        if (status == 0 || c->block.time_ns >= it->from_ns) {
            if (c->is_lost)
                tell_hole(it, c);
            return 1;
        }
        pithi_block_take(&c->block, &r);
        if (it->flags & STACKED && r.kind <= PITHLOG_LEAVE) {
            pair(c, &r);
            c->is_lost &= r.depth == UINT32_MAX; /* a LEAVE without ENTER does not tell which states are open */
        }
        c->is_lost |= it->flags & AT_EDGES && pithi_match_is_hole(it->log, &r);
    }
    return 1;
}

/* ---- The order of lanes ------------------------------------------------------------------------------------------ */

_Static_assert((int)PITHI_ITER_LANES <= (int)PITHI_PACKED_PLAYERS, "each lane has a key");

/* The cursor whose record is current. */
static inline struct cursor *current(const struct pithlog_iter *it)
{
    return &it->cursors[pithi_packed_player(it->tree[0])];
}

/* Time of a lane's record that is delivered next, or was delivered last. */
static inline int64_t time_of(const struct cursor *c) { return (c->block.next - 1)->time_ns; }

static inline uint64_t key_of(const struct pithlog_iter *it, int64_t time_ns, uint32_t number)
{
    return pithi_packed_key(time_ns, it->base_ns, number);
}

/* The keys of a lane's current record, and of the next one if that is ready. */
static inline uint64_t pack(struct pithlog_iter *it, uint32_t number)
{
    const struct cursor *c = &it->cursors[number];
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
    it->cursors = aligned_alloc(_Alignof(struct cursor), (count + (size_t)1) * sizeof *it->cursors);
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
    free(it->chunk.data);
    free(it->cursors);
    free(it);
}

/* ---- Delivering -------------------------------------------------------------------------------------------------- */

/* The next state open at the window's start: 1, or 0: no more. */
static int next_opening(struct pithlog_iter *it, struct pithlog_record *r)
{
    while (it->flags & AT_EDGES && it->kinds >> PITHLOG_ENTER & 1 && it->at < it->cursor_count) {
        struct cursor *c = &it->cursors[it->at];
        if (it->opened < c->stack.count) {
            const struct pithi_open_state *s = &c->stack.states[it->opened];
            *r = (struct pithlog_record){.time_ns = s->enter_ns,
                                         .lane = c->lane_number,
                                         .kind = PITHLOG_ENTER,
                                         .id = s->id,
                                         .peer = -1,
                                         .depth = it->opened++};
            return 1;
        }
        it->at++;
        it->opened = 0;
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
        struct cursor *c = &it->cursors[it->at];
        if (c->stack.count) {
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

/* Handles all phases but RUNNING. 1: a record, 0: end, -1: error, 2: RUNNING begins, at the first record. */
static UNCOMMON int other_phase(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (it->phase == PRIMING) {
        while (it->at < it->cursor_count) {
            if (prime(it, it->at) < 0)
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
        it->phase = RUNNING;
        it->part = PITHI_PART_WITHIN;
        return 2;
    }
    if (it->phase == CLOSING && next_closing(it, r))
        return 1;
    it->phase = ENDED;
    return 0;
}

/* 1: the lane's next record is ready without reading another block, which would invalidate delivered payloads; 0: there
 * is none, or the block is damaged. */
static inline int at_hand(struct cursor *c)
{
    return __builtin_expect(c->block.next != c->block.ready_end, 1) || pithi_block_prepare(&c->block) == 1;
}

/* Delivers the cursor's record: 1; 0: its kind is not selected. */
static inline uint32_t deliver(const struct pithlog_iter *it, struct cursor *c, struct pithlog_record *r)
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
    struct cursor *cursors = it->cursors;
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
        struct cursor *c = &cursors[pithi_packed_player(winner)];
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
    struct cursor *c = it->cursors;
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

/* Delivers the next record, also if it must read a block: 1, 0: end, -1: error. */
static UNCOMMON int next(struct pithlog_iter *it, struct pithlog_record *r)
{
    for (;;) {
        if (it->phase == RUNNING) {
            uint32_t last = pithi_packed_player(it->tree[0]);
            if (advance(it, &it->cursors[last]) < 0)
                return -1;
            it->tree[0] = pithi_packed_replay(it->tree, it->leaves, last, pack(it, last));
        } else {
            int status = other_phase(it, r);
            if (status != 2)
                return status;
        }
        if (it->tree[0] >= it->limit && over(it))
            continue;
        if (deliver(it, current(it), r))
            return 1;
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
