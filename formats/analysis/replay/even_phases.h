/* even_phases.h - parts of the run between which computing cannot move: to balance it, each lane gets the mean of its
 * part. */
#ifndef PITHI_EVEN_PHASES_H
#define PITHI_EVEN_PHASES_H

#include "base/scratch.h"
#include "pithlog.h"

struct pithlog_analysis;

struct pithi_phases {
    struct pithi_phase_end {
        uint32_t piece, phase; /* computing of the lane before this piece, but after the end before, is in this phase */
    } * ends;                  /* of lane i: [first[i]] to [first[i + 1] - 1] */
    uint32_t *first;           /* [lanes + 1]; what follows the last end of a lane is in the phase count - 1 */
    uint32_t count;
};

/* A phase ends when all lanes with MPI calls begin a collective in which all wait for all. 0: no memory. */
int pithi_phases_of_collectives(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases);
/* A phase ends where lanes stop for one another (even_phases.c). 0: no memory. `scratch` keeps what both find. */
int pithi_phases_of_stops(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases);

/* To go through a lane, begin with its first piece and *end = first[lane]: the next of its ends. */

/* The phase that a lane is in before this end of its phases. */
uint32_t pithi_phase_at(const struct pithi_phases *phases, uint32_t lane, uint32_t end);
/* Moves *end to the first end after a piece. Returns 1 if that is of another phase. */
int pithi_phase_passed(const struct pithi_phases *phases, uint32_t lane, uint32_t piece, uint32_t *end);
/* Sums the computing of a lane from a piece to the end of the phase. Moves *piece after the phase, or to the end of the
 * lane, and *end to the next end. */
double pithi_phase_rest(struct pithlog_analysis *a, const struct pithi_phases *phases, uint32_t lane, uint32_t *piece,
                        uint32_t *end);

#endif
