/* stat_lines.c - `pith stat --by line`: prints the time that the program spent in its source lines, from samples.
 *
 * A sample adds to the self time of one line on its stack: the innermost line that is known and outside MPI, the C
 * library and Pith. So the time of a function without known lines is counted for the line that calls it. The total of a
 * line is the time of all samples that have the line on their stack.
 *
 *     main (main.c:10)  step (mesh.c:40)  step (mesh.c:40)  memcpy (libc)
 *                                          |
 *                                          self time: here, as the user cannot change memcpy
 *
 * The line mesh.c:40 is on this stack twice, but the sample adds to its total only once: `seen` has the number of the
 * sample that was added to the line last.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/open_file.h"
#include "base/pair_map.h"
#include "symbols/call_stack.h"
#include "tools/stat_pass.h"

struct line {
    const struct pithi_place *place; /* NULL: unknown, or the recorder */
    uint32_t function;
    uint64_t samples, seen; /* seen: the number of the sample that was added last */
    int64_t self_ns, cpu_ns, all_ns;
};

/* A source file and its text. */
struct source {
    const char *path;
    char *text; /* NULL: cannot be read */
    size_t size;
};

struct lines {
    struct pithi_sample_names *names; /* names of the functions, by address */
    const struct pithi_stat_query *query;
    struct pithi_pair_map map; /* from (number of the line, hash of the file) to an index into `lines` */
    struct line *lines;
    uint32_t room;
    struct pithi_sample_last *last; /* by lane */
    int64_t sum_ns;
    uint64_t sample_count;
    struct source *sources;
    uint32_t source_count, source_room;
    struct pithi_sample sample;
    struct pithi_call_stack stack;
};

static const struct pithi_function *function_of(const struct lines *l, uint32_t function)
{
    return pithi_function_get(l->names, function);
}

/* Returns 1 if the time in this call is counted for the line of its caller: a call into the C library, MPI or Pith, or
 * one whose line is unknown. */
static int is_inside(const struct lines *l, const struct pithi_stack_call *call)
{
    const struct pithi_function *function = function_of(l, call->function);
    return strcmp(function->name, PITHI_RECORDING) != 0 &&
           (!call->place || !call->place->source || pithi_function_is_libc(function) ||
            pithi_function_is_own(function));
}

static int take(void *context, const struct pithlog_record *r)
{
    struct lines *l = context;
    struct pithi_sample_length length;
    struct line *line = NULL;
    uint32_t innermost;

    if (!pithi_sample_read(l->names, r, &l->sample))
        return PITH_OK;
    length = pithi_sample_length(l->names, r, &l->sample, &l->last[r->lane]);
    l->last[r->lane] = (struct pithi_sample_last){l->sample.cpu_ns, r->time_ns, 1};
    CHECK(pithi_call_stack_read(l->names, r, &l->sample, l->query->all_frames, &l->stack));
    if (l->stack.count == 0)
        return PITH_OK;
    l->sample_count++;
    l->sum_ns += length.ns;
    innermost = l->stack.count - 1;
    while (innermost > 0 && !l->query->all_frames && is_inside(l, &l->stack.calls[innermost]))
        innermost--;
    /* If the stack has no known line, the sample is counted for its innermost function. */
    if (is_inside(l, &l->stack.calls[innermost]))
        innermost = l->stack.count - 1;
    for (uint32_t i = 0; i <= innermost; i++) {
        if (i < innermost && pithi_function_is_own(function_of(l, l->stack.calls[i].function)))
            continue;

        /* Finds the row for the line of this call. If the source file is unknown, the whole function has one row. */
        const struct pithi_place *place =
            l->stack.calls[i].place && l->stack.calls[i].place->source ? l->stack.calls[i].place : NULL;
        uint64_t file = place ? pithi_hash_text(PITHI_HASH, place->source) : l->stack.calls[i].function;
        uint32_t before = l->map.count, number = 0;
        CHECK(pithi_pair_number(&l->map, place ? (uint64_t)place->line + 1 : 0, file, &number));
        if (l->map.count > before) {
            if (!pithi_grow(&l->lines, number, &l->room, sizeof *l->lines))
                return pithi_no_memory();
            l->lines[number] = (struct line){.place = place, .function = l->stack.calls[i].function};
        }
        line = &l->lines[number];

        if (line->seen != l->sample_count)
            line->all_ns += length.ns;
        line->seen = l->sample_count;
    }
    line->samples++;
    line->self_ns += length.ns;
    line->cpu_ns += length.cpu_ns;
    return PITH_OK;
}

/* ---- The text of a line ------------------------------------------------------------------------------------------ */

enum { SHOWN = 72 }; /* so many characters of a source line are shown */

/* Copies the text of a source line to `text`, without blanks at its begin and without control characters. `text`
 * becomes "" if the file cannot be read or has fewer lines. */
static int source_text(struct lines *l, const struct pithi_place *place, char *text, size_t size)
{
    const char *at, *end;
    uint32_t i = 0;
    size_t length = 0;

    *text = '\0';
    while (i < l->source_count && strcmp(l->sources[i].path, place->source) != 0)
        i++;
    if (i == l->source_count) {
        if (!pithi_grow(&l->sources, i, &l->source_room, sizeof *l->sources))
            return pithi_no_memory();
        l->sources[l->source_count++] = (struct source){.path = place->source};
        struct source *source = &l->sources[i];
        FILE *file = pithi_open_whole(source->path);
        struct stat info;
        if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) &&
            (source->text = malloc((size_t)info.st_size + 1)) != NULL)
            source->size = fread(source->text, 1, (size_t)info.st_size, file);
        if (file)
            fclose(file);
    }
    if (!l->sources[i].text)
        return PITH_OK;
    at = l->sources[i].text;
    end = at + l->sources[i].size;
    for (int n = 1; at && n < place->line; n++)
        at = (at = memchr(at, '\n', (size_t)(end - at))) ? at + 1 : NULL;
    while (at && at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (; at && at < end && *at != '\n' && *at != '\r' && length + 1 < size; at++)
        text[length++] = *at == '\t' || (unsigned char)*at < ' ' || *at == 127 ? ' ' : *at;
    /* If the last UTF-8 character was cut in the middle, its rest is removed. */
    while (length > 0 && (text[length - 1] & 0xc0) == 0x80 && length + 1 == size)
        length--;
    text[length] = '\0';
    return PITH_OK;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    if (x->all_ns != y->all_ns)
        return x->all_ns > y->all_ns ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static const struct pithi_table_column columns[] = {
    {"self", PITHI_CELL_TIME, 0},  {"self_share", PITHI_CELL_RATIO, 0},  {"cpu", PITHI_CELL_TIME, 0},
    {"total", PITHI_CELL_TIME, 0}, {"total_share", PITHI_CELL_RATIO, 0}, {"samples", PITHI_CELL_COUNT, 0},
    {"place", PITHI_CELL_TEXT, 0}, {"source", PITHI_CELL_SOURCE, 0},     {"function", PITHI_CELL_TEXT, 0},
    {"file", PITHI_CELL_TEXT, 1},
};

static int64_t millionths(int64_t part, int64_t whole)
{
    return whole > 0 ? (int64_t)(1e6 * (double)part / (double)whole) : 0;
}

int pithi_stat_lines(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct lines l = {.query = query};
    struct pithlog_query all = {.from_ns = query->from_ns,
                                .to_ns = query->to_ns,
                                .lanes = query->lanes,
                                .lane_count = query->lane_count,
                                .kinds = 1u << PITHLOG_EVENT};
    int err;

    TRY(pithi_table_new(table, columns, sizeof columns / sizeof *columns));
    TRY(pithi_sample_names_open(log, PITHI_NEED_SAMPLES, &l.names));
    if (!(l.last = calloc(pithlog_get_info(log)->lanes + (size_t)1, sizeof *l.last)))
        TRY(pithi_no_memory());
    TRY(pithi_stat_each_record(log, &all, take, NULL, &l));
    if (l.map.count > 0)
        qsort(l.lines, l.map.count, sizeof *l.lines, compare);
    for (uint32_t i = 0; i < l.map.count; i++) {
        const struct line *line = &l.lines[i];
        const struct pithi_function *f = function_of(&l, line->function);
        const char *path = line->place ? line->place->source : f->module, *slash = strrchr(path, '/');
        char place[300], text[1024];
        snprintf(place, sizeof place, line->place ? "%.250s:%d" : "%.250s", slash ? slash + 1 : path,
                 line->place ? line->place->line : 0);
        *text = '\0';
        if (line->place)
            TRY(source_text(&l, line->place, text, query->for_people ? SHOWN : sizeof text));
        pithi_table_row(*table);
        pithi_table_number(*table, line->self_ns);
        pithi_table_number(*table, millionths(line->self_ns, l.sum_ns));
        pithi_table_number(*table, line->cpu_ns);
        pithi_table_number(*table, line->all_ns);
        pithi_table_number(*table, millionths(line->all_ns, l.sum_ns));
        pithi_table_number(*table, (int64_t)line->samples);
        pithi_table_text(*table, place);
        pithi_table_text(*table, text);
        pithi_table_text(*table, f->name);
        pithi_table_text(*table, path);
    }
out:
    for (uint32_t i = 0; i < l.source_count; i++)
        free(l.sources[i].text);
    free(l.sources);
    free(l.lines);
    free(l.map.slots);
    free(l.last);
    free(l.stack.calls);
    pithi_sample_names_close(l.names);
    return err;
}
