/* hit_row.c - what is under the pointer on a row that may stand for many lanes; see hit.h. */
#include <stdlib.h>

#include "core/hit.h"
#include "core/legend.h"
#include "core/memory.h"

/* Of more lanes an even choice is asked: each costs a look into the log, and the pointer does not wait. */
enum { MOST_ASKED = 64 };

static uint32_t asked_lane(const struct pithi_row *row, uint32_t i, uint32_t *asked)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);

    *asked = count < MOST_ASKED ? count : MOST_ASKED;
    return lanes[(uint64_t)i * count / *asked];
}

static int64_t covered_ns(const struct pithi_hit *hit, int64_t from_ns, int64_t to_ns)
{
    int64_t start = hit->start_ns > from_ns ? hit->start_ns : from_ns;
    int64_t end = hit->end_ns < to_ns ? hit->end_ns : to_ns;

    return end > start ? end - start : 1;
}

/* Of all hits the first one of the definition that covers most of the pixel. */
static struct pithi_hit winner(const struct pithi_hit *hits, uint32_t count, int64_t from_ns, int64_t to_ns)
{
    int64_t best_ns = -1;
    uint32_t best = 0;
    struct pithi_hit hit;

    for (uint32_t i = 0; i < count; i++) {
        int64_t sum_ns = 0;
        for (uint32_t k = 0; k < count; k++)
            sum_ns += hits[k].id == hits[i].id ? covered_ns(&hits[k], from_ns, to_ns) : 0;
        if (sum_ns > best_ns) {
            best_ns = sum_ns;
            best = i;
        }
    }
    hit = hits[best];
    hit.alike = 0;
    for (uint32_t i = 0; i < count; i++)
        hit.alike += hits[i].id == hit.id;
    return hit;
}

int pithi_hit_row_state(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                        uint32_t level, const unsigned char *hidden, struct pithi_hit *hit)
{
    uint32_t asked = 1, found = 0;
    struct pithi_hit *hits = pithi_alloc(MOST_ASKED, sizeof *hits);
    int status = 0;

    for (uint32_t i = 0; i < asked && status >= 0; i++) {
        uint32_t lane = asked_lane(row, i, &asked);
        status = pithi_hit_state(log, lane, from_ns, to_ns, level, hidden, &hits[found]);
        hits[found].lane = lane;
        found += status > 0;
    }
    if (found)
        *hit = winner(hits, found, from_ns, to_ns);
    hit->asked = asked;
    free(hits);
    return status < 0 ? status : found > 0;
}

int pithi_hit_row_event(struct pithlog *log, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns,
                        const unsigned char *hidden, struct pithi_hit *hit)
{
    uint32_t asked = 1;
    int status = 0;

    for (uint32_t i = 0; i < asked && !status; i++) {
        uint32_t lane = asked_lane(row, i, &asked);
        status = pithi_hit_event(log, lane, time_ns, reach_ns, hidden, hit);
        hit->lane = lane;
    }
    hit->asked = asked;
    return status;
}

static void fill_mix(const struct pithlog *log, const struct pithi_cells *cells, int64_t span_ns, struct pithi_mix *mix)
{
    uint32_t count;
    struct pithi_legend_entry *entries = pithi_legend_make(log, cells, span_ns, &count);

    mix->states = pithi_alloc(count, sizeof *mix->states);
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].sum.exclusive_ns > 0)
            mix->states[mix->count++] = (struct pithi_mix_state){entries[i].id, entries[i].share};
    free(entries);
}

int pithi_hit_row_mix(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                      struct pithi_mix *mix)
{
    uint32_t lanes[MOST_ASKED], asked = 1;
    struct pithi_query query = {.t0_ns = from_ns, .t1_ns = to_ns, .levels = 1, .lanes = lanes};
    struct pithi_cells cells = {0};
    int err;

    *mix = (struct pithi_mix){0};
    for (uint32_t i = 0; i < asked; i++)
        lanes[i] = asked_lane(row, i, &asked);
    query.lane_count = mix->asked = asked;
    err = pithi_query_run(log, &query, &cells);
    if (err != PITH_ERR_USAGE && cells.sums)
        fill_mix(log, &cells, to_ns - from_ns, mix);
    pithi_cells_free(&cells);
    return err;
}
