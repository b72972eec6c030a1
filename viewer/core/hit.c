/* hit.c - finding the record behind a pixel; see hit.h. */
#include "core/hit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arrow_draw.h"
#include "core/memory.h"

/* How far the end of a state is sought: beyond that it is not worth the wait under a moving pointer. */
enum { MOST_RECORDS = 2000000 };
/* A bundle that is fainter is not pointed at. */
#define LEAST_ALPHA 0.2

/* ---- States ------------------------------------------------------------------------------------------------------ */

struct seen {
    uint32_t id, depth, level; /* level PITHI_NONE: hidden */
    int64_t start_ns, end_ns;
    int open;
};

struct seen_list {
    struct seen *items;
    uint32_t count, capacity;
};

static void see_enter(struct seen_list *list, const struct pithlog_record *record, const unsigned char *hidden)
{
    struct seen *seen;
    uint32_t level = 0;

    for (uint32_t i = 0; i < list->count; i++)
        level += list->items[i].open && list->items[i].level != PITHI_NONE;
    list->items = pithi_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    seen = &list->items[list->count++];
    seen->id = record->id;
    seen->depth = record->depth;
    seen->start_ns = record->time_ns;
    seen->end_ns = INT64_MAX;
    seen->open = 1;
    seen->level = hidden && hidden[record->id] ? PITHI_NONE : level;
}

static void see_leave(struct seen_list *list, const struct pithlog_record *record)
{
    for (uint32_t i = list->count; i-- > 0;)
        if (list->items[i].open && list->items[i].id == record->id) {
            list->items[i].open = 0;
            list->items[i].end_ns = record->time_ns;
            return;
        }
}

static int64_t overlap(const struct seen *seen, int64_t from_ns, int64_t to_ns)
{
    int64_t start = seen->start_ns > from_ns ? seen->start_ns : from_ns;
    int64_t end = seen->end_ns < to_ns ? seen->end_ns : to_ns;
    return end - start;
}

static const struct seen *best_of(const struct seen_list *list, int64_t from_ns, int64_t to_ns, uint32_t level)
{
    const struct seen *best = NULL;
    uint32_t best_level = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct seen *seen = &list->items[i];
        /* The last level drawn holds all that is deeper; there the deepest is on top. */
        uint32_t at = seen->level < level || level == PITHI_LEVELS - 1 ? seen->level : level;
        if (seen->level == PITHI_NONE || (seen->level > level && level < PITHI_LEVELS - 1))
            continue;
        if (!best || at > best_level ||
            (at == best_level && overlap(seen, from_ns, to_ns) > overlap(best, from_ns, to_ns))) {
            best = seen;
            best_level = at;
        }
    }
    return best;
}

/* Reads on until the state that began at hit->start_ns ends. */
static int find_end(struct pithlog_iter *iter, struct pithi_hit *hit)
{
    struct pithlog_record record;
    int more = 0;

    for (uint32_t i = 0; i < MOST_RECORDS && (more = pithlog_iter_next(iter, &record)) == 1; i++) {
        hit->end_ns = record.time_ns;
        if (record.kind == PITHLOG_LEAVE && record.id == hit->id && record.start_ns == hit->start_ns &&
            record.depth == hit->depth) {
            hit->ended = 1;
            return 1;
        }
    }
    return more < 0 ? -1 : 1;
}

int pithi_hit_state(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, uint32_t level,
                    const unsigned char *hidden, struct pithi_hit *hit)
{
    struct pithlog_query query = {.from_ns = from_ns,
                                  .to_ns = pithlog_get_lane(log, lane)->last_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct seen_list list = {0};
    const struct seen *best;
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, result = 0;

    if (query.to_ns < from_ns)
        return 0;
    if (pithlog_iter_open(log, &query, &iter))
        return -1;
    while ((more = pithlog_iter_next(iter, &record)) == 1 && (record.time_ns < to_ns || record.kind == PITHLOG_LEAVE)) {
        if (record.kind == PITHLOG_ENTER)
            see_enter(&list, &record, hidden);
        else
            see_leave(&list, &record);
        if (record.time_ns >= to_ns)
            break;
    }
    best = best_of(&list, from_ns, to_ns, level);
    memset(hit, 0, sizeof *hit);
    if (best) {
        hit->id = best->id;
        hit->depth = best->depth;
        hit->level = best->level < PITHI_LEVELS ? best->level : PITHI_LEVELS - 1;
        hit->start_ns = best->start_ns;
        hit->end_ns = best->end_ns;
        hit->ended = !best->open;
        result = best->open && more == 1 ? find_end(iter, hit) : 1;
    }
    pithlog_iter_close(iter);
    free(list.items);
    return more < 0 ? -1 : result;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

int pithi_hit_event(struct pithlog *log, uint32_t lane, int64_t time_ns, int64_t reach_ns, const unsigned char *hidden,
                    struct pithi_hit *hit)
{
    struct pithlog_query query = {.from_ns = time_ns - reach_ns,
                                  .to_ns = time_ns + reach_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int64_t nearest = INT64_MAX;
    int more;

    memset(hit, 0, sizeof *hit);
    if (pithlog_iter_open(log, &query, &iter))
        return -1;
    while ((more = pithlog_iter_next(iter, &record)) == 1) {
        int64_t distance = llabs(record.time_ns - time_ns);
        if (hidden && hidden[record.id])
            continue;
        hit->count++;
        if (distance >= nearest)
            continue;
        nearest = distance;
        hit->id = record.id;
        hit->start_ns = hit->end_ns = record.time_ns;
        hit->payload[0] = 0;
        if (record.payload_bytes)
            pithlog_payload_text(log, &record, hit->payload, sizeof hit->payload);
    }
    pithlog_iter_close(iter);
    return more < 0 ? -1 : hit->count > 0;
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

static double distance_to_segment(double x, double y, double x0, double y0, double x1, double y1)
{
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    double part = square > 0 ? ((x - x0) * dx + (y - y0) * dy) / square : 0;

    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return hypot(x - x0 - part * dx, y - y0 - part * dy);
}

const struct pithi_arrow *pithi_hit_arrow(const struct pithi_plot *plot, double x, double y, double reach)
{
    const struct pithi_arrow *nearest = NULL;

    for (uint32_t i = 0; i < plot->arrows.count; i++) {
        double ends[4], distance;
        pithi_plot_arrow_ends(plot, &plot->arrows.items[i], ends);
        distance = distance_to_segment(x, y, ends[0], ends[1], ends[2], ends[3]);
        if (distance <= reach) {
            reach = distance;
            nearest = &plot->arrows.items[i];
        }
    }
    return nearest;
}

/* Where bundles cross, the one of the most messages lies on top. */
const struct pithi_bundle *pithi_hit_bundle(const struct pithi_plot *plot, double x, double y, double reach)
{
    const struct pithi_bundle *nearest = NULL;
    struct pithi_bundle_look look;
    double fade, least = reach;
    uint32_t drawn = pithi_bundles_drawn(plot, &fade);

    for (uint32_t i = 0; i < drawn; i++) {
        const double *ends = look.ends;
        double distance;
        if (!pithi_bundle_look(plot, &plot->arrows.bundles[i], fade, &look) || look.alpha < LEAST_ALPHA)
            continue;
        distance = distance_to_segment(x, y, ends[0], ends[1], ends[2], ends[3]);
        distance = fmax(0, distance - look.width / 2.0 - 0.5);
        if (distance < least || (!nearest && distance <= least)) {
            least = distance;
            nearest = &plot->arrows.bundles[i];
        }
    }
    /* An arrow that is one of those is a bundle too, of itself at least. */
    if (nearest && (least > 0 || nearest->count < 2) && pithi_hit_arrow(plot, x, y, least + 1))
        return NULL;
    return nearest;
}
