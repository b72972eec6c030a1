/* team.h - a team: the processes of a communicator, a window or a file, which make collective calls together. Each team
 * has a communicator of its own for the checks (its shadow), so that their messages never match the program's. */
#ifndef PITHI_TEAM_H
#define PITHI_TEAM_H

#include "real.h"
#include "handle.h"

#include <stddef.h>
#include <stdint.h>

enum pithi_team_kind { PITHI_TEAM_COMM, PITHI_TEAM_FILE, PITHI_TEAM_WINDOW };
struct pithi_team {
    struct pithi_handle *entry; /* has this process's rank and the sizes of the groups */
    enum pithi_team_kind kind;
    MPI_Comm comm;          /* the program's handle, for this kind */
    MPI_Errhandler handler; /* the communicator's error handler when it was freed; else MPI_ERRHANDLER_NULL */
    MPI_File file;
    MPI_Win window;
    MPI_Comm shadow; /* MPI_COMM_NULL: a single process */
    int rank, size;  /* in the shadow */
    /* the rank in the shadow of rank 0 of this process's group, and of rank 0 of the remote group */
    int local_from, remote_from;
    /* The shadow's rank of each process of the local group, or -1, if some processes are of another job or without this
     * library; NULL: all are in the shadow. */
    int *places;
    uint64_t id;        /* the same in all its processes, unique among teams */
    uint64_t calls;     /* number of collective calls so far */
    const char *origin; /* the function that made its handle */
    char name[64];      /* name of a file */
};

/* The team of a handle; NULL: unknown; its calls are not checked. */
struct pithi_team *pithi_team_of_comm(MPI_Comm comm);
struct pithi_team *pithi_team_of_file(MPI_File file);
struct pithi_team *pithi_team_of_window(MPI_Win window);

/* Makes the first team, of MPI_COMM_WORLD: of all processes (MPI_GROUP_NULL), or of the processes that have this
 * library. The other processes are treated like processes of another job. */
void pithi_team_make_world(MPI_Group members);
/* A communicator for the checks, of all processes of the job that have this library. */
MPI_Comm pithi_team_ours(void);

/* The rank in the shadow of a rank of this process's group (local), and of the group with which it exchanges data
 * (peer), in an intercommunicator the remote one. -1: none. */
int pithi_team_local(const struct pithi_team *team, int rank);
int pithi_team_peer(const struct pithi_team *team, int rank);
/* The inverse of pithi_team_local. */
int pithi_team_rank(const struct pithi_team *team, int place);

/* The group's processes as ranks in the communicator; -1: not in it. The caller frees the list. */
int *pithi_team_places(MPI_Group group, MPI_Comm comm, int *size);

/* MPI_Comm_idup was called: from now on, a communicator without a team may appear. */
void pithi_team_expect(void);
/* is_missing: 1: the communicator has no team yet. make_missing makes its team, in a call that all its processes make
 * and that may wait for them. */
int pithi_team_is_missing(MPI_Comm comm);
struct pithi_team *pithi_team_make_missing(MPI_Comm comm);
/* Collective over the new team. `of`: a team with all of its processes that are in this job; NULL: all of them are in
 * this job. `origin` must stay valid. No team is made if a process already has MOST teams (team.c), or MPI has no more
 * communicators. */
void pithi_team_make_comm(MPI_Comm comm, const struct pithi_team *of, const char *origin);
void pithi_team_make_file(MPI_File file, const struct pithi_team *of, const char *origin, const char *name);
void pithi_team_make_window(MPI_Win window, const struct pithi_team *of, const char *origin);
/* Call it before the communicator is freed. The team is freed when its last check has ended. */
void pithi_team_closing(struct pithi_team *team);
static inline int pithi_team_is_closing(const struct pithi_team *team)
{
    return team->handler != MPI_ERRHANDLER_NULL || team->entry->is_freed;
}
/* Counts the pending checks of the team. `step`: 1: begun, -1: ended. */
void pithi_team_hold(struct pithi_team *team, int step);

/* Prints "communicator MPI_COMM_WORLD", "communicator of MPI_Comm_split", "file out.dat". */
void pithi_team_print(const struct pithi_team *team, char *text, size_t size);

#endif
