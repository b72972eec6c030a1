/* stat_waits.c - makes the table of wait states: sums by state and kind of wait state.
 *
 * The whole log is analysed even if only a window of it is counted, because the cause of a wait state in the window may
 * lie before the window. Then the wait states are cut to the window: a wait state from 5 to 9 s counts 2 s in the
 * window from 7 to 20 s. */
#include <stdlib.h>

#include "base/error.h"
#include "tools/histogram.h"
#include "tools/progress.h"
#include "tools/stat.h"
#include "tools/tools.h"

int pithi_stat_each_wait(struct pithlog *log, const struct pithi_stat_query *query,
                         void (*add)(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns),
                         void *context)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_analyze_query whole = {
        .from_ns = info->start_ns, .to_ns = info->end_ns, .progress = pithi_progress_part};
    struct pithlog_analysis *analysis;
    int err;

    pithi_progress_begin_part("stat", info->bytes);
    err = pithlog_analyze(log, &whole, &analysis);
    pithi_progress_end();
    const struct pithlog_analysis_info *known = err ? NULL : pithlog_analysis_get_info(analysis);
    if (known && known->gaps)
        pithi_tool_say(stderr, "pith: note: records are missing; waiting is known only from %.6f s to %.6f s",
                       (double)known->from_ns / 1e9, (double)known->to_ns / 1e9);
    for (uint32_t lane = 0; !err && lane < info->lanes; lane++) {
        const struct pithlog_wait_state *waits;
        size_t count = query->wanted && !query->wanted[lane] ? 0 : pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            int64_t from_ns = waits[i].from_ns > query->from_ns ? waits[i].from_ns : query->from_ns;
            int64_t to_ns = waits[i].to_ns < query->to_ns ? waits[i].to_ns : query->to_ns;
            if (to_ns > from_ns)
                add(context, &waits[i], to_ns - from_ns);
        }
    }
    pithlog_analysis_free(analysis);
    return err;
}

/* A row of the table: the wait states of one kind in one state. */
struct waits {
    uint32_t state, kind;
    struct pithi_lengths lengths;
};

static void add_wait(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns)
{
    struct waits *rows = context;

    pithi_lengths_add(&rows[(size_t)wait->state * PITHLOG_WAIT_KINDS + wait->kind].lengths, wait_ns);
}

/* Compares two rows for qsort: the row with the longest sum comes first. */
static int compare(const void *a, const void *b)
{
    const struct waits *x = a, *y = b;

    if (x->lengths.sum != y->lengths.sum)
        return x->lengths.sum > y->lengths.sum ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static const struct pithi_table_column columns[] = {
    {"name", PITHI_CELL_TEXT, 0},   {"group", PITHI_CELL_TEXT, 1}, {"kind", PITHI_CELL_TEXT, 0},
    {"count", PITHI_CELL_COUNT, 0}, {"wait", PITHI_CELL_TIME, 0},  {"mean", PITHI_CELL_TIME, 0},
    {"max", PITHI_CELL_TIME, 0},
};

int pithi_stat_waits(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    size_t count = (size_t)pithlog_get_info(log)->defs * PITHLOG_WAIT_KINDS;
    struct waits *rows = calloc(count + 1, sizeof *rows);
    int err;

    if (!rows)
        return pithi_no_memory();
    for (size_t i = 0; i < count; i++) {
        rows[i].state = (uint32_t)(i / PITHLOG_WAIT_KINDS);
        rows[i].kind = (uint32_t)(i % PITHLOG_WAIT_KINDS);
    }
    TRY(pithi_table_new(table, columns, sizeof columns / sizeof *columns));
    TRY(pithi_stat_each_wait(log, query, add_wait, rows));
    qsort(rows, count, sizeof *rows, compare);
    for (size_t i = 0; rows[i].lengths.count; i++) { /* stops at a row without wait states; the last row has none */
        const struct pithlog_def *def = pithlog_get_def(log, rows[i].state);
        const struct waits *row = &rows[i];
        if (!pithi_stat_shows(query, def))
            continue;
        pithi_table_row(*table);
        pithi_table_text(*table, def->name);
        pithi_table_text(*table, def->group);
        pithi_table_text(*table, pithlog_wait_kind_name(row->kind));
        pithi_table_number(*table, (int64_t)row->lengths.count);
        pithi_table_number(*table, (int64_t)row->lengths.sum);
        pithi_table_number(*table, pithi_lengths_mean(&row->lengths));
        pithi_table_number(*table, row->lengths.max);
    }
out:
    free(rows);
    return err;
}
