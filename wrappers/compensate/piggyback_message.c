/* piggyback_message.c - adds headers to blocking calls, and to calls that make requests.
 *
 * A wrapper takes these steps (piggyback.w):
 *
 *     open                    notes the time, finds the communicator; makes an entry for a call that makes a request
 *     send, recv, replace     fill the header and put it in front of the data, or make room for a header that arrives
 *     go                      updates the time of sending, as late as possible
 *     (the library's call)
 *     over                    reads the header that arrived, subtracts it from the status, computes the new delay
 *
 * The header of a blocking call is a variable of the wrapper. The header of a request must live until a later call
 * completes the request, so it is in the request's entry.
 */
#include "piggyback.h"

#include "rendezvous.h"
#include "own.h"
#include "real.h"
#include "type_parts.h"

#include <limits.h>
#include <stdlib.h>

/* ---- Before the call --------------------------------------------------------------------------------------------- */

/* Returns the entry of a communicator; NULL if no headers can be sent on this communicator. */
static struct pithi_handle *find(MPI_Comm comm)
{
    struct pithi_handle *found = pithi_shadow_find(pithi_comm_key(comm));
    if (found && (pithi_piggyback_in_message() || pithi_shadow_of(found) != MPI_COMM_NULL))
        return found;
    return NULL;
}

static void open_with(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call, struct pithi_handle *comm)
{
    piggyback->from_ns = pithi_delay_clock();
    piggyback->call = call;
    piggyback->comm = comm;
    piggyback->entry = NULL;
    piggyback->sends = piggyback->receives = 0;
    piggyback->arriving.memory = NULL;
    piggyback->out.has_header = piggyback->in.has_header = piggyback->out.has_type = piggyback->in.has_type = 0;
    if (comm && call != PITHI_PIGGYBACK_BLOCKING)
        piggyback->entry = pithi_piggyback_entry_new(comm);
    if (piggyback->entry && call == PITHI_PIGGYBACK_PERSISTENT)
        piggyback->entry->is_persistent = 1;
}

void pithi_piggyback_open(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call, MPI_Comm comm)
{
    pithi_piggyback_entry_look(0);
    struct pithi_handle *found = find(comm);
    if (!found)
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_COMM);
    open_with(piggyback, call, found);
}

/* Returns 1 if a header can be added. If there is no memory for the request's entry, no header can be added, and the
 * receiver would read data as a header. So this function then sets an invalid count, which makes the library refuse the
 * call. */
static int may_piggyback(const struct pithi_piggyback *piggyback, struct pithi_part *part, int peer)
{
    if (!piggyback->comm || peer == MPI_PROC_NULL || pithi_part_is_bad(part))
        return 0;
    if (piggyback->call == PITHI_PIGGYBACK_BLOCKING || piggyback->entry)
        return 1;
    part->count = -1;
    return 0;
}

void pithi_piggyback_send(struct pithi_piggyback *piggyback, const void *buf, MPI_Count count, MPI_Datatype type,
                          int to, int tag)
{
    struct pithi_header *header = piggyback->entry ? &piggyback->entry->out : &piggyback->out_header;
    pithi_part_user(&piggyback->out, (void *)(uintptr_t)buf, count, type);
    if (!may_piggyback(piggyback, &piggyback->out, to))
        return;
    piggyback->sends = 1;
    header->size_bytes = (int64_t)pithi_part_bytes(&piggyback->out);
    header->latency_ns = pithi_delay_latency((uint64_t)header->size_bytes);
    /* A long message may stay here until this process waits. (But a message of MPI_Isendrecv counts as sent at
     * once.) */
    uint64_t added = pithi_piggyback_in_message() ? sizeof *header : 0;
    int rendezvous_to = 0;
    if (piggyback->call == PITHI_PIGGYBACK_REQUEST || piggyback->call == PITHI_PIGGYBACK_PERSISTENT)
        rendezvous_to = pithi_rendezvous_to(piggyback->comm, to, (uint64_t)header->size_bytes, added);
    if (piggyback->call == PITHI_PIGGYBACK_PERSISTENT)
        piggyback->entry->rendezvous_to = rendezvous_to;
    header->held = piggyback->call == PITHI_PIGGYBACK_REQUEST ? pithi_rendezvous_post(rendezvous_to) : 0;
    if (!pithi_piggyback_in_message() || piggyback->call == PITHI_PIGGYBACK_BOTH)
        pithi_delay_fill(header, piggyback->from_ns);
    if (pithi_piggyback_in_message())
        pithi_part_send(&piggyback->out, header, piggyback->call, piggyback->entry ? &piggyback->entry->copied : NULL);
    else if (piggyback->call != PITHI_PIGGYBACK_PERSISTENT)
        pithi_second_send(pithi_shadow_of(piggyback->comm), header, to, tag);
    if (piggyback->entry) {
        piggyback->entry->sends = 1;
        piggyback->entry->to = to;
        piggyback->entry->to_tag = tag;
    }
}

static void note_receive(struct pithi_piggyback *piggyback, int from, int tag)
{
    piggyback->receives = 1;
    piggyback->from = from;
    piggyback->tag = tag;
    if (!piggyback->entry)
        return;
    piggyback->entry->receives = 1;
    piggyback->entry->from = from;
    piggyback->entry->tag = tag;
}

void pithi_piggyback_recv(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int from,
                          int tag)
{
    pithi_part_user(&piggyback->in, buf, count, type);
    if (!may_piggyback(piggyback, &piggyback->in, from))
        return;
    note_receive(piggyback, from, tag);
    if (!pithi_piggyback_in_message())
        return;
    if (piggyback->call == PITHI_PIGGYBACK_BOTH)
        pithi_part_arriving(&piggyback->in, &piggyback->entry->arriving);
    else if (piggyback->entry)
        pithi_part_join(&piggyback->in, &piggyback->entry->in);
    else
        pithi_part_recv(&piggyback->in, &piggyback->in_header);
}

/* Prepares a call that first sends the contents of a buffer and then receives another message into it. Both messages
 * also use the same header. */
void pithi_piggyback_replace(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int to,
                             int tag, int from, int from_tag)
{
    struct pithi_header *header = piggyback->entry ? &piggyback->entry->in : &piggyback->in_header;
    pithi_part_user(&piggyback->in, buf, count, type);
    if (!may_piggyback(piggyback, &piggyback->in, to == MPI_PROC_NULL ? from : to))
        return;
    pithi_delay_fill(header, piggyback->from_ns);
    header->size_bytes = piggyback->out_header.size_bytes = (int64_t)pithi_part_bytes(&piggyback->in);
    header->latency_ns = pithi_delay_latency((uint64_t)header->size_bytes);
    header->held = 0;
    piggyback->sends = to != MPI_PROC_NULL;
    if (from != MPI_PROC_NULL)
        note_receive(piggyback, from, from_tag);
    if (piggyback->entry)
        piggyback->entry->sends = (uint8_t)piggyback->sends;
    if (pithi_piggyback_in_message())
        pithi_part_replace(&piggyback->in, header,
                           piggyback->entry ? &piggyback->entry->arriving : &piggyback->arriving);
    else if (piggyback->sends)
        pithi_second_send(pithi_shadow_of(piggyback->comm), header, to, tag);
}

/* Updates the delay and the time in the header, right before the library's call. Does nothing if the header was already
 * sent as a second message. For a persistent request, each start fills in the header, so this function does nothing
 * either. */
void pithi_piggyback_go(struct pithi_piggyback *piggyback)
{
    piggyback->begin_ns = pithi_delay_spent(piggyback->from_ns);
    if (!piggyback->out.has_header || !piggyback->out.header || piggyback->call == PITHI_PIGGYBACK_PERSISTENT)
        return;
    piggyback->out.header->sent_ns = piggyback->begin_ns + pithi_delay_offset(piggyback->begin_ns);
    piggyback->out.header->delay_ns = pithi_delay_ns();
    if (piggyback->out.copied)
        memcpy(piggyback->out.copied, piggyback->out.header, sizeof *piggyback->out.header);
}

MPI_Status *pithi_piggyback_status(struct pithi_piggyback *piggyback, MPI_Status *status)
{
    piggyback->user_status = status;
    return piggyback->receives && status == MPI_STATUS_IGNORE ? &piggyback->own_status : status;
}

/* ---- After the call ---------------------------------------------------------------------------------------------- */

/* Reads the header of the received message, and subtracts the header's size from that in the status. If the message was
 * truncated (an error), it was still matched with this receive, so its second message is received, too. */
static void receive(struct pithi_piggyback *piggyback, int result, MPI_Status *status, struct pithi_wait *wait)
{
    int class = pithi_error_class(result), good = class == MPI_SUCCESS;
    if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)
        return;
    if (piggyback->arriving.memory) {
        pithi_part_arrived(&piggyback->arriving, &piggyback->in_header);
        pithi_status_without_header(status);
    } else if (piggyback->in.has_header) {
        pithi_status_without_header(status);
        pithi_part_received(&piggyback->in, pithi_status_bytes(status));
    } else {
        good &= pithi_piggyback_receive_header(
            piggyback->comm, NULL, piggyback->from == MPI_ANY_SOURCE ? status->MPI_SOURCE : piggyback->from,
            piggyback->tag == MPI_ANY_TAG ? status->MPI_TAG : piggyback->tag, &piggyback->in_header);
    }
    if (!good)
        return;
    pithi_rendezvous_left(&piggyback->in_header);
    pithi_delay_message(wait, &piggyback->in_header, pithi_status_bytes(status));
}

void pithi_piggyback_over(struct pithi_piggyback *piggyback, int result, MPI_Status *status, struct pithi_least *least)
{
    if (!piggyback->sends && !piggyback->receives)
        return;
    pithi_own_over();
    struct pithi_wait wait = {
        .begin_ns = piggyback->begin_ns, .end_ns = pithi_delay_clock(), .least = least, .count = 0};
    if (piggyback->sends)
        pithi_delay_sent((uint64_t)piggyback->out_header.size_bytes, wait.end_ns - wait.begin_ns);
    if (piggyback->receives)
        receive(piggyback, result, status, &wait);
    pithi_part_end(&piggyback->out);
    pithi_part_end(&piggyback->in);
    if (piggyback->arriving.memory)
        pithi_part_arriving_end(&piggyback->arriving);
    pithi_delay_waited(&wait);
    pithi_delay_spent(wait.end_ns);
    if (!piggyback->receives)
        return;
    pithi_own_waited(pithi_delay_ns());
}

/* Keeps a datatype until its request is freed. MPI would allow to free the datatype earlier, but this is safer. */
static void keep_type(struct pithi_part *part, MPI_Datatype *type)
{
    if (part->has_type)
        *type = part->type;
    part->has_type = 0;
}

void pithi_piggyback_pending(struct pithi_piggyback *piggyback, int result, const MPI_Request *request)
{
    struct pithi_piggyback_entry *entry = piggyback->entry;
    if (!entry)
        return;
    pithi_own_over();
    int64_t from = pithi_delay_clock();
    if (entry->sends && piggyback->call == PITHI_PIGGYBACK_REQUEST)
        pithi_delay_sent((uint64_t)entry->out.size_bytes, from - piggyback->begin_ns);
    entry->has_header = piggyback->out.has_header || piggyback->in.has_header;
    keep_type(&piggyback->out, &entry->out_type);
    keep_type(&piggyback->in, &entry->in_type);
    int is_needed = entry->has_header || entry->receives || entry->is_persistent;
    if (result != MPI_SUCCESS || *request == MPI_REQUEST_NULL || !is_needed || (!entry->sends && !entry->receives)) {
        pithi_piggyback_entry_close(entry);
    } else {
        if (entry->receives && !entry->has_header && !entry->is_persistent)
            pithi_piggyback_entry_list(entry);
        if (entry->is_persistent && !entry->has_header)
            pithi_piggyback_entry_keep_comm(entry);
        pithi_piggyback_entry_enter(entry, pithi_request_key(*request));
    }
    pithi_delay_spent(from);
}

/* ---- Matched messages, probes ------------------------------------------------------------------------------------ */

void pithi_piggyback_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message, MPI_Status *status)
{
    struct pithi_handle *found = result == MPI_SUCCESS && flag ? find(comm) : NULL;
    if (!found || *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL)
        return;
    struct pithi_piggyback_entry *entry = pithi_piggyback_entry_new(found);
    if (!entry)
        return;
    entry->from = status->MPI_SOURCE;
    entry->tag = status->MPI_TAG;
    if (pithi_piggyback_in_message())
        pithi_status_without_header(status);
    pithi_piggyback_entry_enter(entry, pithi_message_key(*message));
}

void pithi_piggyback_open_matched(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call,
                                  const MPI_Message *message)
{
    struct pithi_piggyback_entry *entry = *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL
                                              ? NULL
                                              : pithi_piggyback_entry_find(pithi_message_key(*message));
    open_with(piggyback, call, entry ? entry->comm : NULL);
    piggyback->from = entry ? entry->from : MPI_PROC_NULL;
    piggyback->tag = entry ? entry->tag : 0;
    if (entry)
        pithi_piggyback_entry_close(entry);
}

void pithi_piggyback_probed(int result, int flag, MPI_Comm comm, MPI_Status *status)
{
    if (result == MPI_SUCCESS && flag && status != MPI_STATUS_IGNORE && status->MPI_SOURCE != MPI_PROC_NULL &&
        pithi_piggyback_in_message() && find(comm))
        pithi_status_without_header(status);
}

/* ---- MPI_Bsend --------------------------------------------------------------------------------------------------- */

/* A process can attach only one buffer at a time (MPI 4.0, 3.6). user: the program's buffer; own: the recorder's buffer
 * that is attached in its place. If own.buf is NULL, the program's buffer is attached. */
static struct pithi_bsend_buffer user, own;

struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes)
{
    struct pithi_bsend_buffer given = {buf, size_bytes}, room = given;
    if (!pithi_piggyback_in_message() || size_bytes <= 0 || own.buf)
        return given;
    /* Each message takes at least MPI_BSEND_OVERHEAD bytes, which limits the number of messages in the buffer. Each of
     * them becomes larger by its header, for which twice the header's size is enough. */
    MPI_Count more = (size_bytes / MPI_BSEND_OVERHEAD + 1) * (MPI_Count)(2 * sizeof(struct pithi_header));
    room.size_bytes = size_bytes <= INT_MAX && size_bytes + more > INT_MAX ? INT_MAX : size_bytes + more;
    if (!(room.buf = malloc((size_t)room.size_bytes)))
        return given;
    user = given;
    return own = room;
}

void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room)
{
    if (result == MPI_SUCCESS || !own.buf || room->buf != own.buf)
        return;
    free(own.buf);
    own.buf = NULL;
}

struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes)
{
    struct pithi_bsend_buffer given = {buf, size_bytes};
    if (!own.buf || buf != own.buf)
        return given;
    free(own.buf);
    own.buf = NULL;
    return user;
}
