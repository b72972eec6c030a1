/* infer.h - dependencies that no record tells, concluded from how times coincide: inner ranks of the trees of rooted
 * collectives, progress that only the partner's next MPI call makes, and loops that poll. Also the needs of
 * neighbourhood collectives, as the begins of neighbours are known when all has been read. */
#ifndef PITHI_INFER_H
#define PITHI_INFER_H

#include "analysis/graph/graph.h"
#include "analysis/waits/collectives.h"

struct pithi_inferring {
    struct pithi_graph *graph;
    const unsigned *traits; /* [definitions]: mpi_calls.h */
    const struct pithi_colls *colls;
    /* Gives the call `piece` of `lane` another need. 0: no memory. */
    int (*add)(void *context, uint32_t lane, uint32_t piece, const struct pithi_need *need);
    void *context;
};

/* Makes each loop that polls one call: its pieces become a single piece of the state of its last test, with that test's
 * needs. Before pithi_infer_needs; numbers of pieces that the caller keeps are valid no longer, those in the graph are.
 * 0: no memory. */
int pithi_infer_polls(const struct pithi_inferring *infer);
/* Adds needs for inner ranks of trees, and for progress. All releases must be known. 0: no memory. */
int pithi_infer_needs(const struct pithi_inferring *infer);

#endif
