/* messages.h - all matched messages of a log, one by one, for what adds them up. */
#ifndef PITHI_MESSAGES_H
#define PITHI_MESSAGES_H

#include <pithlog.h>

#include "core/watch.h"

/* Tells every message that is under way at some time of [t0, t1): sent before t1, received at t0 or later (or the other
 * way round where clocks disagree). 0 or an enum pith_err. Reads all sends and receives of the log. */
int pithi_messages_each(struct pithlog *log, int64_t t0_ns, int64_t t1_ns, const struct pithi_watch *watch,
                        void (*tell)(void *context, const struct pithlog_message *message), void *context);

#endif
