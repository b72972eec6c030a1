/* team.h - the processes that make collective calls together: those of a communicator, a window or a file. Each team
 * has a communicator of its own for the checks (its shadow), so that they never meet the program's messages.
 */
#ifndef PITHI_TEAM_H
#define PITHI_TEAM_H

#include "real.h"

#include <stddef.h>
#include <stdint.h>

enum pithi_team_kind { PITHI_TEAM_COMM, PITHI_TEAM_FILE, PITHI_TEAM_WINDOW };
struct pithi_team {
    struct pithi_team *next;
    enum pithi_team_kind kind;
    int is_gone, users;     /* the handle was freed; how many checks under way name the team */
    MPI_Comm comm;          /* the handle */
    MPI_Errhandler handler; /* that a communicator had when it was freed; else MPI_ERRHANDLER_NULL */
    MPI_File file;
    MPI_Win window;
    MPI_Comm shadow; /* MPI_COMM_NULL: one process only */
    int rank, size;  /* in the shadow */
    int is_inter;
    int local_rank, local_size, local_from; /* in the group of this process, which begins at rank local_from of the */
    int remote_size, remote_from;           /* shadow; of an intercommunicator: the other group */
    int *places;                            /* some of its processes are of another job, or without this library, and */
                                            /* not in the shadow: where each of the local group is; else NULL */
    uint64_t id;                            /* the same in all processes, and no other team's */
    uint64_t calls;                         /* collective calls so far */
    const char *origin;                     /* the function that made it */
    char name[64];                          /* a file's */
};

/* NULL: not known, so its calls are not checked. */
struct pithi_team *pithi_team_of_comm(MPI_Comm comm);
struct pithi_team *pithi_team_of_file(MPI_File file);
struct pithi_team *pithi_team_of_window(MPI_Win window);

/* The team of MPI_COMM_WORLD, the first: of all (MPI_GROUP_NULL), or of those that have this library. What other
 * processes do is not known, as if they were of another job. */
void pithi_team_make_world(MPI_Group members);
/* A communicator of our own of all processes of the job that have this library. */
MPI_Comm pithi_team_ours(void);

/* Places in the shadow of a rank of the process's own group, and of the group that it exchanges data with (the other
 * one of an intercommunicator). -1: not there. */
int pithi_team_local(const struct pithi_team *team, int rank);
int pithi_team_peer(const struct pithi_team *team, int rank);
/* And the rank in the own group of a place in the shadow. */
int pithi_team_rank(const struct pithi_team *team, int place);

/* The group's processes as ranks of the communicator; -1: not in it. The caller's to free. */
int *pithi_team_places(MPI_Group group, MPI_Comm comm, int *size);

/* MPI_Comm_idup was called: from now on a communicator may be seen that nobody told of. */
void pithi_team_expect(void);
/* Makes the team of such a communicator, in a call that all its processes make and that may wait for them. is_unmet: 1:
 * it has no team yet. */
int pithi_team_is_unmet(MPI_Comm comm);
struct pithi_team *pithi_team_meet(MPI_Comm comm);
/* Collective over the new team. `of`: all its processes of this job are in that; NULL: they are all of this job.
 * `origin` lives as long as the process. Where a process has MOST teams already, or MPI can make no more communicators,
 * there is none. */
void pithi_team_make_comm(MPI_Comm comm, const struct pithi_team *of, const char *origin);
void pithi_team_make_file(MPI_File file, const struct pithi_team *of, const char *origin, const char *name);
void pithi_team_make_window(MPI_Win window, const struct pithi_team *of, const char *origin);
/* The handle goes; the team when its last check has ended. */
void pithi_team_drop(struct pithi_team *team);
/* A check under way names the team: 1; no more: -1. */
void pithi_team_hold(struct pithi_team *team, int step);

/* "communicator MPI_COMM_WORLD", "communicator of MPI_Comm_split", "file out.dat" */
void pithi_team_print(const struct pithi_team *team, char *text, size_t size);

#endif
