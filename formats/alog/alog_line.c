/* alog_line.c - scanning a line. By hand, since scanf would be the whole cost of reading. */
#include "alog/alog_line.h"

#include <stdlib.h>
#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* What nearly every number looks like: up to 9 digits between two blanks, within the line. 0: another, or none. */
static inline int short_integer(const char **at, const char *end, int64_t *value)
{
    const char *p = *at, *first;
    uint32_t n = 0, digit;
    int minus;

    if (end - p < 12)
        return 0;
    p += *p == ' ';
    minus = *p == '-';
    first = p += minus;
    while (p - first < 9 && (digit = (uint32_t)(unsigned char)*p - '0') < 10)
        n = n * 10 + digit, p++;
    if (p == first || *p != ' ')
        return 0;
    *value = minus ? -(int64_t)n : (int64_t)n;
    *at = p;
    return 1;
}

int pithi_alog_integer(const char **at, const char *end, int64_t *value)
{
    const char *p = skip_blanks(*at, end);
    int minus = p < end && *p == '-';
    uint64_t n = 0;
    int digits = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && is_digit(*p); p++, digits++)
        if (digits < 19)
            n = n * 10 + (uint64_t)(*p - '0');
    if (digits == 0 || digits > 18 || (p < end && !is_blank(*p)))
        return 0;
    *value = minus ? -(int64_t)n : (int64_t)n;
    *at = p;
    return 1;
}

/* Times with an exponent, or any other form that scanf's %lf knows. */
static int odd_time(const char *p, size_t size, int64_t *time_ns)
{
    char text[64], *end;
    double us;

    if (size == 0 || size >= sizeof text)
        return 0;
    memcpy(text, p, size);
    text[size] = 0;
    us = strtod(text, &end);
    if (*end || !(us > -9e15 && us < 9e15)) /* not a number fails too */
        return 0;
    *time_ns = (int64_t)(us * 1e3 + (us < 0 ? -0.5 : 0.5));
    return 1;
}

/* Microseconds, with decimals or without, as nanoseconds. The common forms are read exactly. */
static int time_at(const char **at, const char *end, int64_t *time_ns)
{
    const char *p = skip_blanks(*at, end), *begin = p;
    int64_t us = 0, ns = 0, unit = 100;
    int digits = 0;

    for (; p < end && is_digit(*p) && digits <= 15; p++, digits++)
        us = us * 10 + (*p - '0');
    if (digits && p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, unit /= 10)
            ns += (*p - '0') * unit;
    if (digits && digits <= 15 && (p == end || is_blank(*p))) {
        *at = p;
        *time_ns = us * 1000 + ns;
        return 1;
    }
    for (p = begin; p < end && !is_blank(*p);)
        p++;
    *at = p;
    return odd_time(begin, (size_t)(p - begin), time_ns);
}

static void set_comment(struct pithi_alog_line *line, const char *at, const char *end)
{
    at = skip_blanks(at, end);
    while (end > at && is_blank(end[-1]))
        end--;
    line->comment = at;
    line->comment_size = (size_t)(end - at);
}

enum pithi_alog_status pithi_alog_line_read(const char *text, size_t size, struct pithi_alog_line *line,
                                            const char **wrong)
{
    const char *at = skip_blanks(text, text + size), *end = text + size;
    int64_t *const numbers[] = {&line->type, &line->proc, &line->task, &line->data, &line->cycle};
    static const char *const names[] = {"event type", "process", "task", "data", "cycle"};

    if (at == end || *at == '#')
        return PITHI_ALOG_BLANK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!short_integer(&at, end, numbers[i]) && !pithi_alog_integer(&at, end, numbers[i])) {
            *wrong = names[i];
            return PITHI_ALOG_BAD;
        }
    if (!time_at(&at, end, &line->time_ns)) {
        *wrong = "time";
        return PITHI_ALOG_BAD;
    }
    set_comment(line, at, end);
    return PITHI_ALOG_GOOD;
}
