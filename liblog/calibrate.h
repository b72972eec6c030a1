/* calibrate.h - what recording costs this process: measured once, at the end of recording, when it harms nobody.
 *
 * The recording functions themselves are run, with this thread's buffer turned to a piece of memory that no log will
 * see: some hundred records of each kind, the median of batches. About 0.1 ms. */
#ifndef PITHI_CALIBRATE_H
#define PITHI_CALIBRATE_H

#include "own_cost.h"

/* Under the guard, while this thread may still record. Does nothing when called again. */
void pithi_calibrate(void);
/* What came of it; all 0 before. */
const struct pithi_own_cost *pithi_calibrate_costs(void);
/* Adds what came of it to a set of definitions, as the property that own_cost.h (formats/) reads. */
int pithi_calibrate_tell(struct pithi_defs *defs, const char *host);

#endif
