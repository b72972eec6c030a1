/* left.h - what the program has made and not freed, and the messages that nobody received; MPI_Finalize lists both.
 *
 * Each open object (a request, a communicator, a datatype ...) is an entry in a table: its handle and its call site.
 * The call that completes or frees the object removes the entry. What remains in MPI_Finalize is summed up by call
 * site, and the first process prints a line for each call site of the job.
 *
 * A handle may stand for several objects: MPI gives all sends that complete at once the same request, and
 * MPI_Comm_group may return a group that the program already has. An entry therefore counts the objects of one handle
 * and one call site. If a handle has objects of several call sites, the address of the variable that held the handle
 * shows which object is freed. If the program has copied the handle, that is not known: the newest is taken, and the
 * lines of this handle say that they are a guess.
 *
 * Threads: all functions may be called at once. Memory: no malloc; 24 bytes for each open object, of at most a million
 * (left.c). Later ones are counted and not followed.
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
    PITHI_LEFT_MATCHED, /* a message of MPI_Mprobe */
    PITHI_LEFT_SENT,    /* a message; only in reports */
    PITHI_LEFT_KINDS
};

/* After a call that made an object. `where`: the program's variable with the handle. Null and predefined handles have
 * no entry. */
void pithi_left_made(int result, enum pithi_left_kind kind, const void *where);
/* After MPI_Type_get_contents: the derived datatypes among those that it returned. */
void pithi_left_contents(int result, MPI_Datatype of, MPI_Count room, const MPI_Datatype *types);
/* Before and after a call that frees an object. `kind` of a request: either one. */
uint32_t pithi_left_freeing(enum pithi_left_kind kind, const void *where);
void pithi_left_freed(int result, uint32_t freeing, enum pithi_left_kind kind, const void *where);

/* Before and after a call that may complete requests: those that MPI has set to MPI_REQUEST_NULL are complete. */
struct pithi_left_awaited {
    MPI_Count count;              /* of `requests` */
    const MPI_Request *requests;  /* the program's array */
    MPI_Request *before, few[64]; /* a copy of it: `few` or malloc'ed */
};
void pithi_left_await(struct pithi_left_awaited *awaited, MPI_Count count, const MPI_Request *requests);
void pithi_left_awaited(struct pithi_left_awaited *awaited);

/* Before a send: notes its call site. */
void pithi_left_sending(MPI_Comm comm, int peer, int tag);

/* Prints what is left. Called by all processes of the team, that of MPI_COMM_WORLD, when no process makes another call;
 * NULL: for this process only. */
void pithi_left_report(const struct pithi_team *world);

#endif
