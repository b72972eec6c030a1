/* lane_cursor.c - the cursor of a lane: loads its blocks, finds the first record of a window, and follows open states.
 *
 * The index has the time span and the kinds of each block. So the cursor begins at the first block that reaches into
 * the window, and skips blocks without a wanted kind:
 *
 *     blocks          [0, 10)       [10, 20)      [20, 30)      [30, 40)          the window is 14 to 25
 *     kinds           states        states,       states        states,
 *                                   messages                    messages
 *     all kinds       -             unpacked      unpacked      -
 *     only messages   -             unpacked      skipped       -
 *
 * In block [10, 20), the records before 14 are read but not delivered (pithi_cursor_prime), because with PITHLOG_NEST
 * they open and end states. Each block begins with the states that are open there. So no state is lost by skipping
 * blocks, and a damaged block costs only its own records.
 *
 * After an error, the cursor is behind the damage. If the caller calls again, it gets the lane's next readable
 * records. */
#include "reader/read/lane_cursor.h"

#include <stdio.h>

/* Reports that records are missing after the last record of the cursor's lane. */
static void tell_hole(const struct pithlog_iter *it, const struct pithi_cursor *c)
{
    if (it->holes.tell)
        it->holes.tell(it->holes.context, c->lane_number);
}

static int block_damaged(struct pithlog_iter *it, struct pithi_cursor *c, const char *why)
{
    struct pithi_log_block block = {0};
    char name[4096];
    tell_hole(it, c);
    pithi_block_leave(&c->block); /* the next call continues with the next block */
    if (pithi_log_block(it->log, c->lane, c->next_block - 1, &it->unpacking.window, &block) != PITH_OK)
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

/* Loads a block. Returns 1; -1 if the block cannot be read. */
static int load_block(struct pithlog_iter *it, struct pithi_cursor *c, const struct pithi_log_block *b)
{
    const char *why;
    int nests = it->flags & PITHLOG_NEST;
    int err = pithi_unpack(&it->unpacking, c->lane, c->lane_number, b, &c->block, nests, &why);
    if (err == PITH_ERR_MEMORY)
        pithi_fail(err, "%s: byte %llu: no memory to read a block beside those of %u other lanes; read fewer lanes",
                   it->log->path, (unsigned long long)b->offset, it->cursor_count - 1);
    if (err == PITH_ERR_DAMAGED || err == PITH_ERR_UNSUPPORTED)
        return block_damaged(it, c, why);
    if (err != PITH_OK) {
        tell_hole(it, c);
        pithi_block_leave(&c->block);
        return -1;
    }
    if (nests) {
        struct pithi_stack before = c->stack;
        c->stack = it->unpacking.opened;
        it->unpacking.opened = before;
    }
    if (it->log->records_read)
        __atomic_fetch_add(it->log->records_read, b->count, __ATOMIC_RELAXED);
    return 1;
}

/* Loads the next block that can have wanted records, and goes to its first record. Reports each hole on the way. */
UNCOMMON int pithi_cursor_next_block(struct pithlog_iter *it, struct pithi_cursor *c)
{
    struct pithi_log_block block;
    for (; c->next_block < c->lane->block_count; c->next_block++) {
        if (pithi_log_block(it->log, c->lane, c->next_block, &it->unpacking.window, &block) != PITH_OK) {
            c->next_block++;
            tell_hole(it, c);
            return -1;
        }
        if (block.is_after_hole)
            tell_hole(it, c);
        if (block.is_after_hole && it->flags & PITHLOG_OPENED)
            return pithi_fail(PITH_ERR_DAMAGED, "%s: records are missing", it->log->path), -1;
        /* Stops if the block begins after the window. With looks_beyond, reads the block anyway, because if it is
         * damaged, the window ends in a hole that must be reported. */
        if (block.first_ns > it->to_ns && (!it->looks_beyond || c->next_block == 0))
            return 0;
        if (!(block.kinds & it->kinds)) /* skips it: the next block has its own list of open states */
            continue;
        c->next_block++;
        return load_block(it, c, &block) < 0 ? -1 : pithi_cursor_step(it, c);
    }
    if (it->log->rebuilt && c->lane->kinds & (1u << PITHLOG_SEND | 1u << PITHLOG_RECV))
        tell_hole(it, c); /* the last blocks of the lane may be missing */
    return 0;
}

/* The rare cases of `nest`: the stack must grow, or a LEAVE is not that of the innermost state, or a LEAVE has no
 * ENTER. */
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

int pithi_cursor_prime(struct pithlog_iter *it, struct pithi_cursor *c)
{
    if (!c->found) {
        int err = pithi_log_lane(it->log, c->lane_number, &c->lane);
        c->found = 1;
        if (c->lane)
            c->next_block = pithi_log_block_at(it->log, c->lane, it->from_ns, &it->unpacking.window);
        if (err != PITH_OK) { /* the lane's entry in the index cannot be read */
            tell_hole(it, c);
            return -1;
        }
    }
    while (c->lane) {
        int status = pithi_cursor_advance(it, c);
        if (status < 0)
            return -1;
        if (status == 0 || c->block.time_ns >= it->from_ns)
            return 1;
        struct pithlog_record r;
        pithi_block_take(&c->block, &r);
        if (it->flags & PITHLOG_NEST)
            nest(c, &r);
    }
    return 1;
}
