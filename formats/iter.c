/* iter.c - records in time order over many lanes: each lane's blocks are unpacked one by one, and a tree of losers
 * says whose record is next. Knows blocks and the index, nothing of chunks' inside or files.
 *
 * The tree (Knuth, The Art of Computer Programming 3, 5.4.1). Lanes play a knock-out for the earliest time; each match
 * keeps its loser, and the winner of all is the next record's lane. Its next record then plays only against the losers
 * on its way up: log2(lanes) matches at places known beforehand, without a branch to guess, where a heap looks at two
 * children a level to know where to go. With 4 lanes at times 5 2 7 4: lane 1 (2) wins; the losers are 5 and 7 of the
 * first round, 4 of the last. When lane 1 goes on at time 6, it loses against 5, which loses against 4. */
#include <stdio.h>

#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"

/* So many lanes have a whole block each, some 70 KB; more share this memory for slices, down to the least that is worth
 * reading a block for. */
enum { WHOLE_LANES = 256, SLICES_BYTES = 6 << 20, LEAST_SLICE = 256, SLICE_READY = 4 };

/* Kept out of the way of the code that each record runs through. */
#define UNCOMMON __attribute__((noinline, cold))

struct cursor {
    uint64_t key;  /* of the record it stands at */
    uint32_t leaf; /* its place in the tree */
    uint32_t lane_number;
    const struct pithi_log_lane *lane; /* NULL: not looked up yet, or lost */
    uint32_t found;                    /* it was looked up */
    uint32_t next_block;               /* to be loaded when this one is at its end */
    struct pithi_block block;          /* it, or a slice of it, and then: */
    struct pithi_block_mark mark;      /* the end of the slice */
    uint32_t left;                     /* records of the block behind it */
    struct pithi_stack stack;
};

struct place {
    uint64_t key;
    struct cursor *cursor; /* NULL: a place beyond the last lane */
};

enum phase { PRIMING, OPENING, RUNNING, CLOSING, ENDED };

struct pithlog_iter {
    struct pithlog *log;
    int64_t from_ns, to_ns;
    uint32_t kinds, flags;
    struct pithi_zip zip;
    struct pithi_buffer chunk; /* the block being unpacked */
    struct pithi_block whole;  /* the block being sliced */
    size_t slice_bytes;        /* 0: lanes have whole blocks */
    struct pithi_log_window window;
    struct cursor *cursors;
    uint32_t cursor_count;
    struct place *tree; /* [0] the winner, [1 .. leaves - 1] the losers; the match of leaf n is (leaves + n) / 2 */
    uint32_t leaves;    /* a power of two */
    enum phase phase;
    uint32_t at;     /* PRIMING, OPENING, CLOSING: the cursor being worked on */
    uint32_t opened; /* OPENING: its open states delivered */
};

/* ---- The tree of losers ------------------------------------------------------------------------------------------ */

/* Keys are in the order of times. A lane at its end comes after all; + 1 must not pass the largest number. (The last
 * two of all times there are count as one: lanes stand in their order there.) */
#define KEY_LAST (UINT64_MAX - 2)
#define KEY_DONE (UINT64_MAX - 1)

static inline uint64_t key_of(int64_t time_ns)
{
    uint64_t key = (uint64_t)time_ns ^ UINT64_C(1) << 63;
    return __builtin_expect(key > KEY_LAST, 0) ? KEY_LAST : key;
}

/* The winner's lane goes on with `key`: who wins now. Of two alike the left one wins, so that ties are in the order of
 * lanes: who comes from the right (an odd place) loses them. Whose turn it is, is chance: no branches. The keys (a
 * minimum and a maximum, whoever wins ties) do not wait for the cursors, chosen by masks. */
static inline struct place replay(struct place *tree, struct cursor *c, uint64_t key)
{
    uintptr_t cursor = (uintptr_t)c;
    for (uint32_t at = c->leaf; at > 1; at /= 2) {
        struct place *match = &tree[at / 2];
        uint64_t other_key = match->key;
        uintptr_t other = (uintptr_t)match->cursor;
        uintptr_t cursors = (cursor ^ other) & -(uintptr_t)(other_key < key + (at & 1));
        match->key = key > other_key ? key : other_key;
        key = key < other_key ? key : other_key;
        match->cursor = (struct cursor *)(other ^ cursors);
        cursor ^= cursors;
    }
    return (struct place){key, (struct cursor *)cursor};
}

/* Plays all matches below `at`; the winner. */
static struct place play(struct pithlog_iter *it, uint32_t at)
{
    if (at >= it->leaves) {
        uint32_t lane = at - it->leaves;
        return lane < it->cursor_count ? (struct place){it->cursors[lane].key, &it->cursors[lane]}
                                       : (struct place){KEY_DONE, NULL};
    }
    struct place left = play(it, 2 * at), right = play(it, 2 * at + 1);
    int right_wins = right.key < left.key;
    it->tree[at] = right_wins ? left : right;
    return right_wins ? right : left;
}

/* ---- A lane's cursor --------------------------------------------------------------------------------------------- */

static UNCOMMON int block_damaged(struct pithlog_iter *it, struct cursor *c, const char *why)
{
    struct pithi_log_block block = {0};
    char name[4096];
    pithi_block_leave(&c->block); /* so that another call goes on with the next one */
    c->left = 0;
    if (pithi_log_block(it->log, c->lane, c->next_block - 1, &it->window, &block) != PITH_OK)
        block.offset = 0;
    pithi_files_name(&it->log->files, block.offset, name, sizeof name);
    pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: a block of rank %d is damaged: %s; `pith recover` takes the rest",
               name, (unsigned long long)pithi_place(block.offset), (int)c->lane->seen.rank, why);
    return -1;
}

/* The block agrees with what the index says of it. */
static int as_indexed(const struct pithi_block_head *h, const struct cursor *c, const struct pithi_log_block *b)
{
    return h->first_ns == b->first_ns && h->last_ns == b->last_ns && h->count == b->count && h->kinds == b->kinds &&
           h->thread == c->lane->seen.thread;
}

/* Reads and unpacks the lane's block `b`; *opened (may be NULL) gets the stack at its start. */
static int unpack(struct pithlog_iter *it, const struct cursor *c, const struct pithi_log_block *b,
                  struct pithi_block *block, struct pithi_stack *opened, const char **why)
{
    const struct pithi_log_part *part = c->lane->part;
    struct pithi_chunk_head head;
    int err = pithi_files_chunk(&it->log->files, b->offset, &head, &it->chunk, why);
    if (err != PITH_OK)
        return err;
    *why = "its header is not there";
    if (head.type != PITHI_C_EVENTS || head.rank != part->rank)
        return PITH_ERR_DAMAGED;
    block->lane = c->lane_number;
    block->def_count = it->log->info.defs;
    block->comms = part->comms;
    block->comm_count = part->comm_count;
    if ((err = pithi_block_load(block, &it->zip, it->chunk.data, it->chunk.size, opened, why)) != PITH_OK)
        return err;
    *why = "it contradicts the index";
    return as_indexed(&block->head, c, b) ? PITH_OK : PITH_ERR_DAMAGED;
}

/* The block that the lane stands in, or the next slice of it. 1; -1: it cannot be read. */
static int load_block(struct pithlog_iter *it, struct cursor *c, const struct pithi_log_block *b)
{
    struct pithi_stack *opened = it->flags & PITHLOG_NEST && c->mark.prepared == 0 ? &c->stack : NULL;
    const char *why;
    int err = unpack(it, c, b, it->slice_bytes ? &it->whole : &c->block, opened, &why);
    if (err == PITH_OK && it->slice_bytes) {
        err = pithi_block_slice(&it->whole, &c->block, &c->mark, it->slice_bytes, &c->left);
        why = c->block.why;
    }
    if (err == PITH_ERR_MEMORY)
        pithi_fail(err, "%s: byte %llu: no memory to read a block", it->log->path, (unsigned long long)b->offset);
    if (err == PITH_ERR_DAMAGED || err == PITH_ERR_UNSUPPORTED)
        return block_damaged(it, c, why);
    if (err != PITH_OK) {
        pithi_block_leave(&c->block);
        c->left = 0;
        return -1;
    }
    return 1;
}

/* A block without any record that is asked for need not be read: the stack is found again at the next block's start.
 * With CLIP it is needed at the end. */
static int may_skip(const struct pithlog_iter *it, const struct pithi_log_block *b)
{
    return !(b->kinds & it->kinds) && !(it->flags & PITHLOG_CLIP);
}

static inline int step(struct pithlog_iter *it, struct cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : block_damaged(it, c, c->block.why);
}

/* Goes to the first record of the lane's next slice or block: as advance. */
static UNCOMMON int next_block(struct pithlog_iter *it, struct cursor *c)
{
    struct pithi_log_block block;
    if (c->left > 0) {
        if (pithi_log_block(it->log, c->lane, c->next_block - 1, &it->window, &block) == PITH_OK)
            return load_block(it, c, &block) < 0 ? -1 : step(it, c);
        c->left = 0;
        return -1;
    }
    for (; c->next_block < c->lane->block_count; c->next_block++) {
        if (pithi_log_block(it->log, c->lane, c->next_block, &it->window, &block) != PITH_OK) {
            c->next_block++;
            return -1;
        }
        if (block.first_ns > it->to_ns)
            return 0;
        if (may_skip(it, &block))
            continue;
        c->next_block++;
        c->stack.count = 0;
        c->mark = (struct pithi_block_mark){0};
        return load_block(it, c, &block) < 0 ? -1 : step(it, c);
    }
    return 0;
}

/* Goes to the lane's next record: 1; 0: there is none before the end of the window; -1: damaged, call again to go
 * on. */
static inline int advance(struct pithlog_iter *it, struct cursor *c)
{
    int status = step(it, c);
    if (__builtin_expect(status == 0, 0))
        status = next_block(it, c);
    if (__builtin_expect(status < 0, 0))
        return -1;
    int more = status && c->block.time_ns <= it->to_ns;
    c->key = more ? key_of(c->block.time_ns) : KEY_DONE;
    return more;
}

/* ---- Nesting ----------------------------------------------------------------------------------------------------- */

static UNCOMMON void pair_uncommon(struct cursor *c, struct pithlog_record *r)
{
    struct pithi_open_state state;
    if (r->kind == PITHLOG_ENTER) {
        int kept = pithi_stack_enter(&c->stack, r->id, r->time_ns); /* no memory: it is not */
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

/* Looks the lane up in the index: 1; -1: something is lost of it, call again to go on with what is left. */
static int find(struct pithlog_iter *it, struct cursor *c)
{
    int err = pithi_log_lane(it->log, c->lane_number, &c->lane);
    c->found = 1;
    if (c->lane)
        c->next_block = pithi_log_block_at(it->log, c->lane, it->from_ns, &it->window);
    /* States left open by a lane that ended before the window are open in it. */
    if (it->flags & PITHLOG_CLIP && c->lane && c->next_block == c->lane->block_count && c->next_block > 0)
        c->next_block--;
    return err == PITH_OK ? 1 : -1;
}

/* Brings a lane to its first record in the window; those before it only change the stack. 1 done, -1 call again. */
static int prime(struct pithlog_iter *it, uint32_t number)
{
    struct cursor *c = &it->cursors[number];
    struct pithlog_record r;
    if (!c->found && find(it, c) < 0)
        return -1;
    while (c->lane) {
        int status = advance(it, c);
        if (status <= 0)
            return status < 0 ? -1 : 1;
        if (c->block.time_ns >= it->from_ns)
            return 1;
        pithi_block_take(&c->block, &r);
        if (it->flags & PITHLOG_NEST && r.kind <= PITHLOG_LEAVE)
            pair(c, &r);
    }
    return 1;
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void make_cursor(struct pithlog_iter *it, uint32_t lane)
{
    struct cursor *c = &it->cursors[it->cursor_count++];
    c->lane_number = lane;
    c->leaf = it->leaves + it->cursor_count - 1;
    c->key = KEY_DONE;
}

static void slice(struct pithlog_iter *it)
{
    it->slice_bytes = SLICES_BYTES / it->cursor_count;
    if (it->slice_bytes < LEAST_SLICE)
        it->slice_bytes = LEAST_SLICE;
    for (uint32_t i = 0; i < it->cursor_count; i++)
        it->cursors[i].block.ready_room = SLICE_READY;
}

static int make_cursors(struct pithlog_iter *it, const struct pithlog_query *query)
{
    uint32_t count = query && query->lanes ? query->lane_count : it->log->info.lanes;
    uint32_t *lanes = malloc((count + (size_t)1) * sizeof *lanes);
    it->cursors = calloc(count + (size_t)1, sizeof *it->cursors);
    for (it->leaves = 1; it->leaves < count && it->leaves < 1u << 31; it->leaves *= 2)
        ;
    it->tree = malloc(it->leaves * sizeof *it->tree);
    if (!lanes || !it->cursors || !it->tree) {
        free(lanes);
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read %u lanes", it->log->path, count);
    }
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = query && query->lanes ? query->lanes[i] : i;
    qsort(lanes, count, sizeof *lanes, by_number);
    int err = PITH_OK;
    for (uint32_t i = 0; i < count && err == PITH_OK; i++) {
        if (lanes[i] >= it->log->info.lanes)
            err = pithi_fail(PITH_ERR_USAGE, "%s: lane %u: there are only %u", it->log->path, lanes[i],
                             it->log->info.lanes);
        else if (i == 0 || lanes[i] != lanes[i - 1])
            make_cursor(it, lanes[i]);
    }
    free(lanes);
    if (it->cursor_count > WHOLE_LANES)
        slice(it);
    return err;
}

int pithlog_iter_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_iter **iter)
{
    struct pithlog_iter *it = *iter = calloc(1, sizeof *it);
    if (!it)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read it", log->path);
    it->log = log;
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
    int err = make_cursors(it, query);
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
    pithi_block_free(&it->whole);
    pithi_zip_free(&it->zip);
    free(it->chunk.data);
    free(it->cursors);
    free(it->tree);
    free(it);
}

/* ---- Going on ---------------------------------------------------------------------------------------------------- */

/* The next state open at the window's start: 1, or 0: no more. */
static int next_opening(struct pithlog_iter *it, struct pithlog_record *r)
{
    while (it->flags & PITHLOG_CLIP && it->kinds >> PITHLOG_ENTER & 1 && it->at < it->cursor_count) {
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
            return 1;
        }
        it->at++;
    }
    return 0;
}

/* Whatever is not plain running. 1 a record, 0 the end, -1 error, 2 running now, at the first record. */
static UNCOMMON int other_phase(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (it->phase == PRIMING) {
        while (it->at < it->cursor_count) {
            if (prime(it, it->at) < 0)
                return -1;
            it->at++;
        }
        it->tree[0] = play(it, 1);
        it->phase = OPENING;
        it->at = 0;
    }
    if (it->phase == OPENING) {
        if (next_opening(it, r))
            return 1;
        it->phase = RUNNING;
        return 2;
    }
    if (it->phase == CLOSING && next_closing(it, r))
        return 1;
    it->phase = ENDED;
    return 0;
}

/* 1: the lane's next record is ready, or was made so without reading another block (which would end payloads that were
 * delivered); 0: there is none, or the block is damaged. */
static inline int at_hand(struct cursor *c)
{
    return __builtin_expect(c->block.next != c->block.ready_end, 1) || pithi_block_prepare(&c->block) == 1;
}

/* The record that the cursor stands at: 1, or 0: not a kind asked for. */
static inline uint32_t deliver(const struct pithlog_iter *it, struct cursor *c, struct pithlog_record *r)
{
    pithi_block_take(&c->block, r);
    if (it->flags & PITHLOG_NEST && r->kind <= PITHLOG_LEAVE)
        pair(c, r);
    return it->kinds >> r->kind & 1;
}

static UNCOMMON void begin_closing(struct pithlog_iter *it)
{
    it->phase = CLOSING;
    it->at = 0;
}

/* On from the record delivered last, as long as records are at hand, at most `count`: how many are delivered. */
static inline uint32_t run(struct pithlog_iter *it, struct pithlog_record *records, uint32_t count)
{
    struct place *tree = it->tree, winner = tree[0];
    int64_t to_ns = it->to_ns;
    uint32_t n = 0;
    while (n < count && at_hand(winner.cursor)) {
        struct cursor *last = winner.cursor;
        int64_t time_ns = last->block.next++->time_ns;
        winner = replay(tree, last, time_ns <= to_ns ? key_of(time_ns) : KEY_DONE);
        if (__builtin_expect(winner.key == KEY_DONE, 0)) {
            begin_closing(it);
            break;
        }
        n += deliver(it, winner.cursor, &records[n]);
    }
    tree[0] = winner;
    return n;
}

/* The same with a single lane. */
static uint32_t run_alone(struct pithlog_iter *it, struct pithlog_record *records, uint32_t count)
{
    struct cursor *c = it->cursors;
    const struct pithi_block *b = &c->block;
    int plain = !(it->flags & PITHLOG_NEST) && it->kinds == UINT32_MAX;
    uint32_t n = 0;
    while (n < count && at_hand(c)) {
        const struct pithi_ready *next = b->next, *end = b->ready_end;
        if (end - next > count - n)
            end = next + (count - n);
        if (plain && end[-1].time_ns <= it->to_ns) {
            for (; next < end; next++)
                pithi_block_give(b, next, &records[n++]);
            c->block.next = next;
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
    return n;
}

/* The next record, at the cost of whatever it takes: 1, 0 the end, -1. */
static UNCOMMON int next(struct pithlog_iter *it, struct pithlog_record *r)
{
    for (;;) {
        if (it->phase == RUNNING) {
            struct cursor *last = it->tree[0].cursor;
            if (advance(it, last) < 0)
                return -1;
            it->tree[0] = replay(it->tree, last, last->key);
        } else {
            int status = other_phase(it, r);
            if (status != 2)
                return status;
        }
        if (it->tree[0].key == KEY_DONE)
            begin_closing(it);
        else if (deliver(it, it->tree[0].cursor, r))
            return 1;
    }
}

int pithlog_iter_next(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (__builtin_expect(it->phase == RUNNING, 1) && __builtin_expect(run(it, r, 1) == 1, 1))
        return 1;
    return next(it, r);
}

int pithlog_iter_next_many(struct pithlog_iter *it, struct pithlog_record *records, int count)
{
    uint32_t n = 0;
    if (count > 0 && it->phase == RUNNING)
        n = it->cursor_count == 1 ? run_alone(it, records, (uint32_t)count) : run(it, records, (uint32_t)count);
    return n ? (int)n : count > 0 ? next(it, records) : 0;
}
