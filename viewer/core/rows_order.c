/* rows_order.c - opens, hides, pins, moves and sorts the rows of the tree. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows.h"
#include "core/memory.h"

static void set_flag(struct pithi_rows *rows, uint32_t node, uint8_t flag, int on)
{
    if (on)
        rows->nodes[node].flags |= flag;
    else
        rows->nodes[node].flags &= (uint8_t)~flag;
}

void pithi_rows_set_open(struct pithi_rows *rows, uint32_t node, int on)
{
    if (on && rows->nodes[node].kind == PITHI_NODE_COMM)
        pithi_rows_build(rows, node);
    set_flag(rows, node, PITHI_NODE_OPEN, on && rows->nodes[node].flags & PITHI_NODE_BUILT);
}

static void open_below(struct pithi_rows *rows, uint32_t node, uint32_t depth, uint32_t level)
{
    if (node)
        pithi_rows_set_open(rows, node, depth < level);
    for (uint32_t i = 0; i < rows->nodes[node].child_count; i++)
        open_below(rows, rows->nodes[node].children[i], node ? depth + 1 : 0, level);
}

void pithi_rows_open_level(struct pithi_rows *rows, uint32_t level) { open_below(rows, 0, 0, level); }

void pithi_rows_set_hidden(struct pithi_rows *rows, uint32_t node, int on)
{
    set_flag(rows, node, PITHI_NODE_HIDDEN, on);
}

static void unfold_lane(struct pithi_node *node, const struct pithi_unfolding *unfolding)
{
    int64_t from_ns = unfolding->from_ns, to_ns = unfolding->to_ns;
    uint32_t levels = pithi_lane_levels(unfolding->log, unfolding->summary, node->lane, from_ns, to_ns);

    node->bands = levels ? (uint8_t)levels : 1;
    if (unfolding->flames)
        node->flames = (uint8_t)pithi_lane_levels(unfolding->flames->log, NULL, node->lane, from_ns, to_ns);
}

void pithi_rows_unfold(struct pithi_rows *rows, uint32_t number, int on, const struct pithi_unfolding *unfolding)
{
    struct pithi_node *node = &rows->nodes[number];

    if (node->kind == PITHI_NODE_RANK || node->kind == PITHI_NODE_THREAD) {
        node->bands = on != 0;
        node->flames = 0;
        if (on && unfolding)
            unfold_lane(node, unfolding);
    }
    for (uint32_t i = 0; node->kind < PITHI_NODE_RANK && i < node->child_count; i++)
        pithi_rows_unfold(rows, node->children[i], on, unfolding);
}

void pithi_rows_show_all(struct pithi_rows *rows)
{
    for (uint32_t i = 1; i < rows->node_count; i++)
        set_flag(rows, i, PITHI_NODE_HIDDEN, 0);
}

/* Returns 1 if the node or a node below it is wanted. */
static int show_wanted(struct pithi_rows *rows, const unsigned char *wanted, uint32_t node)
{
    int some = wanted[node];

    for (uint32_t i = 0; i < rows->nodes[node].child_count && !wanted[node]; i++)
        some |= show_wanted(rows, wanted, rows->nodes[node].children[i]);
    set_flag(rows, node, PITHI_NODE_HIDDEN, node && !some);
    return some;
}

void pithi_rows_show_only(struct pithi_rows *rows, const uint32_t *nodes, uint32_t count)
{
    unsigned char *wanted = pithi_alloc(rows->node_count, 1);

    for (uint32_t i = 0; i < count; i++)
        wanted[nodes[i]] = 1;
    show_wanted(rows, wanted, 0);
    free(wanted);
}

/* A rank in several communicators has several nodes, but one pinned row is enough. */
static int is_pinned_elsewhere(const struct pithi_rows *rows, uint32_t node)
{
    for (uint32_t i = 0; i < rows->pin_count; i++) {
        const struct pithi_node *pin = &rows->nodes[rows->pins[i]];
        if (pin->lane != PITHI_NONE && pin->kind == rows->nodes[node].kind && pin->lane == rows->nodes[node].lane &&
            pin->id == rows->nodes[node].id)
            return 1;
    }
    return 0;
}

void pithi_rows_set_pinned(struct pithi_rows *rows, uint32_t node, int on)
{
    uint32_t at = 0;

    if (!(rows->nodes[node].flags & PITHI_NODE_PINNED) == !on || (on && is_pinned_elsewhere(rows, node)))
        return;
    set_flag(rows, node, PITHI_NODE_PINNED, on);
    if (on) {
        rows->pins = pithi_view_grow(rows->pins, &rows->pin_capacity, rows->pin_count + 1, sizeof *rows->pins);
        rows->pins[rows->pin_count++] = node;
    } else {
        while (rows->pins[at] != node)
            at++;
        memmove(rows->pins + at, rows->pins + at + 1, (--rows->pin_count - at) * sizeof *rows->pins);
    }
    if (*rows->pattern)
        pithi_rows_filter(rows, rows->pattern);
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

static uint32_t place_of(const uint32_t *list, uint32_t count, uint32_t node)
{
    uint32_t at = 0;

    while (at < count && list[at] != node)
        at++;
    return at;
}

static int move_in(uint32_t *list, uint32_t count, uint32_t node, uint32_t target, int behind)
{
    uint32_t from = place_of(list, count, node), to = place_of(list, count, target);

    if (from == count || to == count)
        return -1;
    memmove(list + from, list + from + 1, (count - from - 1) * sizeof *list);
    to = to > from ? to - 1 : to;
    to += node != target && behind;
    memmove(list + to + 1, list + to, (count - to - 1) * sizeof *list);
    list[to] = node;
    return 0;
}

/* The pinned node that is `node` or contains it; 0: none. */
static uint32_t pinned_around(const struct pithi_rows *rows, uint32_t node)
{
    while (node && !(rows->nodes[node].flags & PITHI_NODE_PINNED))
        node = rows->nodes[node].parent;
    return node;
}

int pithi_rows_move(struct pithi_rows *rows, uint32_t node, uint32_t target, int behind)
{
    struct pithi_node *parent = &rows->nodes[rows->nodes[node].parent];

    if (rows->nodes[node].flags & PITHI_NODE_PINNED)
        return move_in(rows->pins, rows->pin_count, node, pinned_around(rows, target), behind);
    while (target && rows->nodes[target].parent != rows->nodes[node].parent)
        target = rows->nodes[target].parent;
    /* Counters stay above threads. */
    if (!target || (rows->nodes[node].kind == PITHI_NODE_COUNTER) != (rows->nodes[target].kind == PITHI_NODE_COUNTER))
        return -1;
    parent->flags |= PITHI_NODE_ARRANGED;
    return move_in(parent->children, parent->child_count, node, target, behind);
}

void pithi_rows_arrange(struct pithi_rows *rows, uint32_t parent, const uint32_t *order, uint32_t count)
{
    struct pithi_node *node = &rows->nodes[parent];
    unsigned char *placed = pithi_alloc(rows->node_count, 1);
    uint32_t *children = pithi_alloc(node->child_count, sizeof *children), next = 0;

    for (uint32_t i = 0; i < count; i++)
        if (order[i] && rows->nodes[order[i]].parent == parent && !placed[order[i]]) {
            placed[order[i]] = 1;
            children[next++] = order[i];
        }
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!placed[node->children[i]])
            children[next++] = node->children[i];
    if (next)
        memcpy(node->children, children, next * sizeof *children);
    node->flags |= PITHI_NODE_ARRANGED;
    free(children);
    free(placed);
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

struct sort_key {
    uint32_t node, place; /* original place, so that the sort is stable */
    int counter;
    double value;
    char *name; /* NULL: by value */
};

struct sorting {
    struct pithi_rows *rows;
    enum pithi_rows_order order;
    const double *value;
    int falling;
};

/* Compares names with the numbers in them as numbers: node2 comes before node10. */
static int natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            size_t x, y;
            int order;
            a += strspn(a, "0"), b += strspn(b, "0");
            x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
            if (x != y)
                return x < y ? -1 : 1;
            if ((order = strncmp(a, b, x)) != 0)
                return order;
            a += x, b += y;
        } else if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
            return tolower((unsigned char)*a) < tolower((unsigned char)*b) ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int by_key(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int order = y->counter - x->counter; /* first */

    if (!order && x->name)
        order = natural(x->name, y->name);
    else if (!order)
        order = (x->value > y->value) - (x->value < y->value);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_key_falling(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    struct sort_key p = *x, q = *y;

    /* Reverses only the order of values; counters and nodes with equal values keep their order. */
    p.counter = y->counter, q.counter = x->counter;
    p.place = y->place, q.place = x->place;
    return by_key(&q, &p);
}

static double value_below(const struct sorting *sorting, uint32_t number, uint32_t *lanes)
{
    const struct pithi_node *node = &sorting->rows->nodes[number];
    int has_lane = node->kind == PITHI_NODE_RANK || node->kind == PITHI_NODE_THREAD;
    double value = has_lane ? sorting->value[node->lane] : 0;

    *lanes += (uint32_t)has_lane;
    for (uint32_t i = 0; i < node->child_count; i++)
        value += value_below(sorting, node->children[i], lanes);
    return value;
}

static struct sort_key key_of(const struct sorting *sorting, uint32_t number, uint32_t place)
{
    const struct pithi_node *node = &sorting->rows->nodes[number];
    struct sort_key key = {.node = number, .place = place, .counter = node->kind == PITHI_NODE_COUNTER};
    uint32_t lanes = 0;
    char label[256];

    if (sorting->order == PITHI_ORDER_NAME)
        key.name = strdup(pithi_rows_label(sorting->rows, number, label, sizeof label));
    else if (key.counter)
        key.value = node->id;
    else if (sorting->order == PITHI_ORDER_RANK) /* lane numbers rise with rank and thread */
        key.value = node->kind == PITHI_NODE_COMM ? node->id : node->lane;
    else
        key.value = value_below(sorting, number, &lanes);
    if (sorting->order == PITHI_ORDER_MEAN && lanes)
        key.value /= lanes;
    return key;
}

static void sort_children(const struct sorting *sorting, uint32_t number)
{
    struct pithi_node *node = &sorting->rows->nodes[number];
    struct sort_key *keys = pithi_alloc(node->child_count, sizeof *keys);

    for (uint32_t i = 0; i < node->child_count; i++)
        keys[i] = key_of(sorting, node->children[i], i);
    qsort(keys, node->child_count, sizeof *keys, sorting->falling ? by_key_falling : by_key);
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (node->children[i] != keys[i].node)
            node->flags |= PITHI_NODE_ARRANGED;
        node->children[i] = keys[i].node;
        free(keys[i].name);
    }
    free(keys);
    for (uint32_t i = 0; i < node->child_count; i++)
        if (sorting->rows->nodes[node->children[i]].child_count)
            sort_children(sorting, node->children[i]);
}

void pithi_rows_sort(struct pithi_rows *rows, enum pithi_rows_order order, const double *value, int falling)
{
    struct sorting sorting = {rows, order, value, falling};

    for (uint32_t i = 0; i < rows->nodes[0].child_count; i++)
        if (rows->nodes[rows->nodes[0].children[i]].kind == PITHI_NODE_COMM)
            pithi_rows_build(rows, rows->nodes[0].children[i]);
    sort_children(&sorting, 0);
}

/* ---- Numbers to sort by ------------------------------------------------------------------------------------------ */

/* Uses a query without columns, which computes only sums. */
static int stat_of_states(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value)
{
    struct pithi_query query = {.t0_ns = question->t0_ns,
                                .t1_ns = question->t1_ns,
                                .levels = 1,
                                .lanes = &lane,
                                .lane_count = 1,
                                .summary = question->summary};
    struct pithi_cells cells = {0};
    int err = pithi_query_run(log, &query, &cells);

    for (uint32_t id = 0; id < cells.defs; id++) {
        const struct pithi_sum *sum = &cells.sums[id];
        if (question->chosen[id])
            *value += question->stat == PITHI_STAT_COUNT       ? (double)sum->count
                      : question->stat == PITHI_STAT_INCLUSIVE ? (double)sum->inclusive_ns
                                                               : (double)sum->exclusive_ns;
    }
    pithi_cells_free(&cells);
    return err;
}

static int stat_of_messages(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane,
                            double *value)
{
    struct pithlog_query records = {.from_ns = question->t0_ns,
                                    .to_ns = question->t1_ns - 1,
                                    .lanes = &lane,
                                    .lane_count = 1,
                                    .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, damages = 0, err = pithlog_iter_open(log, &records, &iter);

    if (err)
        return err;
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0;
        if (more == 1 && record.peer >= 0) /* a receive without a message has no peer */
            *value += question->stat == PITHI_STAT_BYTES ? (double)record.bytes : 1;
    }
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

static uint32_t levels_of_paths(const struct pithlog_path *paths, uint32_t count)
{
    uint8_t *depths = pithi_alloc(count, 1);
    uint32_t most = 0;

    for (uint32_t path = 1; path < count && most < PITHI_LEVELS; path++) { /* parents come first */
        depths[path] = (uint8_t)(depths[paths[path].parent] + 1);
        most = depths[path] > most ? depths[path] : most;
    }
    free(depths);
    return most;
}

uint32_t pithi_lane_levels(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns,
                           int64_t to_ns)
{
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1};
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    uint32_t most = 0, all = PITHI_LEVELS, count = 0, damages = 0;
    const struct pithlog_path *paths = summary ? pithlog_summary_paths(summary, lane, &count) : NULL;
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, has_begun = 0;

    if (paths && count <= UINT16_MAX - 2) { /* of more paths, the last stands for deeper ones */
        all = levels_of_paths(paths, count);
        if (from_ns <= of->first_ns && to_ns > of->last_ns)
            return all;
    }
    if (pithlog_walk_open(log, &query, &walk))
        return 0;
    while (most < all && (status = pithlog_walk_next(walk, &step)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += status < 0;
        if (status < 0 || step.is == PITHLOG_IS_HOLE || step.from_ns >= to_ns)
            continue;
        /* Of intervals without length, those after the begin of a state count: it may end at the same time. */
        if ((step.from_ns < step.to_ns || has_begun) && step.depth > most)
            most = step.depth;
        has_begun = step.change == PITHLOG_BEGINS && step.why == 0;
    }
    pithlog_walk_close(walk);
    return most < all ? most : all;
}

int pithi_lane_stat(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value)
{
    *value = 0;
    if (question->stat == PITHI_STAT_MESSAGES || question->stat == PITHI_STAT_BYTES)
        return stat_of_messages(log, question, lane, value);
    return stat_of_states(log, question, lane, value);
}
