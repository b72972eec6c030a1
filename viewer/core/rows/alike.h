/* alike.h - groups ranks that spend their time alike, so that a thousand ranks are a few rows, and the odd one out is a
 * row of its own.
 *
 * The profile of a rank has a share of its time for each state (self time, all its threads together), for the time
 * outside all states, for the time in which records are missing, and for the time from its end to the end of the
 * interval; the shares add up to 1. The difference of two ranks is the share of time that they spend differently: half
 * the sum of the differences of all shares. With 70 % computing and 30 % waiting against 90 % and 10 %, that is 20 %.
 *
 * Groups are found by farthest-first traversal (Gonzalez 1985): the first centre is the rank nearest to the mean of
 * all; the next one is the rank that differs most from all centres, until no rank differs from its centre by more than
 * the limit. So odd ranks become centres first. The order of ranks matters only if two ranks are equally good; then the
 * lower rank is taken. The time is ranks x states x groups. */
#ifndef PITHI_ALIKE_H
#define PITHI_ALIKE_H

#include <stdint.h>

#include <pithlog.h>

#include "core/cells/query.h"

enum { PITHI_ALIKE_MOST = 12, PITHI_ALIKE_PERCENT = 5 }; /* the most groups; the default of the limit, in per cent */

struct pithi_alike {
    uint32_t ranks, count; /* `count` is the number of groups, which are in the order of their lowest ranks */
    uint32_t *group;       /* [ranks] the group of each rank */
    uint32_t *typical;     /* [count] index, as in `group`, of the rank nearest to the mean profile of its group */
    double *spread;        /* [count] the largest difference of a rank in the group from the typical rank, 0 to 1 */
};

/* Groups `ranks` profiles of `columns` shares each, profile by profile. `limit`: 0 to 1. */
void pithi_alike_find(const float *profiles, uint32_t ranks, uint32_t columns, double limit, uint32_t most,
                      struct pithi_alike *alike);
void pithi_alike_free(struct pithi_alike *alike);

struct pithi_alike_question {
    int64_t t0_ns, t1_ns;      /* t0 < t1 */
    const uint32_t *rank_lane; /* [ranks] the first lane of each rank; its other lanes follow */
    uint32_t ranks;
    double limit;                    /* largest difference within a group, 0 to 1 */
    struct pithlog_summary *summary; /* NULL: all records are read */
    struct pithi_watch watch; /* called with the number of ranks done; if it stops the search, there are no groups */
};
/* Computes the profiles of a log's ranks, and groups them. Returns 0 or an enum pith_err. In damaged lanes, the
 * readable part counts. */
int pithi_alike_of_log(struct pithlog *log, const struct pithi_alike_question *question, struct pithi_alike *alike);

#endif
