/* message_search.h - finds messages by what only their match tells: how long they took. As search.h, for whose struct
 * min_ns and max_ns are from send to receive here; messages without a partner are not found. */
#ifndef PITHI_MESSAGE_SEARCH_H
#define PITHI_MESSAGE_SEARCH_H

#include "core/search.h"

/* The first behind `at`, or the last before it, by the time of sending: 1; 0: there is none, or it was stopped; -1:
 * error. Costs the messages of a stretch that is widened until it has one. */
int pithi_message_search(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                         int backward, struct pithi_place at, struct pithi_found *found);

/* Of all that are sent in [t0, t1): counts[columns], over stretches of equal length. 0, or -1. */
int pithi_message_count(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                        int64_t t0_ns, int64_t t1_ns, uint64_t *counts, uint32_t columns);

#endif
