/* stat_longest.c - lists the longest instances of states. */
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
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
    {"name", PITHI_CELL_TEXT, 0},    {"group", PITHI_CELL_TEXT, 1},   {"rank", PITHI_CELL_COUNT, 0},
    {"thread", PITHI_CELL_COUNT, 0}, {"begin", PITHI_CELL_MOMENT, 0}, {"length", PITHI_CELL_TIME, 0},
    {"self", PITHI_CELL_TIME, 0},
};

int pithi_stat_longest(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct longest l = {.most = query->longest};
    struct pithi_stat_pass pass = {.log = log, .query = query, .instance = take, .context = &l};
    int err;

    TRY(pithi_table_new(table, columns, sizeof columns / sizeof *columns));
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
    }
out:
    free(l.heap);
    return err;
}
