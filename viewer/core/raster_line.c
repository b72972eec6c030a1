/* raster_line.c - see raster_line.h. */
#include "core/raster_line.h"

#include <math.h>
#include <stddef.h>

/* ---- Clipping ---------------------------------------------------------------------------------------------------- */

/* Liang and Barsky's clipping: one edge narrows the part [*from, *to] of the line that is inside. */
static int clip_edge(double p, double q, double *from, double *to)
{
    if (p == 0)
        return q >= 0;
    if (p < 0 && q / p > *from)
        *from = q / p;
    if (p > 0 && q / p < *to)
        *to = q / p;
    return *from <= *to;
}

static int clip_line(const struct pithi_raster *raster, double *x0, double *y0, double *x1, double *y1)
{
    double dx = *x1 - *x0, dy = *y1 - *y0, from = 0, to = 1, x = *x0, y = *y0;

    if (!clip_edge(-dx, x - raster->left, &from, &to) || !clip_edge(dx, raster->right - x, &from, &to) ||
        !clip_edge(-dy, y - raster->top, &from, &to) || !clip_edge(dy, raster->bottom - y, &from, &to))
        return 0;
    *x0 = x + from * dx;
    *y0 = y + from * dy;
    *x1 = x + to * dx;
    *y1 = y + to * dy;
    return 1;
}

/* The lines and columns that a run may touch lie inside of the clip. */
static int is_inside(const struct pithi_raster *raster, const struct pithi_run *run)
{
    int64_t ends[2] = {run->across, run->across + run->slope * (run->last - 1 - run->first)};
    int low = run->steep ? raster->left : raster->top, high = run->steep ? raster->right : raster->bottom;
    int from = run->steep ? raster->top : raster->left, to = run->steep ? raster->bottom : raster->right;

    for (int i = 0; i < 2; i++)
        if (ends[i] >> 16 < low || (ends[i] >> 16) + 1 >= high)
            return 0;
    return run->first >= from && run->last <= to;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Of a line fainter than this each step is one pixel: nobody sees its stairs. */
enum { FAINT = 64 };

static void draw_faint(const struct pithi_raster *raster, const struct pithi_run *run)
{
    size_t along = run->steep ? (size_t)raster->width : 1, beside = run->steep ? 1 : (size_t)raster->width;
    uint32_t *word = raster->words + (size_t)run->first * along;
    int64_t across = run->across + 32768;

    for (int i = run->first; i < run->last; i++, word += along, across += run->slope) {
        uint32_t *pixel = word + (size_t)(across >> 16) * beside;
        *pixel = pithi_blend_words(*pixel, run->rgb, run->weight);
    }
}

/* Each step is shared by the two pixels that the line runs between (after Wu, "An efficient antialiasing technique",
 * 1991). */
static void draw_smooth(const struct pithi_raster *raster, const struct pithi_run *run)
{
    size_t along = run->steep ? (size_t)raster->width : 1, beside = run->steep ? 1 : (size_t)raster->width;
    uint32_t *word = raster->words + (size_t)run->first * along;
    int64_t across = run->across;

    for (int i = run->first; i < run->last; i++, word += along, across += run->slope) {
        uint32_t *first = word + (size_t)(across >> 16) * beside, part = (uint32_t)across >> 8 & 255;
        uint32_t second = run->weight * part >> 8;
        *first = pithi_blend_words(*first, run->rgb, run->weight - second);
        first[beside] = pithi_blend_words(first[beside], run->rgb, second);
    }
}

static void draw_inside(const struct pithi_raster *raster, const struct pithi_run *run)
{
    if (run->weight < FAINT)
        draw_faint(raster, run);
    else
        draw_smooth(raster, run);
}

static void draw_clipped(const struct pithi_raster *raster, const struct pithi_run *run)
{
    int64_t across = run->across;

    for (int i = run->first; i < run->last; i++, across += run->slope) {
        int whole = (int)(across >> 16);
        double part = (double)(across & 65535) / 65536, alpha = run->weight / 256.0;
        pithi_raster_blend(raster, run->steep ? whole : i, run->steep ? i : whole, run->rgb, alpha * (1 - part));
        pithi_raster_blend(raster, run->steep ? whole + 1 : i, run->steep ? i : whole + 1, run->rgb, alpha * part);
    }
}

void pithi_run_draw(const struct pithi_raster *raster, const struct pithi_run *run)
{
    if (run->inside)
        draw_inside(raster, run);
    else
        draw_clipped(raster, run);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Only its steps [from, to). */
static struct pithi_run cut(const struct pithi_run *run, int from, int to)
{
    struct pithi_run part = *run;

    part.first = run->first > from ? run->first : from;
    part.last = run->last < to ? run->last : to;
    part.across += run->slope * (part.first - run->first);
    return part;
}

static int step_at(const struct pithi_run *run, double across)
{
    double step = (across - (double)run->across) / (double)run->slope;
    return step < 0 ? run->first : step > run->last - run->first ? run->last : run->first + (int)step;
}

/* Of a flat run the steps that may touch lines [top, bottom): some more. */
static struct pithi_run cut_flat(const struct pithi_run *run, int top, int bottom)
{
    double above = (top - 2) * 65536.0, below = (bottom + 1) * 65536.0;

    if (!run->slope)
        return *run;
    return run->slope > 0 ? cut(run, step_at(run, above), step_at(run, below) + 1)
                          : cut(run, step_at(run, below), step_at(run, above) + 1);
}

/* Of a flat run inside of the clip what is in the lines [top, bottom). */
static void draw_flat(const struct pithi_raster *raster, const struct pithi_run *run, int top, int bottom)
{
    int faint = run->weight < FAINT;
    int64_t across = run->across + (faint ? 32768 : 0);

    for (int i = run->first; i < run->last; i++, across += run->slope) {
        int line = (int)(across >> 16);
        uint32_t *first = raster->words + (size_t)line * (size_t)raster->width + (size_t)i;
        uint32_t second = faint ? 0 : run->weight * ((uint32_t)across >> 8 & 255) >> 8;
        if (line >= top && line < bottom)
            *first = pithi_blend_words(*first, run->rgb, run->weight - second);
        if (!faint && line + 1 >= top && line + 1 < bottom)
            first[raster->width] = pithi_blend_words(first[raster->width], run->rgb, second);
    }
}

void pithi_run_draw_part(const struct pithi_raster *part, const struct pithi_run *run)
{
    struct pithi_run piece;

    if (run->top >= part->top && run->bottom <= part->bottom) {
        pithi_run_draw(part, run);
        return;
    }
    piece = run->steep ? cut(run, part->top, part->bottom) : cut_flat(run, part->top, part->bottom);
    if (run->steep || !run->inside)
        pithi_run_draw(part, &piece);
    else
        draw_flat(part, &piece, part->top, part->bottom);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* The lines that it may touch. */
static void set_lines(struct pithi_run *run)
{
    int ends[2] = {(int)(run->across >> 16), (int)((run->across + run->slope * (run->last - 1 - run->first)) >> 16)};

    run->top = run->steep ? run->first : ends[0] < ends[1] ? ends[0] : ends[1];
    run->bottom = run->steep ? run->last : (ends[0] < ends[1] ? ends[1] : ends[0]) + 2;
}

static struct pithi_run make_run(double x0, double y0, double x1, double y1)
{
    struct pithi_run run = {.steep = fabs(y1 - y0) > fabs(x1 - x0)};
    double slope;

    if (run.steep) {
        swap(&x0, &y0);
        swap(&x1, &y1);
    }
    if (x0 > x1) {
        swap(&x0, &x1);
        swap(&y0, &y1);
    }
    slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    run.first = (int)floor(x0);
    run.last = (int)ceil(x1);
    run.slope = (int64_t)(slope * 65536);
    run.across = (int64_t)floor((y0 + slope * (run.first + 0.5 - x0) - 0.5) * 65536);
    set_lines(&run);
    return run;
}

int pithi_run_make(const struct pithi_raster *raster, double x0, double y0, double x1, double y1, struct pithi_run *run)
{
    if (!(fabs(x0) < 1e15 && fabs(x1) < 1e15) || !clip_line(raster, &x0, &y0, &x1, &y1))
        return 0;
    *run = make_run(x0, y0, x1, y1);
    run->inside = raster->words && is_inside(raster, run);
    return 1;
}
