/* message.c - see message.h. */
#include "message.h"

#include "coll.h"
#include "job.h"
#include "lock.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

/* ---- sizes ----------------------------------------------------------------------------------------------------------
 * Asking the library takes longer than a record. Each thread keeps the sizes of the types it used last; MPI_Type_free
 * makes all of them stale, for the handle may come again with another size. */
enum { CACHED = 8 };
static unsigned generation = 1;
static __thread struct {
    unsigned generation;
    MPI_Datatype type[CACHED];
    int64_t size[CACHED]; /* + 1; 0: empty */
} cache __attribute__((tls_model("initial-exec")));

uint64_t pithi_bytes(pithi_count count, MPI_Datatype type)
{
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    unsigned slot = (unsigned)((uint64_t)(uintptr_t)type * UINT64_C(0x9e3779b97f4a7c15) >> 61);
    MPI_Count size = 0;

    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if (cache.generation != now) {
        for (int i = 0; i < CACHED; i++)
            cache.size[i] = 0;
        cache.generation = now;
    }
    if (cache.size[slot] && cache.type[slot] == type)
        return (uint64_t)count * (uint64_t)(cache.size[slot] - 1);
    if (REAL(MPI_Type_size_x)(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    cache.type[slot] = type;
    cache.size[slot] = size + 1;
    return (uint64_t)count * (uint64_t)size;
}

void pithi_bytes_forget(void) { __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE); }

/* ---- blocking ---------------------------------------------------------------------------------------------------- */

/* Whether this call's messages are recorded. */
static int on(void) { return pithi_self.recorded && pithi_job_messages && pithi_job_up; }

static struct pithi_comm *comm_of(MPI_Comm comm) { return on() ? pithi_comm_find(comm) : NULL; }

static void record_send(const struct pithi_comm *comm, int to, int tag, uint64_t bytes)
{
    if (pithi_calls_are_off())
        return;
    if (__builtin_expect(pithi_self.begun, 1))
        pith_same_send(comm->id, to, tag, bytes);
    else
        pith_comm_send(comm->id, to, tag, bytes);
}

void pithi_send(MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type)
{
    const struct pithi_comm *found = comm_of(comm);
    int to = found ? pithi_comm_peer(found, peer) : -1;

    if (to >= 0)
        record_send(found, to, tag, pithi_bytes(count, type));
}

/* A number for each receive, in the order of posting. Where no two threads are in MPI at once, some are taken ahead. */
static uint64_t post(void)
{
    enum { AHEAD = 16 };
    static uint64_t next, end;

    if (pithi_many_threads)
        return pith_recv_post();
    if (next == end) {
        next = pith_recv_post_many(AHEAD);
        end = next + AHEAD;
    }
    return next++;
}

void pithi_recv_begin(struct pithi_recv *recv, MPI_Comm comm, int peer, int tag)
{
    recv->comm = peer == MPI_PROC_NULL ? NULL : comm_of(comm);
    recv->peer = peer;
    recv->tag = tag;
    if (recv->comm)
        recv->posted = post();
}

MPI_Status *pithi_recv_status(struct pithi_recv *recv, MPI_Status *status)
{
    return recv->comm && status == MPI_STATUS_IGNORE ? &recv->own : status;
}

/* The first receive that a call completes tells the time for the others, and for the end of the call's state. */
static void record(const struct pithi_comm *comm, int peer, int tag, uint64_t bytes, uint64_t posted)
{
    if (pithi_calls_are_off())
        return;
    if (pithi_self.stamped)
        pith_same_recv(comm->id, peer, tag, bytes, posted);
    else
        pith_comm_recv(comm->id, peer, tag, bytes, posted);
    pithi_self.stamped = 1;
}

static void record_nothing(const struct pithi_comm *comm, uint64_t posted) { record(comm, PITH_NOBODY, 0, 0, posted); }

/* Basic elements of MPI_BYTE: bytes, whatever type was received. Read as the libraries' own MPI_Get_elements does, for
 * which the fields stand in mpi.h; a library of another make is asked. */
static uint64_t received_bytes(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return status->_ucount;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 30000000
    return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#else
    MPI_Count bytes = 0;
    return REAL(MPI_Get_elements_x)(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (uint64_t)bytes : 0;
#endif
}

/* A source and a tag that the receive named are what came. A status that says something else is not of this receive
 * (MPICH 4.0 does not set that of MPI_Isendrecv): its size is not taken. A message too long for its receive was matched
 * all the same. */
void pithi_recv_end(const struct pithi_recv *recv, int result, const MPI_Status *status)
{
    int class = MPI_SUCCESS;

    if (!recv->comm)
        return;
    if (__builtin_expect(result != MPI_SUCCESS, 0))
        REAL(MPI_Error_class)(result, &class);
    int source = recv->peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : recv->peer;
    int tag = recv->tag == MPI_ANY_TAG ? status->MPI_TAG : recv->tag;
    int from = pithi_comm_peer(recv->comm, source);
    if (from < 0 || (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)) {
        record_nothing(recv->comm, recv->posted);
        return;
    }
    int is_own = status->MPI_SOURCE == source && status->MPI_TAG == tag;
    record(recv->comm, from, tag, is_own ? received_bytes(status) : 0, recv->posted);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

void pithi_recv_pending(const struct pithi_recv *recv, int result, const MPI_Request *request)
{
    if (!recv->comm)
        return;
    if (result != MPI_SUCCESS) {
        record_nothing(recv->comm, recv->posted);
        return;
    }
    struct pithi_request *place = pithi_request_open(*request);
    if (!place)
        return;
    place->posted = recv->posted;
    place->comm = recv->comm;
    place->peer = recv->peer;
    place->tag = recv->tag;
    place->kind = PITHI_REQUEST_RECV;
    place->is_active = 1;
    place->is_cancelled = 0;
    pithi_request_close(place);
}

void pithi_send_init(int result, MPI_Comm comm, int peer, int tag, pithi_count count, MPI_Datatype type,
                     const MPI_Request *request)
{
    struct pithi_comm *found = result == MPI_SUCCESS ? comm_of(comm) : NULL;
    int to = found ? pithi_comm_peer(found, peer) : -1;

    if (to >= 0)
        pithi_request_put(*request, &(struct pithi_request){.kind = PITHI_REQUEST_SEND_INIT,
                                                            .comm = found,
                                                            .peer = to,
                                                            .tag = tag,
                                                            .bytes = pithi_bytes(count, type)});
}

void pithi_recv_init(int result, MPI_Comm comm, int peer, int tag, const MPI_Request *request)
{
    struct pithi_comm *found = result == MPI_SUCCESS && peer != MPI_PROC_NULL ? comm_of(comm) : NULL;

    if (found)
        pithi_request_put(*request, &(struct pithi_request){
                                        .kind = PITHI_REQUEST_RECV_INIT, .comm = found, .peer = peer, .tag = tag});
}

static void start(MPI_Request handle)
{
    struct pithi_request request;

    pithi_request_get(handle, &request);
    if (request.kind == PITHI_REQUEST_SEND_INIT) {
        record_send(request.comm, request.peer, request.tag, request.bytes);
    } else if (request.kind == PITHI_REQUEST_COLL_INIT) {
        pithi_coll_restart(&request);
    } else if (request.kind == PITHI_REQUEST_RECV_INIT) {
        request.is_active = 1;
        request.is_cancelled = 0;
        request.posted = post();
        pithi_request_set(&request);
    }
}

void pithi_start(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count && on(); i++)
        if (requests[i] != MPI_REQUEST_NULL)
            start(requests[i]);
}

void pithi_cancel(const MPI_Request *handle)
{
    struct pithi_request request;

    if (!on() || *handle == MPI_REQUEST_NULL)
        return;
    pithi_request_get(*handle, &request);
    if (request.kind == PITHI_REQUEST_NONE || !request.is_active)
        return;
    request.is_cancelled = 1;
    pithi_request_set(&request);
}

/* The message of a receive that is freed under way comes, but unseen. With a source and a tag given it is known which
 * one: recording it now keeps later receives matched to their own sends. */
void pithi_request_free(const MPI_Request *handle)
{
    struct pithi_request request;

    if (!on() || *handle == MPI_REQUEST_NULL)
        return;
    pithi_request_get(*handle, &request);
    if (request.kind == PITHI_REQUEST_NONE)
        return;
    pithi_request_drop(&request);
    if (!request.is_active || (request.kind != PITHI_REQUEST_RECV && request.kind != PITHI_REQUEST_RECV_INIT))
        return;
    int from = request.peer == MPI_ANY_SOURCE || request.tag == MPI_ANY_TAG || request.is_cancelled
                   ? -1
                   : pithi_comm_peer(request.comm, request.peer);
    if (from >= 0)
        record(request.comm, from, request.tag, 0, request.posted);
    else
        record_nothing(request.comm, request.posted);
}

/* ---- matched messages -------------------------------------------------------------------------------------------- */

/* Messages are kept among the requests: a handle of the one is never open as one of the other, but their numbers may be
 * the same. So the key is changed. */
static MPI_Request key_of(MPI_Message message)
{
    return (MPI_Request)(uintptr_t)((uint64_t)(uintptr_t)message ^ UINT64_C(0x5a5a5a5a));
}

void pithi_message_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message)
{
    struct pithi_comm *found = result == MPI_SUCCESS && flag ? comm_of(comm) : NULL;

    if (!found || *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL)
        return;
    pithi_request_put(
        key_of(*message),
        &(struct pithi_request){
            .kind = PITHI_REQUEST_RECV, .posted = post(), .comm = found, .peer = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG});
}

void pithi_message_begin(struct pithi_recv *recv, const MPI_Message *message)
{
    struct pithi_request request = {.kind = PITHI_REQUEST_NONE};

    recv->comm = NULL;
    if (!on() || *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL)
        return;
    pithi_request_get(key_of(*message), &request);
    if (request.kind != PITHI_REQUEST_RECV)
        return;
    pithi_request_drop(&request);
    recv->comm = request.comm;
    recv->posted = request.posted;
    recv->peer = request.peer;
    recv->tag = request.tag;
}
