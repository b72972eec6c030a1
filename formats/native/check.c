/* check.c - verifying a log: first what opening tells, then the chunks one after another, then the blocks of each
 * lane record by record, against everything that heads and index say of them. */
#include "native/check.h"

#include <stdio.h>

#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"

struct check {
    struct pithlog *log;
    struct pithi_zip zip;
    struct pithi_buffer chunk;
    struct pithi_block block;
    struct pithi_stack stack, opened;  /* as replayed; as a block says */
    struct pithi_totals lane, counted; /* of the lane so far; of the block */
    uint32_t kinds;
    uint64_t records;
};

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

static int all_zero(const unsigned char *p, uint64_t n)
{
    while (n > 0 && *p == 0)
        p++, n--;
    return n == 0;
}

/* Every byte from the header to the footer belongs to a chunk. The payloads of blocks are verified later, by lane. */
static void check_chunks(struct check *c)
{
    struct pithlog *log = c->log;
    uint64_t at = PITHI_HEADER_SIZE, end = log->size - PITHI_FOOTER_SIZE, blocks = 0, known = 0;
    while (at < end) {
        struct pithi_chunk_head head;
        if (!pithi_chunk_head_get(log->data, end, at, &head)) {
            pithi_log_damage(log, at, "no whole chunk stands here");
            do
                at += 8;
            while (at < end && !pithi_chunk_head_get(log->data, end, at, &head));
            continue;
        }
        uint64_t size = PITHI_CHUNK_HEAD + head.size, padded = pithi_pad8(size);
        if (!(head.flags & PITHI_CHUNK_OWN_CRC) && head.type != PITHI_C_EVENTS &&
            !pithi_chunk_intact(log->data, at, &head))
            pithi_log_damage(log, at, "the chunk here is damaged: its CRC differs");
        if (padded <= end - at && !all_zero(log->data + at + size, padded - size))
            pithi_log_damage(log, at + size, "the padding is not zero");
        blocks += head.type == PITHI_C_EVENTS;
        pithi_log_release(log, at, size);
        at += padded;
    }
    for (uint32_t i = 0; i < log->lane_count; i++)
        known += log->lanes[i].block_count;
    if (blocks != known)
        pithi_log_damage(log, end, "the index does not list the blocks that are there");
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static const char *load(struct check *c, const struct pithi_log_lane *lane, const struct pithi_log_block *b)
{
    const struct pithi_log_rank *rank = &c->log->ranks[lane->rank_index];
    struct pithi_chunk_head head;
    const char *why;
    int no_memory;
    why = pithi_chunk_read(c->log->fd, c->log->size, b->offset, &head, &c->chunk, &no_memory);
    if (why && c->chunk.size)
        return "the block here is damaged: its CRC differs";
    if (why || head.type != PITHI_C_EVENTS || head.rank != rank->rank)
        return no_memory ? "there is no memory to check it" : "the block that should stand here does not";
    c->block.def_count = c->log->info.defs;
    c->block.comms = rank->comms;
    c->block.comm_count = rank->comm_count;
    int err = pithi_block_load(&c->block, &c->zip, c->chunk.data, c->chunk.size, &c->opened, &why);
    if (err != PITH_OK)
        return why;
    const struct pithi_block_head *h = &c->block.head;
    if (h->first_ns != b->first_ns || h->last_ns != b->last_ns || h->count != b->count || h->kinds != b->kinds ||
        h->thread != lane->seen.thread)
        return "the block here contradicts the index";
    return NULL;
}

/* The record fits the definition that it names, and is counted. */
static const char *check_record(struct check *c, const struct pithlog_record *r)
{
    struct pithi_open_state state;
    uint32_t depth;
    if (r->kind <= PITHLOG_COUNTER) {
        enum pithlog_def_kind kind = pithi_defs_get(c->log->defs, r->id)->kind;
        if (kind != (r->kind == PITHLOG_EVENT     ? PITHLOG_EVENT_TYPE
                     : r->kind == PITHLOG_COUNTER ? PITHLOG_COUNTER_TYPE
                                                  : PITHLOG_STATE))
            return "a record names a definition of another kind";
    }
    if (r->kind == PITHLOG_ENTER && !pithi_stack_enter(&c->stack, r->id, r->time_ns))
        return "there is no memory to check it";
    if (r->kind == PITHLOG_LEAVE)
        c->counted.states += (uint64_t)pithi_stack_leave(&c->stack, r->id, r->time_ns, &state, &depth);
    c->counted.events += r->kind == PITHLOG_EVENT;
    c->counted.messages += r->kind == PITHLOG_RECV && r->peer >= 0;
    c->counted.lost += r->kind == PITHLOG_LOST ? r->bytes : 0;
    c->counted.records++;
    c->kinds |= 1u << r->kind;
    return NULL;
}

static const char *check_end(const struct check *c)
{
    const struct pithi_block *b = &c->block;
    const struct pithi_block_head *h = &b->head;
    if (b->time_ns != h->last_ns)
        return "the block here ends at another time than it says";
    for (int i = PITHI_COL_ESCAPE; i < PITHI_COL_COUNT; i++)
        if (i != PITHI_COL_TIME && i != PITHI_COL_BITS && b->column[i].at != b->column[i].end)
            return "the block here has more in a column than its records use";
    if (b->bit_count - b->bit >= 8)
        return "the block here has more time bits than its records use";
    if (c->kinds != h->kinds || c->counted.states != h->states || c->counted.events != h->events ||
        c->counted.messages != h->messages || c->counted.lost != h->lost)
        return "the block here has other records than its head counts";
    return NULL;
}

static int same_stack(const struct pithi_stack *a, const struct pithi_stack *b)
{
    if (a->count != b->count || a->above != b->above)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->states[i].id != b->states[i].id || a->states[i].enter_ns != b->states[i].enter_ns ||
            a->states[i].nested_ns != b->states[i].nested_ns)
            return 0;
    return 1;
}

/* `whole`: nothing of the lane before was lost, so its states are known. */
static const char *check_block(struct check *c, int whole)
{
    struct pithlog_record r;
    const char *why = NULL;
    int status;
    if (whole && (!same_stack(&c->stack, &c->opened) || c->block.head.before != c->lane.records))
        return "the block here does not go on where the one before it ended";
    struct pithi_stack opened = c->stack;
    c->stack = c->opened;
    c->opened = opened;
    c->counted = (struct pithi_totals){0};
    c->kinds = 0;
    while ((status = pithi_block_step(&c->block)) == 1 && !why) {
        if (!pithi_block_take(&c->block, &r))
            return "a record of the block here is cut short or makes no sense";
        why = check_record(c, &r);
    }
    return status < 0 ? "the times of the block here pass its end" : why ? why : check_end(c);
}

static void check_lane(struct check *c, const struct pithi_log_lane *lane)
{
    int whole = c->log->info.complete;
    c->lane = (struct pithi_totals){0};
    c->stack.count = 0;
    c->stack.above = 0;
    for (uint32_t i = 0; i < lane->block_count; i++) {
        const struct pithi_log_block *b = &lane->blocks[i];
        const char *why = load(c, lane, b);
        if (!why)
            why = check_block(c, whole);
        whole = whole && !why;
        if (why) {
            pithi_log_damage(c->log, b->offset, why);
            continue;
        }
        c->records += c->counted.records;
        c->lane.records += c->counted.records;
        c->lane.states += c->counted.states;
        c->lane.events += c->counted.events;
        c->lane.messages += c->counted.messages;
        c->lane.lost += c->counted.lost;
    }
    const struct pithi_totals *t = &lane->totals;
    if (whole && (t->records != c->lane.records || t->states != c->lane.states || t->events != c->lane.events ||
                  t->messages != c->lane.messages || t->lost != c->lane.lost ||
                  (lane->block_count && (t->start_ns != lane->blocks[0].first_ns ||
                                         t->end_ns != lane->blocks[lane->block_count - 1].last_ns))))
        pithi_log_damage(c->log, lane->block_count ? lane->blocks[0].offset : 0,
                         "the index has other totals of the lane that begins here than its blocks");
}

int pithi_check(const char *path, void (*say)(void *context, const char *text), void *context, uint64_t *records)
{
    struct check c = {0};
    if (pithi_log_open(path, say, context, &c.log) != PITH_OK)
        return -1;
    if (c.log->info.complete)
        check_chunks(&c);
    for (uint32_t i = 0; i < c.log->lane_count; i++)
        check_lane(&c, &c.log->lanes[i]);
    pithi_block_free(&c.block);
    pithi_zip_free(&c.zip);
    free(c.chunk.data);
    free(c.stack.states);
    free(c.opened.states);
    int damages = c.log->damages > INT32_MAX ? INT32_MAX : (int)c.log->damages;
    pithlog_close(c.log);
    if (records)
        *records = c.records;
    return damages;
}
