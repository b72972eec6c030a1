/* steps.h - which path comes after which, for every change met so far: a table that is looked up once a record.
 *
 * Changes (paths.h) are numbered as they come, symbols 0, 1, 2 ...; a symbol has a column with a place for each path.
 * With paths 0 and 1 = (0, main), and symbols 0 "enter main" and 1 "leave main", column 0 has a 1 at place 0, column 1
 * a 0 at place 1. A place that was not needed before is empty; the caller that finds it so works the step out and puts
 * it down. Paths beyond a bound have no places.
 *
 * The next look-up waits for this one, so it is a single load. Paths are by column, because a path needs few symbols:
 * most are only left, and what leaves them stands side by side in one column (2 bytes a path), not in a row of each. */
#ifndef PITHI_STEPS_H
#define PITHI_STEPS_H

#include <stdint.h>

#include "native/paths.h"

struct pithi_steps {
    uint16_t *after;     /* [width * rows] the path after, PITHI_PATH_NONE: not put down yet */
    uint16_t *symbol_of; /* [change_room] by change, + 1; 0: none yet */
    uint32_t *changes;   /* [width] of each symbol */
    uint32_t *counts;    /* [width] the caller's */
    uint32_t rows, width, symbols, change_room;
};

/* All zero is an empty one. */
void pithi_steps_free(struct pithi_steps *steps);

/* The symbol of a change, made if it is new; UINT32_MAX: too many, or no memory. */
uint32_t pithi_steps_make(struct pithi_steps *steps, uint32_t change);

/* Puts a step down, if there is room. */
void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after);
/* The path after, PITHI_PATH_NONE: not put down. */
static inline uint32_t pithi_steps_get(const struct pithi_steps *steps, uint32_t path, uint32_t symbol)
{
    return path < steps->rows ? steps->after[(uint64_t)symbol * steps->rows + path] : (uint32_t)PITHI_PATH_NONE;
}

#endif
