/* paraver_line.c - parses the lines of a .prv, .pcf and .row.
 *
 * Each section of a .pcf begins with a line of one word. The reader uses these sections; in parentheses stands what
 * each of their lines has: STATES (number, name); STATES_COLOR (number, {r,g,b}); EVENT_TYPE (colour, type, name);
 * VALUES (value, name). The types of one section EVENT_TYPE form a group. The section VALUES after it has the values of
 * all types of the group.
 *
 * A trace may have very many lines, so numbers are read by hand, without a copy of the line. */
#include "foreign/paraver/paraver_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/map.h"
#include "base/open_file.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads a number at `p` with an optional sign. Returns the byte after it, or NULL. Some tools write addresses as
 * unsigned 64-bit numbers; such a number becomes the int64_t with the same bits. */
static const char *digits(const char *p, const char *end, int64_t *value)
{
    uint64_t sum = 0;
    int negative = p < end && *p == '-';
    p += negative;
    if (p == end || !is_digit(*p))
        return NULL;
    /* The first 18 digits cannot overflow, so the first loop does not check for overflow. */
    const char *sure = end - p > 18 ? p + 18 : end;
    for (; p < sure && is_digit(*p); p++)
        sum = sum * 10 + (unsigned)(*p - '0');
    for (; p < end && is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    *value = (int64_t)(negative ? -sum : sum);
    return p;
}

/* Reads a number and the ':' after it, and moves *at past them. Returns 1 if there is a number; 0 at the end of the
 * line; -1 if another text stands there. */
int pithi_prv_number(const char **at, const char *end, int64_t *value)
{
    const char *p = *at;
    if (p >= end)
        return 0;
    p = digits(p, end, value);
    if (!p || (p < end && *p != ':'))
        return -1;
    *at = p + (p < end);
    return 1;
}

/* Reads a type and its value. A type without a value is an error. */
int pithi_prv_pair(struct pithi_prv_line *line, int64_t *type, int64_t *value)
{
    int status = pithi_prv_number(&line->pairs, line->pairs_end, type);
    return status <= 0 ? status : pithi_prv_number(&line->pairs, line->pairs_end, value) == 1 ? 1 : -1;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Reads "cpu:application:task:thread". */
static int take_object(const char **at, const char *end, struct pithi_prv_object *object)
{
    int64_t n[4];
    for (int i = 0; i < 4; i++)
        /* A cpu of 0 means "unknown". Applications, tasks and threads count from 1. */
        if (pithi_prv_number(at, end, &n[i]) != 1 || n[i] < (i > 0) || n[i] > UINT32_MAX)
            return 0;
    *object = (struct pithi_prv_object){(uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3]};
    return 1;
}

/* Parses a line of a .prv. Returns 1 for a record, 0 for a line without a record, or -1 for an error, which *wrong
 * describes. */
int pithi_prv_line(const char *line, size_t size, struct pithi_prv_line *got, const char **wrong)
{
    const char *end = line + size, *at = line + 2;
    if (size && line[size - 1] == '\r')
        end--;
    /* Comments, and lines that define communicators, are no records. */
    if (line == end || *line == '#' || *line == 'c' || *line == 'C' || *line == 'i' || *line == 'I')
        return 0;
    *wrong = "no such record: its type is 1, 2, 3 or 4";
    if (end - line < 2 || line[1] != ':' || *line < '1' || *line > '4')
        return -1;
    *got = (struct pithi_prv_line){.kind = (enum pithi_prv_kind)(*line - '0')};
    /* The error text in case that one of the next numbers cannot be read. */
    *wrong = "a record has cpu, application, task, thread, time, with ':' between";
    if (!take_object(&at, end, &got->from) || pithi_prv_number(&at, end, &got->time) != 1)
        return -1;
    *wrong = "numbers are missing, or are none";
    if (got->kind == PITHI_PRV_RECORD_STATE)
        return pithi_prv_number(&at, end, &got->end) == 1 && pithi_prv_number(&at, end, &got->state) == 1 ? 1 : -1;
    if (got->kind == PITHI_PRV_RECORD_MESSAGE) {
        /* A message has two times at each end: when the call began (logical) and when the data moved (physical). The
         * logical time of the sender and the physical time of the receiver are used. */
        int64_t physical, logical, bytes;
        if (pithi_prv_number(&at, end, &physical) != 1 || !take_object(&at, end, &got->to) ||
            pithi_prv_number(&at, end, &logical) != 1 || pithi_prv_number(&at, end, &got->end) != 1 ||
            pithi_prv_number(&at, end, &bytes) != 1 || pithi_prv_number(&at, end, &got->state) != 1)
            return -1;
        got->bytes = bytes > 0 ? (uint64_t)bytes : 0;
        return 1;
    }
    if (got->kind == PITHI_PRV_RECORD_COLLECTIVE) {
        /* Reads the communicator, the bytes sent and received, a number that is not used, and whether this task is the
         * root. */
        int64_t n[5];
        for (int i = 0; i < 5; i++)
            if (pithi_prv_number(&at, end, &n[i]) != 1)
                return -1;
        got->state = n[0];
        got->bytes = n[1] > 0 ? (uint64_t)n[1] : 0;
        got->got_bytes = n[2] > 0 ? (uint64_t)n[2] : 0;
        got->is_root = n[4] == 1;
        return 1;
    }
    got->pairs = at;
    got->pairs_end = end;
    return 1;
}

/* ---- The header -------------------------------------------------------------------------------------------------- */

struct cursor {
    const char *at, *end;
};

static int skip(struct cursor *c, char wanted)
{
    int there = c->at < c->end && *c->at == wanted;
    c->at += there;
    return there;
}

static int take(struct cursor *c, int64_t *value)
{
    const char *behind = digits(c->at, c->end, value);
    if (!behind || *value < 0 || *value > UINT32_MAX)
        return 0;
    c->at = behind;
    return 1;
}

/* Reads "(20/11/2026 at 12:00):9000_ns:". */
static int take_times(struct pithi_prv_header *header, struct cursor *c)
{
    const char *close = c->at < c->end ? memchr(c->at, ')', (size_t)(c->end - c->at)) : NULL;
    size_t size;
    if (!close || !skip(c, '('))
        return 0;
    /* A date that is too long is cut, because it is only shown. */
    size = (size_t)(close - c->at) < sizeof header->date - 1 ? (size_t)(close - c->at) : sizeof header->date - 1;
    memcpy(header->date, c->at, size);
    c->at = close + 1;
    /* Without a unit, times are in microseconds. */
    header->unit_ns = 1000;
    if (!skip(c, ':') || !(c->at = digits(c->at, c->end, &header->end)))
        return 0;
    if (c->end - c->at > 3 && memcmp(c->at, "_ns", 3) == 0)
        header->unit_ns = 1;
    if (c->end - c->at > 3 && memcmp(c->at, "_ms", 3) == 0)
        header->unit_ns = 1000000;
    while (c->at < c->end && *c->at != ':')
        c->at++;
    return skip(c, ':');
}

/* Reads the nodes with their processors, "2(4,4):". The list in brackets is optional. */
static int take_nodes(struct cursor *c)
{
    int64_t nodes;
    if (!take(c, &nodes))
        return 0;
    if (skip(c, '(')) {
        const char *close = memchr(c->at, ')', (size_t)(c->end - c->at));
        if (!close)
            return 0;
        c->at = close + 1;
    }
    return skip(c, ':');
}

/* Reads an application, "2(1:1,1:2),1". */
static const char *take_app(struct pithi_prv_header *header, struct cursor *c, uint32_t *room)
{
    int64_t tasks, threads, node, comms;
    if (!take(c, &tasks) || !skip(c, '('))
        return "an application is TASKS(THREADS:NODE,...)";
    for (int64_t i = 0; i < tasks; i++) {
        node = 0;
        /* a task may have no node */
        if ((i && !skip(c, ',')) || !take(c, &threads) || (skip(c, ':') && !take(c, &node)))
            return "an application does not tell of all its tasks";
        if (!pithi_grow(&header->tasks, header->task_count, room, sizeof *header->tasks))
            return "no memory for its tasks";
        header->tasks[header->task_count++] = (struct pithi_prv_task){(uint32_t)threads, (uint32_t)node};
    }
    if (!skip(c, ')'))
        return "an application tells of more tasks than it has";
    /* "2(1:1,1:2),1:" has one communicator; in "2(1:1,1:2),2(1:1" another application follows the comma. */
    const char *before = c->at;
    if (skip(c, ',') && (!take(c, &comms) || (c->at < c->end && *c->at == '(')))
        c->at = before; /* there is no number of communicators, and the next application begins here */
    return NULL;
}

/* Parses the first line. Returns NULL, or what is wrong with it. */
const char *pithi_prv_header(struct pithi_prv_header *header, const char *line, size_t size)
{
    static const char begin[] = "#Paraver ";
    struct cursor c = {line, line + size};
    const char *wrong = NULL;
    uint32_t room = 0, first_room = 0;
    int64_t apps;
    *header = (struct pithi_prv_header){0};
    if (size < sizeof begin || memcmp(line, begin, sizeof begin - 1) != 0)
        return "it does not begin with #Paraver";
    c.at += sizeof begin - 1;
    if (!take_times(header, &c) || !take_nodes(&c) || !take(&c, &apps) || !skip(&c, ':'))
        return "the header is not (DATE):TIME:NODES(CPUS):APPLICATIONS:...";
    /* The loop makes one more turn than there are applications, so that first_task[apps] is the end of the last
     * application. */
    for (int64_t i = 0; !wrong && i <= apps; i++) {
        if (!pithi_grow(&header->first_task, (uint32_t)i, &first_room, sizeof *header->first_task))
            return "no memory for its applications";
        header->first_task[i] = header->task_count;
        if (i < apps && i && !skip(&c, ':') && !skip(&c, ','))
            return "the header does not tell of all applications";
        if (i < apps)
            wrong = take_app(header, &c, &room);
    }
    header->app_count = (uint32_t)apps;
    return wrong ? wrong : header->task_count > INT32_MAX / 2 ? "there are too many tasks" : NULL;
}

void pithi_prv_header_free(struct pithi_prv_header *header)
{
    free(header->first_task);
    free(header->tasks);
    *header = (struct pithi_prv_header){0};
}

enum section { OTHER, STATES, COLOURS, TYPES, VALUES };

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Returns the next line, or NULL at the end of the file. Replaces the newline in memory by a NUL, so that labels can
 * point into the file and need no copies. The caller has put a NUL after the last byte of the file. */
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

/* Reads a number and moves *p past it. Returns 0 if there is none. */
static int take_number(char **p, int64_t *number)
{
    char *end;
    errno = 0;
    /* The cast keeps numbers above 2^63, which some tools write for addresses. */
    *number = (int64_t)strtoull(*p, &end, 10);
    /* a word that only begins with digits is no number */
    if (end == *p || errno || (*end && !strchr(" \t", *end)))
        return 0;
    *p = skip_blanks(end);
    return 1;
}

static int is_heading(const char *line) { return *line >= 'A' && *line <= 'Z'; }

/* ---- Labels ------------------------------------------------------------------------------------------------------ */

/* Stores `place`, the index of the label for a key. If a key occurs twice, the map keeps the first label. */
static int put_place(struct pithi_map *lookup, uint64_t key, uint32_t place)
{
    uint64_t *at = pithi_map_at(lookup, key);
    if (at && *at == 0)
        /* The map stores the index + 1, because a new entry of the map has 0. */
        *at = place + (uint64_t)1;
    return at != NULL;
}

int pithi_prv_labels_open(struct pithi_prv_labels *labels, char *data, size_t size)
{
    static const char *const names[] = {"", "STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES"};
    struct pithi_prv_labels *l = labels;
    enum section section = OTHER;
    char *at = data, *line;
    int64_t number, type;
    unsigned r, g, b;
    *l = (struct pithi_prv_labels){.data = data};
    while (data && (line = next_line(&at, data + size))) {
        line = skip_blanks(line);
        /* A heading in capitals ends the section before it. All other lines of a section begin with a number. */
        if (is_heading(line)) {
            section = OTHER;
            for (int i = STATES; i <= VALUES; i++)
                if (strcmp(line, names[i]) == 0)
                    section = (enum section)i;
            if (section != TYPES)
                continue;
            if (!pithi_grow(&l->groups, l->group_count, &l->group_room, sizeof *l->groups))
                return 0;
            l->groups[l->group_count++] = (struct pithi_prv_group){0, 0};
            continue;
        }
        /* lines that cannot be read are left out */
        switch (*line ? section : OTHER) {
        case STATES:
            if (!take_number(&line, &number) || number < 0 || number >= UINT32_MAX)
                break;
            if (!pithi_grow(&l->states, l->state_count, &l->state_room, sizeof *l->states) ||
                !put_place(&l->by_state, (uint64_t)number, l->state_count))
                return 0;
            l->states[l->state_count++] = (struct pithi_prv_value){(uint32_t)number, line};
            break;
        case COLOURS: /* "7    {255,0,16}" */
            if (!take_number(&line, &number) || number < 0 || number >= UINT32_MAX ||
                sscanf(line, "{%3u , %3u , %3u", &r, &g, &b) != 3 || r > 255 || g > 255 || b > 255)
                break;
            if (!put_place(&l->colours, (uint64_t)number, r << 16 | g << 8 | b))
                return 0;
            break;
        case TYPES: /* the colour, then the type */
            if (!take_number(&line, &number) || !take_number(&line, &type) || type < 0)
                break;
            if (!pithi_grow(&l->types, l->type_count, &l->type_room, sizeof *l->types) ||
                !put_place(&l->by_type, (uint64_t)type, l->type_count))
                return 0;
            /* All types under one heading are a group, whose values follow. */
            l->types[l->type_count++] = (struct pithi_prv_type){type, line, l->group_count - 1};
            break;
        case VALUES:
            /* Values before the first group have no type, so they are left out. */
            if (l->group_count == 0 || !take_number(&line, &number) || number < 0 || number > UINT32_MAX)
                break;
            l->groups[l->group_count - 1].has_values = 1;
            /* If 0 has a label, the values are states (paraver_types.c). */
            l->groups[l->group_count - 1].has_zero |= number == 0;
            if (!pithi_grow(&l->values, l->value_count, &l->value_room, sizeof *l->values) ||
                !put_place(&l->by_value, pithi_map_pair(l->group_count - 1, (uint32_t)number), l->value_count))
                return 0;
            l->values[l->value_count++] = (struct pithi_prv_value){(uint32_t)number, line};
            break;
        default:
            break;
        }
    }
    return 1;
}

void pithi_prv_labels_close(struct pithi_prv_labels *labels)
{
    free(labels->data);
    free(labels->types);
    free(labels->groups);
    free(labels->states);
    free(labels->values);
    pithi_map_free(&labels->by_type);
    pithi_map_free(&labels->by_value);
    pithi_map_free(&labels->by_state);
    pithi_map_free(&labels->colours);
    *labels = (struct pithi_prv_labels){0};
}

const struct pithi_prv_type *pithi_prv_type(const struct pithi_prv_labels *labels, int64_t type)
{
    const uint64_t *place = type < 0 ? NULL : pithi_map_find(&labels->by_type, (uint64_t)type);
    return place ? &labels->types[*place - 1] : NULL;
}

const char *pithi_prv_value(const struct pithi_prv_labels *labels, uint32_t group, int64_t value)
{
    const uint64_t *place = value < 0 || value > UINT32_MAX
                                ? NULL
                                : pithi_map_find(&labels->by_value, pithi_map_pair(group, (uint32_t)value));
    return place ? labels->values[*place - 1].label : NULL;
}

const char *pithi_prv_state(const struct pithi_prv_labels *labels, int64_t state)
{
    const uint64_t *place = state < 0 ? NULL : pithi_map_find(&labels->by_state, (uint64_t)state);
    return place ? labels->states[*place - 1].label : NULL;
}

int pithi_prv_colour(const struct pithi_prv_labels *labels, int64_t state, uint32_t *rgb)
{
    const uint64_t *colour = state < 0 ? NULL : pithi_map_find(&labels->colours, (uint64_t)state);
    if (colour)
        *rgb = (uint32_t)(*colour - 1);
    return colour != NULL;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Reads the names in a .row. A section of it is "LEVEL THREAD SIZE 4" and then 4 lines. */
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
    /* The files beside run.prv.gz are run.pcf and run.row, so the suffix of a packer is removed first. */
    size_t length = pithi_unpacked_length(path), stem;
    const char *slash = strrchr(path, '/'), *dot = memrchr(path, '.', length);
    stem = dot && dot > slash ? (size_t)(dot - path) : length;
    struct stat status;
    char name[4096], *data = NULL;
    FILE *file;
    *size = 0;
    if ((size_t)snprintf(name, sizeof name, "%.*s.%s", (int)stem, path, suffix) >= sizeof name ||
        !(file = pithi_open_whole(name)))
        return NULL;
    data = fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (data) {
        *size = fread(data, 1, (size_t)status.st_size, file);
        data[*size] = 0;
    }
    fclose(file);
    return data;
}
