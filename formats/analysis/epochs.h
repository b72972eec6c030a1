/* epochs.h - one-sided epochs: which call waits for a post, for the end of an access, or for a lock.
 *
 *     late post        MPI_Win_start, or MPI_Win_complete if MPI_Win_start did not wait: until MPI_Win_post of a target
 *     early wait       MPI_Win_wait: until MPI_Win_complete of an origin
 *     lock contention  MPI_Win_lock, a flush, MPI_Win_unlock: until MPI_Win_unlock of the rank that held it
 *
 * A log names the windows and ranks in events. It does not say when a lock is granted: the order in which the calls of
 * MPI_Win_unlock end is taken for the order in which the ranks held the lock. */
#ifndef PITHI_EPOCHS_H
#define PITHI_EPOCHS_H

#include "pithlog.h"

/* In the state of the call, on the communicator of the window; payload: two texts (16-bit length, big-endian). The
 * first is what the call does: `post`, `start`, `complete`, `wait`, `exclusive`, `shared`, `unlock`; the second the
 * world ranks of its group or its target, in decimal, with commas; empty: unknown. */
#define PITHI_EPOCH "pith:epoch"

struct pithi_epochs;

/* *epochs is NULL if the log has no such event. */
int pithi_epochs_open(const struct pithlog *log, struct pithi_epochs **epochs);
void pithi_epochs_close(struct pithi_epochs *epochs);

/* A call of a lane, as a piece of the graph. */
struct pithi_epoch_call {
    int64_t begin_ns;
    uint32_t lane, piece;
};
/* Takes an event in a call; events of other kinds have no effect. 0: no memory. */
int pithi_epochs_event(struct pithi_epochs *epochs, const struct pithlog_record *event,
                       const struct pithi_epoch_call *call);
/* The outermost call of a lane ends. Reports each call `by` that released it; for lock contention, the lane was
 * released at by->begin_ns, in this call or an earlier one. 0: no memory. */
int pithi_epochs_leave(struct pithi_epochs *epochs, const struct pithi_epoch_call *call,
                       void (*need)(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by),
                       void *context);

#endif
