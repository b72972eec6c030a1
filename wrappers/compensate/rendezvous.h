/* rendezvous.h - long messages of MPI_Isend stay at the sender until it waits (eager_limit.h). A note of our own
 * tells the receiver when a message left.
 *
 *     sender     MPI_Isend at 10, with the delay 5; spends 100 on records; MPI_Waitall at 130
 *     receiver   has it at 140: it was not sent at 10 with the delay 5, but at 130 with the delay 105
 *
 * The message's header was filled in when the message was posted. In its next call that waits, the sender first sends a
 * note with the message's number on a communicator of our own. The note is short and enters the same queue before the
 * message, so the receiver finds it when it has the message. The receiver never waits for a note: without one (another
 * thread of the sender was in MPI) the message counts as sent when it was posted. */
#ifndef PITHI_RENDEZVOUS_H
#define PITHI_RENDEZVOUS_H

#include "delay.h"
#include "shadow.h"

/* In MPI_Init, and in MPI_Finalize: collective. */
void pithi_rendezvous_begin(void);
void pithi_rendezvous_end(void);

/* The receiver of a message that stays: its rank in MPI_COMM_WORLD + 1, negated if the message stays only because of
 * the `added_bytes` of its header. 0: the message leaves at once. */
int pithi_rendezvous_to(const struct pithi_handle *comm, int to, uint64_t bytes, uint64_t added_bytes);
/* A message is posted: returns its number for the header; 0 if rendezvous_to is 0. */
int64_t pithi_rendezvous_post(int rendezvous_to);
/* Before a call that waits: sends the notes for all posted messages. */
extern int pithi_rendezvous_count __attribute__((visibility("hidden"))); /* atomic */
void pithi_rendezvous_leave_all(void);
static inline void pithi_rendezvous_leave(void)
{
    if (__builtin_expect(__atomic_load_n(&pithi_rendezvous_count, __ATOMIC_RELAXED) != 0, 0))
        pithi_rendezvous_leave_all();
}

/* A message with a number has arrived: corrects its header by the note. */
void pithi_rendezvous_find(struct pithi_header *header);
static inline void pithi_rendezvous_left(struct pithi_header *header)
{
    if (__builtin_expect(header->held != 0, 0))
        pithi_rendezvous_find(header);
}

#endif
