/* rebuild.c - opening a log without its index: every chunk is looked at, in the order of the file; what is whole is
 * taken, what is not is passed over. So a log that was cut, or is damaged in places, is read as far as it goes.
 *
 * Blocks may speak of definitions and communicators whose description was lost. They get names that say so.
 */
#include <stdio.h>

#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"

/* A block may be this much ahead of what is described; more is no loss but nonsense. */
enum { LOST_MAX = 1 << 16 };

struct rebuild {
    struct pithlog *log;
    struct pithi_zip zip;
    struct pithi_block block;
    struct pithi_stack opened;
    struct pithi_map def_kinds;   /* definitions used: their kind */
    uint32_t def_count;           /* more than any used */
    struct pithi_map comm_counts; /* by rank: more than any used */
    uint64_t taken;
};

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int add_lost_def(struct pithi_defs *defs, uint32_t kind, uint32_t id)
{
    static const char *const names[] = {"lost state", "lost event", "lost counter"};
    char name[48];
    uint32_t got;
    snprintf(name, sizeof name, "%s %u", names[kind], id);
    struct pithlog_def def = {(enum pithlog_def_kind)kind, name, "", "lost", ""};
    return pithi_defs_add(defs, &def, &got);
}

/* Definitions come in parts, each from some id on; the last chunk of a finished log has all of them. */
static int take_defs(struct rebuild *b, uint64_t offset, const struct pithi_chunk_head *head)
{
    const unsigned char *p = b->log->data + offset + PITHI_CHUNK_HEAD, *end = p + head->size;
    uint32_t *ids = NULL, first, count;
    struct pithi_defs *defs = NULL;
    uint64_t from;
    int err = PITH_OK;
    if (!pithi_get_varint(p, end, &from) || from > (uint64_t)pithi_defs_count(b->log->defs) + LOST_MAX)
        return PITH_ERR_DAMAGED;
    if (from == 0 && (err = pithi_defs_new(&defs)) != PITH_OK)
        return err;
    struct pithi_defs *into = defs ? defs : b->log->defs;
    while (err == PITH_OK && pithi_defs_count(into) < from)
        err = add_lost_def(into, PITHLOG_STATE, pithi_defs_count(into));
    if (err == PITH_OK)
        err = pithi_defs_unpack_from(into, p, (size_t)head->size, &first, &count, &ids);
    for (uint32_t i = 0; err == PITH_OK && i < count; i++)
        if (ids[i] != first + i)
            err = PITH_ERR_DAMAGED;
    free(ids);
    if (err == PITH_OK && defs && pithi_defs_count(defs) >= pithi_defs_count(b->log->defs)) {
        struct pithi_defs *old = b->log->defs;
        b->log->defs = defs;
        defs = old;
    }
    pithi_defs_free(defs);
    return err;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Remembers what a block speaks of: 0: nonsense; no memory counts as that too. */
static int note_use(struct rebuild *b, uint32_t rank, const struct pithi_dict *d)
{
    uint32_t count = 0;
    if (d->kind <= PITHLOG_COUNTER) {
        uint32_t kind = d->kind == PITHLOG_EVENT     ? PITHLOG_EVENT_TYPE
                        : d->kind == PITHLOG_COUNTER ? PITHLOG_COUNTER_TYPE
                                                     : PITHLOG_STATE;
        if (d->what >= (uint64_t)pithi_defs_count(b->log->defs) + LOST_MAX)
            return 0;
        b->def_count = d->what >= b->def_count ? d->what + 1 : b->def_count;
        return pithi_map_put(&b->def_kinds, d->what, kind);
    }
    if (d->kind > PITHLOG_COMM_FREE)
        return 1;
    pithi_map_get(&b->comm_counts, rank, &count);
    if (d->what >= (uint64_t)b->log->ranks[rank].comm_count + LOST_MAX)
        return 0;
    return d->what < count || pithi_map_put(&b->comm_counts, rank, d->what + 1);
}

static int note_uses(struct rebuild *b, uint32_t rank)
{
    struct pithi_dict d;
    for (uint32_t i = 0; i < b->opened.count; i++)
        if (!note_use(b, rank, &(struct pithi_dict){PITHLOG_ENTER, b->opened.states[i].id}))
            return 0;
    for (uint32_t i = 0; i < b->block.dict_count; i++)
        if (!note_use(b, rank, &b->block.dict[i]))
            return 0;
    while (pithi_block_escape(&b->block, &d))
        if (!note_use(b, rank, &d))
            return 0;
    return 1;
}

static void count_block(struct pithi_totals *t, const struct pithi_block_head *h)
{
    t->records += h->count;
    t->states += h->states;
    t->events += h->events;
    t->messages += h->messages;
    t->lost += h->lost;
    t->start_ns = h->first_ns < t->start_ns ? h->first_ns : t->start_ns;
    t->end_ns = h->last_ns;
}

static int take_block(struct rebuild *b, uint64_t offset, const struct pithi_chunk_head *head)
{
    const struct pithi_block_head *h = &b->block.head;
    struct pithlog *log = b->log;
    uint32_t rank, lane;
    const char *why;
    int err;
    b->block.def_count = UINT32_MAX;
    b->block.comms = NULL;
    b->block.comm_count = UINT32_MAX;
    err = pithi_block_load(&b->block, &b->zip, log->data + offset + PITHI_CHUNK_HEAD, head->size, &b->opened, &why);
    if (err != PITH_OK)
        return err;
    if ((err = pithi_log_find_rank(log, head->rank, &rank)) != PITH_OK ||
        (err = pithi_log_find_lane(log, rank, h->thread, &lane)) != PITH_OK)
        return err;
    struct pithi_log_lane *l = &log->lanes[lane];
    if ((l->block_count && l->blocks[l->block_count - 1].last_ns > h->first_ns) || !note_uses(b, rank))
        return PITH_ERR_DAMAGED;
    count_block(&l->totals, h);
    return pithi_log_add_block(log, lane,
                               &(struct pithi_log_block){offset, h->first_ns, h->last_ns, h->count, h->kinds});
}

/* ---- What was lost ----------------------------------------------------------------------------------------------- */

static int fill_defs(struct rebuild *b)
{
    int err = PITH_OK;
    for (uint32_t id = pithi_defs_count(b->log->defs); err == PITH_OK && id < b->def_count; id++) {
        uint32_t kind = PITHLOG_STATE;
        pithi_map_get(&b->def_kinds, id, &kind);
        err = add_lost_def(b->log->defs, kind, id);
    }
    return err;
}

/* Communicators of a rank that were used but never described each become one of their own. */
static int fill_comms(struct rebuild *b, uint32_t rank)
{
    struct pithi_log_rank *r = &b->log->ranks[rank];
    uint32_t count = 0, index;
    pithi_map_get(&b->comm_counts, rank, &count);
    for (uint32_t local = 0; local < count; local++) {
        if (local < r->comm_count && r->comms[local] != UINT32_MAX)
            continue;
        uint64_t key = local ? UINT64_C(0x4c6f737400000000) ^ ((uint64_t)rank << 20) ^ local : 0;
        while (key && pithi_map_get(&b->log->comm_map, key, &index))
            key += UINT64_C(1) << 52;
        if (!pithi_log_map_comm(b->log, rank, local, key, &index))
            return PITH_ERR_MEMORY;
        if (!b->log->comms[index].name && !(b->log->comms[index].name = strdup(key ? "lost" : "MPI_COMM_WORLD")))
            return PITH_ERR_MEMORY;
    }
    return PITH_OK;
}

static int fill_lost(struct rebuild *b)
{
    int err = fill_defs(b);
    for (uint32_t i = 0; err == PITH_OK && i < b->log->rank_count; i++)
        err = fill_comms(b, i);
    return err;
}

/* ---- Scanning ---------------------------------------------------------------------------------------------------- */

static int take_chunk(struct rebuild *b, uint64_t offset, const struct pithi_chunk_head *head)
{
    switch (head->type) {
    case PITHI_C_DEFS:
        return take_defs(b, offset, head);
    case PITHI_C_META:
        return pithi_log_read_meta(b->log, head->rank, b->log->data + offset + PITHI_CHUNK_HEAD, head->size);
    case PITHI_C_EVENTS:
        return take_block(b, offset, head);
    default: /* indexes are what is being made again; other types are of a later version */
        return PITH_OK;
    }
}

static int scan(struct rebuild *b)
{
    struct pithlog *log = b->log;
    int err = PITH_OK, gap = 0;
    for (uint64_t at = PITHI_HEADER_SIZE; err == PITH_OK && at < log->size;) {
        struct pithi_chunk_head head;
        if (!pithi_chunk_head_get(log->data, log->size, at, &head)) {
            if (!gap && log->size - at > PITHI_FOOTER_SIZE)
                pithi_log_damage(log, at, "no whole chunk stands here; looking for the next");
            gap = 1;
            at += 8;
            continue;
        }
        gap = 0;
        if (!(head.flags & PITHI_CHUNK_OWN_CRC) && !pithi_chunk_intact(log->data, at, &head)) {
            pithi_log_damage(log, at, "the chunk here is damaged and left out: its CRC differs");
        } else if ((err = take_chunk(b, at, &head)) == PITH_ERR_DAMAGED || err == PITH_ERR_UNSUPPORTED) {
            pithi_log_damage(log, at, "the chunk here makes no sense and is left out");
            err = PITH_OK;
        } else {
            b->taken++;
        }
        pithi_log_release(log, at, PITHI_CHUNK_HEAD + head.size);
        at += PITHI_CHUNK_HEAD + pithi_pad8(head.size);
    }
    return err;
}

int pithi_log_rebuild(struct pithlog *log)
{
    struct rebuild b = {.log = log};
    int err = pithi_defs_new(&log->defs);
    if (err == PITH_OK)
        err = scan(&b);
    if (err == PITH_OK)
        err = b.taken ? fill_lost(&b) : PITH_ERR_DAMAGED;
    pithi_block_free(&b.block);
    free(b.opened.states);
    pithi_zip_free(&b.zip);
    pithi_map_free(&b.def_kinds);
    pithi_map_free(&b.comm_counts);
    if (err == PITH_ERR_DAMAGED)
        return pithi_fail(err, "%s: byte %d: no whole part of the log is left", log->path, PITHI_HEADER_SIZE);
    return err == PITH_OK ? pithi_log_complete(log, 0) : pithi_fail(err, "%s: no memory to open it", log->path);
}
