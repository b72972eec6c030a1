/* left.h - objects that the program made and did not free, and messages that it did not receive; MPI_Finalize lists
 * both.
 *
 * Each open object (a request, a communicator, a datatype ...) is an entry in a table: its handle and its call site.
 * The call that completes or frees the object removes the entry. The entries that remain in MPI_Finalize are summed up
 * by call site, and the first process prints a line for each call site of the job.
 *
 * A handle may stand for several objects: MPI gives all sends that complete at once the same request, and
 * MPI_Comm_group may return a group that the program already has. So an entry counts the objects of one handle and one
 * call site. If a handle has objects of several call sites, the address of the variable with the handle shows which of
 * these objects is freed. If the program has copied the handle to another variable, this is unknown. Then the newest
 * object is removed, and the report's lines for this handle say that they are a guess.
 *
 * Several threads may call these functions at the same time. They do not call malloc. An open object takes 24 bytes. At
 * most a million open objects are followed (left.c); further objects are only counted.
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
    PITHI_LEFT_SENT,    /* a sent message, which has a call site but no entry in the table */
    PITHI_LEFT_KINDS
};

/* Call it after a call that made an object. `where`: the program's variable with the handle. Null handles and
 * predefined handles get no entry. */
void pithi_left_made(int result, enum pithi_left_kind kind, const void *where);
/* Call it after MPI_Type_get_contents. Enters the derived datatypes that MPI_Type_get_contents returned. */
void pithi_left_contents(int result, MPI_Datatype of, MPI_Count room, const MPI_Datatype *types);
/* Call pithi_left_freeing before a call that frees an object. It returns the number of the object's call site (0:
 * unknown). Call pithi_left_freed with this number after that call. For a request, `kind` may be either of the two
 * kinds of requests. */
uint32_t pithi_left_freeing(enum pithi_left_kind kind, const void *where);
void pithi_left_freed(int result, uint32_t freeing, enum pithi_left_kind kind, const void *where);

/* Call pithi_left_await before a call that may complete requests, and pithi_left_awaited after it. Requests that the
 * call sets to MPI_REQUEST_NULL are complete. */
struct pithi_left_awaited {
    MPI_Count count;              /* length of `requests`; 0: nothing is followed */
    const MPI_Request *requests;  /* the program's array */
    MPI_Request *before, few[64]; /* a copy of `requests`: in `few`, or mapped */
};
void pithi_left_await(struct pithi_left_awaited *awaited, MPI_Count count, const MPI_Request *requests);
void pithi_left_awaited(struct pithi_left_awaited *awaited);

/* Call it before a send. Notes the send's call site. */
void pithi_left_sending(MPI_Comm comm, int peer, int tag);

/* Prints which objects were not freed, and which messages were not received. All processes of `world`, the team of
 * MPI_COMM_WORLD, call it when no process makes further calls. `world` NULL: there is no team, and each process prints
 * a report of its own. */
void pithi_left_report(const struct pithi_team *world);

#endif
