/* query_lanes.c - finds the lanes that a query selects. */
#include "base/error.h"
#include "native/log.h"
#include "reader/read/iter.h"

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

int pithi_query_lanes(struct pithlog *log, const struct pithlog_query *query, uint32_t **list, uint32_t *count)
{
    uint32_t asked = query && query->lanes ? query->lane_count : log->info.lanes;
    uint32_t *lanes = *list = malloc((asked + (size_t)1) * sizeof *lanes);
    *count = 0;
    if (!lanes)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read %u lanes", log->path, asked);
    for (uint32_t i = 0; i < asked; i++)
        lanes[i] = query && query->lanes ? query->lanes[i] : i;
    qsort(lanes, asked, sizeof *lanes, by_number);
    for (uint32_t i = 0; i < asked; i++) {
        if (lanes[i] >= log->info.lanes)
            return pithi_fail(PITH_ERR_USAGE, "%s: lane %u: there are only %u", log->path, lanes[i], log->info.lanes);
        if (i == 0 || lanes[i] != lanes[i - 1])
            lanes[(*count)++] = lanes[i];
    }
    return PITH_OK;
}
