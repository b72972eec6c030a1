/* picl_line.c - a line of PICL, compact (numbers alone) or verbose (each after its label). */
#include <string.h>

#include "picl/picl.h"

static const struct {
    const char *name;
    int values; /* that are needed */
} types[PITHI_PICL_TYPES] = {[PITHI_PICL_START] = {"trace_start", 0},
                             [PITHI_PICL_OPEN] = {"open", 0},
                             [PITHI_PICL_LOAD] = {"load", 0},
                             [PITHI_PICL_SEND] = {"send", 3},
                             [PITHI_PICL_PROBE] = {"probe", 0},
                             [PITHI_PICL_RECV] = {"recv", 3},
                             [PITHI_PICL_RECV_BLOCKING] = {"recv_blocking", 1},
                             [PITHI_PICL_RECV_WAKING] = {"recv_waking", 3},
                             [PITHI_PICL_MESSAGE] = {"message", 0},
                             [PITHI_PICL_SYNC] = {"sync", 0},
                             [PITHI_PICL_COMPSTATS] = {"compstats", 0},
                             [PITHI_PICL_COMMSTATS] = {"commstats", 0},
                             [PITHI_PICL_CLOSE] = {"close", 0},
                             [PITHI_PICL_LEVEL] = {"trace_level", 0},
                             [PITHI_PICL_MARK] = {"trace_mark", 1},
                             [PITHI_PICL_TEXT] = {"trace_message", 0},
                             [PITHI_PICL_STOP] = {"trace_stop", 0},
                             [PITHI_PICL_FLUSH] = {"trace_flush", 0},
                             [PITHI_PICL_EXIT] = {"trace_exit", 0},
                             [PITHI_PICL_BLOCK_BEGIN] = {"block_begin", 1},
                             [PITHI_PICL_BLOCK_END] = {"block_end", 1},
                             [PITHI_PICL_MARKS] = {"trace_marks", 0}};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *skip_word(const char *p, const char *end)
{
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

/* The next number, behind its label if there is one: the byte behind it, or NULL. */
static const char *number(const char *p, const char *end, int64_t *value)
{
    p = skip_blanks(p, end);
    if (p < end && is_letter(*p))
        p = skip_blanks(skip_word(p, end), end);
    int negative = p < end && *p == '-';
    p += negative;
    if (p == end || !is_digit(*p))
        return NULL;
    for (*value = 0; p < end && is_digit(*p); p++)
        if ((*value = *value * 10 + (*p - '0')) > INT64_C(1) << 40)
            return NULL;
    *value = negative ? -*value : *value;
    return p == end || is_blank(*p) ? p : NULL;
}

static const char *type_of(const char *p, const char *end, int64_t *type)
{
    const char *behind = skip_word(p, end);
    if (!is_letter(*p))
        return number(p, end, type);
    for (*type = 1; *type < PITHI_PICL_TYPES; ++*type)
        if (strlen(types[*type].name) == (size_t)(behind - p) &&
            memcmp(types[*type].name, p, (size_t)(behind - p)) == 0)
            return behind;
    return NULL;
}

int pithi_picl_line(const char *line, size_t size, struct pithi_picl_line *got, const char **wrong)
{
    const char *end = line + size, *p = skip_blanks(line, end);
    int64_t type, seconds, us, node, value;
    if (p == end)
        return 0;
    *wrong = "no such type of record";
    if (!(p = type_of(p, end, &type)) || type < 1 || type >= PITHI_PICL_TYPES)
        return -1;
    *wrong = "a record has its time as seconds and microseconds, then its node";
    p = skip_blanks(p, end);
    if (!(p = number(p, end, &seconds)) || !(p = number(p, end, &us)) || seconds < 0 || us < 0 ||
        seconds > INT64_MAX / 2000000000 || !(p = number(p, end, &node)) || node < PITHI_PICL_HOST ||
        node > INT32_MAX / 2)
        return -1;
    *got = (struct pithi_picl_line){.type = (enum pithi_picl_type)type,
                                    .time_ns = seconds * 1000000000 + us * 1000,
                                    .node = (int32_t)node,
                                    .text = skip_blanks(p, end)};
    got->text_size = (size_t)(end - got->text);
    *wrong = "a value is missing, or too large";
    for (int i = 0; i < types[type].values; i++) {
        if (!(p = number(p, end, &value)) || value < INT32_MIN || value > INT32_MAX)
            return -1;
        got->value[i] = (int32_t)value;
    }
    return 1;
}
