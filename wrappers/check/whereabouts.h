/* whereabouts.h - where each process of the job on this host is: its MPI call, in memory that all of them share.
 *
 * Written at every MPI call, read by a process that has waited for others for too long.
 */
#ifndef PITHI_WHEREABOUTS_H
#define PITHI_WHEREABOUTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum pithi_where_role { PITHI_WHERE_ALONE, PITHI_WHERE_FROM, PITHI_WHERE_TO };
struct pithi_where {
    int function;        /* 1 + place in pithi_check_names; 0: outside of MPI */
    int role, peer, tag; /* of a message, when role says so */
    uint64_t team, call; /* waits for others in this call of the team (team.h); 0: does not */
    uint64_t named;      /* the call that `text` is of */
    char text[96];       /* how the team and the call are called */
};
extern __thread struct pithi_where *pithi_where;

extern int pithi_where_rank;           /* in MPI_COMM_WORLD, else by the launcher */
extern const char *pithi_where_prefix; /* "" or "spawned ", before "rank" */

/* Collective over `ours`, of all processes of the job that have this library. */
void pithi_where_begin(MPI_Comm ours);
/* This process has left MPI_Finalize, or ends without. */
void pithi_where_end(void);
/* This thread has entered a function; 0: has left MPI. */
void pithi_where_set(int function);
void pithi_where_message(int role, int peer, int tag);

/* Which processes of a team, or of `count` members of it, have not come to its call, and where they are: "rank 1, which
 * is in MPI_Recv ...; rank 2, ...". 0: nobody is missing as far as can be seen, or a member with a lower rank that
 * waits too has the word. */
struct pithi_where_call {
    MPI_Comm shadow;
    const int *members; /* NULL: all */
    int count;
    uint64_t team, call;
    int vague; /* told: somebody missing has just begun to wait and not said yet in what call */
};
int pithi_where_missing(struct pithi_where_call *of, char *text, size_t size);

#endif
