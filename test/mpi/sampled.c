/* sampled.c - computes in three functions, 50, 30 and 20 % of the CPU time, in each rank and in one more thread.
 * Arguments: CPU seconds (of each thread), then what else to do:
 * fork: a child that computes, and exec; mask: the thread blocks all signals; signals: the program takes the
 * highest real-time signal for itself; itimer: a storm of SIGPROF; kill: kills itself at the end; wait: waits in the
 * system for half a second; deep: computes 10,000 calls deep; longer: rank 1 computes longer
 * than the others; handler: computes in a handler on a large stack of its own. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile double sink;
static double seconds;
static volatile sig_atomic_t ticks;

APART static double turn(double x, long rounds)
{
    for (long i = 0; i < rounds; i++)
        x = x * 0.999999 + 1.0;
    return x;
}

/* Each has its loop inline, so that its samples are its own. */
#define WORK(name, rounds)                                                                                             \
    APART double name(double x)                                                                                        \
    {                                                                                                                  \
        for (long i = 0; i < (rounds); i++)                                                                            \
            x = x * 0.999999 + 1.0;                                                                                    \
        sink = x;                                                                                                      \
        return x;                                                                                                      \
    }
double half_work(double x), third_work(double x), fifth_work(double x);
WORK(half_work, 50000)
WORK(third_work, 30000)
WORK(fifth_work, 20000)

APART static double step(double x)
{
    x = half_work(x);
    x = third_work(x);
    x = fifth_work(x);
    sink = x;
    return x;
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

APART static void compute(double for_seconds)
{
    double until = cpu() + for_seconds, x = 1;
    while (cpu() < until)
        x = step(x);
    sink = x;
}

static void *second(void *unused)
{
    compute(seconds);
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    ticks++;
}

/* Waits until its child has slept. */
APART static int wait_for_pipe(void)
{
    int ends[2], good = 0;
    char byte;
    if (pipe(ends) != 0)
        return 0;
    if (fork() == 0) {
        struct timespec pause = {0, 500000000};
        nanosleep(&pause, NULL);
        _exit(write(ends[1], "x", 1) != 1);
    }
    good = read(ends[0], &byte, 1) == 1;
    wait(NULL);
    return good;
}

APART static void refine(void)
{
    double until = cpu() + 2 * seconds;
    while (cpu() < until)
        sink = third_work(sink);
}

APART static double descend(int calls, double x)
{
    x = calls > 0 ? descend(calls - 1, x) : half_work(x);
    sink = x;
    return x;
}

static void work_in_handler(int number)
{
    (void)number;
    sink = half_work(1);
    ticks = 1;
}

APART static int raise_deeply(void)
{
    static char own[65536]; /* room for two handlers */
    stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    struct sigaction action = {.sa_handler = work_in_handler, .sa_flags = SA_ONSTACK};
    double until = cpu() + seconds;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        return 0;
    while (cpu() < until)
        raise(SIGUSR1);
    return 1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const char *more = argc > 2 ? argv[2] : "";
    int rank, provided, calls = 0;
    double sum = 0, one = 1;
    seconds = argc > 1 ? atof(argv[1]) : 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(more, "signals") == 0)
        signal(SIGRTMAX, on_signal);
    if (strcmp(more, "itimer") == 0) {
        struct itimerval storm = {{0, 1000}, {0, 1000}};
        signal(SIGPROF, on_signal);
        setitimer(ITIMER_PROF, &storm, NULL);
    }
    if (strcmp(more, "mask") == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    }
    pthread_create(&thread, NULL, second, NULL);
    compute(seconds);
    pthread_join(thread, NULL);
    if (strcmp(more, "fork") == 0) {
        pid_t child = fork();
        int status = 1;
        if (child == 0) {
            turn(1, 1000000);
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(child, &status, 0);
        calls = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1000;
    }
    if (strcmp(more, "wait") == 0) {
        calls = wait_for_pipe() ? calls : 1000;
        refine(); /* so that samples come after the time without a core */
    }
    if (strcmp(more, "deep") == 0)
        for (double until = cpu() + seconds; cpu() < until;)
            descend(10000, 1);
    if (strcmp(more, "handler") == 0 && !raise_deeply())
        calls = 1000;
    if (strcmp(more, "longer") == 0 && rank == 1)
        refine();
    if (strcmp(more, "kill") == 0)
        raise(SIGKILL);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sampled: %d ranks, %s\n", (int)sum + calls, strcmp(more, "itimer") || ticks > 0 ? "well" : "no ticks");
    MPI_Finalize();
    return 0;
}
