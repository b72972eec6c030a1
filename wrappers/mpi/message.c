/* message.c - records messages, as a client of the table of requests (handles/request.h).
 *
 * A send is recorded before the call. A receive is recorded after the call, because its source, tag and size are known
 * only then. A receive's number gives the order of posting, by which a reader finds the matching send
 * (formats/reader/read/match.c):
 *
 *     MPI_Irecv A    takes number 0; its entry waits with the request
 *     MPI_Irecv B    takes number 1
 *     MPI_Wait B     record: receive, posted = 1
 *     MPI_Wait A     record: receive, posted = 0
 *
 * A receive that gets no message, because it failed or was cancelled, is recorded as well, with PITH_NOBODY as its
 * source. Otherwise its number would be missing, and readers would wait for it. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "coll.h"
#include "job.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

/* ---- blocking ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if the messages of this call are recorded. */
static int on(void) { return pithi_self.recorded && pithi_job_messages && pithi_job_up; }

/* Returns the entry of a communicator; NULL if nothing is recorded or the communicator is unknown. */
static struct pithi_handle *comm_of(MPI_Comm comm) { return on() ? pithi_comm_find(comm) : NULL; }

static void record_send(const struct pithi_handle *comm, int to, int tag, uint64_t bytes)
{
    if (pithi_calls_are_off())
        return;
    /* The state of the call has just begun, so its time is used and the clock is not read again. */
    if (__builtin_expect(pithi_self.begun, 1))
        pith_same_send(pithi_comm_of(comm)->id, to, tag, bytes);
    else
        pith_comm_send(pithi_comm_of(comm)->id, to, tag, bytes);
}

void pithi_send(MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type)
{
    const struct pithi_handle *found = comm_of(comm);
    int to = found ? pithi_handle_peer(found, peer) : -1;

    /* -1: MPI_PROC_NULL, or a process outside of MPI_COMM_WORLD; such a message is not recorded. */
    if (to >= 0)
        record_send(found, to, tag, pithi_type_bytes(count, type));
}

static int announced; /* are receives recorded when they are posted? 0: not known yet, 1: no, 2: yes */

/* With PITH_HANG, records a receive also when it is posted, for the report about a job that hangs. A receive that never
 * ends has no other record. */
static __attribute__((noinline)) void announce(uint64_t posted, const struct pithi_handle *comm, int peer, int tag)
{
    static uint32_t event;
    int from = peer == MPI_ANY_SOURCE ? -1 : pithi_handle_peer(comm, peer), to_tag = tag == MPI_ANY_TAG ? -1 : tag;
    uint64_t numbers[2] = {posted, (uint64_t)(uint32_t)from << 32 | (uint32_t)to_tag};
    unsigned char bytes[sizeof numbers];

    /* Looked up once: PITH_HANG does not change later. */
    if (__atomic_load_n(&announced, __ATOMIC_ACQUIRE) == 0) {
        const char *hang = secure_getenv("PITH_HANG");
        int is_on = hang && *hang && strcmp(hang, "0") != 0;
        if (is_on)
            event = pith_event_define_group("pith:expect", "gray50", "posted=%l peer=%d tag=%d", "pith");
        __atomic_store_n(&announced, 1 + is_on, __ATOMIC_RELEASE);
    }
    if (announced != 2 || pithi_calls_are_off())
        return;
    /* The most significant byte first, as in all payloads. */
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(numbers[i / 8] >> (56 - 8 * (i % 8)));
    pith_event_data(event, bytes, sizeof bytes);
}

/* Takes a receive's order number. Single-threaded programs take numbers in batches, which saves an atomic operation. */
static uint64_t take_number(void)
{
    enum { AHEAD = 16 }; /* receives whose numbers are taken at once */
    static uint64_t next, end;

    /* With several threads, all threads take numbers from one counter, so that the numbers have the order of posting.
     * With batches, a later receive could get a lower number. */
    if (pithi_many_threads)
        return pith_recv_post();
    if (next == end) {
        next = pith_recv_post_many(AHEAD);
        end = next + AHEAD;
    }
    return next++;
}

static uint64_t post(const struct pithi_handle *comm, int peer, int tag)
{
    uint64_t posted = take_number();

    if (__builtin_expect(__atomic_load_n(&announced, __ATOMIC_RELAXED) != 1, 0))
        announce(posted, comm, peer, tag);
    return posted;
}

void pithi_recv_begin(struct pithi_recv *recv, MPI_Comm comm, int peer, int tag)
{
    recv->comm = peer == MPI_PROC_NULL ? NULL : comm_of(comm);
    recv->peer = peer;
    recv->tag = tag;
    if (recv->comm)
        recv->posted = post(recv->comm, peer, tag);
}

/* Returns the status to pass to the library. The wrapper needs a status, even if the program passes
 * MPI_STATUS_IGNORE. */
MPI_Status *pithi_recv_status(struct pithi_recv *recv, MPI_Status *status)
{
    return recv->comm && status == MPI_STATUS_IGNORE ? &recv->own : status;
}

/* Records a receive. The record of the first receive that a call completes reads the clock. The call's other receives,
 * and the end of its state, share that time. */
static void record(const struct pithi_handle *comm, int peer, int tag, uint64_t bytes, uint64_t posted)
{
    if (pithi_calls_are_off())
        return;
    uint64_t before = pith_buffer_.last_ticks;

    /* If this call has made another record after the library's own call, uses the time of that record. */
    if (pithi_self.stamped)
        pith_same_recv(pithi_comm_of(comm)->id, peer, tag, bytes, posted);
    else
        pith_comm_recv(pithi_comm_of(comm)->id, peer, tag, bytes, posted);
    pithi_stamp(before);
}

static void record_nothing(const struct pithi_handle *comm, uint64_t posted)
{
    record(comm, PITH_NOBODY, 0, 0, posted);
}

/* Records a completed receive. MPICH 4.0 does not set the status of MPI_Isendrecv. So if the status has another source
 * or tag than the receive, its size is not used. A truncated message is recorded, too, because it was matched. */
static inline void received(const struct pithi_handle *comm, int peer, int tag, uint64_t posted, int result,
                            const MPI_Status *status)
{
    int class = __builtin_expect(result == MPI_SUCCESS, 1) ? MPI_SUCCESS : pithi_error_class(result);
    int source = peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : peer;
    int from = pithi_handle_peer(comm, source);

    if (tag == MPI_ANY_TAG)
        tag = status->MPI_TAG;
    if (from < 0 || (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)) {
        record_nothing(comm, posted);
        return;
    }
    int is_own = status->MPI_SOURCE == source && status->MPI_TAG == tag;
    record(comm, from, tag, is_own ? pithi_status_bytes(status) : 0, posted);
}

void pithi_recv_end(const struct pithi_recv *recv, int result, const MPI_Status *status)
{
    if (recv->comm)
        received(recv->comm, recv->peer, recv->tag, recv->posted, result, status);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static int client; /* this file's client number in the table of requests */

static struct pithi_pending *pending_of(struct pithi_request *request) { return pithi_request_data(request, client); }

/* Returns the entry of an open request; NULL if the log has no entry for it. */
static struct pithi_request *find(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL || !on() ? NULL : pithi_request_find(pithi_request_key(handle), client);
}

static void forget(struct pithi_request *request)
{
    pithi_handle_hold(pending_of(request)->comm, PITHI_CLIENT_LIBRARY, -1);
    pithi_request_forget(request, client);
}

int64_t pithi_pending_enter(uint64_t key, const struct pithi_pending *pending)
{
    struct pithi_request *request = pithi_request_open(key, client);

    if (!request)
        return -1;
    int64_t number = request->number;
    *pending_of(request) = *pending;
    pithi_request_close();
    pithi_handle_hold(pending->comm, PITHI_CLIENT_LIBRARY, 1);
    return number;
}

/* Returns 1 if the receive was cancelled. Makes the MPI call that tests this only if the program called MPI_Cancel. */
static int was_cancelled(const struct pithi_pending *pending, const MPI_Status *status)
{
    int flag = 0;

    if (pending->is_cancelled)
        REAL(MPI_Test_cancelled)(status, &flag);
    return flag;
}

/* Records what a call completed. */
static void completed(struct pithi_completion *completion)
{
    struct pithi_completed one;

    while (pithi_job_up && pithi_completion_next(completion, client, &one)) {
        struct pithi_pending *pending = pending_of(one.request);
        /* Calls also return inactive persistent requests, which have done nothing. */
        if (!pending->is_active)
            continue;
        if (pending->kind == PITHI_PENDING_COMM) {
            if (one.result == MPI_SUCCESS) {
                pithi_comm_promised(pending->bytes, *pending->u.made);
                pithi_coll_complete(one.request->number);
            }
        } else if (pending->kind == PITHI_PENDING_COLL || pending->kind == PITHI_PENDING_COLL_INIT) {
            if (one.result == MPI_SUCCESS)
                pithi_coll_complete(one.request->number);
        } else {
            received(pending->comm, pending->peer, pending->tag, pending->posted,
                     was_cancelled(pending, one.status) ? MPI_ERR_OTHER : one.result, one.status);
        }
        /* A persistent request stays in the table until it is freed. */
        if (pending->kind == PITHI_PENDING_RECV_INIT || pending->kind == PITHI_PENDING_COLL_INIT) {
            pending->is_active = 0;
            continue;
        }
        pithi_handle_hold(pending->comm, PITHI_CLIENT_LIBRARY, -1);
        pithi_completion_forget(&one, client);
    }
}

/* Called if a new request has the handle of an old request, which must have ended then. Releases the old request's
 * reference to its communicator, and returns 1, so that the new request takes over the old entry. */
static int reused(void *data)
{
    const struct pithi_pending *pending = data;

    pithi_handle_hold(pending->comm, PITHI_CLIENT_LIBRARY, -1);
    return 1;
}

void pithi_pending_begin(void)
{
    static int is_registered; /* a second call is possible: by a session, then by MPI_Init */
    static const struct pithi_request_client log = {
        .size_bytes = sizeof(struct pithi_pending), .completed = completed, .reused = reused};

    if (!is_registered)
        client = pithi_request_register(&log);
    is_registered = 1;
}

void pithi_recv_pending(const struct pithi_recv *recv, int result, const MPI_Request *request)
{
    if (!recv->comm)
        return;
    /* The call failed, so it posted no receive. But the receive already has a number, and every number needs a record.
     * So this records a receive of no message. */
    if (result != MPI_SUCCESS) {
        record_nothing(recv->comm, recv->posted);
        return;
    }
    struct pithi_request *entry = pithi_request_open(pithi_request_key(*request), client);
    if (!entry)
        return;
    struct pithi_pending *pending = pending_of(entry);
    pending->posted = recv->posted;
    pending->comm = recv->comm;
    pending->peer = recv->peer;
    pending->tag = recv->tag;
    pending->kind = PITHI_PENDING_RECV;
    pending->is_active = 1;
    pending->is_cancelled = 0;
    pithi_request_close();
    pithi_handle_hold(recv->comm, PITHI_CLIENT_LIBRARY, 1);
}

void pithi_send_init(int result, MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type,
                     const MPI_Request *request)
{
    struct pithi_handle *found = result == MPI_SUCCESS ? comm_of(comm) : NULL;
    int to = found ? pithi_handle_peer(found, peer) : -1;

    if (to >= 0)
        pithi_pending_enter(pithi_request_key(*request),
                            &(struct pithi_pending){.kind = PITHI_PENDING_SEND_INIT,
                                                    .comm = found,
                                                    .peer = to,
                                                    .tag = tag,
                                                    .bytes = pithi_type_bytes(count, type)});
}

void pithi_recv_init(int result, MPI_Comm comm, int peer, int tag, const MPI_Request *request)
{
    struct pithi_handle *found = result == MPI_SUCCESS && peer != MPI_PROC_NULL ? comm_of(comm) : NULL;

    if (found)
        pithi_pending_enter(
            pithi_request_key(*request),
            &(struct pithi_pending){.kind = PITHI_PENDING_RECV_INIT, .comm = found, .peer = peer, .tag = tag});
}

void pithi_start(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count && pithi_request_any(); i++) {
        struct pithi_request *request = find(requests[i]);
        struct pithi_pending *pending = request ? pending_of(request) : NULL;
        if (!pending)
            continue;
        if (pending->kind == PITHI_PENDING_SEND_INIT) {
            /* Each start of a persistent send is recorded as a send. Each start of a persistent receive takes a new
             * number. */
            record_send(pending->comm, pending->peer, pending->tag, pending->bytes);
        } else if (pending->kind == PITHI_PENDING_COLL_INIT) {
            pithi_coll_restart(pending, request->number);
        } else if (pending->kind == PITHI_PENDING_RECV_INIT) {
            pending->is_active = 1;
            pending->is_cancelled = 0;
            pending->posted = post(pending->comm, pending->peer, pending->tag);
        }
    }
}

/* Notes that MPI_Cancel was called. Whether it cancelled the receive is known only when the receive completes. */
void pithi_cancel(const MPI_Request *handle)
{
    struct pithi_request *request = find(*handle);

    if (request && pending_of(request)->is_active)
        pending_of(request)->is_cancelled = 1;
}

/* No call shows the completion of a receive that is freed while it is active. If such a receive names its source and
 * tag, its message is known. So it is recorded now, and later receives still match their own sends. */
void pithi_request_free(const MPI_Request *handle)
{
    struct pithi_request *request = find(*handle);

    if (!request)
        return;
    const struct pithi_pending *pending = pending_of(request);
    if (pending->is_active && (pending->kind == PITHI_PENDING_RECV || pending->kind == PITHI_PENDING_RECV_INIT)) {
        int from = pending->peer == MPI_ANY_SOURCE || pending->tag == MPI_ANY_TAG || pending->is_cancelled
                       ? -1
                       : pithi_handle_peer(pending->comm, pending->peer);
        if (from >= 0)
            record(pending->comm, from, pending->tag, 0, pending->posted);
        else
            record_nothing(pending->comm, pending->posted);
    }
    forget(request); /* last, because the communicator's entry may be freed then */
}

/* ---- matched messages -------------------------------------------------------------------------------------------- */

/* MPI_Mrecv will receive the message later, but the message is matched now. So its receive gets its number now. */
void pithi_message_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message)
{
    struct pithi_handle *found = result == MPI_SUCCESS && flag ? comm_of(comm) : NULL;

    if (!found || *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL)
        return;
    pithi_pending_enter(pithi_message_key(*message), &(struct pithi_pending){.kind = PITHI_PENDING_RECV,
                                                                             .posted = take_number(),
                                                                             .comm = found,
                                                                             .peer = MPI_ANY_SOURCE,
                                                                             .tag = MPI_ANY_TAG});
}

void pithi_message_begin(struct pithi_recv *recv, const MPI_Message *message)
{
    struct pithi_request *request = on() && *message != MPI_MESSAGE_NO_PROC && *message != MPI_MESSAGE_NULL
                                        ? pithi_request_find(pithi_message_key(*message), client)
                                        : NULL;

    recv->comm = NULL;
    if (!request)
        return;
    const struct pithi_pending *pending = pending_of(request);
    recv->comm = pending->comm;
    recv->posted = pending->posted;
    recv->peer = pending->peer;
    recv->tag = pending->tag;
    forget(request);
}
