/* messages.h - visits all matched messages in an interval, searches for messages, and filters the messages to draw. */
#ifndef PITHI_MESSAGES_H
#define PITHI_MESSAGES_H

#include <pithlog.h>

#include "core/measure/search.h"
#include "core/cells/query.h"

/* Calls `visit` for every message that is in transit at some time of [t0, t1). Returns 0 or an enum pith_err. With a
 * digest the cost depends on the number of these messages. Without a digest (NULL) all sends and receives of the log
 * are read, and messages come in the order in which they are matched. */
int pithi_messages_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                        const struct pithi_watch *watch,
                        void (*visit)(void *context, const struct pithlog_message *message), void *context);

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* Finds the first message after `at`, or the last one before `at`, by send time. Returns 1 if it found a message; 0 if
 * there is none, or the search was stopped; -1 on an error. Reads the messages of an interval, and widens the interval
 * until it contains a hit. */
int pithi_message_search(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                         int backward, struct pithi_scan_position at, struct pithi_found *found);

/* Divides [t0, t1) into columns of equal length, and adds the number of hits that are sent in each to counts[columns],
 * which must be zeroed. Returns 0, or -1 on an error. */
int pithi_message_count(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                        int64_t t0_ns, int64_t t1_ns, uint64_t *counts, uint32_t columns);

/* ---- The filter of messages -------------------------------------------------------------------------------------- */

/* Selects the messages to draw, by a query (pith-query(7)), by transfer time, and by the time for which the receiver
 * waited for a late sender.
 *
 *     message_filter 'size > 64kB and comm == "halo"' -longer 1ms -late 10us
 *
 * The result is a digest with only these messages, so a picture costs no more than without a filter. */
struct pithi_message_filter {
    struct pithlog_filter *where; /* selects a message if its send or its receive passes; NULL: all messages */
    int64_t min_ns, max_ns;       /* limits of the time from send to receive, both inclusive */
    int64_t late_ns;              /* the least time for which the receiver waited for the sender; 0: all messages */
};

/* Parses the words after `message_filter`. Without words, or with an empty query, the filter selects all messages.
 * Returns 0; or -1 if the words are wrong, and then why[size] has the error. The caller frees the filter in any
 * case. */
int pithi_message_filter_parse(struct pithi_message_filter *filter, const char *const *words, int count, char *why,
                               size_t size);
/* Returns 1 if the filter selects all messages. */
int pithi_message_filter_is_all(const struct pithi_message_filter *filter);
/* Makes the digest of the messages of `digest` that the filter selects. With late_ns, it reads all records around
 * messages. Returns 0; or an enum pith_err, with *picked set to NULL. */
int pithi_message_filter_run(struct pithlog *log, const struct pithlog_digest *digest,
                             const struct pithi_message_filter *filter, const struct pithi_watch *watch,
                             struct pithlog_digest **picked);
void pithi_message_filter_free(struct pithi_message_filter *filter);

#endif
