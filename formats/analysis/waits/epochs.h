/* epochs.h - one-sided epochs: which call waits for a post, for the end of an access, or for a lock.
 *
 *     late post          MPI_Win_start, or else MPI_Win_complete: until MPI_Win_post of a target
 *     early wait         MPI_Win_wait: until MPI_Win_complete of an origin
 *     lock contention    MPI_Win_lock, MPI_Win_lock_all, a flush, an access, MPI_Win_unlock: until
 *                        MPI_Win_unlock of the rank that held it
 *     wait for progress  the same calls: until their target calls MPI, if it was outside MPI at their begin. Calls
 *                        that neither wait nor test for anything (MPI_Comm_rank) do not count
 *
 * A log names the windows and ranks in events. It does not say when a lock is granted: the order in which the calls of
 * MPI_Win_unlock end is taken for the order in which the ranks held the lock (epochs.c has the exception). Nor does it
 * say whether MPI served an access without the target: it is assumed that it did if the access ended before the target
 * called MPI. */
#ifndef PITHI_EPOCHS_H
#define PITHI_EPOCHS_H

#include "pithlog.h"

/* An event in the state of a call that begins or ends an epoch or a lock, on the communicator of the window. Payload:
 * two texts, each after its length in 16 bits (big-endian). The first text is what the call does: `post`, `start`,
 * `complete`, `wait`, `exclusive`, `shared`, `unlock`, `lock_all`, `unlock_all`, `flush_all`. The second has the world
 * ranks of its group, or of its target, in decimal, with commas. If it is empty, they are unknown, or all ranks are
 * meant. */
#define PITHI_EPOCH "pith:epoch"
/* Events that name the target of a call, in its state: PITHI_ACCESS in an access (MPI_Put), PITHI_TARGET in other calls
 * (MPI_Win_flush). Payload: two 32-bit numbers, big-endian: the window, and the world rank of the target; more bytes
 * may follow. */
#define PITHI_TARGET "MPI target"
#define PITHI_ACCESS "MPI one-sided"

struct pithi_epochs;

/* *epochs is NULL if the log has none of these events. */
int pithi_epochs_open(const struct pithlog *log, struct pithi_epochs **epochs);
void pithi_epochs_close(struct pithi_epochs *epochs);

/* A call of a lane, as a piece of the graph. */
struct pithi_epoch_call {
    int64_t begin_ns;
    uint32_t lane, piece; /* piece: its number in the lane */
};
struct pithi_epoch_client {
    /* The call `by` released a call of `lane`: for lock contention the call that was open at by->begin_ns, else the
     * call that ends now. */
    void (*need)(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by);
    /* The first call of a rank after since_ns in which MPI serves accesses of others. 0: there is none so far, or the
     * rank was in such a call at since_ns. */
    int (*first_call)(void *context, uint32_t rank, int64_t since_ns, struct pithi_epoch_call *call);
    /* 1: at this time, the lane is in an access to a window, a lock or a flush. */
    int (*accesses)(void *context, uint32_t lane, int64_t time_ns);
    void *context;
};
/* Takes an event in a call; events of other kinds have no effect. 0: no memory. */
int pithi_epochs_event(struct pithi_epochs *epochs, const struct pithlog_record *event,
                       const struct pithi_epoch_call *call);
/* The outermost call of a lane ends. Reports the calls that released it, and for locks also the calls of other lanes
 * that it released. 0: no memory. */
int pithi_epochs_leave(struct pithi_epochs *epochs, const struct pithi_epoch_call *call, int64_t end_ns,
                       const struct pithi_epoch_client *client);

#endif
