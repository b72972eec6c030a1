/* event_numbers.h - the numbers of events in MPE and its formats, as a log keeps them.
 *
 * A log's definitions have names. Properties keep the numbers that MPE used for them, so that a converted log agrees
 * with MPE's own tools:
 *
 *     mpe_state_600_601 = Broadcast     number 600 begins the state Broadcast, 601 ends it
 *     mpe_event_5000 = tick             number 5000 is the event tick
 *
 * A payload at the begin or end of the state Broadcast becomes an event "Broadcast info" next to it.
 */
#ifndef PITHI_EVENT_NUMBERS_H
#define PITHI_EVENT_NUMBERS_H

#include <stdint.h>

#include "base/map.h"
#include "native/segment.h"
#include "pithlog.h"

enum { PITHI_CARGO = 32 }; /* bytes of a payload in MPE */

/* Reads the numbers in a property's key: returns 2 for a state, 1 for an event, else 0. */
int pithi_event_numbers(const char *key, int32_t numbers[2]);
/* Makes the key for the numbers of a state, or for the number of an event. */
void pithi_event_numbers_state(char key[48], int32_t start, int32_t final);
void pithi_event_numbers_event(char key[48], int32_t number);

/* For readers: stores the numbers of a state or an event (`final` NULL) in a log. Skips numbers that are negative or do
 * not fit 32 bits, and all numbers after the first 8192 of a log. *told counts the calls for a log; set it to 0 at
 * first. */
int pithi_event_numbers_tell(struct pithi_defs *defs, uint32_t *told, uint32_t id, int64_t start, const int64_t *final);

/* The meanings of a program's numbers, from its properties. All zero is an empty table. */
struct pithi_meanings {
    struct pithi_map of; /* number -> index in `all` + 1 */
    struct pithi_meaning {
        enum { PITHI_BEGINS = 1, PITHI_ENDS, PITHI_HAPPENS } what;
        const char *name; /* not copied */
    } * all;
    uint32_t count, room;
};
/* Adds a property. The first meaning of a number stays. Returns PITH_OK also for properties without numbers. */
int pithi_meanings_add(struct pithi_meanings *meanings, const char *key, const char *name);
/* Returns NULL if no property describes the number. The result is valid until the next property is added. */
const struct pithi_meaning *pithi_meanings_get(const struct pithi_meanings *meanings, int32_t number);
void pithi_meanings_free(struct pithi_meanings *meanings);

/* Returns how many of its 32 bytes a payload uses. If the format has tokens, these are the bytes of all tokens. If it
 * has none, they are the bytes of a text up to its end, or else all bytes before the final zeros. */
uint32_t pithi_cargo_size(const char *format, const unsigned char cargo[PITHI_CARGO]);

/* Returns the size in bytes of a value that this token of a payload format stands for; for 's', a text, the size of the
 * length that stands before the text. Returns 0 if the character is no token. */
size_t pithi_token_size(char token);

#endif
