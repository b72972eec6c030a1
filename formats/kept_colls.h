/* kept_colls.h - the persistent collectives of a log (MPI_Bcast_init ...), told apart.
 *
 * The members of a communicator make them in one order, and may start them in any. So each is counted as if it had a
 * communicator of its own: its first start in one rank is the first in all. */
#ifndef PITHI_KEPT_COLLS_H
#define PITHI_KEPT_COLLS_H

#include "native/map.h"

struct pithi_kept {
    uint32_t state;  /* the definition of the call that made it */
    uint32_t number; /* how many of its communicator were made before */
};

/* All zero: none. */
struct pithi_kept_colls {
    struct pithi_map requests, numbers;
    struct pithi_kept *all;
    uint32_t count, room;
};
void pithi_kept_free(struct pithi_kept_colls *kept);

/* A rank has made one; the number of its request is its own until it is made again. 0: no memory. */
int pithi_kept_make(struct pithi_kept_colls *kept, uint32_t rank, uint32_t request, uint32_t state, uint32_t number);
/* That of a request; NULL: it is no persistent collective's. Good until the next is made. */
const struct pithi_kept *pithi_kept_find(const struct pithi_kept_colls *kept, uint32_t rank, uint32_t request);
/* A number for it that is the same in all members, from 0 up. 0: no memory. */
int pithi_kept_who(struct pithi_kept_colls *kept, uint32_t comm, uint32_t number, uint32_t *who);

#endif
