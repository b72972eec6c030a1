/* infer.h - finds dependencies that no record shows, by times that coincide: inner ranks of the trees of rooted
 * collectives, progress that only the partner's next MPI call makes, and polling loops. It also adds the needs of
 * neighbourhood collectives, because the begins of neighbours are known only when all records have been read. */
#ifndef PITHI_INFER_H
#define PITHI_INFER_H

#include "analysis/graph/graph.h"
#include "analysis/waits/collectives.h"

struct pithi_inferring {
    struct pithi_graph *graph;
    const unsigned *traits; /* [definitions]: mpi_calls.h */
    const struct pithi_colls *colls;
    /* Adds a need to the call `piece` of `lane`. Returns 0 if there is no memory. */
    int (*add)(void *context, uint32_t lane, uint32_t piece, const struct pithi_need *need);
    void *context;
};

/* Makes each polling loop a single call: its pieces become one piece with the state and the needs of its last test.
 * Call this function before pithi_infer_needs. It also changes the indices of pieces that the graph stores; indices
 * that the caller keeps are no longer valid. Returns 0 if there is no memory. */
int pithi_infer_polls(const struct pithi_inferring *infer);
/* Adds needs for inner ranks of trees, for progress, and for neighbours. All releases must be known. Returns 0 if there
 * is no memory. */
int pithi_infer_needs(const struct pithi_inferring *infer);

#endif
