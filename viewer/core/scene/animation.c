/* animation.c - reads a running program or a log for its animation, and draws a moment of it.
 *
 * For each lane, the changes of its innermost state are held:
 *
 *     enter A 10, enter B 20, leave B 30, leave A 50         (10, A) (20, B) (30, A) (50, none)
 *     the state at 25: the last change not after it           B, found by halving
 *
 * So any moment can be drawn, forwards and backwards, without following the records again. If too much is held, the
 * older half of the changes is dropped, except for the last change of each lane, which gives the state at the new
 * begin. */
#include "core/scene/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/raster/palette.h"

enum {
    MOST_CHANGES = 6000000,  /* the most changes that are held: 96 MB */
    MOST_MESSAGES = 1000000, /* the most messages that are held: 48 MB */
    STEPS_A_LOOK = 150000,
    DAMAGES_A_LOOK = 10000 /* the most damaged places that a look skips */
};

/* ---- Lanes and definitions --------------------------------------------------------------------------------------- */

const struct pithlog_def *pithi_anim_def(const struct pithi_anim *anim, uint32_t id)
{
    return anim->follow ? pithlog_follow_get_def(anim->follow, id) : pithlog_get_def(anim->log, id);
}

static const struct pithlog_lane *get_lane(const struct pithi_anim *anim, uint32_t lane)
{
    return anim->follow ? pithlog_follow_get_lane(anim->follow, lane) : pithlog_get_lane(anim->log, lane);
}

/* Called when a running program has added definitions. Makes all colours anew; the marks in `used` stay. */
static void update_defs(struct pithi_anim *anim, uint32_t defs)
{
    unsigned char *used;

    if (defs == anim->defs && anim->rgb)
        return;
    used = pithi_alloc(defs ? defs : 1, 1);
    if (anim->defs)
        memcpy(used, anim->used, anim->defs);
    free(anim->used);
    anim->used = used;
    free(anim->rgb);
    anim->rgb = anim->follow ? pithi_palette_make_live(anim->follow) : pithi_palette_make(anim->log);
    anim->defs = defs;
}

static void update_lanes(struct pithi_anim *anim, uint32_t lanes, uint32_t ranks)
{
    anim->lanes = pithi_view_grow(anim->lanes, &anim->lane_capacity, lanes, sizeof *anim->lanes);
    for (; anim->lane_count < lanes; anim->lane_count++)
        memset(&anim->lanes[anim->lane_count], 0, sizeof *anim->lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = get_lane(anim, i);
        anim->lanes[i].rank = lane->rank;
        anim->lanes[i].thread = lane->thread;
        /* a damaged file may name any rank, so there is memory for at most a million */
        if (lane->rank >= 0 && (uint32_t)lane->rank >= ranks && lane->rank < 1 << 20)
            ranks = (uint32_t)lane->rank + 1;
    }
    anim->lane_of_rank = pithi_view_grow(anim->lane_of_rank, &anim->rank_capacity, ranks, sizeof(uint32_t));
    anim->ranks = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        anim->lane_of_rank[rank] = PITHI_NONE;
    /* goes from the last lane to the first, so that the first of several equal lanes is taken */
    for (uint32_t i = lanes; i-- > 0;) { /* the main thread is the thread with the lowest number */
        int32_t rank = anim->lanes[i].rank;
        if (rank >= 0 && (uint32_t)rank < ranks &&
            (anim->lane_of_rank[rank] == PITHI_NONE ||
             anim->lanes[i].thread <= anim->lanes[anim->lane_of_rank[rank]].thread))
            anim->lane_of_rank[rank] = i;
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Notes that the lane's innermost state is `state` from `time_ns` on. */
static void change(struct pithi_anim *anim, struct pithi_anim_lane *lane, int64_t time_ns, uint32_t state)
{
    struct pithi_anim_change *last = lane->count ? &lane->changes[lane->count - 1] : NULL;

    if (state < anim->defs)
        anim->used[state] = 1;
    /* several changes at one time: the last one counts */
    if (last && last->time_ns == time_ns) {
        last->state = state;
        return;
    }
    lane->changes = pithi_view_grow(lane->changes, &lane->capacity, lane->count + 1, sizeof *lane->changes);
    lane->changes[lane->count].time_ns = time_ns;
    lane->changes[lane->count++].state = state;
    anim->changes++;
}

/* Notes the ends of MPI_Init and the first begin of MPI_Finalize. */
static void note_call(struct pithi_anim *anim, enum pithlog_kind kind, uint32_t id, int64_t time_ns)
{
    const struct pithlog_def *def = pithi_anim_def(anim, id);

    if (kind == PITHLOG_LEAVE && pithlog_is_init(def) && time_ns > anim->work_ns) {
        anim->work_ns = time_ns;
        anim->inits++;
    }
    if (kind == PITHLOG_ENTER && pithlog_is_finalize(def) && anim->rest_ns == INT64_MIN)
        anim->rest_ns = time_ns;
}

/* Takes a step of a walk along a log: sets the state of the lane after it. In a hole, the state is unknown. */
static void take_step(struct pithi_anim *anim, const struct pithlog_step *step)
{
    struct pithi_anim_lane *lane = &anim->lanes[step->lane];
    uint32_t depth = step->depth, state;
    int is_hole = step->is == PITHLOG_IS_HOLE;

    /* the state does not change at the edge of the log, nor at other records, unless they end a hole */
    if (step->why == PITHLOG_AT_EDGE || step->change == PITHLOG_EDGE || (step->change == PITHLOG_HAPPENS && !is_hole))
        return;
    if (step->change == PITHLOG_BEGINS || step->change == PITHLOG_ENDS) {
        anim->records++;
        if (!step->why)
            note_call(anim, step->record->kind, step->record->id, step->to_ns);
    }
    /* the innermost state ends, so the state around it is the innermost now */
    if (step->change == PITHLOG_ENDS && step->at + 1 == depth)
        depth--;
    state = depth ? step->open[depth - 1].id : PITHI_NONE;
    if (step->change == PITHLOG_BEGINS)
        state = step->record->id;
    /* in a hole the state is unknown, also after a state that is known to end there */
    if (step->change == PITHLOG_HOLE_BEGINS || (is_hole && step->change == PITHLOG_ENDS && step->why))
        state = PITHI_ABSENT;
    change(anim, lane, step->to_ns, state);
}

/* Takes a record of a running program, which cannot be walked: keeps the stack of open states of each lane. */
static void take_record(struct pithi_anim *anim, const struct pithlog_record *record)
{
    struct pithi_anim_lane *lane;

    anim->records++;
    if (record->lane >= anim->lane_count)
        return;
    lane = &anim->lanes[record->lane];
    if (record->kind == PITHLOG_LOST && record->bytes) /* until the next record, its state is unknown */
        change(anim, lane, record->time_ns, PITHI_ABSENT);
    if (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE)
        return;
    if (record->kind == PITHLOG_ENTER) {
        lane->stack = pithi_view_grow(lane->stack, &lane->stack_capacity, lane->depth + 1, sizeof *lane->stack);
        lane->stack[lane->depth++] = record->id;
    }
    for (uint32_t i = lane->depth; record->kind == PITHLOG_LEAVE && i-- > 0;)
        if (lane->stack[i] == record->id) { /* states inside it stay open */
            memmove(lane->stack + i, lane->stack + i + 1, (lane->depth - i - 1) * sizeof *lane->stack);
            lane->depth--;
            break;
        }
    note_call(anim, record->kind, record->id, record->time_ns);
    change(anim, lane, record->time_ns, lane->depth ? lane->stack[lane->depth - 1] : PITHI_NONE);
}

/* Inserts a message by send time. Messages arrive in the order of their receives, so the position is near the end. */
static void take_message(struct pithi_anim *anim, const struct pithlog_message *message)
{
    struct pithi_anim_message added = {message->send_ns,   message->recv_ns, message->send_lane,
                                       message->recv_lane, message->tag,     message->bytes};
    uint32_t at = anim->message_count;

    if (added.recv_ns - added.send_ns > anim->longest_ns)
        anim->longest_ns = added.recv_ns - added.send_ns;
    anim->messages = pithi_view_grow(anim->messages, &anim->message_capacity, at + 1, sizeof added);
    /* a message that was in transit for long is inserted further ahead */
    while (at > 0 && anim->messages[at - 1].send_ns > added.send_ns)
        at--;
    memmove(anim->messages + at + 1, anim->messages + at, (anim->message_count - at) * sizeof added);
    anim->messages[at] = added;
    anim->message_count++;
}

/* ---- Dropping ---------------------------------------------------------------------------------------------------- */

/* Returns the index of the first change after `time_ns`. */
static uint32_t change_after(const struct pithi_anim_lane *lane, int64_t time_ns)
{
    uint32_t from = 0, to = lane->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (lane->changes[middle].time_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Drops changes and messages before a moment. The state at that moment is kept. */
static void drop_before(struct pithi_anim *anim, int64_t before_ns)
{
    uint32_t messages = pithi_anim_message_after(anim, before_ns);

    for (uint32_t i = 0; i < anim->lane_count; i++) {
        struct pithi_anim_lane *lane = &anim->lanes[i];
        uint32_t gone = change_after(lane, before_ns);
        gone -= gone > 0; /* keep the state at that moment */
        memmove(lane->changes, lane->changes + gone, (lane->count - gone) * sizeof *lane->changes);
        lane->count -= gone;
        anim->changes -= gone;
    }
    memmove(anim->messages, anim->messages + messages, (anim->message_count - messages) * sizeof *anim->messages);
    anim->message_count -= messages;
    anim->messages_dropped += messages;
    if (before_ns > anim->begin_ns)
        anim->begin_ns = before_ns;
}

static int is_full(const struct pithi_anim *anim)
{
    return anim->changes > MOST_CHANGES || anim->message_count > MOST_MESSAGES;
}

/* ---- Reading on -------------------------------------------------------------------------------------------------- */

/* Reads everything that a running program has recorded since the last look. */
static int look_live(struct pithi_anim *anim)
{
    const struct pithlog_follow_info *info = pithlog_follow_get_info(anim->follow);
    struct pithlog_record record;
    struct pithlog_message message;
    int more = 1, err = pithlog_follow_look(anim->follow);

    if (err)
        return err;
    update_defs(anim, info->defs);
    update_lanes(anim, info->lanes, info->ranks);
    while (more && (more = pithlog_follow_next(anim->follow, &record)) == 1) {
        if (!anim->records || record.time_ns < anim->begin_ns)
            anim->begin_ns = record.time_ns;
        take_record(anim, &record);
        while (pithlog_follow_message(anim->follow, &message))
            take_message(anim, &message);
        if (is_full(anim))
            /* drops the older half of the time that is held */
            drop_before(anim, record.time_ns - (record.time_ns - anim->begin_ns) / 2);
    }
    anim->lost = info->lost;
    anim->ended = info->ended;
    anim->finished = info->finished;
    if (!anim->ended)
        anim->now_ns = info->now_ns;
    else if (anim->records) { /* stop the clock at the last record */
        anim->now_ns = anim->begin_ns;
        for (uint32_t i = 0; i < info->lanes; i++)
            if (get_lane(anim, i)->last_ns > anim->now_ns)
                anim->now_ns = get_lane(anim, i)->last_ns;
    }
    return more < 0 ? PITH_ERR_MEMORY : PITH_OK;
}

/* Reads only some steps of a log, so that the viewer's window stays responsive. Moments before keep_ns may be
 * dropped. */
static int look_log(struct pithi_anim *anim, int64_t keep_ns)
{
    const struct pithlog_info *info = pithlog_get_info(anim->log);

    if (is_full(anim)) {
        /* full, and nothing may be dropped: the reading waits until the picture has moved on */
        if (keep_ns <= anim->begin_ns)
            return PITH_OK;
        drop_before(anim, keep_ns);
    }
    for (int i = 0; i < STEPS_A_LOOK && !anim->ended && !is_full(anim); i++) {
        struct pithlog_step step;
        int status = pithlog_walk_next(anim->walk, &step);
        if (status < 0 && !anim->trouble)
            anim->trouble = strdup(pithlog_error());
        if (status == 0) {
            anim->ended = anim->finished = 1;
            anim->now_ns = info->end_ns;
            break;
        }
        if (status == 1) {
            take_step(anim, &step);
            anim->now_ns = step.to_ns > anim->now_ns ? step.to_ns : anim->now_ns;
        }
    }
    /* Messages that follow damage can still be read, so the loop goes on after an error. A matcher without memory fails
     * each time, so the number of errors has a limit. */
    for (int damages = 0; damages < DAMAGES_A_LOOK;) {
        if (!anim->has_message) {
            int status = pithlog_matcher_next(anim->matcher, &anim->next_message);
            if (status == 0)
                break;
            if (status < 0) {
                damages++;
                continue;
            }
        }
        /* a message that is received after the moment up to which the lanes were read is kept for a later look */
        anim->has_message = !anim->ended && anim->next_message.recv_ns > anim->now_ns;
        if (anim->has_message)
            break;
        take_message(anim, &anim->next_message);
    }
    return PITH_OK;
}

int pithi_anim_look(struct pithi_anim *anim, int64_t keep_ns)
{
    return anim->follow ? look_live(anim) : look_log(anim, keep_ns);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

uint32_t pithi_anim_state(const struct pithi_anim *anim, uint32_t rank, int64_t time_ns)
{
    const struct pithi_anim_lane *lane;
    uint32_t at;

    if (rank >= anim->ranks || anim->lane_of_rank[rank] == PITHI_NONE)
        return PITHI_ABSENT;
    lane = &anim->lanes[anim->lane_of_rank[rank]];
    at = change_after(lane, time_ns);
    /* absent before the lane's first record, and after its last record in a finished log */
    if (at == 0 || (at == lane->count && anim->ended && lane->changes[at - 1].state == PITHI_NONE))
        return PITHI_ABSENT;
    return lane->changes[at - 1].state;
}

uint32_t pithi_anim_message_after(const struct pithi_anim *anim, int64_t time_ns)
{
    uint32_t from = 0, to = anim->message_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (anim->messages[middle].send_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

uint64_t pithi_anim_sent(const struct pithi_anim *anim, int64_t time_ns)
{
    return anim->messages_dropped + pithi_anim_message_after(anim, time_ns);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static struct pithi_anim *new_animation(void)
{
    struct pithi_anim *anim = pithi_alloc(1, sizeof *anim);

    anim->work_ns = anim->rest_ns = INT64_MIN;
    return anim;
}

int pithi_anim_follow(const char *path, struct pithi_anim **anim)
{
    struct pithlog_follow *follow;
    int err = pithlog_follow_open(path, &follow);

    *anim = NULL;
    if (err)
        return err;
    *anim = new_animation();
    (*anim)->follow = follow;
    (*anim)->is_live = 1;
    return pithi_anim_look(*anim, INT64_MIN);
}

int pithi_anim_open(const char *path, struct pithi_anim **anim)
{
    struct pithi_anim *made = *anim = new_animation();
    const struct pithlog_info *info;
    int err = pithlog_open(path, &made->log);

    if (!err)
        err = pithlog_walk_open(made->log, NULL, &made->walk);
    if (!err)
        err = pithlog_matcher_open(made->log, &made->matcher);
    if (err) {
        pithi_anim_close(made);
        *anim = NULL;
        return err;
    }
    info = pithlog_get_info(made->log);
    update_defs(made, info->defs);
    update_lanes(made, info->lanes, info->ranks);
    made->lost = info->lost;
    made->begin_ns = made->now_ns = info->start_ns <= info->end_ns ? info->start_ns : 0;
    return pithi_anim_look(made, INT64_MIN);
}

void pithi_anim_close(struct pithi_anim *anim)
{
    if (!anim)
        return;
    for (uint32_t i = 0; i < anim->lane_count; i++) {
        free(anim->lanes[i].changes);
        free(anim->lanes[i].stack);
    }
    pithlog_matcher_close(anim->matcher);
    pithlog_walk_close(anim->walk);
    pithlog_close(anim->log);
    pithlog_follow_close(anim->follow);
    free(anim->lanes);
    free(anim->lane_of_rank);
    free(anim->messages);
    free(anim->rgb);
    free(anim->used);
    free(anim->trouble);
    free(anim);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* Each rank is a disc in the colour of its state; each message moves along a curve between two discs. The picture
 * depends on the moment alone. The viewer's window draws the texts. */
enum {
    MOST_LOOKED_AT = 30000, /* the most messages sent before the moment that are examined */
    MOST_DRAWN = 800
};
#define FADE 2.5 /* how many dwell times a trail stays visible after its last message */

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* Returns the radius of the discs, which is so small that neighbours do not touch. */
double pithi_anim_places(uint32_t ranks, int width, int height, enum pithi_anim_layout layout,
                         struct pithi_anim_place *places)
{
    if (!ranks)
        return 0;
    if (layout == PITHI_RING) { /* places on an ellipse, clockwise from the top */
        double size = fmin(width, height), radius = size / 2 - 78, step = 2 * M_PI / ranks;
        double disc = ranks > 1 ? radius * 2 * sin(step / 2) * 0.30 : size * 0.16;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            double wide = ranks > 1 ? fmin(radius * 1.45, width / 2.0 - 110) : 0, high = ranks > 1 ? radius : 0;
            places[rank].x = width / 2.0 + fmax(wide, high) * sin(rank * step);
            places[rank].y = height / 2.0 - high * cos(rank * step);
        }
        return fmax(4, fmin(disc, fmin(size * 0.085, 46)));
    }
    /* Places in rows and columns, with about the same distance in both directions. */
    uint32_t columns = (uint32_t)ceil(sqrt(ranks * fmax(width, 1) / fmax(height, 1)));
    columns = columns < 1 ? 1 : columns > ranks ? ranks : columns;
    uint32_t rows = (ranks + columns - 1) / columns;
    columns = (ranks + rows - 1) / rows; /* no empty column */
    double x = (double)width / columns, y = (double)height / rows;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        places[rank].x = x * (rank % columns + 0.5);
        places[rank].y = y * (rank / columns + 0.5);
    }
    return fmax(2, fmin(46, fmin(x, y) * 0.27));
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* Draws a smooth disc; with `inner` > 0 a ring. Visits only the pixels around the disc. */
static void disc(struct pithi_raster *raster, double x, double y, double radius, double inner, uint32_t rgb)
{
    int left = (int)fmax(0, floor(x - radius - 1)), right = (int)fmin(raster->width, ceil(x + radius + 1));
    int top = (int)fmax(0, floor(y - radius - 1)), bottom = (int)fmin(raster->height, ceil(y + radius + 1));

    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            double distance = hypot(column + 0.5 - x, row + 0.5 - y);
            /* the edge is one pixel wide: half covered at the radius itself */
            double cover = fmin(fmax(radius + 0.5 - distance, 0), 1);
            if (inner > 0)
                cover = fmin(cover, fmin(fmax(distance - inner + 0.5, 0), 1));
            if (cover > 0) {
                unsigned char *pixel = raster->pixels + ((size_t)row * (size_t)raster->width + (size_t)column) * 3;
                for (int part = 0; part < 3; part++) {
                    double over = rgb >> (16 - 8 * part) & 255;
                    pixel[part] = (unsigned char)(pixel[part] + (over - pixel[part]) * cover + 0.5);
                }
            }
        }
}

/* A quadratic Bezier curve from disc to disc. It bends to its right, so that the curves of the two directions between
 * two ranks do not coincide. */
struct curve {
    double x[3], y[3]; /* start, control point, end */
};

static struct curve make_curve(struct pithi_anim_place from, struct pithi_anim_place to, double radius)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy), part;
    struct curve curve;

    if (length < 1) { /* a message from a rank to itself: a loop */
        curve = (struct curve){{from.x - radius * 0.7, from.x, from.x + radius * 0.7},
                               {from.y - radius * 0.7, from.y - radius * 4, from.y - radius * 0.7}};
        return curve;
    }
    /* the curve begins and ends outside the discs, a little to the side */
    part = fmin(0.45, (radius + 3) / length);
    curve.x[0] = from.x + dx * part - dy / length * radius * 0.35;
    curve.y[0] = from.y + dy * part + dx / length * radius * 0.35;
    curve.x[2] = to.x - dx * part - dy / length * radius * 0.35;
    curve.y[2] = to.y - dy * part + dx / length * radius * 0.35;
    curve.x[1] = (from.x + to.x) / 2 - dy * 0.17;
    curve.y[1] = (from.y + to.y) / 2 + dx * 0.17;
    return curve;
}

/* Returns the point of a curve at `part`, 0 (start) to 1 (end). With t = `part`, the weights of the three points of a
 * Bezier curve are (1-t)^2, 2t(1-t) and t^2. */
static struct pithi_anim_place on_curve(const struct curve *curve, double part)
{
    double a = (1 - part) * (1 - part), b = 2 * part * (1 - part), c = part * part;
    struct pithi_anim_place place = {a * curve->x[0] + b * curve->x[1] + c * curve->x[2],
                                     a * curve->y[0] + b * curve->y[1] + c * curve->y[2]};
    return place;
}

static void quad(const struct pithi_painter *painter, const double x[4], const double y[4], uint32_t rgb)
{
    double second_x[3] = {x[0], x[2], x[3]}, second_y[3] = {y[0], y[2], y[3]};

    painter->triangle(painter->context, x, y, rgb, 1);
    painter->triangle(painter->context, second_x, second_y, rgb, 1);
}

/* Draws the head of an arrow with a tail that gets thinner and paler. */
static void draw_marker(const struct pithi_painter *painter, const struct curve *curve, double part, double size,
                        uint32_t rgb)
{
    double length = hypot(curve->x[2] - curve->x[0], curve->y[2] - curve->y[0]) + 1;
    double tail = fmin(part, (28 + size * 5) / length);
    struct pithi_anim_place head = on_curve(curve, part), neck = on_curve(curve, fmax(0, part - size * 2.4 / length));
    double dx = head.x - neck.x, dy = head.y - neck.y, step = hypot(dx, dy);

    for (int i = 0; i < 8 && part > 0; i++) {
        struct pithi_anim_place a = on_curve(curve, part - tail * (8 - i) / 8),
                                b = on_curve(curve, part - tail * (7 - i) / 8);
        double ax = b.x - a.x, ay = b.y - a.y, norm = hypot(ax, ay), thin = size * 0.42 * i / 8,
               thick = size * 0.42 * (i + 1) / 8;
        if (norm < 0.01)
            continue;
        ax /= norm, ay /= norm;
        quad(painter, (double[]){a.x - ay * thin, a.x + ay * thin, b.x + ay * thick, b.x - ay * thick},
             (double[]){a.y + ax * thin, a.y - ax * thin, b.y - ax * thick, b.y + ax * thick},
             pithi_rgb_blend(PITHI_RGB_PAPER, rgb, (unsigned)(60 + 24 * i)));
    }
    /* at the very begin there is no curve behind the head, so the direction is taken from the curve ahead */
    if (step < 0.01) {
        struct pithi_anim_place ahead = on_curve(curve, part + 0.02);
        dx = ahead.x - head.x, dy = ahead.y - head.y, step = fmax(hypot(dx, dy), 0.01);
    }
    dx /= step, dy /= step;
    /* first in the colour of the paper, a little larger, so that the head stands out */
    for (int halo = 1; halo >= 0; halo--) {
        double wide = size + halo * 1.6, tip = size * 0.6 + halo * 1.6, foot = size * 1.8 + halo * 1.6;
        painter->triangle(painter->context,
                          (double[]){head.x + dx * tip, head.x - dx * foot - dy * wide, head.x - dx * foot + dy * wide},
                          (double[]){head.y + dy * tip, head.y - dy * foot + dx * wide, head.y - dy * foot - dx * wide},
                          halo ? PITHI_RGB_PAPER : rgb, 1);
    }
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

struct marker {
    uint32_t from, to; /* ranks */
    double part, size; /* part: 0 at the sender, 1 at the receiver; size: radius in pixels */
};

struct scene {
    struct marker *markers;
    uint32_t count, in_transit; /* count: markers that are drawn; in_transit: messages in transit, drawn or not */
    struct trail {
        uint64_t pair;   /* from << 32 | to, + 1; 0: free */
        int64_t slot;    /* a slot of time, in which one message of the pair is drawn */
        double strength; /* 0 to 1 */
    } * trails;
    uint32_t trail_room;
};

/* Returns the trail of a pair of ranks, which is in a hash table; makes it if there is none. Returns NULL if the
 * table is full. */
static struct trail *find_trail(struct scene *scene, uint32_t from, uint32_t to)
{
    uint64_t pair = ((uint64_t)from << 32 | to) + 1;
    uint32_t at = (uint32_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (scene->trail_room - 1);

    for (uint32_t tries = 0; tries < scene->trail_room; tries++, at = (at + 1) & (scene->trail_room - 1)) {
        if (scene->trails[at].pair == 0) {
            scene->trails[at].pair = pair;
            scene->trails[at].slot = INT64_MIN;
        }
        if (scene->trails[at].pair == pair)
            return &scene->trails[at];
    }
    return NULL;
}

static void make_scene(struct scene *scene, const struct pithi_anim *anim, int64_t time_ns, int64_t dwell_ns,
                       double radius)
{
    uint32_t end = pithi_anim_message_after(anim, time_ns), i;
    /* messages that were sent up to `reach` before the moment may still be visible */
    double fade = (double)dwell_ns * (FADE + 1);
    double reach = fmax(fade, (double)anim->longest_ns + (double)dwell_ns);

    scene->trail_room = 4096;
    scene->trails = pithi_alloc(scene->trail_room, sizeof *scene->trails);
    scene->markers = pithi_alloc(MOST_DRAWN, sizeof *scene->markers);
    /* messages are sorted by the time of sending */
    for (i = end; i > 0 && end - i < MOST_LOOKED_AT; i--)
        if ((double)time_ns - (double)anim->messages[i - 1].send_ns > reach)
            break;
    for (; i < end; i++) {
        const struct pithi_anim_message *message = &anim->messages[i];
        if (message->from >= anim->lane_count || message->to >= anim->lane_count)
            continue;
        uint32_t from = (uint32_t)anim->lanes[message->from].rank, to = (uint32_t)anim->lanes[message->to].rank;
        if (from >= anim->ranks || to >= anim->ranks)
            continue;
        /* Time is divided into slots, each a sixth of the time for which a message is visible at least (dwell_ns).
         * If two ranks exchange many messages, only one message is drawn for each slot. As slots depend only on the
         * time of sending, successive pictures draw the same messages. */
        int64_t arrives =
            message->recv_ns > message->send_ns + dwell_ns ? message->recv_ns : message->send_ns + dwell_ns;
        int64_t slot = message->send_ns / (dwell_ns / 6 + 1);
        struct trail *trail = find_trail(scene, from, to);
        double age = (double)(time_ns - arrives) / ((double)dwell_ns * FADE);
        if (!trail)
            continue;
        /* the newest message gives the strength of the trail */
        if (age < 1 && 1 - age > trail->strength)
            trail->strength = fmin(1, 1 - age);
        scene->in_transit += time_ns < message->recv_ns;
        if (time_ns >= arrives || slot == trail->slot || scene->count == MOST_DRAWN)
            continue;
        trail->slot = slot;
        /* The thickness depends on the bytes of the message: 4.5 pixels for 1 byte, 6 for 1 KB, 7.5 for 1 MB, at most
         * 10. */
        double size = fmin(fmin(10, fmax(3, radius * 0.5)), 4.5 + log10((double)message->bytes + 1) * 0.5);
        double part = (double)(time_ns - message->send_ns) / (double)(arrives - message->send_ns);
        scene->markers[scene->count++] = (struct marker){from, to, part, size};
    }
}

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

uint32_t pithi_anim_draw(const struct pithi_anim *anim, int64_t time_ns, int64_t dwell_ns,
                         enum pithi_anim_layout layout, struct pithi_raster *raster)
{
    struct pithi_anim_place *places = pithi_alloc(anim->ranks + (size_t)1, sizeof *places);
    double radius = pithi_anim_places(anim->ranks, raster->width, raster->height, layout, places);
    struct pithi_painter painter = pithi_raster_painter(raster);
    struct scene scene = {0};

    make_scene(&scene, anim, time_ns, dwell_ns < 1 ? 1 : dwell_ns, radius);
    for (uint32_t i = 0; i < scene.trail_room; i++)
        if (scene.trails[i].pair && scene.trails[i].strength > 0) {
            uint64_t pair = scene.trails[i].pair - 1;
            struct curve curve = make_curve(places[pair >> 32], places[pair & UINT32_MAX], radius);
            /* 14 straight pieces look like a curve; two lines beside each other are two pixels wide */
            struct pithi_anim_place before = on_curve(&curve, 0);
            for (int piece = 1; piece <= 14; piece++) {
                struct pithi_anim_place next = on_curve(&curve, piece / 14.0);
                painter.line(painter.context, before.x, before.y, next.x, next.y, pithi_theme()->trail,
                             scene.trails[i].strength);
                painter.line(painter.context, before.x, before.y + 1, next.x, next.y + 1, pithi_theme()->trail,
                             scene.trails[i].strength);
                before = next;
            }
        }
    for (uint32_t rank = 0; rank < anim->ranks; rank++) {
        uint32_t state = pithi_anim_state(anim, rank, time_ns);
        double rim = radius > 14 ? 2.5 : radius > 6 ? 1.5 : 1;
        const struct pithi_theme *theme = pithi_theme();
        uint32_t fill = state == PITHI_ABSENT ? theme->absent
                        : state == PITHI_NONE ? theme->paper /* the program's own code */
                                              : pithi_rgb_visible(anim->rgb[state]);
        disc(raster, places[rank].x, places[rank].y, radius + 2.5, 0, PITHI_RGB_PAPER);
        disc(raster, places[rank].x, places[rank].y, radius, 0, fill);
        disc(raster, places[rank].x, places[rank].y, radius, radius - rim,
             state == PITHI_ABSENT ? theme->separator
             : state == PITHI_NONE ? theme->rim
                                   : pithi_rgb_darker(fill, 0.35));
    }
    for (uint32_t i = 0; i < scene.count; i++) {
        struct curve curve = make_curve(places[scene.markers[i].from], places[scene.markers[i].to], radius);
        draw_marker(&painter, &curve, scene.markers[i].part, scene.markers[i].size, PITHI_RGB_ARROW);
    }
    free(scene.trails);
    free(scene.markers);
    free(places);
    return scene.in_transit;
}
