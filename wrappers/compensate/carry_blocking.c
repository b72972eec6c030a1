/* carry_blocking.c - messages whose call ends when they are sent or received. */
#include "carry.h"

#include "own.h"
#include "real.h"
#include "second_message.h"
#include "type_parts.h"

/* Messages in or out of this communicator carry something. */
static struct pithi_shadow *find(MPI_Comm comm)
{
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    int is_second = pithi_compensate == PITHI_COMPENSATE_MESSAGE;
    if (found && (!is_second || found->comm != MPI_COMM_NULL))
        return found;
    pithi_carry_alone(PITHI_ALONE_COMM);
    return NULL;
}

static int in_message(void) { return pithi_compensate != PITHI_COMPENSATE_MESSAGE; }

static void fill(struct pithi_header *header, int64_t spent_ns)
{
    header->sent_ns = pithi_delay_clock();
    header->delay_ns = pithi_delay_ns() + spent_ns;
}

void pithi_carry_send(struct pithi_carry *carry, const void *buf, MPI_Count count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm)
{
    pithi_part_user(&carry->out, (void *)(uintptr_t)buf, count, type);
    carry->comm = NULL;
    if (to == MPI_PROC_NULL || pithi_part_is_bad(&carry->out) || !(carry->comm = find(comm)))
        return;
    pithi_own_tell();
    int64_t from = pithi_delay_clock();
    fill(&carry->out_header, 0);
    if (in_message())
        pithi_part_send(&carry->out, &carry->out_header);
    else
        pithi_second_send(carry->comm, &carry->out_header, to, tag);
    pithi_delay_spent(from);
}

void pithi_carry_sent(struct pithi_carry *carry)
{
    if (!carry->comm || !carry->out.has_header)
        return;
    int64_t from = pithi_delay_clock();
    pithi_part_end(&carry->out);
    pithi_delay_spent(from);
}

void pithi_carry_recv(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm)
{
    pithi_part_user(&carry->in, buf, count, type);
    carry->comm = NULL;
    carry->from = from;
    carry->tag = tag;
    if (from == MPI_PROC_NULL || pithi_part_is_bad(&carry->in) || !(carry->comm = find(comm)))
        return;
    pithi_own_tell();
    int64_t begin = pithi_delay_clock();
    if (in_message())
        pithi_part_recv(&carry->in, &carry->in_header);
    carry->begin_ns = pithi_delay_spent(begin);
}

MPI_Status *pithi_carry_status(struct pithi_carry *carry, MPI_Status *status)
{
    carry->user_status = status;
    return carry->comm && status == MPI_STATUS_IGNORE ? &carry->own_status : status;
}

static int class_of(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        REAL(MPI_Error_class)(result, &class);
    return class;
}

void pithi_carry_received(struct pithi_carry *carry, int result, MPI_Status *status)
{
    if (!carry->comm)
        return;
    struct pithi_wait wait = {carry->begin_ns, pithi_delay_clock(), PITHI_WAIT_RECV, 0, {0, 0}, 0, 0};
    int class = class_of(result), good = class == MPI_SUCCESS;
    if (status == MPI_STATUS_IGNORE)
        status = &carry->own_status;
    if (good || class == MPI_ERR_TRUNCATE) { /* it was matched, too */
        if (carry->in.has_header) {
            pithi_status_without_header(status);
            pithi_part_received(&carry->in, pithi_status_bytes(status));
        } else {
            good &= pithi_second_recv(carry->comm, &carry->in_header,
                                      carry->from == MPI_ANY_SOURCE ? status->MPI_SOURCE : carry->from,
                                      carry->tag == MPI_ANY_TAG ? status->MPI_TAG : carry->tag);
        }
    }
    pithi_part_end(&carry->in);
    if (good)
        pithi_delay_message(&wait, &carry->in_header, pithi_status_bytes(status));
    pithi_delay_waited(&wait);
    pithi_delay_spent(wait.end_ns);
    pithi_own_tell();
    pithi_own_tell_delay(pithi_delay_ns());
}
