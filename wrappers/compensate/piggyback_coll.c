/* piggyback_coll.c - sends delays with collectives: a small shadow collective of the same kind follows the program's,
 * on the shadow communicator.
 *
 * The shadow collective is of the same kind, so that a process waits in it only if it also waits in the program's
 * collective: MPI_Allreduce where all processes wait for all, MPI_Bcast where all wait for the root, MPI_Reduce where
 * the root waits for all, and MPI_Exscan for scans, in which a process waits for lower ranks. (In an intercommunicator,
 * a reduction gives each group the result of the other group.) The shadow collective comes after the program's, so that
 * the waiting stays in the program's call. All members make the shadow collectives in the order of the program's
 * collectives, so no deadlock is possible. A shadow collective also follows a failed call, because the call may have
 * failed in one process only. */
#include "piggyback.h"

#include "datatype.h"
#include "own.h"
#include "real.h"

static __thread struct pithi_piggyback_coll *innermost __attribute__((tls_model("initial-exec")));

void pithi_piggyback_coll_open(struct pithi_piggyback_coll *piggyback)
{
    piggyback->comm = NULL;
    piggyback->least = NULL;
    piggyback->got_bytes = 0;
    piggyback->may_wait = 0;
    piggyback->outer = innermost;
    innermost = piggyback;
}

void pithi_piggyback_coll_come(MPI_Comm comm, struct pithi_least *least, int may_wait)
{
    int64_t from = pithi_delay_clock();
    struct pithi_handle *found = pithi_shadow_find(pithi_comm_key(comm));
    if (found && pithi_shadow_of(found) != MPI_COMM_NULL)
        innermost->comm = found;
    else
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_COMM);
    innermost->least = least;
    innermost->may_wait = may_wait;
    innermost->begin_ns = pithi_delay_spent(from);
}

/* Notes how many bytes this process received. Does nothing at the root or after a failed call, where the datatype may
 * be invalid. */
void pithi_piggyback_coll_got(int result, int root, MPI_Count count, MPI_Datatype type)
{
    if (result != MPI_SUCCESS || !innermost->comm || (innermost->comm->rank == root && !innermost->comm->remote_size) ||
        root < 0)
        return;
    innermost->got_bytes = pithi_type_bytes(count, type);
}

void pithi_piggyback_window_come(MPI_Win window, int gone)
{
    int64_t from = pithi_delay_clock();
    innermost->may_wait = 1;
    innermost->comm = pithi_shadow_find(pithi_window_key(window));
    if (gone)
        pithi_handle_hold(innermost->comm, PITHI_CLIENT_COMPENSATION, 1);
    if (!innermost->comm)
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_COMM);
    innermost->begin_ns = pithi_delay_spent(from);
}

/* Returns 1 if this process is the root. */
static int am_root(const struct pithi_handle *comm, int root)
{
    return comm->remote_size ? root == MPI_ROOT : root == comm->rank;
}

/* Returns this process's arrival (struct pithi_arrival) at the collective, whose call ended at end_ns. */
static struct pithi_arrival arrive(const struct pithi_piggyback_coll *piggyback, enum pithi_piggyback_shape shape,
                                   int root, int64_t end_ns)
{
    int64_t x = pithi_delay_ns(), offset = pithi_delay_offset(end_ns), at = piggyback->begin_ns + offset, before = at;
    if (!pithi_delay_one_clock) {
        at = shape == PITHI_PIGGYBACK_ALL ? piggyback->begin_ns - end_ns : 0;
        before = shape == PITHI_PIGGYBACK_ALL || am_root(piggyback->comm, root) ? piggyback->begin_ns - end_ns : 0;
    }
    return (struct pithi_arrival){at, before - x, -x, pithi_delay_one_clock ? -end_ns - offset : 0};
}

int pithi_piggyback_waits(const struct pithi_handle *comm, enum pithi_piggyback_shape shape, int root)
{
    switch (shape) {
    case PITHI_PIGGYBACK_FROM:
        return !am_root(comm, root) && root != MPI_PROC_NULL;
    case PITHI_PIGGYBACK_TO:
        return am_root(comm, root);
    case PITHI_PIGGYBACK_LOWER:
        return comm->rank > 0;
    default:
        return 1;
    }
}

void pithi_piggyback_came(struct pithi_wait *wait, const struct pithi_arrival *all, uint64_t size_bytes)
{
    int64_t delay_ns = pithi_delay_one_clock ? all->at_ns - all->before_ns : -all->minus_delay_ns;
    struct pithi_header header = {.delay_ns = delay_ns, .sent_ns = all->at_ns};
    pithi_delay_message(wait, &header, size_bytes);
}

/* Makes the shadow collective. Sets *all to the maximum over the arrivals of the processes for which this process
 * waits. */
static int exchange(enum pithi_piggyback_shape shape, struct pithi_arrival *mine, struct pithi_arrival *all, int root,
                    MPI_Comm comm)
{
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS }; /* numbers of 64 bits, sent as MPI_INT64_T */
    switch (shape) {
    case PITHI_PIGGYBACK_FROM:
        return REAL(MPI_Bcast)(all, NUMBERS, MPI_INT64_T, root, comm);
    case PITHI_PIGGYBACK_TO:
        return REAL(MPI_Reduce)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm);
    case PITHI_PIGGYBACK_LOWER:
        return REAL(MPI_Exscan)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, comm);
    default:
        return REAL(MPI_Allreduce)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, comm);
    }
}

void pithi_piggyback_coll_end(struct pithi_piggyback_coll *piggyback, enum pithi_piggyback_shape shape, int root)
{
    innermost = piggyback->outer;
    if (!piggyback->comm || (piggyback->comm->size == 1 && !piggyback->comm->remote_size))
        return;
    int64_t end_ns = pithi_delay_clock();
    struct pithi_arrival mine = arrive(piggyback, shape, root, end_ns), all = mine;
    int bad = exchange(shape, &mine, &all, root, pithi_shadow_of(piggyback->comm));
    int is_together = !piggyback->comm->remote_size && (shape == PITHI_PIGGYBACK_ALL || shape == PITHI_PIGGYBACK_TO);
    if (!bad && pithi_piggyback_waits(piggyback->comm, shape, root)) {
        if (is_together) {
            /* All processes wait for the last arrival. So without recording, the time from the last arrival to the end
             * of the call would be the same. But a fence with MPI_MODE_NOPRECEDE need not be a barrier, and neither
             * need a call that makes a communicator. If a process left such a call before the last arrival, the rule
             * does not apply. */
            if (!piggyback->may_wait || all.at_ns <= -all.minus_end_ns)
                pithi_delay_set(all.at_ns - all.before_ns);
        } else {
            /* This process waits only for some of the others. */
            struct pithi_wait wait = {.begin_ns = piggyback->begin_ns,
                                      .end_ns = end_ns,
                                      .least = piggyback->least,
                                      .latencies = piggyback->least};
            pithi_piggyback_came(&wait, &all, piggyback->got_bytes);
            pithi_delay_waited(&wait);
        }
    }
    pithi_delay_spent(end_ns);
    pithi_own_waited(pithi_delay_ns());
    if (pithi_self.depth == pithi_self.base)
        pithi_own_write();
}

void pithi_piggyback_window_made(int result, const struct pithi_handle *on, const MPI_Win *window)
{
    int64_t from = pithi_delay_clock();
    if (!on)
        return;
    pithi_shadow_window_made(result, on, window);
    pithi_delay_spent_of(NULL, from);
    if (pithi_self.depth == pithi_self.base)
        pithi_own_write();
}

void pithi_piggyback_made(int result, const MPI_Comm *made)
{
    int64_t from = pithi_delay_clock();
    pithi_shadow_made(result, made);
    pithi_delay_spent_of(NULL, from);
    if (pithi_self.depth == pithi_self.base)
        pithi_own_write();
}

void pithi_piggyback_window_gone(struct pithi_handle *window)
{
    if (!window)
        return;
    pithi_handle_hold(window, PITHI_CLIENT_LIBRARY, 1); /* another thread may call pithi_handles_sweep now */
    pithi_handle_hold(window, PITHI_CLIENT_COMPENSATION, -1);
    if (window->is_freed)
        pithi_shadow_free(window);
    pithi_handle_hold(window, PITHI_CLIENT_LIBRARY, -1);
    pithi_handles_sweep();
}
