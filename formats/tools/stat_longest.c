/* stat_longest.c - lists the longest instances of states. */
#include <stdlib.h>

#include "base/error.h"
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

static int add(struct longest *l, const struct pithi_stat_instance *instance)
{
    uint32_t at = l->count;

    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 64;
        struct pithi_stat_instance *heap = realloc(l->heap, room * sizeof *heap);
        if (!heap)
            return pithi_fail(PITH_ERR_MEMORY, "out of memory");
        l->heap = heap;
        l->room = room;
    }
    for (; at > 0 && comes_first(&l->heap[(at - 1) / 2], instance); at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = *instance;
    l->count++;
    return PITH_OK;
}

static void replace_shortest(struct longest *l, const struct pithi_stat_instance *instance)
{
    uint32_t at = 0, child;

    while ((child = 2 * at + 1) < l->count) {
        if (child + 1 < l->count && comes_first(&l->heap[child], &l->heap[child + 1]))
            child++;
        if (!comes_first(instance, &l->heap[child]))
            break;
        l->heap[at] = l->heap[child];
        at = child;
    }
    l->heap[at] = *instance;
}

static int take(void *context, const struct pithi_stat_instance *instance)
{
    struct longest *l = context;

    if (l->count < l->most)
        return add(l, instance);
    if (comes_first(instance, &l->heap[0]))
        replace_shortest(l, instance);
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
        TRY(pithi_table_row(*table));
        TRY(pithi_table_text(*table, def ? def->name : PITHI_COMPUTING_NAME));
        TRY(pithi_table_text(*table, def ? def->group : ""));
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
