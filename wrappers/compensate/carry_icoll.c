/* carry_icoll.c - what nonblocking collectives carry: one of ours of the same kind, nonblocking too, on the shadow
 * communicator.
 *
 * Ours begins right before the program's, in all members in the same order, and what it tells is when they came. So it
 * is nearly always complete when the program's is. But it need not be: its last step may need a process that computes.
 * To wait for that could be for ever (who computes may wait for this process, in ways that are not MPI's), so this
 * process looks for a moment; then it goes on with its own costs only, which is counted, and ours is left to end. */
#include "carry.h"

#include "lock.h"
#include "own.h"
#include "real.h"

#include <sched.h>
#include <stdlib.h>

enum { TRIES = 200, MOMENT_NS = 1000000 };

struct pithi_icoll {
    struct pithi_arrival mine, all;
    MPI_Request request;
    struct pithi_shadow *comm;
    enum pithi_carry_shape shape;
    int waits;
    struct pithi_icoll *next;
};

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

static int start(struct pithi_icoll *ours, int root)
{
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS };
    MPI_Comm comm = ours->comm->comm;
    switch (ours->shape) {
    case PITHI_CARRY_FROM:
        return REAL(MPI_Ibcast)(&ours->all, NUMBERS, MPI_INT64_T, root, comm, &ours->request);
    case PITHI_CARRY_TO:
        return REAL(MPI_Ireduce)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm, &ours->request);
    case PITHI_CARRY_LOWER:
        return REAL(MPI_Iexscan)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, &ours->request);
    default:
        return REAL(MPI_Iallreduce)(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, &ours->request);
    }
}

static int is_over(void *one)
{
    struct pithi_icoll *ours = one;
    int done = 0;
    if (REAL(MPI_Test)(&ours->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        return 0;
    __atomic_sub_fetch(&ours->comm->pending, 1, __ATOMIC_RELAXED);
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

/* ---- Those that were late ---------------------------------------------------------------------------------------- */

static struct pithi_icoll *late; /* the newest first */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void leave(struct pithi_icoll *ours)
{
    pithi_lock(&mutex);
    ours->next = late;
    late = ours;
    pithi_unlock(&mutex);
}

static void look(void)
{
    if (!__atomic_load_n(&late, __ATOMIC_RELAXED))
        return;
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

/* All are in MPI_Finalize now, so it does not take long; but if one does not end, the program is not to hang for it. */
void pithi_icoll_end(void)
{
    int moments = 100;
    for (struct pithi_icoll *ours = late; ours && moments > 0; ours = ours->next)
        while (!pithi_icoll_soon(is_over, ours) && --moments > 0) {
        }
}

/* ---- The program's ----------------------------------------------------------------------------------------------- */

struct pithi_arrival pithi_icoll_arrival(int64_t from_ns)
{
    struct pithi_header now;
    pithi_delay_fill(&now, from_ns);
    return (struct pithi_arrival){now.sent_ns, now.sent_ns - now.delay_ns, -now.delay_ns, 0};
}

/* Without memory ours takes place all the same, as the others' needs it, and nobody asks for what it tells. */
void pithi_carry_icoll_begin(struct pithi_carry_icoll *icoll, MPI_Comm comm, enum pithi_carry_shape shape, int root)
{
    static struct pithi_icoll nobodys;
    int64_t from = pithi_delay_clock();
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    icoll->ours = NULL;
    icoll->comm = found;
    look();
    if (!found || found->comm == MPI_COMM_NULL) {
        pithi_carry_alone(PITHI_ALONE_COMM);
        return;
    }
    if (found->size == 1 && !found->is_inter)
        return;
    struct pithi_icoll *ours = malloc(sizeof *ours);
    icoll->ours = ours;
    if (!ours)
        ours = &nobodys;
    *ours = (struct pithi_icoll){.mine = pithi_icoll_arrival(from),
                                 .comm = found,
                                 .shape = shape,
                                 .waits = pithi_carry_waits(found, shape, root)};
    ours->all = ours->mine;
    __atomic_add_fetch(&found->pending, 1, __ATOMIC_RELAXED);
    if (start(ours, root) != MPI_SUCCESS) { /* as the program's will */
        ours->request = MPI_REQUEST_NULL;
        ours->waits = 0;
    }
    pithi_delay_spent(from);
    pithi_own_tell(); /* at once: a record behind it (coll_started) would keep its time */
}

void pithi_carry_icoll_pending(struct pithi_carry_icoll *icoll, int result, const MPI_Request *request)
{
    if (!icoll->ours)
        return;
    pithi_own_over();
    int64_t from = pithi_delay_clock();
    struct pithi_carried *entry =
        result == MPI_SUCCESS && *request != MPI_REQUEST_NULL ? pithi_carried_new(icoll->comm) : NULL;
    if (entry) {
        entry->icoll = icoll->ours;
        pithi_carried_enter(entry, *request);
    } else {
        leave(icoll->ours);
    }
    pithi_delay_spent(from);
}

/* Of its kind, among the sizes of messages: ones that no message has. */
void pithi_icoll_came(struct pithi_wait *wait, const struct pithi_arrival *all, enum pithi_carry_shape shape)
{
    pithi_carry_came(wait, all, UINT64_MAX >> shape);
}

void pithi_icoll_complete(struct pithi_icoll *ours, struct pithi_wait *wait)
{
    if (!ours->waits) {
        leave(ours);
        return;
    }
    if (!pithi_icoll_soon(is_over, ours)) {
        pithi_carry_alone(PITHI_ALONE_LATE);
        leave(ours);
        return;
    }
    pithi_icoll_came(wait, &ours->all, ours->shape);
    free(ours);
}
