/* steps.h - which path comes after which, for every change met so far: a table that is looked up once a record.
 *
 * Changes (paths.h) are numbered as they come, symbols 0, 1, 2 ...; a path has a row with a place for each symbol. With
 * paths 0 and 1 = (0, main), and symbols 0 "enter main" and 1 "leave main", row 0 has a 1 at 0, row 1 a 0 at 1. A place
 * that was not needed before is empty; who finds it so works the step out and puts it down. Rows beyond a bound are not
 * kept. */
#ifndef PITHI_STEPS_H
#define PITHI_STEPS_H

#include <stdint.h>

struct pithi_steps {
    uint16_t *after;     /* [rows << width_bits] the path after, + 1; 0: not put down yet */
    uint16_t *symbol_of; /* [change_room] by change, + 1; 0: none yet */
    uint32_t *changes;   /* [1 << width_bits] of each symbol */
    uint32_t *counts;    /* [1 << width_bits] the caller's */
    uint32_t rows, width_bits, symbols, change_room;
};

/* All zero is an empty one. */
void pithi_steps_free(struct pithi_steps *steps);

/* The symbol of a change, made if it is new; UINT32_MAX: too many, or no memory. */
uint32_t pithi_steps_make(struct pithi_steps *steps, uint32_t change);

/* Puts a step down, if there is room. */
void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after);
/* The path after, UINT32_MAX: not put down. */
static inline uint32_t pithi_steps_get(const struct pithi_steps *steps, uint32_t path, uint32_t symbol)
{
    return path < steps->rows ? (uint32_t)steps->after[((uint64_t)path << steps->width_bits) + symbol] - 1 : UINT32_MAX;
}

#endif
