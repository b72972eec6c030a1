/* completion.h - the calls that complete requests: what was under way before, what is recorded after.
 *
 *     struct pithi_completion done;
 *     statuses = pithi_completion_begin(&done, count, requests, statuses, MPI_STATUSES_IGNORE);
 *     ... MPI_Waitall ...
 *     pithi_completion_all(&done, result, statuses);
 */
#ifndef PITHI_COMPLETION_H
#define PITHI_COMPLETION_H

#include "request.h"

struct pithi_completion {
    int count;                   /* of requests looked at; 0: nothing to record */
    struct pithi_request *found; /* [count]: as they were before; NULL: looked up when complete, by `handles` */
    MPI_Request *handles;        /* [count] */
    MPI_Status *own;             /* in place of statuses that the user ignores */
    void *memory;
    struct pithi_request few[4];
    MPI_Status few_own[4];
};

/* Looks the requests up, and returns the statuses to call with: the user's own, or ours when something is to be
 * recorded and they are ignored (`ignored`: MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE). */
MPI_Status *pithi_completion_begin(struct pithi_completion *done, int count, const MPI_Request *requests,
                                   MPI_Status *statuses, const MPI_Status *ignored);
/* After the call, one of: */
void pithi_completion_all(struct pithi_completion *done, int result, const MPI_Status *statuses);
void pithi_completion_one(struct pithi_completion *done, int result, int index, const MPI_Status *status);
void pithi_completion_some(struct pithi_completion *done, int result, int count, const int *indices,
                           const MPI_Status *statuses);
/* Nothing was completed (flag 0). */
void pithi_completion_none(struct pithi_completion *done);

#endif
