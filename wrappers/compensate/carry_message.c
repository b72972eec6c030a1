/* carry_message.c - messages on their way into the library and out of it: blocking calls, and how others begin. */
#include "carry.h"

#include "held_sends.h"
#include "own.h"
#include "real.h"
#include "second_message.h"
#include "type_parts.h"

/* ---- Before the call --------------------------------------------------------------------------------------------- */

static struct pithi_shadow *find(MPI_Comm comm)
{
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    if (found && (pithi_carry_in_message() || found->comm != MPI_COMM_NULL))
        return found;
    return NULL;
}

static void open_with(struct pithi_carry *carry, enum pithi_carry_call call, struct pithi_shadow *comm)
{
    carry->from_ns = pithi_delay_clock();
    carry->call = call;
    carry->comm = comm;
    carry->entry = NULL;
    carry->sends = carry->receives = 0;
    carry->arriving.memory = NULL;
    carry->out.has_header = carry->in.has_header = carry->out.has_type = carry->in.has_type = 0;
    if (comm && call != PITHI_CARRY_BLOCKING)
        carry->entry = pithi_carried_new(comm);
    if (carry->entry && call == PITHI_CARRY_PERSISTENT)
        carry->entry->is_persistent = 1;
}

void pithi_carry_open(struct pithi_carry *carry, enum pithi_carry_call call, MPI_Comm comm)
{
    pithi_carried_look(0);
    struct pithi_shadow *found = find(comm);
    if (!found)
        pithi_carry_alone(PITHI_ALONE_COMM);
    open_with(carry, call, found);
}

/* A long message may stay until this process waits. (That of MPI_Isendrecv is taken to go.) */
static void hold(const struct pithi_carry *carry, struct pithi_header *header, int to)
{
    uint64_t added = pithi_carry_in_message() ? sizeof *header : 0;
    int held_to = 0;
    if (carry->call == PITHI_CARRY_REQUEST || carry->call == PITHI_CARRY_PERSISTENT)
        held_to = pithi_held_to(carry->comm, to, (uint64_t)header->size_bytes, added);
    if (carry->call == PITHI_CARRY_PERSISTENT)
        carry->entry->held_to = held_to;
    header->held = carry->call == PITHI_CARRY_REQUEST ? pithi_held_post(held_to) : 0;
}

/* Without memory for what a request carries the other side would take data for it: the library is to refuse it. */
static int may_carry(const struct pithi_carry *carry, struct pithi_part *part, int peer)
{
    if (!carry->comm || peer == MPI_PROC_NULL || pithi_part_is_bad(part))
        return 0;
    if (carry->call == PITHI_CARRY_BLOCKING || carry->entry)
        return 1;
    part->count = -1;
    return 0;
}

void pithi_carry_send(struct pithi_carry *carry, const void *buf, MPI_Count count, MPI_Datatype type, int to, int tag)
{
    struct pithi_header *header = carry->entry ? &carry->entry->out : &carry->out_header;
    pithi_part_user(&carry->out, (void *)(uintptr_t)buf, count, type);
    if (!may_carry(carry, &carry->out, to))
        return;
    carry->sends = 1;
    header->size_bytes = (int64_t)pithi_part_bytes(&carry->out);
    header->way_ns = pithi_delay_way((uint64_t)header->size_bytes);
    hold(carry, header, to);
    if (!pithi_carry_in_message() || carry->call == PITHI_CARRY_BOTH)
        pithi_delay_fill(header, carry->from_ns);
    if (pithi_carry_in_message())
        pithi_part_send(&carry->out, header, carry->call, carry->entry ? &carry->entry->copied : NULL);
    else if (carry->call != PITHI_CARRY_PERSISTENT)
        pithi_second_send(carry->comm, header, to, tag);
    if (carry->entry) {
        carry->entry->sends = 1;
        carry->entry->to = to;
        carry->entry->to_tag = tag;
    }
}

static void note_receive(struct pithi_carry *carry, int from, int tag)
{
    carry->receives = 1;
    carry->from = from;
    carry->tag = tag;
    if (!carry->entry)
        return;
    carry->entry->receives = 1;
    carry->entry->from = from;
    carry->entry->tag = tag;
}

void pithi_carry_recv(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int from, int tag)
{
    pithi_part_user(&carry->in, buf, count, type);
    if (!may_carry(carry, &carry->in, from))
        return;
    note_receive(carry, from, tag);
    if (!pithi_carry_in_message())
        return;
    if (carry->call == PITHI_CARRY_BOTH)
        pithi_part_arriving(&carry->in, &carry->entry->arriving);
    else if (carry->entry)
        pithi_part_join(&carry->in, &carry->entry->in);
    else
        pithi_part_recv(&carry->in, &carry->in_header);
}

/* One buffer, one header: first ours, then the other's. */
void pithi_carry_replace(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int to, int tag,
                         int from, int from_tag)
{
    struct pithi_header *header = carry->entry ? &carry->entry->in : &carry->in_header;
    pithi_part_user(&carry->in, buf, count, type);
    if (!may_carry(carry, &carry->in, to == MPI_PROC_NULL ? from : to))
        return;
    pithi_delay_fill(header, carry->from_ns);
    header->size_bytes = carry->out_header.size_bytes = (int64_t)pithi_part_bytes(&carry->in);
    header->way_ns = pithi_delay_way((uint64_t)header->size_bytes);
    header->held = 0;
    carry->sends = to != MPI_PROC_NULL;
    if (from != MPI_PROC_NULL)
        note_receive(carry, from, from_tag);
    if (carry->entry)
        carry->entry->sends = (uint8_t)carry->sends;
    if (pithi_carry_in_message())
        pithi_part_replace(&carry->in, header, carry->entry ? &carry->entry->arriving : &carry->arriving);
    else if (carry->sends)
        pithi_second_send(carry->comm, header, to, tag);
}

/* The moment of sending is that of the library's own call, where the header can still be written. */
void pithi_carry_go(struct pithi_carry *carry)
{
    carry->begin_ns = pithi_delay_spent(carry->from_ns);
    if (!carry->out.has_header || !carry->out.header || carry->call == PITHI_CARRY_PERSISTENT)
        return;
    carry->out.header->sent_ns = carry->begin_ns + pithi_delay_offset(carry->begin_ns);
    carry->out.header->delay_ns = pithi_delay_ns();
    if (carry->out.copied)
        memcpy(carry->out.copied, carry->out.header, sizeof *carry->out.header);
}

MPI_Status *pithi_carry_status(struct pithi_carry *carry, MPI_Status *status)
{
    carry->user_status = status;
    return carry->receives && status == MPI_STATUS_IGNORE ? &carry->own_status : status;
}

/* ---- After it ---------------------------------------------------------------------------------------------------- */

static int class_of(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        REAL(MPI_Error_class)(result, &class);
    return class;
}

/* A message too long for its receive was matched too: its size is told without the header, its data are there as far as
 * they fit, and its second message is taken. */
static void receive(struct pithi_carry *carry, int result, MPI_Status *status, struct pithi_wait *wait)
{
    int class = class_of(result), good = class == MPI_SUCCESS;
    if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)
        return;
    if (carry->arriving.memory) {
        pithi_part_arrived(&carry->arriving, &carry->in_header);
        pithi_status_without_header(status);
    } else if (carry->in.has_header) {
        pithi_status_without_header(status);
        pithi_part_received(&carry->in, pithi_status_bytes(status));
    } else {
        good &=
            pithi_carried_letter(carry->comm, NULL, carry->from == MPI_ANY_SOURCE ? status->MPI_SOURCE : carry->from,
                                 carry->tag == MPI_ANY_TAG ? status->MPI_TAG : carry->tag, &carry->in_header);
    }
    if (!good)
        return;
    pithi_held_left(&carry->in_header);
    pithi_delay_message(wait, &carry->in_header, pithi_status_bytes(status));
}

void pithi_carry_over(struct pithi_carry *carry, int result, MPI_Status *status, struct pithi_least *least)
{
    if (!carry->sends && !carry->receives)
        return;
    pithi_own_over();
    struct pithi_wait wait = {.begin_ns = carry->begin_ns, .end_ns = pithi_delay_clock(), .least = least, .count = 0};
    if (carry->sends)
        pithi_delay_sent((uint64_t)carry->out_header.size_bytes, wait.end_ns - wait.begin_ns);
    if (carry->receives)
        receive(carry, result, status, &wait);
    pithi_part_end(&carry->out);
    pithi_part_end(&carry->in);
    if (carry->arriving.memory)
        pithi_part_arriving_end(&carry->arriving);
    pithi_delay_waited(&wait);
    pithi_delay_spent(wait.end_ns);
    if (!carry->receives)
        return;
    pithi_own_waited(pithi_delay_ns());
}

/* MPI lets a type be freed once a request has it; freeing it with the request is safer. */
static void keep_type(struct pithi_part *part, MPI_Datatype *type)
{
    if (part->has_type)
        *type = part->type;
    part->has_type = 0;
}

void pithi_carry_pending(struct pithi_carry *carry, int result, const MPI_Request *request)
{
    struct pithi_carried *entry = carry->entry;
    if (!entry)
        return;
    pithi_own_over();
    int64_t from = pithi_delay_clock();
    if (entry->sends && carry->call == PITHI_CARRY_REQUEST)
        pithi_delay_sent((uint64_t)entry->out.size_bytes, from - carry->begin_ns);
    entry->has_header = carry->out.has_header || carry->in.has_header;
    keep_type(&carry->out, &entry->out_type);
    keep_type(&carry->in, &entry->in_type);
    int is_needed = entry->has_header || entry->receives || entry->is_persistent;
    if (result != MPI_SUCCESS || *request == MPI_REQUEST_NULL || !is_needed || (!entry->sends && !entry->receives)) {
        pithi_carried_close(entry);
    } else {
        if (entry->receives && !entry->has_header && !entry->is_persistent)
            pithi_carried_list(entry);
        if (entry->is_persistent && !entry->has_header)
            pithi_carried_keep_comm(entry);
        pithi_carried_enter(entry, *request);
    }
    pithi_delay_spent(from);
}

/* ---- Matched messages, probes ------------------------------------------------------------------------------------ */

/* Kept among the requests: handles of the one are never those of the other, but their numbers may be the same. */
static MPI_Request key_of(MPI_Message message)
{
    return (MPI_Request)(uintptr_t)((uint64_t)(uintptr_t)message ^ UINT64_C(0x5a5a5a5a));
}

void pithi_carry_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message, MPI_Status *status)
{
    struct pithi_shadow *found = result == MPI_SUCCESS && flag ? find(comm) : NULL;
    if (!found || *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL)
        return;
    struct pithi_carried *entry = pithi_carried_new(found);
    if (!entry)
        return;
    entry->from = status->MPI_SOURCE;
    entry->tag = status->MPI_TAG;
    if (pithi_carry_in_message())
        pithi_status_without_header(status);
    pithi_carried_enter(entry, key_of(*message));
}

void pithi_carry_open_matched(struct pithi_carry *carry, enum pithi_carry_call call, const MPI_Message *message)
{
    struct pithi_carried *entry = *message == MPI_MESSAGE_NO_PROC || *message == MPI_MESSAGE_NULL
                                      ? NULL
                                      : pithi_carried_find(key_of(*message), 1);
    open_with(carry, call, entry ? entry->comm : NULL);
    carry->from = entry ? entry->from : MPI_PROC_NULL;
    carry->tag = entry ? entry->tag : 0;
    if (entry)
        pithi_carried_close(entry);
}

void pithi_carry_probed(int result, int flag, MPI_Comm comm, MPI_Status *status)
{
    if (result == MPI_SUCCESS && flag && status != MPI_STATUS_IGNORE && status->MPI_SOURCE != MPI_PROC_NULL &&
        pithi_carry_in_message() && find(comm))
        pithi_status_without_header(status);
}
