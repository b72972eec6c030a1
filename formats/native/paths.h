/* paths.h - numbers for the stacks of open states that occur on a lane.
 *
 * A path is a stack of states, outermost first. Path 0 is empty; each other path is another path, its parent, plus one
 * state inside it. The parent has a lower number. So a number stands for a whole stack: entering a state is a step to a
 * child, leaving the innermost state is a step to the parent, and times of stacks are a sum per path.
 *
 *     main [ solve [ MPI_Send ] ]:  path 1 = (0, main), 2 = (1, solve), 3 = (2, MPI_Send)
 *     time of path 3:               self time of MPI_Send; part of the total time of solve and main
 */
#ifndef PITHI_PATHS_H
#define PITHI_PATHS_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/map.h"
#include "pithlog.h"

enum {
    PITHI_PATHS_MAX = 65535, /* paths of a lane, path 0 included */
    PITHI_PATH_NONE = 65535, /* no path */
    PITHI_PATH_DEPTH = 512   /* states of a path */
};

struct pithi_paths {
    struct pithlog_path *items;
    uint32_t count, room;      /* count: at least 1 once begun */
    struct pithi_map children; /* (parent, state) -> index in `items` */
};

/* The change that a record makes to the open states, as one number: 4 * id + kind, where kind 1 enters a state, 2
 * leaves it, 3 is an event. No kind is 0, so multiples of 4 are free. Two of them have a meaning of their own: 0 is no
 * change, and 4 leaves the innermost state. */
enum pithi_change {
    PITHI_CHANGE_NONE,
    PITHI_CHANGE_ENTER,    /* a state begins */
    PITHI_CHANGE_LEAVE,    /* a state ends; the states inside it stay open */
    PITHI_CHANGE_EVENT,    /* an event; the open states stay the same */
    PITHI_CHANGE_INNERMOST /* the innermost state ends */
};
enum { PITHI_CHANGE_ID_MAX = (1 << 20) - 1 }; /* 20 bits, as in a word of the spill */

/* Makes an all-zero struct a table with only path 0. Returns 0 if there is no memory. */
int pithi_paths_begin(struct pithi_paths *paths);
void pithi_paths_free(struct pithi_paths *paths);

/* Returns the path of `state` inside `parent`, and adds it if it is new. Returns 0 if the table is full, if the path
 * would be deeper than PITHI_PATH_DEPTH, or if there is no memory. */
uint32_t pithi_paths_find(struct pithi_paths *paths, uint32_t parent, uint32_t state);
/* Returns this path without adding it; 0 if the table does not have it. */
uint32_t pithi_paths_known(const struct pithi_paths *paths, uint32_t parent, uint32_t state);

/* Like pithi_paths_find, but returns PITHI_PATH_NONE instead of 0. */
uint32_t pithi_paths_enter(struct pithi_paths *paths, uint32_t parent, uint32_t state);
/* Returns the path after a LEAVE of `state`. The LEAVE ends the innermost open instance of this state; states inside
 * that one stay open. If the state is not open, returns `path`. Returns PITHI_PATH_NONE if the table has no room for
 * the path. */
uint32_t pithi_paths_leave(struct pithi_paths *paths, uint32_t path, uint32_t state);

/* pithi_paths_put appends the bytes of a table to `out`, and returns 0 if there is no memory. pithi_paths_get reads a
 * table, and returns 0 if the table contradicts itself or has a state not below `def_count`, or if there is no memory.
 * A table that was read is read-only: find and known do not work on it. */
int pithi_paths_put(const struct pithi_paths *paths, struct pithi_buffer *out);
int pithi_paths_get(struct pithi_paths *paths, const unsigned char *p, uint64_t size, uint32_t def_count);

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* The table of steps: for each path and change, the path after the change. It is used whenever a state is entered.
 *
 * Changes are numbered in order of occurrence; these numbers are symbols 0, 1, 2 ... Each path has a row with an entry
 * for each symbol. With paths 0 and 1 = (0, main), and symbols 0 "enter main" and 1 "leave main", row 0 has 1 at index
 * 0, and row 1 has 0 at index 1. An entry is filled when it is first needed: the caller computes a missing step and
 * stores it. Paths above a limit have no entries.
 *
 * All entries of a path lie together in memory. Only few paths are looked up often, because in most paths no state is
 * entered. So the entries in use fit into a few cache lines.
 */
struct pithi_steps {
    uint16_t *after;                            /* [rows * width] the next path; PITHI_PATH_NONE: not stored yet */
    uint16_t *symbol_of;                        /* [change_room] by change: its symbol + 1; 0: no symbol yet */
    uint32_t *changes;                          /* [width] by symbol: its change */
    uint32_t *counts;                           /* [width] by symbol; only the caller uses them */
    int8_t *moves;                              /* [width] enum pithi_move of each symbol */
    uint32_t rows, width, symbols, change_room; /* rows and columns; symbols in use; size of symbol_of */
    uint32_t others;                            /* number of symbols with PITHI_MOVE_OTHER */
};

/* By how much a change moves the top of the stack of open states. OTHER: a LEAVE by id, which may end another state
 * than the innermost one, or none. */
enum pithi_move { PITHI_MOVE_OTHER = -2, PITHI_MOVE_OUT = -1, PITHI_MOVE_NONE = 0, PITHI_MOVE_IN = 1 };

/* All zero is an empty table. */
void pithi_steps_free(struct pithi_steps *steps);

/* Returns the symbol of a change, added if it is new; UINT32_MAX if there are too many, or if there is no memory. */
uint32_t pithi_steps_make(struct pithi_steps *steps, uint32_t change);

/* Stores a step, if there is room. */
void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after);
/* Returns the next path; PITHI_PATH_NONE if the step is not stored. */
static inline uint32_t pithi_steps_get(const struct pithi_steps *steps, uint32_t path, uint32_t symbol)
{
    return path < steps->rows ? steps->after[(uint64_t)path * steps->width + symbol] : (uint32_t)PITHI_PATH_NONE;
}

#endif
