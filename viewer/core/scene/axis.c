/* axis.c - the marks of a time axis and the texts of times.
 *
 * Marks are 1, 2 or 5 times a power of ten apart, and at least as many pixels as a label needs:
 *
 *     1 ms on 800 pixels, labels 100 pixels apart: 125 us at least, so 200 us
 *     0.0 ms   0.2 ms   0.4 ms   0.6 ms   0.8 ms                  one decimal, as the step is a fifth of the unit
 *
 * Minutes and hours go by 60: from 10 s on, the steps of times like 2:05 are 15 s, 30 s, 1 min, 2 min ... Labels with
 * many digits count from a base that is shown once: 12,345.2 ms is +345.2 ms after 12 s.
 *
 * Texts are made of whole numbers: a double has 53 bits, which do not hold the nanoseconds since 1970. */
#include "core/scene/axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
/* Times from two minutes to 10,000 hours are written as minutes and seconds, or h:mm:ss. Longer times are times since
 * 1970; they are written as seconds. */
#define LEAST_SIXTIES (120 * SECOND)
#define MOST_SIXTIES (36000000 * SECOND) /* ns: 10,000 hours */

static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

static const struct unit *unit_for(int64_t span_ns)
{
    const struct unit *unit = units;

    while (span_ns < unit->ns && unit->ns > 1)
        unit++;
    return unit;
}

/* Returns the number of decimals that a unit needs to show multiples of step_ns: 2 for 20 ms in seconds. */
static int decimals_for(int64_t step_ns, int64_t unit_ns)
{
    int decimals = 0;

    for (; step_ns < unit_ns; step_ns *= 10)
        decimals++;
    return decimals;
}

static int64_t floor_to(int64_t value, int64_t step)
{
    int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

/* Returns the absolute value, which is unsigned, because the absolute value of INT64_MIN does not fit into an
 * int64_t. */
static uint64_t size_of(int64_t time_ns) { return time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns; }

static int is_sixties(int64_t time_ns)
{
    return size_of(time_ns) >= (uint64_t)LEAST_SIXTIES && size_of(time_ns) < (uint64_t)MOST_SIXTIES;
}

/* Writes "12.50", with a sign if it is negative; in whole numbers, because a double does not hold all nanoseconds since
 * 1970. */
static void decimal_text(int64_t time_ns, int64_t unit_ns, int decimals, char *text, size_t size)
{
    uint64_t value = size_of(time_ns), fine = (uint64_t)unit_ns;
    char fraction[24];

    for (int i = 0; i < decimals && fine > 1; i++)
        fine /= 10;
    value = (value + fine / 2) / fine * fine;
    snprintf(fraction, sizeof fraction, ".%09" PRIu64, value % (uint64_t)unit_ns * (uint64_t)(SECOND / unit_ns));
    snprintf(text, size, "%s%" PRIu64 "%.*s", time_ns < 0 && value ? "-" : "", value / (uint64_t)unit_ns,
             decimals ? 1 + decimals : 0, fraction);
}

/* Writes "2:05.30". With has_hours, and from an hour on, writes hours, too: "0:02:05.30". */
static void sixties_text(int64_t time_ns, int decimals, int has_hours, char *text, size_t size)
{
    char digits[48];
    char *fraction = digits;
    int used = 0;

    decimal_text(time_ns, SECOND, decimals, digits, sizeof digits);
    if (*digits == '-')
        used = snprintf(text, size, "-");
    uint64_t seconds = strtoull(digits + used, &fraction, 10), minutes = seconds / 60;
    if (has_hours || minutes >= 60)
        used += snprintf(text + used, size - (size_t)used, "%" PRIu64 ":%02d", minutes / 60, (int)(minutes % 60));
    else
        used += snprintf(text + used, size - (size_t)used, "%d", (int)minutes);
    snprintf(text + used, size - (size_t)used, ":%02d%s", (int)(seconds % 60), fraction);
}

static void day_text(int64_t local_ns, char *text, size_t size)
{
    time_t seconds = (time_t)(floor_to(local_ns, DAY) / SECOND);
    struct tm day;

    if (!gmtime_r(&seconds, &day) || !strftime(text, size, "%Y-%m-%d", &day))
        *text = '\0';
}

/* Removes zeros at the end of a fraction. */
static void trim(char *text)
{
    size_t length = strlen(text);

    if (!strchr(text, '.'))
        return;
    while (text[length - 1] == '0')
        length--;
    text[length - (text[length - 1] == '.')] = '\0';
}

/* Returns the step between marks: the smallest step that is at least `least`. */
static int64_t step_for(double least, int in_sixties)
{
    static const int seconds[] = {15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200};
    int64_t step = 1, farthest = INT64_MAX / 10;

    if (in_sixties && least > 10.0 * SECOND) {
        for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
            if (seconds[i] * (double)SECOND >= least)
                return seconds[i] * SECOND;
        step = 86400 * SECOND;
    }
    for (int i = 0; (double)step < least && step < farthest; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

/* Returns the time to which labels are relative if they would have more than four digits before the point. Returns 0 if
 * the labels are absolute. */
static int64_t base_for(int64_t t0_ns, int64_t t1_ns, const struct unit *unit)
{
    if (unit->ns == units[0].ns || (t1_ns / unit->ns < 10000 && t0_ns / unit->ns > -10000))
        return 0;
    return floor_to(t0_ns, unit->ns * 1000);
}

/* Writes a time of day, "14:03:05", or at midnight the date, "2026-11-30". */
static void clock_label(int64_t local_ns, int decimals, char *text, size_t size)
{
    char digits[48];

    if (local_ns % DAY == 0) {
        day_text(local_ns, text, size);
        return;
    }
    sixties_text(local_ns - floor_to(local_ns, DAY), decimals, 1, digits, sizeof digits);
    snprintf(text, size, "%s%.24s", digits[1] == ':' ? "0" : "", digits);
}

void pithi_axis_make(int64_t t0_ns, int64_t t1_ns, int64_t clock_ns, double width, double spacing,
                     struct pithi_axis *axis)
{
    double span = (double)t1_ns - (double)t0_ns, least = span * spacing / (width > 1 ? width : 1);
    const struct unit *unit = unit_for((int64_t)span);
    int64_t farthest = size_of(t0_ns) > size_of(t1_ns) ? t0_ns : t1_ns, time;
    int in_sixties = unit->ns == SECOND && (clock_ns || is_sixties(farthest)), decimals;
    char digits[48];

    if (least < span / (PITHI_AXIS_MAX - 2))
        least = span / (PITHI_AXIS_MAX - 2);
    axis->step_ns = step_for(least, in_sixties);
    axis->count = 0;
    axis->base[0] = 0;
    axis->base_ns = clock_ns && in_sixties ? 0
                    : clock_ns             ? floor_to(clock_ns + t0_ns, unit->ns * 1000) - clock_ns
                                           : base_for(t0_ns, t1_ns, unit);
    if (clock_ns && in_sixties && axis->step_ns < DAY)
        day_text(clock_ns + t0_ns, axis->base, sizeof axis->base);
    else if (clock_ns && !in_sixties)
        pithi_date_text(clock_ns + axis->base_ns, unit->ns * 1000, axis->base, sizeof axis->base);
    else if (axis->base_ns)
        pithi_time_text(axis->base_ns, unit->ns * 1000, axis->base, sizeof axis->base);
    decimals = decimals_for(axis->step_ns, unit->ns);
    time = floor_to(clock_ns + t0_ns, axis->step_ns) - clock_ns;
    if (time < t0_ns)
        time += axis->step_ns;
    for (; time < t1_ns && axis->count < PITHI_AXIS_MAX; time += axis->step_ns) {
        struct pithi_axis_tick *tick = &axis->ticks[axis->count++];
        tick->time_ns = time;
        tick->x = ((double)time - (double)t0_ns) / span * width;
        if (in_sixties && clock_ns) {
            clock_label(clock_ns + time, decimals, tick->label, sizeof tick->label);
        } else if (in_sixties) {
            sixties_text(time, decimals, size_of(farthest) >= (uint64_t)HOUR, tick->label, sizeof tick->label);
        } else {
            decimal_text(time - axis->base_ns, unit->ns, decimals, digits, sizeof digits);
            snprintf(tick->label, sizeof tick->label, "%s%.24s %s", axis->base[0] ? "+" : "", digits, unit->name);
        }
        if (time > INT64_MAX - axis->step_ns)
            break;
    }
}

void pithi_duration_text(int64_t time_ns, char *text, size_t size)
{
    const struct unit *unit = unit_for(time_ns < 0 ? -time_ns : time_ns);
    double value = (double)time_ns / (double)unit->ns;

    if (is_sixties(time_ns))
        sixties_text(time_ns, fabs(value) < 1000, 0, text, size);
    else
        snprintf(text, size, fabs(value) < 1000 ? "%.4g %s" : "%.0f %s", value, unit->name);
    if (is_sixties(time_ns))
        trim(text);
}

void pithi_time_text(int64_t time_ns, int64_t resolution_ns, char *text, size_t size)
{
    const struct unit *unit = unit_for(time_ns < 0 ? -time_ns : time_ns);
    int decimals = decimals_for(resolution_ns < 1 ? 1 : resolution_ns, unit->ns);
    char digits[48];

    if (is_sixties(time_ns))
        sixties_text(time_ns, decimals, 0, digits, sizeof digits);
    else
        decimal_text(time_ns, unit->ns, decimals, digits, sizeof digits);
    trim(digits);
    if (is_sixties(time_ns))
        snprintf(text, size, "%s", digits);
    else
        snprintf(text, size, "%s %s", digits, time_ns ? unit->name : "s");
}

void pithi_date_text(int64_t local_ns, int64_t resolution_ns, char *text, size_t size)
{
    char day[16], digits[48];

    day_text(local_ns, day, sizeof day);
    sixties_text(local_ns - floor_to(local_ns, DAY), decimals_for(resolution_ns < 1 ? 1 : resolution_ns, SECOND), 1,
                 digits, sizeof digits);
    trim(digits);
    snprintf(text, size, "%s %s%s", day, digits[1] == ':' ? "0" : "", digits);
}
