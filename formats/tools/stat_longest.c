/* stat_longest.c - lists the longest instances of states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "tools/progress.h"
#include "tools/stat_pass.h"

/* A heap with the shortest of the longest in front. */
struct longest {
    struct pithi_stat_instance *heap;
    uint32_t count, room, most;
};

/* 1: x comes before y in the list: it is longer, or began earlier. */
static int comes_first(const struct pithi_stat_instance *x, const struct pithi_stat_instance *y)
{
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns;
    return x->lane != y->lane ? x->lane < y->lane : x->id < y->id;
}

static int compare(const void *a, const void *b) { return comes_first(a, b) ? -1 : comes_first(b, a); }

static int is_shorter(const void *a, const void *b) { return comes_first(b, a); }

static int take(void *context, const struct pithi_stat_instance *instance)
{
    struct longest *l = context;

    if (l->count == l->most) {
        if (comes_first(instance, &l->heap[0]))
            pithi_heap_replace(l->heap, l->count, instance, sizeof *instance, is_shorter);
        return PITH_OK;
    }
    if (!pithi_grow(&l->heap, l->count, &l->room, sizeof *l->heap))
        return pithi_no_memory();
    pithi_heap_add(l->heap, &l->count, instance, sizeof *instance, is_shorter);
    return PITH_OK;
}

static const struct pithi_table_column columns[] = {
    {"name", PITHI_CELL_TEXT, 0},    {"group", PITHI_CELL_TEXT, 1},     {"rank", PITHI_CELL_COUNT, 0},
    {"thread", PITHI_CELL_COUNT, 0}, {"begin", PITHI_CELL_MOMENT, 0},   {"length", PITHI_CELL_TIME, 0},
    {"self", PITHI_CELL_TIME, 0},    {"iteration", PITHI_CELL_TEXT, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Finds the iterations of a program with MPI calls; *iterations is NULL if there are none. Valid as long as the
 * analysis. */
static int find_iterations(struct pithlog *log, struct pithlog_analysis **analysis,
                           const struct pithlog_iterations **iterations)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_analyze_query whole = {INT64_MIN, INT64_MAX, pithi_progress_part, NULL};
    uint32_t i = 0;
    int err;

    while (i < info->defs && strncmp(pithlog_get_def(log, i)->name, "MPI", 3) != 0)
        i++;
    if (i == info->defs)
        return PITH_OK;
    pithi_progress_begin_part("stat", info->bytes);
    err = pithlog_analyze(log, &whole, analysis);
    pithi_progress_end();
    if (err == PITH_OK)
        err = pithlog_analysis_iterations(*analysis, UINT32_MAX, iterations);
    if (err == PITH_OK && !(*iterations)->count)
        *iterations = NULL;
    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

/* The number of the iteration that contains a moment, from 1; 0: none. */
static size_t iteration_at(const struct pithlog_iterations *iterations, int64_t ns)
{
    size_t low = 0, high = iterations->count;

    while (low < high) { /* the iterations before `low` begin at or before the moment */
        size_t middle = low + (high - low) / 2;
        if (iterations->all[middle].from_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && ns < iterations->all[low - 1].to_ns ? low : 0;
}

int pithi_stat_longest(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct longest l = {.most = query->longest};
    struct pithi_stat_pass pass = {.log = log, .query = query, .instance = take, .context = &l};
    struct pithlog_analysis *analysis = NULL;
    const struct pithlog_iterations *iterations = NULL;
    char text[24];
    int err;

    TRY(find_iterations(log, &analysis, &iterations));
    TRY(pithi_table_new(table, columns, COLUMNS - !iterations));
    TRY(pithi_stat_run(&pass));
    if (l.count)
        qsort(l.heap, l.count, sizeof *l.heap, compare);
    for (uint32_t i = 0; i < l.count; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, l.heap[i].id);
        const struct pithlog_lane *lane = pithlog_get_lane(log, l.heap[i].lane);
        pithi_table_row(*table);
        pithi_table_text(*table, def ? def->name : PITHI_COMPUTING_NAME);
        pithi_table_text(*table, def ? def->group : "");
        pithi_table_number(*table, lane->rank);
        pithi_table_number(*table, lane->thread);
        pithi_table_number(*table, l.heap[i].begin_ns);
        pithi_table_number(*table, l.heap[i].length_ns);
        pithi_table_number(*table, l.heap[i].self_ns);
        if (!iterations)
            continue;
        size_t number = iteration_at(iterations, l.heap[i].begin_ns);
        snprintf(text, sizeof text, "%zu", number);
        pithi_table_text(*table, number ? text : "");
    }
out:
    pithlog_analysis_free(analysis);
    free(l.heap);
    return err;
}
