/* even_phases.h - phases of the run. Computing cannot move from one phase to another, so to balance the computing, each
 * lane gets the mean of all lanes in each phase. */
#ifndef PITHI_EVEN_PHASES_H
#define PITHI_EVEN_PHASES_H

#include "base/scratch.h"
#include "pithlog.h"

struct pithlog_analysis;

struct pithi_phases {
    struct pithi_phase_end {
        uint32_t piece, phase; /* computing from the end before up to this piece is in `phase` */
    } * ends;                  /* of lane i: [first[i]] to [first[i + 1] - 1] */
    uint32_t *first;           /* [lanes + 1]; after a lane's last end, its phase is count - 1 */
    uint32_t count;
};

/* Divides the run into phases that end when all lanes with MPI calls begin a collective in which all wait for all.
 * Returns 0 if there is no memory. */
int pithi_phases_of_collectives(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases);
/* Divides the run into phases that end where lanes stop for one another (even_phases.c). Returns 0 if there is no
 * memory. In both functions, the result is stored in `scratch`. */
int pithi_phases_of_stops(struct pithlog_analysis *a, struct pithi_scratch *scratch, struct pithi_phases *phases);

/* The functions below go through a lane. Begin with the lane's first piece and *end = first[lane]; *end is the index of
 * the lane's next end of a phase. */

/* Returns the phase of a lane before the end with the index `end`. */
uint32_t pithi_phase_at(const struct pithi_phases *phases, uint32_t lane, uint32_t end);
/* Moves *end to the first end after `piece`. Returns 1 if another phase has begun. */
int pithi_phase_passed(const struct pithi_phases *phases, uint32_t lane, uint32_t piece, uint32_t *end);
/* Sums the computing of a lane from a piece to the end of the phase. Moves *piece after the phase, or to the end of the
 * lane, and *end to the next end. */
double pithi_phase_rest(struct pithlog_analysis *a, const struct pithi_phases *phases, uint32_t lane, uint32_t *piece,
                        uint32_t *end);

#endif
