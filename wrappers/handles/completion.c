/* completion.c - finds the requests that a call has completed, and notifies each client (completion.h).
 *
 * The MPI library sets the handles of completed requests to MPI_REQUEST_NULL, so the handles must be noted before the
 * call. Looking all of them up in the table then would be slow if a program calls MPI_Waitsome on 1,000 requests, of
 * which one completes. So if a call has more than 4 requests, only their handles are copied before the call, and the
 * completed requests are looked up after it. That is not safe if several threads may be in MPI at once, because another
 * thread may get the handle of a completed request for a new request before the look-up. In such a program, all
 * requests are looked up and claimed before the call. */
#include "completion.h"

#include "lock.h"
#include "nested.h"
#include "real.h"

#include <stdlib.h>

enum { FEW = 4 }; /* if a call has at most so many requests, all are looked up before the call */

int pithi_error_class(int result)
{
    int class = MPI_ERR_OTHER;

    if (__builtin_expect(result == MPI_SUCCESS, 1))
        return MPI_SUCCESS;
    REAL(MPI_Error_class)(result, &class);
    return class;
}

/* Finds and claims the request with this key; returns NULL if there is none. */
static struct pithi_request *claim(uint64_t key)
{
    return key == pithi_request_key(MPI_REQUEST_NULL) ? NULL : pithi_request_claim(key, ~0u);
}

/* See completion.h, and above for when the requests are looked up. Sets completion->clients to the clients that have
 * data for these requests, or to all clients if the requests are not looked up yet. */
MPI_Status *pithi_completion_begin(struct pithi_completion *completion, void **site, int count,
                                   const MPI_Request *requests, MPI_Status *statuses, const MPI_Status *ignored)
{
    completion->count = 0;
    completion->memory = NULL;
    completion->user = statuses;
    if (!pithi_request_any() || !pithi_self.recorded || count <= 0 || !requests)
        return statuses;
    size_t many = (size_t)count;

    completion->awaited = completion->few;
    completion->own = completion->few_own;
    if (count > FEW) {
        completion->memory = malloc(many * (sizeof *completion->awaited + sizeof *completion->own));
        completion->awaited = completion->memory;
        completion->own = (MPI_Status *)(void *)(completion->awaited + many);
        if (completion->memory == NULL)
            return statuses;
    }
    completion->count = count;
    completion->site = site;
    completion->is_looked_up = count <= FEW || pithi_many_threads;
    completion->clients = completion->is_looked_up ? 0 : ~0u;
    for (int i = 0; i < count; i++) {
        completion->awaited[i].key = pithi_request_key(requests[i]);
        if (completion->is_looked_up && (completion->awaited[i].request = claim(completion->awaited[i].key)))
            completion->clients |= completion->awaited[i].request->clients;
    }
    if (!completion->clients) {
        free(completion->memory);
        completion->count = 0;
        return statuses;
    }
    for (int i = 0; i < pithi_request_client_count; i++)
        if (completion->clients >> i & 1 && pithi_request_clients[i]->before)
            pithi_request_clients[i]->before(completion);
    return statuses == ignored ? completion->own : statuses;
}

/* Calls the clients that may have data for the completed requests, the last registered client first. Then ends all
 * claims. */
static void notify(struct pithi_completion *completion, int completed, const int *indices, MPI_Status *statuses)
{
    union pithi_awaited *place;

    completion->completed = completed;
    completion->indices = indices;
    completion->statuses = statuses;
    for (int i = 0; !completion->is_looked_up && i < completed; i++)
        if ((place = pithi_completion_place(completion, i)))
            place->request = claim(place->key);
    for (int client = pithi_request_client_count - 1; client >= 0; client--)
        if (completion->clients >> client & 1 && pithi_request_clients[client]->completed) {
            completion->next = 0;
            pithi_request_clients[client]->completed(completion);
        }
    if (completion->is_looked_up) {
        /* All requests were claimed, so all claims end, even those of requests that are not complete. */
        completion->completed = completion->count;
        completion->indices = NULL;
    }
    for (int i = 0; i < completion->completed; i++)
        if ((place = pithi_completion_place(completion, i)) && place->request)
            pithi_request_unclaim(place->request);
    if (__builtin_expect(completion->memory != NULL, 0))
        free(completion->memory);
}

/* Notifies the clients after a call for several requests. After an error other than MPI_ERR_IN_STATUS it is unknown
 * which requests are complete, so all of them stay in the table. */
static void tell_several(struct pithi_completion *completion, int result, int completed, const int *indices,
                         MPI_Status *statuses)
{
    if (!completion->count)
        return;
    completion->result = result;
    completion->class = pithi_error_class(result);
    int known = completion->class == MPI_SUCCESS || completion->class == MPI_ERR_IN_STATUS;
    notify(completion, known ? completed : 0, indices, statuses);
}

void pithi_completion_all(struct pithi_completion *completion, int result, MPI_Status *statuses)
{
    tell_several(completion, result, completion->count, NULL, statuses);
}

void pithi_completion_some(struct pithi_completion *completion, int result, int count, const int *indices,
                           MPI_Status *statuses)
{
    tell_several(completion, result, count == MPI_UNDEFINED ? 0 : count, indices, statuses);
}

void pithi_completion_one(struct pithi_completion *completion, int result, int index, MPI_Status *status)
{
    if (!completion->count)
        return;
    completion->result = result;
    completion->class = MPI_SUCCESS;
    notify(completion, index >= 0, &index, status);
}
