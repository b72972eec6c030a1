/* piggyback_pcoll.c - sends delays with persistent collectives: two persistent shadow collectives of the same shape, on
 * the shadow communicator.
 *
 * All members initialise persistent collectives in the same order, but may start them in any order (MPI 4.0, 6.13). So
 * a shadow collective cannot simply be the next collective on the shadow communicator when the program's is started.
 * Instead, two persistent shadow collectives are made right before the program's, in the same order in all members.
 * Each start of the program's collective first starts one of the two, in turn. So the n-th start belongs to the same
 * shadow collective in all members.
 *
 * As with nonblocking collectives (piggyback_icoll.c), a shadow collective may still be active when the program's is
 * complete. Because there are two, it is mostly complete before it is needed again. If it is not, its request cannot be
 * started, and the start is owed: it is made later, with a mark (too_late) in place of this process's arrival. The
 * other processes see the mark and use their own costs only, as this process does.
 *
 *     start 1    starts A;  start 2   starts B;  start 3   A is still active: a start of A is owed
 *     A ends     A is started with the mark
 *
 * Names: `ours` has both shadow collectives, `one` is one of them. */
#include "piggyback.h"

#include "lock.h"
#include "own.h"
#include "real.h"

#include <stdlib.h>

static const struct pithi_arrival too_late = {.at_ns = INT64_MAX}; /* larger than all times of arrivals */

struct one {
    struct pithi_arrival mine, all; /* mine: this process's arrival; all: the maximum over all members */
    MPI_Request request;
    int is_under_way; /* 1: the request is started and not complete */
    int is_known;     /* 1: the result belongs to the last start of the program's collective */
    int owed;         /* how many starts are owed; -1: this one was started once more than the program's collective */
};

struct pithi_pcoll {
    struct one both[2];
    unsigned starts;           /* how often the program's collective was started */
    struct pithi_handle *comm; /* the program's communicator; the shadow collectives use its shadow */
    enum pithi_piggyback_shape shape;
    int waits;      /* 1: this process waits for others */
    int is_dropped; /* 1: the program's request is freed */
    int is_listed;  /* 1: in the list `unfinished` */
    struct pithi_pcoll *next;
};

static struct pithi_pcoll *unfinished; /* shadow collectives to be completed later; atomic */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Shadow collectives ------------------------------------------------------------------------------------------ */

#ifdef PITHI_STATIC /* in the static library, no delays are sent (piggyback.c) */
#define SYMBOL(name) NULL
#else
#define SYMBOL(name) pithi_real_symbol(name)
#endif

/* Makes one shadow collective. The functions are looked up at run time, because some MPI libraries lack them. */
static int init(const struct pithi_pcoll *ours, struct one *one, int root)
{
    typedef int from_root(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    typedef int to_root(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request *);
    typedef int with_all(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS };
    from_root *bcast = (from_root *)SYMBOL("PMPI_Bcast_init");
    to_root *reduce = (to_root *)SYMBOL("PMPI_Reduce_init");
    with_all *reduce_all = (with_all *)SYMBOL("PMPI_Allreduce_init"), *scan = (with_all *)SYMBOL("PMPI_Exscan_init");
    MPI_Comm comm = pithi_shadow_of(ours->comm);
    if (!bcast || !reduce || !reduce_all || !scan)
        return MPI_ERR_OTHER;
    switch (ours->shape) {
    case PITHI_PIGGYBACK_FROM:
        return bcast(&one->all, NUMBERS, MPI_INT64_T, root, comm, MPI_INFO_NULL, &one->request);
    case PITHI_PIGGYBACK_TO:
        return reduce(&one->mine, &one->all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm, MPI_INFO_NULL, &one->request);
    case PITHI_PIGGYBACK_LOWER:
        return scan(&one->mine, &one->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, MPI_INFO_NULL, &one->request);
    default:
        return reduce_all(&one->mine, &one->all, NUMBERS, MPI_INT64_T, MPI_MAX, comm, MPI_INFO_NULL, &one->request);
    }
}

static void free_both(struct pithi_pcoll *ours)
{
    for (int i = 0; i < 2; i++)
        if (ours->both[i].request != MPI_REQUEST_NULL)
            REAL(MPI_Request_free)(&ours->both[i].request);
}

/* Makes both shadow collectives. Returns 1 if both are made. */
static int init_both(struct pithi_pcoll *ours, int root)
{
    int good = 1;
    for (int i = 0; i < 2; i++) {
        ours->both[i].request = MPI_REQUEST_NULL;
        good &= init(ours, &ours->both[i], root) == MPI_SUCCESS;
    }
    if (!good)
        free_both(ours);
    return good;
}

/* Starts a shadow collective with the arrival `mine`. Its request must be inactive. */
static void go(struct one *one, const struct pithi_arrival *mine)
{
    one->mine = one->all = *mine;
    one->is_under_way = REAL(MPI_Start)(&one->request) == MPI_SUCCESS;
    one->is_known = one->is_under_way && mine != &too_late;
}

/* Makes as many owed starts as possible without waiting. Returns 1 if no start is owed any more and the request is
 * inactive. */
static int advance(struct one *one)
{
    for (;;) {
        int done = 0;
        if (one->is_under_way && REAL(MPI_Test)(&one->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
            return 0;
        one->is_under_way = 0;
        if (one->owed <= 0)
            return 1;
        one->owed--;
        go(one, &too_late);
    }
}

static int advance_locked(void *one)
{
    pithi_lock(&mutex);
    int is_over = advance(one);
    pithi_unlock(&mutex);
    return is_over;
}

/* Returns the shadow collective that belongs to the last start of the program's collective. */
static struct one *last_of(struct pithi_pcoll *ours) { return &ours->both[(ours->starts - 1) % 2]; }

/* ---- Shadow collectives that outlast the program's --------------------------------------------------------------- */

/* Adds the shadow collectives to the list `unfinished`. The caller holds the mutex. */
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
        int is_over = advance(&ours->both[0]);
        if (!advance(&ours->both[1]) || !is_over) {
            at = &ours->next;
            continue;
        }
        __atomic_store_n(at, ours->next, __ATOMIC_RELAXED);
        ours->is_listed = 0;
        if (ours->is_dropped) {
            pithi_handle_hold(ours->comm, PITHI_CLIENT_COMPENSATION, -1);
            free_both(ours);
            free(ours);
        }
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

/* ---- The program's collectives ----------------------------------------------------------------------------------- */

/* Makes the shadow collectives even if this process has no memory to use them, because the other processes may wait for
 * this process to make them. */
void pithi_piggyback_pcoll_begin(struct pithi_piggyback_pcoll *pcoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root)
{
    int64_t from = pithi_delay_clock();
    struct pithi_handle *found = pithi_shadow_find(pithi_comm_key(comm));
    *pcoll = (struct pithi_piggyback_pcoll){.ours = NULL, .is_local_only = 1, .why = PITHI_LOCAL_ONLY_COMM};
    if (!found || pithi_shadow_of(found) == MPI_COMM_NULL)
        return;
    pcoll->is_local_only = found->size > 1 || found->remote_size;
    pcoll->why = PITHI_LOCAL_ONLY_COLL;
    if (!pcoll->is_local_only)
        return;
    struct pithi_pcoll *ours = malloc(sizeof *ours), nobodys;
    int is_there = ours != NULL;
    ours = is_there ? ours : &nobodys;
    *ours = (struct pithi_pcoll){.comm = found, .shape = shape, .waits = pithi_piggyback_waits(found, shape, root)};
    if (!init_both(ours, root)) {
        if (is_there)
            free(ours);
    } else if (!is_there) {
        free_both(ours);
    } else {
        pithi_handle_hold(found, PITHI_CLIENT_COMPENSATION, 1);
        pcoll->ours = ours;
    }
    pithi_delay_spent(from);
    pithi_own_write();
}

void pithi_piggyback_pcoll_made(struct pithi_piggyback_pcoll *pcoll, int result, const MPI_Request *request)
{
    if (!pcoll->ours) {
        if (pcoll->is_local_only)
            pithi_piggyback_start_local_only(result, request, pcoll->why);
        return;
    }
    int64_t from = pithi_delay_clock();
    struct pithi_piggyback_entry *entry = result == MPI_SUCCESS ? pithi_piggyback_entry_new(pcoll->ours->comm) : NULL;
    if (entry) {
        entry->is_persistent = 1;
        entry->pcoll = pcoll->ours;
        pithi_piggyback_entry_enter(entry, pithi_request_key(*request));
    } else {
        pithi_pcoll_drop(pcoll->ours);
    }
    pithi_delay_spent(from);
}

void pithi_pcoll_start(struct pithi_pcoll *ours, int64_t from_ns)
{
    pithi_lock(&mutex);
    ours->starts++;
    struct one *one = last_of(ours);
    if (one->owed < 0) {
        one->owed = 0;
    } else if (advance(one)) {
        struct pithi_arrival mine = pithi_icoll_arrival(from_ns);
        go(one, &mine);
    } else {
        one->owed++;
        one->is_known = 0;
        list(ours);
    }
    pithi_unlock(&mutex);
}

void pithi_pcoll_not_started(struct pithi_pcoll *ours)
{
    pithi_lock(&mutex);
    last_of(ours)->owed--;
    ours->starts--;
    pithi_unlock(&mutex);
}

void pithi_pcoll_complete(struct pithi_pcoll *ours, struct pithi_wait *wait)
{
    struct one *one = last_of(ours);
    int is_over = ours->waits ? pithi_icoll_soon(advance_locked, one) : advance_locked(one);
    if (!is_over) {
        pithi_lock(&mutex);
        list(ours);
        pithi_unlock(&mutex);
    }
    if (!ours->waits)
        return;
    if (is_over && one->is_known && one->all.at_ns != too_late.at_ns)
        pithi_icoll_came(wait, &one->all, ours->shape);
    else
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_LATE);
}

void pithi_pcoll_drop(struct pithi_pcoll *ours)
{
    pithi_lock(&mutex);
    ours->is_dropped = 1;
    list(ours);
    pithi_unlock(&mutex);
    pithi_pcoll_look();
}
