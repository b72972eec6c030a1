/* axis.h - the marks of a time axis, and the texts of times and durations. */
#ifndef PITHI_AXIS_H
#define PITHI_AXIS_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_AXIS_MAX = 64 }; /* marks */

struct pithi_axis_tick {
    int64_t time_ns;
    double x;       /* 0 to width */
    char label[32]; /* as shown */
};

struct pithi_axis {
    /* Time between two marks: 1, 2 or 5 times a power of ten. With labels h:mm:ss, steps above 10 s are 15 s, 30 s, 1
     * min ... 12 h, or 1, 2, 5, 10 ... days. */
    int64_t step_ns;
    struct pithi_axis_tick ticks[PITHI_AXIS_MAX];
    uint32_t count;
    /* In a short window far from the start all labels would begin alike ("12.345678 s"). Then they are relative
     * ("+678 us") to `base` ("12.345 s"), which is shown once. "": the labels are absolute. */
    char base[40];
    int64_t base_ns;
};

/* Marks for [t0, t1) on `width` pixels, at least `spacing` pixels apart. If `clock_ns` is 0, labels are times from the
 * log's start. Otherwise it is the local time of time 0 (pithlog_wall_clock), labels are times of day, and the label of
 * midnight is the date. */
void pithi_axis_make(int64_t t0_ns, int64_t t1_ns, int64_t clock_ns, double width, double spacing,
                     struct pithi_axis *axis);

/* Texts of times and durations. From two minutes on they are in minutes and seconds, or hours, minutes and seconds:
 * "2:05.3", "1:02:33". An axis in seconds that reaches beyond two minutes has only such labels. pithlog_time_parse
 * reads all these texts.
 *
 * pithi_duration_text writes a duration, "1.5 s", "340 us" or "12 ns", with at most four significant digits; from 1000
 * s on, with whole seconds. */
void pithi_duration_text(int64_t time_ns, char *text, size_t size);
/* Writes a time, with enough decimals to distinguish times `resolution_ns` apart, without trailing zeros: "12.34568 s",
 * "4 ms". */
void pithi_time_text(int64_t time_ns, int64_t resolution_ns, char *text, size_t size);
/* Writes date and time of day, with the decimals of pithi_time_text: "2026-11-29 14:03:05.5". `local_ns`: nanoseconds
 * since 1970, in local time. */
void pithi_date_text(int64_t local_ns, int64_t resolution_ns, char *text, size_t size);

#endif
