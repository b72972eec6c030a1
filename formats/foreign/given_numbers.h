/* given_numbers.h - the event numbers that a log says its program used (event_numbers.h), for writers of formats in
 * which events are numbers: who asks gets those that are still free, and others that nobody has. */
#ifndef PITHI_GIVEN_NUMBERS_H
#define PITHI_GIVEN_NUMBERS_H

#include <stdint.h>

#include "foreign/lookup.h"
#include "pithlog.h"

/* A state's begin and end; of an event the begin alone. */
struct pithi_number_pair {
    int32_t begin, end;
};

struct pithi_given {
    struct pithi_given_def {
        struct pithi_number_pair *pairs; /* a state may have several: levels of its nesting */
        uint32_t count, room;
    } * defs;
    uint32_t count;
    struct pithi_lookup taken; /* number -> 1 */
};

int pithi_given_open(struct pithi_given *given, const struct pithlog *log);
void pithi_given_free(struct pithi_given *given);

/* Nobody else shall get the number. 1; 0 when it was taken already; -1: out of memory. */
int pithi_given_take(struct pithi_given *given, int32_t number);

/* The log's numbers, `least` (above 0) and more, that are not taken go to their definitions. */
int pithi_given_read(struct pithi_given *given, struct pithlog *log, int32_t least);

/* The `index`th of a definition; NULL: it has no more. */
const struct pithi_number_pair *pithi_given_get(const struct pithi_given *given, uint32_t id, uint32_t index);

/* The first of *next, *next + `count` ... of which `count` numbers in a row are free, now taken; *next moves behind.
 * -1: out of memory. */
int32_t pithi_given_next(struct pithi_given *given, int32_t *next, int32_t count);

#endif
