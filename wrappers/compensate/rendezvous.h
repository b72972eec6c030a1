/* rendezvous.h - long messages of MPI_Isend that stay at the sender until the sender waits (eager_limit.h). The sender
 * then sends a note, a message of the recorder, which gives the receiver the time at which the long message left.
 *
 *     sender     MPI_Isend at 10, with the delay 5; spends 100 on records; MPI_Waitall at 130
 *     receiver   gets the message at 140; it was not sent at 10 with the delay 5, but at 130 with the delay 105
 *
 * The message's header was filled in when the message was posted. In its next call that waits, the sender first sends a
 * note with the message's number on a communicator of the recorder. The note is short and enters the same queue before
 * the message, so it has arrived when the receiver has the message. The receiver never waits for a note. If there is no
 * note (because another thread of the sender was in MPI), the message counts as sent when it was posted. */
#ifndef PITHI_RENDEZVOUS_H
#define PITHI_RENDEZVOUS_H

#include "delay.h"
#include "shadow.h"

/* Collective; call begin in MPI_Init and end in MPI_Finalize. */
void pithi_rendezvous_begin(void);
void pithi_rendezvous_end(void);

/* Returns 0 if a message leaves at once. If it stays, returns the receiver's rank in MPI_COMM_WORLD + 1, negated if the
 * message stays only because its header makes it `added_bytes` longer. */
int pithi_rendezvous_to(const struct pithi_handle *comm, int to, uint64_t bytes, uint64_t added_bytes);
/* Notes that a message is posted. `rendezvous_to`: the result of the function above. Returns the message's number for
 * the header; 0 if rendezvous_to is 0 or there is no memory. */
int64_t pithi_rendezvous_post(int rendezvous_to);
/* Call pithi_rendezvous_leave before a call that waits. It sends notes about all posted messages that stay.
 * pithi_rendezvous_count: how many of these messages there are. */
extern int pithi_rendezvous_count __attribute__((visibility("hidden"))); /* atomic */
void pithi_rendezvous_leave_all(void);
static inline void pithi_rendezvous_leave(void)
{
    if (__builtin_expect(__atomic_load_n(&pithi_rendezvous_count, __ATOMIC_RELAXED) != 0, 0))
        pithi_rendezvous_leave_all();
}

/* Call pithi_rendezvous_left when a message has arrived. If the message has a number, corrects its header by the
 * note. */
void pithi_rendezvous_find(struct pithi_header *header);
static inline void pithi_rendezvous_left(struct pithi_header *header)
{
    if (__builtin_expect(header->held != 0, 0))
        pithi_rendezvous_find(header);
}

#endif
