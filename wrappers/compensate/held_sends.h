/* held_sends.h - long messages of MPI_Isend that stay where they are until their sender waits (eager_limit.h): when
 * they leave, told by a note of ours.
 *
 *     sender     MPI_Isend at 10, with the delay 5; spends 100 on records; MPI_Waitall at 130
 *     receiver   has it at 140: it was not sent at 10 with the delay 5, but at 130 with the delay 105
 *
 * What the message carries is of the moment when it was posted. When its sender next comes to a call that waits, it
 * first sends a note with the message's number, on a communicator of our own. The note goes at once, before the
 * message in the same queue; so the receiver finds it when it has the message. It never waits for one: a message that
 * came without its sender's waiting (another thread was in MPI) is taken as sent when it was posted. */
#ifndef PITHI_HELD_SENDS_H
#define PITHI_HELD_SENDS_H

#include "delay.h"
#include "shadow.h"

/* In MPI_Init, and in MPI_Finalize: collective. */
void pithi_held_begin(void);
void pithi_held_end(void);

/* Where a message goes to if it stays: the rank in MPI_COMM_WORLD + 1; the same below 0 if it stays only because of
 * the `added_bytes` that it carries. 0: it goes at once. */
int pithi_held_to(const struct pithi_shadow *comm, int to, uint64_t bytes, uint64_t added_bytes);
/* It is posted: its number, for the header. 0 of 0. */
int64_t pithi_held_post(int held_to);
/* This process comes to a call that waits: all that was posted leaves. */
extern int pithi_held_count __attribute__((visibility("hidden"))); /* atomic */
void pithi_held_leave_all(void);
static inline void pithi_held_leave(void)
{
    if (__builtin_expect(__atomic_load_n(&pithi_held_count, __ATOMIC_RELAXED) != 0, 0))
        pithi_held_leave_all();
}

/* A message has come: its header gets what the note says, if it has a number. */
void pithi_held_find(struct pithi_header *header);
static inline void pithi_held_left(struct pithi_header *header)
{
    if (__builtin_expect(header->held != 0, 0))
        pithi_held_find(header);
}

#endif
