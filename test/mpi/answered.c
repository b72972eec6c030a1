/* answered.c HOW STATUS [CALLS] - a program that watches its children while its run is analysed: counts SIGCHLD
 * (count), ignores it (ignore), or blocks all signals (block). Rank 0 prints after MPI_Finalize what it noticed; STATUS
 * is the exit status. CALLS: of MPI_Barrier and MPI_Comm_rank. With SESSION, it has a session in place of MPI_Init. */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    signals = signals + 1;
}

#ifdef SESSION
static int in_session(int calls)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "answered", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < calls; i++)
        MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return rank;
}
#endif

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank = 0, size, calls = argc > 3 ? atoi(argv[3]) : 20, status;
    sigset_t all;
    if (strcmp(how, "count") == 0)
        signal(SIGCHLD, count);
    if (strcmp(how, "ignore") == 0)
        signal(SIGCHLD, SIG_IGN);
    sigfillset(&all);
    if (strcmp(how, "block") == 0)
        sigprocmask(SIG_BLOCK, &all, NULL);
#ifdef SESSION
    rank = in_session(calls);
#else
    MPI_Init(&argc, &argv);
    for (int i = 0; i < calls; i++) {
        if (i % 10 == 0) /* on a busy machine each takes long */
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    MPI_Finalize();
#endif
    if (rank == 0) {
        pid_t child = waitpid(-1, &status, WNOHANG);
        int saved = errno;
        sigpending(&all);
        printf("%d signals, %d pending, %s\n", (int)signals, sigismember(&all, SIGCHLD),
               child < 0 && saved == ECHILD ? "no child" : "a child");
    }
    return argc > 2 ? atoi(argv[2]) : 0;
}
