/* given_numbers.h - chooses event numbers for writers of formats with numbered events. The log has the event numbers
 * that the recorded program used (native/event_numbers.h). A definition gets its old numbers if they are still free.
 * Other definitions get numbers that are not in use. */
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

/* Reserves a number. Returns 1, or 0 if it is already taken, or -1 if memory runs out. */
int pithi_given_take(struct pithi_given *given, int32_t number);

/* Gives each definition its numbers in the log, if they are at least `least` (which is above 0) and not taken. */
int pithi_given_read(struct pithi_given *given, struct pithlog *log, int32_t least);

/* Returns pair number `index` of a definition, or NULL if the definition has no more pairs. */
const struct pithi_number_pair *pithi_given_get(const struct pithi_given *given, uint32_t id, uint32_t index);

/* Finds and takes `count` (1 or 2) consecutive free numbers, from *next on in steps of `count`. Returns the first of
 * them and moves *next past them. Returns -1 if memory runs out. */
int32_t pithi_given_next(struct pithi_given *given, int32_t *next, int32_t count);

#endif
