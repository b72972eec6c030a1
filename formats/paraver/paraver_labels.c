/* paraver_labels.c - see paraver_labels.h.
 *
 * A .pcf has sections that a line of one word begins. Of interest here: STATES (number, name), STATES_COLOR (number,
 * {r,g,b}), EVENT_TYPE (colour, type, name: lines of one group) and VALUES (value, name: of the group above). */
#include "paraver/paraver_labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "native/map.h"

enum section { OTHER, STATES, COLOURS, TYPES, VALUES };

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Cuts the next line off, in place; NULL at the end. */
static char *next_line(char **at, char *end)
{
    char *line = *at, *newline;
    if (line >= end)
        return NULL;
    newline = memchr(line, '\n', (size_t)(end - line));
    *at = newline ? newline + 1 : end;
    char *last = newline ? newline : end;
    *last = 0;
    while (last > line && strchr("\r \t", last[-1]))
        *--last = 0;
    return line;
}

static char *skip_blanks(char *p) { return p + strspn(p, " \t"); }

/* A number and what follows it, of *p; 0: there is none. */
static int take_number(char **p, int64_t *number)
{
    char *end;
    errno = 0;
    *number = (int64_t)strtoull(*p, &end, 10);
    if (end == *p || errno || (*end && !strchr(" \t", *end)))
        return 0;
    *p = skip_blanks(end);
    return 1;
}

static enum section section_of(const char *line)
{
    static const char *const names[] = {"", "STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES"};
    for (int i = STATES; i <= VALUES; i++)
        if (strcmp(line, names[i]) == 0)
            return (enum section)i;
    return OTHER;
}

static int is_heading(const char *line) { return *line >= 'A' && *line <= 'Z'; }

/* ---- Labels ------------------------------------------------------------------------------------------------------ */

/* The first that says it counts. */
static int put_place(struct pithi_lookup *lookup, uint64_t key, uint32_t place)
{
    uint64_t *at = pithi_lookup_at(lookup, key);
    if (at && *at == 0)
        *at = place + (uint64_t)1;
    return at != NULL;
}

static int add_state(struct pithi_prv_labels *l, char *line)
{
    int64_t number;
    if (!take_number(&line, &number) || number < 0 || number >= UINT32_MAX)
        return 1;
    if (!pithi_grow(&l->states, l->state_count, &l->state_room, sizeof *l->states) ||
        !put_place(&l->by_state, (uint64_t)number, l->state_count))
        return 0;
    l->states[l->state_count++] = (struct pithi_prv_value){(uint32_t)number, line};
    return 1;
}

static int add_colour(struct pithi_prv_labels *l, char *line)
{
    unsigned r, g, b;
    int64_t number;
    if (!take_number(&line, &number) || number < 0 || number >= UINT32_MAX ||
        sscanf(line, "{%3u , %3u , %3u", &r, &g, &b) != 3 || r > 255 || g > 255 || b > 255)
        return 1;
    return put_place(&l->colours, (uint64_t)number, r << 16 | g << 8 | b);
}

static int add_type(struct pithi_prv_labels *l, char *line)
{
    int64_t colour, type;
    if (!take_number(&line, &colour) || !take_number(&line, &type) || type < 0)
        return 1;
    if (!pithi_grow(&l->types, l->type_count, &l->type_room, sizeof *l->types) ||
        !put_place(&l->by_type, (uint64_t)type, l->type_count))
        return 0;
    l->types[l->type_count++] = (struct pithi_prv_type){type, line, l->group_count - 1};
    return 1;
}

static int add_value(struct pithi_prv_labels *l, char *line)
{
    int64_t value;
    if (l->group_count == 0 || !take_number(&line, &value) || value < 0 || value > UINT32_MAX)
        return 1;
    l->groups[l->group_count - 1].has_values = 1;
    l->groups[l->group_count - 1].has_zero |= value == 0;
    if (!pithi_grow(&l->values, l->value_count, &l->value_room, sizeof *l->values) ||
        !put_place(&l->by_value, pithi_lookup_pair(l->group_count - 1, (uint32_t)value), l->value_count))
        return 0;
    l->values[l->value_count++] = (struct pithi_prv_value){(uint32_t)value, line};
    return 1;
}

static int add_group(struct pithi_prv_labels *l)
{
    if (!pithi_grow(&l->groups, l->group_count, &l->group_room, sizeof *l->groups))
        return 0;
    l->groups[l->group_count++] = (struct pithi_prv_group){0, 0};
    return 1;
}

static int add_line(struct pithi_prv_labels *l, enum section section, char *line)
{
    switch (section) {
    case STATES:
        return add_state(l, line);
    case COLOURS:
        return add_colour(l, line);
    case TYPES:
        return add_type(l, line);
    case VALUES:
        return add_value(l, line);
    default:
        return 1;
    }
}

int pithi_prv_labels_open(struct pithi_prv_labels *labels, char *data, size_t size)
{
    enum section section = OTHER;
    char *at = data, *line;
    int ok = 1;
    *labels = (struct pithi_prv_labels){.data = data};
    while (ok && data && (line = next_line(&at, data + size))) {
        line = skip_blanks(line);
        if (is_heading(line)) {
            section = section_of(line);
            ok = section != TYPES || add_group(labels);
        } else if (*line) {
            ok = add_line(labels, section, line);
        }
    }
    return ok;
}

void pithi_prv_labels_close(struct pithi_prv_labels *labels)
{
    free(labels->data);
    free(labels->types);
    free(labels->groups);
    free(labels->states);
    free(labels->values);
    pithi_lookup_free(&labels->by_type);
    pithi_lookup_free(&labels->by_value);
    pithi_lookup_free(&labels->by_state);
    pithi_lookup_free(&labels->colours);
    *labels = (struct pithi_prv_labels){0};
}

const struct pithi_prv_type *pithi_prv_type(const struct pithi_prv_labels *labels, int64_t type)
{
    const uint64_t *place = type < 0 ? NULL : pithi_lookup_get(&labels->by_type, (uint64_t)type);
    return place ? &labels->types[*place - 1] : NULL;
}

const char *pithi_prv_value(const struct pithi_prv_labels *labels, uint32_t group, int64_t value)
{
    const uint64_t *place = value < 0 || value > UINT32_MAX
                                ? NULL
                                : pithi_lookup_get(&labels->by_value, pithi_lookup_pair(group, (uint32_t)value));
    return place ? labels->values[*place - 1].label : NULL;
}

const char *pithi_prv_state(const struct pithi_prv_labels *labels, int64_t state)
{
    const uint64_t *place = state < 0 ? NULL : pithi_lookup_get(&labels->by_state, (uint64_t)state);
    return place ? labels->states[*place - 1].label : NULL;
}

int pithi_prv_colour(const struct pithi_prv_labels *labels, int64_t state, uint32_t *rgb)
{
    const uint64_t *colour = state < 0 ? NULL : pithi_lookup_get(&labels->colours, (uint64_t)state);
    if (colour)
        *rgb = (uint32_t)(*colour - 1);
    return colour != NULL;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* "LEVEL THREAD SIZE 4", then 4 lines. */
int pithi_prv_rows_open(struct pithi_prv_rows *rows, char *data, size_t size)
{
    char *at = data, *line, level[32];
    unsigned long left = 0;
    int ok = 1, nodes = 0, threads = 0;
    *rows = (struct pithi_prv_rows){.data = data};
    while (ok && data && (line = next_line(&at, data + size))) {
        if (left == 0) {
            if (sscanf(line, "LEVEL %31s SIZE %lu", level, &left) != 2)
                continue;
            nodes = strcmp(level, "NODE") == 0;
            threads = strcmp(level, "THREAD") == 0;
            continue;
        }
        left--;
        if (nodes && (ok = pithi_grow(&rows->nodes, rows->node_count, &rows->node_room, sizeof *rows->nodes)))
            rows->nodes[rows->node_count++] = line;
        if (threads && (ok = pithi_grow(&rows->threads, rows->thread_count, &rows->thread_room, sizeof *rows->threads)))
            rows->threads[rows->thread_count++] = line;
    }
    return ok;
}

void pithi_prv_rows_close(struct pithi_prv_rows *rows)
{
    free(rows->data);
    free(rows->nodes);
    free(rows->threads);
    *rows = (struct pithi_prv_rows){0};
}

char *pithi_prv_beside(const char *path, const char *suffix, size_t *size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    struct stat status;
    char name[4096], *data = NULL;
    FILE *file;
    *size = 0;
    if ((size_t)snprintf(name, sizeof name, "%.*s.%s", (int)stem, path, suffix) >= sizeof name ||
        stat(name, &status) != 0 || !S_ISREG(status.st_mode) || !(file = fopen(name, "rb")))
        return NULL;
    data = malloc((size_t)status.st_size + 1);
    if (data) {
        *size = fread(data, 1, (size_t)status.st_size, file);
        data[*size] = 0;
    }
    fclose(file);
    return data;
}
