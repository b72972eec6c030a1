/* state_group.h - what a state belongs to: "MPI collective", "user" ... */
#ifndef PITHI_STATE_GROUP_H
#define PITHI_STATE_GROUP_H

#include <pithlog.h>

/* The group that the log tells; where it tells none, or only "MPI", as those of old formats do, one by the name. Never
 * NULL or "". */
const char *pithi_state_group(const struct pithlog_def *def);

#endif
