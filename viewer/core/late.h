/* late.h - who waited for whom: for each message, the time that its receiver spent waiting for a late sender, or its
 * sender for a late receiver.
 *
 * The pattern "late sender" is known from KOJAK and Scalasca (F. Wolf, B. Mohr: Automatic performance analysis of
 * hybrid MPI/OpenMP applications, 2003). Here it is this. The call of a message's end is the state that is open around
 * the record of the send or the receive: of a log with MPI functions the innermost one of them (MPI_Recv, MPI_Wait,
 * MPI_Send ...), of others the innermost state. An end without a call waits for nothing.
 *
 *     receiver   |== MPI_Recv ===========================|          late sender: 20 to 50, 30 of waiting
 *     sender            work             |== MPI_Send ==|
 *               20                      50              60
 *
 * late sender: the receive's call began before the send's did. It waited from its begin to the send's, at most until
 *     the message was there.
 * late receiver: the send's call began before the receive's did and was not over then, as of a message that is not
 *     buffered. It waited from its begin to the receive's.
 *
 * Several messages of one call (MPI_Waitall) share its waiting: what has been told of one is not told again, so that no
 * moment of a call counts twice. When a nonblocking receive was posted is not known; what its MPI_Wait waits is told.
 */
#ifndef PITHI_LATE_H
#define PITHI_LATE_H

#include <pithlog.h>

#include "core/watch.h"

struct pithi_waiting {
    struct pithlog_message message;
    int64_t late_sender_ns, late_receiver_ns; /* 0: nobody waited; never both */
    uint32_t state;                           /* the call that waited; UINT32_MAX: nobody waited */
};

/* Tells every matched message under way in [t0, t1), as pithi_messages_each does, with its waiting. With a digest, and
 * up to a million messages, the records of the time that they span are read; else all enters, leaves, sends and
 * receives of the log, and memory grows with the messages under way at once. */
int pithi_late_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                    const struct pithi_watch *watch, void (*tell)(void *context, const struct pithi_waiting *waiting),
                    void *context);

#endif
