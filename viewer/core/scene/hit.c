/* hit.c - finds the record behind a pixel, and the records that belong to it. Each answer reads only a little of the
 * log, because the pointer must not wait.
 *
 * The picture itself cannot answer: a cell knows which state it shows, not when that state began. So the lane is walked
 * again, but only from the begin of the pixel, where the index gives the open states, to the end of the state.
 *
 * A row of many lanes shows the state that has most of the pixel's time in all of them. Example: of three lanes, one is
 * in MPI_Send for 6 ns, and two are in compute for 5 ns each. The row shows compute, and the answer is the instance of
 * compute on the first of the two lanes. */
#include "core/scene/hit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/arrows.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"

enum {
    /* records read to find the end of a state; more would take too long while the pointer moves */
    MOST_RECORDS = 2000000,
    MOST_MESSAGES = 4096, /* messages in transit at one time */
    MOST_STEPS = 100000,  /* steps read to find the messages of a state */
    MOST_ASKED = 64       /* the most lanes of a row that are read; of more lanes, an even selection is read */
};
/* Bundles that are fainter than this are not hit. */
#define LEAST_ALPHA 0.2

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* The states that are open at some time of a pixel [from, to), each with its time there, outside holes. The walker
 * gives the open states: pixel [40, 60) of the lane
 *
 *     enter A at 10, enter B at 50, leave B at 52, leave A at 90
 *
 * has A with 20 ns at level 0, and B with 2 ns at level 1. */
struct seen {
    uint32_t id, depth, level; /* depth, level: when it was first seen; level PITHI_NONE: hidden */
    int64_t start_ns, end_ns, covered_ns;
    int ended; /* 1: its leave is known */
};

struct pixel {
    int64_t from_ns, to_ns; /* [from, to) of the pixel */
    const unsigned char *hidden;
    struct seen *seen;
    uint32_t count, capacity;
    uint32_t *open; /* [open_count] the open states, as indices of `seen` */
    uint32_t open_count, open_capacity;
};

static void take(struct pixel *pixel, const struct pithlog_step *step)
{
    int64_t from_ns = step->from_ns > pixel->from_ns ? step->from_ns : pixel->from_ns;
    int64_t to_ns = step->to_ns < pixel->to_ns ? step->to_ns : pixel->to_ns;
    /* time in a hole is not covered by any state that is known */
    int64_t covered_ns = step->is != PITHLOG_IS_HOLE && to_ns > from_ns ? to_ns - from_ns : 0;
    uint32_t level = 0;

    pixel->open = pithi_view_grow(pixel->open, &pixel->open_capacity, step->depth, sizeof *pixel->open);
    for (uint32_t i = 0; i < step->depth; i++) {
        if (i == pixel->open_count) {
            /* Levels count only states that are shown: if a state is hidden, the states inside it move up. */
            const struct pithlog_open *state = &step->open[i];
            pixel->seen = pithi_view_grow(pixel->seen, &pixel->capacity, pixel->count + 1, sizeof *pixel->seen);
            pixel->seen[pixel->count] =
                (struct seen){.id = state->id,
                              .depth = i,
                              .level = pixel->hidden && pixel->hidden[state->id] ? PITHI_NONE : level,
                              .start_ns = state->start_ns};
            pixel->open[pixel->open_count++] = pixel->count++;
        }
        pixel->seen[pixel->open[i]].covered_ns += covered_ns;
        level += pixel->seen[pixel->open[i]].level != PITHI_NONE;
    }
    if (step->change != PITHLOG_ENDS)
        return;
    /* the states inside a state that ends stay open, and move down */
    uint32_t *ended = &pixel->open[step->at];
    pixel->seen[*ended].ended = 1;
    pixel->seen[*ended].end_ns = step->to_ns;
    memmove(ended, ended + 1, (--pixel->open_count - step->at) * sizeof *ended);
}

/* Walks on to the end of a state, whose index among the open states is `at` now. If a state around it ends first, the
 * index falls by one: with the open states A, B, C and `at` 2, the end of A leaves B, C, and `at` becomes 1. */
static int find_end(struct pithlog_walk *walk, uint32_t at, struct pithi_hit *hit)
{
    struct pithlog_step step;
    int more = 1;

    for (uint32_t i = 0; i < MOST_RECORDS && !hit->ended && (more = pithlog_walk_next(walk, &step)) == 1; i++) {
        hit->end_ns = step.to_ns;
        if (step.change == PITHLOG_ENDS && step.at <= at)
            hit->ended = step.at == at--;
    }
    return more < 0 ? -1 : 1;
}

int pithi_hit_state(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, uint32_t level,
                    const unsigned char *hidden, struct pithi_hit *hit)
{
    /* From the pixel's begin, where the index gives the open states, to the lane's end; the walk stops much earlier. */
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = pithlog_get_lane(log, lane)->last_ns, .lanes = &lane, .lane_count = 1};
    struct pixel pixel = {.from_ns = from_ns, .to_ns = to_ns, .hidden = hidden};
    const struct seen *best = NULL;
    struct pithlog_walk *walk;
    struct pithlog_step step = {.to_ns = from_ns};
    int more = 1, result = 0;

    if (query.to_ns < from_ns)
        return 0;
    if (pithlog_walk_open(log, &query, &walk))
        return -1;
    /* the steps within the pixel */
    while (step.to_ns < to_ns && (more = pithlog_walk_next(walk, &step)) == 1)
        take(&pixel, &step);
    /* Sets `best` to the state that the picture shows at `level` of this pixel, or NULL. This is a state of the deepest
     * level up to `level`. If several states have this level, it is the state with the most time in the pixel. */
    uint32_t best_level = 0;
    for (uint32_t i = 0; i < pixel.count; i++) {
        const struct seen *seen = &pixel.seen[i];
        /* The last drawn level also shows all deeper states; the deepest state is on top. */
        uint32_t at = seen->level < level || level == PITHI_LEVELS - 1 ? seen->level : level;
        if (seen->level == PITHI_NONE || (seen->level > level && level < PITHI_LEVELS - 1))
            continue;
        if (!best || at > best_level || (at == best_level && seen->covered_ns > best->covered_ns)) {
            best = seen;
            best_level = at;
        }
    }
    memset(hit, 0, sizeof *hit);
    if (best) {
        uint32_t at = 0;
        /* `at` becomes the index of the state among the states that are open after the pixel */
        while (!best->ended && &pixel.seen[pixel.open[at]] != best)
            at++;
        hit->id = best->id;
        hit->depth = best->depth;
        hit->level = best->level < PITHI_LEVELS ? best->level : PITHI_LEVELS - 1;
        hit->start_ns = best->start_ns;
        hit->end_ns = best->end_ns;
        hit->covered_ns = best->covered_ns;
        hit->ended = best->ended;
        /* the state may end long after the pixel */
        result = more == 1 ? find_end(walk, at, hit) : 1;
    }
    pithlog_walk_close(walk);
    free(pixel.seen);
    free(pixel.open);
    return more < 0 ? -1 : result;
}

/* ---- Outside states ---------------------------------------------------------------------------------------------- */

/* Finds the first record of a state in [from_ns, to_ns], or the last one if `last` is 1. Returns 1 if found, 0 if there
 * is none, -1 on an error. */
static int edge_in(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, int last,
                   struct pithlog_record *edge)
{
    struct pithlog_query query = {.from_ns = from_ns,
                                  .to_ns = to_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int more = 0, found = 0;

    if (pithlog_iter_open(log, &query, &iter))
        return -1;
    while ((!found || last) && (more = pithlog_iter_next(iter, &record)) == 1) {
        *edge = record;
        found = 1;
    }
    pithlog_iter_close(iter);
    return found ? 1 : more;
}

/* Finds the time without states around a moment: from the last end before it to the next begin. Returns 1 if found, 0
 * if the moment is in a state, -1 after an error. */
int pithi_hit_outside(struct pithlog *log, uint32_t lane, int64_t time_ns, int64_t *from_ns, int64_t *to_ns)
{
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    struct pithlog_record edge;
    struct pithi_hit hit;
    int found = 0;

    if (time_ns < of->first_ns || time_ns > of->last_ns)
        return 0;
    if ((found = pithi_hit_state(log, lane, time_ns, time_ns + 1, PITHI_LEVELS - 1, NULL, &hit)) != 0)
        return found < 0 ? -1 : 0;
    *from_ns = of->first_ns;
    *to_ns = of->last_ns;
    /* Looks back by 16 us, 66 us, 262 us ... In a lane with many records the last record is near, so little is read. */
    for (int64_t back_ns = 1 << 14; !found && time_ns - back_ns / 4 > of->first_ns; back_ns *= 4) {
        found = edge_in(log, lane, time_ns - back_ns, time_ns, 1, &edge);
        if (found > 0)
            *from_ns = edge.time_ns;
    }
    if (found >= 0 && (found = edge_in(log, lane, time_ns, of->last_ns, 0, &edge)) > 0)
        *to_ns = edge.time_ns;
    return found < 0 ? -1 : 1;
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
            /* of two events at the same distance, the first one counts */
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

/* Returns the distance of (x, y) from a line. `part` is where on the line the nearest point lies: 0 at its begin, 1 at
 * its end. */
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

    /* `reach` shrinks to the distance of each arrow found, so the last arrow found is the nearest */
    for (uint32_t i = 0; i < plot->arrows.count && !pithi_arrows_left_out(plot); i++) {
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

/* Bundles are sorted by their number of messages, the largest first. Where bundles cross, the largest is on top, so the
 * first hit counts. */
const struct pithi_bundle *pithi_hit_bundle(const struct pithi_plot *plot, double x, double y, double reach)
{
    const struct pithi_bundle *nearest = NULL;
    struct pithi_bundle_look look;
    double fade, least = reach;
    uint32_t drawn = pithi_arrows_left_out(plot) ? 0 : pithi_bundles_drawn(plot, &fade);

    for (uint32_t i = 0; i < drawn; i++) {
        const double *ends = look.ends;
        double distance;
        if (!pithi_bundle_look(plot, &plot->arrows.bundles[i], fade, &look) || look.alpha < LEAST_ALPHA)
            continue;
        distance = distance_to_segment(x, y, ends[0], ends[1], ends[2], ends[3]);
        /* from the edge of the line, which may be several pixels wide */
        distance = fmax(0, distance - look.width / 2.0 - 0.5);
        if (distance < least || (!nearest && distance <= least)) {
            least = distance;
            nearest = &plot->arrows.bundles[i];
        }
    }
    /* A message with an arrow also counts in a bundle. The arrow is the hit if it is nearer than the bundle, or if it
     * is the bundle's only message. */
    if (nearest && (least > 0 || nearest->count < 2) && pithi_hit_arrow(plot, x, y, least + 1))
        return NULL;
    return nearest;
}

/* ---- Rows of many lanes ------------------------------------------------------------------------------------------ */

/* Returns the i-th of the lanes that are read. Of 1000 lanes, every 15th or 16th is read, because reading all of them
 * takes too long while the pointer moves. */
static uint32_t asked_lane(const struct pithi_row *row, uint32_t i, uint32_t *asked)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);

    *asked = count < MOST_ASKED ? count : MOST_ASKED;
    return lanes[(uint64_t)i * count / *asked];
}

int pithi_hit_row_state(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                        uint32_t level, const unsigned char *hidden, struct pithi_hit *hit)
{
    uint32_t asked = 1, found = 0;
    struct pithi_hit *hits = pithi_alloc(MOST_ASKED, sizeof *hits);
    int status = 0;

    for (uint32_t i = 0; i < asked && status >= 0; i++) {
        uint32_t lane = asked_lane(row, i, &asked);
        status = pithi_hit_state(log, lane, from_ns, to_ns, row->band ? row->band - 1 : level, hidden, &hits[found]);
        /* A band shows only one level. Where this level has no state, the hit is at an outer level, and does not
         * count. */
        if (status > 0 && row->band && hits[found].level + 1 != row->band)
            status = 0;
        /* the next lane overwrites hits[found] if this lane has no hit */
        hits[found].lane = lane;
        found += status > 0;
    }
    if (found) {
        /* Finds the first hit in the state that covers most of the pixel. */
        int64_t best_ns = -1;
        uint32_t best = 0;
        for (uint32_t i = 0; i < found; i++) {
            int64_t sum_ns = 0;
            for (uint32_t k = 0; k < found; k++)
                sum_ns += hits[k].id == hits[i].id ? hits[k].covered_ns : 0;
            if (sum_ns > best_ns) {
                best_ns = sum_ns;
                best = i;
            }
        }
        /* counts the lanes that are in the same state */
        *hit = hits[best];
        hit->alike = 0;
        for (uint32_t i = 0; i < found; i++)
            hit->alike += hits[i].id == hit->id;
    }
    hit->asked = asked;
    free(hits);
    return status < 0 ? status : found > 0;
}

int pithi_hit_row_event(struct pithlog *log, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns,
                        const unsigned char *hidden, struct pithi_hit *hit)
{
    uint32_t asked = 1;
    int status = 0;

    /* takes the first lane with an event near this time */
    for (uint32_t i = 0; i < asked && !status; i++) {
        uint32_t lane = asked_lane(row, i, &asked);
        status = pithi_hit_event(log, lane, time_ns, reach_ns, hidden, hit);
        hit->lane = lane;
    }
    hit->asked = asked;
    return status;
}

int pithi_hit_row_mix(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                      struct pithi_mix *mix)
{
    uint32_t lanes[MOST_ASKED], asked = 1;
    struct pithi_query query = {.t0_ns = from_ns, .t1_ns = to_ns, .levels = 1, .lanes = lanes};
    struct pithi_cells cells = {0};
    struct pithi_legend_entry *entries;
    uint32_t count;
    int err;

    *mix = (struct pithi_mix){0};
    for (uint32_t i = 0; i < asked; i++)
        lanes[i] = asked_lane(row, i, &asked);
    query.lane_count = mix->asked = asked;
    err = pithi_query_run(log, &query, &cells);
    if (err != PITH_ERR_USAGE && cells.sums) {
        entries = pithi_legend_make(log, &cells, to_ns - from_ns, &count);
        mix->states = pithi_alloc(count, sizeof *mix->states);
        for (uint32_t i = 0; i < count; i++)
            if (entries[i].sum.self_ns > 0)
                mix->states[mix->count++] = (struct pithi_mix_state){entries[i].id, entries[i].share};
        free(entries);
    }
    pithi_cells_free(&cells);
    return err;
}

/* ---- From record to record --------------------------------------------------------------------------------------- */

/* Finds the state around a state. Returns 1; 0 if the state is outermost or was not found; -1 after an error. */
int pithi_jump_parent(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, uint32_t depth,
                      struct pithi_hit *hit)
{
    struct pithlog_query query = {
        .from_ns = start_ns, .to_ns = pithlog_get_lane(log, lane)->last_ns, .lanes = &lane, .lane_count = 1};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int more, found = 0;

    memset(hit, 0, sizeof *hit);
    if (!depth || query.to_ns < start_ns)
        /* a state of depth 0 has none around it */
        return 0;
    if (pithlog_walk_open(log, &query, &walk))
        return -1;
    /* A state that began in a hole is known only after the hole. */
    while (!found && (more = pithlog_walk_next(walk, &step)) == 1 &&
           (step.to_ns <= start_ns || step.why == PITHLOG_AT_HOLE || step.change == PITHLOG_GOES_ON))
        found = step.change == PITHLOG_BEGINS && step.depth == depth && step.record->id == id &&
                step.record->start_ns == start_ns;
    /* the parent is the innermost state that was open before */
    if (found) {
        const struct pithlog_open *parent = &step.open[depth - 1];
        hit->id = parent->id;
        hit->depth = depth - 1;
        hit->start_ns = parent->start_ns;
        found = find_end(walk, depth - 1, hit);
    }
    pithlog_walk_close(walk);
    return !found && more < 0 ? -1 : found;
}

/* Searches the messages in transit between the two ranks at the record's time. `nth` chooses among equal messages:
 * MPI_Waitall may end many of them at the same time. */
int pithi_jump_message(const struct pithlog *log, const struct pithlog_digest *digest,
                       const struct pithlog_record *record, uint32_t nth, struct pithlog_message *message)
{
    uint32_t lanes = pithlog_get_info(log)->lanes, count = 0;
    unsigned char *ends = pithi_alloc(lanes + (size_t)1, 1);
    struct pithlog_message *messages = pithi_alloc(MOST_MESSAGES, sizeof *messages);
    struct pithlog_digest_window window = {record->time_ns, record->time_ns + 1, ends};
    int found = 0, is_send = record->kind == PITHLOG_SEND;
    uint64_t total;

    for (uint32_t i = 0; i < lanes; i++)
        ends[i] = i == record->lane || pithlog_get_lane(log, i)->rank == record->peer;
    if (pithlog_digest_messages(digest, &window, messages, MOST_MESSAGES, &count, &total))
        found = -1;
    for (uint32_t i = 0; i < count && !found; i++) {
        const struct pithlog_message *m = &messages[i];
        *message = *m;
        found = (is_send ? m->send_lane : m->recv_lane) == record->lane &&
                (is_send ? m->send_ns : m->recv_ns) == record->time_ns && m->tag == record->tag &&
                pithlog_get_lane(log, is_send ? m->recv_lane : m->send_lane)->rank == record->peer && nth-- == 0;
    }
    free(messages);
    free(ends);
    return found;
}

/* Finds the messages of a call: the SEND and RECV records directly inside the state that began at start_ns. */
int pithi_hit_exchange(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, int64_t end_ns,
                       struct pithi_exchange *call)
{
    struct pithlog_query query = {.from_ns = start_ns,
                                  .to_ns = end_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int more = 0;

    memset(call, 0, sizeof *call);
    if (pithlog_walk_open(log, &query, &walk))
        return -1;
    for (uint32_t i = 0; i < MOST_STEPS && (more = pithlog_walk_next(walk, &step)) == 1; i++) {
        /* records of states inside this state do not count */
        const struct pithlog_open *inner = step.depth ? &step.open[step.depth - 1] : NULL;
        if (step.change != PITHLOG_HAPPENS || !inner || inner->id != id || inner->start_ns != start_ns)
            continue;
        if (step.record->kind == PITHLOG_COLL)
            call->coll = *step.record;
        /* all are counted, and the first ones kept */
        else if (step.record->peer >= 0 && call->total++ < PITHI_CALL_RECORDS)
            call->records[call->count++] = *step.record;
    }
    pithlog_walk_close(walk);
    return more < 0 ? -1 : 0;
}

int pithi_jump_counter(const struct pithlog_digest *digest, uint32_t lane, uint32_t counter, int64_t from_ns,
                       int64_t to_ns, struct pithlog_column *value)
{
    const struct pithlog_series *series;

    for (uint32_t i = 0; (series = pithlog_digest_series(digest, i)); i++)
        if (series->lane == lane && series->counter == counter)
            return pithlog_digest_columns(digest, i, from_ns, to_ns, value, 1) ? -1 : value->known;
    return 0;
}

uint32_t pithi_jump_lane(const struct pithlog *log, int32_t rank, uint32_t thread)
{
    const struct pithlog_lane *lane;

    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++)
        if (lane->rank == rank && lane->thread == thread)
            return i;
    return PITHI_NONE;
}
