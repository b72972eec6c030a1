/* rows_filter.c - matches patterns against the tree of rows. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rows.h"
#include "core/words.h"

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Matches the whole text; * stands for any characters, ? for a single one. */
static int fits_glob(const char *glob, const char *text)
{
    const char *star = NULL, *retry = NULL;

    while (*text) {
        if (*glob == '*') {
            star = ++glob;
            retry = text;
        } else if (*glob == '?' || (*glob && same(*glob, *text))) {
            glob++, text++;
        } else if (star) {
            glob = star;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

static int occurs(const char *part, const char *text)
{
    size_t length = strlen(part);

    for (; strlen(text) >= length; text++) {
        size_t i = 0;
        while (i < length && same(part[i], text[i]))
            i++;
        if (i == length)
            return 1;
    }
    return 0;
}

/* ---- Patterns ---------------------------------------------------------------------------------------------------- */

/* One item of a pattern: ranks, or a text. */
struct item {
    struct pithi_lane_range range;
    int is_range, is_glob;
    char text[128];
};

struct pattern {
    struct item *items;
    uint32_t count, capacity;
};

static void add_item(struct pattern *pattern, const char *text, size_t length)
{
    struct item *item;
    const char *rest;

    while (length && isspace((unsigned char)*text))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (!length)
        return;
    pattern->items = pithi_view_grow(pattern->items, &pattern->capacity, pattern->count + 1, sizeof *pattern->items);
    item = &pattern->items[pattern->count++];
    snprintf(item->text, sizeof item->text, "%.*s", (int)(length < 127 ? length : 127), text);
    item->is_glob = strpbrk(item->text, "*?") != NULL;
    rest = item->text;
    item->is_range = pithi_lane_range_next(&rest, &item->range) == 1 && !*rest;
}

static struct pattern pattern_make(const char *text)
{
    struct pattern pattern = {NULL, 0, 0};

    for (; *text; text += strcspn(text, ","), text += *text == ',')
        add_item(&pattern, text, strcspn(text, ","));
    return pattern;
}

static int item_fits(const struct item *item, const char *text)
{
    if (item->is_range || !*text)
        return 0;
    return item->is_glob ? fits_glob(item->text, text) : occurs(item->text, text);
}

static int pattern_fits(const struct pattern *pattern, const char *text)
{
    for (uint32_t i = 0; i < pattern->count; i++)
        if (item_fits(&pattern->items[i], text))
            return 1;
    return 0;
}

/* A lane matches by rank, label or host. An item that names a rank matches all its threads. */
static int lane_fits(const struct pattern *pattern, const struct pithi_rows *rows, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(rows->log, rows->nodes[number].lane);
    char label[256], rank[32];

    snprintf(rank, sizeof rank, "rank %d", (int)lane->rank);
    pithi_rows_label(rows, number, label, sizeof label);
    for (uint32_t i = 0; i < pattern->count; i++) {
        const struct item *item = &pattern->items[i];
        if (item->is_range ? pithi_lane_range_has(&item->range, lane)
                           : item_fits(item, label) || item_fits(item, rank) || item_fits(item, lane->host))
            return 1;
    }
    return 0;
}

static int node_fits(const struct pattern *pattern, const struct pithi_rows *rows, uint32_t number)
{
    char label[256];

    if (rows->nodes[number].kind == PITHI_NODE_RANK || rows->nodes[number].kind == PITHI_NODE_THREAD)
        return lane_fits(pattern, rows, number);
    return pattern_fits(pattern, pithi_rows_label(rows, number, label, sizeof label));
}

/* ---- The filter -------------------------------------------------------------------------------------------------- */

static void keep(struct pithi_rows *rows, uint32_t node, int on)
{
    if (on)
        rows->nodes[node].flags |= PITHI_NODE_KEPT;
    else
        rows->nodes[node].flags &= (uint8_t)~PITHI_NODE_KEPT;
}

/* Marks the nodes that pass. `all`: a parent matches already. Returns 1 if any node of the subtree passes. */
static int mark(struct pithi_rows *rows, const struct pattern *pattern, uint32_t number, int all)
{
    int kind = rows->nodes[number].kind, own = all || (number && node_fits(pattern, rows, number)), below = 0;

    for (uint32_t i = 0; i < rows->nodes[number].child_count; i++) {
        uint32_t child = rows->nodes[number].children[i];
        int with_parent = kind == PITHI_NODE_RANK && rows->nodes[child].kind == PITHI_NODE_THREAD ? all : own;
        int kept = mark(rows, pattern, child, with_parent);
        below |= kept;
        if (rows->nodes[child].kind == PITHI_NODE_COUNTER)
            own |= kept; /* a counter is shown with its lane */
    }
    keep(rows, number, own || (below && (kind == PITHI_NODE_HOST || kind == PITHI_NODE_COMM)));
    return own || below;
}

static void build_all(struct pithi_rows *rows)
{
    uint32_t count = rows->nodes[0].child_count;

    for (uint32_t i = 0; i < count; i++)
        if (rows->nodes[rows->nodes[0].children[i]].kind == PITHI_NODE_COMM)
            pithi_rows_build(rows, rows->nodes[0].children[i]);
}

static int mark_all(struct pithi_rows *rows, const char *text)
{
    struct pattern pattern = pattern_make(text);
    int some;

    if (pattern.count)
        build_all(rows);
    some = mark(rows, &pattern, 0, !pattern.count);
    for (uint32_t i = 0; i < rows->pin_count; i++)
        mark(rows, &pattern, rows->pins[i], 1);
    free(pattern.items);
    return some;
}

int pithi_rows_filter(struct pithi_rows *rows, const char *pattern)
{
    char *copy = pithi_alloc(strlen(pattern) + 1, 1);

    memcpy(copy, pattern, strlen(pattern));
    if (!mark_all(rows, copy) && *copy) {
        mark_all(rows, rows->pattern);
        free(copy);
        return -1;
    }
    free(rows->pattern);
    rows->pattern = copy;
    return 0;
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

struct found {
    uint32_t *nodes, count, capacity;
};

static void find(struct pithi_rows *rows, const struct pattern *pattern, uint32_t number, struct found *found)
{
    if (number && node_fits(pattern, rows, number)) {
        found->nodes = pithi_view_grow(found->nodes, &found->capacity, found->count + 1, sizeof *found->nodes);
        found->nodes[found->count++] = number;
        return;
    }
    for (uint32_t i = 0; i < rows->nodes[number].child_count; i++)
        find(rows, pattern, rows->nodes[number].children[i], found);
}

uint32_t *pithi_rows_find(struct pithi_rows *rows, const char *text, uint32_t *count)
{
    struct pattern pattern = pattern_make(text);
    struct found found = {pithi_alloc(1, sizeof *found.nodes), 0, 1};

    build_all(rows);
    find(rows, &pattern, 0, &found);
    free(pattern.items);
    *count = found.count;
    return found.nodes;
}
