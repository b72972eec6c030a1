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

/* A request of the call: first its handle's key, later its entry. */
union pithi_awaited {
    uint64_t key;                  /* before the look-up */
    struct pithi_request *request; /* NULL: no client has data for it */
};
struct pithi_completion {
    int count;                    /* number of requests; 0: no client has data for any of them */
    int is_looked_up;             /* 0: `awaited` has keys; 1: it has entries */
    union pithi_awaited *awaited; /* [count] */
    MPI_Status *own, *user;       /* own: the wrapper's statuses, if the program ignores them; user: the program's */
    /* For clients: */
    unsigned clients; /* bits of the clients that may have data for these requests */
    void **site;      /* a static variable of the wrapper, NULL at first */
    int64_t begin_ns; /* when the library's call began, set by the client that needs it */
    /* After the call. `completed`: number of completed requests, or -1 for all; their statuses are in the same
     * order. */
    int result, class, completed, next;
    const int *indices;   /* places of the completed requests; NULL: the first `completed` */
    MPI_Status *statuses; /* as the library has filled them; NULL: ignored */
    void *memory;         /* memory of `awaited` and `own`, if `few` is too small; else NULL */
    union pithi_awaited few[4];
    MPI_Status few_own[4];
};

/* A pointer variable for each place in which this is used: the `site` of a wrapper. */
#define PITHI_CALL_SITE                                                                                                \
    __extension__({                                                                                                    \
        static void *site_;                                                                                            \
        &site_;                                                                                                        \
    })

/* For {{flag|PITHI_ALWAYS}}: a call without a flag always completes what it waits for. */
#define PITHI_ALWAYS (&(const int){1})
/* For {{index|PITHI_FIRST}}: a call for one request has no index. */
#define PITHI_FIRST (&(const int){0})

/* Before the call: looks the requests up. Returns the statuses to pass to the call: the program's, or the wrapper's own
 * if a client may need them and the program passes `ignored`, MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
MPI_Status *pithi_completion_begin(struct pithi_completion *completion, void **site, int count,
                                   const MPI_Request *requests, MPI_Status *statuses, const MPI_Status *ignored);
/* After the call, one of these calls the clients with the completed requests. `index` negative or MPI_UNDEFINED:
 * none. */
void pithi_completion_all(struct pithi_completion *completion, int result, MPI_Status *statuses);
void pithi_completion_one(struct pithi_completion *completion, int result, int index, MPI_Status *status);
void pithi_completion_some(struct pithi_completion *completion, int result, int count, const int *indices,
                           MPI_Status *statuses);

/* ---- for clients ------------------------------------------------------------------------------------------------- */

struct pithi_completed {
    struct pithi_request *request; /* claimed until pithi_completion_forget */
    int result;                    /* error code of this request */
    MPI_Status *status;            /* NULL: unknown */
};
/* Releases the client's slot: this request will not be used again. */
static inline void pithi_completion_forget(const struct pithi_completed *one, int client)
{
    one->request->clients &= (uint8_t) ~(1u << client);
}

/* The error class of a result. */
int pithi_error_class(int result);

/* The i-th completed request; NULL: the library returned an index out of range. */
static inline union pithi_awaited *pithi_completion_place(const struct pithi_completion *completion, int i)
{
    int place = completion->indices ? completion->indices[i] : i;

    return place >= 0 && place < completion->count ? &completion->awaited[place] : NULL;
}

/* Finds the next completed request with data of this client. 0: no more. With MPI_ERR_IN_STATUS each status has its own
 * result; the result MPI_ERR_PENDING there means neither failed nor complete (MPI 4.0, 3.7.5). */
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
