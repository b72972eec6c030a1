/* messages.h - all matched messages of a stretch of time, one by one. */
#ifndef PITHI_MESSAGES_H
#define PITHI_MESSAGES_H

#include <pithlog.h>

#include "core/search.h"
#include "core/query.h"

/* Calls `visit` for every message that is in transit at some time of [t0, t1). 0 or an enum pith_err. With a digest the
 * cost depends on the number of these messages. Without a digest (NULL) all sends and receives of the log are read, and
 * messages come in the order in which they are matched. */
int pithi_messages_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                        const struct pithi_watch *watch,
                        void (*visit)(void *context, const struct pithlog_message *message), void *context);

/* 1: the message is in transit at some time of [t0, t1). Where clocks disagree, it may be received before it is sent.
 */
int pithi_message_in(const struct pithlog_message *message, int64_t t0_ns, int64_t t1_ns);

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* The first message behind `at`, or the last before it, by send time. 1; 0: none, or stopped; -1: error. Reads the
 * messages of a stretch of time, which is widened until it has a hit. */
int pithi_message_search(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                         int backward, struct pithi_scan_position at, struct pithi_found *found);

/* Counts the hits that are sent in [t0, t1), in counts[columns] of equal length. 0, or -1. */
int pithi_message_count(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                        int64_t t0_ns, int64_t t1_ns, uint64_t *counts, uint32_t columns);

#endif
