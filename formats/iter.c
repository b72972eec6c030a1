/* iter.c - records in time order over many lanes: each lane's blocks are unpacked one by one, and a heap of lanes by
 * (time, lane) says whose record is next. Knows blocks and the index, nothing of chunks' inside or files. */
#include <stdio.h>

#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"

struct cursor {
    const struct pithi_log_lane *lane;
    uint32_t lane_number;
    uint32_t next_block; /* to be loaded when this one is at its end */
    struct pithi_block block;
    struct pithi_stack stack;
};

struct place {
    int64_t time_ns;
    struct cursor *cursor; /* they lie in order of lanes, so that this decides ties */
};

enum phase { PRIMING, OPENING, RUNNING, CLOSING, ENDED };

struct pithlog_iter {
    struct pithlog *log;
    int64_t from_ns, to_ns;
    uint32_t kinds, flags;
    struct pithi_zip zip;
    struct cursor *cursors;
    uint32_t cursor_count;
    struct place *heap;
    uint32_t heap_count;
    enum phase phase;
    int taken;       /* the record of heap[0] was delivered: go on from it first */
    uint32_t at;     /* PRIMING, OPENING, CLOSING: the cursor being worked on */
    uint32_t opened; /* OPENING: its open states delivered */
};

/* ---- The heap: smallest time first, then lane -------------------------------------------------------------------- */

static inline int before(const struct place *a, const struct place *b)
{
    /* no branch: whose turn it is, is chance */
    return (a->time_ns < b->time_ns) | ((a->time_ns == b->time_ns) & (a->cursor < b->cursor));
}

/* heap[at] may have become later than those below it. */
static inline void sift_down(struct place *heap, uint32_t count, uint32_t at)
{
    struct place place = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count)
            break;
        child += child + 1 < count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &place))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = place;
}

static void heap_push(struct pithlog_iter *it, int64_t time_ns, struct cursor *cursor)
{
    uint32_t at = it->heap_count++;
    struct place place = {time_ns, cursor};
    while (at > 0 && before(&place, &it->heap[(at - 1) / 2])) {
        it->heap[at] = it->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    it->heap[at] = place;
}

/* ---- A lane's cursor --------------------------------------------------------------------------------------------- */

static int block_damaged(const struct pithlog_iter *it, struct cursor *c, const char *why)
{
    uint64_t offset = c->lane->blocks[c->next_block - 1].offset;
    c->block.next = c->block.head.count = 0; /* so that another call goes on with the next block */
    pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: a block of rank %d is damaged: %s; `pith recover` takes the rest",
               it->log->path, (unsigned long long)offset, (int)c->lane->seen.rank, why);
    return -1;
}

/* The block agrees with what the index says of it. */
static int as_indexed(const struct cursor *c, const struct pithi_log_block *b)
{
    const struct pithi_block_head *h = &c->block.head;
    return h->first_ns == b->first_ns && h->last_ns == b->last_ns && h->count == b->count && h->kinds == b->kinds &&
           h->thread == c->lane->seen.thread;
}

/* 1; -1: it cannot be read. */
static int load_block(struct pithlog_iter *it, struct cursor *c, uint32_t index)
{
    const struct pithi_log_block *b = &c->lane->blocks[index];
    const struct pithi_log_rank *rank = &it->log->ranks[c->lane->rank_index];
    const unsigned char *data = it->log->data;
    struct pithi_chunk_head head;
    const char *why;
    c->next_block = index + 1;
    c->stack.count = 0;
    c->stack.above = 0;
    if (!pithi_chunk_head_get(data, it->log->size, b->offset, &head) || head.type != PITHI_C_EVENTS ||
        head.rank != rank->rank)
        return block_damaged(it, c, "its header is not there");
    if (!pithi_chunk_intact(data, b->offset, &head))
        return block_damaged(it, c, "its CRC differs");
    c->block.def_count = it->log->info.defs;
    c->block.comms = rank->comms;
    c->block.comm_count = rank->comm_count;
    int err = pithi_block_load(&c->block, &it->zip, data + b->offset + PITHI_CHUNK_HEAD, head.size,
                               it->flags & PITHLOG_NEST ? &c->stack : NULL, &why);
    pithi_log_release(it->log, b->offset, head.size);
    if (err == PITH_ERR_MEMORY) {
        c->block.next = c->block.head.count = 0;
        pithi_fail(err, "%s: byte %llu: no memory to read a block", it->log->path, (unsigned long long)b->offset);
        return -1;
    }
    if (err != PITH_OK)
        return block_damaged(it, c, why);
    return as_indexed(c, b) ? 1 : block_damaged(it, c, "it contradicts the index");
}

/* A block without any record that is asked for need not be read: the stack is found again at the next block's start.
 * With CLIP it is needed at the end. */
static int may_skip(const struct pithlog_iter *it, const struct pithi_log_block *b)
{
    return !(b->kinds & it->kinds) && !(it->flags & PITHLOG_CLIP);
}

static inline int step(const struct pithlog_iter *it, struct cursor *c)
{
    int status = pithi_block_step(&c->block);
    return status >= 0 ? status : block_damaged(it, c, "its times pass its end");
}

/* Goes to the first record of the lane's next block: as advance. */
static int next_block(struct pithlog_iter *it, struct cursor *c)
{
    while (c->next_block < c->lane->block_count && may_skip(it, &c->lane->blocks[c->next_block]))
        c->next_block++;
    if (c->next_block == c->lane->block_count || c->lane->blocks[c->next_block].first_ns > it->to_ns)
        return 0;
    return load_block(it, c, c->next_block) < 0 ? -1 : step(it, c);
}

/* Goes to the lane's next record: 1; 0: there is none before the end of the window; -1: damaged, call again to go
 * on. */
static inline int advance(struct pithlog_iter *it, struct cursor *c)
{
    int status = step(it, c);
    return status ? status : next_block(it, c);
}

/* ---- Nesting ----------------------------------------------------------------------------------------------------- */

static void pair(struct cursor *c, struct pithlog_record *r)
{
    struct pithi_open_state state;
    if (r->kind == PITHLOG_ENTER) {
        r->depth = c->stack.count + (uint32_t)c->stack.above;
        if (!pithi_stack_enter(&c->stack, r->id, r->time_ns))
            c->stack.above++; /* no memory: as if the stack were full */
    } else if (pithi_stack_leave(&c->stack, r->id, r->time_ns, &state, &r->depth)) {
        r->start_ns = state.enter_ns;
        r->nested_ns = state.nested_ns;
    } else {
        r->start_ns = r->time_ns;
        r->depth = UINT32_MAX;
    }
}

/* The first block that reaches into the window. */
static uint32_t block_at(const struct pithi_log_lane *lane, int64_t from_ns)
{
    uint32_t low = 0, high = lane->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane->blocks[middle].last_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Brings a lane to its first record in the window; those before it only change the stack. 1 done, -1 call again. */
static int prime(struct pithlog_iter *it, uint32_t number)
{
    struct cursor *c = &it->cursors[number];
    struct pithlog_record r;
    for (;;) {
        int status = advance(it, c);
        if (status <= 0)
            return status < 0 ? -1 : 1;
        if (c->block.time_ns >= it->from_ns) {
            heap_push(it, c->block.time_ns, c);
            return 1;
        }
        if (!pithi_block_take(&c->block, &r))
            return block_damaged(it, c, "a record is cut short or makes no sense");
        if (it->flags & PITHLOG_NEST && r.kind <= PITHLOG_LEAVE)
            pair(c, &r);
    }
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
    c->lane = &it->log->lanes[lane];
    c->lane_number = lane;
    c->next_block = block_at(c->lane, it->from_ns);
    /* States left open by a lane that ended before the window are open in it. */
    if (it->flags & PITHLOG_CLIP && c->next_block == c->lane->block_count && c->next_block > 0)
        c->next_block--;
}

static int make_cursors(struct pithlog_iter *it, const struct pithlog_query *query)
{
    uint32_t count = query && query->lanes ? query->lane_count : it->log->info.lanes;
    uint32_t *lanes = malloc((count + (size_t)1) * sizeof *lanes);
    it->cursors = calloc(count + (size_t)1, sizeof *it->cursors);
    it->heap = malloc((count + (size_t)1) * sizeof *it->heap);
    if (!lanes || !it->cursors || !it->heap) {
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
    pithi_zip_free(&it->zip);
    free(it->cursors);
    free(it->heap);
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
        c->stack.above = 0;
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

/* Whatever is not plain running. 1 a record, 0 the end, -1 error, 2 go on running. */
static int other_phase(struct pithlog_iter *it, struct pithlog_record *r)
{
    if (it->phase == PRIMING) {
        while (it->at < it->cursor_count) {
            if (prime(it, it->at) < 0)
                return -1;
            it->at++;
        }
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

/* From the record delivered last to the next of its lane. 1, or -1. */
static inline int go_on(struct pithlog_iter *it)
{
    struct cursor *c = it->heap[0].cursor;
    int status = advance(it, c);
    if (status < 0)
        return -1;
    it->taken = 0;
    if (status == 1)
        it->heap[0].time_ns = c->block.time_ns;
    else
        it->heap[0] = it->heap[--it->heap_count];
    sift_down(it->heap, it->heap_count, 0);
    return 1;
}

int pithlog_iter_next(struct pithlog_iter *it, struct pithlog_record *r)
{
    for (;;) {
        if (it->phase != RUNNING) {
            int status = other_phase(it, r);
            if (status != 2)
                return status;
        }
        if (it->taken && go_on(it) < 0)
            return -1;
        if (it->heap_count == 0 || it->heap[0].time_ns > it->to_ns) {
            it->phase = CLOSING;
            it->at = 0;
            continue;
        }
        struct cursor *c = it->heap[0].cursor;
        it->taken = 1;
        if (!pithi_block_take(&c->block, r))
            return block_damaged(it, c, "a record is cut short or makes no sense");
        r->lane = c->lane_number;
        if (it->flags & PITHLOG_NEST && r->kind <= PITHLOG_LEAVE)
            pair(c, r);
        if (it->kinds >> r->kind & 1)
            return 1;
    }
}
