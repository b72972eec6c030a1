/* left.h - objects that the program made and did not free, and messages that it did not receive; MPI_Finalize lists
 * both.
 *
 * Each open object (a request, a communicator, a datatype ...) is an entry in a table: its handle and its call site.
 * The call that completes or frees the object removes the entry. The entries that remain in MPI_Finalize are summed up
 * by call site, and the first process prints a line for each call site of the job.
 *
 * A handle may stand for several objects: MPI gives all sends that complete at once the same request, and
 * MPI_Comm_group may return a group that the program already has. So an entry counts the objects of one handle and one
 * call site. If a handle has objects of several call sites, the address of the variable with the handle shows which
 * object is freed. If the program has copied the handle to another variable, this is unknown: the newest object is
 * taken, and the report's lines for this handle say that they are a guess.
 *
 * Threads: all functions may be called at once. Memory: no malloc; 24 bytes for each open object, at most a million of
 * them (left.c). Further objects are counted but not followed.
 */
#ifndef PITHI_LEFT_H
#define PITHI_LEFT_H

#include "real.h"
#include "team.h"

enum pithi_left_kind {
    PITHI_LEFT_REQUEST,
    PITHI_LEFT_PERSISTENT, /* a persistent request, active or not */
    PITHI_LEFT_COMM,
    PITHI_LEFT_TYPE,
    PITHI_LEFT_WINDOW,
    PITHI_LEFT_FILE,
    PITHI_LEFT_GROUP,
    PITHI_LEFT_OP,
    PITHI_LEFT_INFO,
    PITHI_LEFT_MATCHED, /* a message matched by MPI_Mprobe or MPI_Improbe */
    PITHI_LEFT_SENT,    /* a message; only in reports */
    PITHI_LEFT_KINDS
};

/* After a call that made an object. `where`: the program's variable with the handle. Null handles and predefined ones
 * get no entry. */
void pithi_left_made(int result, enum pithi_left_kind kind, const void *where);
/* After MPI_Type_get_contents: enters the derived datatypes that it returned. */
void pithi_left_contents(int result, MPI_Datatype of, MPI_Count room, const MPI_Datatype *types);
/* Before and after a call that frees an object. freeing returns the number of the object's call site (0: unknown),
 * which is passed to freed. `kind` of a request: REQUEST or PERSISTENT. */
uint32_t pithi_left_freeing(enum pithi_left_kind kind, const void *where);
void pithi_left_freed(int result, uint32_t freeing, enum pithi_left_kind kind, const void *where);

/* Before and after a call that may complete requests: requests that become MPI_REQUEST_NULL are complete. */
struct pithi_left_awaited {
    MPI_Count count;              /* length of `requests`; 0: nothing is followed */
    const MPI_Request *requests;  /* the program's array */
    MPI_Request *before, few[64]; /* a copy of `requests`: in `few`, or mapped */
};
void pithi_left_await(struct pithi_left_awaited *awaited, MPI_Count count, const MPI_Request *requests);
void pithi_left_awaited(struct pithi_left_awaited *awaited);

/* Before a send: notes its call site. */
void pithi_left_sending(MPI_Comm comm, int peer, int tag);

/* Prints what was not freed or received. Called by all processes of the team of MPI_COMM_WORLD, when no process makes
 * another call; NULL: there is no team, and this process reports for itself. */
void pithi_left_report(const struct pithi_team *world);

#endif
