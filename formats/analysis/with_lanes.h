/* with_lanes.h - copies a log and adds the results of its analysis, as states on additional lanes. */
#ifndef PITHI_WITH_LANES_H
#define PITHI_WITH_LANES_H

#include <string.h>

#include "pithlog.h"

/* Thread numbers of the added lanes: the lanes for thread t have these numbers plus t. */
enum { PITHI_WAITING_THREAD = 1000000, PITHI_PATH_THREAD = 2000000 };

/* Returns 1 if the lane was added, so that it is no thread of the program. */
static inline int pithi_lane_is_added(const struct pithlog_lane *lane)
{
    return lane->thread >= PITHI_WAITING_THREAD &&
           strcmp(lane->name, lane->thread < PITHI_PATH_THREAD ? "waiting" : "critical path") == 0;
}

/* Makes a copy of `log` in a temporary file. A lane with wait states gets a lane "waiting" beside it, with a state for
 * each wait state; a lane on the critical path gets a lane "critical path". Returns PITH_OK or an error. */
int pithi_with_lanes(struct pithlog *log, struct pithlog **with);

#endif
