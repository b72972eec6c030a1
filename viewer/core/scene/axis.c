/* axis.c - the marks of a time axis and the texts of times. */
#include "core/scene/axis.h"

#include <math.h>
#include <stdio.h>

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

/* Returns a base for labels: labels with more than four digits before the point are relative to it. */
static int64_t base_for(int64_t t0_ns, int64_t t1_ns, const struct unit *unit)
{
    if (unit->ns == units[0].ns || (t1_ns / unit->ns < 10000 && t0_ns / unit->ns > -10000))
        return 0;
    return floor_to(t0_ns, unit->ns * 1000);
}

void pithi_axis_make(int64_t t0_ns, int64_t t1_ns, double width, double spacing, struct pithi_axis *axis)
{
    double span = (double)t1_ns - (double)t0_ns, least = span * spacing / (width > 1 ? width : 1);
    const struct unit *unit = unit_for((int64_t)span);
    int decimals;
    int64_t time;

    if (least < span / (PITHI_AXIS_MAX - 2))
        least = span / (PITHI_AXIS_MAX - 2);
    int64_t step = 1;
    for (int i = 0; (double)step < least && step < INT64_MAX / 10; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    axis->step_ns = step;
    axis->count = 0;
    axis->base[0] = 0;
    axis->base_ns = base_for(t0_ns, t1_ns, unit);
    if (axis->base_ns)
        pithi_time_text(axis->base_ns, unit->ns * 1000, axis->base, sizeof axis->base);
    decimals = decimals_for(axis->step_ns, unit->ns);
    time = floor_to(t0_ns, axis->step_ns);
    if (time < t0_ns)
        time += axis->step_ns;
    for (; time < t1_ns && axis->count < PITHI_AXIS_MAX; time += axis->step_ns) {
        struct pithi_axis_tick *tick = &axis->ticks[axis->count++];
        tick->time_ns = time;
        tick->x = ((double)time - (double)t0_ns) / span * width;
        snprintf(tick->label, sizeof tick->label, "%s%.*f %s", axis->base_ns ? "+" : "", decimals,
                 (double)(time - axis->base_ns) / (double)unit->ns, unit->name);
        if (time > INT64_MAX - axis->step_ns)
            break;
    }
}

void pithi_duration_text(int64_t time_ns, char *text, size_t size)
{
    const struct unit *unit = unit_for(time_ns < 0 ? -time_ns : time_ns);
    double value = (double)time_ns / (double)unit->ns;

    snprintf(text, size, fabs(value) < 1000 ? "%.4g %s" : "%.0f %s", value, unit->name);
}

void pithi_time_text(int64_t time_ns, int64_t resolution_ns, char *text, size_t size)
{
    const struct unit *unit = unit_for(time_ns < 0 ? -time_ns : time_ns);
    int decimals = decimals_for(resolution_ns < 1 ? 1 : resolution_ns, unit->ns);
    char digits[48];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%.*f", decimals, (double)time_ns / (double)unit->ns);

    while (decimals && length && (digits[length - 1] == '0' || digits[length - 1] == '.'))
        if (digits[--length] == '.')
            break;
    snprintf(text, size, "%.*s %s", (int)length, digits, time_ns ? unit->name : "s");
}
