/* completion.h - the calls that complete requests. requests.w puts this code around each of them:
 *
 *     struct pithi_completion completion;
 *     statuses = pithi_completion_begin(&completion, PITHI_CALL_SITE, count, requests, statuses, MPI_STATUSES_IGNORE);
 *     ... MPI_Waitall ...
 *     pithi_completion_all(&completion, result, statuses);
 *     statuses = completion.user;
 *
 * and a client visits the completed requests:
 *
 *     struct pithi_completed one;
 *     while (pithi_completion_next(completion, client, &one))
 *         ... pithi_request_data(one.request, client) ...; if not persistent: pithi_completion_forget
 */
#ifndef PITHI_COMPLETION_H
#define PITHI_COMPLETION_H

#include "request.h"

/* One request of the call. Before the look-up this is the key of the request's handle, then the request's entry. */
union pithi_awaited {
    uint64_t key;                  /* before the look-up */
    struct pithi_request *request; /* after the look-up; NULL: no client has data for this request */
};
struct pithi_completion {
    int count;                    /* number of requests; 0: no client has data for any of them */
    int is_looked_up;             /* 0: `awaited` has keys; 1: it has entries */
    union pithi_awaited *awaited; /* [count] */
    MPI_Status *own, *user;       /* own: the wrapper's statuses, if the program passes none; user: the program's */
    /* For clients: */
    unsigned clients; /* bits of the clients that may have data for these requests */
    void **site;      /* a static variable of the wrapper for a client's data, NULL at first */
    int64_t begin_ns; /* when the library's call began, set by the client that needs it */
    /* Set after the call. `completed`: how many requests are complete. Their statuses have the same order as
     * `indices`. */
    int result, class, completed, next;
    const int *indices;   /* the indices of the completed requests; NULL: 0, 1, 2 ... */
    MPI_Status *statuses; /* as the library has filled them; NULL: there are none */
    void *memory;         /* where `awaited` and `own` point to if `few` is too small; else NULL */
    union pithi_awaited few[4];
    MPI_Status few_own[4];
};

/* Each place that uses this macro gets a static pointer of its own. The macro's value is the address of that pointer,
 * for `site` of struct pithi_completion. */
#define PITHI_CALL_SITE                                                                                                \
    __extension__({                                                                                                    \
        static void *site_;                                                                                            \
        &site_;                                                                                                        \
    })

/* For {{flag|PITHI_ALWAYS}}: a call without a flag always completes what it waits for. */
#define PITHI_ALWAYS (&(const int){1})
/* For {{index|PITHI_FIRST}}: a call for one request has no index. */
#define PITHI_FIRST (&(const int){0})

/* Call it before the call. Looks the requests up. `ignored`: MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. Returns the
 * statuses to pass to the call. These are the program's statuses. But if the program passes `ignored` and a client may
 * need statuses, they are the wrapper's own. */
MPI_Status *pithi_completion_begin(struct pithi_completion *completion, void **site, int count,
                                   const MPI_Request *requests, MPI_Status *statuses, const MPI_Status *ignored);
/* Call one of these after the call. It calls the clients that have data for the completed requests. `index` negative or
 * MPI_UNDEFINED: no request is complete. */
void pithi_completion_all(struct pithi_completion *completion, int result, MPI_Status *statuses);
void pithi_completion_one(struct pithi_completion *completion, int result, int index, MPI_Status *status);
void pithi_completion_some(struct pithi_completion *completion, int result, int count, const int *indices,
                           MPI_Status *statuses);

/* ---- for clients ------------------------------------------------------------------------------------------------- */

struct pithi_completed {
    struct pithi_request *request; /* no other thread's call gets it while clients are called */
    int result;                    /* error code of this request */
    MPI_Status *status;            /* NULL: unknown */
};
/* Releases the client's slot of a request that the client will not use again. */
static inline void pithi_completion_forget(const struct pithi_completed *one, int client)
{
    one->request->clients &= (uint8_t) ~(1u << client);
}

/* Returns the error class of a result. */
int pithi_error_class(int result);

/* Returns the i-th completed request; NULL if the library returned an index that is out of range. */
static inline union pithi_awaited *pithi_completion_place(const struct pithi_completion *completion, int i)
{
    int place = completion->indices ? completion->indices[i] : i;

    return place >= 0 && place < completion->count ? &completion->awaited[place] : NULL;
}

/* Finds the next completed request for which this client has data. Returns 0 if there are no more. If the call returned
 * MPI_ERR_IN_STATUS, each status has the result of its request; the result MPI_ERR_PENDING means that this request has
 * neither failed nor completed (MPI 4.0, 3.7.5). */
static inline int pithi_completion_next(struct pithi_completion *completion, int client, struct pithi_completed *one)
{
    while (completion->next < completion->completed) {
        int i = completion->next++;
        const union pithi_awaited *place = pithi_completion_place(completion, i);
        if (!place || !place->request || !(place->request->clients >> client & 1))
            continue;
        one->request = place->request;
        one->status = &completion->statuses[i];
        one->result = completion->result;
        if (__builtin_expect(completion->class != MPI_ERR_IN_STATUS, 1))
            return 1;
        one->result = one->status->MPI_ERROR;
        if (pithi_error_class(one->result) != MPI_ERR_PENDING)
            return 1;
    }
    return 0;
}

#endif
