/* stat_samples.c - `pith stat --by function`, `--by callpath` and `--by statepath`: prints the time that the program
 * spent in its functions and call paths, from samples, and the time of its states by the states around them.
 *
 * All samples make one tree of call paths. A sample stands for the time since the previous sample of its thread, by
 * the clock of the samples: CPU time or wall-clock time. The first sample of a lane stands for one period.
 *
 *     samples of 10 ms each            the tree               self    all
 *     main step solve                  main                     10     40
 *     main step solve                    step                    0     30
 *     main                                 solve                20     20
 *     main step send                       send                 10     10
 *
 * While the log is read, a sample adds only to the node of its innermost function. The sums of the callers are computed
 * once at the end, from the last node to the first. A node always has a higher number than its caller, so the node's
 * sum is complete when it is added to that of its caller. The cost of a sample does not grow with the number of
 * samples, and memory grows only with the number of different paths.
 *
 * States make a tree of the same form, from the intervals in which they are open. The times in this tree are exact. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/out.h"
#include "base/pair_map.h"
#include "native/log.h"
#include "symbols/call_stack.h"
#include "symbols/flame_log.h"
#include "tools/outfile.h"
#include "tools/stat_pass.h"

#define ROOT UINT32_MAX

struct node {
    uint32_t parent, function;       /* function: in a tree of states, the state's id; the number of definitions means
                                        the time outside all states */
    uint64_t samples, all_samples;   /* samples whose path ends here (or instances of the state); all_samples: also
                                        those whose path goes on from here */
    int64_t self_ns, all_ns, cpu_ns; /* cpu_ns: the CPU time of self_ns */
    int64_t lane_ns;                 /* the part of self_ns on the lane `lane` of struct paths */
};

struct paths {
    struct pithlog *log;
    struct pithi_sample_names *names; /* NULL: a tree of states */
    const struct pithi_stat_query *query;
    struct pithi_pair_map map; /* from (parent, function) to an index into `nodes`; a parent has a lower index */
    struct node *nodes;
    uint32_t room;
    struct pithi_sample_last *last; /* [lane]: its last sample */
    uint32_t lane;                  /* the lane whose time is in the `lane_ns` of the nodes */
    int64_t sum_ns;
    double squares; /* sum of the squares of the samples' times */
    struct pithi_sample sample;
    struct pithi_call_stack stack;
};

/* Replaces *node by its child for `function`. Makes the child if the path is new. Nodes are never removed. */
static int go_down(struct paths *p, uint32_t *node, uint32_t function)
{
    uint32_t parent = *node, before = p->map.count;
    int err = pithi_pair_number(&p->map, parent, function, node);

    if (err || p->map.count == before)
        return err;
    if (!pithi_grow(&p->nodes, *node, &p->room, sizeof *p->nodes))
        return pithi_no_memory();
    p->nodes[*node] = (struct node){.parent = parent, .function = function};
    return PITH_OK;
}

static int take(void *context, const struct pithlog_record *r)
{
    struct paths *p = context;
    uint32_t node = ROOT;
    struct pithi_sample_length length;

    if (!pithi_sample_read(p->names, r, &p->sample))
        return PITH_OK;
    /* The sample stands for the time since the previous sample of this lane. */
    length = pithi_sample_length(p->names, r, &p->sample, &p->last[r->lane]);
    p->last[r->lane] = (struct pithi_sample_last){p->sample.cpu_ns, r->time_ns, 1};
    /* Follows the path in the tree, from the outermost function to the innermost. */
    CHECK(pithi_call_stack_read(p->names, r, &p->sample, p->query->all_frames, &p->stack));
    for (uint32_t i = 0; i < p->stack.count; i++)
        CHECK(go_down(p, &node, p->stack.calls[i].function));
    /* A sample without any function has no node, so it is not counted. */
    if (node == ROOT)
        return PITH_OK;
    p->nodes[node].samples++;
    p->nodes[node].self_ns += length.ns;
    p->nodes[node].cpu_ns += length.cpu_ns;
    if (r->lane == p->lane)
        p->nodes[node].lane_ns += length.ns;
    p->sum_ns += length.ns;
    /* spread(), below, needs the sum of the squares. */
    p->squares += (double)length.ns * (double)length.ns;
    return PITH_OK;
}

/* Computes the sums of all nodes, from the last node to the first. A node comes after its caller, so the node's sum is
 * complete when it is added to that of its caller. */
static void add_callees(struct paths *p)
{
    for (uint32_t i = 0; i < p->map.count; i++) {
        p->nodes[i].all_samples = p->nodes[i].samples;
        p->nodes[i].all_ns = p->nodes[i].self_ns;
    }
    for (uint32_t i = p->map.count; i-- > 0;)
        if (p->nodes[i].parent != ROOT) {
            p->nodes[p->nodes[i].parent].all_samples += p->nodes[i].all_samples;
            p->nodes[p->nodes[i].parent].all_ns += p->nodes[i].all_ns;
        }
}

static int gather(struct paths *p)
{
    const struct pithi_stat_query *query = p->query;
    struct pithlog_query all = {.from_ns = query->from_ns,
                                .to_ns = query->to_ns,
                                .lanes = query->lanes,
                                .lane_count = query->lane_count,
                                .kinds = 1u << PITHLOG_EVENT};
    uint32_t lanes = pithlog_get_info(p->log)->lanes;
    int err = pithi_sample_names_open(p->log, PITHI_NEED_SAMPLES, &p->names);

    if (err)
        return err;
    if (!(p->last = calloc(lanes + (size_t)1, sizeof *p->last)))
        return pithi_no_memory();
    if ((err = pithi_stat_each_record(p->log, &all, take, NULL, p)) != PITH_OK)
        return err;
    add_callees(p);
    return PITH_OK;
}

/* ---- States inside each other ------------------------------------------------------------------------------------ */

/* The nodes of the states that are open in a lane. */
struct lane_path {
    uint32_t *nodes;      /* nodes[d]: the node for the path of the outermost d + 1 open states */
    uint32_t known, room; /* known: how many entries of `nodes` are valid */
};

struct state_paths {
    struct paths *paths;
    struct lane_path *lanes;
};

/* The callback for a step of the walk. Adds the step's length to the path of the states that are open in it, and counts
 * an instance if a state begins at its end. */
static int take_step(void *context, const struct pithlog_step *step)
{
    const struct state_paths *s = context;
    struct paths *p = s->paths;
    struct lane_path *lane = &s->lanes[step->lane];
    int64_t length_ns = step->is == PITHLOG_IS_HOLE ? 0 : step->to_ns - step->from_ns;
    uint32_t node = ROOT;

    /* The first step->kept states are still open, so their nodes stay valid. The nodes of the others are found anew. */
    lane->known = lane->known < step->kept ? lane->known : step->kept;
    if (length_ns <= 0 && step->change != PITHLOG_BEGINS) /* makes no node for a path without time and instances */
        return PITH_OK;
    for (; lane->known < step->depth; lane->known++) {
        node = lane->known ? lane->nodes[lane->known - 1] : ROOT;
        CHECK(go_down(p, &node, step->open[lane->known].id));
        if (!pithi_grow(&lane->nodes, lane->known, &lane->room, sizeof *lane->nodes))
            return pithi_no_memory();
        lane->nodes[lane->known] = node;
    }
    node = step->depth > 0 ? lane->nodes[step->depth - 1] : ROOT;
    /* The time outside all states gets a path of its own. */
    if (length_ns > 0 && node == ROOT) {
        uint32_t outside = ROOT;
        CHECK(go_down(p, &outside, pithlog_get_info(p->log)->defs));
        p->nodes[outside].self_ns += length_ns;
    } else if (length_ns > 0) {
        p->nodes[node].self_ns += length_ns;
    }
    p->sum_ns += length_ns;
    if (step->change != PITHLOG_BEGINS)
        return PITH_OK;
    CHECK(go_down(p, &node, step->record->id));
    p->nodes[node].samples++;
    return PITH_OK;
}

static int gather_states(struct paths *p)
{
    uint32_t lanes = pithlog_get_info(p->log)->lanes;
    struct state_paths states = {.paths = p, .lanes = calloc(lanes + (size_t)1, sizeof *states.lanes)};
    struct pithi_stat_pass pass = {.log = p->log, .query = p->query, .step = take_step, .context = &states};
    int err = states.lanes ? pithi_stat_run(&pass) : pithi_no_memory();

    for (uint32_t i = 0; states.lanes && i < lanes; i++)
        free(states.lanes[i].nodes);
    free(states.lanes);
    add_callees(p);
    return err;
}

static void release(struct paths *p)
{
    pithi_sample_names_close(p->names);
    free(p->map.slots);
    free(p->nodes);
    free(p->last);
    free(p->stack.calls);
}

static const char *name_of(const struct paths *p, uint32_t function)
{
    if (p->names)
        return pithi_function_get(p->names, function)->name;
    return function < pithlog_get_info(p->log)->defs ? pithlog_get_def(p->log, function)->name : "computing";
}

static int64_t millionths(int64_t part, int64_t whole)
{
    return whole > 0 ? (int64_t)(1e6 * (double)part / (double)whole) : 0;
}

/* Returns the standard deviation of the share `part` / sum_ns, in millionths. For a share p that is estimated from n
 * samples it is sqrt(p (1 - p) / n). Samples that stand for times of different lengths count as fewer, as n = (sum of
 * the times)^2 / (sum of their squares): three samples of 1, 1 and 2 ms count as 16 / 6 = 2.7. */
static int64_t spread(const struct paths *p, int64_t part)
{
    double sum = (double)p->sum_ns, share = sum > 0 ? (double)part / sum : 0;
    return sum > 0 ? (int64_t)(1e6 * sqrt(share * (1 - share) * p->squares) / sum) : 0;
}

/* ---- By function ------------------------------------------------------------------------------------------------- */

struct row {
    uint32_t function;
    int is_there; /* 0: the function is in no path */
    uint64_t samples;
    int64_t self_ns, all_ns, cpu_ns; /* ns */
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    if (x->all_ns != y->all_ns)
        return x->all_ns > y->all_ns ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Returns 1 if the node's function is not among its callers. If it is, the node must not add to the function's total:
 * in the path main;f;g;f only the outer f does, as its time includes the inner f. */
static int is_outermost(const struct paths *p, const struct node *node)
{
    for (uint32_t up = node->parent; up != ROOT; up = p->nodes[up].parent)
        if (p->nodes[up].function == node->function)
            return 0;
    return 1;
}

/* For people the name is in the last column, as names in C++ may be longer than a line. For programs it stays in the
 * first column, so that programs written for an earlier version still work. */
static const struct pithi_table_column function_columns[] = {
    {"function", PITHI_CELL_TEXT, 1},     {"self", PITHI_CELL_TIME, 0},     {"self_share", PITHI_CELL_RATIO, 0},
    {"spread", PITHI_CELL_RATIO, 0},      {"cpu", PITHI_CELL_TIME, 0},      {"total", PITHI_CELL_TIME, 0},
    {"total_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0}, {"place", PITHI_CELL_TEXT, 0},
    {"module", PITHI_CELL_TEXT, 1},       {"function", PITHI_CELL_TEXT, 0},
};
enum { FUNCTION_COLUMNS = sizeof function_columns / sizeof *function_columns };

int pithi_stat_functions(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct paths p = {.log = log, .query = query};
    struct row *rows = NULL;
    uint32_t count;
    int err;

    TRY(pithi_table_new(table, function_columns, FUNCTION_COLUMNS - !query->for_people));
    TRY(gather(&p));
    count = pithi_function_count(p.names);
    if (!(rows = calloc(count + (size_t)1, sizeof *rows))) {
        err = pithi_no_memory();
        goto out;
    }
    for (uint32_t i = 0; i < count; i++)
        rows[i].function = i;
    /* Adds the node's numbers to the row of its function, which may have nodes in many paths. */
    for (uint32_t i = 0; i < p.map.count; i++) {
        struct row *row = &rows[p.nodes[i].function];
        row->is_there = 1;
        row->samples += p.nodes[i].samples;
        row->self_ns += p.nodes[i].self_ns;
        row->cpu_ns += p.nodes[i].cpu_ns;
        if (is_outermost(&p, &p.nodes[i]))
            row->all_ns += p.nodes[i].all_ns;
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (!row->is_there)
            continue;
        const struct pithi_function *f = pithi_function_get(p.names, row->function);
        char place[300];
        pithi_function_place(f, place, sizeof place);
        pithi_table_row(*table);
        pithi_table_text(*table, f->name);
        pithi_table_number(*table, row->self_ns);
        pithi_table_number(*table, millionths(row->self_ns, p.sum_ns));
        pithi_table_number(*table, spread(&p, row->self_ns));
        pithi_table_number(*table, row->cpu_ns);
        pithi_table_number(*table, row->all_ns);
        pithi_table_number(*table, millionths(row->all_ns, p.sum_ns));
        pithi_table_number(*table, (int64_t)row->samples);
        pithi_table_text(*table, place);
        pithi_table_text(*table, f->module);
        if (query->for_people)
            pithi_table_text(*table, f->name);
    }
out:
    release(&p);
    free(rows);
    return err;
}

/* ---- In which function a lane spends more time than the others --------------------------------------------------- */

int pithi_stat_longer(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, char *text, size_t size)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    uint32_t *lanes = calloc(info->lanes + (size_t)1, sizeof *lanes);
    struct pithi_stat_query query = {.from_ns = from_ns, .to_ns = to_ns, .lanes = lanes};
    struct paths p = {.log = log, .query = &query, .lane = lane};
    int64_t *differences = NULL; /* [function]: (self time of this lane - mean of the others) * (number of others) */
    int err = PITH_OK, sampled = 0;

    *text = '\0';
    for (uint32_t i = 0; i < info->defs; i++)
        sampled |= pithi_code_event(pithlog_get_def(log, i)) == PITHI_CODE_SAMPLE;
    /* Compares only lanes with the same thread number, so main threads with main threads. */
    for (uint32_t i = 0; lanes && i < info->lanes; i++)
        if (pithlog_get_lane(log, i)->thread == pithlog_get_lane(log, lane)->thread)
            lanes[query.lane_count++] = i;
    if (!sampled || query.lane_count < 2)
        goto out;
    TRY(gather(&p));
    if (!(differences = calloc(pithi_function_count(p.names) + (size_t)1, sizeof *differences)))
        TRY(pithi_no_memory());
    for (uint32_t i = 0; i < p.map.count; i++)
        differences[p.nodes[i].function] +=
            query.lane_count * p.nodes[i].lane_ns - p.nodes[i].self_ns; /* = (n - 1) * own time - sum of the others */
    if (!p.map.count)
        goto out;
    uint32_t function = 0, best = ROOT;
    const struct pithi_function *f;
    const char *slash;
    /* Finds the function with the largest difference. */
    for (uint32_t i = 1; i < pithi_function_count(p.names); i++)
        if (differences[i] > differences[function])
            function = i;
    /* A difference of less than ten samples may be chance, so it is not reported. The differences are multiplied by the
     * number of other lanes, so the limit is, too. */
    if (differences[function] < 10 * pithi_sample_period_ns(p.names) * (int64_t)(query.lane_count - 1))
        goto out;
    /* Finds the path of this function in which the lane spends most time; it tells the caller. */
    for (uint32_t i = 0; i < p.map.count; i++)
        if (p.nodes[i].function == function && (best == ROOT || p.nodes[i].lane_ns > p.nodes[best].lane_ns))
            best = i;
    /* Prints the name of the source file without its folders. */
    f = pithi_function_get(p.names, function);
    slash = f->source ? strrchr(f->source, '/') : NULL;
    snprintf(text, size, f->source ? "%.200s (%.200s:%d)" : "%.200s", f->name, slash ? slash + 1 : f->source, f->line);
    if (p.nodes[best].parent != ROOT)
        snprintf(text + strlen(text), size - strlen(text), ", called from %.200s",
                 name_of(&p, p.nodes[p.nodes[best].parent].function));
out:
    release(&p);
    free(differences);
    free(lanes);
    return err;
}

/* ---- By call path ------------------------------------------------------------------------------------------------ */

/* Returns the text of a path, "main;step;solve", malloc'ed. The text is written from its end, because a node knows only
 * its caller. */
static char *path_text(const struct paths *p, uint32_t node)
{
    size_t size = 0;
    char *text, *at;

    for (uint32_t i = node; i != ROOT; i = p->nodes[i].parent)
        size += strlen(name_of(p, p->nodes[i].function)) + 1;
    if (!(text = malloc(size + 1)))
        return NULL;
    at = text + size;
    for (uint32_t i = node; i != ROOT; i = p->nodes[i].parent) {
        const char *name = name_of(p, p->nodes[i].function);
        size_t length = strlen(name);
        *--at = i == node ? '\0' : ';';
        memcpy(at -= length, name, length);
        for (char *c = at; c < at + length; c++) /* as ';' separates functions, a ';' within a name is replaced */
            if (*c == ';')
                *c = ':';
    }
    return text;
}

static const struct pithi_table_column path_columns[] = {
    {"path", PITHI_CELL_TEXT, 0},  {"self", PITHI_CELL_TIME, 0},         {"self_share", PITHI_CELL_RATIO, 0},
    {"total", PITHI_CELL_TIME, 0}, {"total_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0},
};

/* For people the table is a tree. */
static const struct pithi_table_column tree_columns[] = {
    {"total", PITHI_CELL_TIME, 0},       {"total_share", PITHI_CELL_RATIO, 0}, {"self", PITHI_CELL_TIME, 0},
    {"self_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0},     {"function", PITHI_CELL_TEXT, 0},
};

struct path_row {
    const struct node *node;
    char *text;
};

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct path_row *)a)->text, ((const struct path_row *)b)->text);
}

static int sort_paths(const struct paths *p, struct path_row **rows)
{
    if (!(*rows = calloc(p->map.count + (size_t)1, sizeof **rows)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < p->map.count; i++) {
        (*rows)[i].node = &p->nodes[i];
        if (!((*rows)[i].text = path_text(p, i)))
            return pithi_no_memory();
    }
    qsort(*rows, p->map.count, sizeof **rows, compare_paths);
    return PITH_OK;
}

/* Compares two nodes for qsort: the callees of one caller come together, the one with the longest time first. */
static int compare_branches(const void *a, const void *b)
{
    const struct node *x = ((const struct path_row *)a)->node, *y = ((const struct path_row *)b)->node;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->all_ns != y->all_ns)
        return x->all_ns > y->all_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Adds a row for each path to the table, below the row of its caller and indented by its depth. Of the callees of a
 * caller, the one with the longest time comes first. In `rows` the callees of a caller are adjacent; those of node i
 * begin at rows[first[i] - 1]. */
static int put_tree(const struct paths *p, struct pithi_report *table)
{
    uint32_t count = p->map.count, depth = 0, roots = 0;
    struct path_row *rows = calloc(count + (size_t)1, sizeof *rows);
    uint32_t *first = calloc(count + (size_t)1, sizeof *first), *next = calloc(count + (size_t)1, sizeof *next);
    char indent[2 * 64 + 1], name[700];
    int err = rows && first && next ? PITH_OK : pithi_no_memory();

    for (uint32_t i = 0; !err && i < count; i++)
        rows[i].node = &p->nodes[i];
    if (!err)
        qsort(rows, count, sizeof *rows, compare_branches);
    /* Goes from the last row to the first, so the value that remains in first[] is that of the first callee. */
    for (uint32_t i = count; !err && i-- > 0;)
        if (rows[i].node->parent == ROOT)
            roots = i;
        else
            first[rows[i].node->parent] = i + 1;
    /* next[d] is the row to show next at depth d. All callees of a caller are shown when the next row has another
     * parent. */
    for (next[0] = roots; !err && count > 0;) {
        uint32_t at = next[depth];
        const struct node *node = at < count ? rows[at].node : NULL;
        uint32_t parent = depth > 0 ? (uint32_t)(rows[next[depth - 1] - 1].node - p->nodes) : ROOT;
        /* The caller has no more callees: goes back to the caller's depth. */
        if (!node || node->parent != parent) {
            if (depth-- == 0)
                break;
            continue;
        }
        next[depth]++;
        snprintf(indent, sizeof indent, "%*s", depth < 64 ? 2 * (int)depth : 128, "");
        snprintf(name, sizeof name, "%s%.500s", indent, name_of(p, node->function));
        pithi_table_row(table);
        pithi_table_number(table, node->all_ns);
        pithi_table_number(table, millionths(node->all_ns, p->sum_ns));
        pithi_table_number(table, node->self_ns);
        pithi_table_number(table, millionths(node->self_ns, p->sum_ns));
        pithi_table_number(table, (int64_t)node->samples);
        pithi_table_text(table, name);
        if (first[node - p->nodes])
            next[++depth] = first[node - p->nodes] - 1;
    }
    free(rows);
    free(first);
    free(next);
    return err;
}

static int table_of_paths(struct pithlog *log, const struct pithi_stat_query *query, int of_states,
                          struct pithi_report **table)
{
    enum { COLUMNS = sizeof path_columns / sizeof *path_columns };
    struct paths p = {.log = log, .query = query};
    struct pithi_table_column columns[COLUMNS];
    struct path_row *rows = NULL;
    int err;

    memcpy(columns, query->for_people ? tree_columns : path_columns, sizeof columns);
    for (int i = 0; i < COLUMNS && of_states; i++)
        columns[i].name = strcmp(columns[i].name, "samples") == 0    ? "count"
                          : strcmp(columns[i].name, "function") == 0 ? "state"
                                                                     : columns[i].name;
    TRY(pithi_table_new(table, columns, COLUMNS));
    TRY(of_states ? gather_states(&p) : gather(&p));
    if (query->for_people) {
        TRY(put_tree(&p, *table));
        goto out;
    }
    TRY(sort_paths(&p, &rows));
    for (uint32_t i = 0; i < p.map.count; i++) {
        pithi_table_row(*table);
        pithi_table_text(*table, rows[i].text);
        pithi_table_number(*table, rows[i].node->self_ns);
        pithi_table_number(*table, millionths(rows[i].node->self_ns, p.sum_ns));
        pithi_table_number(*table, rows[i].node->all_ns);
        pithi_table_number(*table, millionths(rows[i].node->all_ns, p.sum_ns));
        pithi_table_number(*table, (int64_t)rows[i].node->samples);
    }
out:
    for (uint32_t i = 0; rows && i < p.map.count; i++)
        free(rows[i].text);
    free(rows);
    release(&p);
    return err;
}

int pithi_stat_callpaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    return table_of_paths(log, query, 0, table);
}

int pithi_stat_statepaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    return table_of_paths(log, query, 1, table);
}

/* ---- Flame graphs ------------------------------------------------------------------------------------------------ */

struct flame {
    struct paths paths;
    struct path_row *rows; /* sorted by their text, so a path comes after the path of its caller */
    enum pithi_flame kind;
};

/* Writes the numbers of the functions of a path, from the outermost function to that of `node`. */
static void put_numbers(const struct paths *p, struct pithi_out *out, uint32_t node)
{
    if (p->nodes[node].parent != ROOT) {
        put_numbers(p, out, p->nodes[node].parent);
        pithi_out_char(out, ',');
    }
    pithi_out_u64(out, p->nodes[node].function);
}

/* Writes the format https://www.speedscope.app/file-format-schema.json. It is one profile, in which each path is a
 * sample; the weight of the sample is its time. Functions have numbers, and a sample is a list of these. */
static void put_speedscope(const struct flame *f, struct pithi_out *out)
{
    const struct paths *p = &f->paths;
    const char *comma = "";

    pithi_out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",");
    pithi_out_text(out, "\"exporter\":\"pith stat\",\"shared\":{\"frames\":[\n");
    for (uint32_t i = 0; i < pithi_function_count(p->names); i++, comma = ",\n") {
        const struct pithi_function *function = pithi_function_get(p->names, i);
        pithi_out_text(out, comma);
        pithi_out_text(out, "{\"name\":");
        pithi_out_quoted(out, PITHI_QUOTE_JSON, function->name);
        pithi_out_text(out, ",\"file\":");
        pithi_out_quoted(out, PITHI_QUOTE_JSON, function->source ? function->source : function->module);
        if (function->line > 0) {
            pithi_out_text(out, ",\"line\":");
            pithi_out_u64(out, (uint64_t)function->line);
        }
        pithi_out_char(out, '}');
    }
    pithi_out_text(out, "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"all lanes\",\"unit\":\"nanoseconds\",");
    pithi_out_text(out, "\"startValue\":0,\"endValue\":");
    pithi_out_i64(out, p->sum_ns);
    pithi_out_text(out, ",\"samples\":[\n");
    comma = "";
    for (uint32_t i = 0; i < p->map.count; i++)
        if (f->rows[i].node->samples > 0) {
            pithi_out_text(out, comma);
            pithi_out_char(out, '[');
            put_numbers(p, out, (uint32_t)(f->rows[i].node - p->nodes));
            pithi_out_char(out, ']');
            comma = ",\n";
        }
    /* Writes one weight for each sample above, in the same order as the samples. */
    pithi_out_text(out, "],\"weights\":[");
    comma = "";
    for (uint32_t i = 0; i < p->map.count; i++)
        if (f->rows[i].node->samples > 0) {
            pithi_out_text(out, comma);
            pithi_out_i64(out, f->rows[i].node->self_ns);
            comma = ",";
        }
    pithi_out_text(out, "]}]}\n");
}

enum { WIDE = 1200, HIGH = 18, LETTER = 7 }; /* pixels: width of the picture, height of a line, width of a letter */

/* Writes the flame graph as SVG. The outermost functions are on top; the width of a box is its share of the time. Boxes
 * below half a pixel are left out. */
static int put_svg(const struct flame *f, struct pithi_out *out)
{
    const struct paths *p = &f->paths;
    struct place {
        int64_t next_ns; /* at how many ns from the left edge the next callee begins */
        uint32_t depth;
    } *places = calloc(p->map.count + (size_t)1, sizeof *places);
    int64_t next_ns = 0;
    uint32_t deepest = 0;
    char text[400];

    if (!places)
        return pithi_no_memory();
    for (uint32_t i = 0; i < p->map.count; i++) {
        uint32_t parent = p->nodes[i].parent; /* a lower number than i, so its depth is set already */
        places[i].depth = parent == ROOT ? 0 : places[parent].depth + 1;
        if (places[i].depth > deepest)
            deepest = places[i].depth;
    }
    snprintf(text, sizeof text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" font-family=\"monospace\" "
             "font-size=\"11\">\n",
             WIDE, (deepest + 1) * HIGH);
    pithi_out_text(out, text);
    for (uint32_t i = 0; i < p->map.count; i++) {
        const struct node *node = f->rows[i].node;
        struct place *own = &places[node - p->nodes];
        int64_t *begin_ns = node->parent == ROOT ? &next_ns : &places[node->parent].next_ns;
        own->next_ns = *begin_ns;
        *begin_ns += node->all_ns;
        if (2 * WIDE * (double)node->all_ns < (double)p->sum_ns)
            continue;
        double left = WIDE * (double)own->next_ns / (double)p->sum_ns;
        const char *name = name_of(p, node->function);
        /* Computes how many letters fit into the box with a margin of 3 pixels at each side. */
        double share = (double)node->all_ns / (double)p->sum_ns;
        int letters = ((int)(WIDE * share) - 6) / LETTER;
        snprintf(text, sizeof text, "<g><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\"/><title>",
                 left, own->depth * HIGH, WIDE * share, HIGH - 1, pithi_function_rgb(node->function));
        pithi_out_text(out, text);
        pithi_out_quoted(out, PITHI_QUOTE_HTML, name);
        snprintf(text, sizeof text, " %.1f %%, %.3f s, itself %.3f s</title>", 100 * share, 1e-9 * (double)node->all_ns,
                 1e-9 * (double)node->self_ns);
        pithi_out_text(out, text);
        /* Writes no name if fewer than three letters fit, as they would say nothing. */
        if (letters >= 3) {
            int cut = (int)strlen(name) > letters;
            snprintf(text, sizeof text, "<text x=\"%.1f\" y=\"%u\">", left + 3, own->depth * HIGH + 13);
            pithi_out_text(out, text);
            snprintf(text, sizeof text, "%.*s%s", cut ? letters - 2 : letters, name, cut ? ".." : "");
            pithi_out_quoted(out, PITHI_QUOTE_HTML, text);
            pithi_out_text(out, "</text>");
        }
        pithi_out_text(out, "</g>\n");
    }
    pithi_out_text(out, "</svg>\n");
    free(places);
    return PITH_OK;
}

static int put_flame(void *context, FILE *file)
{
    const struct flame *f = context;
    struct pithi_out out;
    int err;

    if ((err = pithi_out_open(&out, file)) != PITH_OK)
        return err;
    if (f->kind == PITHI_FLAME_SPEEDSCOPE)
        put_speedscope(f, &out);
    else if (f->kind == PITHI_FLAME_SVG)
        err = put_svg(f, &out);
    /* Writes lines such as "main;solve 20", the form that flamegraph.pl and other tools read. Leaves out paths at which
     * no sample ends. */
    for (uint32_t i = 0; f->kind == PITHI_FLAME_FOLDED && i < f->paths.map.count; i++)
        if (f->rows[i].node->samples > 0) {
            pithi_out_text(&out, f->rows[i].text);
            pithi_out_char(&out, ' ');
            pithi_out_u64(&out, f->rows[i].node->samples);
            pithi_out_char(&out, '\n');
        }
    return pithi_out_close(&out, err);
}

/* The context that pithi_outfile_make passes to the function that writes the log of the functions. */
struct flame_source {
    struct pithlog *log;
    struct pithi_flame_log *flame;
    struct pithlog_query samples;
};

static int fill_log(void *context, struct pithi_writer *writer)
{
    struct flame_source *source = context;

    CHECK(pithi_flame_log_begin(source->flame, writer));
    CHECK(pithi_stat_each_record(source->log, &source->samples, pithi_flame_log_take, NULL, source->flame));
    return pithi_flame_log_end(source->flame);
}

static int write_log(struct pithlog *log, const struct pithi_stat_query *query, const char *path)
{
    struct flame_source source = {.log = log,
                                  .samples = {.from_ns = query->from_ns,
                                              .to_ns = query->to_ns,
                                              .lanes = query->lanes,
                                              .lane_count = query->lane_count,
                                              .kinds = 1u << PITHLOG_EVENT}};
    int err;

    TRY(pithi_flame_log_open(log, &source.flame));
    TRY(pithi_outfile_make("stat", pithi_format_by_name("native"), path, fill_log, &source, 0));
out:
    pithi_flame_log_close(source.flame);
    return err;
}

int pithi_stat_flame(struct pithlog *log, const struct pithi_stat_query *query, enum pithi_flame kind, const char *path)
{
    struct flame f = {.paths = {.log = log, .query = query}, .kind = kind};
    int err;

    if (kind == PITHI_FLAME_LOG)
        return write_log(log, query, path);
    TRY(gather(&f.paths));
    TRY(sort_paths(&f.paths, &f.rows));
    err = path ? pithi_outfile_print("stat", path, put_flame, &f) : put_flame(&f, stdout);
out:
    for (uint32_t i = 0; f.rows && i < f.paths.map.count; i++)
        free(f.rows[i].text);
    free(f.rows);
    release(&f.paths);
    return err;
}
