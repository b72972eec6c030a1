/* also_functions.c - to be compiled with -finstrument-functions: calls functions whose numbers of calls are known.
 *
 * `also_functions [HOW]`; HOW: fork, library FILE. */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define APART __attribute__((noinline, noclone))

static volatile double sum;

/* Takes that time on the clock, however little of a core it gets. */
PLAIN static void spend(long ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < ns);
}

APART static void slow_leaf(void) { spend(3000000); }
APART static void quick_leaf(void) { sum += 1; }
APART static void with_call(void) { MPI_Barrier(MPI_COMM_SELF); }
APART static void quick_parent(void) { quick_leaf(); }
APART static int recursive(int n) { return n > 0 ? 1 + recursive(n - 1) : 0; }
APART static int deep(int n) { return n > 0 ? 1 + deep(n - 1) : 0; }

static jmp_buf back;
APART static void jumps(void) { longjmp(back, 1); }
APART static void catches(void)
{
    if (setjmp(back) == 0)
        jumps();
    slow_leaf();
}

APART static void handler(int number)
{
    (void)number;
    quick_leaf();
}

static void *thread_main(void *unused)
{
    slow_leaf();
    for (int i = 0; i < 10; i++)
        quick_parent();
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        slow_leaf();
    for (int i = 0; i < 100; i++)
        quick_parent();
    for (int i = 0; i < 7; i++)
        with_call();
    sum += recursive(299) + deep(1999);
    for (int i = 0; i < 3; i++)
        catches();
    pthread_create(&thread, NULL, thread_main, NULL);
    pthread_join(thread, NULL);
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            slow_leaf();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    if (!strcmp(how, "library")) {
        void *library = dlopen(argv[2], RTLD_NOW);
        void (*later)(void);
        *(void **)&later = library ? dlsym(library, "loaded_later") : NULL;
        errno = ESRCH;
        if (later)
            later();
        if (errno != ESRCH)
            printf("also_functions: rank %d, errno is changed\n", rank);
    }
    MPI_Finalize();
    printf("also_functions: rank %d, %.0f\n", rank, sum);
    return 0;
}
