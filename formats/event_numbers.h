/* event_numbers.h - the numbers that MPE and its formats give events, as a log keeps them.
 *
 * A log's definitions have names. Which numbers stood for them is told by its properties, so that a log that is
 * converted agrees with MPE's own tools:
 *
 *     mpe_state_600_601 = Broadcast     number 600 begins the state Broadcast, 601 ends it
 *     mpe_event_5000 = tick             number 5000 is the event tick
 *
 * A payload of a state's begin or end is an event "Broadcast info" beside it.
 */
#ifndef PITHI_EVENT_NUMBERS_H
#define PITHI_EVENT_NUMBERS_H

#include <stdint.h>

#include "foreign/lookup.h"
#include "native/segment.h"
#include "pithlog.h"

enum { PITHI_CARGO = 32 }; /* bytes of a payload of MPE's */

/* The numbers that a property's key tells: 2 of a state, 1 of an event, else 0. */
int pithi_event_numbers(const char *key, int32_t numbers[2]);
/* The key, for a state's numbers, or for an event's number. */
void pithi_event_numbers_state(char key[48], int32_t start, int32_t final);
void pithi_event_numbers_event(char key[48], int32_t number);

/* For readers: tells a log the numbers of a state or an event (`final` NULL). Numbers below 0, and more definitions
 * than a program has, are passed over: each costs a look at all. *told: 0 at first. */
int pithi_event_numbers_tell(struct pithi_defs *defs, uint32_t *told, uint32_t id, int64_t start, const int64_t *final);

/* What the program's numbers mean, by all the properties that were added. All zero is an empty one. */
struct pithi_meanings {
    struct pithi_lookup of; /* number -> index + 1 */
    struct pithi_meaning {
        enum { PITHI_BEGINS = 1, PITHI_ENDS, PITHI_HAPPENS } what;
        const char *name; /* as it was added, not copied */
    } * all;
    uint32_t count, room;
};
/* The first meaning of a number stays. PITH_OK; also for properties that tell of no numbers. */
int pithi_meanings_add(struct pithi_meanings *meanings, const char *key, const char *name);
/* NULL: not described. Valid until the next is added. */
const struct pithi_meaning *pithi_meanings_get(const struct pithi_meanings *meanings, int32_t number);
void pithi_meanings_free(struct pithi_meanings *meanings);

/* How many of the 32 bytes are payload: those that the format has tokens for; without tokens, a text up to its end, or
 * else what comes before the last bytes of 0. */
uint32_t pithi_cargo_size(const char *format, const unsigned char cargo[PITHI_CARGO]);

#endif
