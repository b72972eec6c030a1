/* groups.c - neighbouring rows as one; see groups.h. */
#include "core/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

uint32_t pithi_groups_per(double row_height) { return row_height >= 1 ? 1 : (uint32_t)ceil(1 / row_height - 1e-9); }

static uint32_t all_lanes(const struct pithi_row *rows, uint32_t count)
{
    uint32_t sum = 0, lanes;

    for (uint32_t i = 0; i < count; i++) {
        pithi_row_lanes(&rows[i], &lanes);
        sum += lanes;
    }
    return sum;
}

static struct pithi_row make_group(const struct pithi_row *rows, uint32_t count, uint32_t *lanes)
{
    struct pithi_row group = rows[0];
    uint32_t more;

    group.lanes = lanes;
    group.lane_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *from = pithi_row_lanes(&rows[i], &more);
        if (rows[i].counter != PITHI_NONE)
            continue;
        memcpy(lanes + group.lane_count, from, more * sizeof *lanes);
        group.lane_count += more;
    }
    if (!group.lane_count) {
        group.lanes = NULL;
        return group;
    }
    group.counter = PITHI_NONE;
    group.lane = lanes[0];
    return group;
}

void pithi_groups_make(const struct pithi_row *rows, uint32_t count, uint32_t per, struct pithi_groups *groups)
{
    uint32_t *lanes = groups->lanes = pithi_alloc(all_lanes(rows, count), sizeof *lanes);

    groups->count = 0;
    groups->rows = pithi_alloc(count / per + 1, sizeof *groups->rows);
    for (uint32_t row = 0; row < count; row += per) {
        struct pithi_row group = make_group(rows + row, count - row < per ? count - row : per, lanes);
        lanes += group.lane_count;
        groups->rows[groups->count++] = group;
    }
}

void pithi_groups_free(struct pithi_groups *groups)
{
    free(groups->rows);
    free(groups->lanes);
    *groups = (struct pithi_groups){0};
}

void pithi_row_life(const struct pithlog *log, const struct pithi_row *row, int64_t *first_ns, int64_t *last_ns)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);

    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, lanes[i]);
        *first_ns = lane->first_ns < *first_ns ? lane->first_ns : *first_ns;
        *last_ns = lane->last_ns > *last_ns ? lane->last_ns : *last_ns;
    }
}
