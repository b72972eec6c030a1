/* given_numbers.h - the event numbers that the program of a log used (event_numbers.h), for writers of formats with
 * numbered events. A definition gets its old numbers if they are still free; others get numbers that are not in use. */
#ifndef PITHI_GIVEN_NUMBERS_H
#define PITHI_GIVEN_NUMBERS_H

#include <stdint.h>

#include "base/map.h"
#include "pithlog.h"

/* The numbers of a state's begin and end. An event has `begin` only. */
struct pithi_number_pair {
    int32_t begin, end; /* numbers in the file */
};

struct pithi_given {
    struct pithi_given_def {
        struct pithi_number_pair *pairs; /* a state may have several, one for each nesting level */
        uint32_t count, room;
    } * defs;
    uint32_t count;
    struct pithi_map taken; /* number -> 1 */
};

int pithi_given_open(struct pithi_given *given, const struct pithlog *log);
void pithi_given_free(struct pithi_given *given);

/* Reserves a number. 1; 0: it is already taken; -1: out of memory. */
int pithi_given_take(struct pithi_given *given, int32_t number);

/* Gives the log's numbers that are at least `least` (above 0) and not taken to their definitions. */
int pithi_given_read(struct pithi_given *given, struct pithlog *log, int32_t least);

/* Returns the pair `index` of a definition. NULL: it has no more. */
const struct pithi_number_pair *pithi_given_get(const struct pithi_given *given, uint32_t id, uint32_t index);

/* Finds and takes `count` (1 or 2) consecutive free numbers, from *next on in steps of `count`. Returns the first and
 * moves *next past them. -1: out of memory. */
int32_t pithi_given_next(struct pithi_given *given, int32_t *next, int32_t count);

#endif
