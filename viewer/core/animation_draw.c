/* animation_draw.c - the picture of a moment: each rank is a disc in the colour of its state; each message moves along
 * a curve between two discs. The picture depends on the moment alone. The window draws the text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/animation.h"

enum {
    MOST_LOOKED_AT = 30000, /* messages sent before the moment */
    MOST_DRAWN = 800
};
#define FADE 2.5 /* how many dwell times a trail stays visible after its last message */

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static double ring_places(uint32_t ranks, double width, double height, struct pithi_anim_place *places)
{
    double size = fmin(width, height), radius = size / 2 - 78, step = 2 * M_PI / ranks;
    double disc = ranks > 1 ? radius * 2 * sin(step / 2) * 0.30 : size * 0.16;

    disc = fmax(4, fmin(disc, fmin(size * 0.085, 46)));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        double wide = ranks > 1 ? fmin(radius * 1.45, width / 2 - 110) : 0, high = ranks > 1 ? radius : 0;
        places[rank].x = width / 2 + fmax(wide, high) * sin(rank * step);
        places[rank].y = height / 2 - high * cos(rank * step);
    }
    return disc;
}

static double grid_places(uint32_t ranks, double width, double height, struct pithi_anim_place *places)
{
    uint32_t columns = (uint32_t)ceil(sqrt(ranks * fmax(width, 1) / fmax(height, 1))), rows;
    double x, y;

    columns = columns < 1 ? 1 : columns > ranks ? ranks : columns;
    rows = (ranks + columns - 1) / columns;
    columns = (ranks + rows - 1) / rows; /* no empty column */
    x = width / columns;
    y = height / rows;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        places[rank].x = x * (rank % columns + 0.5);
        places[rank].y = y * (rank / columns + 0.5);
    }
    return fmax(2, fmin(46, fmin(x, y) * 0.27));
}

double pithi_anim_places(uint32_t ranks, int width, int height, enum pithi_anim_layout layout,
                         struct pithi_anim_place *places)
{
    if (!ranks)
        return 0;
    return layout == PITHI_RING ? ring_places(ranks, width, height, places) : grid_places(ranks, width, height, places);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static void blend(unsigned char *pixel, uint32_t rgb, double alpha)
{
    for (int i = 0; i < 3; i++) {
        double over = rgb >> (16 - 8 * i) & 255;
        pixel[i] = (unsigned char)(pixel[i] + (over - pixel[i]) * alpha + 0.5);
    }
}

/* A smooth disc; with `inner` > 0 a ring. */
static void disc(struct pithi_raster *raster, double x, double y, double radius, double inner, uint32_t rgb)
{
    int left = (int)fmax(0, floor(x - radius - 1)), right = (int)fmin(raster->width, ceil(x + radius + 1));
    int top = (int)fmax(0, floor(y - radius - 1)), bottom = (int)fmin(raster->height, ceil(y + radius + 1));

    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            double distance = hypot(column + 0.5 - x, row + 0.5 - y);
            double cover = fmin(fmax(radius + 0.5 - distance, 0), 1);
            if (inner > 0)
                cover = fmin(cover, fmin(fmax(distance - inner + 0.5, 0), 1));
            if (cover > 0)
                blend(raster->pixels + ((size_t)row * (size_t)raster->width + (size_t)column) * 3, rgb, cover);
        }
}

/* A quadratic Bezier curve from disc to disc. It bends to its right, so that the two directions do not coincide. */
struct curve {
    double x[3], y[3];
};

static struct curve make_curve(struct pithi_anim_place from, struct pithi_anim_place to, double radius)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy), part;
    struct curve curve;

    if (length < 1) { /* to itself: a loop */
        curve = (struct curve){{from.x - radius * 0.7, from.x, from.x + radius * 0.7},
                               {from.y - radius * 0.7, from.y - radius * 4, from.y - radius * 0.7}};
        return curve;
    }
    part = fmin(0.45, (radius + 3) / length);
    curve.x[0] = from.x + dx * part - dy / length * radius * 0.35;
    curve.y[0] = from.y + dy * part + dx / length * radius * 0.35;
    curve.x[2] = to.x - dx * part - dy / length * radius * 0.35;
    curve.y[2] = to.y - dy * part + dx / length * radius * 0.35;
    curve.x[1] = (from.x + to.x) / 2 - dy * 0.17;
    curve.y[1] = (from.y + to.y) / 2 + dx * 0.17;
    return curve;
}

static struct pithi_anim_place on_curve(const struct curve *curve, double part)
{
    double a = (1 - part) * (1 - part), b = 2 * part * (1 - part), c = part * part;
    struct pithi_anim_place place = {a * curve->x[0] + b * curve->x[1] + c * curve->x[2],
                                     a * curve->y[0] + b * curve->y[1] + c * curve->y[2]};
    return place;
}

static void draw_trail(const struct pithi_painter *painter, const struct curve *curve, double strength)
{
    struct pithi_anim_place before = on_curve(curve, 0);

    for (int i = 1; i <= 14; i++) {
        struct pithi_anim_place next = on_curve(curve, i / 14.0);
        painter->line(painter->context, before.x, before.y, next.x, next.y, pithi_theme()->trail, strength);
        painter->line(painter->context, before.x, before.y + 1, next.x, next.y + 1, pithi_theme()->trail, strength);
        before = next;
    }
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
    if (step < 0.01) {
        struct pithi_anim_place ahead = on_curve(curve, part + 0.02);
        dx = ahead.x - head.x, dy = ahead.y - head.y, step = fmax(hypot(dx, dy), 0.01);
    }
    dx /= step, dy /= step;
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
    double part, size;
};

struct scene {
    struct marker *markers;
    uint32_t count, in_transit;
    struct trail {
        uint64_t pair; /* from << 32 | to, + 1; 0: free */
        int64_t slot;
        double strength;
    } * trails;
    uint32_t trail_room;
};

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

/* The thickness of a marker by the bytes of its message: 1 byte 4.5 pixels, 1 KB 6, 1 MB 7.5, at most 10. */
static double marker_size(uint64_t bytes, double radius)
{
    return fmin(fmin(10, fmax(3, radius * 0.5)), 4.5 + log10((double)bytes + 1) * 0.5);
}

/* If two ranks exchange many messages, one is drawn in each slot of time; successive pictures choose the same ones. */
static void add_message(struct scene *scene, const struct pithi_anim *anim, const struct pithi_anim_message *message,
                        int64_t time_ns, int64_t dwell_ns, double radius)
{
    int32_t from = anim->lanes[message->from].rank, to = anim->lanes[message->to].rank;
    int64_t arrives = message->recv_ns > message->send_ns + dwell_ns ? message->recv_ns : message->send_ns + dwell_ns;
    struct trail *trail = find_trail(scene, (uint32_t)from, (uint32_t)to);
    int64_t slot = message->send_ns / (dwell_ns / 6 + 1);
    double age = (double)(time_ns - arrives) / ((double)dwell_ns * FADE);

    if (!trail)
        return;
    if (age < 1 && 1 - age > trail->strength)
        trail->strength = fmin(1, 1 - age);
    scene->in_transit += time_ns < message->recv_ns;
    if (time_ns >= arrives)
        return;
    if (slot == trail->slot || scene->count == MOST_DRAWN)
        return;
    trail->slot = slot;
    scene->markers[scene->count++] = (struct marker){
        (uint32_t)from, (uint32_t)to, (double)(time_ns - message->send_ns) / (double)(arrives - message->send_ns),
        marker_size(message->bytes, radius)};
}

static void make_scene(struct scene *scene, const struct pithi_anim *anim, int64_t time_ns, int64_t dwell_ns,
                       double radius)
{
    uint32_t end = pithi_anim_message_after(anim, time_ns), i;
    double fade = (double)dwell_ns * (FADE + 1);
    double reach = fmax(fade, (double)anim->longest_ns + (double)dwell_ns);

    scene->trail_room = 4096;
    scene->trails = pithi_alloc(scene->trail_room, sizeof *scene->trails);
    scene->markers = pithi_alloc(MOST_DRAWN, sizeof *scene->markers);
    for (i = end; i > 0 && end - i < MOST_LOOKED_AT; i--)
        if ((double)time_ns - (double)anim->messages[i - 1].send_ns > reach)
            break;
    for (; i < end; i++) {
        const struct pithi_anim_message *message = &anim->messages[i];
        if (message->from < anim->lane_count && message->to < anim->lane_count &&
            (uint32_t)anim->lanes[message->from].rank < anim->ranks &&
            (uint32_t)anim->lanes[message->to].rank < anim->ranks)
            add_message(scene, anim, message, time_ns, dwell_ns, radius);
    }
}

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

static void draw_rank(const struct pithi_anim *anim, struct pithi_raster *raster, struct pithi_anim_place place,
                      double radius, uint32_t state)
{
    double rim = radius > 14 ? 2.5 : radius > 6 ? 1.5 : 1;
    const struct pithi_theme *theme = pithi_theme();
    uint32_t fill = state == PITHI_ABSENT ? theme->absent
                    : state == PITHI_NONE ? theme->paper /* the program's own code */
                                          : pithi_rgb_visible(anim->rgb[state]);

    disc(raster, place.x, place.y, radius + 2.5, 0, PITHI_RGB_PAPER);
    disc(raster, place.x, place.y, radius, 0, fill);
    disc(raster, place.x, place.y, radius, radius - rim,
         state == PITHI_ABSENT ? theme->separator
         : state == PITHI_NONE ? theme->rim
                               : pithi_rgb_darker(fill, 0.35));
}

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
            draw_trail(&painter, &curve, scene.trails[i].strength);
        }
    for (uint32_t rank = 0; rank < anim->ranks; rank++)
        draw_rank(anim, raster, places[rank], radius, pithi_anim_state(anim, rank, time_ns));
    for (uint32_t i = 0; i < scene.count; i++) {
        struct curve curve = make_curve(places[scene.markers[i].from], places[scene.markers[i].to], radius);
        draw_marker(&painter, &curve, scene.markers[i].part, scene.markers[i].size, PITHI_RGB_ARROW);
    }
    free(scene.trails);
    free(scene.markers);
    free(places);
    return scene.in_transit;
}
