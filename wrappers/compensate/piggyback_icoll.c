/* piggyback_icoll.c - sends delays with nonblocking collectives: a nonblocking shadow collective of the same kind, on
 * the shadow communicator.
 *
 * The shadow collective starts right before the program's collective, in the same order in all members, and exchanges
 * their arrival times. When the program's collective is complete, the shadow collective nearly always is, too. But its
 * last step may need another process that is computing. This process must not wait for the other one, which may itself
 * wait for this process by other means than MPI. So this process tests for a moment and then goes on with its own costs
 * only. Such calls are counted, and the shadow collective is completed later.
 *
 * Names: `ours` is the shadow collective. */
#include "piggyback.h"

#include "lock.h"
#include "own.h"
#include "real.h"

#include <sched.h>
#include <stdlib.h>

/* TRIES: number of tests after which the thread yields its core between two tests; MOMENT_NS: how long it goes on
 * testing */
enum { TRIES = 200, MOMENT_NS = 1000000 };

struct pithi_icoll {
    struct pithi_arrival mine, all;   /* mine: this process's arrival; all: the maximum over all members */
    MPI_Request request;              /* the request of the shadow collective */
    struct pithi_handle *comm;        /* the program's communicator */
    enum pithi_piggyback_shape shape; /* which processes wait for which */
    int waits;                        /* 1: this process waits for others */
    struct pithi_icoll *next;         /* in the list `late` */
};

/* ---- Shadow collectives ------------------------------------------------------------------------------------------ */

static int start(struct pithi_icoll *ours, int root)
{
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS };
    MPI_Comm comm = pithi_shadow_of(ours->comm);
    switch (ours->shape) {
    case PITHI_PIGGYBACK_FROM:
        return REAL(MPI_Ibcast)(&ours->all, NUMBERS, MPI_INT64_T, root, comm, &ours->request);
    case PITHI_PIGGYBACK_TO:
        return REAL(MPI_Ireduce)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm, &ours->request);
    case PITHI_PIGGYBACK_LOWER:
        return REAL(MPI_Iexscan)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, &ours->request);
    default:
        return REAL(MPI_Iallreduce)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, &ours->request);
    }
}

/* Returns 1 if the shadow collective is complete or has failed, and then no longer holds the communicator's entry. */
static int is_over(void *one)
{
    struct pithi_icoll *ours = one;
    int done = 0;
    if (REAL(MPI_Test)(&ours->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        return 0;
    pithi_handle_hold(ours->comm, PITHI_CLIENT_COMPENSATION, -1);
    return 1;
}

int pithi_icoll_soon(int (*is_over_now)(void *), void *ours)
{
    int64_t from = 0;
    for (int tries = 0; !is_over_now(ours); tries++) {
        if (tries < TRIES)
            continue;
        if (tries == TRIES)
            from = pithi_delay_clock();
        else if (pithi_delay_clock() - from > MOMENT_NS)
            return 0;
        sched_yield();
    }
    return 1;
}

/* ---- Shadow collectives that outlast the program's --------------------------------------------------------------- */

/* Shadow collectives that are still active or no longer needed, the newest first; atomic. */
static struct pithi_icoll *late;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Moves a shadow collective to `late`. */
static void leave(struct pithi_icoll *ours)
{
    pithi_lock(&mutex);
    ours->next = late;
    late = ours;
    pithi_unlock(&mutex);
}

/* See piggyback.h. All processes are in MPI_Finalize, so the shadow collectives are complete soon. A limit of time
 * keeps the program from hanging if something is wrong. */
void pithi_icoll_end(void)
{
    int moments = 100;
    for (struct pithi_icoll *ours = late; ours && moments > 0; ours = ours->next)
        while (!pithi_icoll_soon(is_over, ours) && --moments > 0) {
        }
}

/* ---- The program's collectives ----------------------------------------------------------------------------------- */

struct pithi_arrival pithi_icoll_arrival(int64_t from_ns)
{
    struct pithi_header now;
    pithi_delay_fill(&now, from_ns);
    return (struct pithi_arrival){now.sent_ns, now.sent_ns - now.delay_ns, -now.delay_ns, 0};
}

/* Starts the shadow collective even if there is no memory for its result, because the other processes need it. */
void pithi_piggyback_icoll_begin(struct pithi_piggyback_icoll *icoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root)
{
    static struct pithi_icoll nobodys;
    int64_t from = pithi_delay_clock();
    struct pithi_handle *found = pithi_shadow_find(pithi_comm_key(comm));
    icoll->ours = NULL;
    icoll->comm = found;
    if (__atomic_load_n(&late, __ATOMIC_RELAXED)) {
        pithi_lock(&mutex);
        for (struct pithi_icoll **at = &late, *ours; (ours = *at) != NULL;) {
            if (is_over(ours)) {
                *at = ours->next;
                free(ours);
            } else {
                at = &ours->next;
            }
        }
        pithi_unlock(&mutex);
    }
    if (!found || pithi_shadow_of(found) == MPI_COMM_NULL) {
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_COMM);
        return;
    }
    if (found->size == 1 && !found->remote_size)
        return;
    struct pithi_icoll *ours = malloc(sizeof *ours);
    icoll->ours = ours;
    if (!ours)
        ours = &nobodys;
    *ours = (struct pithi_icoll){.mine = pithi_icoll_arrival(from),
                                 .comm = found,
                                 .shape = shape,
                                 .waits = pithi_piggyback_waits(found, shape, root)};
    ours->all = ours->mine;
    pithi_handle_hold(found, PITHI_CLIENT_COMPENSATION, 1);
    if (start(ours, root) != MPI_SUCCESS) { /* the program's collective will fail, too */
        ours->request = MPI_REQUEST_NULL;
        ours->waits = 0;
    }
    pithi_delay_spent(from);
    pithi_own_write(); /* not after the call, where it would get the time of the record coll_started */
}

void pithi_piggyback_icoll_pending(struct pithi_piggyback_icoll *icoll, int result, const MPI_Request *request)
{
    if (!icoll->ours)
        return;
    pithi_own_over();
    int64_t from = pithi_delay_clock();
    struct pithi_piggyback_entry *entry =
        result == MPI_SUCCESS && *request != MPI_REQUEST_NULL ? pithi_piggyback_entry_new(icoll->comm) : NULL;
    if (entry) {
        entry->icoll = icoll->ours;
        pithi_piggyback_entry_enter(entry, pithi_request_key(*request));
    } else {
        leave(icoll->ours);
    }
    pithi_delay_spent(from);
}

/* See piggyback.h. Instead of a size, passes a very large number, a different one for each shape, so that each shape
 * has a size class for its latencies. */
void pithi_icoll_came(struct pithi_wait *wait, const struct pithi_arrival *all, enum pithi_piggyback_shape shape)
{
    pithi_piggyback_came(wait, all, UINT64_MAX >> shape);
}

void pithi_icoll_complete(struct pithi_icoll *ours, struct pithi_wait *wait)
{
    if (!ours->waits) {
        leave(ours);
        return;
    }
    if (!pithi_icoll_soon(is_over, ours)) {
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_LATE);
        leave(ours);
        return;
    }
    pithi_icoll_came(wait, &ours->all, ours->shape);
    free(ours);
}
