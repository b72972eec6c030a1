/* span_columns.c - see span_columns.h. */
#include "core/span_columns.h"

#include <math.h>
#include <string.h>

static int64_t time_of(const struct pithi_spans *spans, size_t at, size_t place)
{
    int64_t time_ns;

    memcpy(&time_ns, spans->items + at * spans->size + place, sizeof time_ns);
    return time_ns;
}

/* The first item from `low` on whose time is at least `time_ns`. It is mostly near, so the first steps are small. */
static size_t first_at(const struct pithi_spans *spans, size_t low, size_t place, double time_ns)
{
    size_t high = low, step = 1;

    while (high < spans->count && (double)time_of(spans, high, place) < time_ns) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < spans->count ? high : spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)time_of(spans, middle, place) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pithi_spans_columns(const struct pithi_spans *spans,
                         void (*add)(void *context, size_t item, uint32_t column, double part), void *context)
{
    double t0 = (double)spans->t0_ns, column_ns = ((double)spans->t1_ns - t0) / spans->width;
    size_t at = first_at(spans, 0, spans->to, t0 + 1);

    while (at < spans->count && time_of(spans, at, spans->from) < spans->t1_ns) {
        double from = fmax(((double)time_of(spans, at, spans->from) - t0) / column_ns, 0);
        double to = fmin(((double)time_of(spans, at, spans->to) - t0) / column_ns, spans->width);
        uint32_t column = (uint32_t)from;
        if (to > column + 1) {
            for (; column < to; column++)
                add(context, at, column, fmin(to, column + 1) - fmax(from, column));
            at++;
            continue;
        }
        size_t end = first_at(spans, at + 1, spans->to, t0 + (column + 1) * column_ns + 1);
        size_t step = (end - at) / PITHI_COLUMN_MOST + 1;
        for (size_t i = at; i < end; i += step) {
            double first = fmax(((double)time_of(spans, i, spans->from) - t0) / column_ns, column);
            double last = ((double)time_of(spans, i, spans->to) - t0) / column_ns;
            add(context, i, column, fmax(last - first, 0) * (double)(end - i < step ? end - i : step));
        }
        at = end;
    }
}
