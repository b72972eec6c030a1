/* nest.c - the open states of each lane; see nest.h. */
#include "foreign/nest.h"

#include <stdlib.h>
#include <string.h>

#include "native/map.h"

int pithi_nest_open(struct pithi_nest *nest, uint32_t lanes)
{
    nest->lanes = calloc(lanes + (size_t)1, sizeof *nest->lanes);
    nest->lane_count = lanes;
    return nest->lanes != NULL;
}

void pithi_nest_close(struct pithi_nest *nest)
{
    for (uint32_t i = 0; nest->lanes && i < nest->lane_count; i++)
        free(nest->lanes[i].ids);
    free(nest->lanes);
    nest->lanes = NULL;
}

int pithi_nest_enter(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct pithi_nest_lane *l = &nest->lanes[lane];
    if (!pithi_grow(&l->ids, l->count, &l->room, sizeof *l->ids))
        return 0;
    l->ids[l->count++] = id;
    nest->begin(nest->context, lane, id, time_ns);
    return 1;
}

void pithi_nest_leave(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct pithi_nest_lane *l = &nest->lanes[lane];
    uint32_t at = l->count;
    while (at > 0 && l->ids[at - 1] != id)
        at--;
    if (at-- == 0)
        return;
    for (uint32_t i = l->count; i > at; i--)
        nest->end(nest->context, lane, l->ids[i - 1], time_ns);
    l->count--;
    memmove(l->ids + at, l->ids + at + 1, (l->count - at) * sizeof *l->ids);
    for (uint32_t i = at; i < l->count; i++)
        nest->begin(nest->context, lane, l->ids[i], time_ns);
    nest->split += l->count - at;
}
