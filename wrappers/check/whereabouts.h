/* whereabouts.h - the current MPI call of each process of the job on this host, in shared memory.
 *
 * Every MPI call writes it. A process that has waited too long for others reads it.
 */
#ifndef PITHI_WHEREABOUTS_H
#define PITHI_WHEREABOUTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum pithi_where_role { PITHI_WHERE_ALONE, PITHI_WHERE_FROM, PITHI_WHERE_TO };
struct pithi_where {
    int function;        /* 1 + index into pithi_check_names; 0: outside of MPI */
    int role, peer, tag; /* of a message, depending on role */
    uint64_t team, call; /* waits for others in this call of the team (team.h); 0: does not wait */
    uint64_t named;      /* the call that `text` describes */
    char text[96];       /* name of the team and the call */
};
extern __thread struct pithi_where *pithi_where;

extern int pithi_where_rank;           /* in MPI_COMM_WORLD, else given by the launcher */
extern const char *pithi_where_prefix; /* "" or "spawned ", before "rank" */

/* Collective over `ours`, the communicator of all processes of the job that have this library. */
void pithi_where_begin(MPI_Comm ours);
/* This process has left MPI_Finalize, or exits without it. */
void pithi_where_end(void);
/* This thread has entered a function; 0: has left MPI. */
void pithi_where_set(int function);
void pithi_where_message(int role, int peer, int tag);

/* Lists the processes of a team, or of `count` members of it, that have not entered its call, and where they are: "rank
 * 1, which is in MPI_Recv ...; rank 2, ...". 0: no process is known to be missing, or a waiting member with a lower
 * rank reports. */
struct pithi_where_call {
    MPI_Comm shadow;     /* of the team */
    const int *members;  /* NULL: all */
    int count;           /* of `members` */
    uint64_t team, call; /* its id; the number of its call */
    int vague;           /* set if a missing process has just begun to wait and has not written its call yet */
};
int pithi_where_missing(struct pithi_where_call *of, char *text, size_t size);

#endif
