/* blend.h - what states have of a stretch of time (shares), and the columns of a row of several lanes, blended.
 *
 * Worked example: lanes 1 and 2, both in A for 3 of a column's 10 units, lane 1 in B for 5 of them: A has 6, B 5 of 20.
 * The cell says A, covered by 11 / 20.
 *
 * Internal to the core.
 */
#ifndef PITHI_BLEND_H
#define PITHI_BLEND_H

#include "core/memory.h"
#include "core/query.h"

struct pithi_share {
    uint32_t state;
    uint64_t span;
};

struct pithi_shares {
    struct pithi_share *items;
    uint32_t count, capacity;
};

static inline void pithi_shares_add(struct pithi_shares *shares, uint32_t state, uint64_t span)
{
    for (uint32_t i = 0; i < shares->count; i++)
        if (shares->items[i].state == state) {
            shares->items[i].span += span;
            return;
        }
    shares->items = pithi_grow(shares->items, &shares->capacity, shares->count + 1, sizeof *shares->items);
    shares->items[shares->count].state = state;
    shares->items[shares->count++].span = span;
}

/* Who has most; of equals the lowest id. */
struct pithi_most {
    uint32_t state;
    uint64_t sum;  /* of all shares */
    uint64_t lead; /* before the second */
};
struct pithi_most pithi_shares_most(const struct pithi_shares *shares); /* of one share or more */
/* `sum` of `whole` as the cover of a cell, which is 0 for nothing only. */
uint8_t pithi_cover(uint64_t sum, uint64_t whole);

/* ---- The columns of a row of several lanes ----------------------------------------------------------------------- */

struct pithi_blend;

struct pithi_blend *pithi_blend_new(uint32_t width);
void pithi_blend_free(struct pithi_blend *blend);
/* Nothing is in columns [from, to). */
void pithi_blend_clear(struct pithi_blend *blend, uint32_t from, uint32_t to);
/* A lane's column: what its states have; of its time `unnamed` is left open, and `crossing` may be another column's. */
void pithi_blend_add(struct pithi_blend *blend, uint32_t column, const struct pithi_shares *shares, uint64_t unnamed,
                     uint64_t crossing);
void pithi_blend_fill(struct pithi_blend *blend, uint32_t column, uint32_t state, uint64_t span);
void pithi_blend_mark(struct pithi_blend *blend, uint32_t column, uint32_t id, uint32_t count);
/* The cell of a column whose time over all lanes is `whole`; 1: what is open could give it to another state. */
int pithi_blend_cell(const struct pithi_blend *blend, uint32_t column, uint64_t whole, struct pithi_cell *cell);
/* Adds the row's marks to those of cells. */
void pithi_blend_marks(const struct pithi_blend *blend, struct pithi_cells *cells, uint32_t row);

/* Ticks of a row, from `first` on, that came in any order: by state and column, `distance` columns between two of a
 * state. */
void pithi_blend_ticks(struct pithi_cells *cells, uint32_t first, uint32_t distance);

#endif
