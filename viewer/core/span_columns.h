/* span_columns.h - stretches of time as parts of pixel columns. */
#ifndef PITHI_SPAN_COLUMNS_H
#define PITHI_SPAN_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

/* If a column has more items, only this many of them are used, evenly chosen, so that the time for a picture does not
 * grow with the log. */
enum { PITHI_COLUMN_MOST = 8 };

/* Items that are ordered by time and do not overlap: structs of any type with two times, int64_t. */
struct pithi_spans {
    int64_t t0_ns, t1_ns; /* the window */
    uint32_t width;       /* its columns */
    const char *items;
    size_t count, size;
    size_t from, to; /* offsets of the times in an item */
};
/* Calls `add` for each column that an item overlaps; the item covers `part` of the column. */
void pithi_spans_columns(const struct pithi_spans *spans,
                         void (*add)(void *context, size_t item, uint32_t column, double part), void *context);

#endif
