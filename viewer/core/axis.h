/* axis.h - time for people: the marks of a time axis and the texts of times and durations. */
#ifndef PITHI_AXIS_H
#define PITHI_AXIS_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_AXIS_MAX = 64 };

struct pithi_axis_tick {
    int64_t time_ns;
    double x; /* 0 to width */
    char label[32];
};

struct pithi_axis {
    int64_t step_ns; /* 1, 2 or 5 times a power of ten */
    struct pithi_axis_tick ticks[PITHI_AXIS_MAX];
    uint32_t count;
    /* Far from the start and deep in, "12.345678 s" at every mark would say the same again and again: then the labels
     * are "+678 us" and `base` is "12.345 s", to be shown once. "" when the labels are from the log's start. */
    char base[32];
    int64_t base_ns;
};

/* Marks for [t0, t1) on `width` pixels, at least `spacing` pixels apart. */
void pithi_axis_make(int64_t t0_ns, int64_t t1_ns, double width, double spacing, struct pithi_axis *axis);

/* "1.5 s", "340 us", "12 ns": four significant digits at most. */
void pithi_duration_text(int64_t time_ns, char *text, size_t size);
/* A point in time, with as many decimals as tell points `resolution_ns` apart from each other, but for zeros at the
 * end: "12.34568 s", "4 ms". */
void pithi_time_text(int64_t time_ns, int64_t resolution_ns, char *text, size_t size);

#endif
