/* lane_cursor.c - the cursor of a lane: loads its blocks, finds the first record of a window, and follows open states.
 * Knows blocks and the index, but no files and no inside of chunks. */
#include "reader/lane_cursor.h"

#include <stdio.h>

#include "native/chunk.h"
#include "reader/match.h"

/* Records of the cursor's lane are missing after its last one. */
static void tell_hole(const struct pithlog_iter *it, const struct pithi_cursor *c)
{
    if (it->holes.tell)
        it->holes.tell(it->holes.context, c->lane_number);
}

UNCOMMON int pithi_cursor_hole(struct pithlog_iter *it, struct pithi_cursor *c)
{
    tell_hole(it, c);
    c->goes_on = 0;
    if (it->flags & AT_EDGES && c->hole == PITHI_NO_HOLE) {
        c->hole = PITHI_HOLE_BEGINS;
        c->hole_ns = INT64_MAX;
        c->kept = 0;
    }
    return -1;
}

static int block_damaged(struct pithlog_iter *it, struct pithi_cursor *c, const char *why)
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

UNCOMMON int pithi_cursor_damaged(struct pithlog_iter *it, struct pithi_cursor *c)
{
    return block_damaged(it, c, c->block.why);
}

/* 1: the head of the block agrees with the index. */
static int as_indexed(const struct pithi_block_head *h, const struct pithi_cursor *c, const struct pithi_log_block *b)
{
    return h->first_ns == b->first_ns && h->last_ns == b->last_ns && h->count == b->count && h->kinds == b->kinds &&
           h->thread == c->lane->seen.thread;
}

/* Reads and unpacks the lane's block `b`. */
static int unpack(struct pithlog_iter *it, struct pithi_cursor *c, const struct pithi_log_block *b, const char **why)
{
    struct pithi_stack *opened = it->flags & STACKED && !c->goes_on ? &it->opened_stack : NULL;
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
    it->opened_stack.count = 0;
    CHECK(pithi_block_load(&c->block, &it->zip, it->chunk.data, it->chunk.size, opened, why));
    *why = "it contradicts the index";
    return as_indexed(&c->block.head, c, b) ? PITH_OK : PITH_ERR_DAMAGED;
}

/* The open states at the start of a loaded block; those of c->stack are still needed until it could be loaded. */
static void open_states(struct pithlog_iter *it, struct pithi_cursor *c)
{
    struct pithi_stack before = c->stack;
    c->loaded = c->next_block;
    if (c->lost)
        c->lost_before = pithi_lost_states_before(c->lost, c->loaded - 1);
    if (c->goes_on)
        return;
    c->stack = it->opened_stack;
    it->opened_stack = before;
    if (c->lost)
        pithi_lost_states_drop(c->lost, c->lost_before, &c->stack);
    /* A state is followed in pieces between holes, which later blocks do not know. */
    c->goes_on = it->flags & PITHLOG_CLIP && (c->lost || c->hole);
}

/* 1; -1: it cannot be read. */
static int load_block(struct pithlog_iter *it, struct pithi_cursor *c, const struct pithi_log_block *b)
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
    open_states(it, c);
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

/* 1: the block need not be read, as the window ends before it. If it is damaged, the window may end in its hole. */
static int is_behind(const struct pithlog_iter *it, const struct pithi_cursor *c, const struct pithi_log_block *b)
{
    return b->first_ns > it->to_ns && (!(it->flags & AT_EDGES) || c->hole || c->next_block == 0);
}

UNCOMMON int pithi_cursor_next_block(struct pithlog_iter *it, struct pithi_cursor *c)
{
    struct pithi_log_block block;
    for (; c->next_block < c->lane->block_count; c->next_block++) {
        if (pithi_log_block(it->log, c->lane, c->next_block, &it->window, &block) != PITH_OK) {
            c->next_block++;
            return -1;
        }
        if (block.is_after_gap && it->flags & AT_EDGES && c->hole == PITHI_NO_HOLE) {
            pithi_cursor_hole(it, c);
            return 2;
        }
        if (block.is_after_gap)
            tell_hole(it, c);
        if (is_behind(it, c, &block))
            return 0;
        if (may_skip(it, &block))
            continue;
        c->next_block++;
        return load_block(it, c, &block) < 0 ? -1 : pithi_cursor_step(it, c);
    }
    if (it->log->rebuilt && c->lane->kinds & (1u << PITHLOG_SEND | 1u << PITHLOG_RECV))
        tell_hole(it, c); /* blocks may be missing at the end */
    return 0;
}

UNCOMMON void pithi_cursor_pair(struct pithi_cursor *c, struct pithlog_record *r)
{
    struct pithi_open_state state;
    if (r->kind == PITHLOG_ENTER) {
        int kept = pithi_stack_enter(&c->stack, r->id, r->time_ns); /* 0: no memory */
        r->depth = c->stack.count - (uint32_t)kept;
        r->start_ns = r->time_ns;
    } else if (pithi_stack_leave(&c->stack, r->id, r->time_ns, &state, &r->depth)) {
        r->start_ns = state.enter_ns;
        r->nested_ns = state.nested_ns;
    } else {
        r->start_ns = r->time_ns;
        r->depth = UINT32_MAX;
    }
}

/* Looks the lane up in the index: 1; -1: a part of it is lost, call again to continue with the rest. */
static int find(struct pithlog_iter *it, struct pithi_cursor *c)
{
    struct pithi_log_block block;
    int err = pithi_log_lane(it->log, c->lane_number, &c->lane);
    c->found = 1;
    if (c->lane)
        c->next_block = pithi_log_block_at(it->log, c->lane, it->from_ns, &it->window);
    if (err == PITH_OK && it->flags & AT_EDGES && it->log->info.lost > 0)
        err = pithi_lost_states_get(it->log, c->lane_number, &c->lost);
    /* If the window begins between two blocks, the first tells whether it begins in a hole. If the lane ended before
     * the window, its open states are open in the window. */
    if (it->flags & AT_EDGES && c->lane && c->next_block > 0 &&
        (c->next_block == c->lane->block_count ||
         (pithi_log_block(it->log, c->lane, c->next_block, &it->window, &block) == PITH_OK &&
          block.first_ns > it->from_ns)))
        c->next_block--;
    if (err != PITH_OK)
        tell_hole(it, c);
    return err == PITH_OK ? 1 : -1;
}

void pithi_cursor_lost(struct pithi_cursor *c, int64_t time_ns)
{
    uint32_t gone = c->lost && c->lost_before < c->lost->hole_count ? c->lost->holes[c->lost_before++].gone : 0;
    c->hole = PITHI_HOLE_BEGINS;
    c->hole_ns = time_ns;
    c->kept = c->stack.count > gone ? c->stack.count - gone : 0;
}

/* Follows the open states past a record that is not delivered. */
static void follow(struct pithlog_iter *it, struct pithi_cursor *c)
{
    struct pithlog_record r;
    pithi_block_take(&c->block, &r);
    c->hole = PITHI_NO_HOLE;
    if (it->flags & STACKED && r.kind <= PITHLOG_LEAVE)
        pair(c, &r);
    if (it->flags & AT_EDGES && pithi_match_is_hole(it->log, &r)) {
        pithi_cursor_lost(c, r.time_ns);
        c->stack.count = c->kept;
        c->hole = PITHI_IN_HOLE;
    }
}

int pithi_cursor_prime(struct pithlog_iter *it, struct pithi_cursor *c)
{
    if (!c->found && find(it, c) < 0)
        return -1;
    while (c->lane) {
        c->hole = c->hole ? PITHI_IN_HOLE : PITHI_NO_HOLE;
        int status = pithi_cursor_advance(it, c);
        if (status < 0)
            return -1;
        if (status == 0 || (status == 1 && c->block.time_ns >= it->from_ns)) {
            if (status == 1 && c->block.time_ns == it->from_ns) /* a hole ends where the window begins */
                c->hole = PITHI_NO_HOLE;
            if (c->hole)
                tell_hole(it, c);
            c->kept = 0;
            pithi_cursor_pace(it, c);
            return 1;
        }
        if (status == 1)
            follow(it, c);
    }
    return 1;
}

void pithi_cursor_replay(struct pithlog_iter *it, struct pithi_cursor *c)
{
    uint32_t next = c->next_block;
    struct pithi_log_block block;
    c->stack.count = 0;
    c->next_block = c->loaded;
    if (c->loaded > 0 && pithi_log_block(it->log, c->lane, c->loaded - 1, &it->window, &block) == PITH_OK &&
        load_block(it, c, &block) > 0)
        while (pithi_cursor_step(it, c) > 0) {
            follow(it, c);
            c->hole_ns = c->block.time_ns;
        }
    c->next_block = next;
    c->hole = PITHI_HOLE_BEGINS;
}

void pithi_cursor_pace(struct pithlog_iter *it, struct pithi_cursor *c)
{
    uint32_t is_slow = !c->done && (c->hole || (c->lost && c->lost_before < c->lost->hole_count &&
                                                c->lost->holes[c->lost_before].block + 1 == c->loaded));
    it->slow_count += is_slow - c->is_slow;
    c->is_slow = is_slow;
}
