/* team.h - a team: the processes of a communicator, a window or a file, which make collective calls together. Each team
 * has a communicator for the checks (the team's shadow), so that messages of the checks never match the program's. */
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
    MPI_Comm comm;          /* the program's handle: this, `file` or `window`, according to `kind` */
    MPI_Errhandler handler; /* the communicator's error handler when it was freed; else MPI_ERRHANDLER_NULL */
    MPI_File file;
    MPI_Win window;
    MPI_Comm shadow; /* MPI_COMM_NULL: no other process of this job is in the team */
    int rank, size;  /* this process's rank in the shadow; the shadow's size */
    /* local_from: the rank in the shadow of rank 0 of this process's group; remote_from: of rank 0 of the remote
     * group */
    int local_from, remote_from;
    /* NULL: all processes are in the shadow. Otherwise, some processes are of another job or do not have this library;
     * for each process of the local group, its rank in the shadow, or -1 if it is not in the shadow. */
    int *places;
    uint64_t id;        /* the same in all its processes, unique among teams */
    uint64_t calls;     /* number of collective calls so far */
    const char *origin; /* the function that made its handle */
    char name[64];      /* name of a file */
};

/* Returns the team of a handle; NULL if it has no team, so that calls with this handle are not checked. */
struct pithi_team *pithi_team_of_comm(MPI_Comm comm);
struct pithi_team *pithi_team_of_file(MPI_File file);
struct pithi_team *pithi_team_of_window(MPI_Win window);

/* Makes the first team, that of MPI_COMM_WORLD. `members`: the processes that have this library; MPI_GROUP_NULL: all
 * processes have it. Processes without this library are treated like processes of another job. */
void pithi_team_make_world(MPI_Group members);
/* Returns a communicator for the checks, which has all processes of the job that have this library. */
MPI_Comm pithi_team_ours(void);

/* Both functions convert `rank`, a process's rank in a group, to the same process's rank in the shadow. They return -1
 * if the process is not in the shadow. For pithi_team_local, the group is that of the calling process. For
 * pithi_team_peer, it is the group with which the calling process exchanges data, which is the remote group of an
 * intercommunicator, and otherwise the calling process's group. */
int pithi_team_local(const struct pithi_team *team, int rank);
int pithi_team_peer(const struct pithi_team *team, int rank);
/* The inverse of pithi_team_local: converts `place`, a process's rank in the shadow, to the same process's rank in the
 * group of the calling process. */
int pithi_team_rank(const struct pithi_team *team, int place);

/* Returns a list of the group's processes as ranks in the communicator; -1 stands for a process that is not in the
 * communicator. The caller frees the list. */
int *pithi_team_places(MPI_Group group, MPI_Comm comm, int *size);

/* Call it when MPI_Comm_idup is called. From then on, a valid communicator may have no team. */
void pithi_team_expect(void);
/* is_missing returns 1 if the communicator is valid but has no team yet. make_missing then makes the team; it must be
 * called in a call that all processes of the communicator make and that may wait for them. Returns the team. */
int pithi_team_is_missing(MPI_Comm comm);
struct pithi_team *pithi_team_make_missing(MPI_Comm comm);
/* Make a team; collective over its processes. `of`: a team that has all those processes of the new team that are in
 * this job; NULL: all processes of the new team are in this job. `origin` must stay valid. No team is made if a process
 * already has MOST teams (team.c) or MPI has no more communicators. */
void pithi_team_make_comm(MPI_Comm comm, const struct pithi_team *of, const char *origin);
void pithi_team_make_file(MPI_File file, const struct pithi_team *of, const char *origin, const char *name);
void pithi_team_make_window(MPI_Win window, const struct pithi_team *of, const char *origin);
/* Call it before the communicator is freed. The team is freed when its last check has ended. */
void pithi_team_closing(struct pithi_team *team);
static inline int pithi_team_is_closing(const struct pithi_team *team)
{
    return team->handler != MPI_ERRHANDLER_NULL || team->entry->is_freed;
}
/* Counts the pending checks of the team. `step`: 1 when a check begins, -1 when it ends. */
void pithi_team_hold(struct pithi_team *team, int step);

/* Prints "communicator MPI_COMM_WORLD", "communicator of MPI_Comm_split", "file out.dat". */
void pithi_team_print(const struct pithi_team *team, char *text, size_t size);

#endif
