/* carry_pcoll.c - what persistent collectives carry: a persistent one of ours of the same shape, on the shadow
 * communicator.
 *
 * MPI 4.0, 6.13: they are initialised in the same order in all members, but started in any. So ours cannot be the
 * communicator's next one when the program's is started: it is made when the program's is, which puts ours in order as
 * well, and started right before each start of the program's. The n-th start of the one goes with the n-th of the
 * other.
 *
 * As with nonblocking ones (carry_icoll.c) ours may not be over when the program's is. Nor, then, when that is started
 * again; and ours cannot be started twice at once. So that start is owed, and made up for when there is time, late, and
 * saying so: the others know nothing of this one then either, and go on with their own costs only. */
#include "carry.h"

#include "lock.h"
#include "real.h"

#include <stdlib.h>

static const struct pithi_arrival too_late = {.at_ns = INT64_MAX}; /* whoever else came: the largest is told */

struct pithi_pcoll {
    struct pithi_arrival mine, all;
    MPI_Request request;
    struct pithi_shadow *comm;
    enum pithi_carry_shape shape;
    int waits;
    int is_under_way;
    int is_known;   /* it is that of the program's last start */
    int owed;       /* starts; -1: it has one more than the program's */
    int is_dropped; /* the program's is gone */
    int is_listed;
    struct pithi_pcoll *next;
};

static struct pithi_pcoll *unfinished; /* under way though the program's are not; atomic */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

#ifdef PITHI_STATIC /* nothing is carried (carry.c) */
#define SYMBOL(name) NULL
#else
#define SYMBOL(name) pithi_real_symbol(name)
#endif

/* Not all MPIs have them, nor declare them. */
static int init(struct pithi_pcoll *ours, int root)
{
    typedef int from_root(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    typedef int to_root(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request *);
    typedef int with_all(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS };
    from_root *bcast = (from_root *)SYMBOL("PMPI_Bcast_init");
    to_root *reduce = (to_root *)SYMBOL("PMPI_Reduce_init");
    with_all *reduce_all = (with_all *)SYMBOL("PMPI_Allreduce_init"), *scan = (with_all *)SYMBOL("PMPI_Exscan_init");
    MPI_Comm comm = ours->comm->comm;
    if (!bcast || !reduce || !reduce_all || !scan)
        return MPI_ERR_OTHER;
    switch (ours->shape) {
    case PITHI_CARRY_FROM:
        return bcast(&ours->all, NUMBERS, MPI_INT64_T, root, comm, MPI_INFO_NULL, &ours->request);
    case PITHI_CARRY_TO:
        return reduce(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm, MPI_INFO_NULL,
                      &ours->request);
    case PITHI_CARRY_LOWER:
        return scan(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, MPI_INFO_NULL, &ours->request);
    default:
        return reduce_all(&ours->mine, &ours->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, MPI_INFO_NULL, &ours->request);
    }
}

static void go(struct pithi_pcoll *ours, const struct pithi_arrival *mine)
{
    ours->mine = ours->all = *mine;
    ours->is_under_way = REAL(MPI_Start)(&ours->request) == MPI_SUCCESS;
    ours->is_known = ours->is_under_way && mine != &too_late;
}

/* What is owed is made up for, as far as that goes now. 1: nothing of ours is under way any more. */
static int advance(struct pithi_pcoll *ours)
{
    for (;;) {
        int done = 0;
        if (ours->is_under_way && REAL(MPI_Test)(&ours->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
            return 0;
        ours->is_under_way = 0;
        if (ours->owed <= 0)
            return 1;
        ours->owed--;
        go(ours, &too_late);
    }
}

static int advance_locked(void *one)
{
    pithi_lock(&mutex);
    int is_over = advance(one);
    pithi_unlock(&mutex);
    return is_over;
}

static void release(struct pithi_pcoll *ours)
{
    __atomic_sub_fetch(&ours->comm->pending, 1, __ATOMIC_RELAXED);
    REAL(MPI_Request_free)(&ours->request);
    free(ours);
}

/* ---- Those that are late ----------------------------------------------------------------------------------------- */

static void list(struct pithi_pcoll *ours)
{
    if (ours->is_listed)
        return;
    ours->is_listed = 1;
    ours->next = unfinished;
    __atomic_store_n(&unfinished, ours, __ATOMIC_RELAXED);
}

void pithi_pcoll_look(void)
{
    if (!__atomic_load_n(&unfinished, __ATOMIC_RELAXED))
        return;
    pithi_lock(&mutex);
    for (struct pithi_pcoll **at = &unfinished, *ours; (ours = *at) != NULL;) {
        if (!advance(ours)) {
            at = &ours->next;
            continue;
        }
        __atomic_store_n(at, ours->next, __ATOMIC_RELAXED);
        ours->is_listed = 0;
        if (ours->is_dropped)
            release(ours);
    }
    pithi_unlock(&mutex);
}

static int all_finished(void *nothing)
{
    (void)nothing;
    pithi_pcoll_look();
    return !unfinished;
}

void pithi_pcoll_end(void)
{
    for (int moments = 100; moments > 0 && !pithi_icoll_soon(all_finished, NULL); moments--) {
    }
}

/* ---- The program's ----------------------------------------------------------------------------------------------- */

/* What one process does not get it does without, but ours is made there, too: the others' may wait for it. */
void pithi_carry_pcoll_begin(struct pithi_carry_pcoll *pcoll, MPI_Comm comm, enum pithi_carry_shape shape, int root)
{
    int64_t from = pithi_delay_clock();
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    *pcoll = (struct pithi_carry_pcoll){.ours = NULL, .is_alone = 1, .why = PITHI_ALONE_COMM};
    if (!found || found->comm == MPI_COMM_NULL)
        return;
    pcoll->is_alone = found->size > 1 || found->is_inter;
    pcoll->why = PITHI_ALONE_COLL;
    if (!pcoll->is_alone)
        return;
    struct pithi_pcoll *ours = malloc(sizeof *ours), nobodys;
    int is_there = ours != NULL;
    ours = is_there ? ours : &nobodys;
    *ours = (struct pithi_pcoll){
        .comm = found, .shape = shape, .waits = pithi_carry_waits(found, shape, root), .request = MPI_REQUEST_NULL};
    if (init(ours, root) != MPI_SUCCESS) {
        if (is_there)
            free(ours);
    } else if (!is_there) {
        REAL(MPI_Request_free)(&ours->request);
    } else {
        __atomic_add_fetch(&found->pending, 1, __ATOMIC_RELAXED);
        pcoll->ours = ours;
    }
    pithi_delay_spent(from);
}

void pithi_carry_pcoll_made(struct pithi_carry_pcoll *pcoll, int result, const MPI_Request *request)
{
    if (!pcoll->ours) {
        if (pcoll->is_alone)
            pithi_carry_start_alone(result, request, pcoll->why);
        return;
    }
    int64_t from = pithi_delay_clock();
    struct pithi_carried *entry = result == MPI_SUCCESS ? pithi_carried_new(pcoll->ours->comm) : NULL;
    if (entry) {
        entry->is_persistent = 1;
        entry->pcoll = pcoll->ours;
        pithi_carried_enter(entry, *request);
    } else {
        pithi_pcoll_drop(pcoll->ours);
    }
    pithi_delay_spent(from);
}

void pithi_pcoll_start(struct pithi_pcoll *ours, int64_t from_ns)
{
    pithi_lock(&mutex);
    if (ours->owed < 0) {
        ours->owed = 0;
    } else if (advance(ours)) {
        struct pithi_arrival mine = pithi_icoll_arrival(from_ns);
        go(ours, &mine);
    } else {
        ours->owed++;
        ours->is_known = 0;
        list(ours);
    }
    pithi_unlock(&mutex);
}

void pithi_pcoll_not_started(struct pithi_pcoll *ours)
{
    pithi_lock(&mutex);
    ours->owed--;
    pithi_unlock(&mutex);
}

void pithi_pcoll_complete(struct pithi_pcoll *ours, struct pithi_wait *wait)
{
    int is_over = ours->waits && ours->is_known ? pithi_icoll_soon(advance_locked, ours) : advance_locked(ours);
    if (!is_over) {
        pithi_lock(&mutex);
        list(ours);
        pithi_unlock(&mutex);
    }
    if (!ours->waits)
        return;
    if (is_over && ours->is_known && ours->all.at_ns != too_late.at_ns)
        pithi_icoll_came(wait, &ours->all, ours->shape);
    else
        pithi_carry_alone(PITHI_ALONE_LATE);
}

void pithi_pcoll_drop(struct pithi_pcoll *ours)
{
    pithi_lock(&mutex);
    ours->is_dropped = 1;
    list(ours);
    pithi_unlock(&mutex);
    pithi_pcoll_look();
}
