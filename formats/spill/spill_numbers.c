/* spill_numbers.c - finds the meaning of events recorded by number (spill_numbers.h). A definition stands for a number
 * if it is named "event N" or "event N info".
 *
 * Ranks see each other's descriptions only when the job is merged, so the meanings are found in steps. Example: rank 0
 * has described 600 and 601 as Broadcast, and rank 1 only uses these numbers:
 *
 *     own      each rank's definitions without the numbers that it described itself: rank 0: Broadcast;
 *              rank 1: "event 600", "event 601"
 *     said     what each rank described becomes a property of the job: mpe_state_600_601 = Broadcast
 *     settle   in the united set, numbers that a property explains are removed: only Broadcast is left
 *     map      of rank 1: "event 600" becomes the ENTER of Broadcast, "event 601" becomes the LEAVE
 */
#include "spill/spill_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "native/defs.h"

/* ---- Numbers by name --------------------------------------------------------------------------------------------- */

/* Returns 1 if the definition stands for a number: it is named "event N", or "event N info" for N with a payload. */
static int is_number(const struct pithlog_def *def, int32_t *number, int *has_payload)
{
    char name[48];

    if (def->kind != PITHLOG_EVENT_TYPE || strcmp(def->group, PITHI_NUMBERS_GROUP) != 0 ||
        strncmp(def->name, "event ", 6) != 0)
        return 0;
    *number = (int32_t)strtol(def->name + 6, NULL, 10);
    snprintf(name, sizeof name, "event %d info", *number);
    *has_payload = strcmp(def->name, name) == 0;
    name[strlen(name) - 5] = 0;
    return *has_payload || strcmp(def->name, name) == 0;
}

static int has_numbers(const struct pithi_spill *spill)
{
    int32_t number;
    int has_payload;

    for (uint32_t i = 0; i < spill->def_count; i++)
        if (spill->defs[i].name && is_number(&spill->defs[i], &number, &has_payload))
            return 1;
    return 0;
}

/* Adds the descriptions by a process, which are properties. It goes from the last property to the first, because the
 * last description of a number counts, and pithi_meanings_add keeps the description that is added first. */
static int meanings_of_spill(const struct pithi_spill *spill, struct pithi_meanings *meanings)
{
    for (uint32_t i = spill->property_count; i-- > 0;)
        CHECK(pithi_meanings_add(meanings, spill->properties[i].key, spill->properties[i].value));
    return PITH_OK;
}

static int meanings_of_set(const struct pithi_defs *defs, struct pithi_meanings *meanings)
{
    const char *key, *value;

    for (uint32_t i = 0; (key = pithi_defs_get_property(defs, i, &value)) != NULL; i++)
        CHECK(pithi_meanings_add(meanings, key, value));
    return PITH_OK;
}

/* The format of a state's payloads if the program gave none; most such payloads are plain strings. */
#define TEXT_FORMAT "\"%s\""

/* Adds the event "NAME info" for payloads of state NAME, in the colour of the state. */
static int add_info(struct pithi_defs *defs, const char *state, uint32_t *id)
{
    size_t size = strlen(state) + sizeof " info";
    struct pithlog_def def = {.kind = PITHLOG_EVENT_TYPE, .colour = "", .group = "user", .format = TEXT_FORMAT};
    char *name = malloc(size);
    uint32_t index;

    if (!name)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
    snprintf(name, size, "%s info", state);
    def.name = name;
    if (pithi_defs_find(defs, PITHLOG_STATE, state, &index))
        def.colour = pithi_defs_get(defs, index)->colour;
    int err = pithi_defs_add(defs, &def, id);
    free(name);
    return err;
}

static int has_named(const struct pithi_spill *spill, enum pithlog_def_kind kind, const char *name, uint32_t *id)
{
    for (*id = 0; *id < spill->def_count; ++*id)
        if (spill->defs[*id].name && spill->defs[*id].kind == kind && strcmp(spill->defs[*id].name, name) == 0)
            return 1;
    return 0; /* the process has no such definition, because the user excluded the name from recording */
}

static int needs_info(const struct pithi_meaning *meaning, int has_payload)
{
    return has_payload && meaning->what != PITHI_HAPPENS;
}

/* Adds an event for a number that no process has described, with or without a payload. */
static int add_undescribed(struct pithi_defs *defs, int32_t number, uint32_t *id)
{
    char name[32];
    struct pithlog_def def = {
        .kind = PITHLOG_EVENT_TYPE, .name = name, .colour = "", .group = PITHI_NUMBERS_GROUP, .format = ""};

    snprintf(name, sizeof name, "event %d", number);
    return pithi_defs_add(defs, &def, id);
}

/* ---- Before and after the sets are united ------------------------------------------------------------------------ */

/* Adds a definition of a process, unless it stands for a number that the process has described. If such a number is
 * used for payloads of a state, the event for these payloads is added instead. */
static int add_own(const struct pithi_spill *spill, struct pithi_defs *defs, const struct pithi_meanings *meanings,
                   const struct pithlog_def *def)
{
    const struct pithi_meaning *meaning;
    int32_t number;
    int has_payload;
    uint32_t id;

    if (!is_number(def, &number, &has_payload) || !(meaning = pithi_meanings_get(meanings, number)))
        return pithi_defs_add(defs, def, &id);
    return needs_info(meaning, has_payload) && has_named(spill, PITHLOG_STATE, meaning->name, &id)
               ? add_info(defs, meaning->name, &id)
               : PITH_OK;
}

int pithi_spill_numbers_own(const struct pithi_spill *spill, struct pithi_defs *defs)
{
    struct pithi_meanings meanings = {.count = 0};
    int err = PITH_OK;

    if (has_numbers(spill))
        TRY(meanings_of_spill(spill, &meanings));
    for (uint32_t i = 0; i < spill->def_count; i++)
        if (spill->defs[i].name)
            TRY(add_own(spill, defs, &meanings, &spill->defs[i]));
out:
    pithi_meanings_free(&meanings);
    return err;
}

int pithi_spill_numbers_said(const struct pithi_spill *spill, struct pithi_defs *defs)
{
    int32_t numbers[2];
    uint32_t id;

    for (uint32_t i = 0; i < spill->property_count; i++) {
        const struct pithi_spill_property *said = &spill->properties[i];
        int count = pithi_event_numbers(said->key, numbers);
        if (!count)
            continue;
        CHECK(pithi_defs_property_of_many(defs, said->key, said->value));
        if (has_named(spill, count == 2 ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, said->value, &id))
            CHECK(pithi_defs_add(defs, &spill->defs[id], &id));
    }
    return PITH_OK;
}

int pithi_spill_numbers_settle(struct pithi_defs *defs)
{
    struct pithi_meanings meanings = {.count = 0};
    uint32_t count = pithi_defs_count(defs), id;
    unsigned char *gone = calloc(count + 1u, 1);
    int err = gone ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
    int32_t number;
    int has_payload;

    if (err == PITH_OK)
        err = meanings_of_set(defs, &meanings);
    for (uint32_t i = 0; err == PITH_OK && i < count; i++) {
        const struct pithi_meaning *meaning;
        if (!is_number(pithi_defs_get(defs, i), &number, &has_payload))
            continue;
        meaning = pithi_meanings_get(&meanings, number);
        gone[i] = meaning || has_payload;
        if (!meaning && has_payload)
            err = add_undescribed(defs, number, &id);
        else if (meaning && needs_info(meaning, has_payload) &&
                 pithi_defs_find(defs, PITHLOG_STATE, meaning->name, &id))
            err = add_info(defs, meaning->name, &id);
    }
    if (err == PITH_OK)
        pithi_defs_remove(defs, gone, count);
    free(gone);
    pithi_meanings_free(&meanings);
    return err;
}

/* ---- The map ----------------------------------------------------------------------------------------------------- */

/* Used while the map is made. own, all: the meanings given by the process itself and by all processes. */
struct mapping {
    struct pithi_defs *defs;
    struct pithi_meanings own, all;
    struct pithi_spill_number *numbers; /* [count] */
    uint32_t count, room;
};

static int map_def(struct mapping *m, const struct pithlog_def *def, uint32_t *id)
{
    const struct pithi_meaning *meaning;
    struct pithi_spill_number *to;
    int32_t number;
    int has_payload;

    if (!is_number(def, &number, &has_payload))
        return pithi_defs_add(m->defs, def, id);
    meaning = pithi_meanings_get(&m->own, number);
    meaning = meaning ? meaning : pithi_meanings_get(&m->all, number);
    if (!pithi_grow(&m->numbers, m->count, &m->room, sizeof *m->numbers))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for event numbers");
    *id = PITHI_NUMBER_ID + m->count;
    to = &m->numbers[m->count++];
    *to = (struct pithi_spill_number){.kind = 0};
    if (!meaning) {
        to->kind = PITHLOG_EVENT;
        return add_undescribed(m->defs, number, &to->id);
    }
    enum pithlog_def_kind kind = meaning->what == PITHI_HAPPENS ? PITHLOG_EVENT_TYPE : PITHLOG_STATE;
    if (!pithi_defs_find(m->defs, kind, meaning->name, &to->id))
        return PITH_OK;
    to->kind = meaning->what == PITHI_BEGINS ? PITHLOG_ENTER
               : meaning->what == PITHI_ENDS ? PITHLOG_LEAVE
                                             : PITHLOG_EVENT;
    to->info = to->id;
    if (needs_info(meaning, has_payload))
        CHECK(add_info(m->defs, meaning->name, &to->info));
    to->format = pithi_defs_get(m->defs, to->info)->format;
    to->is_text = needs_info(meaning, has_payload) && strcmp(to->format, TEXT_FORMAT) == 0;
    if (to->is_text)
        to->format = "";
    return PITH_OK;
}

int pithi_spill_numbers_more(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t *map,
                             struct pithi_spill_numbers *numbers)
{
    struct mapping m = {.defs = defs, .numbers = numbers->all, .count = numbers->count, .room = numbers->room};
    int err = PITH_OK;

    if (has_numbers(spill)) {
        TRY(meanings_of_spill(spill, &m.own));
        TRY(meanings_of_set(defs, &m.all));
    }
    for (uint32_t i = 0; i < spill->def_count; i++)
        if (spill->defs[i].name && map[i] == UINT32_MAX)
            TRY(map_def(&m, &spill->defs[i], &map[i]));
out:
    *numbers = (struct pithi_spill_numbers){m.numbers, m.count, m.room};
    pithi_meanings_free(&m.own);
    pithi_meanings_free(&m.all);
    return err;
}

int pithi_spill_numbers_map(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t **map,
                            struct pithi_spill_number **numbers)
{
    struct pithi_spill_numbers made = {0};
    size_t size = ((size_t)spill->def_count + 1) * sizeof **map;

    *numbers = NULL;
    *map = malloc(size);
    if (!*map)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for definitions", spill->path);
    memset(*map, 0xff, size);
    int err = pithi_spill_numbers_more(spill, defs, *map, &made);
    *numbers = made.all;
    return err;
}
