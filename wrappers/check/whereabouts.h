/* whereabouts.h - the present MPI call of each process of the job on this host, in shared memory.
 *
 * Every MPI call stores it there. A process that has waited too long for others reads theirs.
 */
#ifndef PITHI_WHEREABOUTS_H
#define PITHI_WHEREABOUTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum pithi_where_role { PITHI_WHERE_ALONE, PITHI_WHERE_FROM, PITHI_WHERE_TO };
struct pithi_where {
    int function;        /* 1 + index into pithi_check_names; 0: outside of MPI */
    int role, peer, tag; /* peer and tag of a message; valid unless role is ALONE */
    uint64_t team, call; /* the thread waits for others in this call of this team (team.h); team 0: it does not wait */
    uint64_t named;      /* the call that `text` describes */
    char text[96];       /* the call and its team */
};
extern __thread struct pithi_where *pithi_where; /* of this thread */

extern int pithi_where_rank;           /* this process's rank in MPI_COMM_WORLD; -1 before MPI_Init */
extern const char *pithi_where_prefix; /* "", or in a spawned job "spawned "; printed before "rank" */

/* Maps the memory. Collective over `ours`, the communicator of all processes of the job that have this library. */
void pithi_where_begin(MPI_Comm ours);
/* Notes that this process has left MPI_Finalize, or exits without it. */
void pithi_where_end(void);
/* Notes that this thread has entered a function; 0: it has left MPI. */
void pithi_where_set(int function);
/* Adds peer and tag to the present call. */
void pithi_where_message(int role, int peer, int tag);

/* Prints the processes of a team, or of `count` members of it, that have not entered its call, and their present calls:
 * "rank 1, which is in MPI_Recv ...; rank 2, ...". 0: no process is known to be missing, or a waiting member with a
 * lower rank reports. */
struct pithi_where_call {
    MPI_Comm shadow;     /* the team's shadow */
    const int *members;  /* [count] ranks in the shadow; NULL: all */
    int count;           /* number of processes that make the call */
    uint64_t team, call; /* team: its id; call: the number of its call */
    int vague;           /* result: 1: a missing process has just begun to wait, and its text is not stored yet */
};
int pithi_where_missing(struct pithi_where_call *of, char *text, size_t size);

#endif
