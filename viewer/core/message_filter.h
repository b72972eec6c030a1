/* message_filter.h - selects the messages to draw, by a query (pith-query(7)), by transfer time, and by the time that
 * the receiver waited for a late sender.
 *
 *     message_filter 'size > 64kB and comm == "halo"' -longer 1ms -late 10us
 *
 * The result is a digest with only these messages, so a picture costs no more than without a filter. */
#ifndef PITHI_MESSAGE_FILTER_H
#define PITHI_MESSAGE_FILTER_H

#include <stddef.h>

#include <pithlog.h>

#include "core/query.h"

struct pithi_message_filter {
    struct pithlog_filter *where; /* the send or the receive matches; NULL: all messages */
    int64_t min_ns, max_ns;       /* limits of the time from send to receive, both inclusive */
    int64_t late_ns;              /* the least time that the receiver waited for the sender; 0: all messages */
};

/* Parses the words after `message_filter`. No words, or an empty query: all messages. Returns 0; -1: wrong words, and
 * why[size] has the error. The caller frees the filter in any case. */
int pithi_message_filter_parse(struct pithi_message_filter *filter, const char *const *words, int count, char *why,
                               size_t size);
/* 1: the filter selects all messages. */
int pithi_message_filter_is_all(const struct pithi_message_filter *filter);
/* Makes the digest of the messages of `digest` that the filter selects. With late_ns, it reads all records around
 * messages. Returns 0, or an enum pith_err, and *picked is NULL. */
int pithi_message_filter_run(struct pithlog *log, const struct pithlog_digest *digest,
                             const struct pithi_message_filter *filter, const struct pithi_watch *watch,
                             struct pithlog_digest **picked);
void pithi_message_filter_free(struct pithi_message_filter *filter);

#endif
