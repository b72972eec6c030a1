/* clog2_numbers.c - allocates event numbers and writes definitions. clog2_numbers.h says when a definition is written,
 * and why a state that is open inside itself has several pairs of numbers.
 *
 * A number is first NEW. It becomes DEFINED at the start, or at its first use. In a log with descriptions
 * (PITHI_CLOG2_DESCRIBE) a number is IN_USE from the first record that uses it until its description comes. If no
 * description comes, the number is defined at the end.
 */
#include "foreign/clog2/clog2_numbers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/clog2/clog2_made.h"
#include "foreign/names.h"
#include "native/event_numbers.h"
#include "native/log.h"

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* Fits formats and payloads into the fixed fields of a CLOG-2 record. */

void pithi_clog2_shape_make(struct pithi_clog2_shape *shape, const char *format)
{
    size_t length = strlen(format), size = 0, kept = 0, count = 0;

    *shape = (struct pithi_clog2_shape){0};
    /* Keeps the tokens before the first one that is unknown or does not fit. The text after the last token is kept only
     * if all tokens fit. For example, "%d bytes to %s" has the tokens d (4 bytes) and s (at least 2 bytes). percent + 2
     * is the byte after a token. */
    for (const char *percent = strchr(format, '%'); percent; percent = strchr(percent + 2, '%')) {
        size_t token = pithi_token_size(percent[1]);
        if (!token || size + token > PITHI_CLOG2_CARGO) {
            shape->cut = 2;
            length = kept;
            break;
        }
        shape->tokens[count++] = percent[1];
        size += token;
        kept = (size_t)(percent + 2 - format);
    }
    /* the format fits as it is */
    if (pithi_name_cut(shape->format, sizeof shape->format, format, length) != PITHI_NAME_CUT)
        return;
    /* cut: bit 0 for text that was cut, bit 1 for tokens that were left out */
    shape->cut |= 1;
    if (shape->tokens[0]) {
        memset(shape->format, 0, sizeof shape->format);
        /* Each token takes two bytes. The rest of the field is divided equally: each token keeps this share of the text
         * before it. */
        size_t tokens = strlen(shape->tokens), share = (sizeof shape->format - 1 - 2 * tokens) / tokens, at = 0;
        for (size_t i = 0; i < tokens; i++) {
            size_t text = strcspn(format, "%"), take = text < share ? text : share;
            /* never cuts inside a UTF-8 character */
            while (take && take < text && ((unsigned char)format[take] & 0xc0) == 0x80)
                take--;
            memcpy(shape->format + at, format, take);
            at += take;
            shape->format[at++] = '%';
            shape->format[at++] = shape->tokens[i];
            format += text + 2;
        }
    }
}

int pithi_clog2_pack(const struct pithi_clog2_shape *shape, const unsigned char *payload, uint32_t size,
                     unsigned char cargo[PITHI_CLOG2_CARGO])
{
    uint32_t at = 0, from = 0;
    int cut = shape->cut & 2;

    if (!shape->tokens[0]) { /* The format has no tokens, so the payload is copied as bytes. */
        memcpy(cargo, payload, size < PITHI_CLOG2_CARGO ? size : PITHI_CLOG2_CARGO);
        return size > PITHI_CLOG2_CARGO;
    }
    for (const char *token = shape->tokens; *token; token++) {
        uint32_t token_size = (uint32_t)pithi_token_size(*token);
        if (token_size > size - from)
            /* The payload is shorter than its format. The rest of the cargo stays as the caller made it. */
            break;
        if (*token == 's') {
            uint32_t length = (uint32_t)payload[from] << 8 | payload[from + 1];
            length = length > size - from - 2 ? size - from - 2 : length;
            /* A string gets the bytes that later tokens do not need. It is cut between characters. */
            const unsigned char *text = payload + from + 2;
            uint32_t taken = length, space = PITHI_CLOG2_CARGO - at;
            for (const char *rest = token; *rest; rest++)
                space -= (uint32_t)pithi_token_size(*rest); /* a later string needs only the two bytes of its length */
            if (taken > space)
                for (taken = space; taken && (text[taken] & 0xc0) == 0x80;)
                    taken--;
            /* at most 32 bytes fit, so the first byte of the length is 0 */
            cargo[at] = 0;
            cargo[at + 1] = (unsigned char)taken;
            memcpy(cargo + at + 2, text, taken);
            cut |= taken < length;
            at += 2 + taken;
            from += 2 + length;
        } else {
            memcpy(cargo + at, payload + from, token_size);
            at += token_size;
            from += token_size;
        }
    }
    return cut != 0;
}

struct pithi_clog2_number {
    int named;                   /* name, colour and shape are set */
    char name[PITHI_CLOG2_NAME]; /* as written in the file */
    const char *colour;          /* a name of a colour in the file */
    int32_t known;               /* MPE's number of a known state or solo event; -1: none */
    struct clog2_level {
        struct pithi_number_pair pair;
        enum { NEW, IN_USE, DEFINED } status; /* IN_USE: a record has used it, and its definition must follow */
    } * level;                                /* for a state: the events of each level */
    uint32_t levels;
    uint32_t info; /* for a state: the event that holds its payloads, + 1; for such an event: its state + 1 */
    int32_t solo;  /* for an event: its event number; 0: none yet */
    int status;    /* for an event: NEW, IN_USE or DEFINED, as for a level */
    int looked;    /* 1: `info` has been looked up */
    struct pithi_clog2_shape shape; /* how payloads are packed */
};

/* As in MPE, events of user states are numbered from 600, and solo events from 5000. If the log has so many states that
 * their numbers would reach 5000, the solo events start at a higher number, which is in the preamble. */
int pithi_clog2_numbers_open(struct pithi_clog2_numbers *numbers, struct pithlog *log,
                             struct pithi_clog2_stream *stream, struct pithi_clog2_made *made,
                             struct pithi_losses *losses)
{
    uint32_t count = pithlog_get_info(log)->defs;
    int32_t room = (PITHI_CLOG2_USER_SOLO - PITHI_CLOG2_USER_EVENTS) / 2;

    /* Reserves numbers for twice as many states as there are definitions, because a state that is open inside itself
     * needs several pairs of numbers. */
    while (room < INT32_MAX / 8 && (uint32_t)room < 2 * count)
        room *= 2;
    *numbers = (struct pithi_clog2_numbers){.log = log,
                                            .stream = stream,
                                            .made = made,
                                            .losses = losses,
                                            .count = count,
                                            .last_user_state = room,
                                            .first_user_solo = PITHI_CLOG2_USER_EVENTS + 2 * room,
                                            .next_pair = PITHI_CLOG2_USER_EVENTS,
                                            .next_solo = PITHI_CLOG2_USER_EVENTS + 2 * room,
                                            .numbers = calloc(count + 1, sizeof *numbers->numbers)};
    if (!numbers->numbers)
        return pithi_no_memory();
    CHECK(pithi_given_open(&numbers->given, log));
    CHECK(pithi_given_read(&numbers->given, log, PITHI_CLOG2_USER_EVENTS)); /* lower numbers belong to MPI */
    return PITH_OK;
}

void pithi_clog2_numbers_free(struct pithi_clog2_numbers *numbers)
{
    for (uint32_t i = 0; numbers->numbers && i < numbers->count; i++)
        free(numbers->numbers[i].level);
    free(numbers->numbers);
    pithi_given_free(&numbers->given);
    pithi_map_free(&numbers->open);
    pithi_map_free(&numbers->used_states);
    pithi_map_free(&numbers->used_events);
    pithi_map_free(&numbers->described);
}

/* ---- Names and colours ----------------------------------------------------------------------------------------- */

/* Returns the number of a solo event that MPE itself writes, such as MPE_Comm_init, or -1 for any other name. */
static int32_t known_solo(const char *name)
{
    for (int32_t event = PITHI_CLOG2_COMM_INIT; event <= PITHI_CLOG2_COMM_FINALIZE; event++)
        if (strcmp(pithi_clog2_known_event(event)->name, name) == 0)
            return event;
    return -1;
}

/* Returns the entry of a definition that a record uses, or NULL with the error set. */
static struct pithi_clog2_number *number_of(struct pithi_clog2_numbers *numbers, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(numbers->log, id);

    if (!def || id >= numbers->count) {
        pithi_fail(PITH_ERR_DAMAGED, "a record has definition %u, which the log does not hold", id);
        return NULL;
    }
    struct pithi_clog2_number *number = &numbers->numbers[id];
    if (number->named)
        return number;
    /* Name, colour and shape of a definition are set when a record first uses it. */
    int state = def->kind == PITHLOG_STATE, changed;
    number->known = state ? pithi_clog2_known_number(def->name) : known_solo(def->name);
    /* Names must fit into the file's field, and must differ there: pithi_name_unique cuts them and keeps them apart. */
    changed = pithi_name_unique(state ? &numbers->used_states : &numbers->used_events, number->name,
                                sizeof number->name, def->name[0] ? def->name : "?");
    if (changed < 0) {
        pithi_no_memory();
        return NULL;
    }
    numbers->cut_names += (uint64_t)changed;
    /* The file contains colours by name. A known state always gets the colour that MPE gives it. */
    const char *canonical = pithi_colour_canonical(def->colour);
    number->colour = canonical ? canonical : pithi_colour_nearest(pithlog_def_rgb(numbers->log, id));
    if (state && number->known >= 0)
        number->colour = pithi_clog2_known_state(number->known)->colour;
    if (!state && number->known != -1)
        number->colour = pithi_clog2_known_event(number->known)->colour;
    if (!state) {
        pithi_clog2_shape_make(&number->shape, def->format);
        numbers->cut_formats += number->shape.cut != 0;
    }
    number->named = 1;
    return number;
}

void pithi_clog2_numbers_colours(const struct pithi_clog2_numbers *numbers, struct pithi_losses *losses)
{
    for (uint32_t id = 0; id < numbers->count; id++)
        if (numbers->numbers[id].named)
            pithi_losses_colour(losses, id, numbers->numbers[id].colour);
}

/* ---- Definitions in the file ----------------------------------------------------------------------------------- */

static int write_state(struct pithi_clog2_numbers *numbers, uint32_t id, const struct pithi_number_pair *pair,
                       int32_t state, int64_t time_ns, const struct pithi_clog2_line *line)
{
    const struct pithi_clog2_number *number = &numbers->numbers[id];
    unsigned char *body =
        pithi_clog2_put(numbers->stream, PITHI_CLOG2_STATEDEF, time_ns, line->comm, line->rank, line->thread);
    const struct pithi_clog2_shape *shape;
    uint32_t info;

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, state);
    pithi_clog2_put32(body + 4, pair->begin);
    pithi_clog2_put32(body + 8, pair->end);
    memcpy(body + 16, number->colour, strlen(number->colour));
    memcpy(body + 40, number->name, strlen(number->name));
    /* The format of a state is taken from the event "NAME info", which holds the payloads of the state. */
    shape = pithi_clog2_state_info(numbers, id, &info);
    if (shape) {
        memcpy(body + 72, shape->format, strlen(shape->format));
        numbers->losses->used[info] |= PITHI_KEPT;
    }
    numbers->losses->used[id] |= PITHI_KEPT;
    return PITH_OK;
}

static int write_event(struct pithi_clog2_numbers *numbers, uint32_t id, int64_t time_ns,
                       const struct pithi_clog2_line *line)
{
    const struct pithi_clog2_number *number = &numbers->numbers[id];
    unsigned char *body =
        pithi_clog2_put(numbers->stream, PITHI_CLOG2_EVENTDEF, time_ns, line->comm, line->rank, line->thread);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, number->solo);
    memcpy(body + 8, number->colour, strlen(number->colour));
    memcpy(body + 32, number->name, strlen(number->name));
    memcpy(body + 64, number->shape.format, strlen(number->shape.format));
    numbers->losses->used[id] |= PITHI_KEPT;
    return PITH_OK;
}

/* Adds levels to a state up to `level`, without their definitions. */
static int add_levels(struct pithi_clog2_numbers *numbers, uint32_t id, uint64_t level)
{
    struct pithi_clog2_number *number = &numbers->numbers[id];

    /* Level 0 is the outermost instance of a state, level 1 an instance inside it, and so on. Each level has its own
     * event numbers, because otherwise a viewer could not tell which instance ends. */
    while (level >= number->levels) {
        if (!pithi_grow_one(&number->level, number->levels, sizeof *number->level))
            return pithi_no_memory();
        /* Level 0 of a state of MPE gets the event numbers that MPE uses for it. Any other level gets the event numbers
         * that the program used for it or, if the program used none, the next free ones. */
        struct clog2_level *of = &number->level[number->levels];
        const struct pithi_number_pair *given = pithi_given_get(&numbers->given, id, number->levels);
        of->status = NEW;
        /* MPE gives its state n the events 2 * n and 2 * n + 1. */
        if (number->known >= 0 && !number->levels) {
            of->pair = (struct pithi_number_pair){2 * number->known, 2 * number->known + 1};
        } else if (given) {
            of->pair = *given;
        } else {
            of->pair.begin = pithi_given_next(&numbers->given, &numbers->next_pair, 2);
            if (of->pair.begin < 0)
                return pithi_no_memory();
            of->pair.end = of->pair.begin + 1;
        }
        number->levels++;
    }
    return PITH_OK;
}

int pithi_clog2_state_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                             struct pithi_number_pair *pair)
{
    struct pithi_clog2_number *number = number_of(numbers, record->id);
    uint64_t *open, level;

    if (!number)
        return PITH_ERR_DAMAGED;
    open = pithi_map_at(&numbers->open, pithi_map_pair(record->lane, record->id));
    if (!open)
        return pithi_no_memory();
    /* An enter takes the next level, a leave the last level taken: enter, enter, leave, leave have the levels 0, 1, 1,
     * 0. */
    if (record->kind == PITHLOG_ENTER)
        level = (*open)++;
    else
        level = *open ? --*open : 0;
    /* If levels or numbers run out, deeper instances share the last level and are counted. */
    if (number->levels && (level >= PITHI_CLOG2_LEVELS ||
                           (level >= number->levels && numbers->user_states >= numbers->last_user_state))) {
        numbers->shared_levels += record->kind == PITHLOG_ENTER;
        level = level < number->levels ? level : number->levels - 1;
    }
    CHECK(add_levels(numbers, record->id, level));
    struct clog2_level *of = &number->level[level];
    *pair = of->pair;
    if (of->status != NEW)
        return PITH_OK;

    /* A level is defined at its first use. */
    of->status = DEFINED;
    /* a known state is defined at the end of the file (pithi_clog2_define_known) */
    if (number->known >= 0 && level == 0) {
        numbers->made->states[number->known] = 1;
        return PITH_OK;
    }
    /* A description of this number may still follow in the log, so the number is not defined yet. */
    if (numbers->is_described && pithi_given_get(&numbers->given, record->id, (uint32_t)level)) {
        of->status = IN_USE;
        return PITH_OK;
    }
    if (numbers->is_described && !numbers->has_more_states) {
        /* The descriptions give the program's states the state numbers from the first on. All other states get the
         * numbers after these. */
        int32_t given = 0;
        for (uint32_t k = 0; k < numbers->count; k++)
            given += pithlog_get_def(numbers->log, k)->kind == PITHLOG_STATE && pithi_given_get(&numbers->given, k, 0);
        numbers->has_more_states = 1;
        numbers->user_states = numbers->user_states > given ? numbers->user_states : given;
    }
    return write_state(numbers, record->id, pair, PITHI_CLOG2_USER_STATES + numbers->user_states++, record->time_ns,
                       &(struct pithi_clog2_line){0});
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

    /* The definition must be a state, because an event may have the same name. */
    if (!number || !def || def->kind != PITHLOG_STATE)
        return NULL;
    /* The result is looked up only once, because the name is compared with all definitions. */
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

/* Does the opposite of pithi_clog2_state_info. Returns 1 if the event `info`, such as "solve info", holds the payloads
 * of the state *state, "solve". */
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

/* Chooses the event number of an event: the number that MPE uses for it, else the number that the program used, else
 * the next free number. */
static int find_solo(struct pithi_clog2_numbers *numbers, uint32_t id)
{
    struct pithi_clog2_number *number = &numbers->numbers[id];
    const struct pithi_number_pair *given = pithi_given_get(&numbers->given, id, 0);

    if (number->known != -1)
        number->solo = number->known;
    else
        number->solo = given ? given->begin : pithi_given_next(&numbers->given, &numbers->next_solo, 1);
    numbers->user_solos += number->known == -1; /* MPE's own events are not counted as user events */
    return number->solo != -1 ? PITH_OK : pithi_no_memory();
}

int pithi_clog2_solo_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event,
                            const struct pithi_clog2_shape **shape)
{
    struct pithi_clog2_number *number = number_of(numbers, record->id);

    if (!number)
        return PITH_ERR_DAMAGED;
    if (!number->solo) { /* first use */
        CHECK(find_solo(numbers, record->id));
        number->status = numbers->is_described && pithi_given_get(&numbers->given, record->id, 0) ? IN_USE : DEFINED;
        if (number->known != -1)
            numbers->made->events[number->known - PITHI_CLOG2_COMM_INIT] = 1;
        else if (number->status == DEFINED)
            CHECK(write_event(numbers, record->id, record->time_ns, &(struct pithi_clog2_line){0}));
    }
    *event = number->solo;
    *shape = &number->shape;
    return PITH_OK;
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Writes the definition of a state. Its state number is the count of states that the rank has described before, as in
 * MPE. So a state has the same number on all ranks if all ranks describe their states in the same order. */
static int describe_state(struct pithi_clog2_numbers *numbers, uint32_t id, uint32_t level, int32_t rank,
                          int64_t time_ns, const struct pithi_clog2_line *line)
{
    uint64_t *count = pithi_map_at(&numbers->described, (uint32_t)rank);
    const struct pithi_clog2_number *number = number_of(numbers, id);

    if (!number || number->known >= 0)
        return number ? PITH_OK : PITH_ERR_DAMAGED;
    if (!count)
        return pithi_no_memory();
    CHECK(add_levels(numbers, id, level));
    number->level[level].status = DEFINED;
    int32_t state = PITHI_CLOG2_USER_STATES + (int32_t)(*count)++;
    if (numbers->user_states < (int32_t)*count)
        numbers->user_states = (int32_t)*count;
    return write_state(numbers, id, &number->level[level].pair, state, time_ns, line);
}

static int describe_event(struct pithi_clog2_numbers *numbers, uint32_t id, int64_t time_ns,
                          const struct pithi_clog2_line *line)
{
    struct pithi_clog2_number *number = number_of(numbers, id);

    if (!number || number->known != -1)
        return number ? PITH_OK : PITH_ERR_DAMAGED;
    if (!number->solo)
        CHECK(find_solo(numbers, id));
    number->status = DEFINED;
    return write_event(numbers, id, time_ns, line);
}

/* Writes the definition that a description asks for. Writes nothing if the log has no definition of this name, or if
 * the number in the description is not the number of this definition. */
int pithi_clog2_describe(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                         const struct pithi_clog2_line *line, int32_t rank)
{
    const unsigned char *payload = record->payload;
    char name[UINT16_MAX + 1];
    uint32_t id, level = 0;

    /* A description has at least 10 bytes: two numbers of 4 bytes, and the length of the name in 2 bytes. */
    if (record->payload_bytes < 10)
        return PITH_OK;
    int32_t start = pithi_clog2_i32(payload, 1), final = pithi_clog2_i32(payload + 4, 1);
    uint32_t length = (uint32_t)payload[8] << 8 | payload[9];
    if (length > record->payload_bytes - 10)
        return PITH_OK;
    memcpy(name, payload + 10, length);
    name[length] = 0;
    /* `final` is -1 for an event, which has one number only */
    if (!pithi_defs_find(numbers->log->defs, final >= 0 ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, name, &id))
        return PITH_OK;
    const struct pithi_number_pair *pair;
    /* A state may have several pairs of numbers. Finds the level whose pair begins with `start`. */
    while ((pair = pithi_given_get(&numbers->given, id, level)) && pair->begin != start)
        level++;
    if (!pair)
        return PITH_OK;
    if (final >= 0)
        return describe_state(numbers, id, level, rank, record->time_ns, line);
    return describe_event(numbers, id, record->time_ns, line);
}

struct described {
    int32_t number;     /* event number in the file */
    uint32_t id, level; /* id: definition; level: nesting level of the state */
    int is_event;
};

static int compare_described(const void *left, const void *right)
{
    const struct described *a = left, *b = right;

    if (a->is_event != b->is_event)
        return a->is_event - b->is_event;
    return (a->number > b->number) - (a->number < b->number);
}

/* Writes the definitions that are still missing of the event numbers that the program used. At the begin of the file
 * (is_end 0), these are the definitions of all such numbers; but if the log has descriptions, none is written, because
 * each description will write its own. At the end, these are the definitions of numbers that were used without a
 * description. */
int pithi_clog2_describe_rest(struct pithi_clog2_numbers *numbers, int64_t time_ns, int is_end)
{
    const struct pithi_clog2_line line = {0};
    struct described *all = NULL;
    uint32_t count = 0, room = 0;
    int err = PITH_OK, wanted = is_end ? IN_USE : NEW;

    if (!is_end && numbers->is_described)
        return PITH_OK;
    for (uint32_t id = 0; id < numbers->count; id++) {
        const struct pithi_number_pair *pair;
        int is_event = pithlog_get_def(numbers->log, id)->kind == PITHLOG_EVENT_TYPE;
        for (uint32_t level = 0; (pair = pithi_given_get(&numbers->given, id, level)) != NULL; level++) {
            const struct pithi_clog2_number *number = &numbers->numbers[id];
            int status = is_event ? number->status : level < number->levels ? (int)number->level[level].status : NEW;
            if (status != wanted)
                continue;
            if (!pithi_grow(&all, count, &room, sizeof *all))
                TRY(pithi_no_memory());
            all[count++] = (struct described){pair->begin, id, level, is_event};
        }
    }
    if (count)
        /* in the order of their numbers, as MPE writes them */
        qsort(all, count, sizeof *all, compare_described);
    for (uint32_t i = 0; i < count; i++)
        TRY(all[i].is_event ? describe_event(numbers, all[i].id, time_ns, &line)
                            : describe_state(numbers, all[i].id, all[i].level, 0, time_ns, &line));
out:
    free(all);
    return err;
}
