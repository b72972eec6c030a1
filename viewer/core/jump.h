/* jump.h - from one record to others that belong to it. */
#ifndef PITHI_JUMP_H
#define PITHI_JUMP_H

#include "core/hit.h"

/* The state directly around the one of `lane` that is `id` and begins at `start_ns` with `depth` states open around it.
 * 1: found (level is 0), 0: there is none, -1: error. */
int pithi_jump_parent(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, uint32_t depth,
                      struct pithi_hit *hit);

/* The lane of a thread, or PITHI_NONE. */
uint32_t pithi_jump_lane(const struct pithlog *log, int32_t rank, uint32_t thread);

#endif
