/* epochs.h - one-sided epochs: which call waits for a post, for the end of an access, or for a lock. The kinds of wait
 * states, the calls in which they lie, and until when these calls wait:
 *
 *     late post          MPI_Win_start, or else MPI_Win_complete: until MPI_Win_post of a target
 *     early wait         MPI_Win_wait: until MPI_Win_complete of an origin
 *     lock contention    MPI_Win_lock, MPI_Win_lock_all, a flush, an access, MPI_Win_unlock: until
 *                        MPI_Win_unlock of the rank that held the lock
 *     wait for progress  the same calls: until their target calls MPI, if it was outside MPI at their begin. Calls
 *                        that neither wait nor test for anything (MPI_Comm_rank) do not count
 *
 * A log names the windows and ranks in events. It does not show when a lock is granted. So the ranks are assumed to
 * have held the lock in the order in which their calls of MPI_Win_unlock end (epochs.c has the exception). Nor does a
 * log show whether MPI served an access without the target. This is assumed if the access ended before the target
 * called MPI. */
#ifndef PITHI_EPOCHS_H
#define PITHI_EPOCHS_H

#include "pithlog.h"

/* An event in the state of a call that begins or ends an epoch or a lock, on the communicator of the window. Payload:
 * two texts, each after its length in 16 bits (big-endian). The first text is what the call does: `post`, `start`,
 * `complete`, `wait`, `exclusive`, `shared`, `unlock`, `lock_all`, `unlock_all`, `flush_all`. The second text has the
 * world ranks of the call's group, or of its target, in decimal, with commas. If the second text is empty, the ranks
 * are unknown, or all ranks are meant. */
#define PITHI_EPOCH "pith:epoch"
/* Events that name the target of a call, in its state: PITHI_ACCESS in an access (MPI_Put), PITHI_TARGET in other calls
 * (MPI_Win_flush). The payload has two 32-bit numbers, big-endian, which are the window and the world rank of the
 * target. More bytes may follow. */
#define PITHI_TARGET "MPI target"
#define PITHI_ACCESS "MPI one-sided"

struct pithi_epochs;

/* Prepares to take the events of a log. *epochs becomes NULL if the log has no such events. Returns PITH_OK or an
 * error. */
int pithi_epochs_open(const struct pithlog *log, struct pithi_epochs **epochs);
void pithi_epochs_close(struct pithi_epochs *epochs);

/* A call of a lane, as a piece of the graph. */
struct pithi_epoch_call {
    int64_t begin_ns;
    uint32_t lane, piece; /* piece: index of the call's piece in the lane */
};
struct pithi_epoch_client {
    /* Called when the call `by` has released a call of `lane`. For lock contention, the released call is the one that
     * was open at by->begin_ns; otherwise the one that ends now. */
    void (*need)(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by);
    /* Sets *call to the first call of a rank after since_ns in which MPI serves accesses of others, and returns 1.
     * Returns 0 if there is none so far, or if the rank was in such a call at since_ns. */
    int (*first_call)(void *context, uint32_t rank, int64_t since_ns, struct pithi_epoch_call *call);
    /* Returns 1 if the lane is in an access to a window, a lock or a flush at time_ns. */
    int (*accesses)(void *context, uint32_t lane, int64_t time_ns);
    void *context;
};
/* Takes an event in a call; events of other kinds have no effect. Returns 0 if there is no memory. */
int pithi_epochs_event(struct pithi_epochs *epochs, const struct pithlog_record *event,
                       const struct pithi_epoch_call *call);
/* Takes the end of the outermost call of a lane. Reports the calls that released it; for locks, also reports the calls
 * of other lanes that it released. Returns 0 if there is no memory. */
int pithi_epochs_leave(struct pithi_epochs *epochs, const struct pithi_epoch_call *call, int64_t end_ns,
                       const struct pithi_epoch_client *client);

#endif
