/* given_numbers.c - keeps the numbers in use in a table and the numbers of each definition in a list.
 *
 * Example: the program has used 10 and 11 for the state "compute", and 12 for an event. Then a state without numbers
 * needs two numbers, from 10 on. The pairs that begin at 10 and 12 are not free, so the state gets 14 and 15. The
 * search goes in steps of two, so that begins stay even, as in MPE. The number 13 remains free for an event.
 *
 * All numbers of the program are reserved before any other number is given to a definition, because the program may use
 * a number only late in the log.
 */
#include "foreign/given_numbers.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "native/event_numbers.h"
#include "native/log.h"

int pithi_given_open(struct pithi_given *given, const struct pithlog *log)
{
    *given = (struct pithi_given){.count = pithlog_get_info(log)->defs};
    given->defs = calloc(given->count + 1u, sizeof *given->defs);
    return given->defs ? PITH_OK : pithi_no_memory();
}

void pithi_given_free(struct pithi_given *given)
{
    for (uint32_t i = 0; given->defs && i < given->count; i++)
        free(given->defs[i].pairs);
    free(given->defs);
    pithi_map_free(&given->taken);
}

static int is_taken(const struct pithi_given *given, int32_t number)
{
    return pithi_map_find(&given->taken, (uint32_t)number) != NULL;
}

int pithi_given_take(struct pithi_given *given, int32_t number)
{
    uint64_t *taken = pithi_map_at(&given->taken, (uint32_t)number);

    if (!taken)
        return -1;
    return *taken ? 0 : (*taken = 1, 1);
}

static int give(struct pithi_given *given, uint32_t id, const int32_t *numbers, int count, int32_t least)
{
    struct pithi_given_def *def = &given->defs[id];

    for (int i = 0; i < count; i++)
        if (numbers[i] < least || is_taken(given, numbers[i]))
            return PITH_OK;
    if (count == 2 && numbers[0] == numbers[1])
        return PITH_OK;
    if (!pithi_grow(&def->pairs, def->count, &def->room, sizeof *def->pairs))
        return pithi_no_memory();
    def->pairs[def->count++] = (struct pithi_number_pair){numbers[0], count == 2 ? numbers[1] : 0};
    for (int i = 0; i < count; i++)
        if (pithi_given_take(given, numbers[i]) < 0)
            return pithi_no_memory();
    return PITH_OK;
}

int pithi_given_read(struct pithi_given *given, struct pithlog *log, int32_t least)
{
    const char *key, *name;
    int32_t numbers[2];
    uint32_t id;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &name)) != NULL; i++) {
        int count = pithi_event_numbers(key, numbers);
        if (count && pithi_defs_find(log->defs, count == 2 ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, name, &id) &&
            id < given->count)
            CHECK(give(given, id, numbers, count, least));
    }
    return PITH_OK;
}

const struct pithi_number_pair *pithi_given_get(const struct pithi_given *given, uint32_t id, uint32_t index)
{
    return id < given->count && index < given->defs[id].count ? &given->defs[id].pairs[index] : NULL;
}

int32_t pithi_given_next(struct pithi_given *given, int32_t *next, int32_t count)
{
    int32_t first = *next, i = 0;

    while (i < count) {
        i = is_taken(given, first + i) ? 0 : i + 1;
        if (i == 0)
            first += count;
    }
    for (i = 0; i < count; i++)
        if (pithi_given_take(given, first + i) < 0)
            return -1;
    *next = first + count;
    return first;
}
