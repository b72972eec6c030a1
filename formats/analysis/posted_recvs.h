/* posted_recvs.h - estimates when the receives of a rank were posted.
 *
 * A log records the order in which receives were posted, not the times. Receive p of a rank belongs to the p-th call
 * that posts one. A call with MPI_PROC_NULL looks the same but posts nothing, so it may belong to a later call:
 *
 *     MPI_Irecv from MPI_PROC_NULL at 10, MPI_Irecv from 1 at 20, MPI_Waitall: completes receive 0
 *
 * The answer is the earliest possible call: 10 here, too early by the time between the two calls. A call that posts and
 * completes its receive (MPI_Recv) shows how many calls posted nothing so far, and so does an MPI_Waitall that leaves
 * no receive under way. After an MPI_Waitall, no receive is assumed to be under way. */
#ifndef PITHI_POSTED_RECVS_H
#define PITHI_POSTED_RECVS_H

#include <stdint.h>

#define PITHI_NOT_KNOWN INT64_MAX

/* A call that posts a receive, or any number (`is_many`). */
struct pithi_post {
    int64_t time_ns;
    uint32_t lane, call; /* the caller's own */
    int is_many;
};

/* The posting calls of one rank. All zero: the call of the first receive is unknown. */
struct pithi_posts {
    struct pithi_post *calls; /* call c at c % room; the last 512 */
    uint32_t room;            /* a power of two, or 0 */
    uint64_t first, next;     /* numbers of the kept calls */
    uint64_t base, end, seen; /* receives: complete up to here; highest seen + 1; seen since `base` */
    uint64_t shift;           /* call p + shift made receive p */
    int is_known;
};

void pithi_posts_free(struct pithi_posts *posts);
/* A posting call begins. Its number is then `next` - 1. 0: no memory. */
int pithi_posts_add(struct pithi_posts *posts, const struct pithi_post *post);
/* The last call posted none. */
void pithi_posts_drop(struct pithi_posts *posts);
/* Receive `number` is complete. `*by`: the call that posted it; NULL: unknown. Returns that call; its time is
 * PITHI_NOT_KNOWN if it is unknown, or `by` is given. Valid until the next pithi_posts_add. */
const struct pithi_post *pithi_posts_complete(struct pithi_posts *posts, uint64_t number, const uint64_t *by);
/* An MPI_Waitall that completed receives has ended. */
void pithi_posts_none_left(struct pithi_posts *posts);

#endif
