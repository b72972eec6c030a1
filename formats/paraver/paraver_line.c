/* paraver_line.c - see paraver_line.h. */
#include "paraver/paraver_line.h"

#include <stdlib.h>
#include <string.h>

#include "native/map.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits at `p`, with a sign or without: the byte behind them, or NULL. Numbers of 64 bits without sign, as some write
 * addresses, come as the same bits. */
static const char *digits(const char *p, const char *end, int64_t *value)
{
    uint64_t sum = 0;
    int negative = p < end && *p == '-';
    p += negative;
    if (p == end || !is_digit(*p))
        return NULL;
    const char *sure = end - p > 18 ? p + 18 : end; /* so many fit always */
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

int pithi_prv_pair(struct pithi_prv_line *line, int64_t *type, int64_t *value)
{
    int status = pithi_prv_number(&line->pairs, line->pairs_end, type);
    return status <= 0 ? status : pithi_prv_number(&line->pairs, line->pairs_end, value) == 1 ? 1 : -1;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* cpu, application, task, thread */
static int take_object(const char **at, const char *end, struct pithi_prv_object *object)
{
    int64_t n[4];
    for (int i = 0; i < 4; i++)
        if (pithi_prv_number(at, end, &n[i]) != 1 || n[i] < (i > 0) || n[i] > UINT32_MAX)
            return 0;
    *object = (struct pithi_prv_object){(uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3]};
    return 1;
}

static int take_message(const char **at, const char *end, struct pithi_prv_line *got)
{
    int64_t physical, logical, bytes;
    if (pithi_prv_number(at, end, &physical) != 1 || !take_object(at, end, &got->to) ||
        pithi_prv_number(at, end, &logical) != 1 || pithi_prv_number(at, end, &got->end) != 1 ||
        pithi_prv_number(at, end, &bytes) != 1 || pithi_prv_number(at, end, &got->state) != 1)
        return 0;
    got->bytes = bytes > 0 ? (uint64_t)bytes : 0;
    return 1;
}

static int take_collective(const char **at, const char *end, struct pithi_prv_line *got)
{
    int64_t n[5];
    for (int i = 0; i < 5; i++)
        if (pithi_prv_number(at, end, &n[i]) != 1)
            return 0;
    got->state = n[0];
    got->bytes = n[1] > 0 ? (uint64_t)n[1] : 0;
    got->got_bytes = n[2] > 0 ? (uint64_t)n[2] : 0;
    got->is_root = n[4] == 1;
    return 1;
}

int pithi_prv_line(const char *line, size_t size, struct pithi_prv_line *got, const char **wrong)
{
    const char *end = line + size, *at = line + 2;
    if (size && line[size - 1] == '\r')
        end--;
    if (line == end || *line == '#' || *line == 'c' || *line == 'C' || *line == 'i' || *line == 'I')
        return 0;
    *wrong = "no such record: its type is 1, 2, 3 or 4";
    if (end - line < 2 || line[1] != ':' || *line < '1' || *line > '4')
        return -1;
    *got = (struct pithi_prv_line){.kind = (enum pithi_prv_kind)(*line - '0')};
    *wrong = "a record has cpu, application, task, thread, time, with ':' between";
    if (!take_object(&at, end, &got->from) || pithi_prv_number(&at, end, &got->time) != 1)
        return -1;
    *wrong = "numbers are missing, or are none";
    if (got->kind == PITHI_PRV_RECORD_STATE)
        return pithi_prv_number(&at, end, &got->end) == 1 && pithi_prv_number(&at, end, &got->state) == 1 ? 1 : -1;
    if (got->kind == PITHI_PRV_RECORD_MESSAGE)
        return take_message(&at, end, got) ? 1 : -1;
    if (got->kind == PITHI_PRV_RECORD_COLLECTIVE)
        return take_collective(&at, end, got) ? 1 : -1;
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

/* "(20/11/2026 at 12:00):9000_ns:" */
static int take_times(struct pithi_prv_header *header, struct cursor *c)
{
    const char *close = c->at < c->end ? memchr(c->at, ')', (size_t)(c->end - c->at)) : NULL;
    size_t size;
    if (!close || !skip(c, '('))
        return 0;
    size = (size_t)(close - c->at) < sizeof header->date - 1 ? (size_t)(close - c->at) : sizeof header->date - 1;
    memcpy(header->date, c->at, size);
    c->at = close + 1;
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

/* "2(4,4):", also without the list */
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

/* "2(1:1,1:2),1": an application. */
static const char *take_app(struct pithi_prv_header *header, struct cursor *c, uint32_t *room)
{
    int64_t tasks, threads, node, comms;
    if (!take(c, &tasks) || !skip(c, '('))
        return "an application is TASKS(THREADS:NODE,...)";
    for (int64_t i = 0; i < tasks; i++) {
        node = 0;
        if ((i && !skip(c, ',')) || !take(c, &threads) || (skip(c, ':') && !take(c, &node)))
            return "an application does not tell of all its tasks";
        if (!pithi_grow(&header->tasks, header->task_count, room, sizeof *header->tasks))
            return "no memory for its tasks";
        header->tasks[header->task_count++] = (struct pithi_prv_task){(uint32_t)threads, (uint32_t)node};
    }
    if (!skip(c, ')'))
        return "an application tells of more tasks than it has";
    const char *before = c->at;
    if (skip(c, ',') && (!take(c, &comms) || (c->at < c->end && *c->at == '(')))
        c->at = before; /* no number of communicators: the next application */
    return NULL;
}

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
