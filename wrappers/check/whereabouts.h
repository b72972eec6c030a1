/* whereabouts.h - the present MPI call of each process of the job on this host, in shared memory.
 *
 * Every MPI call is stored there when it begins. A process that has waited too long reads the calls of the processes
 * for which it waits.
 */
#ifndef PITHI_WHEREABOUTS_H
#define PITHI_WHEREABOUTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum pithi_where_role { PITHI_WHERE_ALONE, PITHI_WHERE_FROM, PITHI_WHERE_TO };
struct pithi_where {
    int function;        /* index into pithi_check_names, plus 1; 0: the thread is not in MPI */
    int role, peer, tag; /* role ALONE: the call has no message; peer, tag: those of the message */
    uint64_t team, call; /* the thread waits for others in this call of this team (team.h); team 0: it does not wait */
    uint64_t named;      /* the call that `text` describes */
    char text[96];       /* the call and its team */
};
extern __thread struct pithi_where *pithi_where; /* this thread's call; NULL: no call yet */

extern int pithi_where_rank;           /* this process's rank in MPI_COMM_WORLD; -1 before MPI_Init */
extern const char *pithi_where_prefix; /* "", or in a spawned job "spawned "; printed before "rank" */

/* Maps the memory. Collective over `ours`, the communicator of all processes of the job that have this library. */
void pithi_where_begin(MPI_Comm ours);
/* Notes that this process has left MPI_Finalize, or exits without it. */
void pithi_where_end(void);
/* Notes that this thread has entered the MPI function `function` (as in struct pithi_where), or has left MPI (0). */
void pithi_where_set(int function);
/* Adds the peer and the tag of a message to this thread's present call. */
void pithi_where_message(int role, int peer, int tag);

/* pithi_where_missing prints which processes have not entered a call of their team, and what these processes do: "rank
 * 1, which is in MPI_Recv ...; rank 2, ...". Returns 0 if no process is known to be missing, or if another waiting
 * process with a lower rank reports. */
struct pithi_where_call {
    MPI_Comm shadow;     /* the team's shadow */
    const int *members;  /* [count] the ranks in the shadow that make the call; NULL: all processes of the team */
    int count;           /* number of processes that make the call */
    uint64_t team, call; /* team: the team's id; call: which call of the team it is */
    int vague;           /* result: 1: a missing process has just begun to wait, and its text is not stored yet */
};
int pithi_where_missing(struct pithi_where_call *of, char *text, size_t size);

#endif
