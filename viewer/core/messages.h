/* messages.h - all matched messages of a stretch of time, one by one, for what adds them up. */
#ifndef PITHI_MESSAGES_H
#define PITHI_MESSAGES_H

#include <pithlog.h>

#include "core/watch.h"

/* Tells every message that is under way at some time of [t0, t1). 0 or an enum pith_err. With a digest it costs what
 * is told; without (NULL) all sends and receives of the log are read, and messages come in the order in which their
 * match is known. */
int pithi_messages_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                        const struct pithi_watch *watch,
                        void (*tell)(void *context, const struct pithlog_message *message), void *context);

/* Is it under way at some time of [t0, t1)? Where clocks disagree it may be received before it is sent. */
int pithi_message_in(const struct pithlog_message *message, int64_t t0_ns, int64_t t1_ns);

#endif
