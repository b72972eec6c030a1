/* words.c - reading what people type; see words.h. */
#include "core/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 146 years before and after a log's start: differences of such times never overflow. */
#define FARTHEST (INT64_MAX / 2)

int pithi_time_parse(const char *text, int64_t *time_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char *end;
    double value = strtod(text, &end);

    if (end == text)
        return -1;
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        double ns = value * units[i].ns;
        if (strcmp(end, units[i].name) != 0)
            continue;
        if (!(ns > -(double)FARTHEST && ns < (double)FARTHEST))
            return -1;
        *time_ns = (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
        return 0;
    }
    return -1;
}

int pithi_size_parse(const char *text, int *width, int *height)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || value < 1 || value > 100000)
        return -1;
    *width = (int)value;
    *height = 0;
    if (!*end)
        return 0;
    if (*end != 'x' || !isdigit((unsigned char)end[1]))
        return -1;
    value = strtol(end + 1, &end, 10);
    *height = (int)value;
    return *end || value < 1 || value > 100000 ? -1 : 0;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static int number(const char **text, long *value)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return -1;
    *value = strtol(*text, &end, 10);
    *text = end;
    return 0;
}

int pithi_lane_range_next(const char **text, struct pithi_lane_range *item)
{
    if (!**text)
        return 0;
    item->thread = -1;
    if (number(text, &item->first))
        return -1;
    item->last = item->first;
    if (**text == '-' && (++*text, number(text, &item->last)))
        return -1;
    if (**text == '.' && (++*text, number(text, &item->thread)))
        return -1;
    if (**text == ',')
        return (*text)[1] ? (++*text, 1) : -1;
    return **text ? -1 : 1;
}

int pithi_lane_range_has(const struct pithi_lane_range *range, const struct pithlog_lane *lane)
{
    return lane->rank >= range->first && lane->rank <= range->last &&
           (range->thread < 0 || (long)lane->thread == range->thread);
}

static int is_listed(const char *list, const struct pithlog_lane *lane)
{
    struct pithi_lane_range item;

    while (pithi_lane_range_next(&list, &item) == 1)
        if (pithi_lane_range_has(&item, lane))
            return 1;
    return 0;
}

int pithi_rows_choose(const struct pithlog *log, const char *list, struct pithi_row *rows, uint32_t *count)
{
    const char *rest = list;
    struct pithi_lane_range item;
    uint32_t kept = 0;
    int more;

    while ((more = pithi_lane_range_next(&rest, &item)) == 1)
        continue;
    if (more < 0 || !*list)
        return -1;
    for (uint32_t i = 0; i < *count; i++)
        if (is_listed(list, pithlog_get_lane(log, rows[i].lane)))
            rows[kept++] = rows[i];
    *count = kept;
    return 0;
}

static int64_t within(int64_t time_ns)
{
    return time_ns < -FARTHEST ? -FARTHEST : time_ns > FARTHEST ? FARTHEST : time_ns;
}

void pithi_whole_window(const struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns)
{
    const struct pithlog_info *info = pithlog_get_info(log);

    *t0_ns = 0;
    *t1_ns = 1;
    if (info->start_ns > info->end_ns)
        return;
    *t0_ns = within(info->start_ns);
    *t1_ns = within(info->end_ns) + 1;
}
