/* sent.c - counts the messages and bytes of the call that has just ended, and of each start of a persistent request.
 *
 * MPI_Send_init sends nothing, but only this call has the count, the type and the receiver. So these three are kept
 * with the request, and each MPI_Start of the request counts a message: one MPI_Send_init and 1000 MPI_Start are 1000
 * messages.
 */
#include "partners.h"

#include "datatype.h"
#include "request.h"

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void add_message(int world_rank, uint64_t bytes)
{
    struct pithi_time_self *self = &pithi_time_self;

    pithi_time_add(&self->last->messages, 1);
    pithi_time_add(&self->last->bytes, bytes);
    if (pithi_time_partners && world_rank >= 0)
        pithi_time_partner_add(&self->thread->partners, &self->thread->partner_room, &self->thread->partner_count,
                               world_rank, 1, bytes);
}

static int world_rank_of(MPI_Comm handle, int peer)
{
    const struct pithi_handle *comm = pithi_time_partners ? pithi_handle_of_comm(handle) : NULL;

    return comm ? pithi_handle_peer(comm, peer) : -1;
}

void pithi_time_send(MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type)
{
    if (pithi_time_self.last && peer != MPI_PROC_NULL)
        add_message(world_rank_of(comm, peer), pithi_type_bytes(count, type));
}

/* ---- persistent requests: what each start sends ------------------------------------------------------------------ */

struct prepared {
    int is_message, world_rank; /* is_message: 1: a message; 0: a collective */
    uint64_t bytes;
};
static int client; /* this file's client number in the table of requests */

/* Called if a new persistent request has the handle of an old one. Returns 1, because the old one must have been
 * freed. */
static int reused(void *data)
{
    (void)data;
    return 1;
}

void pithi_time_requests_begin(void)
{
    static const struct pithi_request_client prepared = {.size_bytes = sizeof(struct prepared), .reused = reused};
    static int is_registered; /* a program may begin with a session and call MPI_Init after it */

    if (!is_registered)
        client = pithi_request_register(&prepared);
    is_registered = 1;
}

/* Keeps what each start of a persistent request sends. */
static void prepare(MPI_Request handle, int is_message, int world_rank, uint64_t bytes)
{
    struct pithi_request *request = pithi_request_open(pithi_request_key(handle), client);

    if (!request)
        return;
    *(struct prepared *)pithi_request_data(request, client) = (struct prepared){is_message, world_rank, bytes};
    pithi_request_close();
}

void pithi_time_send_init(int result, MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type,
                          const MPI_Request *request)
{
    if (result != MPI_SUCCESS || !pithi_time_self.last || peer == MPI_PROC_NULL)
        return;
    prepare(*request, 1, world_rank_of(comm, peer), pithi_type_bytes(count, type));
}

void pithi_time_start(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count && pithi_time_self.last && pithi_request_any(); i++) {
        struct pithi_request *request = pithi_request_find(pithi_request_key(requests[i]), client);
        const struct prepared *prepared = request ? pithi_request_data(request, client) : NULL;
        if (prepared && prepared->is_message)
            add_message(prepared->world_rank, prepared->bytes);
        else if (prepared)
            pithi_time_add(&pithi_time_self.last->bytes, prepared->bytes);
    }
}

void pithi_time_forget(const MPI_Request *handle)
{
    struct pithi_request *request = pithi_request_any() ? pithi_request_find(pithi_request_key(*handle), client) : NULL;

    if (request)
        pithi_request_forget(request, client);
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

void pithi_time_given(uint64_t bytes, int result, const MPI_Request *request)
{
    if (!request)
        pithi_time_add(&pithi_time_self.last->bytes, bytes);
    else if (result == MPI_SUCCESS && bytes)
        prepare(*request, 0, -1, bytes);
}
