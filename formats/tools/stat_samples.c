/* stat_samples.c - `pith stat --by function` and `--by callpath`: the time of the program's functions.
 *
 * All samples make one tree of call paths. A sample stands for the time since the sample before it of its thread, by
 * the clock of the samples: CPU time or wall-clock time. The first of a lane stands for one period.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pair_map.h"
#include "tools/sample_names.h"
#include "tools/stat_pass.h"

#define ROOT UINT32_MAX

struct node {
    uint32_t parent, function;
    uint64_t samples, all_samples;   /* ended here; ended here or in a call from here */
    int64_t self_ns, all_ns, cpu_ns; /* cpu_ns: the CPU time of self_ns */
};

struct paths {
    struct pithlog *log;
    struct pithi_sample_names *names;
    const struct pithi_stat_query *query;
    struct pithi_pair_map map; /* (parent, function): nodes; a parent has a lower number */
    struct node *nodes;
    uint32_t room;
    struct last {
        int64_t cpu_ns, time_ns;
        int seen;
    } * last; /* by lane: the last sample */
    int64_t sum_ns;
    double squares; /* of the times of the samples */
    struct pithi_sample sample;
};

static int go_down(struct paths *p, uint32_t *node, uint32_t function)
{
    uint32_t parent = *node, before = p->map.count;
    int err = pithi_pair_number(&p->map, parent, function, node);

    if (err || p->map.count == before)
        return err;
    if (*node >= p->room) {
        uint32_t room = p->room ? 2 * p->room : 256;
        struct node *nodes = realloc(p->nodes, room * sizeof *nodes);
        if (!nodes)
            return pithi_fail(PITH_ERR_MEMORY, "out of memory");
        p->nodes = nodes;
        p->room = room;
    }
    p->nodes[*node] = (struct node){.parent = parent, .function = function};
    return PITH_OK;
}

static int take(void *context, const struct pithlog_record *r)
{
    struct paths *p = context;
    uint32_t node = ROOT, function;
    struct last *last = &p->last[r->lane];
    int64_t cpu_ns = pithi_sample_period_ns(p->names), length_ns = cpu_ns;
    int err;

    if (!pithi_sample_read(p->names, r, &p->sample))
        return PITH_OK;
    if (last->seen && p->sample.cpu_ns >= last->cpu_ns && r->time_ns >= last->time_ns) {
        cpu_ns = p->sample.cpu_ns - last->cpu_ns;
        length_ns = pithi_sample_wall(p->names) ? r->time_ns - last->time_ns : cpu_ns;
    }
    *last = (struct last){p->sample.cpu_ns, r->time_ns, 1};
    for (uint32_t i = p->sample.count; i > 0; i--) {
        if ((err = pithi_sample_function(p->names, r, &p->sample, i - 1, &function)) != PITH_OK ||
            (err = go_down(p, &node, function)) != PITH_OK)
            return err;
    }
    p->nodes[node].samples++;
    p->nodes[node].self_ns += length_ns;
    p->nodes[node].cpu_ns += cpu_ns;
    p->sum_ns += length_ns;
    p->squares += (double)length_ns * (double)length_ns;
    return PITH_OK;
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
    int err = pithi_sample_names_open(p->log, 0, &p->names);

    if (err)
        return err;
    if (!(p->last = calloc(lanes + (size_t)1, sizeof *p->last)))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    if ((err = pithi_stat_each_record(p->log, &all, take, p)) != PITH_OK)
        return err;
    for (uint32_t i = 0; i < p->map.count; i++) {
        p->nodes[i].all_samples = p->nodes[i].samples;
        p->nodes[i].all_ns = p->nodes[i].self_ns;
    }
    for (uint32_t i = p->map.count; i-- > 0;)
        if (p->nodes[i].parent != ROOT) {
            p->nodes[p->nodes[i].parent].all_samples += p->nodes[i].all_samples;
            p->nodes[p->nodes[i].parent].all_ns += p->nodes[i].all_ns;
        }
    return PITH_OK;
}

static void release(struct paths *p)
{
    pithi_sample_names_close(p->names);
    free(p->map.slots);
    free(p->nodes);
    free(p->last);
}

static const char *name_of(const struct paths *p, uint32_t function)
{
    return pithi_function_get(p->names, function)->name;
}

static int64_t millionths(int64_t part, int64_t whole)
{
    return whole > 0 ? (int64_t)(1e6 * (double)part / (double)whole) : 0;
}

/* The standard deviation of a share p that was estimated from n samples: sqrt(p (1 - p) / n). Samples that stand for
 * times of different lengths tell as much as n = (sum of times)^2 / (sum of their squares) equal ones: 1, 1, 2 ms are
 * 16 / 6 = 2.7. */
static int64_t spread(const struct paths *p, int64_t part)
{
    double sum = (double)p->sum_ns, share = sum > 0 ? (double)part / sum : 0;
    return sum > 0 ? (int64_t)(1e6 * sqrt(share * (1 - share) * p->squares) / sum) : 0;
}

/* ---- By function ------------------------------------------------------------------------------------------------- */

struct row {
    uint32_t function;
    uint64_t samples;
    int64_t self_ns, all_ns, cpu_ns;
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

/* A function inside itself counts once. */
static int is_outermost(const struct paths *p, const struct node *node)
{
    for (uint32_t up = node->parent; up != ROOT; up = p->nodes[up].parent)
        if (p->nodes[up].function == node->function)
            return 0;
    return 1;
}

static const struct pithi_table_column function_columns[] = {
    {"function", PITHI_CELL_TEXT, 0},     {"self", PITHI_CELL_TIME, 0},     {"self_share", PITHI_CELL_RATIO, 0},
    {"spread", PITHI_CELL_RATIO, 0},      {"cpu", PITHI_CELL_TIME, 0},      {"total", PITHI_CELL_TIME, 0},
    {"total_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0}, {"place", PITHI_CELL_TEXT, 0},
    {"module", PITHI_CELL_TEXT, 1},
};

static void put_function(const struct paths *p, const struct row *row, struct pithi_report *table)
{
    const struct pithi_function *f = pithi_function_get(p->names, row->function);
    const char *slash = strrchr(f->source ? f->source : f->module, '/');
    const char *file = slash ? slash + 1 : f->source ? f->source : f->module;
    char place[300];

    snprintf(place, sizeof place, f->source ? "%.250s:%d" : "%.250s", file, f->line);
    pithi_table_row(table);
    pithi_table_text(table, f->name);
    pithi_table_number(table, row->self_ns);
    pithi_table_number(table, millionths(row->self_ns, p->sum_ns));
    pithi_table_number(table, spread(p, row->self_ns));
    pithi_table_number(table, row->cpu_ns);
    pithi_table_number(table, row->all_ns);
    pithi_table_number(table, millionths(row->all_ns, p->sum_ns));
    pithi_table_number(table, (int64_t)row->samples);
    pithi_table_text(table, place);
    pithi_table_text(table, f->module);
}

int pithi_stat_functions(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct paths p = {.log = log, .query = query};
    struct row *rows = NULL;
    uint32_t count;
    int err;

    TRY(pithi_table_new(table, function_columns, sizeof function_columns / sizeof *function_columns));
    TRY(gather(&p));
    count = pithi_function_count(p.names);
    if (!(rows = calloc(count + (size_t)1, sizeof *rows))) {
        err = pithi_fail(PITH_ERR_MEMORY, "out of memory");
        goto out;
    }
    for (uint32_t i = 0; i < count; i++)
        rows[i].function = i;
    for (uint32_t i = 0; i < p.map.count; i++) {
        struct row *row = &rows[p.nodes[i].function];
        row->samples += p.nodes[i].samples;
        row->self_ns += p.nodes[i].self_ns;
        row->cpu_ns += p.nodes[i].cpu_ns;
        if (is_outermost(&p, &p.nodes[i]))
            row->all_ns += p.nodes[i].all_ns;
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < count; i++)
        put_function(&p, &rows[i], *table);
out:
    release(&p);
    free(rows);
    return err;
}

/* ---- By call path ------------------------------------------------------------------------------------------------ */

/* "main;step;solve", malloc'ed. */
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
        for (char *c = at; c < at + length; c++) /* it separates functions */
            if (*c == ';')
                *c = ':';
    }
    return text;
}

static const struct pithi_table_column path_columns[] = {
    {"path", PITHI_CELL_TEXT, 0},  {"self", PITHI_CELL_TIME, 0},         {"self_share", PITHI_CELL_RATIO, 0},
    {"total", PITHI_CELL_TIME, 0}, {"total_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0},
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
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->map.count; i++) {
        (*rows)[i].node = &p->nodes[i];
        if (!((*rows)[i].text = path_text(p, i)))
            return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    }
    qsort(*rows, p->map.count, sizeof **rows, compare_paths);
    return PITH_OK;
}

int pithi_stat_callpaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct paths p = {.log = log, .query = query};
    struct path_row *rows = NULL;
    int err;

    TRY(pithi_table_new(table, path_columns, sizeof path_columns / sizeof *path_columns));
    TRY(gather(&p));
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

int pithi_stat_folded(struct pithlog *log, const struct pithi_stat_query *query, FILE *out)
{
    struct paths p = {.log = log, .query = query};
    struct path_row *rows = NULL;
    int err;

    TRY(gather(&p));
    TRY(sort_paths(&p, &rows));
    for (uint32_t i = 0; i < p.map.count; i++)
        if (rows[i].node->samples > 0)
            fprintf(out, "%s %" PRIu64 "\n", rows[i].text, rows[i].node->samples);
out:
    for (uint32_t i = 0; rows && i < p.map.count; i++)
        free(rows[i].text);
    free(rows);
    release(&p);
    return err;
}
