/* clog2_numbers.c - see clog2_numbers.h. */
#include "clog2/clog2_numbers.h"

#include <stdio.h>
#include <stdlib.h>

#include "clog2/known_states.h"
#include "colour.h"
#include "error.h"
#include "foreign/names.h"
#include "native/log.h"

struct pithi_clog2_number {
    int named;                   /* name, colour and shape are made */
    char name[PITHI_CLOG2_NAME]; /* as in the file */
    const char *colour;
    int32_t known;                   /* a known state or solo event; -1: none */
    struct pithi_number_pair *pairs; /* of a state: the events of each level */
    uint32_t levels;
    uint32_t info; /* of a state: definition of its payloads + 1; of these, of the state */
    int32_t solo;  /* of an event: its number; 0: not defined yet */
    int looked;    /* for `info` */
    struct pithi_clog2_shape shape;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* States are numbered from 600 on and solo events from 5000, as MPE does; a log with more states than go between
 * moves the solo events up, which the preamble says. */
int pithi_clog2_numbers_open(struct pithi_clog2_numbers *numbers, struct pithlog *log,
                             struct pithi_clog2_stream *stream)
{
    uint32_t count = pithlog_get_info(log)->defs;
    int32_t room = (PITHI_CLOG2_USER_SOLO - PITHI_CLOG2_USER_EVENTS) / 2;
    int err;

    while (room < INT32_MAX / 8 && (uint32_t)room < 2 * count)
        room *= 2;
    *numbers = (struct pithi_clog2_numbers){.log = log,
                                            .stream = stream,
                                            .count = count,
                                            .last_user_state = room,
                                            .first_user_solo = PITHI_CLOG2_USER_EVENTS + 2 * room,
                                            .next_pair = PITHI_CLOG2_USER_EVENTS,
                                            .next_solo = PITHI_CLOG2_USER_EVENTS + 2 * room,
                                            .numbers = calloc(count + 1, sizeof *numbers->numbers)};
    if (!numbers->numbers)
        return no_memory();
    TRY(pithi_given_open(&numbers->given, log));
    TRY(pithi_given_read(&numbers->given, log, PITHI_CLOG2_USER_EVENTS)); /* those below are MPI's */
out:
    return err;
}

void pithi_clog2_numbers_free(struct pithi_clog2_numbers *numbers)
{
    for (uint32_t i = 0; numbers->numbers && i < numbers->count; i++)
        free(numbers->numbers[i].pairs);
    free(numbers->numbers);
    pithi_given_free(&numbers->given);
    pithi_lookup_free(&numbers->open);
    pithi_lookup_free(&numbers->used_states);
    pithi_lookup_free(&numbers->used_events);
}

/* ---- Names and colours ----------------------------------------------------------------------------------------- */

static const char *colour_of(const struct pithlog *log, uint32_t id, const struct pithlog_def *def)
{
    const char *name = pithi_colour_canonical(def->colour);

    return name ? name : pithi_colour_nearest(pithlog_def_rgb(log, id));
}

static int32_t known_solo(const char *name)
{
    for (int32_t event = PITHI_CLOG2_COMM_INIT; event <= PITHI_CLOG2_COMM_FINALIZE; event++)
        if (strcmp(pithi_clog2_known_event(event)->name, name) == 0)
            return event;
    return -1;
}

static int name_it(struct pithi_clog2_numbers *numbers, uint32_t id, const struct pithlog_def *def)
{
    struct pithi_clog2_number *number = &numbers->numbers[id];
    int state = def->kind == PITHLOG_STATE, changed;

    number->known = state ? pithi_clog2_known_number(def->name) : known_solo(def->name);
    changed = pithi_name_unique(state ? &numbers->used_states : &numbers->used_events, number->name,
                                sizeof number->name, def->name[0] ? def->name : "?");
    if (changed < 0)
        return no_memory();
    numbers->cut_names += (uint64_t)changed;
    number->colour = colour_of(numbers->log, id, def);
    if (state && number->known >= 0)
        number->colour = pithi_clog2_known_state(number->known)->colour;
    if (!state) {
        pithi_clog2_shape_make(&number->shape, def->format);
        numbers->cut_formats += number->shape.cut != 0;
    }
    number->named = 1;
    return PITH_OK;
}

/* The entry of a record's definition; NULL: the error is set. */
static struct pithi_clog2_number *number_of(struct pithi_clog2_numbers *numbers, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(numbers->log, id);

    if (!def || id >= numbers->count) {
        pithi_fail(PITH_ERR_DAMAGED, "a record has definition %u, which the log does not hold", id);
        return NULL;
    }
    if (!numbers->numbers[id].named && name_it(numbers, id, def) != PITH_OK)
        return NULL;
    return &numbers->numbers[id];
}

void pithi_clog2_numbers_colours(const struct pithi_clog2_numbers *numbers, struct pithi_losses *losses)
{
    for (uint32_t id = 0; id < numbers->count; id++)
        if (numbers->numbers[id].named)
            pithi_losses_colour(losses, id, numbers->numbers[id].colour);
}

/* ---- Definitions in the file ----------------------------------------------------------------------------------- */

static int write_state(struct pithi_clog2_numbers *numbers, const struct pithi_clog2_number *number, int64_t time_ns,
                       int32_t state, const struct pithi_number_pair *pair)
{
    unsigned char *body = pithi_clog2_put(numbers->stream, PITHI_CLOG2_STATEDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, state);
    pithi_clog2_put32(body + 4, pair->begin);
    pithi_clog2_put32(body + 8, pair->end);
    memcpy(body + 16, number->colour, strlen(number->colour));
    memcpy(body + 40, number->name, strlen(number->name));
    if (number->info) {
        const char *format = numbers->numbers[number->info - 1].shape.format;
        memcpy(body + 72, format, strlen(format));
    }
    return PITH_OK;
}

static int write_solo(struct pithi_clog2_numbers *numbers, const struct pithi_clog2_number *number, int64_t time_ns)
{
    unsigned char *body = pithi_clog2_put(numbers->stream, PITHI_CLOG2_EVENTDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, number->solo);
    memcpy(body + 8, number->colour, strlen(number->colour));
    memcpy(body + 32, number->name, strlen(number->name));
    memcpy(body + 64, number->shape.format, strlen(number->shape.format));
    return PITH_OK;
}

/* The events of one more level: those of MPE, of the program, or the next. */
static int find_pair(struct pithi_clog2_numbers *numbers, uint32_t id, struct pithi_number_pair *pair)
{
    const struct pithi_clog2_number *number = &numbers->numbers[id];
    const struct pithi_number_pair *given = pithi_given_get(&numbers->given, id, number->levels);

    if (number->known >= 0 && !number->levels) {
        *pair = (struct pithi_number_pair){2 * number->known, 2 * number->known + 1};
    } else if (given) {
        *pair = *given;
    } else {
        pair->begin = pithi_given_next(&numbers->given, &numbers->next_pair, 2);
        if (pair->begin < 0)
            return no_memory();
        pair->end = pair->begin + 1;
    }
    return PITH_OK;
}

/* One more level of a state. */
static int add_level(struct pithi_clog2_numbers *numbers, uint32_t id, int64_t time_ns)
{
    struct pithi_clog2_number *number = &numbers->numbers[id];
    struct pithi_number_pair *pairs = realloc(number->pairs, (number->levels + 1) * sizeof *pairs), *pair;
    int32_t state = number->known;
    uint32_t info;
    int err;

    if (!pairs)
        return no_memory();
    number->pairs = pairs;
    pair = &pairs[number->levels];
    TRY(find_pair(numbers, id, pair));
    if (number->levels || state < 0)
        state = PITHI_CLOG2_USER_STATES + numbers->user_states++;
    number->levels++;
    pithi_clog2_state_info(numbers, id, &info);
    TRY(write_state(numbers, number, time_ns, state, pair));
out:
    return err;
}

int pithi_clog2_state_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                             struct pithi_number_pair *pair)
{
    struct pithi_clog2_number *number = number_of(numbers, record->id);
    uint64_t *open, level;
    int err = PITH_OK;

    if (!number)
        return PITH_ERR_DAMAGED;
    open = pithi_lookup_at(&numbers->open, pithi_lookup_pair(record->lane, record->id));
    if (!open)
        return no_memory();
    if (record->kind == PITHLOG_ENTER)
        level = (*open)++;
    else
        level = *open ? --*open : 0;
    if (number->levels && (level >= PITHI_CLOG2_LEVELS ||
                           (level >= number->levels && numbers->user_states >= numbers->last_user_state))) {
        numbers->shared_levels += record->kind == PITHLOG_ENTER;
        level = level < number->levels ? level : number->levels - 1;
    }
    while (level >= number->levels)
        TRY(add_level(numbers, record->id, record->time_ns));
    *pair = number->pairs[level];
out:
    return err;
}

int pithi_clog2_shape_of(struct pithi_clog2_numbers *numbers, uint32_t event, const struct pithi_clog2_shape **shape)
{
    const struct pithi_clog2_number *number = number_of(numbers, event);

    *shape = number ? &number->shape : NULL;
    return number ? PITH_OK : PITH_ERR_DAMAGED;
}

const struct pithi_clog2_shape *pithi_clog2_state_info(struct pithi_clog2_numbers *numbers, uint32_t state,
                                                       uint32_t *info)
{
    struct pithi_clog2_number *number = number_of(numbers, state);
    const struct pithlog_def *def = pithlog_get_def(numbers->log, state);

    if (!number || !def || def->kind != PITHLOG_STATE)
        return NULL;
    if (!number->looked && pithi_given_get(&numbers->given, state, 0)) {
        char name[PITHI_CLOG2_NAME * 8];
        if (snprintf(name, sizeof name, "%s info", def->name) < (int)sizeof name &&
            pithi_defs_find(numbers->log->defs, PITHLOG_EVENT_TYPE, name, info) && number_of(numbers, *info))
            numbers->numbers[state].info = *info + 1;
    }
    number->looked = 1;
    *info = number->info - 1;
    return number->info ? &numbers->numbers[*info].shape : NULL;
}

int pithi_clog2_info_state(struct pithi_clog2_numbers *numbers, uint32_t info, uint32_t *state)
{
    const struct pithlog_def *def = pithlog_get_def(numbers->log, info);
    char name[PITHI_CLOG2_NAME * 8];
    size_t length = def ? strlen(def->name) : 0;
    uint32_t found;

    if (length < 6 || length >= sizeof name || strcmp(def->name + length - 5, " info") != 0 || info >= numbers->count)
        return 0;
    struct pithi_clog2_number *number = &numbers->numbers[info];
    if (!number->looked) {
        snprintf(name, sizeof name, "%.*s", (int)(length - 5), def->name);
        if (pithi_defs_find(numbers->log->defs, PITHLOG_STATE, name, state) &&
            pithi_clog2_state_info(numbers, *state, &found) && found == info)
            number->info = *state + 1;
    }
    number->looked = 1;
    *state = number->info - 1;
    return number->info != 0;
}

/* The number of an event: MPE's, the program's, or the next. */
static int find_solo(struct pithi_clog2_numbers *numbers, uint32_t id)
{
    struct pithi_clog2_number *number = &numbers->numbers[id];
    const struct pithi_number_pair *given = pithi_given_get(&numbers->given, id, 0);

    if (number->known != -1)
        number->solo = number->known;
    else
        number->solo = given ? given->begin : pithi_given_next(&numbers->given, &numbers->next_solo, 1);
    numbers->user_solos += number->known == -1;
    return number->solo != -1 ? PITH_OK : no_memory();
}

int pithi_clog2_solo_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event,
                            const struct pithi_clog2_shape **shape)
{
    struct pithi_clog2_number *number = number_of(numbers, record->id);
    int err = PITH_OK;

    if (!number)
        return PITH_ERR_DAMAGED;
    if (!number->solo) {
        TRY(find_solo(numbers, record->id));
        TRY(write_solo(numbers, number, record->time_ns));
    }
    *event = number->solo;
    *shape = &number->shape;
out:
    return err;
}
