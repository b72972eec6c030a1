/* terminal_table.c - the table of `pith draw --stats`: definitions with their counts and times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/arrows.h"
#include "core/axis.h"
#include "core/legend.h"
#include "core/words.h"
#include "draw/draw.h"

static int is_state(const struct pithi_draw *draw, const struct pithi_legend_entry *entry)
{
    return pithlog_get_def(draw->log, entry->id)->kind == PITHLOG_STATE;
}

static int name_width(const struct pithi_draw *draw, const struct pithi_legend_entry *entries, uint32_t count)
{
    int widest = 8;
    char name[48];

    for (uint32_t i = 0; i < count; i++) {
        int columns =
            pithi_columns(pithi_clean(name, sizeof name, pithlog_get_def(draw->log, entries[i].id)->name, draw->ascii));
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static void print_name(const char *name, int width) { printf("%s%*s", name, width - pithi_columns(name), ""); }

static void print_line(const struct pithi_draw *draw, const struct pithi_legend_entry *entry, int width)
{
    char name[48], inclusive[32], exclusive[32];

    print_name(pithi_clean(name, sizeof name, pithlog_get_def(draw->log, entry->id)->name, draw->ascii), width);
    printf(" %12" PRIu64, entry->sum.count);
    if (is_state(draw, entry)) {
        pithi_duration_text(entry->sum.inclusive_ns, inclusive, sizeof inclusive);
        pithi_duration_text(entry->sum.exclusive_ns, exclusive, sizeof exclusive);
        printf(" %11s %11s %6.1f%%", inclusive, exclusive, entry->share * 100);
    }
    putchar('\n');
}

/* Counts the messages between the visible lanes that reach into the window. */
static uint64_t count_messages(const struct pithi_draw *draw)
{
    uint32_t lanes = pithlog_get_info(draw->log)->lanes;
    uint32_t *row_of_lane = pithi_rows_of_lanes(draw->log, draw->rows, draw->row_count);
    struct pithi_arrows_query query = {
        .t0_ns = draw->t0_ns, .t1_ns = draw->t1_ns, .width = 1, .row_of_lane = row_of_lane, .lane_count = lanes};
    struct pithi_arrows arrows = {0};
    uint64_t total;

    pithi_arrows_load(draw->picked ? draw->picked : draw->digest, &query, &arrows);
    total = arrows.total;
    pithi_arrows_free(&arrows);
    free(row_of_lane);
    return total;
}

void pithi_draw_table(const struct pithi_draw *draw, const struct pithi_legend_entry *entries, uint32_t count)
{
    int width = name_width(draw, entries, count);

    printf("\n%*s %12s %11s %11s %7s\n", width, "", "count", "total", "self", "share");
    for (uint32_t i = 0; i < count; i++)
        print_line(draw, &entries[i], width);
    print_name("messages", width);
    printf(" %12" PRIu64 "\n", count_messages(draw));
}
