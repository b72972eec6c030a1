/* badday.c - an MPI program that comes to grief in the way it is told to (test_badday.sh).
 *
 *     badday HOW        every rank does ROUNDS MPI_Sendrecv around the ring, and then:
 *
 *     good              MPI_Finalize
 *     kill-one          rank 1 kills itself (SIGKILL), the others wait for it in MPI_Barrier
 *     kill-all          all kill themselves
 *     abort             rank 1 calls MPI_Abort with 3
 *     error             rank 1 makes an error, which is fatal in MPI
 *     exit, quick-exit  all leave without MPI_Finalize, by exit(0) or _exit(0)
 *     handler           rank 1 crashes inside a handler of its own for SIGUSR1
 *     fork              each rank forks a child that runs a program, one that exits and one that calls _exit; then
 *                       all is well
 *     recorded-child    rank 0 forks a child that calls MPI and then _exit; then all is well
 *     exec              all become another program without MPI_Finalize
 *     threads           a second thread is at work in rank 1 when it kills itself
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 100 };

static void crash(int signal)
{
    volatile int *nothing = NULL;

    (void)signal;
    *nothing = 1;
}

static void *other_thread(void *argument)
{
    int flag;

    for (int i = 0; i < ROUNDS; i++)
        MPI_Initialized(&flag);
    return argument;
}

static void start_children(void)
{
    fflush(NULL);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            if (i == 0)
                execl("/bin/true", "true", (char *)NULL);
            if (i == 1)
                exit(0);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

static void start_recorded_child(void)
{
    int flag;

    fflush(NULL);
    if (fork() == 0) {
        MPI_Initialized(&flag);
        _exit(0);
    }
    wait(NULL);
}

static void come_to_grief(const char *how, int rank)
{
    pthread_t thread;

    if (strcmp(how, "kill-all") == 0 || (strcmp(how, "kill-one") == 0 && rank == 1))
        raise(SIGKILL);
    if (strcmp(how, "threads") == 0 && rank == 1) {
        pthread_create(&thread, NULL, other_thread, NULL);
        pthread_join(thread, NULL);
        raise(SIGKILL);
    }
    if (strcmp(how, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "error") == 0 && rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "quick-exit") == 0)
        _exit(0);
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "handler") == 0 && rank == 1) {
        signal(SIGUSR1, crash);
        raise(SIGUSR1);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "good";
    int rank, size, level, out = 1, in;

    MPI_Init_thread(&argc, &argv, strcmp(how, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(how, "fork") == 0)
        start_children();
    if (strcmp(how, "recorded-child") == 0 && rank == 0)
        start_recorded_child();
    MPI_Barrier(MPI_COMM_WORLD);
    come_to_grief(how, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("badday: all is well\n");
    MPI_Finalize();
    return 0;
}
