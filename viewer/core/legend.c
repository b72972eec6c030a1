/* legend.c - the legend's entries and the rows' labels; see legend.h. */
#include "core/legend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/memory.h"

struct sorted {
    struct pithi_legend_entry entry;
    int is_event;
};

static int by_weight(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    if (x->is_event != y->is_event)
        return x->is_event - y->is_event;
    if (x->entry.sum.exclusive_ns != y->entry.sum.exclusive_ns)
        return x->entry.sum.exclusive_ns < y->entry.sum.exclusive_ns ? 1 : -1;
    if (x->entry.sum.count != y->entry.sum.count)
        return x->entry.sum.count < y->entry.sum.count ? 1 : -1;
    return (x->entry.id > y->entry.id) - (x->entry.id < y->entry.id);
}

struct pithi_legend_entry *pithi_legend_make(const struct pithlog *log, const struct pithi_cells *cells,
                                             int64_t span_ns, uint32_t *count)
{
    struct sorted *all = pithi_alloc(cells->defs, sizeof *all);
    struct pithi_legend_entry *entries = pithi_alloc(cells->defs, sizeof *entries);
    double whole = (double)span_ns * (cells->lanes ? cells->lanes : 1);

    *count = 0;
    for (uint32_t id = 0; id < cells->defs; id++) {
        if (!cells->sums[id].count)
            continue;
        all[*count].is_event = pithlog_get_def(log, id)->kind != PITHLOG_STATE;
        all[*count].entry.id = id;
        all[*count].entry.sum = cells->sums[id];
        all[(*count)++].entry.share = (double)cells->sums[id].exclusive_ns / whole;
    }
    qsort(all, *count, sizeof *all, by_weight);
    for (uint32_t i = 0; i < *count; i++)
        entries[i] = all[i].entry;
    free(all);
    return entries;
}

static int hosts_differ(const struct pithlog *log)
{
    const struct pithlog_lane *first = pithlog_get_lane(log, 0), *lane;

    for (uint32_t i = 1; (lane = pithlog_get_lane(log, i)); i++)
        if (strcmp(lane->host, first->host) != 0)
            return 1;
    return 0;
}

char *pithi_def_label(const struct pithlog *log, uint32_t id, char *label, size_t size)
{
    return pithi_clean(label, size, pithlog_get_def(log, id)->name, 0);
}

static void lane_label(const struct pithlog *log, const struct pithlog_lane *lane, char *label, size_t size)
{
    int hosts = hosts_differ(log);
    char place[48];

    if (lane->thread)
        snprintf(place, sizeof place, "%" PRId32 ".%" PRIu32, lane->rank, lane->thread);
    else
        snprintf(place, sizeof place, "rank %" PRId32, lane->rank);
    snprintf(label, size, "%s%s%s%s%s", place, lane->name[0] ? " " : "", lane->name, hosts ? "  " : "",
             hosts ? lane->host : "");
}

void pithi_row_label(const struct pithlog *log, struct pithi_row row, char *label, size_t size)
{
    char raw[256];

    if (row.label) {
        snprintf(raw, sizeof raw, "%s", row.label);
    } else if (row.counter != PITHI_NONE) {
        const struct pithlog_def *def = pithlog_get_def(log, row.counter);
        snprintf(raw, sizeof raw, def->format[0] ? "%s [%s]" : "%s", def->name, def->format);
    } else {
        lane_label(log, pithlog_get_lane(log, row.lane), raw, sizeof raw);
    }
    pithi_clean(label, size, raw, 0);
}

void pithi_row_place(const struct pithlog *log, const struct pithi_row *row, char *text, size_t size)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);
    const struct pithlog_lane *lane = pithlog_get_lane(log, lanes[0]);
    int32_t low = lane->rank, high = lane->rank;

    for (uint32_t i = 1; i < count; i++) {
        int32_t rank = pithlog_get_lane(log, lanes[i])->rank;
        low = rank < low ? rank : low;
        high = rank > high ? rank : high;
    }
    if (low < high)
        snprintf(text, size, "ranks %" PRId32 " to %" PRId32, low, high);
    else if (count == 1 && lane->thread)
        snprintf(text, size, "rank %" PRId32 " thread %" PRIu32, low, lane->thread);
    else
        snprintf(text, size, "rank %" PRId32, low);
}

void pithi_number_text(uint64_t number, char *text, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t out = 0;

    for (int i = 0; i < length && out + 5 < size; i++) {
        if (i && (length - i) % 3 == 0) {
            memcpy(text + out, "\xe2\x80\x89", 3);
            out += 3;
        }
        text[out++] = digits[i];
    }
    text[out] = 0;
}
