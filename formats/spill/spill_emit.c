/* spill_emit.c - one process's records, from its own ids to the log's. */
#include "spill/spill_emit.h"

#include <stdlib.h>

#include "error.h"

static int map_defs(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t **map)
{
    uint32_t i;
    int err;
    *map = malloc(((size_t)spill->def_count + 1) * sizeof **map);
    if (*map == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for definitions", spill->path);
    for (i = 0; i < spill->def_count; i++) {
        (*map)[i] = UINT32_MAX;
        if (spill->defs[i].name != NULL && (err = pithi_defs_add(defs, &spill->defs[i], &(*map)[i])) != PITH_OK)
            return err;
    }
    return PITH_OK;
}

static int map_comms(const struct pithi_spill *spill, const struct pithi_spill_target *target, uint32_t **map)
{
    uint32_t i;
    int err;
    *map = malloc(((size_t)spill->comm_count + 1) * sizeof **map);
    if (*map == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for communicators", spill->path);
    for (i = 0; i < spill->comm_count; i++) {
        (*map)[i] = UINT32_MAX;
        if (i == 0)
            (*map)[i] = 0; /* the world is there in every log */
        else if (spill->comms[i].defined &&
                 (err = target->comm(target->context, &spill->comms[i].comm, &(*map)[i])) != PITH_OK)
            return err;
    }
    return PITH_OK;
}

static int add_lost(const struct pithi_spill_target *target, int64_t time_ns, uint64_t lost)
{
    struct pithlog_record record = {.kind = PITHLOG_LOST, .peer = -1, .bytes = lost, .time_ns = time_ns};
    int err = target->lane(target->context, target->thread_base, NULL, &record.lane);
    return err ? err : target->add(target->context, &record);
}

int pithi_spill_emit(const struct pithi_spill *spill, const struct pithi_spill_target *target, uint64_t *records,
                     uint64_t *damaged)
{
    struct pithlog_record record = {.peer = -1};
    uint32_t *ids = NULL, *comms = NULL, i;
    uint64_t told = 0, dropped = 0, count = 0;
    int64_t last_ns = 0;
    int err;

    TRY(map_defs(spill, target->defs, &ids));
    TRY(map_comms(spill, target, &comms));
    for (i = 0; i < spill->lane_count; i++) {
        const struct pithi_spill_lane *lane = &spill->lanes[i];
        struct pithi_spill_walk walk;
        pithi_spill_walk(&walk, spill, i);
        walk.ids = ids;
        walk.id_count = spill->def_count;
        walk.comms = comms;
        walk.comm_count = spill->comm_count;
        walk.shift_ns = target->shift_ns;
        TRY(target->lane(target->context, target->thread_base + lane->lane, *lane->name != '\0' ? lane->name : NULL,
                         &walk.lane_id));
        while (pithi_spill_next(&walk, &record)) {
            TRY(target->add(target->context, &record));
            count++;
            if (record.kind == PITHLOG_LOST)
                told += record.bytes;
        }
        dropped += walk.dropped;
        if (damaged != NULL)
            *damaged += walk.damaged;
        if (i == 0)
            last_ns = record.time_ns;
    }
    if (spill->page.lost + dropped > told && spill->page.lost <= UINT64_MAX / 2) /* more is damage, not a count */
        TRY(add_lost(target, last_ns, spill->page.lost + dropped - told));
    if (records != NULL)
        *records += count;
out:
    free(ids);
    free(comms);
    return err;
}
