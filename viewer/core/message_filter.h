/* message_filter.h - which messages are drawn: those of a query (pith-query(7)), of a transfer time, of senders that
 * were late.
 *
 *     message_filter 'size > 64kB and comm == "halo"' -longer 1ms -late 10us
 *
 * The result is a digest that has only these messages, so that a picture costs no more than without a filter. */
#ifndef PITHI_MESSAGE_FILTER_H
#define PITHI_MESSAGE_FILTER_H

#include <stddef.h>

#include <pithlog.h>

#include "core/query.h"

struct pithi_message_filter {
    struct pithlog_filter *where; /* one end of the message matches; NULL: any */
    int64_t min_ns, max_ns;       /* from send to receive, both inclusive */
    int64_t late_ns;              /* the receiver waited at least so long for the sender; 0: any */
};

/* Parses the words after `message_filter`; none, or an empty query: all messages. 0; -1, and a text in why[size]. The
 * caller frees the filter in any case. */
int pithi_message_filter_parse(struct pithi_message_filter *filter, const char *const *words, int count, char *why,
                               size_t size);
/* 1: all messages. */
int pithi_message_filter_is_all(const struct pithi_message_filter *filter);
/* Makes the digest of the messages of `digest` that pass. With `late_ns` all records around messages are read. 0 or an
 * enum pith_err, and *picked is NULL. */
int pithi_message_filter_run(struct pithlog *log, const struct pithlog_digest *digest,
                             const struct pithi_message_filter *filter, const struct pithi_watch *watch,
                             struct pithlog_digest **picked);
void pithi_message_filter_free(struct pithi_message_filter *filter);

#endif
