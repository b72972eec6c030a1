/* carry_request.c - requests: starts, completions, ends. */
#include "carry.h"

#include "held_sends.h"
#include "own.h"
#include "real.h"
#include "second_message.h"
#include "type_parts.h"

#include <stdlib.h>

/* ---- Starts ------------------------------------------------------------------------------------------------------ */

/* One that is under way cannot be started; the library knows better than we whether it is. */
static int can_start(const struct pithi_carried *entry, MPI_Request request)
{
    MPI_Status status;
    int is_over = 0;
    return !entry->is_active || (REAL(MPI_Request_get_status)(request, &is_over, &status) == MPI_SUCCESS && is_over);
}

static void start(struct pithi_carried *entry, MPI_Request request, int64_t from_ns)
{
    if (entry->is_alone) {
        pithi_carry_alone((enum pithi_carry_alone)(entry->is_alone - 1));
        return;
    }
    entry->is_starting = entry->pcoll && can_start(entry, request);
    entry->is_active = 1;
    entry->is_cancelled = entry->is_settled = 0;
    if (entry->pcoll) {
        if (entry->is_starting)
            pithi_pcoll_start(entry->pcoll, from_ns);
    } else if (entry->sends) {
        pithi_delay_fill(&entry->out, from_ns);
        entry->out.way_ns = pithi_delay_way((uint64_t)entry->out.size_bytes);
        entry->out.held = pithi_held_post(entry->held_to);
        if (!entry->has_header)
            pithi_second_send(entry->comm, &entry->out, entry->to, entry->to_tag);
    } else if (!entry->has_header) {
        pithi_carried_list(entry);
    }
}

void pithi_carry_start(int count, const MPI_Request *requests)
{
    if (!pithi_carried_any())
        return;
    int64_t from = pithi_delay_clock();
    pithi_pcoll_look();
    for (int i = 0; i < count; i++) {
        struct pithi_carried *entry = requests[i] == MPI_REQUEST_NULL ? NULL : pithi_carried_find(requests[i], 0);
        if (entry && entry->is_persistent)
            start(entry, requests[i], from);
    }
    pithi_delay_spent(from);
}

/* Some of those of MPI_Startall may be under way all the same. Messages are as if they were. */
void pithi_carry_not_started(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++) {
        struct pithi_carried *entry = requests[i] == MPI_REQUEST_NULL ? NULL : pithi_carried_find(requests[i], 0);
        MPI_Status status;
        int is_over = 0;
        if (!entry || !entry->pcoll || !entry->is_starting ||
            REAL(MPI_Request_get_status)(requests[i], &is_over, &status) != MPI_SUCCESS || !is_over)
            continue;
        entry->is_active = entry->is_starting = 0;
        pithi_pcoll_not_started(entry->pcoll);
    }
}

void pithi_carry_start_alone(int result, const MPI_Request *request, enum pithi_carry_alone why)
{
    struct pithi_carried *entry = result == MPI_SUCCESS ? pithi_carried_new(NULL) : NULL;
    if (!entry)
        return;
    entry->is_persistent = 1;
    entry->is_alone = (uint8_t)(why + 1);
    pithi_carried_enter(entry, *request);
}

void pithi_carry_cancel(const MPI_Request *request)
{
    struct pithi_carried *entry = *request == MPI_REQUEST_NULL ? NULL : pithi_carried_find(*request, 0);
    if (entry)
        entry->is_cancelled = 1;
    if (!pithi_carry_in_message() && (!entry || entry->sends)) /* of receives all are known */
        pithi_carry_alone(PITHI_ALONE_CANCELLED);
}

/* ---- Completions ------------------------------------------------------------------------------------------------- */

static int class_of(int code)
{
    int class = MPI_ERR_OTHER;
    if (code == MPI_SUCCESS)
        return MPI_SUCCESS;
    REAL(MPI_Error_class)(code, &class);
    return class;
}

static int was_cancelled(const struct pithi_carried *entry, const MPI_Status *status)
{
    int flag = 0;
    if (entry->is_cancelled)
        REAL(MPI_Test_cancelled)(status, &flag);
    return flag;
}

/* What came with a receive; the first time it is looked at. The status is the library's, each time. MPICH 4.0 does not
 * set that of MPI_Isendrecv: what is not of this receive is left alone. */
static void settle(struct pithi_carried *entry, int result, MPI_Status *status, struct pithi_wait *wait)
{
    int class = class_of(result), good = class == MPI_SUCCESS;
    if (!entry->receives || (!good && class != MPI_ERR_TRUNCATE) || was_cancelled(entry, status))
        return;
    if (entry->arriving.memory && !entry->is_settled)
        pithi_part_arrived(&entry->arriving, &entry->in);
    int from = entry->from == MPI_ANY_SOURCE ? status->MPI_SOURCE : entry->from;
    int tag = entry->tag == MPI_ANY_TAG ? status->MPI_TAG : entry->tag;
    if (entry->has_header && status->MPI_SOURCE == from && status->MPI_TAG == tag)
        pithi_status_without_header(status);
    if (!entry->has_header && !entry->is_settled)
        good &= pithi_carried_letter(entry->comm, entry, from, tag, &entry->in);
    if (good && !entry->is_settled) {
        pithi_held_left(&entry->in);
        pithi_delay_message(wait, &entry->in, pithi_status_bytes(status));
    }
    entry->is_settled = 1;
}

/* The request at `index` is complete, with this result of its own. */
static void complete(struct pithi_carry_done *done, int index, int result, MPI_Status *status, struct pithi_wait *wait)
{
    struct pithi_carried *entry = done->found[index];
    if (!entry)
        return;
    done->found[index] = NULL;
    if (entry->icoll)
        pithi_icoll_complete(entry->icoll, wait);
    if (entry->pcoll)
        pithi_pcoll_complete(entry->pcoll, wait);
    settle(entry, result, status, wait);
    if (!entry->is_persistent) {
        pithi_carried_close(entry);
        return;
    }
    entry->is_active = entry->is_settled = 0;
    pithi_carried_unclaim(entry);
}

static int make_room(struct pithi_carry_done *done, int count)
{
    size_t many = (size_t)count;
    done->memory = NULL;
    done->found = done->few;
    done->own = done->few_own;
    if (count <= 4)
        return 1;
    if (!(done->memory = malloc(many * (sizeof *done->own + sizeof *done->found))))
        return 0;
    done->found = done->memory;
    done->own = (MPI_Status *)(void *)(done->found + many);
    return 1;
}

/* 1: one of them is a receive, of which the status must be known. 0: none is known here; -1: only sends are. */
static int look(struct pithi_carry_done *done, int count, const MPI_Request *requests)
{
    int any = 0, receives = 0;
    for (int i = 0; i < count; i++) {
        struct pithi_carried *entry = requests[i] == MPI_REQUEST_NULL ? NULL : pithi_carried_find(requests[i], 1);
        if (entry && entry->is_persistent && !entry->is_active) {
            pithi_carried_unclaim(entry);
            entry = NULL;
        }
        done->found[i] = entry;
        any |= entry != NULL;
        receives |= entry && entry->receives;
    }
    return receives ? 1 : any ? -1 : 0;
}

MPI_Status *pithi_carry_done_begin(struct pithi_carry_done *done, int count, const MPI_Request *requests,
                                   MPI_Status *statuses, const MPI_Status *ignored, struct pithi_least *least)
{
    done->least = least;
    done->count = 0;
    done->memory = NULL;
    done->user = statuses;
    if (count <= 0 || !requests || !pithi_carried_any() || !make_room(done, count))
        return statuses;
    int64_t from = pithi_delay_clock();
    int kind = look(done, count, requests);
    done->count = kind ? count : 0;
    done->begin_ns = pithi_delay_spent(from);
    return kind > 0 && statuses == ignored ? done->own : statuses;
}

static struct pithi_wait begin_end(const struct pithi_carry_done *done)
{
    if (done->count)
        pithi_own_over();
    return (struct pithi_wait){
        .begin_ns = done->begin_ns, .end_ns = pithi_delay_clock(), .least = done->least, .count = 0};
}

static void end(struct pithi_carry_done *done, const struct pithi_wait *wait)
{
    for (int i = 0; i < done->count; i++)
        if (done->found[i])
            pithi_carried_unclaim(done->found[i]);
    free(done->memory);
    done->memory = NULL;
    if (!done->count)
        return;
    done->count = 0;
    pithi_delay_waited(wait);
    pithi_delay_spent(wait->end_ns);
    if (!wait->count)
        return;
    pithi_own_waited(pithi_delay_ns());
}

/* MPI 4.0, 3.7.5: with MPI_ERR_IN_STATUS each status tells; MPI_ERR_PENDING means neither failed nor complete. With any
 * other error nothing is known about the requests: they stay. */
void pithi_carry_done_all(struct pithi_carry_done *done, int result, MPI_Status *statuses)
{
    struct pithi_wait wait = begin_end(done);
    int class = class_of(result);
    for (int i = 0; i < done->count; i++) {
        int own = class == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE ? statuses[i].MPI_ERROR : result;
        if (own == MPI_SUCCESS || (class == MPI_ERR_IN_STATUS && class_of(own) != MPI_ERR_PENDING))
            complete(done, i, own, &statuses[i], &wait);
    }
    end(done, &wait);
}

void pithi_carry_done_one(struct pithi_carry_done *done, int result, int index, MPI_Status *status)
{
    struct pithi_wait wait = begin_end(done);
    if (index >= 0 && index < done->count)
        complete(done, index, result, status, &wait);
    end(done, &wait);
}

void pithi_carry_done_some(struct pithi_carry_done *done, int result, int count, const int *indices,
                           MPI_Status *statuses)
{
    struct pithi_wait wait = begin_end(done);
    int class = class_of(result), known = class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS;
    for (int i = 0; done->count && known && count != MPI_UNDEFINED && i < count; i++) {
        int own = class == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE ? statuses[i].MPI_ERROR : result;
        if (indices[i] >= 0 && indices[i] < done->count)
            complete(done, indices[i], own, &statuses[i], &wait);
    }
    end(done, &wait);
}

void pithi_carry_done_none(struct pithi_carry_done *done)
{
    struct pithi_wait wait = begin_end(done);
    end(done, &wait);
}

void pithi_carry_peeked(MPI_Request request, int result, int flag, MPI_Status *status)
{
    struct pithi_carried *entry =
        result == MPI_SUCCESS && flag && request != MPI_REQUEST_NULL ? pithi_carried_find(request, 0) : NULL;
    struct pithi_wait wait = {.least = NULL, .count = 0}; /* when the library's own call began is not known */
    if (!entry || !entry->receives || status == MPI_STATUS_IGNORE || (entry->is_persistent && !entry->is_active))
        return;
    wait.begin_ns = wait.end_ns = pithi_delay_clock();
    settle(entry, result, status, &wait);
    pithi_delay_waited(&wait);
}

/* ---- Ends -------------------------------------------------------------------------------------------------------- */

MPI_Request *pithi_carry_free_begin(struct pithi_carry_freed *freed, MPI_Request *request)
{
    struct pithi_carried *entry = *request == MPI_REQUEST_NULL ? NULL : pithi_carried_find(*request, 1);
    freed->user = request;
    freed->inactive = NULL;
    freed->instead = MPI_REQUEST_NULL;
    if (entry && (entry->is_alone || (entry->is_persistent && !entry->is_active)))
        freed->inactive = entry;
    else if (entry)
        freed->instead = pithi_carried_keep(entry, *request);
    return freed->instead == MPI_REQUEST_NULL ? request : &freed->instead;
}

void pithi_carry_free_end(struct pithi_carry_freed *freed, int result)
{
    if (freed->inactive && result == MPI_SUCCESS)
        pithi_carried_close(freed->inactive);
    else if (freed->inactive)
        pithi_carried_unclaim(freed->inactive);
    else if (result == MPI_SUCCESS)
        *freed->user = MPI_REQUEST_NULL;
}
