/* words.c - parses sizes and lists of lanes, finds windows of time, and makes names from logs printable. */
#include "core/rows/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* The farthest time from a log's start, 146 years before or after it. Differences of such times never overflow. */
#define FARTHEST (INT64_MAX / 2)

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
        /* "3" is 3-3; "3-5.1" is thread 1 of the ranks 3 to 5. A comma at the end is an error. */
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

    /* Checks the whole list first, so that a wrong list changes nothing. */
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

/* Returns the time, or the limit (FARTHEST) if it is farther from the log's start. */
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

void pithi_work_window(struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns)
{
    int64_t from, to;

    /* The window is from the begin of MPI_Init to the end of MPI_Finalize. If the log lacks one of the two, the window
     * begins or ends with the log. */
    pithi_whole_window(log, t0_ns, t1_ns);
    if (pithlog_time_find(log, "init", PITHLOG_EDGE_BEGIN, &from))
        from = *t0_ns;
    if (pithlog_time_find(log, "finalize", PITHLOG_EDGE_END, &to))
        to = *t1_ns;
    if (within(from) >= within(to))
        return;
    *t0_ns = within(from);
    *t1_ns = within(to);
}

uint32_t pithi_state_named(const struct pithlog *log, const char *name)
{
    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++)
        if (pithlog_get_def(log, i)->kind == PITHLOG_STATE && strcmp(pithlog_get_def(log, i)->name, name) == 0)
            return i;
    return UINT32_MAX;
}

const char *pithi_nearest_name(struct pithi_nearest *nearest, const struct pithlog *log, const char *name, int states)
{
    pithi_nearest_begin(nearest, name, strlen(name));
    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++)
        if (!states || pithlog_get_def(log, i)->kind == PITHLOG_STATE)
            pithi_nearest_try(nearest, pithlog_get_def(log, i)->name);
    return pithi_nearest_ask(nearest);
}

/* ---- Names from logs --------------------------------------------------------------------------------------------- */

/* Returns the number of bytes of the character at `c`, or 0 if it is not valid (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF). */
static size_t character_size(const unsigned char *c)
{
    size_t size = 0;

    if (c[0] < 0x80)
        size = 1;
    else if (c[0] >= 0xc2 && c[0] < 0xf5)
        size = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] >= 0x90))
        return 0;
    return size;
}

/* Returns 1 for a control character: C0, DEL, or C1 (U+0080 to U+009F). */
static int is_control(const unsigned char *c) { return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0); }

char *pithi_clean(char *out, size_t size, const char *text, int ascii)
{
    /* Names come from programs and from other people's files. Invalid bytes and control characters become "?", because
     * a terminal would obey control characters. Marks of the direction of text become visible escapes, because the
     * marks could make a name look like another name. */
    const unsigned char *c = (const unsigned char *)text;
    size_t used = 0;

    while (*c) {
        size_t bytes = character_size(c);
        char instead[8] = "?";
        const char *shown = instead;
        /* `mark` is the code of a mark of direction (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), else
         * 0. */
        unsigned code = bytes == 2   ? (c[0] & 31u) << 6 | (c[1] & 63u)
                        : bytes == 3 ? (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u)
                                     : 0;

        unsigned mark = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                                (code >= 0x2066 && code <= 0x2069)
                            ? code
                            : 0;
        if (mark)
            snprintf(instead, sizeof instead, "\\u%04x", mark);
        else if (bytes && !is_control(c) && (bytes == 1 || !ascii))
            shown = (const char *)c;
        size_t more = shown == instead ? strlen(instead) : bytes;
        if (used + more >= size)
            break;
        memcpy(out + used, shown, more);
        used += more;
        c += bytes ? bytes : 1;
    }
    if (size)
        out[used] = 0;
    return out;
}

/* Counts characters, not bytes: bytes 10xxxxxx continue a character. U+00D7, a blank and 5 are 4 bytes and 3 columns.
 */
int pithi_columns(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}
