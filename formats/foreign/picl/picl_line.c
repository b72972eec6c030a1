/* picl_line.c - parses lines of PICL, compact (numbers only) or verbose (a label before each number), and assigns
 * numbers of PICL to the definitions of a log.
 *
 * The meaning of the numbers follows from their order. So the reader skips the labels and reads both forms in the same
 * way:
 *
 *     4 0 480 0 8 30008 1
 *     send clock 0 480 node 0 to 8 type 30008 lth 1
 *
 * A log names its states and events, whereas PICL numbers its blocks and marks. A state whose name Pith's reader made
 * from the number of a block gets this number again: "block 7" is block 7. All other states get the free numbers of
 * blocks, from 0. Events get numbers of marks, from 0, or from 2^30 if the log also has events that Pith's reader made
 * from trace_marks, because these keep the numbers that the program chose. */
#include "foreign/picl/picl.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"

static const struct {
    const char *name;
    int values; /* how many values a record of this type must have */
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

/* Skips the label, if any, and reads the number after it. Returns the byte after the number, or NULL if there is no
 * number. */
static const char *number(const char *p, const char *end, int64_t *value)
{
    p = skip_blanks(p, end);
    /* Skips the label without a check: "clock" in "clock 0". */
    if (p < end && is_letter(*p))
        p = skip_blanks(skip_word(p, end), end);
    int negative = p < end && *p == '-';
    p += negative;
    if (p == end || !is_digit(*p))
        return NULL;
    for (*value = 0; p < end && is_digit(*p); p++)
        /* Numbers above 2^40 are refused, before they can overflow. */
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
    /* The line has "0 480 0" if it is compact, or "clock 0 480 node 0" if it is verbose. `number` reads both forms. */
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

/* A log may have events that were read from trace_marks. They keep the numbers that the program chose. Then the marks
 * of all other events begin at this number, because programs hardly choose numbers so large. */
enum { BESIDE_MARKS = 1 << 30 };

static const char *const blocks[] = {"barrier", "bcast0", "bcast1", "globalOp"}; /* their numbers are -1, -2 ... */
enum { BLOCKS = sizeof blocks / sizeof *blocks };

void pithi_picl_block_name(int32_t type, char name[32])
{
    if (type < 0 && type >= -BLOCKS)
        strcpy(name, blocks[-type - 1]);
    else
        snprintf(name, 32, "block %d", (int)type);
}

static int block_number(const char *name, int32_t *number)
{
    char again[32];
    long value = strncmp(name, "block ", 6) == 0 ? strtol(name + 6, NULL, 10) : 0;
    for (int i = 0; i < BLOCKS; i++)
        if (strcmp(name, blocks[i]) == 0)
            value = -i - 1;
    if (value < INT32_MIN || value > INT32_MAX)
        return 0;
    *number = (int32_t)value;
    /* Returns 0 for "block 007", because block 7 would be read back as "block 7". */
    pithi_picl_block_name(*number, again);
    return strcmp(name, again) == 0;
}

static enum pithi_picl_type own_type(const struct pithlog_def *def)
{
    static const struct {
        enum pithlog_def_kind kind;
        enum pithi_picl_type type;
        const char *name, *format;
    } own[] = {{PITHLOG_STATE, PITHI_PICL_SEND, "send", ""},
               {PITHLOG_STATE, PITHI_PICL_RECV, "recv", ""},
               {PITHLOG_STATE, PITHI_PICL_SYNC, "sync", ""},
               {PITHLOG_STATE, PITHI_PICL_RECV_BLOCKING, "recv_blocking", ""},
               {PITHLOG_EVENT_TYPE, PITHI_PICL_MARK, "trace_mark", "%d"},
               {PITHLOG_EVENT_TYPE, PITHI_PICL_TEXT, "trace_message", "%s"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (def->kind == own[i].kind && strcmp(def->name, own[i].name) == 0 && strcmp(def->format, own[i].format) == 0)
            return own[i].type;
    return 0;
}

int pithi_picl_numbers_make(struct pithi_picl_numbers *numbers, const struct pithlog *log)
{
    uint32_t count = pithlog_get_info(log)->defs;
    struct pithi_map taken = {0};
    int32_t block = 0, mark = 0, own;
    int ok = 1;
    numbers->of = calloc(count + (size_t)1, sizeof *numbers->of);
    numbers->own = calloc(count + (size_t)1, sizeof *numbers->own);
    ok = numbers->of && numbers->own;
    for (uint32_t id = 0; ok && id < count; id++) {
        const struct pithlog_def *def = pithlog_get_def(log, id);
        numbers->own[id] = own_type(def);
        mark = numbers->own[id] == PITHI_PICL_MARK ? BESIDE_MARKS : mark;
        /* Marks the number of a state such as "block 7" as taken, so that the loop below gives other states only free
         * numbers. */
        if (def->kind == PITHLOG_STATE && block_number(def->name, &own))
            ok = pithi_map_at(&taken, (uint32_t)own) != NULL;
    }
    for (uint32_t id = 0; ok && id < count; id++) {
        const struct pithlog_def *def = pithlog_get_def(log, id);
        if (def->kind == PITHLOG_EVENT_TYPE)
            numbers->of[id] = mark++;
        if (def->kind != PITHLOG_STATE || block_number(def->name, &numbers->of[id]))
            continue;
        while (pithi_map_find(&taken, (uint32_t)block))
            block++;
        numbers->of[id] = block++;
    }
    pithi_map_free(&taken);
    return ok ? PITH_OK : pithi_no_memory();
}

void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers)
{
    free(numbers->of);
    free(numbers->own);
}
