/* stage_draw.c - the picture of a moment: ranks as discs in the colour of their state, messages as comets on bent ways
 * between them. A pure function of the moment; words are drawn by the window. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/stage.h"

enum {
    MOST_LOOKED_AT = 30000, /* messages back from the moment */
    MOST_DRAWN = 800
};
#define FADE 2.5 /* dwells that a way stays visible after its last message */

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static double ring_places(uint32_t ranks, double width, double height, struct pithi_place *places)
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

static double grid_places(uint32_t ranks, double width, double height, struct pithi_place *places)
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

double pithi_stage_places(uint32_t ranks, int width, int height, enum pithi_layout layout, struct pithi_place *places)
{
    if (!ranks)
        return 0;
    return layout == PITHI_RING ? ring_places(ranks, width, height, places)
                                : grid_places(ranks, width, height, places);
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

/* A way from disc to disc, bent to its right, so that there and back are two (a quadratic Bezier curve). */
struct way {
    double x[3], y[3];
};

static struct way make_way(struct pithi_place from, struct pithi_place to, double radius)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy), part;
    struct way way;

    if (length < 1) { /* to itself: a loop */
        way = (struct way){{from.x - radius * 0.7, from.x, from.x + radius * 0.7},
                           {from.y - radius * 0.7, from.y - radius * 4, from.y - radius * 0.7}};
        return way;
    }
    part = fmin(0.45, (radius + 3) / length);
    way.x[0] = from.x + dx * part - dy / length * radius * 0.35;
    way.y[0] = from.y + dy * part + dx / length * radius * 0.35;
    way.x[2] = to.x - dx * part - dy / length * radius * 0.35;
    way.y[2] = to.y - dy * part + dx / length * radius * 0.35;
    way.x[1] = (from.x + to.x) / 2 - dy * 0.17;
    way.y[1] = (from.y + to.y) / 2 + dx * 0.17;
    return way;
}

static struct pithi_place on_way(const struct way *way, double part)
{
    double a = (1 - part) * (1 - part), b = 2 * part * (1 - part), c = part * part;
    struct pithi_place place = {a * way->x[0] + b * way->x[1] + c * way->x[2],
                                a * way->y[0] + b * way->y[1] + c * way->y[2]};
    return place;
}

static void draw_way(const struct pithi_painter *painter, const struct way *way, double heat)
{
    struct pithi_place before = on_way(way, 0);

    for (int i = 1; i <= 14; i++) {
        struct pithi_place next = on_way(way, i / 14.0);
        painter->line(painter->context, before.x, before.y, next.x, next.y, pithi_theme()->way, heat);
        painter->line(painter->context, before.x, before.y + 1, next.x, next.y + 1, pithi_theme()->way, heat);
        before = next;
    }
}

static void quad(const struct pithi_painter *painter, const double x[4], const double y[4], uint32_t rgb)
{
    double second_x[3] = {x[0], x[2], x[3]}, second_y[3] = {y[0], y[2], y[3]};

    painter->triangle(painter->context, x, y, rgb, 1);
    painter->triangle(painter->context, second_x, second_y, rgb, 1);
}

/* The head of an arrow, and behind it a tail that gets thinner and paler. */
static void draw_comet(const struct pithi_painter *painter, const struct way *way, double part, double size,
                       uint32_t rgb)
{
    double length = hypot(way->x[2] - way->x[0], way->y[2] - way->y[0]) + 1;
    double tail = fmin(part, (28 + size * 5) / length);
    struct pithi_place head = on_way(way, part), neck = on_way(way, fmax(0, part - size * 2.4 / length));
    double dx = head.x - neck.x, dy = head.y - neck.y, step = hypot(dx, dy);

    for (int i = 0; i < 8 && part > 0; i++) {
        struct pithi_place a = on_way(way, part - tail * (8 - i) / 8), b = on_way(way, part - tail * (7 - i) / 8);
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
        struct pithi_place ahead = on_way(way, part + 0.02);
        dx = ahead.x - head.x, dy = ahead.y - head.y, step = fmax(hypot(dx, dy), 0.01);
    }
    dx /= step, dy /= step;
    for (int halo = 1; halo >= 0; halo--) {
        double wide = size + halo * 1.6, tip = size * 0.6 + halo * 1.6, foot = size * 1.8 + halo * 1.6;
        painter->triangle(
            painter->context,
            (double[]){head.x + dx * tip, head.x - dx * foot - dy * wide, head.x - dx * foot + dy * wide},
            (double[]){head.y + dy * tip, head.y - dy * foot + dx * wide, head.y - dy * foot - dx * wide},
            halo ? PITHI_RGB_PAPER : rgb, 1);
    }
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

struct comet {
    uint32_t from, to; /* ranks */
    double part, size;
};

struct sky {
    struct comet *comets;
    uint32_t count, under_way;
    struct way_use {
        uint64_t pair; /* from << 32 | to, + 1; 0: free */
        int64_t slot;
        double heat;
    } *ways;
    uint32_t way_room;
};

static struct way_use *way_of(struct sky *sky, uint32_t from, uint32_t to)
{
    uint64_t pair = ((uint64_t)from << 32 | to) + 1;
    uint32_t at = (uint32_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (sky->way_room - 1);

    for (uint32_t tries = 0; tries < sky->way_room; tries++, at = (at + 1) & (sky->way_room - 1)) {
        if (sky->ways[at].pair == 0) {
            sky->ways[at].pair = pair;
            sky->ways[at].slot = INT64_MIN;
        }
        if (sky->ways[at].pair == pair)
            return &sky->ways[at];
    }
    return NULL;
}

/* Bytes as thickness: 1 byte 4.5 pixels, 1 KB 6, 1 MB 7.5, at most 10. */
static double comet_size(uint64_t bytes, double radius)
{
    return fmin(fmin(10, fmax(3, radius * 0.5)), 4.5 + log10((double)bytes + 1) * 0.5);
}

/* Where many go the same way, one in each slot of time is shown: the same ones from picture to picture. */
static void add_flight(struct sky *sky, const struct pithi_stage *stage, const struct pithi_flight *flight,
                       int64_t time_ns, int64_t dwell_ns, double radius)
{
    int32_t from = stage->actors[flight->from].rank, to = stage->actors[flight->to].rank;
    int64_t lands = flight->recv_ns > flight->send_ns + dwell_ns ? flight->recv_ns : flight->send_ns + dwell_ns;
    struct way_use *way = way_of(sky, (uint32_t)from, (uint32_t)to);
    int64_t slot = flight->send_ns / (dwell_ns / 6 + 1);
    double age = (double)(time_ns - lands) / ((double)dwell_ns * FADE);

    if (!way)
        return;
    if (age < 1 && 1 - age > way->heat)
        way->heat = fmin(1, 1 - age);
    sky->under_way += time_ns < flight->recv_ns;
    if (time_ns >= lands)
        return;
    if (slot == way->slot || sky->count == MOST_DRAWN)
        return;
    way->slot = slot;
    sky->comets[sky->count++] = (struct comet){
        (uint32_t)from, (uint32_t)to, (double)(time_ns - flight->send_ns) / (double)(lands - flight->send_ns),
        comet_size(flight->bytes, radius)};
}

static uint32_t first_flight_after(const struct pithi_stage *stage, int64_t time_ns)
{
    uint32_t from = 0, to = stage->flight_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (stage->flights[middle].send_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void look_up(struct sky *sky, const struct pithi_stage *stage, int64_t time_ns, int64_t dwell_ns, double radius)
{
    uint32_t end = first_flight_after(stage, time_ns), i;
    double fade = (double)dwell_ns * (FADE + 1);
    double reach = fmax(fade, (double)stage->longest_ns + (double)dwell_ns);

    sky->way_room = 4096;
    sky->ways = pithi_alloc(sky->way_room, sizeof *sky->ways);
    sky->comets = pithi_alloc(MOST_DRAWN, sizeof *sky->comets);
    for (i = end; i > 0 && end - i < MOST_LOOKED_AT; i--)
        if ((double)time_ns - (double)stage->flights[i - 1].send_ns > reach)
            break;
    for (; i < end; i++) {
        const struct pithi_flight *flight = &stage->flights[i];
        if (flight->from < stage->actor_count && flight->to < stage->actor_count &&
            (uint32_t)stage->actors[flight->from].rank < stage->ranks &&
            (uint32_t)stage->actors[flight->to].rank < stage->ranks)
            add_flight(sky, stage, flight, time_ns, dwell_ns, radius);
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void draw_rank(const struct pithi_stage *stage, struct pithi_raster *raster, struct pithi_place place,
                      double radius, uint32_t state)
{
    double rim = radius > 14 ? 2.5 : radius > 6 ? 1.5 : 1;
    const struct pithi_theme *theme = pithi_theme();
    uint32_t fill = state == PITHI_ABSENT ? theme->absent
                    : state == PITHI_NONE ? theme->paper /* the program's own code */
                                          : pithi_rgb_visible(stage->rgb[state]);

    disc(raster, place.x, place.y, radius + 2.5, 0, PITHI_RGB_PAPER);
    disc(raster, place.x, place.y, radius, 0, fill);
    disc(raster, place.x, place.y, radius, radius - rim,
         state == PITHI_ABSENT ? theme->separator : state == PITHI_NONE ? theme->rim : pithi_rgb_darker(fill, 0.35));
}

uint32_t pithi_stage_draw(const struct pithi_stage *stage, int64_t time_ns, int64_t dwell_ns, enum pithi_layout layout,
                          struct pithi_raster *raster)
{
    struct pithi_place *places = pithi_alloc(stage->ranks + (size_t)1, sizeof *places);
    double radius = pithi_stage_places(stage->ranks, raster->width, raster->height, layout, places);
    struct pithi_painter painter = pithi_raster_painter(raster);
    struct sky sky = {0};

    look_up(&sky, stage, time_ns, dwell_ns < 1 ? 1 : dwell_ns, radius);
    for (uint32_t i = 0; i < sky.way_room; i++)
        if (sky.ways[i].pair && sky.ways[i].heat > 0) {
            uint64_t pair = sky.ways[i].pair - 1;
            struct way way = make_way(places[pair >> 32], places[pair & UINT32_MAX], radius);
            draw_way(&painter, &way, sky.ways[i].heat);
        }
    for (uint32_t rank = 0; rank < stage->ranks; rank++)
        draw_rank(stage, raster, places[rank], radius, pithi_stage_state(stage, rank, time_ns));
    for (uint32_t i = 0; i < sky.count; i++) {
        struct way way = make_way(places[sky.comets[i].from], places[sky.comets[i].to], radius);
        draw_comet(&painter, &way, sky.comets[i].part, sky.comets[i].size, PITHI_RGB_ARROW);
    }
    free(sky.ways);
    free(sky.comets);
    free(places);
    return sky.under_way;
}
