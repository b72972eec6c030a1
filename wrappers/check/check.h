/* check.h - collective checking, called by check.w: tests before a call whether all processes of a communicator, window
 * or file make the same collective call, with matching arguments.
 *
 * Before the library's own call, three steps describe and check this thread's call:
 *
 *     the processes   pithi_check_comm, _file, _window      the team (team.h)
 *     the arguments   pithi_check_number ..., and shapes.c  facts, which all processes must state alike; and data that
 *                                                           go from one process to another, which both must state alike
 *     the check       pithi_check_agree                     all processes exchange a hash of the facts and the data
 *
 * Calls that must not block use pithi_check_start as the third step. They get the result when the request completes.
 */
#ifndef PITHI_CHECK_H
#define PITHI_CHECK_H

#include "collective.h"
#include "real.h"
#include "whereabouts.h"

#include <stdint.h>

struct pithi_check;
struct pithi_check_call {
    /* The values before the call. pithi_check_leave restores them, because this call may be inside another call. */
    int outer_recorded, outer_function;
    struct pithi_check *outer;
};
/* Call enter and leave at the begin and the end of every MPI call. `function`: an index into pithi_check_names
 * (check.w). */
extern const char *const pithi_check_names[];
void pithi_check_enter(struct pithi_check_call *call, int function, const void *caller);
void pithi_check_leave(const struct pithi_check_call *call);

/* Call mark before MPI_Init, begin_job after MPI_Init, and ended_job after MPI_Finalize. MPI_Finalize ends the
 * checks. */
void pithi_check_mark(void);
void pithi_check_begin_job(int result);
void pithi_check_ended_job(void);

/* ---- the team; the functions of the next section have no effect without a known team ----------------------------- */

void pithi_check_comm(MPI_Comm comm);
void pithi_check_file(MPI_File file);
void pithi_check_window(MPI_Win window);
/* Call it before the other functions of this section if the call must not wait for other processes. */
void pithi_check_later(void);
/* Call it if MPI need not wait for all processes in this call. The check does wait for them, and the report of a long
 * wait says so. */
void pithi_check_wait(void);
/* Call one of these instead of the functions above if only the processes of a group make the call. A tag or a text
 * identifies the call. The second function is for calls without a communicator; their shadow is that of
 * MPI_COMM_WORLD. */
void pithi_check_members(MPI_Comm comm, MPI_Group group, int tag);
void pithi_check_members_named(MPI_Group group, const char *tag);

/* Call a function _made after a call that made an object, and _gone before a call that frees an object. `parent`: a
 * communicator that has all those processes of the new communicator that are in this job. */
void pithi_check_comm_made(int result, MPI_Comm parent, const MPI_Comm *made);
void pithi_check_expect(void); /* call it in MPI_Comm_idup, which makes the communicator only later */
void pithi_check_comm_gone(const MPI_Comm *comm);
void pithi_check_file_made(int result, MPI_Comm comm, const char *name, const MPI_File *file);
void pithi_check_window_made(int result, MPI_Comm comm, const MPI_Win *window);

/* ---- the facts of the call --------------------------------------------------------------------------------------- */

void pithi_check_number(const char *argument, int64_t value);
void pithi_check_truth(const char *argument, int value); /* all values other than 0 count as equal */
void pithi_check_numbers(const char *argument, int count, const int *values);
void pithi_check_numbers_at(const char *argument, int index, int64_t value); /* one number of a list */
void pithi_check_truths(const char *argument, int count, const int *values);
void pithi_check_text(const char *argument, const char *text); /* the address must stay valid during the call */
/* States a value that only some processes have (is_stated 1); the values of these processes must be equal. A call can
 * have at most one such value. */
void pithi_check_number_if(int is_stated, const char *argument, int64_t value);

/* shapes.c: state the arguments of a collective. `name`: the name of the MPI function. */
void pithi_check_collective(const struct pithi_collective *call, const char *name, MPI_Op op);
void pithi_check_root(int root);
/* refused_calls.c: returns 1 if MPI itself refuses the call in this process, whatever the other processes do. Such a
 * call is not checked. */
int pithi_check_refused(const struct pithi_collective *call);

/* arguments.c: state the arguments of calls that make communicators, topologies, windows and files. */
void pithi_check_group(MPI_Comm comm, MPI_Group group);
void pithi_check_merge(int high);
void pithi_check_cart_sub(MPI_Comm comm, const int *remain);
void pithi_check_graph(int nodes, const int *index, const int *edges, int reorder);
void pithi_check_adjacent(int in, const int *sources, const int *in_weights, int out, const int *destinations,
                          const int *out_weights, int reorder);
void pithi_check_open(const char *name, int mode);
void pithi_check_view(MPI_Datatype element, const char *representation);
void pithi_check_fence(int hints);
/* Call one of these for a call that makes an intercommunicator of two groups, after the check within this process's
 * group. The two leaders compare their tags and check that each of them names the other as leader; then they send the
 * result to their groups. Returns 0 if the call must not be made. */
int pithi_check_leaders(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, int *result);
int pithi_check_leaders_named(MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char *tag,
                              int *result);

/* ---- the check --------------------------------------------------------------------------------------------------- */

/* Returns 1 if all processes agree or there is nothing to check. Returns 0 if they disagree: the error was reported,
 * and the error handler has returned, so the wrapper returns *result without making the call. */
int pithi_check_agree(int *result);

/* For calls that need not wait for other processes and make no request (MPI_Comm_free). The processes go on while their
 * facts are exchanged. Later checked calls, and MPI_Finalize, read the result when it has arrived. By then the call was
 * made, so an error only calls the error handler. */
void pithi_check_post(void);

/* For nonblocking calls. Call start before the call; it returns the check, or NULL if there is nothing to check. Call
 * posted after the call; it attaches the check to the call's request. */
struct pithi_check *pithi_check_start(void);
void pithi_check_posted(struct pithi_check *check, int result, const MPI_Request *request);
/* Call one of these before a call that completes requests. settled waits for the checks of all these requests.
 * settled_some also stops waiting when a request without a pending check is complete. ready does not wait. All return 1
 * if the real call may be made, and 0 if processes disagree, as in pithi_check_agree; ready returns -1 if a check is
 * not complete. */
int pithi_check_settled(MPI_Count count, const MPI_Request *requests, int *result);
int pithi_check_settled_some(MPI_Count count, const MPI_Request *requests, int *result);
int pithi_check_ready(MPI_Count count, const MPI_Request *requests, int *result);

#endif
