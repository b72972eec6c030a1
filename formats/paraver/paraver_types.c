/* paraver_types.c - see paraver_types.h. */
#include "paraver/paraver_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "foreign/names.h"
#include "native/map.h"
#include "paraver/paraver.h"
#include "text/text_fields.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* ---- Definitions of Pith's own traces ---------------------------------------------------------------------------- */

/* A definition by the label that it was written with: "name [format]", with escapes. */
static int add_own(struct pithi_prv_types *t, uint32_t number, enum pithlog_def_kind kind, const char *label)
{
    char *name = strdup(label), *format = name ? strstr(name, " [") : NULL, colour[16] = "";
    uint64_t *place = pithi_lookup_at(&t->own_defs, number);
    uint32_t id, rgb;
    int err;
    if (!name || !place) {
        free(name);
        return no_memory();
    }
    if (format) {
        *format = 0;
        format += 2;
        format[strlen(format) - (*format != 0)] = 0; /* the ']' */
        pithi_unescape(format);
    }
    pithi_unescape(name);
    if (pithi_prv_colour(t->labels, PITHI_PRV_NAMED + (int64_t)number, &rgb))
        snprintf(colour, sizeof colour, "#%06x", (unsigned)rgb);
    err = pithi_defs_add(t->defs,
                         &(struct pithlog_def){kind, name, colour,
                                               kind == PITHLOG_STATE ? pithi_name_group(name) : "user",
                                               kind != PITHLOG_STATE && format ? format : ""},
                         &id);
    *place = id + (uint64_t)1;
    free(name);
    return err;
}

/* What a type or a state of the labels says of a definition. */
struct own {
    uint32_t number;
    enum pithlog_def_kind kind;
    const char *label;
};

static int by_number(const void *a, const void *b)
{
    const struct own *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t list_own(const struct pithi_prv_labels *l, struct own *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->state_count; i++)
        if (l->states[i].number >= PITHI_PRV_NAMED)
            list[count++] = (struct own){l->states[i].number - PITHI_PRV_NAMED, PITHLOG_STATE, l->states[i].label};
    for (uint32_t i = 0; i < l->type_count; i++) {
        int64_t type = l->types[i].type;
        if (type >= PITHI_PRV_EVENT && type < PITHI_PRV_EVENT_NUMBER)
            list[count++] = (struct own){(uint32_t)(type - PITHI_PRV_EVENT), PITHLOG_EVENT_TYPE, l->types[i].label};
        if (type >= PITHI_PRV_COUNTER && type < PITHI_PRV_COUNTER_BITS)
            list[count++] = (struct own){(uint32_t)(type - PITHI_PRV_COUNTER), PITHLOG_COUNTER_TYPE, l->types[i].label};
    }
    return count;
}

static int add_all_own(struct pithi_prv_types *t)
{
    struct own *list = malloc(((size_t)t->labels->state_count + t->labels->type_count + 1) * sizeof *list);
    int err = PITH_OK;
    if (!list)
        return no_memory();
    uint32_t count = list_own(t->labels, list);
    qsort(list, count, sizeof *list, by_number);
    for (uint32_t i = 0; i < count && !err; i++)
        if (i == 0 || list[i].number != list[i - 1].number)
            err = add_own(t, list[i].number, list[i].kind, list[i].label);
    free(list);
    return err;
}

/* The id of a definition by its number in the trace, if it is of that kind. */
static int own_def(const struct pithi_prv_types *t, int64_t number, enum pithlog_def_kind kind, uint32_t *id)
{
    const uint64_t *place = number < 0 ? NULL : pithi_lookup_get(&t->own_defs, (uint64_t)number);
    if (!place)
        return 0;
    *id = (uint32_t)(*place - 1);
    return pithi_defs_get(t->defs, *id)->kind == kind;
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

int pithi_prv_types_open(struct pithi_prv_types *types, const struct pithi_prv_labels *labels, struct pithi_defs *defs,
                         int own)
{
    *types = (struct pithi_prv_types){.labels = labels, .defs = defs, .own = own};
    return own ? add_all_own(types) : PITH_OK;
}

void pithi_prv_types_close(struct pithi_prv_types *types)
{
    free(types->known);
    pithi_lookup_free(&types->places);
    pithi_lookup_free(&types->states);
    pithi_lookup_free(&types->own_defs);
}

static int is_mpi(int64_t type) { return type >= PITHI_PRV_MPI_POINT && type <= PITHI_PRV_MPI_IO; }

/* In Pith's traces MPI's functions may lie inside one another; in others a value may follow one that did not end. */
static int is_call(const struct pithi_prv_types *t, int64_t type)
{
    return type == PITHI_PRV_USER || (t->own && is_mpi(type));
}

static int is_special(const struct pithi_prv_types *t, int64_t type)
{
    return type == PITHI_PRV_TRACING || (type >= PITHI_PRV_COLL_SENT && type <= PITHI_PRV_COLL_COMM) ||
           (t->own && type >= PITHI_PRV_COUNTER_BITS && type <= PITHI_PRV_LOST);
}

/* An event or counter of Pith's own: 1. */
static int find_own(struct pithi_prv_types *t, struct pithi_prv_known *k)
{
    static const struct {
        int64_t base;
        enum pithi_prv_meaning meaning;
        enum pithlog_def_kind kind;
    } ranges[] = {{PITHI_PRV_EVENT, PITHI_PRV_EVENTS, PITHLOG_EVENT_TYPE},
                  {PITHI_PRV_EVENT_NUMBER, PITHI_PRV_NUMBERS, PITHLOG_EVENT_TYPE},
                  {PITHI_PRV_COUNTER, PITHI_PRV_COUNTERS, PITHLOG_COUNTER_TYPE}};
    for (int i = 2; t->own && i >= 0; i--)
        if (k->type >= ranges[i].base && k->type < PITHI_PRV_COUNTER_BITS) {
            k->meaning = ranges[i].meaning;
            return own_def(t, k->type - ranges[i].base, ranges[i].kind, &k->def);
        }
    return 0;
}

static int define(struct pithi_prv_types *t, struct pithi_prv_known *k)
{
    char name[32];
    struct pithlog_def def = {.kind = k->meaning == PITHI_PRV_EVENTS ? PITHLOG_EVENT_TYPE : PITHLOG_COUNTER_TYPE,
                              .name = k->label,
                              .group = "user",
                              .format = k->meaning == PITHI_PRV_EVENTS ? "%s" : ""};
    snprintf(name, sizeof name, "type %" PRId64, k->type);
    if (!*k->label)
        def.name = name;
    return pithi_defs_add(t->defs, &def, &k->def);
}

static int learn(struct pithi_prv_types *t, struct pithi_prv_known *k)
{
    const struct pithi_prv_type *type = pithi_prv_type(t->labels, k->type);
    const struct pithi_prv_group *group = type ? &t->labels->groups[type->group] : NULL;
    k->label = type ? type->label : "";
    k->group = type ? type->group : UINT32_MAX;
    if (find_own(t, k))
        return PITH_OK;
    k->meaning = is_call(t, k->type)                             ? PITHI_PRV_CALLS
                 : is_special(t, k->type)                        ? PITHI_PRV_SPECIAL
                 : is_mpi(k->type) || (group && group->has_zero) ? PITHI_PRV_PHASES
                 : group && group->has_values                    ? PITHI_PRV_EVENTS
                                                                 : PITHI_PRV_COUNTERS;
    return k->meaning == PITHI_PRV_EVENTS || k->meaning == PITHI_PRV_COUNTERS ? define(t, k) : PITH_OK;
}

int pithi_prv_types_find(struct pithi_prv_types *types, int64_t type, uint32_t *place)
{
    /* Any key but the greatest: what is negative is folded into what is never used. */
    uint64_t *at = pithi_lookup_at(&types->places, (uint64_t)type & INT64_MAX);
    int err = PITH_OK;
    if (!at || (*at == 0 && !pithi_grow(&types->known, types->known_count, &types->known_room, sizeof *types->known)))
        return no_memory();
    if (*at == 0) {
        struct pithi_prv_known known = {.type = type};
        TRY(learn(types, &known));
        types->known[types->known_count++] = known;
        *at = types->known_count;
    }
    *place = (uint32_t)(*at - 1);
out:
    return err;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Names that say that something is, but not what. */
static int is_plain(const char *label)
{
    return strcmp(label, "Begin") == 0 || strcmp(label, "BEGIN") == 0 || strcmp(label, "1") == 0;
}

static int define_state(struct pithi_prv_types *t, const struct pithi_prv_known *k, int64_t value, uint32_t *def)
{
    const char *label = k->group == UINT32_MAX ? NULL : pithi_prv_value(t->labels, k->group, value);
    const char *call = k->type == PITHI_PRV_USER ? NULL : pithi_prv_call_name(value);
    char name[64];
    snprintf(name, sizeof name, "type %" PRId64 " value %" PRId64, k->type, value);
    if (label && *label)
        label = is_plain(label) && *k->label ? k->label : label;
    else
        label = is_mpi(k->type) && call ? call : name;
    return pithi_defs_add(t->defs, &(struct pithlog_def){PITHLOG_STATE, label, "", pithi_name_group(label), ""}, def);
}

int pithi_prv_types_state(struct pithi_prv_types *types, uint32_t place, int64_t value, uint32_t *def)
{
    const struct pithi_prv_known *k = &types->known[place];
    uint64_t *at;
    int err = PITH_OK;
    if (types->own && value >= PITHI_PRV_NAMED && own_def(types, value - PITHI_PRV_NAMED, PITHLOG_STATE, def))
        return PITH_OK;
    if (value < 0 || value > UINT32_MAX)
        return define_state(types, k, value, def);
    at = pithi_lookup_at(&types->states, pithi_lookup_pair(place, (uint32_t)value));
    if (!at)
        return no_memory();
    if (*at == 0) {
        TRY(define_state(types, k, value, def));
        *at = *def + (uint64_t)1;
    }
    *def = (uint32_t)(*at - 1);
out:
    return err;
}

int pithi_prv_types_record(struct pithi_prv_types *types, int64_t state, uint32_t *def)
{
    const char *label = pithi_prv_state(types->labels, state);
    char name[32], colour[16] = "";
    uint32_t rgb;
    snprintf(name, sizeof name, "state %" PRId64, state);
    if (pithi_prv_colour(types->labels, state, &rgb))
        snprintf(colour, sizeof colour, "#%06x", (unsigned)rgb);
    return pithi_defs_add(
        types->defs, &(struct pithlog_def){PITHLOG_STATE, label && *label ? label : name, colour, "thread state", ""},
        def);
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* "\x20" stands for a blank at an end. */
static char *edge_blanks(const char *label)
{
    char *text = strdup(label);
    size_t size = text ? strlen(text) : 0;
    if (size >= 4 && memcmp(text + size - 4, "\\x20", 4) == 0 && (size == 4 || text[size - 5] != '\\'))
        memcpy(text + size - 4, " ", 2);
    if (text && strncmp(text, "\\x20", 4) == 0) {
        text[3] = ' ';
        memmove(text, text + 3, strlen(text + 3) + 1);
    }
    return text;
}

static unsigned char *text_payload(const char *label, size_t *size)
{
    size_t length = strlen(label) < 65535 ? strlen(label) : 65535;
    unsigned char *payload = malloc(length + 2);
    if (payload) {
        payload[0] = (unsigned char)(length >> 8);
        payload[1] = (unsigned char)length;
        memcpy(payload + 2, label, length);
    }
    *size = payload ? length + 2 : 1;
    return payload;
}

static unsigned char *number_payload(const struct pithlog_def *def, int64_t value, size_t *size)
{
    unsigned char *payload = malloc(8);
    size_t bytes = pithi_token_size(pithi_token_single(def->format));
    *size = payload && bytes ? bytes : 1;
    for (size_t i = 0; payload && i < bytes; i++)
        payload[i] = (unsigned char)((uint64_t)value >> 8 * (bytes - 1 - i));
    if (bytes == 0) {
        free(payload);
        payload = NULL;
    }
    return payload;
}

unsigned char *pithi_prv_types_payload(struct pithi_prv_types *types, uint32_t place, int64_t value, size_t *size)
{
    const struct pithi_prv_known *k = &types->known[place];
    const struct pithlog_def *def = pithi_defs_get(types->defs, k->def);
    const char *label = k->group == UINT32_MAX ? NULL : pithi_prv_value(types->labels, k->group, value);
    char number[24], *text;
    unsigned char *payload = NULL;
    *size = 0;
    if (k->meaning == PITHI_PRV_NUMBERS)
        return number_payload(def, value, size);
    if (types->own && value == 1)
        return NULL;
    snprintf(number, sizeof number, "%" PRId64, value);
    if (!types->own || !label)
        return text_payload(label ? label : number, size);
    text = edge_blanks(label);
    if (text)
        payload = pithi_payload_parse(def->format, text, size);
    free(text);
    *size = payload ? *size : 1;
    return payload;
}
