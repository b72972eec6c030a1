/* clog2_numbers.c - see clog2_numbers.h. */
#include "clog2/clog2_numbers.h"

#include <stdlib.h>

#include "clog2/known_states.h"
#include "colour.h"
#include "error.h"
#include "foreign/names.h"

struct pithi_clog2_number {
    int named;                   /* name, colour and shape are made */
    char name[PITHI_CLOG2_NAME]; /* as in the file */
    const char *colour;
    int32_t known;   /* a known state or solo event; -1: none */
    int32_t *starts; /* of a state: the start event of each level */
    uint32_t levels;
    int32_t solo; /* of an event: its number; 0: not defined yet */
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

    while (room < INT32_MAX / 8 && (uint32_t)room < 2 * count)
        room *= 2;
    *numbers = (struct pithi_clog2_numbers){.log = log,
                                            .stream = stream,
                                            .count = count,
                                            .last_user_state = room,
                                            .first_user_solo = PITHI_CLOG2_USER_EVENTS + 2 * room,
                                            .numbers = calloc(count + 1, sizeof *numbers->numbers)};
    return numbers->numbers ? PITH_OK : no_memory();
}

void pithi_clog2_numbers_free(struct pithi_clog2_numbers *numbers)
{
    for (uint32_t i = 0; numbers->numbers && i < numbers->count; i++)
        free(numbers->numbers[i].starts);
    free(numbers->numbers);
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

/* ---- Definitions in the file ----------------------------------------------------------------------------------- */

static int write_state(struct pithi_clog2_numbers *numbers, const struct pithi_clog2_number *number, int64_t time_ns,
                       int32_t state, int32_t start)
{
    unsigned char *body = pithi_clog2_put(numbers->stream, PITHI_CLOG2_STATEDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, state);
    pithi_clog2_put32(body + 4, start);
    pithi_clog2_put32(body + 8, start + 1);
    memcpy(body + 16, number->colour, strlen(number->colour));
    memcpy(body + 40, number->name, strlen(number->name));
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

/* One more level of a state. */
static int add_level(struct pithi_clog2_numbers *numbers, struct pithi_clog2_number *number, int64_t time_ns)
{
    int32_t *starts = realloc(number->starts, (number->levels + 1) * sizeof *starts);
    int32_t state = number->known;

    if (!starts)
        return no_memory();
    number->starts = starts;
    if (number->levels || state < 0)
        state = PITHI_CLOG2_USER_STATES + numbers->user_states++;
    starts[number->levels] =
        state < PITHI_CLOG2_USER_STATES ? 2 * state : PITHI_CLOG2_USER_EVENTS + 2 * (state - PITHI_CLOG2_USER_STATES);
    return write_state(numbers, number, time_ns, state, starts[number->levels++]);
}

int pithi_clog2_state_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event)
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
        TRY(add_level(numbers, number, record->time_ns));
    *event = number->starts[level] + (record->kind == PITHLOG_LEAVE);
out:
    return err;
}

int pithi_clog2_solo_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event,
                            const struct pithi_clog2_shape **shape)
{
    struct pithi_clog2_number *number = number_of(numbers, record->id);
    int err = PITH_OK;

    if (!number)
        return PITH_ERR_DAMAGED;
    if (!number->solo) {
        number->solo = number->known != -1 ? number->known : numbers->first_user_solo + numbers->user_solos++;
        TRY(write_solo(numbers, number, record->time_ns));
    }
    *event = number->solo;
    *shape = &number->shape;
out:
    return err;
}
