/* event_numbers.c - keys of properties and meanings of MPE's event numbers (event_numbers.h). Keys are read strictly,
 * as a program may have properties with similar names: mpe_state_600_601 has two numbers, mpe_state_600_601x and
 * mpe_state_ 600_601 have none. */
#include "native/event_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"

#define STATE "mpe_state_"
#define EVENT "mpe_event_"

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

/* Reads a whole number that the character `end` must follow. Returns the text after this character, or NULL if there is
 * no such number. */
static const char *take_number(const char *text, char end, int32_t *number)
{
    char *behind;
    long long value = strtoll(text, &behind, 10);

    *number = (int32_t)value;
    /* strtoll also accepts blanks and a plus sign before the number; a key may not have them. */
    if (behind == text || *text == ' ' || *text == '+' || *behind != end || value != *number)
        return NULL;
    return behind + (end != 0);
}

int pithi_event_numbers(const char *key, int32_t numbers[2])
{
    if (strncmp(key, EVENT, sizeof EVENT - 1) == 0)
        return take_number(key + sizeof EVENT - 1, 0, &numbers[0]) ? 1 : 0;
    if (strncmp(key, STATE, sizeof STATE - 1) != 0)
        return 0;
    key = take_number(key + sizeof STATE - 1, '_', &numbers[0]);
    return key && take_number(key, 0, &numbers[1]) ? 2 : 0;
}

void pithi_event_numbers_state(char key[48], int32_t start, int32_t final)
{
    snprintf(key, 48, STATE "%d_%d", start, final);
}

void pithi_event_numbers_event(char key[48], int32_t number) { snprintf(key, 48, EVENT "%d", number); }

int pithi_event_numbers_tell(struct pithi_defs *defs, uint32_t *told, uint32_t id, int64_t start, const int64_t *final)
{
    enum { MOST = 8192 }; /* the most properties with numbers that a log gets */
    char key[48];

    /* A number that does not fit into 32 bits is left out of the log; the state itself stays. */
    if (start < 0 || start > INT32_MAX || (final && (*final < 0 || *final > INT32_MAX)) || ++*told > MOST)
        return PITH_OK;
    if (final)
        pithi_event_numbers_state(key, (int32_t)start, (int32_t)*final);
    else
        pithi_event_numbers_event(key, (int32_t)start);
    return pithi_defs_property(defs, key, pithi_defs_get(defs, id)->name);
}

/* ---- Meanings ---------------------------------------------------------------------------------------------------- */

static int add(struct pithi_meanings *meanings, int32_t number, int what, const char *name)
{
    uint64_t *index = pithi_map_at(&meanings->of, (uint32_t)number);

    /* If several properties describe the same number, the first one counts. */
    if (index && *index)
        return PITH_OK;
    if (!index || !pithi_grow(&meanings->all, meanings->count, &meanings->room, sizeof *meanings->all))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for event numbers");
    meanings->all[meanings->count].what = what;
    meanings->all[meanings->count].name = name;
    *index = ++meanings->count;
    return PITH_OK;
}

int pithi_meanings_add(struct pithi_meanings *meanings, const char *key, const char *name)
{
    int32_t numbers[2];
    int count = pithi_event_numbers(key, numbers), err = PITH_OK;

    if (count == 1)
        TRY(add(meanings, numbers[0], PITHI_HAPPENS, name));
    if (count == 2) {
        TRY(add(meanings, numbers[0], PITHI_BEGINS, name));
        TRY(add(meanings, numbers[1], PITHI_ENDS, name));
    }
out:
    return err;
}

const struct pithi_meaning *pithi_meanings_get(const struct pithi_meanings *meanings, int32_t number)
{
    const uint64_t *index = pithi_map_find(&meanings->of, (uint32_t)number);

    return index && *index ? &meanings->all[*index - 1] : NULL;
}

void pithi_meanings_free(struct pithi_meanings *meanings)
{
    pithi_map_free(&meanings->of);
    free(meanings->all);
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

uint32_t pithi_cargo_size(const char *format, const unsigned char cargo[PITHI_CARGO])
{
    uint32_t size = 0;

    if (!strchr(format, '%')) {
        /* If the bytes up to the first 0 are a text without control characters, returns the length of the text. Else
         * returns the number of bytes up to the last one that is not 0. */
        uint32_t length = (uint32_t)strnlen((const char *)cargo, PITHI_CARGO), i = 0;

        while (i < length && cargo[i] >= ' ' && cargo[i] != 0x7f)
            i++;
        if (length && i == length)
            return length;
        for (length = PITHI_CARGO; length && !cargo[length - 1];)
            length--;
        return length;
    }
    for (const char *percent = strchr(format, '%'); percent && percent[1]; percent = strchr(percent + 2, '%')) {
        uint32_t token = (uint32_t)pithi_token_size(percent[1]);
        /* A text has its length before it, two bytes with the high one first. */
        if (percent[1] == 's' && size + 2 <= PITHI_CARGO)
            token += (uint32_t)cargo[size] << 8 | cargo[size + 1];
        size = token > PITHI_CARGO - size ? PITHI_CARGO : size + token;
    }
    return size;
}

size_t pithi_token_size(char token)
{
    switch (token) {
    case 's':
    case 'h':
        return 2;
    case 'd':
    case 'x':
    case 'e':
        return 4;
    case 'l':
    case 'X':
    case 'E':
        return 8;
    default:
        return 0;
    }
}
