/* picl_numbers.c - see picl_numbers.h. */
#include "picl/picl_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "foreign/lookup.h"

/* Where marks have numbers of the program, those that we give out lie where programs hardly have any. */
enum { BESIDE_MARKS = 1 << 30 };

static const char *const blocks[] = {"barrier", "bcast0", "bcast1", "globalOp"}; /* -1, -2 ... */
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
    struct pithi_lookup taken = {0};
    int32_t block = 0, mark = 0, own;
    int ok = 1;
    numbers->of = calloc(count + (size_t)1, sizeof *numbers->of);
    numbers->own = calloc(count + (size_t)1, sizeof *numbers->own);
    ok = numbers->of && numbers->own;
    for (uint32_t id = 0; ok && id < count; id++) {
        const struct pithlog_def *def = pithlog_get_def(log, id);
        numbers->own[id] = own_type(def);
        mark = numbers->own[id] == PITHI_PICL_MARK ? BESIDE_MARKS : mark;
        if (def->kind == PITHLOG_STATE && block_number(def->name, &own))
            ok = pithi_lookup_at(&taken, (uint32_t)own) != NULL;
    }
    for (uint32_t id = 0; ok && id < count; id++) {
        const struct pithlog_def *def = pithlog_get_def(log, id);
        if (def->kind == PITHLOG_EVENT_TYPE)
            numbers->of[id] = mark++;
        if (def->kind != PITHLOG_STATE || block_number(def->name, &numbers->of[id]))
            continue;
        while (pithi_lookup_get(&taken, (uint32_t)block))
            block++;
        numbers->of[id] = block++;
    }
    pithi_lookup_free(&taken);
    return ok ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "out of memory");
}

void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers)
{
    free(numbers->of);
    free(numbers->own);
}
