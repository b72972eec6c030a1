/* collectives.h - collective operations under way: who has come to one, and when it would have come.
 *
 * The n-th collective of a communicator in one rank is the n-th in all of its ranks. Memory: 80 bytes for each that is
 * under way, 16 bytes for each rank and communicator. */
#ifndef PITHI_COLLECTIVES_H
#define PITHI_COLLECTIVES_H

#include "coll_rules.h"
#include "pithlog.h"

/* Times in ns: as measured, the own cost up to then included; and as they would have been without any. */
struct pithi_coll {
    enum pithi_coll_shape shape;
    uint32_t expected, arrived, left;
    double last_ns, last_before_ns; /* the latest arrival, by each of the two times */
    double root_ns, root_before_ns;
    int has_root;
    uint64_t key;
    uint32_t next;
};

struct pithi_colls;
int pithi_colls_open(struct pithlog *log, struct pithi_colls **colls);
void pithi_colls_close(struct pithi_colls *colls);

/* The rank of `lane` begins a collective on `comm` in a call of `shape`: *number to be used below; UINT32_MAX: it waits
 * for nobody that the log knows of. An error only if there is no memory. */
int pithi_colls_enter(struct pithi_colls *colls, uint32_t lane, uint32_t comm, enum pithi_coll_shape shape,
                      uint32_t *number);
/* One is valid until the next pithi_colls_enter. */
struct pithi_coll *pithi_colls_get(struct pithi_colls *colls, uint32_t number);
/* A rank has left it; when all have, it is gone. */
void pithi_colls_leave(struct pithi_colls *colls, uint32_t number);

#endif
