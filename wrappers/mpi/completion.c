/* completion.c - see completion.h. */
#include "completion.h"

#include "coll.h"
#include "job.h"
#include "lock.h"
#include "message.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* The room of `count` statuses, and what follows them aligned. */
static size_t own_bytes(size_t count) { return (count * sizeof(MPI_Status) + 15) & ~(size_t)15; }

/* Of many requests each call may complete only one or two, over and over: looking them up one by one before each call
 * would cost more than all else. A copy of the handles will do, unless another thread may be given a handle again
 * before we come to look. */
static int make_room(struct pithi_completion *done, int count)
{
    size_t many = (size_t)count;

    done->memory = NULL;
    done->found = done->few;
    done->own = done->few_own;
    if (count <= 4)
        return 1;
    size_t each = pithi_many_threads ? sizeof *done->found : sizeof *done->handles;
    done->memory = malloc(own_bytes(many) + many * each);
    if (!done->memory)
        return 0;
    done->own = done->memory;
    done->found = pithi_many_threads ? (struct pithi_request *)(void *)((char *)done->memory + own_bytes(many)) : NULL;
    done->handles = (MPI_Request *)(void *)((char *)done->memory + own_bytes(many));
    return 1;
}

/* Looks `count` requests up. 1 when one is to be recorded. */
static int look(struct pithi_completion *done, int count, const MPI_Request *requests)
{
    int open = 0;

    if (!done->found) {
        memcpy(done->handles, requests, (size_t)count * sizeof *requests);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        done->found[i].kind = PITHI_REQUEST_NONE;
        if (requests[i] != MPI_REQUEST_NULL)
            pithi_request_get(requests[i], &done->found[i]);
        open |= done->found[i].is_active && done->found[i].kind != PITHI_REQUEST_NONE;
    }
    return open;
}

MPI_Status *pithi_completion_begin(struct pithi_completion *done, int count, const MPI_Request *requests,
                                   MPI_Status *statuses, const MPI_Status *ignored)
{
    done->count = 0;
    done->memory = NULL;
    if (!pithi_self.recorded || !pithi_job_up || count <= 0 || !requests || !pithi_request_any() ||
        !make_room(done, count))
        return statuses;
    if (!look(done, count, requests)) {
        pithi_completion_none(done);
        return statuses;
    }
    done->count = count;
    return statuses == ignored ? done->own : statuses;
}

void pithi_completion_none(struct pithi_completion *done)
{
    if (__builtin_expect(done->memory != NULL, 0))
        free(done->memory);
    done->memory = NULL;
    done->count = 0;
}

static int was_cancelled(const struct pithi_request *request, const MPI_Status *status)
{
    int flag = 0;

    if (request->is_cancelled)
        REAL(MPI_Test_cancelled)(status, &flag);
    return flag;
}

/* The request at `index` is complete, with this result of its own. */
static void complete(struct pithi_completion *done, int index, int result, const MPI_Status *status)
{
    struct pithi_request looked, *request = done->found ? &done->found[index] : &looked;

    if (!done->found) {
        looked.kind = PITHI_REQUEST_NONE;
        if (done->handles[index] != MPI_REQUEST_NULL)
            pithi_request_get(done->handles[index], &looked);
    }
    if (request->kind == PITHI_REQUEST_NONE || !request->is_active)
        return;
    if (request->kind == PITHI_REQUEST_COMM) {
        pithi_request_drop(request);
        if (result == MPI_SUCCESS)
            pithi_comm_promised(request->bytes, *request->u.made);
        return;
    }
    if (request->kind == PITHI_REQUEST_COLL) {
        pithi_request_drop(request);
        if (result == MPI_SUCCESS)
            pithi_coll_complete(request);
        return;
    }
    if (request->kind == PITHI_REQUEST_COLL_INIT) {
        request->is_active = 0;
        pithi_request_set(request);
        if (result == MPI_SUCCESS)
            pithi_coll_complete(request);
        return;
    }
    struct pithi_recv recv;
    recv.comm = request->comm;
    recv.posted = request->posted;
    recv.peer = request->peer;
    recv.tag = request->tag;
    pithi_recv_end(&recv, was_cancelled(request, status) ? MPI_ERR_OTHER : result, status);
    if (request->kind == PITHI_REQUEST_RECV_INIT) {
        request->is_active = 0;
        pithi_request_set(request);
    } else {
        pithi_request_drop(request);
    }
}

/* MPI 4.0, 3.7.5: with MPI_ERR_IN_STATUS each status tells; MPI_ERR_PENDING means neither failed nor complete. With any
 * other error nothing is known about the requests: they stay. */
static int class_of(int code)
{
    int class = MPI_ERR_OTHER;

    if (code == MPI_SUCCESS)
        return MPI_SUCCESS;
    REAL(MPI_Error_class)(code, &class);
    return class;
}

void pithi_completion_all(struct pithi_completion *done, int result, const MPI_Status *statuses)
{
    int class = done->count ? class_of(result) : MPI_SUCCESS;

    for (int i = 0; i < done->count; i++) {
        int own = class == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : result;
        if (own == MPI_SUCCESS || (class == MPI_ERR_IN_STATUS && class_of(own) != MPI_ERR_PENDING))
            complete(done, i, own, &statuses[i]);
    }
    pithi_completion_none(done);
}

void pithi_completion_one(struct pithi_completion *done, int result, int index, const MPI_Status *status)
{
    if (done->count && index >= 0 && index < done->count)
        complete(done, index, result, status);
    pithi_completion_none(done);
}

void pithi_completion_some(struct pithi_completion *done, int result, int count, const int *indices,
                           const MPI_Status *statuses)
{
    int class = done->count ? class_of(result) : MPI_SUCCESS;
    int known = class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS;

    for (int i = 0; done->count && known && count != MPI_UNDEFINED && i < count; i++) {
        int own = class == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : result;
        if (indices[i] >= 0 && indices[i] < done->count)
            complete(done, indices[i], own, &statuses[i]);
    }
    pithi_completion_none(done);
}
