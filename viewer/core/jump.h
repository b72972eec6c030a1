/* jump.h - from one record to others that belong to it. */
#ifndef PITHI_JUMP_H
#define PITHI_JUMP_H

#include "core/hit.h"

/* The state directly around the one of `lane` that is `id` and begins at `start_ns` with `depth` states open around it.
 * 1: found (level is 0), 0: there is none, -1: error. */
int pithi_jump_parent(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, uint32_t depth,
                      struct pithi_hit *hit);

/* The message that `lane` sent to `peer` (a world rank) with `tag` at that very time. 1: found, 0: there is none whose
 * receive is known, -1: error. */
int pithi_jump_message(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t lane, int64_t time_ns,
                       int32_t peer, int32_t tag, struct pithlog_message *message);

/* What a counter was in [from, to). 1: it had a value, 0: not yet, -1: error. */
int pithi_jump_counter(const struct pithlog_digest *digest, uint32_t lane, uint32_t counter, int64_t from_ns,
                       int64_t to_ns, struct pithlog_column *value);

/* The lane of a thread, or PITHI_NONE. */
uint32_t pithi_jump_lane(const struct pithlog *log, int32_t rank, uint32_t thread);

#endif
