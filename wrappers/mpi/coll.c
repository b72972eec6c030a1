/* coll.c - writes the records of collective operations (coll.h).
 *
 * A record has the bytes that this process gives and gets by the call's arguments, not the bytes that the library
 * sends. In an MPI_Bcast of 1 MB, whatever the number of members, the root gives 1 MB and gets nothing, and each other
 * member gives nothing and gets 1 MB.
 *
 * Facts that a record has no field for become events just before or after it: the request of a nonblocking collective,
 * its completion, the neighbours. Only the analysis reads these events. */
#include "coll.h"

#include <stdlib.h>

#include "pith_tool.h"

__thread struct pithi_coll_record pithi_coll_now;
#define now pithi_coll_now

void pithi_coll_barrier(MPI_Comm comm)
{
    pithi_coll(&(const struct pithi_collective){.shape = PITHI_SHAPE_barrier, .comm = comm});
}

void pithi_coll_on(struct pithi_handle *handle, int of_all)
{
    now = (struct pithi_coll_record){
        .comm = pithi_self.recorded && pithi_job_messages ? handle : NULL, .root = PITH_NOBODY, .of_all = of_all};
}

int pithi_coll_is_of_all(struct pithi_data received, const struct pithi_handle *comm)
{
    int others = comm->remote_size ? comm->remote_size : comm->size;

    for (int i = 0; i < others; i++)
        if ((comm->remote_size || i != comm->rank) && !pithi_data_part(&received, i))
            return 0;
    return now.moved.got > 0;
}

void pithi_coll_has_neighbours(const struct pithi_handle *comm)
{
    int untold = 0;

    __atomic_compare_exchange_n(&pithi_comm_of(comm)->neighbours, &untold, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void put_neighbours(const struct pithi_handle *comm);

/* Records a collective that begins now. */
static void put(const struct pithi_handle *comm, int root, uint64_t given_bytes, uint64_t got_bytes)
{
    if (pithi_calls_are_off())
        return;
    if (__builtin_expect(__atomic_load_n(&pithi_comm_of(comm)->neighbours, __ATOMIC_RELAXED) == 1, 0))
        put_neighbours(comm);
    if (__builtin_expect(pithi_self.begun, 1))
        pith_same_coll(pithi_comm_of(comm)->id, root, given_bytes, got_bytes);
    else
        pith_comm_coll(pithi_comm_of(comm)->id, root, given_bytes, got_bytes);
}

/* Events for facts that the record has no field for; the replay reads them (formats/analysis/coll_rules.h). */
enum { STARTED, COMPLETE, KEPT, OF_ALL, NEIGHBOURS };

static void put_number(unsigned char *p, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* Returns the event's id in liblog. The first call for an event defines it. */
static uint32_t event_of(int what)
{
    static const char *const names[] = {"pith:coll_started", "pith:coll_complete", "pith:coll_kept", "pith:coll_of_all",
                                        "pith:neighbours"};
    static const char *const formats[] = {"request=%d", "request=%d", "request=%d number=%d", NULL, NULL};
    static uint32_t ids[NEIGHBOURS + 1]; /* 0: not defined yet; else the id + 1 */
    uint32_t id = __atomic_load_n(&ids[what], __ATOMIC_RELAXED);

    if (id == 0) {
        id = pith_event_define_group(names[what], "gray50", formats[what], "pith") + 1;
        __atomic_store_n(&ids[what], id, __ATOMIC_RELAXED);
    }
    return id - 1;
}

/* Records the ranks of the neighbours that send to this process, in as many events as the ranks need. */
static void put_neighbours(const struct pithi_handle *comm)
{
    enum { AT_ONCE = 1024 }; /* ranks at a time */
    int count, *sources = pithi_neighbour_sources(comm->handle, comm->rank, &count);
    unsigned char bytes[4 * AT_ONCE];

    __atomic_store_n(&pithi_comm_of(comm)->neighbours, 2, __ATOMIC_RELAXED);
    for (int from = 0, part = 0; from < count; from += part) {
        part = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (int i = 0; i < part; i++)
            put_number(bytes + 4 * i, (uint32_t)sources[from + i]);
        pith_event_data(event_of(NEIGHBOURS), bytes, 4 * (size_t)part);
    }
    free(sources);
}

static void put_event(int what, uint32_t request, uint32_t number)
{
    unsigned char bytes[8];

    if (pithi_calls_are_off())
        return;
    put_number(bytes, request);
    put_number(bytes + 4, number);
    if (what == OF_ALL)
        pith_event(event_of(what));
    else
        pith_event_data(event_of(what), bytes, what == KEPT ? 8 : 4);
}

void pithi_coll_record(void)
{
    if (!now.comm || !pithi_self.recorded)
        return;
    if (now.of_all)
        put_event(OF_ALL, 0, 0);
    put(now.comm, now.root, now.moved.given, now.moved.got);
}

void pithi_coll_made(int result, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || *made == MPI_COMM_NULL)
        return;
    pithi_coll_barrier(*made);
    pithi_coll_record();
}

void pithi_coll_numbered(int64_t request)
{
    if (request >= 0)
        put_event(STARTED, (uint32_t)request, 0);
}

void pithi_coll_started(int result, const MPI_Request *request)
{
    if (!now.comm || !pithi_self.recorded || result != MPI_SUCCESS || *request == MPI_REQUEST_NULL)
        return;
    int64_t number =
        pithi_pending_enter(pithi_request_key(*request),
                            &(struct pithi_pending){.kind = PITHI_PENDING_COLL, .is_active = 1, .comm = now.comm});
    pithi_coll_numbered(number);
}

void pithi_coll_complete(uint32_t request) { put_event(COMPLETE, request, 0); }

/* See coll.h. Counts the persistent collectives of the communicator, even while calls are not recorded. So all members
 * have the same count, and the n-th persistent collective of one rank belongs to the n-th of each other rank. */
void pithi_coll_keep(int result, const MPI_Request *request)
{
    if (!now.comm || !pithi_self.recorded || result != MPI_SUCCESS)
        return;
    uint32_t count = __atomic_fetch_add(&pithi_comm_of(now.comm)->kept_colls, 1, __ATOMIC_RELAXED);
    int64_t number =
        pithi_pending_enter(pithi_request_key(*request), &(struct pithi_pending){.kind = PITHI_PENDING_COLL_INIT,
                                                                                 .comm = now.comm,
                                                                                 .bytes = now.moved.given,
                                                                                 .u.got_bytes = now.moved.got,
                                                                                 .peer = now.root});
    if (number >= 0)
        put_event(KEPT, (uint32_t)number, count);
}

void pithi_coll_restart(struct pithi_pending *pending, uint32_t number)
{
    put_event(STARTED, number, 0);
    put(pending->comm, pending->peer, pending->bytes, pending->u.got_bytes);
    pending->is_active = 1;
}
