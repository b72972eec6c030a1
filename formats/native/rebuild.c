/* rebuild.c - opening a log without its index: every chunk is looked at, in the order of the file; what is whole is taken,
 * what is not is passed over. So a log that was cut, or is damaged in places, is read as far as it goes. */
#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"

static int take_defs(struct pithlog *log, uint64_t offset, const struct pithi_chunk_head *head)
{
    uint32_t *ids = NULL, first, count;
    int err = pithi_defs_unpack_from(log->defs, log->data + offset + PITHI_CHUNK_HEAD, (size_t)head->size, &first,
                                     &count, &ids);
    for (uint32_t i = 0; err == PITH_OK && i < count; i++)
        if (ids[i] != first + i)
            err = PITH_ERR_DAMAGED;
    free(ids);
    return err;
}

static int take_block(struct pithlog *log, uint64_t offset, const struct pithi_chunk_head *head)
{
    struct pithi_block_head b;
    uint32_t rank, lane;
    int err;
    if (!pithi_block_head_get(log->data + offset + PITHI_CHUNK_HEAD, head->size, &b))
        return PITH_ERR_DAMAGED;
    if ((err = pithi_log_find_rank(log, head->rank, &rank)) != PITH_OK ||
        (err = pithi_log_find_lane(log, rank, b.thread, &lane)) != PITH_OK)
        return err;
    struct pithi_log_lane *l = &log->lanes[lane];
    if (l->block_count && l->blocks[l->block_count - 1].last_ns > b.first_ns)
        return PITH_ERR_DAMAGED;
    struct pithi_totals *t = &l->totals;
    t->records += b.count;
    t->states += b.states;
    t->events += b.events;
    t->messages += b.messages;
    t->lost += b.lost;
    t->start_ns = b.first_ns < t->start_ns ? b.first_ns : t->start_ns;
    t->end_ns = b.last_ns;
    return pithi_log_add_block(log, lane,
                               &(struct pithi_log_block){offset, b.first_ns, b.last_ns, b.count, b.kinds});
}

static int take_chunk(struct pithlog *log, uint64_t offset, const struct pithi_chunk_head *head)
{
    switch (head->type) {
    case PITHI_C_DEFS:
        return take_defs(log, offset, head);
    case PITHI_C_META:
        return pithi_log_read_meta(log, head->rank, log->data + offset + PITHI_CHUNK_HEAD, head->size);
    case PITHI_C_EVENTS:
        return take_block(log, offset, head);
    default: /* indexes are what is being made again; other types are of a later version */
        return PITH_OK;
    }
}

int pithi_log_rebuild(struct pithlog *log)
{
    uint64_t taken = 0, gap = 0;
    int err = pithi_defs_new(&log->defs);
    for (uint64_t at = PITHI_HEADER_SIZE; err == PITH_OK && at < log->size;) {
        struct pithi_chunk_head head;
        if (!pithi_chunk_head_get(log->data, log->size, at, &head)) {
            if (gap == 0 && log->size - at > PITHI_FOOTER_SIZE)
                pithi_log_damage(log, at, "no whole chunk stands here; looking for the next");
            gap = 1;
            at += 8;
            continue;
        }
        gap = 0;
        if (!(head.flags & PITHI_CHUNK_OWN_CRC) && !pithi_chunk_intact(log->data, at, &head)) {
            pithi_log_damage(log, at, "the chunk here is damaged and left out: its CRC differs");
        } else if ((err = take_chunk(log, at, &head)) == PITH_ERR_DAMAGED) {
            pithi_log_damage(log, at, "the chunk here makes no sense and is left out");
            err = PITH_OK;
        } else {
            taken++;
        }
        at += PITHI_CHUNK_HEAD + pithi_pad8(head.size);
    }
    if (err == PITH_OK && taken == 0)
        return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %d: no whole part of the log is left", log->path,
                          PITHI_HEADER_SIZE);
    return err == PITH_OK ? pithi_log_complete(log) : pithi_fail(err, "%s: no memory to open it", log->path);
}
