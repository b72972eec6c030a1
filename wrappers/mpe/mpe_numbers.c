/* mpe_numbers.c - see mpe_numbers.h. */
#include "mpe_numbers.h"
#include "mpe_aside.h"

#include "mpe_log.h"
#include "mpe_session.h"
#include "pith_tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NEAR = 65536, FIRST_STATE = 600, FIRST_SOLO = 5000, NAME_BYTES = 256 };
enum { UNKNOWN, BEGINS, ENDS, HAPPENS };

#define GROUP "MPE, not described"
#define ID_BITS 20

/* By number: what it is and the id, in one word that is read without a lock; the ids of the definitions that carry it
 * otherwise, without and with a payload. */
static uint32_t meanings[NEAR], carriers[2][NEAR];

static int next_state = FIRST_STATE, next_solo = FIRST_SOLO;

/* ---- Numbers to be had ------------------------------------------------------------------------------------------- */

int MPE_Log_get_state_eventIDs(int *start, int *final)
{
    PITHI_MPE_ASIDE(MPE_Log_get_state_eventIDs, (start, final));
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    int first = __atomic_fetch_add(&next_state, 2, __ATOMIC_RELAXED);
    if (start)
        *start = first;
    if (final)
        *final = first + 1;
    return MPE_LOG_OK;
}

int MPE_Log_get_solo_eventID(int *event)
{
    PITHI_MPE_ASIDE(MPE_Log_get_solo_eventID, (event));
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    int number = __atomic_fetch_add(&next_solo, 1, __ATOMIC_RELAXED);
    if (event)
        *event = number;
    return MPE_LOG_OK;
}

int MPE_Log_get_event_number(void)
{
    PITHI_MPE_ASIDE(MPE_Log_get_event_number, ());
    return __atomic_fetch_add(&next_state, 1, __ATOMIC_RELAXED);
}

/* ---- Meanings ---------------------------------------------------------------------------------------------------- */

static uint32_t undescribed(int number, const char *more)
{
    char name[48];

    snprintf(name, sizeof name, "event %d%s", number, more);
    return pith_event_define_group(name, NULL, NULL, GROUP);
}

static void mean(int number, uint32_t what, uint32_t id)
{
    if (number >= 0 && number < NEAR)
        __atomic_store_n(&meanings[number], what << ID_BITS | id, __ATOMIC_RELEASE);
}

/* A number that nothing is known of yet, or that is far out: those are looked up each time. */
__attribute__((noinline, cold)) static void record_other(int number)
{
    uint32_t id = undescribed(number, "");

    if (number >= 0 && number < NEAR && id) {
        uint32_t none = 0;
        __atomic_compare_exchange_n(&meanings[number], &none, HAPPENS << ID_BITS | id, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
    pith_event(id);
}

void pithi_mpe_record(int number)
{
    uint32_t meaning = number >= 0 && number < NEAR ? __atomic_load_n(&meanings[number], __ATOMIC_ACQUIRE) : 0;
    uint32_t id = meaning & ((1u << ID_BITS) - 1);

    switch (meaning >> ID_BITS) {
    case BEGINS:
        pith_begin(id);
        break;
    case ENDS:
        pith_end(id);
        break;
    case HAPPENS:
        pith_event(id);
        break;
    default:
        record_other(number);
    }
}

void pithi_mpe_record_more(int number, uint32_t comm, const unsigned char bytes[32])
{
    int is_near = number >= 0 && number < NEAR;
    uint32_t *carrier = &carriers[bytes != NULL][is_near ? number : 0];
    uint32_t id = is_near ? __atomic_load_n(carrier, __ATOMIC_ACQUIRE) : 0;

    if (!id) {
        id = undescribed(number, bytes ? " info" : "");
        if (is_near)
            __atomic_store_n(carrier, id, __ATOMIC_RELEASE);
    }
    pith_comm_event(comm, id, bytes, bytes ? 32 : 0);
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

void pithi_mpe_numbers_begin(void)
{
    __atomic_store_n(&next_state, FIRST_STATE, __ATOMIC_RELAXED);
    __atomic_store_n(&next_solo, FIRST_SOLO, __ATOMIC_RELAXED);
    for (int i = 0; i < NEAR; i++)
        __atomic_store_n(&meanings[i], 0, __ATOMIC_RELAXED);
}

/* Of "red:vlines", as old programs have it, the colour. */
static const char *colour_of(const char *colour, char copy[NAME_BYTES])
{
    snprintf(copy, NAME_BYTES, "%.*s", colour ? (int)strcspn(colour, ":") : 0, colour ? colour : "");
    return copy;
}

static int given(const char *text) { return text != NULL && *text != 0; }

void pithi_mpe_describe_state(int start, int final, const char *name, const char *colour, const char *format)
{
    char made[32], key[64], colours[NAME_BYTES], info[NAME_BYTES];

    snprintf(made, sizeof made, "state %d", start);
    if (!given(name))
        name = made;
    uint32_t id = pith_state_define(name, colour_of(colour, colours));
    if (given(format)) {
        snprintf(info, sizeof info, "%s info", name);
        pith_event_define(info, colours, format);
    }
    snprintf(key, sizeof key, "mpe_state_%d_%d", start, final);
    pith_property(key, name);
    mean(start, BEGINS, id);
    mean(final, ENDS, id);
}

void pithi_mpe_describe_event(int number, const char *name, const char *colour, const char *format)
{
    char made[32], key[64], colours[NAME_BYTES];

    snprintf(made, sizeof made, "event %d", number);
    if (!given(name))
        name = made;
    uint32_t id = pith_event_define(name, colour_of(colour, colours), format);
    snprintf(key, sizeof key, "mpe_event_%d", number);
    pith_property(key, name);
    mean(number, HAPPENS, id);
}

void pithi_mpe_describe_comm(int number, uint64_t key)
{
    char name[48], value[24];

    snprintf(name, sizeof name, "mpe_comm_%d", number);
    snprintf(value, sizeof value, "%" PRIx64, key);
    pith_property(name, value);
}
