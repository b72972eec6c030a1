/* paths.h - the stacks of open states that occur on a lane, as numbers.
 *
 * A path is a stack of states, outermost first. Path 0 is empty; every other one is a path (its parent, of a lower
 * number) and one more state inside it. So a number stands for a whole stack, entering a state is a step to a child,
 * leaving the innermost one a step to the parent, and what was open for how long is a sum a path.
 *
 * Worked example: main [ solve [ MPI_Send ] ] gives 1 = (0, main), 2 = (1, solve), 3 = (2, MPI_Send). Time under path 3
 * is exclusive time of MPI_Send, and counts as inclusive for solve and main.
 */
#ifndef PITHI_PATHS_H
#define PITHI_PATHS_H

#include <stdint.h>

#include "native/bytes.h"
#include "native/map.h"
#include "pithlog.h"

enum { PITHI_PATHS_MAX = 65535, PITHI_PATH_NONE = 65535, PITHI_PATH_DEPTH = 512 };

struct pithi_paths {
    struct pithlog_path *items;
    uint32_t count, room; /* count: at least 1 once begun */
    struct pithi_map children;
};

/* What a record changes, as one number: 4 * id + kind, of kinds 1 a state is entered, 2 it is left, 3 an event; or 0
 * nothing; or that the innermost state is left. */
enum pithi_change {
    PITHI_CHANGE_NONE,
    PITHI_CHANGE_ENTER,
    PITHI_CHANGE_LEAVE,
    PITHI_CHANGE_EVENT,
    PITHI_CHANGE_INNERMOST
};
enum { PITHI_CHANGE_ID_MAX = (1 << 20) - 1 };

/* All zero becomes the table with path 0 alone. 0: no memory. */
int pithi_paths_begin(struct pithi_paths *paths);
void pithi_paths_free(struct pithi_paths *paths);

/* The path of `state` inside `parent`, made if it is new. 0: the table is full, the path would be deeper than
 * PITHI_PATH_DEPTH, or no memory. */
uint32_t pithi_paths_find(struct pithi_paths *paths, uint32_t parent, uint32_t state);
/* The same, without making it. */
uint32_t pithi_paths_known(const struct pithi_paths *paths, uint32_t parent, uint32_t state);

/* The same as find, with PITHI_PATH_NONE for 0. */
uint32_t pithi_paths_enter(struct pithi_paths *paths, uint32_t parent, uint32_t state);
/* The path after a LEAVE: it ends the innermost state of its id, those inside stay open; one that is not open changes
 * nothing. PITHI_PATH_NONE: the table has no room for it. */
uint32_t pithi_paths_leave(struct pithi_paths *paths, uint32_t path, uint32_t state);

/* The bytes of a table, behind what is in `out` (0: no memory); and back (0: it contradicts itself, names a
 * state that is not below `def_count`, or no memory), to be read only: find and known do not see what was read. */
int pithi_paths_put(const struct pithi_paths *paths, struct pithi_buffer *out);
int pithi_paths_get(struct pithi_paths *paths, const unsigned char *p, uint64_t size, uint32_t def_count);

#endif
